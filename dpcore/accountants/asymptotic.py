"""Asymptotic bound of [abadi2016, Theorem 1] on T steps with noise sigma and sampling rate q; not an accountant.

There are constants c1, c2 such that for every epsilon < c1 q^2 T the run is (epsilon, delta)-DP, for any delta > 0, if
sigma >= c2 q sqrt(T ln(1/delta)) / epsilon. The theorem names no values. Its proof uses lambda = 2 ln(1/delta)/epsilon
and alpha(lambda) <= q^2 lambda^2/sigma^2, which gives c2 = 2 wherever that bound holds. As printed the theorem is false
for every pair. At q = 1 the run has mu = epsilon/(c2 sqrt(ln(1/delta))) for every T, which is too large when epsilon
exceeds ``gdp.crossing`` of c2 sqrt(ln(1/delta)), and hence for every T above that value over c1. ``needed`` finds the
c2 that suffices on a grid, optionally under two further conditions. Runs between grid points may need a larger one.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from dpcore import check
from dpcore.accountants import curve, rdp
from dpcore.privacy import Adjacency
from dpcore.schedules import step

# c2 of the theorem's proof, and the smallest noise multiplier of its lemma.
PROVED, LEAST_NOISE = 2.0, 1.0
# Grid on which the constants are evaluated.
RATES = tuple(float(rate) for rate in np.geomspace(1e-3, 1, 7))
NOISES = (1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
STEPS = tuple(int(steps) for steps in np.geomspace(10, 1e6, 16).round())
DELTAS = (1e-3, 1e-5, 1e-7, 1e-9)
LAMBDAS = np.arange(1, 257)
Numbers = float | np.ndarray


def unit(rate: Numbers, steps: Numbers, *, delta: Numbers) -> np.ndarray:
    """Return q sqrt(T ln(1/delta)), the unit in which Theorem 1 requires sigma epsilon >= c2."""
    return rate * np.sqrt(steps * np.log(1 / delta))


def log_moments(rate: float, noise_multiplier: float) -> np.ndarray:
    """Return alpha(lambda) of one step at ``LAMBDAS``: lambda times its Rényi divergence of order lambda + 1."""
    return LAMBDAS * rdp.summed(step(rate, noise_multiplier), tuple(map(float, LAMBDAS + 1)))


def moment_bound(rate: float, noise_multiplier: float) -> np.ndarray:
    """Return q^2 lambda (lambda + 1) / ((1 - q) sigma^2) at ``LAMBDAS``, the main term of [abadi2016, Lemma 3].

    The lemma adds O(q^3 lambda^3/sigma^3), without which the value may be too small, and holds up to ``last_moment``.
    """
    with np.errstate(divide="ignore"):
        return np.divide(rate**2 * LAMBDAS * (LAMBDAS + 1.0), (1 - rate) * noise_multiplier**2)


def last_moment(rate: float, noise_multiplier: float) -> float:
    """Return the largest lambda of the lemma, sigma^2 ln(1/(q sigma)), or 0 unless sigma >= 1 and q < 1/(16 sigma)."""
    if noise_multiplier < LEAST_NOISE or rate >= 1 / (16 * noise_multiplier):
        return 0.0
    return noise_multiplier**2 * math.log(1 / (rate * noise_multiplier))


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Epsilon (N, D, T) of the grid's runs at one sampling rate, by Rényi accounting, which never understates it."""

    rate: float
    essential: bool = False

    shape: ClassVar = (len(NOISES), len(DELTAS), len(STEPS))

    def run(self) -> np.ndarray:
        count = partial(curve, steps=STEPS, adjacency=Adjacency.ADD_REMOVE, accountant="renyi")
        return np.array([[count(step(self.rate, noise), delta=delta) for delta in DELTAS] for noise in NOISES])


def needed(epsilon: np.ndarray, c1: float, *, conditions: bool) -> float:
    """Return the smallest c2 for which Theorem 1 holds on all runs of the grid, given their ``epsilon`` (Q, N, D, T).

    The theorem claims epsilon' = c2 unit/sigma for a run with noise sigma. The claim holds from c2 = sigma epsilon/unit
    on, and is not made if epsilon' reaches its limit: c1 q^2 T, and with ``conditions`` also ln(1/delta) (and sigma >=
    1, as on the whole grid).
    """
    check.positive(c1=c1)
    axes = np.ix_(RATES, NOISES, DELTAS, STEPS)
    rate, noise, delta, steps = axes
    limit = c1 * rate**2 * steps * np.ones(epsilon.shape)
    if conditions:
        limit = np.minimum(limit, np.log(1 / delta))
    return float((noise / unit(rate, steps, delta=delta) * np.minimum(epsilon, limit)).max())
