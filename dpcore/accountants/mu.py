"""One number for a whole mechanism: the mu of Gaussian differential privacy that covers its curve
delta(epsilon).

A mechanism is mu-GDP if no test tells neighbours apart better than N(0, 1) from N(mu, 1) [dong2022,
Sec. 2.2]. The smallest such mu is one number for the whole curve [gomez2025], but the curve may lie
well below it.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri

from dpcore import privacy
from dpcore.accountants import gdp, pld

# The deltas between which mu is compared with the mechanism, and by how much its epsilon may lie
# above.
LARGEST, SMALLEST, TOLERANCE = 1e-3, 1e-10, 0.01
# What is said where there is none.
UNFIT = "none, as one number does not describe this mechanism"
UNKNOWN = "none, as only epsilon and delta are used of at least a part"
UNCOUNTED = "none, as its delta cannot be counted down to 1e-10"
# Epsilons from 0 to that at the smallest delta: with so many, mu comes out less than 1 part in 10^4
# too large.
_POINTS = 2000
_RELATIVE = 1e-7
_LARGEST_MU = 1024.0


class Fit(NamedTuple):
    """mu: the smallest that covers a mechanism. fits: whether it also describes it. exact: whether
    both are equal.
    """

    mu: float
    fits: bool
    exact: bool = False

    @property
    def shown(self) -> float:
        """Return mu with three digits, rounded up, as a smaller one does not cover the
        mechanism.
        """
        return privacy.rounded_up(self.mu, digits=3)


@dataclass(frozen=True)
class Fitting:
    """The work of finding the mu of an event, its own cache key.

    mu is the smallest with delta_mu(e) >= delta(e) for all e from 0 to the event's epsilon at delta
    ``SMALLEST``. It fits if at no delta from ``LARGEST`` to ``SMALLEST`` the event's epsilon lies
    more than ``TOLERANCE`` below that of mu.
    """

    event: privacy.Event
    adjacency: privacy.Adjacency
    essential: ClassVar[bool] = False

    @property
    def known(self) -> bool:
        """Return whether more than (epsilon, delta) is known of each release."""
        return _is_known(self.event)

    @property
    def quick(self) -> bool:
        """Return whether ``run`` takes no time."""
        return gdp.is_gaussian(self.event) or not self.known

    def run(self) -> Fit | None:
        """Return None where less than the noise is ``known``, or where it cannot be counted."""
        if not self.known:
            return None
        if gdp.is_gaussian(self.event):
            mu = gdp.mu_of_event(self.event)
            return Fit(mu, fits=True, exact=True) if math.isfinite(mu) else None
        try:
            curve = pld.curve(self.event, delta=SMALLEST, points=_POINTS, adjacency=self.adjacency)
        except privacy.UnsupportedEventError:
            return None
        return curve and _fit(*curve)

    def why_none(self, found: Fit | None) -> str:
        """Return why no mu is stated where ``run`` has ``found`` this, or nothing."""
        if found is None:
            return UNCOUNTED if self.known else UNKNOWN
        return "" if found.fits else UNFIT


def _is_known(event: privacy.Event) -> bool:
    return all(
        (
            _is_known(one.event)
            if isinstance(one, privacy.PoissonSampled)
            else isinstance(one, privacy.GaussianRelease | privacy.LaplaceRelease)
        )
        for one in privacy.releases(event)
    )


def _fit(epsilon: np.ndarray, delta: np.ndarray) -> Fit | None:
    """Return the smallest mu that covers a curve; None where none does, as rounding has left a
    delta above 1.
    """
    low, high = 0.0, 1.0
    while not _covers(high, epsilon, delta):
        low, high = high, 2 * high
        if high > _LARGEST_MU:
            return None
    while high - low > _RELATIVE * high:
        mu = (low + high) / 2
        low, high = (low, mu) if _covers(mu, epsilon, delta) else (mu, high)
    seen = (delta <= LARGEST) & (delta >= SMALLEST)
    allowed = gdp.deltas_of(epsilon[seen] / (1 - TOLERANCE), mu=high)
    return Fit(high, fits=bool((allowed <= delta[seen]).all()))


def _covers(mu: float, epsilon: np.ndarray, delta: np.ndarray) -> bool:
    """Return whether delta_mu lies nowhere below the chords of a curve, which lie nowhere below the
    curve itself.

    Both are convex functions of t = e^epsilon. delta_mu falls by Phi(-mu/2 - epsilon/mu) for each
    unit of t, and comes nearest to a chord where it falls as fast.
    """
    first, last, width = epsilon[:-1], epsilon[1:], np.diff(epsilon)
    falls = np.clip((delta[:-1] - delta[1:]) * np.exp(-last) / -np.expm1(-width), 0, 1)
    nearest = np.clip(-mu * (mu / 2 + ndtri(falls)), first, last)
    passed = np.exp(nearest - last) * np.expm1(first - nearest) / np.expm1(-width)
    return bool((gdp.deltas_of(nearest, mu=mu) >= delta[:-1] + passed * np.diff(delta)).all())
