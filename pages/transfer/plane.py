"""The same training with two coefficients, so that each run can be drawn."""

from dataclasses import dataclass

import numpy as np

from dpcore.cache import cached
from dpcore.training.polytopes import Hull, L1Ball, Polytope
from lab.data import transfer_worlds
from lab.data.transfer_worlds import RADIUS
from pages.transfer.model import STREAM_PARTS, Data, Model

# The polytopes over which the runs go.
POLYTOPES = ("diamond", "corners")
# The vertices of "corners", of L1 norm 1 at most. They are public, and irregular.
_CORNERS = (
    (0.75, 0.25),
    (0.2, 0.8),
    (-0.45, 0.55),
    (-0.85, 0.1),
    (-0.5, -0.4),
    (0.05, -0.95),
    (0.6, -0.4),
)
# The true coefficients, and the direction in which the source differs from them. A difference of 4,
# which is the largest, moves the source by this.
_TRUTH = (0.8, -0.5)
_CONTRAST = (-0.7, -0.3)
_LARGEST_DIFFERENCE = 4
# Index of the stream of the private rows, which no other data have.
_STREAM = 99


@dataclass(frozen=True, kw_only=True)
class Plane:
    """A model in the plane.

    polytope: the set that runs go over, one of ``POLYTOPES``.
    """

    model: Model
    polytope: str

    def shape(self, radius: float, *, penalty: float = 0.0) -> Polytope:
        """Return the polytope within an L1 radius. An L1 ``penalty`` needs the diamond."""
        if self.polytope == "diamond":
            return L1Ball(dimension=2, radius=radius, penalty=penalty)
        return Hull(corners=tuple((radius * x, radius * y) for x, y in _CORNERS))

    def outline(self, radius: float) -> np.ndarray:
        """Return the vertices (V, 2) around 0, counter-clockwise."""
        vertices = self.shape(radius).vertices
        angles = np.arctan2(vertices[:, 1], vertices[:, 0])
        return vertices[np.argsort(angles)]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaneRuns:
    """R runs from zero over the large polytope, and R runs around the source over a small one.

    corners: the vertices of both polytopes, (V, 2) each.
    points: the points of both kinds of runs, (T + 1, R, 2) each.
    truth, source: the true coefficients, and those of the source, (2,).
    """

    corners: tuple[np.ndarray, ...]
    points: tuple[np.ndarray, ...]
    truth: np.ndarray
    source: np.ndarray


def run_in_plane(plane: Plane, epsilons: tuple[float], repeats: range) -> PlaneRuns:
    """Run Frank-Wolfe at one epsilon, from zero and around the source."""
    model = plane.model
    X, y = _private_rows(model.data)
    truth = np.array(_TRUTH)
    source = truth + model.data.difference / _LARGEST_DIFFERENCE * np.array(_CONTRAST)
    corners = []
    points = []
    starts = ((RADIUS, np.zeros(2)), (model.radius, source))
    for part, (radius, centre) in enumerate(starts, start=STREAM_PARTS["plane"]):
        shape = plane.shape(radius, penalty=model.penalties.ball)
        plan = model.plan(epsilons[0], radius=shape.norm, rows=len(X), vertices=len(shape.vertices))
        trajectory = model.run_frank_wolfe(
            X,
            y,
            shape,
            steps=plan.steps,
            scale=plan.scale,
            noise=plan.noise,
            part=part,
            draws=repeats,
            centre=centre,
            keep_points=True,
            dtype=np.float64,
        )
        corners.append(plane.outline(radius) + centre)
        points.append(np.asarray(trajectory.points))
    return PlaneRuns(corners=tuple(corners), points=tuple(points), truth=truth, source=source)


@cached
def _private_rows(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Return the private rows X (n, 2), y (n,)."""
    return transfer_worlds.draw_rows(data.seed, _STREAM, (-1.0, 1.0), np.array(_TRUTH), data.rows)
