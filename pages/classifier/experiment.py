"""Private classification with public pre-training: sound, as published, and without privacy.

Follows the slides of [hoseinpour2023]; what they leave open or miscount is in ``recipes``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Grid, Runs, slices
from lab.experiment.settings import Task
from lab.models.classifier_versions import EPSILONS
from pages.classifier import tasks
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierParameters

# One slice of work holds about this many (model, class, example, step) cells: some 50 ms.
_CELLS_AT_ONCE = 4e7
# Repeats of the first picture where there are more rows than knobs can move with.
_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class ClassifierSettings(ClassifierParameters, ComputingSettings):
    """The experiment with these settings: its work, and what comes of it."""

    def schedule(self) -> Iterable[Task]:
        now, *later = self.samples()
        return now, self._references, *later, *self._curve(), *self._apart()

    def probe(self) -> Runs[tasks.Model, tasks.FocusOutcome]:
        """Return today's ensemble, as many repeats of it as the first picture has."""
        return self.samples()[0]

    def samples(self) -> tuple[Runs[tasks.Model, tasks.FocusOutcome], ...]:
        now, *later = slices(tasks.focus, self.model, (self.epsilon,), self._parts)
        return replace(now, essential=True), *later

    def draws_as(self, other: Self) -> bool:
        """Descents without privacy draw no noise."""
        return "none" not in (self.version, other.version)

    def sample(self, count: int) -> tuple[Runs[tasks.Model, tasks.Ends], ...]:
        return tuple(
            Runs(
                work=tasks.ends,
                model=self.model,
                at=(self.epsilon,),
                first=part.start,
                count=len(part),
                given=given,
            )
            for part, given in chunking.sample(self._parts, count, each=self.model.cells)
        )

    @property
    def _parts(self) -> tuple[range, ...]:
        """The repeats: as many as the first picture may wait for, and the others."""
        each = self.model.cells
        now = min(_FEWEST, self.repeats) if self.beyond else chunking.first(self.repeats, each=each)
        return (range(now), *chunking.cut(now, self.repeats, each=each))

    def _apart(self) -> tuple[Runs[tasks.RowByRow, np.ndarray], ...]:
        """Return today's ensemble with each row clipped by itself, for as many rows a person as are
        declared.
        """
        most = self.roles.most_rows if self.roles and self.by_person else None
        return (
            slices(
                tasks.apart,
                tasks.RowByRow(model=self.model, most_rows=most),
                (self.epsilon,),
                self._parts,
            )
            if most
            else ()
        )

    @property
    def _references(self) -> Runs[tasks.Arms, tuple[tasks.ReferenceOutcome, ...]]:
        """Return the non-private descent of each arm, with the arm's start and as many steps."""
        arms = self.part(
            tasks.Arms, dataset=self.rows_of, private_rows=self.rows, public=self.model.public
        )
        return Runs(work=tasks.references, model=arms, count=1, essential=True)

    def _curve(self) -> tuple[Runs[tasks.Model, np.ndarray], ...]:
        """Return the work over epsilon in slices, some repeats at every epsilon before more
        at any.
        """
        each, classes = self.model.cells, len(data.source(self.rows_of).classes)
        cells = len(self.model.arms) * self.repeats * self.rows * self.steps * classes
        width = max(
            1, min(int(_CELLS_AT_ONCE / cells), int(chunking.SLICE / (each * self.repeats)))
        )
        return slices(
            tasks.accuracies,
            self.model,
            self.epsilons,
            chunking.cut(0, self.repeats, each=each),
            width=width,
        )

    def result(self, outcomes: Mapping[Any, Any]) -> ClassifierResult:
        repeats, arms = self.repeats, (len(self.model.arms),)
        return ClassifierResult(
            settings=self,
            split=self.model.split,
            focus=tasks.FocusOutcome.of(
                [outcomes[task] for task in self.samples() if task in outcomes]
            ),
            references=dict(zip(self.arms, outcomes[self._references], strict=True)),
            accuracy=Grid.of(EPSILONS, self._curve(), outcomes, repeats=repeats, arms=arms),
            guarantees=self.guarantees,
            apart=Grid.of((self.epsilon,), self._apart(), outcomes, repeats=repeats),
        )
