"""One number released in two neighbouring worlds, and a choice, all exact: no simulation.

The noise z has a symmetric density f with distribution function F, scaled by ``scale`` and placed
at the true number: ``value`` in the world without you, ``value + sensitivity`` in the world with
you. Both families are log-concave, so the log-ratio never falls with the output, and by the lemma
of Neyman and Pearson every best attack is a threshold.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy.special import expit, log_softmax, ndtr, ndtri

from dpcore import accountants, check
from dpcore.accountants import gdp
from dpcore.cache import cached
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, classical_noise_multiplier
from dpcore.privacy import Adjacency, Guarantee

FAMILIES = ("laplace", "gaussian")
EPSILON_RANGE = (0.01, 150.0)
# Of the noise, this share lies below +x where nine releases in ten lie within +-x.
_NINE_IN_TEN = 0.95
# How far, in parts of it, a rounded scale may put the mu of Laplace noise from the epsilon that it
# was made for.
_ROUNDING = 1e-12
# An interval of at most this many scales of noise is integrated by 20 nodes, to rounding.
_PIECE = 4.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# Beyond this many scales nothing is left that a double can hold beside 1; beyond _FAR not even by
# itself.
_REACH, _FAR = 45.0, 700.0
Numbers = float | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Worlds:
    """Two worlds, one noise.

    ``scale``: the standard deviation of Gaussian noise, b of Laplace noise.
    """

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
        """Return how many scales apart the worlds are: the epsilon of Laplace noise, the mu of
        Gaussian noise.
        """
        return self.sensitivity / self.scale

    def below(self, z: Numbers) -> np.ndarray:
        """Return F(z), the share of noise below z scales."""
        z = np.asarray(z, dtype=float)
        if self.family == "gaussian":
            return ndtr(z)
        tail = np.exp(-np.abs(z)) / 2
        return np.where(z < 0, tail, 1 - tail)

    def at_share(self, share: Numbers) -> np.ndarray:
        """Return the noise, in scales, that the given share lies below: the inverse of F."""
        share = np.asarray(share, dtype=float)
        if self.family == "gaussian":
            return ndtri(share)
        with np.errstate(divide="ignore"):
            low = np.log(2 * np.minimum(share, 1 - share))
        return np.where(share < 0.5, low, -low)

    @property
    def within(self) -> float:
        """Return the error that nine releases in ten keep, up or down."""
        return float(self.scale * self.at_share(_NINE_IN_TEN))

    def densities(self, x: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the densities (without you, with you) at outputs ``x``."""
        z = (np.asarray(x, dtype=float) - self.value) / self.scale
        return self._density(z), self._density(z - self.mu)

    def _density(self, z: np.ndarray) -> np.ndarray:
        if self.family == "gaussian":
            return np.exp(-(z**2) / 2) / (self.scale * math.sqrt(2 * math.pi))
        return np.exp(-np.abs(z)) / (2 * self.scale)

    def log_ratio(self, x: Numbers) -> np.ndarray:
        """Return ln(density with you / density without you) at outputs ``x``: what an attacker
        learns, in nats.
        """
        z = (np.asarray(x, dtype=float) - self.value) / self.scale
        if self.family == "gaussian":
            return self.mu * z - self.mu**2 / 2
        return np.abs(z) - np.abs(z - self.mu)

    def threshold(self, level: float) -> float:
        """Return the output above which the log-ratio exceeds ``level``; infinite where it always,
        or never, does.
        """
        if self.family == "gaussian":
            z = level / self.mu + self.mu / 2
        elif abs(level) < self.mu * (1 - _ROUNDING):
            z = (level + self.mu) / 2
        else:
            z = math.copysign(math.inf, level)
        return self.value + self.scale * z

    def beyond(self, level: float) -> tuple[float, float]:
        """Return the chance (without you, with you) of an output whose log-ratio exceeds
        ``level``.
        """
        z = (self.threshold(level) - self.value) / self.scale
        return float(self.below(-z)), float(self.below(self.mu - z))

    def outside(self, epsilon: float) -> float:
        """Return the chance of a log-ratio beyond plus or minus epsilon, in either world; larger
        than ``delta_at``.

        The worlds mirror each other: with you, below -epsilon is as likely as, without you, above
        epsilon.
        """
        return math.fsum(self.beyond(epsilon))

    def delta_at(self, epsilon: float) -> float:
        """Return the least delta at which the release is (epsilon, delta)-DP, exactly: max_S P(S) -
        e^epsilon Q(S).

        Laplace: 1 - e^{(epsilon - mu)/2} below mu, the rest being P - e^epsilon Q beyond the
            threshold, and then 0.
        Gaussian: [balle2018, Theorem 8].
        """
        if self.family == "gaussian":
            return gdp.delta_of(epsilon, mu=self.mu)
        return -math.expm1((epsilon - self.mu) / 2) if epsilon < self.mu * (1 - _ROUNDING) else 0.0

    def misses(self, false_alarms: Numbers) -> np.ndarray:
        """Return the least share of misses among tests with this share of false alarms: F(F^-1(1 -
        alpha) - mu).

        This trade-off curve is all that there is to know of an attack on one release [dong2022,
        Sec. 2].
        """
        return self.below(-self.at_share(false_alarms) - self.mu)

    def attacker(self, prior: float) -> tuple[float, float, float]:
        """Return (false alarms, misses, accuracy) of the best attacker who holds ``prior`` for
        "in".

        They say "in" where the posterior is above 1/2, so where the log-ratio exceeds ln((1 -
        prior)/prior).
        """
        alarms, hits = self.beyond(math.log((1 - prior) / prior))
        misses = 1 - hits
        return alarms, misses, prior * (1 - misses) + (1 - prior) * (1 - alarms)

    @property
    def balanced_accuracy(self) -> float:
        """Return the accuracy of the best attacker against this very noise, first guess 50:50."""
        return self.attacker(0.5)[2]

    def posterior(self, x: Numbers, prior: float) -> np.ndarray:
        """Return the chance of "in" after the output ``x``: the prior odds times the ratio of the
        densities (Bayes).
        """
        return expit(self.log_ratio(x) + math.log(prior / (1 - prior)))


