"""Find the value of a parameter from which on a measure reaches a target, with its confidence
interval.

The measure only gets better along the parameter. Repeats should have random numbers in common over
the values; the answer holds without that.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from dpcore import check
from dpcore.attacks.audit import clopper_pearson

Verdict = Literal["found", "everywhere", "nowhere", "unclear"]
# A median reaches what half of the runs do.
_HALF = 0.5
# Keeps a ratio finite whose denominator is 0.
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """The value from which on the target is reached.

    Attributes:
        verdict: "found"; "everywhere" or "nowhere" among the values; "unclear" if there are too few
            repeats to decide.
        best: The best median (or share of repeats).
        at: The value of ``best``.
        point: The estimate.
        low: Lower end of its interval; None if it is open beyond the values.
        high: Upper end of its interval; None if it is open beyond the values.
        safe: From this value on, the target is shown to be reached.
        tested: The first tested value from the point on.
        share_at_tested: Share of the single repeats that reach the target at ``tested``.
        share_safe: Share of the single repeats that reach the target at ``safe``.
    """

    verdict: Verdict
    best: float | None = None
    at: float | None = None
    point: float | None = None
    low: float | None = None
    high: float | None = None
    safe: float | None = None
    tested: float | None = None
    share_at_tested: float | None = None
    share_safe: float | None = None


@dataclass(frozen=True, kw_only=True)
class Solution(Crossing):
    """A crossing that was found, so that its fields are numbers."""

    verdict: Literal["found"] = "found"
    point: float
    safe: float
    tested: float
    share_at_tested: float
    share_safe: float


def smallest(
    values: np.ndarray,
    runs: np.ndarray,
    target: float,
    *,
    better: str = "higher",
    share: float | None = None,
    towards: str = "small",
    log: bool = True,
    confidence: float = 0.95,
) -> Crossing:
    """Return the smallest of ``values`` (V,) from which on the median of ``runs`` (V, R) reaches
    ``target``.

    The value ``safe`` is tested in a fixed sequence, from the best end as long as each lower limit
    is above the target, so their number needs no correction. The crossing lies beyond the last of
    the leading values whose upper limits miss the target, and at ``safe`` at the latest.

    The median reaches the target if half of all repeats do. Limits of that share are exact
    [clopper1934], for the median each at (1 + confidence) / 2, so that both ends hold together, for
    a ``share`` each at ``confidence``. The point is where the isotonic regression crosses the
    target, linear in the value or its logarithm.

    Args:
        values: Rising values of the parameter. Values with a NaN in ``runs`` are left out.
        runs: The repeats at each value, two at least, which are independent.
        target: What is to be reached.
        better: "higher" or "lower" values of the measure.
        share: Share of all repeats that has to reach the target; None asks for the median.
        towards: "small" for a measure that gets better along the parameter. "large" for one that
            gets worse: the largest value up to which the target is reached is then found.
        log: Whether the point is interpolated in the logarithm of the value.
        confidence: Confidence of the interval.

    >>> rising = np.array([[0.5, 0.6, 0.5] * 2, [0.6, 0.8, 0.7] * 2, [0.9, 0.9, 0.8] * 2])
    >>> found = smallest([0.1, 1.0, 10.0], rising, 0.65)
    >>> found.verdict, found.point, found.low, found.safe, found.tested, found.share_at_tested
    ('found', 0.562, 0.1, 10.0, 1.0, 0.667)
    """
    values, runs = _checked(values, runs, log=log)
    check.choice(("small", "large"), towards=towards)
    # The trained values, from the end at which the target is least likely to be reached.
    order = np.flatnonzero(~np.isnan(runs).any(axis=1))
    if towards == "large":
        order = order[::-1]
    values = values[order]
    band = _band(runs[order], target, better=better, share=share, confidence=confidence)
    safe = len(order) - _leading(band.shown[::-1])
    missed = _leading(band.missed)
    low = _value_at(values, missed - 1)
    high = _value_at(values, safe)
    if towards == "large":
        low, high = high, low
    known = {"low": low, "high": high, **_best(values, band)}
    if 0 < safe < len(order):
        return _found(values, band, missed=missed, safe=safe, log=log, known=known)
    verdict: Verdict = "unclear"
    if safe < len(order):
        verdict = "everywhere"
    elif 0 < missed == len(order):
        verdict = "nowhere"
    return Crossing(
        verdict=verdict,
        safe=_value_at(values, safe),
        share_safe=_value_at(band.hits, safe),
        **known,
    )


def _found(
    values: np.ndarray,
    band: "_Band",
    *,
    missed: int,
    safe: int,
    log: bool,
    known: dict[str, Any],
) -> Solution:
    """Return the crossing between the value before ``missed`` and that at ``safe``."""
    rising = isotonic_regression(band.estimate).x
    index = int(np.count_nonzero(rising < band.level))
    # The estimate lies within the interval, but for rounding.
    index = min(max(index, missed), safe)
    return Solution(
        point=_interpolated(values, rising - band.level, index, log=log),
        safe=float(values[safe]),
        tested=float(values[index]),
        share_at_tested=float(band.hits[index]),
        share_safe=float(band.hits[safe]),
        **known,
    )


class _Band(NamedTuple):
    """Estimates at V values, compared with the level that they are to reach.

    Attributes:
        estimate: The estimates (V,), in the direction in which higher is better.
        hits: Shares (V,) of single repeats that reach the target.
        shown: Whether each estimate is shown to reach the level (V,).
        missed: Whether each estimate is shown to miss the level (V,).
        level: What the estimates are to reach.
        sign: 1, or -1 if the measure is better when it is lower.
    """

    estimate: np.ndarray
    hits: np.ndarray
    shown: np.ndarray
    missed: np.ndarray
    level: float
    sign: float


def _band(
    runs: np.ndarray, target: float, *, better: str, share: float | None, confidence: float
) -> _Band:
    """Compare the estimates at all values with the target."""
    check.choice(("higher", "lower"), better=better)
    sign = 1.0
    if better == "lower":
        sign = -1.0
    target = check.between(-math.inf, math.inf, target=target)
    check.between(0, 1, inclusive=False, confidence=confidence)
    error = 1 - confidence
    level = sign * target
    count = np.count_nonzero(sign * runs >= level, axis=-1)
    repeats = runs.shape[-1]
    hits = count / repeats
    if share is None:
        estimate = sign * np.median(runs, axis=-1)
        low, high = _share_limits(repeats, 1 - error / 2)
        return _Band(estimate, hits, low[count] >= _HALF, high[count] < _HALF, level, sign)
    check.between(0, 1, inclusive=False, share=share)
    low, high = _share_limits(repeats, 1 - error)
    return _Band(hits, hits, low[count] >= share, high[count] < share, share, 1.0)


@lru_cache(maxsize=32)
def _share_limits(repeats: int, confidence: float) -> np.ndarray:
    """Return lower and upper limits (2, R + 1) of a share, by the number of repeats that hit."""
    limits = [clopper_pearson(hits, repeats, confidence=confidence) for hits in range(repeats + 1)]
    return np.transpose(limits)


def _checked(values: np.ndarray, runs: np.ndarray, *, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and the runs as numbers, if the values are rising."""
    runs = np.asarray(runs, dtype=float)
    if runs.ndim != 2 or runs.shape[-1] < 2 or np.isinf(runs).any():
        allowed = "numbers, by values and repeats, two at least; NaN where still to be trained"
        raise check.RefusedError("runs", runs.shape, allowed)
    shape = (len(runs),)
    if log:
        values = check.numbers(shape, low=0, inclusive=False, values=values)
    else:
        values = check.numbers(shape, values=values)
    if not len(values) or (np.diff(values) <= 0).any():
        raise check.RefusedError("values", values, "rising numbers, one at least")
    return values, runs


