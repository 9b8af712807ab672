"""Rooms of a class in real browsers: who teaches, who is counted, and what those read who are refused."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from pages.lessons import words as say
from tests.browser.person import PATIENCE
from ui.classroom import LETTERS_A_CODE, MOST_OWN, MOST_ROOMS, Classroom, owner

LESSON = "lessons?lesson=public_start"
ADDRESS = re.compile(rf"[?&]room=\w{{{LETTERS_A_CODE}}}(&|$)")


@pytest.fixture
def visitor(chromium) -> Iterator[Callable[[str], Page]]:
    """visitor(address) -> the page of a browser of its own, without cookies at first."""
    with ExitStack() as open_:

        def come(address: str) -> Page:
            context = chromium.new_context(viewport={"width": 1200, "height": 900})
            open_.callback(context.close)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            return page

        yield come


def asks(page: Page) -> str:
    """Ask a class; the code of the room."""
    page.get_by_role("button", name="Ask a class").click()
    expect(page.get_by_role("button", name="Close and show")).to_be_visible()
    return page.locator(".lab-room b").inner_text()


def says(page: Page, value: int) -> None:
    """Guess this, and send it."""
    field = page.get_by_role("spinbutton").first
    field.fill(str(value))
    field.press("Enter")
    expect(page.locator("[data-chart=guess]").get_by_text(f"guess: {value}")).to_be_visible()
    page.get_by_role("button", name="Send my guess").click()
    expect(page.get_by_text(f"Your guess is in: {value}")).to_be_visible()


def test_a_teachers_address_holds_no_key_and_a_reload_still_teaches(serve, visitor):
    teacher = visitor(f"{serve('app.py')}/{LESSON}")
    code = asks(teacher)
    teacher.wait_for_url(ADDRESS)
    teacher.reload()
    expect(teacher.get_by_role("button", name="Close and show")).to_be_visible()
    assert ADDRESS.search(teacher.url)
    assert teacher.locator(".lab-room b").inner_text() == code
    assert "lab_inside" not in teacher.evaluate("document.cookie")
    expect(teacher.get_by_text("no cookies")).to_have_count(0)


def test_a_link_that_is_asked_for_teaches_on_one_more_device_once(serve, visitor):
    teacher = visitor(f"{serve('app.py')}/{LESSON}")
    code = asks(teacher)
    link = teacher.locator(".lab-room-link span")
    expect(link).to_have_count(1)
    assert "." not in link.inner_text().partition("room=")[2]
    teacher.get_by_role("button", name="Teach on another device").click()
    expect(link).to_have_count(2)
    carried = f"{serve('app.py')}/{LESSON}&{link.nth(1).inner_text().rpartition('&')[2]}"
    assert f"room={code}." in carried
    phone = visitor(carried)
    expect(phone.get_by_role("button", name="Close and show")).to_be_visible()
    phone.wait_for_url(ADDRESS)
    other = visitor(carried)
    expect(other.get_by_text(say.USED)).to_be_visible()
    expect(other.get_by_role("button", name="Send my guess")).to_be_visible()
    expect(other.get_by_role("button", name="Close and show")).to_have_count(0)
    phone.get_by_role("button", name="Close and show").click()
    for page in (teacher, phone):
        expect(page.get_by_text("Nobody has guessed.")).to_be_visible()


def test_one_browser_is_one_voter_however_often_it_comes(serve, visitor):
    teacher = visitor(f"{serve('app.py')}/{LESSON}")
    code = asks(teacher)
    pupil = visitor(f"{serve('app.py')}/lessons?room={code}")
    says(pupil, 60)
    pupil.reload()
    says(pupil, 70)
    tab = pupil.context.new_page()
    tab.goto(f"{serve('app.py')}/lessons?room={code}")
    says(tab, 80)
    says(visitor(f"{serve('app.py')}/lessons?room={code}"), 50)
    expect(teacher.locator(".lab-room-count")).to_have_text("2 guesses so far")
    teacher.get_by_role("button", name="Close and show").click()
    expect(teacher.get_by_text("2 guesses, median 65")).to_be_visible()


def test_who_opens_room_after_room_is_told_where_they_are_and_others_are_not_kept_out(serve, visitor):
    teacher = visitor(f"{serve('app.py')}/{LESSON}")
    codes = []
    for _ in range(MOST_OWN):
        codes.append(asks(teacher))
        teacher.goto(f"{serve('app.py')}/{LESSON}")
    teacher.get_by_role("button", name="Ask a class").click()
    said = teacher.get_by_text(f"One browser can have {MOST_OWN} rooms open")
    expect(said).to_be_visible()
    assert all(code in said.inner_text() for code in codes)
    asks(visitor(f"{serve('app.py')}/{LESSON}"))


def test_who_finds_all_rooms_in_use_is_told_so_and_nobody_loses_theirs(serve, visitor, tmp_path):
    file = tmp_path / "rooms.sqlite"
    rooms = Classroom(file)
    first, *_ = [rooms.open("public_start", owner(str(number))) for number in range(MOST_ROOMS)]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_ROOMS", str(file))
        address = serve("app.py", "--server.maxMessageSize", "200")  # an option of its own: a server of its own
    teacher = visitor(f"{address}/{LESSON}")
    teacher.get_by_role("button", name="Ask a class").click()
    expect(teacher.get_by_text(f"all {MOST_ROOMS} rooms of this server are in use")).to_be_visible()
    assert "room=" not in teacher.url
    says(visitor(f"{address}/lessons?room={first}"), 60)
    assert rooms.look(first).guesses == 1
