"""Noisy Frank-Wolfe for linear regression inside a polytope, for a whole batch of models [talwar2015, Algorithm 2].

    s_t = argmin_s <s, g(w_t)> + noise,     w_{t+1} = (1 - mu_t) w_t + mu_t s_t,     mu_t = 2/(t + 2)

The model walks from vertex to vertex of a public polytope; a step releases only *which* vertex, so what it costs grows
with the logarithm of their number and not with the dimension. g(w) = -(1/n) sum_i clip_R(y_i - x_i.w) x_i with
|x_ij| <= 1: one row moves no coordinate of it by more than R/n (it is there or not) or 2R/n (it is another one).
Vertices count from a public centre c: <c, g> is the same for all of them, so it decides nothing and costs nothing.

With a penalty, (1/n) sum_i (y_i - x_i.w)^2 + lambda ||w - c||_q of [zhang2022], g and all scores are those of its half.
It sees no row, so that no sensitivity changes. For q = 1 the penalty is not linearised (generalised conditional
gradient): it adds lambda/2 radius to each vertex's score, and the centre is one vertex more, with score 0. What q = 2
stands for is the square, lambda ||w - c||^2: its gradient at the public w is added to g.
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
# Of the penalty's norm; 2 is its square.
NORMS = ("1", "2")
# What ``steps_for`` chooses from, and its constant: good on made-up data of many sizes, best on none.
LEAST_STEPS, MOST_STEPS, _STEPS = 16, 64, 0.6


@dataclass(frozen=True, kw_only=True)
class L1Ball:
    """{v: ||v||_1 <= radius} around the centre: the 2d vertices +-radius e_j, first all +, then all -.

    penalty: lambda of ||v||_1, beside the mean of squared residuals. With one, the centre is the last vertex.
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
        """(2d, d), or (2d + 1, d) with a penalty."""
        ends = self.radius * np.eye(self.dimension)
        return np.concatenate([ends, -ends, np.zeros((int(self.penalty > 0), self.dimension))])

    @property
    def norm(self) -> float:
        """The largest L1 norm of a vertex, from the centre."""
        return self.radius

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """<s, g> + lambda/2 ||s||_1 of each vertex: (M, 2d or 2d + 1) from (M, d)."""
        along = self.radius * gradient
        if not self.penalty:
            return np.concatenate([along, -along], axis=1)
        added, centre = along.dtype.type(self.penalty / 2 * self.radius), np.zeros_like(along[:, :1])
        return np.concatenate([along + added, added - along, centre], axis=1)


@dataclass(frozen=True, kw_only=True)
class Hull:
    """The convex hull of a public list of corners (V, d), as a tuple of tuples, from the centre."""

    corners: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if len({len(corner) for corner in self.corners}) != 1 or not np.isfinite(self.vertices).all():
            raise check.RefusedError("corners", self.corners, "a list of corners of one dimension, finite")

    @property
    def vertices(self) -> np.ndarray:
        """(V, d)"""
        return np.array(self.corners, dtype=float)

    @property
    def dimension(self) -> int:
        return len(self.corners[0])

    @property
    def norm(self) -> float:
        """The largest L1 norm of a corner, from the centre."""
        return float(np.abs(self.vertices).sum(axis=1).max())

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """<s, g> of each corner: (M, V) from (M, d)."""
        return gradient @ self.vertices.T.astype(gradient.dtype)


Polytope = L1Ball | Hull


class Penalties(NamedTuple):
    """lambda of the L1 norm, which the ball takes, and of the squared L2 norm, which the walk takes."""

    ball: float
    ridge: float


def penalties(penalty: float, *, q: str, unit: float = 1.0) -> Penalties:
    """Of ``penalty`` ||w||_q for weights that the walk sees times ``unit``."""
    value = check.between(0, math.inf, penalty=penalty)
    return Penalties(value / unit, 0.0) if check.choice(NORMS, q=q) == "1" else Penalties(0.0, value / unit**2)


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """Public rows that are counted as if they were private ones, each model with its own: no noise is made for them.

    gram (M, d, d) = sum x x', moment (M, d) = sum x y, rows (M,); or one of each for all models.
    """

    gram: np.ndarray
    moment: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Walk:
    """weights (M, d); choices (T, M), the vertex chosen in each step, -1 where a model has no more steps.

    points (T + 1, M, d): where each model was, if they were asked for.
    """

    weights: np.ndarray
    choices: np.ndarray
    points: np.ndarray | None = None

    def sparsity(self, *, centre: int = -1) -> np.ndarray:
        """(M,): how many different vertices each model is made of, but for that which is the centre."""
        ordered = np.sort(self.choices, axis=0)
        fresh = np.vstack([np.ones((1, ordered.shape[1]), bool), np.diff(ordered, axis=0) > 0])
        return (fresh & (ordered >= 0) & (ordered != centre)).sum(axis=0)


