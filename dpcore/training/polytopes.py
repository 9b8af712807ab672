"""Public polytopes that Frank-Wolfe moves in, and the scores of their vertices.

Vertices are relative to a public centre c.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore import check

# Norm of the penalty; "2" is the squared norm.
NORMS = ("1", "2")


@dataclass(frozen=True, kw_only=True)
class L1Ball:
    """The ball {v: ||v||_1 <= radius} around the centre.

    The vertices are the 2d points +-radius e_j, first all +, then all -. With a penalty, the centre
    is the last vertex.

    Attributes:
        dimension: d.
        radius: In units of the weights.
        penalty: lambda of lambda ||v||_1, which is added to the mean squared residual.
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
        vertices = [ends, -ends]
        if self.penalty > 0:
            vertices.append(np.zeros((1, self.dimension)))
        return np.concatenate(vertices)

    @property
    def norm(self) -> float:
        """Return the largest L1 norm of a vertex, relative to the centre."""
        return self.radius

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """Return the score s.g + lambda/2 ||s||_1 of each vertex s for M models.

        Args:
            gradient: g, (M, d).

        Returns:
            (M, 2d), or (M, 2d + 1) with a penalty.
        """
        products = self.radius * gradient
        if self.penalty == 0:
            return np.concatenate([products, -products], axis=1)
        half_penalty = products.dtype.type(self.penalty / 2 * self.radius)
        centre = np.zeros_like(products[:, :1])
        scores = [products + half_penalty, half_penalty - products, centre]
        return np.concatenate(scores, axis=1)


@dataclass(frozen=True, kw_only=True)
class Hull:
    """The convex hull of public corners.

    Attributes:
        corners: Points (V, d) relative to the centre, as a tuple of tuples.
    """

    corners: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        dimensions = {len(corner) for corner in self.corners}
        if len(dimensions) != 1 or not np.isfinite(self.vertices).all():
            raise check.RefusedError(
                "corners", self.corners, "a list of corners of one dimension, finite"
            )

    @property
    def vertices(self) -> np.ndarray:
        """Return the vertices (V, d)."""
        return np.array(self.corners, dtype=float)

    @property
    def dimension(self) -> int:
        """Return d, the number of coordinates of a corner."""
        return len(self.corners[0])

    @property
    def norm(self) -> float:
        """Return the largest L1 norm of a corner, relative to the centre."""
        return float(np.abs(self.vertices).sum(axis=1).max())

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """Return the score s.g of each corner s: (M, V) from ``gradient`` (M, d)."""
        return gradient @ self.vertices.T.astype(gradient.dtype)


Polytope = L1Ball | Hull


class Penalties(NamedTuple):
    """Strengths lambda of two penalties.

    Attributes:
        ball: Of the L1 norm, which is a matter of the ``L1Ball``.
        ridge: Of the squared L2 norm, which is a matter of the algorithm.
    """

    ball: float
    ridge: float


def penalties(penalty: float, *, q: str, unit: float = 1.0) -> Penalties:
    """Return the penalties that add up to ``penalty`` ||w||_q.

    Args:
        penalty: lambda.
        q: A key of ``NORMS``.
        unit: The algorithm uses weights multiplied by this.
    """
    strength = check.between(0, math.inf, penalty=penalty)
    check.choice(NORMS, q=q)
    if q == "1":
        return Penalties(ball=strength / unit, ridge=0.0)
    return Penalties(ball=0.0, ridge=strength / unit**2)
