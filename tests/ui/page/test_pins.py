"""Pinned settings: what is kept and shown, in links too, and that a page beside them shows what two
fresh runs show.
"""

import gc
import json
import math
import re
import weakref
from dataclasses import asdict

import numpy as np
import pytest

from dpcore.cache import CACHE
from lab.experiment.links import compact, minimal_texts
from lab.sweeps.grids import beside
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
from ui.live.frames import make_frame
from ui.live.messages import Request
from ui.page.differences import PENDING, ROWS, SENTENCE, rows_html, slider_texts
from ui.page.pin import PIN, read_pin
from ui.page.screen import make_screen
from ui.page.view import FIRST
from ui.session.address import LONGEST
from ui.session.entries import apply_move, from_link
from ui.text.sliders import SLIDERS
from ui.widgets import assets

CLASSIFIER, LINK = "classifier", {"repeats": "2", "steps": "5"}
HERE = ClassifierSettings(repeats=6, steps=10, epsilon=2.0)
THERE = HERE.change(clip_norm=0.1, epsilon=1.0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_brief_reads_as_the_whole_and_no_pin_takes_a_page_away(page):
    for link in links(page.settings, count=60 if page.name != "network" else 15, seed=2):
        settings, _ = from_link(page.settings, link)
        if settings.private:
            continue
        short = minimal_texts(settings)
        assert from_link(page.settings, short) == (settings, [])
        assert (
            short.items() <= {name: str(value) for name, value in asdict(settings).items()}.items()
        )
        assert len(compact(settings)) < LONGEST
        assert read_pin(page.settings, compact(settings)) == (settings, ())
    names = [*asdict(page.settings())]
    for place, value in enumerate(
        [*HOSTILE, *VALUES, "x" * 10_000, "~" * 300, "~~", "a~b", "a~b~c~d"]
    ):
        field = names[place % len(names)]
        for pin in (value, f"{field}~{value}", f"{field}~1~{field}~{value}~{value}~3"):
            pinned, notices = read_pin(page.settings, pin)
            assert pinned is None or read_pin(page.settings, compact(pinned)) == (pinned, ())
            assert len(" ".join(notices)) < 2000
            assert all("\n" not in notice for notice in notices)


def test_brief_holds_what_a_change_brings_while_the_settings_live():
    """They may hold a private file."""
    settings = NetworkSettings().change(dataset="digits").change(dataset="circles", rows=300)
    assert minimal_texts(settings).keys() >= {"dataset", "rows"}
    assert from_link(NetworkSettings, minimal_texts(settings))[0] == settings
    assert not minimal_texts(NetworkSettings())
    gone = weakref.ref(settings)
    del settings
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("text", "pinned", "said"),
    [
        ("clip_norm~-3~steps~80", ClassifierSettings(steps=80), "`clip_norm=-3` was ignored"),
        ("knob~3", ClassifierSettings(), "this page has no such setting"),
        ("clip_norm", None, "`clip_norm`, was ignored"),
        ("clip_norm~" + "1" * LONGEST, None, "was ignored"),
    ],
)
def test_what_is_ignored_of_a_pin_is_said(text, pinned, said):
    found, (notice,) = read_pin(ClassifierSettings, text)
    assert found == pinned
    assert said in notice


def test_settings_with_an_own_file_are_not_pinned_by_a_link():
    found, (notice,) = read_pin(ClassifierSettings, "dataset~own")
    assert found is None
    assert "not pinned" in notice


