"""The pieces of work of the transfer page: four candidates for one private regression, and two
walks to look at.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpcore.accountants import account, zcdp
from dpcore.cache import cached
from dpcore.parties import source_detection
from dpcore.parties.source_detection import RESIDUAL_BOUND, Detection, SourceStatistics
from dpcore.privacy import Adjacency, Composed, Event, Guarantee, public_count
from dpcore.privacy import Sequence as Events
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import Hull, L1Ball, Penalties, Polytope, penalties
from dpcore.training.residual_gradients import Pooled
from lab.data import transfer_worlds
from lab.data.transfer_worlds import RADIUS
from lab.models.non_private import penalised_least_squares
from pages.transfer.printed_noise import printed_epsilon

# What can be done with the private target rows and the public sources, each within the same
# epsilon.
CANDIDATES = ("target", "source", "pooled", "transfer")
# Where the curves are computed: epsilons, and public rows of all sources together.
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 12.0, 25.0, 50.0)
MIGRATED = (24, 60, 150, 400, 1000, 2500, 6000, 15_000)
# Which part of a noise stream each release draws from; a transfer without a source is the walk of
# the target alone.
PARTS = {"target": 0, "alone": 0, "pooled": 1, "transfer": 2, "detect": 3, "walk": 4, "descent": 6}
# The seven corners of the other polytope of the walk: public, irregular, of L1 norm 1 at most.
_CORNERS = (
    (0.75, 0.25),
    (0.2, 0.8),
    (-0.45, 0.55),
    (-0.85, 0.1),
    (-0.5, -0.4),
    (0.05, -0.95),
    (0.6, -0.4),
)
# More coefficients than these: the cases' pooled rows are taken one case at a time, a matrix each.
_WIDE = 50


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a walk spends its part: ``steps`` choices, each of ``epsilon``, with noise of ``scale``
    on the scores.
    """

    steps: int
    epsilon: float
    scale: float
    noise: fw.Noise

    @property
    def event(self) -> Composed:
        return fw.event(self.epsilon, steps=self.steps, noise=self.noise)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a walk promises beside epsilon, and how: delta, "replace-one" or "add/remove", and the
    kind of noise.
    """

    delta: float
    adjacency: str
    noise: str

    @property
    def neighbours(self) -> dict[str, Any]:
        """Return what a guarantee is about."""
        return {"delta": self.delta, "adjacency": Adjacency(self.adjacency)}

    def rho(self, epsilon: float) -> float:
        """Return the whole rho of what ``epsilon`` leaves to train with."""
        return zcdp.rho_of(epsilon, delta=self.delta)

    def plan(
        self, epsilon: float, *, radius: float, rows: int, vertices: int, rest: float = 1.0
    ) -> Plan:
        """Plan a walk over a ball of ``radius`` within ``rest`` of the whole rho, as long as public
        numbers say.
        """
        rho, adjacency = rest * self.rho(epsilon), Adjacency(self.adjacency)
        noise: fw.Noise = "gumbel" if self.noise == "gumbel" else "laplace"
        steps = fw.steps_for(
            rows=rows, rho=rho, radius=radius, residual_bound=RESIDUAL_BOUND, vertices=vertices
        )
        if self.noise == "printed":
            nominal = (epsilon) * math.sqrt(rest)
            each = printed_epsilon(nominal, delta=self.delta, steps=steps, adjacency=adjacency)
        else:
            each = fw.selection_epsilon(rho, steps=steps, noise=noise)
        sensitivity = fw.score_sensitivity(
            radius, residual_bound=RESIDUAL_BOUND, rows=rows, adjacency=adjacency
        )
        return Plan(
            steps=steps,
            epsilon=each,
            scale=fw.noise_scale(each, sensitivity=sensitivity),
            noise=noise,
        )


@dataclass(frozen=True, kw_only=True)
class Data:
    """Which made-up data: private rows n, coefficients d, sources K, and the L1 norm of the largest
    contrast.
    """

    seed: int
    rows: int
    dimension: int
    sources: int
    difference: float

    @property
    def problem(self) -> transfer_worlds.Problem:
        return transfer_worlds.problem(**asdict(self))

    @property
    def plane(self) -> tuple[np.ndarray, ...]:
        """Return as many rows X (n, 2), y (n,), the truth (2,), and what a source of very many rows
        says (2,).
        """
        truth = np.array([0.8, -0.5])
        X, y = transfer_worlds.draw_rows(self.seed, 99, (-1.0, 1.0), truth, self.rows)
        return X, y, truth, truth + self.difference / 4 * np.array([-0.7, -0.3])

    def counts(self, migrated: int) -> tuple[int, ...]:
        """Return how many rows of each source ``migrated`` of all are."""
        return (migrated // self.sources,) * self.sources


@dataclass(frozen=True, kw_only=True)
class Model:
    """All that decides the four candidates, but for epsilon, the number of migrated rows, and the
    repeats.

    h, q: which sources are transferable. radius: of the correction. detection_share: of rho, for
    finding them; 0 where they are known. penalty, penalty_q: lambda ||w||_q beside the mean of
    squares, from the centre; see ``frank_wolfe``.
    """

    data: Data
    claim: Claim
    h: float
    q: float
    radius: float
    detection_share: float
    penalty: float = 0.0
    penalty_q: str = "1"

    @property
    def penalties(self) -> Penalties:
        return penalties(self.penalty, q=self.penalty_q)

    def ball(self, radius: float) -> L1Ball:
        return L1Ball(dimension=self.data.dimension, radius=radius, penalty=self.penalties.ball)

    def walk(
        self, X: np.ndarray, y: np.ndarray, polytope: Polytope, **options: Any
    ) -> fw.Trajectory:
        """Walk on rows X (n, d), y (n,), with the further ``options`` of ``noisy_frank_wolfe``."""
        options |= {
            "ridge": self.penalties.ridge,
            "residual_bound": RESIDUAL_BOUND,
            "seed": self.data.seed,
        }
        return fw.noisy_frank_wolfe(X, y, polytope=polytope, **options)

    def plans(self, epsilon: float, migrated: int) -> dict[str, Plan]:
        """Plan the walks of the candidates; "alone" is that of a transfer which found no source
        worth keeping.
        """
        data, rest = self.data, 1 - self.detection_share
        n, pot = data.rows, data.rows + sum(data.counts(migrated))
        plan = partial(
            self.claim.plan, epsilon, vertices=2 * data.dimension + (self.penalties.ball > 0)
        )
        return {
            "target": plan(radius=RADIUS, rows=n),
            "pooled": plan(radius=RADIUS, rows=pot),
            "transfer": plan(radius=self.radius, rows=n, rest=rest),
            "alone": plan(radius=RADIUS, rows=n, rest=rest),
        }

    def guarantee(self, name: str, epsilon: float, migrated: int) -> Guarantee:
        """Return the guarantee of a candidate that walks, by concentrated privacy."""
        walk, rho = self.plans(epsilon, migrated)[name].event, self.detection_rho(epsilon)
        return self._account(
            Events(events=(source_detection.event(rho), walk))
            if rho and name == "transfer"
            else walk
        )

    def detection_guarantee(self, epsilon: float) -> Guarantee | None:
        """Return what the detection of sources costs by itself; None where they are known."""
        rho = self.detection_rho(epsilon)
        return self._account(source_detection.event(rho)) if rho else None

    def _account(self, event: Event) -> Guarantee:
        found = account(event, **self.claim.neighbours, accountant="zcdp")
        # Sensitivities and numbers of steps follow the number of rows.
        return replace(found, assumes=public_count(found.adjacency, unit=found.unit))

    def detection_rho(self, epsilon: float) -> float:
        """Return what the detection of sources may spend, of the whole rho of (epsilon, delta)."""
        return self.detection_share * self.claim.rho(epsilon)


@cached
def statistics(data: Data, rows: tuple[int, ...]) -> SourceStatistics:
    return source_detection.source_statistics(data.problem.sources, rows)


@cached
def _least_squares(data: Data, penalty: float, q: str) -> np.ndarray:
    """Return the private rows' weights (d,) without privacy, with the same penalty."""
    return penalised_least_squares(data.problem.X, data.problem.y, penalty=penalty, q=q)


