"""The classifier's pieces of work: today's epsilon with its path, the non-private references,
slices of the curve.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from dpcore.streams import stream
from dpcore.training import descent, losses
from dpcore.training.person_gradients import PeopleGradient, row_weights
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.data_settings import split_of
from lab.models.classifier_versions import CLIPPING, noise_sd
from lab.models.non_private import optimum

ARMS = ("scratch", "public")
# Points of a path that are looked at.
_CURVE_POINTS = 21
# What a row of a person who has several takes, in rows that are a person each.
_SEVERAL = 5
# Rows that tell how many gradients are clipped; held-out rows that tell the loss over a path.
_TOLD_BY, _TESTED_BY = 20_000, 2000


@dataclass(frozen=True, kw_only=True)
class Training:
    """A descent as it is without privacy.

    dataset: a key of ``DATASETS``, or a file of one's own. private_rows: how many there are; public
        knowledge.
    steps: T. learning_rate: eta. seed: of the rows, and of noise where there is any. rows_each:
    rows of a person, see ``split_of``.
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
            self.dataset, seed=self.seed, private_rows=self.private_rows, rows_each=self.rows_each
        )

    @property
    def zero(self) -> np.ndarray:
        """Weights (k, p) that know nothing."""
        source = data.source(self.dataset)
        return np.zeros((losses.outputs(len(source.classes)), len(source.features) + 1))

    @property
    def marks(self) -> list[int]:
        """The m steps at which a path is looked at."""
        return np.unique(np.linspace(0, self.steps, _CURVE_POINTS).astype(int)).tolist()

    def descend(self, X: np.ndarray, y: np.ndarray, **how: Any) -> descent.Path:
        """Train on rows X (n, d), y (n,): one model from zero without clipping and noise, where
        ``how`` says nothing else.
        """
        inputs, classes = losses.examples(X, y)
        plain: dict[str, Any] = {
            "learning_rate": self.learning_rate,
            "start": self.zero,
            "draws": (0,),
        }
        plain |= {"clip_norm": 1.0, "noise_sd": 0.0, "clipping": "none"}
        return descent.noisy_gradient_descent(
            inputs,
            classes,
            n_classes=len(data.source(self.dataset).classes),
            steps=self.steps,
            seed=self.seed,
            **(plain | how),
        )


@dataclass(frozen=True, kw_only=True)
class PublicStart(Training):
    """A descent on the first public ``rows`` alone, moved by ``shift`` of their own standard
    deviations.

    No private row is read.
    """

    rows: int
    shift: float

    def weights(self) -> np.ndarray:
        """(k, p)."""
        X = data.shifted(self.split.X_public, shift=self.shift)[: self.rows]
        return self.descend(X, self.split.y_public[: self.rows]).weights[0]


@cached
def _started(start: PublicStart) -> np.ndarray:
    return start.weights()


@dataclass(frozen=True, kw_only=True)
class Arms(Training):
    """Descents from zero and, where there is a ``public`` start, from its weights."""

    public: PublicStart | None

    @property
    def arms(self) -> tuple[str, ...]:
        return ARMS if self.public else ARMS[:1]

    @property
    def starts(self) -> np.ndarray:
        """(A, k, p)."""
        return np.stack([self.zero, *([_started(self.public)] if self.public else [])])

    def train_without_privacy(self, record: Sequence[int]) -> descent.Path:
        """Train each arm without clipping and noise: weights (A, k, p), history (m, A, k, p)."""
        X, y, people = self.split.training_rows
        return self.descend(
            X, y, people=people, start=self.starts, draws=[0] * len(self.starts), record=record
        )


