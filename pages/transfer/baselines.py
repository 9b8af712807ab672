"""The private rows alone, by noisy Frank-Wolfe and by noisy gradient descent.

Both stay within the L1 ball of the target, have its penalty and its guarantee. The noise of
Frank-Wolfe covers one score of a gradient, and that of the descent the norm of all d coordinates.
"""

import math
from typing import NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.regression.least_squares import Statistics
from dpcore.regression.perturbation import Descent
from dpcore.streams import stream
from lab.data import transfer_worlds
from lab.data.transfer_worlds import RADIUS
from pages.transfer.model import STREAM_PARTS, Model

# Steps of the descent, and the bound on a row's gradient in norms of a usual row. They are good for
# simulated data of many sizes, and best for none.
_STEPS = 16
_CLIP_SHARE = 0.2


class BaselineRisks(NamedTuple):
    """Excess risks (R,) of the private rows alone."""

    frank_wolfe: np.ndarray
    descent: np.ndarray

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians of Frank-Wolfe and of gradient descent."""
        return float(np.median(self.frank_wolfe)), float(np.median(self.descent))


def fit_baselines(model: Model, epsilons: tuple[float], repeats: range) -> BaselineRisks:
    """Train on the private rows alone at one epsilon."""
    (epsilon,) = epsilons
    data = model.data
    problem = private_rows(data.seed, data.rows, data.dimension)
    plan = model.plans(epsilon, 0)["target"]
    trajectory = model.run_frank_wolfe(
        problem.X,
        problem.y,
        model.ball(RADIUS),
        steps=plan.steps,
        scale=plan.scale,
        noise=plan.noise,
        part=STREAM_PARTS["target"],
        draws=repeats,
    )
    weights = fit_descent(model, gradient_descent(model), problem, epsilon, repeats)
    return BaselineRisks(
        frank_wolfe=problem.risk(trajectory.weights),
        descent=problem.risk(weights),
    )


@cached
def private_rows(seed: int, rows: int, dimension: int) -> transfer_worlds.Problem:
    """Return the private rows of the page, which do not depend on the sources."""
    return transfer_worlds.problem(
        seed=seed, rows=rows, dimension=dimension, sources=1, difference=0.0
    )


def gradient_descent(model: Model) -> Descent:
    """Return the descent, whose options follow from public numbers.

    The step size is one over the largest curvature of n usual rows of U(-1, 1)^d, which is about
    (1 + sqrt(d / n))^2 / 3.
    """
    rows = model.data.rows
    dimension = model.data.dimension
    usual_row_norm = math.sqrt(dimension / 3)
    return Descent(
        delta=model.claim.delta,
        steps=_STEPS,
        radius=RADIUS,
        norm="l1",
        lasso=model.penalties.ball,
        ridge=model.penalties.ridge,
        rate=3 / (1 + math.sqrt(dimension / rows)) ** 2,
        momentum=0.0,
        clip_norm=_CLIP_SHARE * usual_row_norm,
    )


def fit_descent(
    model: Model,
    descent: Descent,
    problem: transfer_worlds.Problem,
    epsilon: float,
    repeats: range,
) -> np.ndarray:
    """Train the repeats by gradient descent, and return their weights (R, d)."""
    draws = []
    for repeat in repeats:
        noise_stream = stream(model.data.seed, "noise", repeat, STREAM_PARTS["descent"])
        draws.append(descent.draws(model.data.dimension, noise_stream))
    # The noise of ``Descent`` is for a replaced row. A row that is added or removed moves the mean
    # half as far.
    noise = np.stack(draws)
    noise *= Adjacency(model.claim.adjacency).contributions / 2
    statistics = Statistics.of(problem.X, problem.y)
    fit = descent.fit(statistics, noise, np.array([epsilon]), rows=(problem.X, problem.y))
    return fit.weights[0]
