"""A page compares its settings with pinned ones, which a link holds, as two fresh runs would."""

import gc
import json
import math
import re
import weakref
from dataclasses import asdict
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.cache import CACHE
from lab.experiment.links import compact, minimal_texts
from lab.sweeps import grids
from pages.classifier.page import PAGE
from pages.classifier.settings import ClassifierSettings
from pages.network.settings import NetworkSettings
from pages.topics import PAGES
from scripts.fuzz_links import HOSTILE as VALUES
from scripts.fuzz_links import links
from tests.app import at_rest, moved, opened, press, settings_of, text
from tests.hostile import HOSTILE
from tests.sentences import plain
from ui.charts.theme import PINNED
from ui.live.frames import Frame, make_frame
from ui.live.messages import Request
from ui.page.differences import PENDING, ROWS, SENTENCE, rows_html, slider_texts
from ui.page.page import Page
from ui.page.pin import PIN, read_pin
from ui.page.screen import Screen, make_screen
from ui.page.view import FIRST
from ui.session.address import LONGEST
from ui.session.entries import apply_move, from_link
from ui.text.sliders import SLIDERS
from ui.widgets import Chart, assets

CLASSIFIER = "classifier"
QUICK_LINK = {"repeats": "2", "steps": "5"}
A = ClassifierSettings(repeats=6, steps=10, epsilon=2.0)
A_LINK = {"repeats": "6", "steps": "10"}
B = A.change(clip_norm=0.1, epsilon=1.0)
# Links whose settings are read and pinned; a network's noise is calibrated anew in each.
LINKS = 60
NETWORK_LINKS = 15
# Half a unit of the decimal that a sentence states, and rounding.
ONE_DECIMAL = 0.0501
BROKEN_PINS = [*HOSTILE, *VALUES, "x" * 10_000, "~" * 300, "~~", "a~b", "a~b~c~d"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
class TestTexts:
    @staticmethod
    def random_settings(page: Page) -> list[Any]:
        """Return the settings of random links that can be pinned."""
        count = LINKS
        if page.name == "network":
            count = NETWORK_LINKS
        found = []
        for link in links(page.settings, count=count, seed=2):
            settings, _ = from_link(page.settings, link)
            if not settings.uses_file:
                found.append(settings)
        return found

    def test_the_shortest_texts_of_settings_are_some_of_all_and_read_as_the_settings(self, page):
        for settings in self.random_settings(page):
            all_texts = {name: str(value) for name, value in asdict(settings).items()}
            texts = minimal_texts(settings)
            assert texts.items() <= all_texts.items()
            assert from_link(page.settings, texts) == (settings, [])

    def test_a_pin_is_short_and_read_as_its_settings(self, page):
        for settings in self.random_settings(page):
            pin = compact(settings)
            assert len(pin) < LONGEST
            assert read_pin(page.settings, pin) == (settings, ())

    @staticmethod
    def broken_pins(page: Page) -> list[str]:
        """Return hostile texts alone, as the value of a field, and among other fields."""
        pins = []
        for field, value in zip(cycle(asdict(page.settings())), BROKEN_PINS, strict=False):
            pins.append(value)
            pins.append(f"{field}~{value}")
            pins.append(f"{field}~1~{field}~{value}~{value}~3")
        return pins

    def test_what_is_read_of_a_broken_pin_can_be_pinned(self, page):
        for pin in self.broken_pins(page):
            pinned, _ = read_pin(page.settings, pin)
            if pinned is not None:
                assert read_pin(page.settings, compact(pinned)) == (pinned, ())

    def test_notices_on_a_broken_pin_are_short_lines(self, page):
        for pin in self.broken_pins(page):
            _, notices = read_pin(page.settings, pin)
            assert len(" ".join(notices)) < 2000
            assert not any("\n" in notice for notice in notices)


def test_the_shortest_texts_of_a_pin_hold_fields_that_another_field_changes():
    settings = NetworkSettings().change(dataset="digits").change(dataset="circles", rows=300)

    texts = minimal_texts(settings)

    assert texts.keys() >= {"dataset", "rows"}
    assert from_link(NetworkSettings, texts) == (settings, [])
    assert not minimal_texts(NetworkSettings())


def test_texts_are_kept_only_while_their_settings_live():
    """Settings may hold a private file."""
    settings = NetworkSettings().change(dataset="circles", rows=300)
    minimal_texts(settings)
    reference = weakref.ref(settings)

    del settings
    gc.collect()

    assert reference() is None


@pytest.mark.parametrize(
    ("pin", "settings", "notice"),
    [
        pytest.param(
            "clip_norm~-3~steps~80",
            ClassifierSettings(steps=80),
            "`clip_norm=-3` was ignored",
            id="a refused value",
        ),
        pytest.param(
            "volume~3", ClassifierSettings(), "this page has no such setting", id="no setting"
        ),
        pytest.param("clip_norm", None, "`clip_norm`, was ignored", id="no value"),
        pytest.param("clip_norm~" + "1" * LONGEST, None, "was ignored", id="too long"),
        pytest.param("dataset~own", None, "not pinned", id="an uploaded file"),
    ],
)
def test_a_notice_tells_what_is_ignored_of_a_pin(pin, settings, notice):
    pinned, (only_notice,) = read_pin(ClassifierSettings, pin)

    assert pinned == settings
    assert notice in only_notice


class TestPage:
    @staticmethod
    def marks(app: AppTest) -> dict:
        """Return the marks on the slider panel that is mounted."""
        (panel,) = [
            element
            for element in app.get("bidi_component")
            if element.proto.component_name.endswith(".sliders")
        ]
        return json.loads(panel.proto.json)["marks"]

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    def test_a_page_pins_compares_swaps_and_unpins_settings(self, page):
        app = opened(page.name)
        state = app.session_state[f"{page.name}.state"]
        pinned = settings_of(app, page.name)
        hero = page.controls.sliders(pinned).hero
        changes = page.slider_layout(pinned).changes
        pinned_value = getattr(pinned, hero)
        other_value = grids.neighbours(pinned, hero)[-1]

        def assert_compared(value: float, value_b: float) -> None:
            """Check that the table and the slider show these values of A and of B."""
            label, value_text = slider_texts(hero, value, changes)
            _, value_b_text = slider_texts(hero, value_b, {})
            assert rows_html([(label, value_text, value_b_text, "")]) in text(app)
            assert self.marks(app) == {hero: [[value_b, "B"]]}

        press(app, PIN)
        assert self.marks(app) == {}
        assert PIN not in [button.label for button in app.button]

        moved(app, page.name, hero, other_value)
        assert_compared(other_value, pinned_value)

        press(app, "Swap")
        assert settings_of(app, page.name) == pinned
        assert_compared(pinned_value, other_value)

        press(app, "Unpin")
        assert self.marks(app) == {}
        assert state.address.pin is None
        assert settings_of(app, page.name) == pinned
        assert not app.exception

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    def test_fields_without_limits_are_no_sliders(self, page):
        settings = page.settings()
        for name in set(SLIDERS) - set(settings.limits):
            assert apply_move(settings, name, 1.0) == (settings, {})

    @staticmethod
    def table(app: AppTest) -> str:
        """Return the HTML of the table that compares the settings; fail if there is none."""
        for element in app.get("html"):
            if '<div class="lab-compare">' in element.proto.body:
                return element.proto.body
        raise AssertionError("no table compares the settings")

    def test_a_link_with_a_pin_opens_the_same_comparison(self):
        app = at_rest(opened(CLASSIFIER, **QUICK_LINK), CLASSIFIER)
        at_rest(moved(app, CLASSIFIER, "epsilon", 2.0), CLASSIFIER)
        press(app, PIN)
        at_rest(moved(app, CLASSIFIER, "epsilon", 4.0), CLASSIFIER)
        assert "Epsilon</th><td>4</td><td>2</td>" in self.table(app)

        fresh = at_rest(opened(CLASSIFIER, **app.query_params), CLASSIFIER)

        pins = [one.session_state["classifier.state"].address.pin for one in (app, fresh)]
        assert pins[0] == pins[1]
        assert not fresh.warning
        assert self.table(fresh) == self.table(app)

    def test_a_broken_pin_in_a_link_gives_a_notice(self):
        app = at_rest(opened(CLASSIFIER, **QUICK_LINK, pin="clip_norm~-3"), CLASSIFIER)

        (warning,) = app.warning
        assert warning.value.startswith("The pin in the link")
        assert app.session_state["classifier.state"].address.pin == ""

    def test_the_defaults_can_be_pinned_and_the_link_keeps_them(self):
        app = at_rest(opened(CLASSIFIER, pin=""), CLASSIFIER)

        assert 'class="lab-compare"' in self.table(app)
        assert app.query_params["pin"] == ""


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(slider_texts, id="function"),
        pytest.param(object(), id="object"),
        pytest.param({1, 2}, id="set"),
        pytest.param(math.nan, id="nan"),
        pytest.param(math.inf, id="inf"),
    ],
)
def test_data_that_is_not_json_is_not_mounted(value):
    with pytest.raises((TypeError, ValueError), match="not JSON (serializable|compliant)"):
        assets.mount("sliders", data={"marks": [value]}, key="any")


