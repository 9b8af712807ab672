"""What the runs of two arms allow to be said: that one is ahead, or that no difference can be
shown.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np

from lab.statistics import differences
from lab.statistics.medians import median_interval

# The least difference worth a claim: of shares a point, of errors this part of the larger one.
LEAST = 0.01
_LARGEST = 1e100  # errors of diverged runs, whose differences stay finite


class Case(StrEnum):
    """What may be said of A beside B.

    ALIKE: no difference can be shown. FEW: there are too few runs to show any. CONSTANT: neither is
    better than the best constant answer.
    """

    AHEAD = "ahead"
    BEHIND = "behind"
    ALIKE = "alike"
    FEW = "few"
    CONSTANT = "constant"
    SO_FAR = "so far"


def judge(found: differences.Difference, *, better: str, least: float) -> Case:
    """Return what may be said of A beside B, of which all runs are there, by an interval of their
    difference.
    """
    if not found.bounded:
        return Case.FEW
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
    paired: bool = True,
) -> Case:
    """Return what may be said of the runs ``a`` beside the baseline ``b``: its runs, or one number.

    A claim needs medians that differ by ``least``, and an interval of the difference that excludes
    0 on the same side.

    constant: what the best constant answer reaches.
    paired: whether run r of one has the noise of run r of the other. Runs that do not, or that are
    not equally many, are compared as two groups.

    >>> compare(np.arange(70, 90) / 100, 0.6), compare(np.arange(50, 70) / 100, 0.6)
    (<Case.AHEAD: 'ahead'>, <Case.ALIKE: 'alike'>)
    >>> compare(np.array([0.7, 0.8, 0.9]), 0.6)
    <Case.FEW: 'few'>
    """
    if not complete:
        return Case.SO_FAR
    sign = 1.0 if better == "higher" else -1.0
    a = np.clip(a, -_LARGEST, _LARGEST)
    if np.ndim(b) == 0:
        b = np.full(len(a), b)
        paired = True
    b = np.clip(b, -_LARGEST, _LARGEST)
    mine, theirs = float(np.median(a)), float(np.median(b))
    if min(len(a), len(b)) < 2:
        return Case.FEW
    if paired and len(a) == len(b):
        found = differences.of_pairs(a, b, confidence=confidence)
    else:
        found = differences.of_groups(a, b, confidence=confidence)
    if not found.bounded:
        return Case.FEW
    if constant is not None and max(sign * mine, sign * theirs) <= sign * constant + 1e-12:
        return Case.CONSTANT
    if least is None:
        least = LEAST if better == "higher" else LEAST * max(abs(mine), abs(theirs))
    if abs(mine - theirs) < least - 1e-9 or found.median * (mine - theirs) <= 0:
        return Case.ALIKE
    return judge(found, better=better, least=0.0)


def leaders(arms: Mapping[str, np.ndarray], *, better: str = "higher") -> tuple[str, ...]:
    """Return the arm with the best median, and after it those that it is not shown to be ahead of.

    One name alone is the best of all, at 95 % confidence for all comparisons together (Bonferroni).
    """
    sign = 1 if better == "higher" else -1
    first, *others = sorted(arms, key=lambda name: -sign * float(np.median(arms[name])))
    confidence = _shared_confidence(len(others))
    cases = {
        name: compare(arms[first], arms[name], better=better, confidence=confidence)
        for name in others
    }
    return first, *(name for name, case in cases.items() if case != Case.AHEAD)


def too_few_to_lead(arms: Mapping[str, np.ndarray]) -> bool:
    """Return whether ``leaders`` has too few runs of each arm to show that any is ahead of
    another.
    """
    runs = min(len(one) for one in arms.values())
    low, _ = median_interval(np.zeros(runs), confidence=_shared_confidence(len(arms) - 1))
    return not np.isfinite(low)


def _shared_confidence(comparisons: int) -> float:
    """Return the confidence of each comparison with which all of them together have 95 %
    (Bonferroni).
    """
    return 1 - 0.05 / max(comparisons, 1)


def onwards(cases: Sequence[Case], case: Case = Case.AHEAD) -> int:
    """Return the place from which on all ``cases`` are ``case``; tested from the last down, so none
    is corrected.
    """
    return max((place + 1 for place, one in enumerate(cases) if one != case), default=0)


def upto(cases: Sequence[Case], case: Case = Case.AHEAD) -> int:
    """Return how many of the first ``cases`` are ``case`` before one is not."""
    return len(cases) - onwards(cases[::-1], case)


def stretch(cases: Sequence[Case], case: Case = Case.AHEAD) -> tuple[str, int]:
    """Return where A is ahead (or ``case``), "everywhere", "from" a place on or "upto" one, and
    that place.

    "harms": A is behind everywhere. "unshown": it is ahead nowhere. "few": nor could it be, with so
    few runs. "": it is not ahead in one stretch from an end.

    >>> stretch([Case.ALIKE, Case.AHEAD, Case.AHEAD])
    ('from', 1)
    >>> stretch([Case.AHEAD, Case.BEHIND])
    ('upto', 0)
    >>> stretch([Case.BEHIND])
    ('harms', 0)
    """
    if case not in cases:
        return _nowhere(cases), 0
    first, last = onwards(cases, case), upto(cases, case)
    if first < len(cases):
        return "from" if first else "everywhere", first
    return ("upto", last - 1) if last else ("", 0)


def _nowhere(cases: Sequence[Case]) -> str:
    """Return why A is ahead nowhere, as ``stretch`` names it."""
    if set(cases) == {Case.BEHIND}:
        return "harms"
    if Case.FEW in cases:
        return "few"
    return "unshown"
