"""What came of the two worlds: the attacker's score, how often they are right, and the epsilon that this shows."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.attacks import audit
from dpcore.attacks.guess import EACH, Guessed, guess
from dpcore.cache import CACHE, cached
from dpcore.clopper_pearson import clopper_pearson
from dpcore.data import toy as data
from dpcore.estimators.recipes import Guarantees
from dpcore.privacy import Adjacency, Guarantee, LowerBound
from dpcore.training import losses
from lab import chunking
from lab.boundaries import Plane, boundaries
from lab.ensemble import Runs, slices
from lab.settings import Settings
from pages.attack.exposure import gradient_moves
from pages.attack.inputs import FORMS, claim, split_of
from pages.attack.two_worlds import (
    STEPS_SEEN,
    Model,
    Noiseless,
    Risks,
    Trained,
    Training,
    noiseless,
    plane_of,
    retrained,
    retrained_once,
)

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 40.0, 150.0)
# Trainings a world that the first picture has, and that one slice, and one turn of a point of the curve, has at most.
_FIRST, _MOST, _POINT = 120, 200, 250
# One slice of work holds about this many (model, class, example, step, input / 16) cells.
_CELLS_AT_ONCE = 2.5e7
# How many models' boundaries are drawn in each world.
_DRAWN = 40


class Point(NamedTuple):
    """Correct answers of ``trials`` at one epsilon."""

    correct: int
    trials: int


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The attack at one epsilon of the curve, with trainings ``first`` to ``first`` + ``count`` - 1 of each world."""

    model: Model
    epsilon: float
    first: int
    count: int
    essential: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[Runs[Model, Trained], ...]:
        """Return the trainings, a slice of work each."""
        cuts = chunking.cut(self.first, self.first + self.count, each=self.model.cells)
        return slices(retrained_once, self.model, (self.epsilon,), cuts)

    def run(self) -> Point:
        found = _attacked([part.run() for part in self.parts], self.model)
        return Point(found.correct, found.trials)


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """The attack on the trainings of these slices of the page: its share of right answers, (1,)."""

    slices: tuple[Runs[Model, Trained], ...]
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        trained = [CACHE.answer(part, part.run) for part in self.slices]
        return np.array([_attacked(trained, self.slices[0].model).accuracy])


def _attacked(trained: Sequence[Trained], model: Model) -> Guessed:
    return guess(*_together(trained), noiseless(model))


def _together(trained: Sequence[Trained]) -> Trained:
    weights = np.concatenate([one.weights for one in trained], axis=1)
    scores = [one.scores for one in trained if one.scores is not None]
    return Trained(weights, np.concatenate(scores, axis=1) if scores else None)


