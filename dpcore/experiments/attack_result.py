"""What came of the two worlds: the attacker's score, how often he is right, and the epsilon that this shows."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dpcore import audit, data, losses
from dpcore.accountants import gdp
from dpcore.experiments.attack_guess import EACH, Guessed, guess
from dpcore.experiments.attack_worlds import FirstRetrain, Noiseless, Retrain, Risks, gradient_moves, plane_of
from dpcore.experiments.classifier_claims import Guarantees, guarantees
from dpcore.privacy import Adjacency, Guarantee, LowerBound
from dpcore.regions import Plane, boundaries

if TYPE_CHECKING:
    from dpcore.experiments.attack import AttackSettings

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 40.0, 150.0)
# Trainings a world that the first picture has, and that one slice, and one turn of a point of the curve, has at most.
_FIRST, _MOST, _POINT = 120, 200, 250
# One slice of work holds about this many (model, class, example, step, input / 16) cells.
_CELLS_AT_ONCE = 2.5e7
# How many models' boundaries are drawn in each world.
_DRAWN = 40


class Point(NamedTuple):
    """Right answers of ``trials`` at one epsilon."""

    right: int
    trials: int


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The attack at one epsilon of the curve, with trainings ``first`` to ``first`` + ``count`` - 1 of each world."""

    model: "AttackSettings"
    epsilon: float
    first: int
    count: int
    essential: ClassVar[bool] = False

    def run(self) -> Point:
        trained = Retrain(model=self.model, epsilon=self.epsilon, first=self.first, count=self.count).run()
        found = guess(trained.weights, trained.scores, Noiseless(model=self.model).run())
        return Point(found.right, found.trials)


_MODEL = (
    "dataset",
    "version",
    "delta",
    "clip_norm",
    "steps",
    "learning_rate",
    "person",
    "person_x",
    "person_y",
    "label",
    "who",
    "against",
    "sees",
    "seed",
)


@lru_cache(maxsize=64)
def _model(settings: "AttackSettings") -> "AttackSettings":
    return settings.only(*_MODEL)


@lru_cache(maxsize=64)
def _recipe(settings: "AttackSettings") -> "AttackSettings":
    return settings.only("dataset", "version", "clip_norm", "steps", "learning_rate", "seed")


