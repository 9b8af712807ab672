"""Claims of a page (a gain, a best, an "ahead", a cost) held against the runs behind them, by rules
of their own.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.stats import binomtest, quantile_test

# Words of a claim.
WORDS = re.compile(
    r"\b(pays|best|gains?|gained|helps?|ahead|better|beats?|harms?|costs|price|adds|loses|bought|worse|nearer|"
    r"lowers accuracy|accuracy loss|"
    r"more accurate|less accurate|(?:more|less) often|times (?:less|more|smaller)|(?:above|below)"
    r" B)\b",
    re.IGNORECASE,
)
# Where such words claim nothing of two arms.
HARMLESS = (
    r"too few (?:runs )?to say[^.]*",
    r"Best attacker|best attacker",
    (
        r"No cost in accuracy can be shown|[Nn]o (?:cost|accuracy"
        r" loss|gain|help|change|difference)[^.:;(]*\bshown"
    ),
    (
        r"Not even a single question can be shown to be answered better|[Nn]o [^.]* can be shown to"
        r" do (?:better|best)"
    ),
    r"not shown (?:better|nearer than equal ones)",
    r"do(?:es)? no (?:better|worse)|would do no worse|no better than",
)
POINT = 0.01


def better(
    a: np.ndarray,
    b: np.ndarray | float,
    *,
    higher: bool = True,
    constant: float | None = None,
    tests: int = 1,
    whole: bool = True,
    paired: bool = True,
) -> bool:
    """Whether runs ``a`` are shown to be better than ``b``: all are there, enough of the pairs
    agree (two-sided sign test at 5 %, shared by ``tests``), the medians differ by a point (errors:
    1 % of b's), and ``a`` beats the constant answer.

    Where they are not ``paired``, or not equally many, intervals of the two medians that hold
    together must lie apart.
    """
    a = np.asarray(a, dtype=float)
    paired = paired or np.ndim(b) == 0
    b = np.full(len(a), float(b)) if np.ndim(b) == 0 else np.asarray(b, dtype=float)
    sign = 1 if higher else -1
    if paired and len(a) == len(b):
        won = int((sign * a > sign * b).sum())
        sure = binomtest(won, len(a), alternative="greater").pvalue <= 0.025 / tests
    else:
        each = (1 - 0.05 / tests) ** 0.5
        (low, _), (_, high) = median_ends(sign * a, each), median_ends(sign * b, each)
        sure = low > high
    least = POINT if higher else POINT * abs(np.median(b))
    far = sign * (np.median(a) - np.median(b)) >= least - 1e-9
    return bool(
        whole and sure and far and (constant is None or sign * np.median(a) > sign * constant)
    )


def median_ends(runs: np.ndarray, confidence: float) -> tuple[float, float]:
    """The interval of the median; without ends where there are too few runs."""
    found = quantile_test(runs, p=0.5).confidence_interval(confidence)
    return (-np.inf, np.inf) if np.isnan(found.low) else (found.low, found.high)


def too_few(
    a: np.ndarray, b: np.ndarray | float = 0.0, *, tests: int = 1, paired: bool = True
) -> bool:
    """Whether no runs ``a`` beside as many as ``b`` could show a difference, even if all of them
    agreed.
    """
    if np.ndim(b) == 0 or (paired and len(a) == len(b)):
        return binomtest(len(a), len(a), alternative="greater").pvalue > 0.025 / tests
    each = 1 - (1 - 0.05 / tests) ** 0.5
    return any(
        binomtest(len(one), len(one), alternative="greater").pvalue > each / 2 for one in (a, b)
    )


def worse(
    a: np.ndarray, b: np.ndarray | float, *, constant: float | None = None, **how: Any
) -> bool:
    """Whether runs ``a`` are shown to be worse than ``b``, and ``b`` better than the constant
    answer.
    """
    b = np.full(len(a), float(b)) if np.ndim(b) == 0 else np.asarray(b)
    least = {True: POINT, False: POINT * abs(np.median(b))}[how.get("higher", True)]
    far = abs(np.median(a) - np.median(b)) >= least - 1e-9
    return bool(far and better(b, a, constant=constant, **how))


def unexplained(
    said: str, explained: Iterable[str] = (), harmless: Iterable[str] = ()
) -> list[str]:
    """Return each word of a claim that stands in no pattern, with what is next to it."""
    patterns = (*HARMLESS, *harmless, *explained)
    spans = [match.span() for pattern in patterns for match in re.finditer(pattern, said)]
    return [
        said[max(0, word.start() - 60) : word.end() + 60]
        for word in WORDS.finditer(said)
        if not any(low <= word.start() and word.end() <= high for low, high in spans)
    ]


def since(places: Iterable[float], shown: Callable[[float], bool], first: float) -> bool:
    """Whether it is shown at ``first`` and at all larger places."""
    return all(shown(place) for place in places if place >= first * (1 - 1e-6))


def until(places: Iterable[float], shown: Callable[[float], bool], last: float) -> bool:
    return all(shown(place) for place in places if place <= last * (1 + 1e-6))
