"""A CSV file of the user's own: which columns do, what becomes of its rows, and who can reach them."""

import gc
import weakref
from dataclasses import asdict, replace

import numpy as np
import pytest

from dpcore import check
from dpcore.cache import CACHE
from dpcore.data import domains
from lab.files import file_handles, own_texts
from lab.files.file_handles import NONE
from lab.files.own_texts import Columns, Own
from pages.hypotheses import work
from pages.hypotheses.experiment import HypothesesSettings
from ui import controls, takeaway


def written(rows: int = 1600, *, seed: int = 0) -> bytes:
    """Reviews of several shops: praise has words of its own, and so has each shop."""
    rng, lines = np.random.default_rng(seed), ["number,review,stars,shop"]
    for number in range(rows):
        shop, good = int(rng.integers(4)), bool(rng.integers(2))
        words = [f"common{n}" for n in rng.integers(0, 60, 8)]
        words += [f"{'fine' if good else 'poor'}{n}" for n in rng.integers(0, 12, 4)]
        words += [f"thing{shop}x{n}" for n in rng.integers(0, 15, 5)]
        text, stars = " ".join(rng.permutation(words)), "5" if good else str(rng.integers(1, 3))
        lines.append(f'{number},"{text}, truly",{stars},shop {shop}')
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def table():
    return own_texts.read(written())


COLUMNS = Columns(text="review", label="stars", yes="5", source="shop")


def chosen(table, **changes: str) -> Own:
    return own_texts.choose(table, replace(COLUMNS, **changes))


def settings_of(own: str) -> HypothesesSettings:
    return HypothesesSettings().change(data="own", own=own)


