"""A page state keeps settings, controls and address in step; stops, words and numbers of a page that is
presented.
"""

import pytest
from streamlit.testing.v1 import AppTest

from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from tests.app import QUICK, address, moved, opened, settings_of, text
from tests.toy.page import TOY
from ui.compute import debounce
from ui.layout import presenter
from ui.live.frames import make_frame
from ui.live.messages import parse_message
from ui.page import presenter_page
from ui.page.view import FIRST
from ui.session.address import Address
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.tiles import Tile
from ui.widgets import Slider

OLD, NEW, OTHER = ({"epsilon": text} for text in ("0.5", "2.0", "7.0"))


def sent(app: AppTest) -> list[str]:
    """Return the widgets whose value the newest run has set in the browser."""
    return [one.label for one in app if getattr(getattr(one, "proto", None), "set_value", False)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_run_sets_no_widget_that_has_its_value(page):
    """A run that began before the person chose would otherwise send their choice back to what it
    was.
    """
    pin = {"pin": "seed~5"} if "seed" in page.settings().limits else {}
    app = opened(
        page.name, **QUICK[page.name], **pin, **({"tab": "what-if"} if page.question_tab else {})
    )
    assert app.title[0].value == page.question
    assert sent(app.run()) == []
    for kind, state in (
        ("selectbox", "index"),
        ("button_group", "indices"),
        ("number_input", "value"),
    ):
        for box in app.get(kind):  # the browser may have missed the run that set it
            assert str(box.proto.default) == str(getattr(box, state)), box.label


@pytest.mark.parametrize("cut", [True, False])
def test_what_the_browser_has_not_heard_of_is_set_again(cut):
    """With another widget it sends the values of before, which nobody has chosen."""

    def script() -> None:
        import streamlit as st

        from ui.session import widget_state

        draft = st.session_state.setdefault("draft", {"one": 3.0, "other": 3.0})
        filled = st.session_state.pop("filled", None)
        with widget_state.resend_unsent():
            for name in draft:
                draft[name] = widget_state.set_widget(name, draft[name] if filled is None else 4.0)
                act = widget_state.on_change(
                    name, lambda value, name=name: draft.update({name: value})
                )
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
        assert (
            {box.label: box.value for box in app.number_input} == app.session_state["draft"] == said
        )
        assert sent(app) == ["one", "other"] * (not knows)


def test_only_a_late_message_with_a_replaced_address_asks_for_nothing():
    state = PageState(page="classifier", settings=ClassifierSettings(), address=Address(link=NEW))
    state.address.replaced.append(OLD)
    heard = [(OLD, False), (NEW, False), (OTHER, False), ({}, False), (OLD, True)]
    found = [
        (state.address.is_new_link(address, from_history=history), state.address.late)
        for address, history in heard
    ]
    assert found == [(False, True), (False, False), (True, False), (False, False), (True, False)]


class QueryParams(dict):
    to_dict, get_all = dict.copy, lambda self, name: []

    def from_dict(self, new: dict[str, str]) -> None:
        self.clear()
        self.update(new)


@pytest.mark.parametrize("ends_at", ["to_dict", "from_dict"])
def test_a_run_that_is_ended_while_it_tells_the_address_changes_no_settings(monkeypatch, ends_at):
    browser = QueryParams(OLD)
    monkeypatch.setattr("streamlit.query_params", browser)
    state = PageState(
        page="classifier", settings=ClassifierSettings(epsilon=2.0), address=Address(link=OLD)
    )
    with monkeypatch.context() as patch:
        patch.delattr(QueryParams, ends_at)
        with pytest.raises(AttributeError):
            state.write_address(done=1)
    assert not state.address.is_new_link(OLD, from_history=False)
    state.write_address(done=1)
    assert browser == state.address_params == state.address.link


def test_run_that_a_page_asks_for_itself_comes_after_a_newer_request(monkeypatch):
    asked = []
    monkeypatch.setattr("streamlit.rerun", lambda: asked.append(None))
    debounce.rerun_page()
    monkeypatch.setattr(debounce, "_stop_if_cancelled", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        debounce.rerun_page()
    assert len(asked) == 1


def test_a_choice_in_a_late_message_is_kept_and_so_is_the_slider():
    """Once another page was visited, an address of before is a link again."""
    app = opened("classifier", epsilon="0.5")
    before = address(app)
    moved(app, "classifier", "epsilon", 3.0)
    app.selectbox(key="classifier.dataset").set_value("moons")
    chosen = {"epsilon": "3.0", "dataset": "moons"}
    for visited, epsilon, said in (("classifier", 3.0, chosen), ("accounting", 0.5, before)):
        app.session_state["lab.visited"] = visited
        app.query_params = before.copy()
        assert settings_of(app.run(), "classifier").epsilon == epsilon
        assert said.items() <= address(app).items()


CLASSIFIER = next(page for page in PAGES if page.name == "classifier")


def state_at(said: str = "1", **link: str) -> PageState:
    settings, notices = from_link(CLASSIFIER.settings, link)
    assert not notices
    return PageState(
        page=CLASSIFIER.name, settings=settings, address=Address(view={"present": said})
    )


def test_stops_are_round_values_of_the_hero_slider_and_the_start():
    state = state_at(epsilon="0.3")
    places = presenter.stops(CLASSIFIER, state)
    assert [*places.values()] == [
        f"Epsilon {value}" for value in ("0.01", "0.1", "0.3", "1", "10", "100")
    ]
    assert state.settings in places
    assert all(one.change(epsilon=0.3) == state.settings for one in places)
    # The place is the stop, or the one before the slider was moved.
    for epsilon, place in ((0.3, 2), (0.35, 2), (10.0, 4)):
        state.change("epsilon", epsilon)
        assert presenter.current_stop(state, places) == place
    for broken in ("", "0", "99", "-1", "two", "9" * 700, "²"):
        state.change("epsilon", 0.35)
        state.address.view["step"] = broken
        assert 0 <= presenter.current_stop(state, places) < len(places), broken


def test_start_stays_in_the_address_whatever_is_moved():
    """But for what an address does not hold, a file of one's own: only the hero slider goes back."""
    state = state_at(epsilon="0.3")
    first = presenter.stops(CLASSIFIER, state)
    assert (state.address.view["present"], state.presented_chart) == ("1~epsilon~0.3", "1")
    assert (
        presenter.stops(CLASSIFIER, state_at(state.address.view["present"], epsilon="7")) == first
    )
    whole = state_at()
    presenter.initial_settings(whole)
    assert (
        presenter.initial_settings(state_at(whole.address.view["present"], epsilon="7"))
        == CLASSIFIER.settings()
    )
    other = presenter.stops(CLASSIFIER, state_at("1~epsilon~0.3", epsilon="7", steps="11"))
    assert {one.steps for one in other} == {11}
    assert "Epsilon 0.3" in other.values()
    for broken in ("1~", "1~epsilon", "1~epsilon~soup~steps", "x~" + "~" * 50, "~epsilon~2"):
        assert isinstance(presenter.initial_settings(state_at(broken)), CLASSIFIER.settings)


def test_the_hero_slider_leads_from_each_stop_to_each_other_unless_it_changes_more():
    settings = CLASSIFIER.settings()
    places = {settings.change(epsilon=1.0): "a", settings.change(epsilon=2.0): "b"}
    for settings, stop in zip(places, presenter.stop_messages(places, hero="epsilon"), strict=True):
        assert stop["moves"] == [("epsilon", settings.epsilon)]
        assert (
            from_link(
                CLASSIFIER.settings, dict(pair.split("=") for pair in stop["link"].split("&"))
            )[0]
            == settings
        )
    places[settings.change(dataset="wine")] = "c"
    assert all(stop["moves"] is None for stop in presenter.stop_messages(places, hero="epsilon"))


def test_round_values_along_a_slider():
    for low, high, more, values in (
        (0.05, 50.0, {"scale": "log"}, [0.1, 1, 10]),
        (1e-12, 0.1, {"scale": "log"}, [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]),
        (2.0, 7.0, {"scale": "log"}, [2, 7]),
        (0, 9999, {"whole": True}, [0, 2000, 4000, 6000, 8000]),
        (0.0, 1.0, {"step": 0.05}, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (3.0, 3.0, {}, []),
    ):
        assert presenter.ticks(
            Slider(name="x", label="X", low=low, high=high, **more)
        ) == pytest.approx(values)


def test_three_numbers_of_four_and_the_first_sentence_as_the_heading():
    numbers = [Tile(name, "1") for name in "abcd"]
    dots = [numbers[0], numbers[1]._replace(mark='<i class="lab-dots"></i>'), *numbers[2:]]
    for given, labels in ((numbers, "abd"), (numbers[:3], "abc"), (dots, "acd")):
        assert "".join(one.label for one in presenter_page.presenter_tiles(given)) == labels
    for first, rest in (
        ("Nothing more.", ""),
        ("<b>At epsilon 0.5</b> it costs 2 points.", "More."),
        ("<b>One. Two</b> of them.", "<b>Three</b>"),
        ("<b>One.</b>", "Two."),
        ("no end", ""),
    ):
        assert (
            presenter_page.verdict_with_heading(f"{first} {rest}".strip())
            == f"<h1>{first}</h1><p>{rest}</p>"
        )


def test_only_a_page_is_presented_and_notes_compute_nothing(monkeypatch):
    app = opened("classifier", epsilon="0.3", present="1")
    assert not app.exception
    assert not app.title
    assert not app.get("tab")
    assert "<h1>" in text(app)
    assert (app.query_params["present"], app.query_params["step"]) == ("1~epsilon~0.3", "3")
    home, whole = opened("", present="1"), opened("classifier", present="0")
    assert "present" not in home.query_params
    assert [one.value for one in whole.title] == [CLASSIFIER.question]
    assert not home.exception
    assert not whole.exception


def test_a_presented_page_has_one_picture():
    message = '{"number":1,"page":"toy","settings":{},"moves":[],"tab":"","pin":null,"present":"1"}'
    told = make_frame(parse_message(message, {"toy": TOY})[0], 0)
    assert told.rows == {FIRST: [[next(iter(told.charts))]]}
    assert {".lab-verdict", ".lab-numbers"} == set(told.texts)
    assert told.texts[".lab-verdict"].startswith("<h1>")
    result = TOY.settings().experiment.run()
    names = [one.name for row in TOY.charts(result) for one in row]
    for asked, name in [(name, name) for name in names] + [("1", names[0]), ("nothing", names[0])]:
        ((picture,),) = presenter_page.presenter_page(TOY, asked).view(result).boards[FIRST]
        assert (picture.name, picture.height) == (name, 0)
