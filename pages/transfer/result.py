"""What the transfer page shows: excess risks of four candidates, their guarantees, the sources, and the curves."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcore.accountants import account, zcdp
from dpcore.privacy import Adjacency, Guarantee
from dpcore.training import frank_wolfe as fw
from dpcore.transfer import Problem, norm_q
from lab.claims import Case, compare
from lab.settings import Settings, Spread, quantiles_of
from pages.transfer import descent, published, work
from pages.transfer.work import CANDIDATES, EPSILONS, FocusOutcome, WalkOutcome

# Of excess risks: what is shown as none, and the least difference that two digits show.
_LEAST_RISK, _LEAST_SHOWN = 1e-4, 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class TransferResult:
    """What a page shows. Excess risks are squared errors of prediction above that of the true coefficients.

    over_epsilon (4, E, R), over_migrated (4, P, R): by ``CANDIDATES``, values of ``EPSILONS`` and ``MIGRATED``, and
    repeat; NaN where still to be trained. While a slider moves, over_migrated has fewer repeats. alone: number of
    coefficients -> the private rows by walk and by descent, as far as trained.
    """

    settings: Settings
    problem: Problem
    focus: FocusOutcome
    walks: WalkOutcome
    over_epsilon: np.ndarray
    over_migrated: np.ndarray
    alone: Mapping[int, descent.Alone]
    published: published.PublishedResult

    def summary(self) -> dict[str, Spread]:
        """Excess risk now, by candidate."""
        return dict(zip(CANDIDATES, map(Spread.of, self.focus.risk), strict=True))

    def runs(self, name: str) -> np.ndarray:
        """Excess risks (R,) of a candidate now."""
        return self.focus.risk[CANDIDATES.index(name)]

    def compare(self, name: str, other: str) -> Case:
        """Return what may be said of one candidate now beside another."""
        return self._beside(self.runs(name), self.runs(other))

    def _beside(self, a: np.ndarray, b: np.ndarray) -> Case:
        """The same of runs; excess risks are shown with two digits, so that less than 10 % is no difference there."""
        made = self.settings.dataset == "made"
        a, b = (np.maximum(one, _LEAST_RISK) for one in (a, b)) if made else (a, b)
        least = _LEAST_SHOWN * float(np.median(b)) if made else None
        return compare(a, b, better="lower", constant=self.nothing_learnt, least=least)

    @property
    def rival(self) -> str:
        """The candidate of least median excess risk now, but for the transfer."""
        summary = self.summary()
        return min((name for name in CANDIDATES if name != "transfer"), key=lambda name: summary[name].median)

    def over_epsilon_beside(self) -> list[Case]:
        """Return what may be said of the transfer beside the private rows alone at each trained epsilon."""
        alone, helped = (self.over_epsilon[CANDIDATES.index(name)] for name in ("target", "transfer"))
        trained = ~np.isnan(alone[:, 0])
        return [self._beside(*pair) for pair in zip(helped[trained], alone[trained], strict=True)]

    def alone_beside(self, found: "descent.Alone") -> Case:
        """Return what may be said of the descent on the private rows alone beside the walk."""
        least = _LEAST_SHOWN * float(np.median(found.walk))
        return compare(found.descent, found.walk, better="lower", constant=found.nothing, least=least)

    @property
    def descent_ahead(self) -> bool:
        """Return whether descent without sources is shown to beat Frank-Wolfe both with and without sources."""
        found = self.alone[self.settings.dimension]
        return all(self._beside(found.descent, one) == Case.AHEAD for one in (self.runs("transfer"), found.walk))

    @property
    def nothing_learnt(self) -> float:
        """The excess risk of predicting 0 for everybody."""
        return float(self.problem.risk(np.zeros(self.problem.X.shape[1])))

    @property
    def norms(self) -> np.ndarray:
        """(K,): ||delta_k||_q of each source."""
        return norm_q(self.problem.contrasts, self.settings.model.q)

    @property
    def harms(self) -> np.ndarray:
        """(K,): excess risk of each source's true coefficients: what it says with endless rows."""
        return self.problem.risk(self.problem.beta - self.problem.contrasts)

    @property
    def kept(self) -> np.ndarray:
        """(K,): the share of repeats in which the transfer uses each source."""
        return self.focus.kept.mean(axis=0)

    @property
    def transferable(self) -> np.ndarray:
        """(K,): which sources are within h."""
        return self.problem.transferable(self.settings.model.q, self.settings.model.h)

    @property
    def without_source(self) -> int:
        """Return in how many repeats the transfer uses no source."""
        return int((~self.focus.kept.any(axis=1)).sum())

    @property
    def runner_up(self) -> float:
        """Return how far the loss of the second best source is behind the best one's, where sources are detected."""
        best, second = np.sort(self.focus.detection.losses[1:])[:2]
        return float(second - best)

    @property
    def sparsity(self) -> dict[str, float]:
        """Candidate -> the median number of vertices in its model."""
        return {name: float(np.median(found)) for name, found in self.focus.sparsity.items()}

    @property
    def misses(self) -> list[float]:
        """Median L1 distance from the truth at which the two walks in the plane end."""
        return [float(np.median(distances)) for distances in self._ends]

    @property
    def _ends(self) -> list[np.ndarray]:
        """L1 distances (R,) from the truth at which the walks in the plane end: from zero, and around the source."""
        return [np.abs(points[-1] - self.walks.truth).sum(axis=1) for points in self.walks.points]

    @property
    def nearer(self) -> Case:
        """Return what may be said of the ends of the walks around the source beside those from zero."""
        zero, source = self._ends
        return compare(source, zero, better="lower", least=_LEAST_SHOWN * float(np.median(zero)))

    def plan(self, name: str) -> work.Plan:
        """Return how a candidate's walk spends its budget now."""
        return self.settings.model.plans(self.settings.epsilon, self.settings.migrated)[name]

    def guarantee(self, name: str) -> Guarantee | None:
        """A candidate's guarantee; None for what never sees a private row."""
        return self.settings.guarantee(name)

    @property
    def detection_guarantee(self) -> Guarantee | None:
        """Return what the detection of sources costs by itself."""
        return self.settings.model.guarantee("source", self.settings.epsilon, self.settings.migrated)

    @property
    def descent_guarantee(self) -> Guarantee:
        """Return the guarantee of noisy gradient descent, whatever the noise of Frank-Wolfe is."""
        return descent.guarantee(self.settings.model.claim, self.settings.epsilon)

    @property
    def descent_noise(self) -> float:
        """Standard deviation of its noise on each number of a mean gradient."""
        return descent.noise_sd(self.settings.model, self.settings.epsilon)

    def coefficients(self) -> pd.DataFrame:
        """A row a number of coefficients, method and repeat: excess risk of the private rows alone."""
        parts = [
            pd.DataFrame({"coefficients": d, "method": name, "repeat": range(len(risk)), "excess risk": risk})
            for d, one in sorted(self.alone.items())
            for name, risk in (("walk", one.walk), ("descent", one.descent))
        ]
        empty = pd.DataFrame(columns=["coefficients", "method", "repeat", "excess risk"])
        return pd.concat(parts, ignore_index=True) if parts else empty

    def strong(self, name: str) -> Guarantee:
        """The walk's guarantee by strong composition, which the printed scale is made for."""
        return account(self.plan(name).event, accountant="strong", **self.settings.model.claim.neighbours)

    def quantiles(self, name: str, over: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the places (m,) that are trained, and the 5 %, 50 % and 95 % quantiles of excess risk (3, m) there."""
        places, found = (EPSILONS, self.over_epsilon) if over == "epsilon" else (self.settings.pots, self.over_migrated)
        own = found[CANDIDATES.index(name)]
        done = ~np.isnan(own[:, 0])
        return np.array(places, dtype=float)[done], quantiles_of(own[done], axis=1)

    @property
    def curves(self) -> pd.DataFrame:
        """A row a trained model: over, at, candidate, repeat, excess risk, or of a file the held-out error."""
        parts = []
        for over, places, found in (
            ("epsilon", EPSILONS, self.over_epsilon),
            ("migrated", self.settings.pots, self.over_migrated),
        ):
            index = pd.MultiIndex.from_product(
                [[over], CANDIDATES, places, range(found.shape[2])], names=["over", "candidate", "at", "repeat"]
            )
            parts.append(pd.DataFrame({_column(self.settings): found.ravel()}, index=index).dropna().reset_index())
        return pd.concat(parts, ignore_index=True)

    def sources(self) -> pd.DataFrame:
        """A row a source: where its rows lie, how far it is from the target, and whether it is used."""
        low, high = self.problem.ranges.T
        return pd.DataFrame(
            {
                "source": range(1, len(self.norms) + 1),
                "a": low,
                "b": high,
                "norm": self.norms,
                "L1 norm": norm_q(self.problem.contrasts, 1.0),
                "excess risk": self.harms,
                "transferable": self.transferable,
                "used": self.kept,
            }
        )

    def table(self) -> pd.DataFrame:
        """A row a candidate: quantiles of the excess risk now, steps, noise, and epsilon."""
        rows = []
        for name, spread in self.summary().items():
            held = self.guarantee(name)
            own = None if name == "source" else self.plan(name)
            rows.append(
                {"candidate": name, **spread._asdict()}
                | {"steps": own.steps if own else 0, "noise scale": own.scale if own else 0.0}
                | {"epsilon": held.epsilon if held else 0.0}
            )
        return pd.DataFrame(rows)


def _column(settings: Settings) -> str:
    return "excess risk" if settings.dataset == "made" else "held-out error"


def printed_costs(*, delta: float = 1e-6, steps: int = 100) -> pd.DataFrame:
    """Return what a nominal epsilon costs with the printed scale: neighbours, noise, by strong composition or zCDP."""
    rows = []
    for nominal in (0.1, 1.0, 4.0):
        row = {"nominal": nominal}
        for adjacency in Adjacency:
            each = fw.printed_epsilon(nominal, delta=delta, steps=steps, adjacency=adjacency)
            events = {noise: fw.event(each, steps=steps, noise=noise) for noise in fw.NOISES}
            options = {"delta": delta, "adjacency": adjacency, "accountant": "strong"}
            row[f"laplace, {adjacency}"] = account(events["laplace"], **options).epsilon
            row[f"gumbel, {adjacency}"] = zcdp.classic_epsilon(zcdp.rho_of_event(events["gumbel"]), delta=delta)
        rows.append(row)
    return pd.DataFrame(rows)
