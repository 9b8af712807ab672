"""Lessons in a real browser: the guess by hand, the outcome only after it; and rooms of a class."""

import contextlib

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from pages.lessons import words as say
from pages.lessons.page import NAMED
from pages.table import PAGES
from tests.browser.person import button, enter, hold_still, middle
from tests.browser.sight import obeys, still
from ui.live.chart import Picture
from ui.qr_code import QR_ALT

LESSON = "lessons?lesson=public_start"
# (how far the middle of the mark at the guess is from where its value stands on the axis, in pixels; the guess)
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
# Where on the window a value of the axis upwards is.
PLACE = """(node, value) => {
  const { yaxis } = node._fullLayout
  return node.getBoundingClientRect().top + yaxis._offset + yaxis.d2p(value)
}"""


# Words of a chart that are not whole in it, and those of which another is in the way.
CROWDED = """(chart) => {
  const room = chart.getBoundingClientRect()
  const written = [...chart.querySelectorAll(".annotation-text")]
  const words = written.map((one) => [one.textContent, one.getBoundingClientRect()])
  const out = words.filter(([, { left, right }]) => left < room.left || right > room.right).map(([text]) => text)
  const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom &&
    other.top < one.bottom
  const pairs = words.flatMap(([text, one], at) =>
    words.slice(at + 1).filter(([, other]) => meet(one, other)).map(([other]) => [text, other]))
  return [...out, ...pairs]
}"""


def chart(page: Page, name: str = "guess"):
    """A chart, once it is drawn."""
    found = page.locator(f"[data-chart={name}] .js-plotly-plot")
    expect(found.locator(".main-svg").first).to_be_visible()
    return found


@pytest.fixture
def lesson(lab):
    """lesson(name, **how) -> its first step, drawn."""

    def open_lesson(name: str, **how) -> Page:
        page = lab(f"lessons?lesson={name}", charts=0, **how)
        chart(page)
        return page

    return open_lesson


def guess_field(page: Page):
    return page.get_by_role("spinbutton").or_(page.get_by_label("My guess", exact=False).locator("input")).first


def lock(page: Page, picture: str, value: str = "60"):
    """Lock in the guess, this value where there is none yet; the picture that shows the outcome."""
    if button(page, "Lock in my guess").is_disabled():
        enter(guess_field(page), value)
    button(page, "Lock in my guess").click()
    page.wait_for_url("**step=reveal*")
    return chart(page, picture)


def outcome(name: str) -> list[bytes]:
    """What only the outcome's picture holds: the data of its traces, and the strokes of single runs."""
    one = NAMED[name]
    page = next(page for page in PAGES if page.name == one.page)
    known, asked = (
        page.at(settings).view(settings.run()).pictures(one.board)[one.picture] for settings in one.cases(page.settings)
    )
    return [part for part in _parts(asked) if part not in _parts(known)]


def _parts(picture: Picture) -> list[bytes]:
    figure = picture.figure
    data = [trace["y"]["bdata"] for trace in figure["data"] if isinstance(trace.get("y"), dict)]
    paths = [shape["path"] for shape in figure["layout"].get("shapes", ()) if len(shape.get("path", "")) > 200]
    return [text.encode() for text in (*data, *paths) if len(text) > 24]


def listen(page: Page, heard: list[bytes]) -> None:
    """Note what its server sends from now on."""

    def hear(frame: str | bytes) -> None:
        heard.append(frame if isinstance(frame, bytes) else frame.encode())

    page.on("websocket", lambda socket: socket.on("framereceived", hear))


def test_no_outcome_is_on_the_page_or_in_any_message_before_the_guess(lab, serve):
    name = "attacker"
    page, heard = lab("lessons", charts=0), []
    listen(page, heard)
    page.goto(f"{serve('app.py')}/lessons?lesson={name}")
    chart(page)
    still(page)
    hidden, before = outcome(name), b"".join(heard)
    assert len(before) > 5000
    assert hidden
    assert [part for part in hidden if part in before] == []
    assert page.evaluate("document.querySelectorAll('.js-plotly-plot').length") == 1
    lock(page, NAMED[name].picture)
    expect(page.get_by_text("Still training")).to_have_count(0)
    assert [part for part in hidden if part in b"".join(heard)] != []