def promised_misses(false_alarms: np.ndarray, *, epsilon: float, delta: float) -> np.ndarray:
    """Return what every (epsilon, delta)-DP mechanism leaves an attacker at least, in misses
    [kairouz2015, Theorem 2.1].

    max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha))
    """
    alpha = np.asarray(false_alarms, dtype=float)
    return np.maximum(
        0,
        np.maximum(1 - delta - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - delta - alpha)),
    )


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number published by a mechanism that claims (epsilon, delta): its noise, and what that
    really gives.

    mechanism: "laplace", which needs no delta, "gaussian", or "classical", by the textbook's
    formula. value: the true number without you; with you it is larger by ``sensitivity``.
    """

    mechanism: str
    epsilon: float
    delta: float
    sensitivity: float
    value: float
    essential: ClassVar[bool] = True

    @cached_property
    def made(self) -> Laplace | Gaussian:
        """Return the mechanism itself."""
        if self.mechanism == "laplace":
            return Laplace(sensitivity=self.sensitivity, epsilon=self.epsilon)
        return Gaussian(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            delta=self.delta,
            calibration="analytic" if self.mechanism == "gaussian" else "classical",
        )

    @cached_property
    def worlds(self) -> Worlds:
        made = self.made
        family, scale = (
            ("laplace", made.scale) if isinstance(made, Laplace) else ("gaussian", made.sd)
        )
        return Worlds(family=family, value=self.value, sensitivity=self.sensitivity, scale=scale)

    @property
    def needed_delta(self) -> float:
        """Return the delta that the noise needs at the claimed epsilon."""
        return self.worlds.delta_at(self.epsilon)

    @property
    def holds(self) -> bool:
        """Return whether the noise keeps the claim; the slack is for the rounding of a
        calibration.
        """
        return self.needed_delta <= self.delta * (1 + 1e-9)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return what the noise really gives: for the textbook formula this is not what it
        claims.
        """
        if isinstance(self.made, Gaussian):
            return accountants.account(
                self.made.event, delta=self.delta, adjacency=Adjacency.ADD_REMOVE
            )
        return Guarantee(
            epsilon=self.epsilon,
            delta=0.0,
            adjacency=Adjacency.ADD_REMOVE,
            unit="record",
            basis="Laplace mechanism, exact",
            event=self.made.event,
        )

    def run(self) -> Worlds:
        return self.worlds


# Constants c of sd = sensitivity sqrt(2 ln(c/delta))/epsilon: of the textbook, and of a slide of
# [hoseinpour2023], where the sensitivity is the L1 norm and not the L2 norm.
FORMULAS = {"slide": 2.0, "classical": 1.25}
# Name of a curve -> its constant, and how many times the L2 norm its sensitivity is.
SEVERAL = 16
DRAWN = {name: (constant, 1.0) for name, constant in FORMULAS.items()}
DRAWN["several"] = (FORMULAS["slide"], math.sqrt(SEVERAL))
CLAIMS = np.geomspace(*EPSILON_RANGE, 61)
ANSWERS = (1, 4, SEVERAL, 64)


