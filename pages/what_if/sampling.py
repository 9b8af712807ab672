"""Settings around the base that a question measures: along a parameter, a step beside each, and
over two.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from dpcore import check
from dpcore.cache import cached
from lab.experiment import chunking
from lab.experiment.data_settings import RowsSettings
from lab.experiment.settings import Settings, Task
from lab.sweeps.grids import beside, coarse_to_fine, grid
from lab.sweeps.measurement import Measurement, measurements

# The map has so many steps either way along each parameter, within this factor.
MAP_STEPS, MAP_REACH = 6, 30.0
# Multiples of the number of people for which there are estimates.
MORE = (1.25, 1.5, 1.75, 2, 2.5)


def allowed(
    settings: Settings, places: Iterable[Any], changes: Callable[[Any], dict[str, Any]]
) -> dict[Any, Settings]:
    """Return place -> settings with its changes, without places that the settings refuse."""
    found = {}
    for place in places:
        with suppress(check.RefusedError):
            found[place] = settings.change(**changes(place))
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Around:
    """Settings around ``settings`` and the tasks that measure them. Each part is planned when it is
    first read.

    along: the slider of the curve. other: the slider on the y axis of the map. sliders: those with
    bars.
    """

    settings: Settings
    along: str
    other: str
    sliders: tuple[str, ...]
    measure: str
    repeats: int
    seeds: int

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self.settings.experiment.sample(self.repeats)

    def measurements(self, settings: Settings) -> tuple[Measurement, ...]:
        """Return the tasks that measure some settings, on each split in as many parts as the
        topic's own.
        """
        if settings not in self._measurements:
            self._measurements[settings] = measurements(
                settings,
                measure=self.measure,
                repeats=self.repeats,
                seeds=self.seeds,
                parts=len(self._tasks),
            )
        return self._measurements[settings]

    @cached_property
    def _measurements(self) -> dict[Settings, tuple[Measurement, ...]]:
        return {}

    @cached_property
    def _turns(self) -> list[dict[float, Settings]]:
        """Return value -> settings along the slider, in turns from coarse to fine."""
        turns = coarse_to_fine(grid(self.settings, self.along), getattr(self.settings, self.along))
        return [
            allowed(self.settings, values, lambda value: {self.along: value}) for values in turns
        ]

    @cached_property
    def curve(self) -> dict[float, Settings]:
        """Return value -> settings along the slider, ascending."""
        found: dict[float, Settings] = {}
        for turn in self._turns:
            found |= turn
        return dict(sorted(found.items()))

    @cached_property
    def estimated(self) -> dict[float, Settings]:
        """Return more people than there are -> settings that estimate their result.

        These train on all rows, with the noise of so many people. Empty along other sliders.
        """
        if self.along != self.settings.PEOPLE or not isinstance(self.settings, RowsSettings):
            return {}
        most = int(self.settings.limits[self.along][1])
        try:
            all_rows = self.settings.of_rows(most)
        except check.RefusedError:
            return {}
        found: dict[float, Settings] = {}
        for factor in MORE:
            people = round(most * factor)
            estimate = all_rows.with_noise_of(people)
            if estimate is not None:
                found[people] = estimate
        return found

    @cached_property
    def bars(self) -> dict[tuple[str, float], Settings]:
        """Return (slider, value) -> settings, a step down and a step up from the base."""
        steps = [(name, value) for name in self.sliders for value in beside(self.settings, name)]
        return allowed(self.settings, steps, lambda step: dict([step]))

    @cached_property
    def axes(self) -> tuple[tuple[float, ...], ...]:
        """Return the values of the map, across and up."""
        names = (self.along, self.other)
        return tuple(grid(self.settings, name, steps=MAP_STEPS, reach=MAP_REACH) for name in names)

    @cached_property
    def cells(self) -> dict[tuple[float, float], Settings]:
        """Return (x, y) -> settings over the map."""
        return allowed(
            self.settings,
            product(*self.axes),
            lambda place: {self.along: place[0], self.other: place[1]},
        )

    def _map_turns(self) -> list[list[Settings]]:
        """Return the cells of the map in turns from coarse to fine."""
        x_turns = self._turn_of(self.axes[0], self.along)
        y_turns = self._turn_of(self.axes[1], self.other)
        count = 1 + max(*x_turns.values(), *y_turns.values())
        found: list[list[Settings]] = [[] for _ in range(count)]
        for (x, y), settings in self.cells.items():
            found[max(x_turns[x], y_turns[y])].append(settings)
        return found

    def _turn_of(self, values: tuple[float, ...], name: str) -> dict[float, int]:
        turns = coarse_to_fine(values, getattr(self.settings, name))
        return {value: number for number, turn in enumerate(turns) for value in turn}

    @cached_property
    def now(self) -> tuple[Measurement, ...]:
        """Return the tasks of the base. The page waits for the first one."""
        first, *others = self.measurements(self.settings)
        return (replace(first, essential=True), *others)

    @cached_property
    def near(self) -> tuple[Measurement, ...]:
        """Return the tasks of the coarsest curve. The page waits for them if they are quick."""
        if len(self._turns) < 2:
            return ()
        settings = [*self._turns[1].values()]
        cost = (
            sum(getattr(task, "cells", chunking.FIRST) for task in self._tasks)
            * self.seeds
            * len(settings)
        )
        quick = cost < chunking.FIRST
        return tuple(
            replace(task, essential=quick)
            for there in settings
            for task in self.measurements(there)
        )

    @cached_property
    def rest(self) -> tuple[Measurement, ...]:
        """Return the other tasks: estimates, bars, the coarsest map, the finer curve, the finer
        map.
        """
        coarsest_map, *finer_maps = self._map_turns()
        turns = [
            [*self.estimated.values()],
            [*self.bars.values()],
            coarsest_map,
            *([*turn.values()] for turn in self._turns[2:]),
            *finer_maps,
        ]
        return tuple(
            task for turn in turns for settings in turn for task in self.measurements(settings)
        )


@cached(newest=32)
def around_of(**fields: Any) -> Around:
    """Return the settings around some settings; the same object for the same fields."""
    return Around(**fields)
