"""Result of fairness: the accuracy of each group, and what privacy costs it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lab.data import classification as data
from lab.experiment.parts import Grid
from lab.statistics.claims import LEAST, Case, compare
from pages.attack.fairness.tasks import GROUPS
from pages.attack.settings import AttackSettings

MAJORITY = 0
MINORITY = 1
# Index of all classes together, behind the single classes.
ALL_CLASSES = -1
# Columns of the table.
COLUMNS = ("group", "class", "without privacy", "private", "cost")
# Differences that fall short by so little are rounding errors.
_ROUNDING_ERROR = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class FairnessResult:
    """Result of fairness. All numbers are accuracies, by group and class (``ALL_CLASSES`` last).

    runs: at the set epsilon, (2, c + 1, R).
    plain: without privacy, (2, c + 1).
    curve: over epsilon, a grid per group and class.
    """

    settings: AttackSettings
    runs: np.ndarray
    plain: np.ndarray
    curve: Grid

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return data.DATASETS[self.settings.dataset].classes

    @property
    def minority_rows(self) -> int:
        """Return the number of private rows in the minority."""
        return round(self.settings.minority * self.settings.rows)

    def quantiles_over_epsilon(self, group: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the epsilons (m,) begun so far, and the quantiles (3, m) of a group there."""
        return self.curve.arms[group].arms[ALL_CLASSES].over()

    def typical(self, group: int, label: int = ALL_CLASSES) -> float:
        """Return the median accuracy at the set epsilon, or the mean accuracy on one class.

        Noisy models favour one class, so the medians on single classes look better than any model.
        """
        runs = self.runs[group, label]
        if label == ALL_CLASSES:
            return float(np.median(runs))
        return float(runs.mean())

    def cost(self, group: int, label: int = ALL_CLASSES) -> float:
        """Return the accuracy that privacy costs."""
        return float(self.plain[group, label]) - self.typical(group, label)

    def accuracy_claim(self, group: int, label: int = ALL_CLASSES) -> Case:
        """Return the claim about private runs compared with the non-private model."""
        return compare(self.runs[group, label], float(self.plain[group, label]))

    @property
    def cost_claim(self) -> Case:
        """Return the claim about the minority's cost compared with the majority's.

        "ahead" is the larger cost. The medians must differ by a point too.
        """
        costs = self.plain[:, ALL_CLASSES, None] - self.runs[:, ALL_CLASSES]
        median_gap = np.median(costs[MINORITY] - costs[MAJORITY])
        if abs(median_gap) < LEAST - _ROUNDING_ERROR:
            return Case.ALIKE
        return compare(costs[MINORITY], costs[MAJORITY])

    def class_summary(self, group: int) -> np.ndarray:
        """Return the 5 % quantile, the mean and the 95 % quantile of each class, (3, c)."""
        runs = self.runs[group, :ALL_CLASSES]
        low, high = np.quantile(runs, [0.05, 0.95], axis=-1)
        return np.stack([low, runs.mean(axis=-1), high])

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return accuracies with and without privacy, with a row per group and class."""
        rows = []
        for group, group_name in enumerate(GROUPS):
            for label, class_name in enumerate(self.classes):
                rows.append((group_name, class_name, *self._table_numbers(group, label)))
            rows.append((group_name, "all", *self._table_numbers(group, ALL_CLASSES)))
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def _table_numbers(self, group: int, label: int) -> tuple[float, float, float]:
        """Return the accuracy without privacy, the private one, and the cost."""
        plain = self.plain[group, label]
        return plain, self.typical(group, label), self.cost(group, label)

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Groups": self.table, "Over epsilon": self.quantile_table}

    def quantile_table(self) -> pd.DataFrame:
        """Return the quantiles of each group over epsilon."""
        tables = []
        for group, name in enumerate(GROUPS):
            quantiles = self.curve.arms[group].arms[ALL_CLASSES].quantiles()
            tables.append(quantiles.assign(group=name))
        return pd.concat(tables)[["low", "median", "high", "group", "epsilon"]]
