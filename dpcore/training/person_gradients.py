"""Mean gradients of a batch of linear classifiers for persons with several rows.

A person's gradients are averaged, and the average is clipped to C. A person thus changes the sum by
at most C, like someone with a single row, however many rows they have. Clipping each row to C would
let k rows change it by k C.
"""

import numpy as np

from dpcore import check
from dpcore.training.clipping import blocks, least_exponent


class PeopleGradient:
    """Mean over persons of their clipped average gradients, for R models: (k, R, p) -> (k, R, p).

    (1/M) sum_i clip_C( (1/m_i) sum_(j of i) g_j )

    people: the person (n,) of each row, 0 to M - 1, each with at least one row. A row of zeros,
    which has no label, has no gradient and does not count in m_i. ``clip_norm`` is (R,), or None
    for no clipping.

    Person i's average is X_i^T r / m_i, with residuals r (m, k) of their rows. Its norm is that of
    F_i r, where X_i^T / m_i = Q F_i; the factor has at most m rows. People with the same number of
    rows are processed together.
    """

    def __init__(self, X, y, people, *, models: int, clip_norm: np.ndarray | None, outputs: int):
        self._outputs, self._clip = (
            outputs,
            None if clip_norm is None else clip_norm.astype(X.dtype),
        )
        rows, counts = np.argsort(people, kind="stable"), np.bincount(people)
        first = np.cumsum(counts) - counts
        self._people, self._blocks = len(counts), []
        averaged = X * shares(X.any(axis=1), people)[:, None].astype(X.dtype)
        for count in np.unique(counts):
            these = first[counts == count]
            for cut in blocks(
                len(these), rows=models * outputs * int(count), itemsize=X.itemsize, least=1
            ):
                places = rows[these[cut, None] + np.arange(count)]
                mine = averaged[places]  # (M, m, p) of M people
                factors = np.asarray(
                    np.linalg.qr(mine.astype(np.float64).transpose(0, 2, 1), mode="r"), X.dtype
                )
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
        """Return the share of people (R,) whose average gradient is clipped, for weights
        (k, R, p).
        """
        flat, found = weights.reshape(-1, weights.shape[-1]), np.zeros(weights.shape[1], int)
        for X, _, y, factors in self._blocks:
            found = found + (
                self._scales(factors, _residuals(X @ flat.T, y, self._outputs)) < 1
            ).sum(axis=0)
        return found / self._people

    def _scales(self, factors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """Return min(1, C / norm) of each person's average (M, R), from residuals (M, m, k R)."""
        averages = factors * residuals if factors.shape[2] == 1 else factors @ residuals
        squares = (
            np.square(averages, out=averages)
            .sum(axis=1)
            .reshape(len(residuals), self._outputs, -1)
            .sum(axis=1)
        )
        with np.errstate(divide="ignore"):
            return np.minimum(1, self._clip / np.sqrt(squares))


def shares(known: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return the weight of each row (n,) in its person's average, among the rows ``known`` (n,) to
    have a label.

    If a person has no such row, all of their rows share the weight.
    """
    counts = np.bincount(people, weights=known)[people]
    rows = np.where(counts > 0, counts, np.bincount(people)[people])
    return (known | (counts == 0)) / rows


def checked(people: np.ndarray, rows: int) -> np.ndarray | None:
    """Return ``people``, or None if each has one of the ``rows``; raise RefusedError for a gap in
    the numbers.
    """
    counts = np.bincount(check.wholes((rows,), low=0, high=rows - 1, people=people))
    if not counts.all():
        raise check.RefusedError(
            "people", int(np.argmin(counts)), "numbered from 0 without a gap, with a row each"
        )
    return None if counts.max() == 1 else people


def side_by_side(people: np.ndarray) -> np.ndarray:
    """Return the rows of each person (M, m), where m is the largest number of rows, padded
    with -1.
    """
    order, counts = np.argsort(people, kind="stable"), np.bincount(people)
    found = np.full((len(counts), counts.max()), -1)
    whose = people[order]
    found[whose, np.arange(len(people)) - (np.cumsum(counts) - counts)[whose]] = order
    return found


def _residuals(z: np.ndarray, y: np.ndarray, outputs: int) -> np.ndarray:
    """Turn logits (M, m, k R) of rows with classes y (M, m) into d loss / d logit, in place."""
    if outputs == 1:  # the logistic function by tanh, which is faster
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
