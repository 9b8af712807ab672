"""A CSV file of the user's own: what is read, what is refused and how it says so, and what becomes of its rows."""

import gc

import numpy as np
import pytest

from dpcore import check, domains, own_texts
from dpcore.experiments.hypotheses import HypothesesSettings
from dpcore.own_texts import Own


def written(rows: int = 1600, *, seed: int = 0, sep: str = ",", shops: int = 4) -> bytes:
    """Reviews of several shops: praise has words of its own, and so has each shop."""
    rng, lines = np.random.default_rng(seed), [sep.join(["number", "review", "stars", "shop"])]
    for number in range(rows):
        shop, good = int(rng.integers(shops)), bool(rng.integers(2))
        words = [f"common{n}" for n in rng.integers(0, 60, 8)]
        words += [f"{'fine' if good else 'poor'}{n}" for n in rng.integers(0, 12, 4)]
        words += [f"thing{shop}x{n}" for n in rng.integers(0, 15, 5)]
        text = " ".join(rng.permutation(words))
        lines.append(
            sep.join([str(number), f'"{text}, truly"', "5" if good else str(rng.integers(1, 3)), f"shop {shop}"])
        )
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def table():
    return own_texts.read(written())


@pytest.fixture
def own(table):
    return Own(file=table.digest, text="review", label="stars", yes="5", source="shop")


class TestReading:
    def test_columns_by_name(self, table):
        assert list(table.columns) == ["number", "review", "stars", "shop"]
        assert table.rows == 1600
        assert table.columns["review"][0].endswith(", truly")

    @pytest.mark.parametrize("sep", [";", "\t", "|"])
    def test_other_separators(self, sep):
        kept = own_texts.read(written(rows=220, sep=sep))
        assert kept.rows == 220
        assert set(kept.columns["shop"]) == {"shop 0", "shop 1", "shop 2", "shop 3"}

    def test_western_letters_and_byte_order_marks(self):
        rows = "\n".join(f"größe {n},{n % 2}" for n in range(300))
        for data in (f"text,label\n{rows}".encode("cp1252"), b"\xef\xbb\xbf" + f"text,label\n{rows}".encode()):
            kept = own_texts.read(data)
            assert list(kept.columns) == ["text", "label"]
            assert kept.columns["text"][7] == "größe 7"

    @pytest.mark.parametrize(
        ("data", "found"),
        [
            (b"", "nothing"),
            (b"text\n" + b"word\n" * 300, "a head of text"),
            (b"text,text\n" + b"a,b\n" * 300, "a head of text, text"),
            (b"text,\n" + b"a,b\n" * 300, "a head of"),
            (b"text,label\n" + b"a,b\n" * 150, "150 rows"),
            (b"text,label\n" + b"a,b\n" * 40 + b"a,b,c\n" * 300, "3 fields in line 42"),
            (b'text,label\n"never closed,b\n' + b"a,b\n" * 300, "line"),
            (b"PK\x03\x04\0\0rest", "no text"),
            (b"text,label\n" + b"a,b\n" * 50_001, "more than 50,000 rows"),
            (b"a" * 10_000_001, "10.0 MB"),
        ],
        ids=["empty", "one column", "twice", "no name", "few rows", "ragged", "quote", "binary", "rows", "size"],
    )
    def test_what_is_no_such_file_is_refused_with_what_it_has(self, data, found):
        with pytest.raises(check.RefusedError) as refusal:
            own_texts.read(data)
        assert refusal.value.name == "file"
        assert found in str(refusal.value.value)
        assert refusal.value.allowed

    def test_a_file_is_forgotten_with_its_last_holder(self):
        data = written(rows=230, seed=5)
        one, same = own_texts.read(data), own_texts.read(data)
        assert one is same
        digest = one.digest
        assert own_texts.find(digest) is one
        del one, same
        gc.collect()
        with pytest.raises(check.RefusedError, match="fingerprint"):
            own_texts.find(digest)

    def test_all_files_together_have_a_limit(self, monkeypatch):
        kept = own_texts.read(written(rows=240, seed=6))
        monkeypatch.setattr(own_texts, "MOST_TOGETHER", sum(one.size for one in own_texts._tables.values()) + 10)
        with pytest.raises(check.RefusedError, match="later"):
            own_texts.read(written(rows=250, seed=7))
        assert own_texts.find(kept.digest) is kept


