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

# Expected number of tries of a private choice of the best.
TRIES = 10
# Larger numbers of tries than this many times the expected one are left out.
LARGEST_TRIES = 60

# Scores (runs,) with the canary and without.
Scores = tuple[np.ndarray, np.ndarray]
# Returns scores of (runs, seed, *, twins=False).
Target = Callable[..., Scores]
Claim = ParamSpec("Claim")


class AuditRun(NamedTuple):
    """Runs of a mechanism on one of two neighbouring data sets.

    Attributes:
        canary: 1 with the canary, 0 without.
        runs: Number of runs.
        seed: Of the noise.
        draw: 1 or 0, which of two noises.
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
    """Make a function that takes a claim and a variant, and returns their target.

    Args:
        score: Returns the scores (runs,) of what is released on one of the two data sets.
    """

    @wraps(score)
    def make_target(*claim: Claim.args, **variant: Claim.kwargs) -> Target:
        def scores(runs: int, seed: int, *, twins: bool = False) -> Scores:
            draw_without = 0
            if twins:
                draw_without = 1
            run_with = AuditRun(canary=1, runs=runs, seed=seed, draw=1)
            run_without = AuditRun(canary=0, runs=runs, seed=seed, draw=draw_without)
            with_canary = score(run_with, *claim, **variant)
            without_canary = score(run_without, *claim, **variant)
            return with_canary, without_canary

        return scores

    return make_target


@target
def laplace(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Release a number that moves by 1, with Laplace noise. Score the log-likelihood ratio."""
    mechanism = Laplace(sensitivity=factor, epsilon=epsilon)
    values = np.full(audit_run.runs, float(audit_run.canary))
    released = mechanism.release(values, audit_run.rng())
    return np.abs(released) - np.abs(released - 1)


@target
def gaussian(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    calibration: Literal["analytic", "classical"] = "analytic",
) -> np.ndarray:
    """Release a number that moves by its sensitivity, with Gaussian noise."""
    mechanism = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta, calibration=calibration)
    values = np.full(audit_run.runs, float(audit_run.canary))
    return mechanism.release(values, audit_run.rng())


@target
def one_draw(audit_run: AuditRun, epsilon: float, *, delta: float) -> np.ndarray:
    """Release two numbers with the same draw on both, whose difference has no noise."""
    sd = Gaussian(sensitivity=1.0, epsilon=epsilon, delta=delta).sd
    values = audit_run.canary * np.array([0.8, -0.6])
    noise = sd * audit_run.rng().normal(size=(audit_run.runs, 1))
    return (values + noise) @ [1.0, -1.0]


@target
def direction(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Release one number with noise of density proportional to exp(-epsilon ||b||)."""
    mechanism = NormExponential(sensitivity=factor, epsilon=epsilon)
    noise = mechanism.noise(1, audit_run.rng(), size=audit_run.runs)[:, 0]
    released = audit_run.canary + noise
    return np.abs(released) - np.abs(released - 1)


@target
def winner(
    audit_run: AuditRun,
    epsilon: float,
    *,
    monotone: bool = False,
    noise: Literal["gumbel", "laplace"] = "gumbel",
) -> np.ndarray:
    """Return whether the first of two options wins.

    The canary raises its score by 1 and lowers the other's by 1.
    """
    mechanism = NoisyMax(sensitivity=1.0, epsilon=epsilon, monotone=monotone, noise=noise)
    first_score = audit_run.canary - 3.0 * mechanism.scale
    scores = np.array([first_score, -float(audit_run.canary)])
    winners = mechanism.release(scores, audit_run.rng(), size=audit_run.runs)
    return np.equal(winners, 0).astype(float)


@target
def response(
    audit_run: AuditRun, epsilon: float, *, options: int = 2, of_two: bool = False
) -> np.ndarray:
    """Return whether a person gives the first answer, which is their true one with the canary.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        options: Number of answers.
        of_two: Give true answers with the probability that two options would allow.
    """
    spent = epsilon
    if of_two:
        true_share = 1 / (1 + math.exp(-epsilon))
        spent = math.log(true_share * (options - 1) / (1 - true_share))
    mechanism = RandomisedResponse(epsilon=spent, options=options)
    true_answers = np.full(audit_run.runs, 1 - audit_run.canary)
    answers = mechanism.answers(true_answers, audit_run.rng())
    return np.equal(answers, 0).astype(float)


@target
def bounds(audit_run: AuditRun, epsilon: float, *, moves: int = 2) -> np.ndarray:
    """Score private bounds by the two counts that differ when a value is replaced.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        moves: Number of counts that the noise is made for.
    """
    others = [5.0] * 20
    counts_with = private_bounds.histogram(np.array([*others, 1.5]))
    counts_without = private_bounds.histogram(np.array([*others, 1e6]))
    differs = np.flatnonzero(counts_with != counts_without)
    counts_with = counts_with[differs]
    counts_without = counts_without[differs]
    counts = counts_without
    if audit_run.canary:
        counts = counts_with

    mechanism: Laplace = replace(private_bounds.mechanism(epsilon), sensitivity=float(moves))
    values = np.tile(counts, (audit_run.runs, 1)).astype(float)
    released = mechanism.release(values, audit_run.rng())
    return (np.abs(released - counts_without) - np.abs(released - counts_with)).sum(axis=1)


@target
def best_of(
    audit_run: AuditRun, epsilon: float, *, delta: float, law: str, single: bool = False
) -> np.ndarray:
    """Return whether all of a random number of tries fail.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        law: Of the number of tries. Each is a coin with pure differential privacy.
        single: Give each try the whole epsilon, as if only the best one had been made.
    """
    tuned = tuning.try_for(
        lambda noise: PureRelease(epsilon=1 / noise),
        epsilon=epsilon,
        way=law,
        tries=TRIES,
        delta=delta,
        adjacency=Adjacency.ADD_REMOVE,
    )
    epsilon_of_try = tuned.epsilon
    if single:
        epsilon_of_try = epsilon
    odds = math.exp(epsilon_of_try)
    failure_probability = 1 / (1 + odds)
    if audit_run.canary:
        failure_probability = odds / (1 + odds)

    rng = audit_run.rng()
    chances = selection.chances(LARGEST_TRIES * TRIES, law=law, tries=TRIES)
    tries = rng.choice(len(chances), size=audit_run.runs, p=chances / chances.sum())
    all_fail = rng.random(audit_run.runs) < failure_probability**tries
    return all_fail.astype(float)
