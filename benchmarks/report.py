"""What a benchmark hands back, and how it is put on the screen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the acceptance: what is asked, what was measured, and whether that is enough
    (None: unknown).
    """

    asked: str
    measured: str
    met: bool | None

    def __str__(self) -> str:
        verdict = {True: "met", False: "NOT MET", None: "UNDECIDED"}[self.met]
        return f"  {verdict:10}{self.asked}: {self.measured}"


@dataclass(kw_only=True)
class Outcome:
    """The acceptance lines of one benchmark, and the peers that it could not ask."""

    lines: list[Line] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


# Told each row of a table as soon as it is known.
Print = Callable[[str], None]


def at_least(asked: str, bound: float, values: Sequence[float], *, unit: str = "x") -> Line:
    """A line that is met when the median of the rounds reaches the bound."""
    return _line(f"{asked} at least {bound:g}{unit}", values, lambda median: median >= bound, unit)


def at_most(asked: str, bound: float, values: Sequence[float], *, unit: str = "x") -> Line:
    """A line that is met when the median of the rounds does not exceed the bound."""
    return _line(f"{asked} at most {bound:g}{unit}", values, lambda median: median <= bound, unit)


def _line(asked: str, values: Sequence[float], met: Callable[[float], bool], unit: str) -> Line:
    if not len(values):
        return Line(asked=asked, measured="not measured", met=None)
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    span = f" (half of the rounds: {number(low)} to {number(high)})" if len(values) > 1 else ""
    return Line(asked=asked, measured=f"{number(median)}{unit}{span}", met=bool(met(median)))


def number(value: float) -> str:
    """Three digits, never in powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """A duration in the unit that suits it."""
    return f"{number(seconds)} s" if seconds >= 1 else f"{number(1000 * seconds)} ms"


def row(cells: Iterable[object], widths: Sequence[int]) -> str:
    """Cells in columns, the first to the left and the others to the right."""
    first, *others = (
        f"{cell!s:<{width}}" if place == 0 else f"{cell:>{width}}"
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([f"  {first}", *others]).rstrip()
