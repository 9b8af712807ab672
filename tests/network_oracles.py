"""Slow and plain versions of what the engine does to networks: one network, one row, one step at a
time.
"""

import math
from itertools import pairwise

import numpy as np


def loss(layers: list[np.ndarray], x: np.ndarray, label: int) -> float:
    """Return the softmax loss of one row, from the definition."""
    for index, layer in enumerate(layers):
        inputs = [*x, 1.0]
        outputs = []
        for weights in layer:
            outputs.append(sum(w * v for w, v in zip(weights, inputs, strict=True)))
        x = np.array(outputs)
        if index < len(layers) - 1:
            x = np.tanh(x)
    top = x.max()
    return np.log(np.exp(x - top).sum()) + top - x[label]


def gradient(layers: list[np.ndarray], x: np.ndarray, label: int) -> list[np.ndarray]:
    """Return the gradient of ``loss`` by the chain rule, one matrix a layer."""
    inputs = []
    for index, layer in enumerate(layers):
        inputs.append(np.append(x, 1.0))
        x = layer @ inputs[-1]
        if index < len(layers) - 1:
            x = np.tanh(x)
    softmax = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
    error = softmax - (np.arange(len(x)) == label)
    gradients = [np.outer(error, inputs[-1])]
    for index in range(len(layers) - 1, 0, -1):
        # Without the constant input, which no layer below makes.
        output = inputs[index][:-1]
        weights = layers[index][:, :-1]
        error = (weights.T @ error) * (1 - output**2)
        gradients.insert(0, np.outer(error, inputs[index - 1]))
    return gradients


def clipped(
    gradients: list[np.ndarray], clip_norm: float | tuple[float, ...] | None
) -> list[np.ndarray]:
    """Return one example's gradient, shortened as a whole, layer by layer, or not at all."""
    if clip_norm is None:
        return gradients
    norms = [np.linalg.norm(g) for g in gradients]
    if not isinstance(clip_norm, tuple):
        norms = [math.hypot(*norms)] * len(norms)
        clip_norm = (clip_norm,) * len(norms)
    shortened = []
    for g, norm, bound in zip(gradients, norms, clip_norm, strict=True):
        if norm > bound:
            g = g * (bound / norm)
        shortened.append(g)
    return shortened


def flat(gradients: list[np.ndarray]) -> np.ndarray:
    """Return the matrices of all layers as one vector (P,)."""
    return np.concatenate([g.ravel() for g in gradients])


def cut(sizes: tuple[int, ...], weights: np.ndarray) -> list[np.ndarray]:
    """Return a vector of weights as one matrix (outputs, inputs + 1) a layer."""
    layers = []
    start = 0
    for inputs, outputs in pairwise(sizes):
        end = start + outputs * (inputs + 1)
        layers.append(weights[start:end].reshape(outputs, inputs + 1))
        start = end
    assert start == len(weights)
    return layers


def batch_gradient(sizes, weights, X, y, *, clip_norm) -> np.ndarray:
    """Return the sum of the clipped gradients of a batch, as a vector."""
    layers = cut(sizes, weights)
    total = np.zeros_like(weights)
    for x, label in zip(X, y, strict=True):
        total += flat(clipped(gradient(layers, x, label), clip_norm))
    return total


def descend(sizes, X, y, *, start, batches, rates, clip_norm, divisor, noise=None) -> np.ndarray:
    """Return the weights (T + 1, P) of one network before and after every step.

    batches: an iterable of row numbers.
    """
    path = [np.array(start, dtype=float)]
    for step, batch in enumerate(batches):
        total = batch_gradient(sizes, path[-1], X[batch], y[batch], clip_norm=clip_norm)
        if noise is not None:
            total = total + noise[step]
        path.append(path[-1] - rates[step] * total / divisor)
    return np.stack(path)
