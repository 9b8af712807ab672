"""Mean gradients of a batch of linear classifiers where a person has several rows.

A person's gradients are averaged first, and their average is clipped to C. So a person moves the sum by no more than C,
as one with a single row does, however many rows they have; clipping each row to C would let k rows move it by k C.
"""

import numpy as np

from dpcore.training.clipping import blocks, least_exponent


class PeopleGradient:
    """(1/M) sum_i clip_C( (1/m_i) sum_(j of i) g_j ) for R models: (k, R, p) -> (k, R, p).

    people: the person (n,) of each row, 0 to M - 1, each with a row at least. A row of zeros, which has no answer, has
    no gradient and is none of the m_i. ``clip_norm`` is (R,), or None for no clipping.

    Person i's average is X_i^T r / m_i, with r (m, k) the residuals of their rows. Its length is that of F_i r / m_i,
    where X_i^T = Q F_i: the factor has min(m, p) rows, and a row alone is its own length. People are taken together who
    have as many rows.
    """

    def __init__(self, X, y, people, *, models: int, clip_norm: np.ndarray | None, outputs: int):
        self._outputs, self._clip = outputs, None if clip_norm is None else clip_norm.astype(X.dtype)
        rows, counts = np.argsort(people, kind="stable"), np.bincount(people)
        first = np.cumsum(counts) - counts
        self._people, self._blocks = len(counts), []
        for count in np.unique(counts):
            these = first[counts == count]
            for cut in blocks(len(these), rows=models * outputs * int(count), itemsize=X.itemsize, least=1):
                places = rows[these[cut, None] + np.arange(count)]
                self._blocks.append(_block(X[places], y[places]))

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        flat = weights.reshape(-1, weights.shape[-1])
        total = np.zeros_like(flat)
        for X, shares, y, factors in self._blocks:
            residuals = _residuals(X.reshape(-1, X.shape[-1]) @ flat.T, y, self._outputs)
            if self._clip is not None:
                by_person = residuals.reshape(*X.shape[:2], -1)
                by_person *= self._clipped(factors, by_person)
            total += residuals.T @ shares
        total /= self._people
        return total.reshape(weights.shape)

    def _clipped(self, factors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """min(1, C / length) of each person's average in each model, (M, 1, k R), from residuals (M, m, k R)."""
        averages = factors * residuals if factors.shape[2] == 1 else factors @ residuals
        squares = np.square(averages, out=averages).sum(axis=1).reshape(len(residuals), self._outputs, -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            scale = np.minimum(1, self._clip / np.sqrt(squares))
        return np.tile(scale, self._outputs)[:, None]


def _block(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X (M, m, p), the same over m_i as rows (M m, p), y (M m,), F_i / m_i (M, min(m, p), m)."""
    counted = np.maximum(X.any(axis=2).sum(axis=1), 1)[:, None, None].astype(X.dtype)
    factors = np.linalg.qr(X.astype(np.float64).transpose(0, 2, 1), mode="r").astype(X.dtype)
    return X, (X / counted).reshape(-1, X.shape[2]), y.ravel(), factors / counted


def _residuals(z: np.ndarray, y: np.ndarray, outputs: int) -> np.ndarray:
    """d loss / d logit from logits (n, k R), in their place."""
    if outputs == 1:  # the logistic function by tanh, which is quicker
        z *= 0.5
        np.tanh(z, out=z)
        z += 1 - 2 * y[:, None].astype(z.dtype)
        z *= 0.5
        return z
    e = z.reshape(len(z), outputs, -1)
    e -= e.max(axis=1, keepdims=True)
    np.maximum(e, least_exponent(e.dtype), out=e)
    np.exp(e, out=e)
    e /= e.sum(axis=1, keepdims=True)
    e[np.arange(len(e)), y] -= 1
    return z
