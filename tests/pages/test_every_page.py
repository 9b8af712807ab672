"""What holds on every page: it opens, takes links and movements, refuses in words, and draws and
says all it can.
"""

import math
import re
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.check import RefusedError
from lab.experiment.data_settings import OWN
from lab.experiment.links import VERSION_NAME, minimal_texts, versioned
from pages import topics
from pages.attack.settings import PARTS, AttackSettings
from pages.classifier.settings import ClassifierSettings
from tests.app import QUICK, address, at_rest, moved, opened, press, settings_of, text
from tests.sentences import first, options, plain
from tests.ui.charts.test_topic_charts import numbers
from ui.charts.curves import axis_range
from ui.charts.price_curve import handle
from ui.charts.theme import dot as dot_of
from ui.page import pin
from ui.page.suggestion import bold_html
from ui.session.address import LONGEST, MORE, PIN
from ui.session.entries import from_link
from ui.text import tables
from ui.text import tiles as panels
from ui.text.sliders import SLIDERS

CLASSIFIER = "classifier"
BY_NAME = {page.name: page for page in topics.PAGES}
ALL_PAGES = list(BY_NAME)
PAGES_OF_TOPICS = [page.name for page in topics.TOPIC_PAGES]
every_page = pytest.mark.parametrize("page", ALL_PAGES)
every_topic = pytest.mark.parametrize("page", PAGES_OF_TOPICS)

# The outlines of the marks at the current value of a curve: a dot, and a point that is dragged.
DOT = dot_of(0, 0, colour="").get("path")
HANDLE = handle(0, 0)[0]["path"]
# What a number that could not be computed looks like in a text.
NO_NUMBER = r"\b(nan|None)\b"
# Charts hold points in single precision.
SINGLE_PRECISION = 1e-5


@cache
def quick(page: str, *, without: str = "") -> Any:
    """Return the settings of the page's quick link, or of what it holds besides one field."""
    link = {name: value for name, value in QUICK.get(page, {}).items() if name != without}
    settings, refused = from_link(BY_NAME[page].settings, link)
    assert not refused
    return settings


def open_quick(page: str, **link: str) -> AppTest:
    """Return the page, opened by its quick link with these fields added or replaced."""
    return opened(page, **(QUICK.get(page, {}) | link))


def first_slider(page: str) -> str:
    """Return the field of the page's first slider."""
    return BY_NAME[page].slider_layout(quick(page)).hero


def another_value(settings: Any, name: str) -> float:
    """Return a value that the field may have, and has not."""
    low, high = settings.limits[name]
    value = low + (high - low) / 3
    if isinstance(low, int):
        value = round(value)
    else:
        value = float(f"{value:.3g}")
    if value == getattr(settings, name):
        return high
    return value


@every_topic
class TestLinkOfAMovedSlider:
    @pytest.fixture
    def name(self, page) -> str:
        """Return the field of the page's first slider."""
        return first_slider(page)

    @pytest.fixture
    def app(self, page, name) -> AppTest:
        """The page after its first slider was moved."""
        app = open_quick(page)
        return moved(app, page, name, another_value(settings_of(app, page), name))

    def test_the_address_has_what_differs_from_the_defaults_and_a_version(self, page, name, app):
        settings = settings_of(app, page)

        names = set(app.query_params)

        assert getattr(settings, name) == another_value(quick(page), name)
        assert name in names
        assert names == {*minimal_texts(settings), VERSION_NAME}

    def test_the_address_opens_the_same_settings_and_texts(self, page, app):
        second = opened(page, **address(app))

        assert not second.warning
        assert settings_of(second, page) == settings_of(app, page)
        # The card tells of a change in its own session.
        card = r'\s*<div class="lab-move">.*?</div>'
        first_text = re.sub(card, "", text(at_rest(app, page)))
        second_text = re.sub(card, "", text(at_rest(second, page)))
        assert second_text == first_text


