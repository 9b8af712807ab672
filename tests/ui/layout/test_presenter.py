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
from ui.text.tiles import Tile
from ui.widgets import Slider

CLASSIFIER = next(page for page in PAGES if page.name == "classifier")


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
        pytest.param(3.0, 3.0, {}, [3], id="one value"),
    ],
)
def test_stops_are_round_values_along_a_slider(low, high, fields, values):
    slider = Slider(name="x", label="X", low=low, high=high, **fields)

    assert presenter.stops(slider) == pytest.approx(values)


@pytest.mark.parametrize(
    ("value", "index"),
    [
        pytest.param(0.05, 0, id="before the first stop"),
        pytest.param(0.1, 0, id="at the first stop"),
        pytest.param(7.0, 1, id="between two stops"),
        pytest.param(50.0, 2, id="after the last stop"),
    ],
)
def test_the_current_stop_is_the_last_one_up_to_the_value(value, index):
    slider = Slider(name="x", label="X", low=0.05, high=50.0, scale="log")

    assert presenter.current_stop(slider, value) == index


def test_the_stops_of_a_page_are_those_of_its_first_slider():
    slider = presenter.hero_slider(CLASSIFIER, CLASSIFIER.settings())

    assert slider.name == "epsilon"
    assert presenter.stops(slider) == pytest.approx([0.01, 0.1, 1, 10, 100])


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
    def test_a_presented_page_has_at_most_three_tiles(self, tiles, labels):
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
        assert app.query_params["present"] == "1"

    def test_home_is_not_presented(self):
        app = opened("", present="1")

        assert not app.exception
        assert "present" not in app.query_params


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
    def test_the_presenter_shows_the_named_chart_or_the_first_one(self, present, name):
        result = TOY.settings().experiment.run()

        ((chart,),) = presenter_page(TOY, present).view(result).boards[FIRST]

        assert (chart.name, chart.height) == (name, 0)
