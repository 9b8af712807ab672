"""Root finding that always returns a point on the safe side of a sign change."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq


class UnsafeError(ValueError):
    """Raised when the whole bracket is unsafe; ``excess`` is the smaller of the two end values."""

    def __init__(self, excess: float):
        self.excess = excess


def safe_root(excess: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return a point where ``excess`` <= 0, within about ``tolerance`` of where it turns positive.

    ``excess`` is monotone between ``low`` and ``high``. If the whole bracket is safe, returns the
    end with the larger excess. Raises UnsafeError if none of it is safe.
    """
    ends = {low: excess(low), high: excess(high)}
    safe, other = sorted(ends, key=ends.__getitem__)
    if ends[safe] > 0:
        raise UnsafeError(ends[safe])
    if ends[other] <= 0:
        return other
    root = brentq(excess, low, high, xtol=tolerance / 4, rtol=4 * np.finfo(float).eps)
    step = math.copysign(tolerance / 4, safe - other)
    while excess(root) > 0 and (safe - root) * step > 0:
        root, step = root + step, 2 * step
    return min(root, safe) if step > 0 else max(root, safe)
