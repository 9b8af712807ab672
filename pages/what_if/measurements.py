"""Values of an answer: curve, axes, map, effects of parameters, and the best configuration."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lab.experiment.settings import Settings, quantiles_of
from lab.statistics.claims import Case
from lab.statistics.differences import Difference
from lab.uploads.made_up import MadeUp

# The measure to which each class contributes as much.
BALANCED = "balanced"
# Share of the runs that "most" of them are.
MOST = 0.9
# The first target for a numeric label of a file is its declared range divided by this.
_RANGE_PER_TARGET = 10


class BaseRuns(NamedTuple):
    """Runs of the topic's settings that are done, and whether all are."""

    runs: np.ndarray
    complete: bool


class Curve(NamedTuple):
    """Runs along a slider.

    values: (V,), ascending.
    runs: (V, R), the runs at each value.
    """

    values: np.ndarray
    runs: np.ndarray

    @property
    def medians(self) -> np.ndarray:
        """Return the median at each value, (V,)."""
        return np.median(self.runs, axis=1)

    @property
    def quantiles(self) -> np.ndarray:
        """Return the 5 %, 50 % and 95 % quantiles of the runs, (3, V)."""
        return quantiles_of(self.runs)


class Axis(NamedTuple):
    """Ascending values of an axis of a chart.

    A position on the axis is a value or, on a log axis, its logarithm to base 10.
    """

    values: Sequence[float]
    log: bool

    def position(self, values: Any) -> np.ndarray:
        """Return the positions on the axis of one or more values, as an array."""
        if self.log:
            return np.log10(values)
        return np.asarray(values, dtype=float)

    @property
    def edges(self) -> np.ndarray:
        """Return the positions of the edges of the cells around the values, (V + 1,)."""
        positions = self.position(self.values)
        middles = (positions[1:] + positions[:-1]) / 2
        first = 2 * positions[0] - middles[0]
        last = 2 * positions[-1] - middles[-1]
        return np.array([first, *middles, last])

    @property
    def ends(self) -> list[float]:
        """Return the positions of the ends of the axis."""
        edges = self.edges
        return [float(edges[0]), float(edges[-1])]

    def at_share(self, share: Any) -> Any:
        """Return the positions at shares of the axis, from 0 at its lower end to 1."""
        low, high = self.ends
        return low + share * (high - low)

    def cells(self, positions: Any) -> np.ndarray:
        """Return the indices of the cells that contain these positions."""
        return np.clip(np.searchsorted(self.edges, positions) - 1, 0, len(self.values) - 1)

    def nearest(self, share: float) -> float:
        """Return the value of the cell that a click hits.

        share: where the click is, from -1 at the lower end of the axis to 1 at the upper one.
        """
        position = self.at_share((share + 1) / 2)
        return self.values[int(self.cells(position))]


class Map(NamedTuple):
    """Medians over two sliders.

    x, y: values (X,) and (Y,) of the sliders.
    medians: (Y, X), NaN where they are missing or refused.
    """

    x: np.ndarray
    y: np.ndarray
    medians: np.ndarray


class Effect(NamedTuple):
    """Effect of a step of one slider.

    value: what the slider is moved to.
    difference: the measure there less the measure at the topic's settings.
    """

    slider: str
    value: float
    difference: Difference


class Answer(NamedTuple):
    """A value that is enough to reach the target.

    low, high: its confidence interval. None stands for an interval that is open below.
    """

    value: float
    low: float | None
    high: float


class Peak(NamedTuple):
    """The best median of a curve.

    value: of the slider.
    hits: number of runs there that reach the target.
    """

    value: float
    median: float
    hits: int


class Winner(NamedTuple):
    """The best of the configurations, and its retests on other splits.

    selected: the median by which it was selected.
    retested, base: its median and that of the topic's settings on each other split, (S,).
    gain: what the retests allow to claim about the two.
    """

    settings: Settings
    selected: float
    retested: np.ndarray
    base: np.ndarray
    gain: Case

    @property
    def retested_median(self) -> float:
        """Return the median over the other splits."""
        return float(np.median(self.retested))

    @property
    def base_median(self) -> float:
        """Return the median of the topic's settings over the other splits."""
        return float(np.median(self.base))


def uses_made_up_rows(settings: Settings) -> bool:
    """Return whether settings use made-up rows in place of a visitor's file."""
    return isinstance(getattr(settings, "own", ""), MadeUp)


def usual_target(settings: Settings, usual: float) -> float:
    """Return the first target of questions about some settings.

    It is ``usual`` or, for a numeric label of a visitor's file, a tenth of its declared range.
    """
    source = getattr(settings, "source", None)
    bounds = getattr(source, "label_bounds", None)
    if bounds is None or not uses_made_up_rows(settings):
        return usual
    low, high = bounds
    if low < high:
        return (high - low) / _RANGE_PER_TARGET
    return usual
