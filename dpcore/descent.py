"""Noisy gradient descent for a whole batch of linear classifiers.

    w <- w - eta ( (1/n) sum_i clip_C(g_i(w)) + N(0, sd^2 I) )

Each of the R models has its own noise, clip bound, learning rate and start; all take the same steps on the same rows.
A single fit is the batch with R = 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpcore import check, cores
from dpcore.accountants import gdp
from dpcore.clipping import LogisticGradient, SoftmaxGradient
from dpcore.losses import outputs
from dpcore.privacy import Adjacency, Composed, GaussianRelease
from dpcore.streams import normal_steps

Clipping = Literal["per-example", "average", "none"]

# Models beyond this many are trained in turn: their weights and one block of examples share the cache.
_MODELS_AT_ONCE = 512


@dataclass(frozen=True, kw_only=True)
class Path:
    """What a descent leaves: final ``weights`` (R, k, p); ``history`` (m, R, k, p) at the recorded ``steps`` (m,)."""

    weights: np.ndarray
    steps: np.ndarray
    history: np.ndarray


def noise_multiplier(*, epsilon: float, delta: float, steps: int) -> float:
    """Noise sd over sensitivity at which ``steps`` Gaussian releases together are exactly (epsilon, delta)-DP.

    sqrt(T) / mu(epsilon, delta): Gaussian releases compose exactly [dong2022, Corollary 3.3].
    """
    return math.sqrt(check.whole(1, steps=steps)) / gdp.mu_of(epsilon, delta=delta)


def mean_noise_sd(multiplier: float, *, clip_norm: float, rows: int, adjacency: Adjacency) -> float:
    """Noise sd for the *mean* of ``rows`` gradients clipped to ``clip_norm``: sensitivity contributions * C / n."""
    return multiplier * adjacency.contributions * clip_norm / rows


def event(multiplier: float, *, steps: int) -> Composed:
    """The event of one descent: the same Gaussian release at every step."""
    return Composed(event=GaussianRelease(noise_multiplier=multiplier), count=steps)


def noisy_gradient_descent(
    X: np.ndarray,
    y: np.ndarray,
    *,
    n_classes: int,
    steps: int,
    learning_rate: float | np.ndarray,
    clip_norm: float | np.ndarray,
    noise_sd: float | np.ndarray,
    start: np.ndarray,
    seed: int,
    draws: Sequence[int],
    clipping: Clipping = "per-example",
    record: Sequence[int] = (),
    dtype: type = np.float32,
) -> Path:
    """Train R = len(draws) models.

    X: (n, p) inputs with the constant appended. y: (n,) classes from 0. start: (k, p), or (R, k, p).
    learning_rate, clip_norm, noise_sd: scalars or (R,); noise_sd is that of the noise on the mean gradient, per
    coordinate. draws: which noise stream of ``seed`` each model uses; equal draws share their noise (common random
    numbers). clipping: "per-example" bounds what one row can do; "average" clips the mean gradient and does not;
    "none". record: the steps, of 0..T, whose weights are kept. Raises RefusedError for bad arguments.
    """
    models = len(draws)
    _refuse_bad_data(X, y, n_classes)
    check.whole(1, steps=steps)
    check.choice(("per-example", "average", "none"), clipping=clipping)
    shape = (outputs(n_classes), X.shape[1])
    columns = {
        "eta": _column("learning_rate", learning_rate, models),
        "clip": _column("clip_norm", clip_norm, models),
        "sd": _column("noise_sd", noise_sd, models, zero=True),
    }
    X, y = np.ascontiguousarray(X, dtype), np.asarray(y)
    start = np.broadcast_to(np.asarray(start, dtype), (models, *shape))
    marks = np.unique(np.asarray(record, dtype=int))
    if len(marks) and not 0 <= marks[0] <= marks[-1] <= steps:
        raise check.RefusedError("record", f"{marks[0]}..{marks[-1]}", f"steps from 0 to {steps}")
    history = np.empty((len(marks), models, *shape), dtype)
    weights = np.empty((models, *shape), dtype)

    def descend(cut: slice) -> None:
        _descend(
            X,
            y,
            start=start[cut],
            steps=steps,
            seed=seed,
            draws=np.asarray(draws)[cut],
            clipping=clipping,
            marks=marks,
            history=history[:, cut],
            weights=weights[cut],
            **{name: column[cut].astype(dtype) for name, column in columns.items()},
        )

    work = models * len(X) * steps * shape[0] * shape[1]
    cores.for_each_part(descend, models, work=work, at_once=_MODELS_AT_ONCE)
    return Path(weights=weights, steps=marks, history=history)


def _descend(X, y, *, start, steps, seed, draws, clipping, marks, history, weights, eta, clip, sd):
    """Run one chunk of models, class first inside; fills ``history`` and ``weights``."""
    models, k, p = start.shape
    gradient = _gradient(X, y, models=models, k=k, clip_norm=clip if clipping == "per-example" else None)
    current = np.array(start.transpose(1, 0, 2), order="C")
    rates, noise_rates = eta[None, :, None], (eta * sd)[:, None, None]
    indices, row = np.unique(draws, return_inverse=True)
    noisy = bool(np.any(sd))
    noise = normal_steps(seed, "noise", indices if noisy else (), steps=steps, shape=(k, p), dtype=X.dtype.type)
    kept = {int(step): place for place, step in enumerate(marks)}
    for step, drawn in enumerate(noise):
        if step in kept:
            history[kept[step]] = current.transpose(1, 0, 2)
        mean = gradient(current)
        if clipping == "average":
            mean *= np.minimum(1, clip / np.maximum(np.sqrt(np.square(mean).sum(axis=(0, 2))), 1e-30))[None, :, None]
        mean *= rates
        current -= mean
        if noisy:
            current -= (drawn[row] * noise_rates).transpose(1, 0, 2)
    weights[...] = current.transpose(1, 0, 2)
    if steps in kept:
        history[kept[steps]] = weights


def _gradient(X, y, *, models, k, clip_norm):
    if k == 1:
        return LogisticGradient(X, y, models=models, clip_norm=clip_norm)
    return SoftmaxGradient(X, y, models=models, clip_norm=clip_norm, outputs=k)


def _column(name: str, value: float | np.ndarray, models: int, *, zero: bool = False) -> np.ndarray:
    """``value`` as (R,), refused by name unless finite and positive (or 0 with ``zero``)."""
    column = np.broadcast_to(np.asarray(value, dtype=float), (models,))
    good = np.isfinite(column) & ((column >= 0) if zero else (column > 0))
    if not good.all():
        allowed = "finite and at least 0" if zero else "finite and above 0"
        raise check.RefusedError(name, float(column[~good][0]), allowed)
    return column


def _refuse_bad_data(X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
    check.whole(2, n_classes=n_classes)
    if X.ndim != 2 or len(X) == 0 or len(X) != len(y):
        raise check.RefusedError("X", X.shape, f"(n, p) with the n = {len(y)} rows of y, at least one")
    if not np.isfinite(X).all():
        raise check.RefusedError("X", "not finite", "finite numbers only")
    if np.min(y) < 0 or np.max(y) >= n_classes:
        raise check.RefusedError("y", f"{np.min(y)}..{np.max(y)}", f"classes from 0 to {n_classes - 1}")
