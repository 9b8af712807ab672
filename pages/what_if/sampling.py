"""Settings around a topic's settings that a question measures, and the tasks that measure them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dpcore import check
from dpcore.cache import cached
from lab.experiment import chunking
from lab.experiment.settings import Settings, Task
from lab.sweeps.grids import coarse_to_fine, grid, neighbours
from lab.sweeps.measurement import Measurement, measurements

# The map has so many values to either side along each parameter, within this factor.
MAP_STEPS = 6
MAP_REACH = 30.0


def map_grid(settings: Settings, name: str) -> tuple[float, ...]:
    """Return the values of a field on an axis of the map."""
    return grid(settings, name, steps=MAP_STEPS, reach=MAP_REACH)


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplingPlan:
    """Settings around those of a topic. Each part is planned when it is first read.

    settings: the topic's settings.
    x_field: the parameter of the curve, and on the x axis of the map.
    y_field: the parameter on the y axis of the map.
    sliders: parameters whose effects are measured.
    measure: a key of the topic's measures.
    repeats: number of runs of each setting.
    """

    settings: Settings
    x_field: str
    y_field: str
    sliders: tuple[str, ...]
    measure: str
    repeats: int

    # Settings

    @cached_property
    def curve(self) -> dict[float, Settings]:
        """Return the settings along the curve by value, ascending."""
        settings: dict[float, Settings] = {}
        for batch in self._curve_batches:
            settings |= batch
        return dict(sorted(settings.items()))

    @cached_property
    def _curve_batches(self) -> list[dict[float, Settings]]:
        """Return the settings along the curve by value, in batches from coarse to fine."""
        values = grid(self.settings, self.x_field)
        batches = []
        for batch in coarse_to_fine(values, getattr(self.settings, self.x_field)):
            batches.append(self._accepted({value: {self.x_field: value} for value in batch}))
        return batches

    @cached_property
    def effects(self) -> dict[tuple[str, float], Settings]:
        """Return the settings with one slider a step down or up, by slider and value."""
        changes = {}
        for name in self.sliders:
            for value in neighbours(self.settings, name):
                changes[name, value] = {name: value}
        return self._accepted(changes)

    @cached_property
    def cells(self) -> dict[tuple[float, float], Settings]:
        """Return the settings of the map's cells by x and y, row by row, coarse rows first."""
        changes = {}
        for y in self._map_values(self.y_field):
            for x in self._map_values(self.x_field):
                changes[x, y] = {self.x_field: x, self.y_field: y}
        return self._accepted(changes)

    def _map_values(self, name: str) -> list[float]:
        """Return the values of a field on an axis of the map, from coarse to fine."""
        values = map_grid(self.settings, name)
        batches = coarse_to_fine(values, getattr(self.settings, name))
        return [value for batch in batches for value in batch]

    def _accepted(self, changes: Mapping[Any, Mapping[str, Any]]) -> dict[Any, Settings]:
        """Return the settings with each of some changes, by key, without those that are refused."""
        accepted = {}
        for key, change in changes.items():
            with suppress(check.RefusedError):
                accepted[key] = self.settings.change(**change)
        return accepted

    # Tasks

    def measurements(self, settings: Settings) -> tuple[Measurement, ...]:
        """Return the tasks that measure some settings, as many as the topic has."""
        if settings not in self._measurements:
            self._measurements[settings] = measurements(
                settings,
                measure=self.measure,
                repeats=self.repeats,
                parts=len(self._topic_tasks),
            )
        return self._measurements[settings]

    @cached_property
    def _measurements(self) -> dict[Settings, tuple[Measurement, ...]]:
        return {}

    @cached_property
    def _topic_tasks(self) -> tuple[Task, ...]:
        """Return the topic's tasks for its runs."""
        return self.settings.experiment.sample(self.repeats)

    @cached_property
    def base_tasks(self) -> tuple[Measurement, ...]:
        """Return the tasks of the topic's settings, of which the page waits for the first."""
        first, *others = self.measurements(self.settings)
        return (replace(first, essential=True), *others)

    @cached_property
    def coarse_tasks(self) -> tuple[Measurement, ...]:
        """Return the tasks of the coarsest curve, for which the page waits if they are quick.

        The first batch is the topic's own settings, which ``base_tasks`` measure.
        """
        if len(self._curve_batches) < 2:
            return ()
        settings = list(self._curve_batches[1].values())
        cost = 0.0
        for task in self._topic_tasks:
            cost += getattr(task, "cells", chunking.FIRST)
        is_quick = cost * len(settings) < chunking.FIRST
        tasks = []
        for task in self._tasks_of(settings):
            tasks.append(replace(task, essential=is_quick))
        return tuple(tasks)

    @cached_property
    def later_tasks(self) -> tuple[Measurement, ...]:
        """Return the other tasks: the effects, the finer curve, and the map."""
        tasks = self._tasks_of(self.effects.values())
        for batch in self._curve_batches[2:]:
            tasks += self._tasks_of(batch.values())
        tasks += self._tasks_of(self.cells.values())
        return tuple(tasks)

    def _tasks_of(self, settings: Iterable[Settings]) -> list[Measurement]:
        """Return the tasks that measure several settings."""
        tasks: list[Measurement] = []
        for changed in settings:
            tasks += self.measurements(changed)
        return tasks

    def tasks_by_key(
        self, settings: Iterable[tuple[Any, Settings]]
    ) -> dict[Any, tuple[Measurement, ...]]:
        """Return the tasks of each of some settings, by their keys."""
        return {key: self.measurements(changed) for key, changed in settings}


@cached(newest=32)
def plan_of(**fields: Any) -> SamplingPlan:
    """Return the plan with these fields, the same object for the same fields."""
    return SamplingPlan(**fields)