@dataclass(frozen=True, kw_only=True)
class Model(Arms):
    """All that decides the private models, but for epsilon and for which repeats there are.

    version, delta, clip_norm, adjacency: as in the settings. spent: of each epsilon, what was paid
    before the training.
    """

    version: str
    delta: float
    clip_norm: float
    adjacency: str
    spent: float = 0.0

    @property
    def rows(self) -> int:
        """Return what the noise is made for: the people, where some have several rows."""
        return -(-self.private_rows // self.rows_each)

    @property
    def cells(self) -> float:
        """The work of one repeat of all arms at one epsilon."""
        outputs, inputs = self.zero.shape
        several = (
            self.split.several if self.rows_each > 1 or data.source(self.dataset).several else None
        )
        rows = _SEVERAL * len(several[1]) if several else self.rows
        return len(self.arms) * chunking.cells(
            rows=rows, outputs=outputs, inputs=inputs, steps=self.steps
        )

    def noise_sd(self, epsilon: float) -> float:
        """Return the noise of the training on a coordinate of the mean gradient."""
        return noise_sd(self, epsilon - self.spent)

    def train(
        self, epsilons: Sequence[float], *, draws: range, record: Sequence[int] = ()
    ) -> descent.Path:
        """Train one batch of arms x epsilons x draws models: weights (A, E, R, k, p), history (m,
        A, E, R, k, p).

        Repeat r draws stream r at every epsilon and in each arm. Without privacy, the models of an
        arm are equal. Each arm is then trained once, because some BLAS kernels round equal rows of
        one batch differently.
        """
        starts = self.starts
        batch = len(starts), len(epsilons), len(draws)
        if self.version == "none":
            path = self.train_without_privacy(record)
            weights, history = path.weights[:, None, None], path.history[:, :, None, None]
            return replace(
                path,
                weights=np.broadcast_to(weights, (*batch, *self.zero.shape)),
                history=np.broadcast_to(history, (len(history), *batch, *self.zero.shape)),
            )
        sd = np.repeat([self.noise_sd(epsilon) for epsilon in epsilons], len(draws))
        X, y, people = self.split.training_rows
        path = self.descend(
            X,
            y,
            people=people,
            clip_norm=self.clip_norm,
            noise_sd=np.tile(sd, len(starts)),
            start=np.repeat(starts, len(sd), axis=0),
            draws=np.tile(draws, len(starts) * len(epsilons)),
            clipping=CLIPPING[self.version],
            record=record,
        )
        return replace(
            path,
            weights=path.weights.reshape(*batch, *self.zero.shape),
            history=path.history.reshape(-1, *batch, *self.zero.shape),
        )


@dataclass(frozen=True, kw_only=True)
class FocusOutcome:
    """The ensemble at one epsilon: per arm (A, ...) and repeat (R, ...).

    weights (A, R, k, p); accuracy (A, R) and recall (A, R, c) of each class on held-out rows; steps
    (m,); loss (A, R, m) on private rows, in nats, and ``tested`` (1, R, m), from scratch, on
    held-out rows; clipped (A,): share of example gradients, or of people's averages, that the bound
    clipped, over the path; signal (A,): L2 norm of the mean clipped gradient at the start; noise:
    expected L2 norm of the noise of one step.
    """

    weights: np.ndarray
    accuracy: np.ndarray
    recall: np.ndarray
    steps: np.ndarray
    loss: np.ndarray
    tested: np.ndarray
    clipped: np.ndarray
    signal: np.ndarray
    noise: float

    @classmethod
    def of(cls, parts: Sequence[Self]) -> Self:
        """The repeats of several parts as one; what a few of them tell for all is the first
        part's.
        """
        if len(parts) == 1:
            return parts[0]
        names = "weights", "accuracy", "recall", "loss", "tested"
        by_repeat: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in names
        }
        return replace(parts[0], **by_repeat)


def focus(model: Model, at: tuple[float], repeats: range) -> FocusOutcome:
    split = model.split
    path = model.train(at, draws=repeats, record=model.marks)
    weights, history = path.weights[:, 0], path.history[:, :, 0]
    learned = _learned(split)
    clipped, signal = _clipping_facts(model, history, learned)
    loss = np.moveaxis(learned.loss(history), 0, -1)
    accuracy, recall = _by_class(split, weights)
    loss[..., -1] = learned.loss(
        weights
    )  # as in ``ends``: a product of another size may differ in the last bit
    X, y = (
        losses.with_constant(split.X_test[:_TESTED_BY]).astype(np.float32),
        split.y_test[:_TESTED_BY],
    )
    return FocusOutcome(
        weights=weights,
        accuracy=accuracy,
        recall=recall,
        steps=path.steps,
        loss=loss,
        tested=losses.mean_loss(history[:, 0], X, y).T[None],
        clipped=clipped,
        signal=signal,
        noise=model.noise_sd(at[0]) * math.sqrt(model.zero.size),
    )


