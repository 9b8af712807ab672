"""Compose by the advanced composition theorem.

The epsilon of T releases grows with sqrt(T) in exchange for a small delta.
"""

import math

import numpy as np
from scipy.special import expit

from dpcore import check
from dpcore.accountants import basic
from dpcore.privacy import (
    Adjacency,
    Event,
    GaussianRelease,
    PoissonSampled,
    UnsupportedEventError,
    releases,
)

# Candidate shares of delta for the composition theorem; the rest is split among the releases.
_SPLITS = expit(np.linspace(-12, 12, 481))


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by advanced composition.

    epsilon = sqrt(2 ln(1/delta') sum_t epsilon_t^2) + sum_t epsilon_t (e^epsilon_t - 1), delta =
    delta' + sum_t delta_t [dwork2014, Theorem 3.20]; for different epsilon_t it follows from the
    sharper [kairouz2015, Theorem 3.5]. Every split of delta is valid, so the best of many is used.
    Samples are amplified by ln(1 + q (e^epsilon - 1)). For few releases basic composition gives
    less.

    >>> from dpcore.privacy import LaplaceRelease
    >>> release = LaplaceRelease(noise_multiplier=100.0)  # epsilon 0.01, so 10 of 1,000 by addition
    >>> epsilons(release, np.array([1000]), delta=1e-6, adjacency=Adjacency.REPLACE_ONE).round(2)
    array([1.76])
    """
    check.delta(delta=delta)
    counts_of = basic.proved(event, adjacency, accountant="advanced composition")
    failure = basic.total_failures(counts_of)
    counts = np.asarray(counts, dtype=float)[:, None]
    remaining_delta = delta - counts * failure.fixed
    is_left = remaining_delta > 0
    if failure.per_slack == 0:
        splits = np.ones(1)
        per_slack = 1.0
    else:
        splits = _SPLITS
        per_slack = failure.per_slack
    # What each Gaussian release, and the theorem itself, take of delta, (counts, splits).
    slack = (1 - splits) * remaining_delta / (counts * per_slack)
    theorem_delta = splits * remaining_delta
    # Where nothing is left, any delta does, because epsilon is infinite.
    slack = np.where(is_left, slack, 0.5)
    theorem_delta = np.where(is_left, theorem_delta, 0.5)
    squares = np.zeros_like(slack)
    drift = np.zeros_like(slack)
    with np.errstate(over="ignore"):
        for release, times in counts_of.items():
            epsilon = basic.price(release, slack=slack)
            squares = squares + times * epsilon**2
            drift = drift + times * epsilon * np.expm1(epsilon)
        spread = np.sqrt(2 * np.log(1 / theorem_delta) * counts * squares)
        total = spread + counts * drift
    return np.where(is_left, total, math.inf).min(axis=1)


def as_published(event: Event, counts: np.ndarray, *, delta: float) -> np.ndarray:
    """Return the epsilon that papers report for advanced composition, which is not a guarantee.

    No theorem proves it. With delta_0 = delta/(2 T q), epsilon_0 = sqrt(2 ln(1.25/delta_0))/sigma
    and epsilon_1 = q epsilon_0, it is sqrt(2 T ln(2/delta)) epsilon_1 + T epsilon_1^2. In
    [abadi2016, Figure 2] it is 9.34, beside 1.26 by the moments accountant. Amplification gives
    ln(1 + q (e^epsilon_0 - 1)), more than q epsilon_0.

    Raises:
        UnsupportedEventError: the event is no Gaussian release, sampled or not.
    """
    check.delta(delta=delta)
    match list(releases(event).items()):
        case [(GaussianRelease(noise_multiplier=multiplier), times)]:
            rate = 1.0
        case [
            (PoissonSampled(rate=rate, event=GaussianRelease(noise_multiplier=multiplier)), times)
        ]:
            pass
        case _:
            raise UnsupportedEventError(
                f"the published figure is that of a sampled Gaussian release, not of {event!r}"
            )
    steps = times * np.asarray(counts, dtype=float)
    if multiplier == 0:
        return np.full_like(steps, math.inf)
    ratio = 1.25 * 2 * steps * rate / delta
    log_ratio = np.log(np.maximum(ratio, 1))
    epsilon = np.sqrt(2 * log_ratio) / multiplier
    spread = np.sqrt(2 * steps * math.log(2 / delta)) * rate * epsilon
    return spread + steps * (rate * epsilon) ** 2
