"""Tasks of the regression: private fits of a problem, and their errors on held-out rows.

A task (``lab.experiment.parts.Runs``) calls one of the functions ``fit_repeats``,
``score_repeats`` and ``score_curve`` with a method, its epsilons and its repeats.

Shapes: E epsilons, R repeats, p inputs with the constant. Errors are root mean squares in the
label's unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpcore.estimators.linear import standard_noise
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Fit, Statistics, ridge
from lab.data import regression as regression_data

# Epsilons of the curves. Those of the report's figures lie between 0.1 and 3.2.
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0, 30.0, 100.0)
# Smaller mean squared errors are rounding errors of labels that are met exactly.
_LEAST_SQUARED_ERROR = 1e-18


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A least-squares problem.

    dataset: the key of the data set.
    rows: number of private rows, or of people in a file. They are the first ones.
    features: number of features, which are the first ones.
    label_top: upper bound to which labels are clipped, in their unit.
    seed: of the noise and, unless the data set is fixed, of the held-out rows.
    """

    dataset: regression_data.Dataset
    rows: int
    features: int
    label_top: float
    seed: int

    @property
    def source(self) -> regression_data.Source:
        return regression_data.source(self.dataset)

    @property
    def most_rows(self) -> int:
        """Return the largest possible number of rows, by which sums are divided."""
        return self.rows * self.source.rows_each

    @property
    def inputs(self) -> int:
        """Return p."""
        return self.features + 1

    @property
    def half_range(self) -> float:
        """Return half of the label's range, in its unit, which mechanisms see as 1."""
        return (self.label_top - self.source.label_bounds[0]) / 2

    @property
    def midpoint(self) -> float:
        """Return the middle of the label's range, in its unit, which mechanisms see as 0."""
        return self.source.label_bounds[0] + self.half_range

    def training_statistics(self) -> Statistics:
        """Return the statistics of the private rows."""
        statistics = regression_data.train_statistics(
            self.dataset, seed=self.seed, rows=self.rows, label_top=self.label_top
        )
        return statistics.first_inputs(self.inputs)

    def training_rows(self) -> Rows:
        """Return the private rows."""
        return regression_data.train_rows(
            self.dataset,
            seed=self.seed,
            rows=self.rows,
            features=self.features,
            label_top=self.label_top,
        )

    def held_out_statistics(self) -> Statistics:
        """Return the statistics of the held-out rows."""
        statistics = regression_data.held_out_statistics(
            self.dataset, seed=self.seed, label_top=self.label_top
        )
        return statistics.first_inputs(self.inputs)

    def errors(self, weights: np.ndarray) -> np.ndarray:
        """Return the errors (...) of weights (..., p) on the held-out rows, which are never 0."""
        squared = self.held_out_statistics().errors(weights)
        return self.half_range * np.sqrt(np.maximum(squared, _LEAST_SQUARED_ERROR))

    def least_squares(self) -> np.ndarray:
        """Return the weights (p,) of least squares, without privacy."""
        return ridge(self.training_statistics())


@dataclass(frozen=True, kw_only=True)
class Method:
    """A mechanism of ``REGRESSIONS``, with its options, that solves a problem."""

    problem: Problem
    mechanism: Any

    def fit(self, epsilons: Sequence[float], repeats: range) -> Fit:
        """Fit the repeats at each epsilon. Repeat r has the same noise at every epsilon."""
        problem = self.problem
        noise = standard_noise(
            self.mechanism,
            inputs=problem.inputs,
            repeats=repeats.stop,
            seed=problem.seed,
        )
        data: Rows | Statistics
        if isinstance(self.mechanism, Descent):
            data = problem.training_rows()
        else:
            data = problem.training_statistics()
        return self.mechanism.fit(data, noise[repeats.start :], np.array(epsilons))

    @property
    def rows_per_fit(self) -> int:
        """Return how many rows one fit reads, 0 if it reads statistics alone."""
        if not isinstance(self.mechanism, Descent):
            return 0
        return self.mechanism.passes * self.problem.most_rows


@dataclass(frozen=True, kw_only=True)
class PrivateFits:
    """The fits of one mechanism at one epsilon.

    weights: (R, p).
    errors: on held-out rows, (R,).
    gram: the released matrix X^T X, (R, p, p), or None if it is not released.
    """

    weights: np.ndarray
    errors: np.ndarray
    gram: np.ndarray | None

    @cached_property
    def least_eigenvalues(self) -> np.ndarray | None:
        """Return the smallest eigenvalue of each ``gram``, (R,), or None."""
        if self.gram is None:
            return None
        return np.linalg.eigvalsh(self.gram)[:, 0]

    @property
    def share_without_minimum(self) -> float:
        """Return the share of fits whose released quadratic has no minimum.

        It is NaN if no quadratic is released.
        """
        if self.least_eigenvalues is None:
            return float("nan")
        return float((self.least_eigenvalues <= 0).mean())


def join_fits(batches: Sequence[PrivateFits]) -> PrivateFits:
    """Return the fits of several batches of repeats."""
    if len(batches) == 1:
        return batches[0]
    return PrivateFits(
        weights=np.concatenate([fits.weights for fits in batches]),
        errors=np.concatenate([fits.errors for fits in batches]),
        gram=None,  # only fits without a quadratic have several batches
    )


def fit_repeats(method: Method, epsilons: tuple[float], repeats: range) -> PrivateFits:
    """Fit the repeats at one epsilon."""
    fit = method.fit(epsilons, repeats)
    weights = fit.weights[0]
    gram = None
    if fit.gram is not None:
        gram = fit.gram[0]
    return PrivateFits(weights=weights, errors=method.problem.errors(weights), gram=gram)


class HeldOutErrors(NamedTuple):
    """The errors (R,) on held-out rows, as in ``PrivateFits``."""

    errors: np.ndarray


def score_repeats(
    method: Method, epsilons: tuple[float], repeats: range, *, given: int
) -> HeldOutErrors:
    """Fit the repeats at one epsilon, and return the errors of the first ``given``.

    All repeats are fitted together, which gives the errors of ``fit_repeats`` to the last bit.
    """
    weights = method.fit(epsilons, repeats).weights[0]
    errors = method.problem.errors(weights)
    return HeldOutErrors(errors[:given])


def score_curve(method: Method, epsilons: tuple[float, ...], repeats: range) -> np.ndarray:
    """Fit the repeats at several epsilons, and return their errors (E, R)."""
    return method.problem.errors(method.fit(epsilons, repeats).weights)
