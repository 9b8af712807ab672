"""What holds on every page: it opens, takes links and movements, refuses in words, and draws and
says all it can.
"""

import math
import re
from dataclasses import asdict
from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest

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
from ui.charts.price_tag import handle
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
TOPICS = [*BY_NAME]
ROOMS = [page.name for page in topics.TOPIC_PAGES]
DOT = dot_of(0, 0, colour="").get("path")
# The mark of a point that is dragged along its curve.
HANDLE = handle(0, 0)[0]["path"]
PATHS = (DOT, HANDLE)
NO_NUMBER = r"\b(nan|None)\b"


@cache
def quick(page: str, *, without: str = ""):
    """The settings of the page's quick link, or of what it holds besides one field."""
    link = {name: value for name, value in QUICK.get(page, {}).items() if name != without}
    settings, refused = from_link(BY_NAME[page].settings, link)
    assert not refused
    return settings


def hero(page: str) -> str:
    return BY_NAME[page].slider_layout(quick(page)).hero


def elsewhere(settings, name: str) -> float:
    """A value that the field may have, and has not."""
    low, high = settings.limits[name]
    value = low + (high - low) / 3
    value = round(value) if isinstance(low, int) else float(f"{value:.3g}")
    return value if value != getattr(settings, name) else high


@pytest.mark.parametrize("page", ROOMS)
def test_a_link_is_the_experiment(page):
    first, name = opened(page, **QUICK.get(page, {})), hero(page)
    value = elsewhere(settings_of(first, page), name)
    moved(first, page, name, value)
    assert getattr(settings_of(first, page), name) == value
    assert set(first.query_params) == {*minimal_texts(settings_of(first, page)), VERSION_NAME}
    assert name in first.query_params
    second = opened(page, **address(first))
    assert not second.warning
    assert settings_of(second, page) == settings_of(first, page)
    card = r'\s*<div class="lab-move">.*?</div>'  # tells of a change in its session
    assert re.sub(card, "", text(at_rest(second, page))) == re.sub(
        card, "", text(at_rest(first, page))
    )


@pytest.mark.parametrize("page", TOPICS)
def test_a_link_opens_each_tab_and_the_address_names_it(page):
    kind = BY_NAME[page].at(quick(page))
    for tab in kind.all_tabs:
        app = opened(page, **QUICK.get(page, {}), tab=tab.name)
        assert not app.exception
        assert not app.warning
        assert app.session_state[f"{page}.tabs"] == tab.title
        assert address(app.run()).get("tab", "") == ("" if tab is kind.all_tabs[0] else tab.name)
    app.session_state[f"{page}.tabs"] = kind.all_tabs[1].title
    assert address(app.run().run())["tab"] == kind.all_tabs[1].name


@pytest.mark.parametrize("page", ROOMS)
def test_a_broken_link_or_entry_is_refused_with_its_reason_and_changes_nothing(page):
    for field, value in (
        (hero(page), "1e99"),
        ("tab", "mars"),
        *((name, "mars") for name in quick(page).choices),
    ):
        app = opened(page, **versioned(QUICK.get(page, {}) | {field: value}))
        assert not app.exception
        assert settings_of(app, page) == quick(page, without=field)
        (warning,) = app.warning
        assert re.search(rf"{field}={value}\b.*(from \S+ to \S+|one of: )", warning.value)
        assert address(app).get(field) != value
    before, name = settings_of(app, page), hero(page)
    for value in (before.limits[name][0] - 1e9, "abc"):
        moved(app, page, name, value)
        assert not app.exception
        assert settings_of(app, page) == before
        assert re.search(
            r"cannot be .*(from |to )", app.session_state[f"{page}.state"].errors[name]
        )
    value = elsewhere(before, name)
    moved(app, page, name, value)
    assert settings_of(app, page) == before.change(**{name: value})
    assert not app.session_state[f"{page}.state"].errors


def variants(page: str) -> list[dict[str, str]]:
    """The page's quick settings, and each other option of each of its choices."""
    kind = BY_NAME[page].settings
    names = [
        name
        for name, value in asdict(kind()).items()
        if isinstance(value, str) and name not in ("own", "pin")
    ]
    skipped = {name: (getattr(quick(page), name), OWN) for name in names}
    return [
        {},
        *({name: one} for name in names for one in options(kind, name) if one not in skipped[name]),
    ]


