"""Mean gradients of a batch of linear classifiers where a person has several rows.

A person's gradients are averaged first, and their average is clipped to C. So a person moves the sum by no more than C,
as one with a single row does, however many rows they have; clipping each row to C would let k rows move it by k C.
"""

import numpy as np

from dpcore import check
from dpcore.training.clipping import blocks, least_exponent


class PeopleGradient:
    """(1/M) sum_i clip_C( (1/m_i) sum_(j of i) g_j ) for R models: (k, R, p) -> (k, R, p).

    people: the person (n,) of each row, 0 to M - 1, each with a row at least. A row of zeros, which has no answer, has
    no gradient and is none of the m_i. ``clip_norm`` is (R,), or None for no clipping.

    Person i's average is X_i^T r / m_i, with r (m, k) the residuals of their rows. Its length is that of F_i r, where
    X_i^T / m_i = Q F_i: this factor has no more than m rows. People are taken together who have as many rows.
    """

    def __init__(self, X, y, people, *, models: int, clip_norm: np.ndarray | None, outputs: int):
        self._outputs, self._clip = outputs, None if clip_norm is None else clip_norm.astype(X.dtype)
        rows, counts = np.argsort(people, kind="stable"), np.bincount(people)
        first = np.cumsum(counts) - counts
        self._people, self._blocks = len(counts), []
        averaged = X * shares(X.any(axis=1), people)[:, None].astype(X.dtype)
        for count in np.unique(counts):
            these = first[counts == count]
            for cut in blocks(len(these), rows=models * outputs * int(count), itemsize=X.itemsize, least=1):
                places = rows[these[cut, None] + np.arange(count)]
                mine = averaged[places]  # (M, m, p) of M people
                factors = np.linalg.qr(mine.astype(np.float64).transpose(0, 2, 1), mode="r").astype(X.dtype)
                self._blocks.append((X[places], mine, y[places], factors))

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        flat = weights.reshape(-1, weights.shape[-1])
        total = np.zeros_like(flat)
        for X, averaged, y, factors in self._blocks:
            residuals = _residuals(X @ flat.T, y, self._outputs)
            if self._clip is not None:
                residuals *= np.tile(self._scales(factors, residuals), self._outputs)[:, None]
            total += residuals.reshape(-1, len(flat)).T @ averaged.reshape(-1, flat.shape[1])
        total /= self._people
        return total.reshape(weights.shape)

    def clipped(self, weights: np.ndarray) -> np.ndarray:
        """The share of people (R,) whose average is longer than C, for weights (k, R, p)."""
        flat, found = weights.reshape(-1, weights.shape[-1]), 0
        for X, _, y, factors in self._blocks:
            found = found + (self._scales(factors, _residuals(X @ flat.T, y, self._outputs)) < 1).sum(axis=0)
        return found / self._people

    def _scales(self, factors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """min(1, C / length) of each person's average (M, R), from residuals (M, m, k R)."""
        averages = factors * residuals if factors.shape[2] == 1 else factors @ residuals
        squares = np.square(averages, out=averages).sum(axis=1).reshape(len(residuals), self._outputs, -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.minimum(1, self._clip / np.sqrt(squares))


def shares(known: np.ndarray, people: np.ndarray) -> np.ndarray:
    """What each row (n,) counts in its person's average, where only those that are ``known`` (n,) to have an answer do.

    Those without share what a person counts who has no other.
    """
    counts = np.bincount(people, weights=known)[people]
    rows = np.where(counts > 0, counts, np.bincount(people)[people])
    return (known | (counts == 0)) / rows


def checked(people: np.ndarray, rows: int) -> np.ndarray | None:
    """The person of each of ``rows``; None where each has one. Raises RefusedError where a number has no row."""
    counts = np.bincount(check.wholes((rows,), low=0, high=rows - 1, people=people))
    if not counts.all():
        raise check.RefusedError("people", int(np.argmin(counts)), "numbered from 0 without a gap, with a row each")
    return None if counts.max() == 1 else people


def side_by_side(people: np.ndarray) -> np.ndarray:
    """The rows of each person (M, m), where m is the most that one has; -1 for those that others have more."""
    order, counts = np.argsort(people, kind="stable"), np.bincount(people)
    found = np.full((len(counts), counts.max()), -1)
    whose = people[order]
    found[whose, np.arange(len(people)) - (np.cumsum(counts) - counts)[whose]] = order
    return found


def _residuals(z: np.ndarray, y: np.ndarray, outputs: int) -> np.ndarray:
    """d loss / d logit from logits (M, m, k R) of rows of classes y (M, m), in their place."""
    if outputs == 1:  # the logistic function by tanh, which is quicker
        z *= 0.5
        np.tanh(z, out=z)
        z += 1 - 2 * y[..., None].astype(z.dtype)
        z *= 0.5
        return z
    e = z.reshape(y.size, outputs, -1)
    e -= e.max(axis=1, keepdims=True)
    np.maximum(e, least_exponent(e.dtype), out=e)
    np.exp(e, out=e)
    e /= e.sum(axis=1, keepdims=True)
    e[np.arange(y.size), y.ravel()] -= 1
    return z
