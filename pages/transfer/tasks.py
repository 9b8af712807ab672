"""Tasks of the transfer page: fits of the four candidates, and their excess risk.

Shapes: E epsilons, R repeats, K sources, d coefficients, N candidates.
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


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidateFits:
    """The candidates at one epsilon.

    risk: excess risk (4, R), by ``CANDIDATES``.
    kept: which sources the transfer uses, (R, K).
    detection: the detection of these sources, or None if they are known.
    least_squares: excess risk of the private rows alone, without privacy and with the same penalty.
    """

    risk: np.ndarray
    kept: np.ndarray
    detection: Detection | None
    least_squares: float


def fit_candidates(model: Model, epsilons: Sequence[float], repeats: range) -> CandidateFits:
    """Train all candidates at the only one of ``epsilons``."""
    batch = Batch(model, epsilons, repeats)
    (kept,) = batch.kept
    (detection,) = batch.detections
    return CandidateFits(
        risk=batch.risks().squeeze(axis=1),  # (4, 1, R) to (4, R)
        kept=kept,
        detection=detection,
        least_squares=float(batch.problem.risk(least_squares(model))),
    )


def risks(model: Model, epsilons: Sequence[float], repeats: range) -> np.ndarray:
    """Train all candidates at each epsilon, and return their excess risk (4, E, R)."""
    return Batch(model, epsilons, repeats).risks()


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
    """R repeats at each of E epsilons, of which all models of a candidate are trained together.

    plans: the plans at each epsilon.
    statistics: of the sources.
    detections: at each epsilon, None if the sources are known.
    kept: which sources the transfer uses, (E, R, K).
    centres: the weights (E R, d) fitted to these sources.
    """

    def __init__(self, model: Model, epsilons: Sequence[float], repeats: range):
        self.model = model
        self.repeats = repeats
        self.problem = model.data.problem
        self.statistics = _source_statistics(model.data, model.rows_of_sources)
        self.plans = [model.plans(epsilon) for epsilon in epsilons]
        self.detections = [self._detect(epsilon) for epsilon in epsilons]
        kept = []
        for detection in self.detections:
            if detection is None:
                transferable = self.problem.transferable(model.q, model.h)
                kept.append(np.tile(transferable, (len(repeats), 1)))
            else:
                kept.append(detection.kept)
        self.kept = np.array(kept)
        self.centres = np.concatenate([self._centres(kept_now) for kept_now in self.kept])

    def _detect(self, epsilon: float) -> Detection | None:
        """Detect the transferable sources, or return None if they are known."""
        rho = self.model.detection_rho(epsilon)
        if rho == 0:
            return None
        return source_detection.detect(
            self.problem.X,
            self.problem.y,
            self.statistics.separate_weights,
            rho=rho,
            seed=self.model.data.seed,
            draws=self.repeats,
            part=STREAM_PARTS["detection"],
        )

    def _centres(self, kept: np.ndarray) -> np.ndarray:
        """Return the weights (R, d) that are fitted to the sources that each repeat keeps.

        Repeats that keep the same sources share a fit. Weights are 0 if a repeat keeps none.

        kept: which sources each repeat keeps, (R, K).
        """
        # The different rows (S, K) of ``kept``, and the index (R,) of that of each repeat.
        sets, set_of_repeat = np.unique(kept, axis=0, return_inverse=True)
        if self.model.detection_share == 0:
            rows = self.model.rows_of_sources
            fits = _fit_of_known(self.model.data, rows, tuple(sets[0].tolist()))
        else:
            fits = self.statistics.fit(sets)
        return fits[set_of_repeat.ravel()]

    def risks(self) -> np.ndarray:
        """Return the excess risk (4, E, R) of the candidates."""
        risks = []
        for name in CANDIDATES:
            risk = self.problem.risk(self._weights(name))
            risks.append(risk.reshape(len(self.plans), -1))
        return np.array(risks)

    def _weights(self, name: str) -> np.ndarray:
        """Train a candidate, and return its weights (E R, d)."""
        if name == "source":
            return self.centres
        if name == "transfer":
            return self._transfer()
        if name == "pooled":
            return self._run(name, pooled=self._public_rows())
        return self._run(name)

    def _public_rows(self) -> Pooled:
        """Return the public rows of all sources together, which all models share."""
        return Pooled(
            gram=self.statistics.gram.sum(axis=0)[None],
            moment=self.statistics.moment.sum(axis=0)[None],
            rows=np.array([self.statistics.rows]),
        )

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
        """Train some of the E R models by Frank-Wolfe, and return their weights.

        name: of the plan.
        models: which models; all of them by default.
        centre: weights that each model starts from, and that its ball is around; 0 by default.
        pooled: public rows that all models learn from besides.
        """
        radius = RADIUS
        if name == "transfer":
            radius = self.model.radius
        plans = [plans_by_name[name] for plans_by_name in self.plans]
        # (E R,): all repeats at the first epsilon, then all at the next.
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
