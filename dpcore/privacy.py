"""What happened to the data (events) and what it means for a person (guarantees).

An event is a frozen value that a mechanism leaves behind; an accountant (``dpcore.accountants``) turns it into a
``Guarantee``. An audit (``dpcore.attacks.audit``) measures the other side and returns a ``LowerBound``: the two
types are never exchanged for one another.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from dpcore import check


class Adjacency(StrEnum):
    """Which two data sets must look alike.

    ``REPLACE_ONE``: one unit has other values, the size is public. ``ADD_REMOVE``: one unit is there or not; where
    a mean is released, its denominator is a public constant, and where rows have public places, its place stays empty.
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
        check.at_least(0, noise_multiplier=self.noise_multiplier)


@dataclass(frozen=True, kw_only=True)
class LaplaceRelease:
    """A value released with Laplace noise; ``noise_multiplier`` = scale / L1 sensitivity = 1 / epsilon."""

    noise_multiplier: float

    def __post_init__(self) -> None:
        check.positive(noise_multiplier=self.noise_multiplier)


@dataclass(frozen=True, kw_only=True)
class PureRelease:
    """A release by a mechanism that is (epsilon, 0)-differentially private."""

    epsilon: float

    def __post_init__(self) -> None:
        check.positive(epsilon=self.epsilon)


@dataclass(frozen=True, kw_only=True)
class BoundedRangeRelease(PureRelease):
    """A choice by the exponential mechanism: (epsilon, 0)-DP, and of epsilon-bounded range [durfee2019].

    Between neighbours the log-probabilities of all outcomes move within one interval of length epsilon. An accountant
    that does not know this counts the release that it also is, a pure one.
    """


@dataclass(frozen=True, kw_only=True)
class NormExponentialRelease(PureRelease):
    """A vector of ``dimension`` coordinates with noise b of density exp(-epsilon ||b||_2 / sensitivity).

    An accountant that does not know this counts the release that it also is, a pure one.
    """

    dimension: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check.whole(1, dimension=self.dimension)


@dataclass(frozen=True, kw_only=True)
class ApproximateRelease:
    """A release by a mechanism of which only its (epsilon, delta)-differential privacy is known."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check.at_least(0, epsilon=self.epsilon)
        check.between(0, 1, delta=self.delta)


@dataclass(frozen=True, kw_only=True)
class PoissonSampled:
    """A release from a fresh sample: each unit is in it with probability ``rate``, independently of all others.

    The noise multiplier inside is that of the release from the sample. Under replace-one its sensitivity is that of
    two opposite contributions (one leaves, another comes), so the same noise has half the multiplier there.
    Batches of a shuffled data set are no such samples.
    """

    rate: float
    event: "Event"

    def __post_init__(self) -> None:
        check.between(0, 1, rate=self.rate)
        check.positive(rate=self.rate)


@dataclass(frozen=True, kw_only=True)
class Composed:
    """The same kind of release ``count`` times, each chosen with the earlier answers in view (adaptively)."""

    event: "Event"
    count: int

    def __post_init__(self) -> None:
        check.whole(1, count=self.count)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Different releases after one another, each chosen with the earlier answers in view (adaptively)."""

    events: tuple["Event", ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.events, tuple) and self.events):
            raise check.RefusedError("events", self.events, "a tuple of at least one event")


# Laws of the number of tries of a search: shapes of the truncated negative binomial, in whose limit is Poisson's.
LAWS = {"logarithmic": 0.0, "half": 0.5, "geometric": 1.0, "poisson": math.inf}


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """The best of a random number of tries, each ``event`` anew, ``tries`` in the mean; the others are not released.

    The number's law, one of ``LAWS``, is fixed beforehand, and the number is secret. A score on private rows that ranks
    the tries is part of ``event``. Of no tries, which Poisson's law allows, a fixed answer is released.
    """

    event: "Event"
    law: str
    tries: int

    def __post_init__(self) -> None:
        check.choice(LAWS, law=self.law)
        check.whole(1, tries=self.tries)


Release = GaussianRelease | LaplaceRelease | PureRelease | ApproximateRelease | PoissonSampled | BestOf
Event = Release | Composed | Sequence


class UnsupportedEventError(TypeError):
    """An event, or an event under an adjacency, of which an accountant has no proof; the message names it."""


def releases(event: Event) -> dict[Release, int]:
    """What an event consists of: each different release, and how often it happens.

    Every accountant counts what stands here, so that this is the only place where counts are multiplied.

    >>> step = PoissonSampled(rate=0.5, event=PureRelease(epsilon=1))
    >>> list(releases(Composed(event=Sequence(events=(step, step)), count=10)).values())
    [20]
    """
    match event:
        case Composed(event=inner, count=count):
            return {release: count * times for release, times in releases(inner).items()}
        case Sequence(events=events):
            total: Counter[Release] = Counter()
            for inner in events:
                total.update(releases(inner))
            return dict(total)
        case PoissonSampled(rate=1, event=inner):
            return releases(inner)
        case GaussianRelease() | LaplaceRelease() | PureRelease() | ApproximateRelease() | PoissonSampled() | BestOf():
            return {event: 1}
        case _:
            raise UnsupportedEventError(f"{event!r} is no event")


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
    adjacency: which data sets are neighbours. unit: who is protected, "record", "person" or "party".
    basis: the theorem or the library that gave it. event: what was done to the data. assumes: what else must hold for
    it, a sentence each.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    basis: str
    event: Event
    assumes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.epsilon != math.inf:
            check.at_least(0, epsilon=self.epsilon)
        check.between(0, 1, delta=self.delta)

    @property
    def attacker_accuracy(self) -> float:
        """The best share of right answers of an attacker whose first guess is 50:50.

        (e^epsilon + delta) / (1 + e^epsilon), attained by some (epsilon, delta) mechanism, so a bound for each
        [kairouz2015, Theorem 2.1].
        """
        return 1.0 - (1.0 - self.delta) / (1.0 + math.exp(min(self.epsilon, 700.0)))


