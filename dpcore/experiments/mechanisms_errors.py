"""How far off a release is, by mechanism, over the whole range of epsilon."""

from dataclasses import dataclass

import numpy as np

from dpcore.accountants import gdp
from dpcore.experiments.classifier_claims import crossing
from dpcore.experiments.mechanisms_worlds import Worlds
from dpcore.mechanisms import classical_noise_multiplier

EPSILON_RANGE = (0.01, 150.0)
# Of the noise, this share lies below +x where nine releases in ten lie within +-x.
NINE_IN_TEN = 0.95


@dataclass(frozen=True, kw_only=True)
class ErrorCurves:
    """x in units of the sensitivity, such that nine releases in ten fall within +-x, over ``epsilons`` (m,).

    within: mechanism -> (m,). crossing: from this epsilon on, the textbook formula promises more than it gives.
    """

    epsilons: np.ndarray
    within: dict[str, np.ndarray]
    crossing: float


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The error of each mechanism over the whole range of epsilon."""

    delta: float
    essential: bool = True

    def run(self) -> ErrorCurves:
        epsilons = np.geomspace(*EPSILON_RANGE, 61)
        reach = {family: float(_noise(family).at_share(NINE_IN_TEN)) for family in ("laplace", "gaussian")}
        exact = np.array([1 / gdp.mu_of(float(epsilon), delta=self.delta) for epsilon in epsilons])
        within = {
            "laplace": reach["laplace"] / epsilons,
            "gaussian": reach["gaussian"] * exact,
            "classical": reach["gaussian"] * classical_noise_multiplier(epsilons, delta=self.delta),
        }
        return ErrorCurves(epsilons=epsilons, within=within, crossing=crossing(self.delta))


def _noise(family: str) -> Worlds:
    return Worlds(family=family, value=0, sensitivity=1, scale=1)
