"""Kinds of data that many parties hold: Gaussian classes, images, and rows in personal styles.

Inputs are x = (features / radius * sqrt(3)/2, 1/2), with features clipped to a public radius, so
||x|| <= 1 including the constant, as the sensitivities require. ``lab.data.parties`` draws the
parties. Public, check and test rows belong to none of them. If parties record their rows in their
own styles, these rows come from separate held-out parties.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr
from sklearn.datasets import load_digits

from dpcore.cache import cached
from dpcore.streams import stream
from lab.data.party_rows import Activities, Addresses, Intrusions

# The constant input, and the maximum norm of the other inputs beside it.
CONSTANT = 0.5
REACH = math.sqrt(1 - CONSTANT**2)
CHECK_ROWS = 400
TEST_ROWS = 1000
# Rows per held-out party, for public, check and test rows.
_ROWS_PER_HELD_OUT_PARTY = 50
# Digits: number of public and of test images; the first test images are also the check rows.
_PUBLIC_DIGITS = 500
_TEST_DIGITS = 597
_LARGEST_PIXEL = 16
# Share of the public rows whose norm is within the clipping radius.
_SHARE_IN_RADIUS = 0.95
# Index of the random stream of public rows; the parties have index 1.
_PUBLIC_STREAM = 0
# Parts of the stream of public rows.
_TEST_PART = 0
_CHECK_PART = 1
_PUBLIC_PART = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Public:
    """Rows that belong to no party: X (N, d), y (N,). Only the analyst knows the labels."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class DataKind:
    """A kind of data.

    Attributes:
        title: The name that is shown.
        names: Names of the classes.
        features: Number of features.
        radius: Public norm that features are clipped to.
        most_public: Maximum number of public rows.
        most_rows: Maximum number of rows of a party.
        most_parties: Maximum number of parties.
        block: Number of parties that are drawn from one random stream.
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
        """Return the number of classes."""
        return len(self.names)

    @property
    def inputs(self) -> int:
        """Return d, the number of features and the constant."""
        return self.features + 1

    def to_unit(self, features: np.ndarray, radius: float | None = None) -> np.ndarray:
        """Map features (..., f) to inputs (..., f + 1) in the unit ball.

        Args:
            features: Longer rows are clipped to the radius.
            radius: None for the attribute.
        """
        if radius is None:
            radius = self.radius
        norms = np.linalg.norm(features, axis=-1, keepdims=True)
        scaled = features * (REACH / np.maximum(norms, radius))
        constant = np.full((*features.shape[:-1], 1), CONSTANT)
        return np.concatenate([scaled, constant], axis=-1)

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return "public", "check" and "test" rows.

        Args:
            seed: Of the data.
            rows: Number of public rows, which are the first ones of any larger number.
        """
        raise NotImplementedError

    def inputs_of(
        self, seed: int, y: np.ndarray, shifts: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return inputs (parties, n, d) of rows of these classes.

        Args:
            seed: Of the data.
            y: Classes, (parties, n).
            shifts: Of each party's features, in standard deviations, (parties, 1, f).
            rng: Draws the features.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, eq=False)
class GaussianKind(DataKind):
    """Gaussian classes.

    Attributes:
        means: Of the classes, (K, f).
        sd: Standard deviation of every feature.
    """

    means: np.ndarray
    sd: float

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return public, check and test rows from the balanced mixture."""
        return {
            "test": self._mixture(seed, _TEST_PART, TEST_ROWS),
            "check": self._mixture(seed, _CHECK_PART, CHECK_ROWS),
            "public": self._mixture(seed, _PUBLIC_PART, rows),
        }

    def _mixture(self, seed: int, part: int, rows: int) -> Public:
        """Return public rows whose classes are equally frequent."""
        rng = stream(seed, "data", _PUBLIC_STREAM, part)
        # One stream row by row, so that more rows leave the earlier ones unchanged.
        draws = rng.standard_normal((rows, self.features + 1))
        # The last normal number of a row decides its class, by its quantile in K equal parts.
        quantiles = ndtr(draws[:, -1])
        y = np.minimum((quantiles * self.classes).astype(int), self.classes - 1)
        features = self.means[y] + self.sd * draws[:, :-1]
        return Public(X=self.to_unit(features), y=y)

    def inputs_of(
        self, seed: int, y: np.ndarray, shifts: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return rows of these classes, each normal around its class's mean plus a shift."""
        errors = self.sd * rng.standard_normal((*y.shape, self.features))
        return self.to_unit(self.means[y] + shifts * self.sd + errors)


@dataclass(frozen=True, kw_only=True, eq=False)
class Images(DataKind):
    """scikit-learn's digits: 1,797 images of 8 x 8 pixels.

    They are projected to principal directions of the *public* images. Directions, centre and radius
    computed from private images would be further releases. A party draws its images with
    replacement from the private ones, so many parties share images. The unit of privacy is the
    party.
    """

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return public, check and test images."""
        X, y, _ = _projected_digits(seed, self.features)
        inputs = self.to_unit(X, _radius(X[: self.most_public]))
        test_start = self.most_public
        slices = {
            "test": slice(test_start, test_start + _TEST_DIGITS),
            "check": slice(test_start, test_start + CHECK_ROWS),
            "public": slice(rows),
        }
        return {
            name: Public(X=inputs[part].copy(), y=y[part].copy()) for name, part in slices.items()
        }

    def inputs_of(
        self, seed: int, y: np.ndarray, shifts: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return inputs (parties, n, d) of random private images of these classes."""
        X, _, images_by_class = _projected_digits(seed, self.features)
        counts = np.array([len(images) for images in images_by_class])
        number_in_class = (rng.random(y.shape) * counts[y]).astype(int)
        # (K, largest count): shorter lists are repeated, and the repetitions never drawn.
        table = np.array([np.resize(images, counts.max()) for images in images_by_class])
        public = X[: self.most_public]
        features = X[table[y, number_in_class]] + shifts * public.std(axis=0)
        return self.to_unit(features, _radius(public))


