"""Word counts of texts, and the weights of words, which public texts determine.

The vocabulary is public.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

_SUBLINEAR = np.array([0.0, *(1 + math.log(count) for count in range(1, 256))], dtype=np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """counts (n, words), y (n,) in {0, 1}, domain (n,): the source of each document."""

    counts: sparse.csr_matrix
    y: np.ndarray
    domain: np.ndarray


def inverse_frequency(public: sparse.csr_matrix) -> np.ndarray:
    """Return idf (words,) = ln((1 + m)/(1 + texts with the word)) + 1 of m public texts."""
    return np.log((1 + public.shape[0]) / (1 + public.getnnz(axis=0))) + 1


def weighted(counts: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """Return (1 + ln count) idf in single precision, each row scaled to norm 1, independent of all
    other rows.

    Vectorised logarithms round by position in the array, so these come from a table, up to a count
    of 255.
    """
    data = (
        _SUBLINEAR[np.minimum(counts.data, 255).astype(int)]
        * idf.astype(np.float32)[counts.indices]
    )
    found = sparse.csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape)
    squares = sparse.csr_matrix((data**2, counts.indices, counts.indptr), shape=counts.shape)
    lengths = np.sqrt(squares @ np.ones(counts.shape[1]))
    found.data = (data / np.repeat(np.maximum(lengths, 1e-12), np.diff(counts.indptr))).astype(
        np.float32
    )
    return found
