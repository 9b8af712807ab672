"""Measure what the default parameters of the estimators reach on data from elsewhere.

    make bench ARGS=defaults

Nothing is timed. The first tables are about `DPLinearRegression`: the error on held-out rows
divided by the error of always predicting the mean, as the median of 200 releases. There is one
table for scikit-learn's diabetes data, one for each of five generated data sets, and one with the
geometric mean of the six. A row is a mechanism, and a column is an epsilon. The row "chosen" is the
mechanism that the estimator takes if none is given, once without a delta and once with one.

The last table is about `DPLogisticRegression` on ten standard normal features, of which the best
model predicts 66 in 100 rows correctly:

- *rows*, *epsilon*: size and privacy of the training.
- *defaults*: points of accuracy lost against the best model by the defaults.
- *fixed*: points lost by a clipping norm of 0.3 and 100 steps for every size.
- *constant*: points lost by always predicting the larger class.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn import datasets

from benchmarks.report import Line, Outcome, Print, row
from dpcore.estimators.linear import REGRESSIONS, DPLinearRegression, mechanism, standard_noise
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Statistics, ridge
from dpcore.streams import stream
from lab.data import regression
from lab.models.non_private import optimum

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
DELTA = 1e-6
RELEASES = 200
# Row of the table -> parameters of the estimator.
CHOSEN = {
    "chosen, without delta": {"delta": 0.0},
    "chosen, with delta": {"delta": DELTA},
}
# Row of the table -> the mechanisms whose guarantee is of the same kind.
COMPARED = {
    "chosen, without delta": ("functional", "output"),
    "chosen, with delta": ("gaussian", "adassp", "descent"),
}
LARGEST_EXCESS = 1.01
LINEAR_WIDTHS = (22, *(7 for _ in EPSILONS))

# The logistic law: shares of rows that the best constant and the best model predict correctly.
CONSTANT_ACCURACY = 0.642
BEST_ACCURACY = 0.66
FEATURES = 10
DATA_NORM = 5.0
TEST_ROWS = 50_000
SIZES = (1_000, 6_000, 20_000)
LOGISTIC_EPSILONS = (0.5, 1.0, 5.0)
LOGISTIC_SEEDS = range(5)
LOGISTIC_RELEASES = 20
LOGISTIC_WIDTHS = (8, 9, 10, 10, 10)
# The case that is required, and how many points of accuracy it may lose.
REQUIRED_CASE = (20_000, 1.0)
MOST_POINTS_LOST = 0.3


def data_sets(seed: int = 0) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield (name, features (n, d), labels (n,)), clipped to public bounds and scaled to [-1, 1]."""
    diabetes = regression.load("diabetes", seed=seed)
    low, high = diabetes.source.label_bounds
    yield "diabetes", diabetes.X[:, 1:], regression.scaled(diabetes.y, low=low, top=high)

    X, y = datasets.make_friedman1(1250, noise=1, random_state=seed)
    yield "friedman1", _clipped(X, 0, 1), _clipped(y, 0, 30)

    # The ranges of the four features, by scikit-learn's documentation.
    lowest = np.array([0, 40 * np.pi, 0, 1])
    highest = np.array([100, 560 * np.pi, 1, 11])
    X, y = datasets.make_friedman2(5000, noise=50, random_state=seed)
    yield "friedman2", _clipped(X, lowest, highest), _clipped(y, 0, 1800)

    X, y = datasets.make_friedman3(2500, noise=0.1, random_state=seed)
    yield "friedman3", _clipped(X, lowest, highest), _clipped(y, 0, 1.6)

    X, y = datasets.make_sparse_uncorrelated(10_000, random_state=seed)
    yield "sparse", _clipped(X, -3, 3), _clipped(y, -10, 10)

    X, y = datasets.make_regression(
        25_000, n_features=6, n_informative=4, noise=30, random_state=seed
    )
    yield "linear", _clipped(X, -3, 3), _clipped(y, -300, 300)


def _clipped(values: np.ndarray, low: float | np.ndarray, high: float | np.ndarray) -> np.ndarray:
    """Scale values between the bounds to [-1, 1], and clip the others."""
    return np.clip(regression.scaled(values, low=low, top=high), -1, 1)