@cached
def _trusted(data: Data, rows: tuple[int, ...], chosen: tuple[bool, ...]) -> np.ndarray:
    """Return the weights (1, d) of the sources that are known to be near, whatever epsilon is."""
    return statistics(data, rows).fit(np.array([chosen]))


@dataclass(frozen=True, kw_only=True, eq=False)
class FocusOutcome:
    """Today's epsilon and number of migrated rows, for R repeats.

    risk (4, R), by ``CANDIDATES``: excess risk, or of a file the held-out error. kept (R, K): the
    sources that the transfer uses. detection: what it cost to find them, or None. sparsity:
    candidate -> (R,), the number of different vertices in the model. least_squares: the risk of the
    target rows without privacy. zeros: how many of its d coefficients are 0. clipped: the share of
    residuals beyond the bound at the transfer's centre.
    """

    risk: np.ndarray
    kept: np.ndarray
    detection: Detection | None
    sparsity: dict[str, np.ndarray]
    least_squares: float
    zeros: int
    clipped: float


Cases = tuple[tuple[float, int], ...]


def focus(model: Model, at: Cases, repeats: range) -> FocusOutcome:
    """Train the four candidates in one case (epsilon, migrated rows)."""
    problem, found = model.data.problem, Batch(model, at, repeats)
    best = _least_squares(model.data, model.penalty, model.penalty_q)
    residual = problem.y - problem.X @ found.centres[0]
    return FocusOutcome(
        risk=found.risks(CANDIDATES)[:, 0],
        kept=found.kept[0],
        detection=found.detections[0],
        sparsity=found.sparsity,
        least_squares=float(problem.risk(best)),
        zeros=int((best == 0).sum()),
        clipped=float((np.abs(residual) > RESIDUAL_BOUND).mean()),
    )


