"""Model inversion on digits: what released weights show of a class, and of one planted record.

The class: the mean picture of what the model is surest of, by ascent on its log-probability [fredrikson2015]. The
record: an attacker who knows all other rows trains on them without noise, subtracts, and reads the row of the record's
class: without privacy the difference is nearly a multiple of the record itself.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.estimators.recipes import Claim
from dpcore.training import descent, losses
from lab import chunking
from lab.settings import quantiles_of
from pages.attack.inputs import PrivateRecipe

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
    """By repeat: classes (R, K, 64) and record (R, 64) recovered; match (R, 2), the correlation of the class (mean over
    classes) with the class's mean picture, and of the record with the true one."""

    classes: np.ndarray
    record: np.ndarray
    match: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Model(PrivateRecipe):
    """All that decides the trainings, but for epsilon. label: the class of the planted record."""

    label: int


@dataclass(frozen=True, kw_only=True)
class Invert:
    """Train with the record, with noise (or with epsilon None without), and recover."""

    model: Model
    epsilon: float | None
    repeats: int
    first: int = 0
    essential: bool = False

    @property
    def cells(self) -> float:
        return self.repeats * chunking.cells(rows=self.model.rows, outputs=10, inputs=65, steps=self.model.steps)

    def run(self) -> Seen:
        split = self.model.split
        X, y = np.array(split.X_private), np.array(split.y_private)
        X[0], y[0] = RECORD, self.model.label
        weights = self._train(X, y, noisy=True)
        without = self._train(X[1:], y[1:], noisy=False, share=(len(y) - 1) / len(y))
        record = (without - weights)[:, self.model.label, :-1] * -1
        classes = surest(weights.astype(float))
        means = np.stack([X[1:][y[1:] == label].mean(axis=0) for label in range(10)])
        match = np.stack([_alike(classes, means).mean(axis=-1), _alike(record, RECORD)], axis=-1)
        return Seen(classes.astype(np.float32), record, match)

    def _train(self, X: np.ndarray, y: np.ndarray, *, noisy: bool, share: float = 1.0) -> np.ndarray:
        model, private = self.model, self.epsilon is not None
        sd = model.noise_sd(self.epsilon, rows=len(y)) if private and noisy else 0.0
        draws = range(self.first, self.first + self.repeats) if sd else [0]
        return descent.noisy_gradient_descent(
            losses.with_constant(X),
            y,
            n_classes=10,
            steps=model.steps,
            # the mean over one row less, made the sum over the same number
            learning_rate=model.learning_rate * share,
            clip_norm=model.clip_norm,
            noise_sd=sd,
            start=np.zeros((10, X.shape[1] + 1)),
            seed=model.seed,
            draws=draws,
            clipping="per-example" if private else "none",
        ).weights


def surest(weights: np.ndarray) -> np.ndarray:
    """Pictures (R, K, 64), from grey, that weights (R, K, 65) are surest of: ascent on ln p_c(x) - s ||x||^2 / 2."""
    pictures = np.zeros((len(weights), weights.shape[1], weights.shape[2] - 1))
    slopes, offsets = weights[..., :-1], weights[..., -1]
    for _ in range(_ASCENT):
        z = pictures @ slopes.transpose(0, 2, 1) + offsets[:, None]
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        pull = np.eye(z.shape[-1]) - e / e.sum(axis=-1, keepdims=True)
        pictures = np.clip(pictures + _RATE * (pull @ slopes - _SHRINK * pictures), -1, 1)
    return pictures


def _alike(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Correlation over the pixels."""
    a = found - found.mean(axis=-1, keepdims=True)
    b = truth - truth.mean(axis=-1, keepdims=True)
    scale = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / np.maximum(scale, 1e-30)


def tasks(settings: Claim) -> Iterator[Invert]:
    model = Model.of(settings)
    yield Invert(model=model, epsilon=settings.epsilon, repeats=2, essential=True)
    yield Invert(model=model, epsilon=None, repeats=1, essential=True)
    for epsilon in (settings.epsilon, *EPSILONS):
        yield Invert(model=model, epsilon=epsilon, repeats=REPEATS)


def result(settings: Claim, outcomes: Mapping[Any, Any]) -> "InversionResult":
    first, plain, all_of_it, *_ = tasks(settings)
    curve = {task.epsilon: outcomes[task].match for task in list(tasks(settings))[3:] if task in outcomes}
    return InversionResult(
        settings=settings, now=outcomes.get(all_of_it, outcomes[first]), plain=outcomes[plain], curve=curve
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class InversionResult:
    """What is recovered now and without privacy; matches (R, 2) over epsilon."""

    settings: Claim
    now: Seen
    plain: Seen
    curve: dict[float, np.ndarray]

    def over(self, which: int) -> tuple[np.ndarray, np.ndarray]:
        """Epsilons done (m,), and quantiles 5 %, 50 %, 95 % of the match (3, m) of classes (0) or record (1)."""
        epsilons = np.array(sorted(self.curve))
        matches = [quantiles_of(self.curve[epsilon][:, which]) for epsilon in epsilons]
        return epsilons, np.array(matches).reshape(-1, 3).T

    def match(self, which: int) -> tuple[float, float]:
        """(private, without privacy): the median correlation with the truth."""
        return float(np.median(self.now.match[:, which])), float(self.plain.match[0, which])

    def table(self) -> pd.DataFrame:
        """Median correlations over epsilon."""
        epsilons, classes = self.over(0)
        _, record = self.over(1)
        return pd.DataFrame({"epsilon": epsilons, "classes": classes[1], "record": record[1]})

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return what can be downloaded."""
        return {"Match": self.table, "Pictures": self.pixels}

    def pixels(self) -> pd.DataFrame:
        """Every picture that is shown, a row a picture."""
        pictures = np.vstack([self.now.classes[0], self.now.record[:1], self.plain.classes[0], self.plain.record[:1]])
        names = [f"{arm}, {what}" for arm in ("private", "plain") for what in (*map(str, range(10)), "record")]
        return pd.DataFrame(pictures, index=names).reset_index(names="picture")
