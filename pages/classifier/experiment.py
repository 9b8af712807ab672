"""What the classifier computes: an ensemble at the set epsilon, references, and a curve."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpcore.cache import cached
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats, Runs, Sweep
from lab.experiment.settings import Measure, Task
from pages.classifier import tasks
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierSettings
from pages.classifier.tasks import FinalScores
from pages.classifier.training import PrivateTraining

# Fields that lower the noise and leave the descent as it is, so that accuracy rises with them.
_LESS_NOISE = ("epsilon", "delta", "rows")
# Data sets with more classes have no measure for the recall of each class.
_MOST_RECALLS = 4
# Repeats that the page waits for if there are too many rows to train while a slider moves.
_FEWEST_REPEATS = 2
# Sweeps over epsilon of which the cache keeps the newest.
_KEPT_SWEEPS = 16
# One task of the curve computes about this many (model, class, row, step) terms, in some 50 ms.
_TERMS_AT_ONCE = 4e7


@dataclass(frozen=True)
class FurtherRuns:
    """The runs at the set epsilon beyond those that are drawn, as scores of the final models.

    ensemble: the runs that are drawn.
    count: number of all runs.
    """

    ensemble: Repeats
    count: int

    @cached_property
    def tasks(self) -> tuple[Runs, ...]:
        """Return the tasks, which questions about the same settings share."""
        return self.ensemble.sample(self.count)[len(self.ensemble.batches) :]

    def gather(self, outcomes: Mapping[Any, Any]) -> list[FinalScores]:
        """Return the scores of the batches done so far, without a gap."""
        scores = []
        for task in self.tasks:
            if task not in outcomes:
                break
            scores.append(outcomes[task])
        return scores


class ClassifierExperiment(Experiment[ClassifierSettings, ClassifierResult]):
    """Private classification with public pre-training [hoseinpour2023].

    What the slides leave open or miscount is in ``classifier_versions``.
    """

    RESULT = ClassifierResult
    MEASURES: ClassVar = {
        "scratch": Measure.accuracy(
            "accuracy from scratch",
            lambda outcome: outcome.accuracy[0],
            rises=_LESS_NOISE,
        ),
        "accuracy": Measure.accuracy(
            "accuracy with pre-training, if there is any",
            lambda outcome: outcome.accuracy[-1],
            rises=_LESS_NOISE,
        ),
        "balanced": Measure(
            "balanced accuracy from scratch",
            "higher",
            lambda outcome: np.nanmean(outcome.recall[0], axis=-1),
            rises=("epsilon", "delta"),
            unit="%",
            limits=(0.0, 1.0),
        ),
        "loss": Measure(
            "loss from scratch (nats)",
            "lower",
            lambda outcome: outcome.loss[0, :, -1],
            rises=("epsilon", "delta"),
            unit="nats",
        ),
    }
    PAIRED_BY = ("dataset", "own", "rows", "repeats", "seed")

    def parts(self) -> dict[str, Part]:
        """Return the ensemble at the set epsilon, the references, and the accuracy by epsilon.

        Both are also measured on more runs, which come last.
        """
        settings = self.settings
        training = settings.reference_training
        parts: dict[str, Part] = {
            "ensemble": self._ensemble,
            "references": Once(tasks.train_references, training, essential=True),
            "first_curve": self._curve(settings.repeats),
        }
        if settings.runs > settings.repeats:
            parts["further"] = self._further
            parts["full_curve"] = self._curve(settings.runs)
        return parts

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the tasks of all runs at the set epsilon."""
        if self.settings.runs == self.settings.repeats:
            return super().shown_sample()
        return (*super().shown_sample(), *self._further.tasks)

    @cached_property
    def _further(self) -> FurtherRuns:
        return FurtherRuns(self._ensemble, self.settings.runs)

    def _curve(self, repeats: int) -> Sweep:
        """Return the accuracy of some repeats over epsilon."""
        settings = self.settings
        width = self._epsilons_per_task(repeats)
        return _sweep(settings.training, settings.epsilons, repeats, width)

    @property
    def _ensemble(self) -> Repeats:
        """Return the repeats at the set epsilon."""
        return Repeats(
            tasks.train_ensemble,
            self.settings.training,
            self.settings.epsilon,
            self.settings.repeats,
            merge=tasks.Ensemble.concatenate,
            sampled=tasks.score_final_models,
            cost=self.settings.training.cells,
            first_batch=self._first_batch,
        )

    @property
    def _first_batch(self) -> int | None:
        """Return how many repeats the page waits for, or None for the usual number."""
        if self.settings.exceeds_live_rows:
            return _FEWEST_REPEATS
        return None

    def _epsilons_per_task(self, repeats: int) -> int:
        """Return the number of epsilons per task of the curve."""
        settings = self.settings
        classes = len(data.source(settings.dataset_key).classes)
        models = len(settings.arms) * repeats
        terms = models * settings.rows * settings.steps * classes
        cells = settings.training.cells * repeats
        return max(1, min(int(_TERMS_AT_ONCE / terms), int(chunking.SLICE / cells)))

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures, with the recall of each class if there are few classes."""
        measures = dict(self.MEASURES)
        source = self.settings.source
        if source is not None and len(source.classes) <= _MOST_RECALLS:
            for label, name in enumerate(source.classes):
                measures[f"recall_{label}"] = _recall_measure(label, name)
        return measures

    def pairs_with(self, other: Experiment) -> bool:
        """Return whether repeats are paired. Non-private training draws no noise."""
        if self == other:
            return True
        if not super().pairs_with(other):
            return False
        return "none" not in (self.settings.version, other.settings.version)


@cached(newest=_KEPT_SWEEPS)
def _sweep(
    training: PrivateTraining, epsilons: tuple[float, ...], repeats: int, width: int
) -> Sweep:
    """Return the accuracy of some repeats over epsilon, ``width`` epsilons a task.

    It is the same object at each set epsilon, so that its tasks are made once.
    """
    return Sweep(
        epsilons,
        tasks.score_curve,
        training,
        repeats,
        arms=(len(training.arms),),
        cost=training.cells,
        width=width,
    )


def _recall_measure(label: int, name: str) -> Measure:
    """Return the measure of a class's recall, which is 0 if the class has no held-out rows."""
    return Measure(
        f"recall of {name} from scratch",
        "higher",
        lambda outcome: np.nan_to_num(outcome.recall[0, :, label]),
        unit="%",
        limits=(0.0, 1.0),
    )