class Ends(NamedTuple):
    """accuracy (A, R) and recall (A, R, c) of each class on held-out rows, and loss (A, R, 1) on
    private rows, in nats, at the end of the descents.
    """

    accuracy: np.ndarray
    recall: np.ndarray
    loss: np.ndarray


def ends(model: Model, at: tuple[float], repeats: range, *, given: int) -> Ends:
    """Return what ``focus`` measures at the end, without a path, of the first ``given`` repeats.

    All of them are descended together, as in ``focus``, so that the arithmetic is the same to the
    last bit.
    """
    weights = model.train(at, draws=repeats).weights[:, 0]
    loss = _learned(model.split).loss(weights)
    accuracy, recall = _by_class(model.split, weights)
    return Ends(accuracy[:, :given], recall[:, :given], loss[:, :given, None])


def accuracies(model: Model, at: tuple[float, ...], repeats: range) -> np.ndarray:
    """Return the held-out accuracy (A, E, R) by arm, at some epsilons."""
    return _right(model.split, model.train(at, draws=repeats).weights).mean(axis=-1)


@dataclass(frozen=True, kw_only=True)
class RowByRow:
    """A model whose rows are each clipped by itself, at most ``most_rows`` of a person, taken from
    a random place.

    A person moves the sum by most_rows C, which the noise is made for. The sum is divided by
    most_rows times the number of people, both of them public.
    """

    model: Model
    most_rows: int

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        X, y, people = self.model.split.training_rows
        if people is None:
            return X, y
        counts = np.bincount(people)
        places = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
        begins = stream(self.model.seed, "data", part=1).random(len(counts)) * counts
        taken = (places - begins.astype(int)[people]) % counts[people] < self.most_rows
        return X[taken], y[taken]


def apart(by_row: RowByRow, at: tuple[float], repeats: range) -> np.ndarray:
    """Return the held-out accuracy (R,) from zero at one epsilon, where each row of a person is
    clipped by itself.
    """
    X, y = by_row.rows()
    model, units = by_row.model, by_row.most_rows * by_row.model.rows
    path = model.descend(
        X,
        y,
        learning_rate=model.learning_rate
        * len(y)
        / units,  # a mean over rows, made one over ``units``
        clip_norm=model.clip_norm,
        noise_sd=by_row.most_rows * replace(model, private_rows=len(y)).noise_sd(at[0]),
        draws=repeats,
        clipping=CLIPPING[model.version],
    )
    return _right(model.split, path.weights).mean(axis=-1)


