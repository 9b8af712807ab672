"""The domains: unit balls, mixtures, and nothing fitted to private rows."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from lab.data import domains, word_counts
from lab.data.domains import DomainParams
from lab.data.word_counts import Corpus

# Rows are kept in single precision.
SINGLE_PRECISION = 1e-6

SOURCES = 3
PUBLIC_ROWS = 300
DIMENSION = 12
# Words of a corpus; generated domains have features alone.
FEATURES = {"domains": DIMENSION, "topics": 5588, "reviews": 2969}


def params_of(kind="topics", **changes) -> DomainParams:
    """Return the parameters of three domains of this kind, with the given fields changed."""
    options = {
        "sources": SOURCES,
        "similarity": 0.5,
        "dimension": DIMENSION,
        "projection": "svd",
        "public_rows": PUBLIC_ROWS,
        "seed": 2,
        **changes,
    }
    return DomainParams(kind=kind, **options)


def dense(X) -> np.ndarray:
    """Return rows, which may be sparse, as an array."""
    if sparse.issparse(X):
        return X.toarray()
    return X


@pytest.mark.parametrize("kind", domains.KINDS)
@pytest.mark.parametrize("projection", domains.PROJECTIONS)
class TestRows:
    """Public rows, and 120 labelled, 80 unlabelled and 100 remaining ones of each domain."""

    SIZES = (120, 80, 100)

    @pytest.fixture
    def params(self, kind, projection):
        """Return the parameters of this kind with this projection."""
        return params_of(kind, projection=projection)

    @pytest.fixture
    def draws(self, params):
        """The three parts of each domain."""
        draws = []
        for domain in range(SOURCES):
            draw = domains.draw(params, 1, domain, labelled=120, unlabelled=80, target=100)
            draws.append((draw.labelled, draw.unlabelled, draw.remaining))
        return draws

    @pytest.fixture
    def rows_of_domains(self, draws):
        """All rows of each domain, dense."""
        rows_of_domains = []
        for parts in draws:
            rows_of_domains.append(np.concatenate([dense(X) for X, _, _ in parts]))
        return rows_of_domains

    def test_public_rows_have_all_words_or_the_dimension(self, params, kind, projection):
        features = DIMENSION
        if projection == "none":
            features = FEATURES[kind]

        assert domains.load(params).public.shape == (PUBLIC_ROWS, features)

    def test_parts_have_the_sizes_that_were_asked_for(self, draws):
        for parts in draws:
            sizes = tuple(len(y) for _, y, _ in parts)
            assert sizes == self.SIZES

    def test_rows_are_in_the_unit_ball(self, rows_of_domains, projection):
        # Rows without a projection are in single precision.
        rounding_error = 1e-9
        if projection == "none":
            rounding_error = 1e-6

        for rows in rows_of_domains:
            assert np.linalg.norm(rows, axis=1).max() <= 1 + rounding_error

    def test_no_row_is_in_two_parts(self, draws):
        for parts in draws:
            identifiers = np.concatenate([names for _, _, names in parts])
            assert len(np.unique(identifiers)) == sum(self.SIZES)

    def test_no_private_row_is_public(self, params, rows_of_domains):
        public = {row.tobytes() for row in dense(domains.load(params).public)}

        for rows in rows_of_domains:
            assert public.isdisjoint(row.tobytes() for row in rows)

    def test_both_classes_are_about_as_frequent(self, draws):
        for labelled, _, _ in draws:
            _, y, _ = labelled
            assert 0.4 < y.mean() < 0.6


@pytest.mark.parametrize(
    ("shares", "rows", "counts"),
    [
        pytest.param([0.6, 0, 0.4], 100, [60, 0, 40], id="enough rows"),
        # 180 of 90 are wanted, and the other count shrinks alike.
        pytest.param([0.9, 0, 0.1], 200, [90, 0, 10], id="too few rows"),
    ],
)
def test_a_target_is_the_mixture_that_was_asked_for(shares, rows, counts):
    remaining = []
    for domain in range(3):
        X = np.full((90, 1), domain)
        y = np.full(90, domain)
        remaining.append((X, y, np.arange(90)))

    _, y = domains.mixed(remaining, np.array(shares), rows, np.random.default_rng(0))

    assert np.bincount(y, minlength=3).tolist() == counts


def clear_caches() -> None:
    """Clear the caches of loaded domains."""
    domains._texts.cache_clear()
    domains._projected.cache_clear()
    domains.load.cache_clear()


class World(NamedTuple):
    """What a corpus becomes: rows of its first text, of all other private ones, and public ones."""

    first: np.ndarray
    others: np.ndarray
    public: np.ndarray


def others_equal(world: World, changed_world: World) -> bool:
    """Return whether all rows but those of the first text are equal."""
    private = np.array_equal(world.others, changed_world.others)
    public = np.array_equal(world.public, changed_world.public)
    return private and public


CORPUS_TEXTS = 600
VOCABULARY = ["nothing", "strange", "secret", "codeword", *(f"word{n}" for n in range(60))]


def corpus_with(first_text: str) -> Corpus:
    """Return a corpus of random words after a first text, which is private."""
    rng = np.random.default_rng(0)
    texts = []
    for _ in range(CORPUS_TEXTS):
        numbers = rng.zipf(1.3, 30) % 60
        texts.append(" ".join(f"word{number}" for number in numbers))
    y = rng.integers(0, 2, CORPUS_TEXTS)
    texts[0] = first_text
    # The vocabulary is public, so all corpora know the same words.
    counts = CountVectorizer(vocabulary=VOCABULARY).fit_transform(texts)
    return Corpus(counts=counts, y=y, domain=np.arange(CORPUS_TEXTS) % SOURCES)


class TestNothingIsFittedToPrivateRows:
    """One private text is exchanged, and no row of another text may change."""

    @pytest.fixture(autouse=True)
    def fresh_caches(self):
        """Clear the caches of loaded domains at the end of each test."""
        yield
        clear_caches()

    @pytest.fixture
    def world_of(self, monkeypatch):
        """Returns the world in which a corpus has this first text."""

        def world_of(first_text: str, *, projection: str) -> World:
            """Replace the corpora by one with this first text, and return its world."""
            corpus = corpus_with(first_text)
            monkeypatch.setattr(domains, "CORPORA", {"topics": lambda *_: corpus})
            clear_caches()
            data = domains.load(params_of(projection=projection, dimension=6, public_rows=60))
            rows = []
            identifiers = []
            for domain in range(SOURCES):
                X, _, names = data.rows(0, domain, CORPUS_TEXTS)
                rows.append(dense(X))
                identifiers.append(names)
            is_first = np.concatenate(identifiers) == 0
            assert is_first.sum() == 1
            rows = np.concatenate(rows)
            return World(rows[is_first], rows[~is_first], dense(data.public))

        return world_of

    @pytest.fixture
    def worlds(self, world_of):
        """Returns the worlds of two first texts."""

        def worlds(*, projection: str = "svd") -> tuple[World, World]:
            """Return the worlds of two corpora that differ in the first text alone."""
            world = world_of("nothing strange here", projection=projection)
            changed_world = world_of(
                "secret secret codeword word9 word9 word9 word9", projection=projection
            )
            return world, changed_world

        return worlds

    @pytest.mark.parametrize("projection", domains.PROJECTIONS)
    def test_only_the_exchanged_text_has_another_row(self, worlds, projection):
        world, changed_world = worlds(projection=projection)

        assert not np.array_equal(world.first, changed_world.first)
        assert others_equal(world, changed_world)

    def test_weights_fitted_to_private_rows_would_be_noticed(self, worlds, monkeypatch):
        weighted = domains.weighted

        def weighted_by_all(counts, _):
            """Return the texts weighted by frequencies in all of them; stands for ``weighted``."""
            return weighted(counts, word_counts.inverse_frequency(counts))

        monkeypatch.setattr(domains, "weighted", weighted_by_all)

        assert not others_equal(*worlds())

    def test_directions_fitted_to_private_rows_would_be_noticed(self, worlds, monkeypatch):
        weighted = domains.weighted
        main_directions = domains.main_directions
        all_rows = []

        def remembering_weighted(*arguments):
            """Return the weighted texts, and keep them in ``all_rows``; stands for ``weighted``."""
            all_rows.append(weighted(*arguments))
            return all_rows[-1]

        def directions_of_all(_, *arguments, **options):
            """Return the main directions of all texts; stands for ``main_directions``."""
            return main_directions(all_rows[-1], *arguments, **options)

        monkeypatch.setattr(domains, "weighted", remembering_weighted)
        monkeypatch.setattr(domains, "main_directions", directions_of_all)

        assert not others_equal(*worlds())

    def test_weights_are_those_of_a_transformer_fitted_to_the_public_texts(self):
        rng = np.random.default_rng(3)
        texts = []
        for _ in range(400):
            numbers = rng.zipf(1.2, 20) % 90
            texts.append(" ".join(f"term{number}" for number in numbers))
        counts = CountVectorizer().fit_transform(texts)
        public_counts = counts[:50]

        weights = word_counts.weighted(counts, word_counts.inverse_frequency(public_counts))

        transformer = TfidfTransformer(sublinear_tf=True).fit(public_counts)
        expected = transformer.transform(counts)
        # Weights are in single precision.
        np.testing.assert_allclose(weights.toarray(), expected.toarray(), atol=SINGLE_PRECISION)
