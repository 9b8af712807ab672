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

from collections.abc import Iterator
from functools import cache

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
DELTA, RELEASES = 1e-6, 200
# Name of a chosen mechanism in the table -> its parameters, and the mechanisms whose guarantee is
# of the same kind.
CHOSEN = {
    "chosen, without delta": ({"delta": 0.0}, ("functional", "output")),
    "chosen, with delta": ({"delta": DELTA}, ("gaussian", "adassp", "descent")),
}
LAW = {"constant": 0.642, "best": 0.66, "features": 10, "data_norm": 5.0}
SIZES, LOGISTIC_EPSILONS = (1_000, 6_000, 20_000), (0.5, 1.0, 5.0)


def tables(seed: int = 0) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, features (n, d), label (n,)), clipped to public bounds and scaled to [-1, 1]."""
    found = regression.load("diabetes", seed=seed)
    low, high = found.source.label_bounds
    yield "diabetes", found.X[:, 1:], regression.scaled(found.y, low=low, top=high)
    ranges = np.array([(0, 100), (40 * np.pi, 560 * np.pi), (0, 1), (1, 11)]).T
    generated = {
        "friedman1": (datasets.make_friedman1(1250, noise=1, random_state=seed), (0, 1), (0, 30)),
        "friedman2": (
            datasets.make_friedman2(5000, noise=50, random_state=seed),
            ranges,
            (0, 1800),
        ),
        "friedman3": (
            datasets.make_friedman3(2500, noise=0.1, random_state=seed),
            ranges,
            (0, 1.6),
        ),
        "sparse": (
            datasets.make_sparse_uncorrelated(10_000, random_state=seed),
            (-3, 3),
            (-10, 10),
        ),
        "linear": (
            datasets.make_regression(
                25_000, n_features=6, n_informative=4, noise=30, random_state=seed
            ),
            (-3, 3),
            (-300, 300),
        ),
    }
    for name, ((X, y), features, label) in generated.items():
        X, y = (
            np.clip(regression.scaled(values, low=low, top=top), -1, 1)
            for values, (low, top) in ((X, features), (y, label))
        )
        yield name, X, y


class Problem:
    """Rows of which the last fifth are for tests."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        inputs = np.column_stack([np.ones(len(X)), X])
        self.rows = int(0.8 * len(X))
        self.inputs = inputs.shape[1]
        self.train_rows = Rows.of(inputs[: self.rows], y[: self.rows])
        self.train = Statistics.of(inputs[: self.rows], y[: self.rows])
        self.test = Statistics.of(inputs[self.rows :], y[self.rows :])

    def errors(self, way, epsilons, *, releases: int = RELEASES, seed: int = 1) -> np.ndarray:
        """Median error (E,) on the test rows, over that of the mean of the others."""
        data = self.train_rows if isinstance(way, Descent) else self.train
        noise = standard_noise(way, inputs=self.inputs, repeats=releases, seed=seed)
        # One epsilon at a time, because the products of many models and rows need much memory.
        weights = [way.fit(data, noise, np.array([epsilon])).weights[0] for epsilon in epsilons]
        return np.median(self._relative_errors(np.array(weights)), axis=1)

    def least_squares_error(self) -> float:
        """The same error of least squares without privacy."""
        return float(self._relative_errors(ridge(self.train)))

    def _relative_errors(self, weights: np.ndarray) -> np.ndarray:
        always = self.test.errors(self.train.mean_label * np.eye(1, self.inputs)[0])
        return np.sqrt(self.test.errors(weights) / always)


