"""Where a function changes its sign, from the side on which it is safe."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq


class UnsafeError(ValueError):
    """No end of a bracket is safe; ``excess`` is the smaller one."""

    def __init__(self, excess: float):
        self.excess = excess


def safe_root(excess: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A point where ``excess`` <= 0, at most about ``tolerance`` from where it turns positive.

    ``excess`` rises or falls from ``low`` to ``high``. Where all of it is safe, the end with the larger excess. Raises
    UnsafeError where none is.
    """
    ends = {low: excess(low), high: excess(high)}
    safe, other = sorted(ends, key=ends.get)
    if ends[safe] > 0:
        raise UnsafeError(ends[safe])
    if ends[other] <= 0:
        return other
    root = brentq(excess, low, high, xtol=tolerance / 4, rtol=4 * np.finfo(float).eps)
    step = math.copysign(tolerance / 4, safe - other)
    while excess(root) > 0 and (safe - root) * step > 0:
        root, step = root + step, 2 * step
    return min(root, safe) if step > 0 else max(root, safe)
