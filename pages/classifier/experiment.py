"""What the classifier computes: an ensemble at the set epsilon, references, and a curve."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats, Sweep
from lab.experiment.settings import Measure
from lab.models.classifier_versions import EPSILONS
from pages.classifier import tasks
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierSettings

# Fields that lower the noise and leave the descent as it is, so that accuracy rises with them.
_LESS_NOISE = ("epsilon", "delta", "rows")
# Data sets with more classes have no measure for the recall of each class.
_MOST_RECALLS = 4
# Repeats that the page waits for if there are too many rows to train while a slider moves.
_FEWEST_REPEATS = 2
# One task of the curve computes about this many (model, class, row, step) terms, in some 50 ms.
_TERMS_AT_ONCE = 4e7


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
        """Return the ensemble at the set epsilon, the references, and the accuracy by epsilon."""
        settings = self.settings
        training = settings.training
        return {
            "ensemble": self._ensemble,
            "references": Once(tasks.train_references, settings.reference_training, essential=True),
            "accuracy": Sweep(
                EPSILONS,
                tasks.score_curve,
                training,
                settings.repeats,
                computed=settings.epsilons,
                arms=(len(settings.arms),),
                cost=training.cells,
                width=self._epsilons_per_task,
            ),
        }

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

    @property
    def _epsilons_per_task(self) -> int:
        """Return the number of epsilons per task of the curve."""
        settings = self.settings
        classes = len(data.source(settings.dataset_key).classes)
        models = len(settings.arms) * settings.repeats
        terms = models * settings.rows * settings.steps * classes
        cells = settings.training.cells * settings.repeats
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


def _recall_measure(label: int, name: str) -> Measure:
    """Return the measure of a class's recall, which is 0 if the class has no held-out rows."""
    return Measure(
        f"recall of {name} from scratch",
        "higher",
        lambda outcome: np.nan_to_num(outcome.recall[0, :, label]),
        unit="%",
        limits=(0.0, 1.0),
    )
