"""Noisy Frank-Wolfe for linear regression in a polytope [talwar2015, Algorithm 2].

    s_t = argmin_s <s, g(w_t)> + noise,   w_{t+1} = (1 - mu_t) w_t + mu_t s_t,   mu_t = 2/(t + 2)

Each step moves towards a vertex of a public polytope and releases only *which* vertex, so its cost
grows with the logarithm of the number of vertices and not with the dimension. g(w) = -(1/n) sum_i
clip_R(y_i - x_i.w) x_i with |x_ij| <= 1: one row changes a coordinate of g by at most R/n
(add/remove) or 2R/n (replace-one). Vertices are relative to a public centre c; c.g is the same
for all of them, so it affects neither the selection nor its cost. Several models are trained
together on the same rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.privacy import Adjacency, BoundedRangeRelease, Composed, PureRelease
from dpcore.streams import stream
from dpcore.training.polytopes import Polytope
from dpcore.training.residual_gradients import Pooled, ResidualGradient

Noise = Literal["gumbel", "laplace"]
NOISES = ("gumbel", "laplace")
# Range and constant of ``steps_for``: good on simulated data of many sizes, optimal on none.
LEAST_STEPS = 16
MOST_STEPS = 64
_STEPS_CONSTANT = 0.6
# Allows for the rounding of inputs that were scaled into [-1, 1].
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """The result of a run.

    Attributes:
        weights: After each model's last step, (M, d).
        choices: The vertex selected in each step, (T, M); -1 after a model's last step.
        points: The weights before the first and after each step, (T + 1, M, d), if requested.
    """

    weights: np.ndarray
    choices: np.ndarray
    points: np.ndarray | None = None

    def select(self, models: np.ndarray) -> "Trajectory":
        """Return the trajectory of some models, in this order."""
        points = None
        if self.points is not None:
            points = self.points[:, models]
        return Trajectory(
            weights=self.weights[models], choices=self.choices[:, models], points=points
        )

    def moved_by(self, shift: np.ndarray) -> "Trajectory":
        """Return the same choices with ``shift``, (d,) or (M, d), added to all weights."""
        points = None
        if self.points is not None:
            points = self.points + shift
        return Trajectory(weights=self.weights + shift, choices=self.choices, points=points)


def score_sensitivity(
    norm: float, *, residual_bound: float, rows: float, adjacency: Adjacency
) -> float:
    """Return the largest change of any one score between neighbours.

    It is contributions * max_s ||s||_1 * R / n.

    Args:
        norm: The largest L1 norm of a vertex.
        residual_bound: R.
        rows: n, public.
        adjacency: Decides how many rows can differ between neighbours.
    """
    check.positive(rows=rows)
    check.positive(residual_bound=residual_bound)
    norm = check.positive(norm=norm)
    return Adjacency(adjacency).contributions * norm * residual_bound / rows


def selection_epsilon(rho: float, *, steps: int, noise: Noise) -> float:
    """Return the epsilon of each of ``steps`` selections that together cost ``rho`` of zCDP.

    A selection costs rho = epsilon^2 / 8 with Gumbel noise, by its bounded range, and epsilon^2 / 2
    with Laplace noise (see ``accountants.zcdp``).
    """
    check.choice(NOISES, noise=noise)
    rho = check.positive(rho=rho)
    steps = check.whole(1, steps=steps)
    if noise == "gumbel":
        return math.sqrt(8 * rho / steps)
    return math.sqrt(2 * rho / steps)


def noise_scale(epsilon: float, *, sensitivity: float) -> float:
    """Return the scale b at which a selection costs ``epsilon`` = 2 sensitivity / b.

    One score may rise by the sensitivity while the others fall, so log-probabilities change within
    2 sensitivity / b, for either noise.
    """
    sensitivity = check.positive(sensitivity=sensitivity)
    return 2 * sensitivity / check.positive(epsilon=epsilon)


def event(epsilon: float, *, steps: int, noise: Noise) -> Composed:
    """Return the event of a run: ``steps`` selections, each with ``epsilon``."""
    check.choice(NOISES, noise=noise)
    if noise == "gumbel":
        return Composed(event=BoundedRangeRelease(epsilon=epsilon), count=steps)
    return Composed(event=PureRelease(epsilon=epsilon), count=steps)


def steps_for(
    *, rows: float, rho: float, radius: float, residual_bound: float, vertices: int
) -> int:
    """Return a good number of steps from public numbers alone.

    The gap to the optimum falls as curvature / T, with curvature (2 radius)^2 / 3 for rows spread
    over [-1, 1]^d, and the noise increases it by b ln(V), b ~ radius R sqrt(T) / (n sqrt(rho))
    [talwar2015, Theorem 3.2]. The sum is smallest near T = (radius n sqrt(rho) / (R ln V))^(2/3),
    times a constant. If noise dominates, steps average it.

    Args:
        rows: n.
        rho: zCDP budget of the run.
        radius: Largest L1 norm of a vertex.
        residual_bound: R.
        vertices: V.
    """
    rho = check.positive(rho=rho)
    # A single vertex has no logarithm to divide by.
    log_vertices = math.log(max(vertices, 3))
    signal = radius * rows * math.sqrt(rho) / (residual_bound * log_vertices)
    steps = round(_STEPS_CONSTANT * signal ** (2 / 3))
    return int(np.clip(steps, LEAST_STEPS, MOST_STEPS))


def noisy_frank_wolfe(
    X: np.ndarray,
    y: np.ndarray,
    *,
    polytope: Polytope,
    steps: int | np.ndarray,
    scale: float | np.ndarray,
    residual_bound: float,
    seed: int,
    draws: Sequence[int] | np.ndarray,
    noise: Noise = "gumbel",
    centre: np.ndarray | None = None,
    pooled: Pooled | None = None,
    ridge: float = 0.0,
    part: int = 0,
    keep_points: bool = False,
    dtype: type[np.floating] = np.float32,
) -> Trajectory:
    """Train M = len(draws) models by noisy Frank-Wolfe, starting from the centre of the polytope.

    Guarantee: Linf sensitivity `adjacency.contributions * polytope.norm * residual_bound / rows`;
    noise `gumbel_r(scale=scale)` per vertex and step; event
    `Composed(event=BoundedRangeRelease(epsilon=2 * sensitivity / scale), count=steps)`;
    adjacency replace-one, add/remove.

    It holds for all choices and weights of a model. ``rows`` is the number of private rows, and the
    sensitivity that of the scores. With "laplace" noise, the releases are ``PureRelease``.

    Args:
        X: Inputs within [-1, 1], (n, d).
        y: Outputs, (n,).
        polytope: The public set of weights minus the centre.
        steps: Number of steps, of all models or (M,).
        scale: Of the noise on each score, of all models or (M,); 0 for no noise.
        residual_bound: R; infinite for plain least squares without noise.
        seed: Of the noise.
        draws: The noise stream of ``seed`` for each model. Equal draws share their noise, and
            longer runs begin with the noise of shorter ones.
        noise: Law of the noise.
        centre: Public, (d,) or (M, d); None for 0.
        pooled: Public rows to learn from as well.
        ridge: lambda of the penalty lambda ||w - c||^2; that of the L1 norm belongs to the
            polytope.
        part: Part of the noise streams, for releases that must not share noise.
        keep_points: Also return the weights after each step.
        dtype: Precision of the arithmetic.

    Raises:
        RefusedError: For an argument out of range, which it names.
    """
    _check_rows(X, y, columns=polytope.dimension)
    check.choice(NOISES, noise=noise)
    if residual_bound != math.inf:
        check.positive(residual_bound=residual_bound)
    models = _checked_models(
        steps, scale, draws, centre, pooled, dimension=polytope.dimension, dtype=dtype
    )
    # The longest runs first, so that the models that still take steps are always the first ones.
    order = np.argsort(-models.steps, kind="stable")
    ordered = models.select(order)
    gradient = ResidualGradient(
        X,
        y,
        residual_bound=residual_bound,
        centre=ordered.centre,
        ridge=check.between(0, math.inf, ridge=ridge),
        pooled=ordered.pooled,
        dtype=dtype,
    )
    unit_noise = _unit_noise(noise, seed, ordered, part, vertices=len(polytope.vertices))
    trajectory = _iterate(gradient, polytope, ordered, unit_noise, keep_points=keep_points)
    place_of_model = np.argsort(order)
    trajectory = trajectory.select(place_of_model)
    if models.centre is None:
        return trajectory
    return trajectory.moved_by(models.centre.astype(dtype))


@dataclass(frozen=True, kw_only=True)
class _Models:
    """The arguments that differ between models.

    Attributes:
        steps: Number of steps, (M,).
        scale: Of the noise on each score, (M,), in the precision of the arithmetic.
        draws: The noise stream of each model, (M,).
        centre: (d,) for all models or (M, d); None for 0.
        pooled: Public rows; None for none.
    """

    steps: np.ndarray
    scale: np.ndarray
    draws: np.ndarray
    centre: np.ndarray | None
    pooled: Pooled | None

    def select(self, models: np.ndarray) -> "_Models":
        """Return the models in another order. What they share stays single."""
        centre = self.centre
        if centre is not None and centre.ndim == 2:
            centre = centre[models]
        pooled = self.pooled
        if pooled is not None:
            pooled = pooled.reordered(models)
        return _Models(
            steps=self.steps[models],
            scale=self.scale[models],
            draws=self.draws[models],
            centre=centre,
            pooled=pooled,
        )


def _checked_models(
    steps: int | np.ndarray,
    scale: float | np.ndarray,
    draws: Sequence[int] | np.ndarray,
    centre: np.ndarray | None,
    pooled: Pooled | None,
    *,
    dimension: int,
    dtype: type[np.floating],
) -> _Models:
    """Return the models, with one entry for each, if all their numbers are in range.

    ``pooled`` is taken as it is.

    Args:
        steps: Number of steps, of all models or (M,).
        scale: Of the noise on each score, of all models or (M,).
        draws: The noise stream of each model, (M,).
        centre: (d,) for all models or (M, d); None for 0.
        pooled: Public rows; None for none.
        dimension: d, the number of inputs.
        dtype: Precision of the arithmetic.
    """
    models = len(draws)
    draws = check.wholes((models,), low=0, draws=draws)
    # Each is a single number, or has one for each model.
    steps = check.wholes((), (models,), low=1, steps=steps)
    scale = check.numbers((), (models,), low=0, scale=scale)
    if centre is not None:
        centre = check.numbers((dimension,), (models, dimension), centre=centre)
    return _Models(
        steps=np.broadcast_to(steps, (models,)),
        scale=np.broadcast_to(scale, (models,)).astype(dtype),
        draws=draws,
        centre=centre,
        pooled=pooled,
    )


def _check_rows(X: np.ndarray, y: np.ndarray, *, columns: int) -> None:
    """Raise RefusedError unless ``X`` has a row within [-1, 1] for each number of ``y``.

    ``y`` is one axis of finite numbers, without bounds, because residuals are clipped.
    """
    # Any length is allowed, but no second axis.
    y = check.numbers((len(y),), y=y)
    X = check.rows(X, y, columns=columns)
    largest = np.abs(X).max()
    if largest > 1 + _ROUNDING:
        raise check.RefusedError("X", f"up to {largest:.3g}", "values within [-1, 1]")


class _UnitNoise(NamedTuple):
    """Noise of scale 1 for the scores of all vertices.

    Attributes:
        draws: Of each noise stream and step, (streams, T or more, V).
        stream_of_model: Index of each model's stream, (M,).
    """

    draws: np.ndarray
    stream_of_model: np.ndarray

    def of_step(self, step: int, models: int) -> np.ndarray:
        """Return the noise of a step for the first ``models`` models, (models, V)."""
        return self.draws[self.stream_of_model[:models], step]


def _iterate(
    gradient: ResidualGradient,
    polytope: Polytope,
    models: _Models,
    unit_noise: _UnitNoise,
    *,
    keep_points: bool,
) -> Trajectory:
    """Take all steps of M models, of which none takes more steps than the one before it.

    Args:
        gradient: Of the first models at their offsets from the centre.
        polytope: Scores its vertices.
        models: Their numbers of steps, and the scale of their noise.
        unit_noise: Is multiplied by that scale.
        keep_points: Also return the offsets after each step.

    Returns:
        The trajectory relative to the centre.
    """
    most_steps = models.steps[0]
    dtype = models.scale.dtype.type
    vertices = polytope.vertices.astype(dtype)
    scale_of_scores = models.scale[:, None]
    # Rising, as a binary search needs.
    negative_steps = -models.steps
    offset = np.zeros((len(models.steps), vertices.shape[1]), dtype)
    choices = np.full((most_steps, len(models.steps)), -1)
    points = [offset.copy()]
    for step in range(most_steps):
        # Number of models with more than ``step`` steps.
        m = int(np.searchsorted(negative_steps, -step))
        noisy_scores = polytope.scores(gradient(offset[:m]))
        noisy_scores -= scale_of_scores[:m] * unit_noise.of_step(step, m)
        best = noisy_scores.argmin(axis=1)
        # The step t = step + 1 of the paper.
        step_size = dtype(2 / (step + 3))
        offset[:m] += step_size * (vertices[best] - offset[:m])
        choices[step, :m] = best
        if keep_points:
            points.append(offset.copy())
    if keep_points:
        return Trajectory(weights=offset, choices=choices, points=np.array(points))
    return Trajectory(weights=offset, choices=choices)


def _unit_noise(
    noise: Noise, seed: int, models: _Models, part: int, *, vertices: int
) -> _UnitNoise:
    """Draw the noise of all steps of the models, once for models with the same stream."""
    streams, stream_of_model = np.unique(models.draws, return_inverse=True)
    most_steps = int(models.steps.max())
    # A power of two, so that cached noise serves more steps, as the next epsilon of a drag needs.
    drawn_steps = 1 << (most_steps - 1).bit_length()
    draws = _draw(noise, seed, tuple(streams.tolist()), part, drawn_steps, vertices)
    return _UnitNoise(draws, stream_of_model)


@cached(newest=32)
def _draw(
    noise: Noise, seed: int, streams: tuple[int, ...], part: int, steps: int, vertices: int
) -> np.ndarray:
    """Return noise of scale 1, (streams, steps, vertices), read-only."""
    draws = np.empty((len(streams), steps, vertices))
    for place, index in enumerate(streams):
        generator = stream(seed, "noise", index, part)
        if noise == "gumbel":
            draws[place] = generator.gumbel(size=(steps, vertices))
        else:
            draws[place] = generator.laplace(size=(steps, vertices))
    draws.flags.writeable = False
    return draws
