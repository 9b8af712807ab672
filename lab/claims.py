"""What the runs of two arms allow to be said: that one is ahead, or that no difference can be shown."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np

from lab import differences

# The least difference worth a claim: of shares a point, of errors this part of the larger one.
LEAST = 0.01
_LARGEST = 1e100  # errors of diverged runs, whose differences stay finite


class Case(StrEnum):
    """What may be said of A beside B. CONSTANT: neither is better than the best constant answer."""

    AHEAD = "ahead"
    BEHIND = "behind"
    ALIKE = "alike"
    CONSTANT = "constant"
    SO_FAR = "so far"


def judge(found: differences.Difference, *, better: str, least: float) -> Case:
    """Return what may be said of A beside B, of which all runs are there, by an interval of their difference."""
    if not found.shown or abs(found.median) < least - 1e-9:
        return Case.ALIKE
    return Case.AHEAD if (found.median > 0) == (better == "higher") else Case.BEHIND


def compare(
    a: np.ndarray,
    b: np.ndarray | float,
    *,
    better: str = "higher",
    constant: float | None = None,
    complete: bool = True,
    least: float | None = None,
    confidence: float = 0.95,
) -> Case:
    """Return what may be said of the runs ``a`` beside the baseline ``b``: its runs, or one number.

    Run r of one is paired with run r of the other; the longer one's other runs count for its median alone. constant:
    what the best constant answer reaches. A claim needs medians that differ by ``least``, and an interval of the pairs'
    difference that excludes 0 on the same side.

    >>> compare(np.arange(70, 90) / 100, 0.6), compare(np.arange(50, 70) / 100, 0.6)
    (<Case.AHEAD: 'ahead'>, <Case.ALIKE: 'alike'>)
    """
    sign, a = 1.0 if better == "higher" else -1.0, np.clip(a, -_LARGEST, _LARGEST)
    b = np.clip(np.full(len(a), b) if np.ndim(b) == 0 else b, -_LARGEST, _LARGEST)
    mine, theirs, pairs = float(np.median(a)), float(np.median(b)), min(len(a), len(b))
    if not complete:
        return Case.SO_FAR
    if constant is not None and max(sign * mine, sign * theirs) <= sign * constant + 1e-12:
        return Case.CONSTANT
    if least is None:
        least = LEAST if better == "higher" else LEAST * max(abs(mine), abs(theirs))
    if pairs < 2 or not abs(mine - theirs) >= least - 1e-9:
        return Case.ALIKE
    found = differences.of_pairs(a[:pairs], b[:pairs], confidence=confidence)
    return judge(found, better=better, least=0.0) if found.median * (mine - theirs) > 0 else Case.ALIKE


def leaders(arms: Mapping[str, np.ndarray], *, better: str = "higher") -> tuple[str, ...]:
    """Return the arm with the best median, and after it those that it is not shown to be ahead of.

    One name alone is the best of all, at 95 % confidence for all comparisons together (Bonferroni).
    """
    sign = 1 if better == "higher" else -1
    first, *others = sorted(arms, key=lambda name: -sign * float(np.median(arms[name])))
    confidence = 1 - 0.05 / max(len(others), 1)
    cases = {name: compare(arms[first], arms[name], better=better, confidence=confidence) for name in others}
    return first, *(name for name, case in cases.items() if case != Case.AHEAD)


def onwards(cases: Sequence[Case], case: Case = Case.AHEAD) -> int:
    """Return the place from which on all ``cases`` are ``case``; tested from the last down, so none is corrected."""
    return max((place + 1 for place, one in enumerate(cases) if one != case), default=0)


def upto(cases: Sequence[Case], case: Case = Case.AHEAD) -> int:
    """Return how many of the first ``cases`` are ``case`` before one is not."""
    return len(cases) - onwards(cases[::-1], case)


def stretch(cases: Sequence[Case]) -> tuple[str, int]:
    """Return where A is ahead, "everywhere", "from" a place on or "upto" one, and that place.

    "harms": A is behind everywhere. "unshown": it is ahead nowhere. "": it is not ahead in one stretch from an end.

    >>> stretch([Case.ALIKE, Case.AHEAD, Case.AHEAD]), stretch([Case.AHEAD, Case.BEHIND]), stretch([Case.BEHIND])
    (('from', 1), ('upto', 0), ('harms', 0))
    """
    if Case.AHEAD not in cases:
        return "harms" if set(cases) == {Case.BEHIND} else "unshown", 0
    first, last = onwards(cases), upto(cases)
    if first < len(cases):
        return "from" if first else "everywhere", first
    return ("upto", last - 1) if last else ("", 0)
