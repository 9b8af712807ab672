"""Lessons in a real browser: the guess by hand, the outcome only after it, and where a guess is drawn."""

import contextlib

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from pages.lessons import words as say
from pages.lessons.lessons import LESSONS
from pages.lessons.page import NAMED
from pages.table import PAGES
from tests.browser.person import PATIENCE, darken, field, hold_still
from tests.browser.test_accessibility import broken
from ui.live.chart import Picture
from ui.qr_code import QR_ALT

# (how far the middle of the mark at the guess is from where its value stands on the axis, in pixels; the guess)
OFF = """(node) => {
  const { shapes, yaxis, xaxis } = node._fullLayout
  const at = shapes.findIndex(({ name }) => name === "guess")
  const mark = [...node.querySelectorAll(".shapelayer path")].find((one) => one.dataset.index === String(at))
  const box = mark.getBoundingClientRect(), { top, left } = node.getBoundingClientRect()
  const y = box.top + box.height / 2 - top - yaxis._offset, x = box.left + box.width / 2 - left - xaxis._offset
  const { yanchor, xanchor } = shapes[at]
  return [Math.abs(y - yaxis.d2p(yanchor)), Math.abs(x - xaxis.d2p(xanchor)), yanchor]
}"""
LETTERS = "(words) => parseFloat(getComputedStyle(words).fontSize)"
# Where on the window a value of the axis upwards is.
PLACE = """(node, value) => {
  const { yaxis } = node._fullLayout
  return node.getBoundingClientRect().top + yaxis._offset + yaxis.d2p(value)
}"""


def chart(page: Page, name: str = "guess"):
    return page.locator(f"[data-chart={name}] .js-plotly-plot")


