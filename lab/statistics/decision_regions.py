"""Decision regions and decision boundaries of classifiers on a plane through feature space.

A plane maps coordinates (a, b) to the inputs origin + a * axes[0] + b * axes[1]. On it every linear
classifier is linear again, with three weights per output, so its boundaries are exact line
segments. The boundaries of other classifiers are traced on a grid.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dpcore.cache import cached
from dpcore.training import losses

Extent = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plane:
    """A plane through feature space: origin (d,), orthonormal axes (2, d), extent ((a_low, a_high),
    (b_low, b_high)).

    units: the ends of each axis as displayed. labels: the two axis labels.
    """

    origin: np.ndarray
    axes: np.ndarray
    extent: Extent
    units: Extent
    labels: tuple[str, str]

    def display(self, points: np.ndarray) -> np.ndarray:
        """Return plane coordinates ``points`` (..., 2) in the displayed units of the axes."""
        low, high = np.array(self.extent).T
        shown_low, shown_high = np.array(self.units).T
        return shown_low + (points - low) * (shown_high - shown_low) / (high - low)

    def grid(self, size: int) -> np.ndarray:
        """Return the coordinates (size * size, 2) of a grid over the extent, the first coordinate
        running fastest.
        """
        a, b = (np.linspace(low, high, size) for low, high in self.extent)
        return np.column_stack([grid.ravel() for grid in np.meshgrid(a, b)])

    def inputs(self, points: np.ndarray) -> np.ndarray:
        """Return the inputs (m, d) at plane coordinates ``points`` (m, 2)."""
        return self.origin + points @ self.axes

    def coordinates(self, X: np.ndarray) -> np.ndarray:
        """Project rows ``X`` (n, d) onto the plane, (n, 2)."""
        return (X - self.origin) @ self.axes.T

    def restrict(self, weights: np.ndarray) -> np.ndarray:
        """Restrict ``weights`` (..., k, d + 1) to the plane: weights (..., k, 3) for inputs (a, b,
        1).
        """
        slopes = weights[..., :-1] @ self.axes.T
        offset = weights[..., :-1] @ self.origin + weights[..., -1]
        return np.concatenate([slopes, offset[..., None]], axis=-1)


def feature_plane(
    X_public: np.ndarray,
    x: int,
    y: int,
    *,
    names: tuple[str, ...],
    bounds: tuple[tuple[float, float], ...],
) -> Plane:
    """Return the plane of features ``x`` and ``y``, with the other features at the mean of the
    public rows.

    Features lie in [-1, 1]. ``bounds`` (d, 2) are these ends in the features' original units.
    """
    axes = np.zeros((2, X_public.shape[1]))
    axes[0, x] = axes[1, y] = 1
    origin = X_public.mean(axis=0)
    origin[[x, y]] = 0
    return Plane(
        origin=origin,
        axes=axes,
        extent=((-1.0, 1.0), (-1.0, 1.0)),
        units=(bounds[x], bounds[y]),
        labels=(names[x], names[y]),
    )


def principal_plane(X_public: np.ndarray) -> Plane:
    """Return the plane of the first two principal components of the public rows, through their
    mean.
    """
    origin = X_public.mean(axis=0)
    _, _, directions = np.linalg.svd(X_public - origin, full_matrices=False)
    axes = directions[:2] * np.sign(directions[:2].sum(axis=1, keepdims=True) + 1e-12)
    reach = (X_public - origin) @ axes.T
    low, high = reach.min(axis=0), reach.max(axis=0)
    margin = 0.1 * (high - low)
    first, second = zip((low - margin).tolist(), (high + margin).tolist(), strict=True)
    extent = first, second
    labels = ("public direction 1", "public direction 2")
    return Plane(origin=origin, axes=axes, extent=extent, units=extent, labels=labels)


def usual_plane(
    X_public: np.ndarray, *, names: tuple[str, ...], bounds: tuple[tuple[float, float], ...]
) -> Plane:
    """Return the plane of the two features if there are only two, else that of the first two
    principal components.
    """
    return (
        feature_plane(X_public, 0, 1, names=names, bounds=bounds)
        if len(names) == 2
        else principal_plane(X_public)
    )


def votes(weights: np.ndarray, plane: Plane, *, size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return (majority class, share of votes) of R models on a grid over ``plane``, both (size,
    size).

    Rows of the grid follow the second coordinate, columns the first.
    """
    winner, share = agreement(
        plane.restrict(weights).astype(np.float32) @ _grid_inputs(plane, size)
    )
    return winner.reshape(size, size), share.reshape(size, size)


@cached(newest=16)
def _grid_inputs(plane: Plane, size: int) -> np.ndarray:
    """Return the grid inputs with a constant, (3, size * size), cached because every picture of a
    plane needs them.
    """
    return losses.with_constant(plane.grid(size)).astype(np.float32).T


