"""Regularised risks of many problems at once, with their derivatives and Newton steps.

A risk is a weighted sum of losses plus a quadratic penalty. B problems have X (n, d), shared, or
(B, n, d), and p flat weights each, w (B, p). With the gradient g (B, p) and the Hessian H (B, p, p)
of the risks, Newton's step is H^-1 g. The Hessian of the losses is X^T diag(curvature) X.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.special import expit

# With at least this many weights, Newton steps use conjugate gradients, to this relative norm of
# the remaining gradient.
_CONJUGATE_FROM = 25
_CONJUGATE_TOLERANCE = 0.03
# Prevents division by zero after a problem is solved exactly.
_TINY = 1e-300


class Local(NamedTuple):
    """Risks at a point of each problem.

    Attributes:
        values: (B,).
        gradients: (B, p).
        probabilities: Of the positive class, (B, n), or of each class, (B, K, n).
    """

    values: np.ndarray
    gradients: np.ndarray
    probabilities: np.ndarray


@dataclass
class Risk:
    """Weighted losses and a quadratic penalty, (1/2) sum_j lambda_j (w_j - c_j)^2, of B problems.

    Attributes:
        X: (n, d) or (B, n, d).
        scaled_rows: Scratch array for rows times their curvature, (B, n, d).
        targets: Shares of the classes, (B, K, n); K = 1 for two classes.
        row_weights: r, (B, n).
        regularisation: lambda, (B, p).
        centre: c, (B, p).
        start: Starting points, (B, p).
    """

    X: np.ndarray
    scaled_rows: np.ndarray
    targets: np.ndarray
    row_weights: np.ndarray
    regularisation: np.ndarray
    centre: np.ndarray
    start: np.ndarray

    def select(self, problems: np.ndarray | slice) -> Self:
        """Return the risks of some of the problems."""
        X = self.X
        if X.ndim == 3:
            X = X[problems]
        start = self.start[problems]
        return type(self)(
            X=X,
            scaled_rows=self.scaled_rows[: len(start)],
            targets=self.targets[problems],
            row_weights=self.row_weights[problems],
            regularisation=self.regularisation[problems],
            centre=self.centre[problems],
            start=start,
        )

    def at(self, w: np.ndarray) -> Local:
        """Return the risks at points ``w`` (B, p)."""
        raise NotImplementedError

    def newton_steps(self, local: Local) -> np.ndarray:
        """Return H^-1 g at the point of ``local``, (B, p)."""
        raise NotImplementedError

    def _penalty(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalties (B,) and their gradients (B, p)."""
        offset = w - self.centre
        values = 0.5 * (self.regularisation * offset**2).sum(axis=1)
        return values, self.regularisation * offset

    def _gram(self, curvature: np.ndarray) -> np.ndarray:
        """Return X^T diag(curvature) X of each problem: (B, n) -> (B, d, d)."""
        np.multiply(curvature[:, :, None], self.X, out=self.scaled_rows)
        return np.swapaxes(self.X, -1, -2) @ self.scaled_rows


