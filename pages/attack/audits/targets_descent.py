"""Attack noisy descents of linear classifiers, of which one row, or one person, is replaced."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.mechanisms import classical_noise_multiplier
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import descent
from pages.attack.audits.targets import Target, each

_CLIP = 0.05
# Draws of the world with the canary begin here: the two worlds have noise of their own.
_APART = 1_000_000


def _noise_sd(epsilon: float, *, delta: float, steps: int, units: int) -> float:
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    return _mean_sd(multiplier, units)


def _trained(
    X: np.ndarray, y: np.ndarray, *, rate: float, sd: float, draws: Sequence[int] | np.ndarray, **more: Any
) -> descent.Path:
    return descent.noisy_gradient_descent(
        X, y, learning_rate=rate, clip_norm=_CLIP, noise_sd=sd, draws=draws, **{"n_classes": 2, **more}
    )


def _mean_sd(multiplier: float, units: int) -> float:
    return float(descent.mean_noise_sd(multiplier, clip_norm=_CLIP, rows=units, adjacency=Adjacency.REPLACE_ONE))


def classifier(
    epsilon: float,
    *,
    delta: float,
    rule: descent.Clipping = "per-example",
    noise: float = 1.0,
    published: bool = False,
    steps: int = 30,
    filtered: bool = False,
) -> Target:
    """Score the final weights along the gradient of one long row, of one class and of the other.

    filtered: rows beyond the public bounds are left out before the training, and so is the canary.
    """
    rows = 400
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, size=(rows, 2)), np.ones(rows)])
    y = (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int)
    X[-1] = canary = np.array([20.0, 20.0, 1.0])
    kept = np.abs(X).max(axis=1) <= 1 if filtered else np.full(rows, True)
    sd = noise * _noise_sd(epsilon, delta=delta, steps=steps, units=rows)
    if published:
        sd = noise * _mean_sd(classical_noise_multiplier(epsilon, delta=delta) * math.sqrt(steps), rows)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        draws = np.arange(runs) + _APART * draw if noise else np.zeros(runs, int)
        how = {"steps": steps, "start": np.zeros((1, 3)), "seed": seed, "clipping": rule}
        path = _trained(X[kept], np.append(y[:-1], world)[kept], rate=0.02, sd=sd, draws=draws, **how)
        return path.weights[:, 0] @ (canary / np.linalg.norm(canary))

    return each(score)


def softmax(epsilon: float, *, delta: float, one_draw: bool = False) -> Target:
    """Score the final weights with three classes: one long row x, or -x, whose gradients are opposite.

    All other rows are 0. one_draw: each step's noise is one number for all coordinates of the gradient.
    """
    rows, steps, rate = 10, 10, 0.02
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=rows)
    axis = np.array([2.0, -1.0, -1.0]) / math.sqrt(6)

    def descended(world: int, start: np.ndarray, seed: int, draw: int, *, sd: float, steps: int) -> np.ndarray:
        X = np.zeros((rows, 1))
        X[-1] = 20.0 if world else -20.0
        draws, dtype = np.arange(len(start)) + _APART * draw, np.float32 if sd else np.float64
        how = {"n_classes": 3, "steps": steps, "start": start, "seed": seed, "dtype": dtype}
        return _trained(X, np.zeros(rows, int), rate=rate, sd=sd, draws=draws, **how).weights

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        weights, rng = np.zeros((runs, 3, 1)), stream(seed, "audit", draw)
        if not one_draw:
            weights = descended(world, weights, seed, draw, sd=sd, steps=steps)
        for _ in range(steps if one_draw else 0):
            weights = descended(world, weights, seed, draw, sd=0.0, steps=1)
            weights -= rate * sd * rng.normal(size=(runs, 1, 1))
        return weights[..., 0] @ axis

    return each(score)


def people(epsilon: float, *, delta: float, by_row: bool = False) -> Target:
    """Score a descent where one person has three rows, all replaced. by_row: they are clipped one by one."""
    X, whose, steps = np.zeros((10, 1)), np.array([0, 0, 0, *range(1, 8)]), 5
    X[:3] = 20.0
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=len(X) if by_row else 8)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        how = {"steps": steps, "start": np.zeros((1, 1)), "seed": 2 * seed + draw, "dtype": np.float64}
        people, y = None if by_row else whose, np.where(whose == 0, world, 0)
        return _trained(X, y, people=people, rate=1e-3, sd=sd, draws=range(runs), **how).weights[:, 0, 0]

    return each(score)


def seen(epsilon: float, *, delta: float, attack: str, broken: bool = False) -> Target:
    """Score two steps, each seen, of one row that is replaced by another: which of them explains more?

    attack: "pair" looks at the difference of both steps, where noise that serves for both cancels; "last" at the second
    step alone. broken: one draw serves for both steps; or the last step has no noise.
    """
    rows, rate, steps = 10, 0.5, 2
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=rows)
    canaries = np.array([[0.08, 0.0], [0.0, 0.08]])

    def gradient(weights: np.ndarray, world: int) -> np.ndarray:
        residual = 1 / (1 + np.exp(-weights @ canaries[world])) - 1
        return residual[:, None] * canaries[world] / rows

    def descended(world: int, start: np.ndarray, seed: int, *, sd: float, steps: int) -> descent.Path:
        X, y = np.vstack([canaries[world], np.zeros((rows - 1, 2))]), np.ones(rows, int)
        how = {"steps": steps, "start": start, "seed": seed, "record": range(steps + 1), "dtype": np.float64}
        return _trained(X, y, rate=rate, sd=sd, draws=range(len(start)), **how)

    def path(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        start = np.zeros((runs, 1, 2))
        if not broken:
            return descended(world, start, 2 * seed + draw, sd=sd, steps=steps).history[:, :, 0]
        found, noise = [start], sd * stream(seed, "audit", draw).standard_normal((runs, 1, 2))
        for step in range(steps):
            moved = descended(world, found[-1], 2 * seed + draw, sd=0.0, steps=1).weights
            found.append(moved - rate * (0 if attack == "last" and step else noise))
        return np.array(found)[:, :, 0]

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        first, second, third = path(world, runs, seed, draw)
        moves, off = ((first - second) / rate, (second - third) / rate), []
        for one in (0, 1):
            left = [move - gradient(at, one) for move, at in zip(moves, (first, second), strict=True)]
            off.append(np.linalg.norm(left[1] - left[0] if attack == "pair" else left[1], axis=1))
        return np.log(off[0] + 1e-12) - np.log(off[1] + 1e-12)

    return each(score)
