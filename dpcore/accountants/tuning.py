"""What it costs to have tried several settings and to release one: by what is released, and who could choose.

A fixed number of tries of which only the best is shown is no way of its own: no better price is proved than for all.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from dpcore import check
from dpcore.accountants import account, basic, calibrate, gdp
from dpcore.privacy import LAWS, Adjacency, BestOf, Composed, Event, Guarantee, UnsupportedEventError, releases

# Chosen on public rows; the best of a random number of tries alone, by the law of that number; all of them.
WAYS = ("public", *LAWS, "all")
BASES = {
    "logarithmic": "best of a logarithmic number of tries (Papernot and Steinke 2022, Theorem 2)",
    "half": "best of a negative binomial number of tries, shape 1/2 (Papernot and Steinke 2022, Theorem 2)",
    "geometric": "best of a geometric number of tries (Papernot and Steinke 2022, Theorem 2)",
    "poisson": "best of a Poisson number of tries (Papernot and Steinke 2022, Theorem 6)",
}
ON_PUBLIC = "the choice was made on public rows alone"
ASSUMES = (
    "the law of the number of tries was fixed beforehand, and the number stays secret",
    "what ranks the tries is part of each of them, or was computed on public rows",
)
_NOISES = (0.05, 1e6)  # where ``try_for`` searches
_MOST = math.nextafter(1, 0)  # the largest delta that an accountant takes


def released(event: Event, *, way: str, tries: int) -> Event:
    """What is done to the private rows where one try is ``event``, and there are ``tries``, or so many in the mean."""
    check.whole(1, tries=tries)
    if check.choice(WAYS, way=way) in LAWS:
        return BestOf(event=event, law=way, tries=tries)
    return Composed(event=event, count=tries if way == "all" else 1)


def price(event: Event, *, way: str, tries: int, delta: float, adjacency: Adjacency, unit: str = "record") -> Guarantee:
    """What ``released`` costs, by theorems that are as quick as a slider; the best of K by [papernot2022].

    Where only (epsilon, delta) of a try is known, delta is at least what those of all add up to. Raises
    UnsupportedEventError for a way that has no proof for such a try.
    """
    whole = released(event, way=way, tries=tries)
    fixed, shares = basic.total_failures(releases(whole))
    delta = max(check.between(0, 1, inclusive=False, delta=delta), min(fixed, _MOST))
    names = ("gdp",) if gdp.is_gaussian(whole) else ("renyi",) if shares else ("renyi", "naive")
    promise = {"delta": delta, "adjacency": adjacency, "unit": unit}
    best = min((account(whole, accountant=name, **promise) for name in names), key=lambda one: one.epsilon)
    if way in LAWS:
        return replace(best, basis=f"{BASES[way]}; {best.basis}", assumes=ASSUMES)
    return best if way == "all" else replace(best, assumes=(ON_PUBLIC,))


def prices(event: Event, *, tries: int, **promise) -> dict[str, Guarantee]:
    """``price`` by way, without the ways that have no proof for such a try.

    >>> from dpcore.privacy import ApproximateRelease
    >>> found = prices(ApproximateRelease(epsilon=1, delta=1e-6), tries=5, delta=1e-6, adjacency=Adjacency.ADD_REMOVE)
    >>> {way: (one.epsilon, one.delta) for way, one in found.items()}
    {'public': (1.0, 1e-06), 'all': (5.0, 5e-06)}
    """
    found = {}
    for way in WAYS:
        with suppress(UnsupportedEventError):
            found[way] = price(event, way=way, tries=tries, **promise)
    return found


def try_for(family: Callable[[float], Event], *, epsilon: float, way: str, tries: int, **promise) -> Guarantee:
    """What one try, ``family(noise multiplier)``, may cost so that what is released keeps ``epsilon``, and never more.

    promise: delta and adjacency. Raises RefusedError where no noise multiplier from .05 on is enough.

    >>> from dpcore.privacy import GaussianRelease
    >>> gaussian = lambda noise: GaussianRelease(noise_multiplier=noise)
    >>> promise = {"tries": 10, "delta": 1e-5, "adjacency": Adjacency.REPLACE_ONE}
    >>> [round(try_for(gaussian, epsilon=1, way=way, **promise).epsilon, 3) for way in ("all", "logarithmic")]
    [0.285, 0.501]
    """
    search = {"epsilon": epsilon, "bracket": _NOISES, **promise}
    search["accountant"] = "gdp" if way not in LAWS and gdp.is_gaussian(family(1.0)) else "renyi"
    noise = calibrate(lambda noise: released(family(noise), way=way, tries=tries), **search)
    return price(family(noise), way="public", tries=tries, **promise)
