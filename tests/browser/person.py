"""What a person does with a page of live widgets: shared by the browser tests."""

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial

from playwright.sync_api import Locator, Page, TimeoutError

# JavaScript: bring a node to the middle of the window, and wait until five frames have found it at
# one place.
STANDS = """async (node) => {
  node.scrollIntoView({ block: "center", behavior: "instant" })
  for (let [times, before] = [0, ""]; times < 5;) {
    const { top, left } = node.getBoundingClientRect()
    times = `${top} ${left}` === before ? times + 1 : 0
    before = `${top} ${left}`
    await new Promise(requestAnimationFrame)
  }
}"""
PATIENCE = (
    60_000  # milliseconds; a condition that holds ends the wait at once, and a machine may be busy
)


def slider(page: Page, name: str = "Epsilon") -> Locator:
    """Return the slider that has exactly this name."""
    return page.get_by_role("slider", name=name, exact=True)


def first_slider(page: Page) -> Locator:
    """Return the first slider of the panel. A chart may have sliders too."""
    return page.locator(".panel").get_by_role("slider").first


def field(page: Page, name: str = "Epsilon") -> Locator:
    """Return the number field beside it."""
    return page.get_by_role("textbox", name=f"{name}, exact value", exact=True)


def enter(box: Locator | Page, value: str, name: str = "Epsilon") -> None:
    """Type into a box, or into the field of this name, and press Enter."""
    box = field(box, name) if isinstance(box, Page) else box
    box.fill(value)
    box.press("Enter")


def button(page: Page, name: str) -> Locator:
    """Return the button that has exactly this name."""
    return page.get_by_role("button", name=name, exact=True)


def choose(page: Page, choice: str, option: str) -> None:
    """Choose from a list.

    A run of the page that makes another layout closes it: then it is opened once more.
    """
    box = page.get_by_role("combobox", name=choice, exact=True)
    wanted = page.get_by_role("option", name=option, exact=True)
    box.click()
    try:
        wanted.click(timeout=PATIENCE / 4)
    except TimeoutError:
        page.keyboard.press("Escape")
        box.click()
        wanted.click()


def until(holds: Callable[[], object], page: Page | None = None) -> None:
    """Ask again and again until this holds; a page goes on meanwhile."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(50) if page else time.sleep(0.05)


def reset(page: Page) -> None:
    """Restore the default settings by the menu, and close it."""
    button(page, "Reset or resample").click()
    button(page, "Reset").click()
    page.keyboard.press("Escape")


def tab(page: Page, name: str) -> None:
    """Click on the tab that has exactly this name."""
    page.get_by_role("tab", name=name, exact=True).click()


def hold_still(thing: Locator) -> None:
    """Bring it to the middle of the window, and wait until it stays where it is."""
    thing.evaluate(STANDS)


def middle(thing: Locator) -> tuple[float, float]:
    """Return where the middle of a thing is in the window."""
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def grab(page: Page, name: str = "Epsilon") -> tuple[float, float, float]:
    """Press the mouse on the middle of a slider: (left, width, height of the pointer) of
    its track.
    """
    box = slider(page, name).bounding_box()
    page.mouse.move(*(place := middle(slider(page, name))))
    page.mouse.down()
    return box["x"], box["width"], place[1]


def sweep(page: Page, track: tuple[float, float, float], steps: int, begin: int = 0) -> None:
    """Move the pressed mouse to and fro over the track: twenty places, each once, then again."""
    left, width, height = track
    for step in range(begin, begin + steps):
        page.mouse.move(left + width * (0.5 + 0.4 * ((step * 7) % 20 - 10) / 10), height)


def drag_until(page: Page, read: Callable[[], object], least: int, name: str = "Epsilon") -> None:
    """Drag a slider to and fro until ``read()`` has given so many values, while the mouse is still
    pressed.
    """
    # A busy browser may draw nothing but the place where a sweep ends: each ends at another.
    track, begins, seen = grab(page, name), itertools.count(0, 7), set()
    until(lambda: sweep(page, track, 7, next(begins)) or seen.add(read()) or len(seen) >= least)
    page.mouse.up()


def swipe(page: Page, places: Sequence[tuple[float, float]]) -> Callable[[], None]:
    """Put a finger on the first place, and move it to the last. It stays there until what is
    returned is called.

    It is what the browser gets from its screen. Unlike Playwright's taps, it may scroll the page.
    """
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        """Send the page a touch event of this kind, with a finger at each of the places."""
        session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]},
        )

    touch("touchStart", places[0])
    for place in places[1:]:
        touch("touchMove", place)
    return partial(touch, "touchEnd")
