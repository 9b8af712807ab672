"""Measure how far each page jumps while it loads, in Chromium, wide and on a phone.

    make bench ARGS=shift
    PAGES=home,what-if make bench ARGS=shift   # these pages only

Each page is opened by a new browser with a quarter of this machine's speed. There is one server for
each window size, so that no visit finds what another has computed.

- *shift*: sum of Chromium's layout shift scores until the page has been at rest for some seconds.
- *shifts*: their number.
- *moved*: what moved in the largest of them, with its position before and after in pixels.
"""

import os
from contextlib import ExitStack
from typing import Any

from benchmarks.latency import FLAGS, browser_path, missing_here, served, wait_for_first_picture
from benchmarks.report import Line, Outcome, Print, at_most, row

SIZES = {"wide": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
LESSON = "lessons?lesson=public_start"
SHIFT_AT_MOST = 0.1
# Factor by which the browser is slowed down.
SLOWDOWN = 4
# Milliseconds that a page may take to come to rest, and in which nothing happens at rest.
REST_MILLISECONDS = 400_000
QUIET_MILLISECONDS = 2500
# Elements that are named of the largest shift.
NAMED_ELEMENTS = 3

COLUMNS = ("page", "window", "shift", "shifts", "moved")
WIDTHS = (24, 6, 6, 6, 3)

WATCH = """(() => {
  window.shifts = []
  const named = (node) => {
    const name = (one) => one.dataset?.chart || [...one.classList ?? []].find((name) => /^(st-key|lab)-/.test(name))
    while (node && !(node instanceof Element && name(node))) node = node.parentNode ?? node.host
    return node ? name(node).replace("st-key-", "") : "page"
  }
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ")
  const told = ({ node, previousRect, currentRect }) =>
    `${named(node)} (${node?.nodeName?.toLowerCase()}) ${place(previousRect)} to ${place(currentRect)}`
  new PerformanceObserver((news) => {
    for (const { value, hadRecentInput, startTime, sources } of news.getEntries()) {
      if (!hadRecentInput) window.shifts.push({ value, at: startTime, moved: sources.map(told) })
    }
  }).observe({ type: "layout-shift", buffered: true })
  new MutationObserver(() => window.changed = performance.now())
    .observe(document, { childList: true, subtree: true, attributes: true, characterData: true })
})()"""
RESTS = f"""() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-stale=true], [data-waiting]") && performance.now() - window.changed > {QUIET_MILLISECONDS}"""


# {"value": score, "at": milliseconds, "moved": texts about the elements}.
LayoutShift = dict[str, Any]


def run(*, rounds: int, say: Print) -> Outcome:
    """Open every page in every size, in each round."""
    missing = missing_here()
    if missing:
        return Outcome(lines=_requirements({}), missing=missing)
    from playwright.sync_api import sync_playwright

    pages = _pages()
    say(row(COLUMNS, WIDTHS))
    scores: dict[str, list[float]] = {size: [] for size in SIZES}
    with sync_playwright() as playwright:
        for size in SIZES:
            for _ in range(rounds):
                scores[size] += _measure(playwright.chromium, pages, size, say)
    return Outcome(lines=_requirements(scores))


def _pages() -> list[str]:
    """Return the paths to open, with their settings."""
    from pages.topics import HEADS

    wanted = os.environ.get("PAGES")
    if not wanted:
        return [*HEADS, LESSON]
    paths = wanted.split(",")
    if "home" in paths:
        paths[paths.index("home")] = ""
    return paths


def _measure(chromium: Any, pages: list[str], size: str, say: Print) -> list[float]:
    """Open the pages of a new server, print a row for each, and return their scores."""
    scores = []
    with ExitStack() as stack:
        address = stack.enter_context(served("app.py", first_picture="on"))
        wait_for_first_picture(f"{address}/{pages[0]}")
        browser = chromium.launch(executable_path=browser_path(), args=FLAGS)
        stack.callback(browser.close)
        for page in pages:
            shifts = visit(browser, f"{address}/{page}", SIZES[size])
            score = sum(shift["value"] for shift in shifts)
            scores.append(score)
            cells = [page or "home", size, f"{score:.3f}", len(shifts), _largest_move(shifts)]
            say(row(cells, WIDTHS))
    return scores


def _largest_move(shifts: list[LayoutShift]) -> str:
    """Return what moved in the largest shift, or "" if there is none."""
    if not shifts:
        return ""
    largest = max(shifts, key=lambda shift: shift["value"])
    return "; ".join(largest["moved"][:NAMED_ELEMENTS])


def _requirements(scores: dict[str, list[float]]) -> list[Line]:
    """Compare the worst page of each window size with the largest shift."""
    lines = []
    for size in SIZES:
        worst = []
        if scores.get(size):
            worst = [max(scores[size])]
        asked = f"layout shift of the worst page, {size}:"
        lines.append(at_most(asked, SHIFT_AT_MOST, worst, unit=""))
    return lines


def visit(browser: Any, address: str, size: dict[str, int]) -> list[LayoutShift]:
    """Return each layout shift of a first visit with a window of this size."""
    context = browser.new_context(viewport=size)
    try:
        page = context.new_page()
        page.add_init_script(WATCH)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        page.goto(address, wait_until="commit", timeout=REST_MILLISECONDS)
        page.wait_for_function(RESTS, timeout=REST_MILLISECONDS, polling=250)
        return page.evaluate("window.shifts")
    finally:
        context.close()
