"""What a search on private rows costs: all of its runs together, and the best of a number
of tries.
"""

from contextlib import suppress
from dataclasses import replace

from dpcore.accountants import tuning
from dpcore.cache import cached
from dpcore.privacy import (
    LAWS,
    ApproximateRelease,
    Composed,
    Guarantee,
    PureRelease,
    Sequence,
    UnsupportedEventError,
)
from lab.experiment.settings import Settings

# What several runs together are counted at, where one of them has no delta.
DELTA = 1e-6


@cached
def prices(settings: Settings, tries: int) -> dict[str, Guarantee]:
    """Way to release what a search of so many ``tries`` has found -> what that costs; none where a
    run promises nothing.
    """
    one = settings.promise
    if one is None:
        return {}
    for event in (one.event, _pair(one)):
        delta, adjacency, unit = one.delta or DELTA, one.adjacency, one.unit
        if found := tuning.prices(event, tries=tries, delta=delta, adjacency=adjacency, unit=unit):
            break
    found["public"] = replace(one, assumes=found["public"].assumes)
    return {
        way: replace(price, assumes=one.assumes + price.assumes) for way, price in found.items()
    }


def best_of(settings: Settings, tries: int) -> Guarantee | None:
    """Return the least that the best of a secret number of tries costs, ``tries`` on average; None
    where a run promises nothing.
    """
    found = (one for way, one in prices(settings, tries).items() if way in LAWS)
    return min(found, key=lambda one: (one.delta, one.epsilon), default=None)


@cached
def together(runs: tuple[tuple[Settings, int], ...]) -> Guarantee | None:
    """Return what so many runs of each of some settings promise together; None where one of them
    promises nothing, or they have different neighbours or units.
    """
    each = [(promise, count) for one, count in runs if (promise := one.promise) is not None]
    if len(each) < len(runs) or len({(one.adjacency, one.unit) for one, _ in each}) > 1:
        return None
    (first, _), delta = each[0], max(one.delta for one, _ in each) or DELTA
    whole = Sequence(events=tuple(Composed(event=one.event, count=count) for one, count in each))
    pairs = Sequence(events=tuple(Composed(event=_pair(one), count=count) for one, count in each))
    for events in (whole, pairs):
        with suppress(UnsupportedEventError):
            price = tuning.price(
                events, way="all", tries=1, delta=delta, adjacency=first.adjacency, unit=first.unit
            )
            assumes = dict.fromkeys(
                assumption for promise, _ in each for assumption in promise.assumes
            )
            return replace(price, assumes=tuple(assumes))
    return None


def _pair(one: Guarantee) -> ApproximateRelease | PureRelease:
    """A release of which nothing but the guarantee is known."""
    return (
        ApproximateRelease(epsilon=one.epsilon, delta=one.delta)
        if one.delta
        else PureRelease(epsilon=one.epsilon)
    )