def risks(model: Model, at: Cases, repeats: range) -> np.ndarray:
    """Return the excess risk (4, C, R) of the candidates in C cases (epsilon, migrated rows)."""
    return Batch(model, at, repeats).risks(CANDIDATES)


def public_risks(model: Model, at: Cases, repeats: range) -> np.ndarray:
    """Return the same (3, C, R) of those that depend on public rows: all but the first of
    ``CANDIDATES``.
    """
    return Batch(model, at, repeats).risks(CANDIDATES[1:])


class Batch:
    """C cases of R repeats each: one array operation for all models of a candidate."""

    def __init__(self, model: Model, cases: Cases, repeats: range):
        self.model, self.cases, self.repeats, self.problem = (
            model,
            cases,
            repeats,
            model.data.problem,
        )
        self.plans = [model.plans(*case) for case in cases]
        self.statistics = [
            statistics(model.data, model.data.counts(migrated)) for _, migrated in cases
        ]
        self.detections = [
            self._detection(*pair) for pair in zip(cases, self.statistics, strict=True)
        ]
        known = np.tile(self.problem.transferable(model.q, model.h), (len(repeats), 1))
        self.kept = np.array(
            [known if one is None else one.kept for one in self.detections]
        )  # (C, R, K)
        self.centres = np.concatenate([self._centres(place) for place in range(len(cases))])
        self.sparsity: dict[str, np.ndarray] = {}

    def _detection(self, case: tuple[float, int], public: SourceStatistics) -> Detection | None:
        if not (rho := self.model.detection_rho(case[0])):
            return None
        noisy: dict[str, Any] = {
            "seed": self.model.data.seed,
            "draws": self.repeats,
            "part": PARTS["detect"],
        }
        X, y = self.problem.X, self.problem.y
        return source_detection.detect(X, y, public.separate_weights, rho=rho, **noisy)

    def _centres(self, place: int) -> np.ndarray:
        """Return the weights (R, d) of the sources kept in each repeat of a case, 0 without one;
        few sets differ.
        """
        sets, which = np.unique(self.kept[place], axis=0, return_inverse=True)
        if self.detections[place] is None:
            data = self.model.data
            found = _trusted(data, data.counts(self.cases[place][1]), tuple(sets[0].tolist()))
        else:
            found = self.statistics[place].fit(sets)
        return found[which.ravel()]

    def risks(self, names: Sequence[str]) -> np.ndarray:
        """Return the excess risk (N, C, R) of these candidates."""
        ways = {
            "target": lambda: self._walk("target"),
            "source": lambda: self.centres,
            "pooled": self._pooled,
            "transfer": self._transfer,
        }
        return np.array(
            [self.problem.risk(ways[name]()).reshape(len(self.cases), -1) for name in names]
        )

    def _pooled(self) -> np.ndarray:
        """Return the models of all cases; with many coefficients case by case, whose models share
        what is pooled.
        """
        repeats = len(self.repeats)
        if self.model.data.dimension <= _WIDE:
            return self._walk("pooled", pooled=_pool(self.statistics, repeats))
        pots, places = (
            [_pool([one], 1) for one in self.statistics],
            np.repeat(np.arange(len(self.cases)), repeats),
        )
        return np.concatenate(
            [self._walk("pooled", places == case, pooled=pot) for case, pot in enumerate(pots)]
        )

    def _transfer(self) -> np.ndarray:
        """Return the models around the centre; from 0, over the whole ball, where no source was
        kept.
        """
        some = self.kept.any(axis=-1).ravel()
        weights = np.empty_like(self.centres)
        for name, which in (("transfer", some), ("alone", ~some)):
            if which.any():
                weights[which] = self._walk(name, which, centre=self.centres[which])
        return weights

    def _walk(
        self, name: str, which: np.ndarray | slice = slice(None), **options: Any
    ) -> np.ndarray:
        plans = [each[name] for each in self.plans]
        walk = self.model.walk(
            self.problem.X,
            self.problem.y,
            self.model.ball(self.model.radius if name == "transfer" else RADIUS),
            steps=np.repeat([one.steps for one in plans], len(self.repeats))[which],
            scale=np.repeat([one.scale for one in plans], len(self.repeats))[which],
            noise=plans[0].noise,
            draws=np.tile(self.repeats, len(plans))[which],
            part=PARTS[name],
            **options,
        )
        self.sparsity[name] = walk.sparsity(centre=2 * self.model.data.dimension)
        return walk.weights


