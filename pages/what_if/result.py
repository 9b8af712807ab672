"""Result of a question: where the target is reached, which parameter matters, which configuration
is best.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dpcore.privacy import Guarantee
from lab.experiment.settings import Settings, Task
from lab.statistics.claims import LEAST, Case, classify_difference
from lab.statistics.crossing import Crossing, Solution, smallest
from lab.statistics.decision_regions import zeros
from lab.statistics.differences import Difference
from lab.statistics.medians import Medians, median_interval, median_run, over_splits
from lab.sweeps.measurement import Measurement
from lab.sweeps.sweep import best, difference_of_settings, summary
from lab.sweeps.tuning_cost import prices, together
from pages.what_if.measurements import MOST, SHARES, Curve, Effect, Map, Peak, Winner

# The share of a normal distribution within a standard deviation of its mean.
_ONE_ERROR = 0.6827
# More epsilon has no visible effect where the measure gains less than this.
_LEVEL_GAIN = 0.01
# Medians at or below 0 have no logarithm.
_LEAST_POSITIVE = 1e-12
# Rounding must not move an end of the colour scale by a whole step.
_ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIfResult:
    """Result of the tasks that are done.

    outcomes: task -> what it returned.
    """

    settings: Any
    outcomes: Mapping[Task, Any]

    # Runs

    def of(self, settings: Settings) -> np.ndarray | None:
        """Return all runs of some settings of the topic, (seeds x repeats,), or None while some are
        missing.
        """
        return self._runs(self.settings.measurements(settings))

    def _runs(self, measurements: Sequence[Measurement]) -> np.ndarray | None:
        done = [self.outcomes[task] for task in measurements if task in self.outcomes]
        if len(done) < len(measurements):
            return None
        return np.concatenate(done)

    @property
    def known(self) -> frozenset[Settings]:
        """Return the settings on the curve with at least some runs."""
        started = set()
        for settings in self.settings.compares:
            if any(task in self.outcomes for task in self.settings.measurements(settings)):
                started.add(settings)
        return frozenset(started)

    @cached_property
    def now(self) -> np.ndarray:
        """Return the runs of the base that are done."""
        measurements = self.settings.measurements(self.settings.settings)
        return np.concatenate(
            [self.outcomes[task] for task in measurements if task in self.outcomes]
        )

    @property
    def complete(self) -> bool:
        """Return whether all runs of the base are done."""
        return self.of(self.settings.settings) is not None

    @property
    def compared(self) -> int:
        """Return the number of splits that medians are taken over; 1 until the base has runs on
        all.
        """
        if self.complete:
            return self.settings.seeds
        return 1

    def median(self, runs: np.ndarray) -> float:
        """Return the median of some runs; of several splits, the median of their medians."""
        return float(median_run(runs, splits=self.compared))

    def _difference(
        self, one: Settings, other: Settings, *, confidence: float = 0.95
    ) -> Difference | None:
        """Return the measure of one setting less that of the other; None while runs are missing."""
        runs, other_runs = self.of(one), self.of(other)
        if runs is None or other_runs is None:
            return None
        return difference_of_settings(
            one, other, runs, other_runs, splits=self.compared, confidence=confidence
        )

    @property
    def splits(self) -> tuple[float, float]:
        """Return the standard deviation of the base's medians over splits, and what noise alone
        would give.

        The second is half the interval that holds a median as often as one standard error around it
        does.
        """
        by_split = self.now.reshape(self.settings.seeds, -1)
        across = np.median(by_split, axis=1).std(ddof=1)
        within = np.mean(
            [np.ptp(median_interval(runs, confidence=_ONE_ERROR)) / 2 for runs in by_split]
        )
        return float(across), float(within)

    # Curve

    @cached_property
    def curve(self) -> Curve:
        """Return the curve along the slider; only its own value until the base has all runs."""
        if not self.complete:
            value = getattr(self.settings, self.settings.along)
            return Curve(np.array([value], dtype=float), self.now[None])
        return self._curve(self.settings.around.curve)

    @cached_property
    def beyond(self) -> Curve:
        """Return the estimates for more people than there are. They are no measurements."""
        return self._curve(self.settings.around.estimated)

    def _curve(self, settings: Mapping[float, Settings]) -> Curve:
        values = []
        runs = []
        for value, there in sorted(settings.items()):
            found = self.of(there)
            if found is not None:
                values.append(value)
                runs.append(found)
        known = np.array(runs) if runs else np.empty((0, len(self.now)))
        return Curve(np.array(values, dtype=float), known, self.compared)

    @property
    def trained(self) -> float:
        """Return the share of the curve's values that are done."""
        return len(self.curve.values) / len(self.settings.around.curve)

    @property
    def hits_now(self) -> int:
        """Return how many runs of the base reach the target."""
        return int(self._reach(self.now).sum())

    def _reach(self, numbers: np.ndarray) -> np.ndarray:
        """Return which numbers reach the target."""
        if self.settings.asked.better == "higher":
            return numbers >= self.settings.goal
        return numbers <= self.settings.goal

    @property
    def peak(self) -> Peak:
        """Return the best median of the curve so far. As the best of many, it is partly luck."""
        place = best(self.curve.medians.tolist(), self.settings.asked)
        hits = int(self._reach(self.curve.runs[place]).sum())
        return Peak(float(self.curve.values[place]), float(self.curve.medians[place]), hits)

    @property
    def level(self) -> float | None:
        """Return the smallest value from which on no median gains a point; None if that is the
        largest value alone.
        """
        if self.trained < 1:
            return None
        medians = self.curve.medians
        highest_from_here = np.maximum.accumulate(medians[::-1])[::-1]
        return _first_after(self.curve.values, highest_from_here - medians >= _LEVEL_GAIN, least=2)

    @property
    def enough(self) -> float | None:
        """Return the fewest people from whom on all estimates reach the target.

        None where none do, or while estimates are missing.
        """
        estimates = self.beyond
        if not len(estimates.values) or len(estimates.values) < len(self.settings.around.estimated):
            return None
        reached = self._reach(estimates.medians)
        if self.settings.reached == "most":
            reached = self._reach(estimates.runs).mean(axis=1) >= MOST
        return _first_after(estimates.values, ~reached, least=1)

    # Crossing

    @cached_property
    def crossings(self) -> Mapping[str, Crossing]:
        """Return from which value on the median run, and 90 % of runs, reach the target.

        Empty where the measure may get better and worse along the slider: there is no smallest
        value then.
        """
        if not self.settings.improves:
            return {}
        return {reached: self._crossing(reached) for reached in SHARES}

    @property
    def crossing(self) -> Crossing | None:
        """Return the crossing that is asked for; None where there is none."""
        return self.crossings.get(self.settings.reached)

    def _crossing(self, reached: str) -> Crossing:
        return smallest(
            self._values,
            self._crossing_runs(reached),
            self.settings.goal,
            better=self.settings.asked.better,
            log=self.settings.axis(self.settings.along).log,
            share=SHARES[reached],
        )

    def _crossing_runs(self, reached: str) -> np.ndarray | Medians:
        """Return the runs of the curve for a crossing.

        Runs on several splits are not independent: a median is that of the splits, and a share is
        counted on the base's own split.
        """
        runs = self._all_runs
        by_split = runs.reshape(len(runs), self.compared, -1)
        if self.compared > 1 and reached == "median":
            return over_splits(by_split.swapaxes(0, 1), overlap=self.settings.settings.overlap)
        return by_split[:, 0]

    @property
    def _values(self) -> np.ndarray:
        return np.array([*self.settings.around.curve], dtype=float)

    @cached_property
    def _all_runs(self) -> np.ndarray:
        """Return the runs of the whole curve, (V, seeds x repeats); NaN where they are missing."""
        found = np.full((len(self._values), len(self.now)), np.nan)
        found[np.searchsorted(self._values, self.curve.values)] = self.curve.runs
        return found

    @property
    def main(self) -> float | None:
        """Return the value of the slider that answers the question; None where there is none."""
        found = self.crossing
        if not self.settings.solving or not isinstance(found, Solution):
            return None
        if self.settings.reached == "most":
            return found.safe
        return found.point

    @property
    def sure(self) -> float | None:
        """Return the value from which on 90 % of runs reach the target, beside the median's."""
        if not self.settings.solving or self.settings.reached != "median":
            return None
        found = self.crossings.get("most")
        if not isinstance(found, Solution):
            return None
        return found.safe

    @property
    def span(self) -> tuple[float, float] | None:
        """Return the confidence interval of the crossing within the axis; None where there is no
        crossing.
        """
        found = self.crossing
        if not self.settings.solving or not isinstance(found, Solution):
            return None
        low = self._values[0] if found.low is None else found.low
        high = self._values[-1] if found.high is None else found.high
        return float(low), float(high)

    # Parameters

    @cached_property
    def effects(self) -> dict[str, list[Effect]]:
        """Return slider -> effects of a step down and a step up, the largest first; only those that
        are done.

        All intervals hold together with 95 % confidence (Bonferroni).
        """
        found: dict[str, list[Effect]] = {}
        bars = self.settings.around.bars
        confidence = 1 - 0.05 / max(1, len(bars))
        for (slider, value), settings in bars.items():
            difference = self._difference(settings, self.settings.settings, confidence=confidence)
            if difference is not None:
                found.setdefault(slider, []).append(Effect(slider, value, difference))
        return dict(sorted(found.items(), key=lambda item: _largest(item[1]), reverse=True))

    # Map

    @cached_property
    def map(self) -> Map:
        """Return the medians over two parameters; NaN where they are missing or refused."""
        x, y = (np.array(values, dtype=float) for values in self.settings.around.axes)
        medians = np.full((len(y), len(x)), np.nan)
        for (across, up), settings in self.settings.around.cells.items():
            runs = self.of(settings)
            if runs is not None:
                medians[np.searchsorted(y, up), np.searchsorted(x, across)] = self.median(runs)
        return Map(x, y, medians)

    @cached_property
    def cells_done(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.map.medians)))

    @property
    def whole(self) -> bool:
        """Return whether all cells of the map are done."""
        return self.cells_done == len(self.settings.around.cells)

    @cached_property
    def best_cell(self) -> tuple[int, int]:
        """Return the row and column of the best median."""
        return divmod(best(self.map.medians.ravel().tolist(), self.settings.asked), len(self.map.x))

    @property
    def colours(self) -> tuple[float, float]:
        """Return the ends of the map's colour scale.

        They move in wide steps, so that the scale seldom changes while the map refines: tenths of
        the measure's range or, where it has no largest value, quarters of a power of ten.
        """
        least, most = self.settings.asked.limits
        medians = np.append(self.map.medians, self.median(self.now))
        medians = medians[np.isfinite(medians)]
        if not len(medians):
            medians = np.ones(1)
        endless = math.isinf(most)
        if endless:
            steps = 4 * np.log10(np.maximum(medians, _LEAST_POSITIVE))
        else:
            steps = 10 * (medians - least) / (most - least)
        low = np.floor(steps.min() + _ROUNDING)
        high = max(np.ceil(steps.max() - _ROUNDING), low + 1)
        if endless:
            return float(10 ** (low / 4)), float(10 ** (high / 4))
        width = (most - least) / 10
        return float(least + width * low), float(least + width * high)

    @cached_property
    def line(self) -> np.ndarray:
        """Return where the map's medians are at the target."""
        return self.iso(self.settings.goal)

    def iso(self, level: float) -> np.ndarray:
        """Return where the map's medians are at a level: segments (m, 2, 2) of (across, up), on the
        axes of the map.

        Lines are straight between the middles of cells.
        """
        if min(self.map.medians.shape) < 2:
            return np.empty((0, 2, 2))
        segments = zeros(self.map.medians[None] - level)
        places = []
        for i, axis in enumerate(self.settings.axes):
            places.append(
                np.interp(segments[..., i], range(len(axis.values)), axis.place(axis.values))
            )
        return np.stack(places, axis=-1)

    @cached_property
    def first(self) -> tuple[float, float] | None:
        """Return (across, up), on the axes of the map, where the target is first reached along the
        slider.

        None until the map is whole, and where the target is reached at the first value or nowhere
        between cells.
        """
        points = self.line.reshape(-1, 2)
        if not (self.settings.solving and self.settings.improves and self.whole and len(points)):
            return None
        medians = self.map.medians
        first_allowed = np.argmin(np.isnan(medians), axis=1)
        at_the_edge = medians[np.arange(len(medians)), first_allowed]
        if self._reach(at_the_edge).any():
            return None
        across, up = points[points[:, 0].argmin()].tolist()
        return across, up

    # Best configuration

    @property
    def tries(self) -> list[tuple[Settings, float]]:
        """Return the configurations that are done, each with its median."""
        found = []
        for settings in self.settings.tried:
            runs = self.of(settings)
            if runs is not None:
                found.append((settings, self.median(runs)))
        return found

    @cached_property
    def winner(self) -> Winner | None:
        """Return the best of all tries and its retests; None until all tries are done."""
        tries = self.tries
        if not tries or len(tries) < len(self.settings.tried):
            return None
        settings, chosen = tries[best([median for _, median in tries], self.settings.asked)]
        retests = []
        bases = []
        for task, base in self.settings.again:
            runs = self._runs(base)
            if runs is not None and task in self.outcomes:
                retests.append(self.outcomes[task])
                bases.append(runs)
        again = np.array([np.median(runs) for runs in retests])
        base_medians = np.array([np.median(runs) for runs in bases])
        return Winner(settings, chosen, again, base_medians, self._gain(settings, retests, bases))

    def _gain(
        self, winner: Settings, retests: Sequence[np.ndarray], bases: Sequence[np.ndarray]
    ) -> Case:
        """Return what the retests allow to say about the winner and the base."""
        if len(retests) < max(2, len(self.settings.again)):
            return Case.SO_FAR
        base = np.concatenate(bases)
        found = difference_of_settings(
            winner, self.settings.settings, np.concatenate(retests), base, splits=len(retests)
        )
        asked = self.settings.asked
        least = LEAST  # a point or, without percent, 1 % of the base's median
        if asked.unit != "%":
            least = LEAST * abs(float(np.median(base)))
        return classify_difference(found, better=asked.better, least=least)

    # Cost of tuning

    @cached_property
    def prices(self) -> Mapping[str, Guarantee]:
        """Return way of release -> cost of a search on private rows; empty where a run promises
        nothing.
        """
        return prices(self.settings.settings, self.settings.tries)

    @property
    def used(self) -> tuple[tuple[Settings, int], ...]:
        """Return the settings that the whole answer uses, each with its number of runs."""
        settings = self.settings
        runs = settings.repeats * settings.seeds
        if settings.asks != "best":
            there = (*settings.around.curve.values(), *settings.around.estimated.values())
            return tuple((one, runs) for one in there)
        winner = self.winner.settings if self.winner else settings.settings
        retests = settings.repeats * len(settings.again)
        tried = [(one, runs) for one in settings.tried]
        return (*tried, (winner, retests), (settings.settings, retests))

    @property
    def used_up(self) -> Guarantee | None:
        """Return the cost of releasing all runs of the answer; None where they have no guarantee
        together.
        """
        return together(self.used)

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row for each value of the slider: median, range of 90 % of runs, share that
        reaches the target.
        """
        return summary(
            self.all_runs(), target=self.settings.goal, better=self.settings.asked.better
        )

    def all_runs(self) -> pd.DataFrame:
        """Return a row for each run of the curve."""
        values, runs, seeds = self.curve
        first = getattr(self.settings.settings, "seed", 0)
        names = [self.settings.along, "seed", "repeat"]
        levels = [values, first + np.arange(seeds), range(runs.shape[1] // seeds)]
        index = pd.MultiIndex.from_product(levels, names=names)
        return pd.DataFrame({self.settings.measure: runs.ravel()}, index=index).reset_index()

    def bars(self) -> pd.DataFrame:
        """Return a row for each bar of the chart of parameters."""
        rows = []
        for effects in self.effects.values():
            for effect in effects:
                difference = effect.difference
                rows.append(
                    {
                        "slider": effect.slider,
                        "value": effect.value,
                        "median": difference.median,
                        "low": difference.low,
                        "high": difference.high,
                    }
                )
        return pd.DataFrame(rows)

    def cells(self) -> pd.DataFrame:
        """Return a row for each cell of the map that is done."""
        x, y, medians = self.map
        index = pd.MultiIndex.from_product(
            [y, x], names=[self.settings.upwards, self.settings.along]
        )
        return pd.DataFrame({"median": medians.ravel()}, index=index).dropna().reset_index()

    def search(self) -> pd.DataFrame:
        """Return a row for each configuration that is done."""
        rows = []
        for settings, median in self.tries:
            row = {name: getattr(settings, name) for name in self.settings.settings.tuned}
            rows.append({**row, "chosen": median})
        return pd.DataFrame(rows)


def _first_after(values: np.ndarray, failing: np.ndarray, *, least: int) -> float | None:
    """Return the first value after the last failing one; None where fewer than ``least`` values are
    left.
    """
    places = np.flatnonzero(failing)
    first = places[-1] + 1 if len(places) else 0
    if len(values) - first < least:
        return None
    return float(values[first])


def _largest(effects: Iterable[Effect]) -> float:
    return max(abs(effect.difference.median) for effect in effects)
