"""Noisy gradient descent for a batch of linear classifiers.

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
from dpcore.privacy import Adjacency, Composed, GaussianRelease
from dpcore.streams import normal_steps
from dpcore.training.clipping import LogisticGradient, SoftmaxGradient
from dpcore.training.losses import outputs
from dpcore.training.people import PeopleGradient
from dpcore.training.people import checked as checked_people

Clipping = Literal["per-example", "average", "none"]

# Larger batches are trained in parts, so that their weights and one block of examples share the cache.
_MODELS_AT_ONCE = 512


@dataclass(frozen=True, kw_only=True)
class Path:
    """Result of a descent: ``weights`` (R, k, p); ``history`` (m, R, k, p) at the recorded ``steps`` (m,)."""

    weights: np.ndarray
    steps: np.ndarray
    history: np.ndarray


def noise_multiplier(*, epsilon: float, delta: float, steps: int) -> float:
    """Return the noise multiplier at which ``steps`` Gaussian releases together are exactly (epsilon, delta)-DP.

    sqrt(T) / mu(epsilon, delta), as Gaussian releases compose exactly [dong2022, Corollary 3.3].
    """
    return math.sqrt(check.whole(1, steps=steps)) / gdp.mu_of(epsilon, delta=delta)


def mean_noise_sd(multiplier: float, *, clip_norm: float, rows: int, adjacency: Adjacency) -> float:
    """Return the noise sd for the *mean* of ``rows`` gradients clipped to C, with sensitivity contributions * C / n."""
    multiplier, clip_norm = check.at_least(0, multiplier=multiplier), check.positive(clip_norm=clip_norm)
    return multiplier * Adjacency(adjacency).contributions * clip_norm / check.positive(rows=rows)


def event(multiplier: float, *, steps: int) -> Composed:
    """Return the event of one descent: the same Gaussian release at every step."""
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
    draws: Sequence[int] | np.ndarray,
    people: np.ndarray | None = None,
    clipping: Clipping = "per-example",
    record: Sequence[int] = (),
    average: bool = False,
    dtype: type[np.floating] = np.float32,
) -> Path:
    """Train R = len(draws) models by noisy gradient descent.

    X: (n, p) inputs with the constant appended. y: (n,) classes from 0. start: (k, p), or (R, k, p). learning_rate,
    clip_norm, noise_sd: scalars or (R,); noise_sd is that of the noise on the mean gradient, per coordinate. draws: the
    noise stream of ``seed`` for each model; equal draws share their noise (common random numbers). people: the person
    (n,) of each row, 0 to M - 1; a person's gradients are averaged, and the mean is over people; None: each row is a
    person. clipping: "per-example" bounds the influence of one row or person; "average" clips the mean gradient, which
    does not; "none". record: the steps, of 0..T, whose weights are kept. average: return the mean over steps T//2 + 1
    to T instead of the last weights. Raises RefusedError for bad arguments.
    """
    models, draws = len(draws), check.wholes(low=0, draws=draws)
    check.whole(1, steps=steps)
    check.choice(("per-example", "average", "none"), clipping=clipping)
    columns = {
        "eta": _column("learning_rate", learning_rate, models),
        "clip": _column("clip_norm", clip_norm, models),
        "sd": _column("noise_sd", noise_sd, models, zero=True),
    }
    y = check.wholes((len(y),), low=0, high=check.whole(2, n_classes=n_classes) - 1, y=y)
    X = np.ascontiguousarray(check.rows(X, y), dtype)
    people = None if people is None else checked_people(people, len(X))
    shape = (outputs(n_classes), X.shape[1])
    start = np.broadcast_to(check.numbers(shape, (models, *shape), start=start), (models, *shape)).astype(dtype)
    marks = np.unique(check.wholes(low=0, high=steps, record=record))
    history = np.empty((len(marks), models, *shape), dtype)
    weights = np.empty((models, *shape), dtype)

    def descend(cut: slice) -> None:
        _descend(
            X,
            y,
            people=people,
            start=start[cut],
            steps=steps,
            seed=seed,
            draws=draws[cut],
            clipping=clipping,
            marks=marks,
            tail=steps - steps // 2 if average else 0,
            history=history[:, cut],
            weights=weights[cut],
            **{name: column[cut].astype(dtype) for name, column in columns.items()},
        )

    work = models * len(X) * steps * shape[0] * shape[1]
    cores.for_each_part(descend, models, work=work, at_once=_MODELS_AT_ONCE)
    return Path(weights=weights, steps=marks, history=history)


def _descend(X, y, *, people, start, steps, seed, draws, clipping, marks, tail, history, weights, eta, clip, sd):
    """Train one chunk of models, class first; fill ``history`` and ``weights`` (the mean of ``tail`` last steps)."""
    models, k, p = start.shape
    bounds = clip if clipping == "per-example" else None
    gradient = mean_gradient(X, y, people=people, models=models, k=k, clip_norm=bounds)
    current = np.array(start.transpose(1, 0, 2), order="C")
    total = np.zeros_like(current)
    # As wide as the arrays they scale, because broadcasting short rows costs one loop each
    rates, noise_rates = np.tile(eta[None, :, None], (k, 1, p)), np.tile((eta * sd)[:, None, None], (1, k, p))
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
            current -= (drawn.take(row, axis=0) * noise_rates).transpose(1, 0, 2)
        if step >= steps - tail:
            total += current
    if steps in kept:
        history[kept[steps]] = current.transpose(1, 0, 2)
    weights[...] = (total / tail if tail else current).transpose(1, 0, 2)


def mean_gradient(
    X: np.ndarray,
    y: np.ndarray,
    *,
    models: int,
    k: int,
    clip_norm: np.ndarray | None,
    people: np.ndarray | None = None,
) -> LogisticGradient | SoftmaxGradient | PeopleGradient:
    """Return the function from class-first weights (k, R, p) to the mean gradient of rows X; see ``clipping``."""
    if people is not None:
        return PeopleGradient(X, y, people, models=models, clip_norm=clip_norm, outputs=k)
    if k == 1:
        return LogisticGradient(X, y, models=models, clip_norm=clip_norm)
    return SoftmaxGradient(X, y, models=models, clip_norm=clip_norm, outputs=k)


def _column(name: str, value: float | np.ndarray, models: int, *, zero: bool = False) -> np.ndarray:
    """Return ``value`` as (R,); raise RefusedError unless it is finite and positive (or 0 with ``zero``)."""
    values = check.numbers((), (models,), low=0, inclusive=zero, **{name: value})
    return np.broadcast_to(values, (models,))
