"""Result of hypothesis transfer: weights, accuracies, curves and a table."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.parties import source_releases
from lab.data.domains import DomainData
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare, leaders
from pages.hypotheses.runs import (
    QuantileCurve,
    RunsByValue,
    TransferRuns,
    accuracy_curve,
    begun,
    quantile_curve,
)
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import FEWEST_LABELS, METHODS

# Values of the parameters at which the curves and the table are computed.
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
DIMENSIONS = (2, 5, 10, 20, 40, 60)
TABLE_EPSILONS = (1.0, 10.0, 100.0, math.inf)
# Parameters of the curves, the share of labels and the number of features among them.
ALONG = ("epsilon", "share", "dimension")


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesesResult:
    """Result of the tasks done so far.

    now: runs at the set values of all parameters.
    over_epsilon: runs by epsilon, of which infinity is without noise.
    over_share: runs by share of labels.
    over_dimension: runs by number of features.
    over_mixture: runs by mixture and epsilon, for the table.
    """

    settings: HypothesesSettings
    now: TransferRuns
    over_epsilon: RunsByValue
    over_share: RunsByValue
    over_dimension: RunsByValue
    over_mixture: Mapping[tuple[tuple[float, ...], float], TransferRuns]

    @property
    def without_noise(self) -> TransferRuns:
        return self.over_epsilon[math.inf]

    @property
    def repeats(self) -> int:
        """Return the number of repeats done at the set values."""
        return self.now.repeats

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
        return {method: self.now.accuracy(method) for method in METHODS}

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Return the quantiles of each method's accuracy."""
        return {method: Spread.of(runs) for method, runs in self.accuracy.items()}

    @cached_property
    def gain(self) -> dict[str, Spread]:
        """Return the quantiles of each method's gain over the target's few labels, run by run."""
        gains = {}
        for method, runs in self.accuracy.items():
            gains[method] = Spread.of(runs - self.accuracy["few_labels"])
        return gains

    @property
    def harmed(self) -> float:
        """Return the share of runs in which transfer is worse than the target's few labels."""
        return float((self.accuracy["transfer"] < self.accuracy["few_labels"]).mean())

    def compare(self, other: str, method: str = "transfer") -> Case:
        """Compare the accuracy of a method with that of another one."""
        return self.now.compare(method, other)

    @cached_property
    def compared_without_noise(self) -> Case:
        """Compare transfer with transfer without noise."""
        if not self.now.complete or not self.without_noise.complete:
            return Case.SO_FAR
        return compare(
            self.accuracy["transfer"],
            self.without_noise.accuracy("transfer"),
            constant=self.now.baseline,
        )

    # Weights of the sources

    @cached_property
    def weight_quantiles(self) -> np.ndarray:
        """Return the quantiles (3, K) of the hypothesis weights."""
        return quantiles_of(self.now.outcome.weights, axis=0)

    @property
    def error_of_equal_weights(self) -> float:
        """Return the mean squared error of the same weight for all sources."""
        shares = np.array(self.settings.shares)
        return float(np.mean((shares - 1 / len(shares)) ** 2))

    @cached_property
    def compared_with_equal_weights(self) -> Case:
        """Compare the mean squared error of the weights with that of equal weights."""
        return compare(
            self.now.outcome.error,
            self.error_of_equal_weights,
            better="lower",
            complete=self.now.complete,
        )

    # Curves

    def set_value(self, along: str) -> float:
        """Return the set value of a parameter (``ALONG``)."""
        if along == "epsilon":
            return self.settings.epsilon
        if along == "share":
            return self.settings.label_share
        return self.dimension

    def runs_along(self, along: str) -> dict[float, TransferRuns]:
        """Return the runs begun so far by the value of a parameter, ascending, with the set one."""
        runs = {
            "epsilon": self.over_epsilon,
            "share": self.over_share,
            "dimension": self.over_dimension,
        }
        return begun({**runs[along], self.set_value(along): self.now})

    def curve(self, method: str, along: str) -> QuantileCurve:
        """Return the accuracy of a method along a parameter."""
        return accuracy_curve(self.runs_along(along), method)

    @property
    def error_curve(self) -> QuantileCurve:
        """Return the mean squared error of the weights over epsilon."""
        runs = self.runs_along("epsilon")
        return quantile_curve(runs, [at.outcome.error for at in runs.values()])

    # Noise

    @property
    def measured_noise(self) -> float:
        """Return the root mean square of the noise on a margin in the median run."""
        return float(np.median(self.now.outcome.margin_noise))

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        """Return the L2 sensitivities of a hypothesis and of a tilt."""
        training = self.settings.source_training
        return (
            source_releases.hypothesis_sensitivity(training.labelled_rows, training.lambda_lr),
            source_releases.tilt_sensitivity(training.unlabelled_rows, training.lambda_iw),
        )

    def noise_at(self, dimension: int) -> tuple[float, float]:
        """Return the sd of the noise on the margin of a row of length 1, and on its log weight.

        For noise in the objective, which has no such formula, it is that of output perturbation.
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

    def curves(self) -> pd.DataFrame:
        """Return a row per parameter, method and value: the quantiles of the accuracy."""
        frames = []
        for along in ALONG:
            for method in METHODS:
                at, quantiles = self.curve(method, along)
                columns = dict(zip(Spread._fields, quantiles, strict=True))
                frame = pd.DataFrame({"over": along, "at": at, "method": method, **columns})
                frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return a row per mixture and epsilon: median accuracy by method in %, and the best.

        The best is the method shown to be ahead of all others that do not see all labels, or "".
        Numbers are NaN until they are computed.
        """
        rows = []
        for (mixture, epsilon), runs in self.over_mixture.items():
            medians = {method: 100 * runs.median_accuracy(method) for method in METHODS}
            row = {"mixture": mixture, "epsilon": epsilon, **medians, "best": _best(runs)}
            rows.append(row)
        return pd.DataFrame(rows)


def _best(runs: TransferRuns) -> str:
    """Return the method shown to be the best of those that do not see all labels, or ""."""
    if not runs.complete:
        return ""
    arms = {method: runs.accuracy(method) for method in METHODS if method != "all_labels"}
    best = leaders(arms)
    if len(best) > 1:
        return ""
    return best[0]
