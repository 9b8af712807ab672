"""The home page: every link on it opens with the settings that it names."""

import ast
from pathlib import Path

import pytest

from pages import home
from pages.attack.experiment import AttackSettings
from pages.attack.two_worlds_result import CurvePoint
from pages.table import PAGES
from tests.test_pages import opened, text
from ui.compute import compute
from ui.controls import from_link
from ui.page import Page

HOME = Path(__file__).parents[1] / "pages" / "home.py"


@pytest.mark.parametrize(("page", "wanted"), [(page, settings) for _, _, page, settings in home.TOUR])
def test_every_link_opens_what_it_names(page, wanted):
    app = opened(page, **wanted)
    assert not app.exception
    assert not app.warning
    settings = app.session_state[f"{page}.desk"].settings
    assert {name: str(getattr(settings, name)) for name in wanted} == {
        name: str(type(getattr(settings, name))(value)) for name, value in wanted.items()
    }


def attacked(version: str):
    """What the link of the tour's last stop computes, without the curve over epsilon; and its text."""
    ((text, link),) = [(text, link) for name, text, *_, link in home.TOUR if name == "Attack it"]
    settings, notices = from_link(AttackSettings, link)
    assert not notices
    settings = settings.change(version=version)
    work = [task for task in settings.tasks() if not isinstance(task, CurvePoint)]
    return settings.result({task: task.run() for task in work}), text


def test_what_is_said_of_the_attack_is_what_the_engine_shows():
    """The bound that assumes nothing, to its digits; and how often the attacker of the sound version is right."""
    (result, text), (sound, _) = attacked("published"), attacked("sound")
    assert result.caught
    assert result.shown.assumes == ""
    assert f"claims epsilon {result.settings.epsilon:g}. Thousands" in text
    assert 2000 <= 2 * result.trainings < 10_000
    assert f"spends at least {result.shown.epsilon:.2f}." in text
    assert f"right {100 * sound.attack.accuracy:.0f} times in 100" in text


def test_every_page_has_its_door():
    """Over what it is about, in its group; and its room has its name."""
    app = opened("")
    links = [link.proto.page for link in app.get("page_link")]
    stops = [page for _, _, page, _ in home.TOUR]
    assert links == [*stops, "data", *(page.name for group in groups() for page in group)]
    assert [caption.value for caption in app.caption][: len(PAGES)] == [page.about for g in groups() for page in g]
    assert {page.name.replace("-", "_") for page in PAGES} == {
        path.parent.name for path in HOME.parent.glob("*/page.py")
    }


def groups() -> list[list[Page]]:
    names = dict.fromkeys(page.group for page in PAGES)
    return [[page for page in PAGES if page.group == name] for name in names]


def test_it_says_that_a_link_gives_the_noise_away():
    found = " ".join(text(opened("")).split())
    assert "Whoever has the link can also compute the noise and **subtract it**" in found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_asks_one_question_wherever_it_stands(page):
    assert opened(page.name).title[0].value == page.question
    assert (
        ast.get_docstring(ast.parse((HOME.parent / page.name.replace("-", "_") / "page.py").read_text("utf-8")))
        == page.question
    )


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
    assert [one.value for one in app.warning] == ["A pin in the link was ignored: this page has none."]
    desk = app.session_state["home.desk"]
    assert (desk.pins, desk.settings.epsilon) == ((), 0.05)
    assert "pin" not in app.query_params
    assert not app.exception
