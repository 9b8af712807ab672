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
from dpcore.regression.descent import Rows, row_norms
from dpcore.regression.least_squares import Statistics
from dpcore.streams import stream
from lab.data.populations import Country
from lab.data.weak_references import dereference

Value = TypeVar("Value")
# Name of a data set, or the key by which tasks know an ``OwnRows``.
Dataset = str | weakref.ref
# Added before a number of rows is rounded down, so that 0.8 of 5 rows are 4 in spite of rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set for regression.

    Attributes:
        title: The name that is shown.
        bounds: (low, high) of each feature by name, ordered such that the first k are a sensible
            choice.
        label: Name of the label.
        unit: Of the label.
        label_bounds: Widest public bounds of the label.
        label_tops: Range of upper bounds of the label to choose from.
        label_top: A good upper bound of the label.
        rows: Number of rows, or of persons with up to ``rows_each`` rows.
        fixed: Whether the rows are the same for every seed.
        train_share: Share of the rows that are private; the others are held out.
        rows_each: Maximum number of rows of a person.
        gaps: Whether rows may be missing, as in ``least_squares.Unit``.
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
        """Return the names of the features."""
        return tuple(self.bounds)

    @property
    def train_rows(self) -> int:
        """Return the number of private rows, or persons."""
        return int(self.rows * self.train_share + _ROUNDING)


@dataclass(frozen=True, kw_only=True)
class Drawn(Source):
    """A data set whose rows are drawn or loaded.

    Attributes:
        draw: Returns features X in original units and labels y in their unit, in random order.
    """

    draw: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """All rows of a data set, read-only. The first ``train_rows`` are private.

    Attributes:
        X: Inputs (n, d + 1), the constant first and features in [-1, 1].
        y: Labels (n,) in their unit, within their widest bounds, NaN if missing.
        ends: Cumulative number of rows of the first persons, if persons may have several.
    """

    source: Source
    X: np.ndarray
    y: np.ndarray
    ends: np.ndarray | None = None

    def first(self, rows: int) -> slice:
        """Return the slice of the first ``rows`` private rows, or persons."""
        if self.ends is None:
            return slice(rows)
        return slice(int(self.ends[rows - 1]))

    @property
    def _test(self) -> slice:
        """Return the slice of the held-out rows."""
        private = self.first(self.source.train_rows)
        return slice(private.stop, None)

    @property
    def X_test(self) -> np.ndarray:
        """Return the inputs of the held-out rows."""
        return self.X[self._test]

    @property
    def y_test(self) -> np.ndarray:
        """Return the labels of the held-out rows."""
        return self.y[self._test]


def _diabetes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the features (n, 10) and labels (n,) of scikit-learn's data set, shuffled."""
    X, y = sklearn_datasets.load_diabetes(return_X_y=True, scaled=False)
    order = rng.permutation(len(y))
    return X[order], y[order]


def _read_sources() -> dict[str, Drawn]:
    """Return the data sets of ``regression.toml`` by name."""
    text = Path(__file__).with_name("regression.toml").read_text("utf-8")
    contents = tomllib.loads(text)
    sources = {}
    for name, entry in contents["sources"].items():
        named_bounds = contents["bounds"][entry["bounds"]]
        label_bounds = tuple(entry["label_bounds"])
        draw = _diabetes
        if name in contents["countries"]:
            country = Country(
                **contents["countries"][name], rows=entry["rows"], income_top=label_bounds[1]
            )
            draw = country.draw
        options = {
            **entry,
            "bounds": {feature: (low, high) for feature, (low, high) in named_bounds.items()},
            "label_bounds": label_bounds,
            "label_tops": tuple(entry["label_tops"]),
        }
        sources[name] = Drawn(draw=draw, **options)
    return sources


SOURCES = _read_sources()


def source(dataset: Dataset) -> Source:
    """Return the data set with this name, or that of an uploaded file.

    Raises:
        RefusedError: For an unknown name, and for a file whose session has ended.
    """
    if isinstance(dataset, weakref.ref):
        return dereference(dataset).regression_source
    return SOURCES[check.choice(SOURCES, dataset=dataset)]


def load(name: Dataset, *, seed: int) -> Table:
    """Return a data set, cached and read-only.

    Args:
        name: Of the data set, or an uploaded file.
        seed: Selects the held-out rows, unless the data set is fixed.

    Raises:
        RefusedError: For an unknown name.
    """
    seed = split_seed(name, seed=seed)
    if isinstance(name, weakref.ref):
        return _load_file(name, seed)
    return _load(name, seed)


def split_seed(name: Dataset, *, seed: int) -> int:
    """Return the seed that determines the rows.

    It is 0 for a fixed data set, where a seed affects only the noise.
    """
    if source(name).fixed:
        return 0
    return check.whole(0, seed=seed)


