"""Texts as counts of words, and what public texts decide about them: which words count, and how much.

A text is split into words by itself, so the table of all words of all texts leaks nothing as long as only columns are
used that the *public* texts name: a column holds, for each row, a count of its own.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from dpcore import check

# A word of the vocabulary is in this share of the public texts.
_LEAST_SHARE, _MOST_SHARE = 0.005, 0.5
_SUBLINEAR = np.array([0.0, *(1 + math.log(count) for count in range(1, 256))], dtype=np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """counts (n, words), y (n,) in {0, 1}, domain (n,): the source that a document is from.

    real: the words are those of all documents, of which the public ones choose; else all words are public. public:
    numbers of the documents that are public as a whole, of no domain (-1); None where each domain gives some.
    """

    counts: sparse.csr_matrix
    y: np.ndarray
    domain: np.ndarray
    real: bool = False
    public: np.ndarray | None = None

    def counted(self, public: np.ndarray) -> sparse.csr_matrix:
        """Counts of all documents, in the words of the documents number ``public`` only."""
        return self.counts[:, vocabulary(self.counts[public])] if self.real else self.counts


def counted(texts: np.ndarray) -> sparse.csr_matrix:
    """Counts (n, words) of every word of at least two letters, English stop words aside."""
    try:
        counts = CountVectorizer(stop_words="english", dtype=np.float32).fit_transform(texts)
    except ValueError:
        raise check.RefusedError("texts", f"{len(texts)} texts", "texts with words in them") from None
    counts.sort_indices()  # else their order, and so the rounding of a sum, would hang on words of earlier texts
    return counts


def vocabulary(public: sparse.csr_matrix) -> np.ndarray:
    """Columns of the words that at least 0.5 % (and two) and at most half of the public texts have."""
    have = public.getnnz(axis=0)
    least = max(2, round(_LEAST_SHARE * public.shape[0]))
    found = np.flatnonzero((have >= least) & (have <= _MOST_SHARE * public.shape[0]))
    if len(found) < 2:  # a plane needs two
        raise check.RefusedError("public", f"{public.shape[0]} texts", "texts that share at least a few words")
    return found


def inverse_frequency(public: sparse.csr_matrix) -> np.ndarray:
    """idf (words,) = ln((1 + m)/(1 + texts that have the word)) + 1, of m public texts."""
    return np.log((1 + public.shape[0]) / (1 + public.getnnz(axis=0))) + 1


def weighted(counts: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """(1 + ln count) idf, each row of length 1; single precision, and not a bit of it from any other row: vectorised
    logarithms round by where in an array they stand, so these come from a table, up to a count of 255."""
    data = _SUBLINEAR[np.minimum(counts.data, 255).astype(int)] * idf.astype(np.float32)[counts.indices]
    found = sparse.csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape)
    squares = sparse.csr_matrix((data**2, counts.indices, counts.indptr), shape=counts.shape)
    lengths = np.sqrt(squares @ np.ones(counts.shape[1]))
    found.data = (data / np.repeat(np.maximum(lengths, 1e-12), np.diff(counts.indptr))).astype(np.float32)
    return found
