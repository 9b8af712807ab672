"""The accounting page: inverses, searches, groups; Theorem 1 of the moments accountant against exact counts."""

import math
from functools import cache

import numpy as np
import pytest
from accounting_oracles import ADD, epsilon
from event_builders import sampled

from dpcore.accountants import asymptotic as stated
from dpcore.accountants import gdp, tuning
from dpcore.accountants.prices import PUBLISHED
from dpcore.privacy import Adjacency
from pages.accounting import figures
from pages.accounting import words as say
from pages.accounting.experiment import AccountingSettings
from pages.accounting.parameters import AccountingParameters
from pages.accounting.result import THEOREMS
from pages.accounting.work import GRID, Statements

SETTINGS = [{}, {"sampling_rate": 1.0, "steps": 200, "noise_multiplier": 40.0}]


@cache
def run_of(**changes):
    return AccountingSettings(**changes).run()


def test_the_essential_pieces_are_enough():
    settings = AccountingSettings()
    partial = settings.result({task: task.run() for task in settings.tasks() if task.essential})
    assert math.isnan(partial.epsilon("pld"))
    assert partial.held.basis.startswith("Renyi")
    assert "…" in say.numbers(partial)[0].value
    assert set(partial.curves()["accountant"]) >= {"strong", "moments"}
    assert partial.over_steps("pld")[0].size == partial.over_chance("all")[0].size == 0
    assert len(figures.searches(partial)["layout"]["shapes"]) == 1 + 3  # one run, and the laws, which wait for nothing


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("changes", SETTINGS)
def test_the_inverse_is_safe_and_tight(theorem, changes):
    found = run_of(**changes)
    settings = found.settings
    name = settings.exact_accountant if theorem == "pld" else theorem

    def cost(noise, steps):
        return epsilon(sampled(settings.sampling_rate, noise, steps), name, delta=settings.delta)

    noise, steps = found.least_noise(theorem), int(found.most_steps(theorem))
    assert cost(noise, settings.steps) <= settings.target_epsilon < cost(noise * 0.998, settings.steps)
    assert steps == 0 or cost(settings.noise_multiplier, steps) <= settings.target_epsilon
    assert cost(settings.noise_multiplier, steps + 1) > settings.target_epsilon


def test_groups_and_neighbours_are_counted_apart_and_no_bound_is_published():
    example = run_of()
    held, group, own, two = example.held, example.effects()["group"], example.replaced, example.replaced_in_two
    assert group.epsilon == pytest.approx(3 * held.epsilon)
    assert group.delta == pytest.approx(1e-5 * sum(math.exp(i * held.epsilon) for i in range(3)))
    assert own.adjacency is two.adjacency is Adjacency.REPLACE_ONE
    assert held.epsilon < own.epsilon
    assert two.epsilon == pytest.approx(2 * held.epsilon)
    assert two.delta == pytest.approx(1e-5 * (1 + math.exp(held.epsilon)))
    assert example.epsilon(PUBLISHED) == pytest.approx(9.3391, rel=2e-4)
    assert not example.table().set_index("accountant").loc[PUBLISHED, "a bound"]
    assert PUBLISHED not in THEOREMS


def test_tuning_is_one_long_run_and_searches_go_through_what_is_tried():
    example, run, alone = run_of(), AccountingSettings(steps=100_000), run_of(settings_tried=1)
    own = {task: task.run() for task in run.tasks() if task.essential or task in run.work["today"]}
    assert example.tuned.epsilon == pytest.approx(float(run.result(own).found["today"][0]), rel=1e-12)
    assert run.tuning_accountant == "renyi"
    assert alone.tuned == alone.guarantee("pld")
    assert len(figures.searches(alone)["layout"]["shapes"]) == 1
    for way in figures.WAYS:
        chances, epsilons = example.over_chance(way)
        assert (np.diff(epsilons) > 0).all()
        assert (np.diff(chances) > 0).all()
        at = np.interp(example.chance(way), chances, epsilons)
        assert at == pytest.approx(example.searches[way].epsilon, rel=0.02)
    ends = example.over_chance("all")[1][[0, -1]]
    assert ends == pytest.approx([example.epsilon("pld"), example.tuned.epsilon], rel=1e-9)


@pytest.mark.parametrize("changes", SETTINGS)
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


@pytest.fixture(scope="module")
def grid():
    return np.array([one.run() for one in GRID])


def of(grid, **changes) -> Statements:
    one = {"sampling_rate": 0.01, "noise_multiplier": 4.0, "steps": 10_000, "delta": 1e-5, "target_epsilon": 1.0}
    return Statements(grid=grid, run=AccountingParameters(**(one | changes)), exact=0.947)


def exact(rate, noise, steps, delta, accountant="pld"):
    return epsilon(sampled(rate, noise, steps), accountant, delta=delta)


