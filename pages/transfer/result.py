"""Result of the transfer page: excess risk of four candidates, guarantees, and the sources."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import account, zcdp
from dpcore.privacy import Adjacency, Guarantee
from dpcore.training import frank_wolfe as fw
from lab.data.transfer_worlds import Problem, norm_q
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, compare
from pages.transfer.baselines import BaselineRisks
from pages.transfer.model import CANDIDATES, Plan
from pages.transfer.plane import PlaneRuns
from pages.transfer.printed_noise import printed_epsilon
from pages.transfer.published import PublishedResult
from pages.transfer.settings import TransferSettings
from pages.transfer.tasks import CandidateFits

# Smaller excess risks are shown as "below" this.
LEAST_RISK = 1e-4
# The least relative difference worth a claim, which two digits show.
_LEAST_DIFFERENCE = 0.1
# Nominal epsilons of the table of the printed noise.
_NOMINAL_EPSILONS = (0.1, 1.0, 4.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class TransferResult:
    """Result of the tasks done so far.

    Excess risk is the squared error of prediction above that of the true coefficients.

    fits: the candidates at the set epsilon and number of public rows.
    plane_runs: the runs in the plane at the set epsilon.
    over_epsilon: excess risk (4, E, R) over epsilon, by ``CANDIDATES``.
    over_migrated: excess risk (4, P, R') over the number of public rows. It has fewer repeats while
        a slider moves.
    baselines: the private rows alone, or None until they are trained.
    published: the published table.
    """

    settings: TransferSettings
    fits: CandidateFits
    plane_runs: PlaneRuns
    over_epsilon: Grid
    over_migrated: Grid
    baselines: BaselineRisks | None
    published: PublishedResult

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

    # Comparisons

    def compare(self, name: str, other: str) -> Case:
        """Return how one candidate compares with another."""
        return self.compare_risks(self.risks(name), self.risks(other))

    def compare_risks(self, first: np.ndarray, second: np.ndarray) -> Case:
        """Return how the excess risks (R,) of one model compare with those of another.

        They are shown with two digits, so that less than 10 % counts as no difference.
        """
        first = np.maximum(first, LEAST_RISK)
        second = np.maximum(second, LEAST_RISK)
        least = _LEAST_DIFFERENCE * float(np.median(second))
        return compare(first, second, better="lower", constant=self.baseline, least=least)

    def transfer_by_epsilon(self) -> list[Case]:
        """Return how the transfer compares with the target at each epsilon trained so far."""
        target = self.over_epsilon.runs[CANDIDATES.index("target")]
        transfer = self.over_epsilon.runs[CANDIDATES.index("transfer")]
        cases = []
        for target_risks, transfer_risks in zip(target, transfer, strict=True):
            if not np.isnan(target_risks[0]):
                cases.append(self.compare_risks(transfer_risks, target_risks))
        return cases

    @property
    def source_runs_in_plane(self) -> Case:
        """Return how the ends of the runs around the source compare with those from zero.

        The better ones are nearer to the truth, in the L1 norm.
        """
        distances = []
        for points in self.plane_runs.points:
            distances.append(np.abs(points[-1] - self.plane_runs.truth).sum(axis=1))
        from_zero, from_source = distances
        least = _LEAST_DIFFERENCE * float(np.median(from_zero))
        return compare(from_source, from_zero, better="lower", least=least)

    # Budgets and guarantees

    def plan(self, name: str) -> Plan:
        """Return how a candidate's run spends its budget."""
        plans = self.settings.model.plans(self.settings.epsilon, self.settings.migrated)
        return plans[name]

    def advanced(self, name: str) -> Guarantee:
        """Return a run's guarantee by advanced composition, for which the printed scale is made."""
        return self.settings.model.claim.account(self.plan(name).event, accountant="advanced")

    # Tables

    def curves(self) -> pd.DataFrame:
        """Return a row per trained model of the curves: over, candidate, at, repeat, risk."""
        frames = []
        for over, grid in (("epsilon", self.over_epsilon), ("migrated", self.over_migrated)):
            frame = grid.frame("excess risk", over="at", candidate=CANDIDATES)
            frame.insert(0, "over", over)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def sources(self) -> pd.DataFrame:
        """Return a row per source.

        norm: of its contrast, with the exponent q.
        excess risk: of its true coefficients, which endless rows would give.
        transferable: whether its contrast is within h.
        used: share of the repeats in which the transfer uses it.
        """
        model = self.settings.model
        contrasts = self.problem.contrasts
        return pd.DataFrame(
            {
                "source": range(1, len(contrasts) + 1),
                "norm": norm_q(contrasts, model.q),
                "excess risk": self.problem.risk(self.problem.beta - contrasts),
                "transferable": self.problem.transferable(model.q, model.h),
                "used": self.fits.kept.mean(axis=0),
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a row per candidate: quantiles of the excess risk, steps, noise and epsilon."""
        rows = []
        for name, spread in self.summary().items():
            steps = 0
            scale = 0.0
            if name == "source":
                epsilon = 0.0
                detection = self.settings.model.detection_guarantee(self.settings.epsilon)
                if detection is not None:
                    epsilon = detection.epsilon
            else:
                plan = self.plan(name)
                steps = plan.steps
                scale = plan.scale
                epsilon = self.settings.guarantee_of(name).epsilon
            row = {
                "candidate": name,
                "low": spread.low,
                "median": spread.median,
                "high": spread.high,
                "steps": steps,
                "noise scale": scale,
                "epsilon": epsilon,
            }
            rows.append(row)
        return pd.DataFrame(rows)


def printed_costs(*, delta: float = 1e-6, steps: int = 100) -> pd.DataFrame:
    """Return a row per nominal epsilon: its cost with the printed scale.

    There is a column per noise and adjacency, of Laplace noise by advanced composition, and of
    Gumbel noise by zCDP.
    """
    rows = []
    for nominal in _NOMINAL_EPSILONS:
        row = {"nominal": nominal}
        for adjacency in Adjacency:
            epsilon = printed_epsilon(nominal, delta=delta, steps=steps, adjacency=adjacency)
            laplace = account(
                fw.event(epsilon, steps=steps, noise="laplace"),
                delta=delta,
                adjacency=adjacency,
                accountant="advanced",
            )
            gumbel_rho = zcdp.rho_of_event(fw.event(epsilon, steps=steps, noise="gumbel"))
            row[f"laplace, {adjacency}"] = laplace.epsilon
            row[f"gumbel, {adjacency}"] = zcdp.classic_epsilon(gumbel_rho, delta=delta)
        rows.append(row)
    return pd.DataFrame(rows)