def accepted(settings, changes: dict):
    """The settings with these changes; None where they do not go together."""
    try:
        return settings.change(**changes)
    except RefusedError:
        return None


@cache
def alternatives(page: str) -> list:
    """Settings with at most one other option each: an option may go with another one and not with
    the defaults.
    """
    found = (accepted(quick(page), changes) for changes in variants(page))
    return [one for one in found if one is not None]


def dots(figure) -> list[tuple[float, float, str]]:
    """(x, y, colour) of each dot that marks the value of a curve at what is now."""
    shapes = figure["layout"].get("shapes", ())
    now = {one["x0"] for one in shapes if one["type"] == "line" and one["x0"] == one["x1"]}
    marks = [shape for shape in shapes if shape.get("path") in PATHS and shape["xanchor"] in now]
    drawn = {
        trace["line"].get("color") for trace in figure["data"] if "lines" in trace.get("mode", "")
    }
    return [
        (one["xanchor"], one["yanchor"], one["fillcolor"])
        for one in marks
        if one["fillcolor"] in drawn
    ]


def on_a_line(dot: tuple[float, float, str], figure) -> bool:
    """Whether a line of the dot's colour has it as a point; of a point beyond the frame, as near as
    the frame is. One that is dragged may lie between two points of a line over log epsilon, as soon
    as the line has all of its points.
    """
    x, y, colour = dot
    ends = axis_range(figure["layout"]["yaxis"])
    lines = [
        one
        for one in figure["data"]
        if one.get("line", {}).get("color") == colour and "fill" not in one
    ]
    points = np.concatenate(
        [np.array([numbers(one["x"]), np.clip(numbers(one["y"]), *ends)]) for one in lines], axis=1
    )
    if any(shape.get("path") == HANDLE for shape in figure["layout"]["shapes"]):
        if np.isnan(points).any():
            return True
        at, heights = points[:, np.argsort(points[0])]
        return bool(np.isclose(np.interp(np.log(x), np.log(at), heights), y, rtol=1e-5))
    return bool(np.isclose(points.T, (x, y), rtol=1e-5).all(axis=1).any())


def looked_at(page: str, result) -> None:
    """All that a page shows of a result is drawn by Plotly and said without a number that
    is none.
    """
    here = BY_NAME[page].at(result.settings)
    view = here.view(result)
    for board in view.boards:
        for picture in (picture for row in view.boards[board] for picture in row):
            assert len(go.Figure(picture.figure).data) == len(picture.figure["data"])
            assert picture.alt
            assert not [
                dot for dot in dots(picture.figure) if not on_a_line(dot, picture.figure)
            ], picture.name
    tiles = " ".join(f"{one.label}: {one.value} ({one.note})" for one in view.tiles)
    for name, said in {"tiles": tiles, **view.texts}.items():
        assert not (found := re.search(NO_NUMBER, plain(said))), (
            name,
            plain(said)[found.start() - 80 :][:160],
        )
    assert view.texts["verdict"].strip()


@pytest.mark.parametrize(
    ("page", "changes"), [(page, changes) for page in ROOMS for changes in variants(page)], ids=str
)
def test_every_option_is_drawn_and_said_as_soon_as_there_is_anything(page, changes):
    found = (accepted(start, changes) for start in alternatives(page))
    looked_at(page, first(next(one for one in found if one is not None)))


@pytest.mark.parametrize("page", ROOMS)
def test_a_whole_result_and_the_ends_of_sliders_are_drawn_and_said(page):
    """Epsilon or what stands in its place, and what may be shown without more work, at an end of
    their ranges.
    """
    settings = quick(page)
    looked_at(page, settings.experiment.run())
    for name in {hero(page), "delta", "clip_norm", "seed", "shown"} & {*settings.limits}:
        at_ends = (accepted(settings, {name: end}) for end in settings.limits[name])
        for at_end in filter(None, at_ends):
            looked_at(page, first(at_end))


