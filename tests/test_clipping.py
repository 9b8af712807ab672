"""Mean clipped gradients: equal to plain loops, and moved by one row no further than noise is made for."""

import itertools

import numpy as np
import pytest
from oracles import clipped, gradient, loss, mean_gradient

from dpcore.training import clipping, losses


def batch_mean(weights, X, y, *, clip_norm, outputs, dtype=np.float64):
    """Mean gradients (R, k, p) of weights (R, k, p) by the engine; ``clip_norm`` (R,) or None."""
    X, weights = np.asarray(X, dtype), np.asarray(weights, dtype)
    clip_norm = None if clip_norm is None else np.asarray(clip_norm, dtype)
    common = {"models": len(weights), "clip_norm": clip_norm}
    one = {"outputs": outputs} if outputs > 1 else {}
    mean = (clipping.SoftmaxGradient if one else clipping.LogisticGradient)(X, y, **one, **common)
    return mean(np.array(weights.transpose(1, 0, 2), order="C")).transpose(1, 0, 2).copy()


def problem(n_classes, *, n=150, p=5, models=4, scale=2.0, seed=0):
    rng = np.random.default_rng([n_classes, seed])
    weights = rng.normal(scale=scale, size=(models, losses.outputs(n_classes), p))
    return weights, rng.normal(size=(n, p)), rng.integers(0, n_classes, n)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_explicit_gradient_is_the_slope_of_the_loss(n_classes):
    weights, X, y = problem(n_classes, n=6, models=1)
    (w,), h = weights, 1e-6
    steps = h * np.eye(w.size).reshape(w.size, *w.shape)
    for x, label in zip(X, y, strict=True):
        slope = [(loss(w + step, x, label) - loss(w - step, x, label)) / (2 * h) for step in steps]
        np.testing.assert_allclose(gradient(w, x, label).ravel(), slope, atol=1e-7)


def explicit(weights, X, y, clip_norm):
    bounds = [np.inf] * len(weights) if clip_norm is None else clip_norm
    pairs = zip(weights, bounds, strict=True)
    return [mean_gradient(w, X, y, clip_norm=bound, clipping="per-example") for w, bound in pairs]


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 65, 150])
@pytest.mark.parametrize("scratch", [750_000, 1], ids=["one block", "blocks of 32"])
@pytest.mark.parametrize("clip_norm", [None, [0.5] * 4, [1e-4, 0.3, 1.0, 100.0]], ids=["none", "shared", "mixed"])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_means_are_those_of_plain_loops(n_classes, clip_norm, scratch, rows, monkeypatch):
    monkeypatch.setattr(clipping, "_SCRATCH_BYTES", scratch)
    weights, X, y = problem(n_classes, n=rows)
    y = np.where(y == 1, 0, y) if rows == 33 else y  # a class without rows is no exception
    found = batch_mean(weights, X, y, clip_norm=clip_norm, outputs=weights.shape[1])
    np.testing.assert_allclose(found, explicit(weights, X, y, clip_norm), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("clip_norm", [[1e-6] * 3, [0.7, 1e-6, 3.0]], ids=["shared", "mixed"])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_extreme_weights_zero_rows_and_tiny_bounds(n_classes, scale, clip_norm):
    weights, X, y = problem(n_classes, models=3, scale=scale, n=40)
    X[::5] = 0
    X[1] *= 1e4
    found = batch_mean(weights, X, y, clip_norm=clip_norm, outputs=weights.shape[1])
    assert np.isfinite(found).all()
    # The binary form subtracts the constant part of the residuals: exact to rounding of sums of rows.
    np.testing.assert_allclose(found, explicit(weights, X, y, clip_norm), rtol=1e-9, atol=1e-13)


def largest_move(n_classes, *, clip_norm, clip_average=False, add=False):
    """The largest change of any of six models' mean gradients over pairs of some seventy rows, adversarial ones among
    them, in the last of seven places; with ``add`` the row is new."""
    weights, X, y = problem(n_classes, n=7, p=3, models=6, scale=3.0)
    weights[4] = 0
    weights[5] *= 1e6
    rng = np.random.default_rng(0)
    # The same long row on the wrong side and with the opposite sign: two gradients that point apart.
    long = 50 * weights[0, -1] / np.linalg.norm(weights[0, -1])
    rows = [np.zeros(3), *rng.normal(size=(6, 3)), *1e3 * rng.normal(size=(4, 3)), long, -long]
    means, bounds = [], None if clip_average else [clip_norm] * len(weights)
    for X[-1], y[-1] in itertools.product(rows, range(n_classes)):
        mean = batch_mean(weights, X, y, clip_norm=bounds, outputs=weights.shape[1])
        means.append([clipped(g, clip_norm) for g in mean] if clip_average else mean)
    means = np.array(means).reshape(len(means), len(weights), -1)
    if add:  # without the row, over the same denominator
        mean = batch_mean(weights, X[:-1], y[:-1], clip_norm=bounds, outputs=weights.shape[1])
    others = (mean * 6 / 7).reshape(1, len(weights), -1) if add else means
    return max(np.linalg.norm(means - other, axis=2).max() for other in others)


@pytest.mark.parametrize("clip_norm", [1e-6, 0.3, 5.0])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    ("how", "most"),
    [({}, 2 / 7), ({"add": True}, 1 / 7), ({"clip_average": True}, 2.0)],
    ids=["replaced, 2C/n", "added, C/n", "average clipped, 2C"],
)
def test_a_row_moves_the_mean_gradient_as_far_as_it_may_and_no_more(n_classes, clip_norm, how, most):
    move = largest_move(n_classes, clip_norm=clip_norm, **how)
    assert 0.99 * most * clip_norm < move <= most * clip_norm * (1 + 1e-6)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_single_precision_lets_a_row_do_hardly_more_in_the_range_of_the_pages(n_classes):
    """The longest rows (64 features and the constant, all 1) under the smallest bound that a page offers."""
    weights, _, _ = problem(n_classes, p=65, models=2)
    rng, C = np.random.default_rng(0), np.float32(0.01)
    X, y = rng.choice([-1.0, 1.0], size=(300, 65)), rng.integers(0, n_classes, 300)
    how = {"clip_norm": [C], "outputs": weights.shape[1], "dtype": np.float32}
    for w in weights:
        rows = [batch_mean(w[None], x[None], y[i : i + 1], **how) for i, x in enumerate(X)]
        assert max(np.linalg.norm(g.astype(float)) for g in rows) <= C * (1 + 2e-4)


def test_no_number_is_subnormal_however_sure_the_models_are():
    """Arithmetic on subnormal numbers is ten times as slow: noise at small epsilon made trainings take that long."""
    _, X, y = problem(4, n=60)
    weights = np.linspace(0, 60, 400)[:, None, None] * np.random.default_rng(5).normal(size=(400, 4, 5))
    X, weights = X.astype(np.float32), np.array(weights.transpose(1, 0, 2), np.float32, order="C")
    gradient = clipping.SoftmaxGradient(X, y, models=400, clip_norm=np.full(400, 0.5, np.float32), outputs=4)
    gradient(weights)
    for scratch in itertools.chain.from_iterable(gradient._scratch.values()):
        assert not ((scratch != 0) & (np.abs(scratch) < np.finfo(np.float32).tiny)).any()
