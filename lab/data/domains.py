"""Related domains for transfer learning.

There are K labelled sources, a public set that mixes them evenly, and a target mixture. All rows
are in the unit ball. Everything fitted to rows (word weights, projection) uses *public* rows only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from dpcore import check
from dpcore.cache import cached
from dpcore.streams import stream
from dpcore.training import dense_or_sparse
from dpcore.training.dense_or_sparse import Matrix
from lab.data.domain_text import CORPORA
from lab.data.word_counts import Corpus, inverse_frequency, weighted

KINDS = {
    "domains": "Generated domains",
    "topics": "Topics (generated text)",
    "reviews": "Reviews (generated text)",
}
PROJECTIONS = ("svd", "none")
# Of the documents of each source, at most one in this many is public.
PUBLIC_PART = 3
# Maximum number of features after a projection.
WIDEST = 60
# Generated domains: distance of the centres from 0, and steepness of the label probability.
_CENTRE_NORM = 0.4
_STEEPNESS = 14.0
# Replaces the norm 0 of a row of zeros as divisor.
_LEAST_NORM = 1e-12

# Rows X (n, d), labels y (n,) and identifiers of the rows (n,).
Rows = tuple[Matrix, np.ndarray, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class DomainParams:
    """Parameters that determine the domains. They are the key of the cache.

    Attributes:
        kind: A key of ``KINDS``.
        sources: Number of domains K.
        similarity: Of generated sources, 0 to 1.
        dimension: Number of features after a projection.
        projection: "svd" to the main directions of the public rows; "none" keeps all words.
        public_rows: Number of public rows.
        seed: Of the data.
    """

    kind: str
    sources: int
    similarity: float
    dimension: int
    projection: str
    public_rows: int
    seed: int

    def __post_init__(self) -> None:
        check.choice(KINDS, kind=self.kind)
        check.choice(PROJECTIONS, projection=self.projection)


@dataclass(frozen=True, kw_only=True, eq=False)
class DomainData:
    """The public rows, the same in all repeats, and the rows of each domain, new in each repeat.

    Texts without a projection are sparse.

    Attributes:
        public: Public rows (m, d).
        features: Number of features before a projection.
        rows: Returns the rows of (repeat, domain, number of rows), drawn or divided anew.
    """

    public: Matrix
    features: int
    rows: Callable[[int, int, int], Rows]


@dataclass(frozen=True, kw_only=True, eq=False)
class Draw:
    """The disjoint rows of a domain in one repeat.

    Attributes:
        labelled: Labelled rows of the source.
        unlabelled: Unlabelled rows of the source.
        remaining: Rows for the target and its test.
    """

    labelled: Rows
    unlabelled: Rows
    remaining: Rows


@cached(newest=3)
def load(params: DomainParams) -> DomainData:
    """Return the domains with these parameters, cached."""
    if params.kind == "domains":
        return _generated(params)
    return _of_texts(params)


def draw(
    params: DomainParams, repeat: int, domain: int, *, labelled: int, unlabelled: int, target: int
) -> Draw:
    """Divide the rows of a domain in one repeat.

    Args:
        params: Of the domains.
        repeat: Number of the repeat.
        domain: Number of the domain.
        labelled: Number of labelled rows.
        unlabelled: Number of unlabelled rows.
        target: Number of rows that remain for the target and its test.
    """
    X, y, identifiers = load(params).rows(repeat, domain, labelled + unlabelled + target)

    def part(rows: slice) -> Rows:
        """Return (inputs, classes, identifiers) of some of the rows."""
        return X[rows], y[rows], identifiers[rows]

    end_of_unlabelled = labelled + unlabelled
    return Draw(
        labelled=part(slice(labelled)),
        unlabelled=part(slice(labelled, end_of_unlabelled)),
        remaining=part(slice(end_of_unlabelled, None)),
    )


def mixed(
    remaining: list[Rows], shares: np.ndarray, rows: int, rng: np.random.Generator
) -> tuple[Matrix, np.ndarray]:
    """Return (X, y) of shuffled rows from all domains.

    Args:
        remaining: Rows of each domain.
        shares: Share of each domain in the result, (K,).
        rows: Number of rows; fewer are returned if a domain lacks some.
        rng: Shuffles the rows.
    """
    counts = np.floor(rows * shares + 0.5).astype(int)
    # The largest share of the rows that every domain can supply.
    supply = 1.0
    for (_, y, _), count in zip(remaining, counts, strict=True):
        if count > 0:
            supply = min(supply, len(y) / count)
    counts = np.floor(counts * supply).astype(int)
    X_parts = []
    y_parts = []
    for (X, y, _), count in zip(remaining, counts, strict=True):
        X_parts.append(X[:count])
        y_parts.append(y[:count])
    X = dense_or_sparse.concat(X_parts)
    y = dense_or_sparse.concat(y_parts)
    order = rng.permutation(len(y))
    return X[order], y[order]


def unit(X: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Scale each row of ``X`` to norm 1, except rows of zeros.

    Args:
        X: Rows (..., d).
        out: An array for the result, which may be ``X``.
    """
    # Unlike np.linalg.norm, einsum needs no second array as large as X.
    lengths = np.sqrt(np.einsum("...j,...j->...", X, X))
    return np.divide(X, np.maximum(lengths, _LEAST_NORM)[..., None], out=out)


# --- Generated domains ----------------------------------------------------------------------------


