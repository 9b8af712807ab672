"""An audit from one single training, beside one from many: what each can see of the same claim.

Hundreds of canaries are planted in one training set. Each has a feature of its own, and a coin of its own decides its
class; the attacker sees the final weights, and guesses the coins of which he is surest [steinke2023, Algorithm 1]. The
other audit trains thousands of times with one canary of one class and of the other (``dpcore.audit``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dpcore import audit, audit_runs, data, descent
from dpcore.experiments import attack_targets
from dpcore.experiments.attack_attempts import Runs
from dpcore.experiments.attack_worlds import RULES
from dpcore.experiments.classifier_claims import Guarantees, guarantees
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.privacy import Adjacency, Guarantee, LowerBound
from dpcore.streams import stream

if TYPE_CHECKING:
    from dpcore.experiments.attack import AttackSettings

EPSILONS = (0.3, 1.0, 2.0, 4.0, 8.0, 20.0, 60.0)
CONFIDENCE = 0.95
# Trainings at today's epsilon, and at each point of the curve: every one is an audit of its own.
TRAININGS, _FIRST, _POINT = 20, 4, 8
# Retrainings in each world of the other audit, and in one slice of it.
RETRAININGS, _AT_ONCE = 2000, 250
# A canary's feature: so long that its gradient is clipped at every step.
_LENGTH = 20.0
FORMS = ("count", "gaussian")


class Planted(NamedTuple):
    """coins (m,): the class of each canary. scores (R, m): how far each training's weights lean to class 1."""

    coins: np.ndarray
    scores: np.ndarray


def planted_rows(settings: "AttackSettings") -> tuple[np.ndarray, np.ndarray]:
    """(X (n + m, d + 1 + m), y): the private rows with the constant, and m canaries, each with its coin for a class."""
    split, m = data.load("gaussians", seed=settings.seed), settings.canaries
    n, d = split.X_private.shape
    X = np.zeros((n + m, d + 1 + m), np.float32)
    X[:n, :d], X[:n, d] = split.X_private, 1.0
    X[n:, d + 1 :] = _LENGTH * np.eye(m)
    return X, np.append(split.y_private, stream(settings.seed, "audit", 7).integers(0, 2, m))


def noise_sd(settings: "AttackSettings", epsilon: float, rows: int) -> float:
    """On the mean gradient of this many rows, one of them replaced; as published by the textbook's formula."""
    if settings.version == "none":
        return 0.0
    given = {"clip_norm": settings.clip_norm, "rows": rows, "adjacency": Adjacency.REPLACE_ONE}
    if settings.version == "published":
        multiplier = np.sqrt(settings.steps) * classical_noise_multiplier(epsilon, delta=settings.delta)
    else:
        multiplier = descent.noise_multiplier(epsilon=epsilon, delta=settings.delta, steps=settings.steps)
    return float(descent.mean_noise_sd(multiplier, **given))


@dataclass(frozen=True, kw_only=True)
class Plant:
    """Trainings ``first`` to ``first`` + ``count`` - 1 with all canaries, at one epsilon."""

    model: "AttackSettings"
    epsilon: float
    first: int
    count: int
    essential: ClassVar[bool] = False

    def run(self) -> Planted:
        settings = self.model
        X, y = planted_rows(settings)
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=2,
            steps=settings.steps,
            learning_rate=settings.learning_rate,
            clip_norm=settings.clip_norm,
            noise_sd=noise_sd(settings, self.epsilon, len(y)),
            start=np.zeros((1, X.shape[1])),
            seed=settings.seed,
            draws=range(self.first, self.first + self.count),
            clipping=RULES[settings.version],
        )
        m = settings.canaries
        return Planted(y[-m:].astype(bool), path.weights[:, 0, -m:])


class FirstPlant(Plant):
    """What the first picture needs."""

    essential: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class Retrained:
    """One canary with one class and with the other: slice ``part`` of the other audit."""

    model: "AttackSettings"
    epsilon: float
    part: int
    essential: ClassVar[bool] = False

    def run(self) -> Runs:
        settings = self.model
        how = {"rule": RULES[settings.version], "published": settings.version == "published"}
        how |= {"noise": 0.0} if settings.version == "none" else {}
        worlds = attack_targets.classifier(self.epsilon, delta=settings.delta, steps=settings.steps, **how)
        with_one, with_other = worlds(_AT_ONCE, 1000 * settings.seed + self.part)
        return Runs(with_them=with_one, without=with_other)


