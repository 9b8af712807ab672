"""Privacy events and guarantees.

A mechanism leaves an event, a frozen value that describes what was released. An accountant
(``dpcore.accountants``) turns an event into a ``Guarantee``, an upper bound on epsilon. Audits
measure lower bounds, which have a type of their own (``dpcore.attacks.lower_bound``).
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from dpcore import check

# Larger exponents overflow a float: e^709.8 is the largest.
_LARGEST_EXPONENT = 700.0
# Of an event, whose epsilon must be finite.
_LARGEST_EPSILON = 1e300


class Adjacency(StrEnum):
    """The relation between two neighbouring data sets.

    REPLACE_ONE: one unit has other values, and the number of units is public.
    ADD_REMOVE: one unit is present or absent. The denominator of a released mean is then a public
        constant, and the place of an absent unit stays empty.
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add/remove"

    @property
    def contributions(self) -> int:
        """Return how many contributions to a sum can differ between neighbours.

        A replaced unit takes one contribution away and brings another.
        """
        if self is Adjacency.REPLACE_ONE:
            return 2
        return 1


@dataclass(frozen=True, kw_only=True)
class GaussianRelease:
    """A value released with Gaussian noise.

    Attributes:
        noise_multiplier: Standard deviation of the noise over the L2 sensitivity, which is that of
            the adjacency under which the event is accounted. 0 means no noise.
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        multiplier = check.at_least(0, noise_multiplier=self.noise_multiplier)
        if multiplier > 0:
            check.squarable(noise_multiplier=multiplier)
        check.set_floats(self, noise_multiplier=multiplier)


@dataclass(frozen=True, kw_only=True)
class LaplaceRelease:
    """A value released with Laplace noise.

    Attributes:
        noise_multiplier: Scale of the noise over the L1 sensitivity, which is 1 / epsilon.
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        check.set_floats(
            self, noise_multiplier=check.squarable(noise_multiplier=self.noise_multiplier)
        )


@dataclass(frozen=True, kw_only=True)
class PureRelease:
    """A release by a mechanism that is (epsilon, 0)-differentially private."""

    epsilon: float

    def __post_init__(self) -> None:
        check.set_floats(self, epsilon=check.positive(epsilon=self.epsilon))


@dataclass(frozen=True, kw_only=True)
class BoundedRangeRelease(PureRelease):
    """A selection by the exponential mechanism, which has epsilon-bounded range [durfee2019].

    Between neighbours, the log-probabilities of all outcomes change within one interval of length
    epsilon. An accountant that does not use this treats the event as a ``PureRelease``.
    """


@dataclass(frozen=True, kw_only=True)
class NormExponentialRelease(PureRelease):
    """A vector with noise b of density proportional to exp(-epsilon ||b||_2 / sensitivity).

    An accountant without a rule for it treats the event as a ``PureRelease``.

    Attributes:
        dimension: Number of coordinates of the vector.
    """

    dimension: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check.whole(1, dimension=self.dimension)


@dataclass(frozen=True, kw_only=True)
class ApproximateRelease:
    """A release of which only (epsilon, delta)-differential privacy is known."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        epsilon = check.at_least(0, epsilon=self.epsilon)
        delta = check.between(0, 1, delta=self.delta)
        check.set_floats(self, epsilon=epsilon, delta=delta)


@dataclass(frozen=True, kw_only=True)
class PoissonSampled:
    """A release from a fresh Poisson sample.

    Batches of a shuffled data set are not Poisson samples.

    Attributes:
        rate: Probability with which each unit is in the sample, independently.
        event: The release from the sample. Under replace-one its sensitivity is that of two
            opposite contributions, so the same noise has half the noise multiplier.
    """

    rate: float
    event: "Event"

    def __post_init__(self) -> None:
        check.positive(rate=self.rate)
        check.set_floats(self, rate=check.between(0, 1, rate=self.rate))


@dataclass(frozen=True, kw_only=True)
class Composed:
    """Adaptive composition of ``count`` releases of the same kind."""

    event: "Event"
    count: int

    def __post_init__(self) -> None:
        check.whole(1, check.MOST_STEPS, count=self.count)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Adaptive composition of different releases, in order."""

    events: tuple["Event", ...]

    def __post_init__(self) -> None:
        is_tuple = isinstance(self.events, tuple)
        if not is_tuple or not self.events:
            raise check.RefusedError("events", self.events, "a tuple of at least one event")


