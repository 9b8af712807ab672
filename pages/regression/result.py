"""Result of the regression: errors, released quadratics, lines and coefficients of private fits."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.estimators.linear import REGRESSIONS
from dpcore.privacy import Guarantee
from dpcore.regression.functional import published_epsilon
from lab.data import regression as regression_data
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare, trailing_start
from pages.regression.settings import RegressionSettings
from pages.regression.tasks import PrivateFits, Problem

# Most held-out rows that are drawn as points.
_MOST_POINTS = 160


class FittedLines(NamedTuple):
    """Predictions over one feature, with all other features at their mean on held-out rows.

    ends: the bounds (2,) of the feature, in its unit.
    private, least_squares: the predictions at both ends, (R, 2) and (2,), in the label's unit.
    """

    ends: np.ndarray
    private: np.ndarray
    least_squares: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionResult:
    """Result of the tasks done so far.

    Errors are root mean squares on held-out rows, in the label's unit.

    all_fits: the fits at the set epsilon, by mechanism. Those of the chosen one are always there.
    curves: the errors (E, R) over the epsilons of the settings, by mechanism.
    """

    settings: RegressionSettings
    all_fits: Mapping[str, PrivateFits]
    curves: Mapping[str, np.ndarray]

    @property
    def problem(self) -> Problem:
        return self.settings.problem

    @property
    def fits(self) -> PrivateFits:
        """Return the fits of the chosen mechanism."""
        return self.all_fits[self.settings.mechanism]

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one fit by the chosen mechanism."""
        return self.settings.guarantee_of(self.settings.mechanism)

    @property
    def exact_published_epsilon(self) -> float:
        """Return the exact epsilon of the published noise, with the payments for bounds."""
        settings = self.settings
        share = settings.mechanism_of("published").share
        return settings.spent_epsilon + published_epsilon(settings.remaining_epsilon, share=share)

    # Errors

    def summary(self) -> Spread:
        """Return the quantiles of the errors of the chosen mechanism."""
        return Spread.of(self.fits.errors)

    @cached_property
    def least_squares_error(self) -> float:
        """Return the error of least squares without privacy."""
        return float(self.problem.errors(self.problem.least_squares()))

    @cached_property
    def baseline(self) -> float:
        """Return the error of always predicting the mean of the clipped training labels."""
        constant = self.problem.training_statistics().mean_label
        weights = np.r_[constant, np.zeros(self.problem.features)]
        return float(self.problem.errors(weights))

    @cached_property
    def costs(self) -> Case:
        """Return how the private fits compare with least squares."""
        return compare(
            self.fits.errors,
            self.least_squares_error,
            better="lower",
            constant=self.baseline,
        )

    @cached_property
    def costs_little(self) -> bool:
        """Return whether the error is shown to rise, but by less than what is worth a claim."""
        if self.costs != Case.ALIKE:
            return False
        case = compare(self.fits.errors, self.least_squares_error, better="lower", least=0.0)
        return case == Case.BEHIND

    def quantiles(self, name: str) -> np.ndarray:
        """Return the 5 %, 50 % and 95 % quantiles (3, E) of a mechanism's errors over epsilon."""
        return quantiles_of(self.curves[name], axis=1)

    @cached_property
    def best_alternative(self) -> str | None:
        """Return the other mechanism with the least error over all epsilons of the curve.

        It does not depend on the set epsilon or on options by hand, so that one curve stays in the
        chart while they move. Return None until the curves of all others are computed.
        """
        others = [name for name in self.curves if name != self.settings.mechanism]
        if len(others) < len(REGRESSIONS) - 1:
            return None
        return min(others, key=self._mean_error_over_epsilon)

    def _mean_error_over_epsilon(self, name: str) -> float:
        """Return the mean of a mechanism's median errors over the epsilons of the curve.

        An error above the baseline counts as the baseline, because such a model is of no use
        however large its error is.
        """
        medians = np.median(self.curves[name], axis=1)
        return float(np.minimum(medians, self.baseline).mean())

    @cached_property
    def useful_from(self) -> float | None:
        """Return the epsilon from which on the chosen mechanism is shown to be below the baseline.

        Return None until its curve is computed, or if it is not shown at the last epsilon.
        """
        name = self.settings.mechanism
        if name not in self.curves:
            return None
        cases = [compare(errors, self.baseline, better="lower") for errors in self.curves[name]]
        first = trailing_start(cases)
        if first == len(cases):
            return None
        return self.settings.epsilons[first]

    # Noise and clipping

    @property
    def without_minimum(self) -> int:
        """Return the number of fits whose released quadratic has no minimum."""
        if self.fits.least_eigenvalues is None:
            return 0
        return int((self.fits.least_eigenvalues <= 0).sum())

    @cached_property
    def noise_sd(self) -> float | None:
        """Return the standard deviation of the noise on an entry off the diagonal of X^T X.

        It is that of the noise drawn. Return None if the chosen mechanism releases no X^T X.
        """
        if self.fits.gram is None:
            return None
        rows, columns = np.triu_indices(self.problem.inputs, k=1)
        noise = self.fits.gram - self.problem.training_statistics().gram
        return float(noise[:, rows, columns].std())

    @cached_property
    def exact_least_eigenvalue(self) -> float:
        """Return the least eigenvalue of X^T X without noise, for the analyst only."""
        return float(np.linalg.eigvalsh(self.problem.training_statistics().gram)[0])

    @cached_property
    def clipped_label_share(self) -> float:
        """Return the share of the private labels above their bound, for the analyst only."""
        problem = self.problem
        return regression_data.share_above(
            problem.dataset,
            seed=problem.seed,
            rows=problem.rows,
            label_top=problem.label_top,
        )

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per mechanism that is fitted: quantiles of its errors, and failures."""
        rows = []
        for name, fits in self.all_fits.items():
            spread = Spread.of(fits.errors)
            row = {
                "mechanism": name,
                "delta": self.settings.guarantee_of(name).delta,
                "low": spread.low,
                "median": spread.median,
                "high": spread.high,
                "over least squares": np.median(fits.errors) / self.least_squares_error,
                "worse than the mean": float((fits.errors > self.baseline).mean()),
                "no minimum": fits.share_without_minimum,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def runs(self) -> pd.DataFrame:
        """Return a row per fit of the curves: mechanism, epsilon, repeat, error."""
        errors = np.array(list(self.curves.values()))
        grid = Grid(self.settings.epsilons, errors)
        return grid.frame("error", mechanism=list(self.curves))

    def coefficients(self) -> pd.DataFrame:
        """Return a row per coefficient, which is a change of the label in its unit.

        It is the change from the lowest to the highest value of the feature: of least squares, and
        the quantiles of the private fits. "sign" is the share of fits with the right sign.
        """
        exact = self.problem.least_squares()[1:]
        private = self.fits.weights[:, 1:]
        # Features are scaled to [-1, 1], so that their whole range is 2.
        factor = 2 * self.problem.half_range
        low, median, high = factor * quantiles_of(private, axis=0)
        has_right_sign = np.sign(private) == np.sign(exact)
        return pd.DataFrame(
            {
                "feature": self.problem.source.features[: self.problem.features],
                "least squares": factor * exact,
                "low": low,
                "median": median,
                "high": high,
                "sign": has_right_sign.mean(axis=0),
            }
        )

    # Lines over one feature, for the analyst only

    @cached_property
    def feature(self) -> int:
        """Return the index of the feature of the lines, over which least squares changes most."""
        return int(np.abs(self.problem.least_squares()[1:]).argmax())

    @cached_property
    def fitted_lines(self) -> FittedLines:
        """Return the predictions over the feature of the lines."""
        problem = self.problem
        test = problem.held_out_statistics()
        mean_inputs = test.gram[0] / test.rows  # the first input is 1
        inputs = np.tile(mean_inputs, (2, 1))
        inputs[:, self.feature + 1] = (-1, 1)

        def predictions(weights: np.ndarray) -> np.ndarray:
            """Return the predictions (..., 2) of weights (..., p) at both ends."""
            return problem.midpoint + problem.half_range * weights @ inputs.T

        return FittedLines(
            ends=self._feature_bounds,
            private=predictions(self.fits.weights),
            least_squares=predictions(problem.least_squares()),
        )

    def held_out_points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return values of that feature and labels of the first held-out rows, (n,) each."""
        table = regression_data.load(self.problem.dataset, seed=self.settings.seed)
        low, high = self._feature_bounds
        scaled = table.X_test[:_MOST_POINTS, self.feature + 1]
        values = low + (scaled + 1) / 2 * (high - low)
        return values, table.y_test[:_MOST_POINTS]

    @property
    def _feature_bounds(self) -> np.ndarray:
        """Return the bounds (2,) of that feature, in its unit."""
        bounds = list(self.problem.source.bounds.values())
        return np.array(bounds[self.feature], dtype=float)
