"""Turn events into guarantees.

An event describes what a mechanism has released (``dpcore.privacy``). An accountant is a function
(event, counts, *, delta, adjacency) that returns the epsilon of the event composed each of
``counts`` times, by one theorem. A tighter theorem lowers epsilon but never changes the noise.
``account`` gives the guarantee of an event; ``calibrate`` finds the noise, and ``most_steps`` the
number of steps, that a given epsilon allows.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from dpcore import check
from dpcore.accountants import advanced, basic, gdp, pld, rdp, zcdp
from dpcore.privacy import Adjacency, Event, Guarantee
from dpcore.roots import UnsafeError, safe_root

ACCOUNTANTS = {
    "basic": basic.epsilons,
    "advanced": advanced.epsilons,
    "moments": rdp.moments,
    "renyi": rdp.renyi,
    "pld-coarse": pld.coarse,
    "pld": pld.epsilons,
    "gdp": gdp.epsilons,
    "zcdp": zcdp.epsilons,
}

# Basis of a guarantee: the theorem or library behind each accountant.
BASES = {
    "basic": "basic composition",
    "advanced": "advanced composition",
    "moments": "moments accountant (whole orders to 33, classic conversion)",
    "renyi": "RDP accountant",
    "pld-coarse": "PLD accountant (dp-accounting, coarse grid)",
    "pld": "PLD accountant (dp-accounting)",
    "gdp": "exact Gaussian composition (GDP)",
    "zcdp": "zCDP accountant",
}

# Basis of Renyi accounting where it is that of sampled Gaussian noise.
_BASIS_OF_SAMPLES = "RDP accountant (orders to 1,024)"

# The grid of each PLD accountant.
_RESOLUTIONS = {"pld-coarse": pld.COARSE, "pld": pld.FINE}

# Faster accountants for the first steps of a search.
_FASTER = {"pld": "pld-coarse"}
# How far the result of a faster accountant may lie from the root, how near it is found, and how
# near the slow one then finds the root; all relative.
_FASTER_ERROR = 0.03
_FASTER_TOLERANCE = 1e-3
_SLOW_TOLERANCE = 1e-4
# The slow accountant mostly allows at most so many more steps, relatively.
_FASTER_ERROR_OF_STEPS = 0.02
# A search compares logarithms, so it takes epsilons beyond these as equal to them.
_LEAST_EPSILON = 1e-300
_LARGEST_EPSILON = 1e300
# How many numbers of steps an accountant computes at once; the PLD ones take them one by one.
_STEPS_AT_ONCE = 30


def account(
    event: Event,
    *,
    delta: float,
    adjacency: Adjacency,
    unit: str = "record",
    accountant: str = "gdp",
) -> Guarantee:
    """Return the guarantee of ``event`` by the named accountant, a key of ``ACCOUNTANTS``.

    Raises:
        RefusedError: If there is no such accountant.
        UnsupportedEventError: If the accountant has no proof for ``event``.

    >>> from dpcore.privacy import Composed, GaussianRelease, PoissonSampled
    >>> step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=1.0))
    >>> run = Composed(event=step, count=1000)
    >>> options = {"delta": 1e-5, "adjacency": Adjacency.ADD_REMOVE}
    >>> for accountant in ("moments", "renyi", "pld"):
    ...     print(accountant, round(account(run, accountant=accountant, **options).epsilon, 2))
    moments 2.54
    renyi 2.1
    pld 1.83
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
    """Return the theorem or library behind the epsilon that `account` returns.

    Where rounding may hide as much as delta, or losses are too large, PLD accountants return that
    of Renyi orders.
    """
    if accountant in _RESOLUTIONS:
        resolution = _RESOLUTIONS[accountant]
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
    check.choice(ACCOUNTANTS, accountant=accountant)
    epsilons = ACCOUNTANTS[accountant]
    counts = np.asarray(steps)
    refused = counts[(counts < 1) | (counts != np.floor(counts))]
    if refused.size:
        raise check.RefusedError("steps", refused[0], "whole numbers, at least 1")
    return epsilons(event, counts, delta=delta, adjacency=Adjacency(adjacency))


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
    """Return the parameter in ``bracket`` at which ``family(parameter)`` costs at most ``epsilon``.

    Epsilon must be monotone in the parameter, which is positive (a noise multiplier, a sampling
    rate). The result is on the safe side, within a relative ``tolerance`` of the root. If the whole
    bracket is safe, it is the end with the least privacy.

    Raises:
        RefusedError: If no point of the bracket is safe.

    >>> from dpcore.privacy import GaussianRelease
    >>> noise = calibrate(
    ...     lambda multiplier: GaussianRelease(noise_multiplier=multiplier),
    ...     epsilon=1,
    ...     delta=1e-5,
    ...     adjacency=Adjacency.REPLACE_ONE,
    ...     bracket=(0.1, 100),
    ... )
    >>> round(noise, 3)
    3.731
    """
    check.positive(epsilon=epsilon)

    def search(name: str, low: float, high: float, tolerance: float) -> float:
        """Return a safe parameter within ``tolerance`` of the root, by the named accountant."""

        def excess(log_parameter: float) -> float:
            """Return ln(epsilon of the family / epsilon), finite even where either overflows."""
            event = family(math.exp(log_parameter))
            guarantee = account(event, delta=delta, adjacency=adjacency, accountant=name)
            finite = min(max(guarantee.epsilon, _LEAST_EPSILON), _LARGEST_EPSILON)
            return math.log(finite / epsilon)

        try:
            log_parameter = safe_root(excess, math.log(low), math.log(high), tolerance)
        except UnsafeError as unsafe:
            least = epsilon * math.exp(unsafe.excess)
            allowed = f"at least {least:.4g}, the least in the bracket"
            raise check.RefusedError("epsilon", epsilon, allowed) from None
        return math.exp(log_parameter)

    low, high = bracket
    if not 0 < low < high < math.inf:
        raise check.RefusedError("bracket", bracket, "two rising, positive and finite numbers")
    if accountant in _FASTER:
        near = search(_FASTER[accountant], low, high, _FASTER_TOLERANCE)
        low = max(low, near * (1 - _FASTER_ERROR))
        high = min(high, near * (1 + _FASTER_ERROR))
        tolerance = max(tolerance, _SLOW_TOLERANCE)
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
    """Return how many times ``event`` can be composed within ``epsilon``, from 0 to ``limit``.

    >>> from dpcore.privacy import GaussianRelease
    >>> release = GaussianRelease(noise_multiplier=20.0)
    >>> most_steps(release, epsilon=1, delta=1e-5, adjacency=Adjacency.REPLACE_ONE)
    28
    """
    check.positive(epsilon=epsilon)
    low = 0  # within epsilon
    high = check.whole(1, limit=limit) + 1  # not within epsilon, or beyond the limit

    def narrowed(steps: np.ndarray) -> tuple[int, int]:
        """Return (most steps within epsilon, fewest beyond it) after a look at ``steps``."""
        steps = steps[(steps > low) & (steps < high)]
        epsilons = curve(event, steps, delta=delta, adjacency=adjacency, accountant=accountant)
        is_within = epsilons <= epsilon
        most_within = max([low, *steps[is_within]])
        fewest_beyond = min([high, *steps[~is_within]])
        return int(most_within), int(fewest_beyond)

    if accountant in _FASTER:
        near = most_steps(
            event,
            epsilon=epsilon,
            delta=delta,
            adjacency=adjacency,
            accountant=_FASTER[accountant],
            limit=limit,
        )
        beyond = int(near * (1 + _FASTER_ERROR_OF_STEPS)) + 1
        low, high = narrowed(np.array([near, beyond]))
    at_once = _STEPS_AT_ONCE
    if accountant in _RESOLUTIONS:
        at_once = 1
    while high - low > 1:
        # A geometric series has no 0.
        series = np.geomspace(max(low, 0.5), high, at_once + 2)
        inside = np.clip(series[1:-1].round(), low + 1, high - 1)
        low, high = narrowed(np.unique(inside).astype(int))
    return low