def complete_screen(settings: Any, pinned: Any) -> Screen:
    """Return the screen of settings with these pinned, after a check that all work is done."""
    screen = make_screen(PAGE, settings, pinned, seconds=1e9)
    assert screen.done == 1
    return screen


def sentence(screen: Screen) -> str:
    """Return the sentence that compares A and B, as plain text."""
    return plain(screen.comparison[SENTENCE])


@pytest.fixture(scope="module")
def screen():
    """Return the screen of A with B pinned, all work done."""
    return complete_screen(A, B)


@pytest.fixture(scope="module")
def results():
    """The results of A and B, each computed afresh."""
    results = []
    for settings in (A, B):
        CACHE.forget()
        results.append(settings.experiment.run())
    return results


class TestFreshRuns:
    """The screen shows what two fresh runs show."""

    @staticmethod
    def accuracy_and_map(result: Any) -> tuple[Chart, Chart]:
        """Return the first two charts of the page."""
        ((accuracy, decision_map, *_),) = PAGE.view(result).boards[FIRST]
        return accuracy, decision_map

    def test_the_overlay_is_the_pinned_curve_in_dashes(self, screen, results):
        ((accuracy, _, _),) = screen.charts("")[FIRST]
        result_a, result_b = results
        accuracy_a, _ = self.accuracy_and_map(result_a)
        accuracy_b, _ = self.accuracy_and_map(result_b)
        (pinned_curve,) = [
            trace for trace in accuracy_b.figure["data"] if trace.get("meta") == PINNED
        ]

        traces = accuracy.figure["data"]
        (overlay,) = [trace for trace in traces if trace.get("name", "").startswith("pinned B")]

        assert (overlay["x"], overlay["y"]) == (pinned_curve["x"], pinned_curve["y"])
        assert overlay["line"]["dash"] == "dash"
        others = [trace for trace in traces if trace is not overlay]
        assert others == accuracy_a.figure["data"]

    def test_the_maps_stand_beside_each_other(self, screen, results):
        ((_, map_a, map_b),) = screen.charts("")[FIRST]
        result_a, result_b = results
        _, fresh_a = self.accuracy_and_map(result_a)
        _, fresh_b = self.accuracy_and_map(result_b)

        # Beside another map it has another title.
        layout_a = map_a.figure["layout"] | {"title": fresh_a.figure["layout"]["title"]}
        assert map_a.figure | {"layout": layout_a} == fresh_a.figure
        layout_b = map_b.figure["layout"]
        fresh_layout_b = fresh_b.figure["layout"]
        assert layout_b["images"] == fresh_layout_b["images"]
        boundary, *_ = layout_b["shapes"]
        fresh_boundary, *_ = fresh_layout_b["shapes"]
        assert boundary["path"] == fresh_boundary["path"]

    def test_the_sentence_has_the_median_and_the_interval_of_the_pairs(self, screen, results):
        a, b = [result.ensemble.accuracy[0] for result in results]
        gaps = np.sort(100 * (a - b))
        # 95 % of 6 pairs are bounded by the least and the largest.
        expected = np.abs([np.median(gaps), gaps.min(), gaps.max()])

        numbers = re.findall(r"[\d.]+(?= points| to|\)\.)", sentence(screen))

        stated = [float(number) for number in numbers]
        np.testing.assert_allclose(stated, expected, atol=ONE_DECIMAL)
        assert "median of 6 paired differences, 95 % confidence interval" in sentence(screen)

    def test_the_table_has_the_settings_and_the_medians(self, screen, results):
        medians = [100 * np.median(result.ensemble.accuracy[0]) for result in results]
        medians_text = " ".join(f"{median:.0f}" for median in medians)

        table = re.sub(r"\s+", " ", plain(screen.comparison[ROWS]))

        assert f"Epsilon 2 1 Clipping norm 1 0.1 Private accuracy {medians_text}" in table