@every_page
class TestTabs:
    def test_a_link_opens_each_tab_and_the_address_names_all_but_the_first(self, page):
        first_tab, *other_tabs = BY_NAME[page].at(quick(page)).all_tabs
        names_in_address = {first_tab: ""} | {tab: tab.name for tab in other_tabs}

        for tab, name_in_address in names_in_address.items():
            app = open_quick(page, tab=tab.name)
            assert not app.exception
            assert not app.warning
            assert app.session_state[f"{page}.tabs"] == tab.title
            assert address(app.run()).get("tab", "") == name_in_address

    def test_the_address_names_a_tab_that_is_chosen_on_the_page(self, page):
        _, second_tab, *_ = BY_NAME[page].at(quick(page)).all_tabs
        app = open_quick(page)
        app.session_state[f"{page}.tabs"] = second_tab.title

        # The first run takes the choice, and the next one shows the address.
        app.run().run()

        assert address(app)["tab"] == second_tab.name


def broken_links() -> list[Any]:
    """Return (page, field, refused value) for the first slider, the tab and each choice."""
    cases = []
    for page in PAGES_OF_TOPICS:
        values = {first_slider(page): "1e99", "tab": "mars"}
        values |= dict.fromkeys(quick(page).choices, "mars")
        for field, value in values.items():
            cases.append(pytest.param(page, field, value, id=f"{page}-{field}"))
    return cases


@pytest.mark.parametrize(("page", "field", "value"), broken_links())
def test_a_broken_value_of_a_link_is_refused_with_its_reason_and_changes_nothing(
    page, field, value
):
    app = opened(page, **versioned(QUICK.get(page, {}) | {field: value}))

    assert not app.exception
    assert settings_of(app, page) == quick(page, without=field)
    (warning,) = app.warning
    assert re.search(rf"{field}={value}\b.*(from \S+ to \S+|one of: )", warning.value)
    assert address(app).get(field) != value


@every_topic
@pytest.mark.parametrize(
    "refused_value",
    [pytest.param(lambda low: low - 1e9, id="too low"), pytest.param(lambda _: "abc", id="text")],
)
def test_a_refused_movement_has_its_reason_and_changes_nothing(page, refused_value):
    app = open_quick(page)
    before = settings_of(app, page)
    name = first_slider(page)
    low, _ = before.limits[name]

    moved(app, page, name, refused_value(low))

    assert not app.exception
    assert settings_of(app, page) == before
    error = app.session_state[f"{page}.state"].errors[name]
    assert re.search(r"cannot be .*(from |to )", error)


@every_topic
def test_a_movement_after_a_refused_one_is_made_and_clears_the_error(page):
    app = open_quick(page)
    before = settings_of(app, page)
    name = first_slider(page)
    value = another_value(before, name)
    moved(app, page, name, "abc")

    moved(app, page, name, value)

    assert settings_of(app, page) == before.change(**{name: value})
    assert not app.session_state[f"{page}.state"].errors


def variants(page: str) -> list[dict[str, str]]:
    """Return no change, and the change to each other option of each of the page's choices."""
    kind = BY_NAME[page].settings
    changes: list[dict[str, str]] = [{}]
    for name, default in asdict(kind()).items():
        if not isinstance(default, str) or name in ("own", "pin"):
            continue
        current = getattr(quick(page), name)
        for option in options(kind, name):
            if option not in (current, OWN):
                changes.append({name: option})
    return changes


def accepted(settings: Any, changes: dict[str, Any]) -> Any:
    """Return the settings with these changes; None if they do not go together."""
    try:
        return settings.change(**changes)
    except RefusedError:
        return None


@cache
def alternatives(page: str) -> list[Any]:
    """Return the page's quick settings with at most one other option.

    An option may go with another one and not with the defaults.
    """
    found = [accepted(quick(page), changes) for changes in variants(page)]
    return [settings for settings in found if settings is not None]


class Dot(NamedTuple):
    """A mark of the value of a curve at the current settings."""

    x: float
    y: float
    colour: str


def line_colours(figure: dict[str, Any]) -> set[str]:
    """Return the colours of all lines of a chart."""
    colours = set()
    for trace in figure["data"]:
        if "lines" in trace.get("mode", ""):
            colours.add(trace["line"].get("color"))
    return colours