class TestTheoremOne:
    def test_the_example_of_the_paper(self, grid):
        """sigma 4, q .01, T 1e4, delta 1e-5: 1.2586 by the moments and 1.769 by the main term of their bound."""
        found = of(grid)
        assert found.best("exact") == (pytest.approx(1.2586, abs=5e-5), 19)
        assert found.best("bound") == (pytest.approx(1.769, abs=5e-4), 14)
        assert (found.last, found.below) == (51, 147)
        proof, _, growth, _ = found.rows
        assert (proof.epsilon, growth.epsilon) == (pytest.approx(1.70, abs=5e-3), pytest.approx(3.86, abs=5e-3))
        for target in (0.5, 2.0):
            assert exact(0.01, of(grid, target_epsilon=target).rows[0].noise, 10_000, 1e-5) < target

    def test_the_main_term_bounds_the_moments_but_for_what_it_leaves_out(self):
        """Within the lemma's conditions; at q .04, sigma 1, lambda 3 the O term is needed."""
        for rate in np.geomspace(1e-4, 0.05, 9):
            for noise in (1.0, 1.5, 2.0, 4.0, 8.0):
                held = stated.last_moment(rate, noise) >= stated.LAMBDAS
                ratio = stated.log_moments(rate, noise) / stated.moment_bound(rate, noise)
                assert ratio[held].max(initial=0.0) < 1.1
        assert (stated.log_moments(0.04, 1.0) / stated.moment_bound(0.04, 1.0))[2] == pytest.approx(1.035, abs=5e-4)
        assert [of(None, noise_multiplier=noise).below for noise in (2.0, 1.0, 0.7)] == [36, 6, 1]
        # Outside of either condition the lemma holds for no moment
        assert (stated.last_moment(0.01, 0.9), stated.last_moment(0.07, 1.0)) == (0, 0)

    def test_it_is_false_as_printed_and_breaks_where_it_is_said_to(self, grid):
        """Every pair of constants with c1 q^2 T above the claim has a run that gives less."""
        for rate, steps, really, accountant in ((1.0, 100, 167.8, "gdp"), (0.05, 40_000, 362.6, "pld")):
            noise = 2 * stated.unit(rate, steps, delta=1e-5) / 99
            assert rate**2 * steps > 99
            assert exact(rate, noise, steps, 1e-5, accountant) == pytest.approx(really, rel=2e-3)
        breaks = of(grid).breaks
        assert breaks == gdp.crossing(2 * math.sqrt(math.log(1e5)), delta=1e-5) == pytest.approx(36.1, abs=0.05)
        for steps in (50, 5_000):
            for claim in (breaks * 0.999, breaks * 1.001):
                noise = 2 * stated.unit(1.0, steps, delta=1e-5) / claim
                assert (exact(1.0, noise, steps, 1e-5, accountant="gdp") <= claim) == (claim < breaks)

    def test_constants_are_the_least_that_hold_on_the_grid(self, grid):
        """Whether each run of the grid gives what the theorem claims of it, a little above and below."""
        axes = np.meshgrid(stated.RATES, stated.NOISES, stated.DELTAS, stated.STEPS, indexing="ij")
        rate, noise, delta, steps = axes

        def broken(c1, c2, conditions) -> bool:
            claim = c2 * rate * np.sqrt(steps * np.log(1 / delta)) / noise
            said = (claim < c1 * rate**2 * steps) & (not conditions or claim < np.log(1 / delta))
            return bool((said & (grid > claim)).any())

        for c1 in (0.1, 1.0, 10.0):
            for conditions in (False, True):
                c2 = stated.needed(grid, c1, conditions=conditions)
                assert not broken(c1, c2 * (1 + 1e-9), conditions)
                assert broken(c1, c2 * (1 - 1e-6), conditions)
        assert not broken(1.0, 2.0, True)
        assert broken(1.0, 2.0, False)
        assert of(grid).least == pytest.approx(1.79, abs=5e-3)

    def test_runs_that_are_not_on_the_grid_keep_it_with_its_conditions(self):
        """c2 = 2, c1 = 1, sigma >= 1, epsilon <= ln(1/delta), at random."""
        rng, tried = np.random.default_rng(0), 0
        while tried < 40:
            rate, noise, steps = 10 ** rng.uniform(-3, 0), 10 ** rng.uniform(0, 1.8), int(10 ** rng.uniform(1, 6))
            delta = 10 ** rng.uniform(-9, -3)
            claim = 2 * stated.unit(rate, steps, delta=delta) / noise
            if claim < min(rate**2 * steps, math.log(1 / delta)):
                tried += 1
                assert exact(rate, noise, steps, delta, accountant="renyi") <= claim

    def test_the_page_has_all_of_it(self):
        example = run_of()
        assert tuple(example.settings.tasks())[-len(GRID) :] == GRID
        found = example.statements
        assert np.isfinite(found.constants["as printed"]).all()
        assert found.exact == example.epsilon("pld")
        steps, constants = example.constants("renyi")
        at = int(np.flatnonzero(steps == 10_000)[0])
        assert constants[at] == pytest.approx(found.constant(example.epsilon("renyi")))
        assert constants[at] == pytest.approx(1.221, abs=6e-4)
