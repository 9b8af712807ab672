"""The private rows alone: the noisy walk beside noisy gradient descent.

Both stay within the L1 ball of the page's radius, have its penalty and keep its promise. The walk's
noise is for one number of a gradient, the descent's for the length of all d.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.regression.least_squares import Statistics
from dpcore.regression.perturbation import Descent
from dpcore.streams import stream
from lab.data import transfer_worlds
from lab.data.transfer_worlds import RADIUS
from pages.transfer.tasks import PARTS, Model

# The descent's steps, and what a row's gradient is clipped to, in usual lengths of a row: good on
# made-up data of many sizes, best on none.
STEPS, _REACH = 16, 0.2


class Alone(NamedTuple):
    """Excess risks (R,) of the private rows alone, by Frank-Wolfe and by gradient descent."""

    walk: np.ndarray
    descent: np.ndarray

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians of Frank-Wolfe and of the descent."""
        return float(np.median(self.walk)), float(np.median(self.descent))


def beside(model: Model, at: tuple[float], repeats: range) -> Alone:
    """Walk and descend at one epsilon on the private rows alone."""
    data, (epsilon,) = model.data, at
    problem, walk = _rows(data.seed, data.rows, data.dimension), model.plans(epsilon, 0)["target"]
    noisy = {
        "steps": walk.steps,
        "scale": walk.scale,
        "noise": walk.noise,
        "part": PARTS["target"],
        "draws": repeats,
    }
    return Alone(
        walk=problem.risk(model.walk(problem.X, problem.y, model.ball(RADIUS), **noisy).weights),
        descent=problem.risk(_descent(model, problem, epsilon, repeats)),
    )


@cached
def _rows(seed: int, rows: int, dimension: int) -> transfer_worlds.Problem:
    """Return the page's private rows, whatever the sources are."""
    return transfer_worlds.problem(
        seed=seed, rows=rows, dimension=dimension, sources=1, difference=0.0
    )


def way(model: Model) -> Descent:
    """Return the descent, from public numbers alone: n usual rows of U(-1, 1)^d have a curvature of
    about (1 + sqrt(d/n))^2 / 3.
    """
    n, d = model.data.rows, model.data.dimension
    return Descent(
        delta=model.claim.delta,
        steps=STEPS,
        radius=RADIUS,
        norm="l1",
        lasso=model.penalties.ball,
        ridge=model.penalties.ridge,
        rate=3 / (1 + math.sqrt(d / n)) ** 2,
        momentum=0.0,
        clip_norm=_clip_norm(d),
    )


def _clip_norm(dimension: int) -> float:
    """Return what a row's gradient is clipped to: a usual row of U(-1, 1)^d is sqrt(d/3) long."""
    return _REACH * math.sqrt(dimension / 3)


def _descent(
    model: Model, problem: transfer_worlds.Problem, epsilon: float, repeats: range
) -> np.ndarray:
    chosen, draw = way(model), partial(stream, model.data.seed, "noise")
    unit = np.stack(
        [chosen.draws(model.data.dimension, draw(r, PARTS["descent"])) for r in repeats]
    )
    # Its noise is for a row that is replaced; one that is there or not moves the mean half as far
    unit *= Adjacency(model.claim.adjacency).contributions / 2
    X, y = problem.X, problem.y
    return chosen.fit(Statistics.of(X, y), unit, np.array([epsilon]), rows=(X, y)).weights[0]
