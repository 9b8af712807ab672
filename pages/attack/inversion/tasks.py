"""Model inversion on digits: what released weights show of a class, and of one planted record.

The class: the mean picture of what the model is surest of, by ascent on its log-probability
[fredrikson2015]. The
record: an attacker who knows all other rows trains on them without noise, subtracts, and reads the
    row of the record's
class: without privacy the difference is nearly a multiple of the record itself.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.training import descent, losses
from lab.experiment import chunking
from lab.experiment.parts import Grid, Runs, slices
from pages.attack.inputs import PrivateRecipe
from pages.attack.settings import AttackParameters

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 150.0)
REPEATS = 10
_ASCENT, _RATE, _SHRINK = 40, 0.5, 0.05
# A picture that is no digit: a cross in a frame, 8 by 8, dark to light.
_CROSS = (
    "########",
    "##....##",
    "#.#..#.#",
    "#..##..#",
    "#..##..#",
    "#.#..#.#",
    "##....##",
    "########",
)
RECORD = np.array([[1.0 if mark == "#" else -1.0 for mark in row] for row in _CROSS]).ravel()


class Seen(NamedTuple):
    """By repeat: classes (R, K, 64) and record (R, 64) recovered; match (2, R), the correlation of
    the class (mean over classes) with the class's mean picture, and of the record with the true
    one.
    """

    classes: np.ndarray
    record: np.ndarray
    match: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Model(PrivateRecipe):
    """All that decides the trainings, but for epsilon. label: the class of the planted record."""

    label: int

    @property
    def cells(self) -> float:
        return chunking.cells(rows=self.rows, outputs=10, inputs=65, steps=self.steps)


def inverted(model: Model, at: tuple[float | None, ...], repeats: range) -> Seen:
    """Train with the record, with noise for the one epsilon, without where it is None, and
    recover.
    """
    (epsilon,), split = at, model.split
    X, y = np.array(split.X_private), np.array(split.y_private)
    X[0], y[0] = RECORD, model.label
    sd = model.noise_sd(epsilon, rows=len(y)) if epsilon is not None else 0.0
    clipping: descent.Clipping = "per-example" if epsilon is not None else "none"
    X = losses.with_constant(X)
    weights = model.descend(X, y, sd=sd, draws=repeats if sd else [0], clipping=clipping).weights
    # The mean over one row less, made the sum over the same number.
    share = (len(y) - 1) / len(y)
    without = model.descend(X[1:], y[1:], sd=0.0, draws=[0], clipping=clipping, share=share).weights
    record = (without - weights)[:, model.label, :-1] * -1
    classes = surest(weights.astype(float))
    means = np.stack([X[1:, :-1][y[1:] == label].mean(axis=0) for label in range(10)])
    match = np.stack([_alike(classes, means).mean(axis=-1), _alike(record, RECORD)])
    return Seen(classes.astype(np.float32), record, match)


def surest(weights: np.ndarray) -> np.ndarray:
    """Return pictures (R, K, 64), from grey, that weights (R, K, 65) are surest of.

    That is by ascent on ln p_c(x) - s ||x||^2 / 2.
    """
    pictures = np.zeros((len(weights), weights.shape[1], weights.shape[2] - 1))
    slopes, offsets = weights[..., :-1], weights[..., -1]
    for _ in range(_ASCENT):
        z = pictures @ slopes.transpose(0, 2, 1) + offsets[:, None]
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        pull = np.eye(z.shape[-1]) - e / e.sum(axis=-1, keepdims=True)
        pictures = np.clip(pictures + _RATE * (pull @ slopes - _SHRINK * pictures), -1, 1)
    return pictures


def _alike(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    a = found - found.mean(axis=-1, keepdims=True)
    b = truth - truth.mean(axis=-1, keepdims=True)
    scale = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / np.maximum(scale, 1e-30)


def tasks(settings: AttackParameters) -> Iterator[Runs]:
    model = Model.of(settings)
    yield Runs(work=inverted, model=model, at=(settings.epsilon,), count=2, essential=True)
    yield Runs(work=inverted, model=model, at=(None,), count=1, essential=True)
    yield from slices(inverted, model, (settings.epsilon, *EPSILONS), [range(REPEATS)])


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "InversionResult":
    first, plain, all_of_it, *curve = tasks(settings)
    matches = {task: outcomes[task].match[:, None] for task in curve if task in outcomes}
    return InversionResult(
        settings=settings,
        now=outcomes.get(all_of_it, outcomes[first]),
        plain=outcomes[plain],
        curve=Grid.of(EPSILONS, curve, matches, repeats=REPEATS, arms=(2,)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class InversionResult:
    """Pictures recovered now and without privacy; over epsilon, a grid of how well classes and
    record match.
    """

    settings: AttackParameters
    now: Seen
    plain: Seen
    curve: Grid

    def match(self, which: int) -> tuple[float, float]:
        """Return (private, without privacy): the median correlation with the truth."""
        return float(np.median(self.now.match[which])), float(self.plain.match[which, 0])

    def table(self) -> pd.DataFrame:
        (epsilons, classes), (_, record) = (grid.over() for grid in self.curve.arms)
        return pd.DataFrame({"epsilon": epsilons, "classes": classes[1], "record": record[1]})

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"Match": self.table}
