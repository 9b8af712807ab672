"""The pieces of work of the regression page: which problem is solved, at one epsilon, over epsilon,
over the split.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpcore.estimators.linear import standard_noise
from dpcore.regression.least_squares import Fit, Statistics, ridge
from lab.data import regression as regression_data

# Where the curves are trained; the report's own figures stand between 0.1 and 3.2.
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0, 30.0, 100.0)
# Shares of epsilon for the quadratic, and the repeats of each, in the picture of the split.
SHARES = (0.05, 0.15, 0.3, 0.45, 0.55, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
SHARE_REPEATS = 16
# A squared error below it is rounding: labels that are all equal are met exactly.
_ROUNDING = 1e-18


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What is to be learnt: the first ``features`` of the first ``rows`` private rows, labels
    clipped to ``label_top``. Of a file of one's own ``rows`` may be persons, with several rows
    each.
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
    def places(self) -> int:
        """Return how many rows there can be: what sums are divided by."""
        return self.rows * self.source.rows_each

    @property
    def inputs(self) -> int:
        """p, the constant included."""
        return self.features + 1

    @property
    def half(self) -> float:
        """Half of the label's range, in its unit: 1 on the scale of the learners."""
        return (self.label_top - self.source.label_bounds[0]) / 2

    @property
    def middle(self) -> float:
        return self.source.label_bounds[0] + self.half

    def train(self) -> Statistics:
        statistics = regression_data.train_statistics(
            self.dataset, seed=self.seed, rows=self.rows, label_top=self.label_top
        )
        return statistics.first_inputs(self.inputs)

    def test(self) -> Statistics:
        statistics = regression_data.held_out_statistics(
            self.dataset, seed=self.seed, label_top=self.label_top
        )
        return statistics.first_inputs(self.inputs)

    def errors(self, weights: np.ndarray) -> np.ndarray:
        """Root mean squared error (...) of weights (..., p) on the held-out rows, in the label's
        unit; never 0.
        """
        return self.half * np.sqrt(np.maximum(self.test().errors(weights), _ROUNDING))

    def least_squares(self) -> np.ndarray:
        return ridge(self.train())


@dataclass(frozen=True, kw_only=True)
class Method:
    """A mechanism, one of ``REGRESSIONS`` with its options, on a problem."""

    problem: Problem
    mechanism: Any

    def fit(self, epsilons: Sequence[float], repeats: range) -> Fit:
        """Run some ``repeats`` at each of ``epsilons``; repeat r has the same noise at every
        epsilon.
        """
        problem = self.problem
        noise = standard_noise(
            self.mechanism, inputs=problem.inputs, repeats=repeats.stop, seed=problem.seed
        )
        return self.mechanism.fit(problem.train(), noise[repeats.start :], np.array(epsilons))


@dataclass(frozen=True, kw_only=True)
class FocusOutcome:
    """One mechanism at one epsilon: weights (R, p), held-out error (R,) in the label's unit, the
    released gram (R, p, p) and its least eigenvalue (R,); None where no gram is released.
    """

    weights: np.ndarray
    errors: np.ndarray
    gram: np.ndarray | None
    least: np.ndarray | None

    @property
    def no_minimum(self) -> float:
        """Share of the runs whose released quadratic has no minimum; NaN where none is released."""
        return float("nan") if self.least is None else float((self.least <= 0).mean())


def focus(method: Method, at: tuple[float], repeats: range) -> FocusOutcome:
    fit = method.fit(at, repeats)
    gram = None if fit.gram is None else fit.gram[0]
    return FocusOutcome(
        weights=fit.weights[0],
        errors=method.problem.errors(fit.weights[0]),
        gram=gram,
        least=None if gram is None else np.linalg.eigvalsh(gram)[:, 0],
    )


class Errors(NamedTuple):
    """Held-out error (R,) in the label's unit."""

    errors: np.ndarray


def errors(method: Method, at: tuple[float], repeats: range, *, given: int) -> Errors:
    """Return the error that ``focus`` measures, of the first ``given`` repeats; all are fitted
    together.
    """
    return Errors(method.problem.errors(method.fit(at, repeats).weights[0])[:given])


@dataclass(frozen=True, kw_only=True)
class CurveOutcome:
    """Held-out error (E, R) at E epsilons, and the share (E,) of draws without a minimum,
    or None.
    """

    errors: np.ndarray
    no_minimum: np.ndarray | None


def over_epsilon(method: Method, at: tuple[float, ...], repeats: range) -> CurveOutcome:
    fit = method.fit(at, repeats)
    least = None if fit.gram is None else np.linalg.eigvalsh(fit.gram)[..., 0]
    no_minimum = None if least is None else (least <= 0).mean(axis=1)
    return CurveOutcome(errors=method.problem.errors(fit.weights), no_minimum=no_minimum)


def over_share(methods: tuple[Method, ...], at: tuple[float], repeats: range) -> np.ndarray:
    """Return the median held-out error (S,) of a method with each of ``SHARES`` of epsilon for the
    quadratic.
    """
    weights = np.stack([method.fit(at, repeats).weights[0] for method in methods])
    return np.median(methods[0].problem.errors(weights), axis=1)
