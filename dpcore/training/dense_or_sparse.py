"""Operations that dense and sparse rows share, so that callers need not distinguish them.

Dense rows are an array (..., n, d), with a leading axis for each stack of problems. Sparse rows are
one CSR matrix (n, d), shared by all problems, or a tuple with one matrix per problem.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

# Rows of one problem, or of several.
Matrix: TypeAlias = np.ndarray | sparse.csr_matrix
Rows: TypeAlias = Matrix | tuple


def is_sparse(X: Rows) -> bool:
    return isinstance(X, tuple) or sparse.issparse(X)


def stacked(parts: Sequence[Matrix]) -> Rows:
    """Stack the rows of several problems along a new leading axis."""
    return tuple(parts) if sparse.issparse(parts[0]) else np.stack(parts)


def count(X: Rows) -> int:
    """Return n, the number of rows."""
    return X[0].shape[0] if isinstance(X, tuple) else X.shape[-2]


def joined(parts: Sequence[Matrix]) -> Matrix:
    """Concatenate rows, (n, d) each."""
    return (
        sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    )


def both(one: Rows, other: Rows) -> Rows:
    """Return the rows of each problem of ``one``, followed by those of ``other``, which may be the
    same for all.
    """
    if isinstance(one, tuple):
        others = other if isinstance(other, tuple) else (other,) * len(one)
        return tuple(joined(pair) for pair in zip(one, others, strict=True))
    if sparse.issparse(one):
        return joined([one, other])
    return np.concatenate(
        [one, np.broadcast_to(other, (*one.shape[:-2], *np.shape(other)[-2:]))], axis=-2
    )


def products(X: Rows, vectors: np.ndarray) -> np.ndarray:
    """Return the products (..., n, K) of each row with each vector (..., K, d) of its problem."""
    if isinstance(X, tuple):
        return np.stack([products(one, its) for one, its in zip(X, vectors, strict=True)])
    if sparse.issparse(X):
        flat = X @ vectors.reshape(-1, vectors.shape[-1]).T
        return np.moveaxis(flat.reshape(-1, *vectors.shape[:-1]), 0, -2)
    return X @ np.swapaxes(vectors, -1, -2)


def longest(X: Matrix) -> float:
    """Return the largest L2 norm of a row."""
    norms = sparse.linalg.norm(X, axis=1) if sparse.issparse(X) else np.linalg.norm(X, axis=-1)
    return float(norms.max())