class Problem:
    """A data set of which the last fifth is for tests.

    Args:
        X: Features (n, d).
        y: Labels (n,).
    """

    def __init__(self, X: np.ndarray, y: np.ndarray):
        inputs = np.column_stack([np.ones(len(X)), X])
        self.rows = int(0.8 * len(X))
        self.inputs = inputs.shape[1]
        self.train_rows = Rows.of(inputs[: self.rows], y[: self.rows])
        self.train = Statistics.of(inputs[: self.rows], y[: self.rows])
        self.test = Statistics.of(inputs[self.rows :], y[self.rows :])

    def errors(
        self,
        mechanism: Any,
        epsilons: Sequence[float],
        *,
        releases: int = RELEASES,
        seed: int = 1,
    ) -> np.ndarray:
        """Return the median error on the test rows over that of the mean of the others, (E,)."""
        data: Rows | Statistics = self.train
        if isinstance(mechanism, Descent):
            data = self.train_rows
        noise = standard_noise(mechanism, inputs=self.inputs, repeats=releases, seed=seed)
        weights = []
        # One epsilon at a time, because the products of many models and rows need much memory.
        for epsilon in epsilons:
            fit = mechanism.fit(data, noise, np.array([epsilon]))
            weights.append(fit.weights[0])
        return np.median(self._relative_errors(np.array(weights)), axis=1)

    def least_squares_error(self) -> float:
        """Return the same error of least squares without privacy."""
        return float(self._relative_errors(ridge(self.train)))

    def _relative_errors(self, weights: np.ndarray) -> np.ndarray:
        """Return the root mean squared errors of weights (..., p) over that of the mean."""
        constant_weights = np.zeros(self.inputs)
        constant_weights[0] = self.train.mean_label
        return np.sqrt(self.test.errors(weights) / self.test.errors(constant_weights))


