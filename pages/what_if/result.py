"""What the questions' runs say: where a target is reached, which knob matters, which setting is best."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from dpcore.privacy import Guarantee
from lab import crossing
from lab.boundaries import zeros
from lab.claims import LEAST, Case, judge
from lab.differences import Difference
from lab.repeats import Medians, median_interval, median_run, over_splits
from lab.settings import Settings, Task
from lab.sweep import Measurement, apart, best, summary
from lab.tuning import prices, together
from pages.what_if.measured import SHARES, Curve, Effect, Found, Map

# The share of a normal distribution within a standard deviation of its mean.
_ONE_ERROR = 0.6827


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIfResult:
    """What a page shows. ``outcomes``: of the tasks that are done."""

    settings: Any
    outcomes: Mapping[Task, Any]

    def _runs(self, measurements: Sequence[Measurement]) -> np.ndarray | None:
        """Return all runs of one setting, or None while some are to be trained."""
        found = [self.outcomes[one] for one in measurements if one in self.outcomes]
        return np.concatenate(found) if len(found) == len(measurements) else None

    def of(self, settings: Settings) -> np.ndarray | None:
        """All runs of some settings of the topic, (seeds x repeats,), or None while some are to be trained."""
        return self._runs(self.settings.measurements(settings))

    @property
    def known(self) -> frozenset[Settings]:
        """The settings on the curve of which any run is known."""
        every = ((one, self.settings.measurements(one)) for one in self.settings.compares)
        return frozenset(one for one, parts in every if any(part in self.outcomes for part in parts))

    @cached_property
    def now(self) -> np.ndarray:
        """Runs of the base; some of them, while others are to be trained."""
        measurements = self.settings.measurements(self.settings.settings)
        return np.concatenate([self.outcomes[one] for one in measurements if one in self.outcomes])

    @property
    def trained(self) -> float:
        """The share of the curve's values that are known."""
        return len(self.curve.values) / len(self.settings.around.curve)

    @cached_property
    def curve(self) -> Curve:
        """Return the curve of the base along the parameter; of its own value alone until all runs there are known."""
        if not self.complete:
            return Curve(np.array([getattr(self.settings, self.settings.along)], dtype=float), self.now[None])
        return self._curve(self.settings.around.curve)

    @property
    def level(self) -> float | None:
        """The smallest value on the whole curve from which on no median is .01 above that of a smaller value; None if
        that is the largest one alone."""
        values, medians = self.curve.values, self.curve.medians
        highest = np.maximum.accumulate(medians[::-1])[::-1]
        more = np.flatnonzero(highest - medians >= 0.01)
        first = more[-1] + 1 if len(more) else 0
        return float(values[first]) if self.trained == 1 and first < len(values) - 1 else None

    @property
    def complete(self) -> bool:
        return self.of(self.settings.settings) is not None

    @cached_property
    def rival(self) -> Curve:
        return self._curve({getattr(one, self.settings.along): one for one in self.settings.rivals})

    @cached_property
    def beyond(self) -> Curve:
        """Return the estimates for more people than there are, which are no measurements of so many."""
        return self._curve(self.settings.around.estimated)

    @property
    def enough(self) -> float | None:
        """Return the fewest people from whom on the target is reached at all estimates, as it is asked; None where at
        none, or where some are to be trained."""
        values, share = self.beyond.values, SHARES[self.settings.reached]
        if len(values) < len(self.settings.around.estimated) or not len(values):
            return None
        each = self._reach(self.beyond.runs).mean(axis=1)
        missed = np.flatnonzero(~(self._reach(self.beyond.medians) if share is None else each >= share))
        first = missed[-1] + 1 if len(missed) else 0
        return float(values[first]) if first < len(values) else None

    def _curve(self, settings: Mapping[float, Settings]) -> Curve:
        known = {value: runs for value, one in sorted(settings.items()) if (runs := self.of(one)) is not None}
        runs = np.array([*known.values()]) if known else np.empty((0, len(self.now)))
        return Curve(np.array([*known], dtype=float), runs, self.compared)

    # ---- where the target is reached

    @property
    def direction(self) -> str:
        """Return how the measure goes along the knob: it "rises", that is gets better, "falls", or neither."""
        asked, along = self.settings.asked, self.settings.along
        return "rises" if along in asked.rises else "falls" if along in asked.falls else ""

    def crossed(self, reached: str) -> crossing.Crossing | None:
        """Return from which value on the target is reached, by the "median" or by "most" of the runs; None where the
        measure has no direction along this knob, or an exact answer is still to be found."""
        if self.settings.exact:
            return self.outcomes.get(self.settings.solved) if self.settings.solved else None
        return self.crossings[reached] if self.direction else None

    @cached_property
    def crossings(self) -> dict[str, crossing.Crossing]:
        """Return from which value on the target is reached by each of ``SHARES``, where the measure has a direction."""
        find = partial(
            crossing.smallest,
            better=self.settings.asked.better,
            towards="small" if self.direction == "rises" else "large",
            log=self.settings.axis(self.settings.along).log,
        )
        return {reached: find(*self._asked(reached), share=share) for reached, share in SHARES.items()}

    @property
    def reaching(self) -> crossing.Reaching:
        return self.reachings[self.settings.reached]

    @cached_property
    def reachings(self) -> dict[str, crossing.Reaching]:
        """Return the values that reach the target by each of ``SHARES``, where the measure has no direction."""
        find = partial(crossing.reaching, better=self.settings.asked.better)
        return {reached: find(*self._asked(reached), share=share) for reached, share in SHARES.items()}

    def _asked(self, reached: str) -> tuple[np.ndarray, np.ndarray | Medians, float]:
        """Return (values, their runs, the target) of a crossing.

        On several splits, runs are not independent: a median is that of the splits, and a share of the runs is counted
        on the base's own split."""
        values, runs, splits = self._values, self._all_runs, self.compared
        by_split = runs.reshape(len(runs), splits, -1)
        if splits > 1 and reached == "median":
            overlap = self.settings.settings.overlap
            return values, over_splits(by_split.swapaxes(0, 1), overlap=overlap), self.settings.goal
        return values, by_split[:, 0], self.settings.goal

    @property
    def _values(self) -> np.ndarray:
        return np.array([*self.settings.around.curve], dtype=float)

    @cached_property
    def _all_runs(self) -> np.ndarray:
        """Return the runs of the whole curve, (V, seeds x repeats); NaN where still to be trained."""
        found = np.full((len(self._values), len(self.now)), np.nan)
        found[np.searchsorted(self._values, self.curve.values)] = self.curve.runs
        return found

    @property
    def main(self) -> float | None:
        """The value of the knob that answers the question, where one does."""
        found = self.crossed(self.settings.reached) if self.settings.solving else None
        if found is None or found.verdict != "found":
            return None
        return found.safe if self.settings.reached == "most" or self.settings.exact else found.point

    @property
    def sure(self) -> float | None:
        """The value from which on nine runs in ten reach the target, beside that of the median."""
        settings = self.settings
        if settings.exact or settings.reached != "median" or not (settings.solving and self.direction):
            return None
        found = self.crossed("most")
        return found.safe if found and found.verdict == "found" else None

    @property
    def spans(self) -> list[tuple[float, float]]:
        """Between which values the crossing lies; or, of a knob without a direction, those that reach the target."""
        if self.settings.exact or not self.settings.solving:
            return []
        if not self.direction:
            return list(self.reaching.intervals)
        found, ends = self.crossed(self.settings.reached), self._values.tolist()
        if found is None or found.verdict != "found":
            return []
        return [(ends[0] if found.low is None else found.low, ends[-1] if found.high is None else found.high)]

    @property
    def hits(self) -> np.ndarray:
        """Return in which share of the runs the target is reached, at each value of the curve, (V,)."""
        return self._reach(self.curve.runs).mean(axis=1)

    def _reach(self, runs: np.ndarray) -> np.ndarray:
        return runs >= self.settings.goal if self.settings.asked.better == "higher" else runs <= self.settings.goal

    @property
    def hits_now(self) -> int:
        return int(self._reach(self.now).sum())

    def median(self, runs: np.ndarray) -> float:
        """The median of some runs; of several splits, the median of their medians."""
        return float(median_run(runs, splits=self.compared))

    def typical(self, runs: np.ndarray) -> Difference:
        """The same, with an interval of 95 % confidence: of several splits, from how far those differ."""
        base = self.settings.settings
        return self._less(base, runs, base, np.zeros_like(runs))

    @property
    def compared(self) -> int:
        """Return how many splits of the rows are compared; before all are trained, the runs of one."""
        return self.settings.seeds if self.complete else 1

    def _less(self, one: Settings, a: np.ndarray, other: Settings, b: np.ndarray, **how: float) -> Difference:
        return apart(one, other, a, b, splits=self.compared, **how)

    @property
    def splits(self) -> tuple[float, float]:
        """Return the standard deviation of the base's medians on several splits, and what noise alone would make of it:
        half of an interval that holds a median as often as one standard error around it does."""
        by_split = self.now.reshape(self.settings.seeds, -1)
        within = np.mean([np.ptp(median_interval(one, confidence=_ONE_ERROR)) / 2 for one in by_split])
        return float(np.median(by_split, axis=1).std(ddof=1)), float(within)

    # ---- which knob matters

    @cached_property
    def effects(self) -> dict[str, list[Effect]]:
        """Knob -> what a step down and a step up do, the most important knob first; only what is trained. All intervals
        hold together with 95 % confidence.
        """
        found: dict[str, list[Effect]] = {}
        all_bars = self.settings.around.bars
        confidence = 1 - 0.05 / max(1, len(all_bars))
        for (knob, value), settings in all_bars.items():
            then = self.of(settings)
            if then is not None and len(then) == len(self.now):
                less = self._less(settings, then, self.settings.settings, self.now, confidence=confidence)
                found.setdefault(knob, []).append(Effect(knob, value, less))
        return dict(sorted(found.items(), key=lambda item: -max(abs(one.difference.median) for one in item[1])))

    # ---- two knobs

    @property
    def colours(self) -> tuple[float, float]:
        """The ends of the scale that the map's medians are seen on, the least and the largest of them, in steps so wide
        that the scale seldom moves while the map refines: tenths of the measure's range or, where it has no largest
        value, quarters of a power of ten.
        """
        (least, most), known = self.settings.asked.limits, np.append(self.map.medians, self.median(self.now))
        known = known[np.isfinite(known)] if np.isfinite(known).any() else np.ones(1)
        endless = most == math.inf
        places = 4 * np.log10(np.maximum(known, 1e-12)) if endless else 10 * (known - least) / (most - least)
        ends = np.floor(places.min() + 1e-6), np.ceil(places.max() - 1e-6)
        low, high = ends[0], max(ends[1], ends[0] + 1)
        scale = (lambda at: 10 ** (at / 4)) if endless else (lambda at: least + (most - least) * at / 10)
        return float(scale(low)), float(scale(high))

    @cached_property
    def map(self) -> Map:
        x, y = (np.array(values, dtype=float) for values in self.settings.around.axes)
        medians = np.full((len(y), len(x)), np.nan)
        for (along, up), settings in self.settings.around.cells.items():
            runs = self.of(settings)
            if runs is not None:
                medians[np.searchsorted(y, up), np.searchsorted(x, along)] = self.median(runs)
        return Map(x, y, medians)

    @cached_property
    def best_cell(self) -> tuple[int, int]:
        return divmod(best(self.map.medians.ravel().tolist(), self.settings.asked), len(self.map.x))

    @cached_property
    def cells_done(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.map.medians)))

    @cached_property
    def line(self) -> np.ndarray:
        return self.iso(self.settings.goal)

    def iso(self, level: float) -> np.ndarray:
        """Return where the map's medians are at a level, straight between its cells: segments (m, 2, 2) of (across,
        up), on its axes."""
        if min(self.map.medians.shape) < 2:
            return np.empty((0, 2, 2))
        found, axes = zeros(self.map.medians[None] - level), self.settings.axes
        places = [np.interp(found[..., i], range(len(one.values)), one.place(one.values)) for i, one in enumerate(axes)]
        return np.stack(places, axis=-1)

    @cached_property
    def first(self) -> tuple[float, float] | None:
        """(across, up), on the map's axes, where the target is first reached along the knob, once the map is whole;
        None where that is not asked, or nowhere between its cells.
        """
        points = self.line.reshape(-1, 2)
        if not (self.settings.solving and self.direction and self.whole and len(points)):
            return None
        medians = self.map.medians[:, :: -1 if self.direction == "falls" else 1]
        edge = np.argmin(np.isnan(medians), axis=1)  # the first value that the settings do not refuse
        if self._reach(medians[np.arange(len(edge)), edge]).any():
            return None
        place = points[:, 0].argmax() if self.direction == "falls" else points[:, 0].argmin()
        return tuple(points[place].tolist())

    @property
    def whole(self) -> bool:
        return self.cells_done == len(self.settings.around.cells)

    # ---- which setting is best

    @property
    def tries(self) -> list[tuple[Settings, float]]:
        """(settings, median run) of what has been tried so far."""
        known = ((one, self.of(one)) for one in self.settings.tried)
        return [(one, self.median(runs)) for one, runs in known if runs is not None]

    @cached_property
    def winner(self) -> Found | None:
        """The best of all tries, once all are measured."""
        tries = self.tries
        if not tries or len(tries) < len(self.settings.tried):
            return None
        settings, chosen = tries[best([median for _, median in tries], self.settings.asked)]
        done = [(task, runs) for task, base in self.settings.again if (runs := self._runs(base)) is not None]
        both = [(self.outcomes[task], base) for task, base in done if task in self.outcomes]
        again, base = np.array([[np.median(runs) for runs in one] for one in both]).reshape(-1, 2).T
        return Found(settings, chosen, again, base, self._gain(settings, both))

    def _gain(self, winner: Settings, both: Sequence[tuple[np.ndarray, np.ndarray]]) -> Case:
        """Return what may be said of the chosen setting beside the base, of their runs on each of the other splits."""
        if len(both) < max(2, len(self.settings.again)):
            return Case.SO_FAR
        mine, base = map(np.concatenate, zip(*both, strict=True))
        return self._judge(apart(winner, self.settings.settings, mine, base, splits=len(both)), base)

    def _judge(self, found: Difference, base: np.ndarray) -> Case:
        """Return what may be said of a difference from runs ``base``: a point counts, or 1 % of the base's median."""
        asked = self.settings.asked
        least = LEAST if asked.unit == "%" else LEAST * abs(float(np.median(base)))
        return judge(found, better=asked.better, least=least)

    @property
    def leads(self) -> Case:
        """Return what may be said of A beside B, of what is done: they are alike while B is trained."""
        found, rival = self.difference, self.of(self.settings.rival)
        return Case.ALIKE if found is None or rival is None else self._judge(found, rival)

    @cached_property
    def prices(self) -> Mapping[str, Guarantee]:
        """Way to release what has been found -> what a search of so many tries costs on private rows; nothing where
        none is looked at, or a run promises nothing.
        """
        return {} if self.settings.exact else prices(self.settings.settings, self.settings.tries)

    @property
    def used(self) -> tuple[tuple[Settings, int], ...]:
        """(settings, runs) that the answer is made of, once all of them are done."""
        one = self.settings
        each = one.repeats * one.seeds
        match one.asks:
            case "accuracy":
                return ((one.settings, each),)
            case "best":
                best = self.winner.settings if self.winner else one.settings
                again = one.repeats * len(one.again)
                return (*((tried, each) for tried in one.tried), (best, again), (one.settings, again))
            case "versus":
                both = [*one.around.curve.values(), *one.rivals]
                return tuple((there, each) for there in both)
            case _:
                return tuple((there, each) for there in (*one.around.curve.values(), *one.around.estimated.values()))

    @property
    def used_up(self) -> Guarantee | None:
        return together(self.used)

    # ---- one against another

    @cached_property
    def difference(self) -> Difference | None:
        """The base less the other setting, None while that one is to be trained, or where nothing is drawn."""
        mine, theirs = self.now, self.of(self.settings.rival)
        if theirs is None or len(mine) < 2 or len(mine) != len(theirs):
            return None
        return self._less(self.settings.settings, mine, self.settings.rival, theirs)

    @cached_property
    def ahead(self) -> list[tuple[str, float, float]]:
        """Along the knob, who is ahead, "A" or "B", from which value to which, at all those in between where it can be
        told; all intervals hold together with 95 % confidence.
        """
        mine, theirs = (dict(zip(curve.values, curve.runs, strict=True)) for curve in (self.curve, self.rival))
        common = sorted(mine.keys() & theirs.keys()) if self.complete else []
        base, rival = self.settings.settings, self.settings.rival
        found: list[tuple[str, float, float]] = []
        for value in common:
            one = self._less(base, mine[value], rival, theirs[value], confidence=1 - 0.05 / len(common))
            who = {Case.AHEAD: "A", Case.BEHIND: "B"}.get(self._judge(one, theirs[value]), "")
            if who and found and who == found[-1][0]:
                found[-1] = (who, found[-1][1], value)
            elif who:
                found.append((who, value, value))
        return found

    # ---- tables

    def table(self) -> pd.DataFrame:
        """A row a value of the knob: the median run, the range of nine in ten, the share that reaches the target."""
        return summary(self.all_runs(), target=self.settings.goal, better=self.settings.asked.better)

    def all_runs(self) -> pd.DataFrame:
        """A row a run of the curve."""
        values, runs, seeds = self.curve
        first = getattr(self.settings.settings, "seed", 0)
        names = [self.settings.along, "seed", "repeat"]
        every = [values, first + np.arange(seeds), range(runs.shape[1] // seeds)]
        index = pd.MultiIndex.from_product(every, names=names)
        return pd.DataFrame({self.settings.measure: runs.ravel()}, index=index).reset_index()

    def bars(self) -> pd.DataFrame:
        """A row a bar of the chart of knobs."""
        bars = [one for both in self.effects.values() for one in both]
        ends = ("median", "low", "high")
        return pd.DataFrame(
            [
                {"knob": one.knob, "value": one.value} | {end: getattr(one.difference, end) for end in ends}
                for one in bars
            ]
        )

    def cells(self) -> pd.DataFrame:
        x, y, medians = self.map
        index = pd.MultiIndex.from_product([y, x], names=[self.settings.upwards, self.settings.along])
        return pd.DataFrame({"median": medians.ravel()}, index=index).dropna().reset_index()

    def search(self) -> pd.DataFrame:
        names = [*self.settings.settings.tuned]
        return pd.DataFrame(
            [{name: getattr(one, name) for name in names} | {"chosen": median} for one, median in self.tries]
        )
