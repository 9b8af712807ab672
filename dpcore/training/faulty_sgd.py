"""Training loops that deviate from DP-SGD, to show what the deviations cost.

The guarantee of ``dpcore.training.sgd`` does not hold for them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dpcore.training import batches

# Name -> deviation from the algorithm that the accountants assume.
FAULTS = {
    "inside": "noise for every example, inside of the sum",
    "realised": "division by the size that the batch happens to have",
    "shuffled": "batches cut from a shuffle of the rows in every epoch",
}


def shuffled_batches(
    seed: int, indices: Sequence[int], *, rows: int, rate: float, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield batches of one size, cut from a shuffle of the rows; see ``batches.shuffled``."""
    size = max(1, round(rate * rows))
    return batches.shuffled(seed, indices, rows=rows, size=size, first=first, last=last)


def noise_of_sum(fault: str, noise: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the noise in the sum over each batch, (R, P).

    Args:
        fault: A key of ``FAULTS``.
        noise: Noise of the scale that the algorithm adds once per batch, (R, P).
        members: Row numbers of each batch, (R, W).
    """
    if fault == "inside":
        return noise * np.sqrt(_sizes(members, noise.dtype))
    return noise


def divisor(fault: str, members: np.ndarray, expected_size: float, dtype: np.dtype) -> Any:
    """Return the number by which the sum over each batch is divided, one for all or (R, 1).

    Args:
        fault: A key of ``FAULTS``.
        members: Row numbers of each batch, (R, W).
        expected_size: The number by which the algorithm divides.
        dtype: Precision of the arithmetic.
    """
    if fault == "realised":
        return np.maximum(_sizes(members, dtype), 1)
    return expected_size


def _sizes(members: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the size of each batch, (R, 1)."""
    is_member = members != batches.NOBODY
    return is_member.sum(axis=1, keepdims=True).astype(dtype)
