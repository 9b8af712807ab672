"""Noisy Frank-Wolfe for linear regression in a polytope, for a batch of models [talwar2015,
Algorithm 2].

    s_t = argmin_s <s, g(w_t)> + noise,     w_{t+1} = (1 - mu_t) w_t + mu_t s_t,     mu_t = 2/(t +
    2)

Each step moves towards a vertex of a public polytope and releases only *which* vertex, so its cost
grows with the logarithm of the number of vertices and not with the dimension. g(w) = -(1/n) sum_i
clip_R(y_i - x_i.w) x_i with |x_ij| <= 1: one row changes a coordinate of g by at most R/n
(add/remove) or 2R/n (replace-one). Vertices are relative to a public centre c; <c, g> is the same
for all of them, so it affects neither the selection nor its cost.

With a penalty, (1/n) sum_i (y_i - x_i.w)^2 + lambda ||w - c||_q of [zhang2022], g and all scores
are those of its half. The penalty depends on no row, so sensitivities do not change. For q = 1 it
is not linearised (generalised conditional gradient): it adds lambda/2 radius to each vertex's
score, and the centre is one more vertex, with score 0. q = 2 means the squared norm, lambda ||w -
c||^2, whose gradient at the public w is added to g.
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

Noise = Literal["gumbel", "laplace"]
NOISES = ("gumbel", "laplace")
# Norm of the penalty; "2" is the squared norm.
NORMS = ("1", "2")
# Range and constant of ``steps_for``: good on simulated data of many sizes, optimal on none.
LEAST_STEPS, MOST_STEPS, _STEPS = 16, 64, 0.6


@dataclass(frozen=True, kw_only=True)
class L1Ball:
    """{v: ||v||_1 <= radius} around the centre: the 2d vertices +-radius e_j, first all +, then all
    -.

    penalty: lambda of ||v||_1, added to the mean squared residual. With a penalty, the centre is
    the last vertex.
    """

    dimension: int
    radius: float
    penalty: float = 0.0

    def __post_init__(self) -> None:
        check.whole(1, dimension=self.dimension)
        check.positive(radius=self.radius)
        check.between(0, math.inf, penalty=self.penalty)

    @property
    def vertices(self) -> np.ndarray:
        """Return the vertices (2d, d), or (2d + 1, d) with a penalty."""
        ends = self.radius * np.eye(self.dimension)
        return np.concatenate([ends, -ends, np.zeros((int(self.penalty > 0), self.dimension))])

    @property
    def norm(self) -> float:
        """Return the largest L1 norm of a vertex, relative to the centre."""
        return self.radius

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """Return the scores <s, g> + lambda/2 ||s||_1 of all vertices: (M, 2d or 2d + 1) from
        ``gradient`` (M, d).
        """
        along = self.radius * gradient
        if not self.penalty:
            return np.concatenate([along, -along], axis=1)
        added, centre = (
            along.dtype.type(self.penalty / 2 * self.radius),
            np.zeros_like(along[:, :1]),
        )
        return np.concatenate([along + added, added - along, centre], axis=1)


@dataclass(frozen=True, kw_only=True)
class Hull:
    """The convex hull of a public list of corners (V, d), a tuple of tuples, relative to the
    centre.
    """

    corners: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if (
            len({len(corner) for corner in self.corners}) != 1
            or not np.isfinite(self.vertices).all()
        ):
            raise check.RefusedError(
                "corners", self.corners, "a list of corners of one dimension, finite"
            )

    @property
    def vertices(self) -> np.ndarray:
        """Return the vertices (V, d)."""
        return np.array(self.corners, dtype=float)

    @property
    def dimension(self) -> int:
        return len(self.corners[0])

    @property
    def norm(self) -> float:
        """Return the largest L1 norm of a corner, relative to the centre."""
        return float(np.abs(self.vertices).sum(axis=1).max())

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """Return the scores <s, g> of all corners: (M, V) from ``gradient`` (M, d)."""
        return gradient @ self.vertices.T.astype(gradient.dtype)


Polytope = L1Ball | Hull


class Penalties(NamedTuple):
    """lambda of the L1 norm, used by the ball, and of the squared L2 norm, used by the
    algorithm.
    """

    ball: float
    ridge: float


def penalties(penalty: float, *, q: str, unit: float = 1.0) -> Penalties:
    """Return the penalties for ``penalty`` ||w||_q if the algorithm uses weights multiplied by
    ``unit``.
    """
    value = check.between(0, math.inf, penalty=penalty)
    return (
        Penalties(value / unit, 0.0)
        if check.choice(NORMS, q=q) == "1"
        else Penalties(0.0, value / unit**2)
    )


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """Public rows, specific to each model, that are pooled with the private ones and need no noise.

    gram (M, d, d) = sum x x', moment (M, d) = sum x y, rows (M,); or one of each for all models.
    """

    gram: np.ndarray
    moment: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Walk:
    """Result: weights (M, d); choices (T, M), the vertex selected in each step, -1 after a model's
    last step.

    points (T + 1, M, d): the iterates, if requested.
    """

    weights: np.ndarray
    choices: np.ndarray
    points: np.ndarray | None = None

    def sparsity(self, *, centre: int = -1) -> np.ndarray:
        """Return the number of different vertices selected for each model, (M,), without the
        ``centre`` vertex.
        """
        ordered = np.sort(self.choices, axis=0)
        fresh = np.vstack([np.ones((1, ordered.shape[1]), bool), np.diff(ordered, axis=0) > 0])
        return (fresh & (ordered >= 0) & (ordered != centre)).sum(axis=0)


def score_sensitivity(
    norm: float, *, residual_bound: float, rows: float, adjacency: Adjacency
) -> float:
    """Return the largest change of any one score between neighbours: contributions * max_s ||s||_1
    * R / n.
    """
    check.positive(rows=rows)
    check.positive(residual_bound=residual_bound)
    return Adjacency(adjacency).contributions * check.positive(norm=norm) * residual_bound / rows


def selection_epsilon(rho: float, *, steps: int, noise: Noise) -> float:
    """Return the epsilon of each of ``steps`` selections that cost ``rho`` together (see
    ``accountants.zcdp``).
    """
    check.choice(NOISES, noise=noise)
    return math.sqrt(
        {"gumbel": 8, "laplace": 2}[noise] * check.positive(rho=rho) / check.whole(1, steps=steps)
    )


def noise_scale(epsilon: float, *, sensitivity: float) -> float:
    """Return the scale b at which a selection costs ``epsilon`` = 2 sensitivity / b, for either
    noise.

    One score may rise by the sensitivity while the others fall, so log-probabilities change within
    2 sensitivity / b.
    """
    return 2 * check.positive(sensitivity=sensitivity) / check.positive(epsilon=epsilon)


def printed_scale(
    norm: float, *, residual_bound: float, rows: float, epsilon: float, delta: float, steps: int
) -> float:
    """Return the Laplace scale as published, L1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon)
    [talwar2015; zhang2022].

    Its guarantee covers composition only, and add/remove adjacency; see ``printed_epsilon``.
    """
    check.positive(epsilon=epsilon)
    log = math.log(1 / check.between(0, 1, inclusive=False, delta=delta))
    return (
        residual_bound * norm * math.sqrt(8 * check.whole(1, steps=steps) * log) / (rows * epsilon)
    )


def printed_epsilon(epsilon: float, *, delta: float, steps: int, adjacency: Adjacency) -> float:
    """Return the epsilon of one selection with the published scale, 2 sensitivity / scale, for any
    data.
    """
    options = {"residual_bound": 1.0, "rows": 1}
    scale = printed_scale(1.0, epsilon=epsilon, delta=delta, steps=steps, **options)
    return 2 * score_sensitivity(1.0, adjacency=adjacency, **options) / scale


def event(epsilon: float, *, steps: int, noise: Noise) -> Composed:
    """Return the event of a run: ``steps`` selections, each with ``epsilon``."""
    release = BoundedRangeRelease if check.choice(NOISES, noise=noise) == "gumbel" else PureRelease
    return Composed(event=release(epsilon=epsilon), count=steps)


def steps_for(
    *, rows: float, rho: float, radius: float, residual_bound: float, vertices: int
) -> int:
    """Return a good number of steps from public numbers alone, a trade-off between convergence and
    budget per step.

    The gap to the optimum falls as curvature / T, with curvature (2 radius)^2 / 3 for rows spread
    over [-1, 1]^d, and the noise increases it by b ln(V), b ~ radius R sqrt(T) / (n sqrt(rho))
    [talwar2015, Theorem 3.2]. The sum is smallest near T = (radius n sqrt(rho) / (R ln V))^(2/3),
    times a constant. If noise dominates, steps average it.
    """
    signal = (
        radius
        * rows
        * math.sqrt(check.positive(rho=rho))
        / (residual_bound * math.log(max(vertices, 3)))
    )
    return int(np.clip(round(_STEPS * signal ** (2 / 3)), LEAST_STEPS, MOST_STEPS))


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
) -> Walk:
    """Train M = len(draws) models by noisy Frank-Wolfe, starting from the centre of the polytope.

    X: (n, d) within [-1, 1]. y: (n,). centre: (d,) or (M, d), public. steps, scale: whole numbers
    and noise scales, one for all or (M,); a scale of 0 means no noise. residual_bound: R, infinite
    for plain least squares without noise.
    ridge: lambda of the penalty lambda ||w - c||^2; that of the L1 norm belongs to the polytope.
    draws, part: the noise stream of ``seed`` for each model; equal draws share their noise, and
    longer runs begin with the noise of shorter ones. Raises RefusedError for bad arguments.
    """
    models, d = len(draws), polytope.dimension
    if np.abs(check.rows(X, check.numbers((len(y),), y=y), columns=d)).max() > 1 + 1e-9:
        raise check.RefusedError("X", f"up to {np.abs(X).max():.3g}", "values within [-1, 1]")
    check.choice(NOISES, noise=noise)
    if residual_bound != math.inf:
        check.positive(residual_bound=residual_bound)
    indices = check.wholes((models,), low=0, draws=draws)
    lengths = np.broadcast_to(check.wholes((), (models,), low=1, steps=steps), (models,))
    scales = np.broadcast_to(check.numbers((), (models,), low=0, scale=scale), (models,))
    if centre is not None:
        centre = check.numbers((d,), (models, d), centre=centre)
    order = np.argsort(-lengths, kind="stable")  # models with steps left always come first
    task = _Task(
        rows=np.ascontiguousarray(X, dtype),
        columns=np.ascontiguousarray(X.T, dtype),
        labels=_labels(X, y, centre, order, dtype),
        bound=dtype(residual_bound),
        ridge=dtype(check.between(0, math.inf, ridge=ridge)),
        pooled=_pooled(pooled, centre, order, models, d, dtype),
    )
    unit = _unit_noise(
        noise, seed, indices[order], part, int(lengths.max()), len(polytope.vertices)
    )
    walk = _walk(task, polytope, lengths[order], scales[order], unit, keep_points, dtype)
    back = np.argsort(order)
    middle = np.zeros(d, dtype) if centre is None else np.asarray(centre, dtype)
    points = None if walk.points is None else walk.points[:, back] + middle
    return Walk(weights=walk.weights[back] + middle, choices=walk.choices[:, back], points=points)


@dataclass(frozen=True, kw_only=True)
class _Task:
    """Inputs of the gradient, in one precision, with the models in the order of the run."""

    rows: np.ndarray
    columns: np.ndarray
    labels: np.ndarray
    bound: np.floating
    ridge: np.floating
    pooled: Pooled | None

    def gradient(self, away: np.ndarray) -> np.ndarray:
        """Return g (m, d) of the first m models, whose weights minus the centre are ``away`` (m,
        d).
        """
        found = self._of_rows(away)
        return found + self.ridge * away if self.ridge else found

    def _of_rows(self, away: np.ndarray) -> np.ndarray:
        m = len(away)
        residual = away @ self.columns
        np.subtract(
            self.labels if len(self.labels) == 1 else self.labels[:m], residual, out=residual
        )
        np.clip(residual, -self.bound, self.bound, out=residual)
        total = -(residual @ self.rows)
        if self.pooled is None:
            return total / len(self.rows)
        total += (away[:, None] @ self.pooled.gram[:m])[:, 0] - self.pooled.moment[:m]
        return total / (len(self.rows) + self.pooled.rows[:m, None])


def _walk(task, polytope, lengths, scales, unit, keep_points, dtype) -> Walk:
    models, vertices = len(lengths), polytope.vertices.astype(dtype)
    draws, rows = unit
    away = np.zeros((models, vertices.shape[1]), dtype)
    choices = np.full((lengths[0], models), -1)
    points = [away.copy()]
    widths = scales.astype(dtype)[:, None]
    for step in range(lengths[0]):
        m = int(np.searchsorted(-lengths, -step))  # models with more than ``step`` steps
        noisy = polytope.scores(task.gradient(away[:m]))
        if draws is not None:
            noisy -= widths[:m] * draws[rows[:m], step]
        best = noisy.argmin(axis=1)
        mu = dtype(2 / (step + 3))
        away[:m] += mu * (vertices[best] - away[:m])
        choices[step, :m] = best
        if keep_points:
            points.append(away.copy())
    return Walk(weights=away, choices=choices, points=np.array(points) if keep_points else None)


def _unit_noise(noise, seed, draws, part, steps, vertices):
    """Return ((streams, T or more, V) noise of scale 1, row of each model), one draw per vertex, in
    step order.
    """
    indices, rows = np.unique(draws, return_inverse=True)
    spare = (
        1 << (steps - 1).bit_length()
    )  # cached noise then serves more steps, as the next epsilon of a drag needs
    return _draws(noise, seed, tuple(indices.tolist()), part, spare, vertices), rows


@cached(newest=32)
def _draws(noise, seed, indices, part, steps, vertices) -> np.ndarray:
    drawn = np.empty((len(indices), steps, vertices))
    for place, index in enumerate(indices):
        generator = stream(seed, "noise", index, part)
        drawn[place] = getattr(generator, noise)(size=(steps, vertices))
    drawn.flags.writeable = False
    return drawn


def _labels(X, y, centre, order, dtype) -> np.ndarray:
    """Return y - Xc: (1, n) if all models share a centre, else (M, n)."""
    if centre is None:
        return np.asarray(y, dtype)[None]
    middle = np.asarray(centre, dtype=float)
    middle = middle[None] if middle.ndim == 1 else middle[order]
    return (y - middle @ np.asarray(X, dtype=float).T).astype(dtype)


def _pooled(pooled, centre, order, models, d, dtype) -> Pooled | None:
    """Return the pooled rows of each model, relative to its centre."""
    if pooled is None:
        return None
    if shared := len(pooled.gram) == 1:  # never copied for each model: d may be in the hundreds
        gram = np.broadcast_to(pooled.gram.astype(dtype), (models, d, d))
    else:
        gram = pooled.gram[order]
    moment = np.broadcast_to(pooled.moment, (models, d))[order]
    rows = np.broadcast_to(pooled.rows, (models,))[order]
    if centre is not None:
        middle = np.broadcast_to(centre, (models, d))[order]
        moment = moment - (pooled.gram[0 if shared else order] @ middle[..., None])[..., 0]
    return Pooled(
        gram=gram if shared else gram.astype(dtype),
        moment=moment.astype(dtype),
        rows=rows.astype(dtype),
    )