class TestChoice:
    def test_the_numbers_are_the_files_rounded_down(self, table):
        sizes = np.unique(table.texts("shop"), return_counts=True)[1]
        found = chosen(table)
        assert (found.sources, found.rows) == (4, min(sizes) // 50 * 50)
        assert found.smallest_source(4) == found.rows - found.rows // 3
        public = chosen(table, public="shop 2")
        assert (public.sources, public.smallest_source(3)) == (3, min(np.delete(sizes, 2)) // 50 * 50)
        split = chosen(table, source="")
        assert (split.sources, split.rows) == (0, 1600)

    @pytest.mark.parametrize(
        ("changes", "name", "found"),
        [
            ({"text": "missing"}, "text", "missing"),
            ({"text": "number"}, "text", "number (100 % of it are numbers, dates or identifiers)"),
            ({"label": "number"}, "label", "number (1,600 different values)"),
            ({"label": "review"}, "label", "review"),
            ({"yes": "7"}, "yes", "7 (in 0 of 1,600 rows)"),
            ({"source": "number"}, "source", "number (1,600 private values)"),
            ({"source": "stars"}, "source", "stars"),
            ({"public": "shop 9"}, "public", "shop 9"),
        ],
        ids=str,
    )
    def test_a_column_that_does_not_do_is_named(self, table, changes, name, found):
        with pytest.raises(check.RefusedError) as refusal:
            chosen(table, **changes)
        assert refusal.value.name == name
        assert found in str(refusal.value.value)

    def test_sources_that_are_too_small_are_named(self):
        kept = own_texts.read(written(rows=420, seed=8))
        for source, said in (("shop", r"shop \d has \d+ rows"), ("", "split")):
            with pytest.raises(check.RefusedError, match=said):
                chosen(kept, source=source)

    def test_a_guess_is_a_choice_that_holds(self, table):
        found = own_texts.choose(table, own_texts.guess(table)).columns
        assert (found.text, found.label, found.yes) == ("review", "stars", "5")


class TestName:
    """Settings and links have a name, of which only the object that has it can make anything."""

    def test_a_link_does_not_tell_files_apart_that_differ_in_a_few_rows(self):
        """Not a row's cell, and not the number of rows to less than fifty."""
        tables = [own_texts.read(written(rows=rows, seed=seed)) for rows, seed in ((701, 1), (712, 2), (749, 3))]
        links = [asdict(settings_of(chosen(table, source=""))) | {"own": ""} for table in tables]
        assert links[0] == links[1] == links[2]

    @pytest.mark.parametrize("word", ["", "~" * 22, None])
    def test_what_cannot_be_a_name_is_refused(self, word):
        with pytest.raises(check.RefusedError, match="own"):
            settings_of(word)

    def test_who_has_only_the_name_has_nothing(self, table):
        own = chosen(table)
        settings, stranger = settings_of(own), settings_of(str(own))
        told = str({name: str(value) for name, value in asdict(settings).items()}) + takeaway.script(settings)
        assert own != chosen(table)
        assert not [part for part in ("review", "stars", "shop", str(table.rows)) if part in told]
        assert (settings.change(data="domains").own, settings.change(data="domains").preparation) == (NONE, "")
        assert tuple(stranger.limits["source_rows"]) == (40, 4000)
        with pytest.raises(check.RefusedError, match="session"):
            stranger.tasks()
        made = settings.model.where
        assert made.own() is own
        assert made not in {replace(made, own=word) for word in (str(own), None)}

    def test_a_file_is_gone_with_its_holder(self):
        table = own_texts.read(written(rows=900, seed=11))
        own, alive = chosen(table, source=""), weakref.ref(table)
        settings = settings_of(own).change(repeats=2)
        settings.answers()[0].run()
        del table
        gc.collect()
        assert alive() is None  # settings and tasks may still be somewhere's key
        with pytest.raises(check.RefusedError, match="gone"):
            own.corpus(2, seed=0)

    def test_what_is_remembered_of_a_file_is_forgotten_with_it_and_nothing_else(self, table):
        short = own_texts.read(written(rows=1700, seed=14))
        owns = [chosen(short), chosen(table)]
        gone, stays = (settings_of(own).change(repeats=2) for own in owns)
        tasks = [settings.answers()[0] for settings in (gone, stays)]
        for task in tasks:
            CACHE.answer(task, task.run)
        worlds = [weakref.ref(domains.world(settings.model.where)) for settings in (gone, stays)]
        file_handles.forget(short)
        assert not short.columns
        assert [CACHE.find(task)[0] for task in tasks] == [False, True]
        gc.collect()
        assert worlds[0]() is None
        assert worlds[1]() is not None

    def test_an_awaited_file_takes_what_the_link_says(self, table):
        link = settings_of(chosen(table)).change(sources=3).change(source_rows=61, weight_2=0.5, epsilon=3.0)
        there, notices = controls.from_link(
            HypothesesSettings, {name: str(value) for name, value in asdict(link).items()}
        )
        assert not notices
        back = there.change(own=chosen(table))
        assert replace(back, own=link.own) == link
        assert settings_of(chosen(table)).source_rows != 61


def test_a_script_makes_the_pages_numbers_once_its_blanks_are_filled(tmp_path, monkeypatch, table):
    settings = settings_of(chosen(table)).change(repeats=2, dimension=5)
    (tmp_path / "your-file.csv").write_bytes(written())
    monkeypatch.chdir(tmp_path)
    text, made = takeaway.script(settings).partition(".run()")[0], {}
    for name, value in asdict(COLUMNS).items():
        assert f'{name}=""' in text
        text = text.replace(f'{name}=""', f"{name}={value!r}")
    exec(compile(text, "script", "exec"), made)
    again = made["result"]
    np.testing.assert_array_equal(again.answers()[0].run().accuracy, settings.answers()[0].run().accuracy)


class TestRows:
    def test_each_row_is_its_sources(self, table):
        corpus = chosen(table).corpus(3, seed=1)
        for k in range(3):
            assert set(table.texts("shop")[corpus.domain == k]) == {f"shop {k}"}
        assert set(table.texts("shop")[corpus.domain == -1]) == {"shop 3"}
        np.testing.assert_array_equal(corpus.y, table.texts("stars") == "5")

    def test_a_split_looks_at_nothing(self, table):
        """Another file with as many rows is split in the same way."""
        other = own_texts.read(written(seed=3))
        one, two = (chosen(kept, source="").corpus(4, seed=1) for kept in (table, other))
        np.testing.assert_array_equal(one.domain, two.domain)
        assert (np.bincount(one.domain) == 400).all()

    def test_rows_with_nothing_in_a_column_are_nobodys(self):
        data = written(rows=900, seed=9).decode().replace(",5,shop 1", ",,shop 1")
        kept = own_texts.read(data.encode())
        own = chosen(kept, source="")
        corpus = own.corpus(2, seed=0)
        assert ((corpus.domain == -1) == (kept.texts("stars") == "")).all()
        assert own.rows == (corpus.domain >= 0).sum() // 50 * 50

    @pytest.mark.parametrize("public", ["", "shop 2"])
    def test_public_rows_are_those_that_were_named(self, table, public):
        settings = settings_of(chosen(table, public=public))
        where = settings.model.where
        shown = domains._texts(domains.replace(where, dimension=domains.WIDEST, projection="none")).public
        shops = table.texts("shop")[shown]
        assert set(shops) == ({"shop 2"} if public else {f"shop {k}" for k in range(4)})
        drawn = work.draw(settings.model, 0)
        names = np.concatenate([part[2] for parts in (drawn.labelled, drawn.unlabelled, drawn.left) for part in parts])
        assert len(set(names)) == len(names)
        assert not set(names) & set(shown)
        assert np.linalg.norm(domains.world(where).public, axis=1).max() <= 1 + 1e-9

    @pytest.mark.parametrize("projection", domains.PROJECTIONS)
    def test_to_the_end(self, table, projection):
        settings = settings_of(chosen(table)).change(epsilon=1000.0, projection=projection)
        settings = settings.change(weight_2=0.9, repeats=4, noise="objective")
        outcome = settings.answers()[0].run()
        assert np.median(outcome.accuracy[:, 0]) > 0.75
        assert np.median(outcome.weights[:, 1]) > 0.5


@pytest.mark.parametrize(("sources", "rows"), [(2, 300), (8, 900), (0, 700), (0, 50_000)])
def test_no_setting_asks_for_more_than_there_is(table, sources, rows):
    own = Own(table=table, columns=COLUMNS, sources=sources, rows=rows)
    settings = settings_of(own)
    low, high = settings.limits["sources"]
    for count in range(low, high + 1):
        here = settings.change(sources=count)
        most = {name: here.limits[name][1] for name in ("source_rows", "unlabelled_rows", "target_rows")}
        full = here.change(**most)
        assert full.source_rows + full.unlabelled_rows + full.model.reserve <= own.smallest_source(count)
        assert min(most.values()) >= 40
