"""Claims about two methods whose runs are compared: one is ahead, or no difference can be shown."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np

from lab.statistics import differences
from lab.statistics.medians import median_interval

# The least difference worth a claim: of shares a point, of errors this part of the larger one.
LEAST = 0.01
# Errors of diverged runs are clipped to this size, so that their differences stay finite.
_LARGEST = 1e100
# Differences that fall short by so little are rounding errors.
_ROUNDING_ERROR = 1e-9
_CONSTANT_ROUNDING_ERROR = 1e-12
_ALL_CONFIDENCE_ERROR = 0.05


class Case(StrEnum):
    """A claim about A compared with B.

    AHEAD, BEHIND: A is shown to be better, or worse. ALIKE: no difference can be shown. FEW: there
    are too few runs to show any. CONSTANT: neither is better than the best constant answer. SO_FAR:
    some runs are still missing.
    """

    AHEAD = "ahead"
    BEHIND = "behind"
    ALIKE = "alike"
    FEW = "few"
    CONSTANT = "constant"
    SO_FAR = "so far"


def classify_difference(difference: differences.Difference, *, better: str, least: float) -> Case:
    """Return the claim about A compared with B that the interval of their difference allows.

    Args:
        difference: That of A and B, all of whose runs are complete.
        better: "higher" or "lower".
        least: The least difference worth a claim.
    """
    if not difference.bounded:
        return Case.FEW
    if not difference.shown or abs(difference.median) < least - _ROUNDING_ERROR:
        return Case.ALIKE
    a_is_higher = difference.median > 0
    if a_is_higher == (better == "higher"):
        return Case.AHEAD
    return Case.BEHIND


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
    """Return the claim about the runs ``a`` compared with the baseline ``b``.

    A claim needs medians that differ by ``least``, and an interval of the difference that excludes
    0 on the same side.

    Args:
        a: Runs (R_a,).
        b: Runs (R_b,), or one number.
        better: "higher" or "lower".
        constant: The measure of the best constant answer; None if there is none.
        complete: Whether all runs are there.
        least: The least difference worth a claim; None uses ``LEAST``.
        confidence: Confidence of the interval.
        paired: Whether run r of one has the noise of run r of the other. Otherwise, or if their
            numbers differ, the runs are compared as two groups.

    >>> compare(np.arange(70, 90) / 100, 0.6), compare(np.arange(50, 70) / 100, 0.6)
    (<Case.AHEAD: 'ahead'>, <Case.ALIKE: 'alike'>)
    >>> compare(np.array([0.7, 0.8, 0.9]), 0.6)
    <Case.FEW: 'few'>
    """
    if not complete:
        return Case.SO_FAR
    a = np.clip(a, -_LARGEST, _LARGEST)
    if np.ndim(b) == 0:
        b = np.full(len(a), b)
        paired = True
    b = np.clip(b, -_LARGEST, _LARGEST)
    if min(len(a), len(b)) < 2:
        return Case.FEW
    if paired and len(a) == len(b):
        difference = differences.of_pairs(a, b, confidence=confidence)
    else:
        difference = differences.of_groups(a, b, confidence=confidence)
    if not difference.bounded:
        return Case.FEW
    median_a = float(np.median(a))
    median_b = float(np.median(b))
    if constant is not None and _is_no_better(median_a, median_b, constant, better):
        return Case.CONSTANT
    if least is None:
        least = LEAST
        if better != "higher":
            least = LEAST * max(abs(median_a), abs(median_b))
    gap = median_a - median_b
    if abs(gap) < least - _ROUNDING_ERROR or difference.median * gap <= 0:
        return Case.ALIKE
    return classify_difference(difference, better=better, least=0.0)


def _is_no_better(median_a: float, median_b: float, constant: float, better: str) -> bool:
    """Return whether neither median is better than the constant answer."""
    if better == "higher":
        return max(median_a, median_b) <= constant + _CONSTANT_ROUNDING_ERROR
    return max(-median_a, -median_b) <= -constant + _CONSTANT_ROUNDING_ERROR


def leaders(arms: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Return the arm with the highest median, then those that it is not shown to be ahead of.

    A single name is the best of all, at 95 % confidence for all comparisons together (Bonferroni).
    """
    medians = {name: float(np.median(runs)) for name, runs in arms.items()}
    # With equal medians, the earlier arm stays first.
    first, *others = sorted(arms, key=medians.__getitem__, reverse=True)
    confidence = _shared_confidence(len(others))
    names = [first]
    for name in others:
        case = compare(arms[first], arms[name], confidence=confidence)
        if case != Case.AHEAD:
            names.append(name)
    return tuple(names)


def too_few_to_lead(arms: Mapping[str, np.ndarray]) -> bool:
    """Return whether ``leaders`` has too few runs of each arm to show that any is ahead."""
    least_runs = min(len(runs) for runs in arms.values())
    confidence = _shared_confidence(len(arms) - 1)
    low, _ = median_interval(np.zeros(least_runs), confidence=confidence)
    return not np.isfinite(low)


def _shared_confidence(comparisons: int) -> float:
    """Return the confidence of each comparison with which all of them together have 95 %
    (Bonferroni).
    """
    return 1 - _ALL_CONFIDENCE_ERROR / max(comparisons, 1)


def trailing_start(cases: Sequence[Case]) -> int:
    """Return the index from which on all ``cases`` are ``AHEAD``.

    They are tested from the last down, so none needs a correction for multiple comparisons.
    """
    start = len(cases)
    while start > 0 and cases[start - 1] == Case.AHEAD:
        start -= 1
    return start


def leading_count(cases: Sequence[Case]) -> int:
    """Return the number of leading ``cases`` that are ``AHEAD``."""
    return len(cases) - trailing_start(cases[::-1])


def ahead_range(cases: Sequence[Case]) -> tuple[str, int]:
    """Return the part of a curve on which A is ahead, and the index of its inner end.

    The part is "everywhere", "from" an index on, "up_to" an index, or "" if it is no single range
    from an end. If A is ahead nowhere, it is "harms" if A is behind everywhere, "few" if there are
    too few runs to show anything, and "unshown" otherwise.

    >>> ahead_range([Case.ALIKE, Case.AHEAD, Case.AHEAD])
    ('from', 1)
    >>> ahead_range([Case.AHEAD, Case.BEHIND])
    ('up_to', 0)
    >>> ahead_range([Case.BEHIND])
    ('harms', 0)
    """
    if Case.AHEAD not in cases:
        return _reason_for_nowhere(cases), 0
    start = trailing_start(cases)
    if start == 0:
        return "everywhere", 0
    if start < len(cases):
        return "from", start
    leading = leading_count(cases)
    if leading > 0:
        return "up_to", leading - 1
    return "", 0


def _reason_for_nowhere(cases: Sequence[Case]) -> str:
    """Return why A is ahead at no point of a curve; see ``ahead_range``."""
    if set(cases) == {Case.BEHIND}:
        return "harms"
    if Case.FEW in cases:
        return "few"
    return "unshown"
