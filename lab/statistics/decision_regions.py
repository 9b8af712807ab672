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

# Part of the range of the public rows that a plane extends beyond them.
_MARGIN = 0.1
# Makes the sign of a sum of 0 positive.
_TIE_BREAK = 1e-12
# Largest number of classes with which the boundaries of all runs leave a map legible.
FEW = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Plane:
    """A plane through feature space.

    Attributes:
        origin: A point (d,) on the plane.
        axes: Orthonormal directions (2, d).
        extent: ((a_low, a_high), (b_low, b_high)), the part that is drawn.
        units: The extent as displayed.
        labels: The two axis labels.
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
        (a_low, a_high), (b_low, b_high) = self.extent
        a, b = np.meshgrid(np.linspace(a_low, a_high, size), np.linspace(b_low, b_high, size))
        return np.column_stack([a.ravel(), b.ravel()])

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

    Args:
        X_public: Public rows (n, d) in [-1, 1].
        x: Index of the horizontal feature.
        y: Index of the vertical feature.
        names: Names of the features.
        bounds: The values (d, 2) in original units that correspond to -1 and 1.
    """
    axes = np.zeros((2, X_public.shape[1]))
    axes[0, x] = 1
    axes[1, y] = 1
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
    # The sign of a direction is arbitrary: its coordinates get a positive sum.
    sums = directions[:2].sum(axis=1, keepdims=True)
    axes = directions[:2] * np.sign(sums + _TIE_BREAK)
    coordinates = (X_public - origin) @ axes.T
    low = coordinates.min(axis=0)
    high = coordinates.max(axis=0)
    margin = _MARGIN * (high - low)
    a_low, b_low = (low - margin).tolist()
    a_high, b_high = (high + margin).tolist()
    extent = ((a_low, a_high), (b_low, b_high))
    labels = ("public direction 1", "public direction 2")
    return Plane(origin=origin, axes=axes, extent=extent, units=extent, labels=labels)


def usual_plane(
    X_public: np.ndarray, *, names: tuple[str, ...], bounds: tuple[tuple[float, float], ...]
) -> Plane:
    """Return the plane of the two features if there are only two, else that of the first two
    principal components.
    """
    if len(names) == 2:
        return feature_plane(X_public, 0, 1, names=names, bounds=bounds)
    return principal_plane(X_public)


