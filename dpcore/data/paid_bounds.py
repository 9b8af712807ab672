"""Bounds of a column that are paid for: a noisy histogram of its scale in place of its lowest and highest value."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.mechanisms import Laplace
from dpcore.privacy import PureRelease

# Ends of the bins: 0, and powers of two either way, 0.001 to a thousand million.
_POWERS = 2.0 ** np.arange(-10, 31)
EDGES = np.concatenate([-_POWERS[::-1], [0.0], _POWERS])
BINS = len(EDGES) - 1
# The chance that noise alone makes a bin look inhabited; and that a bin of ``surely_seen`` rows is taken for empty.
_FAILS = 1e-3
# Bounds are not sold where a bin of more than this share of the rows could be overlooked.
_OVERLOOKED = 0.005


@dataclass(frozen=True, kw_only=True)
class Payment:
    """What was spent on the bounds of a column: (epsilon, 0)-DP for ``person``, the column that says whose row it is;
    "": for each row."""

    epsilon: float
    person: str = ""

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)


def histogram(values: np.ndarray) -> np.ndarray:
    """How many of ``values`` (n,) lie in each bin (a, b]; 0 counts as positive, and what is missing nowhere.

    One value in place of another leaves a bin and enters one: L1 sensitivity 2. One that comes or goes moves it by 1.
    """
    known = values[~np.isnan(values)]
    places = np.searchsorted(EDGES, known) - 1
    places[known == 0] += 1
    return np.bincount(np.clip(places, 0, BINS - 1), minlength=BINS)


def mechanism(epsilon: float) -> Laplace:
    """What makes a histogram noisy: epsilon for a value that is replaced, and so for one that comes or goes."""
    return Laplace(sensitivity=2.0, epsilon=epsilon)


def threshold(epsilon: float) -> float:
    """Above this many rows a bin counts as inhabited: no empty one of ``BINS`` does, but for one time in a thousand.

    -b ln(2 - 2 (1 - beta)^{1/B}), b = 2/epsilon: the maximum of B draws of Laplace noise.
    """
    return -mechanism(epsilon).scale * math.log(2 - 2 * (1 - _FAILS) ** (1 / BINS))


def surely_seen(epsilon: float) -> float:
    """A bin of so many rows is inhabited, but for one time in two thousand."""
    return threshold(epsilon) + mechanism(epsilon).scale * math.log(1 / _FAILS)


def least_rows(epsilon: float) -> int:
    """How many rows, or people, there must be; about 100,000 at epsilon 0.07.

    With fewer, values that more than one in 200 rows have could lie beyond the bounds.
    """
    return math.ceil(surely_seen(check.positive(epsilon=epsilon)) / _OVERLOOKED)


def refuse_few(people: int, *, epsilon: float) -> None:
    """Raises RefusedError where there are too few rows, or people, which is public knowledge."""
    if people < (least := least_rows(epsilon)):
        raise check.RefusedError("rows", f"{people:,}", f"at least {least:,} for bounds at epsilon {epsilon:g}")


def bounds(values: np.ndarray, *, epsilon: float, rng: np.random.Generator) -> tuple[float, float] | None:
    """(low, high) of ``values`` (n,), one of each person: the ends of the outermost inhabited bins.

    None where noise hides all, which has cost epsilon too. Raises RefusedError for too few values.
    """
    refuse_few(len(values), epsilon=epsilon)
    return outermost(mechanism(epsilon).release(histogram(values), rng), epsilon=epsilon)


def outermost(counts: np.ndarray, *, epsilon: float) -> tuple[float, float] | None:
    """What noisy ``counts`` (BINS,) say, and all that is released of them."""
    inhabited = np.flatnonzero(counts > threshold(epsilon))
    if not len(inhabited):
        return None
    return float(EDGES[inhabited[0]]), float(EDGES[inhabited[-1] + 1])