def mounted(app) -> dict:
    (panel,) = [
        one for one in app.get("bidi_component") if one.proto.component_name.endswith(".sliders")
    ]
    return json.loads(panel.proto.json)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_pins_compares_swaps_and_unpins(page):
    app = opened(page.name)
    state, pinned = app.session_state[f"{page.name}.state"], settings_of(app, page.name)
    hero = page.sliders(pinned).hero
    mine, other = getattr(pinned, hero), beside(pinned, hero)[-1]

    def compared(now: float, then: float) -> bool:
        label, shown = slider_texts(hero, now, page.slider_layout(pinned).changes)
        row = rows_html([(label, shown, slider_texts(hero, then, {})[1], "")])
        return row in text(app) and mounted(app)["marks"] == {hero: [[then, "B"]]}

    press(app, PIN)
    assert mounted(app)["marks"] == {}
    assert PIN not in [one.label for one in app.button]
    moved(app, page.name, hero, other)
    assert compared(other, mine)
    press(app, "Swap")
    assert settings_of(app, page.name) == pinned
    assert compared(mine, other)
    press(app, "Unpin")
    assert mounted(app)["marks"] == {}
    assert state.address.pin is None
    assert settings_of(app, page.name) == pinned
    assert not app.exception
    for name in set(SLIDERS) - set(
        pinned.limits
    ):  # one that has no limits, such as a method, is no slider of the page
        assert apply_move(pinned, name, 1.0) == (pinned, {})


def test_data_that_is_not_json_is_not_mounted():
    for value in (slider_texts, object(), {1, 2}, math.nan, math.inf):
        with pytest.raises((TypeError, ValueError), match="not JSON (serializable|compliant)"):
            assets.mount("sliders", data={"marks": [value]}, key="any")


def whole(settings, pin):
    both = make_screen(PAGE, settings, pin, seconds=1e9)
    assert both.done == 1
    return both


def said(both) -> str:
    return plain(both.comparison[SENTENCE])


def test_the_ghost_and_the_numbers_are_those_of_two_fresh_runs():
    both, fresh = whole(HERE, THERE), []
    for settings in (HERE, THERE):
        CACHE.forget()
        fresh.append(settings.experiment.run())
    ((accuracy, own, beside),) = both.charts("")[FIRST]
    ((mine, my_map, *_),), ((theirs, their_map, *_),) = (
        PAGE.view(run).boards[FIRST] for run in fresh
    )
    (line,) = (one for one in theirs.figure["data"] if one.get("meta") == PINNED)
    (drawn,) = (
        one for one in accuracy.figure["data"] if one.get("name", "").startswith("pinned B")
    )
    assert (drawn["x"], drawn["y"], drawn["line"]["dash"]) == (line["x"], line["y"], "dash")
    assert [one for one in accuracy.figure["data"] if one is not drawn] == mine.figure["data"]
    titles = {"title": my_map.figure["layout"]["title"]}
    assert own.figure | {"layout": own.figure["layout"] | titles} == my_map.figure
    shown, known = (one.figure["layout"] for one in (beside, their_map))
    assert (shown["images"], shown["shapes"][0]["path"]) == (
        known["images"],
        known["shapes"][0]["path"],
    )
    a, b = (run.ensemble.accuracy[0] for run in fresh)
    each = 100 * (a - b)
    told = [float(one) for one in re.findall(r"[\d.]+(?= points| to|\)\.)", said(both))]
    # 95 % of 6 pairs are bounded by the least and the largest
    np.testing.assert_allclose(
        told, np.abs([np.median(each), *np.sort(each)[[0, -1]]]), atol=0.0501
    )
    assert "median of 6 paired differences, 95 % confidence interval" in said(both)
    middle = " ".join(f"{100 * np.median(one):.0f}" for one in (a, b))
    table = re.sub(r"\s+", " ", plain(both.comparison[ROWS]))
    assert f"Epsilon 2 1 Clipping norm 1 0.1 Private accuracy {middle}" in table


