"""The domains: unit balls, mixtures, and nothing fitted to private rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from lab.data import domains, word_counts
from lab.data.domains import DomainParams
from lab.data.word_counts import Corpus


def where(kind="topics", **changes):
    plain = {
        "sources": 3,
        "similarity": 0.5,
        "dimension": 12,
        "projection": "svd",
        "public_rows": 300,
        "seed": 2,
    }
    return DomainParams(kind=kind, **plain | changes)


def written_out(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("kind", ["domains", "topics", "reviews"])
@pytest.mark.parametrize("projection", domains.PROJECTIONS)
def test_rows_are_in_the_unit_ball_and_parts_are_disjoint(kind, projection):
    here = where(kind, projection=projection)
    public = written_out(domains.load(here).public)
    drawn = [domains.draw(here, 1, k, labelled=120, unlabelled=80, target=100) for k in range(3)]
    words = {"domains": 12, "topics": 5588, "reviews": 2969}[kind]
    assert public.shape == (300, words if projection == "none" else 12)
    for parts in ((one.labelled, one.unlabelled, one.remaining) for one in drawn):
        assert [len(part[1]) for part in parts] == [120, 80, 100]
        rows, names = (
            np.concatenate([written_out(part[place]) for part in parts]) for place in (0, 2)
        )
        assert np.linalg.norm(rows, axis=1).max() <= 1 + (1e-6 if projection == "none" else 1e-9)
        assert len(np.unique(names)) == 300
        assert not {row.tobytes() for row in rows} & {row.tobytes() for row in public}
        assert 0.4 < parts[0][1].mean() < 0.6


def test_a_target_is_the_mixture_that_was_asked_for():
    left = [(np.full((90, 1), k), np.full(90, k), np.arange(90)) for k in range(3)]
    rng = np.random.default_rng(0)
    _, y = domains.mixed(left, np.array([0.6, 0, 0.4]), 100, rng)
    assert np.bincount(y, minlength=3).tolist() == [60, 0, 40]
    _, y = domains.mixed(left, np.array([0.9, 0, 0.1]), 200, rng)  # 180 of 90: all shrink alike
    assert np.bincount(y, minlength=3).tolist() == [90, 0, 10]


def forget():
    for kept in (domains._texts, domains._projected, domains.load):
        kept.cache_clear()


def others_moved(monkeypatch, *pair: Corpus, projection: str = "svd") -> tuple[bool, bool]:
    """(whether the first document moved, whether anybody else's row did) when it is exchanged,
    which is private.
    """
    here, seen = where(projection=projection, dimension=6, public_rows=60), []
    for corpus in pair:
        monkeypatch.setattr(domains, "CORPORA", {"topics": lambda *_, corpus=corpus: corpus})
        forget()
        world = domains.load(here)
        parts = [world.rows(0, k, 10**6) for k in range(here.sources)]
        names = np.concatenate([part[2] for part in parts])
        rows = np.concatenate([written_out(part[0]) for part in parts])
        assert 0 in names
        seen.append((rows[names == 0], rows[names != 0], written_out(world.public)))
    own, *others = (not np.array_equal(*both) for both in zip(*seen, strict=True))
    return own, any(others)


@pytest.fixture(scope="module")
def pair() -> list[Corpus]:
    rng, found = np.random.default_rng(0), []
    texts = [" ".join(f"word{n}" for n in rng.zipf(1.3, 30) % 60) for _ in range(600)]
    y = rng.integers(0, 2, 600)
    vocabulary = ["nothing", "strange", "secret", "codeword", *(f"word{n}" for n in range(60))]
    for first in ("nothing strange here", "secret secret codeword word9 word9 word9 word9"):
        # The vocabulary is public, so both versions know the same words
        counts = CountVectorizer(vocabulary=vocabulary).fit_transform([first, *texts[1:]])
        found.append(Corpus(counts=counts, y=y, domain=np.arange(600) % 3))
    return found


class TestNothingIsFittedToPrivateRows:
    @pytest.fixture(autouse=True)
    def fresh(self):
        yield
        forget()

    @pytest.mark.parametrize("projection", domains.PROJECTIONS)
    def test_as_it_is(self, pair, monkeypatch, projection):
        assert others_moved(monkeypatch, *pair, projection=projection) == (True, False)

    @pytest.mark.parametrize("slip", ["weights", "directions"])
    def test_what_is_fitted_to_private_rows_is_caught(self, pair, monkeypatch, slip):
        weighted, main, idf, whole = (
            domains.weighted,
            domains.main_directions,
            word_counts.inverse_frequency,
            [],
        )
        slips = {
            "weights": (domains, "weighted", lambda counts, _: weighted(counts, idf(counts))),
            "directions": (
                domains,
                "weighted",
                lambda *given: whole.append(weighted(*given)) or whole[-1],
            ),
        }
        monkeypatch.setattr(*slips[slip])
        if slip == "directions":
            monkeypatch.setattr(
                domains, "main_directions", lambda _, *given, **how: main(whole[-1], *given, **how)
            )
        assert others_moved(monkeypatch, *pair)[1]

    def test_weights_are_those_of_a_transformer_fitted_to_the_public_texts(self):
        rng = np.random.default_rng(3)
        texts = [" ".join(f"term{n}" for n in rng.zipf(1.2, 20) % 90) for _ in range(400)]
        counts = CountVectorizer().fit_transform(texts)
        found = word_counts.weighted(counts, word_counts.inverse_frequency(counts[:50]))
        weights = TfidfTransformer(sublinear_tf=True).fit(counts[:50]).transform(counts)
        np.testing.assert_allclose(found.toarray(), weights.toarray(), atol=1e-6)
