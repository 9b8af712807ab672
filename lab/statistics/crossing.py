"""Find the value of a knob from which on a measure reaches a target, with its confidence interval.

The measure only gets better along the knob. Repeats should have random numbers in common over the
values; the answer holds without that.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from dpcore import check
from dpcore.attacks.audit import clopper_pearson
from lab.statistics.medians import Medians, all_succeed_minimum

Verdict = Literal["found", "everywhere", "nowhere", "unclear"]
# A median reaches what half of the runs do.
_HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """From which value on the target is reached.

    verdict: "found"; "everywhere" and "nowhere" among the values; "unclear" where so few repeats
        cannot tell.
    best: the best median (or share of repeats). at: its value.
    needed: about how many repeats could tell; None where that is not known.
    point: the estimate. low, high: the ends of its interval, None where it is open beyond the
        values.
    safe: from this value on, the target is reached.
    there: the first value tested from the point on.
    share_there, share_safe: shares of the single repeats that reach the target there, and at the
    safe value.
    """

    verdict: Verdict
    best: float | None = None
    at: float | None = None
    needed: int | None = None
    point: float | None = None
    low: float | None = None
    high: float | None = None
    safe: float | None = None
    there: float | None = None
    share_there: float | None = None
    share_safe: float | None = None


@dataclass(frozen=True, kw_only=True)
class Found(Crossing):
    """A crossing that is found."""

    verdict: Literal["found"] = "found"
    point: float
    safe: float
    there: float
    share_there: float
    share_safe: float


def smallest(
    values: np.ndarray,
    runs: np.ndarray | Medians,
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

    For a measure that only gets better along the knob; where it gets worse, the largest value up to
    which it does is found with ``towards`` "large". With ``share``, what has to reach the target is
    that share of all repeats.

    safe: tests in a fixed sequence, from the best end as long as each lower limit is above the
    target; so there is no price for their number. The crossing lies beyond the last of the leading
    values whose upper limits miss it, and at ``safe`` at the latest. The median reaches the target
    if half of all repeats do; limits of that share are exact [clopper1934], for the median each at
    (1 + confidence) / 2, so that both ends hold together, for a ``share`` each at ``confidence``.
    Over several splits they are those of ``repeats.Splits``. The point is where the isotonic
    regression crosses, linear in ln value (``log``).

    Values with a NaN are left out.

    >>> rising = np.array([[0.5, 0.6, 0.5] * 2, [0.6, 0.8, 0.7] * 2, [0.9, 0.9, 0.8] * 2])
    >>> found = smallest([0.1, 1.0, 10.0], rising, 0.65)
    >>> found.verdict, found.point, found.low, found.safe, found.there, found.share_there
    ('found', 0.562, 0.1, 10.0, 1.0, 0.667)
    """
    values, medians = _asked(values, runs, log=log)
    check.choice(("small", "large"), towards=towards)
    order = np.flatnonzero(~np.isnan(medians.median))[:: 1 if towards == "small" else -1]
    band = _band(medians, target, better=better, share=share, confidence=confidence).at(order)
    values = values[order]
    safe = len(order) - _leading(band.shown[::-1])
    below = _leading(band.missed)
    verdict: Verdict = "found"
    if safe == len(order):
        verdict = "nowhere" if 0 < below == len(order) else "unclear"
    elif safe == 0:
        verdict = "everywhere"
    last_below, first_safe = _pick(values, below - 1), _pick(values, safe)
    ends = (last_below, first_safe) if towards == "small" else (first_safe, last_below)
    known = {"low": ends[0], "high": ends[1], **_best(values, band, medians, order)}
    if verdict != "found":
        needed = _needed(band, medians, order, share, confidence, verdict)
        return Crossing(
            verdict=verdict,
            safe=first_safe,
            share_safe=_pick(band.hits, safe),
            needed=needed,
            **known,
        )
    rising = isotonic_regression(band.estimate).x
    place = min(
        max(int(np.count_nonzero(rising < band.level)), below), safe
    )  # where it is, but for rounding
    return Found(
        point=_between(values, rising - band.level, place, log=log),
        safe=float(values[safe]),
        there=float(values[place]),
        share_there=float(band.hits[place]),
        share_safe=float(band.hits[safe]),
        **known,
    )


class _Band(NamedTuple):
    """Estimates (V,) in the direction where higher is better, ``level`` that they are to reach,
    whether they are ``shown`` to, or shown to have ``missed`` it, and the share of single repeats
    that reach the target; ``sign`` brings the estimates back.
    """

    estimate: np.ndarray
    hits: np.ndarray
    shown: np.ndarray
    missed: np.ndarray
    level: float
    sign: float

    def at(self, order: np.ndarray) -> "_Band":
        return self._replace(
            **{name: getattr(self, name)[order] for name in ("estimate", "hits", "shown", "missed")}
        )


