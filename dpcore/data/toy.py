"""Sample data: generators or loaders, *public* bounds and splits.

The bounds of every feature, in ``toy.toml``, come from public knowledge (see
``sample_data/README.md``), never from the rows. Rows are clipped to the bounds and mapped to [-1,
1].
"""

import tomllib
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn import datasets as sklearn_datasets

from dpcore import check
from dpcore.cache import cached
from dpcore.data.references import held
from dpcore.streams import stream

# Shares of a data set of fixed size, and the rows of a generated one, enough for every page.
_PRIVATE, _PUBLIC = 0.5, 0.25
_GENERATED_PRIVATE, _GENERATED_PUBLIC, _GENERATED_TEST = 400, 500, 1000
# Maximum number of held-out rows used for testing.
_MOST_TEST = 20_000
# A key of ``DATASETS``, or an uploaded file that has a ``source``.
Dataset = str | weakref.ref


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set before it is split.

    make: (rng, number of rows) -> (X in original units, y classes from 0) in random order; a set of
        fixed size returns
    all rows. bounds: (d, 2) public lower and upper bound of each feature. private_rows,
    public_rows: sizes. sizable: whether any number of private rows can be generated. several: if
    ``make`` returns one row per person, (row numbers) -> all rows of these people, X and y, and the
    index (m,) of each row's person.
    """

    title: str
    make: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    features: tuple[str, ...]
    classes: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    private_rows: int
    public_rows: int
    sizable: bool = False
    several: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return all rows (private, public and test) before they are split."""
        return self.make(rng, self.private_rows + self.public_rows + _GENERATED_TEST)

    def of_size(self, private_rows: int) -> "Source":
        """Return the same source with another number of private rows; raise RefusedError for more
        than there are.
        """
        check.whole(1, private_rows=private_rows)
        if private_rows > self.private_rows and not self.sizable:
            raise check.RefusedError(
                "private_rows", private_rows, f"at most {self.private_rows}, as many as there are"
            )
        return replace(self, private_rows=private_rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """Disjoint private, public and test rows, features in [-1, 1]; ``rows_of`` holds the row
    numbers of each part.

    several: X (m, d), y (m,) and people (m,), all rows of the people who have one row each in
    X_private, or None.
    """

    source: Source
    X_private: np.ndarray
    y_private: np.ndarray
    X_public: np.ndarray
    y_public: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    rows_of: dict[str, np.ndarray]
    several: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    @property
    def learned(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return all private rows X (n, d), their y (n,), and their persons (n,) or None if each
        has one row.
        """
        return self.several or (self.X_private, self.y_private, None)

    @property
    def classes(self) -> tuple[str, ...]:
        return self.source.classes

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def best_constant(self) -> tuple[str, float]:
        """Return the majority class of the test rows and its share (the accuracy of a constant
        prediction).
        """
        found = np.bincount(self.y_test, minlength=self.n_classes)
        return self.source.classes[int(found.argmax())], float(found.max() / len(self.y_test))


# Class statistics of the 400 rows behind the slides [hoseinpour2023].
_MEANS = ((-0.088, -0.204), (2.05, 1.546))
_COVARIANCES = (((0.956, 1.538), (1.538, 9.551)), ((1.078, -1.405), (-1.405, 9.332)))


def _two_gaussians(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    half = -(-rows // 2)
    parts = [
        rng.multivariate_normal(mean, covariance, size=half)
        for mean, covariance in zip(_MEANS, _COVARIANCES, strict=True)
    ]
    return _shuffled(np.concatenate(parts), np.repeat([0, 1], half), rng)


def _blobs(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    centres = np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]])
    y = rng.integers(0, 4, rows)
    return centres[y] + rng.normal(scale=1.2, size=(len(y), 2)), y


def _moons(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    return sklearn_datasets.make_moons(rows, noise=0.2, random_state=int(rng.integers(2**31)))


def _circles(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    y, angle = rng.integers(0, 2, rows), rng.uniform(0, 2 * np.pi, rows)
    ring = np.where(y == 0, 1.0, 0.45)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + rng.normal(scale=0.1, size=(rows, 2)), y


def _spirals(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    y, radius = rng.integers(0, 2, rows), rng.uniform(0.08, 1, rows) ** 0.6
    angle = 3 * np.pi * radius + np.pi * y
    arm = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return arm + rng.normal(scale=0.03, size=(rows, 2)), y


def _shipped(
    loader: Callable,
) -> Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]:
    def make(rng: np.random.Generator, _rows: int) -> tuple[np.ndarray, np.ndarray]:
        X, y = loader(return_X_y=True)
        return _shuffled(X, y, rng)

    return make


def _shuffled(
    X: np.ndarray, y: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    order = rng.permutation(len(y))
    return X[order], y[order]


# Data set -> what draws any number of its rows, or loads all of them.
_GENERATORS = {
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


def _source(
    name: str, *, title: str, classes: list[str], bounds: dict[str, list[float]], rows: int = 0
) -> Source:
    """Return the data set ``name``; rows: the number of all rows of a set of fixed size."""
    sizable = name in _GENERATORS
    return Source(
        title=title,
        make=_GENERATORS[name] if sizable else _shipped(_LOADERS[name]),
        features=tuple(bounds),
        classes=tuple(classes),
        bounds=tuple((low, high) for low, high in bounds.values()),
        private_rows=_GENERATED_PRIVATE if sizable else int(rows * _PRIVATE),
        public_rows=_GENERATED_PUBLIC if sizable else int(rows * _PUBLIC),
        sizable=sizable,
    )


_READ = tomllib.loads(Path(__file__).with_name("toy.toml").read_text("utf-8"))
_READ["digits"]["bounds"] = {
    f"pixel {row},{column}": (0, 16) for row in range(8) for column in range(8)
}
DATASETS = {name: _source(name, **told) for name, told in _READ.items()}

# Data sets that a linear classifier can learn something about.
STRAIGHT = tuple(name for name in DATASETS if name not in ("circles", "spirals"))


def source(dataset: Dataset) -> Source:
    """Return the data set of this name, or the file; raise RefusedError for an unknown name or a
    file that is gone.
    """
    if isinstance(dataset, weakref.ref):
        return held(dataset).source
    return DATASETS[check.choice(DATASETS, dataset=dataset)]


@cached
def load(dataset: Dataset, *, seed: int, private_rows: int | None = None) -> Split:
    """Return a data set drawn and split by ``seed``, cached and read-only.

    private_rows: number of private rows, by default the set's own. A generated set is redrawn for
    each number. Of others, the first private rows are used, and public and test rows stay the same.
    A private row without a class (-1) keeps its place; a test row without one is left out. Raises
    RefusedError for an unknown data set.
    """
    whole = source(dataset)
    found = whole if private_rows is None else whole.of_size(private_rows)
    drawn = found if found.sizable else whole
    X, y = drawn.draw(stream(seed, "data"))
    order = stream(seed, "split").permutation(len(y))
    ends = (drawn.private_rows, drawn.private_rows + drawn.public_rows)
    rows_of = dict(zip(("private", "public", "test"), np.split(order, ends), strict=True))
    rows_of["private"] = rows_of["private"][: found.private_rows]
    rows_of["test"] = rows_of["test"][y[rows_of["test"]] >= 0][:_MOST_TEST]
    parts = {f"X_{part}": to_unit(X[rows], found.bounds) for part, rows in rows_of.items()} | {
        f"y_{part}": y[rows] for part, rows in rows_of.items()
    }
    several = _several(found, rows_of["private"])
    for array in (*parts.values(), *rows_of.values(), *(several or ())):
        array.flags.writeable = False
    return Split(source=found, rows_of=rows_of, several=several, **parts)


def _several(
    source: Source, people: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return all rows of these people, or None if each has one row."""
    if not source.several:
        return None
    X, y, of = source.several(people)
    return (to_unit(X, source.bounds), y, of) if len(y) > len(people) else None


def to_unit(X: np.ndarray, bounds: tuple[tuple[float, float], ...]) -> np.ndarray:
    """Clip each feature to its public bounds and map them to [-1, 1]; missing values (NaN) become
    0.
    """
    low, high = np.asarray(bounds, dtype=float).T
    unit = 2 * (np.clip(X, low, high) - low) / (high - low) - 1
    unit[np.isnan(unit)] = 0
    return unit


def shifted(X: np.ndarray, *, shift: float) -> np.ndarray:
    """Shift public rows by ``shift`` of their standard deviations in every feature, clipped to [-1,
    1].

    The public rows then have another distribution than the private ones. Only public rows are read.
    """
    return np.clip(X + shift * X.std(axis=0), -1, 1)
