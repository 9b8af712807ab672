"""The classifier's pieces of work: today's epsilon with its path, the non-private reference, slices of the curve."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dpcore import data, descent, losses
from dpcore.experiments.classifier_claims import noise_sd
from dpcore.learners.reference import optimum

if TYPE_CHECKING:
    from dpcore.experiments.classifier import ClassifierSettings

_CURVE_POINTS = 21


@dataclass(frozen=True, kw_only=True)
class FocusOutcome:
    """The ensemble at one epsilon: per arm (A, ...) and repeat (R, ...).

    weights (A, R, k, p); accuracy (A, R) on held-out rows; steps (m,); loss (A, R, m) on private rows, in nats;
    clipped (A,): share of example gradients that the bound shortened, over the path; signal (A,): L2 norm of the mean
    clipped gradient at the start; noise: expected L2 norm of the noise of one step.
    """

    weights: np.ndarray
    accuracy: np.ndarray
    steps: np.ndarray
    loss: np.ndarray
    clipped: np.ndarray
    signal: np.ndarray
    noise: float


@dataclass(frozen=True, kw_only=True)
class Focus:
    """Train the ensemble at one epsilon, with its path."""

    model: "ClassifierSettings"
    epsilon: float
    essential: ClassVar[bool] = True

    def run(self) -> FocusOutcome:
        settings = self.model
        split = data.load(settings.dataset, seed=settings.seed)
        marks = np.unique(np.linspace(0, settings.steps, _CURVE_POINTS).astype(int))
        path = _train(settings, (self.epsilon,), record=marks)
        arms, repeats = len(settings.arms), settings.repeats
        X = losses.with_constant(split.X_private).astype(np.float32)
        history = path.history.reshape(len(marks), arms, repeats, *path.weights.shape[1:])
        weights = path.weights.reshape(arms, repeats, *path.weights.shape[1:])
        loss = np.stack([losses.mean_loss(at, X, split.y_private) for at in history], axis=-1)
        clipped, signal = _clipping_facts(settings, history, X, split.y_private)
        return FocusOutcome(
            weights=weights,
            accuracy=_held_out(split, weights),
            steps=marks,
            loss=loss,
            clipped=clipped,
            signal=signal,
            noise=noise_sd(settings, self.epsilon) * math.sqrt(weights.shape[-1] * weights.shape[-2]),
        )


def _clipping_facts(settings, history, X, y) -> tuple[np.ndarray, np.ndarray]:
    """(share of clipped example gradients over some of the path, norm of the first mean clipped gradient) an arm."""
    some = history[:: max(1, len(history) // 6), :, :3]
    norms = losses.gradient_norms(some, X, y)
    shortened = (norms > settings.clip_norm).mean(axis=(0, 2, 3))
    start = history[0, :, 0]
    residual = losses.residuals(losses.logits(start, X), y)
    if settings.version == "sound":
        own = losses.gradient_norms(start, X, y)[:, None]
        residual = residual * np.minimum(1, settings.clip_norm / np.maximum(own, 1e-30))
    signal = np.linalg.norm(residual @ X / len(X), axis=(-2, -1))
    if settings.version == "published":
        signal = np.minimum(signal, settings.clip_norm)
    return shortened, signal


@dataclass(frozen=True, kw_only=True)
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
class Reference:
    """The non-private descent with the same steps and learning rate, and the optimum."""

    model: "ClassifierSettings"
    essential: ClassVar[bool] = True

    def run(self) -> ReferenceOutcome:
        settings = replace(self.model, version="none")
        split = data.load(settings.dataset, seed=settings.seed)
        marks = np.unique(np.linspace(0, settings.steps, _CURVE_POINTS).astype(int))
        path = _train(replace(settings, repeats=2), (settings.epsilon,), record=marks)
        X = losses.with_constant(split.X_private)
        best = _optimum(settings.dataset, settings.seed)
        return ReferenceOutcome(
            weights=path.weights[0],
            accuracy=float(_held_out(split, path.weights[:1])[0]),
            steps=marks,
            loss=losses.mean_loss(path.history[:, 0], X, split.y_private),
            best_accuracy=float(_held_out(split, best[None])[0]),
            best_loss=float(losses.mean_loss(best, X, split.y_private)),
        )


@lru_cache(maxsize=32)
def _optimum(dataset: str, seed: int) -> np.ndarray:
    split = data.load(dataset, seed=seed)
    return optimum(split.X_private, split.y_private)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Held-out accuracy (A, E, R) by arm, at some epsilons, and repeat."""

    model: "ClassifierSettings"
    epsilons: tuple[float, ...]
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        settings = self.model
        path = _train(settings, self.epsilons, record=())
        weights = path.weights.reshape(
            len(settings.arms), len(self.epsilons), settings.repeats, *path.weights.shape[1:]
        )
        split = data.load(settings.dataset, seed=settings.seed)
        return _held_out(split, weights)


def _train(settings: "ClassifierSettings", epsilons: tuple[float, ...], *, record) -> descent.Path:
    """One batch of arms x epsilons x repeats models, in this order; repeat r draws stream r at every epsilon."""
    split = data.load(settings.dataset, seed=settings.seed)
    arms, each = len(settings.arms), len(epsilons) * settings.repeats
    zero = np.zeros((losses.outputs(split.n_classes), split.X_private.shape[1] + 1))
    starts = [zero if arm == "scratch" else public_start(settings) for arm in settings.arms]
    sd = np.tile(np.repeat([noise_sd(settings, epsilon) for epsilon in epsilons], settings.repeats), arms)
    clipping = {"sound": "per-example", "published": "average", "none": "none"}[settings.version]
    return descent.noisy_gradient_descent(
        losses.with_constant(split.X_private),
        split.y_private,
        n_classes=split.n_classes,
        steps=settings.steps,
        learning_rate=settings.learning_rate,
        clip_norm=settings.clip_norm,
        noise_sd=sd,
        start=np.repeat(np.stack(starts), each, axis=0),
        seed=settings.seed,
        draws=np.tile(np.arange(settings.repeats), arms * len(epsilons)),
        clipping=clipping,
        record=record,
    )


def public_start(settings: "ClassifierSettings") -> np.ndarray:
    """Weights (k, p) after ``public_steps`` steps on the public rows alone, without noise; no private row is read."""
    split = data.load(settings.dataset, seed=settings.seed)
    rows = data.shifted(split.X_public, shift=settings.shift)[: settings.public_rows]
    return _public_descent(
        rows,
        split.y_public[: settings.public_rows],
        split.n_classes,
        settings.public_steps,
        settings.learning_rate,
    )


def _public_descent(X, y, n_classes: int, steps: int, learning_rate: float) -> np.ndarray:
    path = descent.noisy_gradient_descent(
        losses.with_constant(X),
        y,
        n_classes=n_classes,
        steps=steps,
        learning_rate=learning_rate,
        clip_norm=1.0,
        noise_sd=0.0,
        start=np.zeros((losses.outputs(n_classes), X.shape[1] + 1)),
        seed=0,
        draws=[0],
        clipping="none",
    )
    return path.weights[0]


def _held_out(split: data.Split, weights: np.ndarray) -> np.ndarray:
    return losses.accuracy(weights, losses.with_constant(split.X_test).astype(np.float32), split.y_test)
