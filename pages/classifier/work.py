"""The classifier's pieces of work: today's epsilon with its path, the non-private reference, slices of the curve."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dpcore import pieces
from dpcore.data import toy as data
from dpcore.estimators.reference import optimum
from dpcore.kept import kept
from dpcore.training import descent, losses
from dpcore.training.recipes import CLIPPING, noise_sd

ARMS = ("scratch", "public")
# Points of a path that are looked at.
_CURVE_POINTS = 21
# Rows that tell how many gradients are clipped.
_TOLD_BY = 20_000


@dataclass(frozen=True, kw_only=True)
class Training:
    """A descent as it is without privacy.

    dataset: a key of ``DATASETS``, or a file of one's own. private_rows: how many there are; public knowledge.
    steps: T. learning_rate: eta. seed: of the rows, and of noise where there is any.
    """

    dataset: data.Dataset
    private_rows: int
    steps: int
    learning_rate: float
    seed: int

    @property
    def split(self) -> data.Split:
        return data.load(self.dataset, seed=self.seed, private_rows=self.private_rows)

    @property
    def zero(self) -> np.ndarray:
        """Weights (k, p) that know nothing."""
        source = data.source(self.dataset)
        return np.zeros((losses.outputs(len(source.classes)), len(source.features) + 1))

    @property
    def marks(self) -> np.ndarray:
        """The steps (m,) at which a path is looked at."""
        return np.unique(np.linspace(0, self.steps, _CURVE_POINTS).astype(int))

    def descend(self, X: np.ndarray, y: np.ndarray, **how: Any) -> descent.Path:
        """On rows X (n, d), y (n,); from zero, one model, without clipping and noise, where ``how`` says no other."""
        inputs, classes = losses.examples(X, y)
        plain = {"clip_norm": 1.0, "noise_sd": 0.0, "start": self.zero, "draws": (0,), "clipping": "none"}
        return descent.noisy_gradient_descent(
            inputs,
            classes,
            n_classes=len(data.source(self.dataset).classes),
            steps=self.steps,
            learning_rate=self.learning_rate,
            seed=self.seed,
            **(plain | how),
        )


@dataclass(frozen=True, kw_only=True)
class PublicStart(Training):
    """A descent on the first public ``rows`` alone, moved by ``shift`` of their own standard deviations.

    No private row is read.
    """

    rows: int
    shift: float

    def weights(self) -> np.ndarray:
        """(k, p)."""
        X = data.shifted(self.split.X_public, shift=self.shift)[: self.rows]
        return self.descend(X, self.split.y_public[: self.rows]).weights[0]


@kept
def _started(start: PublicStart) -> np.ndarray:
    """Its weights, which are the same at every epsilon."""
    return start.weights()


@dataclass(frozen=True, kw_only=True)
class Model(Training):
    """All that decides the private models, but for epsilon and for which repeats there are.

    version, delta, clip_norm, adjacency: as in the settings. public: where the second arm starts; None: no such arm.
    """

    version: str
    delta: float
    clip_norm: float
    adjacency: str
    public: PublicStart | None

    @property
    def arms(self) -> tuple[str, ...]:
        return ARMS if self.public else ARMS[:1]

    @property
    def rows(self) -> int:
        """What the noise is made for."""
        return self.private_rows

    @property
    def cells(self) -> float:
        """The work of one repeat of all arms at one epsilon."""
        outputs, inputs = self.zero.shape
        return len(self.arms) * pieces.cells(rows=self.rows, outputs=outputs, inputs=inputs, steps=self.steps)

    def train(self, epsilons: Sequence[float], *, draws: range, record: Sequence[int] = ()) -> descent.Path:
        """One batch of arms x epsilons x draws models: weights (A, E, R, k, p), history (m, A, E, R, k, p).

        Repeat r draws stream r at every epsilon and in each arm.
        """
        starts = np.stack([self.zero, *([_started(self.public)] if self.public else [])])
        sd = np.repeat([noise_sd(self, epsilon) for epsilon in epsilons], len(draws))
        path = self.descend(
            self.split.X_private,
            self.split.y_private,
            clip_norm=self.clip_norm,
            noise_sd=np.tile(sd, len(starts)),
            start=np.repeat(starts, len(sd), axis=0),
            draws=np.tile(draws, len(starts) * len(epsilons)),
            clipping=CLIPPING[self.version],
            record=record,
        )
        batch = len(starts), len(epsilons), len(draws)
        return replace(
            path,
            weights=path.weights.reshape(*batch, *self.zero.shape),
            history=path.history.reshape(-1, *batch, *self.zero.shape),
        )


@dataclass(frozen=True, kw_only=True)
class FocusOutcome:
    """The ensemble at one epsilon: per arm (A, ...) and repeat (R, ...).

    weights (A, R, k, p); accuracy (A, R) on held-out rows; steps (m,); loss (A, R, m) on private rows, in nats;
    clipped (A,): share of example gradients that the bound clipped, over the path; signal (A,): L2 norm of the mean
    clipped gradient at the start; noise: expected L2 norm of the noise of one step.
    """

    weights: np.ndarray
    accuracy: np.ndarray
    steps: np.ndarray
    loss: np.ndarray
    clipped: np.ndarray
    signal: np.ndarray
    noise: float

    @classmethod
    def of(cls, parts: Sequence[Self]) -> Self:
        """The repeats of several parts as one; what a few of them tell for all is the first part's."""
        if len(parts) == 1:
            return parts[0]
        by_repeat = ("weights", "accuracy", "loss")
        whole = {name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in by_repeat}
        return replace(parts[0], **whole)