def _at_once(model: Model) -> int:
    """Trainings of a slice in each world, were it not for its most cells."""
    more = STEPS_SEEN if model.sees == "steps" else 1
    return int(np.clip(_CELLS_AT_ONCE / model.cells, 10, _MOST // more))


def _slices(settings: Settings) -> list[Runs[Model, Trained]]:
    """Return all trainings at today's epsilon: the first few at once, the others while at rest."""
    model = Model.of(settings)
    width = _at_once(model)
    first = chunking.first(min(_FIRST, width, settings.repeats), each=model.cells, least=4)
    cuts = chunking.cut(first, settings.repeats, each=model.cells, most=width)
    now, *later = slices(retrained, model, (settings.epsilon,), [range(first), *cuts])
    return [replace(now, essential=True), *later]


def _points(settings: Settings) -> tuple[CurvePoint, ...]:
    model = Model.of(settings)
    return _rounds(model, min(_POINT, 2 * _at_once(model), settings.repeats))


@lru_cache(maxsize=64)
def _rounds(model: Model, count: int) -> tuple[CurvePoint, ...]:
    """The curve over epsilon, in rounds; the same while epsilon moves."""
    return tuple(
        CurvePoint(model=model, epsilon=epsilon, first=turn * count, count=count)
        for turn in range(4)
        for epsilon in EPSILONS
    )


def probe(settings: Settings) -> Attacked:
    """The attack on all trainings at today's epsilon."""
    return Attacked(slices=tuple(_slices(settings)))


def tasks(settings: Settings) -> Iterator[Any]:
    """Today's epsilon, with a first turn of the curve early on, and then the rest of the curve."""
    now = _slices(settings)
    points = [(*_apart(point), point) for point in _points(settings)]
    yield from (now[0], Noiseless(model=Model.of(settings)), Risks.of(settings))
    yield from now[1:4]
    yield from chain.from_iterable(points[: len(EPSILONS)])
    yield from now[4:]
    yield from chain.from_iterable(points[len(EPSILONS) :])


def _apart(point: CurvePoint) -> tuple[Runs[Model, Trained], ...]:
    """Return what a point needs before, where all of it would be too much for one slice."""
    return point.parts if len(point.parts) > 1 else ()


def result(settings: Settings, outcomes: Mapping[Any, Any]) -> "WorldsResult":
    trained = _together([outcomes[task] for task in _slices(settings) if task in outcomes])
    points: dict[float, Point] = {}
    for task in _points(settings):
        if task in outcomes:
            correct, trials = points.get(task.epsilon, (0, 0))
            points[task.epsilon] = Point(correct + outcomes[task].correct, trials + outcomes[task].trials)
    return WorldsResult(
        settings=settings,
        split=split_of(settings.rows_of, seed=settings.seed),
        plane=None if settings.private else plane_of(settings.dataset, settings.seed),
        noiseless=outcomes[Noiseless(model=Model.of(settings))],
        risks=outcomes[Risks.of(settings)],
        weights=trained.weights,
        scores=trained.scores,
        points=points,
        guarantees=settings.guarantees,
    )


@cached
def _limits(epsilons: tuple[float, ...], delta: float) -> pd.DataFrame:
    """Depends on delta alone, and costs as much as all else that is drawn."""
    promised = [1 - (1 - delta) / (1 + math.exp(epsilon)) for epsilon in epsilons]
    gaussian = [(1 + gdp.delta_of(0.0, mu=gdp.mu_of(epsilon, delta=delta))) / 2 for epsilon in epsilons]
    return pd.DataFrame({"epsilon": epsilons, "promised": promised, "gaussian": gaussian})


@dataclass(frozen=True, kw_only=True, eq=False)
class WorldsResult:
    """weights (2, R, k, p) with the person and without; noiseless (2, k, p): both without noise; risks (n,) of the
    private rows; scores (2, R) where every step is seen; points of the curve. plane: where people are drawn; None
    where they must not be.
    """

    settings: Settings
    split: data.Split
    plane: Plane | None
    noiseless: np.ndarray
    risks: np.ndarray
    weights: np.ndarray
    scores: np.ndarray | None
    points: dict[float, Point]
    guarantees: Guarantees

    @property
    def trainings(self) -> int:
        """Return the number of trainings in each world, so far."""
        return self.weights.shape[1]

    @cached_property
    def attack(self) -> Guessed:
        return guess(self.weights, self.scores, self.noiseless)

    def boundaries(self, world: int) -> np.ndarray:
        """Boundary segments (m, 2, 2) of some models of a world, 0 being the one with the person."""
        some = max(4, _DRAWN // math.comb(max(self.settings.classes, 2), 2))
        return boundaries(self.weights[world, :some], self.plane)

    @property
    def usual_risk(self) -> float:
        """The median of the risks."""
        return float(np.median(self.risks))

    @property
    def promised(self) -> float:
        """Return what the claim leaves the best 50:50 attacker at most: (e^epsilon + delta) / (1 + e^epsilon)."""
        return self.claim.attacker_accuracy

    @property
    def ceiling(self) -> float:
        """Return what the noise leaves them, were each gradient clipped: Phi(mu/2); 1 where there is no noise."""
        return best_attacker(self.guarantees.formula).right

    @property
    def claim(self) -> Guarantee:
        return claim(self.settings)

    @cached_property
    def bounds(self) -> dict[str, LowerBound]:
        """Lower bounds on epsilon from scores that chose nothing, each at 97.5 %, so that both hold at 95 %."""
        tested, delta, unit = self.attack.tested, self.settings.delta, self.settings.unit
        about: Any = {"delta": delta, "adjacency": Adjacency.REPLACE_ONE, "confidence": EACH, "unit": unit}
        return {form: audit.epsilon_lower_bound(*tested, form=form, **about) for form in FORMS}

    @property
    def shown(self) -> LowerBound:
        """The bound that assumes nothing: of these recipes nobody proved that the noise makes a Gaussian curve."""
        return self.bounds["count"]

    @property
    def caught(self) -> bool:
        """Return whether the claim is refuted; without a claim it cannot be."""
        return self.settings.version != "none" and self.shown.refutes(self.claim)

    @property
    def overlap(self) -> float:
        """The share of the two worlds' scores that lie in common, by histogram."""
        _, shares = self.histogram()
        return float(np.minimum(*shares).sum())

    def histogram(self, bins: int = 48) -> tuple[np.ndarray, np.ndarray]:
        """Edges (bins + 1,) and the share of scores in each bin, with the person and without (2, bins)."""
        reach = self.reach
        edges = np.linspace(-reach, reach, bins + 1)
        inside = np.clip(self.attack.scores, -reach * 0.999, reach * 0.999)
        return edges, np.stack([np.histogram(world, edges)[0] / len(world) for world in inside])

    @property
    def reach(self) -> float:
        """Half of the scores' axis: in coarse steps, so that it rests while the slider moves."""
        furthest = np.abs(self.attack.scores.mean(axis=1)).max() + 4
        return float(6 * 1.5 ** max(0, math.ceil(math.log(furthest / 6, 1.5))))

    @property
    def risk(self) -> float:
        """Return how far this person moves the noiseless gradients, in parts of the furthest that anyone could."""
        settings = self.settings
        if settings.private:
            return float(self.risks[settings.neighbours.place(self.risks)])
        if settings.who == "row":
            return float(self.risks[settings.person])
        (row, label), _ = settings.neighbours.candidates
        X = losses.with_constant(row[None])
        y = np.array([label])
        moved = gradient_moves(Training.of(settings), self.noiseless[:1], X, y, (y + 1) % settings.classes)
        return float(moved[0, 0]) / 2 / settings.clip_norm

    @cached_property
    def curve(self) -> pd.DataFrame:
        """A row an epsilon that is done: the share of right answers with its 95 % interval, and both bounds.

        Today's epsilon has the attack's own guesses, so that there is one answer to one question.
        """
        rows, now = [], self.attack
        points = self.points | {self.settings.epsilon: Point(now.correct, now.trials)}
        limits = [self.limits(some) for some in (EPSILONS, (self.settings.epsilon,))]
        allowed = {one[0]: one[1:] for frame in limits for one in frame.itertuples(index=False)}
        for epsilon, (correct, trials) in sorted(points.items()):
            low, high = clopper_pearson(correct, trials, confidence=EACH)
            rows.append((epsilon, correct / trials, low, high, trials, *allowed[epsilon]))
        columns = ["epsilon", "accuracy", "low", "high", "trials", "promised", "gaussian"]
        return pd.DataFrame(rows, columns=columns)

    def limits(self, epsilons: tuple[float, ...]) -> pd.DataFrame:
        """Return what a claim at each epsilon leaves the attacker: by (epsilon, delta), and by its Gaussian noise."""
        return _limits(tuple(epsilons), self.settings.delta)

    def table(self) -> pd.DataFrame:
        """The attack at today's epsilon."""
        found, shown = self.attack, self.bounds
        return pd.DataFrame(
            {
                "epsilon": [self.settings.epsilon],
                "trainings in each world": [self.trainings],
                "right": [found.accuracy],
                "right, low": [found.low],
                "right, high": [found.high],
                "at most by the claim": [self.promised],
                **{f"epsilon at least, {form}": [bound.epsilon] for form, bound in shown.items()},
            }
        )

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return what can be downloaded."""
        return {"Attack": self.table, "Over epsilon": lambda: self.curve, "Scores": self.scored}

    def scored(self) -> pd.DataFrame:
        """The attacker's score of each training, by world."""
        return pd.DataFrame(self.attack.scores.T, columns=["with", "without"])
