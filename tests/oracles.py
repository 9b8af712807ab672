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


def loss(w: np.ndarray, x: np.ndarray, label: int) -> float:
    """Loss of one model w (k, p) on one row, from the definition."""
    z = w @ x
    if len(z) == 1:
        z = np.array([0.0, z[0]])
    top = z.max()
    return math.log(sum(math.exp(value - top) for value in z)) + top - z[label]


def gradient(w: np.ndarray, x: np.ndarray, label: int) -> np.ndarray:
    """Gradient (k, p) of ``loss``: the outer product that the engine never forms."""
    z = w @ x
    if len(z) == 1:
        margin = z[0] if label == 1 else -z[0]
        wrong = math.exp(-np.logaddexp(0, margin))  # the probability of the wrong class
        return np.outer([-wrong if label == 1 else wrong], x)
    p = np.exp(z - z.max())
    p /= p.sum()
    wrong = [j for j in range(len(z)) if j != label]
    p[label] = -p[wrong].sum()  # p - 1 without cancellation
    return np.outer(p, x)


def clipped(g: np.ndarray, clip_norm: float) -> np.ndarray:
    norm = np.linalg.norm(g)
    return g if norm <= clip_norm else g * (clip_norm / norm)


def mean_gradient(w, X, y, *, clip_norm: float, clipping: str) -> np.ndarray:
    """Mean over rows, clipped by row, on average or not at all."""
    bound = clip_norm if clipping == "per-example" else math.inf
    mean = sum(clipped(gradient(w, x, label), bound) for x, label in zip(X, y, strict=True)) / len(
        X
    )
    return clipped(mean, clip_norm) if clipping == "average" else mean


def descend(
    X, y, *, start, steps, learning_rate, clip_norm, noise_sd, seed, draw, clipping="per-example"
):
    """One model's weights (k, p) after each of 0..T steps, with the noise of its own stream."""
    path, generator = [np.array(start, dtype=float)], stream(seed, "noise", draw)
    for _ in range(steps):
        mean = mean_gradient(path[-1], X, y, clip_norm=clip_norm, clipping=clipping)
        path.append(
            path[-1] - learning_rate * (mean + noise_sd * generator.standard_normal(path[-1].shape))
        )
    return np.stack(path)


def win_probabilities(scores: np.ndarray, *, scale: float, noise: str) -> np.ndarray:
    """P(each of ``scores`` wins) when each has its own ``noise`` of ``scale``, by quadrature."""
    step = scale / 200
    low, high = np.floor(scores.min() / step) - 45 * 200, np.ceil(scores.max() / step) + 45 * 200
    x = np.arange(low, high + 1) * step
    law = LAWS[noise](scale=scale)
    below = law.cdf(x[:, None] - scores)
    others = np.stack(
        [np.delete(below, i, axis=1).prod(axis=1) for i in range(len(scores))], axis=1
    )
    return (law.pdf(x[:, None] - scores) * others).sum(axis=0) * step


def rows_of(n: int = 300, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, d))])
    return X, np.clip(X @ np.linspace(0.4, -0.3, d + 1) + rng.normal(scale=0.1, size=n), -1, 1)


def data_of(way, X: np.ndarray, y: np.ndarray) -> Rows | Statistics:
    """Return what a mechanism fits to: the rows, or their statistics."""
    if isinstance(way, Descent):
        return Rows.of(X, y)
    return Statistics.of(X, y)


def quiet(way, data, epsilon=1.0):
    noise = 0 * linear.standard_noise(way, inputs=data.inputs, repeats=1, seed=0)
    return way.fit(data, noise, np.array([epsilon])).weights[0, 0]
