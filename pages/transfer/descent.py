"""The private rows alone, over the number of coefficients: the noisy walk beside noisy gradient descent.

Both stay within the L1 ball of the page's radius, have its penalty and keep its promise. The walk's noise is for one
number of a gradient, the descent's for the length of all d.
"""

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from dpcore import transfer
from dpcore.accountants import account, gdp
from dpcore.cache import cached
from dpcore.estimators.reference import penalised_least_squares
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.regression.least_squares import Statistics
from dpcore.regression.perturbed import Descent
from dpcore.streams import stream
from dpcore.transfer import RADIUS
from pages.transfer.work import PARTS, Claim, Model

DIMENSIONS = (5, 10, 20, 50, 100, 200, 500)
# The descent's steps, and what a row's gradient is clipped to, in usual lengths of a row: good on made-up data of many
# sizes, best on none.
STEPS, _REACH = 16, 0.2


class Alone(NamedTuple):
    """Excess risks of the private rows alone: walk (R,), descent (R,), without privacy, and of predicting 0."""

    walk: np.ndarray
    descent: np.ndarray
    plain: float
    nothing: float

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians of Frank-Wolfe and of the descent."""
        return float(np.median(self.walk)), float(np.median(self.descent))


def beside(model: Model, at: tuple[float], repeats: range) -> Alone:
    """Walk and descend at one epsilon on the private rows alone."""
    data, (epsilon,) = model.data, at
    problem, walk = _rows(data.seed, data.rows, data.dimension), model.plans(epsilon, 0)["target"]
    noisy = {"steps": walk.steps, "scale": walk.scale, "noise": walk.noise, "part": PARTS["target"], "draws": repeats}
    plain = penalised_least_squares(problem.X, problem.y, penalty=model.penalty, q=model.penalty_q)
    return Alone(
        walk=problem.risk(model.walk(problem.X, problem.y, model.ball(RADIUS), **noisy).weights),
        descent=problem.risk(_descent(model, problem, epsilon, repeats)),
        plain=float(problem.risk(plain)),
        nothing=float(problem.risk(np.zeros(data.dimension))),
    )


@cached
def _rows(seed: int, rows: int, dimension: int) -> transfer.Problem:
    """Return the page's private rows, whatever the sources are."""
    return transfer.problem(seed=seed, rows=rows, dimension=dimension, sources=1, difference=0.0)


def way(model: Model) -> Descent:
    """Return the descent, from public numbers alone: n usual rows of U(-1, 1)^d have a curvature of about
    (1 + sqrt(d/n))^2 / 3."""
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


def _descent(model: Model, problem: transfer.Problem, epsilon: float, repeats: range) -> np.ndarray:
    chosen, draw = way(model), partial(stream, model.data.seed, "noise")
    unit = np.stack([chosen.draws(model.data.dimension, draw(r, PARTS["descent"])) for r in repeats])
    # Its noise is for a row that is replaced; one that is there or not moves the mean half as far
    unit *= Adjacency(model.claim.adjacency).contributions / 2
    X, y = problem.X, problem.y
    return chosen.fit(Statistics.of(X, y), unit, np.array([epsilon]), rows=(X, y)).weights[0]


def noise_sd(model: Model, epsilon: float) -> float:
    """Return the standard deviation of the descent's noise on each number of a mean gradient."""
    moved = Adjacency(model.claim.adjacency).contributions * _clip_norm(model.data.dimension) / model.data.rows
    return math.sqrt(STEPS) / gdp.mu_of(epsilon, delta=model.claim.delta) * moved


def guarantee(claim: Claim, epsilon: float) -> Guarantee:
    """Return the guarantee of the descent: Gaussian releases, which compose exactly."""
    found = account(Descent(delta=claim.delta, steps=STEPS).event(epsilon), **claim.neighbours)
    return replace(found, assumes=public_count(found.adjacency))
