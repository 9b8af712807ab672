"""A network trained by DP-SGD, watched from the first step to the last [abadi2016]."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, takewhile, zip_longest
from typing import Any

import numpy as np

from dpcore.schedules import Schedule
from lab.experiment import chunking
from lab.experiment.accounting_tasks import Price
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Runs
from lab.experiment.settings import Task
from pages.network import tasks as work
from pages.network.result import NetworkResult
from pages.network.settings import ACCOUNTANT, ARMS, NetworkParameters
from pages.network.tasks import FRAMES, QUARTERS, Stretches, Trained, Training

# Networks without privacy, at most.
_PLAIN = 8
# Of a sample beyond the page's own networks, so many are trained together at most.
_SAMPLED = 12


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(NetworkParameters, ComputingSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning."""

    @cached_property
    def _stretches(self) -> Mapping[str, tuple[Stretches, ...]]:
        """Return the training of each group of an arm's networks."""
        count = {"plain": min(self.repeats, _PLAIN), "private": self.repeats}
        return {arm: model.stretches(count[arm]) for arm, model in self.models.items()}

    @cached_property
    def _prices(self) -> tuple[Price, ...]:
        """Return the tasks of epsilon at every frame: at once, or where that is slow, in parts by
        the quick form, of which a first picture has those that it tells.
        """
        marks = self._counted_marks(range(FRAMES + 1))
        moved = [1.0] if self.by_chance else map(self.sensitivity, marks)
        one = Price(
            accountant=self.counted_by,
            sampling_rate=self.accounted_rate,
            noise_multipliers=tuple(self.sigma / one for one in moved),
            steps=marks if self.by_chance else (1,),
            delta=self.delta,
            essential=True,
            ramp=None if self.ramp == 1 else Schedule(self.ramp, self.steps, self.shape),
        )
        if not self.by_chance:
            return (one,)
        width = 1 if one.ramp else 4
        # the end first: it is what was asked for
        parts = [marks[max(0, end - width) : end] for end in range(len(marks), 0, -width)]
        begun = min(work.reached(groups[0][0]) for groups in self._stretches.values())
        told = set(self._counted_marks({self.shown, min(self.shown, begun)}))
        return tuple(
            replace(one, steps=part, essential=not told.isdisjoint(part)) for part in parts
        )

    @cached_property
    def _prices_at_rest(self) -> tuple[Price, ...]:
        """Return epsilon by the accountant itself, where it has a quick form besides, at the frames
        of which it is told.
        """
        if not self.by_chance:
            return ()
        quick, told = self._prices[0], self._counted_marks({self.shown, *QUARTERS})
        return tuple(
            replace(quick, accountant=ACCOUNTANT, steps=(mark,), essential=False)
            for mark in reversed(told)
        )

    def _counted_marks(self, frames: Iterable[int]) -> tuple[int, ...]:
        """Return the steps by the time of each of these frames, but for none."""
        return tuple(sorted({int(self.marks[frame]) for frame in frames} - {0}))

    def schedule(self) -> Iterable[Task]:
        """Return both arms' first networks step by step side by side, then the others."""
        (plain, *more_plain), (private, *more_private) = (self._stretches[arm] for arm in ARMS)
        first = [one for pair in zip_longest(plain, private) for one in pair if one]
        begin = [replace(one, essential=True) for one in first[:2]]
        later = chain(*more_private, *more_plain)
        return (*begin, *self._prices, *self._prices_at_rest, *first[2:], *later)

    def probe(self) -> Runs[Training, np.ndarray]:
        return Runs(
            work=work.accuracies, model=self.models["private"], at=(self.shown,), count=self.repeats
        )

    def sample(self, count: int) -> tuple[Runs[Training, np.ndarray], ...]:
        model = self.models["private"]
        parts = chunking.sample(model.groups(self.repeats), count, each=model.cells, most=_SAMPLED)
        return tuple(
            Runs(
                work=work.sampled,
                model=model,
                at=(self.shown,),
                first=part.start,
                count=len(part),
                given=given,
            )
            for part, given in parts
        )

    def result(self, outcomes: Mapping[Any, Any]) -> NetworkResult:
        quick, fine = (
            self._count(tasks, outcomes) for tasks in (self._prices, self._prices_at_rest)
        )
        return NetworkResult(
            settings=self,
            runs={arm: _trained(self._stretches[arm], outcomes) for arm in ARMS},
            spent=self.spent + np.fmin(quick, fine),  # both are upper bounds
            fine=np.isfinite(fine),
        )

    def _count(self, prices: Iterable[Price], outcomes: Mapping[Any, Any]) -> np.ndarray:
        """Return epsilon of the training at each frame, as far as ``prices`` are known."""
        known = {0: 0.0}
        for task in prices:
            if task in outcomes:
                marks = task.steps if self.by_chance else self._counted_marks(range(FRAMES + 1))
                known |= dict(zip(marks, outcomes[task].ravel(), strict=True))
        return np.array([known.get(mark, math.nan) for mark in self.marks.tolist()], dtype=float)


def _trained(groups: Iterable[Stretches], outcomes: Mapping[Any, Any]) -> list[Trained]:
    """Return the groups that have begun, each up to its first gap."""
    begun = ([*takewhile(outcomes.__contains__, stretches)] for stretches in groups)
    return [Trained.of([outcomes[stretch] for stretch in done]) for done in begun if done]