@pytest.mark.parametrize("page", sorted({*ROOMS} - {"attack", "mechanisms", "what-if"}))
def test_a_dot_at_another_value_lies_on_its_line(page):
    """Of the parameter of the first chart, at a value that its curve is not computed at."""
    settings = quick(page)
    name = next(one for one in (hero(page), "epsilon") if one in settings.limits)
    low, high = settings.limits[name]
    result = settings.change(
        **{name: float(f"{math.sqrt(max(low, 0.1) * min(high, 10)) * 0.9:.2g}")}
    ).experiment.run()
    pictures = BY_NAME[page].at(result.settings).view(result).charts("board").values()
    found = [(dot, picture.figure) for picture in pictures for dot in dots(picture.figure)]
    assert found
    assert all(on_a_line(dot, figure) for dot, figure in found)


@pytest.mark.parametrize(
    ("link", "said"),
    [
        *(
            ({"what_if": ask}, "The link's question was ignored. It must")
            for ask in (" x".join(map(str, range(60))), " " * 700)
        ),
        ({"step": "x" * (LONGEST + 1)}, "In the link, step was ignored"),
    ],
    ids=["many words", "many blanks", "a long step"],
)
def test_a_link_that_asks_for_too_much_asks_for_nothing_and_says_so_once(link, said):
    """Of how the page is shown, the address keeps the rest."""
    app = opened(CLASSIFIER, epsilon="2", lesson="two", **link)
    assert not app.exception
    assert settings_of(app, CLASSIFIER) == ClassifierSettings(epsilon=2)
    (warning,) = app.warning
    assert said in warning.value
    assert app.query_params["lesson"] == "two"
    assert "step" not in app.query_params


def test_the_address_says_if_the_drawer_is_open_and_forgeries_are_ignored():
    app = opened(CLASSIFIER, more="1")
    for value, kept in ((0, ""), (1, "1")):
        moved(app, CLASSIFIER, MORE, value)
        assert address(app).get("more", "") == kept
        assert settings_of(app, CLASSIFIER) == ClassifierSettings()
    for junk in (
        7,
        {},
        {"movement": 3},
        {"movement": {"name": "version", "value": 1, "seq": 9**20}},
    ):
        app.session_state["classifier.sliders"] = junk
        assert not app.run().exception
        assert settings_of(app, CLASSIFIER) == ClassifierSettings()


@pytest.mark.parametrize("page", [page for page in TOPICS if BY_NAME[page].controls.suggestion])
def test_a_page_asks_for_a_move_of_a_slider_in_view_until_it_is_made(page):
    here, move = BY_NAME[page], BY_NAME[page].controls.suggestion
    app = opened(page, **QUICK[page])
    settings = settings_of(app, page)
    shown = here.at(settings).slider_layout(settings)
    assert move.slider in (shown.hero, shown.play, *shown.main)
    label = (SLIDERS[move.slider] | shown.changes.get(move.slider, {}))["label"].lower()
    assert label.split()[0] in plain(bold_html(move.ask)).lower()
    assert bold_html(move.ask) in text(app)
    bound = next(filter(math.isfinite, (move.low, move.high)), elsewhere(settings, move.slider))
    app = at_rest(moved(app, page, move.slider, bound), page)
    assert '<div class="lab-move">' not in text(app)
    assert (bold_html(move.ask) in text(opened(page, **address(app)))) == (page == "what-if"), (
        "no card where it is set"
    )


def test_a_page_asks_for_no_move_without_effect():
    assert bold_html(BY_NAME["classifier"].controls.suggestion.ask) not in text(
        opened(CLASSIFIER, version="none")
    )


def test_another_data_set_keeps_the_other_settings():
    app = moved(opened(CLASSIFIER), CLASSIFIER, "public_rows", 400)

    app.selectbox(key="classifier.dataset").set_value("iris").run()

    assert not app.exception
    assert settings_of(app, CLASSIFIER) == ClassifierSettings(dataset="iris", public_rows=37)


def test_a_refused_choice_is_said(monkeypatch):
    app = opened(CLASSIFIER)
    change = ClassifierSettings.change

    def refuse_iris(settings, **changes):
        if changes.get("dataset") == "iris":
            raise RefusedError("dataset", "iris", "a data set that this test allows")
        return change(settings, **changes)

    monkeypatch.setattr(ClassifierSettings, "change", refuse_iris)
    app.selectbox(key="classifier.dataset").set_value("iris").run()

    assert "a data set that this test allows" in app.error[0].value
    assert settings_of(app, CLASSIFIER) == ClassifierSettings()