def agreement(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (majority class (m,), its share of votes (m,)) of R models with logits ``z`` (R, k,
    m).
    """
    winners = losses.likeliest(z, dtype=np.uint8)
    counts = np.stack([(winners == label).sum(axis=0) for label in range(max(2, z.shape[1]))])
    return counts.argmax(axis=0), counts.max(axis=0) / len(z)


# The most classes of which the boundaries of all runs leave a map legible.
FEW = 4


def drawn(accuracy: np.ndarray, classes: int) -> slice:
    """Return which runs of this accuracy (R,) a map shows: all of them or, of more than ``FEW``
    classes, the median run.
    """
    if classes <= FEW or not np.isfinite(accuracy).any():
        return slice(None)
    middle = int(np.nanargmin(np.abs(accuracy - np.nanmedian(accuracy))))
    return slice(middle, middle + 1)


def boundaries(weights: np.ndarray, plane: Plane) -> np.ndarray:
    """Return the decision boundaries of R models within the extent, as segments (m, 2, 2) of (end,
    coordinate).

    Two classes i and j meet on the line z_i = z_j wherever no other class has a larger logit. Each
    such condition restricts the parameter along the line to a half-line, so what remains is one
    interval.
    """
    w = plane.restrict(np.asarray(weights, dtype=float))
    if w.shape[1] == 1:
        w = np.concatenate([np.zeros_like(w), w], axis=1)
    pairs = np.array([*combinations(range(w.shape[1]), 2)])
    # Vectorised over class pairs and models: (pairs, R, ...) as one list of lines
    i, j = pairs.T
    own = np.moveaxis(w[:, i], 1, 0)
    lines = (own - np.moveaxis(w[:, j], 1, 0)).reshape(-1, 3)
    leads = own[:, :, None] - w[None]
    # The two classes of a pair restrict nothing: replace their conditions by one that always holds
    for one in (i, j):
        leads[np.arange(len(pairs)), :, one] = (0, 0, 1)
    slanted = np.linalg.norm(lines[:, :2], axis=1) > 0
    return _segments_within(lines[slanted], leads.reshape(len(lines), -1, 3)[slanted], plane.extent)


def _segments_within(line: np.ndarray, leads: np.ndarray, extent: Extent) -> np.ndarray:
    """Return the segments (m, 2, 2) of lines (L, 3) on which all ``leads`` (L, c, 3) are >= 0,
    within the extent.
    """
    normal = line[:, :2]
    point = -line[:, 2:] * normal / np.square(normal).sum(axis=1, keepdims=True)
    along = np.stack([-normal[:, 1], normal[:, 0]], axis=1) / np.linalg.norm(
        normal, axis=1, keepdims=True
    )
    (a_low, a_high), (b_low, b_high) = extent
    edges = np.array(
        [[1, 0, -a_low], [-1, 0, a_high], [0, 1, -b_low], [0, -1, b_high]], dtype=float
    )
    conditions = np.concatenate([leads, np.broadcast_to(edges, (len(line), *edges.shape))], axis=1)
    constant = np.einsum("rcx,rx->rc", conditions[..., :2], point) + conditions[..., 2]
    slope = np.einsum("rcx,rx->rc", conditions[..., :2], along)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -constant / slope
    low = np.where(slope > 0, root, -np.inf).max(axis=1)
    high = np.where(slope < 0, root, np.inf).min(axis=1)
    possible = (np.where(slope == 0, constant, 0) >= 0).all(axis=1) & (low < high)
    ends = np.stack([low, high], axis=1)[possible, :, None]
    return point[possible, None] + ends * along[possible, None]


def traced(z: np.ndarray, plane: Plane) -> np.ndarray:
    """Return the decision boundaries (m, 2, 2) of R models from logits (R, K, size, size) on the
    grid of ``plane``.

    A class wins where its lead over all other classes is positive. The line of zero lead is traced
    cell by cell, straight between the points where it crosses the edges of the cell (marching
    squares).
    """
    size = z.shape[-1]
    leads = (
        [z[:, 1] - z[:, 0]]
        if z.shape[1] == 2
        else [_lead(z, label) for label in range(z.shape[1] - 1)]
    )
    steps = np.array([(high - low) / (size - 1) for low, high in plane.extent])
    corner = np.array([low for low, _ in plane.extent])
    return corner + np.concatenate([zeros(lead) for lead in leads]) * steps


def _lead(z: np.ndarray, label: int) -> np.ndarray:
    return z[:, label] - np.delete(z, label, axis=1).max(axis=1)


# Corners of a cell as (up, right), and its edges as pairs of corners: bottom, right, top, left.
_CORNERS = np.array([(0, 0), (0, 1), (1, 1), (1, 0)])
_EDGES = ((0, 1), (1, 2), (3, 2), (0, 3))


def zeros(field: np.ndarray) -> np.ndarray:
    """Return the zero contours of fields (R, rows, columns) as segments (m, 2, 2) in cells, none at
    NaN.
    """
    high = field > 0
    sides = [
        high[:, up : up + high.shape[1] - 1, right : right + high.shape[2] - 1]
        for up, right in _CORNERS
    ]
    mixed = (sides[0] != sides[1]) | (sides[1] != sides[2]) | (sides[2] != sides[3])
    model, up, right = np.nonzero(mixed)
    at = np.stack([field[model, up + a, right + b] for a, b in _CORNERS])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        along = [np.clip(at[one] / (at[one] - at[other]), 0, 1) for one, other in _EDGES]
    crossed = np.stack([(at[one] > 0) != (at[other] > 0) for one, other in _EDGES])
    cell = np.stack([right, up], axis=-1)
    points = np.stack(
        [
            cell + _CORNERS[one][::-1] + share[:, None] * (_CORNERS[other] - _CORNERS[one])[::-1]
            for (one, other), share in zip(_EDGES, along, strict=True)
        ]
    )
    saddle = crossed.all(axis=0)
    parts = []
    for first, second in combinations(range(4), 2):
        joined = (
            crossed[first] & crossed[second] & (~saddle | ((first, second) in ((0, 1), (2, 3))))
        )
        parts.append(np.stack([points[first, joined], points[second, joined]], axis=1))
    found = np.concatenate(parts)
    return found[np.isfinite(found).all(axis=(1, 2))]
