"""Gradients of linear regression with clipped residuals, for a batch of models.

    g(w) = -(1/n) sum_i clip_R(y_i - x_i.w) x_i

It is the gradient of half the mean Huber loss. With |x_ij| <= 1, a row changes a coordinate of the
sum by at most R.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """Public rows that are pooled with the private ones and need no noise.

    Each model has its own, or all share one entry.

    Attributes:
        gram: sum x x', (M, d, d) or (1, d, d).
        moment: sum x y, (M, d) or (1, d).
        rows: Number of rows, (M,) or (1,).
    """

    gram: np.ndarray
    moment: np.ndarray
    rows: np.ndarray

    def reordered(self, order: np.ndarray) -> Self:
        """Return the entries of the models in ``order`` (M,). A shared entry stays single."""
        return replace(
            self,
            gram=_reordered(self.gram, order),
            moment=_reordered(self.moment, order),
            rows=_reordered(self.rows, order),
        )

    def around(self, centre: np.ndarray | None) -> Self:
        """Return the entries for weights relative to ``centre``, (d,) or (M, d); None for 0."""
        if centre is None:
            return self
        centres = np.atleast_2d(centre)
        # (M, d, d) by (M, d, 1), where either may have a single entry.
        products = (self.gram @ centres[..., None])[..., 0]
        return replace(self, moment=self.moment - products)

    def astype(self, dtype: type[np.floating]) -> Self:
        """Return the entries in another precision."""
        return replace(
            self,
            gram=self.gram.astype(dtype),
            moment=self.moment.astype(dtype),
            rows=self.rows.astype(dtype),
        )


def _reordered(entries: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the entries (M, ...) of the models in ``order`` (M,). A single entry stays."""
    if len(entries) == 1:
        return entries
    return entries[order]


class ResidualGradient:
    """Compute gradients (m, d) of the first m models.

    Sensitivity: Linf `adjacency.contributions * residual_bound / rows`; adjacency replace-one,
    add/remove.

    ``rows`` is the number of private rows, for inputs within [-1, 1].

    Args:
        X: Inputs, (n, d).
        y: Outputs, (n,).
        residual_bound: R; infinite for plain least squares.
        centre: c, which weights are relative to: (d,) for all models or (M, d); None for 0.
        ridge: lambda of the penalty lambda ||w - c||^2.
        pooled: Public rows of each model; None for none.
        dtype: Precision of the arithmetic.
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        residual_bound: float,
        centre: np.ndarray | None,
        ridge: float,
        pooled: Pooled | None,
        dtype: type[np.floating],
    ):
        self._rows = np.ascontiguousarray(X, dtype)
        self._columns = np.ascontiguousarray(X.T, dtype)
        self._labels = _labels(X, y, centre).astype(dtype)
        self._residual_bound = dtype(residual_bound)
        self._ridge = dtype(ridge)
        self._pooled = None
        if pooled is not None:
            self._pooled = pooled.around(centre).astype(dtype)

    def __call__(self, offset: np.ndarray) -> np.ndarray:
        """Return g (m, d) at weights that are ``offset`` (m, d) away from the centre."""
        gradient = self._without_ridge(offset)
        if self._ridge > 0:
            return gradient + self._ridge * offset
        return gradient

    def _without_ridge(self, offset: np.ndarray) -> np.ndarray:
        """Return the gradients (m, d) without the penalty.

        Each is the sum of -clip_R(residual) x over private rows and, without clipping, over pooled
        rows, divided by the number of all these rows.

        Args:
            offset: Weights minus the centre, (m, d).
        """
        # Models stop one by one, the last first, so that the first m are still trained. Slices of
        # what all models share have a single entry.
        m = len(offset)
        labels = self._labels[:m]
        predictions = offset @ self._columns
        # The array (m, n) is large, and is used again.
        residuals = np.subtract(labels, predictions, out=predictions)
        np.clip(residuals, -self._residual_bound, self._residual_bound, out=residuals)
        total = -(residuals @ self._rows)
        if self._pooled is None:
            return total / len(self._rows)
        # (m, 1, d) by (m, d, d), or by one (d, d) for all.
        pooled_products = offset[:, None] @ self._pooled.gram[:m]
        total += pooled_products[:, 0] - self._pooled.moment[:m]
        rows = len(self._rows) + self._pooled.rows[:m]
        return total / rows[:, None]


def _labels(X: np.ndarray, y: np.ndarray, centre: np.ndarray | None) -> np.ndarray:
    """Return y - X c: (1, n) if all models share a centre, else (M, n)."""
    if centre is None:
        return np.asarray(y)[None]
    centres = np.atleast_2d(centre)
    return y - centres @ np.asarray(X, dtype=float).T
