"""Find roots so that the result is always on the safe side of the sign change.

An excess is a cost minus its limit. A point is safe if its excess is at most 0.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

# The smallest relative tolerance that brentq accepts.
_LEAST_RELATIVE_TOLERANCE = 4 * np.finfo(float).eps


class UnsafeError(ValueError):
    """Raised when the whole bracket is unsafe; ``excess`` is the smaller of the two end values."""

    def __init__(self, excess: float):
        self.excess = excess


def safe_root(excess: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return a point where ``excess`` <= 0, within about ``tolerance`` of where it turns positive.

    ``excess`` is monotone between ``low`` and ``high``. If the whole bracket is safe, returns the
    end with the larger excess.

    Raises:
        UnsafeError: If none of it is safe.
    """
    excess_of_low = excess(low)
    excess_of_high = excess(high)
    if excess_of_low <= excess_of_high:
        safe = low
        other = high
    else:
        safe = high
        other = low
    smaller = min(excess_of_low, excess_of_high)
    if smaller > 0:
        raise UnsafeError(smaller)
    if max(excess_of_low, excess_of_high) <= 0:
        return other
    root = brentq(excess, low, high, xtol=tolerance / 4, rtol=_LEAST_RELATIVE_TOLERANCE)
    # Steps towards the safe end, each twice as long as the one before.
    step = math.copysign(tolerance / 4, safe - other)
    while excess(root) > 0 and (safe - root) * step > 0:
        root = root + step
        step = 2 * step
    if step > 0:
        return min(root, safe)
    return max(root, safe)