def _clipping_facts(
    model: Model, history: np.ndarray, learned: "_Learned"
) -> tuple[np.ndarray, np.ndarray]:
    """(share of clipped gradients over some of the path, norm of the first mean clipped gradient)
    an arm.

    Of very many rows the first ones, which come in random order, are enough.
    """
    some = history[:: max(1, len(history) // 6), :, :3]
    if learned.people is not None:
        return _facts_of_people(model, some, history[0, :, 0], learned)
    X, y = learned.X[:_TOLD_BY], learned.y[:_TOLD_BY]
    norms = losses.gradient_norms(some, X, y)
    clipped = (norms > model.clip_norm).mean(axis=(0, 2, 3))
    start = history[0, :, 0]
    residual = losses.residuals(losses.logits(start, X), y)
    if model.version == "sound":
        own = losses.gradient_norms(start, X, y)[:, None]
        residual = residual * np.minimum(1, model.clip_norm / np.maximum(own, 1e-30))
    signal = np.linalg.norm(residual @ X / len(X), axis=(-2, -1))
    if model.version == "published":
        signal = np.minimum(signal, model.clip_norm)
    return clipped, signal


def _facts_of_people(
    model: Model, some, start, learned: "_Learned"
) -> tuple[np.ndarray, np.ndarray]:
    """The same where it is people's averages that are clipped."""

    def gradient(models: int) -> PeopleGradient:
        bounds = np.full(models, model.clip_norm)
        X, y, people, _ = learned
        assert people is not None
        return PeopleGradient(X, y, people, models=models, clip_norm=bounds, outputs=start.shape[1])

    flat = np.moveaxis(some.reshape(-1, *start.shape[1:]), 0, 1)
    clipped = gradient(flat.shape[1]).clipped(flat).reshape(some.shape[:3]).mean(axis=(0, 2))
    return clipped, np.linalg.norm(gradient(len(start))(start.transpose(1, 0, 2)), axis=(0, 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceOutcome:
    """weights (k, p) of an arm's descent without clipping and noise; its accuracy, steps (m,) and
    loss (m,); and the accuracy and loss that descents approach (``best_accuracy``, ``best_loss``).
    """

    weights: np.ndarray
    accuracy: float
    steps: np.ndarray
    loss: np.ndarray
    best_accuracy: float
    best_loss: float


def references(training: Arms, at: tuple[()], repeats: range) -> tuple[ReferenceOutcome, ...]:
    """Return, of each arm, the non-private descent with the same start, steps and learning rate,
    and the optimum.
    """
    split, path = training.split, training.train_without_privacy(training.marks)
    learned = _Learned.of(split)
    best = _optimum(training.dataset, training.private_rows, training.seed, training.rows_each)
    return tuple(
        ReferenceOutcome(
            weights=path.weights[arm],
            accuracy=float(_right(split, path.weights[arm]).mean()),
            steps=path.steps,
            loss=learned.loss(path.history[:, arm]),
            best_accuracy=float(_right(split, best).mean()),
            best_loss=float(learned.loss(best)),
        )
        for arm in range(len(training.arms))
    )


@cached
def _optimum(dataset: data.Dataset, private_rows: int, seed: int, rows_each: int) -> np.ndarray:
    split = split_of(dataset, seed=seed, private_rows=private_rows, rows_each=rows_each)
    (X, y, _), shares = split.training_rows, _Learned.of(split).shares
    counts = None if shares is None else private_rows * shares
    return optimum(X, y, n_classes=split.n_classes, weights=counts)


class _Learned(NamedTuple):
    """The private rows as models are trained on them: inputs X (n, p), classes y (n,), whose each
    is (n,) and what it counts (n,); None where all are people and count the same.
    """

    X: np.ndarray
    y: np.ndarray
    people: np.ndarray | None
    shares: np.ndarray | None

    @classmethod
    def of(cls, split: data.Split) -> Self:
        *rows, people = split.training_rows
        X, y = losses.examples(*rows)
        return cls(
            X,
            y,
            people,
            None if people is None else row_weights(np.any(X, axis=1), people) / (people.max() + 1),
        )

    def loss(self, weights: np.ndarray) -> np.ndarray:
        """The mean over people of the mean of theirs, of each model (...,), in nats."""
        return losses.mean_loss(weights, self.X, self.y, shares=self.shares)


def _learned(split: data.Split) -> _Learned:
    learned = _Learned.of(split)
    return learned._replace(X=learned.X.astype(np.float32))


def _right(split: data.Split, weights: np.ndarray) -> np.ndarray:
    """Return whether each model is right about each held-out row, (..., n)."""
    return (
        losses.predict(weights, losses.with_constant(split.X_test).astype(np.float32))
        == split.y_test
    )


def _by_class(split: data.Split, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy (...,), and the recall (..., c) of each class, on held-out rows; NaN for
    an empty class.
    """
    right = _right(split, weights)
    member = split.y_test[:, None] == np.arange(split.n_classes)
    hits, rows = right.astype(np.float32) @ member.astype(np.float32), member.sum(axis=0)
    recall = np.divide(hits, rows, out=np.full(hits.shape, np.nan), where=rows > 0)
    return right.mean(axis=-1), recall
