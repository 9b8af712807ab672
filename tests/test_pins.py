"""Pinned settings: what is kept and shown, in links too, and that a page beside them shows what two fresh runs show."""

import gc
import json
import math
import re
import weakref
from dataclasses import asdict
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from dpcore.cache import CACHE
from lab.links import brief
from lab.settings import Settings
from lab.sweep import beside
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.page import PAGE
from pages.hypotheses.experiment import HypothesesSettings
from pages.network.experiment import NetworkSettings
from pages.table import PAGES
from scripts.fuzz_links import HOSTILE as VALUES
from scripts.fuzz_links import links
from tests.app import at_rest, moved, opened, press, settings_of, text
from tests.hostile import HOSTILE
from tests.sentences import plain
from ui import comparison, controls
from ui.card import PIN
from ui.compare import MOVING, SAID, compare
from ui.comparison import knob_words, rows
from ui.controls import LONGEST, from_link
from ui.live import serving
from ui.live.channel import Question, shown
from ui.page import FIRST
from ui.pins import LONGEST_NAME, MOST, Pin, Pins, called, read
from ui.plot.theme import GHOST
from ui.vocabulary import KNOBS

A, B, C, D = (ClassifierSettings(seed=seed) for seed in (1, 2, 3, 4))
THREE = Pins().add(A, "one").add(B).add(C, "three")
CLASSIFIER, LINK = "classifier", {"repeats": "2", "steps": "5"}
HERE = ClassifierSettings(repeats=6, steps=10, epsilon=2.0)
THERE = HERE.change(clip_norm=0.1, epsilon=1.0)


def again(pins: Pins, kind: type[Settings] = ClassifierSettings) -> Pins:
    found, notices = read(kind, tuple(parse_qs(urlencode({"pin": pins.texts}, doseq=True)).get("pin", ())))
    assert not notices
    return found


def test_newest_of_a_few_pins_is_shown_until_one_is_chosen_or_gone():
    assert THREE.ghost == Pin(C, "three")
    assert len(THREE.kept) == MOST
    assert not THREE.takes(D)
    assert THREE.add(D) == THREE
    assert Pins().add(A).add(A, "again") == Pins().add(A)
    assert [THREE.show(place).at for place in (-5, 0, 99)] == [0, 0, 2]
    assert Pins().ghost is None
    named = THREE.rename("  a\nname ~ of~mine\u202e " + "x" * 100)
    assert named.ghost.name == ("a name of mine " + "x" * 100)[:LONGEST_NAME]
    assert called(" \n\t~~ ") == ""
    for pins in (Pins(), Pins().add(A), THREE, THREE.show(0), THREE.show(1), named):
        assert again(pins) == pins
    left = THREE.show(1).unpin()
    assert [pin.settings for pin in left.kept] == [A, C]
    assert left.ghost.settings == A
    assert left.unpin().unpin() == Pins()
    settings, pins = THREE.show(1).swap(D)
    assert settings == B
    assert [pin.settings for pin in pins.kept] == [A, D, C]
    assert pins.ghost == Pin(D)
    assert pins.swap(settings) == (D, THREE.show(1))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_brief_reads_as_the_whole_and_no_pin_takes_a_page_away(page):
    for link in links(page.settings, count=60 if page.name != "network" else 15, seed=2):
        settings, _ = from_link(page.settings, link)
        if settings.private:
            continue
        short = brief(settings)
        assert from_link(page.settings, short) == (settings, [])
        assert short.items() <= {name: str(value) for name, value in asdict(settings).items()}.items()
        assert len(Pin(settings, "x" * LONGEST_NAME).text) < LONGEST
    names = [*asdict(page.settings())]
    for place, value in enumerate([*HOSTILE, *VALUES, "x" * 10_000, "~" * 300, "~~", "a~b", "a~b~c~d"]):
        field = names[place % len(names)]
        for pin in (value, f"{value}~{field}~{value}", f"~{value}~{field}~1~{field}~{value}~{value}~3"):
            pins, notices = read(page.settings, (pin,))
            assert again(pins, page.settings) == pins
            assert len(" ".join(notices)) < 2000
            assert all("\n" not in notice for notice in notices)


def test_brief_holds_what_a_change_brings_while_the_settings_live():
    """They may hold a private file."""
    settings = NetworkSettings().change(dataset="digits").change(dataset="circles", rows=300)
    assert brief(settings).keys() >= {"dataset", "rows"}
    assert from_link(NetworkSettings, brief(settings))[0] == settings
    assert not brief(NetworkSettings())
    gone = weakref.ref(settings)
    del settings
    gc.collect()
    assert gone() is None


