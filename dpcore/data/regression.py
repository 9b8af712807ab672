"""Regression data: the diabetes study and two synthetic census-like populations.

The bounds of every feature and of the label, in ``regression.toml``, come from public knowledge
(see ``sample_data/README.md``), never from the rows. Features are clipped to their bounds and
mapped to [-1, 1]; labels keep their unit until a label bound is chosen.
"""

import tomllib
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn import datasets as sklearn_datasets

from dpcore import check
from dpcore.cache import cached
from dpcore.data.references import held
from dpcore.regression.least_squares import Statistics
from dpcore.streams import stream

Answer = TypeVar("Answer")
# Name of a data set, or the key by which tasks know an ``OwnRows``.
Dataset = str | weakref.ref
# Rows of a population whose columns are computed at once, so that a large one needs little memory
# beside its draws.
_BLOCK = 16_384


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set for regression.

    bounds: (low, high) of each feature by name, ordered such that the first k are a sensible
    choice. label_bounds: widest public bounds of the label; label_tops: range of upper bounds to
    choose from; label_top: a good one. fixed: whether the rows are the same for every seed. rows:
    number of rows, or of persons with up to rows_each rows. gaps: whether rows may be missing, as
    in ``least_squares.Unit``.
    """

    title: str
    bounds: Mapping[str, tuple[float, float]]
    label: str
    unit: str
    label_bounds: tuple[float, float]
    label_tops: tuple[float, float]
    label_top: float
    rows: int
    fixed: bool
    train_share: float = 0.8
    rows_each: int = 1
    gaps: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(self.bounds)

    @property
    def train_rows(self) -> int:
        return int(self.rows * self.train_share + 1e-9)


@dataclass(frozen=True, kw_only=True)
class Drawn(Source):
    """A data set with ``draw``: (rng) -> (X in original units, label in its unit), rows in random
    order.
    """

    draw: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """All rows, read-only: inputs X (n, d + 1), the constant first and features in [-1, 1], and
    labels y (n,).

    The first ``train_rows`` are private. Labels are in their unit, within their widest bounds, NaN
    if missing. ends: cumulative number of rows of the first persons, if persons may have several.
    """

    source: Source
    X: np.ndarray
    y: np.ndarray
    ends: np.ndarray | None = None

    def first(self, rows: int) -> slice:
        """Return the slice of the first ``rows`` private rows, or persons."""
        return slice(rows if self.ends is None else int(self.ends[rows - 1]))

    @property
    def _test(self) -> slice:
        return slice(self.first(self.source.train_rows).stop, None)

    @property
    def X_test(self) -> np.ndarray:
        return self.X[self._test]

    @property
    def y_test(self) -> np.ndarray:
        return self.y[self._test]


def _diabetes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X, y = sklearn_datasets.load_diabetes(return_X_y=True, scaled=False)
    order = rng.permutation(len(y))
    return X[order], y[order]


@dataclass(frozen=True, kw_only=True)
class _Country:
    """Parameters of a population; rates are shares, incomes in thousands per year."""

    rows: int
    schooling: float
    foreign: float
    owners: float
    cars: float
    family: float
    income: float
    per_year_of_school: float
    gender_gap: float
    spread: float
    income_top: float

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return thirteen dependent columns and an income with a heavy tail."""
        n = self.rows
        normal, chance, beta = (
            rng.standard_normal((10, n)),
            rng.random((6, n)),
            rng.beta(1.7, 2.4, n),
        )
        X, income = np.empty((n, 13), np.float32), np.empty(n)
        for rows in (slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)):
            X[rows], income[rows] = self._columns(
                normal[:, rows], chance[:, rows], 16 + 74 * beta[rows]
            )
        return X, income

    def _columns(
        self, normal: np.ndarray, chance: np.ndarray, age: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        woman = (chance[0] < 0.51).astype(float)
        school = np.clip(self.schooling - 0.03 * (age - 45) + 3.2 * normal[0], 0, 20).round()
        never = (chance[1] < 1 / (1 + np.exp((age - 28) / 5))).astype(float)
        married = (1 - never) * (chance[2] < 0.72 - 0.004 * np.maximum(age - 60, 0))
        abroad = (chance[3] < self.foreign).astype(float)
        disabled = (chance[4] < 0.03 + 0.0035 * np.maximum(age - 40, 0)).astype(float)
        working = (
            chance[5]
            < 0.86 - 0.3 * disabled - 0.75 / (1 + np.exp((66 - age) / 3)) - 0.1 * woman * married
        )
        hours = working * np.clip(40 - 3 * woman + 10 * normal[1], 0, 99).round()
        residence = np.clip((age - 16) * np.exp(-1.3 + 0.8 * normal[2]), 0, 60).round()
        wealth = (
            0.12 * (school - self.schooling) + 0.03 * (age - 45) + 0.5 * married + 0.015 * residence
        )
        owner = (normal[3] < self.owners + 0.5 * wealth).astype(float)
        children = np.clip(
            (self.family * (0.4 + married) * np.exp(-(((age - 40) / 14) ** 2)) + 0.7 * normal[4]),
            0,
            9,
        )
        family = np.clip(1 + married + children + 0.5 * np.abs(normal[5]), 1, 12).round()
        cars = np.clip(self.cars + 0.35 * wealth + 0.3 * married + 0.6 * normal[6], 0, 6).round()
        log_income = (
            np.log(self.income)
            + self.per_year_of_school * (school - self.schooling)
            + 0.02 * (hours - 38)
            - 0.0006 * (age - 50) ** 2
            + 0.008 * (age - 45)
            - self.gender_gap * woman
            + 0.12 * married
            - 0.08 * abroad
            - 0.12 * disabled
            + 0.12 * owner
            + self.spread * normal[7]
        )
        income = np.clip(np.exp(log_income), 0, self.income_top)
        person, means = (age, woman, school, hours, married, never), (owner, cars)
        home = (family, children.round(), residence, disabled, abroad)
        return np.stack(person + means + home, axis=1), income


_READ = tomllib.loads(Path(__file__).with_name("regression.toml").read_text("utf-8"))


def _drawn(name: str, *, bounds: str, rows: int, **told: Any) -> Drawn:
    """Return the data set ``name``; bounds: the name of its features' bounds."""
    told = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
    ends = {feature: (low, high) for feature, (low, high) in _READ["bounds"][bounds].items()}
    draw = _diabetes
    if country := _READ["countries"].get(name):
        draw = _Country(**country, rows=rows, income_top=told["label_bounds"][1]).draw
    return Drawn(draw=draw, bounds=ends, rows=rows, **told)


SOURCES = {name: _drawn(name, **told) for name, told in _READ["sources"].items()}


def source(dataset: Dataset) -> Source:
    """Return the data set of this name, or the file; raise RefusedError for an unknown name or a
    file that is gone.
    """
    if isinstance(dataset, weakref.ref):
        return held(dataset).regression_source
    return SOURCES[check.choice(SOURCES, dataset=dataset)]


def load(name: Dataset, *, seed: int) -> Table:
    """Return the data set ``name``, cached and read-only; ``seed`` selects the held-out rows unless
    it is fixed.

    Raises RefusedError for an unknown name.
    """
    seed = split_seed(name, seed=seed)
    return _load_own(name, seed) if isinstance(name, weakref.ref) else _load(name, seed)


def split_seed(name: Dataset, *, seed: int) -> int:
    """Return the seed that determines the rows of ``name``: 0 for a fixed data set, where it
    affects only the noise.
    """
    return 0 if source(name).fixed else check.whole(0, seed=seed)


@cached(newest=1)
def _load_own(own: weakref.ref, seed: int) -> Table:
    _load_own.cache_clear()  # two copies of a large file would be too much
    return held(own).regression_table(seed=seed)


@cached(newest=2)  # of 22 MB each, in single precision; what redraws need of them is cached beside
def _load(name: str, seed: int) -> Table:
    found = SOURCES[name]
    X, y = found.draw(stream(seed, "data"))
    inputs = np.ones((len(X), X.shape[1] + 1), X.dtype)
    low, high = np.array(list(found.bounds.values()), dtype=float).T
    features = np.clip(X, low, high, out=inputs[:, 1:])
    features -= low  # as in ``scaled``, without a copy of a large table at each step
    features *= 2
    features /= high - low
    features -= 1
    table = Table(source=found, X=inputs, y=np.clip(y, *found.label_bounds))
    table.X.flags.writeable = table.y.flags.writeable = False
    return table


def scaled(values: np.ndarray, *, low: float | np.ndarray, top: float | np.ndarray) -> np.ndarray:
    """Map values with bounds ``low`` and ``top`` to [-1, 1], without clipping."""
    return 2 * (values - low) / (top - low) - 1


def _by_split(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Cache ``function`` of a data set and a seed by what the seed selects, which is nothing in a
    fixed data set.
    """
    kept = cached(function)

    @wraps(function)
    def of_split(name: Dataset, *, seed: int, **named: Any) -> Answer:
        return kept(name, seed=split_seed(name, seed=seed), **named)

    return of_split


@_by_split
def train_statistics(name: Dataset, *, seed: int, rows: int, label_top: float) -> Statistics:
    """Return the statistics of the first ``rows`` private rows, or persons, with labels clipped to
    ``label_top``.

    Labels are mapped to [-1, 1], missing ones to 0.
    """
    table = load(name, seed=seed)
    low, first = table.source.label_bounds[0], table.first(rows)
    label = scaled(np.minimum(table.y[first], label_top), low=low, top=label_top)
    found = Statistics.of(table.X[first], np.nan_to_num(label, copy=False))
    return replace(found, rows=rows * table.source.rows_each)


@_by_split
def held_out_statistics(name: Dataset, *, seed: int, label_top: float) -> Statistics:
    """Return the statistics of the held-out rows, labels on the same scale but **not** clipped, for
    the true error.
    """
    table = load(name, seed=seed)
    label = scaled(table.y_test, low=table.source.label_bounds[0], top=label_top)
    return Statistics.of(table.X_test, label)


@_by_split
def share_above(name: Dataset, *, seed: int, rows: int, label_top: float) -> float:
    """Return the share of the first ``rows`` private labels above ``label_top``, which are
    clipped.
    """
    table = load(name, seed=seed)
    return float((table.y[table.first(rows)] > label_top).mean())