@pytest.mark.parametrize(("name", "value"), [("attacker", 62), ("composition", 40)])
def test_on_a_phone_a_guess_is_typed_and_drawn_at_its_value_and_all_words_are_whole(lesson, name, value):
    page = lesson(name, width=390, height=844, dark=True, touch=True)
    with contextlib.suppress(TimeoutError):  # a chart takes its width when it is drawn
        page.wait_for_function(f"chart => !({CROWDED})(chart).length", arg=chart(page).element_handle())
    assert chart(page).evaluate(CROWDED) == []
    enter(guess_field(page), str(value))
    at = f"({OFF})(document.querySelector('[data-chart=guess] .js-plotly-plot'))[2]"
    guessed = f"value => Math.abs({at} - value) < 1e-9"
    page.wait_for_function(guessed, arg=value)
    off_y, off_x, drawn = lock(page, NAMED[name].picture).evaluate(OFF)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"You said {value}")
    assert drawn == pytest.approx(value)
    assert max(off_y, off_x) <= 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_presented_lesson_fills_a_hall(lab):
    """Its chart is whole on the screen, its letters are large, and there is no head."""
    page = lab("lessons?lesson=epsilon&present=1", charts=0, width=1920, height=1080)
    chart(page)
    box = page.locator("[data-chart=guess]")
    expect(box).to_be_in_viewport(ratio=1)
    assert box.bounding_box()["height"] > 800
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    words = page.locator(".st-key-lesson-words p").first
    assert words.evaluate("words => parseFloat(getComputedStyle(words).fontSize)") >= 24
    button(page, "Leave").click()
    expect(page.get_by_test_id("stHeader")).to_be_visible()


def test_a_guess_is_dragged_up_and_down_only(lesson):
    value, page = 40, lesson("composition", width=1440)
    handle = page.locator("[data-handle]")
    expect(handle).to_have_count(0)
    chart(page).click()
    hold_still(handle)
    x, y = middle(handle)
    page.mouse.move(x, y)
    page.mouse.down()
    to = chart(page).evaluate(PLACE, value)
    page.mouse.move(x + 60, (y + to) / 2)
    assert middle(handle)[0] == pytest.approx(x, abs=1)
    page.mouse.move(x + 60, to)
    page.mouse.up()
    drawn_at = f"({OFF})(document.querySelector('[data-chart=guess] .js-plotly-plot'))[2]"
    page.wait_for_function(f"(value) => Math.abs({drawn_at} / value - 1) < .06", arg=value)
    typed = float(guess_field(page).input_value())
    assert typed == pytest.approx(value, rel=0.06)
    off_y, off_x, drawn = lock(page, "steps").evaluate(OFF)
    assert drawn == pytest.approx(typed)
    assert max(off_y, off_x) <= 1


def test_from_the_list_through_a_lesson_to_the_page(lab):
    page = lab("lessons", charts=0)
    page.get_by_role("button", name=NAMED["epsilon"].text("Title")).click()
    page.wait_for_url("**lesson=epsilon*")
    chart(page)
    lock(page, "posterior")
    assert "guess=" not in page.url
    other = lab(f"lessons?{page.url.partition('?')[2]}", charts=0)
    expect(other.get_by_text(say.AGAIN)).to_be_visible()
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


@pytest.mark.parametrize("name", ["", "tuning"])
def test_no_step_breaks_a_rule_of_axe(lab, lesson, name):
    page = lesson(name) if name else lab("lessons", charts=0)
    obeys(page)
    if name:
        if page.get_by_role("radio").count():
            page.get_by_role("radio").first.check(force=True)
            expect(button(page, "Lock in my guess")).to_be_enabled()
        page.set_viewport_size({"width": 1200, "height": 900})
        lock(page, NAMED[name].picture, value="20")
        obeys(page)


def sends(page: Page, value: int) -> None:
    """Guess this, and send it."""
    enter(page.get_by_role("spinbutton").first, str(value))
    expect(chart(page).get_by_text(f"guess: {value}")).to_be_visible()
    button(page, "Send my guess").click()
    expect(page.get_by_text(f"Your guess is in: {value}")).to_be_visible()


def test_a_class_guesses_and_sees_all_guesses_once_the_teacher_closes(lab, visitor, serve):
    """Each browser is one voter, however often it comes."""
    teacher, address = lab(LESSON, charts=0), f"{serve('app.py')}/lessons?room="
    button(teacher, "Ask a class").click()
    expect(button(teacher, "Close and show")).to_be_visible()
    code = teacher.locator(".lab-room b").inner_text()
    expect(teacher.get_by_role("img", name=QR_ALT)).to_be_visible()
    only, heard, pupils = outcome("public_start"), [], []
    for value in (55, 65):
        pupil = visitor("about:blank", width=390, height=844)
        listen(pupil, heard)
        pupil.goto(f"{address}{code.lower()}")
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
