"""The distributions of a released number on two neighbouring data sets, in closed form.

You are the person in whom the data sets differ. An attacker says "in" if they take you for a person
in the data, and "out" otherwise.

The noise has a symmetric density f with distribution function F, which is scaled by ``scale`` and
placed at the true number. Both families are log-concave, so the privacy loss never falls with the
output, and by the lemma of Neyman and Pearson every best attack is a threshold.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri

from dpcore.accountants import gdp

Family = Literal["laplace", "gaussian"]
Numbers = float | np.ndarray
# If nine releases in ten lie within +-x, this share of the noise lies below +x.
_BELOW_ERROR = 0.95
# The mu of Laplace noise may differ from the epsilon it was made for by this part of it, because
# the scale is rounded.
_ROUNDING = 1e-12


class Attack(NamedTuple):
    """The error rates of an attacker who says "in" or "out", and their accuracy."""

    false_positive_rate: float
    false_negative_rate: float
    accuracy: float


@dataclass(frozen=True, kw_only=True)
class OutputPair:
    """The distributions of a released number without you and with you.

    family: of the noise.
    value: the true number without you. With you it is larger by ``sensitivity``.
    scale: standard deviation of Gaussian noise, b of Laplace noise.
    """

    family: Family
    value: float
    sensitivity: float
    scale: float

    @property
    def mu(self) -> float:
        """Return the distance of the true numbers in scales.

        It is the epsilon of Laplace noise, and the mu of Gaussian noise.
        """
        return self.sensitivity / self.scale

    # The noise

    def noise_cdf(self, z: Numbers) -> np.ndarray:
        """Return F(z), the share of noise below z scales."""
        z = np.asarray(z, dtype=float)
        if self.family == "gaussian":
            return ndtr(z)
        tail = np.exp(-np.abs(z)) / 2
        return np.where(z < 0, tail, 1 - tail)

    def noise_quantile(self, share: Numbers) -> np.ndarray:
        """Return the noise, in scales, below which a share of it lies: the inverse of F."""
        share = np.asarray(share, dtype=float)
        if self.family == "gaussian":
            return ndtri(share)
        with np.errstate(divide="ignore"):
            lower_half = np.log(2 * np.minimum(share, 1 - share))
        return np.where(share < 0.5, lower_half, -lower_half)

    @property
    def error(self) -> float:
        """Return the 90 % error: in nine releases in ten the noise is smaller, up or down."""
        return float(self.scale * self.noise_quantile(_BELOW_ERROR))

    # Densities and privacy loss of outputs

    def densities(self, x: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the densities without you and with you at outputs ``x``."""
        z = self._in_scales(x)
        return self._density(z), self._density(z - self.mu)

    def _in_scales(self, x: Numbers) -> np.ndarray:
        """Return the distance of outputs from the true number without you, in scales."""
        return (np.asarray(x, dtype=float) - self.value) / self.scale

    def _density(self, z: np.ndarray) -> np.ndarray:
        """Return the density of the noise at z scales."""
        if self.family == "gaussian":
            return np.exp(-(z**2) / 2) / (self.scale * math.sqrt(2 * math.pi))
        return np.exp(-np.abs(z)) / (2 * self.scale)

    def privacy_loss(self, x: Numbers) -> np.ndarray:
        """Return ln(density with you / density without you) at outputs ``x``."""
        z = self._in_scales(x)
        if self.family == "gaussian":
            return self.mu * z - self.mu**2 / 2
        return np.abs(z) - np.abs(z - self.mu)

    def output_at(self, loss: float) -> float:
        """Return the output above which the privacy loss exceeds ``loss``.

        It is infinite if the privacy loss always exceeds it, or never.
        """
        if self.family == "gaussian":
            z = loss / self.mu + self.mu / 2
        elif abs(loss) < self.mu * (1 - _ROUNDING):
            z = (loss + self.mu) / 2
        else:
            # Laplace noise: the loss is 2z - mu between the centres, and constant beyond.
            z = math.copysign(math.inf, loss)
        return self.value + self.scale * z

    def chance_above(self, loss: float) -> tuple[float, float]:
        """Return the probability, without you and with you, of a privacy loss above ``loss``."""
        z = (self.output_at(loss) - self.value) / self.scale
        return float(self.noise_cdf(-z)), float(self.noise_cdf(self.mu - z))

    def chance_beyond(self, epsilon: float) -> float:
        """Return the probability of a privacy loss above epsilon or below -epsilon.

        It is the same without you and with you, because a loss below -epsilon with you is as likely
        as one above epsilon without you. It is larger than ``delta_at``.
        """
        return math.fsum(self.chance_above(epsilon))

    def delta_at(self, epsilon: float) -> float:
        """Return the smallest delta at which the release is (epsilon, delta)-DP, exactly.

        It is max_S P(S) - e^epsilon Q(S). For Laplace noise it is 1 - e^{(epsilon - mu)/2} below
        mu, and 0 above. For Gaussian noise see [balle2018, Theorem 8].
        """
        if self.family == "gaussian":
            return gdp.delta_of(epsilon, mu=self.mu)
        if epsilon < self.mu * (1 - _ROUNDING):
            return -math.expm1((epsilon - self.mu) / 2)
        return 0.0

    # Attackers

    def false_negative_rates(self, false_positive_rates: Numbers) -> np.ndarray:
        """Return the smallest false-negative rates of tests: F(F^-1(1 - alpha) - mu).

        This trade-off curve decides all attacks on one release [dong2022, Sec. 2].
        """
        return self.noise_cdf(-self.noise_quantile(false_positive_rates) - self.mu)

    def best_attack(self, prior: float) -> Attack:
        """Return the best attack by somebody with the ``prior`` probability that you are in.

        They say "in" if the posterior is above 1/2: if the privacy loss exceeds
        ln((1 - prior) / prior).
        """
        false_positive_rate, true_positive_rate = self.chance_above(math.log((1 - prior) / prior))
        false_negative_rate = 1 - true_positive_rate
        right_if_in = prior * (1 - false_negative_rate)
        right_if_out = (1 - prior) * (1 - false_positive_rate)
        return Attack(false_positive_rate, false_negative_rate, right_if_in + right_if_out)

    @property
    def balanced_accuracy(self) -> float:
        """Return the accuracy of the best attacker whose prior is 1/2."""
        return self.best_attack(0.5).accuracy

    def posterior(self, x: Numbers, prior: float) -> np.ndarray:
        """Return the posterior probability that you are in after the output ``x`` (Bayes)."""
        return expit(self.privacy_loss(x) + math.log(prior / (1 - prior)))


def promised_false_negative_rates(
    false_positive_rates: np.ndarray, *, epsilon: float, delta: float
) -> np.ndarray:
    """Return the smallest false-negative rates under any (epsilon, delta)-DP mechanism.

    They are max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha))
    [kairouz2015, Theorem 2.1].
    """
    alpha = np.asarray(false_positive_rates, dtype=float)
    at_low_rates = 1 - delta - math.exp(epsilon) * alpha
    at_high_rates = math.exp(-epsilon) * (1 - delta - alpha)
    return np.maximum(0, np.maximum(at_low_rates, at_high_rates))
