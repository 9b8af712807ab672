"""Result of a question: runs of the topic's settings, and effects of parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from lab.experiment.settings import Settings
from lab.statistics.differences import Difference
from lab.sweeps.sweep import difference_of_settings, summary
from pages.what_if.measurements import BaseRuns, Curve, Effect
from pages.what_if.recommendation import Recommendation, recommend
from pages.what_if.result_curve import CurveResult, reaches
from pages.what_if.result_map import MapResult
from pages.what_if.result_search import SearchResult
from pages.what_if.sampling import SamplingPlan
from pages.what_if.settings import WhatIfSettings

# The intervals of all effects together hold with 95 % confidence.
_EFFECTS_ERROR = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIfResult:
    """Result of the tasks done so far.

    base: runs of the topic's settings.
    curve_runs: runs along the parameter, by value.
    effect_runs: runs with one slider changed, by slider and value.
    cell_runs: runs of the map, by x and y.
    candidate_runs: runs of each candidate, by its number.
    retest_runs: runs of the best candidate and of the topic's settings, on each other split.

    All but ``base`` have those settings alone of which all runs are done.
    """

    settings: WhatIfSettings
    base: BaseRuns
    curve_runs: Mapping[float, np.ndarray]
    effect_runs: Mapping[tuple[str, float], np.ndarray]
    cell_runs: Mapping[tuple[float, float], np.ndarray]
    candidate_runs: Mapping[int, np.ndarray]
    retest_runs: Sequence[tuple[np.ndarray, np.ndarray]]

    @property
    def plan(self) -> SamplingPlan:
        """Return the plan of the settings that are measured."""
        return self.settings.experiment.plan

    # The topic's settings

    @property
    def base_median(self) -> float:
        """Return the median at the topic's settings."""
        return float(np.median(self.base.runs))

    @property
    def hits(self) -> int:
        """Return the number of runs at the topic's settings that reach the target."""
        return int(reaches(self.settings, self.base.runs).sum())

    # Curve, map and search

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """Return the value with which 90 % of runs reach the target, or None if none is shown."""
        return recommend(self.curve, self.plan.curve)

    @cached_property
    def curve(self) -> CurveResult:
        """Return the result along the parameter."""
        runs_by_value = self.curve_runs
        if not self.base.complete:
            set_value = getattr(self.settings, self.settings.x_field)
            runs_by_value = {set_value: self.base.runs}
        values = sorted(runs_by_value)
        return CurveResult(
            settings=self.settings,
            planned_values=np.array(list(self.plan.curve), dtype=float),
            measured=Curve(
                np.array(values, dtype=float),
                np.array([runs_by_value[value] for value in values]),
            ),
        )

    @cached_property
    def map(self) -> MapResult:
        """Return the result over two parameters."""
        medians = {cell: float(np.median(runs)) for cell, runs in self.cell_runs.items()}
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
            tries.append((self.settings.candidates[number], float(np.median(runs))))
        return SearchResult(
            settings=self.settings,
            tries=tries,
            retests=self.retest_runs,
        )

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
        """Return the measure after a step less that before, or None while runs are missing.

        step: the slider and its new value.
        settings: the topic's settings with that value.
        """
        if step not in self.effect_runs or not self.base.complete:
            return None
        return difference_of_settings(
            settings,
            self.settings.topic_settings,
            self.effect_runs[step],
            self.base.runs,
            confidence=confidence,
        )

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per value of the curve: median, 90 % of runs, share reaching the target."""
        return summary(
            self.all_runs(), target=self.settings.goal, better=self.settings.asked_measure.better
        )

    def all_runs(self) -> pd.DataFrame:
        """Return a row per run of the curve."""
        values, runs = self.curve.measured
        count = runs.shape[1]
        columns = {
            self.settings.x_field: np.repeat(values, count),
            "seed": self.settings.topic_settings.seed,
            "repeat": np.tile(np.arange(count), len(values)),
            self.settings.measure: runs.ravel(),
        }
        return pd.DataFrame(columns)


def _largest(effects: Sequence[Effect]) -> float:
    """Return the size of the largest effect."""
    return max(abs(effect.difference.median) for effect in effects)