def errors(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return row of the table -> median errors (E,), as of ``Problem``."""
    problem = Problem(X, y)
    table = {}
    for name in REGRESSIONS:
        table[name] = problem.errors(mechanism(name, share=0.8, delta=DELTA), EPSILONS)
    for name, parameters in CHOSEN.items():
        medians = []
        for epsilon in EPSILONS:
            estimator = DPLinearRegression(epsilon=epsilon, **parameters)
            chosen = estimator._choose_mechanism(problem.rows, problem.inputs)
            medians.append(problem.errors(chosen, [epsilon]))
        table[name] = np.concatenate(medians)
    return table


@cache
def logistic_law() -> tuple[float, float]:
    """Return (slope, intercept) of the probability of label 1 along one normal feature.

    The best constant and the best model are right as often as the constants above say.
    """
    # Gauss-Hermite quadrature of the standard normal distribution.
    nodes, weights = np.polynomial.hermite.hermgauss(60)
    z = np.sqrt(2) * nodes
    probabilities = weights / np.sqrt(np.pi)

    def intercept_at(slope: float) -> float:
        def excess(intercept: float) -> float:
            return probabilities @ expit(slope * z + intercept) - CONSTANT_ACCURACY

        return brentq(excess, -5, 5)

    def excess_accuracy(slope: float) -> float:
        label_probability = expit(slope * z + intercept_at(slope))
        accuracy = np.maximum(label_probability, 1 - label_probability)
        return float(probabilities @ accuracy) - BEST_ACCURACY

    slope = brentq(excess_accuracy, 0.05, 3)
    return slope, intercept_at(slope)


def points_lost(
    seed: int, *, rows: int, epsilon: float, releases: int, **parameters: object
) -> tuple[float, float]:
    """Return the points of accuracy below the best model without privacy.

    Accuracy is the probability that a prediction is right, by the law of a large test. Whether the
    labels of its rows came true is not asked.

    Args:
        seed: Of the data. Release r has the random state r.
        rows: Rows of the training.
        epsilon: Privacy of a release.
        releases: Number of trainings.
        parameters: More parameters of ``DPLogisticRegression``.

    Returns:
        The mean over the releases, and the points that the constant answer loses.
    """
    rng = stream(seed, "data")
    slope, intercept = logistic_law()
    direction = rng.standard_normal(FEATURES)
    X = rng.standard_normal((rows + TEST_ROWS, FEATURES))
    label_probability = expit(slope * X @ direction / np.linalg.norm(direction) + intercept)
    y = (rng.random(rows) < label_probability[:rows]).astype(int)
    test_inputs = np.column_stack([X[rows:], np.ones(TEST_ROWS)])
    test_probability = label_probability[rows:]

    def accuracy(weights: np.ndarray) -> float:
        """Return the accuracy of weights (p,), of which the last is of the constant."""
        predicts_one = test_inputs @ weights > 0
        return float(np.where(predicts_one, test_probability, 1 - test_probability).mean())

    best = accuracy(optimum(X[:rows], y, n_classes=2)[0])
    constant_weights = np.zeros(FEATURES + 1)
    constant_weights[-1] = 1
    accuracies = []
    for release in range(releases):
        options = {"data_norm": DATA_NORM, "random_state": release, **parameters}
        model = DPLogisticRegression(epsilon=epsilon, **options).fit(X[:rows], y)
        accuracies.append(accuracy(np.append(model.coef_[0], model.intercept_)))
    lost_by_model = 100 * (best - np.mean(accuracies))
    lost_by_constant = 100 * (best - accuracy(constant_weights))
    return lost_by_model, lost_by_constant


def run(*, rounds: int, say: Print) -> Outcome:
    """Print the tables of both estimators. The number of releases is fixed, without rounds."""
    del rounds
    return Outcome(lines=[*compare_linear(say), *compare_logistic(say)])


def compare_linear(say: Print) -> list[Line]:
    """Print the errors of ``DPLinearRegression``, and return its requirements."""
    errors_of_rows: dict[str, list[np.ndarray]] = {}
    for name, X, y in data_sets():
        say(f"  {name}: {int(0.8 * len(X)):,} rows, {X.shape[1]} features")
        table = errors(X, y)
        _print_linear_table(table, say)
        for label, values in table.items():
            errors_of_rows.setdefault(label, []).append(values)
    means = {}
    for label, tables in errors_of_rows.items():
        means[label] = np.exp(np.log(tables).mean(axis=0))
    say("  geometric mean of the six")
    _print_linear_table(means, say)
    return [_least_excess(label, means) for label in CHOSEN]


def _print_linear_table(table: dict[str, np.ndarray], say: Print) -> None:
    say(row(["epsilon", *EPSILONS], LINEAR_WIDTHS))
    for label, values in table.items():
        say(row([label, *(f"{value:.3f}" for value in values)], LINEAR_WIDTHS))


def _least_excess(label: str, means: dict[str, np.ndarray]) -> Line:
    """Require that the chosen mechanism is at most a little worse than any other."""
    others = COMPARED[label]
    excess = max((means[label] / means[other]).max() for other in others)
    return Line(
        asked=f"{label}: error over that of {', '.join(others)}, at the worst epsilon, at most"
        f" {LARGEST_EXCESS:g}",
        measured=f"{excess:.3f}",
        met=bool(excess <= LARGEST_EXCESS),
    )


def compare_logistic(say: Print) -> list[Line]:
    """Print the points that ``DPLogisticRegression`` loses, and return its requirement."""
    lines = []
    say(
        "  logistic law: points lost by the defaults, by the fixed parameters, and by the constant"
        " answer"
    )
    say(row(["rows", "epsilon", "defaults", "fixed", "constant"], LOGISTIC_WIDTHS))
    for rows in SIZES:
        for epsilon in LOGISTIC_EPSILONS:
            by_defaults, by_constant = _mean_points_lost(rows, epsilon)
            # The same rule for the learning rate as that of the defaults.
            rate = np.clip(rows * epsilon / 100, 1, 32) / 0.3
            by_fixed, _ = _mean_points_lost(
                rows, epsilon, clip_norm=0.3, steps=100, learning_rate=float(rate)
            )
            points = [f"{value:.2f}" for value in (by_defaults, by_fixed, by_constant)]
            say(row([f"{rows:,}", epsilon, *points], LOGISTIC_WIDTHS))
            if (rows, epsilon) == REQUIRED_CASE:
                line = Line(
                    asked=f"{rows:,} rows, epsilon {epsilon:g}: points lost by the defaults, at"
                    f" most {MOST_POINTS_LOST:g}",
                    measured=f"{by_defaults:.2f}",
                    met=bool(by_defaults <= MOST_POINTS_LOST),
                )
                lines.append(line)
    return lines


def _mean_points_lost(rows: int, epsilon: float, **parameters: object) -> np.ndarray:
    """Return the points that the model and the constant lose, (2,), as the mean over the seeds."""
    points = []
    for seed in LOGISTIC_SEEDS:
        points.append(
            points_lost(seed, rows=rows, epsilon=epsilon, releases=LOGISTIC_RELEASES, **parameters)
        )
    return np.mean(points, axis=0)
