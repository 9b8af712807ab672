"""The published table: its loop, what its numbers are, and the cost of the printed noise."""

import math

import numpy as np
import pytest

from dpcore.accountants import account, zcdp
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import frank_wolfe as fw
from pages.transfer.model import printed_epsilon
from pages.transfer.published import (
    EPOCHS,
    PUBLISHED,
    PublishedTable,
    TableRow,
    run_loop,
    run_noisy_loop,
)

# Double precision: both sum the same numbers in another order.
ROUNDING = 1e-9
# The value of some noisy runs scatters by less.
CHANCE = 0.05
# The published value has three decimals.
PUBLISHED_DIGITS = 0.002
# Costs are given with two or three digits.
TWO_DIGITS = 0.01

ROWS = (5, 15, 25)


def run_plain_loop(rows: int, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """Return a (2,) and b of one run, computed row by row.

    noise: two draws of scale 1 per epoch, (epochs, 2).
    """
    a = np.zeros(2)
    b = 0.0
    for draws in noise:
        a_gradient = a.mean() * draws
        b_gradient = 0.0
        for i in range(1, rows + 1):
            residual = a.sum() * i + b - (2 * i + 1)
            a_gradient = (a_gradient + 2 * residual * i + 0.1 * a) / rows
            b_gradient = (b_gradient + 2 * residual) / rows
            a = a - 1e-4 * a_gradient
            b = b - 1e-4 * b_gradient
    return a, b


def mean_squared_error(a: np.ndarray, b: float, rows: int) -> float:
    """Return the mean squared error of a (2,) and b at i = 1 to ``rows``, with labels 2i + 1."""
    errors = [(a.sum() * i + b - 2 * i - 1) ** 2 for i in range(1, rows + 1)]
    return float(np.mean(errors))


# The loop


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("run", range(3))
def test_noisy_runs_equal_the_plain_loop(run, rows):
    generator = stream(7, "noise", rows)
    noise = np.array([generator.laplace(size=(3, 2)) for _ in range(EPOCHS)])
    a, b = run_plain_loop(rows, noise[:, run])

    fits = run_noisy_loop(rows, runs=3, seed=7)

    np.testing.assert_allclose([*fits.a[run], fits.b[run]], [*a, b], rtol=ROUNDING)
    printed = mean_squared_error(a, b, rows) + 0.1 * np.abs(a).sum()
    assert fits.printed[run] == pytest.approx(printed)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("epochs", [1, 160])
def test_runs_without_noise_equal_the_plain_loop(epochs, rows):
    a, b = run_plain_loop(rows, np.zeros((epochs, 2)))

    fits = run_loop(rows, epochs)

    np.testing.assert_allclose([*fits.a[0], fits.b[0]], [*a, b], rtol=ROUNDING)


# The table


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_printed_value_of_the_loop_is_the_published_one(migrated):
    numbers = TableRow(migrated=migrated).run()

    assert numbers["value"] == pytest.approx(PUBLISHED[migrated], abs=CHANCE)


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_printed_value_is_training_error_plus_penalty(migrated):
    rows = 5 + migrated
    fits = run_noisy_loop(rows)
    x = np.arange(1, rows + 1)
    residuals = fits.a.sum(axis=1)[:, None] * x + fits.b[:, None] - (2 * x + 1)
    error = np.square(residuals).mean()

    numbers = TableRow(migrated=migrated).run()

    assert numbers["training MSE"] == pytest.approx(error)
    assert numbers["training SSE"] == pytest.approx(rows * error)
    assert numbers["value"] == pytest.approx(error + 0.1 * np.abs(fits.a).sum(axis=1).mean())


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_printed_value_is_precise_with_many_runs(migrated):
    fits = run_noisy_loop(5 + migrated, runs=4000, seed=1)

    assert fits.printed.mean() == pytest.approx(PUBLISHED[migrated], abs=PUBLISHED_DIGITS)


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_printed_value_is_precise_without_noise(migrated):
    """The scale of the noise is 0 in the first epoch and read off the fit later."""
    fits = run_loop(5 + migrated, EPOCHS)

    assert fits.printed[0] == pytest.approx(PUBLISHED[migrated], abs=PUBLISHED_DIGITS)


@pytest.mark.parametrize("name", ["training SSE", "training MSE"])
@pytest.mark.parametrize("migrated", PUBLISHED)
def test_published_value_is_no_other_number(migrated, name):
    numbers = TableRow(migrated=migrated).run()

    assert abs(numbers[name] - PUBLISHED[migrated]) > 0.04


def test_more_passes_over_the_same_rows_print_as_little_as_more_rows():
    control = TableRow(migrated=0, epochs=1600, noisy=False).run()

    assert control["value"] < PUBLISHED[20]


def test_frame_has_all_rows_before_their_numbers_are_computed():
    first_row, *later_rows = PublishedTable.tasks

    frame = PublishedTable().gather({first_row: first_row.run()})

    assert len(frame) == len(PublishedTable.tasks)
    assert frame["value"].notna().tolist() == [True] + [False] * len(later_rows)
    assert frame["published"].dropna().tolist() == list(PUBLISHED.values())


# The printed noise, for 100 steps and delta = 1e-6


COSTS = [
    pytest.param(Adjacency.ADD_REMOVE, "laplace", 1.0, 1.04, id="Laplace, add/remove, 1"),
    pytest.param(Adjacency.ADD_REMOVE, "laplace", 4.0, 4.60, id="Laplace, add/remove, 4"),
    pytest.param(Adjacency.REPLACE_ONE, "laplace", 1.0, 2.15, id="Laplace, replace-one, 1"),
    pytest.param(Adjacency.REPLACE_ONE, "laplace", 4.0, 10.5, id="Laplace, replace-one, 4"),
    pytest.param(Adjacency.REPLACE_ONE, "gumbel", 1.0, 1.02, id="Gumbel, replace-one, 1"),
    pytest.param(Adjacency.REPLACE_ONE, "gumbel", 4.0, 4.29, id="Gumbel, replace-one, 4"),
]


@pytest.mark.parametrize(("adjacency", "noise", "nominal", "cost"), COSTS)
def test_printed_noise_costs_more_than_its_nominal_epsilon(adjacency, noise, nominal, cost):
    selection = printed_epsilon(nominal, delta=1e-6, steps=100, adjacency=adjacency)
    event = fw.event(selection, steps=100, noise=noise)

    if noise == "laplace":
        guarantee = account(event, delta=1e-6, adjacency=adjacency, accountant="advanced")
        epsilon = guarantee.epsilon
    else:
        epsilon = zcdp.classic_epsilon(zcdp.rho_of_event(event), delta=1e-6)

    assert epsilon == pytest.approx(cost, rel=TWO_DIGITS)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("nominal", [1.0, 4.0])
def test_printed_scale_is_its_formula(nominal, adjacency):
    selection = printed_epsilon(nominal, delta=1e-6, steps=100, adjacency=adjacency)
    sensitivity = fw.score_sensitivity(1.5, residual_bound=2.0, rows=300, adjacency=adjacency)

    scale = fw.noise_scale(selection, sensitivity=sensitivity)

    formula = 2.0 * 1.5 * math.sqrt(8 * 100 * math.log(1e6)) / (300 * nominal)
    assert scale == pytest.approx(formula)
