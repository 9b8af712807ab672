"""A presented page has one chart, three tiles, one slider, and stops along it."""

import pytest

from pages.topics import PAGES
from tests.app import opened, text
from tests.toy.page import TOY
from ui.layout import presenter
from ui.live.frames import make_frame
from ui.live.messages import parse_message
from ui.page.presenter_page import presenter_page, presenter_tiles, verdict_with_heading
from ui.page.view import FIRST
from ui.session.address import Address
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.tiles import Tile
from ui.widgets import Slider

CLASSIFIER = next(page for page in PAGES if page.name == "classifier")


def presented_at(present: str = "1", **link: str) -> PageState:
    """Return the state of the classifier at a link, presented with this value of ``present``."""
    settings, notices = from_link(CLASSIFIER.settings, link)
    assert not notices
    address = Address(view={"present": present})
    return PageState(page=CLASSIFIER.name, settings=settings, address=address)


class TestStops:
    def test_they_are_round_values_of_the_hero_slider_and_the_initial_one(self):
        state = presented_at(epsilon="0.3")

        stops = presenter.stops(CLASSIFIER, state)

        values = ("0.01", "0.1", "0.3", "1", "10", "100")
        assert list(stops.values()) == [f"Epsilon {value}" for value in values]
        assert state.settings in stops

    def test_only_the_hero_slider_differs(self):
        state = presented_at(epsilon="0.3")

        for settings in presenter.stops(CLASSIFIER, state):
            assert settings.change(epsilon=0.3) == state.settings

    def test_the_current_one_is_where_the_page_is_or_was_before_a_slider_moved(self):
        state = presented_at(epsilon="0.3")
        stops = presenter.stops(CLASSIFIER, state)

        for epsilon, index in ((0.3, 2), (0.35, 2), (10.0, 4)):
            state.change("epsilon", epsilon)

            assert presenter.current_stop(state, stops) == index

    @pytest.mark.parametrize("step", ["", "0", "99", "-1", "two", "9" * 700, "²"])
    def test_a_broken_step_in_the_link_leads_to_some_stop(self, step):
        state = presented_at(epsilon="0.3")
        stops = presenter.stops(CLASSIFIER, state)
        state.change("epsilon", 0.35)
        state.address.view["step"] = step

        assert 0 <= presenter.current_stop(state, stops) < len(stops)

    def test_the_channel_leads_to_them_if_the_hero_slider_changes_nothing_else(self):
        settings = CLASSIFIER.settings()
        stops = {settings.change(epsilon=1.0): "a", settings.change(epsilon=2.0): "b"}

        messages = presenter.stop_messages(stops, hero="epsilon")

        for stop, message in zip(stops, messages, strict=True):
            assert message["moves"] == [("epsilon", stop.epsilon)]
            params = dict(pair.split("=") for pair in message["link"].split("&"))
            assert from_link(CLASSIFIER.settings, params) == (stop, [])

    def test_only_the_server_leads_to_them_otherwise(self):
        settings = CLASSIFIER.settings()
        stops = {settings.change(epsilon=1.0): "a", settings.change(dataset="wine"): "b"}

        messages = presenter.stop_messages(stops, hero="epsilon")

        assert [message["moves"] for message in messages] == [None, None]


class TestInitialSettings:
    """The address holds them, whatever is moved."""

    def test_the_address_holds_what_differs_from_the_defaults(self):
        state = presented_at(epsilon="0.3")

        presenter.initial_settings(state)

        assert state.address.view["present"] == "1~epsilon~0.3"
        assert state.presented_chart == "1"

    def test_a_moved_slider_leaves_the_stops(self):
        state = presented_at(epsilon="0.3")
        stops = presenter.stops(CLASSIFIER, state)

        moved_state = presented_at(state.address.view["present"], epsilon="7")

        assert presenter.stops(CLASSIFIER, moved_state) == stops

    def test_the_defaults_are_held_too(self):
        state = presented_at()
        presenter.initial_settings(state)

        moved_state = presented_at(state.address.view["present"], epsilon="7")

        assert presenter.initial_settings(moved_state) == CLASSIFIER.settings()

    def test_only_the_hero_slider_goes_back(self):
        """Other settings may be of a file, which no address holds."""
        stops = presenter.stops(CLASSIFIER, presented_at("1~epsilon~0.3", epsilon="7", steps="11"))

        assert {settings.steps for settings in stops} == {11}
        assert "Epsilon 0.3" in stops.values()

    @pytest.mark.parametrize(
        "present",
        ["1~", "1~epsilon", "1~epsilon~soup~steps", "x~" + "~" * 50, "~epsilon~2"],
    )
    def test_a_broken_link_has_some(self, present):
        settings = presenter.initial_settings(presented_at(present))

        assert isinstance(settings, CLASSIFIER.settings)