def _leading(flags: np.ndarray) -> int:
    """Return how many are true before the first that is not."""
    if flags.all():
        return len(flags)
    return int(np.argmin(flags))


def _value_at(values: np.ndarray, index: int) -> float | None:
    """Return the value at ``index``; None if it lies outside."""
    if 0 <= index < len(values):
        return float(values[index])
    return None


def _interpolated(values: np.ndarray, excess: np.ndarray, index: int, *, log: bool) -> float:
    """Return the value at which ``excess``, at least 0 from ``index`` on, passes 0; the first value
    if it is never below.
    """
    if index == 0:
        return float(values[0])
    rise = max(excess[index] - excess[index - 1], _TINY)
    part = min(max(excess[index], 0) / rise, 1.0)
    if part == 0:
        return float(values[index])
    before, after = values[index - 1 : index + 1]
    if not log:
        return float(after - part * (after - before))
    log_before, log_after = np.log(values[index - 1 : index + 1])
    return float(np.exp(log_after - part * (log_after - log_before)))


def _best(values: np.ndarray, band: _Band) -> dict[str, float]:
    """Return the fields ``best`` and ``at`` of a crossing, none without values."""
    if not len(values):
        return {}
    index = int(np.argmax(band.estimate))
    return {"best": float(band.sign * band.estimate[index]), "at": float(values[index])}