class TestChoice:
    def test_the_numbers_are_the_files(self, table, own):
        sizes = np.unique(table.columns["shop"], return_counts=True)[1]
        found = own_texts.checked(own)
        assert (found.sources, found.rows) == (4, min(sizes))
        assert found.room(4) == min(sizes) - min(sizes) // 3
        public = own_texts.checked(Own(**own.__dict__ | {"public": "shop 2"}))
        assert (public.sources, public.room(3)) == (3, min(np.delete(sizes, 2)))
        split = own_texts.checked(Own(**own.__dict__ | {"source": ""}))
        assert (split.sources, split.rows) == (0, 1600)

    @pytest.mark.parametrize(
        ("changes", "name", "found"),
        [
            ({"text": "missing"}, "text", "missing"),
            ({"label": "missing"}, "label", "missing"),
            ({"source": "missing"}, "source", "missing"),
            ({"label": "number"}, "label", "number (1,600 different values)"),
            ({"label": "review"}, "label", "review"),
            ({"yes": "7"}, "yes", "7 (in 0 of 1,600 rows)"),
            ({"source": "number"}, "source", "number (1,600 private values)"),
            ({"source": "stars"}, "source", "stars"),
            ({"public": "shop 9"}, "public", "shop 9"),
            ({"source": "", "public": "shop 1"}, "public", "shop 1"),
        ],
        ids=str,
    )
    def test_a_column_that_does_not_do_is_named(self, own, changes, name, found):
        with pytest.raises(check.RefusedError) as refusal:
            own_texts.checked(Own(**own.__dict__ | changes))
        assert refusal.value.name == name
        assert found in str(refusal.value.value)

    def test_sources_that_are_too_small_are_named(self):
        kept = own_texts.read(written(rows=420, seed=8))
        with pytest.raises(check.RefusedError, match=r"shop \d has \d+ rows"):
            own_texts.checked(Own(file=kept.digest, text="review", label="stars", yes="5", source="shop"))
        with pytest.raises(check.RefusedError, match="split"):
            own_texts.checked(Own(file=kept.digest, text="review", label="stars", yes="5"))

    def test_a_guess_is_a_choice_that_holds(self, table):
        found = own_texts.checked(own_texts.guess(table))
        assert (found.text, found.label, found.yes) == ("review", "stars", "5")

    def test_the_word_brings_back_all_of_it(self, own):
        odd = Own(**own.__dict__ | {"text": "a~b & c=%7E", "yes": "ä ~ö", "sources": 3, "rows": 400})
        assert Own.read(odd.word) == odd

    @pytest.mark.parametrize("word", ["", "x", "a~b~c~d~e~f~3~x", "a~b~c~d~e~f~9~400", "a~b~c~d~e~f~3~5"])
    def test_other_words_are_refused(self, word):
        with pytest.raises(check.RefusedError):
            Own.read(word)
        with pytest.raises(check.RefusedError):
            HypothesesSettings().change(data="own", own=word)


