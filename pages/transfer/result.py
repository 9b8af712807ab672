"""What the transfer page shows: excess risks of four candidates, their guarantees, the sources, and
the curves.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcore.accountants import account, zcdp
from dpcore.privacy import Adjacency, Guarantee
from dpcore.training import frank_wolfe as fw
from lab.data.transfer_worlds import Problem, norm_q
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, compare
from pages.transfer import baselines, published, tasks
from pages.transfer.printed_noise import printed_epsilon
from pages.transfer.settings import TransferParameters
from pages.transfer.tasks import CANDIDATES, FocusOutcome, WalkOutcome

# Of excess risks: what is shown as none, and the least difference that two digits show.
_LEAST_RISK, _LEAST_SHOWN = 1e-4, 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class TransferResult:
    """What a page shows. Excess risks are squared errors of prediction above that of the true
    coefficients.

    over_epsilon (4, E, R), over_migrated (4, P, R): by ``CANDIDATES``. While a slider moves,
    over_migrated has fewer repeats. alone: the private rows by walk and by descent; None until
    trained.
    """

    settings: TransferParameters
    problem: Problem
    focus: FocusOutcome
    walks: WalkOutcome
    over_epsilon: Grid
    over_migrated: Grid
    alone: baselines.Alone | None
    published: published.PublishedResult

    def summary(self) -> dict[str, Spread]:
        """Return the excess risk now, by candidate."""
        return dict(zip(CANDIDATES, map(Spread.of, self.focus.risk), strict=True))

    @property
    def medians(self) -> dict[str, float]:
        """Return the median excess risk now, by candidate."""
        return {name: spread.median for name, spread in self.summary().items()}

    def runs(self, name: str) -> np.ndarray:
        """Return the excess risks (R,) of a candidate now."""
        return self.focus.risk[CANDIDATES.index(name)]

    def compare(self, name: str, other: str) -> Case:
        """Return what may be said of one candidate now beside another."""
        return self.beside(self.runs(name), self.runs(other))

    def beside(self, a: np.ndarray, b: np.ndarray) -> Case:
        """Return the same of runs; excess risks have two digits, so that less than 10 % is no
        difference there.
        """
        a, b = np.maximum(a, _LEAST_RISK), np.maximum(b, _LEAST_RISK)
        least = _LEAST_SHOWN * float(np.median(b))
        return compare(a, b, better="lower", constant=self.nothing_learnt, least=least)

    @property
    def rival(self) -> str:
        """Return the candidate of least median excess risk now, but for the transfer."""
        others = {name: median for name, median in self.medians.items() if name != "transfer"}
        return min(others, key=lambda name: others[name])

    def over_epsilon_beside(self) -> list[Case]:
        """Return what may be said of the transfer beside the private rows alone at each trained
        epsilon.
        """
        alone, helped = (
            self.over_epsilon.runs[CANDIDATES.index(name)] for name in ("target", "transfer")
        )
        trained = ~np.isnan(alone[:, 0])
        return [self.beside(*pair) for pair in zip(helped[trained], alone[trained], strict=True)]

    @property
    def nothing_learnt(self) -> float:
        """Return the excess risk of predicting 0 for everybody."""
        return float(self.problem.risk(np.zeros(self.problem.X.shape[1])))

    @property
    def without_source(self) -> int:
        """Return in how many repeats the transfer uses no source."""
        return int((~self.focus.kept.any(axis=1)).sum())

    @property
    def nearer(self) -> Case:
        """Return what may be said of how far from the truth walks around the source end, beside
        those from zero.
        """
        zero, source = (
            np.abs(points[-1] - self.walks.truth).sum(axis=1) for points in self.walks.points
        )
        return compare(source, zero, better="lower", least=_LEAST_SHOWN * float(np.median(zero)))

    def plan(self, name: str) -> tasks.Plan:
        """Return how a candidate's walk spends its budget now."""
        return self.settings.model.plans(self.settings.epsilon, self.settings.migrated)[name]

    def advanced(self, name: str) -> Guarantee:
        """Return the walk's guarantee by advanced composition, which the printed scale is
        made for.
        """
        return account(
            self.plan(name).event, accountant="advanced", **self.settings.model.claim.neighbours
        )

    def curves(self) -> pd.DataFrame:
        """Return a row per trained model: over, candidate, at, repeat, excess risk, or of a file
        the held-out error.
        """
        grids = {"epsilon": self.over_epsilon, "migrated": self.over_migrated}
        frames = {
            over: grid.frame("excess risk", over="at", candidate=CANDIDATES)
            for over, grid in grids.items()
        }
        return pd.concat(frames, names=["over"]).reset_index("over").reset_index(drop=True)

    def sources(self) -> pd.DataFrame:
        """Return a row per source: where its rows lie, how far it is from the target, and whether
        it is used.

        norm: ||delta_k||_q. excess risk: of its true coefficients, which is what it says with
        endless rows. used: in which share of the repeats. Of a file, whose truth is not known,
        there is no row.
        """
        contrasts, model, (low, high) = (
            self.problem.contrasts,
            self.settings.model,
            self.problem.ranges.T,
        )
        return pd.DataFrame(
            {
                "source": range(1, len(contrasts) + 1),
                "a": low,
                "b": high,
                "norm": norm_q(contrasts, model.q),
                "L1 norm": norm_q(contrasts, 1.0),
                "excess risk": self.problem.risk(self.problem.beta - contrasts),
                "transferable": self.problem.transferable(model.q, model.h),
                "used": self.focus.kept.mean(axis=0),
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a row per candidate: quantiles of the excess risk now, steps, noise, and
        epsilon.
        """
        rows = []
        for name, spread in self.summary().items():
            row: dict[str, object] = {"candidate": name, **spread._asdict()}
            if name == "source":
                held = self.settings.model.detection_guarantee(self.settings.epsilon)
                row |= {"steps": 0, "noise scale": 0.0, "epsilon": held.epsilon if held else 0.0}
            else:
                own, epsilon = self.plan(name), self.settings.guarantee_of(name).epsilon
                row |= {"steps": own.steps, "noise scale": own.scale, "epsilon": epsilon}
            rows.append(row)
        return pd.DataFrame(rows)


def printed_costs(*, delta: float = 1e-6, steps: int = 100) -> pd.DataFrame:
    """Return what a nominal epsilon costs with the printed scale: neighbours, noise, by
    advanced composition or zCDP.
    """
    rows = []
    for nominal in (0.1, 1.0, 4.0):
        row = {"nominal": nominal}
        for adjacency in Adjacency:
            each = printed_epsilon(nominal, delta=delta, steps=steps, adjacency=adjacency)
            laplace, gumbel = (
                fw.event(each, steps=steps, noise=noise) for noise in ("laplace", "gumbel")
            )
            held = account(laplace, delta=delta, adjacency=adjacency, accountant="advanced")
            row[f"laplace, {adjacency}"] = held.epsilon
            row[f"gumbel, {adjacency}"] = zcdp.classic_epsilon(
                zcdp.rho_of_event(gumbel), delta=delta
            )
        rows.append(row)
    return pd.DataFrame(rows)
