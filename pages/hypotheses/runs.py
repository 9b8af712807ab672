"""Runs of a transfer, and their quantiles along a parameter."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lab.experiment.settings import quantiles_of
from lab.statistics.claims import Case, compare
from pages.hypotheses.tasks import Outcome


class QuantileCurve(NamedTuple):
    """Values of a parameter (m,), and quantiles of the repeats there (3, m)."""

    at: np.ndarray
    quantiles: np.ndarray


@dataclass(frozen=True, eq=False)
class TransferRuns:
    """Runs at one value of a parameter.

    batches: outcomes of the batches of repeats that are done.
    planned: number of repeats in all.
    """

    batches: Sequence[Outcome]
    planned: int

    @property
    def begun(self) -> bool:
        return len(self.batches) > 0

    @property
    def repeats(self) -> int:
        """Return the number of repeats that are done."""
        return sum(len(batch.repeats) for batch in self.batches)

    @property
    def complete(self) -> bool:
        return self.repeats == self.planned

    @cached_property
    def outcome(self) -> Outcome:
        """Return the outcome of the repeats that are done, of which there must be some."""
        return Outcome.concatenate(self.batches)

    def accuracy(self, method: str) -> np.ndarray:
        """Return the accuracy (R,) of a method on the target's test rows."""
        return self.outcome.accuracy_of(method)

    def median_accuracy(self, method: str) -> float:
        """Return the median accuracy of a method, NaN until some repeats are done."""
        if not self.begun:
            return math.nan
        return float(np.median(self.accuracy(method)))

    @property
    def median_error(self) -> float:
        """Return the median error of the weights, NaN until some repeats are done."""
        if not self.begun:
            return math.nan
        return float(np.median(self.outcome.error))

    @property
    def baseline(self) -> float:
        """Return the accuracy of the best constant prediction on the target's test rows."""
        rows_by_class = self.outcome.class_counts.sum(axis=0)
        return float(rows_by_class.max() / rows_by_class.sum())

    def compare(self, method: str = "transfer", other: str = "few_labels") -> Case:
        """Compare the accuracy of a method with that of another one."""
        return compare(
            self.accuracy(method),
            self.accuracy(other),
            constant=self.baseline,
            complete=self.complete,
        )


RunsByValue = Mapping[float, TransferRuns]


def begun(runs: RunsByValue) -> dict[float, TransferRuns]:
    """Return the runs that are begun, by finite values, ascending."""
    runs_begun = {}
    for value in sorted(runs):
        if math.isfinite(value) and runs[value].begun:
            runs_begun[value] = runs[value]
    return runs_begun


def accuracy_curve(runs: RunsByValue, method: str) -> QuantileCurve:
    return quantile_curve(runs, [at.accuracy(method) for at in runs.values()])


def quantile_curve(runs: RunsByValue, numbers: Sequence[np.ndarray]) -> QuantileCurve:
    """Return the quantiles of numbers (R,) at each value of a parameter."""
    quantiles = [quantiles_of(at_value) for at_value in numbers]
    # (m, 3), also for m = 0, to (3, m).
    return QuantileCurve(np.array(list(runs)), np.array(quantiles).reshape(-1, 3).T)
