"""Published formulas of Gaussian noise, and what they really give."""

from typing import NamedTuple, Self

import numpy as np

from dpcore.accountants import gdp
from dpcore.cache import cached
from dpcore.mechanisms import classical_noise_multiplier
from pages.mechanisms.output_pair import FAMILIES, OutputPair

# Range of claimed epsilons, and those at which curves are computed.
EPSILON_RANGE = (0.01, 150.0)
CLAIMS = np.geomspace(*EPSILON_RANGE, 61)
# Constants c of sd = sensitivity sqrt(2 ln(c / delta)) / epsilon, of the textbook and of a slide of
# [hoseinpour2023], where the sensitivity is the L1 norm and not the L2 norm.
CONSTANTS = {"slide": 2.0, "classical": 1.25}
# Amounts of numbers that are released together, one for each row of the table.
NUMBERS_RELEASED = (1, 4, 16, 64)


class Formula(NamedTuple):
    """What a formula gives at a claim, for an L2 sensitivity of 1.

    sd: of the noise.
    real: epsilon at the claimed delta.
    needed: delta at the claimed epsilon.
    until: largest claimed epsilon that the noise satisfies.
    """

    sd: float
    real: float
    needed: float
    until: float

    @classmethod
    def of(cls, constant: float, norms: float = 1.0, *, epsilon: float, delta: float) -> Self:
        """Return what a formula gives.

        norms: the sensitivity that the formula takes, in L2 norms.
        """
        sd = norms * classical_noise_multiplier(epsilon, delta=delta, constant=constant)
        return cls(
            sd=sd,
            real=gdp.epsilon_of(delta, mu=1 / sd),
            needed=gdp.delta_of(epsilon, mu=1 / sd),
            until=gdp.crossing(epsilon * sd, delta=delta),
        )


@cached
def errors(delta: float) -> dict[str, np.ndarray]:
    """Return the 90 % error of each mechanism at each of ``CLAIMS``, for a sensitivity of 1."""
    errors_of_scale_1 = {}
    for family in FAMILIES:
        pair = OutputPair(family=family, value=0, sensitivity=1, scale=1)
        errors_of_scale_1[family] = pair.error
    exact_sds = np.array([1 / gdp.mu_of(float(epsilon), delta=delta) for epsilon in CLAIMS])
    classical_sds = classical_noise_multiplier(1.0, delta=delta) / CLAIMS
    return {
        "laplace": errors_of_scale_1["laplace"] / CLAIMS,
        "gaussian": errors_of_scale_1["gaussian"] * exact_sds,
        "classical": errors_of_scale_1["gaussian"] * classical_sds,
    }
