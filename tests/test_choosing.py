"""The page that chooses: whatever is answered ends in settings that open, and that promise what the page says."""

import math
from itertools import product
from urllib.parse import parse_qsl

import pytest

from dpcore.accountants import account
from dpcore.cache import CACHE
from dpcore.check import RefusedError
from dpcore.privacy import Adjacency, Composed, GaussianRelease
from lab.links import versioned
from pages.learn import choices
from pages.learn.choices import EPSILON, OPTIONS, Answers, choose
from pages.table import PAGES
from tests.app import opened, text
from ui.controls import from_link
from ui.panels import number

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
