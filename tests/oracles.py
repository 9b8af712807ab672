"""Slow and plain versions of what the engine does in closed form: one model, one row, one step at a
time.
"""

import math

import numpy as np
from scipy import stats

from dpcore.estimators import linear
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Statistics
from dpcore.streams import stream

LAWS = {"gumbel": stats.gumbel_r, "laplace": stats.laplace}
# The grid of a quadrature: steps in a scale of the noise, and scales beyond the scores, where the
# noise has no weight left.
_STEPS_PER_SCALE = 200
_SCALES_BEYOND = 45


def loss(w: np.ndarray, x: np.ndarray, label: int) -> float:
    """Return the loss of one model w (k, p) on one row, from the definition."""
    z = w @ x
    if len(z) == 1:
        z = np.array([0.0, z[0]])
    top = z.max()
    return math.log(sum(math.exp(value - top) for value in z)) + top - z[label]


def gradient(w: np.ndarray, x: np.ndarray, label: int) -> np.ndarray:
    """Return the gradient (k, p) of ``loss``, the outer product that the engine never forms."""
    z = w @ x
    if len(z) == 1:
        return _binary_gradient(z[0], x, label)
    p = np.exp(z - z.max())
    p /= p.sum()
    other_classes = [j for j in range(len(z)) if j != label]
    p[label] = -p[other_classes].sum()  # p - 1 without cancellation
    return np.outer(p, x)


def _binary_gradient(score: float, x: np.ndarray, label: int) -> np.ndarray:
    """Return the gradient (1, p) of a model with one score, that of class 1."""
    sign = -1
    if label == 1:
        sign = 1
    wrong_probability = math.exp(-np.logaddexp(0, sign * score))
    return np.outer([-sign * wrong_probability], x)


def clipped(g: np.ndarray, clip_norm: float) -> np.ndarray:
    """Return a gradient, shortened to ``clip_norm`` if it is longer."""
    norm = np.linalg.norm(g)
    if norm <= clip_norm:
        return g
    return g * (clip_norm / norm)


def mean_gradient(w, X, y, *, clip_norm: float, clipping: str) -> np.ndarray:
    """Return the mean over rows, clipped by row, on average or not at all."""
    row_bound = math.inf
    if clipping == "per-example":
        row_bound = clip_norm
    total = 0
    for x, label in zip(X, y, strict=True):
        total = total + clipped(gradient(w, x, label), row_bound)
    mean = total / len(X)
    if clipping == "average":
        return clipped(mean, clip_norm)
    return mean


def descend(
    X, y, *, start, steps, learning_rate, clip_norm, noise_sd, seed, draw, clipping="per-example"
):
    """Return one model's weights (k, p) after each of 0..T steps, with noise of its own stream."""
    path = [np.array(start, dtype=float)]
    generator = stream(seed, "noise", draw)
    for _ in range(steps):
        w = path[-1]
        mean = mean_gradient(w, X, y, clip_norm=clip_norm, clipping=clipping)
        noise = noise_sd * generator.standard_normal(w.shape)
        path.append(w - learning_rate * (mean + noise))
    return np.stack(path)


def win_probabilities(scores: np.ndarray, *, scale: float, noise: str) -> np.ndarray:
    """Return the probability that each score wins, with noise on each, by quadrature."""
    step = scale / _STEPS_PER_SCALE
    margin = _SCALES_BEYOND * _STEPS_PER_SCALE
    low = np.floor(scores.min() / step) - margin
    high = np.ceil(scores.max() / step) + margin
    x = np.arange(low, high + 1) * step
    law = LAWS[noise](scale=scale)
    below = law.cdf(x[:, None] - scores)
    all_others_below = []
    for index in range(len(scores)):
        all_others_below.append(np.delete(below, index, axis=1).prod(axis=1))
    density = law.pdf(x[:, None] - scores)
    return (density * np.stack(all_others_below, axis=1)).sum(axis=0) * step


def rows_of(n: int = 300, d: int = 3, seed: int = 0):
    """Return rows (n, d + 1), of which the first column is 1, and their answers in [-1, 1]."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, d))])
    answers = X @ np.linspace(0.4, -0.3, d + 1) + rng.normal(scale=0.1, size=n)
    return X, np.clip(answers, -1, 1)


def data_of(mechanism, X: np.ndarray, y: np.ndarray) -> Rows | Statistics:
    """Return what a mechanism fits to: the rows, or their statistics."""
    if isinstance(mechanism, Descent):
        return Rows.of(X, y)
    return Statistics.of(X, y)


def quiet(mechanism, data, epsilon=1.0):
    """Return the weights that a mechanism fits without noise."""
    noise = 0 * linear.standard_noise(mechanism, inputs=data.inputs, repeats=1, seed=0)
    return mechanism.fit(data, noise, np.array([epsilon])).weights[0, 0]