def dots(figure: dict[str, Any]) -> list[Dot]:
    """Return the dots of a chart that stand on the vertical line at the current value."""
    shapes = figure["layout"].get("shapes", ())
    current = set()
    for shape in shapes:
        if shape["type"] == "line" and shape["x0"] == shape["x1"]:
            current.add(shape["x0"])
    found = []
    for shape in shapes:
        is_mark = shape.get("path") in (DOT, HANDLE)
        if is_mark and shape["xanchor"] in current:
            found.append(Dot(shape["xanchor"], shape["yanchor"], shape["fillcolor"]))
    return [dot for dot in found if dot.colour in line_colours(figure)]


def points_of_lines(figure: dict[str, Any], colour: str) -> tuple[np.ndarray, np.ndarray]:
    """Return x (n,) and y (n,) of all points of the lines of a colour, within the frame."""
    bottom, top = axis_range(figure["layout"]["yaxis"])
    x, y = [], []
    for trace in figure["data"]:
        if trace.get("line", {}).get("color") == colour and "fill" not in trace:
            x.append(numbers(trace["x"]))
            y.append(np.clip(numbers(trace["y"]), bottom, top))
    return np.concatenate(x), np.concatenate(y)


def is_on_a_line(dot: Dot, figure: dict[str, Any]) -> bool:
    """Return whether a line of the dot's colour has it as a point.

    A point beyond the frame is drawn at the frame. A point that is dragged may lie between two
    points of a line over log epsilon, as soon as the line has all of its points.
    """
    x, y = points_of_lines(figure, dot.colour)
    is_dragged = any(shape.get("path") == HANDLE for shape in figure["layout"]["shapes"])
    if is_dragged and np.isnan(y).any():
        return True
    if is_dragged:
        order = np.argsort(x)
        height = np.interp(np.log(dot.x), np.log(x[order]), y[order])
        return math.isclose(height, dot.y, rel_tol=SINGLE_PRECISION)
    has_its_x = np.isclose(x, dot.x, rtol=SINGLE_PRECISION)
    has_its_y = np.isclose(y, dot.y, rtol=SINGLE_PRECISION)
    return bool((has_its_x & has_its_y).any())


def assert_can_be_shown(page: str, result: Any) -> None:
    """Assert that Plotly draws all charts of a result, and that no text lacks a number."""
    view = BY_NAME[page].at(result.settings).view(result)
    for chart in view.charts(*view.boards).values():
        assert len(go.Figure(chart.figure).data) == len(chart.figure["data"])
        assert chart.alt
        for dot in dots(chart.figure):
            assert is_on_a_line(dot, chart.figure), chart.name
    texts = dict(view.texts)
    for tile in view.tiles:
        texts[f"tile {tile.label}"] = f"{tile.label}: {tile.value} ({tile.note})"
    for name, html in texts.items():
        assert not re.search(NO_NUMBER, plain(html)), (name, plain(html))
    assert view.texts["verdict"].strip()


def options_of_topics() -> list[Any]:
    """Return (page, changes) for no change and each other option of each topic's page."""
    cases = []
    for page in PAGES_OF_TOPICS:
        for changes in variants(page):
            cases.append(pytest.param(page, changes, id=f"{page}-{changes}"))
    return cases


@pytest.mark.parametrize(("page", "changes"), options_of_topics())
def test_the_first_result_of_every_option_can_be_shown(page, changes):
    candidates = [accepted(settings, changes) for settings in alternatives(page)]
    settings = next(candidate for candidate in candidates if candidate is not None)

    result = first(settings)

    assert_can_be_shown(page, result)


@every_topic
def test_a_whole_result_can_be_shown(page):
    result = quick(page).experiment.run()

    assert_can_be_shown(page, result)


def ends_of_ranges() -> list[Any]:
    """Return (page, settings with one field at an end of its range)."""
    cases = []
    for page in PAGES_OF_TOPICS:
        settings = quick(page)
        fields = {first_slider(page), "delta", "clip_norm", "seed", "shown"}
        for name in sorted(fields & {*settings.limits}):
            for end in settings.limits[name]:
                at_end = accepted(settings, {name: end})
                if at_end is not None:
                    cases.append(pytest.param(page, at_end, id=f"{page}-{name} {end:g}"))
    return cases


@pytest.mark.parametrize(("page", "settings"), ends_of_ranges())
def test_the_first_result_at_an_end_of_a_range_can_be_shown(page, settings):
    result = first(settings)

    assert_can_be_shown(page, result)


