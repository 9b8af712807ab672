"""Least squares from sufficient statistics, at a cost that does not depend on the number of rows.

sum_i (w.x_i - y_i)^2 = w^T G w - 2 m^T w + s, with inputs x = (1, features), G = X^T X, m = X^T y
and s = y^T y.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore import check

# Ridge of a repair, in noise standard deviations of an entry of G [zhang2012, Section 6].
RIDGE_SDS = 4.0
# Directions whose eigenvalue is below this share of the largest count as linearly dependent.
_LEAST_EIGENVALUE = 1e-12
# The same for a noisy matrix, whose smallest eigenvalues may be negative.
_LEAST_NOISY_EIGENVALUE = 1e-9
# Halvings of an interval, more than the digits of a float.
_BISECTIONS = 200


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The unit of privacy in linear regression, one person with one or several rows.

    Attributes:
        rows_each: The most rows of one person, all of which are replaced. Each sensitivity is this
            many times that of one row.
        gaps: Whether rows may be missing. A missing row is all zeros, including the constant, and
            adds nothing. The corner of X^T X then holds the number of present rows, which is as
            secret as the other entries.
    """

    rows_each: int = 1
    gaps: bool = False

    def __post_init__(self) -> None:
        check.whole(1, rows_each=self.rows_each)
        check.flag(gaps=self.gaps)


class Fit(NamedTuple):
    """The result of a mechanism at E epsilons, R repeats each.

    Attributes:
        weights: (E, R, p).
        gram: Noisy X^T X, (E, R, p, p); None if it is not released.
        moment: Noisy X^T y, (E, R, p); None if it is not released.
    """

    weights: np.ndarray
    gram: np.ndarray | None = None
    moment: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistics:
    """Sufficient statistics of rows whose first input is 1.

    Attributes:
        gram: G = X^T X, (p, p).
        moment: m = X^T y, (p,).
        square: s = y^T y.
        rows: Public divisor of sums. If rows may be missing, the number of places for rows.
    """

    gram: np.ndarray
    moment: np.ndarray
    square: float
    rows: int

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray) -> "Statistics":
        """Return the statistics of inputs X (n, p), with the constant, and labels y (n,).

        Raises:
            RefusedError: For other shapes, or if there are values that are not finite numbers.
        """
        y = check.numbers((len(y),), y=y)
        X = check.rows(X, y)
        return cls(gram=X.T @ X, moment=X.T @ y, square=float(y @ y), rows=len(y))

    def first_inputs(self, inputs: int) -> "Statistics":
        """Return the statistics of the first ``inputs`` inputs alone."""
        return Statistics(
            gram=self.gram[:inputs, :inputs],
            moment=self.moment[:inputs],
            square=self.square,
            rows=self.rows,
        )

    @property
    def inputs(self) -> int:
        """Return p, including the constant."""
        return len(self.moment)

    def errors(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean squared errors (...) of weights (..., p) over the present rows."""
        quadratic = np.einsum("...i,ij,...j->...", weights, self.gram, weights, optimize=True)
        squares = quadratic - 2 * weights @ self.moment + self.square
        # Rounding can make the sum of very small squares negative.
        return np.maximum(squares, 0) / self.present_rows

    @property
    def present_rows(self) -> float:
        """Return the number of rows that are not missing, at least 1."""
        return max(float(self.gram[0, 0]), 1.0)

    @property
    def mean_label(self) -> float:
        """Return the mean label, which is not private."""
        return float(self.moment[0]) / self.present_rows


def ridge(statistics: Statistics, *, penalty: float = 0.0) -> np.ndarray:
    """Return the minimiser (p,) of (1/n) sum_i (w.x_i - y_i)^2 / 2 + penalty ||w||^2 / 2.

    It is the shortest one if there are several.
    """
    gram = statistics.gram + penalty * statistics.rows * np.eye(statistics.inputs)
    values, vectors = np.linalg.eigh(gram)
    kept = values > _LEAST_EIGENVALUE * values[-1]
    rotated_moment = np.where(kept, vectors.T @ statistics.moment, 0)
    return vectors @ (rotated_moment / np.where(kept, values, 1))


def ridge_in_ball(statistics: Statistics, *, penalty: float, radius: float) -> np.ndarray:
    """Return the minimiser of the same objective among weights of L2 norm at most ``radius``.

    Bisection finds the penalty at which the norm is the radius.
    """
    weights = ridge(statistics, penalty=penalty)
    if np.linalg.norm(weights) <= radius:
        return weights
    values, vectors = np.linalg.eigh(statistics.gram / statistics.rows)
    rotated_moment = vectors.T @ statistics.moment / statistics.rows
    low = penalty
    # With this penalty alone, even without the Gram matrix, the weights are in the ball.
    high = float(np.linalg.norm(rotated_moment)) / radius
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        norm = np.linalg.norm(rotated_moment / (values + middle))
        if norm > radius:
            low = middle
        else:
            high = middle
    return vectors @ (rotated_moment / (values + high))


def stationary(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return the stationary point (..., p) of w^T G w - 2 m^T w, a saddle if G is indefinite.

    Args:
        gram: G, (..., p, p).
        moment: m, (..., p).
    """
    column = moment[..., None]
    try:
        return np.linalg.solve(gram, column)[..., 0]
    except np.linalg.LinAlgError:  # exactly singular: no noise and linearly dependent inputs
        return (np.linalg.pinv(gram, hermitian=True) @ column)[..., 0]


def repaired(gram: np.ndarray, moment: np.ndarray, *, ridge: np.ndarray) -> np.ndarray:
    """Return the weights (..., p) from noisy statistics after a repair [zhang2012].

    A ridge is added to the diagonal, and directions that still curve down are left out. Both are
    post-processing, because they use only what is public.

    Args:
        gram: Noisy X^T X, (..., p, p).
        moment: Noisy X^T y, (..., p).
        ridge: Public numbers, broadcast over the leading axes.
    """
    values, vectors = np.linalg.eigh(gram)
    values = values + ridge[..., None]
    kept = values > _LEAST_NOISY_EIGENVALUE * np.abs(values[..., -1:])
    rotated_moment = np.einsum("...ji,...j->...i", vectors, moment)
    rotated_weights = np.where(kept, rotated_moment, 0) / np.where(kept, values, 1)
    return np.einsum("...ij,...j->...i", vectors, rotated_weights)


def validated(
    noise: np.ndarray, epsilons: np.ndarray, *, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return noise (R, width) and epsilons (E,) for a fit as arrays.

    Raises:
        RefusedError: If either has another shape or other values.
    """
    epsilons = check.numbers((np.size(epsilons),), low=0, inclusive=False, epsilons=epsilons)
    noise = check.numbers((len(noise), width), noise=noise)
    return noise, epsilons


def triangle_size(inputs: int) -> int:
    """Return the number of entries in the upper triangle of a matrix, with its diagonal."""
    return inputs * (inputs + 1) // 2


def symmetric_matrices(triangles: np.ndarray, inputs: int) -> np.ndarray:
    """Return symmetric matrices (..., p, p) from their upper triangles (..., p (p + 1) / 2)."""
    matrices = np.empty((*triangles.shape[:-1], inputs, inputs))
    rows, columns = np.triu_indices(inputs)
    matrices[..., rows, columns] = triangles
    matrices[..., columns, rows] = triangles
    return matrices
