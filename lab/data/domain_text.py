"""Word counts of generated texts from several domains.

They have the sizes of [wang2019]: topics 5,588 terms, reviews 2,969. The vocabulary is public.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from dpcore.cache import cached
from dpcore.streams import stream
from lab.data.word_counts import Corpus

_TOPIC_TERMS = 5588
_REVIEW_TERMS = 2969
_DOCUMENTS_PER_DOMAIN = 4200
# Each domain has two groups of documents for each of the two labels.
_DOCUMENTS_PER_GROUP = _DOCUMENTS_PER_DOMAIN // 4
# Words per document: median, standard deviation of the logarithm, and minimum.
_MEDIAN_WORDS = 60
_WORDS_SPREAD = 0.6
_LEAST_WORDS = 5
# Indices of random streams.
_TOPICS_STREAM = 90
_REVIEWS_STREAM = 91

# The word distributions (terms,) of a domain: two groups of label 1 and two of label 0.
Domain = tuple[list[np.ndarray], list[np.ndarray]]


@cached(newest=2)
def topics(sources: int, similarity: float, seed: int) -> Corpus:
    """Generate texts that are labelled 1 if they are about computers.

    Each source has one topic about computers and two others.

    Args:
        sources: Number of domains.
        similarity: Share of the computer topic that the sources have in common, 0 to 1.
        seed: Of the random numbers.
    """
    rng = stream(seed, "data", 0, _TOPICS_STREAM)
    common = _word_distribution(rng, _TOPIC_TERMS, 150)
    domains = []
    for _ in range(sources):
        specific = _word_distribution(rng, _TOPIC_TERMS, 150)
        computers = similarity * common + (1 - similarity) * specific
        second_topic = _word_distribution(rng, _TOPIC_TERMS, 150)
        third_topic = _word_distribution(rng, _TOPIC_TERMS, 150)
        domains.append(([computers, computers], [second_topic, third_topic]))
    return _generate_corpus(rng, domains, subject_share=0.15)


@cached(newest=2)
def reviews(sources: int, similarity: float, seed: int) -> Corpus:
    """Generate reviews that are labelled 1 if they are positive.

    Sources 2k and 2k + 1 share half of their subject, as books and DVDs do.

    Args:
        sources: Number of domains, at most four.
        similarity: Share of the words of opinion that the sources have in common, 0 to 1.
        seed: Of the random numbers.
    """
    rng = stream(seed, "data", 0, _REVIEWS_STREAM)
    common_praise = _word_distribution(rng, _REVIEW_TERMS, 120)
    common_blame = _word_distribution(rng, _REVIEW_TERMS, 120)
    pair_subjects = [_word_distribution(rng, _REVIEW_TERMS, 200) for _ in range(2)]
    domains = []
    for source in range(sources):
        specific_subject = _word_distribution(rng, _REVIEW_TERMS, 200)
        subject = (specific_subject + pair_subjects[source // 2]) / 2
        specific_praise = _word_distribution(rng, _REVIEW_TERMS, 120)
        specific_blame = _word_distribution(rng, _REVIEW_TERMS, 120)
        praise = similarity * common_praise + (1 - similarity) * specific_praise
        blame = similarity * common_blame + (1 - similarity) * specific_blame
        positive = 0.6 * subject + 0.4 * praise
        negative = 0.6 * subject + 0.4 * blame
        domains.append(([positive, positive], [negative, negative]))
    return _generate_corpus(rng, domains, subject_share=0.2)


def _word_distribution(rng: np.random.Generator, terms: int, count: int) -> np.ndarray:
    """Return the probability (terms,) of each word in texts about one subject.

    Of all words, ``count`` random ones occur, some more often than others.
    """
    frequencies = rng.gamma(1.0, size=count) + 0.1
    words = rng.choice(terms, count, replace=False)
    distribution = np.zeros(terms)
    distribution[words] = frequencies
    return distribution / distribution.sum()


def _generate_corpus(
    rng: np.random.Generator, domains: list[Domain], *, subject_share: float
) -> Corpus:
    """Return the documents of every domain.

    Args:
        rng: Source of the random numbers.
        domains: Word distributions of each domain.
        subject_share: Share of the words that come from the subject; the others are common.
    """
    positive, _ = domains[0]
    terms = len(positive[0])
    common_words = 1 / (np.arange(terms) + 20.0)
    common_words = rng.permutation(common_words / common_words.sum())
    counts = []
    labels = []
    for positive, negative in domains:
        for label, subjects in ((1, positive), (0, negative)):
            for subject in subjects:
                distribution = subject_share * subject + (1 - subject_share) * common_words
                counts.append(_documents(rng, distribution, _DOCUMENTS_PER_GROUP))
                labels.append(np.full(_DOCUMENTS_PER_GROUP, label))
    y = np.concatenate(labels)
    domain = np.repeat(np.arange(len(domains)), len(y) // len(domains))
    return Corpus(counts=sparse.vstack(counts, format="csr"), y=y, domain=domain)


def _documents(rng: np.random.Generator, distribution: np.ndarray, count: int) -> sparse.csr_matrix:
    """Return the word counts (count, terms) of documents with this word distribution."""
    lengths = rng.lognormal(np.log(_MEDIAN_WORDS), _WORDS_SPREAD, count).astype(int)
    lengths = np.maximum(lengths, _LEAST_WORDS)
    cumulative = np.cumsum(distribution)
    words = np.searchsorted(cumulative, rng.random(lengths.sum()) * cumulative[-1])
    # Rounding of the sum can place the last word beyond the end.
    words = np.minimum(words, len(distribution) - 1)
    document_of_word = np.repeat(np.arange(count), lengths)
    counts = sparse.coo_matrix(
        (np.ones(len(words)), (document_of_word, words)), shape=(count, len(distribution))
    ).tocsr()
    counts.sum_duplicates()
    return counts


CORPORA: dict[str, Callable[[int, float, int], Corpus]] = {
    "topics": topics,
    "reviews": reviews,
}
