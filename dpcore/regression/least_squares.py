"""Least squares from sufficient statistics, at a cost that does not depend on the number of rows.

sum_i (w.x_i - y_i)^2 = w^T G w - 2 m^T w + s, with inputs x = (1, features), G = X^T X, m = X^T y
and s = y^T y.
"""

from dataclasses import dataclass

import numpy as np

from dpcore import check

REPAIRS = {
    "none": "none: solve it as it is",
    "ridge": "ridge: add 4 standard deviations of the noise to the diagonal",
    "spectral": "trim: leave out directions that curve down",
    "both": "ridge, then trim",
}
# In noise standard deviations of an entry of G [zhang2012, Section 6].
RIDGE_SDS = 4.0


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Unit of privacy in linear regression: one person, with one or several rows that may be
    missing.

    rows_each: k, the most rows of one person, all of which are replaced: each sensitivity is k
        times that of one row.
    gaps: whether rows may be missing. A missing row is all zeros, including the constant, and adds
    nothing. The corner of X^T X then holds the number of present rows, which is as secret as the
    other entries.
    """

    rows_each: int = 1
    gaps: bool = False

    def __post_init__(self) -> None:
        check.whole(1, rows_each=self.rows_each)
        check.flag(gaps=self.gaps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistics:
    """Sufficient statistics of ``rows`` rows: gram G (p, p), moment m (p,), square s; the first
    input is 1.

    rows: public divisor of sums; if rows may be missing, the number of places for rows.
    """

    gram: np.ndarray
    moment: np.ndarray
    square: float
    rows: int

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray) -> "Statistics":
        """Return the statistics of inputs X (n, p), with constant, and labels y (n,); raise
        RefusedError for others.
        """
        y = check.numbers((len(y),), y=y)
        X = check.rows(X, y)
        return cls(gram=X.T @ X, moment=X.T @ y, square=float(y @ y), rows=len(y))

    def first(self, inputs: int) -> "Statistics":
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
        """Return the mean squared errors (...) of weights (..., p) over the rows that are
        present.
        """
        quadratic = np.einsum("...i,ij,...j->...", weights, self.gram, weights, optimize=True)
        return np.maximum(quadratic - 2 * weights @ self.moment + self.square, 0) / self.there

    @property
    def there(self) -> float:
        """Return the number of rows that are present, at least 1."""
        return max(float(self.gram[0, 0]), 1.0)

    @property
    def mean(self) -> float:
        """Return the mean label, which is not private."""
        return float(self.moment[0]) / self.there


def ridge(statistics: Statistics, *, penalty: float = 0.0) -> np.ndarray:
    """Return the (shortest) minimiser (p,) of (1/n) sum_i (w.x_i - y_i)^2 / 2 + penalty ||w||^2 /
    2.
    """
    gram = statistics.gram + penalty * statistics.rows * np.eye(statistics.inputs)
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    return vectors @ (np.where(kept, vectors.T @ statistics.moment, 0) / np.where(kept, values, 1))


def ridge_in_ball(statistics: Statistics, *, penalty: float, radius: float) -> np.ndarray:
    """Return the same minimiser among weights of L2 norm at most ``radius``, by bisection over the
    penalty.
    """
    weights = ridge(statistics, penalty=penalty)
    if np.linalg.norm(weights) <= radius:
        return weights
    values, vectors = np.linalg.eigh(statistics.gram / statistics.rows)
    moment = vectors.T @ statistics.moment / statistics.rows
    low, high = penalty, float(np.linalg.norm(moment)) / radius
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.linalg.norm(moment / (values + middle)) > radius else (low, middle)
        )
    return vectors @ (moment / (values + high))


def stationary(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return the stationary point (..., p) of w^T G w - 2 m^T w: its minimum, or a saddle if G is
    indefinite.
    """
    try:
        return np.linalg.solve(gram, moment[..., None])[..., 0]
    except np.linalg.LinAlgError:  # exactly singular: no noise and linearly dependent inputs
        return (np.linalg.pinv(gram, hermitian=True) @ moment[..., None])[..., 0]


def repaired(
    gram: np.ndarray, moment: np.ndarray, *, repair: str, noise_sd: np.ndarray
) -> np.ndarray:
    """Return the weights (..., p) from noisy statistics after a repair, which is post-processing
    [zhang2012].

    noise_sd: public standard deviation of the noise on an entry of the gram, broadcast over the
    leading axes.
    """
    if repair == "none":
        return stationary(gram, moment)
    extra = (
        RIDGE_SDS * np.asarray(noise_sd)[..., None] if repair in ("ridge", "both") else np.zeros(1)
    )
    if repair == "ridge":
        return stationary(gram + extra[..., None] * np.eye(gram.shape[-1]), moment)
    values, vectors = np.linalg.eigh(gram)
    values = values + extra
    kept = values > 1e-9 * np.abs(values[..., -1:])
    along = np.einsum("...ji,...j->...i", vectors, moment)
    return np.einsum(
        "...ij,...j->...i", vectors, np.where(kept, along, 0) / np.where(kept, values, 1)
    )


def standard(
    noise: np.ndarray, epsilons: np.ndarray, *, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return validated (noise (R, width), epsilons (E,)) for a fit; raise RefusedError for
    others.
    """
    epsilons = check.numbers((np.size(epsilons),), low=0, inclusive=False, epsilons=epsilons)
    return check.numbers((len(noise), width), noise=noise), epsilons


def mirrored(noise: np.ndarray, inputs: int) -> np.ndarray:
    """Return symmetric matrices (..., p, p) from draws (..., p (p + 1) / 2) for their upper
    triangles.
    """
    matrix = np.empty((*noise.shape[:-1], inputs, inputs))
    upper, left = np.triu_indices(inputs)
    matrix[..., upper, left] = noise
    matrix[..., left, upper] = noise
    return matrix
