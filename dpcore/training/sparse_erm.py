"""Minimisation of the logistic risk of ``erm`` for sparse rows with too many features to form a
Hessian.

With S = diag(lambda) the minimiser is w = c + S^-1 X^T a, with one number a_i per row. The search
needs only the margins z = X c + G a, with G = X S^-1 X^T, and never a matrix over the features.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

# Newton steps use conjugate gradients to this relative gradient norm, because with a wide prior a
# less exact step does not converge.
_CONJUGATE_TOLERANCE = 1e-6
_CONJUGATE_STEPS = 1000
_STEPS = 200
_HALVINGS = 40
# A step is long enough if the risk falls by this share of what its slope promises.
_SUFFICIENT_DECREASE = 1e-4
# Relative error of a computed risk.
_ROUNDING = 1e-14


def _with_entries(X: sparse.csr_matrix, entries: np.ndarray) -> sparse.csr_matrix:
    """Return a matrix with other numbers in the places of the non-zero entries of ``X``."""
    return sparse.csr_matrix((entries, X.indices, X.indptr), shape=X.shape)


class _GramMatrix:
    """G = Z Z^T with the rows Z = X S^-1/2 (n, d) of one problem, which is never formed."""

    def __init__(self, X: sparse.csr_matrix, regularisation: np.ndarray):
        scaled = X.data * regularisation[X.indices] ** -0.5
        self._Z = _with_entries(X, scaled)
        self._Z_transposed = self._Z.T.tocsr()
        squares = _with_entries(X, scaled**2)
        self._diagonal = squares @ np.ones(X.shape[1])

    def times(self, a: np.ndarray) -> np.ndarray:
        """Return G a, (n,)."""
        return self._Z @ (self._Z_transposed @ a)

    def solve(self, root: np.ndarray, right_side: np.ndarray) -> np.ndarray:
        """Return (I + R G R)^-1 b approximately, with R = diag(root), (n,).

        By conjugate gradients with a diagonal preconditioner.
        """
        preconditioner = 1 / (1 + root**2 * self._diagonal)
        solution = np.zeros_like(right_side)
        residual = right_side.copy()
        preconditioned = preconditioner * residual
        direction = preconditioned
        product = residual @ preconditioned
        tolerated = _CONJUGATE_TOLERANCE**2 * (residual @ residual)
        for _ in range(_CONJUGATE_STEPS):
            if residual @ residual <= tolerated:
                break
            image = direction + root * self.times(root * direction)
            length = product / (direction @ image)
            solution += length * direction
            residual -= length * image
            preconditioned = preconditioner * residual
            previous_product = product
            product = residual @ preconditioned
            direction = preconditioned + product / previous_product * direction
        return solution


class _Local(NamedTuple):
    """The margins z (n,) at a point a, and the risk there."""

    margins: np.ndarray
    value: float


def logistic(
    X: sparse.csr_matrix,
    targets: np.ndarray,
    *,
    regularisation: np.ndarray,
    row_weights: np.ndarray,
    centre: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, float]:
    """Return (weights (d,), gradient norm) of one problem of ``erm.logistic``.

    Damped Newton steps in a, each halved until the risk falls.

    Args:
        X: (n, d).
        targets: Share of the positive class, (n,).
        regularisation: lambda, (d,).
        row_weights: r, (n,).
        centre: c, (d,).
        tolerance: Gradient norm at which the search ends.
    """
    X = X.astype(float)
    gram = _GramMatrix(X, regularisation)
    X_transposed = X.T.tocsr()
    margins_of_centre = X @ centre

    def at(a: np.ndarray) -> _Local:
        """Return the risk at the coefficients ``a`` (n,)."""
        change = gram.times(a)
        z = margins_of_centre + change
        losses = np.logaddexp(0, z) - targets * z
        loss = (row_weights * losses).sum()
        return _Local(margins=z, value=float(loss + 0.5 * a @ change))

    a = np.zeros(X.shape[0])
    local = at(a)
    for _ in range(_STEPS):
        p = expit(local.margins)
        # X^T of this is the gradient with respect to the weights.
        gradient = row_weights * (p - targets) + a
        norm = float(np.linalg.norm(X_transposed @ gradient))
        if norm <= tolerance:
            break
        root = np.sqrt(row_weights * p * (1 - p))
        direction = gradient - root * gram.solve(root, root * gram.times(gradient))
        slope = gradient @ gram.times(direction)
        rounding = _ROUNDING * (1 + abs(local.value))
        length = 1.0
        for _ in range(_HALVINGS):
            new_local = at(a - length * direction)
            enough = local.value - _SUFFICIENT_DECREASE * length * slope + rounding
            if new_local.value <= enough:
                break
            length /= 2
        a = a - length * direction
        local = new_local
    return centre + (X_transposed @ a) / regularisation, norm
