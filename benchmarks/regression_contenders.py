"""Fit the regressions of the benchmark `regression` in three ways: the lab, and two plain loops."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from benchmarks.contenders import Training
from dpcore.estimators.linear import REGRESSIONS, standard_noise
from dpcore.regression import gaussian_statistics
from dpcore.regression.least_squares import RIDGE_SDS
from lab.data import regression as regression_data
from pages.regression.settings import RegressionSettings
from pages.regression.tasks import EPSILONS

# Eigenvalues below this share of the largest one are left out.
LEAST_EIGENVALUE = 1e-9


class Work:
    """Private rows, their statistics, and the standard draws of each method.

    All methods see the same rows. A method has a model for each epsilon and repeat, epsilon by
    epsilon.

    Args:
        settings: Data set and parameters of the methods.
        epsilons: Privacy of the models.
    """

    def __init__(
        self,
        settings: RegressionSettings | None = None,
        epsilons: tuple[float, ...] = EPSILONS,
    ):
        self.settings = settings or RegressionSettings()
        self.epsilons = epsilons
        problem = self.settings.problem
        rows = self.settings.rows
        seed = self.settings.seed
        table = regression_data.load(self.settings.dataset, seed=seed)
        self.X = table.X[:rows, : problem.inputs].astype(float)
        labels = np.minimum(table.y[:rows], self.settings.label_top)
        self.y = (labels - problem.midpoint) / problem.half_range
        self.statistics = problem.training_statistics()
        self.rows = problem.training_rows()
        self.mechanisms: dict[str, Any] = {}
        self.draws: dict[str, np.ndarray] = {}
        # What does not depend on the draw. The loops are given it, and the lab computes it in its
        # own time.
        self.calibrations: dict[str, list[tuple[float, ...]]] = {}
        for name in REGRESSIONS:
            mechanism = self.settings.mechanism_of(name)
            self.mechanisms[name] = mechanism
            self.draws[name] = standard_noise(
                mechanism, inputs=problem.inputs, repeats=self.settings.repeats, seed=seed
            )
            self.calibrations[name] = [self.calibration(name, epsilon) for epsilon in epsilons]

    @property
    def models(self) -> int:
        """Return the number of models of one method."""
        return len(self.epsilons) * self.settings.repeats

    def calibration(self, name: str, epsilon: float) -> tuple[float, ...]:
        """Return the constants of a method at one epsilon.

        "published" and "functional" have the noise scales of X^T X and X^T y, "output" has penalty
        and noise scale, and "gaussian" and "adassp" have the noise multiplier of a release.
        "descent" has noise multiplier, clipping norm, radius and learning rate.
        """
        mechanism = self.mechanisms[name]
        inputs = self.statistics.inputs
        rows = self.statistics.rows
        if name == "published":
            gram_epsilon = mechanism.share * epsilon
            moment_epsilon = (1 - mechanism.share) * epsilon
            return 2 * inputs**2 / gram_epsilon, 4 * inputs / moment_epsilon
        if name == "functional":
            return tuple(float(scale) for scale in mechanism.scales(inputs, epsilon))
        if name == "output":
            penalty = mechanism.chosen_penalty(epsilon, inputs=inputs, rows=rows)
            sensitivity = mechanism.l2_sensitivity(penalty, inputs=inputs, rows=rows)
            return penalty, sensitivity / epsilon
        if name == "gaussian":
            return (_noise_multiplier(epsilon, delta=mechanism.delta, releases=1),)
        if name == "adassp":
            return (_noise_multiplier(epsilon, delta=mechanism.delta, releases=3),)
        return (
            _noise_multiplier(epsilon, delta=mechanism.delta, releases=mechanism.passes),
            mechanism.chosen_clip_norm(epsilon, inputs=inputs, rows=rows),
            mechanism.chosen_radius(epsilon, inputs=inputs, rows=rows),
            mechanism.chosen_rate(epsilon, inputs=inputs, rows=rows),
        )

    def stored_statistics(self) -> tuple[np.ndarray, np.ndarray]:
        """Return X^T X (p, p) and X^T y (p,), which were computed once."""
        return self.statistics.gram, self.statistics.moment

    def fresh_statistics(self) -> tuple[np.ndarray, np.ndarray]:
        """Compute the same from the rows."""
        return self.X.T @ self.X, self.X.T @ self.y

    def clipped_gradient(self, weights: np.ndarray, batch: slice, clip_norm: float) -> np.ndarray:
        """Return the mean gradient (p,) of half the squared error, with each row's clipped.

        Statistics do not give it, so it is always computed from the rows.
        """
        X = self.X[batch]
        bound = clip_norm / np.linalg.norm(X, axis=1)
        residuals = X @ weights - self.y[batch]
        return np.clip(residuals, -bound, bound) @ X / len(X)


def _noise_multiplier(epsilon: float, *, delta: float, releases: int) -> float:
    multipliers = gaussian_statistics.noise_multipliers(
        np.array([epsilon]), delta=delta, releases=releases
    )
    return float(multipliers[0])


def ours(work: Work, name: str) -> Training:
    """Return the training of all models of a method in one batch: weights (E, R, p)."""
    epsilons = np.array(work.epsilons)
    data = work.statistics
    if name == "descent":
        data = work.rows

    def train() -> np.ndarray:
        return work.mechanisms[name].fit(data, work.draws[name], epsilons).weights

    return train


@dataclass(frozen=True, kw_only=True)
class Model:
    """What a loop knows of one model.

    Attributes:
        mechanism: The method with its parameters.
        statistics: Returns X^T X (p, p) and X^T y (p,).
        clipped_gradient: As of ``Work``.
        rows: n.
        draw: Standard draws of the model.
        calibration: As of ``Work``.
    """

    mechanism: Any
    statistics: Callable[[], tuple[np.ndarray, np.ndarray]]
    clipped_gradient: Callable[[np.ndarray, slice, float], np.ndarray]
    rows: int
    draw: np.ndarray
    calibration: tuple[float, ...]


def loop(work: Work, name: str, model: int, *, rows: bool = False) -> Training:
    """Return the training of one model, as one would write it down: weights (p,).

    Args:
        work: Rows and draws.
        name: Key of the method.
        model: Number of the model.
        rows: Compute the statistics from the rows.
    """
    epsilon_index, repeat = divmod(model, work.settings.repeats)
    statistics = work.stored_statistics
    if rows:
        statistics = work.fresh_statistics
    inputs = Model(
        mechanism=work.mechanisms[name],
        statistics=statistics,
        clipped_gradient=work.clipped_gradient,
        rows=work.statistics.rows,
        draw=work.draws[name][repeat],
        calibration=work.calibrations[name][epsilon_index],
    )
    return lambda: LOOPS[name](inputs)


def disagreement(work: Work, name: str, models: Iterable[int], *, rows: bool = False) -> float:
    """Return the largest difference between weights of a loop and of the lab.

    It is relative to the model's largest weight if that is above 1.
    """
    of_batch = ours(work, name)().reshape(work.models, -1)
    largest = 0.0
    for model in models:
        weights = loop(work, name, model, rows=rows)()
        size = max(1, np.abs(weights).max())
        difference = np.abs(of_batch[model] - weights).max()
        largest = max(largest, float(difference / size))
    return largest


def published(model: Model) -> np.ndarray:
    """Add noise to each entry, and solve for the root of the gradient, whatever it is."""
    gram, moment = model.statistics()
    gram_scale, moment_scale = model.calibration
    p = len(moment)
    quadratic = gram + gram_scale * model.draw[: p * p].reshape(p, p)
    linear = -2 * moment + moment_scale * model.draw[p * p :]
    return np.linalg.solve(quadratic + quadratic.T, -linear)


def functional(model: Model) -> np.ndarray:
    """Add Laplace noise to the triangle without n and to X^T y, then a ridge, then trim."""
    gram, moment = model.statistics()
    gram_scale, moment_scale = model.calibration
    p = len(moment)
    gram_noise = gram_scale * _symmetric(model.draw[:-p], p)
    gram_noise[0, 0] = 0
    ridge = RIDGE_SDS * math.sqrt(2) * gram_scale
    return _trimmed(gram + gram_noise + ridge * np.eye(p), moment + moment_scale * model.draw[-p:])


def gaussian(model: Model) -> np.ndarray:
    """Add normal noise as "functional"; an entry off the diagonal has half of the variance."""
    gram, moment = model.statistics()
    (multiplier,) = model.calibration
    p = len(moment)
    weight = gaussian_statistics.best_weight(p)
    sd = gaussian_statistics.joint_sensitivity(p, weight) * multiplier
    gram_noise = sd * _symmetric(model.draw[:-p], p) * _half_variance_off_diagonal(p)
    gram_noise[0, 0] = 0
    moment_sd = sd / (math.sqrt(2) * weight)
    ridge = RIDGE_SDS * sd / math.sqrt(2)
    return _trimmed(gram + gram_noise + ridge * np.eye(p), moment + moment_sd * model.draw[-p:])


def adassp(model: Model) -> np.ndarray:
    """Release the least eigenvalue, and choose a ridge as large as it leaves in doubt."""
    gram, moment = model.statistics()
    (multiplier,) = model.calibration
    p = len(moment)
    # The draw has the triangle, X^T y and the eigenvalue, one after the other.
    triangle_draw = model.draw[: -p - 1]
    moment_draw = model.draw[-p - 1 : -1]
    eigenvalue_draw = model.draw[-1]

    safety = math.sqrt(math.log(6 / model.mechanism.delta))
    least_eigenvalue = np.linalg.eigvalsh(gram)[0]
    least_eigenvalue += p * multiplier * (eigenvalue_draw - safety)
    sd = math.sqrt(2) * p * multiplier
    wanted = sd * math.sqrt(p * math.log(2 * p**2 / model.mechanism.rho))
    ridge = max(0.0, wanted - max(least_eigenvalue, 0.0))
    gram_noise = sd * _symmetric(triangle_draw, p) * _half_variance_off_diagonal(p)
    moment_noise = 2 * math.sqrt(p) * multiplier * moment_draw
    return _trimmed(gram + gram_noise + ridge * np.eye(p), moment + moment_noise)


def output(model: Model) -> np.ndarray:
    """Find the optimum in the ball by a root search over the penalty, and add noise to it."""
    gram, moment = model.statistics()
    penalty, scale = model.calibration
    radius = model.mechanism.radius
    gram = gram / model.rows
    moment = moment / model.rows
    unit = np.eye(len(moment))

    def optimum(penalty: float) -> np.ndarray:
        return np.linalg.solve(gram + penalty * unit, moment)

    def distance_outside(penalty: float) -> float:
        return float(np.linalg.norm(optimum(penalty))) - radius

    if distance_outside(penalty) > 0:
        largest_penalty = np.linalg.norm(moment) / radius
        penalty = brentq(distance_outside, penalty, largest_penalty, xtol=1e-15, rtol=1e-14)
    return _into_ball(optimum(penalty) + scale * model.draw, radius)


def descent(model: Model) -> np.ndarray:
    """Descend with momentum, and return the mean of the second half of the path."""
    mechanism = model.mechanism
    multiplier, clip_norm, radius, rate = model.calibration
    draws = model.draw.reshape(mechanism.steps, -1)
    weights = np.zeros(draws.shape[1])
    velocity = np.zeros(draws.shape[1])
    path = []
    for step, draw in enumerate(draws):
        index = step % mechanism.batches
        first = index * model.rows // mechanism.batches
        last = (index + 1) * model.rows // mechanism.batches
        noise = multiplier * 2 * clip_norm / (last - first) * draw
        gradient = model.clipped_gradient(weights, slice(first, last), clip_norm)
        velocity = mechanism.momentum * velocity - rate * (gradient + noise)
        weights = _into_ball(weights + velocity, radius)
        path.append(weights)
    return np.mean(path[mechanism.steps // 2 :], axis=0)


# Method -> one model of it by hand.
LOOPS: dict[str, Callable[[Model], np.ndarray]] = {
    "published": published,
    "functional": functional,
    "gaussian": gaussian,
    "adassp": adassp,
    "output": output,
    "descent": descent,
}


def _symmetric(triangle: np.ndarray, p: int) -> np.ndarray:
    """Return the symmetric matrix (p, p) with this upper triangle (p (p + 1) / 2,)."""
    upper = np.zeros((p, p))
    upper[np.triu_indices(p)] = triangle
    return upper + np.triu(upper, 1).T


def _half_variance_off_diagonal(p: int) -> np.ndarray:
    """Return factors (p, p) of entries with variance 1."""
    factors = np.full((p, p), math.sqrt(0.5))
    np.fill_diagonal(factors, 1)
    return factors


def _trimmed(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return the minimum without the directions that curve down."""
    values, vectors = np.linalg.eigh(gram)
    is_kept = values > LEAST_EIGENVALUE * abs(values[-1])
    vectors = vectors[:, is_kept]
    return vectors @ (vectors.T @ moment / values[is_kept])


def _into_ball(weights: np.ndarray, radius: float) -> np.ndarray:
    """Return the nearest weights whose L2 norm is at most the radius."""
    norm = np.linalg.norm(weights)
    if norm <= radius:
        return weights
    return weights * (radius / norm)
