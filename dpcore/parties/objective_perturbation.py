"""Objective perturbation, with noise in the objective instead of on its minimiser."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore.training import erm
from dpcore.training.dense_or_sparse import Rows

# Bound on the logistic loss's second derivative, for rows of norm at most 1.
CURVATURE = 0.25


@dataclass(frozen=True, kw_only=True)
class ObjectivePerturbation:
    """Minimise mean loss + (lambda + Delta)/2 ||w||^2 + b.w/n [chaudhuri2011, Theorem 9].

    density(b) ~ exp(-epsilon' ||b|| / 2), epsilon' = epsilon - ln(1 + 2c/(n lambda) + c^2/(n
    lambda)^2), c = 1/4. If that is below epsilon/2, Delta = c/(n (e^(epsilon/4) - 1)) - lambda
    raises it to epsilon/2. (The theorem does so only if epsilon' <= 0, but just above 0 the noise
    would be overwhelming.) The minimum must be exact. Each row's second derivative has rank one, as
    the proof requires [kifer2012].

    The objective of a tilt has an additional term for the public rows, which is convex and the same
    for all neighbours. In the proof it only adds to the fixed part of the Hessian, n (lambda +
    Delta) I + ..., which can only lower the cost of the change of volume. The same noise therefore
    suffices, with n the number of *private* rows.

    Attributes:
        rows: n.
        regularisation: lambda.
        epsilon: Of the guarantee, in nats.

    >>> mechanism = ObjectivePerturbation(rows=1000, regularisation=0.01, epsilon=1.0)
    >>> round(mechanism.scale, 3), mechanism.extra
    (2.104, 0.0)
    """

    rows: int
    regularisation: float
    epsilon: float

    @property
    def noise_epsilon(self) -> float:
        """Return epsilon' without Delta, which the densities' change of volume leaves."""
        ratio = CURVATURE / (self.rows * self.regularisation)
        return self.epsilon - math.log(1 + 2 * ratio + ratio**2)

    @property
    def extra(self) -> float:
        """Return Delta, the additional regularisation."""
        if self.noise_epsilon >= self.epsilon / 2:
            return 0.0
        return CURVATURE / (self.rows * math.expm1(self.epsilon / 4)) - self.regularisation

    @property
    def scale(self) -> float:
        """Return the scale 2/epsilon' of ||b|| ~ Gamma(d, 2/epsilon')."""
        return 2 / max(self.noise_epsilon, self.epsilon / 2)

    @property
    def strength(self) -> float:
        """Return lambda + Delta."""
        return self.regularisation + self.extra

    def centre(self, draws: np.ndarray) -> np.ndarray:
        """Return the centre (..., d) of a penalty (lambda + Delta)/2 ||w - centre||^2 that equals
        the regularisation and b.w/n, up to a constant.

        Args:
            draws: Norm-exponential noise of scale 1, (..., d).
        """
        return -self.scale * draws / (self.rows * self.strength)

    def minimise(
        self, X: Rows, y: np.ndarray, draws: np.ndarray, *, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the minimisers (..., d) of the noisy objective of the logistic loss.

        Args:
            X: (..., n, d).
            y: (..., n), 0 or 1.
            draws: Norm-exponential noise of scale 1, (..., d).
            start: Starting point (..., d), such as the noiseless minimum.
        """
        minimum = erm.logistic(
            X, y, regularisation=self.strength, centre=self.centre(draws), start=start
        )
        return minimum.exact()
