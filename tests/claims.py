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
    r"lowers accuracy|cost of privacy|"
    r"more accurate|less accurate|(?:more|less) often|times (?:less|more|smaller)|(?:above|below)"
    r" B)\b",
    re.IGNORECASE,
)
# Where such words claim nothing of two arms.
HARMLESS = (
    r"too few (?:runs )?to say[^.]*",
    r"Best attacker|best attacker",
    r"[Nn]o (?:cost|gain|help|change|difference)[^.:;(]*\bshown",
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
    """Return whether runs ``a`` are shown to be better than ``b``.

    All are there, enough of the pairs agree (two-sided sign test at 5 %, shared by ``tests``), the
    medians differ by a point (errors: 1 % of b's), and ``a`` beats the constant answer.

    Where they are not ``paired``, or not equally many, intervals of the two medians that hold
    together must lie apart.
    """
    a = np.asarray(a, dtype=float)
    paired = paired or np.ndim(b) == 0
    b = _as_runs(b, len(a))
    sign = -1
    least = POINT * abs(np.median(b))
    if higher:
        sign = 1
        least = POINT
    if paired and len(a) == len(b):
        won = int((sign * a > sign * b).sum())
        is_sure = binomtest(won, len(a), alternative="greater").pvalue <= 0.025 / tests
    else:
        confidence = (1 - 0.05 / tests) ** 0.5
        low, _ = median_ends(sign * a, confidence)
        _, high = median_ends(sign * b, confidence)
        is_sure = low > high
    is_far = sign * (np.median(a) - np.median(b)) >= least - 1e-9
    beats_constant = constant is None or sign * np.median(a) > sign * constant
    return bool(whole and is_sure and is_far and beats_constant)


def _as_runs(b: np.ndarray | float, runs: int) -> np.ndarray:
    """Return runs as they are, and a number as so many equal runs."""
    if np.ndim(b) == 0:
        return np.full(runs, float(b))
    return np.asarray(b, dtype=float)


def median_ends(runs: np.ndarray, confidence: float) -> tuple[float, float]:
    """Return the interval of the median; without ends where there are too few runs."""
    interval = quantile_test(runs, p=0.5).confidence_interval(confidence)
    if np.isnan(interval.low):
        return -np.inf, np.inf
    return interval.low, interval.high


def too_few(
    a: np.ndarray, b: np.ndarray | float = 0.0, *, tests: int = 1, paired: bool = True
) -> bool:
    """Return whether so many runs could show no difference, even if all of them agreed."""
    if np.ndim(b) == 0 or (paired and len(a) == len(b)):
        return _least_p_value(len(a)) > 0.025 / tests
    level = 1 - (1 - 0.05 / tests) ** 0.5
    return max(_least_p_value(len(a)), _least_p_value(len(b))) > level / 2


def _least_p_value(runs: int) -> float:
    """Return the p-value of a one-sided sign test if all runs agree."""
    return binomtest(runs, runs, alternative="greater").pvalue


def worse(
    a: np.ndarray, b: np.ndarray | float, *, constant: float | None = None, **how: Any
) -> bool:
    """Return whether ``a`` is shown to be worse than ``b``, and ``b`` better than the constant."""
    b = _as_runs(b, len(a))
    least = POINT
    if not how.get("higher", True):
        least = POINT * abs(np.median(b))
    is_far = abs(np.median(a) - np.median(b)) >= least - 1e-9
    return bool(is_far and better(b, a, constant=constant, **how))


def unexplained(
    said: str, explained: Iterable[str] = (), harmless: Iterable[str] = ()
) -> list[str]:
    """Return each word of a claim that stands in no pattern, with what is next to it."""
    spans = []
    for pattern in (*HARMLESS, *harmless, *explained):
        spans.extend(match.span() for match in re.finditer(pattern, said))
    words = []
    for word in WORDS.finditer(said):
        is_explained = any(low <= word.start() and word.end() <= high for low, high in spans)
        if not is_explained:
            words.append(said[max(0, word.start() - 60) : word.end() + 60])
    return words


def since(places: Iterable[float], shown: Callable[[float], bool], first: float) -> bool:
    """Return whether it is shown at ``first`` and at all larger places."""
    return all(shown(place) for place in places if place >= first * (1 - 1e-6))


def until(places: Iterable[float], shown: Callable[[float], bool], last: float) -> bool:
    """Return whether it is shown at ``last`` and at all smaller places."""
    return all(shown(place) for place in places if place <= last * (1 + 1e-6))
