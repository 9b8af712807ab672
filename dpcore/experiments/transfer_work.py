"""The pieces of work of the transfer page: four candidates for one private regression, and two walks to look at."""

import math
from collections.abc import Sequence as Many
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpcore import frank_wolfe as fw
from dpcore import transfer
from dpcore.accountants import zcdp
from dpcore.privacy import Composed, GaussianRelease, Sequence
from dpcore.transfer import RADIUS, RESIDUAL_BOUND

# What can be done with the private target rows and the public sources, each within the same epsilon.
CANDIDATES = ("target", "source", "pooled", "transfer")
# Which part of a noise stream each release draws from; a transfer without a source is the walk of the target alone.
_PARTS = {"target": 0, "alone": 0, "pooled": 1, "transfer": 2, "detect": 3, "walk": 4}
# The seven corners of the other polytope of the walk: public, irregular, of L1 norm 1 at most.
_CORNERS = ((0.75, 0.25), (0.2, 0.8), (-0.45, 0.55), (-0.85, 0.1), (-0.5, -0.4), (0.05, -0.95), (0.6, -0.4))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a walk spends its part: ``steps`` choices, each of ``epsilon``, with noise of ``scale`` on the scores."""

    steps: int
    epsilon: float
    scale: float
    noise: str

    @property
    def event(self) -> Composed:
        return fw.event(self.epsilon, steps=self.steps, noise=self.noise)


def detection_rho(model: Any, epsilon: float) -> float:
    """What the detection of sources may spend, of the whole rho of (epsilon, delta)."""
    return model.detection_share * zcdp.rho_of(epsilon, delta=model.delta) if model.selection == "detected" else 0.0


def plan(model: Any, epsilon: float, *, radius: float, rows: int, vertices: int, rest: float = 1.0) -> Plan:
    """The walk over a ball of ``radius`` within ``rest`` of the whole rho, its length from public numbers alone."""
    rho = rest * zcdp.rho_of(epsilon, delta=model.delta)
    noise = "gumbel" if model.noise == "gumbel" else "laplace"
    steps = fw.steps_for(rows=rows, rho=rho, radius=radius, residual_bound=RESIDUAL_BOUND, vertices=vertices)
    if model.noise == "printed":
        nominal = epsilon * math.sqrt(rest)
        each = fw.printed_epsilon(nominal, delta=model.delta, steps=steps, adjacency=model.adjacency)
    else:
        each = fw.selection_epsilon(rho, steps=steps, noise=noise)
    sensitivity = fw.score_sensitivity(radius, residual_bound=RESIDUAL_BOUND, rows=rows, adjacency=model.adjacency)
    return Plan(steps=steps, epsilon=each, scale=fw.noise_scale(each, sensitivity=sensitivity), noise=noise)


def plans(model: Any, epsilon: float, migrated: int) -> dict[str, Plan]:
    """The walks of the candidates; "alone" is that of a transfer which found no source worth keeping."""
    rest = 1 - model.detection_share if model.selection == "detected" else 1.0
    options = {"vertices": 2 * model.dimension}
    n, pot = model.target_rows, model.target_rows + migrated // model.sources * model.sources
    return {
        "target": plan(model, epsilon, radius=RADIUS, rows=n, **options),
        "pooled": plan(model, epsilon, radius=RADIUS, rows=pot, **options),
        "transfer": plan(model, epsilon, radius=model.radius, rows=n, rest=rest, **options),
        "alone": plan(model, epsilon, radius=RADIUS, rows=n, rest=rest, **options),
    }


def detection_event(model: Any, epsilon: float) -> GaussianRelease | None:
    """The release of the sources' losses; None where the sources are known."""
    rho = detection_rho(model, epsilon)
    return GaussianRelease(noise_multiplier=transfer.noise_multiplier(rho)) if rho else None


def whole_event(first: GaussianRelease | None, walk: Plan):
    """Detection, where there is one, and then the walk."""
    return walk.event if first is None else Sequence(events=(first, walk.event))


def data(model: Any) -> transfer.Problem:
    """The made-up data of a model's settings."""
    return transfer.problem(
        seed=model.seed,
        rows=model.target_rows,
        dimension=model.dimension,
        sources=model.sources,
        difference=model.difference,
        source_rows=model.limits["migrated"][1] // model.sources,
    )


