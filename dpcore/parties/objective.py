"""Objective perturbation: noise in what is minimised, in place of noise on the minimiser."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore.parties import importance
from dpcore.training import erm
from dpcore.training.stacks import Rows

# Bound on the logistic loss's second derivative; rows are at most of length 1.
CURVATURE = 0.25


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Noise in the objective [chaudhuri2011, Theorem 9]: minimise the mean loss + (lambda + Delta)/2 ||w||^2 + b.w/n.

    density(b) ~ exp(-epsilon' ||b|| / 2), epsilon' = epsilon - ln(1 + 2c/(n lambda) + c^2/(n lambda)^2), c = 1/4. Where
    that is below epsilon/2: Delta = c/(n (e^(epsilon/4) - 1)) - lambda, which makes it epsilon/2. (The theorem does so
    from 0 on; with as much noise as just above 0 nothing would be left.) The minimum must be exact. Each row's second
    derivative is of rank one, which the proof needs [kifer2012].

    A tilt's objective has a term of public rows more, convex and the same for all neighbours. In the proof it only adds
    to the Hessian that stays, n (lambda + Delta) I + ..., and the price of a change of volume can only fall: so the
    same noise serves, n being the *private* rows, whose mean stands in the objective.
    """

    rows: int
    regularisation: float
    epsilon: float

    @property
    def direct(self) -> float:
        """epsilon less the price of the densities' change of volume."""
        share = CURVATURE / (self.rows * self.regularisation)
        return self.epsilon - math.log(1 + 2 * share + share**2)

    @property
    def extra(self) -> float:
        """Delta, the regularisation on top."""
        if self.direct >= self.epsilon / 2:
            return 0.0
        return CURVATURE / (self.rows * math.expm1(self.epsilon / 4)) - self.regularisation

    @property
    def scale(self) -> float:
        """||b|| ~ Gamma(d, 2/epsilon')."""
        return 2 / max(self.direct, self.epsilon / 2)

    def minimise(self, X: Rows, y: np.ndarray, draws: np.ndarray, *, start: np.ndarray | None = None) -> np.ndarray:
        """X (..., n, d), y (..., n), draws (..., d) of scale 1 -> (..., d); b.w/n moves the penalty's centre.

        start (..., d): where the search begins, as the minimum without noise.
        """
        return erm.logistic(X, y, regularisation=self.strength, centre=self._centre(draws), start=start).exact()

    def tilt(self, private: Rows, public: Rows, draws: np.ndarray, *, start: np.ndarray | None = None) -> np.ndarray:
        """private (..., n, d), public (m, d) or (..., m, d), draws (..., d) of scale 1 -> tilts (..., d)."""
        how = {"regularisation": self.strength, "centre": self._centre(draws), "start": start}
        return importance.moved_tilts(private, public, **how)

    @property
    def strength(self) -> float:
        """lambda + Delta."""
        return self.regularisation + self.extra

    def _centre(self, draws: np.ndarray) -> np.ndarray:
        return -self.scale * draws / (self.rows * self.strength)