class TestSentence:
    def test_equal_settings_are_equal_in_every_run(self):
        assert sentence(complete_screen(A, A)) == "The accuracy is equal in A and B in every run."

    def test_runs_with_other_noise_are_compared_as_groups(self):
        other_seed = B.change(seed=9)

        assert sentence(complete_screen(A, other_seed)).startswith("Compared as two groups, ")

    def test_the_sentence_of_differences_comes_once_all_runs_are_trained(self):
        page = next(page for page in PAGES if page.name == "hypotheses")
        settings = page.settings().change(
            sources=3, target_rows=600, source_rows=300, unlabelled_rows=300
        )

        screen = make_screen(page, settings, settings.change(epsilon=0.1), seconds=0)

        assert screen.result.repeats < settings.repeats
        assert sentence(screen) == PENDING


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
class TestEveryPage:
    """At first with essential work only."""

    @staticmethod
    def names(screen: Screen) -> list[str]:
        """Return the name of each chart on the screen."""
        names = []
        for rows in screen.charts("").values():
            for row in rows:
                names += [chart.name for chart in row]
        return names

    def test_a_page_compares_with_a_pin_and_loses_no_text(self, page):
        settings = page.settings()
        hero = page.at(settings).controls.sliders(settings).hero
        low, _ = settings.limits[hero]
        alone = make_screen(page, settings, None, seconds=0)

        screen = make_screen(page, settings, settings.change(**{hero: low}), seconds=0)

        assert set(self.names(alone)) & set(self.names(screen))
        assert len(self.names(screen)) <= max(3, len(set(self.names(alone))))
        assert screen.texts("").keys() - alone.texts("").keys() == {ROWS, SENTENCE}
        assert alone.texts("").items() <= screen.texts("").items()

    def test_another_part_of_the_page_is_not_overlaid(self, page):
        settings = page.settings()
        other_parts = [part for part in settings.choices.get("part", ()) if part != settings.part]
        if not other_parts:
            pytest.skip("the page has one part")
        alone = make_screen(page, settings, None, seconds=0)

        screen = make_screen(page, settings, settings.change(part=other_parts[0]), seconds=0)

        assert screen.charts("") == alone.charts("")


