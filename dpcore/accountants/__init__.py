"""Ways to count what a sequence of events costs. ``ACCOUNTANTS`` is the whole list."""

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, Event, Guarantee

ACCOUNTANTS = {"gdp": gdp.account}


def account(
    event: Event, *, delta: float, adjacency: Adjacency, unit: str = "record", accountant: str = "gdp"
) -> Guarantee:
    """The guarantee of ``event`` by the named accountant.

    Raises RefusedError for an unknown accountant, TypeError for an event that it does not prove.
    """
    chosen = ACCOUNTANTS[check.choice(ACCOUNTANTS, accountant=accountant)]
    return chosen(event, delta=delta, adjacency=adjacency, unit=unit)
