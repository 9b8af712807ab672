"""The pieces of work of the transfer page: four candidates for one private regression, and two walks to look at."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from dpcore import transfer
from dpcore.accountants import zcdp
from dpcore.cache import cached
from dpcore.estimators.reference import penalised_least_squares
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
from dpcore.privacy import Sequence as Events
from dpcore.training import frank_wolfe as fw
from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from pages.transfer.own import OwnData, OwnProblem

# What can be done with the private target rows and the public sources, each within the same epsilon.
CANDIDATES = ("target", "source", "pooled", "transfer")
# Where the curves are computed: epsilons, and public rows of all sources together.
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 12.0, 25.0, 50.0)
MIGRATED = (24, 60, 150, 400, 1000, 2500, 6000, 15_000)
# Which part of a noise stream each release draws from; a transfer without a source is the walk of the target alone.
PARTS = {"target": 0, "alone": 0, "pooled": 1, "transfer": 2, "detect": 3, "walk": 4, "descent": 6}
# The seven corners of the other polytope of the walk: public, irregular, of L1 norm 1 at most.
_CORNERS = ((0.75, 0.25), (0.2, 0.8), (-0.45, 0.55), (-0.85, 0.1), (-0.5, -0.4), (0.05, -0.95), (0.6, -0.4))


# More coefficients than these: the cases' pooled rows are taken one case at a time, a matrix each.
_WIDE = 50


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


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a walk promises beside epsilon, and how: delta, "replace-one" or "add/remove", and the kind of noise.

    spent: of each epsilon, what bounds have cost before.
    """

    delta: float
    adjacency: str
    noise: str
    spent: float = 0.0

    @property
    def neighbours(self) -> dict[str, Any]:
        """Return what a guarantee is about."""
        return {"delta": self.delta, "adjacency": Adjacency(self.adjacency)}

    def rho(self, epsilon: float) -> float:
        """The whole rho of what ``epsilon`` leaves to train with."""
        return zcdp.rho_of(epsilon - self.spent, delta=self.delta)

    def plan(self, epsilon: float, *, radius: float, rows: int, vertices: int, rest: float = 1.0) -> Plan:
        """The walk over a ball of ``radius`` within ``rest`` of the whole rho, its length from public numbers alone."""
        rho = rest * self.rho(epsilon)
        noise = "gumbel" if self.noise == "gumbel" else "laplace"
        steps = fw.steps_for(rows=rows, rho=rho, radius=radius, residual_bound=RESIDUAL_BOUND, vertices=vertices)
        if self.noise == "printed":
            nominal = (epsilon - self.spent) * math.sqrt(rest)
            each = fw.printed_epsilon(nominal, delta=self.delta, steps=steps, adjacency=self.adjacency)
        else:
            each = fw.selection_epsilon(rho, steps=steps, noise=noise)
        sensitivity = fw.score_sensitivity(radius, residual_bound=RESIDUAL_BOUND, rows=rows, adjacency=self.adjacency)
        return Plan(steps=steps, epsilon=each, scale=fw.noise_scale(each, sensitivity=sensitivity), noise=noise)


