"""Word counts of texts from several domains: generated texts and 20 Newsgroups.

The generated texts have the sizes of [wang2019]: topics 5,588 terms, reviews 2,969. The vocabulary is public.
"""

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import fetch_20newsgroups

from dpcore.cache import cached
from dpcore.data.word_counts import Corpus, counted
from dpcore.streams import stream

# Each computer topic with 2 others is a source; the pairing is arbitrary, like that of the paper's table.
COMPUTER = (
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
)
OTHERS = (
    ("rec.autos", "sci.space"),
    ("rec.motorcycles", "talk.politics.guns"),
    ("rec.sport.baseball", "sci.med"),
    ("rec.sport.hockey", "talk.religion.misc"),
    ("sci.crypt", "talk.politics.mideast"),
)
_TOPIC_TERMS, _REVIEW_TERMS = 5588, 2969
# Documents per domain, and words per document (median, and standard deviation of the logarithm).
_DOCUMENTS, _WORDS, _SPREAD = 4200, 60, 0.6
_CACHE = "20news-bydate_py3.pkz"


@cached(newest=2)
def topics(sources: int, similarity: float, seed: int) -> Corpus:
    """Return generated texts labelled "about computers": one topic of each source, beside two others."""
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
    """Return generated reviews labelled "positive"; pairs of sources share half of their subject (books and DVDs)."""
    rng = stream(seed, "data", 0, 91)
    opinions = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
    pairs = [_words(rng, _REVIEW_TERMS, 200) for _ in range(2)]
    distributions = []
    for k in range(sources):
        subject = (_words(rng, _REVIEW_TERMS, 200) + pairs[k // 2]) / 2
        own = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
        said = [similarity * both + (1 - similarity) * alone for both, alone in zip(opinions, own, strict=True)]
        good, bad = (0.6 * subject + 0.4 * one for one in said)
        distributions.append(((good, good), (bad, bad)))
    return _generated_corpus(rng, distributions, share=0.2)


def _words(rng: np.random.Generator, terms: int, count: int) -> np.ndarray:
    """Return the word distribution (terms,) of a subject: ``count`` random words, some more frequent than others."""
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
                parts.append(_documents(rng, share * distribution + (1 - share) * common_words, _DOCUMENTS // 4))
                labels.append(np.full(_DOCUMENTS // 4, label))
    y = np.concatenate(labels)
    domain = np.repeat(np.arange(len(distributions)), len(y) // len(distributions))
    return Corpus(counts=sparse.vstack(parts, format="csr"), y=y, domain=domain)


def _documents(rng: np.random.Generator, distribution: np.ndarray, count: int) -> sparse.csr_matrix:
    lengths = np.maximum(rng.lognormal(np.log(_WORDS), _SPREAD, count).astype(int), 5)
    ends = np.cumsum(distribution)
    words = np.minimum(_places(ends, rng.random(lengths.sum())), len(distribution) - 1)
    where = np.repeat(np.arange(count), lengths)
    found = sparse.coo_matrix((np.ones(len(words)), (where, words)), shape=(count, len(distribution))).tocsr()
    found.sum_duplicates()
    return found


def _places(ends: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return ``np.searchsorted(ends, shares * ends[-1])`` for shares in [0, 1), faster by a lookup table."""
    cells = 1 << 16
    begin = np.searchsorted(ends, np.arange(cells) * (ends[-1] / cells))
    asked = shares * ends[-1]
    found = begin[(shares * cells).astype(int)]
    late = np.flatnonzero(ends[found] < asked)
    while len(late):
        found[late] += 1
        late = late[ends[found[late]] < asked[late]]
    return found


class NoNewsgroupsError(RuntimeError):
    """Raised if 20 Newsgroups are not cached or cannot be downloaded; the message is a sentence for a page."""


def newsgroups_here() -> bool:
    """Return whether scikit-learn has 20 Newsgroups in its cache and can read them, without downloading anything."""
    home = Path(os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")).expanduser()
    if not (home / _CACHE).exists():
        return False  # otherwise scikit-learn would create its folder
    try:
        _newsgroups(download=False)
    except NoNewsgroupsError:
        return False
    return True


def fetch_newsgroups() -> None:
    """Download 20 Newsgroups (14 MB) into scikit-learn's cache; raise NoNewsgroupsError if that fails."""
    _newsgroups(download=True)


@lru_cache(maxsize=1)
def _newsgroups(*, download: bool):
    try:
        return fetch_20newsgroups(subset="all", remove=("headers", "footers", "quotes"), download_if_missing=download)
    except Exception as error:  # network, disk or a broken file: a page treats them alike
        what = "could not be downloaded" if download else "are not on this machine yet"
        raise NoNewsgroupsError(f"20 Newsgroups {what} ({type(error).__name__}).") from error


@cached(newest=1)
def newsgroups(sources: int, similarity: float, seed: int) -> Corpus:
    """Return 20 Newsgroups labelled "about computers", without headers, footers and quotes."""
    found = _newsgroups(download=False)
    names = np.array(found.target_names)[found.target]
    domain, y = np.full(len(names), -1), np.zeros(len(names), int)
    for k, (computer, others) in enumerate(zip(COMPUTER, OTHERS, strict=True)):
        domain[np.isin(names, (computer, *others))] = k
        y[names == computer] = 1
    kept = np.flatnonzero((domain >= 0) & (domain < sources))
    texts = np.array(found.data, dtype=object)[kept]
    return Corpus(counts=counted(texts), y=y[kept], domain=domain[kept], real=True)


CORPORA: dict[str, Callable[[int, float, int], Corpus]] = {
    "topics": topics,
    "reviews": reviews,
    "newsgroups": newsgroups,
}
