"""Result of a question: runs of the topic's settings, effects of parameters, and their cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.privacy import Guarantee
from lab.experiment.settings import Settings
from lab.statistics.differences import Difference
from lab.statistics.medians import median_interval, median_run
from lab.sweeps.sweep import difference_of_settings, summary
from lab.sweeps.tuning_cost import prices, together
from pages.what_if.measurements import BaseRuns, Curve, Effect
from pages.what_if.result_curve import CurveResult, reaches
from pages.what_if.result_map import MapResult
from pages.what_if.result_search import SearchResult
from pages.what_if.sampling import SamplingPlan
from pages.what_if.settings import WhatIfSettings

# Share of a normal distribution within a standard deviation of its mean.
_ONE_SD = 0.6827
# The intervals of all effects together hold with 95 % confidence.
_EFFECTS_ERROR = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIfResult:
    """Result of the tasks done so far.

    base: runs of the topic's settings.
    curve_runs, estimate_runs: runs along the parameter, and estimates for more people, by value.
    effect_runs: runs with one slider changed, by slider and value.
    cell_runs: runs of the map, by x and y.
    candidate_runs: runs of each candidate, by its number.
    retest_runs: runs of the best candidate and of the topic's settings, on each other split.
    started: settings along the curve with at least some runs.

    All but ``base`` and ``started`` have those settings alone of which all runs are done.
    """

    settings: WhatIfSettings
    base: BaseRuns
    curve_runs: Mapping[float, np.ndarray]
    estimate_runs: Mapping[float, np.ndarray]
    effect_runs: Mapping[tuple[str, float], np.ndarray]
    cell_runs: Mapping[tuple[float, float], np.ndarray]
    candidate_runs: Mapping[int, np.ndarray]
    retest_runs: Sequence[tuple[np.ndarray, np.ndarray]]
    started: frozenset[Settings]

    @property
    def plan(self) -> SamplingPlan:
        """Return the plan of the settings that are measured."""
        return self.settings.experiment.plan

    # The topic's settings

    @property
    def base_median(self) -> float:
        """Return the median at the topic's settings."""
        return self.median(self.base.runs)

    @property
    def hits(self) -> int:
        """Return the number of runs at the topic's settings that reach the target."""
        return int(reaches(self.settings, self.base.runs).sum())

    @property
    def compared_splits(self) -> int:
        """Return the number of splits that medians are taken over.

        It is 1 until the topic's settings have runs on all splits.
        """
        if self.base.complete:
            return self.settings.seeds
        return 1

    def median(self, runs: np.ndarray) -> float:
        """Return the median of some runs, with several splits that of their medians."""
        return float(median_run(runs, splits=self.compared_splits))

    @property
    def split_deviations(self) -> tuple[float, float]:
        """Return the sd of the medians over splits, and what noise alone would give.

        The second is half the interval that contains a median as often as one standard error around
        it does.
        """
        by_split = self.base.runs.reshape(self.settings.seeds, -1)
        across = np.median(by_split, axis=1).std(ddof=1)
        half_widths = []
        for runs in by_split:
            half_widths.append(np.ptp(median_interval(runs, confidence=_ONE_SD)) / 2)
        return float(across), float(np.mean(half_widths))

    # Curve, map and search

    @cached_property
    def curve(self) -> CurveResult:
        """Return the result along the parameter."""
        if self.base.complete:
            measured = self._curve(self.curve_runs)
        else:
            value = getattr(self.settings, self.settings.x_field)
            measured = Curve(np.array([value], dtype=float), self.base.runs[None])
        return CurveResult(
            settings=self.settings,
            planned_values=np.array(list(self.plan.curve), dtype=float),
            planned_estimates=np.array(list(self.plan.estimates), dtype=float),
            measured=measured,
            estimated=self._curve(self.estimate_runs),
        )

    def _curve(self, runs_by_value: Mapping[float, np.ndarray]) -> Curve:
        values = sorted(runs_by_value)
        runs = np.empty((0, len(self.base.runs)))
        if values:
            runs = np.array([runs_by_value[value] for value in values])
        return Curve(np.array(values, dtype=float), runs, self.compared_splits)

    @cached_property
    def map(self) -> MapResult:
        """Return the result over two parameters."""
        medians = {cell: self.median(runs) for cell, runs in self.cell_runs.items()}
        return MapResult(
            settings=self.settings,
            cells=len(self.plan.cells),
            medians_by_cell=medians,
            base_median=self.base_median,
        )

    @cached_property
    def search(self) -> SearchResult:
        """Return the result of the search for the best configuration."""
        tries = []
        for number, runs in self.candidate_runs.items():
            tries.append((self.settings.candidates[number], self.median(runs)))
        return SearchResult(
            settings=self.settings,
            tries=tries,
            retests=self.retest_runs,
            planned_retests=self._planned_retests,
        )

    @property
    def _planned_retests(self) -> int:
        return len(self.settings.experiment.retests.pairs)

    # Effects of parameters

    @cached_property
    def effects(self) -> dict[str, list[Effect]]:
        """Return the effects of a step down and a step up of each slider, the largest first.

        All intervals together hold with 95 % confidence (Bonferroni).
        """
        effects: dict[str, list[Effect]] = {}
        confidence = 1 - _EFFECTS_ERROR / max(1, len(self.plan.effects))
        for (slider, value), settings in self.plan.effects.items():
            difference = self._difference((slider, value), settings, confidence=confidence)
            if difference is not None:
                effects.setdefault(slider, []).append(Effect(slider, value, difference))
        largest_first = sorted(effects, key=lambda name: _largest(effects[name]), reverse=True)
        return {name: effects[name] for name in largest_first}

    def _difference(
        self, step: tuple[str, float], settings: Settings, *, confidence: float
    ) -> Difference | None:
        """Return the measure after a step less that before, or None while runs are missing."""
        if step not in self.effect_runs or not self.base.complete:
            return None
        return difference_of_settings(
            settings,
            self.settings.topic_settings,
            self.effect_runs[step],
            self.base.runs,
            splits=self.compared_splits,
            confidence=confidence,
        )

    # Cost

    @cached_property
    def prices(self) -> Mapping[str, Guarantee]:
        """Return the cost of a search on private rows by the way of its release.

        It is empty if a run has no guarantee.
        """
        return prices(self.settings.topic_settings, self.settings.tries)

    @property
    def used(self) -> tuple[tuple[Settings, int], ...]:
        """Return the settings that the answer uses, each with its number of runs."""
        settings = self.settings
        runs = settings.repeats * settings.seeds
        if settings.answered_question != "best":
            along_curve = (*self.plan.curve.values(), *self.plan.estimates.values())
            return tuple((measured, runs) for measured in along_curve)
        retested = settings.topic_settings
        if self.search.winner is not None:
            retested = self.search.winner.settings
        retests = settings.repeats * self._planned_retests
        candidates = [(candidate, runs) for candidate in settings.candidates]
        return (*candidates, (retested, retests), (settings.topic_settings, retests))

    @property
    def used_up(self) -> Guarantee | None:
        """Return the cost of releasing all runs, or None if they have no guarantee together."""
        return together(self.used)

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per value of the curve: median, 90 % of runs, share reaching the target."""
        return summary(
            self.all_runs(), target=self.settings.goal, better=self.settings.asked_measure.better
        )

    def all_runs(self) -> pd.DataFrame:
        """Return a row per run of the curve."""
        values, runs, splits = self.curve.measured
        first_seed = getattr(self.settings.topic_settings, "seed", 0)
        levels = [values, first_seed + np.arange(splits), range(runs.shape[1] // splits)]
        index = pd.MultiIndex.from_product(levels, names=[self.settings.x_field, "seed", "repeat"])
        return pd.DataFrame({self.settings.measure: runs.ravel()}, index=index).reset_index()

    def effects_table(self) -> pd.DataFrame:
        """Return a row per effect of a parameter."""
        rows = []
        for effects in self.effects.values():
            for effect in effects:
                row = {
                    "slider": effect.slider,
                    "value": effect.value,
                    "median": effect.difference.median,
                    "low": effect.difference.low,
                    "high": effect.difference.high,
                }
                rows.append(row)
        return pd.DataFrame(rows)

    def cells(self) -> pd.DataFrame:
        """Return a row per cell of the map that is done."""
        x, y, medians = self.map.map
        index = pd.MultiIndex.from_product(
            [y, x], names=[self.settings.y_field, self.settings.x_field]
        )
        return pd.DataFrame({"median": medians.ravel()}, index=index).dropna().reset_index()


def _largest(effects: Sequence[Effect]) -> float:
    """Return the size of the largest effect."""
    return max(abs(effect.difference.median) for effect in effects)
