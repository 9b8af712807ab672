"""The domains: unit balls, mixtures, and nothing fitted to private rows; 20 Newsgroups from a cache made here."""

import codecs
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.utils import Bunch

from dpcore import check
from dpcore.data import domain_text, domains, word_counts
from dpcore.data.domains import Where
from dpcore.data.word_counts import Corpus
from pages.hypotheses.experiment import HypothesesSettings


def where(kind="topics", **changes):
    plain = {"sources": 3, "similarity": 0.5, "dimension": 12, "projection": "svd", "public_rows": 300, "seed": 2}
    return Where(kind=kind, **plain | changes)


def written_out(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("kind", ["domains", "topics", "reviews"])
@pytest.mark.parametrize("projection", domains.PROJECTIONS)
def test_rows_are_in_the_unit_ball_and_parts_are_disjoint(kind, projection):
    here = where(kind, projection=projection)
    public = written_out(domains.world(here).public)
    drawn = [domains.draw(here, 1, k, labelled=120, unlabelled=80, target=100) for k in range(3)]
    words = {"domains": 12, "topics": 5588, "reviews": 2969}[kind]
    assert public.shape == (300, words if projection == "none" else 12)
    for parts in ((one.labelled, one.unlabelled, one.left) for one in drawn):
        assert [len(part[1]) for part in parts] == [120, 80, 100]
        rows, names = (np.concatenate([written_out(part[place]) for part in parts]) for place in (0, 2))
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
    for kept in (domains._texts, domains._along, domains.world, domain_text._newsgroups, domain_text.newsgroups):
        kept.cache_clear()


def others_moved(monkeypatch, *pair: Corpus, projection: str = "svd") -> tuple[bool, bool]:
    """(whether the first document moved, whether anybody else's row did) when it is exchanged, which is private."""
    here, seen = where(projection=projection, dimension=6, public_rows=60), []
    for corpus in pair:
        monkeypatch.setattr(domains, "CORPORA", {"topics": lambda *_, corpus=corpus: corpus})
        forget()
        world = domains.world(here)
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
    for first in ("nothing strange here", "secret secret codeword word9 word9 word9 word9"):
        # And some of no domain: both versions know the same words then
        version = [first, *texts[1:], "nothing strange here", "secret codeword word9"]
        counts = word_counts.counted(np.array(version, dtype=object))[:600]
        found.append(Corpus(counts=counts, y=y, domain=np.arange(600) % 3, real=True))
    return found


class TestNothingIsFittedToPrivateRows:
    @pytest.fixture(autouse=True)
    def fresh(self):
        yield
        forget()

    @pytest.mark.parametrize("projection", domains.PROJECTIONS)
    def test_as_it_is(self, pair, monkeypatch, projection):
        assert others_moved(monkeypatch, *pair, projection=projection) == (True, False)

    @pytest.mark.parametrize("slip", ["vocabulary", "weights", "directions"])
    def test_what_is_fitted_to_private_rows_is_caught(self, pair, monkeypatch, slip):
        weighted, main, idf, whole = domains.weighted, domains.main_directions, word_counts.inverse_frequency, []
        slips = {
            "vocabulary": (Corpus, "counted", lambda one, _: one.counts[:, one.counts.getnnz(axis=0) > 0]),
            "weights": (domains, "weighted", lambda counts, _: weighted(counts, idf(counts))),
            "directions": (domains, "weighted", lambda *given: whole.append(weighted(*given)) or whole[-1]),
        }
        monkeypatch.setattr(*slips[slip])
        if slip == "directions":
            monkeypatch.setattr(domains, "main_directions", lambda _, *given, **how: main(whole[-1], *given, **how))
        assert others_moved(monkeypatch, *pair, projection="hashing" if slip == "vocabulary" else "svd")[1]

    def test_counts_and_weights_are_those_of_a_vectorizer_and_a_transformer_fitted_to_the_public_texts(self):
        rng = np.random.default_rng(3)
        texts = np.array([" ".join(f"term{n}" for n in rng.zipf(1.2, 20) % 90) for _ in range(400)], dtype=object)
        texts[0] += " solitary"
        corpus = Corpus(counts=word_counts.counted(texts), y=np.zeros(400, int), domain=np.zeros(400, int), real=True)
        oracle = CountVectorizer(stop_words="english", min_df=2, max_df=0.5).fit(texts[:150])
        counts = corpus.counted(np.arange(150))
        np.testing.assert_array_equal(counts.toarray(), oracle.transform(texts).toarray())
        with pytest.raises(check.RefusedError, match="share"):
            corpus.counted(np.array([10]))
        found = word_counts.weighted(counts, word_counts.inverse_frequency(counts[:50]))
        weights = TfidfTransformer(sublinear_tf=True).fit(counts[:50]).transform(counts)
        np.testing.assert_allclose(found.toarray(), weights.toarray(), atol=1e-6)


def cache(home):
    """20 Newsgroups in the loader's own format, with made-up letters."""
    rng, parts = np.random.default_rng(0), {}
    names = {*domain_text.COMPUTER, *(name for pair in domain_text.OTHERS for name in pair)}
    assert len(names) == 15
    names |= {"misc.forsale", "alt.atheism", "sci.electronics", "soc.religion.christian", "talk.rubbish"}

    def letter(name):
        own = [f"{name.split('.')[-1]}word{n}" for n in rng.integers(0, 30, 15)]
        kind = [f"{'chip' if name.startswith('comp.') else 'life'}{n}" for n in rng.integers(0, 40, 10)]
        common = [f"common{n}" for n in rng.integers(0, 100, 30)]
        return "From: somebody\nSubject: headline\n\n" + " ".join(own + kind + common)

    for subset in ("train", "test"):
        letters = [letter(name) for name in sorted(names) for _ in range(60)]
        more = {"target": np.repeat(np.arange(20), 60), "filenames": np.array(["x"] * len(letters))}
        parts[subset] = Bunch(data=letters, target_names=sorted(names), **more)
    (home / "20news-bydate_py3.pkz").write_bytes(codecs.encode(pickle.dumps(parts), "zlib_codec"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """scikit-learn's folder, empty, and no way to the internet."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    forget()
    yield tmp_path
    forget()


class TestNewsgroups:
    def test_nothing_is_fetched_unless_asked_and_a_failing_download_is_a_sentence(self, home, monkeypatch):
        def fetched(*_args, **_more):
            raise OSError("no route to host")

        monkeypatch.setattr("sklearn.datasets._twenty_newsgroups._download_20newsgroups", fetched)
        assert not domain_text.newsgroups_here()
        with pytest.raises(domain_text.NoNewsgroupsError, match="not on this machine"):
            domains.world(where("newsgroups"))
        assert list(home.iterdir()) == []
        with pytest.raises(domain_text.NoNewsgroupsError, match=r"could not be downloaded \(OSError\)\."):
            domain_text.fetch_newsgroups()
        (home / "20news-bydate_py3.pkz").write_bytes(b"rubbish")
        assert not domain_text.newsgroups_here()

    @pytest.mark.parametrize("projection", ["svd", "none"])
    def test_from_the_cache_to_the_end(self, home, projection):
        """As many features as the public letters have words, all or projected; no row of all words is written out."""
        cache(home)
        assert domain_text.newsgroups_here()
        corpus = domain_text.newsgroups(5, 1.0, 1)
        assert np.bincount(corpus.domain).tolist() == [360] * 5
        assert np.bincount(corpus.y).tolist() == [1200, 600]
        assert corpus.counts.shape[1] == 13 * 30 + 40 * 2 + 100  # none of the headers'; 13 last names
        sizes = {"source_rows": 100, "unlabelled_rows": 100, "target_rows": 200, "public_rows": 250, "repeats": 2}
        settings = HypothesesSettings().change(data="newsgroups", projection=projection, noise="gaussian")
        settings = settings.change(dimension=8, **sizes)
        world, outcome = domains.world(settings.model.where), settings.answers(epsilon=1e6)[0].run()
        assert 300 < world.features < 700
        assert sparse.issparse(world.public) == (projection == "none")
        assert world.public.shape == (250, world.features if projection == "none" else 8)
        assert outcome.accuracy[:, 0].min() > 0.8
        assert outcome.weights[:, [0, 3]].sum(axis=1).min() > 0.7