@lru_cache(maxsize=4096)
def _least(right: int, guesses: int, canaries: int, delta: float) -> LowerBound:
    return audit_runs.epsilon_lower_bound(
        right,
        guesses=guesses,
        canaries=canaries,
        delta=delta,
        confidence=CONFIDENCE,
        adjacency=Adjacency.REPLACE_ONE,
    )


@lru_cache(maxsize=256)
def _beside(done: tuple[Runs, ...], form: audit.Form, delta: float) -> LowerBound:
    """Runs are told apart by who they are, so that a redraw does not count them again."""
    scores = [np.concatenate([getattr(one, world) for one in done]) for world in ("with_them", "without")]
    given = {"delta": delta, "adjacency": Adjacency.REPLACE_ONE, "confidence": CONFIDENCE}
    return audit.epsilon_lower_bound(*scores, form=form, **given)


def bounds(planted: Planted, *, share: float, delta: float) -> list[tuple[int, int, LowerBound]]:
    """(right guesses, guesses, bound) of each training alone."""
    found = []
    for scores in planted.scores:
        right, guesses = audit_runs.guessed(scores, planted.coins, share=share)
        found.append((right, guesses, _least(right, guesses, len(scores), delta)))
    return found


_ONCE = ("version", "delta", "clip_norm", "steps", "learning_rate", "canaries", "seed")
_MANY = ("version", "delta", "steps", "seed")


def _planted(settings: "AttackSettings", epsilon: float, *, count: int) -> Iterator[Plant]:
    model = settings.only(*_ONCE)
    yield FirstPlant(model=model, epsilon=epsilon, first=0, count=_FIRST)
    for first in range(_FIRST, count, _FIRST):
        yield Plant(model=model, epsilon=epsilon, first=first, count=_FIRST)


def _point(settings: "AttackSettings", epsilon: float) -> Plant:
    return Plant(model=settings.only(*_ONCE), epsilon=epsilon, first=0, count=_POINT)


def _retrained(settings: "AttackSettings", epsilon: float) -> list[Retrained]:
    parts = RETRAININGS // _AT_ONCE
    return [Retrained(model=settings.only(*_MANY), epsilon=epsilon, part=part) for part in range(parts)]


def tasks(settings: "AttackSettings") -> list[Any]:
    """Today's trainings, today's retrainings, and then the curves."""
    work = [*_planted(settings, settings.epsilon, count=TRAININGS), *_retrained(settings, settings.epsilon)]
    for epsilon in EPSILONS:
        work.append(_point(settings, epsilon))
    for epsilon in EPSILONS:
        work += _retrained(settings, epsilon)
    return list(dict.fromkeys(work))


