"""What [abadi2016] states in closed form of T steps of noise sigma on samples of rate q. No accountant.

Theorem 1: there are constants c1, c2 such that for every epsilon < c1 q^2 T the run is (epsilon, delta)-DP, for any
delta > 0, if sigma >= c2 q sqrt(T ln(1/delta)) / epsilon. It names none. Its proof takes lambda = 2 ln(1/delta)/epsilon
and alpha(lambda) <= q^2 lambda^2/sigma^2, which gives c2 = 2 where that holds. As printed it is true of no pair: at
q = 1 the run has mu = epsilon/(c2 sqrt(ln(1/delta))) whatever T is, which is too large beyond ``gdp.crossing`` of
c2 sqrt(ln(1/delta)), and so for every T above that over c1. ``needed`` says which c2 is enough on a grid, also under
two conditions more. Runs between its points may need a larger one.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import check
from dpcore.accountants import curve, rdp
from dpcore.privacy import Adjacency, GaussianRelease, PoissonSampled

# c2 of the theorem's proof, and the least noise multiplier of its lemma.
PROVED, LEAST_NOISE = 2.0, 1.0
# The grid on which constants are sought.
RATES = tuple(float(rate) for rate in np.geomspace(1e-3, 1, 7))
NOISES = (1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
STEPS = tuple(int(steps) for steps in np.geomspace(10, 1e6, 16).round())
DELTAS = (1e-3, 1e-5, 1e-7, 1e-9)
LAMBDAS = np.arange(1, 257)


def unit(rate: float, steps: int, *, delta: float) -> float:
    """q sqrt(T ln(1/delta)): Theorem 1 asks for sigma epsilon >= c2 of these."""
    return rate * np.sqrt(steps * np.log(1 / delta))


def strong_unit(rate: float, steps: int, *, delta: float) -> float:
    """q sqrt(T ln(1/delta) ln(T/delta)): what sigma epsilon grows with by strong composition, for constant 1."""
    return unit(rate, steps, delta=delta) * np.sqrt(np.log(steps / delta))


def log_moments(rate: float, noise_multiplier: float) -> np.ndarray:
    """alpha(lambda) of one step, exactly, at ``LAMBDAS``: lambda times the divergence of order lambda + 1."""
    return LAMBDAS * rdp.summed(_step(rate, noise_multiplier), tuple(map(float, LAMBDAS + 1)))


def moment_bound(rate: float, noise_multiplier: float) -> np.ndarray:
    """q^2 lambda (lambda + 1) / ((1 - q) sigma^2) at ``LAMBDAS``: the main term of [abadi2016, Lemma 3].

    The lemma adds O(q^3 lambda^3/sigma^3), without which it may be too little, and holds up to ``last_moment``.
    """
    with np.errstate(divide="ignore"):
        return np.divide(rate**2 * LAMBDAS * (LAMBDAS + 1.0), (1 - rate) * noise_multiplier**2)


def last_moment(rate: float, noise_multiplier: float) -> float:
    """The largest lambda of the lemma, sigma^2 ln(1/(q sigma)); 0 unless sigma >= 1 and q < 1/(16 sigma)."""
    if noise_multiplier < LEAST_NOISE or rate >= 1 / (16 * noise_multiplier):
        return 0.0
    return noise_multiplier**2 * math.log(1 / (rate * noise_multiplier))


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Epsilon (N, D, T) of the grid's runs of one sampling rate by Renyi orders, which are never too small."""

    rate: float
    essential: bool = False

    shape: ClassVar = (len(NOISES), len(DELTAS), len(STEPS))

    def run(self) -> np.ndarray:
        return np.array([[self._over_steps(noise, delta) for delta in DELTAS] for noise in NOISES])

    def _over_steps(self, noise: float, delta: float) -> np.ndarray:
        return curve(_step(self.rate, noise), STEPS, delta=delta, adjacency=Adjacency.ADD_REMOVE, accountant="renyi")


def _step(rate: float, noise_multiplier: float) -> PoissonSampled:
    return PoissonSampled(rate=rate, event=GaussianRelease(noise_multiplier=noise_multiplier))


def needed(epsilon: np.ndarray, c1: float, *, conditions: bool) -> float:
    """The least c2 with which Theorem 1 is true of all runs of the grid, whose ``epsilon`` (Q, N, D, T) is given.

    A run of noise sigma is claimed epsilon' = c2 unit/sigma: true from sigma epsilon/unit on, and not claimed from the
    limit of epsilon' on: c1 q^2 T, and with ``conditions`` ln(1/delta) as well (and sigma >= 1, as all of the grid is).
    """
    check.positive(c1=c1)
    axes = np.ix_(RATES, NOISES, DELTAS, STEPS)
    rate, noise, delta, steps = axes
    limit = c1 * rate**2 * steps * np.ones(epsilon.shape)
    if conditions:
        limit = np.minimum(limit, np.log(1 / delta))
    return float((noise / unit(rate, steps, delta=delta) * np.minimum(epsilon, limit)).max())
