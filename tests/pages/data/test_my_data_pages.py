"""Pages with a visitor's file: their links, what is void, and how long the file stays."""

import re

import pandas as pd
import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from lab.experiment.links import VERSION
from pages.home.settings import PersonSettings
from tests.app import opened, settings_of, text
from tests.pages.data.sessions import (
    CUSTOMERS,
    SAMPLES,
    back_to_my_data,
    confirmed_rows,
    is_waiting,
    link_of_button,
    open_page,
    open_page_at_rest,
    replace_sample_table,
    use_columns,
    visible_text,
    with_customers,
    with_notes,
)
from tests.sentences import plain
from ui.page.pin import PIN
from ui.uploads import lifetime, samples

# Page -> settings with which *My data* opens it.
STARTS = {
    "classifier": {"rows": "2400"},
    "network": {"rows": "2400"},
    "regression": {"rows": "2400", "epsilon": "1"},
}
# Page -> another one that does not take its sample.
MISFITS = {"classifier": "regression", "regression": "network"}
# Sample -> its column that identifies people.
PERSON_COLUMNS = {"customers": "customer_id", "salaries": "employee_id"}
SESSION = "test session id"
ANSWER = re.compile(r"Take epsilon [\d.]+ so that 9 of 10 runs reach")

of_every_page = pytest.mark.parametrize("page", SAMPLES)


# Links


@of_every_page
class TestLinkToAPage:
    def handle_of(self, app: AppTest) -> str:
        """Return the newest handle of rows that pages may use, as a link has it."""
        *_, newest = confirmed_rows(app)
        return str(newest)

    def test_the_button_opens_the_page_with_the_file(self, page, monkeypatch):
        app = with_notes(page)
        handle = self.handle_of(app)
        assert not is_waiting(app, page)

        link = link_of_button(app, f"data.{page}", monkeypatch)

        assert link == {"dataset": "own", "own": handle, "v": str(VERSION), **STARTS[page]}

    def test_the_page_uses_the_file_and_its_guarantee_holds(self, page):
        app = with_notes(page)
        *_, rows = confirmed_rows(app)

        app = open_page_at_rest(app, page, own=str(rows))

        settings = settings_of(app, page)
        assert settings.own == rows
        assert settings.void == ""

    def test_the_page_shows_no_value_of_the_file(self, page):
        app = with_notes(page)
        frame = pd.read_csv(samples.FOLDER / f"{SAMPLES[page]}.csv")
        codes = frame[PERSON_COLUMNS[SAMPLES[page]]][:50]

        app = open_page_at_rest(app, page, own=self.handle_of(app))

        words = plain(visible_text(app))
        assert not [code for code in codes if code in words]

    def test_in_another_session_the_link_has_no_file_and_keeps_the_settings(self, page):
        handle = self.handle_of(with_notes(page))

        stranger = opened(page, dataset="own", own=handle, epsilon="2")

        assert not stranger.exception
        assert "This link's file is not here" in visible_text(stranger)
        assert settings_of(stranger, page).epsilon == 2


@of_every_page
def test_a_page_without_a_file_asks_for_one(page):
    app = opened(page, dataset="own")

    assert "There is no file yet" in visible_text(app)


@pytest.mark.parametrize("is_named", [True, False], ids=["named in the link", "not named"])
@pytest.mark.parametrize("page", MISFITS)
def test_a_page_that_the_file_does_not_fit_says_so(page, is_named):
    app = with_notes(page)
    link = {}
    if is_named:
        *_, rows = confirmed_rows(app)
        link = {"own": str(rows)}

    app = open_page(app, MISFITS[page], **link)

    assert "not ready for this page" in visible_text(app)


def test_other_pages_ignore_the_file():
    app = open_page(with_customers(), "network")
    handle = str(settings_of(app, "network").own)

    home = opened("", dataset="own", own=handle)

    assert not home.exception
    assert settings_of(home, "home") == PersonSettings()


# Which epsilon a file takes


