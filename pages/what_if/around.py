"""What is measured around some settings: along a parameter, beside each parameter, and over a map of two."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from dpcore import check
from dpcore.cache import cached
from lab import chunking
from lab.settings import Settings, Task
from lab.sources import RowsSettings
from lab.sweep import Measurement, beside, coarse_to_fine, grid, measurements

# The map has so many steps either way along each parameter, within this factor.
MAP_STEPS, MAP_REACH = 6, 30.0
# How many times as many people as there are an estimate is made for.
MORE = (1.25, 1.5, 1.75, 2, 2.5)


def known(settings: Settings, places: Iterable[Any], changes: Callable[[Any], dict[str, Any]]) -> dict[Any, Settings]:
    """Return place -> the settings there, but for those that refuse it."""
    found = {}
    for place in places:
        with suppress(check.RefusedError):
            found[place] = settings.change(**changes(place))
    return found


def turns(settings: Settings, along: str) -> list[dict[float, Settings]]:
    """Return value -> settings along a parameter, from coarse to fine."""
    values = coarse_to_fine(grid(settings, along), getattr(settings, along))
    return [known(settings, turn, lambda value: {along: value}) for turn in values]


@dataclass(frozen=True, kw_only=True, eq=False)
class Around:
    """What is measured around some settings of a topic, each part of it planned when it is asked for: along one knob,
    beside each knob, and over a map of two."""

    settings: Settings
    along: str
    other: str
    knobs: tuple[str, ...]
    measure: str
    repeats: int
    seeds: int

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self.settings.sample(self.repeats)

    def measurements(self, settings: Settings) -> tuple[Measurement, ...]:
        """The work that measures some settings, on each seed in as many parts as the topic's own."""
        if settings not in self._measurements:
            self._measurements[settings] = measurements(
                settings, measure=self.measure, repeats=self.repeats, seeds=self.seeds, parts=len(self._tasks)
            )
        return self._measurements[settings]

    @cached_property
    def _measurements(self) -> dict[Settings, tuple[Measurement, ...]]:
        return {}

    @cached_property
    def _turns(self) -> list[dict[float, Settings]]:
        return turns(self.settings, self.along)

    @cached_property
    def curve(self) -> dict[float, Settings]:
        """Value -> settings, along the knob."""
        return dict(sorted((value, there) for turn in self._turns for value, there in turn.items()))

    @cached_property
    def estimated(self) -> dict[float, Settings]:
        """More people than there are -> settings that estimate what they give: all rows, with the noise of so many."""
        if self.along != self.settings.PEOPLE or not isinstance(self.settings, RowsSettings):
            return {}
        most = int(self.settings.limits[self.along][1])
        try:
            whole = self.settings.of_rows(most)
        except check.RefusedError:
            return {}
        more = (round(most * factor) for factor in MORE)
        return {people: one for people in more if (one := whole.with_noise_of(people)) is not None}

    @cached_property
    def bars(self) -> dict[tuple[str, float], Settings]:
        """(knob, value) -> settings, a step to each side."""
        both = ((name, value) for name in self.knobs for value in beside(self.settings, name))
        return known(self.settings, both, lambda place: dict([place]))

    @cached_property
    def axes(self) -> tuple[tuple[float, ...], ...]:
        """The values of the map, across and up."""
        names = (self.along, self.other)
        return tuple(grid(self.settings, name, steps=MAP_STEPS, reach=MAP_REACH) for name in names)

    @cached_property
    def cells(self) -> dict[tuple[float, float], Settings]:
        """(x, y) -> settings, over the map."""
        names = (self.along, self.other)
        return known(self.settings, product(*self.axes), lambda place: dict(zip(names, place, strict=True)))

    def _maps(self) -> list[list[Settings]]:
        nows = (getattr(self.settings, name) for name in (self.along, self.other))
        turns = [coarse_to_fine(values, now) for values, now in zip(self.axes, nows, strict=True)]
        x_turn, y_turn = ({value: turn for turn, values in enumerate(axis) for value in values} for axis in turns)
        found: list[list[Settings]] = [[] for _ in range(max(map(len, turns)))]
        for (x, y), there in self.cells.items():
            found[max(x_turn[x], y_turn[y])].append(there)
        return found

    @cached_property
    def now(self) -> tuple[Measurement, ...]:
        """The base itself, of which the page waits for the first part."""
        first, *others = self.measurements(self.settings)
        return (replace(first, essential=True), *others)

    @cached_property
    def near(self) -> tuple[Measurement, ...]:
        """The coarsest curve, which the page waits for too where it is quick."""
        turn = [*self._turns[1].values()] if len(self._turns) > 1 else []
        each = sum(getattr(task, "cells", chunking.FIRST) for task in self._tasks) * self.seeds
        found = (measurement for there in turn for measurement in self.measurements(there))
        return tuple(replace(measurement, essential=each * len(turn) < chunking.FIRST) for measurement in found)

    @cached_property
    def rest(self) -> tuple[Measurement, ...]:
        """The estimates and the bars, then the map from coarse to fine; the finer curve after the coarsest map."""
        maps = self._maps()
        finer = [[*turn.values()] for turn in self._turns[2:]]
        turns = ([*self.estimated.values()], [*self.bars.values()], *maps[:1], *finer, *maps[1:])
        return tuple(each for turn in turns for there in turn for each in self.measurements(there))


@cached(newest=32)
def around_of(**what: Any) -> Around:
    return Around(**what)
