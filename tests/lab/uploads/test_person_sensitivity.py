"""How far all rows of a person move what a regression releases, by brute force: no further than
its noise is for, and not much less.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimators.linear import mechanism
from dpcore.regression import functional
from dpcore.regression.descent import Rows
from dpcore.regression.least_squares import Statistics

EPSILON_ONE = np.array([1.0])
ONE_STEP = {"steps": 1, "rate": 1.0, "radius": 1e9, "clip_norm": 0.4}

every_shape = pytest.mark.parametrize(
    ("d", "rows_each", "gaps"), [*itertools.product([1, 2], [1, 2, 3], [False, True])]
)
some_rows_each = pytest.mark.parametrize("rows_each", [1, 3])


def corners(d, *, gaps):
    """Return all corners of the box of a row, with middles, and a missing row where there may be
    gaps.
    """
    complete = [*itertools.product([1.0], *[[-1.0, 0.0, 1.0]] * d, [-1.0, 1.0])]
    missing = (0.0,) * (d + 2)
    return [*complete, missing] if gaps else complete


def released_numbers(way, statistics, noise):
    """Return the sums that the mechanism publishes with this noise, as one list of numbers."""
    fit = way.fit(statistics, noise[None], EPSILON_ONE)
    return np.concatenate([fit.gram[0, 0].ravel(), fit.moment[0, 0]])


def in_units_of_noise(way, statistics):
    """Return what the noise is put on, in units in which it is the same on each: found by switching
    it on, one draw a time.
    """
    width = len(way.draws(statistics.inputs, np.random.default_rng(0)))
    quiet = released_numbers(way, statistics, np.zeros(width))
    found = []
    for draw in np.eye(width):
        step = released_numbers(way, statistics, draw) - quiet
        entry = int(np.abs(step).argmax())
        if step[entry] != 0:
            found.append(quiet[entry] / step[entry])
    return found


def largest_move(way, *, d, rows_each, gaps, norm):
    """Return the largest distance of two releases in which all rows of a person differ: sums over
    equal rows are the worst.
    """
    others = [[1.0] * (d + 2), [1.0, *[-1.0] * d, 0.5]]
    releases = []
    for corner in corners(d, gaps=gaps):
        rows = np.array([*others, *[corner] * rows_each])
        statistics = Statistics.of(rows[:, :-1], rows[:, -1])
        releases.append(in_units_of_noise(way, replace(statistics, rows=len(rows))))
    differences = np.array(releases)[:, None] - np.array(releases)
    return np.linalg.norm(differences, norm, axis=-1).max()


@every_shape
def test_the_functional_mechanism_has_noise_for_its_largest_move(d, rows_each, gaps):
    way = functional.Functional(rows_each=rows_each, gaps=gaps)

    moved = largest_move(way, d=d, rows_each=rows_each, gaps=gaps, norm=1)

    assert 0.9 < moved <= 1 + 1e-9


@every_shape
def test_gaussian_statistics_have_noise_for_their_largest_move(d, rows_each, gaps):
    way = mechanism("gaussian", delta=1e-5, rows_each=rows_each, gaps=gaps)
    mu = 1 / way.event(1.0).noise_multiplier

    moved = largest_move(way, d=d, rows_each=rows_each, gaps=gaps, norm=2)

    assert 0.85 * mu < moved <= mu * (1 + 1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("weight", [0.2, 1.0, 1.7])
def test_a_row_that_goes_missing_moves_the_triangle_by_its_own_sensitivity(d, weight):
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=d + 1)))
    y = corners[:, -1]
    X = np.column_stack([np.ones(len(corners)), corners[:, :-1]])
    rows_of_triangle, columns_of_triangle = np.triu_indices(d + 1)
    triangle = X[:, rows_of_triangle] * X[:, columns_of_triangle]
    moment = X * y[:, None]

    moves = np.abs(triangle).sum(axis=1) + weight * np.abs(moment).sum(axis=1)

    claimed = functional.missing_triangle_sensitivity(d + 1, weight)
    assert moves.max() == pytest.approx(claimed)


def neighbours(rows_each, rng):
    """Return rows (X, y) and their neighbour, which differ in one person.

    The person's rows are missing, have the opposite label, or are replaced.
    """
    n = 5 + rows_each
    p = 3
    X = np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, p - 1))])
    y = rng.choice([-1.0, 1.0], n)
    changed_X = X.copy()
    changed_y = y.copy()
    of_person = slice(rows_each)
    case = rng.choice(["missing", "opposite", "replaced"])
    if case == "missing":
        changed_X[of_person] = 0
        changed_y[of_person] = 0
    elif case == "opposite":
        # All rows of the person are alike.
        X[of_person] = X[0]
        changed_X[of_person] = X[0]
        y[of_person] = y[0]
        changed_y[of_person] = -y[0]
    else:
        changed_X[of_person, 1:] = rng.uniform(-1, 1, (rows_each, p - 1))
    return (X, y), (changed_X, changed_y)


def largest_distance(of, *, rows_each):
    """Return the largest distance of a number or vector of the rows, over 400 pairs of neighbours."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        one, other = neighbours(rows_each, rng)
        found.append(np.linalg.norm(of(*one) - of(*other)))
    return max(found)


@some_rows_each
def test_no_neighbour_moves_the_optimum_further_than_its_sensitivity(rows_each):
    way = mechanism("output", penalty=40.0, rows_each=rows_each)

    def optimum(X, y):
        """Return the optimum without noise, (3,)."""
        return way.fit(Statistics.of(X, y), np.zeros((1, 3)), EPSILON_ONE).weights[0, 0]

    moved = largest_distance(optimum, rows_each=rows_each)

    sensitivity = way.l2_sensitivity(40.0, inputs=3, rows=5 + rows_each)
    assert 0.5 < moved / sensitivity <= 1 + 1e-9


@some_rows_each
def test_no_neighbour_moves_a_gradient_further_than_its_sensitivity(rows_each):
    way = mechanism("descent", **ONE_STEP, rows_each=rows_each)

    def after_a_step(X, y):
        """Return the weights after one step without noise, (3,)."""
        return way.fit(Rows.of(X, y), np.zeros((1, 3)), EPSILON_ONE).weights[0, 0]

    moved = largest_distance(after_a_step, rows_each=rows_each)

    sensitivity = 2 * rows_each * 0.4 / (5 + rows_each)
    assert 0.5 < moved / sensitivity <= 1 + 1e-9


@some_rows_each
def test_no_neighbour_moves_the_least_eigenvalue_further_than_its_sensitivity(rows_each):
    def least_eigenvalue(X, y):
        """Return the least eigenvalue of X^T X."""
        return np.linalg.eigvalsh(Statistics.of(X, y).gram)[0]

    assert largest_distance(least_eigenvalue, rows_each=rows_each) <= 3 * rows_each * (1 + 1e-9)


@some_rows_each
def test_the_noise_of_a_gradient_is_for_all_rows_of_a_person(rows_each):
    (X, y), _ = neighbours(rows_each, np.random.default_rng(0))
    noise = np.stack([np.zeros(3), np.ones(3)])

    def noise_of_a_step(k):
        """Return what one draw of standard noise does in a step where a person has k rows."""
        way = mechanism("descent", **ONE_STEP, rows_each=k)
        quiet, noisy = way.fit(Rows.of(X, y), noise, EPSILON_ONE).weights[0]
        return noisy - quiet

    np.testing.assert_allclose(noise_of_a_step(rows_each), rows_each * noise_of_a_step(1))