@dataclass(frozen=True, kw_only=True)
class Focus:
    """Train repeats ``first`` to ``first`` + ``count`` - 1 of the ensemble at one epsilon, with their path."""

    model: Model
    epsilon: float
    first: int
    count: int

    @property
    def essential(self) -> bool:
        return self.first == 0

    @property
    def cells(self) -> float:
        return self.count * self.model.cells

    def run(self) -> FocusOutcome:
        model, split = self.model, self.model.split
        draws = range(self.first, self.first + self.count)
        path = model.train((self.epsilon,), draws=draws, record=model.marks)
        weights, history = path.weights[:, 0], path.history[:, :, 0]
        X, y = _learned(split)
        clipped, signal = _clipping_facts(model, history, X, y)
        return FocusOutcome(
            weights=weights,
            accuracy=_held_out(split, weights),
            steps=path.steps,
            loss=np.moveaxis(losses.mean_loss(history, X, y), 0, -1),
            clipped=clipped,
            signal=signal,
            noise=noise_sd(model, self.epsilon) * math.sqrt(model.zero.size),
        )


class EndsOutcome(NamedTuple):
    """accuracy (A, R) on held-out rows and loss (A, R, 1) on private rows, in nats, at the end of the descents."""

    accuracy: np.ndarray
    loss: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Ends:
    """What ``Focus`` measures at the end, without a path: of ``count`` repeats from ``first`` on the first ``given``.

    All of them are descended together, as in a ``Focus``, so that the arithmetic is the same to the last bit.
    """

    model: Model
    epsilon: float
    first: int
    count: int
    given: int
    essential: ClassVar[bool] = False

    def run(self) -> EndsOutcome:
        split = self.model.split
        weights = self.model.train((self.epsilon,), draws=range(self.first, self.first + self.count)).weights[:, 0]
        loss = losses.mean_loss(weights, *_learned(split))
        return EndsOutcome(_held_out(split, weights)[:, : self.given], loss[:, : self.given, None])


def _clipping_facts(model: Model, history, X, y) -> tuple[np.ndarray, np.ndarray]:
    """(share of clipped example gradients over some of the path, norm of the first mean clipped gradient) an arm.

    Of very many rows the first ones, which come in random order, are enough.
    """
    X, y = X[:_TOLD_BY], y[:_TOLD_BY]
    some = history[:: max(1, len(history) // 6), :, :3]
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


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceOutcome:
    """weights (k, p) of the same descent without clipping and noise; its accuracy, steps (m,) and loss (m,); and the
    accuracy and loss that descents approach (``best_accuracy``, ``best_loss``)."""

    weights: np.ndarray
    accuracy: float
    steps: np.ndarray
    loss: np.ndarray
    best_accuracy: float
    best_loss: float


@dataclass(frozen=True, kw_only=True)
class Reference(Training):
    """The non-private descent with the same steps and learning rate, and the optimum."""

    essential: ClassVar[bool] = True

    def run(self) -> ReferenceOutcome:
        split, (X, y) = self.split, losses.examples(self.split.X_private, self.split.y_private)
        # Twice the same model, so that its arithmetic is that of an ensemble
        path = self.descend(split.X_private, split.y_private, draws=range(2), record=self.marks)
        best = _optimum(self.dataset, self.private_rows, self.seed)
        return ReferenceOutcome(
            weights=path.weights[0],
            accuracy=float(_held_out(split, path.weights[:1])[0]),
            steps=path.steps,
            loss=losses.mean_loss(path.history[:, 0], X, y),
            best_accuracy=float(_held_out(split, best[None])[0]),
            best_loss=float(losses.mean_loss(best, X, y)),
        )


@kept
def _optimum(dataset: data.Dataset, private_rows: int, seed: int) -> np.ndarray:
    split = data.load(dataset, seed=seed, private_rows=private_rows)
    return optimum(split.X_private, split.y_private, n_classes=split.n_classes)


@dataclass(frozen=True, kw_only=True)
class AccuracyCurve:
    """Held-out accuracy (A, E, R) by arm, at some epsilons, of repeats ``first`` to ``first`` + ``count`` - 1."""

    model: Model
    epsilons: tuple[float, ...]
    first: int
    count: int
    essential: ClassVar[bool] = False

    @property
    def cells(self) -> float:
        return len(self.epsilons) * self.count * self.model.cells

    def run(self) -> np.ndarray:
        path = self.model.train(self.epsilons, draws=range(self.first, self.first + self.count))
        return _held_out(self.model.split, path.weights)


def _learned(split: data.Split) -> tuple[np.ndarray, np.ndarray]:
    """The private rows as models are trained on them: inputs (n, p) and classes (n,)."""
    X, y = losses.examples(split.X_private, split.y_private)
    return X.astype(np.float32), y


def _held_out(split: data.Split, weights: np.ndarray) -> np.ndarray:
    return losses.accuracy(weights, losses.with_constant(split.X_test).astype(np.float32), split.y_test)
