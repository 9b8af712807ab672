"""A visitor's own file of texts: which columns do, what becomes of its rows, who can reach them, and its page."""

import gc
import weakref
from dataclasses import asdict, replace
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from dpcore import check
from dpcore.cache import CACHE
from dpcore.data import domain_text, domains
from lab.files import file_handles, own_texts
from lab.files.file_handles import NONE
from lab.files.own_texts import Columns, Own
from pages.hypotheses import figures, work
from pages.hypotheses.experiment import HypothesesSettings
from tests.app import QUICK, at_rest, moved, opened, text
from tests.hostile_files import hostile
from tests.sentences import first
from ui import controls, own_session, takeaway

PAGE, VERDICT = "hypotheses", 'class="lab-verdict"'
FILES = hostile()
# File -> what its columns must be read as; all others, behind "parquet", must be refused.
READ = {name: ["text", "label"] for name in [*FILES][: [*FILES].index("parquet") + 1]} | {
    **{name: ["text", "label", "shop"] for name in FILES if "sources" in name},
    "no head": ["column 1", "column 2"],
    "hostile names": ["# ![x](http://evil.test/p)", "=1+1"],
}


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
    def test_numbers_are_the_files_rounded_down_and_small_sources_are_named(self, table):
        sizes = np.unique(table.texts("shop"), return_counts=True)[1]
        found = chosen(table)
        assert (found.sources, found.rows) == (4, min(sizes) // 50 * 50)
        assert found.smallest_source(4) == found.rows - found.rows // 3
        public = chosen(table, public="shop 2")
        assert (public.sources, public.smallest_source(3)) == (3, min(np.delete(sizes, 2)) // 50 * 50)
        split = chosen(table, source="")
        assert (split.sources, split.rows) == (0, 1600)
        guessed = own_texts.choose(table, own_texts.guess(table)).columns
        assert (guessed.text, guessed.label, guessed.yes) == ("review", "stars", "5")
        small = own_texts.read(written(rows=420, seed=8))
        for source, said in (("shop", r"shop \d has \d+ rows"), ("", "split")):
            with pytest.raises(check.RefusedError, match=said):
                chosen(small, source=source)

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
            ({"source": "", "public": "shop 1"}, "public", "shop 1"),
        ],
        ids=str,
    )
    def test_a_column_that_does_not_do_is_named(self, table, changes, name, found):
        with pytest.raises(check.RefusedError) as refusal:
            chosen(table, **changes)
        assert refusal.value.name == name
        assert found in str(refusal.value.value)


class TestName:
    def test_a_link_does_not_tell_files_apart_that_differ_in_a_few_rows(self):
        tables = [own_texts.read(written(rows=rows, seed=seed)) for rows, seed in ((701, 1), (712, 2), (749, 3))]
        links = [asdict(settings_of(chosen(table, source=""))) | {"own": ""} for table in tables]
        assert links[0] == links[1] == links[2]

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
        for word in ("", "~" * 22, None):
            with pytest.raises(check.RefusedError, match="own"):
                settings_of(word)

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
    def test_each_row_is_its_sources_and_a_split_looks_at_nothing(self, table):
        corpus = chosen(table).corpus(3, seed=1)
        for k, shop in ((0, 0), (1, 1), (2, 2), (-1, 3)):
            assert set(table.texts("shop")[corpus.domain == k]) == {f"shop {shop}"}
        np.testing.assert_array_equal(corpus.y, table.texts("stars") == "5")
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
        drawn = [work.draw(settings.model, 0, k) for k in range(where.sources)]
        names = np.concatenate([part[2] for one in drawn for part in (one.labelled, one.unlabelled, one.left)])
        assert len(set(names)) == len(names)
        assert not set(names) & set(shown)
        assert np.linalg.norm(domains.world(where).public, axis=1).max() <= 1 + 1e-9


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


def test_the_bars_are_the_medians():
    settings = HypothesesSettings().change(**{name: int(value) for name, value in QUICK[PAGE].items()})
    result = first(settings, settings.samples())
    bars = [shape for shape in figures.weights(result)["layout"]["shapes"] if shape["type"] == "rect"]
    np.testing.assert_allclose([bar["y1"] for bar in bars], 100 * np.median(result.now.runs("weights"), axis=0))
    median = round(100 * result.gain["transfer"].median, 1)
    words = [word["text"] for word in figures.gain(result)["layout"]["annotations"]]
    assert f"{median:+.1f}".replace("-", "−") in words


