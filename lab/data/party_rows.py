"""Synthetic rows recorded by many parties.

They have the shapes of the data sets of [hamm2016] and invented numbers. Features have public
bounds and are clipped to them. Each party has its own style: a shift of its sensors or its network
that all of its rows share.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class Activities:
    """Windows of 96 features of a body sensor in [-1, 1], for six activities.

    The features are x = clip(g m_y + o + B z + e). A subject has a sensor offset
    o ~ N(0, offset^2) and a strength of movement g = exp(gain N(0, 1)); e ~ N(0, sd^2).

    Attributes:
        means: The mean window m of each activity, (6, 96).
        loadings: B, for features that vary together within a window, (12, 96).
    """

    names = ("walking", "upstairs", "downstairs", "sitting", "standing", "lying")
    means: np.ndarray
    loadings: np.ndarray
    gain: float = 0.25
    offset: float = 0.15
    sd: float = 0.25

    @classmethod
    def make(cls) -> "Activities":
        """Return the data set with its fixed means and loadings."""
        rng = np.random.default_rng(96)
        moving, still = rng.normal(size=(2, 96)) * 0.28
        own_part = rng.normal(size=(6, 96)) * 0.13
        shared_part = np.stack([moving, moving, moving, still, still, still])
        loadings = rng.normal(size=(12, 96)) * 0.09
        return cls(means=own_part + shared_part, loadings=loadings)

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 96) in [-1, 1] of classes y (parties, n)."""
        parties = len(y)
        strength = np.exp(self.gain * rng.standard_normal((parties, 1, 1)))
        offset = self.offset * rng.standard_normal((parties, 1, 96))
        common = rng.standard_normal((*y.shape, len(self.loadings))) @ self.loadings
        errors = self.sd * rng.standard_normal((*y.shape, 96))
        features = strength * self.means[y] + offset + common + errors
        return np.clip(features, -1, 1, out=features)


@dataclass(frozen=True, kw_only=True, eq=False)
class Intrusions:
    """Connections to a host, normal or attack, with 123 features.

    They are 40 rates and 3 one-hot categories. Rates in [0, 1] are mapped to [-1, 1]. The
    categories have 3 protocols, 70 services and 10 flags. A host shifts the rates by
    N(0, offset^2), and some services are more frequent there.

    Attributes:
        means: Mean rates of each class, (2, 40).
        log_probabilities: Unnormalised, of each value of the categories by class, (2, 83).
        service_spread: Standard deviation of a host's shift of the log-probabilities.
    """

    names = ("normal", "attack")
    values = (3, 70, 10)
    means: np.ndarray
    log_probabilities: np.ndarray
    offset: float = 0.12
    service_spread: float = 1.5
    sd: float = 0.3

    @classmethod
    def make(cls) -> "Intrusions":
        """Return the data set with its fixed means and probabilities."""
        rng = np.random.default_rng(123)
        mean_rates = rng.uniform(0.2, 0.8, 40)
        rate_shift = rng.normal(size=40) * 0.07
        mean_logs = rng.normal(size=83)
        log_shift = rng.normal(size=83) * 0.6
        return cls(
            means=mean_rates + np.stack([-rate_shift, rate_shift]),
            log_probabilities=mean_logs + np.stack([-log_shift, log_shift]),
        )

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 123) of classes y (parties, n)."""
        parties = len(y)
        means_of_host = self.means[y] + self.offset * rng.standard_normal((parties, 1, 40))
        errors = self.sd * rng.standard_normal((*y.shape, 40))
        rates = np.clip(means_of_host + errors, 0, 1)
        # The largest of log-probabilities with Gumbel noise has exactly these probabilities.
        shifts_of_host = self.service_spread * rng.standard_normal((parties, 1, 83))
        scores = self.log_probabilities[y] + shifts_of_host + rng.gumbel(size=(*y.shape, 83))
        columns = [2 * rates - 1]
        for category in np.split(scores, np.cumsum(self.values)[:-1], axis=-1):
            value = category.argmax(axis=-1)
            one_hot = value[..., None] == np.arange(category.shape[-1])
            columns.append(one_hot)
        return np.concatenate(columns, axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Addresses:
    """Web addresses sent to a reader, harmless or malicious, as 120 features of -1 or 1.

    A feature is 1 if the address contains a certain word or mark. A reader shifts the log-odds by
    N(0, offset^2).

    Attributes:
        log_odds: Log-odds of each word or mark by class, (2, 120).
    """

    names = ("harmless", "malicious")
    log_odds: np.ndarray
    offset: float = 1.0

    @classmethod
    def make(cls) -> "Addresses":
        """Return the data set with its fixed log-odds."""
        rng = np.random.default_rng(50)
        mean_odds = rng.normal(-1.0, 1.0, 120)
        shift = rng.normal(size=120) * 0.44
        return cls(log_odds=mean_odds + np.stack([-shift, shift]))

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 120), -1 or 1, of classes y (parties, n)."""
        parties = len(y)
        odds = self.log_odds[y] + self.offset * rng.standard_normal((parties, 1, 120))
        contained = rng.logistic(size=odds.shape) < odds
        return np.where(contained, 1.0, -1.0)
