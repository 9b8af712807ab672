"""Result of fairness: the accuracy of each group, and what privacy costs it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import LEAST, Case, compare
from pages.attack.fairness.tasks import GROUPS
from pages.attack.settings import AttackSettings

MAJORITY = 0
MINORITY = 1
# Differences that fall short by so little are rounding errors.
_ROUNDING_ERROR = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class FairnessResult:
    """Result of fairness. All numbers are accuracies, by group.

    runs: at the set epsilon, (2, R).
    plain: without privacy, (2,).
    curve: over epsilon, a grid per group.
    """

    settings: AttackSettings
    runs: np.ndarray
    plain: np.ndarray
    curve: Grid

    @property
    def minority_rows(self) -> int:
        """Return the number of private rows in the minority."""
        return round(self.settings.minority * self.settings.rows)

    def quantiles_over_epsilon(self, group: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the epsilons (m,) begun so far, and the quantiles (3, m) of a group there."""
        return self.curve.arms[group].over()

    def median(self, group: int) -> float:
        """Return the median accuracy at the set epsilon."""
        return float(np.median(self.runs[group]))

    def cost(self, group: int) -> float:
        """Return the accuracy that privacy costs."""
        return float(self.plain[group]) - self.median(group)

    def accuracy_claim(self, group: int) -> Case:
        """Return the claim about private runs compared with the non-private model."""
        return compare(self.runs[group], float(self.plain[group]))

    @property
    def gap(self) -> Spread:
        """Return how much more accuracy privacy costs the minority than the majority, by run."""
        costs = self.plain[:, None] - self.runs
        return Spread.of(costs[MINORITY] - costs[MAJORITY])

    @property
    def gap_over_epsilon(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the epsilons (m,) begun so far, and the quantiles (3, m) of the gap there."""
        costs = self.plain[:, None, None] - self.curve.runs
        return Grid(self.curve.at, costs[MINORITY] - costs[MAJORITY]).over()

    @property
    def cost_claim(self) -> Case:
        """Return the claim about the minority's cost compared with the majority's.

        "ahead" is the larger cost. The median gap must be a point too.
        """
        if abs(self.gap.median) < LEAST - _ROUNDING_ERROR:
            return Case.ALIKE
        costs = self.plain[:, None] - self.runs
        return compare(costs[MINORITY], costs[MAJORITY])

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return the accuracy of each group without privacy, the private one, and the cost."""
        rows = []
        for group, name in enumerate(GROUPS):
            row = {
                "group": name,
                "without privacy": self.plain[group],
                "private": self.median(group),
                "cost": self.cost(group),
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Groups": self.table, "All runs": self._runs_table}

    def _runs_table(self) -> pd.DataFrame:
        """Return the accuracy of each group in each run over epsilon."""
        return self.curve.frame("accuracy", group=GROUPS)