class Formula(NamedTuple):
    """What a formula for Gaussian noise gives at a claim of ``epsilon``, for an L2 sensitivity of
    1.

    real: epsilon at ``delta``; needed: delta at the claimed epsilon; until: the claim up to which
    it is kept.
    """

    sd: float
    real: float
    needed: float
    until: float

    @classmethod
    def of(cls, constant: float, norms: float = 1.0, *, epsilon: float, delta: float) -> Self:
        """Return it for a constant. norms: how many L2 norms the norm is that the formula takes as
        sensitivity.
        """
        sd = norms * classical_noise_multiplier(epsilon, delta=delta, constant=constant)
        until = gdp.crossing(epsilon * sd, delta=delta)
        return cls(sd, gdp.epsilon_of(delta, mu=1 / sd), gdp.delta_of(epsilon, mu=1 / sd), until)


@cached
def real_epsilons(delta: float) -> dict[str, np.ndarray]:
    """Return what the noise of each of ``DRAWN`` gives, for each of ``CLAIMS``."""
    return {
        name: np.array(
            [Formula.of(*how, epsilon=float(claim), delta=delta).real for claim in CLAIMS]
        )
        for name, how in DRAWN.items()
    }


@cached
def errors(delta: float) -> dict[str, np.ndarray]:
    """Return the error that nine releases in ten keep at each of ``CLAIMS``, by mechanism, for a
    sensitivity of 1.
    """
    reach = {one: Worlds(family=one, value=0, sensitivity=1, scale=1).within for one in FAMILIES}
    exact = np.array([1 / gdp.mu_of(float(epsilon), delta=delta) for epsilon in CLAIMS])
    return {
        "laplace": reach["laplace"] / CLAIMS,
        "gaussian": reach["gaussian"] * exact,
        "classical": reach["gaussian"] * (classical_noise_multiplier(1.0, delta=delta) / CLAIMS),
    }


def log_chances(counts: np.ndarray, *, scale: float, noise: str) -> np.ndarray:
    """Return ln P(i wins) for each of ``counts`` (k,) with noise of this scale; -inf where no
    double can hold it.

    gumbel: the exponential mechanism, e^{c_i/scale} / sum_j e^{c_j/scale} [mcsherry2007, Theorem
        6].
    laplace: ln of integral f(t - c_i) prod_{j != i} F(t - c_j) dt.
    """
    centres = np.asarray(counts, dtype=float) / scale
    if noise == "gumbel":
        return log_softmax(centres)
    with np.errstate(divide="ignore"):
        return np.log([_laplace(centres, place) for place in range(len(centres))])


def _laplace(centres: np.ndarray, place: int) -> float:
    """Return the integral by Gauss and Legendre between the kinks of the densities, which lie at
    the centres.
    """
    low, high = centres[place] - _REACH, centres.max() + _REACH
    if high > centres[place] + _FAR:
        return 0.0  # most of what there is lies where the density cannot be held
    kinks = np.unique(np.concatenate([[low], centres[(centres > low) & (centres < high)], [high]]))
    ends = np.concatenate(
        [np.linspace(a, b, int(np.ceil((b - a) / _PIECE)) + 1)[:-1] for a, b in pairwise(kinks)]
        + [[high]]
    )
    half = np.diff(ends)[:, None] / 2
    t = (ends[:-1, None] + half + half * _NODES).ravel()
    weights = (half * _WEIGHTS).ravel()
    density = np.exp(-np.abs(t - centres[place])) / 2
    others = t[:, None] - np.delete(centres, place)
    tails = np.exp(-np.abs(others)) / 2
    return float(weights @ (density * np.where(others < 0, tails, 1 - tails).prod(axis=1)))


@cached
def winners(
    counts: tuple[float, ...], vote: int, *, sensitivity: float, epsilon: float, noise: str
) -> np.ndarray:
    """Return ln P(i wins) among ``counts`` (k,), without you and with you (2, k): you add
    ``sensitivity`` to ``vote``.

    Counts of people who come or go move one way only, so NoisyMax needs half the noise.
    """
    kind: Literal["gumbel", "laplace"] = "gumbel" if noise == "gumbel" else "laplace"
    mechanism = NoisyMax(sensitivity=sensitivity, epsilon=epsilon, noise=kind, monotone=True)
    worlds = np.array([counts, counts])
    worlds[1, vote] += sensitivity
    return np.array([log_chances(counts, scale=mechanism.scale, noise=kind) for counts in worlds])
