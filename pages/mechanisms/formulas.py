"""Published formulas of Gaussian noise, and what they really give."""

from typing import NamedTuple

from dpcore.accountants import gdp
from dpcore.mechanisms import classical_noise_multiplier
from pages.mechanisms.settings import MechanismsSettings

# Constants c of sd = sensitivity sqrt(2 ln(c / delta)) / epsilon, of a slide of [hoseinpour2023],
# where the sensitivity is the L1 norm and not the L2 norm, and of the textbook.
SLIDE_CONSTANT = 2.0
TEXTBOOK_CONSTANT = 1.25
# Amounts of numbers that are released together, one for each row of the table.
NUMBERS_RELEASED = (1, 4, 16, 64)


class Formula(NamedTuple):
    """What a formula gives at a claim, for an L2 sensitivity of 1.

    sd: standard deviation of the noise.
    real: epsilon that this noise really gives at the claimed delta.
    until: largest claimed epsilon up to which the noise of the formula is enough.
    """

    sd: float
    real: float
    until: float


def evaluate_formula(constant: float, claim: MechanismsSettings, *, norms: float = 1.0) -> Formula:
    """Return what the formula with a constant gives.

    claim: settings with the claimed epsilon and delta.
    norms: the sensitivity that the formula takes, in L2 norms.
    """
    delta = claim.delta
    sd = norms * classical_noise_multiplier(claim.epsilon, delta=delta, constant=constant)
    return Formula(
        sd=sd,
        real=gdp.epsilon_of(delta, mu=1 / sd),
        until=gdp.crossing(claim.epsilon * sd, delta=delta),
    )
