"""What hypothesis transfer computes: runs at the set values, without noise, and over epsilon."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part, Repeats, Runs, Sweep
from lab.experiment.settings import Measure, Task
from pages.hypotheses import tasks
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import ROWS, HypothesesSettings
from pages.hypotheses.tasks import EPSILONS, SCORES, Outcome
from pages.hypotheses.training import Transfer

# Fields that lower the noise of the releases, and those that improve the sources' hypotheses.
_LESS_NOISE = ("epsilon", "delta")
_BETTER_HYPOTHESES = (*_LESS_NOISE, "source_rows")
# Repeats that the page waits for. They are fewer if their fits cost more than this.
_FIRST_REPEATS = 3
_FIRST_COST = 3e7
# Repeats of one task, and features above which a task has half as many.
_REPEATS_PER_TASK = 6
_MANY_FEATURES = 30


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

    def parts(self) -> Mapping[str, Part]:
        """Return the parts, with the names of the fields of ``HypothesesResult``."""
        return {
            "outcome": self.outcome,
            "without_noise": self.without_noise,
            "over_epsilon": self.over_epsilon,
        }

    @cached_property
    def outcome(self) -> Repeats:
        """Return the repeats at the set epsilon."""
        return self.repeats_at(self.settings.epsilon, essential=True)

    @cached_property
    def without_noise(self) -> Repeats:
        """Return the repeats without noise."""
        return self.repeats_at(math.inf)

    def repeats_at(self, epsilon: float, *, essential: bool = False) -> Repeats:
        """Return the repeats at an epsilon, which is infinite without noise.

        essential: whether the page waits for the first task, which then has as many repeats as it
            may wait for. Otherwise it has no more than any other task.
        """
        cost_of_repeat = self.settings.source_training.cost * self.settings.sources
        first_batch = max(1, min(_FIRST_REPEATS, int(_FIRST_COST / cost_of_repeat)))
        if not essential:
            first_batch = min(first_batch, self._largest_batch)
        return Repeats(
            tasks.transfer,
            self._model_at(epsilon),
            self.settings.label_share,
            self.settings.repeats,
            merge=Outcome.concatenate,
            first_batch=first_batch,
            largest_batch=self._largest_batch,
            essential=essential,
            sampled=tasks.first_outcomes,
        )

    @cached_property
    def over_epsilon(self) -> Sweep:
        """Return the scores of all repeats at each of ``EPSILONS``."""
        return Sweep(
            EPSILONS,
            tasks.scores_over_epsilon,
            # The model is the same at each set epsilon, so a movement of epsilon keeps the curve.
            (self._model_at(math.inf), self.settings.label_share),
            self.settings.repeats,
            arms=(len(SCORES),),
            # Models that are trained together stop together, so that other batches differ a little.
            batches=self.without_noise.batches,
        )

    def _model_at(self, epsilon: float) -> Transfer:
        """Return the transfer at an epsilon, which is infinite without noise."""
        budget = replace(self.settings.budget, epsilon=epsilon)
        return Transfer(target=self.settings.target_training, budget=budget)

    @cached_property
    def _largest_batch(self) -> int:
        """Return the largest number of repeats of one task."""
        sources = self.settings.source_training
        if self.settings.noise == "objective" or not sources.projected:
            # The minima are found anew at each epsilon, or each takes long.
            return 1
        if sources.domains.dimension > _MANY_FEATURES:
            return _REPEATS_PER_TASK // 2
        return _REPEATS_PER_TASK

    # Order of the tasks

    def order(self, parts: Iterable[Part]) -> Iterator[Task]:
        """Yield the tasks of the first repeats, then the fits of the others and their tasks.

        With all words a repeat takes long. A few of each epsilon then come before all of the set
        one. ``parts`` is not used.
        """
        yield self.outcome.tasks[0]
        yield self.without_noise.tasks[0]
        if not self.settings.projected:
            yield from self.over_epsilon.tasks[: len(EPSILONS)]
        yield from self._fits(range(self.outcome.batches[0].stop, self.settings.repeats))
        yield from self.outcome.tasks
        yield from self.without_noise.tasks
        yield from self.over_epsilon.tasks

    def _fits(self, repeats: range) -> Iterator[Task]:
        """Yield the tasks that fit the sources and the target in each repeat."""
        target = self.settings.target_training
        for repeat in repeats:
            for group in target.sources.groups:
                yield Runs(
                    work=tasks.fit_sources, model=target.sources, at=group, first=repeat, count=1
                )
            yield Runs(work=tasks.fit_target, model=target, first=repeat, count=1)
