"""Count what hyperparameter tuning costs, where several settings are tried and one is released.

A try is one run with one setting, and a search is all tries. A *way* says what of a search is
released: the run of a setting that was chosen on public rows, the best of a random number of tries
(by the law of that number), or all tries. The price of a search is its guarantee.

Showing only the best of a fixed number of tries is not listed, because no better bound than for
releasing all of them is proved.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from dpcore import check
from dpcore.accountants import account, basic, calibrate, gdp
from dpcore.privacy import (
    LAWS,
    Adjacency,
    BestOf,
    Composed,
    Event,
    Guarantee,
    UnsupportedEventError,
    releases,
)

# Chosen on public rows; best of a random number of tries, by its distribution; all tries released.
WAYS = ("public", *LAWS, "all")
BASES = {
    "logarithmic": "best of a logarithmic number of tries (Papernot and Steinke 2022, Theorem 2)",
    "half": (
        "best of a negative binomial number of tries, shape 1/2 (Papernot and Steinke 2022,"
        " Theorem 2)"
    ),
    "geometric": "best of a geometric number of tries (Papernot and Steinke 2022, Theorem 2)",
    "poisson": "best of a Poisson number of tries (Papernot and Steinke 2022, Theorem 6)",
}
ON_PUBLIC = "the choice was made on public rows alone"
ASSUMES = (
    "the law of the number of tries was fixed beforehand, and the number stays secret",
    "what ranks the tries is part of each of them, or was computed on public rows",
)
_NOISE_BRACKET = (0.05, 1e6)  # bracket of ``try_for``
_LARGEST_DELTA = math.nextafter(1, 0)  # largest delta that an accountant accepts


def released(event: Event, *, way: str, tries: int) -> Event:
    """Return the event of a whole search on the private rows.

    event: of one try. tries: their number, or its mean for the best of a random number.
    """
    check.whole(1, check.MOST_STEPS, tries=tries)
    check.choice(WAYS, way=way)
    if way in LAWS:
        return BestOf(event=event, law=way, tries=tries)
    if way == "all":
        return Composed(event=event, count=tries)
    return Composed(event=event, count=1)


def price(
    event: Event, *, way: str, tries: int, delta: float, adjacency: Adjacency, unit: str = "record"
) -> Guarantee:
    """Return the guarantee of a whole search, by the best of the quick theorems.

    The best of a random number of tries is counted by [papernot2022]. If only (epsilon, delta) of a
    try is known, delta is at least the sum over all tries.

    Raises:
        UnsupportedEventError: this way has no proof for such a try.
    """
    search = released(event, way=way, tries=tries)
    failure = basic.total_failures(releases(search))
    delta = max(check.delta(delta=delta), min(failure.fixed, _LARGEST_DELTA))
    accountants: tuple[str, ...]
    if gdp.is_gaussian(search):
        accountants = ("gdp",)
    elif failure.per_slack > 0:
        accountants = ("renyi",)
    else:
        accountants = ("renyi", "basic")
    guarantees = []
    for accountant in accountants:
        guarantees.append(
            account(search, delta=delta, adjacency=adjacency, unit=unit, accountant=accountant)
        )
    best = min(guarantees, key=lambda guarantee: guarantee.epsilon)
    if way == "all":
        return best
    if way == "public":
        return replace(best, assumes=(ON_PUBLIC,))
    return replace(best, basis=f"{BASES[way]}; {best.basis}", assumes=ASSUMES)


def prices(event: Event, *, tries: int, **options) -> dict[str, Guarantee]:
    """Return ``price`` for each way that has a proof for such a try.

    >>> from dpcore.privacy import ApproximateRelease
    >>> run = ApproximateRelease(epsilon=1, delta=1e-6)
    >>> guarantees = prices(run, tries=5, delta=1e-6, adjacency=Adjacency.ADD_REMOVE)
    >>> {way: (guarantee.epsilon, guarantee.delta) for way, guarantee in guarantees.items()}
    {'public': (1.0, 1e-06), 'all': (5.0, 5e-06)}
    """
    guarantees = {}
    for way in WAYS:
        with suppress(UnsupportedEventError):
            guarantees[way] = price(event, way=way, tries=tries, **options)
    return guarantees


def try_for(
    family: Callable[[float], Event], *, epsilon: float, way: str, tries: int, **options
) -> Guarantee:
    """Return the guarantee of one try with the least noise such that `released` costs ``epsilon``.

    family: maps a noise multiplier to the event of one try. options: delta and adjacency.

    Raises:
        RefusedError: no noise multiplier from 0.05 on suffices.

    >>> from dpcore.privacy import GaussianRelease
    >>> gaussian = lambda noise: GaussianRelease(noise_multiplier=noise)
    >>> options = {"tries": 10, "delta": 1e-5, "adjacency": Adjacency.REPLACE_ONE}
    >>> tries = [try_for(gaussian, epsilon=1, way=way, **options) for way in ("all", "logarithmic")]
    >>> [round(guarantee.epsilon, 3) for guarantee in tries]
    [0.285, 0.501]
    """
    accountant = "renyi"
    if way not in LAWS and gdp.is_gaussian(family(1.0)):
        accountant = "gdp"

    def search(noise_multiplier: float) -> Event:
        """Return the event of a search whose tries have this noise."""
        return released(family(noise_multiplier), way=way, tries=tries)

    noise_multiplier = calibrate(
        search,
        epsilon=epsilon,
        bracket=_NOISE_BRACKET,
        accountant=accountant,
        **options,
    )
    return price(family(noise_multiplier), way="public", tries=tries, **options)