class TestChannel:
    """A drag with a pin."""

    def frame(self, epsilon: float) -> Frame:
        """Return the frame of A with B pinned, once epsilon is moved to this value."""
        request = Request({}, PAGE, A_LINK, moves=(("epsilon", epsilon),), pin=compact(B))
        return make_frame(request, 0)

    @staticmethod
    def cells(frame: Frame) -> list[tuple[str, str]]:
        """Return the values of A and of B in each row of the table."""
        return re.findall(r"<td>(.*?)</td><td>(.*?)</td>", frame.texts[ROWS])

    def test_the_channel_shows_the_pin_as_the_page_does(self):
        screen = make_screen(PAGE, A.change(epsilon=4.0), B, seconds=0)

        frame = self.frame(4.0)

        assert frame.texts == screen.texts("")
        assert frame.rows[FIRST] == [["accuracy", "map.scratch", "map.scratch.pinned"]]
        (row,) = screen.charts("")[FIRST]
        for chart in row:
            assert frame.charts[chart.name] == (chart.extras(), chart.parts())

    def test_a_drag_moves_the_current_settings_and_not_the_pinned_ones(self):
        before = self.frame(2.0)
        after = self.frame(4.0)

        assert before.charts["map.scratch"] != after.charts["map.scratch"]
        assert before.charts["map.scratch.pinned"] == after.charts["map.scratch.pinned"]
        rows_before = self.cells(before)
        rows_after = self.cells(after)
        assert [a for a, _ in rows_before] != [a for a, _ in rows_after]
        assert [b for _, b in rows_before] == [b for _, b in rows_after]

    @pytest.mark.parametrize("pin", ["x~clip_norm~a", "\n" * 5000], ids=["odd", "lines"])
    def test_a_hostile_pin_is_ignored_by_the_channel(self, pin):
        frame = make_frame(Request({}, PAGE, {"repeats": "3"}, pin=pin), 0)

        assert SENTENCE not in frame.texts