def test_what_is_ignored_is_said():
    texts = ("b~clip_norm~-3~steps~80", "odd~clip_norm", "gone~knob~3")
    pins, notices = read(ClassifierSettings, texts)
    assert pins.kept == (Pin(ClassifierSettings(steps=80), "b"), Pin(ClassifierSettings(), "gone"))
    ignored = ("`clip_norm=-3` was ignored", "`odd~clip_norm` was ignored", "this page has no such setting")
    assert all(said in notice for said, notice in zip(ignored, notices, strict=True))
    pins, notices = read(ClassifierSettings, tuple(f"{seed}~seed~{seed}" for seed in (1, 1, 2, 3, 5, 6)))
    assert [pin.settings.seed for pin in pins.kept] == [1, 2, 3]
    assert len(notices) == 1
    assert pins.at == 0
    pins, (notice,) = read(HypothesesSettings, ("mine~data~own",))
    assert pins == Pins()
    assert "not pinned" in notice


def mounted(app) -> dict:
    (panel,) = [one for one in app.get("bidi_component") if one.proto.component_name.endswith(".knobs")]
    return json.loads(panel.proto.json)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_pins_compares_swaps_and_unpins(page):
    app = opened(page.name)
    desk, pinned = app.session_state[f"{page.name}.desk"], settings_of(app, page.name)
    hero = page.knobs(pinned).hero
    mine, other = getattr(pinned, hero), beside(pinned, hero)[-1]

    def compared(now: float, then: float) -> bool:
        label, shown = knob_words(hero, now, page.sliders(pinned).changes)
        row = rows([(label, shown, knob_words(hero, then, {})[1], "")])
        return row in text(app) and mounted(app)["marks"] == {hero: [[then, "B"]]}

    press(app, PIN)
    assert mounted(app)["marks"] == {}
    assert next(one for one in app.button if one.label == "Pin").disabled
    moved(app, page.name, hero, other)
    assert compared(other, mine)
    press(app, "Swap")
    assert settings_of(app, page.name) == pinned
    assert compared(mine, other)
    press(app, "Unpin")
    assert mounted(app)["marks"] == {}
    assert not desk.pins
    assert settings_of(app, page.name) == pinned
    assert not app.exception
    for name in set(KNOBS) - set(pinned.limits):  # one that has no limits, such as a method, is no knob of the page
        assert controls.moved(pinned, name, 1.0) == (pinned, {})


def test_data_that_is_not_json_is_not_mounted():
    for value in (knob_words, object(), {1, 2}, math.nan, math.inf):
        with pytest.raises((TypeError, ValueError), match="not JSON (serializable|compliant)"):
            serving.mount("knobs", data={"marks": [value]}, key="any")


def whole(settings, pin):
    both = compare(PAGE, settings, pin, seconds=1e9)
    assert both.done == 1
    return both


def said(both) -> str:
    return plain(both.moving[SAID])


def test_the_ghost_and_the_numbers_are_those_of_two_fresh_runs():
    both, fresh = whole(HERE, Pin(THERE)), []
    for settings in (HERE, THERE):
        CACHE.forget()
        fresh.append(settings.run())
    ((accuracy, own, beside),) = both.boards("")[FIRST]
    ((mine, my_map, *_),), ((theirs, their_map, *_),) = (PAGE.view(run).boards[FIRST] for run in fresh)
    (line,) = (one for one in theirs.figure["data"] if one.get("meta") == GHOST)
    (drawn,) = (one for one in accuracy.figure["data"] if one.get("name", "").startswith("pinned B"))
    assert (drawn["x"], drawn["y"], drawn["line"]["dash"]) == (line["x"], line["y"], "dash")
    assert [one for one in accuracy.figure["data"] if one is not drawn] == mine.figure["data"]
    titles = {"title": my_map.figure["layout"]["title"]}
    assert own.figure | {"layout": own.figure["layout"] | titles} == my_map.figure
    shown, known = (one.figure["layout"] for one in (beside, their_map))
    assert (shown["images"], shown["shapes"][0]["path"]) == (known["images"], known["shapes"][0]["path"])
    a, b = (run.focus.accuracy[0] for run in fresh)
    each = 100 * (a - b)
    told = [float(one) for one in re.findall(r"[\d.]+(?= points| to|\)\.)", said(both))]
    # 95 % of 6 pairs are bounded by the least and the largest
    np.testing.assert_allclose(told, np.abs([np.median(each), *np.sort(each)[[0, -1]]]), atol=0.0501)
    assert "median of 6 paired differences, 95 % confidence interval" in said(both)
    middle = " ".join(f"{100 * np.median(one):.0f}" for one in (a, b))
    table = re.sub(r"\s+", " ", plain(both.moving[MOVING]))
    assert f"Epsilon 2 1 Clipping norm 1 0.1 Private accuracy {middle}" in table