def test_what_is_said_follows_from_the_runs():
    """Until all runs of both are trained, how sure a difference is is not said."""
    assert said(whole(HERE, HERE)) == "The accuracy is equal in A and B in every run."
    assert said(whole(HERE, THERE.change(seed=9))).startswith("Compared as two groups, ")
    page = next(one for one in PAGES if one.name == "hypotheses")
    start = page.settings().change(sources=3, target_rows=600, source_rows=300, unlabelled_rows=300)
    beside = make_screen(page, start, start.change(epsilon=0.1), seconds=0)
    assert beside.result.repeats < start.repeats
    assert said(beside) == PENDING


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_stands_beside_a_pin(page):
    """At first with what must be there: the sentence says what is known, and no picture is lost."""
    start = page.settings()
    slider = page.at(start).sliders(start).hero
    other = start.change(**{slider: start.limits[slider][0]})
    alone, beside = (
        make_screen(page, start, None, seconds=0),
        make_screen(page, start, other, seconds=0),
    )
    names, pictures = (
        [one.name for rows in both.charts("").values() for row in rows for one in row]
        for both in (alone, beside)
    )
    assert {*names} & {*pictures}
    assert len(pictures) <= max(3, len({*names}))
    assert beside.texts("").keys() - alone.texts("").keys() == {ROWS, SENTENCE}
    assert alone.texts("").items() <= beside.texts("").items()
    for part in [one for one in start.choices.get("part", ()) if one != start.part][
        :1
    ]:  # another page has no ghost
        assert make_screen(page, start, start.change(part=part), seconds=0).charts(
            ""
        ) == alone.charts("")


def test_channel_answers_as_the_page_does_and_moves_a_alone():
    """A drag with a pin: A's picture and numbers move, and B's stay. A hostile pin is none."""
    link = {"repeats": "6", "steps": "10"}
    before, after = (
        make_frame(Request({}, PAGE, link, moves=(("epsilon", value),), pin=compact(THERE)), 0)
        for value in (2.0, 4.0)
    )
    page = make_screen(PAGE, HERE.change(epsilon=4.0), THERE, seconds=0)
    assert after.texts == page.texts("")
    assert after.rows[FIRST] == [["accuracy", "map.scratch", "map.scratch.pinned"]]
    for picture in page.charts("")[FIRST][0]:
        assert after.charts[picture.name] == (picture.extras(), picture.parts())
    assert before.charts["map.scratch"] != after.charts["map.scratch"]
    assert before.charts["map.scratch.pinned"] == after.charts["map.scratch.pinned"]
    (a, b), (moved_a, same_b) = (
        zip(*re.findall(r"<td>(.*?)</td><td>(.*?)</td>", one.texts[ROWS]), strict=True)
        for one in (before, after)
    )
    assert (a != moved_a, b) == (True, same_b)
    for hostile in ("x~clip_norm~a", "\n" * 5000):
        assert SENTENCE not in make_frame(Request({}, PAGE, {"repeats": "3"}, pin=hostile), 0).texts


def test_a_link_with_a_pin_opens_the_same_and_a_broken_one_is_said():
    app = at_rest(opened(CLASSIFIER, **LINK), CLASSIFIER)
    at_rest(moved(app, CLASSIFIER, "epsilon", 2.0), CLASSIFIER)
    press(app, PIN)
    at_rest(moved(app, CLASSIFIER, "epsilon", 4.0), CLASSIFIER)
    assert "Epsilon</th><td>4</td><td>2</td>" in table(app)
    fresh = at_rest(opened(CLASSIFIER, **app.query_params), CLASSIFIER)
    assert (
        fresh.session_state["classifier.state"].address.pin
        == app.session_state["classifier.state"].address.pin
    )
    assert not fresh.warning
    assert table(fresh) == table(app)
    app = at_rest(opened(CLASSIFIER, **LINK, pin="clip_norm~-3"), CLASSIFIER)
    assert [warning.value.startswith("The pin in the link") for warning in app.warning] == [True]
    assert app.session_state["classifier.state"].address.pin == ""


def test_the_defaults_can_be_pinned_and_the_link_keeps_them():
    app = at_rest(opened(CLASSIFIER, pin=""), CLASSIFIER)
    assert 'class="lab-compare"' in table(app)
    assert app.query_params["pin"] == ""


def table(app) -> str:
    return next(
        one.proto.body for one in app.get("html") if '<div class="lab-compare">' in one.proto.body
    )
