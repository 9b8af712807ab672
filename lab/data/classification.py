"""Data sets for classification: generators or loaders, *public* bounds and splits.

The bounds of every feature, in ``classification.toml``, come from public knowledge (see
``sample_data/README.md``), never from the rows. Rows are clipped to the bounds and mapped to
[-1, 1].
"""

import tomllib
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn import datasets as sklearn_datasets

from dpcore import check
from dpcore.cache import cached
from dpcore.streams import stream
from lab.data.weak_references import dereference

# Shares of a data set of fixed size; the remaining rows are for tests.
_PRIVATE_SHARE = 0.5
_PUBLIC_SHARE = 0.25
# Rows of a generated data set, enough for every page.
_GENERATED_PRIVATE = 400
_GENERATED_PUBLIC = 500
_GENERATED_TEST = 1000
# Maximum number of held-out rows used for testing.
_MOST_TEST = 20_000

# A key of ``DATASETS``, or an uploaded file that has a ``source``.
Dataset = str | weakref.ref
# Features X (n, d) and classes y (n,).
Examples = tuple[np.ndarray, np.ndarray]
# Draws so many examples, or loads all of a data set of fixed size, in random order.
Make = Callable[[np.random.Generator, int], Examples]
# Features X (m, d), classes y (m,), and the index (m,) of each row's person.
RowsOfPeople = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set before it is split.

    Attributes:
        title: The name that is shown.
        make: Returns rows with X in original units and classes y from 0.
        features: Names of the d features.
        classes: Names of the classes.
        bounds: Public lower and upper bound of each feature, (d, 2).
        private_rows: Number of private rows.
        public_rows: Number of public rows.
        sizable: Whether any number of private rows can be generated.
        grouped_rows: If ``make`` returns one row per person, returns all rows of the people with
            these numbers; None if each person has one row.
    """

    title: str
    make: Make
    features: tuple[str, ...]
    classes: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    private_rows: int
    public_rows: int
    sizable: bool = False
    grouped_rows: Callable[[np.ndarray], RowsOfPeople] | None = None

    def draw(self, rng: np.random.Generator) -> Examples:
        """Return all rows (private, public and test) before they are split."""
        return self.make(rng, self.private_rows + self.public_rows + _GENERATED_TEST)

    def of_size(self, private_rows: int) -> "Source":
        """Return the same source with another number of private rows.

        Raises:
            RefusedError: If there are fewer rows.
        """
        check.whole(1, private_rows=private_rows)
        if private_rows > self.private_rows and not self.sizable:
            raise check.RefusedError(
                "private_rows", private_rows, f"at most {self.private_rows}, as many as there are"
            )
        return replace(self, private_rows=private_rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """Disjoint private, public and test rows, with features in [-1, 1].

    Attributes:
        rows_of: Row numbers of each part: "private", "public" and "test".
        grouped_rows: All rows of the people who have one row each in ``X_private``; None if nobody
            has more than one.
    """

    source: Source
    X_private: np.ndarray
    y_private: np.ndarray
    X_public: np.ndarray
    y_public: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    rows_of: dict[str, np.ndarray]
    grouped_rows: RowsOfPeople | None = None

    @property
    def training_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return all private rows X (n, d), their classes (n,) and their persons (n,).

        The persons are None if each has one row.
        """
        if self.grouped_rows is None:
            return self.X_private, self.y_private, None
        return self.grouped_rows

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return self.source.classes

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.classes)

    @property
    def best_constant(self) -> tuple[str, float]:
        """Return the majority class of the test rows and its share.

        The share is the accuracy of a constant prediction.
        """
        counts = np.bincount(self.y_test, minlength=self.n_classes)
        majority = int(counts.argmax())
        return self.classes[majority], float(counts[majority] / len(self.y_test))


# --- Generators and loaders -----------------------------------------------------------------------

# Class statistics of the 400 rows behind the slides [hoseinpour2023].
_MEANS = ((-0.088, -0.204), (2.05, 1.546))
_COVARIANCES = (((0.956, 1.538), (1.538, 9.551)), ((1.078, -1.405), (-1.405, 9.332)))


