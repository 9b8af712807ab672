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

from benchmarks.latency import FLAGS, browser_path, missing_here, recorded, served
from benchmarks.report import Outcome, Print, at_most, row

SIZES = {"wide": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
LESSON = "lessons?lesson=public_start"
SHIFT_AT_MOST = 0.1
SLOWER = 4
# Milliseconds: how long a page may take to come to rest, and how long nothing happens at rest.
PATIENCE, QUIET = 400_000, 2500

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
  && !document.querySelector("[data-stale=true], [data-waiting]") && performance.now() - window.changed > {QUIET}"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Every page in every size, ``rounds`` times; ``PAGES=home,what-if`` in the environment names
    some of them.
    """
    if missing := missing_here():
        return Outcome(lines=_lines({}), missing=missing)
    from playwright.sync_api import sync_playwright

    from pages.topics import HEADS

    pages = [*HEADS, LESSON]
    if asked := os.environ.get("PAGES"):
        pages = ["" if name == "home" else name for name in asked.split(",")]
    say(row(COLUMNS, WIDTHS))
    scores: dict[str, list[float]] = {size: [] for size in SIZES}
    with sync_playwright() as playwright:
        for size in [one for one in SIZES for _ in range(rounds)]:
            with ExitStack() as stack:
                address = stack.enter_context(served("app.py", first_picture="on"))
                recorded(f"{address}/{pages[0]}")
                browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
                stack.callback(browser.close)
                for page in pages:
                    shifts = visit(browser, f"{address}/{page}", SIZES[size])
                    worst = max(shifts, key=lambda one: one["value"], default={"moved": []})
                    scores[size].append(sum(one["value"] for one in shifts))
                    told = "; ".join(worst["moved"][:3])
                    say(
                        row(
                            [page or "home", size, f"{scores[size][-1]:.3f}", len(shifts), told],
                            WIDTHS,
                        )
                    )
    return Outcome(lines=_lines(scores))


def _lines(scores: dict[str, list[float]]) -> list:
    worst = {size: [max(scores[size])] if scores.get(size) else [] for size in SIZES}
    return [
        at_most(f"layout shift of the worst page, {size}:", SHIFT_AT_MOST, worst[size], unit="")
        for size in SIZES
    ]


def visit(browser, address: str, size: dict[str, int]) -> list[dict]:
    """Return each layout shift of a first visit, {"value", "at": milliseconds, "moved": what
    moved}.
    """
    context = browser.new_context(viewport=size)
    try:
        page = context.new_page()
        page.add_init_script(WATCH)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(address, wait_until="commit", timeout=PATIENCE)
        page.wait_for_function(RESTS, timeout=PATIENCE, polling=250)
        return page.evaluate("window.shifts")
    finally:
        context.close()
