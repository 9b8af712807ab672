"""The page that chooses: whatever is answered ends in settings that open, and that promise what the page says."""

import math
from itertools import product
from urllib.parse import parse_qsl

import pytest

from dpcore.accountants import account
from dpcore.cache import CACHE
from dpcore.check import RefusedError
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
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


def by_the_accountant(settings) -> float:
    """The epsilon that the accounting page gives at rest, from the tasks that say so alone."""
    if settings.settings_tried > 1:
        return settings.result({}).searches["logarithmic"].epsilon
    (fine,) = settings.work["fine"]
    found = CACHE.answer(fine, fine.run)
    return settings.result({fine: found}).guarantee("pld").epsilon


def promise(page: str, settings) -> Guarantee:
    """What another page promises at these settings."""
    match page:
        case "mechanisms":
            return settings.claim(settings.mechanism).guarantee
        case "parties":
            return settings.promise
    assert settings.guarantees.holds
    return settings.guarantees.formula


@pytest.mark.parametrize("people", OPTIONS["people"])
@pytest.mark.parametrize("released", OPTIONS["released"])
@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.soak)])
def test_every_answer_ends_in_settings_that_promise_it(every: int, released: str, people: int):
    for answers in [one for one in ALL if (one.released, one.people) == (released, people)][::every]:
        chosen = choose(answers)
        settings, notices = from_link(KINDS[chosen.page], chosen.settings)
        assert notices == []
        held = chosen.guarantee
        assert 0.95 * answers.epsilon < held.epsilon <= answers.epsilon * (1 + 1e-9)
        assert held.delta * people <= 0.1
        if chosen.page == "accounting":
            assert held.epsilon == by_the_accountant(settings)
            assert (held.delta, held.adjacency) == (settings.delta, Adjacency.ADD_REMOVE)
            one_by_one = f"epsilon {answers.rows_each * held.epsilon:.3g} per person"
            assert any(one_by_one in reason for reason in chosen.reasons) == (answers.rows_each > 1)
            assert settings.people == answers.rows_each
        else:
            there = promise(chosen.page, settings)
            assert held.epsilon == pytest.approx(chosen.times * there.epsilon, rel=1e-9)
            assert (held.delta, held.adjacency, held.unit) == (there.delta, there.adjacency, there.unit)


SOME = [
    Answers(drawn="all"),
    Answers(drawn="shuffled", releases=4),
    Answers(released="number"),
    Answers(released="number", releases=12, tries=10),
    Answers(released="votes", people=1_000_000, releases=4),
]


@pytest.mark.parametrize("answers", SOME, ids=str)
def test_the_page_opens_them(answers: Answers):
    app = opened("choosing")
    assert not app.exception
    for name in OPTIONS:
        if any(box.key == f"choosing.{name}" for box in app.selectbox):
            app.selectbox(key=f"choosing.{name}").set_value(getattr(answers, name)).run()
    assert not app.exception
    chosen = choose(answers)
    (link,) = (one.proto for one in app.get("page_link") if one.proto.page == chosen.page)
    assert dict(parse_qsl(link.query_string)) == versioned(chosen.settings)
    assert f"Epsilon is then <b>{number(chosen.guarantee.epsilon)}</b>" in text(app)
    there = opened(chosen.page, **chosen.settings)
    assert not there.exception
    assert not there.warning


def test_a_shuffled_epoch_is_counted_as_one_release():
    """As the network page does: the noise of a step, over all epochs, without sampling."""
    chosen = choose(Answers(drawn="shuffled"))
    noise = float(chosen.settings["noise_multiplier"]) * math.sqrt(choices._EPOCHS)
    steps = Composed(event=GaussianRelease(noise_multiplier=noise), count=choices._EPOCHS)
    promise = {"delta": chosen.guarantee.delta, "adjacency": Adjacency.ADD_REMOVE}
    assert account(steps, **promise).epsilon == pytest.approx(chosen.guarantee.epsilon, rel=1e-9)


def test_many_uses_of_a_number_need_gaussian_noise_and_few_need_laplace():
    assert choose(Answers(released="number")).page == "mechanisms"
    many = choose(Answers(released="number", people=300, releases=12, tries=10))
    assert many.page == "accounting"
    assert any("Gaussian noise" in reason for reason in many.reasons)


@pytest.mark.parametrize("wrong", [{"people": 7}, {"drawn": "some"}, {"epsilon": 0.4}, {"tries": 0}])
def test_other_answers_are_refused(wrong):
    with pytest.raises(RefusedError):
        Answers(**wrong)