@pytest.mark.parametrize("page", sorted({*PAGES_OF_TOPICS} - {"attack", "mechanisms", "what-if"}))
def test_a_dot_at_another_value_lies_on_its_line(page):
    """The value is of the first chart's parameter, and not one that its curve is computed at."""
    settings = quick(page)
    name = first_slider(page)
    if name not in settings.limits:
        name = "epsilon"
    low, high = settings.limits[name]
    # Near the middle of the usual range, on a log scale.
    value = 0.9 * math.sqrt(max(low, 0.1) * min(high, 10))
    settings = settings.change(**{name: float(f"{value:.2g}")})

    view = BY_NAME[page].at(settings).view(settings.experiment.run())

    found = []
    for chart in view.charts("board").values():
        for dot in dots(chart.figure):
            found.append(dot)
            assert is_on_a_line(dot, chart.figure), chart.name
    assert found


@pytest.mark.parametrize(
    ("link", "notice"),
    [
        pytest.param(
            {"what_if": " x".join(str(number) for number in range(60))},
            "The link's question was ignored. It must",
            id="many words",
        ),
        pytest.param(
            {"what_if": " " * 700},
            "The link's question was ignored. It must",
            id="many blanks",
        ),
        pytest.param(
            {"step": "x" * (LONGEST + 1)},
            "In the link, step was ignored",
            id="a long step",
        ),
    ],
)
def test_a_part_of_a_link_that_is_too_long_is_ignored_with_one_notice(link, notice):
    app = opened(CLASSIFIER, epsilon="2", lesson="two", **link)

    assert not app.exception
    assert settings_of(app, CLASSIFIER) == ClassifierSettings(epsilon=2)
    (warning,) = app.warning
    assert notice in warning.value
    assert app.query_params["lesson"] == "two"
    assert "step" not in app.query_params


class TestDrawer:
    @pytest.mark.parametrize(
        ("is_open", "in_address"),
        [pytest.param(0, "", id="closed"), pytest.param(1, "1", id="open")],
    )
    def test_the_address_says_whether_the_drawer_is_open(self, is_open, in_address):
        app = opened(CLASSIFIER, more="1")

        moved(app, CLASSIFIER, MORE, is_open)

        assert address(app).get("more", "") == in_address
        assert settings_of(app, CLASSIFIER) == ClassifierSettings()

    @pytest.mark.parametrize(
        "forged",
        [
            pytest.param(7, id="a number"),
            pytest.param({}, id="nothing"),
            pytest.param({"movement": 3}, id="a movement that is a number"),
            pytest.param(
                {"movement": {"name": "version", "value": 1, "seq": 9**20}},
                id="a movement of no slider",
            ),
        ],
    )
    def test_a_forged_message_of_the_sliders_is_ignored(self, forged):
        app = opened(CLASSIFIER)

        app.session_state["classifier.sliders"] = forged
        app.run()

        assert not app.exception
        assert settings_of(app, CLASSIFIER) == ClassifierSettings()


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if BY_NAME[page].controls.suggestion])
class TestSuggestedMovement:
    @pytest.fixture
    def movement(self, page):
        """Return the movement that the page suggests."""
        return BY_NAME[page].controls.suggestion

    @pytest.fixture
    def app(self, page) -> AppTest:
        """Return the page, opened by its quick link."""
        return open_quick(page)

    @pytest.fixture
    def app_after_movement(self, page, movement, app) -> AppTest:
        """Return the page at rest after the suggested movement was made."""
        value = movement.low
        if not math.isfinite(value):
            value = movement.high
        if not math.isfinite(value):
            value = another_value(settings_of(app, page), movement.slider)
        return at_rest(moved(app, page, movement.slider, value), page)

    def test_a_page_asks_for_a_movement_of_a_slider_in_view(self, page, movement, app):
        settings = settings_of(app, page)

        layout = BY_NAME[page].at(settings).slider_layout(settings)

        assert movement.slider in (layout.hero, layout.play, *layout.main)
        assert bold_html(movement.ask) in text(app)

    def test_the_suggestion_calls_the_slider_by_its_label(self, page, movement, app):
        settings = settings_of(app, page)
        changes = BY_NAME[page].at(settings).slider_layout(settings).changes
        texts_of_slider = SLIDERS[movement.slider] | changes.get(movement.slider, {})

        first_word, *_ = texts_of_slider["label"].lower().split()

        assert first_word in plain(bold_html(movement.ask)).lower()

    def test_the_suggestion_is_gone_once_the_movement_is_made(
        self, page, movement, app_after_movement
    ):
        """It stays so at a link of the moved slider, but for What if, which asks again."""
        assert '<div class="lab-move">' not in text(app_after_movement)

        app = opened(page, **address(app_after_movement))

        asks_again = page == "what-if"
        assert (bold_html(movement.ask) in text(app)) == asks_again