def lesson(page, serve, name: str, **how) -> Page:
    opened = page(f"{serve('app.py')}/lessons?lesson={name}", **how)
    expect(chart(opened).locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
    return opened


def guess_field(opened: Page):
    return opened.get_by_role("spinbutton").or_(opened.get_by_label("My guess", exact=False).locator("input")).first


def lock(opened: Page, picture: str) -> None:
    opened.get_by_role("button", name="Lock in my guess").click()
    opened.wait_for_url("**step=reveal*")
    expect(chart(opened, picture).locator(".main-svg").first).to_be_visible(timeout=PATIENCE)


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


@pytest.mark.parametrize("name", ["public_start", "attacker"])
def test_no_outcome_is_on_the_page_or_in_any_message_before_the_guess(page, serve, name):
    opened, heard = page(f"{serve('app.py')}/lessons"), []

    def listen(socket) -> None:
        socket.on("framereceived", lambda frame: heard.append(frame if isinstance(frame, bytes) else frame.encode()))

    opened.on("websocket", listen)
    opened.goto(f"{serve('app.py')}/lessons?lesson={name}")
    expect(chart(opened).locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
    opened.wait_for_timeout(1500)  # for whatever might still come
    hidden, before = outcome(name), b"".join(heard)
    assert len(before) > 5000
    assert hidden
    assert [part for part in hidden if part in before] == []
    assert opened.evaluate("document.querySelectorAll('.js-plotly-plot').length") == 1
    assert chart(opened).evaluate("(node) => node._fullData.length") == 1
    assert opened.evaluate("document.querySelectorAll('.js-plotly-plot path.js-line[d]').length") <= 1
    lock(opened, NAMED[name].picture)
    expect(opened.get_by_text("Still training")).to_have_count(0, timeout=PATIENCE)
    assert [part for part in hidden if part in b"".join(heard)] != []


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_a_guess_is_typed_and_drawn_at_its_value(page, serve, width, dark):
    opened = lesson(page, serve, "public_start", width=width, dark=dark, touch=width < 500)
    guess_field(opened).fill("62")
    guess_field(opened).press("Enter")
    opened.wait_for_function(f"() => ({OFF})(document.querySelector('[data-chart=guess] .js-plotly-plot'))[2] === 62")
    lock(opened, "accuracy")
    expect(opened.get_by_role("heading", level=1)).to_contain_text("You said 62\xa0%")
    off_y, off_x, value = chart(opened, "accuracy").evaluate(OFF)
    assert value == 62
    assert max(off_y, off_x) <= 1
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


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


@pytest.mark.parametrize("name", [one.name for one in LESSONS if one.number])
def test_on_a_phone_the_words_of_a_guess_are_whole(page, serve, name):
    opened = lesson(page, serve, name, width=390, height=844)
    with contextlib.suppress(TimeoutError):  # a chart takes its width when it is drawn
        opened.wait_for_function(f"chart => !({CROWDED})(chart).length", arg=chart(opened).element_handle())
    assert chart(opened).evaluate(CROWDED) == []


def test_a_presented_lesson_fills_a_hall(page, serve):
    """Its chart is whole on the screen, its letters are large, and there is no head."""
    opened = page(f"{serve('app.py')}/lessons?lesson=epsilon&present=1", width=1920, height=1080)
    expect(chart(opened).locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
    expect(opened.locator("[data-chart=guess]")).to_be_in_viewport(ratio=1)
    assert opened.locator("[data-chart=guess]").bounding_box()["height"] > 800
    expect(opened.get_by_test_id("stHeader")).to_be_hidden()
    assert opened.locator(".st-key-lesson-words p").first.evaluate(LETTERS) >= 24
    opened.get_by_role("button", name="Leave").click()
    expect(opened.get_by_test_id("stHeader")).to_be_visible(timeout=PATIENCE)


@pytest.mark.parametrize(("name", "picture", "value"), [("parties", "parties", 30), ("composition", "steps", 40)])
def test_a_guess_is_dragged(page, serve, name, picture, value):
    """Up and down only, on a straight axis and on a logarithmic one."""
    opened = lesson(page, serve, name, width=1440)
    handle = opened.locator("[data-handle]")
    hold_still(handle)
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.mouse.move(x, y)
    opened.mouse.down()
    to = chart(opened).evaluate(PLACE, value)
    opened.mouse.move(x + 60, (y + to) / 2)
    assert handle.bounding_box()["x"] == pytest.approx(box["x"], abs=1)
    opened.mouse.move(x + 60, to)
    opened.mouse.up()
    drawn_at = f"({OFF})(document.querySelector('[data-chart=guess] .js-plotly-plot'))[2]"
    opened.wait_for_function(f"(value) => Math.abs({drawn_at} / value - 1) < .06", arg=value)
    typed = float(guess_field(opened).input_value())
    assert typed == pytest.approx(value, rel=0.06)
    lock(opened, picture)
    off_y, off_x, drawn = chart(opened, picture).evaluate(OFF)
    assert drawn == pytest.approx(typed)
    assert max(off_y, off_x) <= 1


def test_a_guess_by_keyboard_alone(page, serve):
    opened = lesson(page, serve, "epsilon")
    guess_field(opened).focus()
    before = float(guess_field(opened).input_value())
    for _ in range(3):
        opened.keyboard.press("ArrowUp")
    expect(guess_field(opened)).to_have_value(f"{before + 3:g}")
    opened.keyboard.press("Tab")
    opened.get_by_role("button", name="Lock in my guess").focus()
    opened.keyboard.press("Enter")
    expect(opened.get_by_role("heading", level=1)).to_contain_text(f"You said {before + 3:g}\xa0%", timeout=PATIENCE)
    opened.get_by_role("radio").first.focus()
    opened.keyboard.press("Space")
    expect(opened.get_by_text("That is what the chart shows.")).to_be_visible(timeout=PATIENCE)


def test_steps_links_reload_and_another_tab(page, serve):
    opened = lesson(page, serve, "clipping")
    opened.get_by_text("Best somewhere between").click()
    expect(opened.get_by_role("button", name="Lock in my guess")).to_be_enabled(timeout=PATIENCE)
    lock(opened, "curve")
    reveal = opened.url
    assert "guess=" not in reveal
    opened.get_by_role("button", name="Why?").click()
    opened.wait_for_url("**step=why*")
    expect(opened.get_by_role("heading", name="Why", exact=True)).to_be_visible(timeout=PATIENCE)
    expect(opened.get_by_text("What did you see?")).to_have_count(0, timeout=PATIENCE)
    opened.get_by_role("button", name="Back").click()
    opened.wait_for_url("**step=reveal*")
    expect(opened.get_by_role("heading", level=1)).to_contain_text("You were right", timeout=PATIENCE)
    other = page(reveal)
    expect(other.get_by_text(say.AGAIN)).to_be_visible(timeout=PATIENCE)
    opened.reload()
    expect(opened.get_by_text(say.AGAIN)).to_be_visible(timeout=PATIENCE)


def test_from_the_list_through_a_lesson_to_the_page(page, serve):
    opened = page(f"{serve('app.py')}/lessons")
    tabs = len(opened.context.pages)
    opened.get_by_role("button", name=LESSONS[0].text("Title")).click()
    opened.wait_for_url("**lesson=epsilon*")
    expect(chart(opened).locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
    lock(opened, "posterior")
    opened.get_by_role("button", name="Why?").click()
    opened.get_by_role("button", name="Try it yourself").click()
    opened.get_by_role("link", name="Open the page").click()
    opened.wait_for_url("**/mechanisms?*only=epsilon*")
    assert len(opened.context.pages) == tabs  # in the same one
    expect(opened.get_by_role("slider")).to_have_count(2, timeout=PATIENCE)
    opened.get_by_role("button", name="Show all sliders").click()
    expect(opened.get_by_role("button", name="Show all sliders")).to_have_count(0, timeout=PATIENCE)
    opened.get_by_test_id("stTopNavSection").filter(has_text="Learn").click()
    opened.get_by_role("menuitem", name="Lessons").click()  # where one was
    expect(opened.get_by_role("heading", name="Try it yourself")).to_be_visible(timeout=PATIENCE)


def test_a_teachers_lesson_shows_nothing_before_the_guess(page, serve):
    link = "classifier?repeats=5&steps=5&only=clip_norm,epsilon&ask=How+often%3F&guess=scratch"
    opened = page(f"{serve('app.py')}/{link}")
    expect(opened.get_by_role("heading", name="How often?")).to_be_visible(timeout=PATIENCE)
    assert opened.locator(".js-plotly-plot, [role=slider], .lab-numbers").count() == 0
    opened.get_by_role("button", name="Lock in my guess").click()
    expect(chart(opened, "lesson").locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
    expect(field(opened, "Clipping norm")).to_be_visible(timeout=PATIENCE)
    expect(opened.get_by_role("slider")).to_have_count(2, timeout=PATIENCE)


@pytest.mark.parametrize("name", ["", "tuning", "published"])
def test_no_step_breaks_a_rule(page, serve, name):
    """Wide and light, then narrow and dark."""
    opened = page(f"{serve('app.py')}/lessons") if not name else lesson(page, serve, name)
    _obeys(opened)
    if name:
        if opened.get_by_role("radio").count():
            opened.get_by_role("radio").first.check(force=True)
            expect(opened.get_by_role("button", name="Lock in my guess")).to_be_enabled(timeout=PATIENCE)
        opened.set_viewport_size({"width": 1200, "height": 900})
        lock(opened, NAMED[name].picture)
        expect(opened.get_by_text("Still training")).to_have_count(0, timeout=PATIENCE)
        _obeys(opened)


def _obeys(opened: Page) -> None:
    assert broken(opened) == []
    darken(opened)
    opened.set_viewport_size({"width": 390, "height": 900})
    assert broken(opened) == []


def test_a_class_of_three_guesses_and_sees_all_guesses_once_the_teacher_closes(page, chromium, serve):
    teacher = page(f"{serve('app.py')}/lessons?lesson=public_start")
    teacher.get_by_role("button", name="Ask a class").click()
    close = teacher.get_by_role("button", name="Close and show")
    expect(close).to_be_visible(timeout=PATIENCE)
    expect(teacher.get_by_role("img", name=QR_ALT)).to_be_visible()
    code = teacher.locator(".lab-room b").inner_text()
    only, heard, pupils = outcome("public_start"), [], []

    def hear(frame: str | bytes) -> None:
        heard.append(frame if isinstance(frame, bytes) else frame.encode())

    with contextlib.ExitStack() as opened:
        for value in (55, 65, 75):
            context = chromium.new_context(viewport={"width": 390, "height": 844})
            opened.callback(context.close)
            pupil = context.new_page()
            pupil.on("websocket", lambda socket: socket.on("framereceived", hear))
            pupil.goto(f"{serve('app.py')}/lessons?room={code.lower()}")
            typed = pupil.get_by_role("spinbutton").first
            typed.fill(str(value), timeout=PATIENCE)
            typed.press("Enter")
            expect(chart(pupil).get_by_text(f"guess: {value}")).to_be_visible(timeout=PATIENCE)
            pupil.get_by_role("button", name="Send my guess").click()
            expect(pupil.get_by_text("Your guess is in")).to_be_visible(timeout=PATIENCE)
            pupils.append(pupil)
        expect(teacher.locator(".lab-room-count")).to_have_text("3 guesses so far", timeout=PATIENCE)
        assert heard
        assert not any(part in frame for frame in heard for part in only)
        close.click()
        for one in (teacher, *pupils):
            expect(chart(one, "class").locator(".main-svg").first).to_be_visible(timeout=PATIENCE)
            expect(one.get_by_text("3 guesses, median 65")).to_be_visible(timeout=PATIENCE)
        assert any(part in frame for frame in heard for part in only)
