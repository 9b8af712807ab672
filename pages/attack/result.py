"""What came of the two worlds: the attacker's score, how often they are right, and the epsilon that
this shows.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.attacks import audit
from dpcore.attacks.audit import clopper_pearson
from dpcore.attacks.lower_bound import LowerBound
from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.training import losses
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.parts import Runs, slices
from lab.statistics.decision_regions import Plane, boundaries
from pages.attack.influence import gradient_moves
from pages.attack.inputs import FORMS
from pages.attack.settings import AttackParameters
from pages.attack.tasks import (
    STEPS_SEEN,
    Model,
    Neighbours,
    Trained,
    Training,
    clean,
    exposed,
    plane_of,
    retrained,
)
from pages.attack.threshold_attack import SIDE_CONFIDENCE, AttackResult, threshold_attack

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 40.0, 150.0)
# Trainings a world that the first picture has, and that one slice, and one turn of a point of the
# curve, has at most.
_FIRST, _MOST, _POINT = 120, 200, 250
# One slice of work holds about this many (model, class, example, step, input / 16) cells.
_CELLS_AT_ONCE = 2.5e7
# How many models' boundaries are drawn in each world.
_DRAWN = 40


class Point(NamedTuple):
    """Correct answers of ``trials`` at one epsilon."""

    correct: int
    trials: int


def attacked(model: Model, at: tuple[float], repeats: range) -> Point:
    found = _attacked([part.run() for part in parts(model, at, repeats)], model)
    return Point(found.correct, found.trials)


def parts(model: Model, at: tuple[float], repeats: range) -> tuple[Runs[Model, Trained], ...]:
    return slices(retrained, model, at, chunking.cut(repeats.start, repeats.stop, each=model.cells))


def accuracy(model: Model, at: tuple[float], repeats: range) -> np.ndarray:
    """Return the attack's share of right answers (1,) on the trainings of the page."""
    return np.array(
        [_attacked([part.run() for part in trainings(model, at[0], len(repeats))], model).accuracy]
    )


def _attacked(trained: Sequence[Trained], model: Model) -> AttackResult:
    return threshold_attack(*_together(trained), clean(model).run())


def _together(trained: Sequence[Trained]) -> Trained:
    weights = np.concatenate([one.weights for one in trained], axis=1)
    scores = [one.scores for one in trained if one.scores is not None]
    return Trained(weights, np.concatenate(scores, axis=1) if scores else None)


