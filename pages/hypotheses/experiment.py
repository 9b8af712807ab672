"""What hypothesis transfer computes: runs at the set values, curves, and a table."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part, Repeats, Runs
from lab.experiment.settings import Measure, Task
from pages.hypotheses import tasks
from pages.hypotheses.mixture import normalised
from pages.hypotheses.result import (
    DIMENSIONS,
    EPSILONS,
    SHARES,
    TABLE_EPSILONS,
    HypothesesResult,
)
from pages.hypotheses.runs import TransferRuns
from pages.hypotheses.settings import ROWS, HypothesesSettings
from pages.hypotheses.training import SourceTraining, TargetTraining, Transfer

# Fields that lower the noise of the releases, and those that improve the sources' hypotheses.
_LESS_NOISE = ("epsilon", "delta")
_BETTER_HYPOTHESES = (*_LESS_NOISE, "source_rows")
# Repeats that the page waits for. They are fewer if their fits cost more than this.
_FIRST_REPEATS = 3
_FIRST_COST = 3e7
# Repeats of one task, and features above which a task has half as many.
_REPEATS_PER_TASK = 6
_MANY_FEATURES = 30
# Most repeats of each number of features, and of each cell of the table.
FEW_REPEATS = 8
TABLE_REPEATS = 12


@dataclass(frozen=True)
class TransferRepeats(Repeats):
    """Repeats of a transfer, gathered into ``TransferRuns``."""

    @cached_property
    def tasks(self) -> tuple[Runs, ...]:
        return super().tasks

    def gather(self, outcomes: Mapping[Any, Any]) -> TransferRuns:
        """Return the repeats done so far."""
        done = [outcomes[task] for task in self.tasks if task in outcomes]
        return TransferRuns(done, planned=self.count)


@dataclass(frozen=True)
class PartsByValue:
    """Parts by the value of a parameter, gathered into a mapping."""

    parts: Mapping[Any, Any]

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(task for part in self.parts.values() for task in part.tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> dict[Any, Any]:
        return {value: part.gather(outcomes) for value, part in self.parts.items()}


class HypothesesExperiment(Experiment[HypothesesSettings, HypothesesResult]):
    """Hypothesis transfer from private sources, and what a target with few labels gains by it."""

    RESULT = HypothesesResult
    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy(
            "accuracy of transfer",
            lambda outcome: outcome.accuracy_of("transfer"),
            rises=_BETTER_HYPOTHESES,
        ),
        "gain": Measure(
            "gain over few labels only",
            "higher",
            lambda outcome: outcome.accuracy_of("transfer") - outcome.accuracy_of("few_labels"),
            rises=_BETTER_HYPOTHESES,
            unit="%",
            limits=(-1.0, 1.0),
        ),
        "error": Measure(
            "mean squared error of the weights",
            "lower",
            lambda outcome: outcome.error,
            rises=(*_LESS_NOISE, "unlabelled_rows"),
        ),
    }
    PAIRED_BY = (
        "data",
        "sources",
        "dimension",
        "projection",
        "similarity",
        *ROWS,
        "public_rows",
        "noise",
        "repeats",
        "seed",
        "mixture",
    )

    # Parts

    def parts(self) -> dict[str, Part]:
        """Return the parts, with the names of the fields of ``HypothesesResult``."""
        return {
            "now": self.now,
            "over_epsilon": self.over_epsilon,
            "over_share": self.over_share,
            "over_dimension": self.over_dimension,
            "over_mixture": self.over_mixture,
        }

    @cached_property
    def now(self) -> TransferRepeats:
        """Return the repeats at the set values."""
        return self.repeats_with(essential=True)

    @cached_property
    def over_epsilon(self) -> PartsByValue:
        parts = {epsilon: self.repeats_with(epsilon=epsilon) for epsilon in (*EPSILONS, math.inf)}
        return PartsByValue(parts)

    @cached_property
    def over_share(self) -> PartsByValue:
        parts = {share: self.repeats_with(label_share=share) for share in SHARES}
        return PartsByValue(parts)

    @cached_property
    def over_dimension(self) -> PartsByValue:
        parts = {}
        for dimension in DIMENSIONS:
            target = self.settings.target_with_dimension(dimension)
            parts[dimension] = self.repeats_with(target=target, most_repeats=FEW_REPEATS)
        return PartsByValue(parts)

    @cached_property
    def over_mixture(self) -> PartsByValue:
        """Return the repeats of the table, by mixture and epsilon."""
        parts = {}
        for mixture in self.mixtures:
            target = replace(self.settings.target_training, mixture=mixture)
            for epsilon in TABLE_EPSILONS:
                parts[mixture, epsilon] = self.repeats_with(
                    epsilon=epsilon, target=target, most_repeats=TABLE_REPEATS
                )
        return PartsByValue(parts)

    @property
    def mixtures(self) -> tuple[tuple[float, ...], ...]:
        """Return the mixtures of the table, the set one first."""
        count = self.settings.sources
        nothing = [0.0] * (count - 2)
        mixtures = [
            self.settings.shares,
            (1.0, 0.0, *nothing),
            (0.5, 0.5, *nothing),
            (*nothing, 0.25, 0.75),
            normalised((1 / count,) * count),
        ]
        return tuple(dict.fromkeys(mixtures))

    def repeats_with(
        self,
        *,
        epsilon: float | None = None,
        label_share: float | None = None,
        target: TargetTraining | None = None,
        most_repeats: int | None = None,
        essential: bool = False,
    ) -> TransferRepeats:
        """Return the repeats with some values changed, at most ``most_repeats``.

        essential: whether the page waits for the first ones.
        """
        settings = self.settings
        budget = settings.budget
        if epsilon is not None:
            budget = replace(budget, epsilon=epsilon)
        if label_share is None:
            label_share = settings.label_share
        count = settings.repeats
        if most_repeats is not None:
            count = min(count, most_repeats)

        is_changed = epsilon is not None or target is not None
        if target is None:
            target = settings.target_training
        largest_batch = self._largest_batch(target.sources)
        affordable = int(_FIRST_COST / (target.sources.cost * settings.sources))
        first_batch = max(1, min(_FIRST_REPEATS, count, affordable))
        if is_changed:
            first_batch = min(first_batch, largest_batch)
        return TransferRepeats(
            tasks.transfer,
            Transfer(target=target, budget=budget),
            label_share,
            count,
            first_batch=first_batch,
            largest_batch=largest_batch,
            essential=essential,
            sampled=tasks.first_outcomes,
        )

    def _largest_batch(self, sources: SourceTraining) -> int:
        """Return the largest number of repeats of one task."""
        if self.settings.noise == "objective" or not sources.projected:
            # The minima are found anew at each epsilon, or each takes long.
            return 1
        if sources.domains.dimension > _MANY_FEATURES:
            return _REPEATS_PER_TASK // 2
        return _REPEATS_PER_TASK

    # Order of the tasks

    def order(self, parts: Iterable[Part]) -> Iterator[Task]:
        """Yield the tasks of the set values, then those of the curves and of the table.

        Each follows the fits that it needs. ``parts`` is not used.
        """
        target = self.settings.target_training
        yield from self._first_tasks()
        repeats_left = range(self.now.batches[0].stop, self.settings.repeats)
        yield from _fits(target, repeats_left)
        yield from self.now.tasks[1:]
        yield from self.over_epsilon.tasks
        yield from self.over_share.tasks
        yield from self._dimension_tasks()
        yield from self._table_tasks()

    def _first_tasks(self) -> Iterator[Task]:
        """Yield the first tasks at the set values, and without noise.

        With all words a repeat takes long. A few of each epsilon then come before all of the set
        one.
        """
        yield self.now.tasks[0]
        yield self.over_epsilon.parts[math.inf].tasks[0]
        if not self.settings.projected:
            for epsilon in EPSILONS:
                yield self.over_epsilon.parts[epsilon].tasks[0]

    def _dimension_tasks(self) -> Iterator[Task]:
        """Yield the tasks of each number of features."""
        repeats = range(min(self.settings.repeats, FEW_REPEATS))
        for dimension in DIMENSIONS:
            target = self.settings.target_with_dimension(dimension)
            yield Runs(work=tasks.make_rows, model=target.sources, count=1)
            yield from _fits(target, repeats)
            yield from self.over_dimension.parts[dimension].tasks

    def _table_tasks(self) -> Iterator[Task]:
        """Yield the tasks of the table, after the fits of its mixtures.

        Those are yielded repeat by repeat, so that the rows of a repeat are drawn once.
        """
        for repeat in range(min(self.settings.repeats, TABLE_REPEATS)):
            for mixture in self.mixtures:
                yield _target_fit(replace(self.settings.target_training, mixture=mixture), repeat)
        yield from self.over_mixture.tasks


def _fits(target: TargetTraining, repeats: range) -> Iterator[Task]:
    """Yield the tasks that fit the sources and the target in each repeat."""
    for repeat in repeats:
        for group in target.sources.groups:
            yield Runs(
                work=tasks.fit_sources, model=target.sources, at=group, first=repeat, count=1
            )
        yield _target_fit(target, repeat)


def _target_fit(target: TargetTraining, repeat: int) -> Task:
    return Runs(work=tasks.fit_target, model=target, first=repeat, count=1)
