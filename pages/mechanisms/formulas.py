"""Published formulas of Gaussian noise, and what they really give."""

from typing import NamedTuple, Self

from dpcore.accountants import gdp
from dpcore.mechanisms import classical_noise_multiplier

# Constants c of sd = sensitivity sqrt(2 ln(c / delta)) / epsilon, of a slide of [hoseinpour2023],
# where the sensitivity is the L1 norm and not the L2 norm, and of the textbook.
SLIDE_CONSTANT = 2.0
TEXTBOOK_CONSTANT = 1.25
# Amounts of numbers that are released together, one for each row of the table.
NUMBERS_RELEASED = (1, 4, 16, 64)


class Formula(NamedTuple):
    """What a formula gives at a claim, for an L2 sensitivity of 1.

    sd: of the noise.
    real: epsilon at the claimed delta.
    until: largest claimed epsilon that the noise satisfies.
    """

    sd: float
    real: float
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
            until=gdp.crossing(epsilon * sd, delta=delta),
        )
