"""The privacy cost of a search on private rows, for all of its runs or the best of its tries."""

from contextlib import suppress
from dataclasses import replace

from dpcore.accountants import tuning
from dpcore.cache import cached
from dpcore.privacy import (
    ApproximateRelease,
    Composed,
    Guarantee,
    PureRelease,
    Sequence,
    UnsupportedEventError,
)
from lab.experiment.settings import Settings

# The delta at which runs are composed of which none has one.
DELTA = 1e-6


@cached
def prices(settings: Settings, tries: int) -> dict[str, Guarantee]:
    """Return the guarantee of each way to release the result of a search; none if a run promises
    nothing.

    Args:
        settings: One try.
        tries: Number of tries, on average if it is secret.
    """
    guarantee = settings.guarantee
    if guarantee is None:
        return {}
    # The guarantee of a run is used if there is no theorem for its event.
    for event in (guarantee.event, _release_with(guarantee)):
        found = tuning.prices(
            event,
            tries=tries,
            delta=guarantee.delta or DELTA,
            adjacency=guarantee.adjacency,
            unit=guarantee.unit,
        )
        if found:
            break
    found["public"] = replace(guarantee, assumes=found["public"].assumes)
    return {
        way: replace(price, assumes=guarantee.assumes + price.assumes)
        for way, price in found.items()
    }


@cached
def together(runs: tuple[tuple[Settings, int], ...]) -> Guarantee | None:
    """Return the guarantee of several runs of each of some settings together.

    It is None if one of them promises nothing, or their neighbours or units differ.

    Args:
        runs: (settings, number of their runs).
    """
    guarantees = []
    for settings, count in runs:
        if settings.guarantee is None:
            return None
        guarantees.append((settings.guarantee, count))
    if len({(guarantee.adjacency, guarantee.unit) for guarantee, _ in guarantees}) > 1:
        return None
    first, _ = guarantees[0]
    delta = max(guarantee.delta for guarantee, _ in guarantees) or DELTA
    events = [Composed(event=guarantee.event, count=count) for guarantee, count in guarantees]
    pairs = [
        Composed(event=_release_with(guarantee), count=count) for guarantee, count in guarantees
    ]
    assumes: dict[str, None] = {}
    for guarantee, _ in guarantees:
        assumes.update(dict.fromkeys(guarantee.assumes))
    # The guarantees of runs are composed if there is no theorem for their events.
    for parts in (events, pairs):
        with suppress(UnsupportedEventError):
            price = tuning.price(
                Sequence(events=tuple(parts)),
                way="all",
                tries=1,
                delta=delta,
                adjacency=first.adjacency,
                unit=first.unit,
            )
            return replace(price, assumes=tuple(assumes))
    return None


def _release_with(guarantee: Guarantee) -> ApproximateRelease | PureRelease:
    """Return a release of which nothing but the guarantee is known."""
    if guarantee.delta:
        return ApproximateRelease(epsilon=guarantee.epsilon, delta=guarantee.delta)
    return PureRelease(epsilon=guarantee.epsilon)
