"""Result of the map: medians over two parameters, and where they are at the target."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.statistics.decision_regions import zeros
from pages.what_if.measurements import Map
from pages.what_if.settings import WhatIfSettings

# Medians at or below 0 have no logarithm.
_LEAST_POSITIVE = 1e-12
# Rounding must not move an end of the colour scale by a whole step.
_ROUNDING = 1e-6
# Steps of the ends of the colour scale, of a measure's range and of a power of ten.
_STEPS_OF_RANGE = 10
_STEPS_OF_DECADE = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class MapResult:
    """Result of the map, as far as it is done.

    cells: number of cells of the map that are not refused.
    medians_by_cell: by x and y, those that are done.
    base_median: at the topic's settings.
    """

    settings: WhatIfSettings
    cells: int
    medians_by_cell: Mapping[tuple[float, float], float]
    base_median: float

    @cached_property
    def map(self) -> Map:
        """Return the medians of all cells, NaN where they are missing or refused."""
        x_axis, y_axis = self.settings.axes
        x_values = np.array(x_axis.values, dtype=float)
        y_values = np.array(y_axis.values, dtype=float)
        medians = np.full((len(y_values), len(x_values)), np.nan)
        for (x, y), median in self.medians_by_cell.items():
            row = np.searchsorted(y_values, y)
            column = np.searchsorted(x_values, x)
            medians[row, column] = median
        return Map(x_values, y_values, medians)

    @property
    def cells_done(self) -> int:
        """Return the number of cells that are done."""
        return int(np.count_nonzero(~np.isnan(self.map.medians)))

    @cached_property
    def colour_range(self) -> tuple[float, float]:
        """Return the ends of the colour scale.

        They move in wide steps, so that the scale seldom changes while the map refines: tenths of
        the measure's range or, if it has no largest value, quarters of a power of ten.
        """
        least, most = self.settings.asked_measure.limits
        medians = np.append(self.map.medians, self.base_median)
        medians = medians[np.isfinite(medians)]
        if len(medians) == 0:
            medians = np.ones(1)
        if math.isinf(most):
            steps = _STEPS_OF_DECADE * np.log10(np.maximum(medians, _LEAST_POSITIVE))
            low, high = _ends(steps)
            return float(10 ** (low / _STEPS_OF_DECADE)), float(10 ** (high / _STEPS_OF_DECADE))
        steps = _STEPS_OF_RANGE * (medians - least) / (most - least)
        low, high = _ends(steps)
        width = (most - least) / _STEPS_OF_RANGE
        return float(least + width * low), float(least + width * high)

    @cached_property
    def target_line(self) -> np.ndarray:
        """Return the line on which the medians are at the target, as segments (m, 2, 2) of (x, y).

        Lines are straight between the middles of cells.
        """
        if min(self.map.medians.shape) < 2:
            return np.empty((0, 2, 2))
        # Ends of segments, in rows and columns.
        segments = zeros(self.map.medians[None] - self.settings.goal)
        positions = []
        for index, axis in enumerate(self.settings.axes):
            numbers = range(len(axis.values))
            positions.append(np.interp(segments[..., index], numbers, axis.position(axis.values)))
        return np.stack(positions, axis=-1)


def _ends(steps: np.ndarray) -> tuple[float, float]:
    """Return the whole steps that contain all ``steps``, at least one apart."""
    low = np.floor(steps.min() + _ROUNDING)
    high = max(np.ceil(steps.max() - _ROUNDING), low + 1)
    return low, high
