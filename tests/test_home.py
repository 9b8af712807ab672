"""The home page: every link on it opens with the settings that it names."""

import ast
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages import home
from pages.attack.experiment import AttackSettings
from pages.attack.two_worlds_result import CurvePoint
from pages.table import PAGES
from tests.test_pages import opened, text
from ui.controls import from_link
from ui.page import Page

HOME = Path(__file__).parents[1] / "pages" / "home.py"


@pytest.mark.parametrize("link", [link for _, _, link in (*home.TOUR, *home.TRIES)])
def test_every_link_opens_what_it_names(link):
    page, _, query = link.partition("?")
    wanted = dict(parse_qsl(query))
    app = opened(page, **wanted)
    assert not app.exception
    assert not app.warning
    settings = app.session_state[f"{page}.desk"].settings
    assert {name: str(getattr(settings, name)) for name in wanted} == {
        name: str(type(getattr(settings, name))(value)) for name, value in wanted.items()
    }


def attacked(version: str):
    """What the link of the tour's last stop computes, without the curve over epsilon; and its text."""
    name, text, link = home.TOUR[-1]
    assert name == "Attack it"
    settings, notices = from_link(AttackSettings, dict(parse_qsl(link.partition("?")[2])))
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
    """Under the question that it asks, in its group; and its room has its name."""
    app = opened("")
    links = [link.proto.page for link in app.get("page_link")]
    assert links == [page.name for group in groups() for page in group]
    assert [caption.value for caption in app.caption][: len(links)] == [page.question for g in groups() for page in g]
    assert {page.name for page in PAGES} == {path.parent.name for path in HOME.parent.glob("*/page.py")}


def groups() -> list[list[Page]]:
    names = dict.fromkeys(page.group for page in PAGES)
    return [[page for page in PAGES if page.group == name] for name in names]


def test_it_says_that_a_link_gives_the_noise_away():
    found = " ".join(text(opened("")).split())
    assert "Whoever has the link can also compute the noise and **subtract it**" in found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_asks_one_question_wherever_it_stands(page):
    assert opened(page.name).title[0].value == page.question
    assert ast.get_docstring(ast.parse((HOME.parent / page.name / "page.py").read_text("utf-8"))) == page.question
