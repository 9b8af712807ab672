"""A desk keeps settings, controls and address in step, whatever order messages arrive in."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from tests.app import QUICK, address, moved, opened
from ui import debounce
from ui.controls import Desk

OLD, NEW, OTHER = ({"epsilon": text} for text in ("0.5", "2.0", "7.0"))


def sent(app: AppTest) -> list[str]:
    """Return the widgets whose value the newest run has set in the browser."""
    return [one.label for one in app if getattr(getattr(one, "proto", None), "set_value", False)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_run_sets_no_widget_that_has_its_value(page):
    """A run that began before the person chose would otherwise send their choice back to what it was."""
    seeded = "seed" in page.settings().limits
    app = opened(page.name, **QUICK[page.name], **({"pin": ["~one~seed~5", "~two~seed~6"]} if seeded else {}))
    assert app.title[0].value == page.question
    assert not app.exception
    assert [one for one in app if hasattr(getattr(one, "proto", None), "set_value")]
    assert sent(app.run()) == []


@pytest.mark.parametrize("cut", [True, False])
def test_what_the_browser_has_not_heard_of_is_set_again(cut):
    """With another widget it sends the values of before, which nobody has chosen."""

    def script() -> None:
        import streamlit as st

        from ui import held

        draft = st.session_state.setdefault("draft", {"one": 3.0, "other": 3.0})
        filled = st.session_state.pop("filled", None)
        with held.whole_run():
            for name in draft:
                draft[name] = draft[name] if filled is None else 4.0
                held.hold(name, draft[name])
                act = held.heard(name, lambda value, name=name: draft.update({name: value}))
                st.number_input(name, value=None, key=name, on_change=act)
            if filled:
                st.stop()

    app = AppTest.from_function(script).run()
    app.session_state["filled"] = cut
    app.run()
    late, known = [(3.0, 3.0, False)] * 2, [(4.0, 4.0, True), (3.0, 4.0, True), (5.0, 4.0, True)]
    for one, other, knows in late + known:
        for box, value in zip(app.number_input, (one, other), strict=True):
            box.set_value(value)
        app.run()
        said = {"one": one, "other": other} if knows else {"one": 4.0, "other": 4.0}
        assert {box.label: box.value for box in app.number_input} == app.session_state["draft"] == said
        assert sent(app) == ["one", "other"] * (not knows)


def test_only_a_late_message_with_a_replaced_address_asks_for_nothing():
    desk = Desk(page="classifier", settings=ClassifierSettings(), link=NEW)
    desk.replaced.append(OLD)
    heard = [(OLD, False), (NEW, False), (OTHER, False), ({}, False), (OLD, True)]
    found = [(desk.hears(address, history=history), desk.late) for address, history in heard]
    assert found == [(False, True), (False, False), (True, False), (False, False), (True, False)]


class Address(dict):
    """An address bar at which Streamlit may end a run."""

    ends_at = ""

    def to_dict(self) -> dict[str, str]:
        if self.ends_at == "to_dict":
            raise Ended
        return {**self}

    def from_dict(self, new: dict[str, str]) -> None:
        if self.ends_at == "from_dict":
            raise Ended
        self.clear()
        self.update(new)

    def get_all(self, name: str) -> list[str]:
        return []


class Ended(Exception):
    pass


@pytest.mark.parametrize("ends_at", ["to_dict", "from_dict"])
def test_a_run_that_is_ended_while_it_tells_the_address_changes_no_settings(monkeypatch, ends_at):
    browser = Address(OLD)
    monkeypatch.setattr("streamlit.query_params", browser)
    desk = Desk(page="classifier", settings=ClassifierSettings(epsilon=2.0), link=OLD)
    browser.ends_at = ends_at
    with pytest.raises(Ended):
        desk.tell(done=1)
    browser.ends_at = ""
    assert not desk.hears(OLD, history=False)
    desk.tell(done=1)
    assert browser == desk.address == desk.link


def test_run_that_a_page_asks_for_itself_comes_after_a_newer_request(monkeypatch):
    def newer() -> None:
        raise Ended

    asked = []
    monkeypatch.setattr("streamlit.rerun", lambda: asked.append(None))
    debounce.again()
    monkeypatch.setattr(debounce, "_heed", newer)
    with pytest.raises(Ended):
        debounce.again()
    assert len(asked) == 1


def late(app: AppTest, link: dict[str, str]) -> Desk:
    """The desk after a message with an address of before."""
    app.query_params.clear()
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    return app.session_state["classifier.desk"]


def test_a_choice_in_a_late_message_is_kept_and_so_is_the_knob():
    """Once another page was visited, an address of before is a link again."""
    app = opened("classifier", epsilon="0.5")
    before = address(app)
    moved(app, "classifier", "epsilon", 3.0)
    app.selectbox(key="classifier.dataset").set_value("moons")
    desk = late(app, before)
    assert (desk.settings.epsilon, desk.settings.dataset) == (3.0, "moons")
    assert {"epsilon": "3.0", "dataset": "moons"}.items() <= address(app).items()
    app.session_state["lab.visited"] = "accounting"
    desk = late(app, before)
    assert (desk.settings.epsilon, desk.late) == (0.5, False)
