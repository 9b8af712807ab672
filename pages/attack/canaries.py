"""An audit from one single training, beside one from many: what each can see of the same claim.

Hundreds of canaries are planted in one training set. Each has a feature of its own, and a coin of its own decides its
class; the attacker sees the final weights, and guesses the coins of which they are surest [steinke2023, Algorithm 1].
The other audit trains thousands of times with one canary of one class and of the other (``dpcore.attacks.audit``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.attacks import audit, one_run
from dpcore.cache import cached
from dpcore.estimators.recipes import CLIPPING
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.privacy import Adjacency, LowerBound
from dpcore.streams import stream
from dpcore.training import descent
from lab import chunking
from lab.ensemble import Runs, slices
from lab.settings import Spread
from pages.attack.audits import targets_descent
from pages.attack.audits.runs import Scores, together
from pages.attack.inputs import FORMS, Inputs, PrivateRecipe
from pages.attack.parameters import AttackParameters

EPSILONS = (0.3, 1.0, 2.0, 4.0, 8.0, 20.0, 60.0)
CONFIDENCE = 0.95
# Trainings at today's epsilon, and at each point of the curve: every one is an audit of its own.
TRAININGS, _FIRST, POINT = 20, 4, 8
# Retrainings in each world of the other audit, and in one slice of it.
RETRAININGS, _AT_ONCE = 2000, 250
# How much longer a cell of theirs takes than one of a batch of many models.
_WAIT = 4
# A canary's feature: so long that its gradient is clipped at every step.
_LENGTH = 20.0


class Audit(NamedTuple):
    """What one training shows: its right guesses of the coins, of how many, and the bound on epsilon."""

    right: int
    guesses: int
    bound: LowerBound


class Planted(NamedTuple):
    """coins (m,): the class of each canary. scores (R, m): how far each training's weights lean to class 1."""

    coins: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Planting(PrivateRecipe):
    """All that decides the trainings with many canaries, but for epsilon."""

    version: str
    canaries: int

    @property
    def cells(self) -> float:
        """Return the work of one training; a few models on so many columns wait for the memory."""
        rows, inputs = self.rows + self.canaries, self.features + 1 + self.canaries
        return _WAIT * chunking.cells(rows=rows, outputs=1, inputs=inputs, steps=self.steps)

    def noise_sd(self, epsilon: float, *, rows: int) -> float:
        """Return the noise as published, by the textbook's formula."""
        if self.version == "sound":
            return super().noise_sd(epsilon, rows=rows)
        if self.version == "none":
            return 0.0
        multiplier = np.sqrt(self.steps) * classical_noise_multiplier(epsilon, delta=self.delta)
        return descent.mean_noise_sd(multiplier, clip_norm=self.clip_norm, rows=rows, adjacency=Adjacency.REPLACE_ONE)


@dataclass(frozen=True, kw_only=True)
class Retraining(Inputs):
    """All that decides the trainings with one canary, but for epsilon."""

    version: str
    delta: float
    steps: int
    seed: int


def planted_rows(model: Planting) -> tuple[np.ndarray, np.ndarray]:
    """Return (X (n + m, d + 1 + m), y): the private rows with the constant, and m canaries, each of a coin's class."""
    split, m = model.split, model.canaries
    n, d = split.X_private.shape
    X = np.zeros((n + m, d + 1 + m), np.float32)
    X[:n, :d], X[:n, d] = split.X_private, 1.0
    X[n:, d + 1 :] = _LENGTH * np.eye(m)
    return X, np.append(split.y_private, stream(model.seed, "audit", 7).integers(0, 2, m))


def plant(model: Planting, at: tuple[float], repeats: range) -> Planted:
    X, y = planted_rows(model)
    sd, clipping = model.noise_sd(at[0], rows=len(y)), CLIPPING[model.version]
    path = model.descend(X, y, sd=sd, draws=repeats, clipping=clipping)
    m = model.canaries
    return Planted(y[-m:].astype(bool), path.weights[:, 0, -m:])