def test_the_whole_page_follows_once_a_slider_is_at_rest():
    app = at_rest(opened(CLASSIFIER, repeats="2", steps="5"), "classifier")
    state = app.session_state["classifier.state"]
    state.rendered = None
    tick = {
        "name": "",
        "value": 0,
        "seq": state.ack + 1,
        "final": False,
        "tick": True,
        "page": True,
    }
    app.session_state["classifier.sliders"] = {"movement": tick}
    app.run()
    assert not app.exception
    assert state.rendered == (state.settings, True)


def test_a_delta_that_lets_one_row_out_is_warned_of():
    assert panels.large_delta_warning(1e-5, 99_999) == ""
    assert panels.large_delta_warning(0.01, 400, "rows") in text(opened(CLASSIFIER, delta="0.01"))


@pytest.mark.parametrize("page", TOPICS)
def test_resample_takes_the_next_seed_and_reset_the_defaults(page):
    app = opened(page)
    state = app.session_state[f"{page}.state"]
    defaults = state.settings
    assert app.button(key=f"{page}/reset").disabled

    if "seed" in defaults.limits:
        press(app, "Resample")
        assert state.settings == defaults.change(seed=defaults.seed + 1)
    else:
        state.settings = defaults.change(delta=2e-6)
        app.run()
    assert not app.button(key=f"{page}/reset").disabled

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


def test_a_first_column_of_names_stands_at_the_left_and_one_of_numbers_does_not():
    rows = [1, "<b>1,000</b>", "1e-5", "60 / 0 / 40"]
    for cells, named in (
        (["Theorem 1", 2], True),
        (["<b>exact</b>"], True),
        (rows, False),
        ([], False),
    ):
        html = tables.table([{"name": one} for one in cells], caption="", heads={"name": "name"})
        assert ("lab-named" in html) == named


def test_no_part_of_the_attack_proves_anything():
    for part in PARTS:
        app = opened("attack", part=part, **QUICK["attack"])
        assert not app.exception
        assert "proved private" not in text(app)
        assert "never proves one" in text(app) or part in ("fairness", "inversion")


def sent(app, name, value, key="attack.board"):
    state = app.session_state["attack.state"]
    seq = max(state.ack, state.click_ack) + 1
    app.session_state[key] = {
        "movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
    }
    return app.run()


def test_a_click_is_a_person_a_place_an_outlier_and_a_forgery_nothing():
    app = opened("attack", **QUICK["attack"])
    for name, value in (("person", 4000), ("person", "abc"), ("spot", "far"), ("epsilon", 9.0)):
        app = sent(app, name, value)
        assert not app.exception
        assert settings_of(app, "attack") == AttackSettings(repeats=100, steps=3)
    app = sent(app, "person", 17)
    assert (settings_of(app, "attack").who, settings_of(app, "attack").person) == ("row", 17)
    app = sent(app, "person", 3, key="attack.sliders").run()
    assert settings_of(app, "attack").person == 3, "each is applied once"
    app = sent(app, "spot", "0.25,-0.5")
    meant = settings_of(app, "attack")
    assert (meant.who, meant.person_x, meant.person_y) == ("outlier", 0.25, -0.5)


def test_a_slider_of_the_regression_stands_and_falls_with_the_others():
    app = opened(
        "regression", **QUICK["regression"], mechanism="published", tuning="own", share="0.4"
    )
    moved(app, "regression", "share", 0.7)
    assert settings_of(app, "regression").share_of("published") == 0.7
    app.selectbox(key="regression.tuning").set_value("rule").run()
    app.selectbox(key="regression.dataset").set_value("brazil").run()
    assert not app.exception
    assert settings_of(app, "regression").rows == 152_000


def test_what_no_party_can_release_gives_way_to_what_it_can():
    app = opened("parties", **QUICK["parties"], method="vote")
    app.selectbox(key="parties.trust_model").set_value("shuffle").run()
    assert not app.exception
    assert (settings_of(app, "parties").method, settings_of(app, "parties").trust_model) == (
        "soft",
        "shuffle",
    )
