"""Simulated rows of a private regression and of public sources."""

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from lab.data import transfer_worlds
from lab.data.transfer_worlds import LABEL_SD, NARROWEST, RADIUS, WIDTHS, norm_q

# More rows change the order of sums.
ROUNDING = 1e-14
# The mean over so many fresh rows scatters by less.
CHANCE = 0.01

# Below this, a test of a distribution fails.
LEAST_P_VALUE = 1e-3


def problem(**changes) -> transfer_worlds.Problem:
    """Return a simulated problem of 50 rows and six sources, with the given sizes changed."""
    sizes = {"seed": 1, "rows": 50, "dimension": 20, "sources": 6, "difference": 1.5}
    return transfer_worlds.problem(**{**sizes, **changes})


# Contrasts


@pytest.mark.parametrize(
    ("q", "norms"),
    [
        pytest.param(1, [7, 0, 3], id="L1"),
        pytest.param(0, [2, 0, 3], id="number of entries"),
        pytest.param(0.5, [(3**0.5 + 2) ** 2, 0, 9], id="between"),
    ],
)
def test_norms_follow_their_definition(q, norms):
    contrasts = np.array([[3.0, 0, -4.0], [0, 0, 0], [1.0, 1.0, 1.0]])

    assert norm_q(contrasts, q) == pytest.approx(norms)


def test_norms_are_finite_for_a_tiny_exponent():
    assert np.isfinite(norm_q(np.full((1, 50), 0.1), 0.05)).all()


def test_norms_refuse_an_exponent_above_one():
    with pytest.raises(check.RefusedError, match="^q is 2"):
        norm_q(np.ones((1, 3)), 2)


def test_first_source_is_the_farthest():
    norms = norm_q(problem().contrasts, 1)

    assert norms[0] == pytest.approx(1.5)
    assert (norms[1:] < 1.5).all()


def test_contrasts_point_in_one_direction_with_the_declared_entries():
    contrasts = problem().contrasts

    assert (contrasts @ contrasts.T > 0).all()
    assert norm_q(contrasts, 0).tolist() == list(WIDTHS)
    # The settings rely on this bound for q = 0.
    assert np.abs(contrasts).max() <= 1.5 / NARROWEST


def test_true_coefficients_have_the_declared_norm():
    assert np.abs(problem().beta).sum() == pytest.approx(RADIUS)


# Rows


def test_more_rows_and_sources_leave_the_others_unchanged():
    few = problem()
    many = problem(rows=70, sources=9)

    np.testing.assert_array_equal(few.X, many.X[:50])
    np.testing.assert_allclose(few.y, many.y[:50], atol=ROUNDING)
    np.testing.assert_array_equal(few.contrasts, many.contrasts[:6])


@pytest.mark.parametrize("source", range(6))
def test_more_rows_of_a_source_leave_the_others_unchanged(source):
    X, y = problem().sources[source](40)
    more_X, more_y = problem(rows=70, sources=9).sources[source](60)

    np.testing.assert_array_equal(X, more_X[:40])
    np.testing.assert_allclose(y, more_y[:40], atol=ROUNDING)


@pytest.mark.parametrize("source", [None, *range(6)])
def test_rows_follow_their_distributions(source):
    simulated = problem(rows=4000)
    if source is None:
        X, y = simulated.X, simulated.y
        low, high = -1, 1
        weights = simulated.beta
    else:
        X, y = simulated.sources[source](4000)
        low, high = simulated.ranges[source]
        weights = simulated.beta - simulated.contrasts[source]

    uniform = stats.kstest(X.ravel(), stats.uniform(low, high - low).cdf)
    normal = stats.kstest(y - X @ weights, stats.norm(0, LABEL_SD).cdf)

    assert -1 <= low < -0.5 < 0.5 < high <= 1
    assert uniform.pvalue > LEAST_P_VALUE
    assert normal.pvalue > LEAST_P_VALUE


def test_excess_risk_is_that_of_fresh_rows():
    simulated = problem(rows=4000)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=20)
    X = rng.uniform(-1, 1, (400_000, 20))

    risk = simulated.risk(weights)

    assert risk == pytest.approx(np.square(X @ (weights - simulated.beta)).mean(), rel=CHANCE)
