"""Lessons in a real browser: the guess by hand, the outcome only after it; and rooms of a class."""

import pytest
from playwright.sync_api import Page, expect

from pages.lessons import texts as say
from pages.lessons.page import NAMED
from pages.topics import PAGES
from tests.browser.person import button, enter, hold_still, middle, until
from tests.browser.sight import becomes, obeys, still
from ui.server.qr_code import QR_ALT
from ui.widgets.chart_board import Chart

GUESS = "document.querySelector('[data-chart=guess] .js-plotly-plot')"
# (how far the middle of the mark at the guess is from where its value stands on the axis, in
# pixels; the guess)
OFF = """(node) => {
  const { shapes, yaxis, xaxis } = node._fullLayout
  const at = shapes.findIndex(({ name }) => name === "guess")
  if (at < 0) return [NaN, NaN, NaN]
  const mark = [...node.querySelectorAll(".shapelayer path")].find((one) => one.dataset.index === String(at))
  const box = mark.getBoundingClientRect(), { top, left } = node.getBoundingClientRect()
  const y = box.top + box.height / 2 - top - yaxis._offset, x = box.left + box.width / 2 - left - xaxis._offset
  const { yanchor, xanchor } = shapes[at]
  return [Math.abs(y - yaxis.d2p(yanchor)), Math.abs(x - xaxis.d2p(xanchor)), yanchor]
}"""
# Words of the chart that are not whole in it, and those of which another is in the way.
CROWDED = f"""() => {{
  const room = {GUESS}.getBoundingClientRect()
  const written = [...{GUESS}.querySelectorAll(".annotation-text")]
  const words = written.map((one) => [one.textContent, one.getBoundingClientRect()])
  const out = words.filter(([, {{ left, right }}]) => left < room.left || right > room.right).map(([text]) => text)
  const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom &&
    other.top < one.bottom
  const pairs = words.flatMap(([text, one], at) =>
    words.slice(at + 1).filter(([, other]) => meet(one, other)).map(([other]) => [text, other]))
  return [...out, ...pairs]
}}"""


def chart(page: Page, name: str = "guess"):
    """Return a chart, once it is drawn."""
    found = page.locator(f"[data-chart={name}] .js-plotly-plot")
    expect(found.locator(".main-svg").first).to_be_visible()
    return found


def guess(page: Page):
    """Return the number field for the guess."""
    return page.get_by_role("spinbutton").first


def lock(page: Page, name: str, value: str = "60"):
    """Lock in the guess, this value where there is none yet; the picture that shows the outcome."""
    if button(page, "Lock in my guess").is_disabled():
        enter(guess(page), value)
    button(page, "Lock in my guess").click()
    page.wait_for_url("**step=reveal*")
    return chart(page, NAMED[name].picture)


def outcome(name: str) -> list[bytes]:
    """Return what only the outcome's picture holds: the data of its traces, and the strokes of
    single runs.
    """
    one = NAMED[name]
    page = next(page for page in PAGES if page.name == one.page)
    known, asked = (
        _parts(page.at(settings).view(settings.experiment.run()).charts(one.board)[one.picture])
        for settings in one.cases(page.settings)
    )
    return [part for part in asked if part not in known]


def _parts(picture: Chart) -> list[bytes]:
    """Return the encoded y values of a picture's traces and the paths of its shapes.

    Short ones are left out.
    """
    figure = picture.figure
    data = [trace["y"]["bdata"] for trace in figure["data"] if isinstance(trace.get("y"), dict)]
    paths = [
        shape["path"]
        for shape in figure["layout"].get("shapes", ())
        if len(shape.get("path", "")) > 200
    ]
    return [text.encode() for text in (*data, *paths) if len(text) > 24]


def listen(page: Page, heard: list[bytes]) -> None:
    """Note what its server sends from now on."""

    def hear(frame: str | bytes) -> None:
        heard.append(frame if isinstance(frame, bytes) else frame.encode())

    page.on("websocket", lambda socket: socket.on("framereceived", hear))


def test_no_outcome_is_on_the_page_or_in_any_message_before_the_guess(lab):
    page, heard = lab("lessons", charts=0), []
    listen(page, heard)
    page.goto(f"{page.url.partition('?')[0]}?lesson=attacker")
    chart(page)
    still(page)
    hidden, before = outcome("attacker"), b"".join(heard)
    assert len(before) > 5000
    assert hidden
    assert not any(part in before for part in hidden)
    assert page.locator(".js-plotly-plot").count() == 1
    lock(page, "attacker")
    expect(page.get_by_text("Still training")).to_have_count(0)
    assert any(part in b"".join(heard) for part in hidden)


