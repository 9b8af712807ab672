"""Tasks of the transfer page: fits of the four candidates, and their excess risk.

A case is an epsilon and a number of public rows. A task (``lab.experiment.parts.Runs``) calls
``fit_candidates`` with a model, a case and repeats, or ``risks`` and ``public_risks`` with several
cases.

Shapes: C cases, R repeats, K sources, d coefficients, N candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.cache import cached
from dpcore.parties import source_detection
from dpcore.parties.source_detection import Detection, SourceStatistics
from dpcore.training.residual_gradients import Pooled
from lab.data.transfer_worlds import RADIUS
from lab.models.non_private import penalised_least_squares
from pages.transfer.model import CANDIDATES, STREAM_PARTS, Data, Model

Case = tuple[float, int]
Cases = tuple[Case, ...]
# With more coefficients, the pooled rows are taken one case at a time, because a matrix per model
# would be large.
_MOST_STACKED = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidateFits:
    """The candidates in one case.

    risk: excess risk (4, R), by ``CANDIDATES``.
    kept: which sources the transfer uses, (R, K).
    detection: the detection of these sources, or None if they are known.
    least_squares: excess risk of the private rows alone, without privacy and with the same penalty.
    """

    risk: np.ndarray
    kept: np.ndarray
    detection: Detection | None
    least_squares: float


def fit_candidates(model: Model, case: Case, repeats: range) -> CandidateFits:
    """Train all candidates in one case."""
    batch = Batch(model, (case,), repeats)
    (kept,) = batch.kept
    (detection,) = batch.detections
    return CandidateFits(
        risk=batch.risks(CANDIDATES).squeeze(axis=1),  # (4, 1, R) to (4, R)
        kept=kept,
        detection=detection,
        least_squares=float(batch.problem.risk(least_squares(model))),
    )


def risks(model: Model, cases: Cases, repeats: range) -> np.ndarray:
    """Train all candidates, and return their excess risk (4, C, R)."""
    return Batch(model, cases, repeats).risks(CANDIDATES)


def public_risks(model: Model, cases: Cases, repeats: range) -> np.ndarray:
    """Return the excess risk (3, C, R) of all candidates but the first, which use public rows."""
    return Batch(model, cases, repeats).risks(CANDIDATES[1:])


def least_squares(model: Model) -> np.ndarray:
    """Return the weights (d,) of the private rows without privacy, with the same penalty."""
    return _least_squares(model.data, model.penalty, model.penalty_q)


@cached
def _least_squares(data: Data, penalty: float, q: str) -> np.ndarray:
    return penalised_least_squares(data.problem.X, data.problem.y, penalty=penalty, q=q)


@cached
def _source_statistics(data: Data, rows: tuple[int, ...]) -> SourceStatistics:
    """Return the statistics of the sources with this number of rows each."""
    return source_detection.source_statistics(data.problem.sources, rows)


@cached
def _fit_of_known(data: Data, rows: tuple[int, ...], kept: tuple[bool, ...]) -> np.ndarray:
    """Return the weights (1, d) of the sources that are known to be transferable."""
    return _source_statistics(data, rows).fit(np.array([kept]))


class Batch:
    """C cases of R repeats each, of which all models of a candidate are trained together.

    plans: the plans of each case.
    statistics: of the sources, in each case.
    detections: of each case, None if the sources are known.
    kept: which sources the transfer uses, (C, R, K).
    centres: the weights (C R, d) fitted to these sources.
    """

    def __init__(self, model: Model, cases: Cases, repeats: range):
        self.model = model
        self.cases = cases
        self.repeats = repeats
        self.problem = model.data.problem
        self.plans = []
        self.statistics = []
        self.detections = []
        kept = []
        for epsilon, migrated in cases:
            statistics = _source_statistics(model.data, model.data.rows_of_sources(migrated))
            detection = self._detect(epsilon, statistics)
            self.plans.append(model.plans(epsilon, migrated))
            self.statistics.append(statistics)
            self.detections.append(detection)
            if detection is None:
                transferable = self.problem.transferable(model.q, model.h)
                kept.append(np.tile(transferable, (len(repeats), 1)))
            else:
                kept.append(detection.kept)
        self.kept = np.array(kept)
        self.centres = np.concatenate([self._centres(case) for case in range(len(cases))])

    def _detect(self, epsilon: float, statistics: SourceStatistics) -> Detection | None:
        """Detect the transferable sources, or return None if they are known."""
        rho = self.model.detection_rho(epsilon)
        if rho == 0:
            return None
        return source_detection.detect(
            self.problem.X,
            self.problem.y,
            statistics.separate_weights,
            rho=rho,
            seed=self.model.data.seed,
            draws=self.repeats,
            part=STREAM_PARTS["detection"],
        )

    def _centres(self, case: int) -> np.ndarray:
        """Return the weights (R, d) of the sources kept in each repeat of a case.

        Repeats that keep the same sources share a fit. It is 0 if none is kept.
        """
        sets, set_of_repeat = np.unique(self.kept[case], axis=0, return_inverse=True)
        if self.detections[case] is None:
            _, migrated = self.cases[case]
            rows = self.model.data.rows_of_sources(migrated)
            fits = _fit_of_known(self.model.data, rows, tuple(sets[0].tolist()))
        else:
            fits = self.statistics[case].fit(sets)
        return fits[set_of_repeat.ravel()]

    def risks(self, names: Sequence[str]) -> np.ndarray:
        """Return the excess risk (N, C, R) of some candidates."""
        risks = []
        for name in names:
            risk = self.problem.risk(self._weights(name))
            risks.append(risk.reshape(len(self.cases), -1))
        return np.array(risks)

    def _weights(self, name: str) -> np.ndarray:
        """Train a candidate, and return its weights (C R, d)."""
        if name == "source":
            return self.centres
        if name == "pooled":
            return self._pooled()
        if name == "transfer":
            return self._transfer()
        return self._run(name)

    def _pooled(self) -> np.ndarray:
        """Train on private and public rows together."""
        if self.model.data.dimension <= _MOST_STACKED:
            return self._run("pooled", pooled=_pool(self.statistics, len(self.repeats)))
        case_of_model = np.repeat(np.arange(len(self.cases)), len(self.repeats))
        weights = []
        for case, statistics in enumerate(self.statistics):
            pooled = _pool([statistics], 1)
            weights.append(self._run("pooled", case_of_model == case, pooled=pooled))
        return np.concatenate(weights)

    def _transfer(self) -> np.ndarray:
        """Train around the sources or, if a repeat keeps none, around 0 over the whole ball."""
        keeps_some = self.kept.any(axis=-1).ravel()
        weights = np.empty_like(self.centres)
        for name, models in (("transfer", keeps_some), ("alone", ~keeps_some)):
            if models.any():
                weights[models] = self._run(name, models, centre=self.centres[models])
        return weights

    def _run(
        self,
        name: str,
        models: np.ndarray | slice = slice(None),
        *,
        centre: np.ndarray | None = None,
        pooled: Pooled | None = None,
    ) -> np.ndarray:
        """Train some of the C R models by Frank-Wolfe, and return their weights.

        name: of the plan.
        models: which models; all of them by default.
        """
        radius = RADIUS
        if name == "transfer":
            radius = self.model.radius
        plans = [plans[name] for plans in self.plans]
        steps = np.repeat([plan.steps for plan in plans], len(self.repeats))
        scale = np.repeat([plan.scale for plan in plans], len(self.repeats))
        draws = np.tile(self.repeats, len(plans))
        trajectory = self.model.run_frank_wolfe(
            self.problem.X,
            self.problem.y,
            self.model.ball(radius),
            steps=steps[models],
            scale=scale[models],
            noise=plans[0].noise,
            part=STREAM_PARTS[name],
            draws=draws[models],
            centre=centre,
            pooled=pooled,
        )
        return trajectory.weights


def _pool(statistics: Sequence[SourceStatistics], repeats: int) -> Pooled:
    """Return the public rows of all sources together, in each case ``repeats`` times."""
    grams = [case.gram.sum(axis=0) for case in statistics]
    moments = [case.moment.sum(axis=0) for case in statistics]
    rows = [case.rows for case in statistics]
    return Pooled(
        gram=np.repeat(grams, repeats, axis=0),
        moment=np.repeat(moments, repeats, axis=0),
        rows=np.repeat(rows, repeats),
    )
