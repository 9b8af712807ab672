"""Noisy Frank-Wolfe: the plain loop, optima of other solvers, sensitivities by brute force, noise
and its price.
"""

import numpy as np
import pytest
from scipy import stats
from sklearn import linear_model

from dpcore import check
from dpcore.mechanisms import NoisyMax
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball
from dpcore.training.residual_gradients import Pooled
from lab.models.non_private import penalised_least_squares
from tests.frank_wolfe_oracles import PENTAGON, gradient, plain_loop, problem
from tests.oracles import LAWS, win_probabilities


def ball(penalty):
    return L1Ball(dimension=2, radius=1.3, penalty=penalty)


@pytest.mark.parametrize("noise", fw.NOISES)
@pytest.mark.parametrize(
    ("polytope", "ridge"), [(PENTAGON, 0.0), (ball(0.0), 0.0), (ball(0.3), 0.0), (ball(0.1), 0.4)]
)
def test_the_batch_is_the_plain_loop(polytope, ridge, noise):
    X, y = problem(d=2)
    centres = np.array([[0.2, -0.1], [0.0, 0.0], [-0.3, 0.4]])
    options = {
        "residual_bound": 0.6,
        "seed": 5,
        "noise": noise,
        "part": 2,
        "dtype": np.float64,
        "ridge": ridge,
    }
    penalties = {"ridge": ridge, "lasso": getattr(polytope, "penalty", 0)}
    lengths, scales = np.array([7, 12, 3]), np.array([0.02, 0.1, 0.05])
    batch = {
        "steps": lengths,
        "scale": scales,
        "draws": [4, 4, 9],
        "centre": centres,
        "keep_points": True,
    }
    walk = fw.noisy_frank_wolfe(X, y, polytope=polytope, **batch, **options)
    for m, draw in enumerate([4, 4, 9]):
        own = {
            "steps": lengths[m],
            "scale": scales[m],
            "bound": 0.6,
            "noise": noise,
            "seed": 5,
            "part": 2,
        }
        w, chosen = plain_loop(X, y, polytope, draw=draw, centre=centres[m], **own, **penalties)
        np.testing.assert_allclose(walk.weights[m], w, atol=1e-12)
        assert list(walk.choices[: lengths[m], m]) == chosen
        assert (walk.choices[lengths[m] :, m] == -1).all()
        assert walk.sparsity()[m] == len(set(chosen))
        assert walk.sparsity(centre=4)[m] == len(set(chosen) - {4})
        np.testing.assert_allclose(walk.points[[0, -1], m], [centres[m], w], atol=1e-12)
    one = options | {
        "steps": 12,
        "scale": 0.1,
        "draws": [4],
        "centre": centres[1],
        "dtype": np.float32,
    }
    single = fw.noisy_frank_wolfe(X, y, polytope=polytope, **one)
    np.testing.assert_allclose(single.weights[0], walk.weights[1], atol=2e-3)


def test_pooled_rows_are_counted_as_rows():
    (X, y), (Z, z), ball = problem(d=3), problem(40, 3, seed=1), L1Ball(dimension=3, radius=1.0)
    how, centres = (
        {"steps": 9, "scale": 0.03, "seed": 1},
        np.array([[0.1, 0.2, 0.0], [0.0, 0.3, 0.1]]),
    )
    options = {"residual_bound": 0.5, "draws": [0, 1], "centre": centres, "dtype": np.float64}
    pots = [
        Pooled(gram=np.array([Z.T @ Z] * m), moment=np.array([Z.T @ z] * m), rows=np.full(m, 40))
        for m in (1, 2)
    ]
    shared, own = (
        fw.noisy_frank_wolfe(X, y, polytope=ball, pooled=pot, **how, **options) for pot in pots
    )
    np.testing.assert_array_equal(shared.weights, own.weights)
    for m in range(2):
        w, chosen = plain_loop(
            X, y, ball, bound=0.5, noise="gumbel", draw=m, centre=centres[m], pot=(Z, z), **how
        )
        assert list(own.choices[:, m]) == chosen
        np.testing.assert_allclose(own.weights[m], w, atol=1e-12)


@pytest.mark.parametrize(("q", "penalty"), [("1", 0.02), ("1", 0.1), ("2", 0.02), ("2", 0.5)])
def test_without_noise_it_is_the_lasso_or_ridge_and_a_large_penalty_leaves_the_centre(q, penalty):
    """(1/n) sum r^2 + lambda ||w - c||_q; Lasso's alpha is lambda/2, Ridge's n lambda."""
    rng, n, d, lasso = np.random.default_rng(3), 200, 12, q == "1"
    X, truth = rng.uniform(-1, 1, (n, d)), np.zeros(d)
    truth[:3] = 0.8, -0.4, 0.15
    y = X @ truth + 0.2 * rng.normal(size=n)
    solvers = {
        "1": linear_model.Lasso(penalty / 2, tol=1e-10),
        "2": linear_model.Ridge(n * penalty, tol=1e-12),
    }
    best = solvers[q].set_params(fit_intercept=False).fit(X, y).coef_

    def walked(lasso, **how):
        options = {
            "scale": 0,
            "residual_bound": np.inf,
            "seed": 0,
            "draws": [0],
            "dtype": np.float64,
            **how,
        }
        ball = L1Ball(dimension=d, radius=2.0, penalty=lasso)
        return fw.noisy_frank_wolfe(X, y, polytope=ball, **options).weights[0]

    found = walked(penalty if lasso else 0.0, ridge=0.0 if lasso else penalty, steps=10_000)
    risks = [
        np.square(y - X @ w).mean() + penalty * (np.abs(w) ** int(q)).sum() for w in (found, best)
    ]
    assert -1e-9 <= risks[0] - risks[1] < (5e-6 if lasso else 1e-6)
    reference = penalised_least_squares(X, y, penalty=penalty, q=q)
    np.testing.assert_allclose(reference, best, atol=1e-4 if lasso else 1e-9)
    centre = np.linspace(-0.3, 0.3, d)
    np.testing.assert_array_equal(walked(5.0, steps=50, centre=centre), centre)


