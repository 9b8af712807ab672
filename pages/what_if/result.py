"""What the questions' runs say: where a target is reached, which knob matters, which setting is best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore import crossing, differences
from dpcore.experiment import Settings, Task, quantiles_of
from dpcore.sweep import Effect, Look, best, effect, summary


class Curve(NamedTuple):
    """Values of a knob (V,), ascending, of which all runs are known; the runs (V, R)."""

    values: np.ndarray
    runs: np.ndarray

    @property
    def means(self) -> np.ndarray:
        return self.runs.mean(axis=1)

    @property
    def quantiles(self) -> np.ndarray:
        """Of the runs, (3, V): 5 %, 50 % and 95 %."""
        return quantiles_of(self.runs)


class Map(NamedTuple):
    """Means (Y, X) over two knobs' values, x (X,) and y (Y,); NaN where still to be trained, or refused."""

    x: np.ndarray
    y: np.ndarray
    means: np.ndarray


class Found(NamedTuple):
    """The best of the tries: its settings, the mean that it was chosen by, and its mean on each other seed (S,)."""

    settings: Settings
    chosen: float
    again: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIfResult:
    """What a page shows. ``outcomes``: of the tasks that are done."""

    settings: Any
    outcomes: Mapping[Task, Any]

    def _runs(self, looks: Sequence[Look]) -> np.ndarray | None:
        """All runs of one setting, or None while some are to be trained."""
        found = [self.outcomes.get(look) for look in looks]
        return None if any(one is None for one in found) else np.concatenate(found)

    def of(self, settings: Settings) -> np.ndarray | None:
        """All runs of some settings of the topic, (seeds x repeats,), or None while some are to be trained."""
        known = self.settings.around.looks.get(settings)
        return self._runs(self.settings.looks(settings) if known is None else known)

    @cached_property
    def now(self) -> np.ndarray:
        """Runs of the base; some of them, while others are to be trained."""
        looks = self.settings.around.looks[self.settings.settings]
        return np.concatenate([self.outcomes[look] for look in looks if look in self.outcomes])

    @property
    def trained(self) -> float:
        """The share of the curve's values that are known."""
        return len(self.curve.values) / len(self.settings.around.curve)

    @cached_property
    def curve(self) -> Curve:
        """Of the base, along the knob."""
        return self._curve(self.settings.around.curve)

    @cached_property
    def rival(self) -> Curve:
        """Of the other setting, along the same knob."""
        rivals = [one for turn in self.settings.rivals for one in turn]
        return self._curve({getattr(one, self.settings.along): one for one in rivals})

    def _curve(self, settings: Mapping[float, Settings]) -> Curve:
        known = {value: self.of(one) for value, one in sorted(settings.items())}
        known = {value: runs for value, runs in known.items() if runs is not None}
        return Curve(np.array([*known], dtype=float), np.array([*known.values()]).reshape(len(known), -1))

    # ---- where the target is reached

    @property
    def direction(self) -> str:
        """How the measure goes along the knob: it "rises", that is gets better, "falls", or neither."""
        asked, along = self.settings.asked, self.settings.along
        return "rises" if along in asked.rises else "falls" if along in asked.falls else ""

    def crossed(self, reached: str) -> crossing.Crossing | None:
        """From which value on the target is reached, by the "mean" or by "most" of the runs; None where the measure has
        no direction along this knob, or an exact answer is still to be found."""
        if self.settings.exact:
            return self.outcomes.get(self.settings.solved)
        if not self.direction:
            return None
        return self._crossings[reached]

    @cached_property
    def _crossings(self) -> dict[str, crossing.Crossing]:
        towards = "small" if self.direction == "rises" else "large"
        how = {"better": self.settings.asked.better, "towards": towards}
        shares = {"mean": None, "most": self.settings.most}
        return {
            name: crossing.smallest(self.curve.values, self._by_seed, self.settings.goal, share=share, **how)
            for name, share in shares.items()
        }

    @cached_property
    def reaching(self) -> Any:
        """The values that reach the target, where the measure has no direction along the knob."""
        share = self.settings.most if self.settings.reached == "most" else None
        how = {"better": self.settings.asked.better, "share": share}
        return crossing.reaching(self.curve.values, self._by_seed, self.settings.goal, **how)

    @property
    def _by_seed(self) -> Any:
        """Runs (V, R), or of several splits what they say together."""
        seeds, runs = self.settings.seeds, self.curve.runs
        return runs if seeds == 1 else crossing.over_splits(runs.reshape(len(runs), seeds, -1).swapaxes(0, 1))

    @property
    def hits(self) -> np.ndarray:
        """In which share of the runs the target is reached, at each value of the curve, (V,)."""
        return self._reach(self.curve.runs).mean(axis=1)

    def _reach(self, runs: np.ndarray) -> np.ndarray:
        return runs >= self.settings.goal if self.settings.asked.better == "higher" else runs <= self.settings.goal

    @property
    def hits_now(self) -> int:
        """In how many of the base's runs."""
        return int(self._reach(self.now).sum())

    # ---- which knob matters

    @cached_property
    def effects(self) -> dict[str, list[Effect]]:
        """Knob -> what a step down and a step up do, the most important knob first; only what is trained."""
        found: dict[str, list[Effect]] = {}
        for (knob, value), settings in self.settings.around.bars.items():
            then = self.of(settings)
            if then is not None and len(then) == len(self.now):
                found.setdefault(knob, []).append(effect(self.settings.settings, knob, value, now=self.now, then=then))
        return dict(sorted(found.items(), key=lambda item: -max(abs(one.difference.mean) for one in item[1])))

    # ---- two knobs

    @cached_property
    def map(self) -> Map:
        cells = self.settings.around.cells
        x, y = (np.array(sorted({pair[axis] for pair in cells}), dtype=float) for axis in (0, 1))
        means = np.full((len(y), len(x)), np.nan)
        for (along, up), settings in cells.items():
            runs = self.of(settings)
            if runs is not None:
                means[np.searchsorted(y, up), np.searchsorted(x, along)] = runs.mean()
        return Map(x, y, means)

    @cached_property
    def best_cell(self) -> tuple[int, int]:
        """(row, column) of the best mean on the map."""
        place = best(self.map.means.ravel(), self.settings.asked)
        return divmod(place, len(self.map.x))

    # ---- which setting is best

    @property
    def tries(self) -> list[tuple[Settings, float]]:
        """(settings, mean) of what has been tried so far."""
        known = ((one, self.of(one)) for one in self.settings.tried)
        return [(one, float(runs.mean())) for one, runs in known if runs is not None]

    @cached_property
    def winner(self) -> Found | None:
        """The best of all tries, once all are measured."""
        tries = self.tries
        if not tries or len(tries) < len(self.settings.tried):
            return None
        settings, chosen = tries[best([mean for _, mean in tries], self.settings.asked)]
        again = [self.outcomes[task].mean() for task in self.settings.again if task in self.outcomes]
        return Found(settings, chosen, np.array(again))

    # ---- one against another

    @cached_property
    def difference(self) -> differences.Difference | None:
        """The base less the other setting, None while that one is to be trained, or where nothing is drawn."""
        mine, theirs = self.now, self.of(self.settings.rival)
        if theirs is None or len(mine) < 2:
            return None
        paired = self.settings.settings.pairs_with(self.settings.rival)
        return (differences.of_pairs if paired else differences.of_groups)(mine, theirs)

    # ---- tables

    def table(self) -> pd.DataFrame:
        """A row a value of the knob: mean, the range of nine runs in ten, and the share that reaches the target."""
        return summary(self.all_runs(), target=self.settings.goal, better=self.settings.asked.better)

    def all_runs(self) -> pd.DataFrame:
        """A row a run of the curve."""
        values, runs = self.curve
        seeds = getattr(self.settings.settings, "seed", 0) + np.arange(self.settings.seeds)
        index = pd.MultiIndex.from_product(
            [values, seeds, range(runs.shape[1] // self.settings.seeds)], names=[self.settings.along, "seed", "repeat"]
        )
        return pd.DataFrame({self.settings.measure: runs.ravel()}, index=index).reset_index()

    def bars(self) -> pd.DataFrame:
        """A row a bar of the chart of knobs."""
        return pd.DataFrame(
            [
                {
                    "knob": knob,
                    "value": one.value,
                    **{name: getattr(one.difference, name) for name in ("mean", "low", "high")},
                }
                for knob, both in self.effects.items()
                for one in both
            ]
        )

    def cells(self) -> pd.DataFrame:
        """A row a cell of the map."""
        x, y, means = self.map
        index = pd.MultiIndex.from_product([y, x], names=[self.settings.other, self.settings.along])
        return pd.DataFrame({"mean": means.ravel()}, index=index).dropna().reset_index()

    def search(self) -> pd.DataFrame:
        """A row a try."""
        names = [*self.settings.settings.tuned]
        return pd.DataFrame([{name: getattr(one, name) for name in names} | {"mean": mean} for one, mean in self.tries])