def score_sensitivity(norm: float, *, residual_bound: float, rows: float, adjacency: Adjacency) -> float:
    """The largest change of any one score between neighbours: contributions * max_s ||s||_1 * R / n."""
    check.positive(rows=rows)
    check.positive(residual_bound=residual_bound)
    return Adjacency(adjacency).contributions * check.positive(norm=norm) * residual_bound / rows


def selection_epsilon(rho: float, *, steps: int, noise: Noise) -> float:
    """Epsilon of each of ``steps`` choices that cost ``rho`` (zCDP) together: see ``dpcore.accountants.zcdp``."""
    check.choice(NOISES, noise=noise)
    return math.sqrt({"gumbel": 8, "laplace": 2}[noise] * check.positive(rho=rho) / check.whole(1, steps=steps))


def noise_scale(epsilon: float, *, sensitivity: float) -> float:
    """The scale b at which a choice costs ``epsilon`` = 2 sensitivity / b, for either noise.

    One score may rise by the sensitivity while the others fall: log-probabilities then move within 2 sensitivity / b.
    """
    return 2 * check.positive(sensitivity=sensitivity) / check.positive(epsilon=epsilon)


def printed_scale(
    norm: float, *, residual_bound: float, rows: float, epsilon: float, delta: float, steps: int
) -> float:
    """L1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon): the Laplace scale as printed [talwar2015; zhang2022].

    Its promise is about composition only, and about a row that is there or not: see ``printed_epsilon``.
    """
    check.positive(epsilon=epsilon)
    log = math.log(1 / check.between(0, 1, inclusive=False, delta=delta))
    return residual_bound * norm * math.sqrt(8 * check.whole(1, steps=steps) * log) / (rows * epsilon)


def printed_epsilon(epsilon: float, *, delta: float, steps: int, adjacency: Adjacency) -> float:
    """What one choice costs with the printed scale: 2 sensitivity / scale, whatever the data."""
    options = {"residual_bound": 1.0, "rows": 1}
    scale = printed_scale(1.0, epsilon=epsilon, delta=delta, steps=steps, **options)
    return 2 * score_sensitivity(1.0, adjacency=adjacency, **options) / scale


def event(epsilon: float, *, steps: int, noise: Noise) -> Composed:
    """What a walk leaves behind: so many choices, each at ``epsilon``."""
    release = BoundedRangeRelease if check.choice(NOISES, noise=noise) == "gumbel" else PureRelease
    return Composed(event=release(epsilon=epsilon), count=steps)


