"""The home page: every link on it opens with the settings that it names."""

import ast
import inspect
from pathlib import Path

from pages import home
from pages.lessons.lessons import LESSONS, Case
from pages.table import PAGES
from tests.app import opened, text
from ui.compute import compute
from ui.page import Page

# Rooms that are about all pages, and are none of them.
ABOUT_ALL = ("lessons",)
HOME = Path(__file__).parents[1] / "pages" / "home.py"


def test_every_stop_of_the_tour_is_a_lesson():
    """About half of the digits are right without pre-training, as the home page says."""
    assert set(home.TOUR) <= {lesson.name for lesson in LESSONS}
    (lesson,) = [one for one in LESSONS if one.name == "public_start"]
    kind = next(page for page in PAGES if page.name == lesson.page).settings
    known = Case(lesson.cases(kind)[0])
    assert "about half of the handwritten digits" in home._SAYS["tour.public_start"]
    assert 45 <= lesson.given(known)["known"] <= 55


def test_every_page_has_its_door():
    """Over what it is about, in its group; and its room has its name."""
    app = opened("")
    assert "Anyone with the link can also compute the noise and subtract it" in " ".join(text(app).split())
    links = [link.proto.page for link in app.get("page_link")]
    stops = ["lessons"] * len(home.TOUR)
    assert links == [*stops, "data", *(page.name for group in groups() for page in group)]
    assert [caption.value for caption in app.caption][: len(PAGES)] == [page.about for g in groups() for page in g]
    assert {folder(page) for page in PAGES} == {
        path.parent.name for path in HOME.parent.glob("*/page.py") if path.parent.name not in ABOUT_ALL
    }


def folder(page: Page) -> str:
    """Return the name of the folder that holds the page's code, whose docstring is the page's question."""
    room = Path(inspect.getfile(page.settings)).parent
    assert ast.get_docstring(ast.parse((room / "page.py").read_text("utf-8"))) == page.question
    return room.name


def groups() -> list[list[Page]]:
    names = dict.fromkeys(page.group for page in PAGES)
    return [[page for page in PAGES if page.group == name] for name in names]


def test_its_picture_is_the_classifiers():
    """Its numbers are those of the classifier's page at the same settings, and its address opens them again."""
    front, whole = home.front(PAGES), next(page for page in PAGES if page.name == "classifier")
    settings = whole.settings(epsilon=0.05)
    result, _ = compute(settings, seconds=0)
    assert set(front.numbers(result)) <= set(whole.numbers(result))
    assert text(opened("", epsilon="0.05")).count(front.view(result).words["verdict"]) == 1


def test_it_has_no_pins_and_says_so():
    """A link with a pin would show a ghost that nothing on the page unpins."""
    app = opened("", epsilon="0.05", pin="~mine~epsilon~2.0")
    assert [one.value for one in app.warning] == ["A pin in the link was ignored, because this page has none."]
    desk = app.session_state["home.desk"]
    assert (desk.pins, desk.settings.epsilon) == ((), 0.05)
    assert "pin" not in app.query_params
    assert not app.exception