def _at_once(settings: "AttackSettings") -> int:
    """Trainings of a slice in each world."""
    source = data.DATASETS[settings.dataset]
    wide = 1 + (len(source.features) + 1) / 16
    cells = settings.rows * losses.outputs(settings.classes) * settings.steps * wide
    more = 3 if settings.sees == "steps" else 1
    return int(np.clip(_CELLS_AT_ONCE / (2 * cells * more), 10, _MOST // more))


def _slices(settings: "AttackSettings") -> Iterator[Retrain]:
    """All trainings at today's epsilon: the first few at once, the others while at rest."""
    model, width = _model(settings), _at_once(settings)
    first = min(_FIRST, width, settings.repeats)
    yield FirstRetrain(model=model, epsilon=settings.epsilon, first=0, count=first)
    for begin in range(first, settings.repeats, width):
        count = min(width, settings.repeats - begin)
        yield Retrain(model=model, epsilon=settings.epsilon, first=begin, count=count)


def _points(settings: "AttackSettings") -> tuple[CurvePoint, ...]:
    return _rounds(_model(settings), min(_POINT, 2 * _at_once(settings), settings.repeats))


@lru_cache(maxsize=64)
def _rounds(model: "AttackSettings", count: int) -> tuple[CurvePoint, ...]:
    """The curve over epsilon, in rounds; the same while epsilon moves."""
    return tuple(
        CurvePoint(model=model, epsilon=epsilon, first=turn * count, count=count)
        for turn in range(4)
        for epsilon in EPSILONS
    )


def tasks(settings: "AttackSettings") -> Iterator[Any]:
    """Today's epsilon, with a first turn of the curve early on, and then the rest of the curve."""
    slices, points = list(_slices(settings)), _points(settings)
    yield from (slices[0], Noiseless(model=_model(settings)), Risks(model=_recipe(settings)))
    yield from slices[1:4]
    yield from points[: len(EPSILONS)]
    yield from slices[4:]
    yield from points[len(EPSILONS) :]


def result(settings: "AttackSettings", outcomes: Mapping[Any, Any]) -> "WorldsResult":
    done = [outcomes[task] for task in _slices(settings) if task in outcomes]
    points: dict[float, Point] = {}
    for task in _points(settings):
        if task in outcomes:
            right, trials = points.get(task.epsilon, (0, 0))
            points[task.epsilon] = Point(right + outcomes[task].right, trials + outcomes[task].trials)
    return WorldsResult(
        settings=settings,
        split=data.load(settings.dataset, seed=settings.seed),
        plane=plane_of(settings.dataset, settings.seed),
        quiet=outcomes[Noiseless(model=_model(settings))],
        risks=outcomes[Risks(model=_recipe(settings))],
        weights=np.concatenate([one.weights for one in done], axis=1),
        scores=None if done[0].scores is None else np.concatenate([one.scores for one in done], axis=1),
        points=points,
        guarantees=guarantees(settings),
    )


@lru_cache(maxsize=32)
def _limits(epsilons: tuple[float, ...], delta: float) -> pd.DataFrame:
    """Depends on delta alone, and costs as much as all else that is drawn."""
    promised = [1 - (1 - delta) / (1 + math.exp(epsilon)) for epsilon in epsilons]
    gaussian = [gdp.attacker_accuracy(gdp.mu_of(epsilon, delta=delta)) for epsilon in epsilons]
    return pd.DataFrame({"epsilon": epsilons, "promised": promised, "gaussian": gaussian})


@dataclass(frozen=True, kw_only=True, eq=False)
class WorldsResult:
    """weights (2, R, k, p) with the person and without; quiet (2, k, p): both without noise; risks (n,) of the private
    rows; scores (2, R) where every step is seen; points of the curve.
    """

    settings: "AttackSettings"
    split: data.Split
    plane: Plane
    quiet: np.ndarray
    risks: np.ndarray
    weights: np.ndarray
    scores: np.ndarray | None
    points: dict[float, Point]
    guarantees: Guarantees

    @property
    def trainings(self) -> int:
        """In each world, so far."""
        return self.weights.shape[1]

    @cached_property
    def attack(self) -> Guessed:
        return guess(self.weights, self.scores, self.quiet)

    def boundaries(self, world: int) -> np.ndarray:
        """Boundary segments (m, 2, 2) of some models of a world, 0 being the one with the person."""
        some = max(4, _DRAWN // math.comb(max(self.settings.classes, 2), 2))
        return boundaries(self.weights[world, :some], self.plane)

    @property
    def promised(self) -> float:
        """What the claim leaves the best 50:50 attacker at most: (e^epsilon + delta) / (1 + e^epsilon)."""
        return self.claim.attacker_accuracy

    @property
    def ceiling(self) -> float:
        """What the noise leaves him, were each gradient clipped: Phi(mu/2); 1 where there is no noise."""
        return gdp.attacker_accuracy(gdp.mu_of_event(self.guarantees.formula.event))

    @property
    def claim(self) -> Guarantee:
        """As set by the slider, whatever the version really gives."""
        settings, event = self.settings, self.guarantees.formula.event
        return Guarantee(
            epsilon=settings.epsilon,
            delta=settings.delta,
            adjacency=Adjacency.REPLACE_ONE,
            unit="record",
            basis="claimed",
            event=event,
        )

    @cached_property
    def bounds(self) -> dict[str, LowerBound]:
        """Lower bounds on epsilon from scores that chose nothing, each at 97.5 %, so that both hold at 95 %."""
        given = {"delta": self.settings.delta, "adjacency": Adjacency.REPLACE_ONE, "confidence": EACH}
        return {
            form: audit.epsilon_lower_bound(*self.attack.tested, form=form, **given) for form in ("count", "gaussian")
        }

    @property
    def shown(self) -> LowerBound:
        """The larger of the two bounds."""
        return max(self.bounds.values(), key=lambda bound: bound.epsilon)

    @property
    def caught(self) -> bool:
        """Whether the claim is refuted. Where nothing is claimed there is nothing to refute."""
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
        """How far this person moves the noiseless gradients, in parts of the furthest that anyone could."""
        settings = self.settings
        if settings.who == "row":
            return float(self.risks[settings.person])
        (row, label), _ = settings.neighbours.candidates
        X = losses.with_constant(row[None])
        moved = gradient_moves(settings, self.quiet[:1], X, np.array([label]))
        return float(moved[0, 0]) / 2 / settings.clip_norm

    @cached_property
    def curve(self) -> pd.DataFrame:
        """A row an epsilon that is done: the share of right answers with its 95 % interval, and both bounds."""
        rows = []
        allowed = dict(zip(EPSILONS, self.limits(EPSILONS).itertuples(index=False), strict=True))
        for epsilon, (right, trials) in sorted(self.points.items()):
            low, high = audit.clopper_pearson(right, trials, confidence=EACH)
            _, promised, gaussian = allowed[epsilon]
            rows.append((epsilon, right / trials, low, high, trials, promised, gaussian))
        columns = ["epsilon", "accuracy", "low", "high", "trials", "promised", "gaussian"]
        return pd.DataFrame(rows, columns=columns)

    def limits(self, epsilons: tuple[float, ...]) -> pd.DataFrame:
        """What a claim at each epsilon leaves the attacker: by (epsilon, delta), and by its Gaussian noise."""
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

    def frames(self) -> dict[str, pd.DataFrame]:
        """What can be downloaded."""
        scores = pd.DataFrame(self.attack.scores.T, columns=["with", "without"])
        return {"Attack": self.table(), "Over epsilon": self.curve, "Scores": scores}
