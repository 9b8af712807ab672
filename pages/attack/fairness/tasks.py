"""Who pays: the accuracy of each class, and of a minority that lies elsewhere, as epsilon moves.

Everybody has one more feature, the group, -1 or 1. The minority's rows are moved by the way from
one class to the next, so that the majority's rule is wrong about them; a model that learns the
weight of the group can be right about both. Clipping bounds what few people can say, and noise
drowns it: the guarantee is the same for all, its cost is not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpcore.streams import stream
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.parts import Grid, Runs, slices
from lab.statistics.claims import LEAST, Case, compare
from pages.attack.inputs import PrivateRecipe
from pages.attack.settings import AttackParameters

EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 150.0)
REPEATS = 40
GROUPS = ("majority", "minority")


def with_group(split: data.Split, X: np.ndarray, minority: np.ndarray) -> np.ndarray:
    """Return rows (n, d) with the group and the constant beside (n, d + 2); those of the
    ``minority`` (n,) moved.
    """
    way = split.X_public[split.y_public == 1].mean(axis=0) - split.X_public[
        split.y_public == 0
    ].mean(axis=0)
    moved = np.clip(X + minority[:, None] * way, -1, 1)
    return losses.with_constant(np.column_stack([moved, np.where(minority, 1.0, -1.0)]))


@dataclass(frozen=True, kw_only=True)
class Model(PrivateRecipe):
    """All that decides the trainings, but for epsilon. minority: the share of the smaller group."""

    minority: float

    @property
    def cells(self) -> float:
        outputs, inputs = losses.outputs(self.classes), self.features + 2
        return chunking.cells(rows=self.rows, outputs=outputs, inputs=inputs, steps=self.steps)


def people(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (X (n, d + 2), y, minority) of the private rows; a larger share keeps those in a
    smaller one.
    """
    split = model.split
    rank = stream(model.seed, "split", 1).permutation(len(split.y_private))
    minority = rank < round(model.minority * len(rank))
    return with_group(split, split.X_private, minority), split.y_private, minority


def fitted(model: Model, at: tuple[float | None, ...], repeats: range) -> np.ndarray:
    """Return shares of right answers (2, K + 1, V, R) at each epsilon, without clipping and noise
    where it is None.

    They are those of majority and minority, of each class and of all.
    """
    X, y, _ = people(model)
    sds = [0.0 if epsilon is None else model.noise_sd(epsilon, rows=len(y)) for epsilon in at]
    clipping: descent.Clipping = "none" if None in at else "per-example"
    path = model.descend(
        X, y, sd=np.repeat(sds, len(repeats)), draws=[*repeats] * len(at), clipping=clipping
    )
    return _right(model, path.weights).reshape(2, -1, len(at), len(repeats))


def _right(model: Model, weights: np.ndarray) -> np.ndarray:
    """Return shares of right answers (2, K + 1, R) on the test rows, every one of them once in each
    group.
    """
    split = model.split
    shares = []
    for minority in (False, True):
        X = with_group(split, split.X_test, np.full(len(split.y_test), minority)).astype(np.float32)
        right = losses.predict(weights, X) == split.y_test
        classes = [right[:, split.y_test == label].mean(axis=1) for label in range(model.classes)]
        shares.append([*classes, right.mean(axis=1)])
    return np.array(shares)


def tasks(settings: AttackParameters) -> Iterator[Runs]:
    model = Model.of(settings)
    yield Runs(work=fitted, model=model, at=(settings.epsilon,), count=REPEATS, essential=True)
    yield Runs(work=fitted, model=model, at=(None,), count=1, essential=True)
    width = 4 if model.rows * model.classes < 2000 else 1
    yield from slices(
        fitted, model, EPSILONS, chunking.cut(0, REPEATS, each=model.cells), width=width
    )


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "GroupsResult":
    now, plain, *curve = tasks(settings)
    return GroupsResult(
        settings=settings,
        now=outcomes[now][:, :, 0],
        plain=outcomes[plain][:, :, 0, 0],
        curve=Grid.of(EPSILONS, curve, outcomes, repeats=REPEATS, arms=outcomes[now].shape[:2]),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupsResult:
    """Shares of right answers: now (2, K + 1, R), plain (2, K + 1), and a grid over epsilon of each
    group and class.
    """

    settings: AttackParameters
    now: np.ndarray
    plain: np.ndarray
    curve: Grid

    @property
    def classes(self) -> tuple[str, ...]:
        return data.DATASETS[self.settings.dataset].classes

    def over(self, group: int, label: int = -1) -> tuple[np.ndarray, np.ndarray]:
        """Return the epsilons done (m,), and the quantiles there (3, m)."""
        return self.curve.arms[group].arms[label].over()

    def typical(self, group: int, label: int = -1) -> float:
        """Return today's share of right answers: the median over the repeats, for one class the
        mean.

        Where noise leads, a model leans to one class or the other, and the medians of both look
        better than any model.
        """
        shares = self.now[group, label]
        return float(np.median(shares) if label == -1 else shares.mean())

    def cost(self, group: int, label: int = -1) -> float:
        return float(self.plain[group, label]) - self.typical(group, label)

    def lost(self, group: int, label: int = -1) -> Case:
        """Return what may be said of today's runs beside the model without privacy."""
        return compare(self.now[group, label], float(self.plain[group, label]))

    @property
    def uneven(self) -> Case:
        """Return what may be said of the minority's cost beside the majority's: "ahead" is the
        larger cost, in the median run, too, by a point.
        """
        large, small = (self.plain[group, -1] - self.now[group, -1] for group in (0, 1))
        return (
            compare(small, large) if abs(np.median(small - large)) >= LEAST - 1e-9 else Case.ALIKE
        )

    @property
    def few(self) -> int:
        """Return how many private rows are of the minority."""
        return round(self.settings.minority * self.settings.rows)

    def by_class(self) -> np.ndarray:
        """Return the 5 % quantile, mean and 95 % quantile of today's shares (3, 2, K)."""
        classes = self.now[:, :-1]
        low, high = np.quantile(classes, [0.05, 0.95], axis=-1)
        return np.stack([low, classes.mean(axis=-1), high])

    def table(self) -> pd.DataFrame:
        rows = [
            (group, name, self.plain[g, c], self.typical(g, c), self.cost(g, c))
            for g, group in enumerate(GROUPS)
            for c, name in zip((*range(len(self.classes)), -1), (*self.classes, "all"), strict=True)
        ]
        return pd.DataFrame(rows, columns=["group", "class", "without privacy", "private", "cost"])

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"Groups": self.table, "Over epsilon": self.quantiles}

    def quantiles(self) -> pd.DataFrame:
        parts = [
            self.curve.arms[g].arms[-1].quantiles().assign(group=group)
            for g, group in enumerate(GROUPS)
        ]
        return pd.concat(parts)[["low", "median", "high", "group", "epsilon"]]
