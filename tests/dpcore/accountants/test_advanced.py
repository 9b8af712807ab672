"""Advanced composition, and the figure that was published with it."""

import math

import numpy as np
import pytest

from dpcore.accountants import ACCOUNTANTS, advanced, basic
from dpcore.privacy import UnsupportedEventError
from tests.accounting_oracles import TEXTBOOK, epsilon
from tests.event_builders import gaussian, pure, sampled, times, together

# The best split of delta is searched on a grid.
GRID_OF_SHARES = 1e-5
# The same formula in double precision.
ROUNDING = 1e-12
# Three decimals.
PRINTED_DIGITS = 5e-4

STEP = sampled(0.01, 4.0)


def textbook_run_by_hand(share: float) -> float:
    """Return the epsilon of 10,000 samples of rate 0.01 with noise multiplier 4.

    Args:
        share: The share of delta 1e-5 that pays for the theorem, not for the releases.
    """
    price = math.sqrt(2 * math.log(1.25 / ((1 - share) * 1e-5 / 100))) / 4
    step = math.log(1 + 0.01 * math.expm1(price))
    spread = math.sqrt(2e4 * math.log(1 / (share * 1e-5))) * step
    return spread + 1e4 * step * math.expm1(step)


def test_delta_is_split_in_the_best_way():
    least = min(textbook_run_by_hand(share) for share in np.linspace(0.0005, 0.9995, 2000))

    assert epsilon(TEXTBOOK, "advanced") == pytest.approx(least, rel=GRID_OF_SHARES)


def test_different_pure_releases_add_up_their_squares_and_their_drifts():
    event = together(times(50, pure(0.1)), pure(0.5))

    squares = 50 * 0.01 + 0.25
    drift = 50 * 0.1 * math.expm1(0.1) + 0.5 * math.expm1(0.5)
    expected = math.sqrt(2 * math.log(1e5) * squares) + drift
    assert epsilon(event, "advanced") == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize(
    ("event", "count"),
    [
        pytest.param(STEP, 10_000, id="single steps"),
        pytest.param(times(100, STEP), 100, id="steps that are composed already"),
    ],
)
def test_the_published_figure_is_reproduced(event, count):
    (published,) = advanced.as_published(event, [count], delta=1e-5)

    assert published == pytest.approx(9.339, abs=PRINTED_DIGITS)


def test_the_published_figure_is_no_accountant():
    assert advanced.as_published not in ACCOUNTANTS.values()


def test_the_published_amplification_is_too_good():
    step = math.sqrt(2 * math.log(1.25 * 2 * 100 / 1e-5)) / 4

    assert 0.01 * step < float(basic.amplified(0.01, np.array(step)))


def test_the_published_figure_is_about_gaussian_steps_only():
    with pytest.raises(UnsupportedEventError, match=r"PureRelease\(epsilon=1\)"):
        advanced.as_published(pure(1), [1], delta=1e-5)


def test_the_published_figure_is_infinite_without_noise():
    assert advanced.as_published(gaussian(0), [1], delta=1e-5)[0] == math.inf
