"""What a person does with a page of live widgets, and sees: shared by the browser tests."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

# JavaScript: what a chart shows, drawn by Plotly or painted over it while something moves.
SHOWN = """(chart) => (chart?.querySelector("canvas")?.toDataURL() ?? "") +
  [...chart?.querySelectorAll(".shapelayer path, path.js-line, image") ?? []]
    .map((one) => one.getAttribute("d") ?? one.getAttribute("href")).sort().join()"""
# JavaScript: bring a node to the middle of the window, and wait until five frames have found it at one place.
STANDS = """async (node) => {
  node.scrollIntoView({ block: "center", behavior: "instant" })
  for (let [times, before] = [0, ""]; times < 5;) {
    const { top, left } = node.getBoundingClientRect()
    times = `${top} ${left}` === before ? times + 1 : 0
    before = `${top} ${left}`
    await new Promise(requestAnimationFrame)
  }
}"""
# JavaScript: nothing computes, nothing is pale because it is of an earlier run, and nothing moves but what always does.
STILL = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-stale=true]")
  && document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
# JavaScript: the colours of the ground, as the page and as each of our widgets has them.
GROUNDS = """() => [getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor,
  ...[...document.querySelectorAll("[data-there]")].map((one) =>
    getComputedStyle(one).getPropertyValue("--st-background-color"))].filter(Boolean)"""
PATIENCE = 60_000  # milliseconds; a condition that holds ends the wait at once, and a machine may be busy


def drawn(page: Page, charts: int = 2) -> None:
    """Wait until the panel and this many charts are there."""
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("slider").first).to_be_visible(timeout=PATIENCE)
    page.wait_for_function("charts => document.querySelectorAll('.svg-container').length >= charts", arg=charts)


def still(page: Page) -> None:
    """Wait until ten frames have found the page at rest."""
    page.wait_for_function(f"""async () => {{
      const still = {STILL}
      for (let times = 0; times < 10; times++) {{
        if (!still()) return false
        await new Promise(requestAnimationFrame)
      }}
      return true
    }}""")


def darken(page: Page) -> None:
    """Turn a light page dark, and wait until all of it is; one that is dark stays so."""
    if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        return
    light = page.evaluate(GROUNDS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => !({GROUNDS})().some((one) => light.includes(one))", arg=light)


def slider(page: Page, name: str = "Epsilon") -> Locator:
    """The slider with this label."""
    return page.get_by_role("slider", name=name, exact=True)


def field(page: Page, name: str = "Epsilon") -> Locator:
    """The number field beside it."""
    return page.get_by_role("textbox", name=f"{name}, exact value", exact=True)


def text(page: Page) -> Locator:
    """The line in which the demo says what it has drawn."""
    return page.get_by_test_id("stText")


def shows(page: Page, epsilon: float) -> None:
    """Wait until what the demo has drawn is for this epsilon."""
    expect(text(page)).to_contain_text(f"epsilon {epsilon!r} ")


def look_at(page: Page, chart: str) -> None:
    """Scroll a chart into view, as who drags on a phone does: what is out of view follows when the drag is over."""
    page.locator(chart).first.scroll_into_view_if_needed()


def hold_still(thing: Locator) -> None:
    """Bring it to the middle of the window, and wait until it stays where it is."""
    thing.evaluate(STANDS)


def grab(page: Page, name: str = "Epsilon") -> tuple[float, float, float]:
    """Press the mouse on the middle of a slider: (left, width, height of the pointer) of its track."""
    box = slider(page, name).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    return box["x"], box["width"], middle


def sweep(page: Page, track: tuple[float, float, float], steps: int, begin: int = 0) -> None:
    """Move the pressed mouse to and fro over the track: twenty places, each once, then again."""
    left, width, middle = track
    for step in range(begin, begin + steps):
        page.mouse.move(left + width * (0.5 + 0.4 * ((step * 7) % 20 - 10) / 10), middle)


def drag_until(page: Page, count: Callable[[], int], least: int, name: str = "Epsilon", steps: int = 7) -> None:
    """Drag a slider to and fro until ``count()`` is at least this, while the mouse is still pressed."""
    track, end = grab(page, name), time.monotonic() + PATIENCE / 1000
    seen, begin = count(), 0
    while seen < least and time.monotonic() < end:
        # A busy browser may draw nothing but the place where a sweep ends: each ends at another.
        sweep(page, track, steps, begin)
        begin += steps
        seen = count()
    page.mouse.up()
    assert seen >= least, seen


def distinct(read: Callable[[], str | None]) -> Callable[[], int]:
    """A counter of the different values that ``read()`` has given."""
    seen = set()

    def count() -> int:
        seen.add(read())
        return len(seen)

    return count