@lru_cache(maxsize=64)
def statistics(problem: transfer.Problem, rows: int) -> transfer.Statistics:
    return transfer.statistics(problem, rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class FocusOutcome:
    """Today's epsilon and number of migrated rows, for R repeats.

    excess (4, R) by ``CANDIDATES``. kept (R, K): the sources that the transfer uses. detection: what it cost to find
    them, or None. sparsity: candidate -> (R,), the number of different vertices in the model. least_squares: the excess
    risk of the target rows without privacy. clipped: the share of residuals beyond the bound at the transfer's centre.
    """

    excess: np.ndarray
    kept: np.ndarray
    detection: transfer.Detection | None
    sparsity: dict[str, np.ndarray]
    least_squares: float
    clipped: float


@dataclass(frozen=True, kw_only=True)
class Focus:
    """The four candidates at today's epsilon and number of migrated rows."""

    model: Any
    epsilon: float
    migrated: int
    essential: bool = True

    def run(self) -> FocusOutcome:
        problem = data(self.model)
        found = Batch(self.model, [(self.epsilon, self.migrated)])
        best = np.linalg.lstsq(problem.X, problem.y, rcond=None)[0]
        residual = problem.y - problem.X @ found.centres[0]
        return FocusOutcome(
            excess=np.array([found.excess(name)[0] for name in CANDIDATES]),
            kept=found.kept[0],
            detection=found.detections[0],
            sparsity=found.sparsity,
            least_squares=float(problem.excess(best)),
            clipped=float((np.abs(residual) > RESIDUAL_BOUND).mean()),
        )


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Excess risk (A, C, R) of some candidates in C cases (epsilon, migrated rows)."""

    model: Any
    cases: tuple[tuple[float, int], ...]
    candidates: tuple[str, ...] = CANDIDATES
    essential: bool = False

    def run(self) -> np.ndarray:
        found = Batch(self.model, self.cases)
        return np.array([found.excess(name) for name in self.candidates])


class Batch:
    """C cases of R repeats each: one array operation for all models of a candidate."""

    def __init__(self, model: Any, cases: Many[tuple[float, int]]):
        self.model, self.cases, self.problem = model, cases, data(model)
        self.plans = [plans(model, *case) for case in cases]
        self.statistics = [statistics(self.problem, migrated // model.sources) for _, migrated in cases]
        self.detections = [self._detection(*pair) for pair in zip(cases, self.statistics, strict=True)]
        known = np.tile(self.problem.transferable(model.q, model.h), (model.repeats, 1))
        self.kept = np.array([known if one is None else one.kept for one in self.detections])  # (C, R, K)
        self.centres = np.concatenate([self._centres(*pair) for pair in zip(self.statistics, self.kept, strict=True)])
        self.sparsity: dict[str, np.ndarray] = {}

    def _detection(self, case, public) -> transfer.Detection | None:
        rho, repeats = detection_rho(self.model, case[0]), range(self.model.repeats)
        options = {"seed": self.model.seed, "draws": repeats, "part": _PARTS["detect"]}
        return transfer.detect(self.problem, public.each, rho=rho, **options) if rho else None

    @staticmethod
    def _centres(public, kept) -> np.ndarray:
        """(R, d): the weights of the sources kept in each repeat, 0 where none is; few sets are different."""
        sets, which = np.unique(kept, axis=0, return_inverse=True)
        return public.fit(sets)[which.ravel()]

    def excess(self, name: str) -> np.ndarray:
        """(C, R) of one candidate."""
        weights = self.centres if name == "source" else getattr(self, f"_{name}")()
        return self.problem.excess(weights).reshape(len(self.cases), -1)

    def _target(self) -> np.ndarray:
        return self._walk("target", RADIUS)

    def _pooled(self) -> np.ndarray:
        gram, moment = (
            np.repeat([getattr(one, name).sum(axis=0) for one in self.statistics], self.model.repeats, axis=0)
            for name in ("gram", "moment")
        )
        rows = np.repeat([one.rows * self.model.sources for one in self.statistics], self.model.repeats)
        return self._walk("pooled", RADIUS, pooled=fw.Pooled(gram=gram, moment=moment, rows=rows))

    def _transfer(self) -> np.ndarray:
        """Around the centre; from 0, over the whole ball, where no source was kept."""
        some = self.kept.any(axis=-1).ravel()
        weights = np.empty_like(self.centres)
        for name, radius, which in (("transfer", self.model.radius, some), ("alone", RADIUS, ~some)):
            if which.any():
                weights[which] = self._walk(name, radius, which=which, centre=self.centres[which])
        return weights

    def _walk(self, name, radius, *, which=None, **options) -> np.ndarray:
        repeats = self.model.repeats
        which = np.ones(len(self.centres), bool) if which is None else which
        own = [each[name] for each in self.plans]
        steps, scale = (np.repeat([getattr(one, field) for one in own], repeats)[which] for field in ("steps", "scale"))
        walk = fw.noisy_frank_wolfe(
            self.problem.X,
            self.problem.y,
            polytope=fw.L1Ball(dimension=self.model.dimension, radius=radius),
            steps=steps,
            scale=scale,
            residual_bound=RESIDUAL_BOUND,
            seed=self.model.seed,
            draws=np.tile(range(repeats), len(self.cases))[which],
            noise=own[0].noise,
            part=_PARTS[name],
            **options,
        )
        self.sparsity[name] = walk.sparsity()
        return walk.weights


@dataclass(frozen=True, kw_only=True, eq=False)
class WalkOutcome:
    """Two walks of R repeats in the plane: from zero over the whole polytope, and around a source over a small one.

    corners: two (V, 2); points: two (T + 1, R, 2); optimum: two (2,), the best point of each without noise.
    """

    corners: tuple[np.ndarray, np.ndarray]
    points: tuple[np.ndarray, np.ndarray]
    optima: tuple[np.ndarray, np.ndarray]
    truth: np.ndarray
    source: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Walks:
    """The same walks with two coefficients, as many rows, and today's epsilon: to be looked at."""

    model: Any
    epsilon: float
    essential: bool = True

    def run(self) -> WalkOutcome:
        X, y, truth, source = plane_data(self.model.seed, self.model.target_rows, self.model.difference)
        corners, points, optima = [], [], []
        for part, (radius, centre) in enumerate(((RADIUS, np.zeros(2)), (min(self.model.radius, RADIUS), source))):
            shape = polytope(self.model.polytope, radius)
            own = plan(self.model, self.epsilon, radius=shape.norm, rows=len(X), vertices=len(shape.vertices))
            noisy = {"steps": own.steps, "scale": own.scale, "noise": own.noise, "part": _PARTS["walk"] + part}
            options = noisy | {"draws": range(self.model.repeats), "seed": self.model.seed, "keep_points": True}
            corners.append(_around(shape.vertices) + centre)
            points.append(_plane_walk(X, y, shape, centre, **options).points)
            optima.append(_plane_optimum(self.model.seed, len(X), self.model.difference, shape, tuple(centre)))
        return WalkOutcome(
            corners=tuple(corners), points=tuple(points), optima=tuple(optima), truth=truth, source=source
        )


def polytope(name: str, radius: float) -> fw.Polytope:
    """In the plane: the diamond of this L1 radius, or seven corners within it."""
    if name == "diamond":
        return fw.L1Ball(dimension=2, radius=radius)
    return fw.Hull(corners=tuple((radius * x, radius * y) for x, y in _CORNERS))


@lru_cache(maxsize=8)
def plane_data(seed: int, rows: int, difference: float):
    """(X (n, 2), y (n,), truth (2,), what the source says (2,)): a source of very many rows is what it says."""
    truth = np.array([0.8, -0.5])
    X, y = transfer._rows(seed, 99, rows, (-1.0, 1.0), truth)
    return X, y, truth, truth + difference / 4 * np.array([-0.7, -0.3])


def _plane_walk(X, y, shape, centre, *, seed=0, **options) -> fw.Walk:
    return fw.noisy_frank_wolfe(
        X, y, polytope=shape, centre=centre, residual_bound=RESIDUAL_BOUND, seed=seed, dtype=np.float64, **options
    )


@lru_cache(maxsize=64)
def _plane_optimum(
    seed: int, rows: int, difference: float, shape: fw.Polytope, centre: tuple[float, ...]
) -> np.ndarray:
    """The best point (2,) of a polytope, by the walk without noise."""
    X, y, _, _ = plane_data(seed, rows, difference)
    return _plane_walk(X, y, shape, np.array(centre), steps=300, scale=0.0, draws=[0]).weights[0]


def _around(vertices: np.ndarray) -> np.ndarray:
    """The corners in the order in which one walks around them."""
    return vertices[np.argsort(np.arctan2(vertices[:, 1], vertices[:, 0]))]
