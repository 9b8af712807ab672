"""Values of a parameter of settings: grids around the present value, and steps to either side."""

import math
from collections.abc import Sequence

import numpy as np

from lab.experiment.settings import Settings

# A range of more than this factor has a logarithmic scale. A range that ends below 1 needs a larger
# factor, because shares that do not start near 0 have a linear scale.
_LOG_FACTOR = 20.0
_LOG_FACTOR_OF_SHARES = 1000.0
# A grid on a logarithmic scale extends by this factor to either side, in so many steps each.
REACH = 30.0
STEPS = 24
# A single step is a third of a decade on a logarithmic scale, a tenth of the range on a linear one.
DECADE = 10 ** (1 / 3)
RANGE = 0.1
_DIGITS = 3
# Strides with which a grid is refined, until all values are covered.
_STRIDES = (8, 4, 2, 1)


def log_scale(low: float, high: float) -> bool:
    """Return whether a parameter with these limits has a logarithmic scale.

    >>> log_scale(0.01, 150.0), log_scale(0, 500), log_scale(0.02, 0.98), log_scale(1e-9, 1e-2)
    (True, False, False, True)
    """
    if low <= 0:
        return False
    if high < 1:
        return high / low >= _LOG_FACTOR_OF_SHARES
    return high / low >= _LOG_FACTOR


def grid(
    settings: Settings, name: str, *, steps: int = STEPS, reach: float = REACH
) -> tuple[float, ...]:
    """Return ascending values of a parameter within its limits, the present one among them.

    On a logarithmic scale, they are ``steps`` values to either side within a factor of ``reach``,
    else as many over the whole range.
    """
    low, high = settings.limits[name]
    present = getattr(settings, name)
    if log_scale(low, high):
        values = _log_values(low, high, present, steps=steps, reach=reach)
    else:
        values = np.linspace(low, high, 2 * steps + 1).tolist()
    rounded = {present}
    for value in values:
        shown = rounded_as_shown(value, whole=isinstance(low, int))
        if low <= shown <= high:
            rounded.add(shown)
    return tuple(sorted(rounded))


def _log_values(
    low: float, high: float, present: float, *, steps: int, reach: float
) -> list[float]:
    """Return powers of one factor around the present value, and the limits if they are near.

    The powers are the same wherever the present value is, so their results are found in the cache
    again. The nearest one gives way to the present value.
    """
    nearest = round(steps * math.log(present, reach))
    exponents = range(nearest - steps, nearest + steps + 1)
    values = [reach ** (exponent / steps) for exponent in exponents if exponent != nearest]
    return [value for value in (*values, low, high) if present / reach <= value <= present * reach]


def rounded_as_shown(value: float, *, whole: bool) -> float:
    """Return a value with the digits that a slider shows."""
    if whole:
        return round(value)
    return float(f"{value:.{_DIGITS}g}")


def coarse_to_fine(values: Sequence[float], present: float) -> list[list[float]]:
    """Return ``values``, which contain the present one, in batches of growing detail.

    The first batch is the present value, the next every eighth value from there and both ends, then
    every fourth, every second, and the rest.
    """
    start = values.index(present)
    last = len(values) - 1
    seen = {present}
    batches = [[present]]
    for stride in _STRIDES:
        batch = []
        for index, value in enumerate(values):
            is_due = (index - start) % stride == 0 or index in (0, last)
            if is_due and value not in seen:
                batch.append(value)
        seen.update(batch)
        if batch:
            batches.append(batch)
    return batches


def neighbours(settings: Settings, name: str) -> tuple[float, ...]:
    """Return the values of a parameter one step down and one step up, as far as its limits allow.

    A step is a third of a decade on a logarithmic scale, a tenth of the range on a linear one.
    """
    low, high = settings.limits[name]
    present = getattr(settings, name)
    if low == high:
        return ()
    if log_scale(low, high):
        steps = (present / DECADE, present * DECADE)
    else:
        steps = (present - RANGE * (high - low), present + RANGE * (high - low))
    values = []
    for step in steps:
        shown = rounded_as_shown(step, whole=isinstance(low, int))
        value = min(max(shown, low), high)
        if value != present:
            values.append(value)
    return tuple(values)
