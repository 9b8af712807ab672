"""Objective perturbation: noise in the objective instead of noise on the minimiser."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore.parties import importance
from dpcore.training import erm
from dpcore.training.dense_or_sparse import Rows

# Bound on the logistic loss's second derivative, for rows of norm at most 1.
CURVATURE = 0.25


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Objective perturbation [chaudhuri2011, Theorem 9]: minimise mean loss + (lambda + Delta)/2
    ||w||^2 + b.w/n.

    density(b) ~ exp(-epsilon' ||b|| / 2), epsilon' = epsilon - ln(1 + 2c/(n lambda) + c^2/(n
    lambda)^2), c = 1/4. If that is below epsilon/2, Delta = c/(n (e^(epsilon/4) - 1)) - lambda
    raises it to epsilon/2. (The theorem does so only if epsilon' <= 0, but just above 0 the noise
    would be overwhelming.) The minimum must be exact. Each row's second derivative has rank one, as
    the proof requires [kifer2012].

    A tilt's objective has an additional term for the public rows, which is convex and the same for
    all neighbours. In the proof it only adds to the fixed part of the Hessian, n (lambda + Delta) I
    + ..., which can only lower the cost of the change of volume. The same noise therefore suffices,
    with n the number of *private* rows.
    """

    rows: int
    regularisation: float
    epsilon: float

    @property
    def direct(self) -> float:
        """Return epsilon' without Delta: epsilon less the cost of the densities' change of
        volume.
        """
        share = CURVATURE / (self.rows * self.regularisation)
        return self.epsilon - math.log(1 + 2 * share + share**2)

    @property
    def extra(self) -> float:
        """Return Delta, the additional regularisation."""
        if self.direct >= self.epsilon / 2:
            return 0.0
        return CURVATURE / (self.rows * math.expm1(self.epsilon / 4)) - self.regularisation

    @property
    def scale(self) -> float:
        """Return the scale 2/epsilon' of ||b|| ~ Gamma(d, 2/epsilon')."""
        return 2 / max(self.direct, self.epsilon / 2)

    def minimise(
        self, X: Rows, y: np.ndarray, draws: np.ndarray, *, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Return minimisers (..., d) for X (..., n, d), y (..., n), unit ``draws`` (..., d); b.w/n
        moves the centre.

        start (..., d): starting point, such as the noiseless minimum.
        """
        return erm.logistic(
            X, y, regularisation=self.strength, centre=self._centre(draws), start=start
        ).exact()

    def tilt(
        self, private: Rows, public: Rows, draws: np.ndarray, *, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Return tilts (..., d) for private (..., n, d), public (m, d) or (..., m, d) and unit
        ``draws`` (..., d).
        """
        centre = self._centre(draws)
        return importance.tilts(
            private, public, regularisation=self.strength, centre=centre, start=start
        )

    @property
    def strength(self) -> float:
        """Return lambda + Delta."""
        return self.regularisation + self.extra

    def _centre(self, draws: np.ndarray) -> np.ndarray:
        return -self.scale * draws / (self.rows * self.strength)
