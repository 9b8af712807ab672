"""One number released in two neighbouring worlds: densities, log-ratio, tails and tests, all in closed form.

The noise z has a symmetric density f with distribution function F, scaled by ``scale`` and placed at the true number:
``value`` in the world without you, ``value + sensitivity`` in the world with you. Both families are log-concave, so
the log-ratio never falls with the output, and by the lemma of Neyman and Pearson every best attack is a threshold.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr, ndtri

from dpcore import check
from dpcore.accountants import gdp

FAMILIES = ("laplace", "gaussian")


@dataclass(frozen=True, kw_only=True)
class Worlds:
    """Two worlds, one noise. ``scale``: the standard deviation of Gaussian noise, b of Laplace noise."""

    family: str
    value: float
    sensitivity: float
    scale: float

    def __post_init__(self) -> None:
        check.choice(FAMILIES, family=self.family)
        check.positive(sensitivity=self.sensitivity)
        check.positive(scale=self.scale)

    @property
    def mu(self) -> float:
        """How many scales apart the worlds are: the epsilon of Laplace noise, the mu of Gaussian noise."""
        return self.sensitivity / self.scale

    def below(self, z: np.ndarray) -> np.ndarray:
        """F(z), the share of noise below z scales."""
        z = np.asarray(z, dtype=float)
        if self.family == "gaussian":
            return ndtr(z)
        tail = np.exp(-np.abs(z)) / 2
        return np.where(z < 0, tail, 1 - tail)

    def at_share(self, share: np.ndarray) -> np.ndarray:
        """The noise, in scales, that the given share lies below: the inverse of F."""
        share = np.asarray(share, dtype=float)
        if self.family == "gaussian":
            return ndtri(share)
        with np.errstate(divide="ignore"):
            low = np.log(2 * np.minimum(share, 1 - share))
        return np.where(share < 0.5, low, -low)

    def densities(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(without you, with you) at outputs ``x``."""
        z = (np.asarray(x, dtype=float) - self.value) / self.scale
        return self._density(z), self._density(z - self.mu)

    def _density(self, z: np.ndarray) -> np.ndarray:
        if self.family == "gaussian":
            return np.exp(-(z**2) / 2) / (self.scale * math.sqrt(2 * math.pi))
        return np.exp(-np.abs(z)) / (2 * self.scale)

    def log_ratio(self, x: np.ndarray) -> np.ndarray:
        """ln(density with you / density without you) at outputs ``x``: what an attacker learns, in nats."""
        z = (np.asarray(x, dtype=float) - self.value) / self.scale
        if self.family == "gaussian":
            return self.mu * z - self.mu**2 / 2
        return np.abs(z) - np.abs(z - self.mu)

    def threshold(self, level: float) -> float:
        """The output above which the log-ratio exceeds ``level``; infinite where it always, or never, does."""
        if self.family == "gaussian":
            z = level / self.mu + self.mu / 2
        elif abs(level) < self.mu:
            z = (level + self.mu) / 2
        else:
            z = math.copysign(math.inf, level)
        return self.value + self.scale * z

    def beyond(self, level: float) -> tuple[float, float]:
        """(without you, with you): the chance of an output whose log-ratio exceeds ``level``."""
        z = (self.threshold(level) - self.value) / self.scale
        return float(self.below(-z)), float(self.below(self.mu - z))

    def outside(self, epsilon: float) -> float:
        """The chance of a log-ratio beyond plus or minus epsilon, the same in both worlds; larger than ``delta_at``.

        The worlds mirror each other: with you, below -epsilon is as likely as, without you, above epsilon.
        """
        return math.fsum(self.beyond(epsilon))

    def delta_at(self, epsilon: float) -> float:
        """The smallest delta at which the release is (epsilon, delta)-DP, exactly: max_S P(S) - e^epsilon Q(S).

        Laplace: 1 - e^{(epsilon - mu)/2} below mu, the rest being P - e^epsilon Q beyond the threshold, and then 0.
        Gaussian: [balle2018, Theorem 8].
        """
        if self.family == "gaussian":
            return gdp.delta_of(epsilon, mu=self.mu)
        return max(0.0, -math.expm1((epsilon - self.mu) / 2))

    def misses(self, false_alarms: np.ndarray) -> np.ndarray:
        """The least share of misses among tests with this share of false alarms: F(F^-1(1 - alpha) - mu).

        This trade-off curve is all that there is to know of an attack on one release [dong2022, Sec. 2].
        """
        return self.below(-self.at_share(false_alarms) - self.mu)

    def attack(self, prior: float) -> tuple[float, float]:
        """(false alarms, misses) of the best attacker who holds ``prior`` for "in": "in" where the posterior is
        above 1/2, so where the log-ratio exceeds ln((1 - prior)/prior)."""
        alarms, hits = self.beyond(math.log((1 - prior) / prior))
        return alarms, 1 - hits

    def posterior(self, x: np.ndarray, prior: float) -> np.ndarray:
        """The chance of "in" after the output ``x``: the prior odds times the ratio of the densities (Bayes)."""
        return expit(self.log_ratio(x) + math.log(prior / (1 - prior)))


def promised_misses(false_alarms: np.ndarray, *, epsilon: float, delta: float) -> np.ndarray:
    """What every (epsilon, delta)-DP mechanism leaves an attacker at least, in misses [kairouz2015, Theorem 2.1].

    max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha))
    """
    alpha = np.asarray(false_alarms, dtype=float)
    return np.maximum(0, np.maximum(1 - delta - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - delta - alpha)))