def _generated(params: DomainParams) -> DomainData:
    """Return Gaussian clouds on the unit sphere, with labels along theta_k.

    theta_k = similarity theta_0 + sqrt(1 - similarity^2) u_k, with theta_0 common to all sources
    and u_k specific.
    """
    rng = stream(params.seed, "data")
    dimension = params.dimension
    similarity = params.similarity
    common, specific, centres = _directions(rng, dimension, params.sources)
    directions = unit(similarity * common + np.sqrt(1 - similarity**2) * specific)
    # Centres are orthogonal to the labels' directions, so that both labels are equally frequent.
    centres = centres - (centres * directions).sum(axis=1, keepdims=True) * directions
    centres = _CENTRE_NORM * unit(centres)

    def cloud(rng: np.random.Generator, domain: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (inputs (rows, d), classes (rows,)) of people of a domain.

        Inputs are a Gaussian cloud around the domain's centre, scaled to norm 1. Class 1 has the
        probability of a logistic model along the domain's direction.
        """
        X = rng.normal(size=(rows, dimension))
        X /= np.sqrt(dimension)
        X += centres[domain]
        uniform = rng.random(rows)
        X = unit(X, out=X)
        probability = 1 / (1 + np.exp(-_STEEPNESS * X @ directions[domain]))
        y = uniform < probability
        return X, y.astype(int)

    def rows_of_domain(repeat: int, domain: int, count: int) -> Rows:
        """Return (inputs, classes, row numbers) of people drawn anew in each repeat."""
        X, y = cloud(stream(params.seed, "data", repeat + 1, domain), domain, count)
        return X, y, np.arange(count)

    public = []
    for domain, count in enumerate(_even_parts(params.public_rows, params.sources)):
        X, _ = cloud(stream(params.seed, "data", 0, domain + 1), domain, count)
        public.append(X)
    return DomainData(public=np.concatenate(public), features=dimension, rows=rows_of_domain)


def _directions(
    rng: np.random.Generator, dimension: int, sources: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random directions: a common one (d,), and one for labels and centre of each source.

    The latter two are (K, d). All are orthogonal if the dimension permits.
    """
    count = 2 * sources + 1
    directions = rng.normal(size=(count, dimension))
    if dimension >= count:
        orthogonal_columns, _ = np.linalg.qr(directions.T)
        directions = orthogonal_columns.T
    directions = unit(directions)
    return directions[0], directions[1 : sources + 1], directions[sources + 1 :]


def _even_parts(rows: int, parts: int) -> list[int]:
    """Return the sizes of ``parts`` parts of so many rows, the larger ones first."""
    sizes = []
    for part in range(parts):
        size = rows // parts
        if part < rows % parts:
            size = size + 1
        sizes.append(size)
    return sizes


# --- Domains of texts -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Texts:
    """Data shared by all projections.

    Attributes:
        weighted: Weights of the words in each text, (n, words).
        y: Label of each text, (n,).
        public: Numbers of the public texts.
        private: Numbers of the private texts of each domain.
    """

    weighted: sparse.csr_matrix
    y: np.ndarray
    public: np.ndarray
    private: list[np.ndarray]


@cached(newest=3)
def _texts(params: DomainParams) -> Texts:
    """Return the weighted texts of a collection, divided into public and private ones."""
    corpus = CORPORA[params.kind](params.sources, params.similarity, params.seed)
    public, private = _divide(corpus, params)
    idf = inverse_frequency(corpus.counts[public])
    return Texts(weighted=weighted(corpus.counts, idf), y=corpus.y, public=public, private=private)


@cached(newest=3)
def _projected(params: DomainParams) -> np.ndarray:
    """Return all texts projected to main directions of the public ones, (n, ``dimension``)."""
    texts = _texts(replace(params, projection="none"))
    public = texts.weighted[texts.public]
    directions = main_directions(public, params.dimension, seed=params.seed)
    return texts.weighted @ directions.astype(np.float32)


def _divide(corpus: Corpus, params: DomainParams) -> tuple[np.ndarray, list[np.ndarray]]:
    """Choose the public texts without looking at their contents.

    Returns:
        The numbers of the public texts, and those of the private texts of each domain.
    """
    public = []
    private = []
    for domain, wanted in enumerate(_even_parts(params.public_rows, params.sources)):
        texts = np.flatnonzero(corpus.domain == domain)
        order = stream(params.seed, "split", 0, domain).permutation(texts)
        count = min(wanted, len(order) // PUBLIC_PART)
        public.append(order[:count])
        private.append(order[count:])
    return np.concatenate(public), private


def _of_texts(params: DomainParams) -> DomainData:
    """Return domains of texts, with each row scaled to norm 1.

    Word weights and projection are fitted to public texts.
    """
    # With the same dimension for all, texts and projection are computed once for all dimensions.
    widest = replace(params, dimension=WIDEST)
    texts = _texts(replace(widest, projection="none"))
    if params.projection == "none":
        # These rows have norm 1 already.
        X = texts.weighted
    else:
        X = unit(_projected(widest)[:, : params.dimension].astype(float))

    def rows_of_domain(repeat: int, domain: int, count: int) -> Rows:
        """Return (inputs, classes, row numbers) of texts in an order of the repeat's own."""
        order = stream(params.seed, "split", repeat + 1, domain).permutation(texts.private[domain])
        chosen = order[:count]
        return X[chosen], texts.y[chosen], chosen

    return DomainData(public=X[texts.public], features=texts.weighted.shape[1], rows=rows_of_domain)


def main_directions(public: sparse.csr_matrix, dimension: int, *, seed: int) -> np.ndarray:
    """Return the first principal directions of the public rows, (features, dimension)."""
    count = min(dimension, *public.shape)
    _, _, directions = randomized_svd(public.astype(float), count, n_iter=3, random_state=seed)
    return directions.T
