"""Word counts of generated texts from several domains.

They have the sizes of [wang2019]: topics 5,588 terms, reviews 2,969. The vocabulary is public.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from dpcore.cache import cached
from dpcore.data.word_counts import Corpus
from dpcore.streams import stream

_TOPIC_TERMS, _REVIEW_TERMS = 5588, 2969
# Documents per domain, and words per document (median, and standard deviation of the logarithm).
_DOCUMENTS, _WORDS, _SPREAD = 4200, 60, 0.6


@cached(newest=2)
def topics(sources: int, similarity: float, seed: int) -> Corpus:
    """Return generated texts labelled "about computers": one topic of each source, beside two
    others.
    """
    rng = stream(seed, "data", 0, 90)
    common = _words(rng, _TOPIC_TERMS, 150)
    distributions = []
    for _ in range(sources):
        own = _words(rng, _TOPIC_TERMS, 150)
        computer = similarity * common + (1 - similarity) * own
        others = [_words(rng, _TOPIC_TERMS, 150) for _ in range(2)]
        distributions.append(((computer, computer), others))
    return _generated_corpus(rng, distributions, share=0.15)


@cached(newest=2)
def reviews(sources: int, similarity: float, seed: int) -> Corpus:
    """Return generated reviews labelled "positive"; pairs of sources share half of their subject
    (books and DVDs).
    """
    rng = stream(seed, "data", 0, 91)
    opinions = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
    pairs = [_words(rng, _REVIEW_TERMS, 200) for _ in range(2)]
    distributions = []
    for k in range(sources):
        subject = (_words(rng, _REVIEW_TERMS, 200) + pairs[k // 2]) / 2
        own = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
        said = [
            similarity * both + (1 - similarity) * alone
            for both, alone in zip(opinions, own, strict=True)
        ]
        good, bad = (0.6 * subject + 0.4 * one for one in said)
        distributions.append(((good, good), (bad, bad)))
    return _generated_corpus(rng, distributions, share=0.2)


def _words(rng: np.random.Generator, terms: int, count: int) -> np.ndarray:
    """Return the word distribution (terms,) of a subject: ``count`` random words, some more
    frequent than others.
    """
    distribution = np.zeros(terms)
    distribution[rng.choice(terms, count, replace=False)] = rng.gamma(1.0, size=count) + 0.1
    return distribution / distribution.sum()


def _generated_corpus(rng: np.random.Generator, distributions: list, *, share: float) -> Corpus:
    """Return the documents of every domain, ``share`` of whose words come from its subject."""
    terms = len(distributions[0][0][0])
    common_words = 1 / (np.arange(terms) + 20.0)
    common_words = rng.permutation(common_words / common_words.sum())
    parts, labels = [], []
    for positive, negative in distributions:
        for label, pair in ((1, positive), (0, negative)):
            for distribution in pair:
                parts.append(
                    _documents(
                        rng, share * distribution + (1 - share) * common_words, _DOCUMENTS // 4
                    )
                )
                labels.append(np.full(_DOCUMENTS // 4, label))
    y = np.concatenate(labels)
    domain = np.repeat(np.arange(len(distributions)), len(y) // len(distributions))
    return Corpus(counts=sparse.vstack(parts, format="csr"), y=y, domain=domain)


def _documents(rng: np.random.Generator, distribution: np.ndarray, count: int) -> sparse.csr_matrix:
    lengths = np.maximum(rng.lognormal(np.log(_WORDS), _SPREAD, count).astype(int), 5)
    ends = np.cumsum(distribution)
    words = np.minimum(_places(ends, rng.random(lengths.sum())), len(distribution) - 1)
    where = np.repeat(np.arange(count), lengths)
    found = sparse.coo_matrix(
        (np.ones(len(words)), (where, words)), shape=(count, len(distribution))
    ).tocsr()
    found.sum_duplicates()
    return found


def _places(ends: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return ``np.searchsorted(ends, shares * ends[-1])`` for shares in [0, 1), faster by a lookup
    table.
    """
    cells = 1 << 16
    begin = np.searchsorted(ends, np.arange(cells) * (ends[-1] / cells))
    asked = shares * ends[-1]
    found = begin[(shares * cells).astype(int)]
    late = np.flatnonzero(ends[found] < asked)
    while len(late):
        found[late] += 1
        late = late[ends[found[late]] < asked[late]]
    return found


CORPORA: dict[str, Callable[[int, float, int], Corpus]] = {
    "topics": topics,
    "reviews": reviews,
}
