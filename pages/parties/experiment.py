"""Many parties, one model: votes, soft labels, averages and PATE, each private for a whole party.

Follows [hamm2016]; averaging after [pathak2010], PATE as in [papernot2018].
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Grid
from lab.experiment.settings import Task
from pages.parties import tasks as work
from pages.parties.result import PartiesResult
from pages.parties.settings import EPSILONS, PartiesParameters
from pages.parties.tasks import Batch, Change, Locals, Tried
from pages.parties.votes import Gather, known

# How many local models a map shows.
LOCALS = 40
# From so many chunks of parties on, pictures do not wait for all of them.
_LARGE = 8


@dataclass(frozen=True, kw_only=True)
class PartiesSettings(PartiesParameters, ComputingSettings):
    """The parameters with their tasks and their result."""

    def schedule(self) -> Iterable[Task]:
        """Return what the parties known by now say, or the first ones; then all of them, with the
        curves on the way.
        """
        crowd, first = self.crowd, self._first
        tasks: list[Task] = [
            Gather(crowd=crowd, upto=first, essential=True),
            replace(self.probe(), asked=first, essential=True),
            self.subset(Batch),
        ]
        tasks.append(Locals(crowd=crowd, parties=min(self.parties, LOCALS, crowd.chunk)))
        # A large crowd takes seconds: until then, curves of the parties so far
        if first < self.parties > _LARGE * crowd.chunk:
            tasks += self._one_crowd(crowd.edges(self.parties)[0])
        return [*tasks, *self._others(first)]

    def probe(self) -> Tried:
        return self.subset(Tried, asked=self.parties)

    def sample(self, count: int) -> tuple[Tried, ...]:
        return (replace(self.probe(), model=replace(self.model, repeats=count)),)

    @property
    def _first(self) -> int:
        """Return how many parties are asked before anything is shown: all if known, else up to a
        place of the curve.
        """
        asked = known(self.crowd, self.parties)
        if asked == self.parties:
            return asked
        return max(
            [self.crowd.edges(self.parties)[0], *(place for place in self.places if place <= asked)]
        )

    def _others(self, first: int) -> list[Task]:
        """Return the parties after the ``first`` up to the end of the curve, and what is known at
        its places.
        """
        tasks: list[Task] = []
        done = first
        for number in sorted({*self.places, self.parties}):
            new = [upto for upto in self.crowd.edges(number) if upto > done or upto == number]
            tasks += [*(Gather(crowd=self.crowd, upto=upto) for upto in new), self._of(number)]
            if first < number <= self.parties:
                tasks += [replace(self.probe(), asked=number)]
            if number == self.parties:
                tasks += self._one_crowd(number)
            done = max(done, number)
        return tasks

    def _one_crowd(self, asked: int) -> list[Task]:
        """Return all that is drawn of these parties but for the number of them."""
        moves = [Change(ensemble=self.ensemble, asked=asked)] if self.model.central else []
        return [*self._over_epsilon(asked), *moves]

    def _over_epsilon(self, asked: int) -> list[Tried]:
        return [replace(self.probe(), asked=asked, epsilon=epsilon) for epsilon in EPSILONS]

    def _of(self, parties: int) -> Tried:
        return replace(self.probe(), model=self.model.at(parties), asked=parties)

    def result(self, outcomes: Mapping[Task, Any]) -> PartiesResult:
        kinds = {type(task): found for task, found in outcomes.items()}
        tried = [task for task in outcomes if isinstance(task, Tried) and task.model == self.model]
        latest = max(
            (task for task in tried if task.epsilon == self.epsilon), key=attrgetter("asked")
        )
        changes = sorted(
            (task for task in outcomes if isinstance(task, Change)), key=attrgetter("asked")
        )[-1:]
        # One curve, all of the same parties: the fullest one, or of the most parties among those as
        # full
        curves = [self._over_epsilon(asked) for asked in {task.asked for task in tried}]
        over_epsilon = max(curves, key=lambda curve: (len(outcomes.keys() & curve), curve[0].asked))
        over_parties = [self._of(number) for number in self.places]
        now = outcomes[latest]
        unknown = now._replace(
            accuracy=np.full_like(now.accuracy, np.nan), excess=np.full_like(now.excess, np.nan)
        )
        by_epsilon, by_parties = (
            [outcomes.get(task, unknown) for task in curve]
            for curve in (over_epsilon, over_parties)
        )
        return PartiesResult(
            settings=self,
            done=frozenset(outcomes.keys() & {latest, *changes, *over_epsilon, *over_parties}),
            asked=latest.asked,
            fits=work.fits(self.ensemble, latest.asked),
            now=now,
            batch=kinds[Batch],
            moves=next((outcomes[change] for change in changes), None),
            locals=kinds.get(Locals, np.empty((0, 0), np.uint8)),
            over={
                "epsilon": Grid(
                    EPSILONS, np.stack([trial.accuracy for trial in by_epsilon], axis=1)
                ),
                "parties": Grid(
                    self.places, np.stack([trial.accuracy for trial in by_parties], axis=1)
                ),
            },
            excess=Grid(self.places, np.stack([trial.excess for trial in by_parties])),
        )
