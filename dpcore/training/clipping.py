"""Mean gradients of a batch of linear classifiers, with each example's gradient clipped in closed form.

The gradient of one example is residual x^T, so its L2 norm is ||residual|| ||x||. Clipping it to C multiplies the
residual by min(1, C / (||residual|| ||x||)), and no per-example gradient is ever formed. Weights here are **class
first**, ``(k, R, p)`` for R models, and examples come last, so that every pass runs over contiguous memory.
"""

import math
from itertools import pairwise

import numpy as np

# The scratch array is split so that it stays in the second-level cache.
_SCRATCH_BYTES = 750_000


def blocks(n: int, *, rows: int, itemsize: int, least: int = 32) -> list[slice]:
    """Return slices of ``n`` examples, ``least`` or more each, such that ``rows`` rows of one fill the scratch."""
    width = max(least, _SCRATCH_BYTES // (itemsize * rows))
    return [slice(first, min(first + width, n)) for first in range(0, n, width)]


class LogisticGradient:
    """Mean clipped gradient of the logistic loss for R models: (1, R, p) -> (1, R, p).

    With the half signed rows h = (2y - 1) x / 2 and t = tanh(w.h), the residual is (1 - t)/2. Clipping it at C/||x|| is
    t <- max(t, 1 - 2C/||x||), two passes over the examples between two matrix products. ``clip_norm`` is (R,), or None
    for no clipping.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, *, models: int, clip_norm: np.ndarray | None):
        half = X * ((2 * y - 1) / 2).astype(X.dtype)[:, None]
        # in double precision, because rounding errors of this sum would bias every step in the same direction
        self._n, total = len(X), half.sum(axis=0, dtype=np.float64).astype(X.dtype)
        self._total = np.tile(total, (models, 1))  # full width: broadcasting short rows costs a loop each
        cuts = blocks(len(X), rows=models, itemsize=X.itemsize)
        floor = _residual_floor(X, clip_norm)
        if floor is not None and len(cuts) == 1:
            floor = np.broadcast_to(floor, (models, len(X)))
        self._blocks = [
            (half[cut].T.copy(), half[cut].copy(), None if floor is None else floor[..., cut].copy()) for cut in cuts
        ]
        width = max(cut.stop - cut.start for cut in cuts)
        self._scratch = [np.empty((models, min(width, cut.stop - cut.start)), X.dtype) for cut in (cuts[0], cuts[-1])]
        self._part, self._sum = (np.empty((models, X.shape[1]), X.dtype) for _ in range(2))

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        w = weights[0]
        for index, (columns, rows, floor) in enumerate(self._blocks):
            t = self._scratch[index == len(self._blocks) - 1]
            np.matmul(w, columns, out=t)
            np.tanh(t, out=t)
            if floor is not None:
                np.maximum(t, floor, out=t)
            np.matmul(t, rows, out=self._part if index else self._sum)
            if index:
                self._sum += self._part
        self._sum -= self._total
        self._sum /= self._n
        return self._sum[None]


def _residual_floor(X: np.ndarray, clip_norm: np.ndarray | None) -> np.ndarray | None:
    """Return 1 - 2C/||x||: (n,) if all models share C, else (R, n)."""
    if clip_norm is None:
        return None
    with np.errstate(divide="ignore"):
        inverse = 2 / np.linalg.norm(X, axis=1)
    if np.all(clip_norm == clip_norm[0]):
        return (1 - clip_norm[0] * inverse).astype(X.dtype)
    return (1 - clip_norm[:, None] * inverse).astype(X.dtype)


class SoftmaxGradient:
    """Mean clipped gradient of the softmax loss for R models: (k, R, p) -> (k, R, p).

    Rows are sorted by class, so that "the entry of the true class" is a plain slice. With e = exp(z - max z), o the sum
    and q the sum of squares of e over the *wrong* classes, ||p - onehot|| = sqrt(o^2 + q) / (o + e_y), which does not
    cancel however confident the model is.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, *, models: int, clip_norm: np.ndarray | None, outputs: int):
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
        self._n, self._models, self._outputs = len(X), models, outputs
        with np.errstate(divide="ignore"):
            inverse = 1 / np.linalg.norm(X, axis=1)
        self._blocks = []
        for cut in blocks(len(X), rows=models * outputs, itemsize=X.itemsize):
            bound = None if clip_norm is None else np.multiply.outer(clip_norm, inverse[cut]).astype(X.dtype)
            self._blocks.append((X[cut].T.copy(), X[cut].copy(), bound, _class_slices(y[cut], outputs)))
        widths = {rows.shape[0] for _, rows, *_ in self._blocks}
        self._scratch = {
            width: (np.empty((outputs, models, width), X.dtype), *np.empty((4, models, width), X.dtype))
            for width in widths
        }

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        flat = weights.reshape(self._outputs * self._models, -1)
        total = np.zeros_like(flat)
        for columns, rows, bound, classes in self._blocks:
            scratch = self._scratch[len(rows)]
            np.matmul(flat, columns, out=scratch[0].reshape(len(flat), -1))
            _clipped_residuals(*scratch, bound=bound, classes=classes)
            total += scratch[0].reshape(len(flat), -1) @ rows
        total /= self._n
        return total.reshape(weights.shape)


def _clipped_residuals(e, others, squares, total, factor, *, bound, classes):
    """Turn the logits ``e`` (k, R, b) into clipped residuals in place; the other arrays are scratch of shape (R, b)."""
    np.maximum.reduce(e, axis=0, out=factor)
    np.subtract(e, factor, out=e)
    np.maximum(e, least_exponent(e.dtype), out=e)
    np.exp(e, out=e)
    for label, cut in classes:
        total[:, cut] = e[label, :, cut]
        e[label, :, cut] = 0
    np.add.reduce(e, axis=0, out=others)
    np.add(others, total, out=total)
    np.divide(1, total, out=factor)
    if bound is not None:
        np.multiply(others, others, out=squares)
        for row in e:
            np.multiply(row, row, out=total)
            np.add(squares, total, out=squares)
        np.sqrt(squares, out=squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(bound, squares, out=squares)
        np.fmin(factor, squares, out=factor)
    np.negative(others, out=others)
    for label, cut in classes:
        e[label, :, cut] = others[:, cut]
    np.multiply(e, factor, out=e)


def least_exponent(dtype: np.dtype) -> float:
    """Return the exponent below which squares of exp are subnormal, which slows arithmetic tenfold.

    Confident models (noise at small epsilon) reach it. A residual of 1e-19 is far below the last bit of a weight.
    """
    return math.log(np.finfo(dtype).tiny) / 2 + 1


def _class_slices(y: np.ndarray, outputs: int) -> list[tuple[int, slice]]:
    """Return (class, slice of its rows) for sorted labels, without empty classes."""
    edges = np.searchsorted(y, np.arange(outputs + 1))
    return [(label, slice(low, high)) for label, (low, high) in enumerate(pairwise(edges)) if high > low]
