"""What the regression page shows: errors between two rails, coefficients, lines and surfaces."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from dpcore import regression_data
from dpcore.experiments.regression_surface import Surface, surface
from dpcore.experiments.regression_work import EPSILONS, SHARES, CurveOutcome, FocusOutcome, Problem
from dpcore.learners.functional import published_epsilon
from dpcore.learners.linear import MECHANISMS
from dpcore.privacy import Guarantee

if TYPE_CHECKING:
    from dpcore.experiments.regression import RegressionSettings


class Spread(NamedTuple):
    """The 5 %, 50 % and 95 % quantiles of the repeats, and their mean."""

    low: float
    median: float
    high: float
    mean: float


def spread(values: np.ndarray) -> Spread:
    return Spread(*map(float, np.quantile(values, [0.05, 0.5, 0.95])), float(values.mean()))


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionResult:
    """What a page shows: outcomes by mechanism, as far as they are done. Errors are in the label's unit."""

    settings: "RegressionSettings"
    problem: Problem
    at_now: Mapping[str, FocusOutcome]
    curves: Mapping[str, CurveOutcome]
    splits: Mapping[str, np.ndarray]

    @property
    def focus(self) -> FocusOutcome:
        return self.at_now[self.settings.mechanism]

    @cached_property
    def least_squares(self) -> float:
        """Held-out error of least squares without privacy: the lower rail."""
        return float(self.problem.errors(self.problem.least_squares()))

    @cached_property
    def least_error(self) -> float:
        """Mean squared error of least squares on the private rows, on the scale of the learners; analyst only."""
        return max(float(self.problem.train().errors(self.problem.least_squares())), 1e-9)

    @cached_property
    def weakest(self) -> float:
        """Least eigenvalue of X^T X without noise; analyst only."""
        return float(np.linalg.eigvalsh(self.problem.train().gram)[0])

    @cached_property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on an off-diagonal entry of X^T X, from the draws; NaN without such noise."""
        if self.focus.gram is None:
            return float("nan")
        places = np.triu_indices(self.problem.inputs, k=1)
        return float((self.focus.gram - self.problem.train().gram)[:, *places].std())

    @cached_property
    def cut(self) -> float:
        """Share of the private labels above the label bound; analyst only."""
        settings = self.settings
        return regression_data.share_above(
            settings.dataset, seed=settings.seed, rows=settings.rows, label_top=settings.label_top
        )

    @cached_property
    def mean_error(self) -> float:
        """Held-out error of always saying the mean: the upper rail."""
        return float(self.problem.errors(self.problem.mean_weights()))

    @cached_property
    def guarantee(self) -> Guarantee:
        return self.settings.guarantee(self.settings.mechanism)

    @property
    def noise_gives(self) -> float:
        """The epsilon that the noise of the published way gives, counted exactly."""
        settings = self.settings
        share = settings.share_of("published")
        return published_epsilon(settings.epsilon, inputs=settings.features + 1, share=share)

    def summary(self, name: str | None = None) -> Spread:
        """Held-out error at today's epsilon of a mechanism, or of the chosen one."""
        return spread(self.at_now[name or self.settings.mechanism].errors)

    def quantiles(self, name: str) -> np.ndarray:
        """5 %, 50 % and 95 % quantiles (3, E) of the error over ``EPSILONS``."""
        return np.quantile(self.curves[name].errors, [0.05, 0.5, 0.95], axis=1)

    def table(self) -> pd.DataFrame:
        """A row a mechanism at today's epsilon: median, quantiles and mean of the error, and how often it fails."""
        rows = []
        for name, outcome in self.at_now.items():
            held = self.settings.guarantee(name)
            worse = float((outcome.errors > self.mean_error).mean())
            rows.append(
                {"mechanism": name, "delta": held.delta, **spread(outcome.errors)._asdict()}
                | {"over least squares": spread(outcome.errors).median / self.least_squares}
                | {"worse than the mean": worse, "no minimum": outcome.no_minimum}
            )
        order = {name: place for place, name in enumerate(MECHANISMS)}
        return pd.DataFrame(rows).sort_values("mechanism", key=lambda names: names.map(order), ignore_index=True)

    @property
    def runs(self) -> pd.DataFrame:
        """A row a run of the curves: mechanism, epsilon, repeat, error."""
        parts = []
        for name, curve in self.curves.items():
            index = pd.MultiIndex.from_product([[name], EPSILONS, range(self.settings.repeats)])
            index.names = ["mechanism", "epsilon", "repeat"]
            parts.append(pd.DataFrame({"error": curve.errors.ravel()}, index=index).reset_index())
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @property
    def over_epsilon(self) -> pd.DataFrame:
        """A row a mechanism and epsilon: quantiles and mean of the error, share of draws without a minimum."""
        rows = [
            {"mechanism": name, "epsilon": epsilon, **spread(curve.errors[place])._asdict()}
            | {"no minimum": float("nan") if curve.no_minimum is None else float(curve.no_minimum[place])}
            for name, curve in self.curves.items()
            for place, epsilon in enumerate(EPSILONS)
        ]
        return pd.DataFrame(rows)

    @property
    def over_split(self) -> pd.DataFrame:
        """Median error over the share of epsilon for the quadratic."""
        return pd.DataFrame({"share": SHARES} | dict(self.splits))

    def coefficients(self) -> pd.DataFrame:
        """A row a coefficient: what the label gains from the lowest to the highest value of the feature, in its unit.

        least squares, and the quantiles of the chosen mechanism's runs; ``sign``: share of runs with the right sign.
        """
        exact, found = self.problem.least_squares(), self.focus.weights
        factor = 2 * self.problem.half
        low, median, high = factor * np.quantile(found[:, 1:], [0.05, 0.5, 0.95], axis=0)
        return pd.DataFrame(
            {
                "feature": self.settings.source.features[: self.settings.features],
                "least squares": factor * exact[1:],
                "low": low,
                "median": median,
                "high": high,
                "sign": (np.sign(found[:, 1:]) == np.sign(exact[1:])).mean(axis=0),
            }
        )

    def lines(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(the chosen feature's bounds (2,) in its unit, predictions (R, 2) there, those of least squares (2,)).

        All other features are held at their held-out mean; analyst only.
        """
        settings, test = self.settings, self.problem.test()
        bounds = np.array(list(settings.source.bounds.values())[settings.feature], dtype=float)
        at = np.tile(test.gram[0] / test.rows, (2, 1))
        at[:, settings.feature + 1] = (-1, 1)
        middle, half = self.problem.middle, self.problem.half
        return bounds, middle + half * self.focus.weights @ at.T, middle + half * at @ self.problem.least_squares()

    def points(self, many: int = 160) -> tuple[np.ndarray, np.ndarray]:
        """(values of the chosen feature in its unit, labels) of some held-out rows; analyst only."""
        settings = self.settings
        table = regression_data.load(settings.dataset, seed=settings.seed)
        low, high = list(settings.source.bounds.values())[settings.feature]
        values = table.X_test[:many, settings.feature + 1]
        return low + (values + 1) / 2 * (high - low), table.y_test[:many]

    @property
    def pair(self) -> tuple[int, int]:
        """The inputs whose coefficients span the surfaces."""
        return self.settings.across + 1, self.settings.up + 1

    @cached_property
    def true_surface(self) -> Surface:
        train = self.problem.train()
        return surface(train.gram, train.moment, rows=train.rows, pair=self.pair)

    @cached_property
    def noisy_surface(self) -> Surface | None:
        """Of the draw that is looked at; None where no quadratic is released."""
        if self.focus.gram is None:
            return None
        place = self.settings.draw - 1
        return surface(self.focus.gram[place], self.focus.moment[place], rows=self.problem.rows, pair=self.pair)
