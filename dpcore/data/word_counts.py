"""Word counts of texts, and their vocabulary and weights, which public texts determine.

Each text is split into words independently, so the table of all words leaks nothing as long as only columns in the
*public* vocabulary are used: a cell depends on its own row only.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from dpcore import check

# If a share of each source is public, it is at most one row in this many.
PUBLIC_PART = 3
# Shares of the public texts between which a word is in the vocabulary.
_LEAST_SHARE, _MOST_SHARE = 0.005, 0.5
_SUBLINEAR = np.array([0.0, *(1 + math.log(count) for count in range(1, 256))], dtype=np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """counts (n, words), y (n,) in {0, 1}, domain (n,): the source of each document.

    real: the words are those of all documents and must be restricted to the public ones; else all words are public.
    public: indices of documents that are all public, of no domain (-1); None if each domain gives some.
    """

    counts: sparse.csr_matrix
    y: np.ndarray
    domain: np.ndarray
    real: bool = False
    public: np.ndarray | None = None

    def counted(self, public: np.ndarray) -> sparse.csr_matrix:
        """Return the counts of all documents, restricted to the vocabulary of the documents ``public``."""
        return self.counts[:, vocabulary(self.counts[public])] if self.real else self.counts


def counted(texts: np.ndarray) -> sparse.csr_matrix:
    """Return counts (n, words) of all words of at least two letters, without English stop words."""
    try:
        counts = CountVectorizer(stop_words="english", dtype=np.float32).fit_transform(texts)
    except ValueError:
        raise check.RefusedError("texts", f"{len(texts)} texts", "texts with words in them") from None
    counts.sort_indices()  # otherwise column order, and so rounding, would depend on words of earlier texts
    return counts


def vocabulary(public: sparse.csr_matrix) -> np.ndarray:
    """Return the columns of words in at least 0.5 % (and two) and at most half of the public texts."""
    texts_with = public.getnnz(axis=0)
    least = max(2, round(_LEAST_SHARE * public.shape[0]))
    found = np.flatnonzero((texts_with >= least) & (texts_with <= _MOST_SHARE * public.shape[0]))
    if len(found) < 2:  # a plane needs two
        raise check.RefusedError("public", f"{public.shape[0]} texts", "texts that share at least a few words")
    return found


def inverse_frequency(public: sparse.csr_matrix) -> np.ndarray:
    """Return idf (words,) = ln((1 + m)/(1 + texts with the word)) + 1 of m public texts."""
    return np.log((1 + public.shape[0]) / (1 + public.getnnz(axis=0))) + 1


def weighted(counts: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """Return (1 + ln count) idf in single precision, each row scaled to norm 1, independent of all other rows.

    Vectorised logarithms round by position in the array, so these come from a table, up to a count of 255.
    """
    data = _SUBLINEAR[np.minimum(counts.data, 255).astype(int)] * idf.astype(np.float32)[counts.indices]
    found = sparse.csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape)
    squares = sparse.csr_matrix((data**2, counts.indices, counts.indptr), shape=counts.shape)
    lengths = np.sqrt(squares @ np.ones(counts.shape[1]))
    found.data = (data / np.repeat(np.maximum(lengths, 1e-12), np.diff(counts.indptr))).astype(np.float32)
    return found
