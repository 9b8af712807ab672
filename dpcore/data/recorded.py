"""Synthetic rows recorded by many parties, with the shapes of the data sets of [hamm2016] and
invented numbers.

Features have public bounds and are clipped to them. Each party has its own style, a shift of its
sensors or its network that all of its rows share.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class Activities:
    """Windows of 96 features of a body sensor in [-1, 1], six activities: x = clip(g m_y + o + B z
    + e).

    means: m (K, 96). loads: B (12, 96), for features that vary together within a window. A subject
    has a sensor offset o ~ N(0, offset^2) and a strength of movement g = exp(gain N(0, 1)).
    """

    names = ("walking", "upstairs", "downstairs", "sitting", "standing", "lying")
    means: np.ndarray
    loads: np.ndarray
    gain: float = 0.25
    offset: float = 0.15
    sd: float = 0.25

    @classmethod
    def make(cls) -> "Activities":
        rng = np.random.default_rng(96)
        moving, still = rng.normal(size=(2, 96)) * 0.28
        own = rng.normal(size=(6, 96)) * 0.13
        return cls(
            means=own + np.stack([moving] * 3 + [still] * 3), loads=rng.normal(size=(12, 96)) * 0.09
        )

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 96) in [-1, 1] of classes y (parties, n)."""
        few = (len(y), 1)
        strength = np.exp(self.gain * rng.standard_normal((*few, 1)))
        offset = self.offset * rng.standard_normal((*few, 96))
        together = rng.standard_normal((*y.shape, len(self.loads))) @ self.loads
        found = (
            strength * self.means[y]
            + offset
            + together
            + self.sd * rng.standard_normal((*y.shape, 96))
        )
        return np.clip(found, -1, 1, out=found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Intrusions:
    """Connections to a host, normal or attack, with 123 features: 40 rates and 3 one-hot
    categories.

    Rates in [0, 1] are mapped to [-1, 1]. The categories have 3 protocols, 70 services and 10
    flags. means: of the rates (2, 40). chances: unnormalised log-probabilities of each category by
    class (2, 83). A host shifts the rates by N(0, offset^2) and offers some services more often.
    """

    names = ("normal", "attack")
    values = (3, 70, 10)
    means: np.ndarray
    chances: np.ndarray
    offset: float = 0.12
    offers: float = 1.5
    sd: float = 0.3

    @classmethod
    def make(cls) -> "Intrusions":
        rng = np.random.default_rng(123)
        usual, apart = rng.uniform(0.2, 0.8, 40), rng.normal(size=40) * 0.07
        often, more = rng.normal(size=83), rng.normal(size=83) * 0.6
        return cls(means=usual + np.stack([-apart, apart]), chances=often + np.stack([-more, more]))

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 123) of classes y (parties, n)."""
        few, ends = (len(y), 1), np.cumsum(self.values)[:-1]
        own = self.means[y] + self.offset * rng.standard_normal((*few, 40))
        rates = np.clip(own + self.sd * rng.standard_normal((*y.shape, 40)), 0, 1)
        # Gumbel-max trick: samples each category in proportion to its probability
        tickets = (
            self.chances[y]
            + self.offers * rng.standard_normal((*few, 83))
            + rng.gumbel(size=(*y.shape, 83))
        )
        parts = np.split(tickets, ends, axis=-1)
        chosen = [part.argmax(axis=-1)[..., None] == np.arange(part.shape[-1]) for part in parts]
        return np.concatenate([2 * rates - 1, *chosen], axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Addresses:
    """Web addresses sent to a reader, harmless or malicious: which of 120 words and marks each
    contains, -1 or 1.

    often: log-odds of each by class (2, 120). A reader shifts them by N(0, offset^2).
    """

    names = ("harmless", "malicious")
    often: np.ndarray
    offset: float = 1.0

    @classmethod
    def make(cls) -> "Addresses":
        rng = np.random.default_rng(50)
        usual, apart = rng.normal(-1.0, 1.0, 120), rng.normal(size=120) * 0.44
        return cls(often=usual + np.stack([-apart, apart]))

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return features (parties, n, 120), -1 or 1, of classes y (parties, n)."""
        odds = self.often[y] + self.offset * rng.standard_normal((len(y), 1, 120))
        return np.where(rng.logistic(size=odds.shape) < odds, 1.0, -1.0)
