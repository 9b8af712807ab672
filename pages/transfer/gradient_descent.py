"""The private rows alone, by noisy gradient descent instead of noisy Frank-Wolfe.

It stays within the L1 ball of the target, has its penalty and its guarantee. The noise of
Frank-Wolfe covers one score of a gradient, and that of the descent the norm of all d coordinates.
"""

import math

import numpy as np

from dpcore.privacy import Adjacency
from dpcore.regression.descent import Descent, Rows
from dpcore.streams import stream
from lab.data.transfer_worlds import RADIUS, Problem
from pages.transfer.model import STREAM_PARTS, Model

# Steps of the descent, and the bound on a row's gradient in norms of a usual row. They are good for
# simulated data of many sizes, and best for none.
_STEPS = 16
_CLIP_SHARE = 0.2


def fit_risks(model: Model, epsilons: tuple[float], repeats: range) -> np.ndarray:
    """Train on the private rows at one epsilon, and return the excess risk (R,) of each repeat."""
    problem = model.data.problem
    return problem.risk(fit_weights(model, descent_for(model), problem, epsilons[0], repeats))


def descent_for(model: Model) -> Descent:
    """Return the descent, whose options follow from public numbers.

    The step size is one over the largest curvature of n usual rows of U(-1, 1)^d, which is about
    (1 + sqrt(d / n))^2 / 3.
    """
    rows = model.data.rows
    dimension = model.data.dimension
    usual_row_norm = math.sqrt(dimension / 3)
    return Descent(
        delta=model.delta,
        steps=_STEPS,
        radius=RADIUS,
        norm="l1",
        lasso=model.penalties.ball,
        ridge=model.penalties.ridge,
        rate=3 / (1 + math.sqrt(dimension / rows)) ** 2,
        momentum=0.0,
        clip_norm=_CLIP_SHARE * usual_row_norm,
    )


def fit_weights(
    model: Model, descent: Descent, problem: Problem, epsilon: float, repeats: range
) -> np.ndarray:
    """Train the repeats by gradient descent, and return their weights (R, d)."""
    draws = []
    for repeat in repeats:
        noise_stream = stream(model.data.seed, "noise", repeat, STREAM_PARTS["descent"])
        draws.append(descent.draws(model.data.dimension, noise_stream))
    # The noise of ``Descent`` is for a replaced row. A row that is added or removed moves the mean
    # half as far.
    noise = np.stack(draws)
    noise *= Adjacency(model.adjacency).contributions / 2
    fit = descent.fit(Rows.of(problem.X, problem.y), noise, np.array([epsilon]))
    return fit.weights[0]
