"""Settings around a topic's settings that a question measures, and the tasks that measure them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
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
            batches.append(self._accepted(batch, lambda value: {self.x_field: value}))
        return batches

    @cached_property
    def effects(self) -> dict[tuple[str, float], Settings]:
        """Return the settings with one slider a step down or up, by slider and value."""
        steps = []
        for name in self.sliders:
            for value in neighbours(self.settings, name):
                steps.append((name, value))
        return self._accepted(steps, lambda step: {step[0]: step[1]})

    @cached_property
    def cells(self) -> dict[tuple[float, float], Settings]:
        """Return the settings of the map's cells by x and y."""
        places = product(*self._map_values)
        return self._accepted(
            places, lambda place: {self.x_field: place[0], self.y_field: place[1]}
        )

    @cached_property
    def _map_values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return map_grid(self.settings, self.x_field), map_grid(self.settings, self.y_field)

    def _cell_batches(self) -> list[list[Settings]]:
        """Return the settings of the cells, in batches from coarse to fine."""
        x_values, y_values = self._map_values
        x_batches = self._batch_numbers(x_values, self.x_field)
        y_batches = self._batch_numbers(y_values, self.y_field)
        count = 1 + max(*x_batches.values(), *y_batches.values())
        batches: list[list[Settings]] = [[] for _ in range(count)]
        for (x, y), settings in self.cells.items():
            batches[max(x_batches[x], y_batches[y])].append(settings)
        return batches

    def _batch_numbers(self, values: tuple[float, ...], name: str) -> dict[float, int]:
        """Return the number of the batch, from coarse to fine, in which each value is."""
        numbers = {}
        batches = coarse_to_fine(values, getattr(self.settings, name))
        for number, batch in enumerate(batches):
            for value in batch:
                numbers[value] = number
        return numbers

    def _accepted(
        self, places: Iterable[Any], changes: Callable[[Any], dict[str, Any]]
    ) -> dict[Any, Settings]:
        """Return the settings with the changes of each place, without those that are refused."""
        accepted = {}
        for place in places:
            with suppress(check.RefusedError):
                accepted[place] = self.settings.change(**changes(place))
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
        """Return the tasks of the coarsest curve, for which the page waits if they are quick."""
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
        """Return the other tasks.

        They are the effects, the coarsest map, the finer curve and the finer map.
        """
        coarsest_map, *finer_maps = self._cell_batches()
        tasks = [
            *self._tasks_of(self.effects.values()),
            *self._tasks_of(coarsest_map),
        ]
        for batch in self._curve_batches[2:]:
            tasks += self._tasks_of(batch.values())
        for cells in finer_maps:
            tasks += self._tasks_of(cells)
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
