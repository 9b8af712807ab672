"""The sweep of a question at full size: the same curve with more runs, on more splits of the rows."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

import numpy as np

from lab.at_scale import Cell
from lab.settings import Settings
from lab.sweep import coarse_to_fine, split
from pages.what_if.experiment import CURVE, WhatIfSettings
from pages.what_if.result import WhatIfResult

# Runs of each value, splits, and how many trainings there may be in all.
RUNS, SPLITS, MOST = (400, 1_000, 4_000), (1, 5, 20), 1_000_000


def sweeps(question: WhatIfSettings) -> bool:
    """Whether what is asked is read off a sweep along one knob, of runs that are drawn."""
    return not question.exact and question.asks in ("accuracy", "smallest", "people", CURVE)


def sizes(question: WhatIfSettings) -> list[tuple[int, int]]:
    """(runs, splits) that are more than the question's own, and not too many."""
    own, values = (question.repeats, question.seeds), len(question.around.curve)
    splits = [count for count in SPLITS if count == 1 or "seed" in question.settings.limits]
    every = ((runs, count) for runs in RUNS for count in dict.fromkeys((*splits, question.seeds)))
    return sorted(
        (runs, count)
        for runs, count in every
        if (runs, count) != own and runs >= own[0] and count >= own[1] and values * runs * count <= MOST
    )


@cache
def _kind(kind: type[WhatIfSettings]) -> type[WhatIfSettings]:
    return type("FullSize", (kind,), {"RUNS": RUNS, "__module__": __name__, "__doc__": kind.__doc__})


def larger(question: WhatIfSettings, runs: int, splits: int) -> WhatIfSettings:
    """The question with so many runs on so many splits."""
    own = {one.name: getattr(question, one.name) for one in fields(question)}
    return _kind(type(question))(**own | {"repeats": runs, "seeds": splits})


@dataclass(frozen=True, kw_only=True, eq=False)
class FullSizeResult(WhatIfResult):
    """``outcomes``: settings with one seed -> all of their runs."""

    def of(self, settings: Settings) -> np.ndarray | None:
        found = [self.outcomes.get(one) for one in split(settings, self.settings.seeds)]
        return None if any(one is None for one in found) else np.concatenate(found)

    @cached_property
    def now(self) -> np.ndarray:
        return self.of(self.settings.settings)


# Settings with one seed -> their runs, as many as there are.
Numbers = Callable[[Settings], np.ndarray]


@dataclass(frozen=True, eq=False)
class FullSize:
    """The work of a question that is ``larger``."""

    question: WhatIfSettings

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides which runs there are."""
        one = self.question
        return one.settings, one.along, one.measure, one.repeats, one.seeds

    @property
    def count(self) -> int:
        """How many trainings that are."""
        return len(self.values) * self.question.repeats * self.question.seeds

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Of the knob, from coarse to fine."""
        along, curve = self.question.along, self.question.around.curve
        turns = coarse_to_fine([*curve], getattr(self.question.settings, along))
        kind = int if isinstance(self.question.settings.limits[along][0], int) else float
        return tuple(kind(value) for turn in turns for value in turn)

    @cached_property
    def _splits(self) -> list[dict[float, Settings]]:
        """Of each seed, value -> settings."""
        curve, seeds = self.question.around.curve, self.question.seeds
        each = {value: split(curve[value], seeds) for value in self.values}
        return [{value: one[place] for value, one in each.items()} for place in range(len(each[self.values[0]]))]

    def cells(self) -> list[Cell]:
        """Split by split, and of each some runs of all values first, so that what is trained can be looked at."""
        along, parts = self.question.along, len(self.question.settings.sample(self.question.repeats))
        return [
            Cell(values={along: value}, settings=settings, part=part, parts=parts)
            for one in self._splits
            for part in range(parts)
            for value, settings in one.items()
        ]

    def result(self, numbers: Numbers, last: dict[Hashable, FullSizeResult]) -> FullSizeResult | None:
        """Of the splits that are whole; of the first one, as many runs as there are of each value that has any. None
        before there is anything of today's. ``last``: holds the last one, so that what is read off it is read once."""
        whole = 0
        while whole < len(self._splits) and all(self._has_all(numbers(one)) for one in self._splits[whole].values()):
            whole += 1
        known = {one: numbers(one) for split_ in self._splits[: max(1, whole)] for one in split_.values()}
        known = {one: runs for one, runs in known.items() if len(runs) > 1}
        if self.question.settings not in known:
            return None
        runs = min(map(len, known.values()))
        state = self.question, whole, len(known), runs
        if state not in last:
            question = larger(self.question, self.question.repeats, max(1, whole))
            outcomes = {one: found[:runs] for one, found in known.items()}
            last.clear()
            last[state] = FullSizeResult(settings=question, outcomes=outcomes)
        return last[state]

    def _has_all(self, runs: np.ndarray) -> bool:
        return len(runs) == self.question.repeats

    def rows(self, numbers: Numbers) -> list[tuple[Cell, np.ndarray]]:
        """(cell, its runs) of all."""
        pairs = ((value, settings) for one in self._splits for value, settings in one.items())
        along = self.question.along
        return [(Cell(values={along: value}, settings=settings), numbers(settings)) for value, settings in pairs]