def votes(weights: np.ndarray, plane: Plane, *, size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return (majority class, share of votes) of R models on a grid over ``plane``, both (size,
    size).

    Rows of the grid follow the second coordinate, columns the first.
    """
    z = plane.restrict(weights).astype(np.float32) @ _grid_inputs(plane, size)
    winner, share = agreement(z)
    return winner.reshape(size, size), share.reshape(size, size)


@cached(newest=16)
def _grid_inputs(plane: Plane, size: int) -> np.ndarray:
    """Return the grid inputs with a constant, (3, size * size), which every chart of a plane
    needs.
    """
    return losses.with_constant(plane.grid(size)).astype(np.float32).T


def agreement(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (majority class (m,), its share of votes (m,)) of R models with logits ``z`` (R, k,
    m).
    """
    winners = losses.likeliest(z, dtype=np.uint8)
    # One logit decides between two classes.
    classes = max(2, z.shape[1])
    counts = np.stack([(winners == label).sum(axis=0) for label in range(classes)])
    return counts.argmax(axis=0), counts.max(axis=0) / len(z)


def runs_to_draw(accuracy: np.ndarray, classes: int) -> slice:
    """Return the runs whose boundaries a map shows, the median run if there are more than ``FEW``
    classes, else all.

    Args:
        accuracy: Accuracy of the runs (R,).
        classes: Number of classes.
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
    pairs = np.array(list(combinations(range(w.shape[1]), 2)))
    i, j = pairs.T
    # (R, pairs, 3) -> (pairs, R, 3)
    w_i = np.moveaxis(w[:, i], 1, 0)
    w_j = np.moveaxis(w[:, j], 1, 0)
    # One line per pair and model: (pairs R, 3)
    lines = (w_i - w_j).reshape(-1, 3)
    # The lead of class i over each class: (pairs, R, classes, 3)
    leads = w_i[:, :, None] - w[None]
    # The two classes of a pair restrict nothing. Their conditions are replaced by one that always
    # holds.
    for label in (i, j):
        leads[np.arange(len(pairs)), :, label] = (0, 0, 1)
    leads = leads.reshape(len(lines), -1, 3)
    is_line = np.linalg.norm(lines[:, :2], axis=1) > 0
    return _segments_within(lines[is_line], leads[is_line], plane.extent)


def _segments_within(lines: np.ndarray, leads: np.ndarray, extent: Extent) -> np.ndarray:
    """Return the segments (m, 2, 2) of lines (L, 3) on which all ``leads`` (L, c, 3) are >= 0,
    within the extent.
    """
    # A line is point + t * along.
    normal = lines[:, :2]
    point = -lines[:, 2:] * normal / np.square(normal).sum(axis=1, keepdims=True)
    along = np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    along = along / np.linalg.norm(normal, axis=1, keepdims=True)
    (a_low, a_high), (b_low, b_high) = extent
    edges = np.array(
        [[1, 0, -a_low], [-1, 0, a_high], [0, 1, -b_low], [0, -1, b_high]], dtype=float
    )
    edges = np.broadcast_to(edges, (len(lines), *edges.shape))
    conditions = np.concatenate([leads, edges], axis=1)
    # Each condition is constant + t * slope >= 0.
    constant = np.einsum("rcx,rx->rc", conditions[..., :2], point) + conditions[..., 2]
    slope = np.einsum("rcx,rx->rc", conditions[..., :2], along)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -constant / slope
    low = np.where(slope > 0, root, -np.inf).max(axis=1)
    high = np.where(slope < 0, root, np.inf).min(axis=1)
    holds_everywhere = np.where(slope == 0, constant, 0) >= 0
    is_segment = holds_everywhere.all(axis=1) & (low < high)
    # (m, ends, 1) * (m, 1, coordinates)
    ends = np.stack([low, high], axis=1)[is_segment, :, None]
    return point[is_segment, None] + ends * along[is_segment, None]


def traced(z: np.ndarray, plane: Plane) -> np.ndarray:
    """Return the decision boundaries (m, 2, 2) of R models from logits (R, K, size, size) on the
    grid of ``plane``.

    A class wins where its lead over all other classes is positive. The line of zero lead is traced
    cell by cell, straight between the points where it crosses the edges of the cell (marching
    squares).
    """
    classes = z.shape[1]
    size = z.shape[-1]
    if classes == 2:
        leads = [z[:, 1] - z[:, 0]]
    else:
        # The boundaries of the last class are those of the others.
        leads = [_lead(z, label) for label in range(classes - 1)]
    segments = np.concatenate([zeros(lead) for lead in leads])
    low, high = np.array(plane.extent).T
    return low + segments * ((high - low) / (size - 1))


def _lead(z: np.ndarray, label: int) -> np.ndarray:
    """Return the lead (R, size, size) of a class over the best of all others."""
    return z[:, label] - np.delete(z, label, axis=1).max(axis=1)


# Corners of a cell as (up, right), and its edges as pairs of corners: bottom, right, top, left.
_CORNERS = np.array([(0, 0), (0, 1), (1, 1), (1, 0)])
_EDGES = ((0, 1), (1, 2), (3, 2), (0, 3))
# Pairs of edges that are joined at a saddle: bottom and right, top and left.
_SADDLE_SEGMENTS = ((0, 1), (2, 3))


def zeros(field: np.ndarray) -> np.ndarray:
    """Return the zero contours of fields (R, rows, columns) as segments (m, 2, 2) in cells, none at
    NaN.
    """
    model, up, right = np.nonzero(_has_contour(field > 0))
    # Values (4, cells) at the corners of the cells that a contour crosses.
    corners = np.stack([field[model, up + a, right + b] for a, b in _CORNERS])
    cells = np.stack([right, up], axis=-1)
    points = []
    crossed = []
    for start, end in _EDGES:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            share = np.clip(corners[start] / (corners[start] - corners[end]), 0, 1)
        edge = (_CORNERS[end] - _CORNERS[start])[::-1]
        points.append(cells + _CORNERS[start][::-1] + share[:, None] * edge)
        crossed.append((corners[start] > 0) != (corners[end] > 0))
    # At a saddle all four edges are crossed. Two segments are drawn there, not all six.
    is_saddle = np.stack(crossed).all(axis=0)
    segments = []
    for first, second in combinations(range(len(_EDGES)), 2):
        joined = crossed[first] & crossed[second]
        if (first, second) not in _SADDLE_SEGMENTS:
            joined &= ~is_saddle
        segments.append(np.stack([points[first][joined], points[second][joined]], axis=1))
    contours = np.concatenate(segments)
    return contours[np.isfinite(contours).all(axis=(1, 2))]


def _has_contour(positive: np.ndarray) -> np.ndarray:
    """Return whether the corners of each cell (R, rows - 1, columns - 1) have both signs."""
    rows = positive.shape[1] - 1
    columns = positive.shape[2] - 1
    signs = [positive[:, up : up + rows, right : right + columns] for up, right in _CORNERS]
    return (signs[0] != signs[1]) | (signs[1] != signs[2]) | (signs[2] != signs[3])