def steps_for(*, rows: float, rho: float, radius: float, residual_bound: float, vertices: int) -> int:
    """How many steps pay, from public numbers alone: more come nearer, and share the budget.

    The gap to the optimum falls as curvature / T, with curvature (2 radius)^2 / 3 for rows spread over [-1, 1]^d, and
    the noise makes it grow as b ln(V), b ~ radius R sqrt(T) / (n sqrt(rho)) [talwar2015, Theorem 3.2]: least near
    T = (radius n sqrt(rho) / (R ln V))^(2/3), times a constant. Where noise drowns all, some steps average it.
    """
    signal = radius * rows * math.sqrt(check.positive(rho=rho)) / (residual_bound * math.log(max(vertices, 3)))
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
    draws: Sequence[int],
    noise: Noise = "gumbel",
    centre: np.ndarray | None = None,
    pooled: Pooled | None = None,
    ridge: float = 0.0,
    part: int = 0,
    keep_points: bool = False,
    dtype: type = np.float32,
) -> Walk:
    """Train M = len(draws) models, each from the centre of the polytope.

    X: (n, d) within [-1, 1]. y: (n,). centre: (d,) or (M, d), public. steps, scale: whole numbers and noise scales,
    one for all or (M,); a scale of 0 means no noise. residual_bound: R, infinite for plain least squares without noise.
    ridge: lambda of the penalty lambda ||w - c||^2; that of the L1 norm is the polytope's.
    draws, part: which noise stream of ``seed`` each model uses; equal draws share their noise, and longer walks begin
    with the noise of shorter ones. Raises RefusedError for bad arguments.
    """
    models, d = len(draws), polytope.dimension
    _refuse_bad_data(X, y, d)
    check.choice(NOISES, noise=noise)
    _refuse_bad_bound(residual_bound)
    draws = check.wholes((models,), low=0, draws=draws)
    lengths = np.broadcast_to(check.wholes((), (models,), low=1, steps=steps), (models,))
    scales = np.broadcast_to(check.numbers((), (models,), low=0, scale=scale), (models,))
    if centre is not None:
        centre = check.numbers((d,), (models, d), centre=centre)
    order = np.argsort(-lengths, kind="stable")  # models with steps left are always the first ones
    task = _Task(
        rows=np.ascontiguousarray(X, dtype),
        columns=np.ascontiguousarray(X.T, dtype),
        labels=_labels(X, y, centre, order, dtype),
        bound=dtype(residual_bound),
        ridge=dtype(check.between(0, math.inf, ridge=ridge)),
        pooled=_pooled(pooled, centre, order, models, d, dtype),
    )
    unit = _unit_noise(noise, seed, draws[order], part, int(lengths.max()), len(polytope.vertices))
    walk = _walk(task, polytope, lengths[order], scales[order], unit, keep_points, dtype)
    back = np.argsort(order)
    middle = np.zeros(d, dtype) if centre is None else np.asarray(centre, dtype)
    points = None if walk.points is None else walk.points[:, back] + middle
    return Walk(weights=walk.weights[back] + middle, choices=walk.choices[:, back], points=points)


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What the gradient needs, in one precision; the models in the order of the walk."""

    rows: np.ndarray
    columns: np.ndarray
    labels: np.ndarray
    bound: float
    ridge: float
    pooled: Pooled | None

    def gradient(self, away: np.ndarray) -> np.ndarray:
        """g (m, d) of the first m models, which stand ``away`` (m, d) from the centre."""
        found = self._of_rows(away)
        return found + self.ridge * away if self.ridge else found

    def _of_rows(self, away: np.ndarray) -> np.ndarray:
        m = len(away)
        residual = away @ self.columns
        np.subtract(self.labels if len(self.labels) == 1 else self.labels[:m], residual, out=residual)
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
        m = int(np.searchsorted(-lengths, -step))  # with more than ``step`` steps
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
    """((streams, T or more, V) noise of scale 1, row of each model): an own draw for each vertex, in step order."""
    indices, rows = np.unique(draws, return_inverse=True)
    spare = 1 << (steps - 1).bit_length()  # what is kept serves the next epsilon of a drag, with some more steps
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
    """y - Xc: (1, n) where all models share a centre, else (M, n)."""
    if centre is None:
        return np.asarray(y, dtype)[None]
    middle = np.asarray(centre, dtype=float)
    middle = middle[None] if middle.ndim == 1 else middle[order]
    return (y - middle @ np.asarray(X, dtype=float).T).astype(dtype)


def _pooled(pooled, centre, order, models, d, dtype) -> Pooled | None:
    """The pooled rows of each model, seen from its centre."""
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
    return Pooled(gram=gram if shared else gram.astype(dtype), moment=moment.astype(dtype), rows=rows.astype(dtype))


def _refuse_bad_bound(residual_bound: float) -> None:
    if residual_bound != math.inf:
        check.positive(residual_bound=residual_bound)


def _refuse_bad_data(X: np.ndarray, y: np.ndarray, d: int) -> None:
    if np.ndim(X) != 2 or len(X) == 0 or np.shape(X) != (len(y), d):
        raise check.RefusedError("X", np.shape(X), f"(n, {d}) with the n = {len(y)} rows of y, at least one")
    check.numbers((len(X),), y=y)
    if np.abs(check.numbers(X=X)).max() > 1 + 1e-9:
        raise check.RefusedError("X", f"up to {np.abs(X).max():.3g}", "values within [-1, 1]")