class TestWhichEpsilon:
    def test_the_button_which_epsilon_is_the_first_to_press(self):
        app = with_notes("network")

        assert app.button(key="data.epsilon").proto.type == "primary"

    def test_which_epsilon_is_answered_in_the_tab_what_if(self, monkeypatch):
        app = with_notes("network")

        link = link_of_button(app, "data.epsilon", monkeypatch)
        app = open_page_at_rest(app, "classifier", **link, repeats="24", steps="50")

        assert link["tab"] == "what-if"
        bodies = [element.proto.body for element in app.get("html")]
        (answer,) = [plain(body) for body in bodies if "lab-words-answer" in body]
        assert ANSWER.search(answer)

    def test_the_answer_to_which_epsilon_reads_no_private_row(self, monkeypatch):
        app = with_notes("network")

        link = link_of_button(app, "data.epsilon", monkeypatch)
        app = open_page_at_rest(app, "classifier", **link, repeats="24", steps="50")

        assert "target" not in " ".join(app.query_params)


# Bounds that were read off


@pytest.mark.parametrize("page", ["classifier", "network"])
class TestBoundsReadOffTheRows:
    def read_off(self, page: str) -> AppTest:
        """Return *My data* after the bounds of the age were read off the rows."""
        app = use_columns(with_notes(page), age="out")
        use_columns(app, age="number")
        return app.button(key="data.read_off.age").click().run()

    def test_my_data_warns_of_bounds_read_off_the_rows(self, page):
        app = self.read_off(page)

        assert any("would be void" in error.value for error in app.error)

    def test_bounds_read_off_the_rows_make_the_guarantee_void(self, page):
        app = open_page(self.read_off(page), page)

        errors = [error.value for error in app.error]
        assert any("Guarantee void" in error and "age" in error for error in errors)

    def test_typed_bounds_replace_bounds_read_off_the_rows(self, page):
        app = open_page(self.read_off(page), page)

        app = back_to_my_data(app).button(key="data.type.age").click().run()

        assert is_waiting(app, page)


# Large files


def test_all_rows_of_a_large_file_are_a_press_away_and_so_is_the_way_back(monkeypatch):
    replace_sample_table(monkeypatch, pd.concat([pd.read_csv(CUSTOMERS)] * 9))
    app = open_page(with_customers(), "classifier")
    assert settings_of(app, "classifier").rows == 20_000

    for rows in (21_600, 20_000):
        app = app.button(key="classifier.part").click().run()
        assert settings_of(app, "classifier").rows == rows
        assert f"Trained on {rows:,} " in visible_text(app)


# Pinned settings


def test_settings_with_a_file_cannot_be_pinned():
    app = open_page(with_customers(), "classifier", epsilon="2", pin="epsilon~3")

    assert PIN not in [button.label for button in app.button]
    assert 'class="lab-compare"' not in visible_text(app)


# How long a file stays


class TestLifetime:
    """The server clears the cache of a session when the connection of its page ends."""

    def test_a_page_that_comes_back_in_time_keeps_its_file(self):
        app = open_page(with_customers(), "classifier")
        brought = app.session_state["data.brought"]

        clear_session_resource_cache(SESSION)

        assert brought.timer.is_alive()
        assert 'class="lab-verdict"' in text(app.run())
        assert brought.timer is None

    def test_a_page_that_comes_back_late_has_no_file(self, monkeypatch):
        app = open_page(with_customers(), "classifier")
        brought = app.session_state["data.brought"]
        monkeypatch.setattr(lifetime, "GRACE", 0.01)

        clear_session_resource_cache(SESSION)
        brought.timer.join()

        assert not brought.table.columns
        app.run()
        assert not app.exception
        assert 'class="lab-verdict"' not in text(app)

    def test_a_removed_file_is_gone(self):
        app = open_page(with_customers(), "network")
        table = app.session_state["data.brought"].table

        app = back_to_my_data(app).button(key="data.remove").click().run()

        assert not table.columns
        assert "not here" in visible_text(open_page(app, "classifier", own="A" * 22))
