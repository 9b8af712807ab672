"""Settings of the classifier: their ranges, what is trained with them, and the guarantee."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from dpcore import check
from dpcore.privacy import Adjacency, Guarantee
from lab.data import classification as data
from lab.experiment.data_settings import OWN, RowsSettings
from lab.models import classifier_versions
from lab.models.attackers import RightGuesses
from lab.statistics import price
from lab.uploads import handles
from pages.classifier.training import PrivateTraining, PublicStart, ReferenceTraining

# The epsilons of the curve: those of the published table, and more where the curve bends.
CURVE_EPSILONS = (
    *(0.01, 0.02, 0.03, 0.05, 0.065, 0.08, 0.1, 0.13, 0.17, 0.22, 0.28, 0.36),
    *(0.5, 0.65, 0.85, 1.0, 1.4, 2.0, 3.0, 5.0, 10.0, 15.0, 50.0, 150.0),
)
# With at least so many repeats, accuracies are measured on more runs than are drawn, if the runs of
# the whole curve take at most so many cells (``chunking``), which are some 2 s.
_REPEATS_FOR_MORE = 24
_MOST_CELLS = 2e9


@dataclass(frozen=True, kw_only=True)
class ClassifierSettings(RowsSettings):
    """Settings of private classification with public pre-training [hoseinpour2023].

    What the slides leave open or miscount is in ``lab.models.classifier_versions``. Raises
    RefusedError, with the name of the field, if a value is not allowed.

    dataset: a key of ``DATASETS`` that linear boundaries suit, or "own" for an uploaded file.
    own: the handle of the uploaded file.
    version: the mechanism, a key of ``VERSIONS``.
    epsilon, delta: the claimed guarantee.
    clip_norm: L2 bound C on a gradient, for features in [-1, 1] and a constant 1.
    steps, learning_rate: T and eta of the descent on the private rows.
    rows: number n of private rows, which is public. None stands for all rows of the data set.
    rows_each: rows per person, for version "correct" and the data sets of the lab. The gradients of
        a person are averaged and then clipped.
    public_rows: number of rows that the public start is trained on, or 0 for no public start.
    shift: distance by which the public rows are moved, in their own standard deviations.
    public_steps: steps of the descent on the public rows.
    repeats: number R of models trained per arm and epsilon, and drawn. See ``runs``.
    """

    EXPERIMENT: ClassVar = "pages.classifier.experiment.ClassifierExperiment"
    CHOICES: ClassVar = {
        "dataset": (*data.LINEAR_DATASETS, OWN),
        "version": classifier_versions.VERSIONS,
        "adjacency": list(Adjacency),
    }
    LIMITS: ClassVar = {
        "epsilon": (0.01, 150.0),
        "delta": (1e-9, 1e-2),
        "clip_norm": (0.01, 100.0),
        "steps": (1, 400),
        "learning_rate": (0.01, 100.0),
        "rows": (50, 5000),
        "rows_each": (1, 20),
        "public_rows": (0, 500),
        "shift": (0.0, 3.0),
        "public_steps": (1, 400),
        "repeats": (2, 100),
        "seed": (0, 9999),
    }
    TUNED: ClassVar = {
        "clip_norm": (0.05, 5.0),
        "steps": (5, 200),
        "learning_rate": (0.1, 10.0),
    }
    PEOPLE: ClassVar = "rows"
    LOOP: ClassVar = "version"
    CURVE: ClassVar = CURVE_EPSILONS

    dataset: str = "gaussians"
    own: str = handles.NONE
    version: str = "correct"
    epsilon: float = 0.5
    delta: float = 1e-5
    clip_norm: float = 1.0
    steps: int = 50
    learning_rate: float = 1.0
    rows: int = None  # type: ignore[assignment]  # a number once validated
    rows_each: int = 1
    public_rows: int = 30
    shift: float = 0.25
    public_steps: int = 200
    repeats: int = 24
    seed: int = 4
    adjacency: str = "replace-one"

    def __post_init__(self) -> None:
        if self.dataset == OWN and self.public_rows:
            allowed = "0, as no row of a file is public"
            raise check.RefusedError("public_rows", self.public_rows, allowed)
        super().__post_init__()

    # Ranges

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field. That of public rows depends on the data set."""
        public_rows = 0
        if self.source is not None:
            public_rows = self.source.public_rows
        return {**super().limits, "public_rows": (0, public_rows)}

    # What is trained, and what it guarantees

    @property
    def arms(self) -> tuple[str, ...]:
        """Return "scratch" and, with a public start, "public"."""
        return self.training.arms

    @cached_property
    def training(self) -> PrivateTraining:
        """Return the private training, which is the same at all epsilons except for the noise."""
        return PrivateTraining(
            dataset=self.dataset_key,
            private_rows=self.rows,
            rows_each=self.rows_each,
            steps=self.steps,
            learning_rate=self.learning_rate,
            seed=self.seed,
            public=self._public_start,
            version=self.version,
            delta=self.delta,
            clip_norm=self.clip_norm,
            adjacency=self.adjacency,
            spent=self.spent_epsilon,
        )

    @property
    def has_price(self) -> bool:
        """Return whether accuracy has a price in an attacker's right guesses.

        The mechanism must keep its guarantee, and all of epsilon must pay for its noise.
        """
        return self.version == "correct" and not self.void and not self.payments

    @property
    def right_guesses(self) -> RightGuesses:
        """Return the largest share of right guesses by epsilon, if there is a price."""
        return RightGuesses(self.delta)

    @cached_property
    def runs(self) -> int:
        """Return the number of runs that accuracies are measured on once nothing moves.

        It is ``price.LEAST_RUNS`` where these are quick to train, and the number of repeats
        otherwise.
        """
        is_quick = self._curve_cells(price.LEAST_RUNS) <= _MOST_CELLS
        if self.has_price and is_quick and self.repeats >= _REPEATS_FOR_MORE:
            return max(self.repeats, price.LEAST_RUNS)
        return self.repeats

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """Return the epsilons of the curve, only the published ones where training takes long."""
        epsilons = super().epsilons
        if self._curve_cells(self.repeats) <= _MOST_CELLS:
            return epsilons
        return tuple(epsilon for epsilon in epsilons if epsilon in classifier_versions.EPSILONS)

    def _curve_cells(self, runs: int) -> float:
        """Return the cells (``chunking``) of some runs at all epsilons of the curve."""
        return runs * len(self.CURVE) * self.training.cells

    @property
    def reference_training(self) -> ReferenceTraining:
        """Return the non-private training with the same starts and steps."""
        return ReferenceTraining(
            dataset=self.dataset_key,
            private_rows=self.rows,
            rows_each=self.rows_each,
            steps=self.steps,
            learning_rate=self.learning_rate,
            seed=self.seed,
            public=self._public_start,
        )

    @property
    def _public_start(self) -> PublicStart | None:
        """Return the training on public rows, or None if there is none."""
        if self.public_rows == 0:
            return None
        return PublicStart(
            dataset=self.dataset_key,
            private_rows=self.rows,
            steps=self.public_steps,
            learning_rate=self.learning_rate,
            seed=self.seed,
            rows=self.public_rows,
            shift=self.shift,
        )

    @cached_property
    def guarantees(self) -> classifier_versions.Guarantees:
        """Return the claimed and the actual guarantee, with the payments for bounds included."""
        payments = tuple(payment.event for payment in self.payments)
        return classifier_versions.guarantees(
            self, source=self.source, unit=self.unit, before=payments
        )

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one run, or None if there is none.

        Guarantee: T Gaussian releases of the mean of n clipped gradients, with the sensitivity
            2 C / n (replace-one) or C / n (add/remove), after the payments for bounds.
        """
        if self.version != "correct" or self.void:
            return None
        return self.guarantees.formula
