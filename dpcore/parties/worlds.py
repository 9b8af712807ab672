"""Made-up worlds of many parties: each has a few rows of its own, and some rows belong to nobody and are public.

Inputs are x = (features / radius * sqrt(3)/2, 1/2), with features cut to a public radius: ||x|| <= 1, constant and all,
as the sensitivities need it.

A party draws its classes from (1 - u)/K each and u more for a class that it sees most, and moves its features by u / 2
standard deviations of its own, where u says how unlike the parties are. A careless party's labels are drawn at random.
The public rows, the check rows and the test rows come from the even mixture, unmoved.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from scipy.special import ndtr

from dpcore.streams import stream

CONSTANT = 0.5
REACH = math.sqrt(1 - CONSTANT**2)
CHECK_ROWS, TEST_ROWS = 400, 1000
# Parties are drawn in blocks of this many, each from a stream of its own: party 7 is the same among 10 and 20,000.
_BLOCK = 50
# Where the data streams of public rows and of parties are; parties' blocks are their parts.
_PUBLIC, _PARTIES = 0, 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """A kind of data: means (K, f) and sd of the features of each class, and their public radius."""

    title: str
    means: np.ndarray
    sd: float
    radius: float

    @property
    def classes(self) -> int:
        return len(self.means)

    @property
    def inputs(self) -> int:
        """d: features and the constant."""
        return self.means.shape[1] + 1

    def to_unit(self, features: np.ndarray) -> np.ndarray:
        """Features (..., f) -> inputs (..., f + 1) in the unit ball."""
        norms = np.linalg.norm(features, axis=-1, keepdims=True)
        scaled = features * (REACH / np.maximum(norms, self.radius))
        return np.concatenate([scaled, np.full((*features.shape[:-1], 1), CONSTANT)], axis=-1)


def _directions(classes: int, features: int) -> np.ndarray:
    """Class means of a world in many dimensions: irregular, and always the same."""
    found = np.random.default_rng(11).normal(size=(classes, features))
    return 2.3 * found / np.linalg.norm(found, axis=1, keepdims=True)


KINDS = MappingProxyType(
    {
        "two": Kind(title="Two classes", means=np.array([[-1.0, -0.7], [1.0, 0.7]]), sd=1.0, radius=4.0),
        "four": Kind(
            title="Four classes", means=1.3 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), sd=0.8, radius=4.0
        ),
        "six": Kind(title="Six classes, 10 features", means=_directions(6, 10), sd=0.8, radius=6.0),
    }
)


@dataclass(frozen=True, kw_only=True)
class World:
    """Who has which rows: dataset of ``KINDS``, rows a party, how unlike parties are, the share of careless ones."""

    dataset: str
    rows: int
    unlike: float
    careless: float
    seed: int

    @property
    def kind(self) -> Kind:
        return KINDS[self.dataset]


@dataclass(frozen=True, kw_only=True, eq=False)
class Public:
    """Rows that belong to nobody: X (N, d), y (N,); the true labels are known to the analyst only."""

    X: np.ndarray
    y: np.ndarray


@lru_cache(maxsize=16)
def public(dataset: str, seed: int, rows: int) -> dict[str, Public]:
    """ "public" (``rows``), "check" and "test" rows; fewer public rows are the first of more."""
    kind, found = KINDS[dataset], {}
    for part, (name, size) in enumerate((("test", TEST_ROWS), ("check", CHECK_ROWS), ("public", rows))):
        rng = stream(seed, "data", _PUBLIC, part)
        # Row by row from one stream, so that more rows leave the earlier ones as they are
        draws = rng.standard_normal((size, kind.inputs))
        # The last normal number of a row says its class: its place in the distribution, in K equal parts
        y = np.minimum((ndtr(draws[:, -1]) * kind.classes).astype(int), kind.classes - 1)
        X = kind.to_unit(kind.means[y] + kind.sd * draws[:, :-1])
        X.flags.writeable = y.flags.writeable = False
        found[name] = Public(X=X, y=y)
    return found


def parties(world: World, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the parties from ``first`` up to ``last``: X (parties, rows, d), y (parties, rows)."""
    blocks = [_block(world, block) for block in range(first // _BLOCK, -(-last // _BLOCK))]
    X, y = (np.concatenate([block[at] for block in blocks]) for at in (0, 1))
    start = first // _BLOCK * _BLOCK
    return X[first - start : last - start], y[first - start : last - start]


def _block(world: World, block: int) -> tuple[np.ndarray, np.ndarray]:
    kind, rng = world.kind, stream(world.seed, "data", _PARTIES, block)
    K, features = kind.means.shape
    favourite = rng.integers(0, K, (_BLOCK, 1))
    moved = rng.standard_normal((_BLOCK, 1, features)) * (world.unlike * kind.sd / 2)
    careless = rng.random((_BLOCK, 1)) < world.careless
    chance, any_class = rng.random((_BLOCK, world.rows)), rng.integers(0, K, (_BLOCK, world.rows))
    y = np.where(chance < world.unlike, favourite, any_class)
    X = kind.to_unit(kind.means[y] + moved + kind.sd * rng.standard_normal((_BLOCK, world.rows, features)))
    return X, np.where(careless, rng.integers(0, K, (_BLOCK, world.rows)), y)
