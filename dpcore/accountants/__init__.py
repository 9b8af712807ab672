"""Turn events into guarantees.

Each accountant is a function (event, counts, *, delta, adjacency) that returns the epsilon of the
event composed each of ``counts`` times. A tighter theorem lowers epsilon but never changes the
noise.
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

# Basis of a guarantee: the theorem or library behind each accountant.
BASES = {
    "naive": "basic composition",
    "strong": "advanced composition",
    "moments": "moments accountant (whole orders to 33, classic conversion)",
    "renyi": "RDP accountant",
    "pld-coarse": "PLD accountant (dp-accounting, coarse grid)",
    "pld": "PLD accountant (dp-accounting)",
    "gdp": "exact Gaussian composition (GDP)",
}

# Basis of Renyi accounting where it is that of sampled Gaussian noise.
_BASIS_OF_SAMPLES = "RDP accountant (orders to 1,024)"

# Faster accountants for the first steps of a search.
_SCOUTS = {"pld": "pld-coarse"}


def account(
    event: Event,
    *,
    delta: float,
    adjacency: Adjacency,
    unit: str = "record",
    accountant: str = "gdp",
) -> Guarantee:
    """Return the guarantee of ``event`` by the named accountant.

    Raises RefusedError for an unknown accountant, UnsupportedEventError for an event that it has no
    proof for.
    """
    (epsilon,) = curve(event, [1], delta=delta, adjacency=adjacency, accountant=accountant)
    return Guarantee(
        epsilon=float(epsilon),
        delta=delta,
        adjacency=adjacency,
        unit=unit,
        basis=basis(event, delta=delta, adjacency=adjacency, accountant=accountant),
        event=event,
    )


def basis(event: Event, *, delta: float, adjacency: Adjacency, accountant: str = "gdp") -> str:
    """Return the theorem or library behind the epsilon that ``account`` returns for the same
    arguments.

    Where rounding may hide as much as delta, or losses are too large, PLD accountants return that
    of Renyi orders.
    """
    resolution = {"pld-coarse": pld.COARSE, "pld": pld.FINE}.get(accountant)
    if resolution is not None:
        adjacency = Adjacency(adjacency)
        if pld.is_by_orders(event, delta=delta, adjacency=adjacency, resolution=resolution):
            accountant = "renyi"
    if accountant == "renyi" and rdp.orders_for(event) == rdp.ORDERS:
        return _BASIS_OF_SAMPLES
    return BASES[accountant]


def curve(
    event: Event,
    steps: Sequence[int] | np.ndarray,
    *,
    delta: float,
    adjacency: Adjacency,
    accountant: str = "gdp",
) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``steps`` times, as an array like ``steps``.

    Raises the same errors as ``account``.
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
    """Return the parameter in ``bracket`` at which ``family(parameter)`` costs ``epsilon`` and
    never more.

    Epsilon must be monotone in the parameter, which is positive (a noise multiplier, a sampling
    rate). The result is on the safe side, within a relative ``tolerance`` of the root. If the whole
    bracket is safe, it is the end with the least privacy. Raises RefusedError if no point of the
    bracket is safe.
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
    event: Event,
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency,
    accountant: str = "gdp",
    limit: int = 10**6,
) -> int:
    """Return the largest number of times, up to ``limit``, that ``event`` can be composed within
    ``epsilon``, or 0.
    """
    check.positive(epsilon=epsilon)
    low, high = (
        0,
        check.whole(1, limit=limit) + 1,
    )  # low is within epsilon, high is not or exceeds the limit

    def narrow(steps: np.ndarray, name: str) -> tuple[int, int]:
        steps = steps[(steps > low) & (steps < high)]
        good = curve(event, steps, delta=delta, adjacency=adjacency, accountant=name) <= epsilon
        return int(max([low, *steps[good]])), int(min([high, *steps[~good]]))

    if accountant in _SCOUTS:
        scout = _SCOUTS[accountant]
        near = most_steps(
            event, epsilon=epsilon, delta=delta, adjacency=adjacency, accountant=scout, limit=limit
        )
        low, high = narrow(np.array([near, int(near * 1.02) + 1]), accountant)
    at_once = 1 if accountant.startswith("pld") else 30
    while high - low > 1:
        inside = np.geomspace(max(low, 0.5), high, at_once + 2)[1:-1].round()
        low, high = narrow(np.unique(np.clip(inside, low + 1, high - 1)).astype(int), accountant)
    return low
