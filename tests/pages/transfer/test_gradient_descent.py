"""Gradient descent on the private rows alone: its minimum, sensitivity and noise."""

from dataclasses import replace

import dp_accounting as dp
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from sklearn.linear_model import Lasso

from dpcore.privacy import Adjacency
from dpcore.regression.descent import Descent, Rows
from pages.transfer import gradient_descent, tasks
from pages.transfer.model import CANDIDATES
from pages.transfer.settings import TransferSettings

# Where many steps of the descent end.
CONVERGENCE = 1e-8
# The other accountant counts on a coarse grid.
GRID_ERROR = 0.05

SETTINGS = TransferSettings(target_rows=200, dimension=20, sources=1, repeats=4)
# A descent that nothing clips, and that arrives at its minimum.
LONG_DESCENT = Descent(steps=3000, radius=9.0, norm="l1", rate=1.0, momentum=0.0, clip_norm=1e3)


def fit_without_noise(descent: Descent, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights (d,) of a descent without noise."""
    noise = np.zeros((1, descent.steps * X.shape[1]))
    fit = descent.fit(Rows.of(X, y), noise, np.array([1.0]))
    return fit.weights[0, 0]


def sparse_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return rows X (60, 8), y (60,) of which three coefficients are not 0."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 8))
    coefficients = np.where(np.arange(8) < 3, 0.6, 0.0)
    return X, X @ coefficients + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("penalty", [0.02, 0.2, 2.0])
def test_descent_with_an_l1_penalty_ends_at_the_lasso(penalty):
    X, y = sparse_rows()
    lasso = Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(X, y)

    weights = fit_without_noise(replace(LONG_DESCENT, lasso=penalty), X, y)

    np.testing.assert_allclose(weights, lasso.coef_, atol=CONVERGENCE)


@pytest.mark.parametrize("penalty", [0.02, 0.2, 2.0])
def test_descent_in_the_ball_of_the_lasso_ends_at_the_lasso(penalty):
    X, y = sparse_rows()
    lasso = Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(X, y)
    radius = max(float(np.abs(lasso.coef_).sum()), 1e-9)

    weights = fit_without_noise(replace(LONG_DESCENT, radius=radius), X, y)

    np.testing.assert_allclose(weights, lasso.coef_, atol=CONVERGENCE)


def test_descent_with_an_l2_penalty_ends_at_the_ridge_regression():
    X, y = sparse_rows()
    ridge = np.linalg.solve(X.T @ X / len(X) + 0.3 * np.eye(8), X.T @ y / len(X))

    weights = fit_without_noise(replace(LONG_DESCENT, ridge=0.3), X, y)

    np.testing.assert_allclose(weights, ridge, atol=CONVERGENCE)


def test_sensitivity_of_the_mean_gradient_is_tight():
    """One step from 0 moves the weights by the mean gradient. Neighbours differ in one row."""
    rng = np.random.default_rng(1)
    rows = 5
    dimension = 40
    clip_norm = gradient_descent.descent_for(SETTINGS.change(dimension=dimension).model).clip_norm
    step = Descent(steps=1, radius=1e9, momentum=0.0, rate=1.0, clip_norm=clip_norm)
    largest = 0.0
    for case in range(200):
        X = rng.uniform(-1, 1, (rows, dimension))
        y = rng.normal(size=rows)
        other_X = X.copy()
        other_y = y.copy()
        if case % 2:
            X[0], other_X[0] = rng.choice([-1.0, 1.0], (2, dimension))
        else:
            X[0], other_X[0] = rng.uniform(-1, 1, (2, dimension))
        if case % 3:  # only the label changes
            other_X[0] = X[0]
        other_y[0] = -10 * np.sign(y[0])
        change = fit_without_noise(step, X, y) - fit_without_noise(step, other_X, other_y)
        largest = max(largest, float(np.linalg.norm(change)))

    claimed = 2 * clip_norm / rows
    assert 0.95 * claimed < largest <= claimed * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 50.0])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_noise_of_the_descent_agrees_with_an_independent_accountant(epsilon, adjacency):
    settings = SETTINGS.change(epsilon=epsilon, adjacency=str(adjacency), repeats=2)
    model = settings.model
    descent = gradient_descent.descent_for(model)
    # With labels of 0 there is no gradient, and one step from 0 moves each weight by its noise.
    without_gradient = replace(model.data.problem, y=np.zeros(200))
    one_step = replace(descent, steps=1, radius=1e9, lasso=0.0, ridge=0.0)

    weights = gradient_descent.fit_weights(model, one_step, without_gradient, epsilon, range(400))

    noise_sd = weights.std() / descent.rate
    sensitivity = adjacency.contributions * descent.clip_norm / 200
    accountant = PLDAccountant().compose(dp.GaussianDpEvent(noise_sd / sensitivity))
    assert accountant.get_epsilon(settings.delta) == pytest.approx(epsilon, rel=GRID_ERROR)


def test_no_page_waits_for_the_descent():
    tasks_of_descent = [
        task
        for task in SETTINGS.experiment.tasks()
        if getattr(task, "work", None) is gradient_descent.fit_risks
    ]

    assert len(tasks_of_descent) == 1
    assert not tasks_of_descent[0].essential


@pytest.mark.parametrize(
    ("dimension", "epsilon", "is_ahead"),
    [
        pytest.param(500, 50.0, True, id="many coefficients, little noise"),
        pytest.param(500, 10.0, False, id="many coefficients, more noise"),
        pytest.param(20, 10.0, False, id="few coefficients"),
    ],
)
def test_frank_wolfe_is_ahead_with_many_coefficients_and_little_noise(dimension, epsilon, is_ahead):
    settings = TransferSettings(target_rows=200, dimension=dimension, sources=1)
    repeats = range(8)

    risks = tasks.risks(settings.model, (epsilon,), repeats)
    frank_wolfe = risks[CANDIDATES.index("target"), 0]
    descent = gradient_descent.fit_risks(settings.model, (epsilon,), repeats)

    assert (np.median(frank_wolfe) < np.median(descent)) == is_ahead
