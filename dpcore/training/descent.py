"""Noisy gradient descent for a batch of linear classifiers.

    w <- w - eta ( (1/n) sum_i clip_C(g_i(w)) + N(0, sd^2 I) )

Each of the R models has its own noise, clipping norm, learning rate and start. All take the same
number of steps on the same rows. A single fit is the batch with R = 1.
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
Gradient = LogisticGradient | SoftmaxGradient | PeopleGradient

# Larger batches are trained in parts, so that their weights and one block of examples share the
# cache.
_MODELS_AT_ONCE = 512


@dataclass(frozen=True, kw_only=True)
class Path:
    """The result of a descent.

    Attributes:
        weights: (R, k, p).
        steps: The recorded steps, (m,), in rising order.
        history: The weights after each recorded step, (m, R, k, p).
    """

    weights: np.ndarray
    steps: np.ndarray
    history: np.ndarray


def noise_multiplier(*, epsilon: float, delta: float, steps: int) -> float:
    """Return the noise multiplier at which ``steps`` releases together are (epsilon, delta)-DP.

    sqrt(steps) / mu(epsilon, delta), because Gaussian releases compose exactly [dong2022,
    Corollary 3.3].
    """
    steps = check.whole(1, steps=steps)
    return math.sqrt(steps) / gdp.mu_of(epsilon, delta=delta)


def mean_noise_sd(multiplier: float, *, clip_norm: float, rows: int, adjacency: Adjacency) -> float:
    """Return the standard deviation of the noise on the *mean* of ``rows`` clipped gradients.

    Args:
        multiplier: Noise multiplier, the standard deviation over the sensitivity.
        clip_norm: L2 bound on the gradient of one row.
        rows: Number of rows, public.
        adjacency: Decides how many gradients can differ between neighbours.
    """
    multiplier = check.at_least(0, multiplier=multiplier)
    clip_norm = check.positive(clip_norm=clip_norm)
    check.positive(rows=rows)
    return multiplier * Adjacency(adjacency).contributions * clip_norm / rows


def event(multiplier: float, *, steps: int) -> Composed:
    """Return the privacy event of a descent: the same Gaussian release at every step."""
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

    Guarantee: L2 sensitivity `adjacency.contributions * clip_norm / rows`; noise
    `norm(scale=noise_sd)` per coordinate and step; event
    `Composed(event=GaussianRelease(noise_multiplier=noise_sd / sensitivity), count=steps)`;
    adjacency replace-one, add/remove.

    It holds for the weights after every step, with "per-example" clipping only. ``rows`` is the
    number of rows, or of people.

    Args:
        X: Inputs with the constant appended, (n, p).
        y: Classes from 0, (n,).
        n_classes: Number of classes, at least 2.
        steps: Number of steps.
        learning_rate: Of all models, or (R,).
        clip_norm: L2 bound on a gradient, of all models or (R,).
        noise_sd: Of the noise on the mean gradient, per coordinate, of all models or (R,).
        start: Initial weights, (k, p) or (R, k, p), public.
        seed: Of the noise.
        draws: The noise stream of ``seed`` for each model. Equal draws share their noise (common
            random numbers).
        people: The person of each row, (n,), from 0 to M - 1. A person's gradients are averaged
            and then clipped, and the mean is over people. None: each row is a person.
        clipping: "per-example" bounds the influence of one row or person. "average" clips the mean
            gradient, which does not. "none" does not clip.
        record: The steps, from 0 to ``steps``, after which the weights are kept.
        average: Return the mean over the last half of the steps instead of the last weights.
        dtype: Precision of the arithmetic.

    Raises:
        RefusedError: For an argument out of range, which it names.
    """
    models = len(draws)
    draws = check.wholes(low=0, draws=draws)
    check.whole(1, steps=steps)
    check.choice(("per-example", "average", "none"), clipping=clipping)
    learning_rate = _per_model(models, learning_rate=learning_rate)
    clip_norm = _per_model(models, clip_norm=clip_norm)
    noise_sd = _per_model(models, noise_sd=noise_sd, zero_allowed=True)
    n_classes = check.whole(2, n_classes=n_classes)
    y = check.wholes((len(y),), low=0, high=n_classes - 1, y=y)
    X = np.ascontiguousarray(check.rows(X, y), dtype)
    if people is not None:
        people = checked_people(people, len(X))
    shape = (outputs(n_classes), X.shape[1])
    start = check.numbers(shape, (models, *shape), start=start)
    start = np.broadcast_to(start, (models, *shape)).astype(dtype)
    recorded_steps = np.unique(check.wholes(low=0, high=steps, record=record))

    averaged_steps = 0
    if average:
        averaged_steps = steps - steps // 2
    history = np.empty((len(recorded_steps), models, *shape), dtype)
    weights = np.empty((models, *shape), dtype)

    def train_part(part: slice) -> None:
        _train(
            X,
            y,
            people=people,
            start=start[part],
            steps=steps,
            learning_rate=learning_rate[part].astype(dtype),
            clip_norm=clip_norm[part].astype(dtype),
            noise_sd=noise_sd[part].astype(dtype),
            seed=seed,
            draws=draws[part],
            clipping=clipping,
            averaged_steps=averaged_steps,
            recorded_steps=recorded_steps,
            history=history[:, part],
            weights=weights[part],
        )

    multiply_adds = models * len(X) * steps * shape[0] * shape[1]
    cores.for_each_part(train_part, models, work=multiply_adds, at_once=_MODELS_AT_ONCE)
    return Path(weights=weights, steps=recorded_steps, history=history)


