"""The page of hypotheses as a script, its figures and its sentences."""

import numpy as np
import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from dpcore import check
from dpcore.data import domain_text, domains
from lab.files import own_texts
from pages.hypotheses import figures
from pages.hypotheses.experiment import HypothesesSettings
from tests.app import QUICK, moved, opened, settings_of, text
from tests.sentences import first
from tests.test_own_texts import chosen, written
from ui import controls, own_session

PAGE = "hypotheses"
VERDICT = 'class="lab-verdict"'


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
    asked = []

    def fetched(*_args, **_more):
        asked.append(1)
        raise OSError("no route to host")

    monkeypatch.setattr("sklearn.datasets._twenty_newsgroups._download_20newsgroups", fetched)
    app = opened(PAGE, data="newsgroups")
    assert not app.exception
    assert "Nothing is fetched unless" in text(app)
    assert asked == []
    app.button(key="hypotheses.download").click().run()
    assert not app.exception
    assert asked == [1]
    assert "could not be downloaded" in app.error[0].value


@pytest.fixture(scope="module")
def table():
    return own_texts.read(written())


class TestOwnFile:
    """A file that a session has brought; how one is brought is tried in a real browser."""

    def open(self, table=None, **link: str) -> AppTest:
        app = opened(PAGE, data="own", repeats="2", **link)
        assert not app.exception
        if table is not None:
            app.session_state["hypotheses.brought"] = own_session.Brought(table=table, draft=own_texts.guess(table))
            app.run()
            assert not app.exception
        return app

    def settings(self, app: AppTest) -> HypothesesSettings:
        return settings_of(app, PAGE)

    def choose(self, app: AppTest, name: str, value: str) -> HypothesesSettings:
        app.selectbox(key=f"hypotheses.own.{name}").set_value(value).run()
        assert not app.exception
        return self.settings(app)

    def test_a_link_says_that_its_file_is_not_here_and_keeps_the_rest_for_one_that_is_brought(self, table):
        own = chosen(table)
        link = {"own": str(own), "sources": "3", "weight_2": "0.5", "source_rows": "60"}
        asked = self.open(**link)
        assert VERDICT not in text(asked)
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

    def test_public_rows_that_do_not_do_are_refused_at_their_knob(self, table, monkeypatch):
        app = self.open(table)
        before, texts = self.settings(app), domains._texts

        def few(where):
            if where.public_rows != 250:
                return texts(where)
            raise check.RefusedError("public", "250 texts", "texts that share at least a few words")

        monkeypatch.setattr(domains, "_texts", few)
        moved(app, PAGE, "public_rows", 250)
        assert not app.exception
        assert self.settings(app) == before
        assert "250 texts" in app.session_state["hypotheses.desk"].errors["public_rows"]

    def test_a_column_that_does_not_do_is_said_under_its_box_and_changes_nothing(self, table):
        app = self.open(table)
        before = self.settings(app)
        assert not app.expander[0].proto.expanded
        assert self.choose(app, "label", "number") == before
        assert app.expander[0].proto.expanded
        (said,) = [error.value for error in app.error]
        assert "2 to 50" in said
        assert VERDICT in text(app)  # what stood before still stands
        self.choose(app, "label", "stars")
        assert not app.error

    def test_columns_and_public_rows_are_chosen(self, table):
        app = self.open(table)
        assert "one random split" in text(app)
        assert self.choose(app, "source", "shop").own.sources == 4
        settings = self.choose(app, "public", "shop 2")
        assert not app.error
        assert (settings.sources, settings.own.columns.public) == (3, "shop 2")
        assert self.choose(app, "source", "").own.columns.public == ""
