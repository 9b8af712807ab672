"""The accounting page: the example of the literature, work in pieces, safe inverses, and what else moves the bill."""

import math
from functools import cache

import numpy as np
import pytest
from accounting_oracles import ADD, epsilon, sampled

from dpcore.accountants import tuning
from dpcore.accountants.prices import PUBLISHED
from dpcore.privacy import Adjacency
from pages.accounting import figures, words_searches
from pages.accounting import words as say
from pages.accounting.experiment import AccountingSettings
from pages.accounting.result import THEOREMS


@cache
def run_of(**changes):
    return AccountingSettings(**changes).run()


@pytest.fixture(scope="module")
def example():
    return run_of()


@pytest.fixture(scope="module")
def partial():
    settings = AccountingSettings()
    return settings.result({task: task.run() for task in settings.tasks() if task.essential})


def test_the_example_of_the_literature(example):
    expected = {"strong": 26.3904, PUBLISHED: 9.3391, "moments": 1.2586, "renyi": 1.0355, "pld": 0.9469}
    assert {row: example.epsilon(row) for row in expected} == pytest.approx(expected, rel=2e-4)
    for number in ("26.4", "1.26"):
        assert f"<b>{number}</b>" in say.verdict(example)
    exact, loosest, left, attacker = say.numbers(example)
    assert (exact.value, exact.amount) == ("0.947", 0.947)
    assert (loosest.value, loosest.note) == ("313", "basic composition")
    assert (left.label, left.value) == ("Remaining budget", "0.053")
    assert attacker.amount == 56
    assert "9.34" in " ".join(say.effects(example))
    assert not example.table().set_index("accountant").loc[PUBLISHED, "a bound"]
    assert PUBLISHED not in THEOREMS


def test_the_essential_pieces_are_enough(partial):
    assert math.isnan(partial.epsilon("pld"))
    assert partial.held.basis.startswith("Renyi")
    assert "…" in say.numbers(partial)[0].value
    assert "0 of 9 points computed by the PLD accountant" in say.FINDINGS["steps"](partial)
    assert set(partial.curves()["accountant"]) >= {"strong", "moments"}
    assert partial.over_steps("pld")[0].size == 0


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("changes", [{}, {"sampling_rate": 1.0, "steps": 200, "noise_multiplier": 40.0}])
def test_the_inverse_is_safe_and_tight(theorem, changes):
    found = run_of(**changes)
    settings = found.settings
    name = settings.exact_accountant if theorem == "pld" else theorem

    def cost(noise, steps):
        return epsilon(sampled(settings.sampling_rate, noise, steps), name, delta=settings.delta)

    noise, steps = found.least_noise(theorem), int(found.most_steps(theorem))
    assert cost(noise, settings.steps) <= settings.target_epsilon
    assert cost(noise * 0.998, settings.steps) > settings.target_epsilon
    assert steps == 0 or cost(settings.noise_multiplier, steps) <= settings.target_epsilon
    assert cost(settings.noise_multiplier, steps + 1) > settings.target_epsilon


def test_a_group_and_neighbours_are_counted_apart(example):
    held, group, own, two = example.held, example.effects()["group"], example.replaced, example.replaced_in_two
    assert group.epsilon == pytest.approx(3 * held.epsilon)
    assert group.delta == pytest.approx(1e-5 * sum(math.exp(i * held.epsilon) for i in range(3)))
    assert own.adjacency is two.adjacency is Adjacency.REPLACE_ONE
    assert held.epsilon < own.epsilon
    assert two.epsilon == pytest.approx(2 * held.epsilon)
    assert two.delta == pytest.approx(1e-5 * (1 + math.exp(held.epsilon)))


def test_tuning_is_one_long_run(example):
    run = AccountingSettings(steps=100_000)
    own = {task: task.run() for task in run.tasks() if task.essential or task in run.work["today"]}
    assert example.tuned.epsilon == pytest.approx(float(run.result(own).found["today"][0]), rel=1e-12)
    alone = AccountingSettings(settings_tried=1).run()
    assert alone.tuned == alone.guarantee("pld")
    assert "lab-table" not in words_searches.searches(alone)
    assert len(figures.searches(alone)["layout"]["shapes"]) == 1
    assert AccountingSettings(steps=100_000).tuning_accountant == "renyi"


@pytest.mark.parametrize("changes", [{}, {"sampling_rate": 1.0, "steps": 200, "noise_multiplier": 40.0}])
def test_a_search_has_its_price_by_what_is_released(changes):
    found = run_of(**changes)
    settings, searches = found.settings, found.searches
    if settings.sampling_rate == 1:
        assert found.epsilon("pld") == found.unsampled
        assert found.guarantee("pld").basis.startswith("exact Gaussian")
    assert searches["public"] == found.guarantee("pld")
    assert searches["all"] == found.tuned
    for law in ("logarithmic", "geometric", "poisson"):
        promise = {"tries": 10, "delta": settings.delta, "adjacency": ADD}
        assert searches[law] == tuning.price(settings.whole, way=law, **promise)
        assert found.epsilon("pld") < searches[law].epsilon < searches["all"].epsilon
    chances = found.searches_table().set_index("released")["chance of the best tenth"]
    ways = ["all", "public", "poisson", "geometric", "logarithmic"]
    assert chances[ways].round(3).tolist() == [0.651, 0.651, 0.632, 0.526, 0.423]


def test_the_curves_of_searches_go_through_what_is_tried(example, partial):
    for way in figures.WAYS:
        chances, epsilon = example.over_chance(way)
        assert (np.diff(epsilon) > 0).all()
        assert (np.diff(chances) > 0).all()
        at = np.interp(example.chance(way), chances, epsilon)
        assert at == pytest.approx(example.searches[way].epsilon, rel=0.02)
        assert partial.over_chance(way)[0].size == 0
    ends = example.over_chance("all")[1][[0, -1]]
    assert ends == pytest.approx([example.epsilon("pld"), example.tuned.epsilon], rel=1e-9)
    assert len(figures.searches(partial)["layout"]["shapes"]) == 1 + 3  # one run, and the laws, which wait for nothing