def result(settings: "AttackSettings", outcomes: Mapping[Any, Any]) -> "OnceResult":
    now = [outcomes[task] for task in _planted(settings, settings.epsilon, count=TRAININGS) if task in outcomes]
    points = {epsilon: outcomes.get(_point(settings, epsilon)) for epsilon in EPSILONS}
    many = {}
    for epsilon in (*EPSILONS, settings.epsilon):
        done = [outcomes[task] for task in _retrained(settings, epsilon) if task in outcomes]
        if len(done) == RETRAININGS // _AT_ONCE:
            many[epsilon] = tuple(done)
    return OnceResult(
        settings=settings,
        now=Planted(now[0].coins, np.concatenate([one.scores for one in now])),
        points={epsilon: point for epsilon, point in points.items() if point is not None},
        many=many,
        guarantees=guarantees(settings),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class OnceResult:
    """now: today's trainings, of which the first is *the* training; points: those of the curve, by epsilon.

    many: the retrainings with one canary, by epsilon, where they are done.
    """

    settings: "AttackSettings"
    now: Planted
    points: dict[float, Planted]
    many: dict[float, tuple[Runs, ...]]
    guarantees: Guarantees

    @cached_property
    def audits(self) -> list[tuple[int, int, LowerBound]]:
        """(right guesses, guesses, bound) of each of today's trainings alone."""
        return bounds(self.now, share=self.settings.guessed, delta=self.settings.delta)

    @property
    def first(self) -> tuple[int, int, LowerBound]:
        return self.audits[0]

    @cached_property
    def standing(self) -> np.ndarray:
        """Where the first training's canaries stand (m,): standard deviations within a class, from the middle."""
        scores, coins = self.now.scores[0].astype(float), self.now.coins
        sides = [scores[coins == side] for side in (True, False)]
        spread = np.sqrt(np.mean([side.var() for side in sides]))
        return (scores - np.mean([side.mean() for side in sides])) / max(float(spread), 1e-12)

    @property
    def edges(self) -> tuple[float, float]:
        """Canaries that stand at the first or below are guessed to be of one class, from the second on of the other."""
        order, (_, guesses, _) = np.sort(self.standing), self.first
        return float(order[guesses // 2 - 1]), float(order[-(guesses // 2)])

    @property
    def luck(self) -> np.ndarray:
        """(2,): nine in ten of today's trainings, each an audit of its own, show an epsilon between these."""
        return np.quantile([bound.epsilon for *_, bound in self.audits], [0.05, 0.95])

    @property
    def ceiling(self) -> LowerBound:
        """What one training could show at most: every guess right."""
        _, guesses, _ = self.first
        return _least(guesses, guesses, self.settings.canaries, self.settings.delta)

    def retrained(self, epsilon: float) -> dict[str, LowerBound]:
        """Form -> bound of the retrainings, where they are done; each at the confidence of the single training."""
        if epsilon not in self.many:
            return {}
        return {form: _beside(self.many[epsilon], form, self.settings.delta) for form in FORMS}

    @cached_property
    def beside(self) -> dict[str, LowerBound]:
        """Today's bounds from many trainings."""
        return self.retrained(self.settings.epsilon)

    @property
    def claim(self) -> Guarantee:
        """As set by the slider."""
        return Guarantee(
            epsilon=self.settings.epsilon,
            delta=self.settings.delta,
            adjacency=Adjacency.REPLACE_ONE,
            unit="record",
            basis="claimed",
            event=self.guarantees.formula.event,
        )

    @property
    def caught(self) -> bool:
        """Whether the first training alone refutes the claim. Where nothing is claimed there is nothing to refute."""
        return self.settings.version != "none" and self.first[2].refutes(self.claim)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """A row an epsilon: quantiles of the bounds of single trainings, and the bounds of the retrainings (NaN: to
        be done)."""
        rows = []
        for epsilon in EPSILONS:
            low = middle = high = np.nan
            if epsilon in self.points:
                alone = bounds(self.points[epsilon], share=self.settings.guessed, delta=self.settings.delta)
                low, middle, high = np.quantile([one[2].epsilon for one in alone], [0.05, 0.5, 0.95])
            many = self.retrained(epsilon)
            rows.append((epsilon, low, middle, high, *(many[f].epsilon if f in many else np.nan for f in FORMS)))
        return pd.DataFrame(rows, columns=["epsilon", "low", "median", "high", *FORMS])

    def table(self) -> pd.DataFrame:
        """Each of today's trainings alone, and then the retrainings."""
        rows = [
            (f"training {at}", len(self.now.coins), guesses, right, bound.epsilon)
            for at, (right, guesses, bound) in enumerate(self.audits, 1)
        ]
        for form, bound in self.beside.items():
            rows.append((f"{bound.trials} trainings, {form}", 1, bound.trials // 2, np.nan, bound.epsilon))
        return pd.DataFrame(rows, columns=["audit", "canaries", "guesses", "right", "epsilon at least"])

    def frames(self) -> dict[str, pd.DataFrame]:
        """What can be downloaded."""
        canaries = pd.DataFrame({"class": self.now.coins.astype(int), "score": self.now.scores[0]})
        return {"Audits": self.table(), "Over epsilon": self.curve, "Canaries": canaries}
