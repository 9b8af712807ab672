"""Result of the transfer page: excess risk of four candidates, guarantees, and the sources."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.privacy import Guarantee
from lab.data.transfer_worlds import Problem
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, compare
from pages.transfer.model import CANDIDATES, Plan
from pages.transfer.plane import PlaneRuns
from pages.transfer.settings import TransferSettings
from pages.transfer.tasks import CandidateFits

# Smaller excess risks are shown as "below" this.
LEAST_RISK = 1e-4
# The least relative difference worth a claim, which two digits show.
_LEAST_DIFFERENCE = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class TransferResult:
    """Result of the tasks done so far.

    Excess risk is the squared error of prediction above that of the true coefficients.

    fits: the candidates at the set epsilon.
    plane_runs: the runs in the plane at the set epsilon.
    over_epsilon: excess risk (4, E, R) over epsilon, by ``CANDIDATES``.
    descent: excess risk (R,) of gradient descent on the private rows, or None until it is trained.
    published: the published table, reproduced, and its control.
    """

    settings: TransferSettings
    fits: CandidateFits
    plane_runs: PlaneRuns
    over_epsilon: Grid
    descent: np.ndarray | None
    published: pd.DataFrame

    @cached_property
    def problem(self) -> Problem:
        return self.settings.data.problem

    # The candidates now

    def risks(self, name: str) -> np.ndarray:
        """Return the excess risks (R,) of a candidate."""
        return self.fits.risk[CANDIDATES.index(name)]

    def summary(self) -> dict[str, Spread]:
        """Return the quantiles of each candidate's excess risk."""
        return {name: Spread.of(self.risks(name)) for name in CANDIDATES}

    @cached_property
    def medians(self) -> dict[str, float]:
        """Return the median of each candidate's excess risk."""
        return {name: spread.median for name, spread in self.summary().items()}

    @property
    def best_other(self) -> str:
        """Return the candidate with the least median excess risk, except for the transfer."""
        medians = self.medians
        others = [name for name in CANDIDATES if name != "transfer"]
        return min(others, key=lambda name: medians[name])

    @cached_property
    def baseline(self) -> float:
        """Return the excess risk of always predicting 0."""
        return float(self.problem.risk(np.zeros(self.settings.dimension)))

    @property
    def without_source(self) -> int:
        """Return the number of repeats in which the transfer uses no source."""
        return int((~self.fits.kept.any(axis=1)).sum())

    @cached_property
    def transferable(self) -> np.ndarray:
        """Return whether the contrast of each source is within h, (K,)."""
        return self.problem.transferable(self.settings.q, self.settings.h)

    # Comparisons

    def compare(self, name: str, other: str) -> Case:
        """Return what can be claimed about one candidate compared with another."""
        return self.compare_risks(self.risks(name), self.risks(other))

    def compare_risks(self, first: np.ndarray, second: np.ndarray) -> Case:
        """Return what can be claimed about the excess risks (R,) of one model and another.

        They are shown with two digits, so that less than 10 % counts as no difference. Neither is
        ahead where both are no better than predicting 0.
        """
        first = np.maximum(first, LEAST_RISK)
        second = np.maximum(second, LEAST_RISK)
        least = _LEAST_DIFFERENCE * float(np.median(second))
        return compare(first, second, better="lower", constant=self.baseline, least=least)

    @property
    def descent_is_ahead(self) -> bool:
        """Return whether gradient descent is shown to beat the transfer and the target."""
        if self.descent is None:
            return False
        for name in ("transfer", "target"):
            if self.compare_risks(self.descent, self.risks(name)) != Case.AHEAD:
                return False
        return True

    @property
    def descent_median(self) -> float | None:
        """Return the median excess risk of gradient descent, or None until it is trained."""
        if self.descent is None:
            return None
        return float(np.median(self.descent))

    def transfer_by_epsilon(self) -> list[Case]:
        """Return how the transfer compares with the target at each epsilon trained so far."""
        target = self.over_epsilon.runs[CANDIDATES.index("target")]
        transfer = self.over_epsilon.runs[CANDIDATES.index("transfer")]
        cases = []
        for target_risks, transfer_risks in zip(target, transfer, strict=True):
            if not np.isnan(target_risks[0]):
                cases.append(self.compare_risks(transfer_risks, target_risks))
        return cases

    # Budgets and guarantees

    def plan(self, name: str) -> Plan:
        """Return how the Frank-Wolfe run of a candidate, or of "alone", spends its budget."""
        return self.settings.model.plans(self.settings.epsilon)[name]

    def advanced(self, name: str) -> Guarantee:
        """Return a run's guarantee by advanced composition, for which the printed scale is made."""
        return self.settings.model.account(self.plan(name).event, accountant="advanced")

    def epsilon_of(self, name: str) -> float:
        """Return the epsilon that a candidate spends.

        "source" reads the private rows only to detect the sources.
        """
        if name != "source":
            return self.settings.guarantee_of(name).epsilon
        detection = self.settings.model.detection_guarantee(self.settings.epsilon)
        if detection is None:
            return 0.0
        return detection.epsilon

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per candidate: quantiles of the excess risk, and epsilon."""
        rows = []
        for name, spread in self.summary().items():
            row = {"candidate": name, **spread._asdict(), "epsilon": self.epsilon_of(name)}
            rows.append(row)
        return pd.DataFrame(rows)

    def curves(self) -> pd.DataFrame:
        """Return a row per trained model of the curve: candidate, epsilon, repeat, risk."""
        return self.over_epsilon.frame("excess risk", candidate=CANDIDATES)
