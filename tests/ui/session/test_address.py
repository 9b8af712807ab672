"""The address in the browser and the settings of a page stay in step."""

import pytest

from pages.classifier.settings import ClassifierSettings
from tests.app import address, moved, opened, settings_of
from ui.compute import debounce
from ui.session.address import Address
from ui.session.page_state import PageState

OLD = {"epsilon": "0.5"}
NEW = {"epsilon": "2.0"}
OTHER = {"epsilon": "7.0"}


class QueryParams(dict):
    """The address of a browser, as Streamlit gives it."""

    def to_dict(self) -> dict[str, str]:
        """Return the parameters as a plain dictionary."""
        return dict(self)

    def get_all(self, name: str) -> list[str]:
        """Return no value of a parameter."""
        return []

    def from_dict(self, params: dict[str, str]) -> None:
        """Replace all parameters by these."""
        self.clear()
        self.update(params)


@pytest.mark.parametrize(
    ("params", "from_history", "is_new", "is_late"),
    [
        pytest.param(OLD, False, False, True, id="a late message with a replaced address"),
        pytest.param(NEW, False, False, False, id="the present address"),
        pytest.param(OTHER, False, True, False, id="another link"),
        pytest.param({}, False, False, False, id="no address"),
        pytest.param(OLD, True, True, False, id="back in the history to a replaced address"),
    ],
)
def test_an_address_is_a_new_link_unless_it_is_present_or_late(
    params, from_history, is_new, is_late
):
    state = Address(link=NEW)
    state.replaced.append(OLD)

    answer = state.is_new_link(params, from_history=from_history)

    assert (answer, state.late) == (is_new, is_late)


@pytest.mark.parametrize("ends_at", ["to_dict", "from_dict"])
def test_a_run_that_ends_while_it_writes_the_address_changes_no_settings(monkeypatch, ends_at):
    browser = QueryParams(OLD)
    monkeypatch.setattr("streamlit.query_params", browser)
    settings = ClassifierSettings(epsilon=2.0)
    state = PageState(page="classifier", settings=settings, address=Address(link=OLD))

    with monkeypatch.context() as patch:
        patch.delattr(QueryParams, ends_at)
        with pytest.raises(AttributeError):
            state.write_address(done=1)
    is_new = state.address.is_new_link(OLD, from_history=False)
    state.write_address(done=1)

    assert not is_new
    assert browser == state.address_params == state.address.link


class TestRerun:
    def test_a_rerun_is_requested(self, monkeypatch):
        reruns = []
        monkeypatch.setattr("streamlit.rerun", lambda: reruns.append(None))

        debounce.rerun_page()

        assert len(reruns) == 1

    def test_a_newer_rerun_request_goes_first(self, monkeypatch):
        reruns = []
        monkeypatch.setattr("streamlit.rerun", lambda: reruns.append(None))

        def end_run() -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(debounce, "_stop_if_cancelled", end_run)

        with pytest.raises(ZeroDivisionError):
            debounce.rerun_page()
        assert reruns == []


class TestLateMessage:
    """A choice arrives with the address from before a slider was moved."""

    @pytest.fixture
    def app(self):
        """Return the app after epsilon was moved, with data chosen in a run yet to come.

        ``self.before`` is the address from before the movement.
        """
        app = opened("classifier", epsilon="0.5")
        self.before = address(app)
        moved(app, "classifier", "epsilon", 3.0)
        app.selectbox(key="classifier.dataset").set_value("moons")
        return app

    def test_the_choice_and_the_slider_are_kept(self, app):
        app.query_params = self.before.copy()
        app.run()

        assert settings_of(app, "classifier").epsilon == 3.0
        assert {"epsilon": "3.0", "dataset": "moons"}.items() <= address(app).items()

    def test_after_another_page_the_address_is_a_link_again(self, app):
        app.session_state["lab.visited"] = "accounting"
        app.query_params = self.before.copy()
        app.run()

        assert settings_of(app, "classifier").epsilon == 0.5
        assert self.before.items() <= address(app).items()