@dataclass(frozen=True, kw_only=True)
class Data:
    """Which made-up data: private rows n, coefficients d, sources K, and the L1 norm of the largest contrast."""

    seed: int
    rows: int
    dimension: int
    sources: int
    difference: float
    unit: ClassVar[str] = "record"

    @property
    def problem(self) -> transfer.Problem:
        return transfer.problem(**asdict(self), source_rows=MIGRATED[-1] // self.sources)

    def counts(self, migrated: int) -> tuple[int, ...]:
        """Return how many rows of each source ``migrated`` of all are."""
        return (migrated // self.sources,) * self.sources


@dataclass(frozen=True, kw_only=True)
class Model:
    """All that decides the four candidates, but for epsilon and the number of migrated rows.

    h, q: which sources are transferable. radius: of the correction. detection_share: of rho, for finding them; 0 where
    they are known. repeats: R. penalty, penalty_q: lambda ||w||_q beside the mean of squares, from the centre; see
    ``frank_wolfe``.
    """

    data: Data | OwnData
    claim: Claim
    h: float
    q: float
    radius: float
    detection_share: float
    repeats: int
    penalty: float = 0.0
    penalty_q: str = "1"

    @property
    def penalties(self) -> fw.Penalties:
        return fw.penalties(self.penalty, q=self.penalty_q)

    def ball(self, radius: float) -> fw.L1Ball:
        return fw.L1Ball(dimension=self.data.dimension, radius=radius, penalty=self.penalties.ball)

    def plans(self, epsilon: float, migrated: int) -> dict[str, Plan]:
        """The walks of the candidates; "alone" is that of a transfer which found no source worth keeping."""
        data, rest = self.data, 1 - self.detection_share
        n, pot = data.rows, data.rows + sum(data.counts(migrated))
        plan = partial(self.claim.plan, epsilon, vertices=2 * data.dimension + (self.penalties.ball > 0))
        return {
            "target": plan(radius=RADIUS, rows=n),
            "pooled": plan(radius=RADIUS, rows=pot),
            "transfer": plan(radius=self.radius, rows=n, rest=rest),
            "alone": plan(radius=RADIUS, rows=n, rest=rest),
        }

    def guarantee(self, name: str, epsilon: float, migrated: int) -> Guarantee | None:
        """A candidate's guarantee: by concentrated privacy. None for what never sees a private row."""
        rho = self.detection_rho(epsilon)
        found = (GaussianRelease(noise_multiplier=transfer.noise_multiplier(rho)),) if rho else ()
        walk = () if name == "source" else (self.plans(epsilon, migrated)[name].event,)
        events = (found if name in ("source", "transfer") else ()) + walk
        if not events:
            return None
        event = Events(events=events) if len(events) > 1 else events[0]
        return replace(zcdp.account(event, **self.claim.neighbours), unit=self.data.unit)

    def detection_rho(self, epsilon: float) -> float:
        """Return what the detection of sources may spend, of the whole rho of (epsilon, delta)."""
        return self.detection_share * self.claim.rho(epsilon)


@cached
def statistics(data: Data | OwnData, rows: tuple[int, ...]) -> transfer.Statistics:
    return transfer.statistics(data.problem, rows)


@cached
def _least_squares(data: Data | OwnData, penalty: float, q: str) -> np.ndarray:
    """(d,): the private rows without privacy, with the same penalty."""
    return penalised_least_squares(data.problem.X, data.problem.y, penalty=penalty, q=q)


@cached
def _trusted(data: Data | OwnData, rows: tuple[int, ...], chosen: tuple[bool, ...]) -> np.ndarray:
    """(1, d): the weights of the sources that are known to be near, whatever epsilon is."""
    return statistics(data, rows).fit(np.array([chosen]))


@dataclass(frozen=True, kw_only=True, eq=False)
class FocusOutcome:
    """Today's epsilon and number of migrated rows, for R repeats.

    risk (4, R), by ``CANDIDATES``: excess risk, or of a file the held-out error. kept (R, K): the sources that the
    transfer uses. detection: what it cost to find them, or None. sparsity: candidate -> (R,), the number of different
    vertices in the model. least_squares: the risk of the target rows without privacy, zeros: how many of its d
    coefficients are 0. clipped: the share of residuals
    beyond the bound at the transfer's centre.
    """

    risk: np.ndarray
    kept: np.ndarray
    detection: transfer.Detection | None
    sparsity: dict[str, np.ndarray]
    least_squares: float
    zeros: int
    clipped: float


@dataclass(frozen=True, kw_only=True)
class Focus:
    """The four candidates at today's epsilon and number of migrated rows."""

    model: Model
    epsilon: float
    migrated: int
    essential: bool = True

    def run(self) -> FocusOutcome:
        problem = self.model.data.problem
        found = Batch(self.model, [(self.epsilon, self.migrated)])
        best = _least_squares(self.model.data, self.model.penalty, self.model.penalty_q)
        residual = problem.y - problem.X @ found.centres[0]
        return FocusOutcome(
            risk=np.array([found.risk(name)[0] for name in CANDIDATES]),
            kept=found.kept[0],
            detection=found.detections[0],
            sparsity=found.sparsity,
            least_squares=float(problem.risk(best)),
            zeros=int((best == 0).sum()),
            clipped=float((np.abs(residual) > RESIDUAL_BOUND).mean()),
        )


@dataclass(frozen=True, kw_only=True)
class ExcessCurve:
    """Excess risk (A, C, R) of some candidates in C cases (epsilon, migrated rows)."""

    model: Model
    cases: tuple[tuple[float, int], ...]
    candidates: tuple[str, ...] = CANDIDATES
    essential: bool = False

    def run(self) -> np.ndarray:
        found = Batch(self.model, self.cases)
        return np.array([found.risk(name) for name in self.candidates])


class Batch:
    """C cases of R repeats each: one array operation for all models of a candidate."""

    def __init__(self, model: Model, cases: Sequence[tuple[float, int]]):
        self.model, self.cases, self.problem = model, cases, model.data.problem
        self.plans = [model.plans(*case) for case in cases]
        self.statistics = [statistics(model.data, model.data.counts(migrated)) for _, migrated in cases]
        self.detections = [self._detection(*pair) for pair in zip(cases, self.statistics, strict=True)]
        known = np.tile(self.problem.transferable(model.q, model.h), (model.repeats, 1))
        self.kept = np.array([known if one is None else one.kept for one in self.detections])  # (C, R, K)
        self.centres = np.concatenate([self._centres(place) for place in range(len(cases))])
        self.sparsity: dict[str, np.ndarray] = {}

    def _detection(self, case, public) -> transfer.Detection | None:
        rho, repeats = self.model.detection_rho(case[0]), range(self.model.repeats)
        options = {"seed": self.model.data.seed, "draws": repeats, "part": PARTS["detect"]}
        return transfer.detect(self.problem, public.each, rho=rho, **options) if rho else None

    def _centres(self, place: int) -> np.ndarray:
        """(R, d) of a case: the weights of the sources kept in each repeat, 0 where none is; few sets are different."""
        sets, which = np.unique(self.kept[place], axis=0, return_inverse=True)
        if self.detections[place] is None:
            data = self.model.data
            found = _trusted(data, data.counts(self.cases[place][1]), tuple(sets[0].tolist()))
        else:
            found = self.statistics[place].fit(sets)
        return found[which.ravel()]

    def risk(self, name: str) -> np.ndarray:
        """(C, R) of one candidate."""
        weights = self.centres if name == "source" else getattr(self, f"_{name}")()
        return self.problem.risk(weights).reshape(len(self.cases), -1)

    def _target(self) -> np.ndarray:
        return self._walk("target", RADIUS)

    def _pooled(self) -> np.ndarray:
        if self.model.data.dimension > _WIDE:
            place = np.repeat(np.arange(len(self.cases)), self.model.repeats)
            return np.concatenate([self._pooled_wide(one, place == c) for c, one in enumerate(self.statistics)])
        gram, moment = (
            np.repeat([getattr(one, name).sum(axis=0) for one in self.statistics], self.model.repeats, axis=0)
            for name in ("gram", "moment")
        )
        rows = np.repeat([one.rows for one in self.statistics], self.model.repeats)
        return self._walk("pooled", RADIUS, pooled=fw.Pooled(gram=gram, moment=moment, rows=rows))

    def _pooled_wide(self, public: transfer.Statistics, which: np.ndarray) -> np.ndarray:
        """Return the models of one case, which share what is pooled."""
        gram, moment = public.gram.sum(axis=0)[None], public.moment.sum(axis=0)[None]
        pooled = fw.Pooled(gram=gram, moment=moment, rows=np.array([public.rows]))
        return self._walk("pooled", RADIUS, which=which, pooled=pooled)

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
            polytope=self.model.ball(radius),
            ridge=self.model.penalties.ridge,
            steps=steps,
            scale=scale,
            residual_bound=RESIDUAL_BOUND,
            seed=self.model.data.seed,
            draws=np.tile(range(repeats), len(self.cases))[which],
            noise=own[0].noise,
            part=PARTS[name],
            **options,
        )
        self.sparsity[name] = walk.sparsity(centre=2 * self.model.data.dimension)
        return walk.weights


@dataclass(frozen=True, kw_only=True, eq=False)
class WalkOutcome:
    """Two walks of R repeats in the plane: from zero over the whole polytope, and around a source over a small one.

    corners: two (V, 2); points: two (T + 1, R, 2); optimum: two (2,), the best point of each without noise. truth: of a
    file, least squares on the private rows.
    """

    corners: tuple[np.ndarray, np.ndarray]
    points: tuple[np.ndarray, np.ndarray]
    optima: tuple[np.ndarray, np.ndarray]
    truth: np.ndarray
    source: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Walks:
    """The same walks with two coefficients, as many rows, and today's epsilon: to be looked at.

    own: a file whose rows they go over, with a constant and the first input; None for made-up ones.
    """

    claim: Claim
    seed: int
    target_rows: int
    difference: float
    radius: float
    polytope: str
    repeats: int
    epsilon: float
    penalty: float = 0.0
    penalty_q: str = "1"
    own: OwnData | None = None
    essential: bool = True

    def run(self) -> WalkOutcome:
        made = self.seed, self.target_rows, self.difference, self.own
        X, y, truth, source = plane_data(*made)
        corners, points, optima = [], [], []
        penalties = fw.penalties(self.penalty, q=self.penalty_q)
        for part, (radius, centre) in enumerate(((RADIUS, np.zeros(2)), (self.radius, source))):
            shape = polytope(self.polytope, radius, penalties.ball)
            own = self.claim.plan(self.epsilon, radius=shape.norm, rows=len(X), vertices=len(shape.vertices))
            noisy = {"steps": own.steps, "scale": own.scale, "noise": own.noise, "part": PARTS["walk"] + part}
            options = noisy | {"draws": range(self.repeats), "seed": self.seed, "keep_points": True}
            corners.append(_around(polytope(self.polytope, radius).vertices) + centre)
            points.append(_plane_walk(X, y, shape, centre, ridge=penalties.ridge, **options).points)
            optima.append(_plane_optimum(*made, shape, tuple(centre), penalties.ridge))
        return WalkOutcome(
            corners=tuple(corners), points=tuple(points), optima=tuple(optima), truth=truth, source=source
        )


def polytope(name: str, radius: float, penalty: float = 0.0) -> fw.Polytope:
    """Return the feasible set in the plane: the diamond of this L1 radius, or seven corners within it, which allow no
    L1 penalty."""
    if name == "diamond":
        return fw.L1Ball(dimension=2, radius=radius, penalty=penalty)
    return fw.Hull(corners=tuple((radius * x, radius * y) for x, y in _CORNERS))


@cached
def plane_data(seed: int, rows: int, difference: float, own: OwnData | None):
    """(X (n, 2), y (n,), truth (2,), what the source says (2,)): a source of very many rows is what it says."""
    if own is not None:
        return _own_plane(own.problem)
    truth = np.array([0.8, -0.5])
    X, y = transfer._rows(seed, 99, rows, (-1.0, 1.0), truth)
    return X, y, truth, truth + difference / 4 * np.array([-0.7, -0.3])


def _own_plane(problem: OwnProblem):
    """The same of a file, with a constant and its first input: least squares of all sources and of private rows."""
    X = np.ascontiguousarray(problem.X[:, :2])
    rows, labels = (np.concatenate(parts) for parts in zip(*problem.sources, strict=True))
    source, truth = (np.linalg.lstsq(*pair, rcond=None)[0] for pair in ((rows[:, :2], labels), (X, problem.y)))
    return X, problem.y, truth, source


def _plane_walk(X, y, shape, centre, *, seed=0, **options) -> fw.Walk:
    return fw.noisy_frank_wolfe(
        X, y, polytope=shape, centre=centre, residual_bound=RESIDUAL_BOUND, seed=seed, dtype=np.float64, **options
    )


@cached
def _plane_optimum(
    seed: int,
    rows: int,
    difference: float,
    own: OwnData | None,
    shape: fw.Polytope,
    centre: tuple[float, ...],
    ridge: float,
) -> np.ndarray:
    """The best point (2,) of a polytope, by the walk without noise."""
    X, y, _, _ = plane_data(seed, rows, difference, own)
    return _plane_walk(X, y, shape, np.array(centre), steps=300, scale=0.0, draws=[0], ridge=ridge).weights[0]


def _around(vertices: np.ndarray) -> np.ndarray:
    """The corners in the order in which one walks around them."""
    return vertices[np.argsort(np.arctan2(vertices[:, 1], vertices[:, 0]))]