def _band(
    runs: Medians, target: float, *, better: str, share: float | None, confidence: float
) -> _Band:
    sign, target = _sign(better), check.between(-math.inf, math.inf, target=target)
    error = 1 - check.between(0, 1, inclusive=False, confidence=confidence)
    count = np.count_nonzero(sign * runs.single >= sign * target, axis=-1)  # none where NaN
    repeats = runs.single.shape[-1]
    hits, estimate, goal = count / repeats, sign * runs.median, sign * target
    if runs.splits is not None:
        if share is not None:
            raise check.RefusedError(
                "share", share, "None where repeats are not independent: one of each fresh split"
            )
        ends = np.sort(sign * np.array(runs.splits.interval(1 - error)), axis=0)
        # Above it: as many equal splits as one likes do not show that their mean is the target
        return _Band(estimate, hits, ends[0] > goal, ends[1] < goal, goal, sign)
    if share is None:
        low, high = _share_limits(repeats, 1 - error / 2)
        return _Band(estimate, hits, low[count] >= _HALF, high[count] < _HALF, goal, sign)
    check.between(0, 1, inclusive=False, share=share)
    low, high = _share_limits(repeats, 1 - error)
    return _Band(hits, hits, low[count] >= share, high[count] < share, share, 1.0)


@lru_cache(maxsize=32)
def _share_limits(repeats: int, confidence: float) -> np.ndarray:
    """Return lower and upper limits (2, R + 1) of a share, by how many of the repeats there are."""
    return np.transpose(
        [clopper_pearson(hits, repeats, confidence=confidence) for hits in range(repeats + 1)]
    )


def _asked(
    values: np.ndarray, runs: np.ndarray | Medians, *, log: bool
) -> tuple[np.ndarray, Medians]:
    medians = Medians.of(runs)
    values = check.numbers(
        (len(medians.median),), low=0 if log else -math.inf, inclusive=not log, values=values
    )
    if not len(values) or (np.diff(values) <= 0).any():
        raise check.RefusedError("values", values, "rising numbers, one at least")
    return values, medians


def _sign(better: str) -> float:
    return 1.0 if check.choice(("higher", "lower"), better=better) == "higher" else -1.0


def _leading(flags: np.ndarray) -> int:
    """Return how many are true before the first that is not."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def _pick(values: np.ndarray, place: int) -> float | None:
    return float(values[place]) if 0 <= place < len(values) else None


def _between(values: np.ndarray, excess: np.ndarray, place: int, *, log: bool) -> float:
    """Return where ``excess``, at least 0 from ``place`` on, passes 0; the first value where it
    does so at once.
    """
    if not place:
        return float(values[0])
    scale, back = (np.log, np.exp) if log else (np.asarray, float)
    before, after = scale(values[place - 1 : place + 1])
    part = min(max(excess[place], 0) / max(excess[place] - excess[place - 1], 1e-300), 1.0)
    return float(back(after - part * (after - before))) if part else float(values[place])


def _best(values: np.ndarray, band: _Band, runs: Medians, order: np.ndarray) -> dict[str, Any]:
    if not len(order):
        return {}
    place = int(np.argmax(band.estimate))
    return {"best": float(band.sign * band.estimate[place]), "at": float(values[place])}


def _needed(
    band: _Band,
    runs: Medians,
    order: np.ndarray,
    share: float | None,
    confidence: float,
    verdict: Verdict,
) -> int | None:
    """Return about how many repeats tell the best value from the target, more than there are, and
    enough to show it at
    all: (2 sd / gap)^2, where the gap is that of the share of repeats that reach it.
    """
    if verdict != "unclear":
        return None
    place = int(np.argmax(band.estimate)) if len(order) else None
    if runs.splits is not None:
        gap = float(band.estimate[place] - band.level) if len(order) else 0.0
        return runs.splits.needed(int(order[place]), gap) if len(order) else None
    repeats, share, confidence = (
        runs.single.shape[-1],
        share or _HALF,
        confidence if share else (1 + confidence) / 2,
    )
    more = max(repeats + 1, all_succeed_minimum(share, confidence=confidence))
    gap = float(band.hits[place] - share) if len(order) else 0.0
    if gap > 0:
        return max(more, math.ceil(4 * band.hits[place] * (1 - band.hits[place]) / gap**2))
    return more if more > repeats + 1 else None
