"""What the audit table attacks: each function returns (runs, seed) -> scores in two neighbouring worlds.

The neighbours are the worst that are known for the mechanism, and the score is the exact log-likelihood ratio or the
projection on what the two worlds differ in. ``factor`` multiplies the noise: below 1 the claim is broken on purpose.
"""

import math
from collections.abc import Callable

import numpy as np

from dpcore import descent, sgd
from dpcore import frank_wolfe as fw
from dpcore.accountants import zcdp
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential, classical_noise_multiplier
from dpcore.networks import Architecture
from dpcore.privacy import Adjacency
from dpcore.streams import stream

Scores = tuple[np.ndarray, np.ndarray]
Target = Callable[[int, int], Scores]
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


def both(score: Callable[[int, np.random.Generator], np.ndarray]) -> Target:
    """Scores of the worlds 1 (with) and 0, each from a stream of its own."""

    def worlds(runs: int, seed: int) -> Scores:
        return score(1, runs, stream(seed, "audit", 1)), score(0, runs, stream(seed, "audit", 0))

    return worlds


def laplace(epsilon: float, *, coordinates: int = 1, factor: float = 1.0) -> Target:
    """All coordinates move, by an L2 norm of 1 in all; the log-likelihood ratio of independent Laplace noise."""
    step = np.full(coordinates, 1 / math.sqrt(coordinates))
    right = Laplace(sensitivity=float(step.sum()) * factor, epsilon=epsilon)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = right.release(np.tile(world * step, (runs, 1)), rng)
        return (np.abs(seen) - np.abs(seen - step)).sum(axis=1)

    return both(score)


def gaussian(epsilon: float, *, delta: float, calibration: str = "analytic") -> Target:
    """One number that moves by its sensitivity."""
    noise = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta, calibration=calibration)
    return both(lambda world, runs, rng: noise.release(np.full(runs, float(world)), rng))


def one_draw(epsilon: float, *, delta: float) -> Target:
    """Two numbers with the same draw on both: their difference is released as it is."""
    sd = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta).sd

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = world * np.array([0.8, -0.6]) + sd * rng.normal(size=(runs, 1))
        return seen @ [1.0, -1.0]

    return both(score)


def direction(epsilon: float, *, factor: float = 1.0) -> Target:
    """One number with noise of density proportional to exp(-epsilon ||b||)."""
    noise = NormExponential(sensitivity=factor, epsilon=epsilon)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = world + noise.noise(1, rng, size=runs)[:, 0]
        return np.abs(seen) - np.abs(seen - 1)

    return both(score)


def winner(epsilon: float, *, monotone: bool = False, noise: str = "gumbel") -> Target:
    """Whether the first of two options wins, whose score rises by 1 while the other's falls by 1."""
    choice = NoisyMax(sensitivity=1.0, epsilon=epsilon, monotone=monotone, noise=noise)
    start = np.array([-3.0 * choice.scale, 0.0])
    move = np.array([1.0, -1.0])
    return both(lambda world, runs, rng: 1.0 * (choice.release(start + world * move, rng, size=runs) == 0))


