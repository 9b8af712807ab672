"""The privacy cost of a search on private rows."""

from dataclasses import replace

from dpcore.accountants import tuning
from dpcore.cache import cached
from dpcore.privacy import ApproximateRelease, Guarantee, PureRelease
from lab.experiment.settings import Settings

# The delta of the search if a try has none.
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


def _release_with(guarantee: Guarantee) -> ApproximateRelease | PureRelease:
    """Return a release of which nothing but the guarantee is known."""
    if guarantee.delta:
        return ApproximateRelease(epsilon=guarantee.epsilon, delta=guarantee.delta)
    return PureRelease(epsilon=guarantee.epsilon)