def _at_once(model: Model) -> int:
    """Return the trainings of a slice in each world, were it not for its most cells."""
    more = STEPS_SEEN if model.sees == "steps" else 1
    return int(np.clip(_CELLS_AT_ONCE / model.cells, 10, _MOST // more))


def trainings(model: Model, epsilon: float, repeats: int) -> list[Runs[Model, Trained]]:
    width = _at_once(model)
    first = chunking.first(min(_FIRST, width, repeats), each=model.cells, least=4)
    cuts = chunking.cut(first, repeats, each=model.cells, most=width)
    now, *later = slices(retrained, model, (epsilon,), [range(first), *cuts])
    return [replace(now, essential=True), *later]


@lru_cache(maxsize=64)
def _points(model: Model, repeats: int) -> tuple[Runs[Model, Point], ...]:
    """Return the curve over epsilon, in rounds; the same while epsilon moves."""
    count = min(_POINT, 2 * _at_once(model), repeats)
    return slices(
        attacked, model, EPSILONS, [range(turn * count, (turn + 1) * count) for turn in range(4)]
    )


def probe(settings: AttackParameters) -> Runs[Model, np.ndarray]:
    return Runs(
        work=accuracy, model=Model.of(settings), at=(settings.epsilon,), count=settings.repeats
    )


def tasks(settings: AttackParameters) -> Iterator[Runs]:
    """Return today's epsilon, with a first turn of the curve early on, and then the rest of the
    curve.
    """
    model = Model.of(settings)
    now = trainings(model, settings.epsilon, settings.repeats)
    points = [(*_apart(point), point) for point in _points(model, settings.repeats)]
    yield from (now[0], clean(model), _risks(settings))
    yield from now[1:4]
    yield from chain.from_iterable(points[: len(EPSILONS)])
    yield from now[4:]
    yield from chain.from_iterable(points[len(EPSILONS) :])


def _apart(point: Runs[Model, Point]) -> tuple[Runs[Model, Trained], ...]:
    """Return what a point needs before, where all of it would be too much for one slice."""
    before = parts(point.model, point.at, point.repeats)
    return before if len(before) > 1 else ()


def _risks(settings: AttackParameters) -> Runs[Training, np.ndarray]:
    return exposed(Training.of(settings))


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "WorldsResult":
    model = Model.of(settings)
    done = [
        outcomes[task]
        for task in trainings(model, settings.epsilon, settings.repeats)
        if task in outcomes
    ]
    points: dict[float, Point] = {}
    for task in _points(model, settings.repeats):
        if task in outcomes:
            correct, trials = points.get(task.at[0], (0, 0))
            points[task.at[0]] = Point(
                correct + outcomes[task].correct, trials + outcomes[task].trials
            )
    return WorldsResult(
        settings=settings,
        trained=_together(done),
        noiseless=outcomes[clean(model)],
        risks=outcomes[_risks(settings)],
        points=points,
    )


@cached
def _limits(epsilons: tuple[float, ...], delta: float) -> pd.DataFrame:
    """Return the limits, which depend on delta alone, and cost as much as all else that is
    drawn.
    """
    promised = [1 - (1 - delta) / (1 + math.exp(epsilon)) for epsilon in epsilons]
    gaussian = [
        (1 + gdp.delta_of(0.0, mu=gdp.mu_of(epsilon, delta=delta))) / 2 for epsilon in epsilons
    ]
    return pd.DataFrame({"epsilon": epsilons, "promised": promised, "gaussian": gaussian})


@dataclass(frozen=True, kw_only=True, eq=False)
class WorldsResult:
    """All trainings at today's epsilon; noiseless (2, k, p): both worlds without noise; risks (n,)
    of the private rows; points of the curve.
    """

    settings: AttackParameters
    trained: Trained
    noiseless: np.ndarray
    risks: np.ndarray
    points: dict[float, Point]

    @property
    def split(self) -> data.Split:
        return data.load(self.settings.dataset, seed=self.settings.seed)

    @property
    def plane(self) -> Plane:
        """Return where people are drawn, who are not those of a file."""
        return plane_of(self.settings.dataset, self.settings.seed)

    @property
    def trainings(self) -> int:
        return self.trained.weights.shape[1]

    @cached_property
    def attack(self) -> AttackResult:
        return threshold_attack(*self.trained, self.noiseless)

    def boundaries(self, world: int) -> np.ndarray:
        """Return boundary segments (m, 2, 2) of some models of a world, 0 being the one with the
        person.
        """
        some = max(4, _DRAWN // math.comb(max(self.settings.classes, 2), 2))
        return boundaries(self.trained.weights[world, :some], self.plane)

    @property
    def usual_risk(self) -> float:
        return float(np.median(self.risks))

    @property
    def promised(self) -> float:
        """Return what the claim leaves the best 50:50 attacker at most: (e^epsilon + delta) / (1 +
        e^epsilon).
        """
        return self.settings.claim.attacker_accuracy

    @property
    def ceiling(self) -> float:
        """Return what the noise leaves them, were each gradient clipped: Phi(mu/2); 1 where there
        is no noise.
        """
        return best_attacker(self.settings.guarantees.formula).right

    @cached_property
    def bounds(self) -> dict[str, LowerBound]:
        """Return lower bounds on epsilon from scores that chose nothing, each at 97.5 %, so that
        both hold at 95 %.
        """
        tested, delta, unit = self.attack.tested, self.settings.delta, "record"
        about: Any = {
            "delta": delta,
            "adjacency": Adjacency.REPLACE_ONE,
            "confidence": SIDE_CONFIDENCE,
            "unit": unit,
        }
        return {form: audit.epsilon_lower_bound(*tested, form=form, **about) for form in FORMS}

    @property
    def shown(self) -> LowerBound:
        """Return the bound that assumes nothing; nobody proved that the noise makes a Gaussian
        curve here.
        """
        return self.bounds["count"]

    @property
    def caught(self) -> bool:
        """Return whether the claim is refuted; without a claim it cannot be."""
        return self.settings.version != "none" and self.shown.refutes(self.settings.claim)

    @property
    def overlap(self) -> float:
        """Return the share of the two worlds' scores that lie in common, by histogram."""
        _, shares = self.histogram()
        return float(np.minimum(*shares).sum())

    def histogram(self, bins: int = 48) -> tuple[np.ndarray, np.ndarray]:
        """Return edges (bins + 1,) and the share of scores in each bin, with the person and without
        (2, bins).
        """
        reach = self.reach
        edges = np.linspace(-reach, reach, bins + 1)
        inside = np.clip(self.attack.scores, -reach * 0.999, reach * 0.999)
        return edges, np.stack([np.histogram(world, edges)[0] / len(world) for world in inside])

    @property
    def reach(self) -> float:
        """Return half of the scores' axis: in coarse steps, so that it rests while the slider
        moves.
        """
        furthest = np.abs(self.attack.scores.mean(axis=1)).max() + 4
        return float(6 * 1.5 ** max(0, math.ceil(math.log(furthest / 6, 1.5))))

    @property
    def candidate(self) -> tuple[np.ndarray, int]:
        """Return the row (d,) and class of the person, who is none of a file."""
        here, _ = Neighbours.of(self.settings).candidates
        return here

    @property
    def risk(self) -> float:
        """Return how far this person moves the noiseless gradients, in parts of the furthest that
        anyone could.
        """
        settings = self.settings
        if settings.who == "row":
            return float(self.risks[settings.person])
        row, label = self.candidate
        X = losses.with_constant(row[None])
        y = np.array([label])
        moved = gradient_moves(
            Training.of(settings), self.noiseless[:1], X, y, (y + 1) % settings.classes
        )
        return float(moved[0, 0]) / 2 / settings.clip_norm

    @cached_property
    def curve(self) -> pd.DataFrame:
        """Return a row an epsilon that is done: the share of right answers with its 95 % interval,
        and both bounds.

        Today's epsilon has the attack's own guesses, so that there is one answer to one question.
        """
        rows, now = [], self.attack
        points = self.points | {self.settings.epsilon: Point(now.correct, now.trials)}
        limits = [self.limits(some) for some in (EPSILONS, (self.settings.epsilon,))]
        allowed = {one[0]: one[1:] for frame in limits for one in frame.itertuples(index=False)}
        for epsilon, (correct, trials) in sorted(points.items()):
            low, high = clopper_pearson(correct, trials, confidence=SIDE_CONFIDENCE)
            rows.append((epsilon, correct / trials, low, high, trials, *allowed[epsilon]))
        columns = ["epsilon", "accuracy", "low", "high", "trials", "promised", "gaussian"]
        return pd.DataFrame(rows, columns=columns)

    def limits(self, epsilons: tuple[float, ...]) -> pd.DataFrame:
        """Return what a claim at each epsilon leaves the attacker: by (epsilon, delta), and by its
        Gaussian noise.
        """
        return _limits(tuple(epsilons), self.settings.delta)

    def table(self) -> pd.DataFrame:
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
        return {"Over epsilon": lambda: self.curve, "Scores": self.scored}

    def scored(self) -> pd.DataFrame:
        return pd.DataFrame(self.attack.scores.T, columns=["with", "without"])