def classifier(
    epsilon: float,
    *,
    delta: float,
    rule: str = "per-example",
    noise: float = 1.0,
    published: bool = False,
    rows: int = 400,
    steps: int = 30,
    clip_norm: float = 0.05,
) -> Target:
    """The final weights of noisy descent along the gradient of one long row, of one class and of the other."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, size=(rows, 2)), np.ones(rows)])
    y = (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int)
    X[-1] = 20.0, 20.0, 1.0
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    if published:
        multiplier = classical_noise_multiplier(epsilon, delta=delta) * math.sqrt(steps)
    sd = noise * descent.mean_noise_sd(multiplier, clip_norm=clip_norm, rows=rows, adjacency=REPLACE)

    def scores(world: int, runs: int, seed: int) -> np.ndarray:
        path = descent.noisy_gradient_descent(
            X,
            np.append(y[:-1], world),
            n_classes=2,
            steps=steps,
            learning_rate=0.02,
            clip_norm=clip_norm,
            noise_sd=sd,
            start=np.zeros((1, 3)),
            seed=seed,
            draws=np.arange(runs) + 1_000_000 * world if noise else np.zeros(runs, int),
            clipping=rule,
        )
        return path.weights[:, 0] @ (X[-1] / np.linalg.norm(X[-1]))

    return lambda runs, seed: (scores(1, runs, seed), scores(0, runs, seed))


# DP-SGD: a network without hidden layers whose inputs are 0, so that a row pulls along one direction all the time.
LOTS_EPSILON, LOTS_DELTA = 1.0, 1e-2
_RATE, _STEPS, _CLIP = 0.2, 40, 0.05
_NET = Architecture(sizes=(1, 2))
_PULL = np.array([0.0, 1.0, 0.0, -1.0]) / math.sqrt(2)


def _recipe(variant: str, *, learning_rate: float = 0.01) -> sgd.Recipe:
    return sgd.Recipe(
        architecture=_NET,
        sampling_rate=_RATE,
        steps=_STEPS,
        learning_rate=learning_rate,
        clip_norm=_CLIP,
        variant=variant,
    )


def lots(epsilon: float, *, delta: float, variant: str, factor: float = 1.0, others: int = 50) -> Target:
    """The moves along one row's gradient, step by step, with that row there and without it."""
    shift = {"sound": 1, "inside": 0, "realised": 2, "shuffled": 2}[variant]

    def worlds(runs: int, seed: int) -> Scores:
        sigma = factor * _recipe("sound").noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")
        moves = (_moves(variant, here, runs=runs, seed=2 * seed + here, sigma=sigma, others=others) for here in (1, 0))
        if variant == "inside":  # an empty lot has no noise at all: how often do the weights stand still?
            return tuple(-(moved == 0).sum(axis=1).astype(float) for moved in moves)
        lot = _RATE * others
        given = {"sigma": sigma, "shift": shift, "once": variant == "shuffled"}
        return tuple(_lot_ratio(lot * moved + (lot if shift == 2 else 0), **given) for moved in moves)

    return worlds


def _moves(variant: str, present: int, *, runs: int, seed: int, sigma: float, others: int) -> np.ndarray:
    """Moves (runs, T) in units of C and of a learning rate of 1. Sound: the others' gradients are 0; realised and
    shuffled: all of them pull the other way."""
    rows, start = others + present, np.zeros(4)
    if variant in ("sound", "inside") and others > 1:
        start[[1, 3]] = 400.0, -400.0
    y = np.zeros(rows, dtype=int)
    y[others:] = 1
    fixed_lot = 1 if variant == "realised" else rows / others
    path = sgd.train(
        _recipe(variant, learning_rate=0.01 * fixed_lot),
        np.zeros((rows, 1)),
        y,
        start=start,
        noise_multiplier=sigma,
        seed=seed,
        draws=range(runs),
        record=range(_STEPS + 1),
        dtype=np.float64,
    )
    return (-np.diff(path.history, axis=0) @ _PULL).T / (0.01 * _CLIP)


def _lot_ratio(sums: np.ndarray, *, sigma: float, shift: float, once: bool) -> np.ndarray:
    """Log-likelihood ratio of sums N(0, sigma^2), moved by ``shift`` in a step with probability q, or in exactly one
    step of each epoch."""
    each = np.exp(shift * sums / sigma**2 - shift**2 / (2 * sigma**2))
    if once:
        return np.log(each.reshape(len(sums), -1, round(1 / _RATE)).mean(axis=2)).sum(axis=1)
    return np.log1p(_RATE * (each - 1)).sum(axis=1)


def walk(epsilon: float, *, delta: float, factor: float = 1.0, residual_bound: float = 1.0) -> Target:
    """How often a Frank-Wolfe walk of 50 nearly even choices takes the first vertex."""
    rows, steps = 5, 50
    rho = zcdp.rho_of(epsilon, delta=delta)
    sensitivity = fw.score_sensitivity(1.0, residual_bound=1.0, rows=rows, adjacency=REPLACE)
    scale = factor * fw.noise_scale(fw.selection_epsilon(rho, steps=steps, noise="gumbel"), sensitivity=sensitivity)
    X, others = np.ones((rows, 1)), np.resize([10.0, -10.0], rows - 1)

    def scores(world: int, runs: int, seed: int) -> np.ndarray:
        found = fw.noisy_frank_wolfe(
            X,
            np.append(others, 10.0 if world else -10.0),
            polytope=fw.L1Ball(dimension=1, radius=1.0),
            steps=steps,
            scale=scale,
            residual_bound=residual_bound,
            seed=2 * seed + world,
            draws=range(runs),
            noise="gumbel",
        )
        return (found.choices == 0).sum(axis=0) + 1e-3 * found.weights[:, 0]

    return lambda runs, seed: (scores(1, runs, seed), scores(0, runs, seed))