@pytest.mark.parametrize(
    ("low", "high", "fields", "values"),
    [
        pytest.param(0.05, 50.0, {"scale": "log"}, [0.1, 1, 10], id="decades"),
        pytest.param(
            1e-12,
            0.1,
            {"scale": "log"},
            [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2],
            id="every second decade",
        ),
        pytest.param(2.0, 7.0, {"scale": "log"}, [2, 7], id="no power of ten inside"),
        pytest.param(0, 9999, {"whole": True}, [0, 2000, 4000, 6000, 8000], id="whole numbers"),
        pytest.param(0.0, 1.0, {"step": 0.05}, [0, 0.2, 0.4, 0.6, 0.8, 1], id="even steps"),
        pytest.param(3.0, 3.0, {}, [], id="one value"),
    ],
)
def test_ticks_are_round_values_along_a_slider(low, high, fields, values):
    slider = Slider(name="x", label="X", low=low, high=high, **fields)

    assert presenter.ticks(slider) == pytest.approx(values)


class TestPresentedTiles:
    PLAIN = (Tile("a", "1"), Tile("b", "1"), Tile("c", "1"), Tile("d", "1"))
    DOTS = (PLAIN[0], PLAIN[1]._replace(mark='<i class="lab-dots"></i>'), *PLAIN[2:])

    @pytest.mark.parametrize(
        ("tiles", "labels"),
        [
            pytest.param(PLAIN, "abd", id="the third is left out"),
            pytest.param(PLAIN[:3], "abc", id="three stay"),
            pytest.param(DOTS, "acd", id="the one with dots is left out"),
        ],
    )
    def test_there_are_at_most_three(self, tiles, labels):
        assert "".join(tile.label for tile in presenter_tiles(tiles)) == labels


@pytest.mark.parametrize(
    ("first", "others"),
    [
        pytest.param("Nothing more.", "", id="one sentence"),
        pytest.param("<b>At epsilon 0.5</b> it costs 2 points.", "More.", id="a decimal point"),
        pytest.param("<b>One. Two</b> of them.", "<b>Three</b>", id="an end within bold text"),
        pytest.param("<b>One.</b>", "Two.", id="a bold sentence"),
        pytest.param("no end", "", id="no full stop"),
    ],
)
def test_the_first_sentence_of_the_verdict_is_the_heading(first, others):
    verdict = f"{first} {others}".strip()

    assert verdict_with_heading(verdict) == f"<h1>{first}</h1><p>{others}</p>"


class TestScreens:
    def test_a_presented_page_has_no_title_and_no_tabs(self):
        app = opened("classifier", epsilon="0.3", present="1")

        assert not app.exception
        assert not app.title
        assert not app.get("tab")
        assert "<h1>" in text(app)
        assert app.query_params["present"] == "1~epsilon~0.3"
        assert app.query_params["step"] == "3"

    def test_home_is_not_presented(self):
        app = opened("", present="1")

        assert not app.exception
        assert "present" not in app.query_params

    def test_a_page_with_present_0_is_whole(self):
        app = opened("classifier", present="0")

        assert not app.exception
        assert [title.value for title in app.title] == [CLASSIFIER.info.question]


class TestPresenterPage:
    def test_the_channel_sends_one_chart_the_verdict_and_the_tiles(self):
        message = (
            '{"number":1,"page":"toy","settings":{},"moves":[],"tab":"","pin":null,"present":"1"}'
        )
        request, _ = parse_message(message, {"toy": TOY})

        frame = make_frame(request, 0)

        assert frame.rows == {FIRST: [[next(iter(frame.charts))]]}
        assert set(frame.texts) == {".lab-verdict", ".lab-numbers"}
        assert frame.texts[".lab-verdict"].startswith("<h1>")

    @pytest.mark.parametrize(
        ("present", "name"),
        [
            pytest.param("moves", "moves", id="the first chart"),
            pytest.param("stays", "stays", id="the second chart"),
            pytest.param("1", "moves", id="no name"),
            pytest.param("nothing", "moves", id="an unknown name"),
        ],
    )
    def test_it_has_the_named_chart_or_the_first_one(self, present, name):
        result = TOY.settings().experiment.run()

        ((chart,),) = presenter_page(TOY, present).view(result).boards[FIRST]

        assert (chart.name, chart.height) == (name, 0)
