"""Ways to count what a sequence of events costs. ``ACCOUNTANTS`` is the whole list.

Each accountant is one function, (event, counts, *, delta, adjacency) -> the epsilon of the event taken each of
``counts`` times, one after another. A better theorem changes the epsilon, never the noise.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from dpcore import check
from dpcore.accountants import advanced, basic, gdp, pld, rdp
from dpcore.privacy import Adjacency, Event, Guarantee
from dpcore.roots import UnsafeError, safe_root

ACCOUNTANTS = {
    "naive": basic.epsilons,
    "strong": advanced.epsilons,
    "moments": rdp.moments,
    "renyi": rdp.renyi,
    "pld-coarse": pld.coarse,
    "pld": pld.epsilons,
    "gdp": gdp.epsilons,
}

# The words of a guarantee for the theorem, or the library, that gave it.
BASES = {
    "naive": "basic composition",
    "strong": "strong composition",
    "moments": "moments accountant (whole orders to 33, classic conversion)",
    "renyi": "Renyi orders, improved conversion",
    "pld-coarse": "privacy loss distribution (dp-accounting), on a coarse grid",
    "pld": "privacy loss distribution (dp-accounting)",
    "gdp": "exact Gaussian composition (GDP)",
}

# An accountant that answers sooner, for the first steps of a search.
_SCOUTS = {"pld": "pld-coarse"}


def account(
    event: Event, *, delta: float, adjacency: Adjacency, unit: str = "record", accountant: str = "gdp"
) -> Guarantee:
    """The guarantee of ``event`` by the named accountant.

    Raises RefusedError for an unknown accountant, UnsupportedEventError for an event that it does not prove.
    """
    (epsilon,) = curve(event, [1], delta=delta, adjacency=adjacency, accountant=accountant)
    basis = BASES[accountant]
    return Guarantee(epsilon=float(epsilon), delta=delta, adjacency=adjacency, unit=unit, basis=basis, event=event)


def curve(
    event: Event, steps: Sequence[int] | np.ndarray, *, delta: float, adjacency: Adjacency, accountant: str = "gdp"
) -> np.ndarray:
    """Epsilon of ``event`` taken each of ``steps`` times: a whole curve at once, as an array like ``steps``.

    Raises as ``account`` does.
    """
    chosen = ACCOUNTANTS[check.choice(ACCOUNTANTS, accountant=accountant)]
    counts = np.asarray(steps)
    for count in counts[(counts < 1) | (counts != np.floor(counts))]:
        raise check.RefusedError("steps", count, "whole numbers, at least 1")
    return chosen(event, counts, delta=delta, adjacency=Adjacency(adjacency))


def calibrate(
    family: Callable[[float], Event],
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency,
    accountant: str = "gdp",
    bracket: tuple[float, float],
    tolerance: float = 1e-6,
) -> float:
    """The parameter in ``bracket`` at which ``family(parameter)`` costs ``epsilon``, and never more.

    Epsilon rises or falls with the parameter, which is positive (a noise multiplier, a sampling rate). The answer is on
    the safe side, within about ``tolerance`` of the root, relatively; where the whole bracket is safe, it is its end of
    least privacy. Raises RefusedError where none of the bracket is safe.
    """
    check.positive(epsilon=epsilon)

    def search(name: str, low: float, high: float, tolerance: float) -> float:
        def excess(log_parameter: float) -> float:
            event = family(math.exp(log_parameter))
            found = account(event, delta=delta, adjacency=adjacency, accountant=name).epsilon
            return math.log(min(max(found, 1e-300), 1e300) / epsilon)

        try:
            return math.exp(safe_root(excess, math.log(low), math.log(high), tolerance))
        except UnsafeError as unsafe:
            least = f"at least {epsilon * math.exp(unsafe.excess):.4g}, the least in the bracket"
            raise check.RefusedError("epsilon", epsilon, least) from None

    low, high = bracket
    if not 0 < low < high < math.inf:
        raise check.RefusedError("bracket", bracket, "two rising, positive and finite numbers")
    if accountant in _SCOUTS:
        near = search(_SCOUTS[accountant], low, high, 1e-3)
        low, high, tolerance = max(low, near * 0.97), min(high, near * 1.03), max(tolerance, 1e-4)
    return search(accountant, low, high, tolerance)


def most_steps(
    event: Event, *, epsilon: float, delta: float, adjacency: Adjacency, accountant: str = "gdp", limit: int = 10**6
) -> int:
    """How many times ``event`` may be taken within ``epsilon``: the largest such number up to ``limit``, or 0."""
    check.positive(epsilon=epsilon)
    low, high = 0, check.whole(1, limit=limit) + 1  # low is within epsilon, high is not or not allowed

    def narrow(steps: np.ndarray, name: str) -> tuple[int, int]:
        steps = steps[(steps > low) & (steps < high)]
        good = curve(event, steps, delta=delta, adjacency=adjacency, accountant=name) <= epsilon
        return int(max([low, *steps[good]])), int(min([high, *steps[~good]]))

    if accountant in _SCOUTS:
        options = {"epsilon": epsilon, "delta": delta, "adjacency": adjacency, "limit": limit}
        near = most_steps(event, accountant=_SCOUTS[accountant], **options)
        low, high = narrow(np.array([near, int(near * 1.02) + 1]), accountant)
    at_once = 1 if accountant.startswith("pld") else 30
    while high - low > 1:
        inside = np.geomspace(max(low, 0.5), high, at_once + 2)[1:-1].round()
        low, high = narrow(np.unique(np.clip(inside, low + 1, high - 1)).astype(int), accountant)
    return low