def test_a_page_asks_for_no_movement_without_effect():
    app = opened(CLASSIFIER, version="none")

    assert bold_html(BY_NAME[CLASSIFIER].controls.suggestion.ask) not in text(app)


def test_another_data_set_keeps_the_other_settings():
    app = moved(opened(CLASSIFIER), CLASSIFIER, "public_rows", 400)

    app.selectbox(key="classifier.dataset").set_value("iris").run()

    assert not app.exception
    # Iris has no more public rows than 37.
    assert settings_of(app, CLASSIFIER) == ClassifierSettings(dataset="iris", public_rows=37)


def test_a_refused_choice_is_said(monkeypatch):
    app = opened(CLASSIFIER)
    change = ClassifierSettings.change

    def refuse_iris(settings, **changes):
        """Refuse iris, and make all other changes; stands for ``ClassifierSettings.change``."""
        if changes.get("dataset") == "iris":
            raise RefusedError("dataset", "iris", "a data set that this test allows")
        return change(settings, **changes)

    monkeypatch.setattr(ClassifierSettings, "change", refuse_iris)
    app.selectbox(key="classifier.dataset").set_value("iris").run()

    assert "a data set that this test allows" in app.error[0].value
    assert settings_of(app, CLASSIFIER) == ClassifierSettings()


def test_the_whole_page_follows_once_a_slider_is_at_rest():
    app = at_rest(opened(CLASSIFIER, repeats="2", steps="5"), CLASSIFIER)
    state = app.session_state["classifier.state"]
    state.rendered = None
    request_for_page = {
        "name": "",
        "value": 0,
        "seq": state.ack + 1,
        "final": False,
        "tick": True,
        "page": True,
    }

    app.session_state["classifier.sliders"] = {"movement": request_for_page}
    app.run()

    assert not app.exception
    is_complete = True
    assert state.rendered == (state.settings, is_complete)


class TestLargeDelta:
    def test_a_delta_below_one_over_the_rows_is_not_warned_of(self):
        assert panels.large_delta_warning(1e-5, 99_999) == ""

    def test_a_delta_above_one_over_the_rows_is_warned_of(self):
        app = opened(CLASSIFIER, delta="0.01")

        assert panels.large_delta_warning(0.01, 400, "rows") in text(app)


@every_page
class TestResampleAndReset:
    @pytest.fixture
    def app(self, page) -> AppTest:
        """Return the page with its default settings."""
        return opened(page)

    def test_the_defaults_cannot_be_reset(self, page, app):
        assert app.button(key=f"{page}/reset").disabled

    def test_resample_takes_the_next_seed(self, page, app):
        state = app.session_state[f"{page}.state"]
        defaults = state.settings
        if "seed" not in defaults.limits:
            pytest.skip("the page draws nothing")

        press(app, "Resample")

        assert state.settings == defaults.change(seed=defaults.seed + 1)
        assert not app.button(key=f"{page}/reset").disabled

    def test_reset_restores_the_defaults(self, page, app):
        state = app.session_state[f"{page}.state"]
        defaults = state.settings
        if "delta" not in defaults.limits:
            pytest.skip("the page has no delta")
        state.settings = defaults.change(delta=2e-6)
        app.run()

        press(app, "Reset")

        assert not app.exception
        assert state.settings == defaults


