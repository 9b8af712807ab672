"""What the regression page shows: errors, released quadratics, lines and coefficients of the
private runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.estimators.linear import REGRESSIONS
from dpcore.privacy import Guarantee
from dpcore.regression.functional import published_epsilon
from lab.data import regression as regression_data
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare, trailing_start
from pages.regression.settings import RegressionParameters
from pages.regression.tasks import SHARES, CurveOutcome, FocusOutcome, Problem


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionResult:
    """What a page shows: outcomes by mechanism, as far as they are done.

    Errors are in the label's unit.
    """

    settings: RegressionParameters
    problem: Problem
    at_now: Mapping[str, FocusOutcome]
    curves: Mapping[str, CurveOutcome]
    splits: Mapping[str, np.ndarray]

    @property
    def focus(self) -> FocusOutcome:
        return self.at_now[self.settings.mechanism]

    @property
    def failed(self) -> int:
        """Return how many runs released a quadratic without a minimum; 0 where none is released."""
        least = self.focus.least
        return 0 if least is None else int((least <= 0).sum())

    @cached_property
    def least_squares(self) -> float:
        """Held-out error of least squares without privacy: the lower rail."""
        return float(self.problem.errors(self.problem.least_squares()))

    @cached_property
    def weakest(self) -> float:
        """Least eigenvalue of X^T X without noise; analyst only."""
        return float(np.linalg.eigvalsh(self.problem.train().gram)[0])

    @cached_property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on an off-diagonal entry of X^T X, from the draws; NaN
        without such noise.
        """
        if self.focus.gram is None:
            return float("nan")
        places = np.triu_indices(self.problem.inputs, k=1)
        return float((self.focus.gram - self.problem.train().gram)[:, *places].std())

    @cached_property
    def cut(self) -> float:
        """Share of the private labels above the label bound; analyst only."""
        problem = self.problem
        return regression_data.share_above(
            problem.dataset, seed=problem.seed, rows=problem.rows, label_top=problem.label_top
        )

    @cached_property
    def mean_error(self) -> float:
        """Held-out error of always saying the mean of the clipped training labels: the
        upper rail.
        """
        return float(
            self.problem.errors(
                np.r_[self.problem.train().mean_label, np.zeros(self.problem.features)]
            )
        )

    @cached_property
    def guarantee(self) -> Guarantee:
        return self.settings.guarantee_of(self.settings.mechanism)

    @property
    def noise_gives(self) -> float:
        """The epsilon that the noise of the published mechanism gives, counted exactly."""
        settings = self.settings
        return settings.spent + published_epsilon(
            settings.left, share=settings.share_of("published")
        )

    def summary(self, name: str | None = None) -> Spread:
        return Spread.of(self.at_now[name or self.settings.mechanism].errors)

    @cached_property
    def costs(self) -> Case:
        """Return what may be said of today's private runs beside least squares without privacy."""
        return compare(
            self.focus.errors, self.least_squares, better="lower", constant=self.mean_error
        )

    def quantiles(self, name: str) -> np.ndarray:
        """5 %, 50 % and 95 % quantiles (3, E) of the error over the ``epsilons``."""
        return quantiles_of(self.curves[name].errors, axis=1)

    @property
    def rival(self) -> str | None:
        """Return which other mechanism errs least over all trained epsilons; None before all are
        trained.

        It does not depend on today's epsilon, so one curve stays in the picture while epsilon
        moves.
        """
        if len(self.curves) < len(REGRESSIONS):
            return None
        others = [name for name in self.curves if name != self.settings.mechanism]
        return min(others, key=self._error_over_epsilon)

    def _error_over_epsilon(self, name: str) -> float:
        """Return the mean over the trained epsilons of a mechanism's median error.

        An error above that of the baseline counts as the baseline's, because such a model is of no
        use however large its error is.
        """
        medians = np.median(self.curves[name].errors, axis=1)
        return float(np.minimum(medians, self.mean_error).mean())

    @property
    def useful_from(self) -> float | None:
        """Return from which trained epsilon on the chosen mechanism is shown to err less than
        always the mean; None where it is not yet known, or not shown at the highest.
        """
        if self.settings.mechanism not in self.curves:
            return None
        found = self.curves[self.settings.mechanism].errors
        first = trailing_start(
            [compare(errors, self.mean_error, better="lower") for errors in found]
        )
        return self.settings.epsilons[first] if first < len(self.settings.epsilons) else None

    def table(self) -> pd.DataFrame:
        """A row a mechanism at today's epsilon: median and quantiles of the error, and how often it
        fails.
        """
        rows = [
            {
                "mechanism": name,
                "delta": self.settings.guarantee_of(name).delta,
                **Spread.of(one.errors)._asdict(),
                "over least squares": np.median(one.errors) / self.least_squares,
                "worse than the mean": float((one.errors > self.mean_error).mean()),
                "no minimum": one.no_minimum,
            }
            for name, one in self.at_now.items()
        ]
        return pd.DataFrame(rows)

    @property
    def runs(self) -> pd.DataFrame:
        """A row a run of the curves: mechanism, epsilon, repeat, error."""
        grid = Grid(
            self.settings.epsilons, np.array([curve.errors for curve in self.curves.values()])
        )
        return grid.frame("error", mechanism=list(self.curves))

    @property
    def over_epsilon(self) -> pd.DataFrame:
        """A row a mechanism and epsilon: quantiles of the error, share of draws without a
        minimum.
        """
        rows = [
            {"mechanism": name, "epsilon": epsilon, **Spread.of(curve.errors[place])._asdict()}
            | {
                "no minimum": (
                    float("nan") if curve.no_minimum is None else float(curve.no_minimum[place])
                )
            }
            for name, curve in self.curves.items()
            for place, epsilon in enumerate(self.settings.epsilons)
        ]
        return pd.DataFrame(rows)

    @property
    def over_split(self) -> pd.DataFrame:
        """Median error over the share of epsilon for the quadratic."""
        return pd.DataFrame({"share": SHARES} | dict(self.splits))

    def coefficients(self) -> pd.DataFrame:
        """A row a coefficient: what the label gains from the lowest to the highest value of the
        feature, in its unit.

        least squares, and the quantiles of the chosen mechanism's runs; ``sign``: share of runs
        with the right sign.
        """
        exact, found = self.problem.least_squares(), self.focus.weights
        factor = 2 * self.problem.half
        low, median, high = factor * quantiles_of(found[:, 1:], axis=0)
        return pd.DataFrame(
            {
                "feature": self.problem.source.features[: self.problem.features],
                "least squares": factor * exact[1:],
                "low": low,
                "median": median,
                "high": high,
                "sign": (np.sign(found[:, 1:]) == np.sign(exact[1:])).mean(axis=0),
            }
        )

    def lines(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(the chosen feature's bounds (2,) in its unit, predictions (R, 2) there, those of least
        squares (2,)).

        All other features are held at their held-out mean; analyst only.
        """
        feature, test = self.settings.feature, self.problem.test()
        at = np.tile(test.gram[0] / test.rows, (2, 1))
        at[:, feature + 1] = (-1, 1)
        middle, half = self.problem.middle, self.problem.half
        runs, exact = (
            middle + half * weights @ at.T
            for weights in (self.focus.weights, self.problem.least_squares())
        )
        return self._bounds, runs, exact

    def points(self, many: int = 160) -> tuple[np.ndarray, np.ndarray]:
        """(values of the chosen feature in its unit, labels) of some held-out rows; analyst
        only.
        """
        table = regression_data.load(self.problem.dataset, seed=self.settings.seed)
        low, high = self._bounds
        values = table.X_test[:many, self.settings.feature + 1]
        return low + (values + 1) / 2 * (high - low), table.y_test[:many]

    @property
    def _bounds(self) -> np.ndarray:
        """Return the bounds (2,) of the chosen feature in its unit."""
        return np.array(
            list(self.problem.source.bounds.values())[self.settings.feature], dtype=float
        )
