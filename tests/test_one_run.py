"""One-run audits: the formula against draws, and bounds that stay below known mechanisms."""

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.attacks import one_run
from dpcore.privacy import Adjacency


def by_draws(correct, *, guesses, canaries, epsilon, delta, draws=400_000):
    """The formula from draws of the binomial, with a plain loop over i."""
    rng = np.random.default_rng(3)
    tosses = (rng.random((draws, guesses)) < np.exp(epsilon) / (1 + np.exp(epsilon))).sum(axis=1)
    worst = max(((tosses < correct) & (tosses >= correct - i)).mean() / i for i in range(1, canaries + 1))
    return (tosses >= correct).mean() + 2 * canaries * delta * worst


@pytest.mark.parametrize("delta", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize(("correct", "guesses", "canaries"), [(14, 16, 16), (17, 20, 50), (9, 10, 30)])
def test_the_formula_is_what_draws_say(correct, guesses, canaries, delta):
    size = {"guesses": guesses, "canaries": canaries, "delta": delta}
    found = [one_run.chance(correct, epsilon=epsilon, **size) for epsilon in (0.5, 1.0)]
    for epsilon, value in zip((0.5, 1.0), found, strict=True):
        assert value == pytest.approx(by_draws(correct, epsilon=epsilon, **size), abs=3e-3, rel=0.02)


def test_delta_is_paid_for_once_a_canary():
    """Each more delta, or canary, makes a guess less of a proof."""
    size = {"guesses": 100, "epsilon": 1.0}
    plain = one_run.chance(90, canaries=100, delta=0.0, **size)
    assert plain == pytest.approx(stats.binom.sf(89, 100, np.e / (1 + np.e)))
    some = one_run.chance(90, canaries=100, delta=1e-3, **size)
    more = one_run.chance(90, canaries=1000, delta=1e-3, **size)
    assert plain < some < more
    bounds = [
        one_run.epsilon_lower_bound(90, guesses=100, canaries=100, delta=delta).epsilon for delta in (0, 1e-4, 1e-2)
    ]
    assert bounds[0] > bounds[1] > bounds[2]


def test_a_leak_with_chance_delta_stays_below_the_formula():
    """The mechanism tells all coins with chance delta, or else answers each at random: (epsilon, delta)-DP for each."""
    rng, m, epsilon, delta = np.random.default_rng(5), 30, 1.0, 1e-3
    leaks = rng.random(200_000) < delta
    correct = np.where(leaks, m, rng.binomial(m, np.exp(epsilon) / (1 + np.exp(epsilon)), 200_000))
    for least in (24, 26, 28, 30):
        allowed = one_run.chance(least, guesses=m, canaries=m, epsilon=epsilon, delta=delta)
        assert (correct >= least).mean() <= allowed + 3 * np.sqrt(allowed / 200_000)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_one_training_bounds_a_gaussian_release_and_fails_once_in_twenty(epsilon):
    """400 trainings that each release 1,000 coins with Gaussian noise worth exactly epsilon."""
    delta, audits, canaries = 1e-5, 400, 1000
    mu, rng = gdp.mu_of(epsilon, delta=delta), np.random.default_rng(int(epsilon))
    coins = rng.random((audits, canaries)) < 0.5
    seen = coins * mu + rng.normal(size=coins.shape)
    guesses = [one_run.guessed(one, coin, share=0.2) for one, coin in zip(seen, coins, strict=True)]
    bounds = {
        guess: one_run.epsilon_lower_bound(guess[0], guesses=guess[1], canaries=canaries, delta=delta).epsilon
        for guess in set(guesses)
    }
    found = np.array([bounds[guess] for guess in guesses])
    assert (found > epsilon).mean() <= 0.05
    assert np.median(found) > 0.2 * epsilon  # the audit is worth its name: counting sees less than Gaussian noise gives


def test_a_broken_release_is_caught_in_one_training():
    coins = np.random.default_rng(0).random(500) < 0.5
    correct, guesses = one_run.guessed(coins * 1.0, coins, share=0.8)
    found = one_run.epsilon_lower_bound(correct, guesses=guesses, canaries=500, delta=1e-5)
    assert found.epsilon > 4
    assert (found.adjacency, found.trials, found.confidence) == (Adjacency.ADD_REMOVE, 500, 0.95)


def test_guessing_shows_nothing():
    assert one_run.epsilon_lower_bound(50, guesses=100, canaries=100, delta=1e-5).epsilon == 0


@pytest.mark.parametrize(
    "changes", [{"correct": 11}, {"guesses": 40}, {"delta": -1}, {"confidence": 95}], ids=lambda c: next(iter(c))
)
def test_nonsense_is_refused_by_name(changes):
    given = {"correct": 9, "guesses": 10, "canaries": 30, "delta": 0.0} | changes
    with pytest.raises(check.RefusedError):
        one_run.epsilon_lower_bound(given.pop("correct"), **given)