def test_newsgroups_wait_for_a_yes(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    domain_text._newsgroups.cache_clear()
    fetch = Mock(side_effect=OSError("no route to host"))
    monkeypatch.setattr("sklearn.datasets._twenty_newsgroups._download_20newsgroups", fetch)
    app = opened(PAGE, data="newsgroups")
    fetch.assert_not_called()
    app.button(key="hypotheses.download").click().run()
    assert not app.exception
    fetch.assert_called_once()
    assert "could not be downloaded" in app.error[0].value


class TestPage:
    def open(self, table=None, **link: str) -> AppTest:
        app = opened(PAGE, data="own", repeats="2", **link)
        assert not app.exception
        if table is not None:
            app.session_state["hypotheses.brought"] = own_session.Brought(table=table, draft=own_texts.guess(table))
            assert not app.run().exception
        return app

    def settings(self, app: AppTest) -> HypothesesSettings:
        return app.session_state["hypotheses.desk"].settings

    def choose(self, app: AppTest, name: str, value: str) -> HypothesesSettings:
        app.selectbox(key=f"hypotheses.own.{name}").set_value(value).run()
        assert not app.exception
        return self.settings(app)

    def test_a_link_says_that_its_file_is_not_here_and_keeps_the_rest_for_one_that_is_brought(self, table):
        own = chosen(table)
        link = {"own": str(own), "sources": "3", "weight_2": "0.5", "source_rows": "60"}
        assert VERDICT not in text(self.open(**link))
        shown = self.open(table, **link)
        assert not shown.warning
        assert shown.expander[0].proto.expanded
        settings = self.settings(shown)
        assert (settings.sources, settings.weight_2, settings.source_rows) == (3, 0.5, 60)
        assert (settings.own.table, settings.own == own) == (table, False)
        assert shown.query_params["own"] in (str(settings.own), [str(settings.own)])
        assert VERDICT in text(shown)

    def test_a_page_that_comes_back_in_time_keeps_its_file_and_a_later_one_is_asked_for_it(self, monkeypatch):
        app = self.open()
        app.file_uploader[0].set_value(("reviews.csv", written(rows=900, seed=13), "text/csv")).run()
        assert VERDICT in text(app)
        brought = app.session_state["hypotheses.brought"]
        clear_session_resource_cache("test session id")  # what the server does when the page's connection ends
        assert brought.timer.is_alive()
        assert VERDICT in text(app.run())
        assert brought.timer is None
        monkeypatch.setattr(own_session, "GRACE", 0.01)
        clear_session_resource_cache("test session id")
        brought.timer.join()
        assert not brought.table.columns
        app.run()
        assert not app.exception
        assert VERDICT not in text(app)

    def test_going_back_gets_the_choice_of_before_back(self, table, monkeypatch):
        app = self.open(table)
        before = {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
        assert self.choose(app, "source", "shop").own.columns.source == "shop"
        for name, value in before.items():
            app.query_params[name] = value
        monkeypatch.setattr(controls, "_goes_back", lambda: True)
        app.run()
        assert self.settings(app).own == before["own"]
        assert self.settings(app).own.columns.source == app.selectbox(key="hypotheses.own.source").value == ""

    def test_columns_and_public_rows_are_chosen_and_what_does_not_do_is_said_there(self, table, monkeypatch):
        app = self.open(table)
        before, texts = self.settings(app), domains._texts
        assert not app.expander[0].proto.expanded
        assert self.choose(app, "label", "number") == before
        assert app.expander[0].proto.expanded
        (said,) = [error.value for error in app.error]
        assert "2 to 50" in said
        assert VERDICT in text(app)  # what stood before still stands
        self.choose(app, "label", "stars")
        assert not app.error
        assert "one random split" in text(app)
        assert self.choose(app, "source", "shop").own.sources == 4
        settings = self.choose(app, "public", "shop 2")
        assert not app.error
        assert (settings.sources, settings.own.columns.public) == (3, "shop 2")
        assert self.choose(app, "source", "").own.columns.public == ""

        def few(where):
            if where.public_rows != 250:
                return texts(where)
            raise check.RefusedError("public", "250 texts", "texts that share at least a few words")

        monkeypatch.setattr(domains, "_texts", few)
        before = self.settings(app)
        moved(app, PAGE, "public_rows", 250)
        assert not app.exception
        assert self.settings(app) == before
        assert "250 texts" in app.session_state["hypotheses.desk"].errors["public_rows"]


@pytest.fixture(scope="module")
def page() -> AppTest:
    """One session that is brought file after file, as by somebody who does not give up."""
    app = opened(PAGE, data="own", repeats="2", dimension="3")
    assert not app.exception
    return app


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_what_it_is_or_refused_in_words(page, name):
    before = page.session_state["hypotheses.desk"].settings
    page.file_uploader[0].set_value((f"{name}.csv", FILES[name], "text/csv")).run()
    if "sources" in name:
        page.selectbox(key="hypotheses.own.source").set_value("shop").run()
    assert not page.exception
    settings, said = page.session_state["hypotheses.desk"].settings, [one.value for one in page.error]
    if name in READ:
        assert not said
        assert list(settings.own.table.columns) == READ[name]
        assert VERDICT in text(page)
    else:
        assert said
        assert all("must" in sentence for sentence in said)
        assert settings.own is before.own or VERDICT not in text(page)
        assert not any(part in sentence for sentence in said for part in ("\x00", "expected after", "Error"))
    if name in ("2 sources of 600 rows", "two words in all"):
        app = at_rest(page, PAGE)
        assert not app.exception
        assert "…" not in text(app)
