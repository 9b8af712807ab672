"""What the audit table attacks: each function returns (runs, seed) -> scores in two neighbouring worlds.

The neighbours are the worst that are known for the mechanism, and the score is the exact log-likelihood ratio or the
projection on what the two worlds differ in. ``factor`` multiplies the noise: below 1 the claim is broken on purpose.
With ``twins`` both worlds have the same noise, run by run: what then is the same never saw the canary.
"""

import math
from collections.abc import Callable

import numpy as np

from dpcore.accountants import gdp
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential, classical_noise_multiplier
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import descent, sgd
from dpcore.training.networks import Architecture

Scores = tuple[np.ndarray, np.ndarray]
Target = Callable[..., Scores]  # (runs, seed, *, twins=False)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


def each(score: Callable[[int, int, int, int], np.ndarray]) -> Target:
    """Return the scores of worlds 1 (with) and 0 by ``score`` (world, runs, seed, draw); ``draw``, 1 or 0, names the
    noise."""

    def worlds(runs: int, seed: int, *, twins: bool = False) -> Scores:
        return score(1, runs, seed, 1), score(0, runs, seed, int(twins))

    return worlds


def both(score: Callable[[int, int, np.random.Generator], np.ndarray]) -> Target:
    """Return the scores of both worlds by ``score`` (world, runs, rng), each from a stream of its own."""
    return each(lambda world, runs, seed, draw: score(world, runs, stream(seed, "audit", draw)))


def laplace(epsilon: float, *, coordinates: int = 1, factor: float = 1.0) -> Target:
    """All coordinates move, by an L2 norm of 1 in all; the log-likelihood ratio of independent Laplace noise."""
    step = np.full(coordinates, 1 / math.sqrt(coordinates))
    mechanism = Laplace(sensitivity=float(step.sum()) * factor, epsilon=epsilon)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = mechanism.release(np.tile(world * step, (runs, 1)), rng)
        return (np.abs(seen) - np.abs(seen - step)).sum(axis=1)

    return both(score)


def gaussian(epsilon: float, *, delta: float, calibration: str = "analytic") -> Target:
    """Release one number that moves by its sensitivity, with Gaussian noise."""
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
    """Release one number with noise of density proportional to exp(-epsilon ||b||)."""
    noise = NormExponential(sensitivity=factor, epsilon=epsilon)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = world + noise.noise(1, rng, size=runs)[:, 0]
        return np.abs(seen) - np.abs(seen - 1)

    return both(score)


def winner(epsilon: float, *, monotone: bool = False, noise: str = "gumbel") -> Target:
    """Return whether the first of two options wins, whose score rises by 1 while the other's falls by 1."""
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
    filtered: bool = False,
) -> Target:
    """The final weights of noisy descent along the gradient of one long row, of one class and of the other.

    filtered: rows beyond the public bounds are left out before the training, and so is the canary.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, size=(rows, 2)), np.ones(rows)])
    y = (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int)
    X[-1] = canary = np.array([20.0, 20.0, 1.0])
    kept = np.abs(X).max(axis=1) <= 1 if filtered else np.full(rows, True)
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    if published:
        multiplier = classical_noise_multiplier(epsilon, delta=delta) * math.sqrt(steps)
    sd = noise * descent.mean_noise_sd(multiplier, clip_norm=clip_norm, rows=rows, adjacency=REPLACE)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        path = descent.noisy_gradient_descent(
            X[kept],
            np.append(y[:-1], world)[kept],
            n_classes=2,
            steps=steps,
            learning_rate=0.02,
            clip_norm=clip_norm,
            noise_sd=sd,
            start=np.zeros((1, 3)),
            seed=seed,
            draws=np.arange(runs) + 1_000_000 * draw if noise else np.zeros(runs, int),
            clipping=rule,
        )
        return path.weights[:, 0] @ (canary / np.linalg.norm(canary))

    return each(score)


def softmax(epsilon: float, *, delta: float, one_draw: bool = False) -> Target:
    """The final weights of a softmax descent with three classes: one long row x, or -x, whose gradients are opposite.

    All other rows are 0. one_draw: each step's noise is one number for all coordinates of the gradient.
    """
    rows, steps, rate, clip_norm = 10, 10, 0.02, 0.05
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    sd = descent.mean_noise_sd(multiplier, clip_norm=clip_norm, rows=rows, adjacency=REPLACE)
    common = {"n_classes": 3, "learning_rate": rate, "clip_norm": clip_norm}
    axis = np.array([2.0, -1.0, -1.0]) / math.sqrt(6)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        X, y, draws = np.zeros((rows, 1)), np.zeros(rows, int), np.arange(runs) + 1_000_000 * draw
        X[-1] = 20.0 if world else -20.0
        weights = np.zeros((runs, 3, 1))
        if not one_draw:
            given = {"noise_sd": sd, "start": weights, "steps": steps}
            trained = descent.noisy_gradient_descent(X, y, seed=seed, draws=draws, **given, **common)
            return trained.weights[..., 0] @ axis
        rng = stream(seed, "audit", draw)
        for _ in range(steps):
            given = {"noise_sd": 0.0, "start": weights, "steps": 1, "dtype": np.float64}
            weights = descent.noisy_gradient_descent(X, y, seed=seed, draws=draws, **given, **common).weights
            weights -= rate * sd * rng.normal(size=(runs, 1, 1))
        return weights[..., 0] @ axis

    return each(score)


# DP-SGD: a network without hidden layers whose inputs are 0, so that a row pulls along one direction all the time.
LOTS_EPSILON, LOTS_DELTA = 2.0, 1e-2
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

    def worlds(runs: int, seed: int, *, twins: bool = False) -> Scores:
        sigma = factor * _recipe("sound").noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")
        seeds = {1: 2 * seed + 1, 0: 2 * seed + twins}
        moves = (_moves(variant, here, runs=runs, seed=seeds[here], sigma=sigma, others=others) for here in (1, 0))
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


def layers(epsilon: float, *, delta: float, whole: bool = False) -> Target:
    """Take one step of a network with a clip bound for each of four layers, on a full lot with or without one row.

    Its gradient is at its bound in each layer, and the score adds the moves along all four. whole: each layer has the
    noise that one gradient clipped as a whole would need.
    """
    bounds, others = (0.01, 0.02, 0.01, 0.02), 5
    net = Architecture(sizes=(1, 2, 2, 2, 2))
    start = np.tile([1.0, -0.5, 0.7, 0.4, 0.9, -0.6], 4)[: net.parameters]
    sigma = (1 if whole else math.sqrt(len(bounds))) / gdp.mu_of(epsilon, delta=delta)

    def weights(present: int, *, noise: float, seed: int, runs: int) -> np.ndarray:
        X, y = np.append(np.zeros(others), np.ones(present))[:, None], np.array([0] * others + [1] * present)
        # The sum is divided by a constant, which does not know who is there.
        recipe = sgd.Recipe(architecture=net, sampling_rate=1.0, steps=1, learning_rate=float(len(y)), clip_norm=bounds)
        given = {"noise_multiplier": noise, "seed": seed, "draws": range(runs), "dtype": np.float64}
        return sgd.train(recipe, X, y, start=start, **given).weights

    there, away = (weights(present, noise=0.0, seed=0, runs=1)[0] for present in (1, 0))
    scale = np.repeat(np.square(bounds), [cut.stop - cut.start for cut in net.slices])
    axis = (there - away) / scale

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        return (weights(world, noise=sigma, seed=2 * seed + draw, runs=runs) - away) @ axis

    return each(score)