class TestRows:
    def test_each_row_is_its_sources(self, table, own):
        corpus = own_texts.corpus(own, 3, seed=1)
        for k in range(3):
            assert set(table.columns["shop"][corpus.domain == k]) == {f"shop {k}"}
        assert set(table.columns["shop"][corpus.domain == -1]) == {"shop 3"}
        np.testing.assert_array_equal(corpus.y, table.columns["stars"] == "5")

    def test_a_split_looks_at_nothing(self, own):
        """Another file with as many rows is split in the same way."""
        other = own_texts.read(written(seed=3))
        one = own_texts.corpus(Own(**own.__dict__ | {"source": ""}), 4, seed=1)
        two = own_texts.corpus(Own(**own.__dict__ | {"source": "", "file": other.digest}), 4, seed=1)
        np.testing.assert_array_equal(one.domain, two.domain)
        assert (np.bincount(one.domain) == 400).all()

    def test_rows_with_nothing_in_a_column_are_nobodys(self):
        data = written(rows=900, seed=9).decode().replace(",5,shop 1", ",,shop 1")
        kept = own_texts.read(data.encode())
        own = Own(file=kept.digest, text="review", label="stars", yes="5")
        corpus = own_texts.corpus(own, 2, seed=0)
        assert ((corpus.domain == -1) == (kept.columns["stars"] == "")).all()
        assert own_texts.checked(own).rows == (corpus.domain >= 0).sum()

    @pytest.mark.parametrize("public", ["", "shop 2"])
    def test_public_rows_are_those_that_were_named(self, table, own, public):
        made = own_texts.checked(Own(**own.__dict__ | {"public": public}))
        settings = HypothesesSettings().change(data="own", own=made.word)
        where = settings.model.where
        shown = domains._texts(domains.replace(where, dimension=domains.WIDEST)).public
        shops = table.columns["shop"][shown]
        assert set(shops) == ({"shop 2"} if public else {f"shop {k}" for k in range(4)})
        drawn = settings.model.draw(0)
        names = np.concatenate([part[2] for parts in (drawn.labelled, drawn.unlabelled, drawn.left) for part in parts])
        assert len(set(names)) == len(names)
        assert not set(names) & set(shown)
        assert np.linalg.norm(domains.world(where).public, axis=1).max() <= 1 + 1e-9

    @pytest.mark.parametrize("projection", domains.PROJECTIONS)
    def test_to_the_end(self, own, projection):
        made = own_texts.checked(own)
        settings = HypothesesSettings().change(data="own", own=made.word).change(epsilon=1000.0, projection=projection)
        settings = settings.change(weight_2=0.9, repeats=4, noise="objective")
        outcome = settings.answers()[0].run()
        assert np.median(outcome.accuracy[0]) > 0.75
        assert np.median(outcome.weights[:, 1]) > 0.5
        assert "own_texts.read" in settings.preparation

    def test_without_its_file_it_refuses(self, own):
        lost = Own(**own.__dict__ | {"file": "0" * 16, "sources": 4, "rows": 400})
        settings = HypothesesSettings().change(data="own", own=lost.word)
        with pytest.raises(check.RefusedError, match="fingerprint"):
            settings.answers()[0].run()


class TestRoom:
    @pytest.mark.parametrize(("sources", "rows"), [(2, 300), (8, 900), (0, 700), (0, 50_000)])
    def test_no_setting_asks_for_more_than_there_is(self, sources, rows):
        own = Own(file="f", text="t", label="l", yes="1", source="s" * bool(sources), sources=sources, rows=rows)
        settings = HypothesesSettings().change(data="own", own=own.word)
        low, high = settings.limits["sources"]
        for count in range(low, high + 1):
            here = settings.change(sources=count)
            most = {name: here.limits[name][1] for name in ("source_rows", "unlabelled_rows", "target_rows")}
            full = here.change(**most)
            asked = full.source_rows + full.unlabelled_rows + full.model.reserve
            assert asked <= own.room(count)
            assert min(most.values()) >= 40

    def test_a_link_brings_it_back(self, own):
        made = own_texts.checked(own)
        settings = HypothesesSettings().change(data="own", own=made.word).change(sources=3).change(source_rows=61)
        again = HypothesesSettings()
        for name, value in settings.__dict__.items():
            if name in HypothesesSettings.__dataclass_fields__:
                again = again.change(**{name: value})
        assert again == settings
