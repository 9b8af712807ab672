"""What a person does with a page of live widgets: shared by the browser tests."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from playwright.sync_api import Locator, Page, TimeoutError

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
PATIENCE = 60_000  # milliseconds; a condition that holds ends the wait at once, and a machine may be busy


def slider(page: Page, name: str = "Epsilon") -> Locator:
    """The slider with this label."""
    return page.get_by_role("slider", name=name, exact=True)


def field(page: Page, name: str = "Epsilon") -> Locator:
    """The number field beside it."""
    return page.get_by_role("textbox", name=f"{name}, exact value", exact=True)


def enter(box: Locator | Page, value: str, name: str = "Epsilon") -> None:
    """Type into a box, or into the field of this name, and press Enter."""
    box = field(box, name) if isinstance(box, Page) else box
    box.fill(value)
    box.press("Enter")


def button(page: Page, name: str) -> Locator:
    """The button that is called exactly so."""
    return page.get_by_role("button", name=name, exact=True)


def choose(page: Page, choice: str, option: str) -> None:
    """Choose from a list. A run of the page that makes another layout closes it: then it is opened once more."""
    box, wanted = (
        page.get_by_role("combobox", name=choice, exact=True),
        page.get_by_role("option", name=option, exact=True),
    )
    box.click()
    try:
        wanted.click(timeout=PATIENCE / 4)
    except TimeoutError:
        page.keyboard.press("Escape")
        box.click()
        wanted.click()


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Ask again and again until this holds."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def tab(page: Page, name: str) -> None:
    """Open a tab."""
    page.get_by_role("tab", name=name, exact=True).click()


def hold_still(thing: Locator) -> None:
    """Bring it to the middle of the window, and wait until it stays where it is."""
    thing.evaluate(STANDS)


def middle(thing: Locator) -> tuple[float, float]:
    """Where the middle of a thing is in the window."""
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def grab(page: Page, name: str = "Epsilon") -> tuple[float, float, float]:
    """Press the mouse on the middle of a slider: (left, width, height of the pointer) of its track."""
    box = slider(page, name).bounding_box()
    page.mouse.move(*(place := middle(slider(page, name))))
    page.mouse.down()
    return box["x"], box["width"], place[1]


def sweep(page: Page, track: tuple[float, float, float], steps: int, begin: int = 0) -> None:
    """Move the pressed mouse to and fro over the track: twenty places, each once, then again."""
    left, width, height = track
    for step in range(begin, begin + steps):
        page.mouse.move(left + width * (0.5 + 0.4 * ((step * 7) % 20 - 10) / 10), height)


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


def swipe(page: Page, places: Sequence[tuple[float, float]]) -> Callable[[], None]:
    """Put a finger on the first place, and move it to the last. It stays there until what is returned is called.

    It is what the browser gets from its screen. Unlike Playwright's taps, it may scroll the page.
    """
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]})

    touch("touchStart", places[0])
    for place in places[1:]:
        touch("touchMove", place)
    return partial(touch, "touchEnd")


def distinct(read: Callable[[], str | None]) -> Callable[[], int]:
    """A counter of the different values that ``read()`` has given."""
    seen = set()

    def count() -> int:
        seen.add(read())
        return len(seen)

    return count