@pytest.mark.parametrize("name", ["attacker", "composition"])
def test_a_guess_that_is_typed_or_dragged_stands_at_its_value(lab, name):
    """On a phone all words of the chart are whole. A drag moves the guess up and down only."""
    page = lab(f"lessons?lesson={name}", charts=0, width=390, height=844, dark=True, touch=True)
    chart(page)
    becomes(page, CROWDED, [])
    enter(guess(page), "62")
    page.wait_for_function(f"value => Math.abs(({OFF})({GUESS})[2] - value) < 1e-9", arg=62)
    page.set_viewport_size({"width": 1440, "height": 900})
    handle = page.locator("[data-handle]")
    hold_still(handle)
    x, y = middle(handle)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 40, steps=4)
    assert middle(handle) == pytest.approx((x, y - 40), abs=5)  # at the nearest step
    top = chart(page).bounding_box()["y"]
    reached = chart(page).evaluate(
        "({ _fullLayout: { yaxis } }, y) => yaxis.p2d(y - yaxis._offset)", y - 40 - top
    )
    page.mouse.up()
    until(lambda: float(guess(page).input_value()) == pytest.approx(reached, rel=0.02), page)
    typed = guess(page).input_value()
    page.set_viewport_size({"width": 390, "height": 844})
    off_y, off_x, drawn = lock(page, name).evaluate(OFF)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"You said {typed}")
    assert drawn == pytest.approx(float(typed))
    assert max(off_y, off_x) <= 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_presented_lesson_fills_a_hall(lab):
    """Its chart is whole on the screen, its letters are large, and there is no head."""
    page = lab("lessons?lesson=epsilon&present=1", charts=0, width=1920, height=1080)
    box = page.locator("[data-chart=guess]")
    expect(box).to_be_in_viewport(ratio=1)
    assert box.bounding_box()["height"] > 800
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    words = page.locator(".st-key-lesson-words p").first
    assert words.evaluate("words => parseFloat(getComputedStyle(words).fontSize)") >= 24
    button(page, "Leave").click()
    expect(page.get_by_test_id("stHeader")).to_be_visible()


def test_from_the_list_through_a_lesson_to_the_page(lab):
    page = lab("lessons", charts=0)
    page.get_by_role("button", name=NAMED["epsilon"].text("Title")).click()
    page.wait_for_url("**lesson=epsilon*")
    chart(page)
    lock(page, "epsilon")
    assert "guess=" not in page.url
    expect(
        lab(f"lessons?{page.url.partition('?')[2]}", charts=0).get_by_text(say.AGAIN)
    ).to_be_visible()
    tabs = len(page.context.pages)
    button(page, "Why?").click()
    page.wait_for_url("**step=why*")
    button(page, "Try it yourself").click()
    page.get_by_role("link", name="Open the page").click()
    page.wait_for_url("**/mechanisms?*only=epsilon*")
    assert len(page.context.pages) == tabs  # in the same one
    expect(page.get_by_role("slider")).to_have_count(2)
    button(page, "Show all sliders").click()
    expect(button(page, "Show all sliders")).to_have_count(0)
    page.get_by_test_id("stTopNavSection").filter(has_text="Learn").click()
    page.get_by_role("menuitem", name="Lessons").click()  # where one was
    expect(page.get_by_role("heading", name="Try it yourself")).to_be_visible()


def test_no_step_breaks_a_rule_of_axe(lab):
    page = lab("lessons?lesson=tuning", charts=0)
    chart(page)
    obeys(page)
    page.set_viewport_size({"width": 1200, "height": 900})
    lock(page, "tuning", "20")
    obeys(page)


def sends(page: Page, value: int) -> None:
    """Guess this, and send it."""
    enter(guess(page), str(value))
    expect(chart(page).get_by_text(f"guess: {value}")).to_be_visible()
    button(page, "Send my guess").click()
    expect(page.get_by_text(f"Your guess is in: {value}")).to_be_visible()


def test_a_class_guesses_and_sees_all_guesses_once_the_teacher_closes(lab, visitor, serve):
    """Each browser is one voter, however often it comes."""
    teacher = lab("lessons?lesson=public_start", charts=0)
    button(teacher, "Ask a class").click()
    expect(button(teacher, "Close and show")).to_be_visible()
    code = teacher.locator(".lab-room b").inner_text()
    expect(teacher.get_by_role("img", name=QR_ALT)).to_be_visible()
    only, heard, pupils = outcome("public_start"), [], []
    for value in (55, 65):
        pupil = visitor("about:blank", width=390, height=844)
        listen(pupil, heard)
        pupil.goto(f"{serve('app.py')}/lessons?room={code.lower()}")
        sends(pupil, value)
        pupils.append(pupil)
    pupil.reload()
    sends(pupil, 75)
    expect(teacher.locator(".lab-room-count")).to_have_text("2 guesses so far")
    assert heard
    assert not any(part in frame for frame in heard for part in only)
    button(teacher, "Close and show").click()
    for one in (teacher, *pupils):
        chart(one, "class")
        expect(one.get_by_text("2 guesses, median 65")).to_be_visible()
    assert any(part in frame for frame in heard for part in only)
