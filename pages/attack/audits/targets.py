"""Attack releases: each function returns (runs, seed) -> scores in two neighbouring worlds.

The neighbours are the worst that are known for the mechanism, and the score is the exact log-likelihood ratio or the
projection on what the two worlds differ in. ``factor`` multiplies the noise: below 1 the claim is broken on purpose.
With ``twins`` both worlds have the same noise, run by run: what then is the same never saw the canary.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from dpcore.accountants import selection, tuning
from dpcore.data import paid_bounds
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential
from dpcore.privacy import Adjacency, PureRelease
from dpcore.streams import stream

Scores = tuple[np.ndarray, np.ndarray]
Target = Callable[..., Scores]  # (runs, seed, *, twins=False)


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
    """Score coordinates that all move, by an L2 norm of 1 in all, by the log-likelihood ratio of Laplace noise."""
    step = np.full(coordinates, 1 / math.sqrt(coordinates))
    mechanism = Laplace(sensitivity=float(step.sum()) * factor, epsilon=epsilon)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = mechanism.release(np.tile(world * step, (runs, 1)), rng)
        return (np.abs(seen) - np.abs(seen - step)).sum(axis=1)

    return both(score)


def gaussian(epsilon: float, *, delta: float, calibration: Literal["analytic", "classical"] = "analytic") -> Target:
    """Release one number that moves by its sensitivity, with Gaussian noise."""
    noise = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta, calibration=calibration)
    return both(lambda world, runs, rng: noise.release(np.full(runs, float(world)), rng))


def one_draw(epsilon: float, *, delta: float) -> Target:
    """Release two numbers with the same draw on both: their difference is released as it is."""
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


def winner(epsilon: float, *, monotone: bool = False, noise: Literal["gumbel", "laplace"] = "gumbel") -> Target:
    """Return whether the first of two options wins, whose score rises by 1 while the other's falls by 1."""
    choice = NoisyMax(sensitivity=1.0, epsilon=epsilon, monotone=monotone, noise=noise)
    start = np.array([-3.0 * choice.scale, 0.0])
    move = np.array([1.0, -1.0])
    return both(lambda world, runs, rng: np.equal(choice.release(start + world * move, rng, size=runs), 0) * 1.0)


def bounds(epsilon: float, *, moves: int = 2) -> Target:
    """Score bounds that are paid for, by the two counts that differ where a value is replaced.

    moves: what noise is made for.
    """
    worlds = [paid_bounds.histogram(np.array([5.0] * 20 + [one])) for one in (1.5, 1e6)]
    places = np.flatnonzero(worlds[0] != worlds[1])
    here, there = (world[places] for world in worlds)
    noise: Laplace = replace(paid_bounds.mechanism(epsilon), sensitivity=float(moves))

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        released = noise.release(np.tile((there, here)[world], (runs, 1)).astype(float), rng)
        return (np.abs(released - there) - np.abs(released - here)).sum(axis=1)

    return both(score)


def best_of(epsilon: float, *, delta: float, law: str, single: bool = False) -> Target:
    """Return whether all of a random number of tries fail, each of which is a coin that is pure in epsilon.

    single: each try has the whole epsilon, as if the best one alone had been made.
    """
    tries = 10
    found = tuning.try_for(
        lambda noise: PureRelease(epsilon=1 / noise),
        epsilon=epsilon,
        way=law,
        tries=tries,
        delta=delta,
        adjacency=Adjacency.ADD_REMOVE,
    )
    odds = math.exp(epsilon if single else found.epsilon)
    chances = selection.chances(60 * tries, law=law, tries=tries)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        fails = (odds if world else 1) / (1 + odds)
        made = rng.choice(len(chances), size=runs, p=chances / chances.sum())
        return 1.0 * (rng.random(runs) < fails**made)

    return both(score)