def _two_gaussians(rng: np.random.Generator, rows: int) -> Examples:
    """Return (inputs, classes) from a normal distribution per class."""
    rows_per_class = -(-rows // 2)
    X_parts = []
    for mean, covariance in zip(_MEANS, _COVARIANCES, strict=True):
        X_parts.append(rng.multivariate_normal(mean, covariance, size=rows_per_class))
    return _shuffled(np.concatenate(X_parts), np.repeat([0, 1], rows_per_class), rng)


def _blobs(rng: np.random.Generator, rows: int) -> Examples:
    """Return (inputs, classes) from four normal distributions, one for each class."""
    centres = np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]])
    y = rng.integers(0, 4, rows)
    return centres[y] + rng.normal(scale=1.2, size=(rows, 2)), y


def _moons(rng: np.random.Generator, rows: int) -> Examples:
    """Return (inputs, classes) on two interleaved half circles."""
    return sklearn_datasets.make_moons(rows, noise=0.2, random_state=int(rng.integers(2**31)))


def _circles(rng: np.random.Generator, rows: int) -> Examples:
    """Return (inputs, classes) on two circles around each other."""
    y = rng.integers(0, 2, rows)
    angle = rng.uniform(0, 2 * np.pi, rows)
    radius = np.where(y == 0, 1.0, 0.45)
    circle = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return circle + rng.normal(scale=0.1, size=(rows, 2)), y


def _spirals(rng: np.random.Generator, rows: int) -> Examples:
    """Return (inputs, classes) on two arms of a spiral."""
    y = rng.integers(0, 2, rows)
    radius = rng.uniform(0.08, 1, rows) ** 0.6
    angle = 3 * np.pi * radius + np.pi * y
    arm = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return arm + rng.normal(scale=0.03, size=(rows, 2)), y


def _loading(loader: Callable) -> Make:
    """Return a ``Source.make`` that shuffles all rows of a scikit-learn loader."""

    def make(rng: np.random.Generator, _rows: int) -> Examples:
        """Return all rows in random order, however many are asked for."""
        X, y = loader(return_X_y=True)
        return _shuffled(X, y, rng)

    return make