# Distributions of the number of tries of a search: the shape of the truncated negative binomial
# distribution, whose limit is the Poisson distribution.
LAWS = {"logarithmic": 0.0, "half": 0.5, "geometric": 1.0, "poisson": math.inf}


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """The best result of a random number of runs of ``event``. The other results stay secret.

    If private rows score the tries, the score is part of ``event``. If there are no tries, which a
    Poisson distribution allows, a fixed value is released.

    Attributes:
        event: One try.
        law: Distribution of the number of tries, a key of ``LAWS``. It is fixed in advance, and
            the number stays secret.
        tries: Mean number of tries.
    """

    event: "Event"
    law: str
    tries: int

    def __post_init__(self) -> None:
        check.choice(LAWS, law=self.law)
        check.whole(1, check.MOST_STEPS, tries=self.tries)


Release = (
    GaussianRelease | LaplaceRelease | PureRelease | ApproximateRelease | PoissonSampled | BestOf
)
Event = Release | Composed | Sequence


class UnsupportedEventError(TypeError):
    """Raised for an event or adjacency for which an accountant has no proof, and names it."""


def releases(event: Event) -> dict[Release, int]:
    """Return each distinct release in ``event`` with the number of times that it happens.

    Every accountant uses this function, so counts are multiplied in one place only.

    Raises:
        UnsupportedEventError: If ``event`` or a part of it is no event.

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
        case GaussianRelease() | LaplaceRelease() | PureRelease() | ApproximateRelease():
            return {event: 1}
        case PoissonSampled() | BestOf():
            return {event: 1}
        case _:
            raise UnsupportedEventError(f"{event!r} is no event")


_PLURALS = {"record": "rows", "person": "people", "party": "parties"}


def public_count(adjacency: Adjacency, *, unit: str = "record") -> tuple[str, ...]:
    """Return the assumption behind noise, steps or sampling rates that follow the number of units.

    Under add/remove that number differs between neighbours, so it must be public beside the
    guarantee. Under replace-one the adjacency relation itself says that it is.

    >>> public_count(Adjacency.ADD_REMOVE, unit="person")
    ('the number of people is public',)
    """
    if adjacency is Adjacency.REPLACE_ONE:
        return ()
    plural = _PLURALS.get(unit, f"{unit}s")
    return (f"the number of {plural} is public",)


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """An (epsilon, delta)-differential privacy guarantee, with all that is needed to read it.

    Attributes:
        epsilon: In nats; infinite if there is no guarantee.
        delta: A probability.
        adjacency: The relation between neighbouring data sets.
        unit: The unit of privacy: "record", "person" or "party".
        basis: The theorem or library behind the guarantee.
        event: The event that it was derived from.
        assumes: Further conditions under which it holds, one sentence each.
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
            check.set_floats(self, epsilon=check.at_least(0, epsilon=self.epsilon))
        check.set_floats(self, delta=check.between(0, 1, delta=self.delta))

    @property
    def attacker_accuracy(self) -> float:
        """Return the largest accuracy of any attacker who guesses between two neighbours.

        (e^epsilon + delta) / (1 + e^epsilon) for equal prior probabilities, which some (epsilon,
        delta) mechanism attains [kairouz2015, Theorem 2.1].
        """
        odds = math.exp(min(self.epsilon, _LARGEST_EXPONENT))
        return 1.0 - (1.0 - self.delta) / (1.0 + odds)