def delta_rounded_up(delta: float, *, digits: int) -> float:
    """The least number of so many significant digits that is no smaller than ``delta``.

    A guarantee holds at every larger delta and at no smaller one, so a delta that is shown is never rounded down. A
    relative difference below 1e-11 counts as rounding error of the count.

    >>> delta_rounded_up(0.00010221, digits=3), delta_rounded_up(3 * 1e-5, digits=3)
    (0.000103, 3e-05)
    """
    return rounded_up(check.between(0, 1, delta=delta), digits=digits)


def rounded_up(value: float, *, digits: int) -> float:
    """Return the least number of so many significant digits that is no smaller, as ``delta_rounded_up``.

    >>> rounded_up(12.341, digits=3), rounded_up(1 / 3 * 3, digits=3)
    (12.4, 1.0)
    """
    counted = Decimal(f"{value:.12g}")
    place = Decimal(1).scaleb(counted.adjusted() + 1 - check.whole(1, digits=digits))
    return float(counted.quantize(place, ROUND_CEILING)) if counted else 0.0


def after(guarantee: Guarantee, before: tuple[PureRelease, ...]) -> Guarantee:
    """The guarantee of a release and of pure ones ``before`` it, for the same unit: basic composition.

    (epsilon + sum epsilon_i, delta) [dwork2014, Theorem 3.16].
    """
    if not before:
        return guarantee
    spent = math.fsum(release.epsilon for release in before)
    basis = f"{guarantee.basis}, and basic composition with {len(before)} pure before it"
    event = Sequence(events=(*before, guarantee.event))
    return replace(guarantee, epsilon=spent + guarantee.epsilon, basis=basis, event=event)


def for_group(guarantee: Guarantee, *, people: int) -> Guarantee:
    """What the guarantee for one unit means for ``people`` of them together: another guarantee, for another unit.

    (k epsilon, delta sum_{i<k} e^{i epsilon}): k neighbouring steps, each by the definition; for pure privacy
    [dwork2014, Theorem 2.2].
    """
    if check.whole(1, people=people) == 1:
        return guarantee
    unit, basis = f"group of {people}, each a {guarantee.unit}", f"{guarantee.basis}; group privacy"
    return replace(_in_steps(guarantee, people), unit=unit, basis=basis)


def for_replacement(guarantee: Guarantee) -> Guarantee:
    """What a guarantee under add/remove means under replace-one: one unit leaves, then another comes.

    (2 epsilon, (1 + e^epsilon) delta), and nothing else is known. The other direction does not hold, and raises
    RefusedError.
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise check.RefusedError("adjacency", str(guarantee.adjacency), str(Adjacency.ADD_REMOVE))
    basis = f"{guarantee.basis}, under add/remove; a replacement is a removal and an addition"
    return replace(_in_steps(guarantee, 2), adjacency=Adjacency.REPLACE_ONE, basis=basis)


def _in_steps(guarantee: Guarantee, steps: int) -> Guarantee:
    """P <= e^epsilon P' + delta, ``steps`` times over."""
    epsilon, delta = guarantee.epsilon, 0.0
    for _ in range(steps):
        delta = min(guarantee.delta + math.exp(min(epsilon, 700.0)) * delta, 1.0)
    known = ApproximateRelease(epsilon=min(steps * epsilon, 1e300), delta=delta)
    return replace(guarantee, epsilon=steps * epsilon, delta=delta, event=known)


# What a bound from both of an attack's rates takes for granted of a mechanism: that its worst pair of data sets is told
# apart exactly as two normal distributions are. True of Gaussian releases whose shift does not depend on earlier ones.
GAUSSIAN_CURVE = "Gaussian trade-off curve"


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """What an audit measured: with this ``confidence`` the mechanism spends at least ``epsilon`` at ``delta``.

    assumes: what the bound takes for granted of the mechanism; "" where it holds for any. It can refute a claim. It
    never proves one.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    confidence: float
    trials: int
    assumes: str = ""

    def refutes(self, claim: Guarantee, *, proved: str = "") -> bool:
        """Whether the measured bound lies above the claimed epsilon at a delta no larger than the bound's own.

        A bound that assumes something refutes nothing unless it is ``proved`` of the mechanism by the caller, who
        repeats it here. Raises IncomparableError where bound and claim speak of different things.
        """
        _refuse_other_types(claim)
        if (self.adjacency, self.unit) != (claim.adjacency, claim.unit):
            raise IncomparableError(f"measured under {self.adjacency}, claimed under {claim.adjacency}")
        if claim.delta > self.delta:
            raise IncomparableError(f"measured at delta {self.delta:g}, claimed at the larger {claim.delta:g}")
        return self.assumes in ("", proved) and self.epsilon > claim.epsilon