@cached(newest=1)
def _load_file(file: weakref.ref, seed: int) -> Table:
    """Return the table of an uploaded file."""
    # Two copies of a large file would need too much memory.
    _load_file.cache_clear()
    return dereference(file).regression_table(seed=seed)


# Each has 22 MB in single precision. What redraws need of them is cached separately.
@cached(newest=2)
def _load(name: str, seed: int) -> Table:
    """Return a drawn data set, scaled into [-1, 1] with the constant first, read-only."""
    data_set = SOURCES[name]
    X, y = data_set.draw(stream(seed, "data"))
    inputs = np.ones((len(X), X.shape[1] + 1), X.dtype)
    low, high = np.array(list(data_set.bounds.values()), dtype=float).T
    inputs[:, 1:] = X
    clip_and_scale(inputs[:, 1:], low=low, high=high)
    label = np.clip(y, *data_set.label_bounds)
    inputs.flags.writeable = False
    label.flags.writeable = False
    return Table(source=data_set, X=inputs, y=label)


def scaled(values: np.ndarray, *, low: float | np.ndarray, top: float | np.ndarray) -> np.ndarray:
    """Map values with bounds ``low`` and ``top`` to [-1, 1], without clipping."""
    return 2 * (values - low) / (top - low) - 1


def clip_and_scale(
    values: np.ndarray, *, low: float | np.ndarray, high: float | np.ndarray
) -> None:
    """Clip values to their bounds and map these to [-1, 1], in place.

    A large table needs no copy at each step.
    """
    np.clip(values, low, high, out=values)
    values -= low
    values *= 2
    values /= high - low
    values -= 1


def _cached_by_split(function: Callable[..., Value]) -> Callable[..., Value]:
    """Cache a function of a data set and a seed by the rows that the seed selects.

    All seeds select the same rows of a fixed data set.
    """
    cached_function = cached(function)

    @wraps(function)
    def wrapper(name: Dataset, *, seed: int, **options: Any) -> Value:
        """Call the cached function with the seed that determines the rows."""
        return cached_function(name, seed=split_seed(name, seed=seed), **options)

    return wrapper


@_cached_by_split
def train_statistics(name: Dataset, *, seed: int, rows: int, label_top: float) -> Statistics:
    """Return the statistics of the first ``rows`` private rows, or persons.

    Labels are clipped to ``label_top`` and mapped to [-1, 1], missing ones to 0.
    """
    table = load(name, seed=seed)
    low = table.source.label_bounds[0]
    private = table.first(rows)
    label = scaled(np.minimum(table.y[private], label_top), low=low, top=label_top)
    statistics = Statistics.of(table.X[private], np.nan_to_num(label, copy=False))
    return replace(statistics, rows=rows * table.source.rows_each)


def train_rows(name: Dataset, *, seed: int, rows: int, features: int, label_top: float) -> Rows:
    """Return the first ``rows`` private rows, or persons, with their first ``features`` features.

    Labels are as in ``train_statistics``. They and the norms are computed once for all rows.
    """
    table = load(name, seed=seed)
    private = table.first(rows)
    ends = None
    if table.ends is not None:
        ends = table.ends[:rows]
    return Rows(
        X=table.X[private, : features + 1],
        y=_train_labels(name, seed=seed, label_top=label_top)[private],
        norms=_train_norms(name, seed=seed, features=features)[private],
        ends=ends,
        rows_each=table.source.rows_each,
    )


@_cached_by_split
def _train_labels(name: Dataset, *, seed: int, label_top: float) -> np.ndarray:
    """Return all private labels (n,), clipped to ``label_top`` and mapped to [-1, 1]."""
    table = load(name, seed=seed)
    private = table.first(table.source.train_rows)
    low = table.source.label_bounds[0]
    label = scaled(np.minimum(table.y[private], label_top), low=low, top=label_top)
    return np.nan_to_num(label, copy=False).astype(table.X.dtype, copy=False)


@_cached_by_split
def _train_norms(name: Dataset, *, seed: int, features: int) -> np.ndarray:
    """Return the norms (n,) of the first inputs of all private rows."""
    table = load(name, seed=seed)
    private = table.first(table.source.train_rows)
    return row_norms(table.X[private, : features + 1])


@_cached_by_split
def held_out_statistics(name: Dataset, *, seed: int, label_top: float) -> Statistics:
    """Return the statistics of the held-out rows, for the true error.

    Labels are on the same scale as in ``train_statistics``, but **not** clipped.
    """
    table = load(name, seed=seed)
    label = scaled(table.y_test, low=table.source.label_bounds[0], top=label_top)
    return Statistics.of(table.X_test, label)


@_cached_by_split
def share_above(name: Dataset, *, seed: int, rows: int, label_top: float) -> float:
    """Return the share of the first ``rows`` private labels above ``label_top``.

    These labels are clipped.
    """
    table = load(name, seed=seed)
    private_labels = table.y[table.first(rows)]
    return float((private_labels > label_top).mean())
