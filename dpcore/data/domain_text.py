"""Texts of several domains as counts of words: generated ones, and 20 Newsgroups.

The generated ones have the sizes of [wang2019]: topics 5,588 terms, reviews 2,969. The vocabulary is public.
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

# Each of 5 computer topics beside 2 others makes a source: a pairing of ours, as the paper's table is a lottery too.
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
# Documents a domain, and words a document (median, and spread of the logarithm).
_DOCUMENTS, _WORDS, _SPREAD = 4200, 60, 0.6
_CACHE = "20news-bydate_py3.pkz"


@cached(newest=2)
def topics(sources: int, similarity: float, seed: int) -> Corpus:
    """Is it about computers? Half of a source is its computer topic, the rest two others of its own."""
    rng = stream(seed, "data", 0, 90)
    common = _words(rng, _TOPIC_TERMS, 150)
    laws = []
    for _ in range(sources):
        own = _words(rng, _TOPIC_TERMS, 150)
        computer = similarity * common + (1 - similarity) * own
        others = [_words(rng, _TOPIC_TERMS, 150) for _ in range(2)]
        laws.append(((computer, computer), others))
    return _written(rng, laws, share=0.15)


@cached(newest=2)
def reviews(sources: int, similarity: float, seed: int) -> Corpus:
    """Is it praise? Books and DVDs share half of their subject, as do the two others; the dial is for opinions."""
    rng = stream(seed, "data", 0, 91)
    opinions = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
    pairs = [_words(rng, _REVIEW_TERMS, 200) for _ in range(2)]
    laws = []
    for k in range(sources):
        subject = (_words(rng, _REVIEW_TERMS, 200) + pairs[k // 2]) / 2
        own = [_words(rng, _REVIEW_TERMS, 120) for _ in range(2)]
        said = [similarity * both + (1 - similarity) * alone for both, alone in zip(opinions, own, strict=True)]
        good, bad = (0.6 * subject + 0.4 * one for one in said)
        laws.append(((good, good), (bad, bad)))
    return _written(rng, laws, share=0.2)


def _words(rng: np.random.Generator, terms: int, count: int) -> np.ndarray:
    """The law of a subject's own words (terms,): ``count`` of them, some more frequent than others."""
    law = np.zeros(terms)
    law[rng.choice(terms, count, replace=False)] = rng.gamma(1.0, size=count) + 0.1
    return law / law.sum()


def _written(rng: np.random.Generator, laws: list, *, share: float) -> Corpus:
    """Documents of every domain: ``share`` of their words are the subject's, the others anybody's."""
    terms = len(laws[0][0][0])
    anybody = 1 / (np.arange(terms) + 20.0)
    anybody = rng.permutation(anybody / anybody.sum())
    parts, labels = [], []
    for positive, negative in laws:
        for label, pair in ((1, positive), (0, negative)):
            for law in pair:
                parts.append(_documents(rng, share * law + (1 - share) * anybody, _DOCUMENTS // 4))
                labels.append(np.full(_DOCUMENTS // 4, label))
    y = np.concatenate(labels)
    domain = np.repeat(np.arange(len(laws)), len(y) // len(laws))
    return Corpus(counts=sparse.vstack(parts, format="csr"), y=y, domain=domain)


def _documents(rng: np.random.Generator, law: np.ndarray, count: int) -> sparse.csr_matrix:
    lengths = np.maximum(rng.lognormal(np.log(_WORDS), _SPREAD, count).astype(int), 5)
    ends = np.cumsum(law)
    words = np.minimum(_places(ends, rng.random(lengths.sum())), len(law) - 1)
    where = np.repeat(np.arange(count), lengths)
    found = sparse.coo_matrix((np.ones(len(words)), (where, words)), shape=(count, len(law))).tocsr()
    found.sum_duplicates()
    return found


def _places(ends: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """``np.searchsorted(ends, shares * ends[-1])`` for many shares in [0, 1): a table says where to begin, and few
    steps are left."""
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
    """20 Newsgroups are not on this machine, or could not be fetched; the message is a sentence for a page."""


def newsgroups_here() -> bool:
    """Whether scikit-learn has 20 Newsgroups in its cache, and can read them. Nothing is fetched."""
    home = Path(os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")).expanduser()
    if not (home / _CACHE).exists():
        return False  # asking scikit-learn would make its folder
    try:
        _newsgroups(download=False)
    except NoNewsgroupsError:
        return False
    return True


def fetch_newsgroups() -> None:
    """Ask scikit-learn to download 20 Newsgroups (14 MB) into its cache. Raises NoNewsgroupsError if that fails."""
    _newsgroups(download=True)


@lru_cache(maxsize=1)
def _newsgroups(*, download: bool):
    try:
        return fetch_20newsgroups(subset="all", remove=("headers", "footers", "quotes"), download_if_missing=download)
    except Exception as error:  # of the network, of the disk, or of a broken file: all the same to a page
        what = "could not be downloaded" if download else "are not on this machine yet"
        raise NoNewsgroupsError(f"20 Newsgroups {what} ({type(error).__name__}).") from error


@cached(newest=1)
def newsgroups(sources: int, similarity: float, seed: int) -> Corpus:
    """Is it about computers? Real texts without headers, footers and quotes; similarity is what it is."""
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
