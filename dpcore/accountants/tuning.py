"""Privacy cost of hyperparameter tuning: try several settings and release one.

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
    """Return the event on the private rows if one try is ``event`` and ``tries`` is their number
    (or its mean).
    """
    check.whole(1, check.MOST_STEPS, tries=tries)
    if check.choice(WAYS, way=way) in LAWS:
        return BestOf(event=event, law=way, tries=tries)
    return Composed(event=event, count=tries if way == "all" else 1)


def price(
    event: Event, *, way: str, tries: int, delta: float, adjacency: Adjacency, unit: str = "record"
) -> Guarantee:
    """Return the guarantee of ``released``, by [papernot2022] for the best of K and other quick
    theorems.

    If only (epsilon, delta) of a try is known, delta is at least the sum over all tries. Raises
    UnsupportedEventError for a way without a proof for such a try.
    """
    whole = released(event, way=way, tries=tries)
    fixed, shares = basic.total_failures(releases(whole))
    delta = max(check.delta(delta=delta), min(fixed, _LARGEST_DELTA))
    names = ("gdp",) if gdp.is_gaussian(whole) else ("renyi",) if shares else ("renyi", "naive")
    found = (
        account(whole, delta=delta, adjacency=adjacency, unit=unit, accountant=name)
        for name in names
    )
    best = min(found, key=lambda one: one.epsilon)
    if way in LAWS:
        return replace(best, basis=f"{BASES[way]}; {best.basis}", assumes=ASSUMES)
    return best if way == "all" else replace(best, assumes=(ON_PUBLIC,))


def prices(event: Event, *, tries: int, **options) -> dict[str, Guarantee]:
    """Return ``price`` for each way that has a proof for such a try.

    >>> from dpcore.privacy import ApproximateRelease
    >>> run = ApproximateRelease(epsilon=1, delta=1e-6)
    >>> found = prices(run, tries=5, delta=1e-6, adjacency=Adjacency.ADD_REMOVE)
    >>> {way: (one.epsilon, one.delta) for way, one in found.items()}
    {'public': (1.0, 1e-06), 'all': (5.0, 5e-06)}
    """
    found = {}
    for way in WAYS:
        with suppress(UnsupportedEventError):
            found[way] = price(event, way=way, tries=tries, **options)
    return found


def try_for(
    family: Callable[[float], Event], *, epsilon: float, way: str, tries: int, **options
) -> Guarantee:
    """Return the guarantee of one try, ``family(noise multiplier)``, such that ``released`` costs
    at most ``epsilon``.

    options: delta and adjacency. Raises RefusedError if no noise multiplier from .05 on suffices.
    >>> from dpcore.privacy import GaussianRelease
    >>> gaussian = lambda noise: GaussianRelease(noise_multiplier=noise)
    >>> options = {"tries": 10, "delta": 1e-5, "adjacency": Adjacency.REPLACE_ONE}
    >>> tries = [try_for(gaussian, epsilon=1, way=way, **options) for way in ("all", "logarithmic")]
    >>> [round(one.epsilon, 3) for one in tries]
    [0.285, 0.501]
    """
    search = {"epsilon": epsilon, "bracket": _NOISE_BRACKET, **options}
    search["accountant"] = "gdp" if way not in LAWS and gdp.is_gaussian(family(1.0)) else "renyi"
    noise = calibrate(lambda noise: released(family(noise), way=way, tries=tries), **search)
    return price(family(noise), way="public", tries=tries, **options)
