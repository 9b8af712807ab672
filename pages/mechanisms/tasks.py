"""Task of the page on noise mechanisms: the release of one number, with what it claims."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dpcore import accountants
from dpcore.mechanisms import Gaussian, Laplace
from dpcore.privacy import Adjacency, Guarantee
from pages.mechanisms.output_pair import Family, OutputPair

# Part of delta by which the calibration of noise may miss it, because it is rounded.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number released by a mechanism that claims (epsilon, delta).

    mechanism: "laplace", which needs no delta, "gaussian", or "classical" for Gaussian noise by the
        textbook formula.
    value: the true number without you. With you it is larger by ``sensitivity``.
    """

    mechanism: str
    epsilon: float
    delta: float
    sensitivity: float
    value: float

    @cached_property
    def implementation(self) -> Laplace | Gaussian:
        """Return the mechanism of the engine."""
        if self.mechanism == "laplace":
            return Laplace(sensitivity=self.sensitivity, epsilon=self.epsilon)
        calibration: Literal["analytic", "classical"] = "classical"
        if self.mechanism == "gaussian":
            calibration = "analytic"
        return Gaussian(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            delta=self.delta,
            calibration=calibration,
        )

    @cached_property
    def pair(self) -> OutputPair:
        """Return the distributions of the output."""
        family: Family
        if isinstance(self.implementation, Laplace):
            family = "laplace"
            scale = self.implementation.scale
        else:
            family = "gaussian"
            scale = self.implementation.sd
        return OutputPair(
            family=family,
            value=self.value,
            sensitivity=self.sensitivity,
            scale=scale,
        )

    @property
    def needed_delta(self) -> float:
        """Return the delta that the noise needs at the claimed epsilon."""
        return self.pair.delta_at(self.epsilon)

    @property
    def holds(self) -> bool:
        """Return whether the noise satisfies the claim."""
        return self.is_met_by(self.pair)

    def is_met_by(self, pair: OutputPair) -> bool:
        """Return whether these distributions of the output satisfy the claim."""
        return pair.delta_at(self.epsilon) <= self.delta * (1 + _ROUNDING)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of the noise. By the textbook formula it is not what is claimed."""
        event = self.implementation.event
        if isinstance(self.implementation, Gaussian):
            return accountants.account(event, delta=self.delta, adjacency=Adjacency.ADD_REMOVE)
        return Guarantee(
            epsilon=self.epsilon,
            delta=0.0,
            adjacency=Adjacency.ADD_REMOVE,
            unit="record",
            basis="Laplace mechanism, exact",
            event=event,
        )


def describe_release(claim: Claim, at: tuple[()], repeats: range) -> OutputPair:
    """Return the distributions of the output. Everything else follows in closed form."""
    return claim.pair
