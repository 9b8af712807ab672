"""Parts of an answer: curve, axes, map, effects of parameters, and the best configuration."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lab.experiment.settings import Settings, quantiles_of
from lab.statistics.claims import Case
from lab.statistics.differences import Difference
from lab.statistics.medians import median_run
from lab.uploads.rows import OwnRows

# "most" of the runs.
MOST = 0.9
# Who is to reach the target -> share of the runs; None for the median run.
SHARES: Mapping[str, float | None] = {"median": None, "most": MOST}


class Curve(NamedTuple):
    """Runs along a slider.

    values: (V,), ascending. runs: (V, R), all runs of each value, of ``splits`` splits.
    """

    values: np.ndarray
    runs: np.ndarray
    splits: int = 1

    @property
    def medians(self) -> np.ndarray:
        """Return the median of each value, (V,)."""
        if not len(self.runs):
            return np.empty(0)
        return median_run(self.runs, splits=self.splits)

    @property
    def quantiles(self) -> np.ndarray:
        """Return the 5 %, 50 % and 95 % quantiles of the runs, (3, V)."""
        return quantiles_of(self.runs)


class Axis(NamedTuple):
    """Ascending values of an axis of a chart.

    log: whether the axis shows logarithms to base 10. A "place" is a position on the axis.
    """

    values: Sequence[float]
    log: bool

    def place(self, values: Any) -> np.ndarray:
        """Return the places of values."""
        if self.log:
            return np.log10(values)
        return np.asarray(values, dtype=float)

    def value(self, place: float) -> float:
        """Return the value at a place."""
        if self.log:
            return 10.0**place
        return place

    @property
    def edges(self) -> np.ndarray:
        """Return the places of the edges of the cells around the values, (V + 1,)."""
        places = self.place(self.values)
        middles = (places[1:] + places[:-1]) / 2
        first = 2 * places[0] - middles[0]
        last = 2 * places[-1] - middles[-1]
        return np.array([first, *middles, last])

    @property
    def ends(self) -> list[float]:
        """Return the places of the ends of the axis."""
        return [float(self.edges[0]), float(self.edges[-1])]

    def at(self, share: Any) -> Any:
        """Return the place at a share of the axis, from 0 at its lower end to 1."""
        low, high = self.ends
        return low + share * (high - low)

    def cells(self, places: Any) -> np.ndarray:
        """Return the indices of the cells that hold these places."""
        return np.clip(np.searchsorted(self.edges, places) - 1, 0, len(self.values) - 1)

    def nearest(self, share: float) -> float:
        """Return the value of the cell at a share of the axis, from -1 at its lower end to 1."""
        place = self.at((share + 1) / 2)
        return self.values[int(self.cells(place))]


class Map(NamedTuple):
    """Medians over two sliders.

    x: (X,) and y: (Y,), values of the sliders. medians: (Y, X), NaN where they are missing or
    refused.
    """

    x: np.ndarray
    y: np.ndarray
    medians: np.ndarray


class Effect(NamedTuple):
    """Effect of one slider.

    value: where the slider is moved to. difference: the measure there less the measure now.
    """

    slider: str
    value: float
    difference: Difference


class Peak(NamedTuple):
    """The best median of a curve.

    value: of the slider. hits: runs there that reach the target.
    """

    value: float
    median: float
    hits: int


class Winner(NamedTuple):
    """The best of the tries and its retests on other splits.

    chosen: the median that selected it. again, base: (S,), its median and that of the base on each
        other split that is
    done. gain: what the retests allow to say about the two.
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
    """Return whether settings use rows of a visitor's own file that are in this session."""
    return isinstance(getattr(base, "own", ""), OwnRows)


def usual_target(base: Settings, usual: float) -> float:
    """Return the first target of questions about ``base``.

    It is ``usual`` or, for a numeric label of a visitor's file, a tenth of its declared range.
    """
    source = getattr(base, "source", None)
    bounds = getattr(source, "label_bounds", None)
    if bounds is None or not of_own_rows(base):
        return usual
    low, high = bounds
    if low < high:
        return (high - low) / 10
    return usual
