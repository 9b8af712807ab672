"""What the planner computes: runs of settings of another page, and retests of the best ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part
from lab.experiment.settings import Task
from lab.sweeps.measurement import Measurement, measurements, split
from pages.what_if.measurements import BaseRuns
from pages.what_if.result import WhatIfResult
from pages.what_if.retest import OTHER_SEEDS, Retest
from pages.what_if.sampling import SamplingPlan, plan_of
from pages.what_if.settings import CURVE, WhatIfSettings


@dataclass(frozen=True)
class MeasuredBase:
    """The part with the runs of the topic's settings."""

    tasks: tuple[Measurement, ...]

    def gather(self, outcomes: Mapping[Any, Any]) -> BaseRuns:
        """Return the runs that are done."""
        done = [outcomes[task] for task in self.tasks if task in outcomes]
        return BaseRuns(np.concatenate(done), complete=len(done) == len(self.tasks))


@dataclass(frozen=True)
class MeasuredSettings:
    """A part with the runs of other settings of the topic.

    tasks_by_key: the tasks of each of them. A key is a value of the curve, a slider and its value,
        the x and y of a cell, or the number of a candidate.
    """

    tasks_by_key: Mapping[Any, tuple[Measurement, ...]]

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(task for tasks in self.tasks_by_key.values() for task in tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> dict[Any, np.ndarray]:
        """Return the runs (R,) of the settings of which all are done, by key."""
        runs_by_key = {}
        for key, tasks in self.tasks_by_key.items():
            runs = _all_runs(tasks, outcomes)
            if runs is not None:
                runs_by_key[key] = runs
        return runs_by_key


@dataclass(frozen=True)
class Retests:
    """The part with the retests of the best configuration.

    pairs: the retest on each other split, and the tasks of the topic's settings there.
    """

    pairs: Sequence[tuple[Retest, tuple[Measurement, ...]]]

    @property
    def tasks(self) -> tuple[Task, ...]:
        tasks: list[Task] = []
        for retest, base_tasks in self.pairs:
            tasks += [retest, *base_tasks]
        return tuple(tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the runs of the retest and of the topic's settings, on each split that is done."""
        pairs_of_runs = []
        for retest, base_tasks in self.pairs:
            base_runs = _all_runs(base_tasks, outcomes)
            if base_runs is not None and retest in outcomes:
                pairs_of_runs.append((outcomes[retest], base_runs))
        return pairs_of_runs


def _all_runs(tasks: Sequence[Measurement], outcomes: Mapping[Any, Any]) -> np.ndarray | None:
    """Return the runs of all tasks, or None while some are missing."""
    done = [outcomes[task] for task in tasks if task in outcomes]
    if len(done) < len(tasks):
        return None
    return np.concatenate(done)


class WhatIfExperiment(Experiment[WhatIfSettings, WhatIfResult]):
    """Runs around the settings of a topic, that answer a question about them."""

    RESULT = WhatIfResult

    def parts(self) -> dict[str, Part]:
        """Return the parts, with the names of the fields of ``WhatIfResult``."""
        plan = self.plan
        candidates = enumerate(self.settings.candidates)
        return {
            "base": MeasuredBase(plan.base_tasks),
            "curve_runs": MeasuredSettings(plan.tasks_by_key(plan.curve.items())),
            "effect_runs": MeasuredSettings(plan.tasks_by_key(plan.effects.items())),
            "cell_runs": MeasuredSettings(plan.tasks_by_key(plan.cells.items())),
            "candidate_runs": MeasuredSettings(plan.tasks_by_key(candidates)),
            "retest_runs": self.retests,
        }

    @cached_property
    def plan(self) -> SamplingPlan:
        """Return the settings of curve, effects and map, with their tasks."""
        settings = self.settings
        return plan_of(
            settings=settings.topic_settings,
            x_field=settings.x_field,
            y_field=settings.y_field,
            sliders=settings.sliders,
            measure=settings.measure,
            repeats=settings.repeats,
        )

    @cached_property
    def retests(self) -> Retests:
        """Return the retests of the best configuration, none if there are no candidates."""
        settings = self.settings
        if not settings.candidates:
            return Retests([])
        pairs = []
        on_all_splits = split(settings.topic_settings, 1 + OTHER_SEEDS)
        for number in range(1, len(on_all_splits)):
            retest = Retest(
                candidates=settings.candidates,
                measure=settings.measure,
                repeats=settings.repeats,
                split=number,
            )
            base_tasks = measurements(
                on_all_splits[number], measure=settings.measure, repeats=settings.repeats
            )
            pairs.append((retest, base_tasks))
        return Retests(pairs)

    def order(self, parts: Iterable[Part]) -> Iterator[Task]:
        """Yield the tasks in the order in which the page needs them. ``parts`` is not used."""
        searches = self.settings.answered_question == "best"
        yield from self.plan.base_tasks
        if searches:
            yield from self._search_tasks()
        if self.settings.question == CURVE:
            yield from self._parts["curve_runs"].tasks
            return
        yield from self.plan.coarse_tasks
        yield from self.plan.later_tasks
        if not searches:
            yield from self._search_tasks()

    def _search_tasks(self) -> Iterator[Task]:
        """Yield the tasks of all candidates, then those of the retests."""
        yield from self._parts["candidate_runs"].tasks
        yield from self.retests.tasks