@dataclass(frozen=True, kw_only=True, eq=False)
class Recorded(DataKind):
    """Rows that parties record in their own styles.

    They are projected to principal directions of the *public* rows, which also scale them. Public,
    check and test rows come from further parties, 50 rows of each.

    Attributes:
        recipe: Draws the rows.
    """

    recipe: Activities | Intrusions | Addresses

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return public, check and test rows of held-out parties."""
        pool, y_pool, radius = _projected_pool(self, seed)
        parts = {}
        for name, part, size in (
            ("test", _TEST_PART, TEST_ROWS),
            ("check", _CHECK_PART, CHECK_ROWS),
        ):
            X, y = self.held_out_rows(seed, part, size)
            parts[name] = Public(X=self.to_unit(_project(self, seed, X), radius), y=y)
        parts["public"] = Public(X=self.to_unit(pool[:rows], radius), y=y_pool[:rows].copy())
        return parts

    def held_out_rows(self, seed: int, part: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows (n, f) and classes (n,) of held-out parties, by turns one of each party."""
        rng = stream(seed, "data", _PUBLIC_STREAM, part)
        parties = rows // _ROWS_PER_HELD_OUT_PARTY
        y = rng.integers(0, self.classes, (parties, _ROWS_PER_HELD_OUT_PARTY))
        X = self.recipe.draw(y, rng)
        # (parties, 50, f) to (50, parties, f) to (n, f)
        return np.swapaxes(X, 0, 1).reshape(rows, -1), y.T.ravel()

    def inputs_of(
        self, seed: int, y: np.ndarray, shifts: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return inputs (parties, n, d) of rows of these classes, in each party's style."""
        pool, _, radius = _projected_pool(self, seed)
        features = _project(self, seed, self.recipe.draw(y, rng)) + shifts * pool.std(axis=0)
        return self.to_unit(features, radius)


@cached
def _principal_directions(
    kind: Recorded, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the public pool and its principal directions.

    Returns:
        Rows (most_public, f), classes, centre (f,) and directions (f, features).
    """
    X, y = kind.held_out_rows(seed, _PUBLIC_PART, kind.most_public)
    centre = X.mean(axis=0)
    # By the small square matrix, because an SVD of all rows takes ten times as long.
    _, directions = np.linalg.eigh((X - centre).T @ (X - centre))
    # Eigenvalues rise, so the last directions are the principal ones.
    largest_first = directions[:, ::-1]
    return X, y, centre, largest_first[:, : kind.features].copy()


def _project(kind: Recorded, seed: int, X: np.ndarray) -> np.ndarray:
    """Return rows (..., f) in the principal directions of the public pool, (..., features)."""
    _, _, centre, directions = _principal_directions(kind, seed)
    return (X - centre) @ directions


@cached
def _projected_pool(kind: Recorded, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the projected public pool, its classes, and the radius of clipping."""
    X, y, _, _ = _principal_directions(kind, seed)
    pool = _project(kind, seed, X)
    return pool, y, _radius(pool)


@lru_cache(maxsize=1)
def _digits() -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs, in [0, 1], and classes of scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    return X / _LARGEST_PIXEL, y


@cached
def _projected_digits(seed: int, features: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Return all digits in an order that depends on ``seed``.

    Public images come first, then test images. Only public images determine the projection.

    Returns:
        Projected features (1797, f), classes (1797,), and the numbers of each class's private
        images.
    """
    X, y = _digits()
    order = stream(seed, "split").permutation(len(X))
    X = X[order]
    y = y[order]
    public = X[:_PUBLIC_DIGITS]
    centre = public.mean(axis=0)
    _, _, directions = np.linalg.svd(public - centre, full_matrices=False)
    projected = (X - centre) @ directions[:features].T
    private = np.arange(_PUBLIC_DIGITS + _TEST_DIGITS, len(X))
    return projected, y, [private[y[private] == label] for label in range(10)]


def _radius(public: np.ndarray) -> float:
    """Return the norm that 95 % of the public rows do not exceed."""
    norms = np.linalg.norm(public, axis=1)
    return float(np.quantile(norms, _SHARE_IN_RADIUS))


def _class_means(classes: int, features: int) -> np.ndarray:
    """Return fixed random class means in many dimensions."""
    directions = np.random.default_rng(11).normal(size=(classes, features))
    return 2.3 * directions / np.linalg.norm(directions, axis=1, keepdims=True)


def _gaussian_kind(title: str, means: np.ndarray, *, sd: float, radius: float) -> GaussianKind:
    """Return a kind of data with one normal distribution per class."""
    names = tuple(f"class {label + 1}" for label in range(len(means)))
    return GaussianKind(
        title=title, names=names, features=means.shape[1], means=means, sd=sd, radius=radius
    )


KINDS = {
    "two": _gaussian_kind("Two classes", np.array([[-1.0, -0.7], [1.0, 0.7]]), sd=1.0, radius=4.0),
    "four": _gaussian_kind(
        "Four classes", 1.3 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), sd=0.8, radius=4.0
    ),
    "six": _gaussian_kind("Six classes, 10 features", _class_means(6, 10), sd=0.8, radius=6.0),
    "digits": Images(
        title="Digits, ten classes",
        names=tuple(f"digit {label}" for label in range(10)),
        features=8,
        most_public=_PUBLIC_DIGITS,
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
