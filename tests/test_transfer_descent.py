"""Noisy descent beside the walk of the transfer page: its minimum, what a row moves, and what it promises."""

import dp_accounting as dp
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from sklearn.linear_model import Lasso

from dpcore.privacy import Adjacency
from dpcore.regression import perturbed
from dpcore.regression.least_squares import Statistics
from pages.transfer import descent
from pages.transfer.experiment import TransferSettings

HOW = {"steps": 3000, "radius": 9.0, "norm": "l1", "rate": 1.0, "momentum": 0.0, "clip_norm": 1e3}
SMALL = TransferSettings(target_rows=200, dimension=20, sources=1, repeats=4)


def rows_of(n: int = 60, d: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, d))
    return X, X @ np.where(np.arange(d) < 3, 0.6, 0.0) + 0.1 * rng.normal(size=n)


def quiet(way: perturbed.Descent, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(d,) of rows without noise."""
    noise = np.zeros((1, way.steps * X.shape[1]))
    return way.fit(Statistics.of(X, y), noise, np.array([1.0]), rows=(X, y)).weights[0, 0]


class TestWithoutNoise:
    def test_the_nearest_point_of_the_diamond(self):
        rng, outside = np.random.default_rng(0), 0
        for _ in range(300):
            w = rng.normal(size=5) * rng.uniform(0.1, 2)
            found = perturbed.in_diamond(w, 1.0)
            assert np.abs(found).sum() <= 1 + 1e-12
            corners = np.vstack([np.eye(5), -np.eye(5)])  # all lie on the far side of the plane through it
            assert ((corners - found) @ (w - found) <= 1e-12).all()
            outside += np.abs(w).sum() > 1
            assert np.abs(w).sum() > 1 or np.array_equal(found, w)
        assert 50 < outside < 300

    @pytest.mark.parametrize("penalty", [0.02, 0.2, 2.0])
    def test_with_an_l1_penalty_it_ends_at_the_lasso(self, penalty):
        X, y = rows_of()
        lasso = Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(X, y).coef_
        np.testing.assert_allclose(quiet(perturbed.Descent(**HOW, lasso=penalty), X, y), lasso, atol=1e-8)

        # With the radius of the Lasso's answer a ball without a penalty has the same minimum.
        ball = perturbed.Descent(**HOW | {"radius": max(float(np.abs(lasso).sum()), 1e-9)})
        np.testing.assert_allclose(quiet(ball, X, y), lasso, atol=1e-8)

    def test_with_a_squared_penalty_it_ends_at_the_ridge(self):
        X, y = rows_of()
        ridge = np.linalg.solve(X.T @ X / len(X) + 0.3 * np.eye(8), X.T @ y / len(X))
        np.testing.assert_allclose(quiet(perturbed.Descent(**HOW, ridge=0.3), X, y), ridge, atol=1e-8)


def test_no_neighbour_moves_a_mean_gradient_further_than_its_noise_is_made_for():
    """One step from anywhere, undone to its gradient: replaced rows, corners of the box and worse labels among them."""
    rng, furthest, n, d = np.random.default_rng(1), 0.0, 5, 40
    model = SMALL.change(dimension=d).model
    clip = descent.way(model).clip_norm
    way = perturbed.Descent(steps=1, radius=1e9, momentum=0.0, rate=1.0, clip_norm=clip)
    for case in range(200):
        X, y = rng.uniform(-1, 1, (n, d)), rng.normal(size=n)
        Z, z = X.copy(), y.copy()
        X[0], Z[0] = rng.choice([-1.0, 1.0], (2, d)) if case % 2 else rng.uniform(-1, 1, (2, d))
        Z[0] = X[0] if case % 3 else Z[0]
        z[0] = -10 * np.sign(y[0])
        furthest = max(furthest, np.linalg.norm(quiet(way, X, y) - quiet(way, Z, z)) / (2 * clip / n))
    assert 0.95 < furthest <= 1 + 1e-12


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 50.0])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_its_promise_is_that_of_an_independent_accountant(epsilon, adjacency):
    settings = SMALL.change(epsilon=epsilon, adjacency=str(adjacency))
    held = descent.guarantee(settings.model.claim, epsilon)
    assert (held.adjacency, held.delta) == (adjacency, settings.delta)
    assert held.epsilon == pytest.approx(epsilon, rel=1e-6)
    # Noise on a number, in units of how far a row moves the mean gradient
    clip, moves = 0.2 * (20 / 3) ** 0.5, adjacency.contributions
    multiplier = descent.noise_sd(settings.model, epsilon) / (moves * clip / 200)
    accountant = PLDAccountant().compose(dp.GaussianDpEvent(multiplier), descent.STEPS)
    assert accountant.get_epsilon(settings.delta) == pytest.approx(epsilon, rel=2e-3)


def test_today_s_walk_is_the_page_s_own():
    wanted = [one for one in SMALL.tasks() if one.essential or getattr(one, "work", None) is descent.beside]
    assert not any(one.essential for one in wanted if one.work is descent.beside)
    result = SMALL.result({task: task.run() for task in wanted})
    today = result.alone[20]
    np.testing.assert_allclose(today.walk, result.focus.risk[0], rtol=1e-4)
    assert (today.plain, today.nothing) == pytest.approx((result.focus.least_squares, result.nothing_learnt))


def test_many_coefficients_and_little_noise_are_what_the_walk_is_for():
    """At 500 and epsilon 50 it is ahead, with 20 or at epsilon 10 it is not."""
    for d, epsilon, ahead in ((500, 50.0, True), (500, 10.0, False), (20, 10.0, False)):
        settings = TransferSettings(target_rows=200, dimension=d, sources=1, epsilon=epsilon, repeats=8)
        walk, other = descent.beside(settings.model, (epsilon,), range(8)).medians
        assert (walk < other) == ahead
