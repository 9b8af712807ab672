"""Code sets widgets, and values from before that are not taken for a visitor's choices."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.topics import PAGES
from tests.app import QUICK, opened


def widgets_set(app: AppTest) -> list[str]:
    """Return the labels of widgets whose value the newest run has set in the browser."""
    labels = []
    for element in app:
        proto = getattr(element, "proto", None)
        if getattr(proto, "set_value", False):
            labels.append(element.label)
    return labels


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
class TestPages:
    @pytest.fixture
    def app(self, page):
        """Return the page with little work, with a pin and with a question if it takes them."""
        link = dict(QUICK[page.name])
        if "seed" in page.settings().limits:
            link["pin"] = "seed~5"
        if page.question_tab is not None:
            link["tab"] = "what-if"
        return opened(page.name, **link)

    def test_a_run_sets_no_widget_that_has_its_value(self, app, page):
        """A run that began before the person chose would otherwise undo their choice."""
        assert app.title[0].value == page.info.question
        assert widgets_set(app.run()) == []

    def test_widgets_have_their_value_as_default(self, app, page):
        """The browser may have missed the run that set it."""
        values = {"selectbox": "index", "button_group": "indices", "number_input": "value"}
        for kind, attribute in values.items():
            for widget in app.get(kind):
                default = str(widget.proto.default)
                assert default == str(getattr(widget, attribute)), widget.label


def two_numbers() -> None:
    """A script with two numbers, which it sets to 4 in the run after ``filled`` is set.

    filled: Whether that run is cut short.
    """
    import streamlit as st

    from ui.session import widget_state

    numbers = st.session_state.setdefault("numbers", {"first": 3.0, "second": 3.0})
    filled = st.session_state.pop("filled", None)
    with widget_state.resend_unsent():
        for name in numbers:
            if filled is not None:
                numbers[name] = 4.0
            widget_state.set_widget(name, numbers[name])
            act = widget_state.on_change(
                name, lambda value, name=name: numbers.update({name: value})
            )
            st.number_input(name, value=None, key=name, on_change=act)
        if filled:
            st.stop()


class TestOutdatedBrowser:
    """The browser sends both numbers whichever is changed."""

    @pytest.fixture(params=[True, False], ids=["cut short", "whole run"])
    def app(self, request):
        """The script after code has set both numbers from 3 to 4."""
        app = AppTest.from_function(two_numbers).run()
        app.session_state["filled"] = request.param
        return app.run()

    @staticmethod
    def send(app: AppTest, first: float, second: float) -> dict[str, float]:
        """Run the script with both numbers as the browser sends them.

        Return label -> value of each, after a check that the script has the same.
        """
        for widget, value in zip(app.number_input, (first, second), strict=True):
            widget.set_value(value)
        app.run()
        shown = {widget.label: widget.value for widget in app.number_input}
        assert shown == app.session_state["numbers"]
        return shown

    def test_outdated_values_of_a_browser_are_ignored_and_set_again(self, app):
        for _ in range(2):
            shown = self.send(app, 3.0, 3.0)

            assert shown == {"first": 4.0, "second": 4.0}
            assert widgets_set(app) == ["first", "second"]

    def test_new_values_are_taken_once_the_browser_knows_the_values_set_by_code(self, app):
        self.send(app, 3.0, 3.0)

        for first, second in ((4.0, 4.0), (3.0, 4.0), (5.0, 4.0)):
            shown = self.send(app, first, second)

            assert shown == {"first": first, "second": second}
            assert widgets_set(app) == []
