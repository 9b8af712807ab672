"""Worlds of many parties: each has a few rows of its own, and some rows belong to nobody and are public.

Inputs are x = (features / radius * sqrt(3)/2, 1/2), with features cut to a public radius: ||x|| <= 1, constant and all,
as the sensitivities need it.

A party draws its classes from (1 - u)/K each and u more for a class that it sees most, and moves its features by u / 2
standard deviations of its own, where u says how unlike the parties are. A careless party's labels are drawn at random.
The public rows, the check rows and the test rows come from the even mixture, unmoved; where parties record their rows
in styles of their own, from others than the parties: whole parties are held out.
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
# Rows of each party that is none of the parties: those of public, of check and of test rows.
_HELD_OUT = 50
# Digits: how many are public, and how many are for tests; the first of these are the check rows, too.
_DIGITS_PUBLIC, _DIGITS_TEST = 500, 597
# Where the data streams of public rows and of parties are; parties' blocks are their parts.
_PUBLIC, _PARTIES = 0, 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Public:
    """Rows that belong to nobody: X (N, d), y (N,); the true labels are known to the analyst only."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """A kind of data: names of its classes, how many features it has, the public radius that these are cut to, and how
    many public rows, rows of a party and parties there are at most.

    block: parties are drawn in blocks of this many, each from a stream of its own: party 7 is the same among 10 and
    20,000.
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
        """d: features and the constant."""
        return self.features + 1

    def to_unit(self, features: np.ndarray, radius: float | None = None) -> np.ndarray:
        """Features (..., f) -> inputs (..., f + 1) in the unit ball."""
        norms = np.linalg.norm(features, axis=-1, keepdims=True)
        scaled = features * (REACH / np.maximum(norms, radius or self.radius))
        return np.concatenate([scaled, np.full((*features.shape[:-1], 1), CONSTANT)], axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Made(Kind):
    """Classes are Gaussian: means (K, f) and the sd of every feature."""

    means: np.ndarray
    sd: float

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        found = {}
        for part, (name, size) in enumerate((("test", TEST_ROWS), ("check", CHECK_ROWS), ("public", rows))):
            rng = stream(seed, "data", _PUBLIC, part)
            # Row by row from one stream, so that more rows leave the earlier ones as they are
            draws = rng.standard_normal((size, self.inputs))
            # The last normal number of a row says its class: its place in the distribution, in K equal parts
            y = np.minimum((ndtr(draws[:, -1]) * self.classes).astype(int), self.classes - 1)
            found[name] = Public(X=self.to_unit(self.means[y] + self.sd * draws[:, :-1]), y=y)
        return found

    def inputs_of(self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows (parties, n, d) of classes y (parties, n), whose features move by ``moved`` (parties, 1, f) sd."""
        return self.to_unit(self.means[y] + moved * self.sd + self.sd * rng.standard_normal((*y.shape, self.features)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Images(Kind):
    """scikit-learn's digits: 1,797 images of 8 x 8 pixels, projected to a few directions of the *public* images.

    Where the directions, the centre and the radius came from private images they would be a release of their own. The
    rest is dealt: a party draws its images from those that are neither public nor for tests, again and again, so that
    with many parties an image lies with several of them. A party is what is protected, and not an image.
    """

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        X, y, _ = _projected(seed, self.features)
        inputs = self.to_unit(X, _radius(X[: self.most_public]))
        tested = slice(self.most_public, self.most_public + _DIGITS_TEST)
        found = {"test": tested, "check": slice(tested.start, tested.start + CHECK_ROWS), "public": slice(rows)}
        return {name: Public(X=inputs[part].copy(), y=y[part].copy()) for name, part in found.items()}

    def inputs_of(self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows (parties, n, d) of classes y (parties, n); moved (parties, 1, f) in sd of the public images."""
        X, _, by_class = _projected(seed, self.features)
        counts = np.array([len(own) for own in by_class])
        place = (rng.random(y.shape) * counts[y]).astype(int)
        table = np.array([np.resize(own, counts.max()) for own in by_class])
        pool = X[: self.most_public]
        return self.to_unit(X[table[y, place]] + moved * pool.std(axis=0), _radius(pool))


@dataclass(frozen=True, kw_only=True, eq=False)
class Recorded(Kind):
    """Rows that parties record, each in a style of its own, along the main directions of the *public* rows, whose
    centre and lengths scale them too. Public, check and test rows are those of further parties, _HELD_OUT of each.
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
        """The recipe's rows (size, f) and classes, one of each party in turn."""
        rng = stream(seed, "data", _PUBLIC, part)
        y = rng.integers(0, self.classes, (size // _HELD_OUT, _HELD_OUT))
        X = self.recipe.draw(y, rng)
        return np.swapaxes(X, 0, 1).reshape(size, -1), y.T.ravel()

    def inputs_of(self, seed: int, y: np.ndarray, moved: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows (parties, n, d) of classes y (parties, n); moved (parties, 1, f) in sd of the public rows."""
        pool, _, radius = _scale(self, seed)
        return self.to_unit(_along(self, seed, self.recipe.draw(y, rng)) + moved * pool.std(axis=0), radius)


@cached
def _directions_of(kind: Recorded, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of the public pool: rows (most_public, f), classes, centre (f,), main directions (f, features)."""
    X, y = kind._of_others(seed, 2, kind.most_public)
    centre = X.mean(axis=0)
    # By the small square matrix: a decomposition of all rows takes ten times as long
    return X, y, centre, np.linalg.eigh((X - centre).T @ (X - centre))[1][:, ::-1][:, : kind.features].copy()


def _along(kind: Recorded, seed: int, X: np.ndarray) -> np.ndarray:
    _, _, centre, directions = _directions_of(kind, seed)
    return (X - centre) @ directions


@cached
def _scale(kind: Recorded, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The public pool along its directions, its classes, and the radius that its features are cut to."""
    X, y, _, _ = _directions_of(kind, seed)
    pool = _along(kind, seed, X)
    return pool, y, _radius(pool)


@lru_cache(maxsize=1)
def _digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@cached
def _projected(seed: int, directions: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """All digits in the order of a seed, public ones first, tested ones next: features (1797, f) along the main
    directions of the public ones, classes (1797,), and for each class the places of its private images.
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
    """All but one in twenty of the public rows are left as long as they are."""
    return float(np.quantile(np.linalg.norm(pool, axis=1), 0.95))


def _directions(classes: int, features: int) -> np.ndarray:
    """Class means of a world in many dimensions: irregular, and always the same."""
    found = np.random.default_rng(11).normal(size=(classes, features))
    return 2.3 * found / np.linalg.norm(found, axis=1, keepdims=True)


def _made(title: str, means: np.ndarray, *, sd: float, radius: float) -> Made:
    names = tuple(f"class {label + 1}" for label in range(len(means)))
    return Made(title=title, names=names, features=means.shape[1], means=means, sd=sd, radius=radius)


KINDS = {
    "two": _made("Two classes", np.array([[-1.0, -0.7], [1.0, 0.7]]), sd=1.0, radius=4.0),
    "four": _made("Four classes", 1.3 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), sd=0.8, radius=4.0),
    "six": _made("Six classes, 10 features", _directions(6, 10), sd=0.8, radius=6.0),
    "digits": Images(
        title="Digits, ten classes",
        names=tuple(f"digit {label}" for label in range(10)),
        features=8,
        most_public=_DIGITS_PUBLIC,
    ),
    # Sizes of [hamm2016]: 50 directions, 1,000 parties and 1,000 public rows; 123 features, 5,000 parties; 50
    # directions, 5,000 to 20,000 parties
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
    """Who has which rows: dataset of ``KINDS``, or a kind with parties of its own; rows a party, how unlike parties
    are, the share of careless ones."""

    dataset: str | Kind
    rows: int
    unlike: float
    careless: float
    seed: int

    @property
    def kind(self) -> Kind:
        return _kind(self.dataset)


def _kind(dataset: str | Kind) -> Kind:
    return KINDS[dataset] if isinstance(dataset, str) else dataset


@cached
def public(dataset: str | Kind, seed: int, rows: int) -> dict[str, Public]:
    """ "public" (``rows``), "check" and "test" rows; fewer public rows are the first of more."""
    found = _kind(dataset).public(seed, rows)
    for part in found.values():
        part.X.flags.writeable = part.y.flags.writeable = False
    return found


def parties(world: World, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the parties from ``first`` up to ``last``: X (parties, rows, d), y (parties, rows)."""
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
    careless = rng.random((size, 1)) < world.careless
    chance, any_class = rng.random((size, world.rows)), rng.integers(0, K, (size, world.rows))
    y = np.where(chance < world.unlike, favourite, any_class)
    X = kind.inputs_of(world.seed, y, moved, rng)
    return X, np.where(careless, rng.integers(0, K, (size, world.rows)), y)
