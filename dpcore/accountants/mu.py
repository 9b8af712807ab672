"""Fit Gaussian differential privacy to a mechanism, so that one number mu covers its whole curve
delta(epsilon).

A mechanism is mu-GDP if no test tells neighbours apart better than N(0, 1) from N(mu, 1) [dong2022,
Sec. 2.2]. Each mu has a curve delta_mu(epsilon), that of Gaussian noise. A mu covers a mechanism if
its curve lies nowhere below that of the mechanism. The smallest such mu is one number for the whole
curve [gomez2025]. It fits if its curve lies nowhere far above, as it may.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri

from dpcore import privacy
from dpcore.accountants import gdp, pld

# The largest and the smallest delta at which the fit is compared with the mechanism, and the part
# by which its epsilon may be larger.
LARGEST = 1e-3
SMALLEST = 1e-10
TOLERANCE = 0.01
# Reasons why no mu is stated.
UNFIT = "no single mu is tight for this mechanism"
UNKNOWN = "unknown, because some parts are known only by epsilon and delta"
UNCOUNTED = "unknown, because its delta cannot be computed down to 1e-10"
# Number of epsilons from 0 to that at the smallest delta, with which mu comes out less than 1 part
# in 10^4 too large.
_POINTS = 2000
_RELATIVE_ERROR = 1e-7
_LARGEST_MU = 1024.0


class Fit(NamedTuple):
    """The mu of a mechanism.

    Attributes:
        mu: The smallest that covers the mechanism.
        fits: Whether it also describes the mechanism.
        exact: Whether the mechanism is exactly mu-GDP.
    """

    mu: float
    fits: bool
    exact: bool = False

    @property
    def shown(self) -> float:
        """Return mu with three digits, rounded up, since a smaller one does not cover."""
        return privacy.rounded_up(self.mu, digits=3)


@dataclass(frozen=True)
class Fitting:
    """The task of finding the mu of an event, which is its own cache key.

    mu is the smallest with delta_mu(e) >= delta(e) for all e from 0 to the event's epsilon at delta
    ``SMALLEST``. It fits if at no delta from ``LARGEST`` to ``SMALLEST`` the event's epsilon lies
    more than ``TOLERANCE`` below that of mu.
    """

    event: privacy.Event
    adjacency: privacy.Adjacency
    essential: ClassVar[bool] = False

    @property
    def known(self) -> bool:
        """Return whether the noise of each release is known, and not only (epsilon, delta)."""
        return _is_known(self.event)

    @property
    def quick(self) -> bool:
        """Return whether ``run`` takes no time."""
        return gdp.is_gaussian(self.event) or not self.known

    def run(self) -> Fit | None:
        """Return the fit; None if the noise is not ``known``, or no mu can be computed."""
        if not self.known:
            return None
        if gdp.is_gaussian(self.event):
            mu = gdp.mu_of_event(self.event)
            if not math.isfinite(mu):
                return None
            return Fit(mu, fits=True, exact=True)
        try:
            curve = pld.curve(self.event, delta=SMALLEST, points=_POINTS, adjacency=self.adjacency)
        except privacy.UnsupportedEventError:
            return None
        if not curve:
            return None
        epsilon, delta = curve
        return _fit(epsilon, delta)

    def why_none(self, fit: Fit | None) -> str:
        """Return why no mu is stated, as one of three sentences, or "" if one is.

        Args:
            fit: The result of ``run``. It is None if the noise is not ``known`` or the curve cannot
                be computed, and does not fit if the curve of its mu lies far from the event's.
        """
        if fit is None and self.known:
            return UNCOUNTED
        if fit is None:
            return UNKNOWN
        if not fit.fits:
            return UNFIT
        return ""


def _is_known(event: privacy.Event) -> bool:
    """Return whether an event consists of Gaussian and Laplace noise, with or without sampling."""
    for release in privacy.releases(event):
        if isinstance(release, privacy.PoissonSampled):
            if not _is_known(release.event):
                return False
        elif not isinstance(release, privacy.GaussianRelease | privacy.LaplaceRelease):
            return False
    return True


def _fit(epsilon: np.ndarray, delta: np.ndarray) -> Fit | None:
    """Return the smallest mu that covers a curve; None if rounding has left a delta above 1, which
    none covers.
    """
    low = 0.0
    high = 1.0
    while not _covers(high, epsilon, delta):
        low = high
        high = 2 * high
        if high > _LARGEST_MU:
            return None
    while high - low > _RELATIVE_ERROR * high:
        middle = (low + high) / 2
        if _covers(middle, epsilon, delta):
            high = middle
        else:
            low = middle
    compared = (delta <= LARGEST) & (delta >= SMALLEST)
    allowed = gdp.deltas_of(epsilon[compared] / (1 - TOLERANCE), mu=high)
    return Fit(high, fits=bool((allowed <= delta[compared]).all()))


def _covers(mu: float, epsilon: np.ndarray, delta: np.ndarray) -> bool:
    """Return whether delta_mu lies nowhere below the chords of a curve, which lie nowhere below the
    curve itself.

    Both are convex functions of t = e^epsilon. delta_mu falls by Phi(-mu/2 - epsilon/mu) for each
    unit of t, and comes nearest to a chord where it falls as fast.
    """
    starts = epsilon[:-1]
    ends = epsilon[1:]
    # The length of a chord in t is e^end (1 - e^-width).
    shares = -np.expm1(-np.diff(epsilon))
    falls = delta[:-1] - delta[1:]
    slopes = np.clip(falls * np.exp(-ends) / shares, 0, 1)
    tangent_points = -mu * (mu / 2 + ndtri(slopes))
    nearest = np.clip(tangent_points, starts, ends)
    # The part of the chord, in t, between its start and the nearest point.
    passed = np.exp(nearest - ends) * np.expm1(starts - nearest)
    passed = passed / np.expm1(-np.diff(epsilon))
    chord = delta[:-1] + passed * np.diff(delta)
    return bool((gdp.deltas_of(nearest, mu=mu) >= chord).all())
