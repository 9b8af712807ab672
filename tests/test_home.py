"""The home page and the guide that chooses a page: links, settings and answers."""

import ast
import inspect
import math
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from dpcore.accountants import account
from dpcore.cache import CACHE
from dpcore.check import RefusedError
from dpcore.privacy import Adjacency, Composed, GaussianRelease
from lab.links import versioned
from pages import home
from pages.learn import choices
from pages.learn.choices import EPSILON, OPTIONS, Answers, choose
from pages.table import PAGES
from tests.app import moved, opened, text
from ui import panels
from ui.compute import compute
from ui.controls import from_link
from ui.panels import number

HOME = Path(__file__).parents[1] / "pages" / "home.py"


def seen(**losses: int) -> dict[float, home.Seen]:
    return {float(name[1:].replace("_", ".")): home.Seen(loss, "r", "a") for name, loss in losses.items()}


def test_moves_are_made_by_what_was_seen():
    assert {name: how(seen(e0_5=2)) for name, how in home.MOVES.items()} == dict.fromkeys(home.MOVES)
    assert home.MOVES["private"](seen(e0_5=2, e0_09=30)) == {"epsilon": "0.09", "right": "r"}
    assert home.MOVES["pay"](seen(e0_5=2, e0_7=1, e3=0)) == {"good": "0.7", "bad": "0.5"}
    assert home.MOVES["pay"](seen(e0_5=2, e0_8=1)) is None, "between them lies more than a factor of 1.5"
    assert home.MOVES["pay"](seen(e0_5=1, e0_6=2)) is None, "what costs more lies above"
    assert home.MOVES["attack"](seen(e8=0)) == {"epsilon": "8", "attacker": "a"}


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


def test_every_page_has_its_door_in_its_group_and_asks_its_question():
    groups = [[page for page in PAGES if page.group == name] for name in dict.fromkeys(page.group for page in PAGES)]
    app = opened("")
    links = [link.proto.page for link in app.get("page_link")]
    assert links == [*home.DOORS.values(), *(page.name for group in groups for page in group)]
    assert [one.value for one in app.caption][: len(PAGES)] == [page.about for group in groups for page in group]
    folders = {page.name: Path(inspect.getfile(page.settings)).parent for page in PAGES}
    assert {*folders.values()} == {path.parent for path in HOME.parent.glob("*/page.py")} - {HOME.parent / "lessons"}
    for page in PAGES:
        source = (folders[page.name] / "page.py").read_text("utf-8")
        assert ast.get_docstring(ast.parse(source)) == page.question


def test_its_numbers_are_the_classifier_s_and_it_has_no_pins():
    """A link with a pin would show a ghost that nothing on the page unpins."""
    front, whole = home.front(PAGES), next(page for page in PAGES if page.name == "classifier")
    result, _ = compute(whole.settings(epsilon=0.05), seconds=0)
    assert set(front.numbers(result)) <= set(whole.numbers(result))
    app = opened("", epsilon="0.05", pin="~mine~epsilon~2.0")
    assert text(app).count(panels.tiles(front.numbers(result))) == 1
    assert [one.value for one in app.warning] == ["A pin in the link was ignored, because this page has none."]
    desk = app.session_state["home.desk"]
    assert (desk.pins, desk.settings.epsilon) == ((), 0.05)
    assert "pin" not in app.query_params
    assert not app.exception


KINDS = {page.name: page.settings for page in PAGES}
ALL = [
    Answers(**dict(zip([*OPTIONS, "epsilon"], values, strict=True)))
    for values in product(*OPTIONS.values(), (EPSILON[0], 1.0, 3.0, EPSILON[1]))
    if values[0] == "model" or values[1] == "all"
]


def promise(page: str, settings):
    """What another page promises at these settings."""
    if page == "accounting":
        if settings.settings_tried > 1:
            return settings.result({}).searches["logarithmic"]
        (fine,) = settings.work["fine"]
        return settings.result({fine: CACHE.answer(fine, fine.run)}).guarantee("pld")
    if page == "mechanisms":
        return settings.claim(settings.mechanism).guarantee
    return settings.promise if page == "parties" else settings.guarantees.formula


@pytest.mark.parametrize("people", OPTIONS["people"])
@pytest.mark.parametrize("released", OPTIONS["released"])
@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.soak)])
def test_every_answer_ends_in_settings_that_promise_it(every: int, released: str, people: int):
    for answers in [one for one in ALL if (one.released, one.people) == (released, people)][::every]:
        chosen = choose(answers)
        settings, notices = from_link(KINDS[chosen.page], chosen.settings)
        held, there = chosen.guarantee, promise(chosen.page, settings)
        assert notices == []
        assert 0.95 * answers.epsilon < held.epsilon <= answers.epsilon * (1 + 1e-9)
        assert held.delta * people <= 0.1
        times = 1 if chosen.page == "accounting" else chosen.times
        assert held.epsilon == pytest.approx(times * there.epsilon, rel=1e-9)
        assert (held.delta, held.adjacency) == (there.delta, there.adjacency)
        if chosen.page == "accounting":
            one_by_one = f"epsilon {answers.rows_each * held.epsilon:.3g} per person"
            assert any(one_by_one in reason for reason in chosen.reasons) == (answers.rows_each > 1)
            assert settings.people == answers.rows_each
        else:
            assert held.unit == there.unit


@pytest.mark.parametrize(
    ("answers", "page"),
    [
        (Answers(drawn="shuffled", releases=4), "accounting"),
        (Answers(released="number"), "mechanisms"),
        (Answers(released="number", people=300, releases=12, tries=10), "accounting"),
        (Answers(released="votes", people=1_000_000, releases=4), "parties"),
    ],
    ids=str,
)
def test_the_page_opens_them(answers: Answers, page: str):
    app = opened("choosing")
    for name in OPTIONS:
        if any(box.key == f"choosing.{name}" for box in app.selectbox):
            app.selectbox(key=f"choosing.{name}").set_value(getattr(answers, name)).run()
    assert not app.exception
    chosen = choose(answers)
    (link,) = (one.proto for one in app.get("page_link") if one.proto.page == chosen.page == page)
    assert dict(parse_qsl(link.query_string)) == versioned(chosen.settings)
    assert f"Epsilon is then <b>{number(chosen.guarantee.epsilon)}</b>" in text(app)
    there = opened(chosen.page, **chosen.settings)
    assert not [*there.exception, *there.warning]


def test_a_shuffled_epoch_is_counted_as_one_release():
    """As the network page does: the noise of a step, over all epochs, without sampling."""
    chosen = choose(Answers(drawn="shuffled"))
    noise = float(chosen.settings["noise_multiplier"]) * math.sqrt(choices._EPOCHS)
    steps = Composed(event=GaussianRelease(noise_multiplier=noise), count=choices._EPOCHS)
    found = account(steps, delta=chosen.guarantee.delta, adjacency=Adjacency.ADD_REMOVE)
    assert found.epsilon == pytest.approx(chosen.guarantee.epsilon, rel=1e-9)


@pytest.mark.parametrize("wrong", [{"people": 7}, {"drawn": "some"}, {"epsilon": 0.4}, {"tries": 0}])
def test_other_answers_are_refused(wrong):
    with pytest.raises(RefusedError):
        Answers(**wrong)
