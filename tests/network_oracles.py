"""Slow and plain versions of what the engine does to networks: one network, one row, one step at a
time.
"""

import math
from itertools import pairwise

import numpy as np


def loss(layers: list[np.ndarray], x: np.ndarray, label: int, *, activation: str) -> float:
    """Softmax loss of one row, from the definition."""
    for place, layer in enumerate(layers):
        x = np.array([sum(w * v for w, v in zip(row, [*x, 1.0], strict=True)) for row in layer])
        if place < len(layers) - 1:
            x = np.tanh(x) if activation == "tanh" else np.maximum(x, 0)
    top = x.max()
    return np.log(np.exp(x - top).sum()) + top - x[label]


def gradient(
    layers: list[np.ndarray], x: np.ndarray, label: int, *, activation: str
) -> list[np.ndarray]:
    """Gradient of ``loss`` by the chain rule, one matrix a layer."""
    entered = []
    for place, layer in enumerate(layers):
        entered.append(np.append(x, 1.0))
        x = layer @ entered[-1]
        if place < len(layers) - 1:
            x = np.tanh(x) if activation == "tanh" else x * (x > 0)
    wrong = np.exp(x - x.max()) / np.exp(x - x.max()).sum() - (np.arange(len(x)) == label)
    found = [np.outer(wrong, entered[-1])]
    for layer, below, above in zip(layers[:0:-1], entered[-2::-1], entered[:0:-1], strict=True):
        out = above[:-1]
        wrong = (layer[:, :-1].T @ wrong) * (1 - out**2 if activation == "tanh" else out > 0)
        found.append(np.outer(wrong, below))
    return found[::-1]


def clipped(
    gradients: list[np.ndarray], clip_norm: float | tuple[float, ...] | None
) -> list[np.ndarray]:
    """One example's gradient, shortened as a whole, layer by layer, or not at all."""
    if clip_norm is None:
        return gradients
    norms = [np.linalg.norm(g) for g in gradients]
    if not isinstance(clip_norm, tuple):
        norms, clip_norm = [math.hypot(*norms)] * len(norms), (clip_norm,) * len(norms)
    return [
        g if n <= bound else g * (bound / n)
        for g, n, bound in zip(gradients, norms, clip_norm, strict=True)
    ]


def flat(gradients: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([g.ravel() for g in gradients])


def cut(sizes: tuple[int, ...], weights: np.ndarray) -> list[np.ndarray]:
    """A vector of weights as one matrix (outputs, inputs + 1) a layer."""
    layers, at = [], 0
    for inputs, outputs in pairwise(sizes):
        layers.append(weights[at : at + outputs * (inputs + 1)].reshape(outputs, inputs + 1))
        at += outputs * (inputs + 1)
    assert at == len(weights)
    return layers


def batch_gradient(sizes, weights, X, y, *, clip_norm, activation) -> np.ndarray:
    total = np.zeros_like(weights)
    for x, label in zip(X, y, strict=True):
        total += flat(
            clipped(gradient(cut(sizes, weights), x, label, activation=activation), clip_norm)
        )
    return total


def descend(
    sizes, X, y, *, start, batches, rates, clip_norm, divisor, noise=None, activation="tanh"
) -> np.ndarray:
    """Weights (T + 1, P) of one network before and after every step; batches: an iterable of row
    numbers.
    """
    path = [np.array(start, dtype=float)]
    for step, batch in enumerate(batches):
        total = batch_gradient(
            sizes, path[-1], X[batch], y[batch], clip_norm=clip_norm, activation=activation
        )
        if noise is not None:
            total = total + noise[step]
        path.append(path[-1] - rates[step] * total / divisor)
    return np.stack(path)
