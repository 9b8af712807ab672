"""Privacy events, the guarantees that accountants derive from them, and the lower bounds that audits measure.

An event is a frozen value that describes a release. An accountant (``dpcore.accountants``) turns it into a
``Guarantee``. An audit (``dpcore.attacks.audit``) returns a ``LowerBound``. The two types are never interchangeable.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from dpcore import check


class Adjacency(StrEnum):
    """The adjacency relation between neighbouring data sets.

    ``REPLACE_ONE``: one unit has other values, and the number of units is public. ``ADD_REMOVE``: one unit is present
    or absent. The denominator of a released mean is then a public constant, and a public position stays empty.
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add/remove"

    @property
    def contributions(self) -> int:
        """Return how many clipped contributions of a sum can change: 2 under replace-one, 1 under add/remove."""
        return 2 if self is Adjacency.REPLACE_ONE else 1


@dataclass(frozen=True, kw_only=True)
class GaussianRelease:
    """A value released with Gaussian noise; ``noise_multiplier`` = standard deviation / L2 sensitivity.

    The sensitivity is that of the adjacency under which the event is accounted. 0 means no noise.
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
    """A selection by the exponential mechanism: (epsilon, 0)-DP and of epsilon-bounded range [durfee2019].

    Between neighbours, the log-probabilities of all outcomes change within one interval of length epsilon. An
    accountant that does not use this property treats the event as a ``PureRelease``.
    """


@dataclass(frozen=True, kw_only=True)
class NormExponentialRelease(PureRelease):
    """A vector of ``dimension`` coordinates with noise b of density ~ exp(-epsilon ||b||_2 / sensitivity).

    An accountant without a rule for it counts it as a pure release.
    """

    dimension: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check.whole(1, dimension=self.dimension)


@dataclass(frozen=True, kw_only=True)
class ApproximateRelease:
    """A release by a mechanism of which only (epsilon, delta)-differential privacy is known."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check.at_least(0, epsilon=self.epsilon)
        check.between(0, 1, delta=self.delta)


@dataclass(frozen=True, kw_only=True)
class PoissonSampled:
    """A release from a fresh Poisson sample that includes each unit independently with probability ``rate``.

    The noise multiplier of the inner event refers to the release from the sample. Under replace-one the sensitivity is
    that of two opposite contributions (one leaves, another enters), so the same noise has half the multiplier. Batches
    of a shuffled data set are not Poisson samples.
    """

    rate: float
    event: "Event"

    def __post_init__(self) -> None:
        check.between(0, 1, rate=self.rate)
        check.positive(rate=self.rate)


@dataclass(frozen=True, kw_only=True)
class Composed:
    """Adaptive composition of ``count`` releases of the same kind."""

    event: "Event"
    count: int

    def __post_init__(self) -> None:
        check.whole(1, count=self.count)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Adaptive composition of different releases, in order."""

    events: tuple["Event", ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.events, tuple) and self.events):
            raise check.RefusedError("events", self.events, "a tuple of at least one event")


# Distributions of the number of tries: shape of the truncated negative binomial, whose limit is Poisson.
LAWS = {"logarithmic": 0.0, "half": 0.5, "geometric": 1.0, "poisson": math.inf}


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """The best result of a random number of runs of ``event``, with mean ``tries``; only the best one is released.

    ``law``, a key of ``LAWS``, is the distribution of the number of tries. It is fixed in advance, and the number stays
    secret. If private rows are used to score the tries, the score is part of ``event``. If there are no tries, which a
    Poisson distribution allows, a fixed value is released.
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
    """Raised for an event, or an adjacency, for which an accountant has no proof; the message names it."""


def releases(event: Event) -> dict[Release, int]:
    """Return the distinct releases in ``event`` and how often each happens.

    Every accountant uses this function, so composition counts are multiplied in one place only.
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
    """Raised when guarantees or bounds refer to different adjacency relations, units or deltas."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """An (epsilon, delta)-differential privacy guarantee with everything needed to interpret it.

    epsilon, delta: in nats, and a probability; epsilon may be ``inf`` (no guarantee). adjacency: the adjacency
    relation. unit: the unit of privacy, "record", "person" or "party". basis: the theorem or library behind it. event:
    the event it was derived from. assumes: further conditions for it to hold, one sentence each.
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
        """Return the largest accuracy that any attacker with a 50:50 prior can reach.

        (e^epsilon + delta) / (1 + e^epsilon), which some (epsilon, delta) mechanism attains [kairouz2015, Theorem 2.1].
        """
        return 1.0 - (1.0 - self.delta) / (1.0 + math.exp(min(self.epsilon, 700.0)))