def _shuffled(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Examples:
    """Return the rows and their classes in random order."""
    order = rng.permutation(len(y))
    return X[order], y[order]


_GENERATORS: dict[str, Make] = {
    "gaussians": _two_gaussians,
    "blobs": _blobs,
    "moons": _moons,
    "circles": _circles,
    "spirals": _spirals,
}
_LOADERS = {
    "breast_cancer": sklearn_datasets.load_breast_cancer,
    "digits": sklearn_datasets.load_digits,
    "wine": sklearn_datasets.load_wine,
    "iris": sklearn_datasets.load_iris,
}


# --- The data sets --------------------------------------------------------------------------------


def _source(
    name: str, *, title: str, classes: list[str], bounds: dict[str, list[float]], rows: int = 0
) -> Source:
    """Return a data set with an entry in ``classification.toml``.

    Args:
        name: A key of ``_GENERATORS`` or ``_LOADERS``.
        title: The name that is shown.
        classes: Names of the classes.
        bounds: Lower and upper bound of each feature, by name.
        rows: Number of all rows of a data set of fixed size.
    """
    sizable = name in _GENERATORS
    if sizable:
        make = _GENERATORS[name]
        private_rows = _GENERATED_PRIVATE
        public_rows = _GENERATED_PUBLIC
    else:
        make = _loading(_LOADERS[name])
        private_rows = int(rows * _PRIVATE_SHARE)
        public_rows = int(rows * _PUBLIC_SHARE)
    return Source(
        title=title,
        make=make,
        features=tuple(bounds),
        classes=tuple(classes),
        bounds=tuple((low, high) for low, high in bounds.values()),
        private_rows=private_rows,
        public_rows=public_rows,
        sizable=sizable,
    )


def _read_datasets() -> dict[str, Source]:
    """Return the data sets by key, as their table describes them."""
    text = Path(__file__).with_name("classification.toml").read_text("utf-8")
    entries = tomllib.loads(text)
    entries["digits"]["bounds"] = {
        f"pixel {row},{column}": (0, 16) for row in range(8) for column in range(8)
    }
    return {name: _source(name, **entry) for name, entry in entries.items()}


DATASETS = _read_datasets()

# Data sets that a linear classifier can learn something about.
LINEAR_DATASETS = tuple(name for name in DATASETS if name not in ("circles", "spirals"))


def source(dataset: Dataset) -> Source:
    """Return the data set with this name, or that of an uploaded file.

    Raises:
        RefusedError: For an unknown name, and for a file whose session has ended.
    """
    if isinstance(dataset, weakref.ref):
        return dereference(dataset).source
    return DATASETS[check.choice(DATASETS, dataset=dataset)]


@cached
def load(dataset: Dataset, *, seed: int, private_rows: int | None = None) -> Split:
    """Return a data set drawn and split by ``seed``, cached and read-only.

    A private row without a class (-1) keeps its place; a test row without one is left out.

    Args:
        dataset: A key of ``DATASETS``, or an uploaded file.
        seed: Of the rows and the split.
        private_rows: Number of private rows; None for the data set's own. A generated data set is
            drawn anew for each number. Of any other, the first private rows are used, and public
            and test rows stay the same.

    Raises:
        RefusedError: For an unknown data set.
    """
    original = source(dataset)
    resized = original
    if private_rows is not None:
        resized = original.of_size(private_rows)
    drawn = original
    if resized.sizable:
        drawn = resized

    X, y = drawn.draw(stream(seed, "data"))
    order = stream(seed, "split").permutation(len(y))
    end_of_public = drawn.private_rows + drawn.public_rows
    test = order[end_of_public:]
    test_with_class = test[y[test] >= 0]
    rows_of = {
        "private": order[: drawn.private_rows][: resized.private_rows],
        "public": order[drawn.private_rows : end_of_public],
        "test": test_with_class[:_MOST_TEST],
    }
    arrays = {}
    for part, rows in rows_of.items():
        arrays[f"X_{part}"] = to_unit(X[rows], resized.bounds)
        arrays[f"y_{part}"] = y[rows]
    grouped_rows = _rows_of_people(resized, rows_of["private"])

    _make_read_only(arrays.values())
    _make_read_only(rows_of.values())
    if grouped_rows is not None:
        _make_read_only(grouped_rows)
    return Split(source=resized, rows_of=rows_of, grouped_rows=grouped_rows, **arrays)


def _make_read_only(arrays: Iterable[np.ndarray]) -> None:
    """Forbid to write into these arrays, which are cached and shared."""
    for array in arrays:
        array.flags.writeable = False


def _rows_of_people(source: Source, people: np.ndarray) -> RowsOfPeople | None:
    """Return all rows of the people with these numbers, or None if each has one row."""
    if source.grouped_rows is None:
        return None
    X, y, person_of_row = source.grouped_rows(people)
    if len(y) <= len(people):
        return None
    return to_unit(X, source.bounds), y, person_of_row


def to_unit(X: np.ndarray, bounds: tuple[tuple[float, float], ...]) -> np.ndarray:
    """Clip each feature to its public bounds and map these to [-1, 1].

    Missing values (NaN) become 0.
    """
    low, high = np.asarray(bounds, dtype=float).T
    unit = 2 * (np.clip(X, low, high) - low) / (high - low) - 1
    unit[np.isnan(unit)] = 0
    return unit


def shifted(X: np.ndarray, *, shift: float) -> np.ndarray:
    """Shift public rows by ``shift`` of their standard deviations in every feature.

    The result is clipped to [-1, 1]. The public rows then have another distribution than the
    private ones. Only public rows are read.
    """
    return np.clip(X + shift * X.std(axis=0), -1, 1)