def test_what_is_said_follows_from_the_runs():
    """Until all runs of both are trained, how sure a difference is is not said."""
    assert said(whole(HERE, Pin(HERE))) == "The accuracy is equal in A and B in every run."
    assert said(whole(HERE, Pin(THERE.change(seed=9)))).startswith("Compared as two groups, ")
    page = next(one for one in PAGES if one.name == "hypotheses")
    start = page.settings().change(sources=3, target_rows=600, source_rows=300, unlabelled_rows=300)
    beside = compare(page, start, Pin(start.change(epsilon=0.1)), seconds=0)
    assert beside.result.repeats < start.repeats
    assert said(beside) == comparison.LATER


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_stands_beside_a_pin(page):
    """At first with what must be there: the sentence says what is known, and no picture is lost."""
    start = page.settings()
    knob = page.at(start).knobs(start).hero
    other = start.change(**{knob: start.limits[knob][0]})
    alone, beside = compare(page, start, None, seconds=0), compare(page, start, Pin(other), seconds=0)
    names, pictures = (
        [one.name for rows in both.boards("").values() for row in rows for one in row] for both in (alone, beside)
    )
    assert {*names} & {*pictures}
    assert len(pictures) <= max(3, len({*names}))
    assert beside.says("").keys() - alone.says("").keys() == {MOVING, SAID}
    assert alone.says("").items() <= beside.says("").items()
    for part in [one for one in start.choices.get("part", ()) if one != start.part][:1]:  # another page has no ghost
        assert compare(page, start, Pin(start.change(part=part)), seconds=0).boards("") == alone.boards("")


def test_channel_answers_as_the_page_does_and_moves_a_alone():
    """A drag with a pin: A's picture and numbers move, and B's stay. A hostile pin is none."""
    pins, link = Pins().add(THERE), {"repeats": "6", "steps": "10"}
    before, after = (
        shown(Question({}, PAGE, link, moves=(("epsilon", value),), pins=pins.texts), 0) for value in (2.0, 4.0)
    )
    page = compare(PAGE, HERE.change(epsilon=4.0), pins.ghost, seconds=0)
    assert after.words == page.says("")
    assert after.rows[FIRST] == [["accuracy", "map.scratch", "map.scratch.pinned"]]
    for picture in page.boards("")[FIRST][0]:
        assert after.pictures[picture.name] == (picture.beside(), picture.parts())
    assert before.pictures["map.scratch"] != after.pictures["map.scratch"]
    assert before.pictures["map.scratch.pinned"] == after.pictures["map.scratch.pinned"]
    (a, b), (moved_a, same_b) = (
        zip(*re.findall(r"<td>(.*?)</td><td>(.*?)</td>", one.words[MOVING]), strict=True) for one in (before, after)
    )
    assert (a != moved_a, b) == (True, same_b)
    hostile = shown(Question({}, PAGE, {"repeats": "3"}, pins=("x~clip_norm", "a~b~c~d", "\n" * 5000)), 0)
    assert SAID not in hostile.words


def test_a_link_with_pins_opens_the_same_and_a_broken_one_is_said():
    app = at_rest(opened(CLASSIFIER, **LINK), CLASSIFIER)
    desk = app.session_state["classifier.desk"]
    for value in (1.0, 2.0, 3.0):
        at_rest(moved(app, CLASSIFIER, "epsilon", value), CLASSIFIER)
        press(app, "Pin" if desk.pins else PIN)
    at_rest(moved(app, CLASSIFIER, "epsilon", 4.0), CLASSIFIER)
    app.text_input[0].set_value("my <b>best</b>").run()
    app.selectbox(key="classifier/pins.which").select(1).run()
    at_rest(app, CLASSIFIER)
    assert next(one for one in app.button if one.label == "Pin").disabled, "there is no room"
    address = parse_qs(urlencode({**app.query_params}, doseq=True))
    assert len(address["pin"]) == MOST
    fresh = opened(CLASSIFIER, **{name: value if name == "pin" else value[0] for name, value in address.items()})
    at_rest(fresh, CLASSIFIER)
    assert fresh.session_state["classifier.desk"].pins == desk.pins
    assert not fresh.warning
    assert table(fresh) == table(app)
    assert "Epsilon</th><td>4</td><td>2</td>" in table(fresh)
    fresh.selectbox(key="classifier/pins.which").select(2).run()
    assert '<b class="lab-b">B</b> my &lt;b&gt;best&lt;/b&gt;' in table(fresh)
    app = at_rest(opened(CLASSIFIER, **LINK, pin=["~~clip_norm~-3", "odd~clip_norm"]), CLASSIFIER)
    assert [warning.value.startswith("A pin in the link") for warning in app.warning] == [True, True]
    assert app.session_state["classifier.desk"].pins == ("~",)


def table(app) -> str:
    return next(one.proto.body for one in app.get("html") if '<div class="lab-compare">' in one.proto.body)