def delta_rounded_up(delta: float, *, digits: int) -> float:
    """Return the smallest number with ``digits`` significant digits that is at least ``delta``.

    A guarantee holds at every larger delta and need not hold at a smaller one, so a displayed delta is never rounded
    down. Relative differences below 1e-11 count as floating-point error.
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
    """Return the guarantee of a release together with the pure releases ``before`` it, by basic composition.

    (epsilon + sum epsilon_i, delta), for the same unit [dwork2014, Theorem 3.16].
    """
    if not before:
        return guarantee
    spent = math.fsum(release.epsilon for release in before)
    basis = f"{guarantee.basis}, and basic composition with {len(before)} pure before it"
    event = Sequence(events=(*before, guarantee.event))
    return replace(guarantee, epsilon=spent + guarantee.epsilon, basis=basis, event=event)


def for_group(guarantee: Guarantee, *, people: int) -> Guarantee:
    """Return the guarantee for a group of ``people`` units that follows from ``guarantee`` for one (group privacy).

    (k epsilon, delta sum_{i<k} e^{i epsilon}), from k steps between neighbours; for pure DP [dwork2014, Theorem 2.2].
    """
    if check.whole(1, people=people) == 1:
        return guarantee
    unit, basis = f"group of {people}, each a {guarantee.unit}", f"{guarantee.basis}; group privacy"
    return replace(_in_steps(guarantee, people), unit=unit, basis=basis)


def for_replacement(guarantee: Guarantee) -> Guarantee:
    """Return the replace-one guarantee that follows from an add/remove ``guarantee``: one removal and one addition.

    (2 epsilon, (1 + e^epsilon) delta), and nothing else is known. The converse does not hold.
    Raises RefusedError for a guarantee that is not under add/remove.
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise check.RefusedError("adjacency", str(guarantee.adjacency), str(Adjacency.ADD_REMOVE))
    basis = f"{guarantee.basis}, under add/remove; a replacement is a removal and an addition"
    return replace(_in_steps(guarantee, 2), adjacency=Adjacency.REPLACE_ONE, basis=basis)


def _in_steps(guarantee: Guarantee, steps: int) -> Guarantee:
    """Apply P <= e^epsilon P' + delta ``steps`` times in a row."""
    epsilon, delta = guarantee.epsilon, 0.0
    for _ in range(steps):
        delta = min(guarantee.delta + math.exp(min(epsilon, 700.0)) * delta, 1.0)
    known = ApproximateRelease(epsilon=min(steps * epsilon, 1e300), delta=delta)
    return replace(guarantee, epsilon=steps * epsilon, delta=delta, event=known)


# Assumption of an audit bound that uses both error rates: the worst-case pair of data sets is exactly as hard to
# distinguish as two normal distributions. It holds for Gaussian releases whose shift is independent of earlier ones.
GAUSSIAN_CURVE = "Gaussian trade-off curve"


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """An audit result: with this ``confidence`` the mechanism spends at least ``epsilon`` at ``delta``.

    assumes: what the bound assumes about the mechanism; "" if nothing. It can refute a claim but never proves one.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    confidence: float
    trials: int
    assumes: str = ""

    def refutes(self, claim: Guarantee, *, proved: str = "") -> bool:
        """Return whether the bound exceeds the epsilon of ``claim``, whose delta is at most the bound's.

        A bound with an assumption refutes nothing unless the caller confirms in ``proved`` that the mechanism meets it.
        Raises IncomparableError if adjacency, unit or delta do not match.
        """
        if not isinstance(claim, Guarantee):  # a ``LowerBound`` has similar fields but is not one
            raise IncomparableError(f"a guarantee is needed here, not {claim!r}")
        if (self.adjacency, self.unit) != (claim.adjacency, claim.unit):
            raise IncomparableError(f"measured under {self.adjacency}, claimed under {claim.adjacency}")
        if claim.delta > self.delta:
            raise IncomparableError(f"measured at delta {self.delta:g}, claimed at the larger {claim.delta:g}")
        return self.assumes in ("", proved) and self.epsilon > claim.epsilon
