"""The private rows of a source in hypothesis transfer, in two parts that share no row."""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.training import dense_or_sparse
from dpcore.training.dense_or_sparse import Matrix

# Bound on the norm of a row.
RADIUS = 1.0
# Rounding that a norm may have beyond its bound.
_ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """Rows of a source that one release uses.

    Attributes:
        rows: Identifiers of the rows, (..., n).
        X: In the unit ball, (..., n, d), maybe sparse.
        y: Labels (..., n), 0 or 1; None if the rows have none.
    """

    rows: np.ndarray
    X: Matrix
    y: np.ndarray | None = None

    def __post_init__(self) -> None:
        labels_fit = self.y is None or self.y.shape == self.rows.shape
        if self.X.shape[:-1] != self.rows.shape or not labels_fit:
            raise check.RefusedError(
                "X", self.X.shape, f"a row for each of {self.rows.shape} names"
            )
        largest_norm = dense_or_sparse.largest_norm(self.X)
        if largest_norm > RADIUS * (1 + _ROUNDING):
            raise check.RefusedError(
                "X", largest_norm, "rows in the unit ball: all noise is made for that"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """The private rows of a source in two parts, each used in one release.

    Raises:
        RefusedError: If the parts overlap, or the labelled part has no labels.
    """

    labelled: Part
    unlabelled: Part

    def __post_init__(self) -> None:
        if self.labelled.y is None:
            raise check.RefusedError("labelled", None, "rows with labels")
        shared = overlap(self.labelled.rows, self.unlabelled.rows)
        if shared:
            raise check.RefusedError(
                "unlabelled", f"{shared} rows of the labelled part", "rows of their own"
            )


def overlap(rows: np.ndarray, other_rows: np.ndarray) -> int:
    """Return the number of row identifiers that occur in both sets, summed over the repeats.

    Args:
        rows: (..., n), different in each repeat.
        other_rows: (..., m), different in each repeat.
    """
    together = np.sort(np.concatenate([rows, other_rows], axis=-1), axis=-1)
    is_repeated = np.diff(together, axis=-1) == 0
    return int(is_repeated.sum())
