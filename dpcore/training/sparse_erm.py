"""Minimisation of the logistic risk of ``erm`` for sparse rows with too many features to form a
Hessian.

With S = diag(lambda) the minimiser is w = c + S^-1 X^T a, with one number a_i per row. The search
needs only the margins z = X c + G a, with G = X S^-1 X^T, and never a matrix over the features.
"""

import numpy as np
from scipy import sparse
from scipy.special import expit

# Newton steps use conjugate gradients to this relative gradient norm, because with a wide prior a
# less exact step does not converge
_CONJUGATE_TOLERANCE = 1e-6
_STEPS, _HALVINGS, _CONJUGATE_STEPS = 200, 40, 1000


class _Span:
    """The rows Z = X S^-1/2 (n, d) of one problem."""

    def __init__(self, X: sparse.csr_matrix, strength: np.ndarray):
        scaled = X.data * strength[X.indices] ** -0.5
        self.Z = sparse.csr_matrix((scaled, X.indices, X.indptr), shape=X.shape)
        self.back = self.Z.T.tocsr()
        squares = sparse.csr_matrix((scaled**2, X.indices, X.indptr), shape=X.shape)
        self.squares = squares @ np.ones(X.shape[1])

    def gram(self, a: np.ndarray) -> np.ndarray:
        """Return G a."""
        return self.Z @ (self.back @ a)

    def solve(self, root: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return (I + root G root)^-1 right approximately, by conjugate gradients with a diagonal
        preconditioner.
        """
        usual = 1 / (1 + root**2 * self.squares)
        found, left = np.zeros_like(right), right.copy()
        direction = near = usual * left
        fall, enough = left @ near, _CONJUGATE_TOLERANCE**2 * (left @ left)
        for _ in range(_CONJUGATE_STEPS):
            if left @ left <= enough:
                break
            curved = direction + root * self.gram(root * direction)
            length = fall / (direction @ curved)
            found += length * direction
            left -= length * curved
            near = usual * left
            before, fall = fall, left @ near
            direction = near + fall / before * direction
        return found


def logistic(
    X: sparse.csr_matrix,
    targets: np.ndarray,
    *,
    regularisation: np.ndarray,
    row_weights: np.ndarray,
    centre: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, float]:
    """Return (weights (d,), gradient norm) of one problem of ``erm.logistic``: X (n, d), targets
    and row weights (n,).

    regularisation, centre: (d,). Damped Newton steps in a, each halved until the risk falls.
    """
    X = X.astype(float)
    span, back, middle, r = _Span(X, regularisation), X.T.tocsr(), X @ centre, row_weights

    def at(a: np.ndarray) -> tuple[np.ndarray, float]:
        moved = span.gram(a)
        z = middle + moved
        return z, float((r * (np.logaddexp(0, z) - targets * z)).sum() + 0.5 * a @ moved)

    a = np.zeros(X.shape[0])
    z, value = at(a)
    for _ in range(_STEPS):
        p = expit(z)
        gradient = r * (p - targets) + a  # X^T of this is the gradient with respect to the weights
        norm = float(np.linalg.norm(back @ gradient))
        if norm <= tolerance:
            break
        root = np.sqrt(r * p * (1 - p))
        direction = gradient - root * span.solve(root, root * span.gram(gradient))
        slope, length, rounding = gradient @ span.gram(direction), 1.0, 1e-14 * (1 + abs(value))
        for _ in range(_HALVINGS):
            there = at(a - length * direction)
            if there[1] <= value - 1e-4 * length * slope + rounding:
                break
            length /= 2
        a, (z, value) = a - length * direction, there
    return centre + (back @ a) / regularisation, norm