def test_more_signal_more_steps_within_limits():
    def steps(rows=1000, rho=0.02, radius=1.0):
        return fw.steps_for(rows=rows, rho=rho, radius=radius, residual_bound=1.0, vertices=40)

    assert steps(rows=100, rho=1e-6) == fw.LEAST_STEPS < steps(rows=5000)
    assert steps(rows=5000) < steps(rows=5000, rho=0.1) < fw.MOST_STEPS == steps(rows=10**6, rho=10)
    assert steps(radius=0.2) <= steps(radius=2.0)


BAD = {
    "steps": (0, 2.5, True),
    "scale": (-1.0, np.nan, "much", [0.1, 0.1]),
    "residual_bound": (np.nan, "R"),
    "centre": (np.full(3, np.nan), np.zeros(2)),
    "y": (np.full(60, np.nan), np.full(60, "a")),
    "X": (np.full((60, 3), 1.5),),
    "polytope": (L1Ball(dimension=2, radius=1),),
    "noise": ("normal",),
    "draws": ([0.5],),
    "ridge": (-0.1,),
}


def test_bad_arguments_are_refused():
    X, y = problem()
    good = {
        "polytope": L1Ball(dimension=3, radius=1),
        "steps": 3,
        "scale": 0.1,
        "residual_bound": 1.0,
    }
    for name, value in ((name, value) for name, values in BAD.items() for value in values):
        with pytest.raises(check.RefusedError):
            fw.noisy_frank_wolfe(**{"X": X, "y": y, "seed": 0, "draws": [0]} | good | {name: value})


REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


BALLS = [L1Ball(dimension=d, radius=1.7, penalty=0.4 if d == 3 else 0.0) for d in (1, 2, 3, 5)]


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("polytope", [*BALLS, PENTAGON])
def test_no_neighbour_moves_a_score_further_and_some_do_as_far(polytope, adjacency):
    """A penalty moves none: the centre's score is always 0, and the public point w is the same."""
    d, n, bound, worst, widest = polytope.dimension, 7, 0.8, 0.0, 0.0
    rng = np.random.default_rng(d)
    claim = fw.score_sensitivity(polytope.norm, residual_bound=bound, rows=n, adjacency=adjacency)
    for trial in range(400):
        X, y, w = rng.uniform(-1, 1, (n, d)), rng.normal(size=n), rng.normal(size=d)
        hostile = trial % 4 == 0
        if hostile:
            X[-1], y[-1] = np.sign(X[-1]), 50.0
        before = gradient(X, y, w, bound=bound)
        if adjacency is ADD:
            after = gradient(X[:-1], y[:-1], w, bound=bound, rows=n)
        else:
            other, label = (X[-1], -50.0) if hostile else (rng.uniform(-1, 1, d), rng.normal())
            after = gradient(np.vstack([X[:-1], other]), np.append(y[:-1], label), w, bound=bound)
        scores = [polytope.scores((g + 0.3 * w)[None])[0] for g in (before, after)]
        assert not getattr(polytope, "penalty", 0) or scores[0][-1] == scores[1][-1] == 0
        moved = np.subtract(*scores)
        worst, widest = max(worst, np.abs(moved).max()), max(widest, moved.max() - moved.min())
    assert worst <= claim * (1 + 1e-12)
    assert worst == pytest.approx(claim)
    assert widest == pytest.approx(2 * claim) or polytope is PENTAGON


@pytest.mark.parametrize("noise", fw.NOISES)
def test_choices_follow_their_law_and_each_vertex_has_its_own_noise_in_each_step(noise):
    assert (
        fw.noise_scale(0.7, sensitivity=0.2)
        == NoisyMax(sensitivity=0.2, epsilon=0.7).scale
        == 2 * 0.2 / 0.7
    )
    (X, y), ball, runs = problem(30, 2, seed=4), L1Ball(dimension=2, radius=1.0), 4000
    how = {
        "steps": 1,
        "scale": 0.15,
        "residual_bound": 1.0,
        "seed": 3,
        "draws": range(runs),
        "noise": noise,
    }
    walk = fw.noisy_frank_wolfe(X, y, polytope=ball, **how)
    found, scores = (
        np.bincount(walk.choices[0]),
        ball.scores(gradient(X, y, np.zeros(2), bound=1.0)[None])[0],
    )
    for scale, holds in ((0.15, True), (0.075, False)):  # half of the noise would be seen
        law = win_probabilities(-scores, scale=scale, noise=noise)
        assert (stats.chisquare(found, law / law.sum() * runs).pvalue > 1e-3) == holds
    drawn = fw._unit_noise(noise, 0, np.arange(200), 1, 5, 8)[0][:, :5]
    flat = drawn.transpose(1, 2, 0).reshape(40, -1)  # a row for each step and vertex
    assert np.abs(np.corrcoef(flat) - np.eye(40)).max() < 0.35
    assert stats.kstest(drawn.ravel(), LAWS[noise].cdf).pvalue > 1e-3
    longer, _ = fw._unit_noise(noise, 0, np.arange(200), 1, 9, 8)
    assert np.array_equal(longer[:, :5], drawn)
