"""What has been measured: along a parameter, over a map of two, beside the base, and by a search; and its target."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lab.claims import Case
from lab.differences import Difference
from lab.files.own_rows import OwnRows
from lab.repeats import median_run
from lab.settings import Settings, quantiles_of

# The share of the runs that is most of them. Who is to reach a target -> the share of the runs; None for the median.
MOST = 0.9
SHARES: Mapping[str, float | None] = {"median": None, "most": MOST}


class Curve(NamedTuple):
    """Values of a knob (V,), ascending, of which all runs are known; the runs (V, R), of so many ``splits``."""

    values: np.ndarray
    runs: np.ndarray
    splits: int = 1

    @property
    def medians(self) -> np.ndarray:
        return median_run(self.runs, splits=self.splits) if len(self.runs) else np.empty(0)

    @property
    def quantiles(self) -> np.ndarray:
        """Return the 5 %, 50 % and 95 % quantiles of the runs, (3, V)."""
        return quantiles_of(self.runs)


class Axis(NamedTuple):
    """Values along an axis of a chart, ascending, and whether they lie on it by their logarithms."""

    values: Sequence[float]
    log: bool

    def place(self, values: Any) -> np.ndarray:
        return np.log10(values) if self.log else np.asarray(values, dtype=float)

    def value(self, place: float) -> float:
        return 10.0**place if self.log else place

    @property
    def edges(self) -> np.ndarray:
        """The ends of the cells around the values, (V + 1,)."""
        places = self.place(self.values)
        middles = (places[1:] + places[:-1]) / 2
        return np.array([2 * places[0] - middles[0], *middles, 2 * places[-1] - middles[-1]])

    @property
    def ends(self) -> list[float]:
        return [float(self.edges[0]), float(self.edges[-1])]

    def at(self, share: Any) -> Any:
        """Return the place that lies this share of the axis above its lower end."""
        low, high = self.ends
        return low + share * (high - low)

    def cells(self, places: Any) -> np.ndarray:
        """Return the numbers of the cells that hold these places."""
        return np.clip(np.searchsorted(self.edges, places) - 1, 0, len(self.values) - 1)

    def nearest(self, share: float) -> float:
        """Return the value of the cell at a place between the ends, which are -1 and 1."""
        return self.values[int(self.cells(self.at((share + 1) / 2)))]


class Map(NamedTuple):
    """Medians (Y, X) over two knobs' values, x (X,) and y (Y,); NaN where still to be trained, or refused."""

    x: np.ndarray
    y: np.ndarray
    medians: np.ndarray


class Effect(NamedTuple):
    """What one knob does from where it is: to ``value``, the measure less today's (``difference``)."""

    knob: str
    value: float
    difference: Difference


class Found(NamedTuple):
    """The best of the tries: its settings, the median run that it was chosen by, and its median run and that of the
    base on each of the other seeds that are done, (S,), and what may be said of one beside the other there.
    """

    settings: Settings
    chosen: float
    again: np.ndarray
    base: np.ndarray
    gain: Case

    @property
    def again_median(self) -> float:
        return float(np.median(self.again))

    @property
    def base_median(self) -> float:
        return float(np.median(self.base))


def of_own_rows(base: Settings) -> bool:
    """Return whether settings are of rows in a visitor's own file, which are here."""
    return isinstance(getattr(base, "own", ""), OwnRows)


def usual_target(base: Settings, usual: float) -> float:
    """Return the target that questions about ``base`` start with: of a number in a visitor's file, a tenth of its
    declared range; else the ``usual`` one."""
    low, high = getattr(getattr(base, "source", None), "label_bounds", None) or (0.0, 0.0)
    return (high - low) / 10 if of_own_rows(base) and high > low else usual
