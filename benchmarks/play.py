"""A training that plays: how many of its moments are drawn in a second, in headless Chromium.

The page of networks at its default settings, all of it computed. *Play* is pressed, and pressed
again at the end, so that all moments are drawn twice, from the first to the last. A moment counts
when every chart in view that moves with the training has changed since the one before, by a
mutation that makes a difference to the picture. Time runs from the press of the button to the last
picture, the wait for the first one included. Beside it stands the CPU time that the page's own
process (drawing and painting) took for a moment, which a busy machine stretches less.
"""

from contextlib import ExitStack
from itertools import pairwise

import numpy as np

from benchmarks.latency import FLAGS, Visit, browser_path, complete_redraws, missing_here, served
from benchmarks.report import Outcome, Print, at_least, number, row
from benchmarks.subjects import Subject

CHARTS = ("accuracy", "map.private", "map.plain")
NETWORK = Subject(
    script="app.py",
    path="network",
    slider="Step shown",
    charts=tuple(f'[data-chart="{name}"]' for name in CHARTS),
    moving=tuple(range(len(CHARTS))),
)
MOMENTS, TIMES = 60, 2
MOMENTS_AT_LEAST = 10.0
# Milliseconds: how long the page may take to compute all networks, and one playing.
PATIENCE = 120_000

COLUMNS = ("run", "moments", "seconds", "a second", "longest wait", "CPU a moment", "order")
WIDTHS = (6, 8, 8, 9, 13, 13, 8)

AT_REST = """() => document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "notRunning"
  && /steps of/.test(document.querySelector(".lab-verdict")?.textContent) && location.search.includes("shown=")"""
BUTTON = """name => document.querySelector(".st-key-sliders [data-ready]").shadowRoot
  .querySelector(`[aria-label="${name}"]`)"""
PRESS = (
    f"() => {{ steps.length = 0; const at = performance.now(); ({BUTTON})('Play').click(); return"
    " at }"
)
# The steps that the sentence speaks of, one after the other, as they are to be seen at each frame
# of the browser.
LISTEN = """() => {
  window.steps = []
  const look = () => {
    const words = document.querySelector(".lab-verdict").textContent
    const step = words.startsWith("Before") ? 0 : Number(/After ([\\d,]+) step/.exec(words)?.[1].replaceAll(",", ""))
    if (step !== steps.at(-1)) steps.push(step)
    requestAnimationFrame(look)
  }
  look()
}"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Play it ``rounds`` times in pages of their own."""
    asked = "moments of a playing training"
    if missing := missing_here():
        return Outcome(
            lines=[at_least(asked, MOMENTS_AT_LEAST, (), unit=" a second")], missing=missing
        )
    from playwright.sync_api import sync_playwright

    say(row(COLUMNS, WIDTHS))
    rates = []
    with ExitStack() as stack:
        address = stack.enter_context(served(NETWORK.script))
        chromium = stack.enter_context(sync_playwright()).chromium
        for turn in range(rounds):
            browser = chromium.launch(executable_path=browser_path(), args=FLAGS)
            try:
                rates.append(_run(browser, address, turn, say=say))
            finally:
                browser.close()
    return Outcome(lines=[at_least(asked, MOMENTS_AT_LEAST, rates, unit=" a second")])


def _run(browser, address: str, turn: int, *, say: Print) -> float:
    """Moments a second of one visit."""
    visit = Visit(browser, NETWORK, address)
    page = visit.page
    page.wait_for_function(AT_REST, timeout=PATIENCE)
    page.evaluate(LISTEN)
    seconds, drawn, waits, spent, orderly = 0.0, 0, [], _renderers(browser), True
    for _ in range(TIMES):
        begin, ends, steps = play(page, visit.moving)
        seconds += (ends[-1] - begin) / 1000
        drawn += len(ends)
        waits += [later - earlier for earlier, later in pairwise([begin, *ends])]
        orderly &= steps == sorted(steps) and len(ends) >= MOMENTS
    cpu = 1000 * (_renderers(browser) - spent) / drawn
    visit.close()
    rate = drawn / seconds
    told = [drawn, f"{seconds:.1f}", number(rate), f"{number(max(waits))} ms", f"{number(cpu)} ms"]
    say(row([turn + 1, *told, "kept" if orderly else "BROKEN"], WIDTHS))
    return rate if orderly else np.nan


def play(page, moving: tuple[int, ...]) -> tuple[float, list[float], list[int]]:
    """Press the button and wait for the end: when it was pressed, when each moment was drawn, the
    steps said.
    """
    page.bring_to_front()
    page.evaluate("recorder.reset()")
    begin = page.evaluate(PRESS)
    page.wait_for_function(f"() => ({BUTTON})('Play')", timeout=PATIENCE)
    changes = page.evaluate("recorder.changes")
    steps = page.evaluate("steps")
    page.wait_for_timeout(1500)  # the page around it follows, and does not belong to it
    return begin, complete_redraws(changes, moving), steps[1:]  # the first is where it stood before


def _renderers(browser) -> float:
    """Seconds of CPU time that the processes of pages have taken."""
    session = browser.new_browser_cdp_session()
    known = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(one["cpuTime"] for one in known if one["type"] == "renderer")
