"""Print the tables of a benchmark, and compare its measurements with what is required."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Line:
    """A requirement, its measurement, and whether it is met (None if it could not be measured)."""

    asked: str
    measured: str
    met: bool | None

    def __str__(self) -> str:
        verdicts = {True: "met", False: "NOT MET", None: "UNDECIDED"}
        return f"  {verdicts[self.met]:10}{self.asked}: {self.measured}"


@dataclass(kw_only=True)
class Outcome:
    """The requirements of one benchmark, and the packages for comparison that are missing."""

    lines: list[Line] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


# Receives each row of a table as soon as it is measured.
Print = Callable[[str], None]


def at_least(asked: str, bound: float, values: Sequence[float], *, unit: str = "x") -> Line:
    """Require that the median of ``values``, one a round, is at least ``bound``."""
    requirement = f"{asked} at least {bound:g}{unit}"
    if len(values) == 0:
        return Line(asked=requirement, measured="not measured", met=None)
    met = bool(np.median(values) >= bound)
    return Line(asked=requirement, measured=_summary(values, unit), met=met)


def at_most(asked: str, bound: float, values: Sequence[float], *, unit: str = "x") -> Line:
    """Require that the median of ``values``, one a round, is at most ``bound``."""
    requirement = f"{asked} at most {bound:g}{unit}"
    if len(values) == 0:
        return Line(asked=requirement, measured="not measured", met=None)
    met = bool(np.median(values) <= bound)
    return Line(asked=requirement, measured=_summary(values, unit), met=met)


def _summary(values: Sequence[float], unit: str) -> str:
    """Format the median of the rounds, and between what the middle half of them lies."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    if len(values) == 1:
        return f"{number(median)}{unit}"
    return f"{number(median)}{unit} (half of the rounds: {number(low)} to {number(high)})"


def number(value: float) -> str:
    """Format with three digits and without a power of ten."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def duration(seconds: float) -> str:
    """Format a duration in seconds or milliseconds."""
    if seconds >= 1:
        return f"{number(seconds)} s"
    return f"{number(1000 * seconds)} ms"


def row(cells: Iterable[object], widths: Sequence[int]) -> str:
    """Format a row of a table, its first column to the left and the others to the right."""
    padded = []
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if index == 0:
            padded.append(f"  {cell!s:<{width}}")
        else:
            padded.append(f"{cell:>{width}}")
    return "  ".join(padded).rstrip()


def median_text(values: np.ndarray | None, write: Callable[[float], str]) -> str:
    """Write the median of the rounds, or "-" if nothing was measured."""
    if values is None:
        return "-"
    return write(float(np.median(values)))


def factor(value: float) -> str:
    """Write a ratio.

    >>> factor(2.0)
    '2x'
    """
    return f"{number(value)}x"
