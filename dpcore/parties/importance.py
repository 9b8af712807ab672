"""Importance weights that make public rows resemble a private set [ji2013].

With n_D private rows x and n_E public ones, the exponential tilt from the public density to the
private one is

    beta = argmin (1/n_D) sum_D log(1 + e^(-beta.x)) + (1/n_E) sum_E log(1 + e^(beta.x)) + lambda/2
    ||beta||^2.

Both classes have equal weight, so that exp(beta.x) estimates the density ratio; a public row's
weight is w_i = n_E exp(beta.x_i) / sum_E exp(beta.x).
"""

import numpy as np

from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Rows


def sensitivity(
    rows: int, regularisation: float, *, radius: float = 1.0, tolerance: float = erm.TOLERANCE
) -> float:
    """Return the L2 sensitivity 2 R / (n_D lambda) of the tilt under replace-one, for exactly the
    objective above.

    The objective is lambda-strongly convex, and one private row changes its gradient by at most 2 R
    / n_D, as |l'| <= 1 and ||x|| <= R [chaudhuri2011, Lemma 7]. With a single mean over all rows,
    the divisor would be n_D + n_E.
    """
    return 2 * radius / (rows * regularisation) + erm.distance(
        tolerance, regularisation=regularisation
    )


def tilts(
    private: Rows,
    public: Rows,
    *,
    regularisation: float,
    centre: float | np.ndarray = 0.0,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Return the tilts beta (..., d) from private rows (..., n, d) and public rows (m, d) or (...,
    m, d).

    centre: of the penalty, c (..., d), which is equivalent to a linear term -lambda c.beta.
    """
    n, m = dense_or_sparse.count(private), dense_or_sparse.count(public)
    side, row_weights = np.repeat([1.0, 0.0], [n, m]), np.repeat([1 / n, 1 / m], [n, m])
    return erm.logistic(
        dense_or_sparse.both(private, public),
        side,
        regularisation=regularisation,
        row_weights=row_weights,
        centre=centre,
        start=start,
    ).exact()


def weights(tilts: np.ndarray, public: Rows) -> np.ndarray:
    """Return importance weights (..., m), nonnegative with mean 1, from tilts (..., d) and public
    rows (..., m, d).
    """
    exponents = dense_or_sparse.products(public, tilts[..., None, :])[..., 0]
    found = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return found / found.mean(axis=-1, keepdims=True)