def retrain(model: Retraining, at: tuple[float], repeats: range) -> Scores:
    """Train with one canary of one class and of the other; the repeats are a slice of the other audit."""
    worlds = targets_descent.classifier(
        at[0],
        delta=model.delta,
        steps=model.steps,
        rule=CLIPPING[model.version],
        published=model.version == "published",
        noise=0.0 if model.version == "none" else 1.0,
    )
    return Scores(*worlds(len(repeats), 1000 * model.seed + repeats.start // _AT_ONCE))


@lru_cache(maxsize=4096)
def _least(right: int, guesses: int, canaries: int, delta: float) -> LowerBound:
    return one_run.epsilon_lower_bound(
        right,
        guesses=guesses,
        canaries=canaries,
        delta=delta,
        confidence=CONFIDENCE,
        adjacency=Adjacency.REPLACE_ONE,
    )


@cached
def _beside(done: tuple[Scores, ...], form: audit.Form, delta: float) -> LowerBound:
    """Return the bound of these runs, told apart by identity, so that a redraw does not count them again."""
    return audit.epsilon_lower_bound(
        *together(done), form=form, delta=delta, adjacency=Adjacency.REPLACE_ONE, confidence=CONFIDENCE
    )


def audits(planted: Planted, *, share: float, delta: float) -> list[Audit]:
    found = (one_run.guessed(scores, planted.coins, share=share) for scores in planted.scores)
    return [Audit(*guessed, _least(*guessed, len(planted.coins), delta)) for guessed in found]


def _spread(of: Iterable[Audit]) -> Spread:
    return Spread.of(np.array([one.bound.epsilon for one in of]))


def _planted(settings: AttackParameters) -> Iterator[Runs[Planting, Planted]]:
    model, at = Planting.of(settings), (settings.epsilon,)
    yield Runs(work=plant, model=model, at=at, count=_FIRST, essential=True)
    yield from slices(plant, model, at, chunking.cut(_FIRST, TRAININGS, each=model.cells, most=_FIRST))


def _point(settings: AttackParameters, epsilon: float) -> tuple[Runs[Planting, Planted], ...]:
    model = Planting.of(settings)
    return slices(plant, model, (epsilon,), chunking.cut(0, POINT, each=model.cells))


def _retrained(settings: AttackParameters, epsilon: float) -> tuple[Runs[Retraining, Scores], ...]:
    parts = [range(first, first + _AT_ONCE) for first in range(0, RETRAININGS, _AT_ONCE)]
    return slices(retrain, Retraining.of(settings), (epsilon,), parts)


def tasks(settings: AttackParameters) -> Iterator[Runs]:
    yield from _planted(settings)
    yield from _retrained(settings, settings.epsilon)
    for kind in (_point, _retrained):
        for epsilon in EPSILONS:
            yield from kind(settings, epsilon)


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "OnceResult":
    def done(work: Iterable[Runs]) -> tuple[Any, ...]:
        return tuple(outcomes[task] for task in work if task in outcomes)

    points = {epsilon: done(_point(settings, epsilon)) for epsilon in EPSILONS}
    many = {epsilon: done(_retrained(settings, epsilon)) for epsilon in (*EPSILONS, settings.epsilon)}
    return OnceResult(
        settings=settings,
        now=_together(done(_planted(settings))),
        points={epsilon: _together(parts) for epsilon, parts in points.items() if parts},
        many={epsilon: parts for epsilon, parts in many.items() if len(parts) == RETRAININGS // _AT_ONCE},
    )


def _together(parts: Sequence[Planted]) -> Planted:
    return Planted(parts[0].coins, np.concatenate([one.scores for one in parts]))


@dataclass(frozen=True, kw_only=True, eq=False)
class OnceResult:
    """now: today's trainings, of which the first is *the* training; points: those of the curve, by epsilon.

    many: the retrainings with one canary, by epsilon, where they are done.
    """

    settings: AttackParameters
    now: Planted
    points: dict[float, Planted]
    many: dict[float, tuple[Scores, ...]]

    @cached_property
    def audits(self) -> list[Audit]:
        return self._alone(self.now)

    @property
    def first(self) -> Audit:
        return self.audits[0]

    def _alone(self, planted: Planted) -> list[Audit]:
        return audits(planted, share=self.settings.guessed, delta=self.settings.delta)

    @cached_property
    def standing(self) -> np.ndarray:
        """Return where the first training's canaries stand (m,): standard deviations within a class, from the
        middle."""
        scores, coins = self.now.scores[0].astype(float), self.now.coins
        sides = [scores[coins == side] for side in (True, False)]
        spread = np.sqrt(np.mean([side.var() for side in sides]))
        return (scores - np.mean([side.mean() for side in sides])) / max(float(spread), 1e-12)

    @property
    def edges(self) -> tuple[float, float]:
        """Return the ends of the guesses: canaries up to the first are guessed to be of one class, from the second on
        of the other."""
        order, half = np.sort(self.standing), self.first.guesses // 2
        return float(order[half - 1]), float(order[-half])

    @property
    def spread(self) -> Spread:
        """Return the epsilon that today's trainings show, each an audit of its own."""
        return _spread(self.audits)

    @property
    def ceiling(self) -> LowerBound:
        """Return what one training could show at most: every guess right."""
        guesses = self.first.guesses
        return _least(guesses, guesses, self.settings.canaries, self.settings.delta)

    def retrained(self, epsilon: float) -> dict[str, LowerBound]:
        """Return form -> bound of the retrainings, if done; each at the confidence of the single training."""
        if epsilon not in self.many:
            return {}
        return {form: _beside(self.many[epsilon], form, self.settings.delta) for form in FORMS}

    @cached_property
    def beside(self) -> dict[str, LowerBound]:
        return self.retrained(self.settings.epsilon)

    @property
    def caught(self) -> bool:
        """Return whether the first training alone refutes the claim; without a claim it cannot."""
        return self.settings.version != "none" and self.first.bound.refutes(self.settings.claim)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """Return a row an epsilon: quantiles of the bounds of single trainings, at today's of today's, and the bounds
        of the retrainings (NaN: to be done)."""
        alone = {epsilon: self._alone(planted) for epsilon, planted in self.points.items()}
        alone |= {self.settings.epsilon: self.audits}
        rows = []
        for epsilon in EPSILONS:
            row = {form: bound.epsilon for form, bound in self.retrained(epsilon).items()}
            if epsilon in alone:
                row |= _spread(alone[epsilon])._asdict()
            rows.append({"epsilon": epsilon} | row)
        return pd.DataFrame(rows, columns=["epsilon", *Spread._fields, *FORMS])

    def table(self) -> pd.DataFrame:
        rows: list[tuple[str, int, int, float, float]] = [
            (f"training {at}", len(self.now.coins), one.guesses, one.right, one.bound.epsilon)
            for at, one in enumerate(self.audits, 1)
        ]
        for form, bound in self.beside.items():
            rows.append((f"{bound.trials} trainings, {form}", 1, bound.trials // 2, np.nan, bound.epsilon))
        return pd.DataFrame(rows, columns=["audit", "canaries", "guesses", "right", "epsilon at least"])

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"Audits": self.table, "Over epsilon": lambda: self.curve, "Canaries": self.canaries}

    def canaries(self) -> pd.DataFrame:
        return pd.DataFrame({"class": self.now.coins.astype(int), "score": self.now.scores[0]})
