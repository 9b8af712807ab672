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
    """Return whether rows are sparse, of one problem or of several."""
    return isinstance(X, tuple) or sparse.issparse(X)


def stack(matrices: Sequence[Matrix]) -> Rows:
    """Stack the rows of several problems along a new leading axis."""
    if sparse.issparse(matrices[0]):
        return tuple(matrices)
    return np.stack(matrices)


def row_count(X: Rows) -> int:
    """Return n, the number of rows of a problem."""
    if isinstance(X, tuple):
        return X[0].shape[0]
    return X.shape[-2]


def concat(matrices: Sequence[Matrix]) -> Matrix:
    """Concatenate rows, (n, d) each."""
    if sparse.issparse(matrices[0]):
        return sparse.vstack(matrices, format="csr")
    return np.concatenate(matrices)


def concat_pairs(first: Rows, second: Rows) -> Rows:
    """Return the rows of each problem of ``first``, followed by those of ``second``.

    The second rows may be the same for all problems.
    """
    if isinstance(first, tuple):
        if not isinstance(second, tuple):
            second = (second,) * len(first)
        return tuple(concat(pair) for pair in zip(first, second, strict=True))
    if sparse.issparse(first):
        return concat([first, second])
    second_shape = np.shape(second)[-2:]
    second = np.broadcast_to(second, (*first.shape[:-2], *second_shape))
    return np.concatenate([first, second], axis=-2)


def products(X: Rows, vectors: np.ndarray) -> np.ndarray:
    """Return the products of each row with each vector of its problem.

    Args:
        X: n rows of each problem.
        vectors: (..., K, d).

    Returns:
        (..., n, K).
    """
    if isinstance(X, tuple):
        problems = []
        for matrix, vectors_of_problem in zip(X, vectors, strict=True):
            problems.append(products(matrix, vectors_of_problem))
        return np.stack(problems)
    if sparse.issparse(X):
        flat_vectors = vectors.reshape(-1, vectors.shape[-1])
        flat_products = X @ flat_vectors.T
        # (n, ..., K) to (..., n, K).
        unflattened = flat_products.reshape(-1, *vectors.shape[:-1])
        return np.moveaxis(unflattened, 0, -2)
    return X @ np.swapaxes(vectors, -1, -2)


def largest_norm(X: Matrix) -> float:
    """Return the largest L2 norm of a row."""
    if sparse.issparse(X):
        norms = sparse.linalg.norm(X, axis=1)
    else:
        norms = np.linalg.norm(X, axis=-1)
    return float(norms.max())
