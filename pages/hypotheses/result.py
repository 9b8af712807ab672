"""Result of hypothesis transfer: weights, accuracies, the curve over epsilon, and a table."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.parties import source_releases
from lab.data.domains import DomainData
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import FEWEST_LABELS, METHODS, SCORES, Outcome


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesesResult:
    """Result of the tasks done so far.

    outcome: the scores at the set epsilon.
    without_noise: the scores without noise, or None until some repeats are done.
    over_epsilon: the ``SCORES`` (7, E, R) over epsilon.
    """

    settings: HypothesesSettings
    outcome: Outcome
    without_noise: Outcome | None
    over_epsilon: Grid

    @property
    def repeats(self) -> int:
        """Return the number of repeats done at the set values."""
        return len(self.outcome.repeats)

    @property
    def complete(self) -> bool:
        """Return whether all repeats are done at the set values."""
        return self.repeats == self.settings.repeats

    @property
    def data(self) -> DomainData:
        return self.settings.source_training.data

    @property
    def dimension(self) -> int:
        """Return the number of features that the sources work with."""
        return self.data.public.shape[1]

    @property
    def labels(self) -> int:
        """Return the number of the target's rows that have a label."""
        return max(FEWEST_LABELS, round(self.settings.label_share * self.settings.target_rows))

    # The target's models at the set values

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Return the accuracy (R,) of each method on the target's test rows."""
        return {method: self.outcome.accuracy_of(method) for method in METHODS}

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Return the quantiles of each method's accuracy."""
        return {method: Spread.of(runs) for method, runs in self.accuracy.items()}

    @property
    def accuracy_without_noise(self) -> float:
        """Return the median accuracy of transfer without noise, NaN until it is trained."""
        if self.without_noise is None:
            return math.nan
        return float(np.median(self.without_noise.accuracy_of("transfer")))

    @property
    def harmed(self) -> float:
        """Return the share of runs in which transfer is worse than the target's few labels."""
        return float((self.accuracy["transfer"] < self.accuracy["few_labels"]).mean())

    @cached_property
    def baseline(self) -> float:
        """Return the accuracy of the best constant prediction on the target's test rows."""
        rows_by_class = self.outcome.class_counts.sum(axis=0)
        return float(rows_by_class.max() / rows_by_class.sum())

    def compare(self, other: str, method: str = "transfer") -> Case:
        """Compare the accuracy of a method with that of another one."""
        return compare(
            self.accuracy[method],
            self.accuracy[other],
            constant=self.baseline,
            complete=self.complete,
        )

    @cached_property
    def compared_without_noise(self) -> Case:
        """Compare transfer with transfer without noise."""
        if not self.complete or self.without_noise is None:
            return Case.SO_FAR
        return compare(
            self.accuracy["transfer"],
            self.without_noise.accuracy_of("transfer"),
            constant=self.baseline,
            complete=len(self.without_noise.repeats) == self.settings.repeats,
        )

    # Weights of the sources

    @cached_property
    def weight_quantiles(self) -> np.ndarray:
        """Return the quantiles (3, K) of the hypothesis weights."""
        return quantiles_of(self.outcome.weights, axis=0)

    @property
    def median_error(self) -> float:
        """Return the median of the mean squared error of the weights."""
        return float(np.median(self.outcome.error))

    @property
    def error_without_noise(self) -> float:
        """Return the same without noise, NaN until it is trained."""
        if self.without_noise is None:
            return math.nan
        return float(np.median(self.without_noise.error))

    @property
    def error_of_equal_weights(self) -> float:
        """Return the mean squared error of the same weight for all sources."""
        shares = np.array(self.settings.shares)
        return float(np.mean((shares - 1 / len(shares)) ** 2))

    @cached_property
    def compared_with_equal_weights(self) -> Case:
        """Compare the mean squared error of the weights with that of equal weights."""
        return compare(
            self.outcome.error,
            self.error_of_equal_weights,
            better="lower",
            complete=self.complete,
        )

    # Over epsilon

    def curve(self, score: str) -> Grid:
        """Return one of the ``SCORES`` (E, R) over epsilon."""
        return self.over_epsilon.arms[SCORES.index(score)]

    @property
    def cases_by_epsilon(self) -> dict[float, Case]:
        """Compare transfer with the few labels at each epsilon, ascending, the set one included."""
        transfer = self.curve("transfer")
        few_labels = self.curve("few_labels")
        cases = {}
        for epsilon, runs, others in zip(transfer.at, transfer.runs, few_labels.runs, strict=True):
            complete = not np.isnan(runs).any()
            cases[epsilon] = compare(runs, others, constant=self.baseline, complete=complete)
        cases[self.settings.epsilon] = self.compare("few_labels")
        return dict(sorted(cases.items()))

    # Noise

    @property
    def measured_noise(self) -> float:
        """Return the root mean square of the noise on a margin in the median run."""
        return float(np.median(self.outcome.margin_noise))

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        """Return the L2 sensitivities of a hypothesis and of a tilt."""
        training = self.settings.source_training
        return (
            source_releases.hypothesis_sensitivity(training.labelled_rows, training.lambda_lr),
            source_releases.tilt_sensitivity(training.unlabelled_rows, training.lambda_iw),
        )

    def noise_at(self, dimension: int) -> tuple[float, float]:
        """Return two standard deviations of noise, for a row of length 1 with so many features.

        The first is that on the margin that a hypothesis gives the row, and the second that on the
        logarithm of its importance weight. For noise in the objective, which has no such formula,
        they are those of output perturbation.
        """
        budget = self.settings.budget
        if budget.noise == "objective":
            budget = replace(budget, noise="exponential")
        of_hypothesis, of_tilt = self.sensitivities
        return (
            budget.coordinate_sd(of_hypothesis, dimension=dimension),
            budget.coordinate_sd(of_tilt, dimension=dimension),
        )

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per method: accuracy, and the gain over the few labels in the same runs."""
        rows = []
        for method, runs in self.accuracy.items():
            gain = Spread.of(runs - self.accuracy["few_labels"])
            rows.append({"method": method, **self.summary[method]._asdict(), "gain": gain.median})
        return pd.DataFrame(rows)

    def curves(self) -> pd.DataFrame:
        """Return a row per run over epsilon: score (``SCORES``), epsilon, repeat, value."""
        return self.over_epsilon.frame("value", score=SCORES)
