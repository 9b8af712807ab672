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
from tests.app import moved, opened, text
from ui.compute.runner import compute
from ui.session.entries import from_link
from ui.text import tiles

HOME = Path(__file__).parents[3] / "pages" / "home" / "page.py"


def observed(lost_points: dict[float, int]) -> dict[float, home.Observation]:
    """Observations by epsilon, whose tiles show "accuracy" and "attacker"."""
    return {
        epsilon: home.Observation(points, "accuracy", "attacker")
        for epsilon, points in lost_points.items()
    }


@pytest.mark.parametrize(
    ("task", "lost_points", "result"),
    [
        pytest.param("private", {0.5: 2}, None, id="epsilon-was-not-small"),
        pytest.param("pay", {0.5: 2}, None, id="all-cost-too-much"),
        pytest.param("attack", {0.5: 2}, None, id="epsilon-was-not-large"),
        pytest.param(
            "private",
            {0.5: 2, 0.09: 30},
            {"epsilon": "0.09", "right": "accuracy"},
            id="epsilon-was-small",
        ),
        pytest.param(
            "pay",
            {0.5: 2, 0.7: 1, 3.0: 0},
            {"good": "0.7", "bad": "0.5"},
            id="cost-falls-between-close-values",
        ),
        pytest.param("pay", {0.5: 2, 0.8: 1}, None, id="more-than-a-factor-of-1.5-apart"),
        pytest.param("pay", {0.5: 1, 0.6: 2}, None, id="expensive-value-above-the-cheap-one"),
        pytest.param(
            "attack",
            {8.0: 0},
            {"epsilon": "8", "attacker": "attacker"},
            id="epsilon-was-large",
        ),
    ],
)
def test_a_task_is_done_by_what_was_observed(task, lost_points, result):
    observations = observed(lost_points)

    assert home.TASKS[task](observations) == result


def test_a_move_ticks_itself_off_and_the_next_one_opens():
    app = opened("")
    assert "Drag epsilon below 0.1" in text(app)
    app.button(key="home.attack").click().run()
    assert "Set epsilon to 8" in text(app)
    assert "Drag epsilon below 0.1" not in text(app)
    said = text(moved(app, "home", "epsilon", 8.0).run())
    assert "At epsilon 8, the attacker is right up to" in said
    assert "Drag epsilon below 0.1" in said
    assert not app.exception
    app = opened("", epsilon="8")
    assert "the attacker is right up to" in text(app)
    app.query_params.update(epsilon="0.5", dataset="iris")
    assert "the attacker is right up to" not in text(app.run()), "other settings begin anew"
    assert not app.exception


def test_home_lists_every_page_of_the_navigation_by_group():
    listed = [page for pages in MENU.values() for page in pages]

    app = opened("")

    links = [link.proto.page for link in app.get("page_link")]
    assert links == [*home.START_LINKS.values(), *(page.name for page in listed)]
    assert [caption.value for caption in app.caption][: len(listed)] == [
        page.about for page in listed
    ]
    groups = [text.value for text in app.markdown if text.value.startswith("**")]
    assert [f"**{group}**" for group in MENU] == groups[: len(MENU)]


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


def test_its_numbers_are_the_classifier_s_and_it_has_no_pins():
    """A link with a pin would show a ghost that nothing on the page unpins."""
    front, whole = home.front(PAGES), next(page for page in PAGES if page.name == "classifier")
    result, _ = compute(whole.settings(epsilon=0.05), seconds=0)
    assert set(front.content.tiles(result)) <= set(whole.content.tiles(result))
    app = opened("", epsilon="0.05", pin="epsilon~2.0")
    assert text(app).count(tiles.tile_row(front.content.tiles(result))) == 1
    assert [one.value for one in app.warning] == [
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
    settings, notices = from_link(KINDS[example.page], example.settings)
    assert notices == []
    for name, value in example.settings.items():
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
    ]
