"""Rows that many parties record: stand-ins of the shapes of the data of [hamm2016], all numbers of which are invented.

Features have public bounds and are cut to them. A party has a style of its own: what its sensors or its network are
like, for all of its rows.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class Activities:
    """Windows of 96 features of a body sensor in [-1, 1], six activities: x = cut(g m_y + o + B z + e).

    means: m (K, 96). loads: B (12, 96), what moves together within a window. A subject carries the sensor in its own
    way, o ~ N(0, offset^2), and moves more or less strongly, g = exp(gain N(0, 1)).
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
        return cls(means=own + np.stack([moving] * 3 + [still] * 3), loads=rng.normal(size=(12, 96)) * 0.09)

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Features (parties, n, 96) in [-1, 1] of classes y (parties, n)."""
        few = (len(y), 1)
        strength = np.exp(self.gain * rng.standard_normal((*few, 1)))
        offset = self.offset * rng.standard_normal((*few, 96))
        together = rng.standard_normal((*y.shape, len(self.loads))) @ self.loads
        found = strength * self.means[y] + offset + together + self.sd * rng.standard_normal((*y.shape, 96))
        return np.clip(found, -1, 1, out=found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Intrusions:
    """Connections to a host, 123 features, normal or an attack: 40 rates in [0, 1], mapped to [-1, 1], and one of 3
    protocols, of 70 services, of 10 flags.

    means: of the rates (2, 40). chances: logarithms, up to a constant, of each category by class (2, 83). A host has
    rates of its own, N(0, offset^2) beside the means, and services that it offers more than others do.
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
        """Features (parties, n, 123) of classes y (parties, n)."""
        few, ends = (len(y), 1), np.cumsum(self.values)[:-1]
        own = self.means[y] + self.offset * rng.standard_normal((*few, 40))
        rates = np.clip(own + self.sd * rng.standard_normal((*y.shape, 40)), 0, 1)
        # The largest of the logarithms, each with Gumbel noise, is a draw in proportion to the chances
        tickets = self.chances[y] + self.offers * rng.standard_normal((*few, 83)) + rng.gumbel(size=(*y.shape, 83))
        parts = np.split(tickets, ends, axis=-1)
        chosen = [part.argmax(axis=-1)[..., None] == np.arange(part.shape[-1]) for part in parts]
        return np.concatenate([2 * rates - 1, *chosen], axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Addresses:
    """Web addresses that a reader was sent, harmless or malicious: which of 120 words and marks each has, -1 or 1.

    often: the log-odds of each by class (2, 120). A reader is sent some more often than others are, N(0, offset^2).
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
        """Features (parties, n, 120), -1 or 1, of classes y (parties, n)."""
        odds = self.often[y] + self.offset * rng.standard_normal((len(y), 1, 120))
        return np.where(rng.logistic(size=odds.shape) < odds, 1.0, -1.0)
