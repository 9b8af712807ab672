"""What happened to the data (events) and what it means for a person (guarantees).

An event is a frozen value that a mechanism leaves behind; an accountant (``dpcore.accountants``) turns it into a
``Guarantee``. An audit (``dpcore.audit``) measures the other side and returns a ``LowerBound``: the two types are
never exchanged for one another.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from dpcore import check


class Adjacency(StrEnum):
    """Which two data sets must look alike.

    ``REPLACE_ONE``: one unit has other values, the size is public. ``ADD_REMOVE``: one unit is there or not; where
    a mean is released, its denominator is a public constant.
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add/remove"

    @property
    def contributions(self) -> int:
        """How many clipped contributions may change in a sum: one leaves, or one leaves and another comes."""
        match self:
            case Adjacency.REPLACE_ONE:
                return 2
            case Adjacency.ADD_REMOVE:
                return 1


@dataclass(frozen=True, kw_only=True)
class GaussianRelease:
    """A value released with Gaussian noise; ``noise_multiplier`` = standard deviation / L2 sensitivity.

    The sensitivity is that of the adjacency in which the event is counted. 0 stands for a release without noise.
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        if not 0 <= self.noise_multiplier < math.inf:
            raise check.RefusedError("noise_multiplier", self.noise_multiplier, "a finite number, at least 0")


@dataclass(frozen=True, kw_only=True)
class PureRelease:
    """A release by a mechanism that is (epsilon, 0)-differentially private."""

    epsilon: float

    def __post_init__(self) -> None:
        check.positive(epsilon=self.epsilon)


@dataclass(frozen=True, kw_only=True)
class Composed:
    """The same kind of release ``count`` times, each chosen with the earlier answers in view (adaptively)."""

    event: "Event"
    count: int

    def __post_init__(self) -> None:
        check.whole(1, count=self.count)


Event = GaussianRelease | PureRelease | Composed


class IncomparableError(TypeError):
    """Two guarantees that speak of different neighbours or of different units."""


def _refuse_other_types(value: object) -> None:
    """A measured bound has the fields of a guarantee, but must never pass for one."""
    if not isinstance(value, Guarantee):
        raise IncomparableError(f"a guarantee is needed here, not {value!r}")


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """(epsilon, delta)-differential privacy, with all that is needed to know what it means.

    epsilon, delta: nats and probability; epsilon may be ``inf`` (nothing is guaranteed).
    adjacency: which data sets are neighbours. unit: who is protected, "record" or "party".
    basis: the theorem or the library that gave it. event: what was done to the data.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    basis: str
    event: Event

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise check.RefusedError("epsilon", self.epsilon, "a number, at least 0")
        check.between(0, 1, delta=self.delta)

    def stronger_than(self, other: "Guarantee") -> bool:
        """Whether this promises at least as much in both parameters, and more in one.

        Raises IncomparableError across adjacency or unit, and for anything but a guarantee.
        """
        _refuse_other_types(other)
        if (self.adjacency, self.unit) != (other.adjacency, other.unit):
            raise IncomparableError(
                f"a guarantee for {self.adjacency} of a {self.unit} cannot be compared with one for "
                f"{other.adjacency} of a {other.unit}"
            )
        pair, others = (self.epsilon, self.delta), (other.epsilon, other.delta)
        return pair != others and pair[0] <= others[0] and pair[1] <= others[1]

    @property
    def attacker_accuracy(self) -> float:
        """The best share of right answers of an attacker whose first guess is 50:50.

        (e^epsilon + delta) / (1 + e^epsilon), attained by some (epsilon, delta) mechanism, so a bound for each
        [kairouz2015, Theorem 2.1].
        """
        return 1.0 - (1.0 - self.delta) / (1.0 + math.exp(min(self.epsilon, 700.0)))


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """What an audit measured: with this ``confidence`` the mechanism spends at least ``epsilon`` at ``delta``.

    It can refute a claim. It never proves one.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    confidence: float
    trials: int

    def refutes(self, claim: Guarantee) -> bool:
        """Whether the measured bound lies above the claimed epsilon at a delta no larger than the bound's own."""
        _refuse_other_types(claim)
        if (self.adjacency, self.unit) != (claim.adjacency, claim.unit):
            raise IncomparableError(f"measured under {self.adjacency}, claimed under {claim.adjacency}")
        if claim.delta > self.delta:
            raise IncomparableError(f"measured at delta {self.delta:g}, claimed at the larger {claim.delta:g}")
        return self.epsilon > claim.epsilon
