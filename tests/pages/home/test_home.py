"""The home page and the page *Choose parameters*: links and settings."""

import ast
import inspect
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from lab.experiment.links import versioned
from pages.home import page as home
from pages.learn import page_choosing
from pages.topics import HEADS, MENU, PAGES
from tests.app import moved, opened, settings_of, text
from ui.session.entries import from_link

HOME = Path(__file__).parents[3] / "pages" / "home" / "page.py"


def test_a_suggested_movement_states_its_outcome_once_it_was_on_the_screen():
    app = opened("")
    assert "Drag epsilon down until no spy can do better than 55" in text(app)

    app = moved(app, "home", "epsilon", 0.5).run()

    assert "At epsilon 0.5, no spy can do better than 53" in text(app)
    assert "Find the smallest epsilon that costs less than 2 points" in text(app)
    assert not app.exception


def test_a_link_chooses_the_patient_whom_the_spy_asks_about():
    app = opened("", person="17", epsilon="3")

    assert "about patient 18" in text(app)
    assert settings_of(app, "home").person == 17
    assert not app.exception


def test_other_patients_begin_with_no_movement_done():
    app = opened("", epsilon="0.5")
    assert "At epsilon 0.5, no spy" in text(app)

    app.query_params.update(epsilon="10", seed="7")
    app.run()

    assert "At epsilon 0.5, no spy" not in text(app)


def test_home_lists_every_page_of_the_navigation_by_group():
    listed = [page for pages in MENU.values() for page in pages]

    app = opened("")

    links = [link.proto.page for link in app.get("page_link")]
    doors = [page for page, _ in home.START_LINKS.values()]
    assert links == ["classifier", *doors, *(page.name for page in listed)]
    assert [caption.value for caption in app.caption][: len(listed)] == [
        page.about for page in listed
    ]
    groups = [text.value for text in app.markdown if text.value.startswith("**")]
    assert [f"**{group}**" for group in MENU] == groups[: len(MENU)]


def test_the_link_to_the_attack_opens_the_same_question_about_a_row():
    """Both pages start at the same epsilon, and remove a person."""
    page, query = home.START_LINKS["attack"]

    settings, notices = from_link(KINDS[page], dict(query))

    start = home.PAGE.settings()
    assert notices == []
    assert (settings.who, settings.person) == ("row", 0)
    assert settings.guarantees.formula.adjacency == start.guarantee.adjacency
    assert (settings.epsilon, settings.delta) == (start.epsilon, start.guarantee.delta)


def test_the_menu_has_every_page_once():
    names = [page.name for pages in MENU.values() for page in pages]

    assert sorted(names) == sorted(HEADS.keys() - {""})
    assert {"lessons", "data", "glossary", "classifier"} <= set(names)


def test_every_topic_has_a_folder_and_opens_with_its_question():
    folders = {page.name: Path(inspect.getfile(page.settings)).parent for page in PAGES}
    topic_folders = {path.parent for path in HOME.parents[1].glob("*/page.py")}
    topic_folders -= {HOME.parents[1] / name for name in ("data", "home", "lessons")}

    assert {*folders.values()} == topic_folders
    for page in PAGES:
        source = (folders[page.name] / "page.py").read_text("utf-8")
        assert ast.get_docstring(ast.parse(source)) == page.info.question


def test_a_link_with_a_pin_opens_without_one():
    """A pin would show a ghost that nothing on the page unpins."""
    app = opened("", epsilon="0.05", pin="epsilon~2.0")

    assert [warning.value for warning in app.warning] == [
        "The pin in the link was ignored, because this page has none."
    ]
    state = app.session_state["home.state"]
    assert (state.address.pin, state.settings.epsilon) == (None, 0.05)
    assert "pin" not in app.query_params
    assert not app.exception


KINDS = {page.name: page.settings for page in PAGES}
EXAMPLES = [example for examples in page_choosing.SECTIONS.values() for example in examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.label)
def test_an_example_of_choose_parameters_opens_settings_that_exist(example):
    if example.page == "deployments":
        assert not example.settings
        return
    fields = dict(example.settings)
    tab = fields.pop("tab", None)
    settings, notices = from_link(KINDS[example.page], fields)
    assert notices == []
    if tab is not None:
        (page,) = [page for page in PAGES if page.name == example.page]
        assert tab in [each.name for each in page.at(settings).all_tabs]
    for name, value in fields.items():
        assert str(getattr(settings, name)) == value or float(getattr(settings, name)) == float(
            value
        )


def test_choose_parameters_links_to_each_example_in_order():
    app = opened("choosing")
    links = [
        (link.proto.page, dict(parse_qsl(link.proto.query_string))) for link in app.get("page_link")
    ]
    assert links == [(example.page, versioned(example.settings)) for example in EXAMPLES]
    assert [heading.value for heading in app.header] == [
        "What does the guarantee protect?",
        "How often are the rows used?",
        "Which noise?",
        "Which delta?",
        "Which accountant?",
        "Which epsilon?",
        "What is the epsilon of my federated run?",
    ]
