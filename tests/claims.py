"""Claims of a page (a gain, a best, an "ahead", a cost) held against the runs behind them, by rules of their own."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.stats import binomtest

# Words of a claim.
WORDS = re.compile(
    r"\b(pays|best|gains?|gained|helps?|ahead|better|beats?|harms?|costs|price|adds|loses|bought|worse|nearer|"
    r"lowers accuracy|accuracy loss|"
    r"more accurate|less accurate|(?:more|less) often|times (?:less|more|smaller)|(?:above|below) B)\b",
    re.IGNORECASE,
)
# Where such words claim nothing of two arms.
HARMLESS = (
    r"Best attacker|best attacker",
    r"No cost in accuracy can be shown|[Nn]o (?:cost|accuracy loss|gain|help|change|difference)[^.:;(]*\bshown",
    r"Not even a single question can be shown to be answered better|[Nn]o [^.]* can be shown to do (?:better|best)",
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
) -> bool:
    """Whether runs ``a`` are shown to be better than ``b``: all are there, enough of the pairs agree (two-sided sign
    test at 5 %, shared by ``tests``), the medians differ by a point (errors: 1 % of b's), and ``a`` beats the constant
    answer."""
    a = np.asarray(a, dtype=float)
    b = np.full(len(a), float(b)) if np.ndim(b) == 0 else np.asarray(b, dtype=float)
    sign, pairs = 1 if higher else -1, min(len(a), len(b))
    won = int((sign * a[:pairs] > sign * b[:pairs]).sum())
    sure = binomtest(won, pairs, alternative="greater").pvalue <= 0.025 / tests
    least = POINT if higher else POINT * abs(np.median(b))
    far = sign * (np.median(a) - np.median(b)) >= least - 1e-9
    return bool(whole and sure and far and (constant is None or sign * np.median(a) > sign * constant))


def worse(a: np.ndarray, b: np.ndarray | float, *, constant: float | None = None, **how: Any) -> bool:
    """Whether runs ``a`` are shown to be worse than ``b``, and ``b`` better than the constant answer."""
    b = np.full(len(a), float(b)) if np.ndim(b) == 0 else np.asarray(b)
    least = {True: POINT, False: POINT * abs(np.median(b))}[how.get("higher", True)]
    far = abs(np.median(a) - np.median(b)) >= least - 1e-9
    return bool(far and better(b, a, constant=constant, **how))


def unexplained(said: str, explained: Iterable[str] = (), harmless: Iterable[str] = ()) -> list[str]:
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
