"""Mean gradients of a batch of linear classifiers for persons with several rows.

A person's gradients are averaged, and the average is clipped to C. A person thus changes the sum by
at most C, like someone with a single row, however many rows they have. Clipping each row to C would
let k rows change it by k C.
"""

from typing import NamedTuple

import numpy as np

from dpcore import check
from dpcore.training.clipping import blocks, least_exponent


class _PeopleBlock(NamedTuple):
    """A block of M persons with m rows each.

    Attributes:
        X: Rows, (M, m, p).
        averaged: Rows times their weight in the person's average, (M, m, p).
        y: Classes, (M, m).
        factors: F of each person, (M, min(m, p), m).
    """

    X: np.ndarray
    averaged: np.ndarray
    y: np.ndarray
    factors: np.ndarray


class PeopleGradient:
    """Compute the mean of persons' clipped gradients for R models: (k, R, p) -> (k, R, p).

    Sensitivity: L2 `adjacency.contributions * clip_norm / persons`; adjacency replace-one,
    add/remove.

    (1/M) sum_i clip_C( (1/m_i) sum_(j of i) g_j )

    ``persons`` is M. A row of zeros, which has no label, has no gradient and does not count in m_i.

    Person i's average is X_i^T r / m_i, with residuals r (m, k) of their rows. Its norm is that of
    F_i r, where X_i^T / m_i = Q F_i; the factor has at most m rows. People with the same number of
    rows are processed together.

    Args:
        X: Rows, (n, p).
        y: Classes from 0, (n,).
        people: The person of each row, (n,), 0 to M - 1, each with at least one row.
        models: R.
        clip_norm: C of each model, (R,); None for no clipping.
        outputs: k, 1 for two classes.
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        people: np.ndarray,
        *,
        models: int,
        clip_norm: np.ndarray | None,
        outputs: int,
    ):
        """Gather the rows of each person, in blocks of persons with equally many rows."""
        self._outputs = outputs
        self._clip_norm = None
        if clip_norm is not None:
            self._clip_norm = clip_norm.astype(X.dtype)
        order = np.argsort(people, kind="stable")
        counts = np.bincount(people)
        first_of_person = np.cumsum(counts) - counts
        self._people = len(counts)
        labelled = np.any(X, axis=1)
        weights = row_weights(labelled, people)
        averaged = X * weights[:, None].astype(X.dtype)
        self._blocks = []
        for count in np.unique(counts):
            firsts = first_of_person[counts == count]
            scratch_rows = models * outputs * int(count)
            parts = blocks(len(firsts), rows=scratch_rows, itemsize=X.itemsize, least=1)
            for part in parts:
                places = firsts[part, None] + np.arange(count)
                rows = order[places]
                averaged_rows = averaged[rows]
                block = _PeopleBlock(
                    X=X[rows],
                    averaged=averaged_rows,
                    y=y[rows],
                    factors=_norm_factors(averaged_rows),
                )
                self._blocks.append(block)

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean gradients."""
        flat_weights = weights.reshape(-1, weights.shape[-1])
        total = np.zeros_like(flat_weights)
        for block in self._blocks:
            residuals = _residuals(block.X @ flat_weights.T, block.y, self._outputs)
            if self._clip_norm is not None:
                scales = self._scales(block.factors, residuals)
                residuals *= np.tile(scales, self._outputs)[:, None]
            flat_residuals = residuals.reshape(-1, len(flat_weights))
            total += flat_residuals.T @ block.averaged.reshape(-1, flat_weights.shape[1])
        total /= self._people
        return total.reshape(weights.shape)

    def clipped(self, weights: np.ndarray) -> np.ndarray:
        """Return the share of people (R,) whose average gradient is clipped.

        Args:
            weights: (k, R, p).
        """
        flat_weights = weights.reshape(-1, weights.shape[-1])
        people = np.zeros(weights.shape[1], int)
        for block in self._blocks:
            residuals = _residuals(block.X @ flat_weights.T, block.y, self._outputs)
            is_clipped = self._scales(block.factors, residuals) < 1
            people = people + is_clipped.sum(axis=0)
        return people / self._people

    def _scales(self, factors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """Return min(1, C / norm) of each person's average (M, R), from residuals (M, m, k R)."""
        if factors.shape[2] == 1:
            averages = factors * residuals
        else:
            averages = factors @ residuals
        squares = np.square(averages, out=averages).sum(axis=1)
        squares = squares.reshape(len(residuals), self._outputs, -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.minimum(1, self._clip_norm / np.sqrt(squares))


def _norm_factors(averaged: np.ndarray) -> np.ndarray:
    """Return the triangular factor F of each person's rows: (M, m, p) -> (M, min(m, p), m).

    Computed in double precision, in which the transposed rows are Q F.
    """
    transposed = averaged.astype(np.float64).transpose(0, 2, 1)
    return np.asarray(np.linalg.qr(transposed, mode="r"), averaged.dtype)


def row_weights(labelled: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return the weight of each row (n,) in its person's average over labelled rows.

    If a person has no labelled row, all of their rows share the weight.

    Args:
        labelled: Which rows have a label, (n,).
        people: The person of each row, (n,).
    """
    labelled_rows = np.bincount(people, weights=labelled)[people]
    all_rows = np.bincount(people)[people]
    averaged_rows = np.where(labelled_rows > 0, labelled_rows, all_rows)
    is_averaged = labelled | (labelled_rows == 0)
    return is_averaged / averaged_rows


def checked_people(people: np.ndarray, rows: int) -> np.ndarray | None:
    """Return ``people`` as an int array (rows,), or None if each person has a single row.

    Raises:
        RefusedError: Unless persons are numbered from 0 without a gap.
    """
    people_of_rows = check.wholes((rows,), low=0, high=rows - 1, people=people)
    counts = np.bincount(people_of_rows)
    if not counts.all():
        raise check.RefusedError(
            "people", int(np.argmin(counts)), "numbered from 0 without a gap, with a row each"
        )
    if counts.max() == 1:
        return None
    return people


def rows_of_people(people: np.ndarray) -> np.ndarray:
    """Return the rows of each person (M, m), padded with -1 to the largest number of rows."""
    order = np.argsort(people, kind="stable")
    counts = np.bincount(people)
    first_of_person = np.cumsum(counts) - counts
    sorted_people = people[order]
    place_in_person = np.arange(len(people)) - first_of_person[sorted_people]
    rows = np.full((len(counts), counts.max()), -1)
    rows[sorted_people, place_in_person] = order
    return rows


def _residuals(z: np.ndarray, y: np.ndarray, outputs: int) -> np.ndarray:
    """Turn logits (M, m, k R) of rows with classes y (M, m) into d loss / d logit, in place."""
    if outputs == 1:
        # The logistic function by tanh, which is faster.
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