def _pool(statistics: Sequence[SourceStatistics], repeats: int) -> Pooled:
    """Return all sources' public rows as one, a time for each repeat."""
    return Pooled(
        gram=np.repeat([one.gram.sum(axis=0) for one in statistics], repeats, axis=0),
        moment=np.repeat([one.moment.sum(axis=0) for one in statistics], repeats, axis=0),
        rows=np.repeat([one.rows for one in statistics], repeats),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class WalkOutcome:
    """Two walks of R repeats in the plane: from zero over the whole polytope, and around a source
    over a small one.

    corners: two (V, 2); points: two (T + 1, R, 2). truth: of a file, least squares on the private
    rows.
    """

    corners: tuple[np.ndarray, ...]
    points: tuple[np.ndarray, ...]
    truth: np.ndarray
    source: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Walks:
    """The same walks with two coefficients, to be looked at: what they go over, "diamond" or
    "corners".
    """

    model: Model
    polytope: str

    def over(self, radius: float, *, penalty: float = 0.0) -> Polytope:
        """Return the feasible set: the diamond of this L1 radius, or corners within it, which allow
        no L1 penalty.
        """
        if self.polytope == "diamond":
            return L1Ball(dimension=2, radius=radius, penalty=penalty)
        return Hull(corners=tuple((radius * x, radius * y) for x, y in _CORNERS))


def walks(of: Walks, at: tuple[float], repeats: range) -> WalkOutcome:
    """Walk at one epsilon, from zero and around the source."""
    model, (epsilon,) = of.model, at
    X, y, truth, source = _plane(model.data)
    corners, points = [], []
    for part, (radius, centre) in enumerate(((RADIUS, np.zeros(2)), (model.radius, source))):
        shape = of.over(radius, penalty=model.penalties.ball)
        own = model.claim.plan(
            epsilon, radius=shape.norm, rows=len(X), vertices=len(shape.vertices)
        )
        noisy = {
            "steps": own.steps,
            "scale": own.scale,
            "noise": own.noise,
            "part": PARTS["walk"] + part,
        }
        options = noisy | {"draws": repeats, "keep_points": True, "dtype": np.float64}
        vertices = of.over(radius).vertices
        around = np.argsort(np.arctan2(vertices[:, 1], vertices[:, 0]))
        corners.append(vertices[around] + centre)
        points.append(np.asarray(model.walk(X, y, shape, centre=centre, **options).points))
    return WalkOutcome(corners=tuple(corners), points=tuple(points), truth=truth, source=source)


@cached
def _plane(data: Data) -> tuple[np.ndarray, ...]:
    return data.plane