class LogisticRisk(Risk):
    """The logistic loss of two classes, with p = d weights."""

    def at(self, w: np.ndarray) -> Local:
        """Return the risks at points ``w`` (B, d)."""
        columns = np.swapaxes(self.X, -1, -2)
        if self.X.ndim == 2:
            z = w @ columns
        else:
            z = (w[:, None] @ columns).reshape(self.row_weights.shape)
        t = self.targets[:, 0]
        p = expit(z)
        penalties, penalty_gradients = self._penalty(w)
        losses = self.row_weights * (np.logaddexp(0, z) - t * z)
        errors = self.row_weights * (p - t)
        if self.X.ndim == 2:
            loss_gradients = errors @ self.X
        else:
            loss_gradients = (errors[:, None] @ self.X)[:, 0]
        return Local(
            values=penalties + losses.sum(axis=1),
            gradients=loss_gradients + penalty_gradients,
            probabilities=p,
        )

    def newton_steps(self, local: Local) -> np.ndarray:
        """Return H^-1 g at the point of ``local``, (B, d)."""
        p = local.probabilities
        curvature = self.row_weights * p * (1 - p)
        n, d = self.X.shape[-2:]
        if d > n:
            return self._steps_by_rows(curvature, local.gradients)
        return _solve(self._gram(curvature), self.regularisation, local.gradients)

    def _steps_by_rows(self, curvature: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Return H^-1 g by a system of n equations.

        (S + U^T U)^-1 g = S^-1 g - S^-1 U^T (I + U S^-1 U^T)^-1 U S^-1 g, with S = diag(lambda) and
        U = sqrt(curvature) X.
        """
        n = self.X.shape[-2]
        root = np.sqrt(curvature)
        U = np.multiply(root[:, :, None], self.X, out=self.scaled_rows)
        without_data = gradients / self.regularisation
        scaled_U = U / self.regularisation[:, None]
        inner = scaled_U @ np.swapaxes(U, 1, 2) + np.eye(n)
        solution = np.linalg.solve(inner, U @ without_data[..., None])
        of_data = (np.swapaxes(U, 1, 2) @ solution)[..., 0]
        return without_data - of_data / self.regularisation


class SoftmaxRisk(Risk):
    """The softmax loss of K classes, with p = K d weights."""

    def at(self, w: np.ndarray) -> Local:
        """Return the risks at points ``w`` (B, K d)."""
        problems, classes = self.targets.shape[:2]
        weights = w.reshape(problems, classes, -1)
        z = weights @ np.swapaxes(self.X, -1, -2)
        largest = z.max(axis=1)
        p = z - largest[:, None]
        np.exp(p, out=p)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        penalties, penalty_gradients = self._penalty(w)
        target_logits = (self.targets * z).sum(axis=1)
        losses = self.row_weights * (largest + np.log(sums) - target_logits)
        errors = self.row_weights[:, None] * (p - self.targets)
        loss_gradients = (errors @ self.X).reshape(problems, -1)
        return Local(
            values=penalties + losses.sum(axis=1),
            gradients=loss_gradients + penalty_gradients,
            probabilities=p,
        )

    def newton_steps(self, local: Local) -> np.ndarray:
        """Return H^-1 g at the point of ``local``, (B, K d), approximately for many weights."""
        if local.gradients.shape[1] < _CONJUGATE_FROM:
            return self._exact_steps(local.probabilities, local.gradients)
        return self._conjugate_steps(local.probabilities, local.gradients)

    def _exact_steps(self, p: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Return H^-1 g by forming the Hessians, block by block of two classes."""
        problems, classes = p.shape[:2]
        d = self.X.shape[-1]
        hessians = np.empty((problems, classes, d, classes, d))
        for k in range(classes):
            for m in range(k, classes):
                same_class = k == m
                curvature = self.row_weights * p[:, k] * (same_class - p[:, m])
                block = self._gram(curvature)
                hessians[:, k, :, m] = block
                hessians[:, m, :, k] = block
        size = classes * d
        return _solve(hessians.reshape(problems, size, size), self.regularisation, gradients)

    def _conjugate_steps(self, p: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Return H^-1 g approximately, by preconditioned conjugate gradients.

        H v = X^T (diag(p) - p p^T) X v + lambda v, row by row. The preconditioner (d, d) of a
        problem replaces the inner matrix by its mean eigenvalue (1 - sum_k p_k^2) / (K - 1).
        """
        problems, classes = p.shape[:2]
        lambdas = self.regularisation.reshape(problems, classes, -1)
        g = gradients.reshape(problems, classes, -1)
        preconditioner = self._preconditioner(p, lambdas)

        solution = np.zeros_like(g)
        residual = g.copy()
        preconditioned = residual @ preconditioner
        direction = preconditioned
        product = (residual * preconditioned).sum(axis=(1, 2))
        tolerated = _CONJUGATE_TOLERANCE**2 * (g * g).sum(axis=(1, 2))
        for _ in range(gradients.shape[1]):
            image = self._hessian_times(direction, p, lambdas)
            curvature = (direction * image).sum(axis=(1, 2))
            length = (product / np.maximum(curvature, _TINY))[:, None, None]
            solution += length * direction
            residual -= length * image
            squared_norms = (residual * residual).sum(axis=(1, 2))
            if (squared_norms <= tolerated).all():
                break
            preconditioned = residual @ preconditioner
            previous_product = product
            product = (residual * preconditioned).sum(axis=(1, 2))
            ratio = product / np.maximum(previous_product, _TINY)
            direction = preconditioned + ratio[:, None, None] * direction
        return solution.reshape(problems, -1)

    def _preconditioner(self, p: np.ndarray, lambdas: np.ndarray) -> np.ndarray:
        """Return the inverse of an approximation of the Hessian of one class, (B, d, d)."""
        classes = p.shape[1]
        spread = 1 - (p**2).sum(axis=1)
        mean_curvature = self.row_weights * spread / (classes - 1)
        approximation = self._gram(mean_curvature)
        diagonal = np.arange(self.X.shape[-1])
        approximation[:, diagonal, diagonal] += lambdas.min(axis=1)
        return np.linalg.inv(approximation)

    def _hessian_times(self, v: np.ndarray, p: np.ndarray, lambdas: np.ndarray) -> np.ndarray:
        """Return H v: (B, K, d) -> (B, K, d)."""
        changes = p * (v @ np.swapaxes(self.X, -1, -2))
        changes -= p * changes.sum(axis=1, keepdims=True)
        return (self.row_weights[:, None] * changes) @ self.X + lambdas * v


def _solve(hessians: np.ndarray, regularisation: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Return (H + diag(lambda))^-1 g of each problem, (B, p); ``hessians`` are overwritten."""
    diagonal = np.arange(gradients.shape[1])
    hessians[:, diagonal, diagonal] += regularisation
    return np.linalg.solve(hessians, gradients[..., None])[..., 0]
