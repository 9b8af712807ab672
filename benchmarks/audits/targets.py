"""Attack single releases. A target returns scores of a mechanism on two neighbouring data sets.

The data sets are the worst known neighbours of the mechanism. The score is the exact log-likelihood
ratio, or the projection on the difference of the two. ``factor`` multiplies the noise, so that
values below 1 break the claim. With ``twins`` both data sets get the same noise in each run, so
that equal scores show that the canary did not arrive.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Concatenate, Literal, NamedTuple, ParamSpec

import numpy as np

from dpcore.accountants import selection, tuning
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential, private_bounds
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import Adjacency, PureRelease
from dpcore.streams import stream

Scores = tuple[np.ndarray, np.ndarray]
Target = Callable[..., Scores]  # (runs, seed, *, twins=False)
Claim = ParamSpec("Claim")


class AuditRun(NamedTuple):
    """Runs of a mechanism on one of two neighbouring data sets.

    canary: 1 with the canary, 0 without. draw: 1 or 0, which of two noises.
    """

    canary: int
    runs: int
    seed: int
    draw: int

    def rng(self) -> np.random.Generator:
        """Return the noise, from its beginning."""
        return stream(self.seed, "audit", self.draw)

    @property
    def noise_seed(self) -> int:
        """Return the seed of an engine's own noise."""
        return 2 * self.seed + self.draw


def target(score: Callable[Concatenate[AuditRun, Claim], np.ndarray]) -> Callable[Claim, Target]:
    """Make a target of a claim and a variant, by the ``score`` of what is released in one world."""

    @wraps(score)
    def claimed(*claim: Claim.args, **variant: Claim.kwargs) -> Target:
        def worlds(runs: int, seed: int, *, twins: bool = False) -> Scores:
            found = [
                score(AuditRun(canary, runs, seed, canary or int(twins)), *claim, **variant)
                for canary in (1, 0)
            ]
            return found[0], found[1]

        return worlds

    return claimed


@target
def laplace(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Score a number that moves by 1 by the log-likelihood ratio of Laplace noise."""
    mechanism = Laplace(sensitivity=factor, epsilon=epsilon)
    seen = mechanism.release(np.full(audit_run.runs, float(audit_run.canary)), audit_run.rng())
    return np.abs(seen) - np.abs(seen - 1)


@target
def gaussian(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    calibration: Literal["analytic", "classical"] = "analytic",
) -> np.ndarray:
    """Release one number that moves by its sensitivity, with Gaussian noise."""
    noise = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta, calibration=calibration)
    return noise.release(np.full(audit_run.runs, float(audit_run.canary)), audit_run.rng())


@target
def one_draw(audit_run: AuditRun, epsilon: float, *, delta: float) -> np.ndarray:
    """Release two numbers with the same draw on both: their difference is released as it is."""
    sd = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta).sd
    seen = audit_run.canary * np.array([0.8, -0.6]) + sd * audit_run.rng().normal(
        size=(audit_run.runs, 1)
    )
    return seen @ [1.0, -1.0]


@target
def direction(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Release one number with noise of density proportional to exp(-epsilon ||b||)."""
    noise = NormExponential(sensitivity=factor, epsilon=epsilon)
    seen = audit_run.canary + noise.noise(1, audit_run.rng(), size=audit_run.runs)[:, 0]
    return np.abs(seen) - np.abs(seen - 1)


@target
def winner(
    audit_run: AuditRun,
    epsilon: float,
    *,
    monotone: bool = False,
    noise: Literal["gumbel", "laplace"] = "gumbel",
) -> np.ndarray:
    """Return whether the first of two options wins, whose score rises by 1 while the other's falls
    by 1.
    """
    choice = NoisyMax(sensitivity=1.0, epsilon=epsilon, monotone=monotone, noise=noise)
    scores = np.array([audit_run.canary - 3.0 * choice.scale, -float(audit_run.canary)])
    return np.equal(choice.release(scores, audit_run.rng(), size=audit_run.runs), 0) * 1.0


@target
def response(
    audit_run: AuditRun, epsilon: float, *, options: int = 2, of_two: bool = False
) -> np.ndarray:
    """Return whether a person gives the first answer, which is their true one in one world only.

    of_two: true answers have the probability that two options would allow.
    """
    share = 1 / (1 + math.exp(-epsilon))
    spent = math.log(share * (options - 1) / (1 - share)) if of_two else epsilon
    one = RandomisedResponse(epsilon=spent, options=options)
    return (
        np.equal(one.answers(np.full(audit_run.runs, 1 - audit_run.canary), audit_run.rng()), 0)
        * 1.0
    )


@target
def bounds(audit_run: AuditRun, epsilon: float, *, moves: int = 2) -> np.ndarray:
    """Score bounds that are paid for, by the two counts that differ where a value is replaced.

    moves: what noise is made for.
    """
    worlds = [private_bounds.histogram(np.array([5.0] * 20 + [one])) for one in (1.5, 1e6)]
    places = np.flatnonzero(worlds[0] != worlds[1])
    here, there = (world[places] for world in worlds)
    noise: Laplace = replace(private_bounds.mechanism(epsilon), sensitivity=float(moves))
    released = noise.release(
        np.tile((there, here)[audit_run.canary], (audit_run.runs, 1)).astype(float), audit_run.rng()
    )
    return (np.abs(released - there) - np.abs(released - here)).sum(axis=1)


@target
def best_of(
    audit_run: AuditRun, epsilon: float, *, delta: float, law: str, single: bool = False
) -> np.ndarray:
    """Return whether all of a random number of tries fail, each of which is a coin that is pure in
    epsilon.

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
    rng = audit_run.rng()
    fails = (odds if audit_run.canary else 1) / (1 + odds)
    made = rng.choice(len(chances), size=audit_run.runs, p=chances / chances.sum())
    return 1.0 * (rng.random(audit_run.runs) < fails**made)