def errors(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Way -> median error (E,), as of ``Problem``."""
    problem = Problem(X, y)
    of = problem.errors
    found = {name: of(mechanism(name, share=0.8, delta=DELTA), EPSILONS) for name in REGRESSIONS}
    for name, (given, _) in CHOSEN.items():
        ways = [
            DPLinearRegression(epsilon=one, **given)._choose_mechanism(problem.rows, problem.inputs)
            for one in EPSILONS
        ]
        found[name] = np.concatenate(
            [of(way, [one]) for way, one in zip(ways, EPSILONS, strict=True)]
        )
    return found


@cache
def law(features: int = LAW["features"]) -> tuple[float, float]:
    """(slope, intercept) of the law along one direction: on average constant, and right as often as
    ``LAW`` says.
    """
    z = np.sqrt(2) * np.polynomial.hermite.hermgauss(60)[0]
    chance = np.polynomial.hermite.hermgauss(60)[1] / np.sqrt(np.pi)

    def intercept(slope: float) -> float:
        return brentq(lambda at: chance @ expit(slope * z + at) - LAW["constant"], -5, 5)

    def best(slope: float) -> float:
        share = expit(slope * z + intercept(slope))
        return float(chance @ np.maximum(share, 1 - share)) - LAW["best"]

    slope = brentq(best, 0.05, 3)
    return slope, intercept(slope)


def lost(
    seed: int, *, rows: int, epsilon: float, releases: int, **given: object
) -> tuple[float, float]:
    """Points of accuracy below the optimum without privacy: the mean of ``releases``, and the
    constant answer.

    Accuracy is what the law says of the rows of a large test, and not whether each of their labels
    came true.
    """
    rng, (slope, intercept) = stream(seed, "data"), law()
    direction = rng.standard_normal(LAW["features"])
    X = rng.standard_normal((rows + 50_000, LAW["features"]))
    share = expit(slope * X @ direction / np.linalg.norm(direction) + intercept)
    y = (rng.random(rows) < share[:rows]).astype(int)
    test = np.column_stack([X[rows:], np.ones(len(X) - rows)])

    def right(weights: np.ndarray) -> float:
        return float(np.where(test @ weights > 0, share[rows:], 1 - share[rows:]).mean())

    best, accuracy = right(optimum(X[:rows], y, n_classes=2)[0]), []
    for release in range(releases):
        options = {
            "epsilon": epsilon,
            "data_norm": LAW["data_norm"],
            "random_state": release,
            **given,
        }
        model = DPLogisticRegression(**options).fit(X[:rows], y)
        accuracy.append(right(np.append(model.coef_[0], model.intercept_)))
    return 100 * (best - np.mean(accuracy)), 100 * (
        best - right(np.eye(1, LAW["features"] + 1, LAW["features"])[0])
    )


def run(*, rounds: int, say: Print) -> Outcome:
    """Both tables. The releases decide, and there are no rounds."""
    del rounds
    return Outcome(lines=[*_linear(say), *_logistic(say)])


def _linear(say: Print) -> list[Line]:
    found: dict[str, list[np.ndarray]] = {}
    for name, X, y in tables():
        say(f"  {name}: {int(0.8 * len(X)):,} rows, {X.shape[1]} features")
        one = errors(X, y)
        _table(say, one)
        for way, values in one.items():
            found.setdefault(way, []).append(values)
    mean = {way: np.exp(np.log(values).mean(axis=0)) for way, values in found.items()}
    say("  geometric mean of the six")
    _table(say, mean)
    lines = []
    for way, (_, others) in CHOSEN.items():
        excess = max((mean[way] / mean[other]).max() for other in others)
        what = f"{way}: error over that of {', '.join(others)}, at the worst epsilon, at most 1.01"
        lines.append(Line(asked=what, measured=f"{excess:.3f}", met=bool(excess <= 1.01)))
    return lines


def _table(say: Print, found: dict[str, np.ndarray]) -> None:
    widths = (22, *(7 for _ in EPSILONS))
    say(row(["epsilon", *EPSILONS], widths))
    for way, values in found.items():
        say(row([way, *(f"{value:.3f}" for value in values)], widths))


def _logistic(say: Print) -> list[Line]:
    widths, lines = (8, 9, 10, 10, 10), []
    say(
        "  logistic law: points lost by the defaults, by the fixed parameters, and by the constant"
        " answer"
    )
    say(row(["rows", "epsilon", "defaults", "fixed", "constant"], widths))
    for rows in SIZES:
        for epsilon in LOGISTIC_EPSILONS:
            rate = min(max(rows * epsilon / 100, 1), 32) / 0.3
            ways = {
                "defaults": {},
                "fixed": {"clip_norm": 0.3, "steps": 100, "learning_rate": rate},
            }
            each = {
                way: np.mean(
                    [
                        lost(seed, rows=rows, epsilon=epsilon, releases=20, **given)
                        for seed in range(5)
                    ],
                    0,
                )
                for way, given in ways.items()
            }
            (chosen, constant), (fixed, _) = each.values()
            say(
                row(
                    [f"{rows:,}", epsilon, f"{chosen:.2f}", f"{fixed:.2f}", f"{constant:.2f}"],
                    widths,
                )
            )
            if (rows, epsilon) == (20_000, 1.0):
                what = "20,000 rows, epsilon 1: points lost by the defaults, at most .3"
                lines.append(Line(asked=what, measured=f"{chosen:.2f}", met=bool(chosen <= 0.3)))
    return lines
