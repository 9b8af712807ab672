"""Training of the classifiers: from zero and from a public start, private and non-private.

Shapes: A arms, E epsilons, R repeats, m recorded steps, n rows, d features. Weights are (k, p),
with k outputs and p = d + 1 inputs, of which the last is the constant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpcore.cache import Key, cached
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.data_settings import split_of
from lab.models import classifier_versions

# Steps at which the path of a descent is recorded.
_RECORDED_STEPS = 21
# A row of a person with several rows takes as long as this many rows that are a person each.
_COST_OF_GROUPED_ROW = 5


@dataclass(frozen=True, kw_only=True)
class Descent(Key):
    """Full-batch gradient descent without clipping and noise.

    dataset: name of a data set, or an uploaded file.
    private_rows: number n of private rows, which is public.
    steps, learning_rate: T and eta.
    seed: of the split and of the noise.
    rows_each: rows per person (``split_of``).
    """

    dataset: data.Dataset
    private_rows: int
    steps: int
    learning_rate: float
    seed: int
    rows_each: int = 1

    @property
    def split(self) -> data.Split:
        return split_of(
            self.dataset,
            seed=self.seed,
            private_rows=self.private_rows,
            rows_each=self.rows_each,
        )

    @property
    def zero_weights(self) -> np.ndarray:
        """Return weights (k, p) of zero."""
        source = data.source(self.dataset)
        return np.zeros((losses.outputs(len(source.classes)), len(source.features) + 1))

    @property
    def recorded_steps(self) -> list[int]:
        """Return the m steps at which the path is recorded, from 0 to T."""
        steps = np.linspace(0, self.steps, _RECORDED_STEPS).astype(int)
        return np.unique(steps).tolist()

    def descend(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        people: np.ndarray | None = None,
        start: np.ndarray | None = None,
        draws: Sequence[int] | np.ndarray = (0,),
        clipping: descent.Clipping = "none",
        clip_norm: float = 1.0,
        noise_sd: float | np.ndarray = 0.0,
        record: Sequence[int] = (),
    ) -> descent.Path:
        """Train one model per draw on rows X (n, d), y (n,).

        people: the person (n,) of each row, or None if each row is a person.
        start: weights (k, p), or (R, k, p). None stands for zero.
        draws: the number (R,) of each model's noise stream.
        noise_sd: standard deviation of the noise per coordinate of the mean gradient, also (R,).
        record: the steps whose weights are kept.
        """
        if start is None:
            start = self.zero_weights
        inputs, classes = losses.examples(X, y)
        return descent.noisy_gradient_descent(
            inputs,
            classes,
            n_classes=len(data.source(self.dataset).classes),
            people=people,
            start=start,
            draws=draws,
            steps=self.steps,
            learning_rate=self.learning_rate,
            seed=self.seed,
            clipping=clipping,
            clip_norm=clip_norm,
            noise_sd=noise_sd,
            record=record,
        )


@dataclass(frozen=True, kw_only=True)
class PublicStart(Descent):
    """A descent on public rows alone. It reads no private row.

    rows: number of public rows used.
    shift: distance by which they are moved, in their own standard deviations.
    """

    rows: int
    shift: float

    def weights(self) -> np.ndarray:
        """Return the trained weights (k, p)."""
        X = data.shifted(self.split.X_public, shift=self.shift)
        path = self.descend(X[: self.rows], self.split.y_public[: self.rows])
        return path.weights[0]


@dataclass(frozen=True, kw_only=True)
class ReferenceTraining(Descent):
    """Non-private training of each arm: from zero and, if there is one, from the public start."""

    public: PublicStart | None

    @property
    def arms(self) -> tuple[str, ...]:
        """Return the names of the arms."""
        if self.public is None:
            return ("scratch",)
        return ("scratch", "public")

    @property
    def starts(self) -> np.ndarray:
        """Return the start of each arm, (A, k, p)."""
        if self.public is None:
            return self.zero_weights[None]
        return np.stack([self.zero_weights, _public_weights(self.public)])

    def train_without_privacy(self, record: Sequence[int] = ()) -> descent.Path:
        """Train one model per arm: weights (A, k, p), history (m, A, k, p)."""
        X, y, people = self.split.training_rows
        starts = self.starts
        draws = [0] * len(starts)
        return self.descend(X, y, people=people, start=starts, draws=draws, record=record)


@dataclass(frozen=True, kw_only=True)
class PrivateTraining(ReferenceTraining):
    """Private training of each arm by noisy gradient descent, at any epsilon.

    version, delta, clip_norm, adjacency: as in ``ClassifierSettings``.
    spent: epsilon that was paid for bounds before the training.
    """

    version: str
    delta: float
    clip_norm: float
    adjacency: str
    spent: float = 0.0

    @property
    def rows(self) -> int:
        """Return the number of people, for which the noise is calibrated."""
        return math.ceil(self.private_rows / self.rows_each)

    @property
    def cells(self) -> float:
        """Return the cells (``chunking``) of one repeat of all arms at one epsilon."""
        rows = self.rows
        grouped = self.rows_each > 1 or data.source(self.dataset).grouped_rows is not None
        if grouped and self.split.grouped_rows is not None:
            _, y, _ = self.split.grouped_rows
            rows = _COST_OF_GROUPED_ROW * len(y)
        outputs, inputs = self.zero_weights.shape
        cost = chunking.training_cells(rows=rows, outputs=outputs, inputs=inputs, steps=self.steps)
        return len(self.arms) * cost

    def noise_sd(self, epsilon: float) -> float:
        """Return the standard deviation of the noise on a coordinate of the mean gradient."""
        return classifier_versions.noise_sd(self, epsilon - self.spent)

    def train(
        self,
        epsilons: Sequence[float],
        *,
        draws: range,
        record: Sequence[int] = (),
    ) -> descent.Path:
        """Train a batch: weights (A, E, R, k, p), history (m, A, E, R, k, p).

        Repeat r has the noise of stream r at every epsilon and in each arm.

        Guarantee: of version "correct", for one person. Each of T steps releases the mean of n
            gradients clipped to C. Sensitivity: 2 C / n (replace-one) or C / n (add/remove).
            Noise: N(0, noise_sd^2) per coordinate. Event: T composed Gaussian releases, which
            are (epsilon - spent, delta)-DP. See ``classifier_versions.guarantees`` for "published".
        """
        starts = self.starts
        batch = (len(starts), len(epsilons), len(draws), *self.zero_weights.shape)
        if self.version == "none":
            return self._train_equal_models(batch, record)
        noise_sd = np.array([self.noise_sd(epsilon) for epsilon in epsilons])
        noise_sd = np.repeat(noise_sd, len(draws))
        X, y, people = self.split.training_rows
        path = self.descend(
            X,
            y,
            people=people,
            start=np.repeat(starts, len(noise_sd), axis=0),
            draws=np.tile(draws, len(starts) * len(epsilons)),
            clipping=classifier_versions.CLIPPING[self.version],
            clip_norm=self.clip_norm,
            noise_sd=np.tile(noise_sd, len(starts)),
            record=record,
        )
        return replace(
            path,
            weights=path.weights.reshape(batch),
            history=path.history.reshape(len(path.steps), *batch),
        )

    def _train_equal_models(self, batch: tuple[int, ...], record: Sequence[int]) -> descent.Path:
        """Train one model per arm without privacy, and repeat it over a batch (A, E, R, k, p).

        Training all of the batch would make them differ in the last bit with some BLAS kernels.
        """
        path = self.train_without_privacy(record)
        weights = path.weights[:, None, None]
        history = path.history[:, :, None, None]
        return replace(
            path,
            weights=np.broadcast_to(weights, batch),
            history=np.broadcast_to(history, (len(history), *batch)),
        )


@cached
def _public_weights(start: PublicStart) -> np.ndarray:
    """Return the weights (k, p) of the public start, which all trainings of a page share."""
    return start.weights()
