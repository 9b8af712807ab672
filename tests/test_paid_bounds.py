"""Bounds that are paid for: what one row can do to them, what comes out, what it costs, and who counts it."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.data import paid_bounds
from dpcore.data.paid_bounds import BINS, EDGES, Payment
from lab.files import own_rows
from lab.files.own_rows import Column
from tests.own_files import CLASSES, frame, table_of

# Cells that a column may have: ends of bins, both sides of them, zero, what is missing and what lies far out.
CELLS = (-math.inf, -1e12, -3.0, -2.0, -1e-9, 0.0, 1e-9, 1.0, 2.0, 2.1, 1e12, math.inf, math.nan)


def test_one_row_for_another_moves_two_bins_by_one_and_one_that_comes_moves_one():
    def moved(one, other):
        return np.abs(paid_bounds.histogram(np.array(one)) - paid_bounds.histogram(np.array(other))).sum()

    for first, second, other in itertools.product(CELLS, repeat=3):
        assert moved([first, second], [first, other]) <= paid_bounds.mechanism(1.0).sensitivity
        assert moved([first, second], [first, second, other]) <= 1
    assert paid_bounds.mechanism(0.5).scale == 4


@pytest.mark.parametrize("cell", CELLS[:-1])
def test_each_number_has_the_bin_that_it_lies_in(cell):
    (place,) = np.flatnonzero(paid_bounds.histogram(np.array([cell])))
    low, high = EDGES[place], EDGES[place + 1]
    inside = low < cell <= high if cell else low == 0
    assert inside or (place in (0, BINS - 1) and abs(cell) > EDGES[-1])


def test_the_threshold_is_where_the_largest_of_so_many_draws_lies_one_time_in_a_thousand():
    for epsilon in (0.05, 0.2, 1.0):
        law = stats.laplace(scale=2 / epsilon)
        assert law.cdf(paid_bounds.threshold(epsilon)) ** BINS == pytest.approx(0.999, abs=1e-9)
        missed = law.cdf(paid_bounds.threshold(epsilon) - paid_bounds.surely_seen(epsilon))
        assert missed == pytest.approx(0.0005)


def test_bounds_hold_nearly_all_rows_and_are_the_outermost_bins():
    rng, epsilon = np.random.default_rng(1), 0.1
    values = rng.uniform(18, 90, 100_000)
    values[:3] = 1e6, 5e7, -4e8
    found = [paid_bounds.bounds(values, epsilon=epsilon, rng=rng) for _ in range(200)]
    assert set(found) == {(16.0, 128.0)}
    nobody = np.full(100_000, np.nan)
    assert sum(paid_bounds.bounds(nobody, epsilon=epsilon, rng=rng) is not None for _ in range(1000)) <= 5
    with pytest.raises(check.RefusedError, match="at least 70,"):
        paid_bounds.bounds(np.arange(3000.0), epsilon=0.1, rng=rng)
    assert paid_bounds.least_rows(0.07) == pytest.approx(1e5, rel=0.01)
    epsilon = 0.5
    for _ in range(50):  # the outermost bins by a plain loop
        counts = rng.laplace(scale=4.0, size=BINS) + rng.choice([0, 60], BINS, p=[0.95, 0.05])
        inhabited = [place for place in range(BINS) if counts[place] > paid_bounds.threshold(epsilon)]
        plain_loop = (EDGES[inhabited[0]], EDGES[inhabited[-1] + 1]) if inhabited else None
        assert paid_bounds.outermost(counts, epsilon=epsilon) == plain_loop


def paid(*payments: float, by: str = "", person: str = ""):
    payments = tuple(Payment(epsilon=epsilon, person=by) for epsilon in payments)
    bought = Column(name="hours", low=0, high=16, paid=0.1)
    chosen = replace(CLASSES, columns=(bought, *CLASSES.columns[:1]), payments=payments, person=person)
    return own_rows.choose(table_of(frame(1000, people=1000)), chosen)


def test_buying_draws_anew_and_payments_for_rows_protect_no_person(monkeypatch):
    with pytest.raises(check.RefusedError, match="before it was said who a person is"):
        paid(0.1, person="who")
    assert paid(0.1, by="who", person="who").roles.spent == 0.1
    assert paid(0.1, by="who").roles.spent == 0.1
    table, column = table_of(frame(1000)), Column(name="hours")
    with pytest.raises(check.RefusedError, match="at least"):
        own_rows.buy(table, column, epsilon=0.1)
    drawn = []
    monkeypatch.setattr(paid_bounds, "bounds", lambda values, *, epsilon, rng: drawn.append((values, rng.random())))
    assert own_rows.buy(table, column, epsilon=0.1) == replace(column, paid=0.1)
    own_rows.buy(table, column, epsilon=0.1, person="plan")
    (rows, once), (people, again) = drawn
    assert (len(rows), len(people)) == (1000, 3)
    assert once != again
