"""Related domains for transfer: K labelled sources, a public set that mixes them evenly, and a
target mixture.

All rows are in the unit ball. Everything fitted to rows (idf, projection) uses *public* rows only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from dpcore import check
from dpcore.cache import cached
from dpcore.data.domain_text import CORPORA
from dpcore.data.word_counts import Corpus, inverse_frequency, weighted
from dpcore.streams import stream
from dpcore.training import stacks
from dpcore.training.stacks import Matrix

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
# Generated domains: distance of the centres, and steepness of the label probability.
_APART, _STEEP = 0.4, 14.0


@dataclass(frozen=True, kw_only=True)
class Where:
    """Parameters that define the domains (the cache key).

    similarity: of generated sources, 0 to 1. dimension: features after a projection to main
    directions of the public rows ("svd"); "none" keeps all words.
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
class World:
    """A public set (m, d), the same in all repeats, and rows by domain, drawn or divided anew in
    each repeat.

    Texts without a projection are sparse. features: number before a projection.
    rows: (repeat, domain, number of rows) -> (X, y, row identifiers).
    """

    public: Matrix
    features: int
    rows: Callable[[int, int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Draw:
    """The rows of a domain in one repeat: two disjoint parts of the source, and the rest for the
    target.
    """

    labelled: tuple[np.ndarray, ...]
    unlabelled: tuple[np.ndarray, ...]
    left: tuple[np.ndarray, ...]


@cached(newest=3)
def world(where: Where) -> World:
    """Return the domains of ``where``, cached."""
    return _generated(where) if where.kind == "domains" else _of_text(where)


def draw(
    where: Where, repeat: int, domain: int, *, labelled: int, unlabelled: int, target: int
) -> Draw:
    """Divide a domain's rows of a repeat; ``target`` is the number of rows left for the target and
    its test.
    """
    part = world(where).rows(repeat, domain, labelled + unlabelled + target)
    cuts = (0, labelled, labelled + unlabelled, None)
    first, second, third = (
        tuple(column[start:end] for column in part) for start, end in pairwise(cuts)
    )
    return Draw(labelled=first, unlabelled=second, left=third)


def mixed(
    left: list, shares: np.ndarray, rows: int, rng: np.random.Generator
) -> tuple[Matrix, np.ndarray]:
    """Return (X, y) of ``rows`` shuffled rows with domain ``shares``, or fewer if a domain lacks
    rows.
    """
    counts = np.floor(rows * shares + 0.5).astype(int)
    most = min(
        (len(part[1]) / count for part, count in zip(left, counts, strict=True) if count),
        default=1.0,
    )
    counts = np.floor(counts * min(1.0, most)).astype(int)
    X, y = (
        stacks.joined([part[at][:n] for part, n in zip(left, counts, strict=True)]) for at in (0, 1)
    )
    order = rng.permutation(len(y))
    return X[order], y[order]


def unit(X: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Scale each row of ``X`` to norm 1, except rows of zeros; ``out``: an array for the result,
    which X may be.
    """
    lengths = np.sqrt(np.einsum("...j,...j->...", X, X))  # without a second array as large as X
    return np.divide(X, np.maximum(lengths, 1e-12)[..., None], out=out)


def _generated(where: Where) -> World:
    """Return Gaussian clouds on the unit sphere with labels along theta_k.

    theta_k = similarity theta_0 + sqrt(1 - similarity^2) u_k, with theta_0 common to all sources
    and u_k specific.
    """
    rng = stream(where.seed, "data")
    d, K, s = where.dimension, where.sources, where.similarity
    common, own, centres = _directions(rng, d, K)
    directions = unit(s * common + np.sqrt(1 - s**2) * own)
    centres = centres - (centres * directions).sum(axis=1, keepdims=True) * directions
    centres = _APART * unit(centres)

    def cloud(rng: np.random.Generator, k: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(rows, d))
        X /= np.sqrt(d)
        X += centres[k]
        y = rng.random(rows) < 1 / (1 + np.exp(-_STEEP * unit(X, out=X) @ directions[k]))
        return X, y.astype(int)

    def rows(repeat: int, k: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return *cloud(stream(where.seed, "data", repeat + 1, k), k, count), np.arange(count)

    public = [
        cloud(stream(where.seed, "data", 0, k + 1), k, n)[0]
        for k, n in enumerate(_even(where.public_rows, K))
    ]
    return World(public=np.concatenate(public), features=d, rows=rows)


def _directions(
    rng: np.random.Generator, d: int, K: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a common direction (d,), and one for each source's labels and centre (K, d),
    orthogonal if d permits.
    """
    raw = rng.normal(size=(2 * K + 1, d))
    if d >= 2 * K + 1:
        raw = np.linalg.qr(raw.T)[0].T
    raw = unit(raw)
    return raw[0], raw[1 : K + 1], raw[K + 1 :]


def _even(rows: int, parts: int) -> list[int]:
    return [rows // parts + (place < rows % parts) for place in range(parts)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Texts:
    """Data shared by all projections: tf-idf (n, words), labels, and document indices (public, by
    domain).
    """

    weighted: sparse.csr_matrix
    y: np.ndarray
    public: np.ndarray
    kept: list[np.ndarray]


@cached(newest=3)
def _texts(where: Where) -> Texts:
    corpus = CORPORA[where.kind](where.sources, where.similarity, where.seed)
    public, kept = _divided(corpus, where)
    found = weighted(corpus.counts, inverse_frequency(corpus.counts[public]))
    return Texts(weighted=found, y=corpus.y, public=public, kept=kept)


@cached(newest=3)
def _along(where: Where) -> np.ndarray:
    """Return all texts projected to the first 60 principal directions of the public ones,
    (n, 60).
    """
    texts = _texts(replace(where, projection="none"))
    public = texts.weighted[texts.public]
    return texts.weighted @ main_directions(public, where.dimension, seed=where.seed).astype(
        np.float32
    )


def _divided(corpus: Corpus, where: Where) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return (indices of public documents, those of each domain's private ones), without looking at
    the contents.
    """
    public, kept = [], []
    for k, count in enumerate(_even(where.public_rows, where.sources)):
        order = stream(where.seed, "split", 0, k).permutation(np.flatnonzero(corpus.domain == k))
        given = min(count, len(order) // PUBLIC_PART)
        public.append(order[:given])
        kept.append(order[given:])
    return np.concatenate(public), kept


def _of_text(where: Where) -> World:
    """Return domains of texts: tf-idf and projection fitted to public texts, then each row scaled
    to norm 1.
    """
    widest = replace(where, dimension=WIDEST)
    texts = _texts(replace(widest, projection="none"))
    if where.projection == "none":
        X = texts.weighted  # rows already have norm 1
    else:
        X = unit(_along(widest)[:, : where.dimension].astype(float))

    def rows(repeat: int, k: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        names = stream(where.seed, "split", repeat + 1, k).permutation(texts.kept[k])[:count]
        return X[names], texts.y[names], names

    return World(public=X[texts.public], features=texts.weighted.shape[1], rows=rows)


def main_directions(public: sparse.csr_matrix, dimension: int, *, seed: int) -> np.ndarray:
    """Return the principal directions (features, d) of the public rows."""
    _, _, directions = randomized_svd(
        public.astype(float), min(dimension, *public.shape), n_iter=3, random_state=seed
    )
    return directions.T