def delta_rounded_up(delta: float, *, digits: int) -> float:
    """Return the smallest number with ``digits`` significant digits that is at least ``delta``.

    A guarantee holds at every larger delta but not at a smaller one, so a displayed delta is never
    rounded down. Relative differences below 1e-11 count as floating-point error.

    >>> delta_rounded_up(0.00010221, digits=3), delta_rounded_up(3 * 1e-5, digits=3)
    (0.000103, 3e-05)
    """
    delta = check.between(0, 1, delta=delta)
    return rounded_up(delta, digits=digits)


def rounded_up(value: float, *, digits: int) -> float:
    """Return the smallest number with ``digits`` significant digits that is at least ``value``.

    >>> rounded_up(12.341, digits=3), rounded_up(1 / 3 * 3, digits=3)
    (12.4, 1.0)
    """
    check.whole(1, digits=digits)
    # Twelve digits remove the floating-point error that would otherwise be rounded up.
    decimal = Decimal(f"{value:.12g}")
    if decimal == 0:
        return 0.0
    last_digit = Decimal(1).scaleb(decimal.adjusted() + 1 - digits)
    return float(decimal.quantize(last_digit, ROUND_CEILING))


def after(guarantee: Guarantee, before: tuple[PureRelease, ...]) -> Guarantee:
    """Return the guarantee of a release together with earlier pure releases.

    (epsilon + sum_i epsilon_i, delta) by basic composition [dwork2014, Theorem 3.16].

    Args:
        guarantee: That of the last release alone.
        before: Earlier releases about the same units.
    """
    if not before:
        return guarantee
    spent = math.fsum(release.epsilon for release in before)
    all_events = Sequence(events=(*before, guarantee.event))
    return replace(
        guarantee,
        epsilon=spent + guarantee.epsilon,
        basis=f"{guarantee.basis}, and basic composition with {len(before)} pure before it",
        event=all_events,
    )


def for_group(guarantee: Guarantee, *, people: int) -> Guarantee:
    """Return the guarantee for a group of ``people`` units, by group privacy.

    (k epsilon, delta sum_{i < k} e^{i epsilon}) [dwork2014, Theorem 2.2 for delta = 0].
    """
    check.whole(1, people=people)
    if people == 1:
        return guarantee
    return replace(
        _at_distance(guarantee, people),
        unit=f"group of {people}, each a {guarantee.unit}",
        basis=f"{guarantee.basis}; group privacy",
    )


def for_replacement(guarantee: Guarantee) -> Guarantee:
    """Return the replace-one guarantee that follows from an add/remove guarantee.

    (2 epsilon, (1 + e^epsilon) delta): a replacement is one removal and one addition. The converse
    does not hold.

    Raises:
        RefusedError: If ``guarantee`` is not under add/remove.
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise check.RefusedError("adjacency", str(guarantee.adjacency), str(Adjacency.ADD_REMOVE))
    return replace(
        _at_distance(guarantee, 2),
        adjacency=Adjacency.REPLACE_ONE,
        basis=(f"{guarantee.basis}, under add/remove; a replacement is a removal and an addition"),
    )


def _at_distance(guarantee: Guarantee, distance: int) -> Guarantee:
    """Return the guarantee for data sets that are ``distance`` pairs of neighbours apart.

    Each pair adds one more application of P(S) <= e^epsilon P'(S) + delta.
    """
    growth = math.exp(min(guarantee.epsilon, _LARGEST_EXPONENT))
    delta = 0.0
    for _ in range(distance):
        delta = min(guarantee.delta + growth * delta, 1.0)
    epsilon = distance * guarantee.epsilon
    event = ApproximateRelease(epsilon=min(epsilon, _LARGEST_EPSILON), delta=delta)
    return replace(guarantee, epsilon=epsilon, delta=delta, event=event)