def _train(
    X: np.ndarray,
    y: np.ndarray,
    *,
    people: np.ndarray | None,
    start: np.ndarray,
    steps: int,
    learning_rate: np.ndarray,
    clip_norm: np.ndarray,
    noise_sd: np.ndarray,
    seed: int,
    draws: np.ndarray,
    clipping: Clipping,
    averaged_steps: int,
    recorded_steps: np.ndarray,
    history: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Train one part of the batch, filling ``history`` (m, R, k, p) and ``weights`` (R, k, p).

    Other arguments are those of ``noisy_gradient_descent``, in the arithmetic's precision and with
    one entry a model. The returned weights are the mean over the ``averaged_steps`` last steps, or
    the last ones if 0.
    """
    models, k, p = start.shape
    bound = None
    if clipping == "per-example":
        bound = clip_norm
    mean = mean_gradient(X, y, models=models, k=k, clip_norm=bound, people=people)
    # As wide as the arrays they scale, because broadcasting short rows costs one loop each.
    gradient_scale = np.tile(learning_rate[None, :, None], (k, 1, p))
    noise_scale = np.tile((learning_rate * noise_sd)[:, None, None], (1, k, p))
    streams, stream_of_model = np.unique(draws, return_inverse=True)
    noisy = bool(np.any(noise_sd))
    if not noisy:
        streams = streams[:0]
    noises = normal_steps(seed, "noise", streams, steps=steps, shape=(k, p), dtype=X.dtype.type)
    place_of_step = {int(step): place for place, step in enumerate(recorded_steps)}

    # Class first, (k, R, p), as the gradients are.
    current = np.array(start.transpose(1, 0, 2), order="C")
    total = np.zeros_like(current)
    for step, noise in enumerate(noises):
        if step in place_of_step:
            history[place_of_step[step]] = current.transpose(1, 0, 2)
        gradient = mean(current)
        if clipping == "average":
            _clip(gradient, clip_norm)
        gradient *= gradient_scale
        current -= gradient
        if noisy:
            scaled_noise = noise.take(stream_of_model, axis=0) * noise_scale
            current -= scaled_noise.transpose(1, 0, 2)
        if step >= steps - averaged_steps:
            total += current

    if steps in place_of_step:
        history[place_of_step[steps]] = current.transpose(1, 0, 2)
    if averaged_steps:
        current = total / averaged_steps
    weights[...] = current.transpose(1, 0, 2)


def _clip(gradient: np.ndarray, clip_norm: np.ndarray) -> None:
    """Scale gradients (k, R, p) in place to norms of at most ``clip_norm`` (R,)."""
    norm = np.sqrt(np.square(gradient).sum(axis=(0, 2)))
    factor = np.minimum(1, clip_norm / np.maximum(norm, 1e-30))
    gradient *= factor[None, :, None]


def mean_gradient(
    X: np.ndarray,
    y: np.ndarray,
    *,
    models: int,
    k: int,
    clip_norm: np.ndarray | None,
    people: np.ndarray | None = None,
) -> Gradient:
    """Return the function from class-first weights (k, R, p) to mean gradients (k, R, p).

    Args:
        X: Inputs, (n, p).
        y: Classes from 0, (n,).
        models: R.
        k: Number of outputs, 1 for two classes.
        clip_norm: L2 bound on a gradient, (R,); None for no clipping.
        people: The person of each row, (n,); None if each row is a person.
    """
    if people is not None:
        return PeopleGradient(X, y, people, models=models, clip_norm=clip_norm, outputs=k)
    if k == 1:
        return LogisticGradient(X, y, models=models, clip_norm=clip_norm)
    return SoftmaxGradient(X, y, models=models, clip_norm=clip_norm, outputs=k)


def _per_model(models: int, *, zero_allowed: bool = False, **named: float | np.ndarray) -> np.ndarray:
    """Return the argument given by keyword as one number per model, (R,).

    Raises:
        RefusedError: Unless all numbers are finite and positive, or 0 if ``zero_allowed``.
    """
    values = check.numbers((), (models,), low=0, inclusive=zero_allowed, **named)
    return np.broadcast_to(values, (models,))
