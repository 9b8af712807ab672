"""Data sets of many parties, each with a few rows, and public rows that belong to none of them.

Inputs are x = (features / radius * sqrt(3)/2, 1/2), with features clipped to a public radius, so
||x|| <= 1 including the constant, as the sensitivities require.

A party draws each class with probability (1 - u)/K, plus u for its most frequent class, and shifts
its features by u / 2 standard deviations, where u is the heterogeneity (``unlike``). Public, check
and test rows come from the balanced mixture without a shift. If parties record their rows in their
own styles, these rows come from separate held-out parties.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr
from sklearn.datasets import load_digits

from dpcore.cache import cached
from dpcore.data.recorded import Activities, Addresses, Intrusions
from dpcore.streams import stream

CONSTANT = 0.5
REACH = math.sqrt(1 - CONSTANT**2)
CHECK_ROWS, TEST_ROWS = 400, 1000
# Rows per held-out party, for public, check and test rows.
_HELD_OUT = 50
# Digits: number of public and of test images; the first test images are also the check rows.
_DIGITS_PUBLIC, _DIGITS_TEST = 500, 597
# Stream indices of public rows and of parties; blocks of parties are parts.
_PUBLIC, _PARTIES = 0, 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Public:
    """Rows that belong to no party: X (N, d), y (N,); only the analyst knows the labels."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """A kind of data: class names, number of features, public clipping radius, and maximum sizes.

    block: parties are drawn in blocks of this size from separate streams, so party 7 is the same
    among 10 and 20,000.
    """

    title: str
    names: tuple[str, ...]
    features: int
    radius: float = 1.0
    most_public: int = 2000
    most_rows: int = 60
    most_parties: int = 20_000
    block: int = 50

    @property
    def classes(self) -> int:
        return len(self.names)

    @property
    def inputs(self) -> int:
        """Return d: features and the constant."""
        return self.features + 1

    def to_unit(self, features: np.ndarray, radius: float | None = None) -> np.ndarray:
        """Map features (..., f) to inputs (..., f + 1) in the unit ball."""
        norms = np.linalg.norm(features, axis=-1, keepdims=True)
        scaled = features * (REACH / np.maximum(norms, radius or self.radius))
        return np.concatenate([scaled, np.full((*features.shape[:-1], 1), CONSTANT)], axis=-1)

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return "public" rows (``rows`` of them, a prefix of any larger number), "check" rows and
        "test" rows.
        """
        raise NotImplementedError

    def inputs_of(
        self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return rows (parties, n, d) of classes y (parties, n), shifted by ``moved`` (parties, 1,
        f) sd.
        """
        raise NotImplementedError

    def parties(
        self, seed: int, first: int, last: int, *, rows: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the parties ``first`` to ``last`` - 1 of a kind that has parties: X, y
        as ``parties``.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, eq=False)
class Made(Kind):
    """Gaussian classes with ``means`` (K, f) and standard deviation ``sd`` of every feature."""

    means: np.ndarray
    sd: float

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        found = {}
        for part, (name, size) in enumerate(
            (("test", TEST_ROWS), ("check", CHECK_ROWS), ("public", rows))
        ):
            rng = stream(seed, "data", _PUBLIC, part)
            # One stream row by row, so that more rows leave the earlier ones unchanged
            draws = rng.standard_normal((size, self.inputs))
            # The last normal number of a row decides its class, by its quantile in K equal parts
            y = np.minimum((ndtr(draws[:, -1]) * self.classes).astype(int), self.classes - 1)
            found[name] = Public(X=self.to_unit(self.means[y] + self.sd * draws[:, :-1]), y=y)
        return found

    def inputs_of(
        self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        return self.to_unit(
            self.means[y]
            + moved * self.sd
            + self.sd * rng.standard_normal((*y.shape, self.features))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Images(Kind):
    """scikit-learn's digits: 1,797 images of 8 x 8 pixels, projected to principal directions of the
    *public* images.

    Directions, centre and radius computed from private images would be further releases. A party
    draws its images with replacement from the private ones, so many parties share images. The unit
    of privacy is the party.
    """

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        X, y, _ = _projected(seed, self.features)
        inputs = self.to_unit(X, _radius(X[: self.most_public]))
        tested = slice(self.most_public, self.most_public + _DIGITS_TEST)
        found = {
            "test": tested,
            "check": slice(tested.start, tested.start + CHECK_ROWS),
            "public": slice(rows),
        }
        return {
            name: Public(X=inputs[part].copy(), y=y[part].copy()) for name, part in found.items()
        }

    def inputs_of(
        self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        X, _, by_class = _projected(seed, self.features)
        counts = np.array([len(own) for own in by_class])
        place = (rng.random(y.shape) * counts[y]).astype(int)
        table = np.array([np.resize(own, counts.max()) for own in by_class])
        pool = X[: self.most_public]
        return self.to_unit(X[table[y, place]] + moved * pool.std(axis=0), _radius(pool))


@dataclass(frozen=True, kw_only=True, eq=False)
class Recorded(Kind):
    """Rows that parties record in their own styles, projected to principal directions of the
    *public* rows.

    The public rows also scale them. Public, check and test rows come from further parties,
    _HELD_OUT each.
    """

    recipe: Activities | Intrusions | Addresses

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        found = {}
        for part, (name, size) in enumerate((("test", TEST_ROWS), ("check", CHECK_ROWS))):
            X, y = self._of_others(seed, part, size)
            found[name] = Public(X=self.to_unit(_along(self, seed, X), _scale(self, seed)[2]), y=y)
        pool, y, radius = _scale(self, seed)
        return found | {"public": Public(X=self.to_unit(pool[:rows], radius), y=y[:rows].copy())}

    def _of_others(self, seed: int, part: int, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows (size, f) and classes of held-out parties, one of each party in turn."""
        rng = stream(seed, "data", _PUBLIC, part)
        y = rng.integers(0, self.classes, (size // _HELD_OUT, _HELD_OUT))
        X = self.recipe.draw(y, rng)
        return np.swapaxes(X, 0, 1).reshape(size, -1), y.T.ravel()

    def inputs_of(
        self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        pool, _, radius = _scale(self, seed)
        return self.to_unit(
            _along(self, seed, self.recipe.draw(y, rng)) + moved * pool.std(axis=0), radius
        )


@cached
def _directions_of(
    kind: Recorded, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows (most_public, f), classes, centre (f,) and principal directions (f, features) of
    the public pool.
    """
    X, y = kind._of_others(seed, 2, kind.most_public)
    centre = X.mean(axis=0)
    # By the small square matrix: an SVD of all rows takes ten times as long
    return (
        X,
        y,
        centre,
        np.linalg.eigh((X - centre).T @ (X - centre))[1][:, ::-1][:, : kind.features].copy(),
    )


def _along(kind: Recorded, seed: int, X: np.ndarray) -> np.ndarray:
    _, _, centre, directions = _directions_of(kind, seed)
    return (X - centre) @ directions


@cached
def _scale(kind: Recorded, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the projected public pool, its classes, and the radius that features are
    clipped to.
    """
    X, y, _, _ = _directions_of(kind, seed)
    pool = _along(kind, seed, X)
    return pool, y, _radius(pool)


@lru_cache(maxsize=1)
def _digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@cached
def _projected(seed: int, directions: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Return all digits: projected features (1797, f), classes (1797,), and indices of each class's
    private images.

    The order depends on ``seed``, public images first, then test images. Only public images
    determine the projection.
    """
    X, y = _digits()
    order = stream(seed, "split").permutation(len(X))
    X, y = X[order], y[order]
    pool = X[:_DIGITS_PUBLIC]
    centre = pool.mean(axis=0)
    found = (X - centre) @ np.linalg.svd(pool - centre, full_matrices=False)[2][:directions].T
    private = np.arange(_DIGITS_PUBLIC + _DIGITS_TEST, len(X))
    return found, y, [private[y[private] == label] for label in range(10)]


def _radius(pool: np.ndarray) -> float:
    """Return the norm that 95 % of the public rows do not exceed."""
    return float(np.quantile(np.linalg.norm(pool, axis=1), 0.95))


def _directions(classes: int, features: int) -> np.ndarray:
    """Return fixed random class means in many dimensions."""
    found = np.random.default_rng(11).normal(size=(classes, features))
    return 2.3 * found / np.linalg.norm(found, axis=1, keepdims=True)


def _made(title: str, means: np.ndarray, *, sd: float, radius: float) -> Made:
    names = tuple(f"class {label + 1}" for label in range(len(means)))
    return Made(
        title=title, names=names, features=means.shape[1], means=means, sd=sd, radius=radius
    )


KINDS = {
    "two": _made("Two classes", np.array([[-1.0, -0.7], [1.0, 0.7]]), sd=1.0, radius=4.0),
    "four": _made(
        "Four classes", 1.3 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), sd=0.8, radius=4.0
    ),
    "six": _made("Six classes, 10 features", _directions(6, 10), sd=0.8, radius=6.0),
    "digits": Images(
        title="Digits, ten classes",
        names=tuple(f"digit {label}" for label in range(10)),
        features=8,
        most_public=_DIGITS_PUBLIC,
    ),
    # Sizes of [hamm2016]: 50 directions, 1,000 parties and 1,000 public rows; 123 features, 5,000
    # parties; 50 directions, 5,000 to 20,000 parties
    "activities": Recorded(
        title="Activities, by subject",
        names=Activities.names,
        features=50,
        most_public=1000,
        most_rows=300,
        most_parties=1000,
        block=10,
        recipe=Activities.make(),
    ),
    "intrusions": Recorded(
        title="Intrusions, by host",
        names=Intrusions.names,
        features=123,
        most_parties=5000,
        recipe=Intrusions.make(),
    ),
    "addresses": Recorded(
        title="Addresses, by reader",
        names=Addresses.names,
        features=50,
        recipe=Addresses.make(),
    ),
}


@dataclass(frozen=True, kw_only=True)
class World:
    """The parties' data: a ``Kind`` or its key in ``KINDS``, rows per party, and heterogeneity."""

    dataset: str | Kind
    rows: int
    unlike: float
    seed: int

    @property
    def kind(self) -> Kind:
        return _kind(self.dataset)


def _kind(dataset: str | Kind) -> Kind:
    return KINDS[dataset] if isinstance(dataset, str) else dataset


@cached
def public(dataset: str | Kind, seed: int, rows: int) -> dict[str, Public]:
    """Return ``Kind.public``, cached and read-only."""
    found = _kind(dataset).public(seed, rows)
    for part in found.values():
        part.X.flags.writeable = part.y.flags.writeable = False
    return found


def parties(world: World, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the parties ``first`` to ``last`` - 1: X (parties, rows, d), y (parties,
    rows).
    """
    if not isinstance(world.dataset, str):
        return world.dataset.parties(world.seed, first, last, rows=world.rows)
    size = world.kind.block
    blocks = [_block(world, block) for block in range(first // size, -(-last // size))]
    X, y = (np.concatenate([block[at] for block in blocks]) for at in (0, 1))
    start = first // size * size
    return X[first - start : last - start], y[first - start : last - start]


def _block(world: World, block: int) -> tuple[np.ndarray, np.ndarray]:
    kind, rng = world.kind, stream(world.seed, "data", _PARTIES, block)
    K, size = kind.classes, kind.block
    favourite = rng.integers(0, K, (size, 1))
    moved = rng.standard_normal((size, 1, kind.features)) * (world.unlike / 2)
    chance, any_class = rng.random((size, world.rows)), rng.integers(0, K, (size, world.rows))
    y = np.where(chance < world.unlike, favourite, any_class)
    return kind.inputs_of(world.seed, y, moved, rng), y
