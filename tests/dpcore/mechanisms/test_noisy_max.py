"""The largest noisy score: the probabilities of the winners, and the epsilon that they spend."""

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.mechanisms import NoisyMax
from tests.oracles import LAWS, win_probabilities

# Probabilities are integrated numerically.
QUADRATURE_ERROR = 1e-9

SCORES = np.array([1.0, 0.0, 3.0, 2.5])
GAPS = np.array([-30.0, -8.0, -2.0, 0.0, 2.0, 8.0, 30.0])

every_law = pytest.mark.parametrize("noise", LAWS)


def largest_log_ratio(before, after, *, mechanism):
    """Return the most that one change of the scores changes the log probability of a winner."""
    wins_before, wins_after = (
        win_probabilities(scores, scale=mechanism.scale, noise=mechanism.noise)
        for scores in (before, after)
    )
    return np.abs(np.log(wins_before / wins_after)).max()


def spent_epsilon(mechanism, *, others_fall):
    """Return the largest log ratio, over gaps and numbers of scores.

    One score rises by the sensitivity, and the others fall by it or stay.
    """
    ratios = []
    for size in (2, 3, 6):
        for gap in GAPS * mechanism.scale:
            before = np.zeros(size)
            before[0] = gap
            after = before.copy()
            if others_fall:
                after -= mechanism.sensitivity
            after[0] = gap + mechanism.sensitivity
            ratios.append(largest_log_ratio(before, after, mechanism=mechanism))
    return max(ratios)


@every_law
def test_winners_have_the_exact_probabilities(noise):
    mechanism = NoisyMax(sensitivity=1.0, epsilon=1.0, noise=noise)

    winners = mechanism.release(SCORES, np.random.default_rng(2), size=40_000)

    exact = win_probabilities(SCORES, scale=2.0, noise=noise)
    expected = exact / exact.sum() * 40_000
    assert stats.chisquare(np.bincount(winners, minlength=4), expected).pvalue > 1e-3


def test_gumbel_noise_is_the_exponential_mechanism():
    exact = win_probabilities(SCORES, scale=2.0, noise="gumbel")

    weights = np.exp(SCORES / 2)
    np.testing.assert_allclose(exact / exact.sum(), weights / weights.sum(), rtol=QUADRATURE_ERROR)


@every_law
def test_one_release_is_the_first_of_many(noise):
    mechanism = NoisyMax(sensitivity=1.0, epsilon=1.0, noise=noise)

    one = mechanism.release(SCORES, np.random.default_rng(2))

    assert type(one) is int
    assert one == mechanism.release(SCORES, np.random.default_rng(2), size=40_000)[0]


@every_law
@pytest.mark.parametrize("scores", [[], [[1.0], [2.0]], 3.0])
def test_anything_but_a_list_of_scores_is_refused(noise, scores):
    mechanism = NoisyMax(sensitivity=1.0, epsilon=1.0, noise=noise)

    with pytest.raises(check.RefusedError, match="scores"):
        mechanism.release(scores, np.random.default_rng(0))


@every_law
@pytest.mark.parametrize("monotone", [False, True])
def test_a_noisy_maximum_spends_its_epsilon_and_no_more(noise, monotone):
    mechanism = NoisyMax(sensitivity=0.5, epsilon=1.5, noise=noise, monotone=monotone)

    spent = spent_epsilon(mechanism, others_fall=not monotone)

    assert 0.95 * 1.5 < spent < 1.5 * (1 + 1e-4)


@every_law
def test_the_noise_for_monotone_scores_is_too_little_when_scores_move_apart(noise):
    mechanism = NoisyMax(sensitivity=0.5, epsilon=1.5, noise=noise, monotone=True)

    assert spent_epsilon(mechanism, others_fall=True) > 1.9 * 1.5