@pytest.mark.parametrize(
    ("label", "epsilon"),
    [pytest.param("Reset", None, id="reset"), pytest.param(pin.PIN, "5.0", id="pin")],
)
def test_a_press_acts_after_the_movement_that_comes_with_it(label, epsilon):
    app = moved(opened(CLASSIFIER, epsilon="3"), CLASSIFIER, "epsilon", 4)
    movement = {"name": "epsilon", "value": 5, "seq": 9, "final": True, "tick": False, "page": True}
    app.session_state[f"{CLASSIFIER}.sliders"] = {"movement": movement}

    params = address(press(app, label))

    assert params.get("epsilon") == epsilon
    assert ("epsilon~5" in params.get(PIN, "")) == (label == pin.PIN)


@pytest.mark.parametrize(
    ("cells", "is_at_the_left"),
    [
        pytest.param(["Theorem 1", 2], True, id="a name among numbers"),
        pytest.param(["<b>exact</b>"], True, id="a name in bold letters"),
        pytest.param([1, "<b>1,000</b>", "1e-5", "60 / 0 / 40"], False, id="numbers"),
        pytest.param([], False, id="no rows"),
    ],
)
def test_a_first_column_stands_at_the_left_if_it_has_names(cells, is_at_the_left):
    rows = [{"name": cell} for cell in cells]

    html = tables.table(rows, caption="", heads={"name": "name"})

    assert ("lab-named" in html) == is_at_the_left


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_the_attack_proves_anything(part):
    app = open_quick("attack", part=part)

    assert not app.exception
    assert "proved private" not in text(app)
    assert "never proves one" in text(app) or part in ("fairness", "inversion")


class TestClicksOnTheAttack:
    @pytest.fixture
    def app(self) -> AppTest:
        """Return the page of the attack, opened by its quick link."""
        return open_quick("attack")

    @pytest.fixture
    def click(self, app) -> Callable[..., Any]:
        """Returns a function that sends a click on a chart; it returns the page's settings."""

        def send(name: str, value: Any, component: str = "board") -> Any:
            """Send a click on a component that sets a field, and return the page's settings."""
            state = app.session_state["attack.state"]
            movement = {
                "name": name,
                "value": value,
                "seq": max(state.ack, state.click_ack) + 1,
                "final": True,
                "tick": False,
            }
            app.session_state[f"attack.{component}"] = {"movement": movement}
            app.run()
            assert not app.exception
            return settings_of(app, "attack")

        return send

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            pytest.param("person", 4000, id="a row beyond the last"),
            pytest.param("person", "abc", id="a row that is no number"),
            pytest.param("spot", "far", id="a place that is no pair"),
            pytest.param("epsilon", 9.0, id="a field that no click sets"),
        ],
    )
    def test_a_forged_click_changes_nothing(self, click, name, value):
        assert click(name, value) == AttackSettings(repeats=100, steps=3)

    def test_a_click_on_a_row_asks_about_it(self, click):
        settings = click("person", 17)

        assert settings.who == "row"
        assert settings.person == 17

    def test_a_click_and_a_movement_are_applied_once_each(self, app, click):
        click("person", 17)
        click("person", 3, component="sliders")

        app.run()

        assert settings_of(app, "attack").person == 3

    def test_a_click_on_a_place_asks_about_an_outlier_there(self, click):
        settings = click("spot", "0.25,-0.5")

        assert settings.who == "outlier"
        assert settings.person_x == 0.25
        assert settings.person_y == -0.5


def test_a_slider_of_the_regression_comes_and_goes_with_the_options_by_hand():
    app = open_quick("regression", mechanism="published", tuning="own", share="0.4")

    moved(app, "regression", "share", 0.7)

    assert settings_of(app, "regression").mechanism_of("published").share == 0.7
    app.selectbox(key="regression.tuning").set_value("rule").run()
    assert not app.exception
    assert settings_of(app, "regression").options == ()


def test_a_data_set_of_the_regression_brings_its_number_of_rows():
    app = open_quick("regression", mechanism="published")

    app.selectbox(key="regression.dataset").set_value("brazil").run()

    assert not app.exception
    assert settings_of(app, "regression").rows == 152_000


def test_a_release_that_a_trust_model_does_not_allow_gives_way_to_one_that_it_does():
    app = open_quick("parties", method="vote")

    app.selectbox(key="parties.trust_model").set_value("shuffle").run()

    assert not app.exception
    assert settings_of(app, "parties").trust_model == "shuffle"
    assert settings_of(app, "parties").method == "soft"
