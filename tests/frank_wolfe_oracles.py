"""Noisy Frank-Wolfe as one would write it down: one model, one row, one step at a time."""

import numpy as np

from dpcore.streams import stream
from dpcore.training.polytopes import Hull

PENTAGON = Hull(corners=((1.0, 0.2), (0.1, 0.9), (-0.8, 0.3), (-0.4, -0.7), (0.6, -0.5)))


def problem(n=60, d=3, *, seed=0):
    """Return random rows (n, d) and their labels (n,), which are linear but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    return X, X @ np.linspace(1, -0.5, d) + 0.2 * rng.normal(size=n)


def gradient(X, y, w, *, bound, rows=None):
    """-(1/n) sum_i clip_R(y_i - x_i.w) x_i, a row at a time."""
    total = np.zeros(len(w))
    for x, label in zip(X, y, strict=True):
        total -= min(max(label - x @ w, -bound), bound) * x
    if rows is None:
        rows = len(X)
    return total / rows


def plain_loop(
    X,
    y,
    polytope,
    *,
    steps,
    scale,
    bound,
    noise,
    seed,
    draw,
    centre,
    part=0,
    pot=None,
    lasso=0,
    ridge=0,
):
    """Return the weights of one model, and the vertices that its steps chose.

    pot: public rows that are counted as the others, but never clipped.
    lasso, ridge: the penalties of (1/n) sum r^2 + lasso ||w - c||_1 + ridge ||w - c||^2.
    """
    vertices = polytope.vertices + centre
    generator = stream(seed, "noise", draw, part)
    price = [lasso / 2 * sum(abs(corner - centre)) for corner in vertices]
    w = np.array(centre, dtype=float)
    chosen = []
    for t in range(1, steps + 1):
        g = gradient(X, y, w, bound=bound)
        if pot is not None:
            Z, z = pot
            g = (len(X) * g + Z.T @ (Z @ w - z)) / (len(X) + len(Z))
        g = g + ridge * (w - centre)
        noise_values = scale * getattr(generator, noise)(size=len(vertices))
        # <c, g> is in every score: it decides nothing.
        best = int(np.argmin(vertices @ g + price - noise_values))
        w = w + 2 / (t + 2) * (vertices[best] - w)
        chosen.append(best)
    return w, chosen
