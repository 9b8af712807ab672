"""Word counts of texts, and word weights that public texts determine (tf-idf).

A corpus is a collection of texts. Words that occur in few texts weigh more. The vocabulary is
public.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

# Counts beyond this one get its weight.
_LARGEST_COUNT = 255
_LOGARITHMS = [1 + math.log(count) for count in range(1, _LARGEST_COUNT + 1)]
# Entry c is 1 + ln c, and entry 0 is 0. Vectorised logarithms round by position in the array, so
# the weights of a text would depend on the texts before it. A table avoids that.
_SUBLINEAR = np.array([0.0, *_LOGARITHMS], dtype=np.float32)
# Replaces the length 0 of a text without words as divisor.
_LEAST_LENGTH = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """Texts as counts of words.

    Attributes:
        counts: Occurrences of each word of the vocabulary in each text, (n, words).
        y: Label of each text, 0 or 1, (n,).
        domain: Number of the source of each text, (n,).
    """

    counts: sparse.csr_matrix
    y: np.ndarray
    domain: np.ndarray


def inverse_frequency(public: sparse.csr_matrix) -> np.ndarray:
    """Return the inverse document frequency of each word in m public texts, (words,).

    It is ln((1 + m) / (1 + number of texts with the word)) + 1.
    """
    texts = public.shape[0]
    texts_with_word = public.getnnz(axis=0)
    return np.log((1 + texts) / (1 + texts_with_word)) + 1


def weighted(counts: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """Return (1 + ln count) idf in single precision, with each row scaled to norm 1.

    Every row is independent of all other rows.

    Args:
        counts: Occurrences of each word in each text, (n, words).
        idf: Inverse document frequency of each word, (words,).
    """
    table_index = np.minimum(counts.data, _LARGEST_COUNT).astype(int)
    idf_of_entry = idf.astype(np.float32)[counts.indices]
    data = _SUBLINEAR[table_index] * idf_of_entry
    squares = sparse.csr_matrix((data**2, counts.indices, counts.indptr), shape=counts.shape)
    row_lengths = np.sqrt(squares @ np.ones(counts.shape[1]))
    entries_per_row = np.diff(counts.indptr)
    length_of_entry = np.repeat(np.maximum(row_lengths, _LEAST_LENGTH), entries_per_row)
    scaled = (data / length_of_entry).astype(np.float32)
    return sparse.csr_matrix((scaled, counts.indices, counts.indptr), shape=counts.shape)
