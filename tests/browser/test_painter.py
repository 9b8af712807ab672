"""The painter against Plotly: for every chart of every page, what it paints over one picture is the
next one.
"""

import io
import json
import math
from bisect import bisect
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import orjson
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route

from lab.experiment.settings import Settings
from pages.topics import PAGES
from tests.browser.conftest import ROOT
from ui.export.recording import slider_values
from ui.page import pin
from ui.page.screen import make_screen
from ui.session.entries import apply_move, from_link
from ui.widgets import assets

HOME = "http://painter.test"
HTML = "<!doctype html><meta charset=utf-8><title>Painter</title><body style=margin:0>"
SCRIPTS = {"/plotly.js": assets.PLOTLY, "/bench.js": ROOT / "tests/browser/apps/painter_bench.js"}
FONT = "system-ui, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
COLOURS = ("text-color", "border-color", "border-color-light", "background-color")
LOOKS = {
    "light": dict(zip(COLOURS, ("#1B1E2B", "#D5D8E4", "#E8EAF0", "#FFFFFF"), strict=True)),
    "dark": dict(zip(COLOURS, ("#E6E8F0", "#353A4B", "#242837", "#12141C"), strict=True)),
}
LOOK = """look => {
  for (const name in look) document.documentElement.style.setProperty(`--st-${name}`, look[name])
  document.body.style.background = look["background-color"]
}"""
WIDTH = 460
LEAST = 12  # of 255
# A page, or a part of one, and the link that opens it. Of long work a part is enough: each kind of
# mark is there.
OPENED = {page.name: {} for page in PAGES if page.name != "attack"} | {
    f"attack {part}": {"part": part} for part in ("person", "membership", "fairness", "inversion")
}
OPENED["classifier pinned"] = {"epsilon": "0.3", "pin": "clip_norm~0.1"}
DRAWN = ["classifier pinned", "network", "accounting", "attack person"]
TRACED = ["classifier", "attack person"]
MOST = 0.05  # of the inked pixels of a chart may differ
MOST_OF_A_TRACE = (
    0.2  # of the pixels that one trace inks: there are few of them, and their edges are less even
)
# of them differ at least where the trace is not painted: the rest is hidden under other traces
LEFT_OUT = 0.5
LEAST_INK = 12  # pixels of a trace that can be judged
# A random axis: where it begins and how far it goes; a logarithmic one in powers of ten.
SPANS = {
    "linear": lambda random: (
        random.normal() * 10.0 ** random.integers(-3, 4),
        10 ** random.uniform(-2, 3.7),
    ),
    "log": lambda random: (random.uniform(-4, 2), random.uniform(0.3, 5)),
}
NODES = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .map(node => node.innerHTML.replaceAll(' style=""', ""))"""
CURVE = {"type": "scatter", "mode": "lines", "x": [0, 1, 2], "y": [0, 1, 0.5]}
AXES = {
    "xaxis": {"range": [0, 2]},
    "yaxis": {"range": [0, 1]},
    "margin": {"l": 50, "r": 10, "t": 30, "b": 40},
}
CHART = {"data": [CURVE], "layout": AXES}
Figures = Mapping[str, Mapping[str, Any]]


class Moves(NamedTuple):
    """What a page shows: ``before`` at first, and ``after`` each of its sliders has been moved, the
    hero's first.
    """

    heights: Mapping[str, int]
    before: Figures
    after: Mapping[str, Figures]


@cache
def moves(opened: str, sliders: int | None = 1) -> Moves:
    """Return the figures of a page, or of a part of one, and those after each of so many sliders
    has been moved; None: all.
    """
    topic, link = opened.partition(" ")[0], dict(OPENED[opened])
    page = next(page for page in PAGES if page.name == topic)
    pinned = pin.read_pin(page.settings, link.pop("pin"))[0] if "pin" in link else None
    settings, notices = from_link(page.settings, link)
    assert not notices

    def pictures(settings: Settings) -> dict[str, dict]:
        """Return name -> message of each picture of the page at these settings, all work done."""
        both = make_screen(page, settings, pinned, seconds=math.inf)
        every = (picture for board in both.charts("").values() for row in board for picture in row)
        return {picture.name: json.loads(orjson.dumps(picture.message())) for picture in every}

    def figures(name: str, value: float) -> Figures:
        """Those a sixth of the track away."""
        track = slider_values(shown.slider(name, settings.limits))
        place, sixth = bisect(track, value), math.ceil(len(track) / 6)
        there = track[place + sixth if place < 0.6 * len(track) else place - sixth]
        return {
            one: picture["figure"]
            for one, picture in pictures(apply_move(settings, name, there)[0]).items()
        }

    shown, first = page.at(settings).controls.sliders(settings), pictures(settings)
    moving = [name for name in shown.all if len(set(settings.limits[name])) == 2]
    return Moves(
        heights={name: picture["height"] for name, picture in first.items()},
        before={name: picture["figure"] for name, picture in first.items()},
        after={name: figures(name, getattr(settings, name)) for name in moving[:sliders]},
    )


def legend(figure: Mapping[str, Any]) -> list[tuple]:
    """Return what a legend names, but for the values that it tells."""
    told = (
        [one for one in figure["data"] if one.get("showlegend", True)]
        if figure["layout"].get("showlegend")
        else []
    )
    return [(one.get("name", "").partition("  <b>")[0], str(one.get("line"))) for one in told]


def without(figure: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Return the figure with one trace of which nothing is in view: its legend, and with it the
    room for the axes, stays.
    """
    trace = figure["data"][place]
    names = {
        axis: trace[axis]
        for axis in "xy"
        if isinstance(trace[axis], list) and isinstance(trace[axis][0], str)
    }
    nothing = (
        [math.nan] * max(map(len, names.values())) if names else [1e12]
    )  # far out, and no exponent in a path
    empty = {name: part for name, part in trace.items() if name not in ("text", "error_y")}
    empty |= {"x": nothing, "y": nothing} | names
    return {
        **figure,
        "data": [empty if at == place else trace for at, trace in enumerate(figure["data"])],
    }


def over(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[str, Any]:
    """``before``, or, as a legend that names others is Plotly's to draw, a figure in its place that
    names the same.
    """
    return (
        before
        if legend(before) == legend(after)
        else {**without(after, 0), "layout": before["layout"]}
    )


class Bench:
    """The page, and pictures of the charts on it.

    A picture: (height, width, 3), numbers from 0 to 255.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        page.route(f"{HOME}/**", _answer)
        page.goto(HOME)
        page.add_script_tag(url="/plotly.js")
        page.add_script_tag(url="/bench.js", type="module")
        page.wait_for_function("() => window.bench")
        self.look("light")

    def look(self, name: str) -> None:
        """Light or dark, as Streamlit says it: by variables of the page's style."""
        self.page.evaluate(LOOK, LOOKS[name] | {"font": FONT})
        self.ground = np.array(
            [*bytes.fromhex(LOOKS[name]["background-color"][1:])], dtype=np.int16
        )

    def place(self, heights: Mapping[str, int], *, view: tuple[int, int] | None = None) -> None:
        """Empty cells for these charts in a window of this size, or in one that shows all of them
        and nothing else.

        What is out of view is not painted, and a picture of what is empty takes as long as one of
        charts.
        """
        width, height = view or (3 * WIDTH, 900)
        self.page.set_viewport_size({"width": width, "height": height})
        self.boxes = self.page.evaluate(
            "all => bench.place(...all)", [list(heights.items()), WIDTH]
        )
        if view is None:
            height = math.ceil(max(box["bottom"] for box in self.boxes.values()))
            self.page.set_viewport_size({"width": width, "height": height})

    def draw(self, figures: Figures, *, afresh: bool = False) -> dict[str, np.ndarray]:
        """Pictures by name after Plotly has drawn these figures; ``afresh``: as if it had drawn
        nothing before.
        """
        self.page.evaluate("all => bench.draw(...all)", [dict(figures), afresh])
        return self.pictures()

    def paint(self, figures: Figures) -> dict[str, np.ndarray]:
        """Pictures by name of those that could be painted, of what Plotly has drawn if they could
        not.
        """
        self.painted = self.page.evaluate("figures => bench.paint(figures)", dict(figures))
        return self.pictures()

    def pictures(self) -> dict[str, np.ndarray]:
        """Return name -> picture of each chart, cut out of a screenshot of the whole page."""
        whole = np.asarray(
            Image.open(io.BytesIO(self.page.screenshot(full_page=True))).convert("RGB"),
            dtype=np.int16,
        )
        scale = whole.shape[1] / self.page.evaluate("innerWidth")
        sides = ("top", "bottom", "left", "right")
        cuts = {
            name: [round(box[side] * scale) for side in sides] for name, box in self.boxes.items()
        }
        return {
            name: whole[top:bottom, left:right] for name, (top, bottom, left, right) in cuts.items()
        }


def _answer(route: Route) -> None:
    """Answer a request of the page with the script that it names, or with the page itself."""
    path = route.request.url.removeprefix(HOME).partition("?")[0]
    if path.endswith(".js"):
        route.fulfill(
            path=SCRIPTS.get(path, f"{ROOT}/ui/widgets{path}"), content_type="text/javascript"
        )
    else:
        route.fulfill(body=HTML, content_type="text/html")


def difference(
    painted: np.ndarray, drawn: np.ndarray, bare: np.ndarray, *, of_drawn: bool = False
) -> float:
    """Of the pixels that a chart, or a part of it, inks in either picture, or in the drawn one, the
    share that differs.

    ``bare`` is the picture without it, or the colour of the ground: inked is what is further than
    LEAST from it. Two pixels are alike if within a pixel's distance the other picture has a colour
    that is nearer than 8 and a quarter of the ink. Distances of colours are those of the channel
    that differs most. 0 where nothing is inked.
    """
    ink = _far(drawn, bare) if of_drawn else np.maximum(_far(painted, bare), _far(drawn, bare))
    places = np.nonzero(ink > LEAST)
    far = np.maximum(_nearest(painted, drawn, places), _nearest(drawn, painted, places))
    return float((far > 8 + ink[places] / 4).mean()) if len(far) else 0.0


def _far(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how far colours are apart in the channel that differs most.

    Both are (..., 3); the result is (...).
    """
    return np.abs(one - other).max(axis=-1)


def _nearest(one: np.ndarray, other: np.ndarray, places: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return how far the colours at these places are from the nearest within a pixel of its place
    in the other picture.
    """
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    near = [padded[places[0] + down, places[1] + right] for down in range(3) for right in range(3)]
    return np.min([_far(one[places], colour) for colour in near], axis=0)


@pytest.fixture(scope="module")
def bench(chromium: Browser) -> Iterator[Bench]:
    """Open the page with the painter and Plotly.

    Close it at the end, and fail if it has raised an exception.
    """
    context = chromium.new_context()
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield Bench(page)
    context.close()
    assert faults == []


def compared(bench: Bench, before: dict, after: dict) -> dict[str, float]:
    """Chart -> how much of it differs, painted over ``before`` and drawn by Plotly.

    A legend that names others is Plotly's to draw: such a chart is painted over one that names the
    same.
    """
    bench.draw(before)
    painted = bench.paint(after)
    left = {name for name, (done, _) in bench.painted.items() if not done}
    assert left == {name for name in after if legend(before[name]) != legend(after[name])}
    if left:
        bench.draw({name: over(before[name], after[name]) for name in left})
        painted |= bench.paint({name: after[name] for name in left})
        assert all(done for done, _ in bench.painted.values())
    drawn = bench.draw(after)
    return {name: difference(painted[name], drawn[name], bench.ground) for name in after}


@pytest.mark.parametrize(
    ("opened", "look", "sliders"),
    [
        *((one, "light", 1) for one in DRAWN),
        *(
            pytest.param(one, look, None, marks=pytest.mark.soak)
            for one in OPENED
            for look in ("light", "dark")
        ),
    ],
)
def test_a_painted_chart_looks_as_plotly_draws_it(
    bench: Bench, opened: str, look: str, sliders: int | None
):
    """Over one picture, of the first sliders or of all."""
    bench.look(look)
    shown = moves(opened, sliders)
    bench.place(shown.heights)
    for slider, after in shown.after.items():
        shares = compared(bench, shown.before, after)
        assert {name: share for name, share in shares.items() if share > MOST} == {}, slider


@pytest.mark.parametrize(
    "opened",
    [one if one in TRACED else pytest.param(one, marks=pytest.mark.soak) for one in OPENED],
)
def test_each_trace_is_painted_and_one_that_is_left_out_is_noticed(bench: Bench, opened: str):
    shown = moves(opened)
    after = next(iter(shown.after.values()))
    before = {name: over(one, after[name]) for name, one in shown.before.items()}
    bench.place(shown.heights)
    bench.draw(before)
    painted, drawn, judged = bench.paint(after), bench.draw(after, afresh=True), 0
    for place in range(max(len(figure["data"]) for figure in after.values())):
        less = {
            name: without(figure, place)
            for name, figure in after.items()
            if place < len(figure["data"])
        }
        bench.draw(before)
        left_out, bare = bench.paint(less), bench.draw(less, afresh=True)
        for name in (
            name for name in less if (_far(drawn[name], bare[name]) > LEAST).sum() >= LEAST_INK
        ):
            differs = partial(difference, drawn=drawn[name], bare=bare[name], of_drawn=True)
            assert differs(painted[name]) <= MOST_OF_A_TRACE, (name, place)
            if differs(bare[name]) > LEFT_OUT:  # else another trace lies beside it
                judged += 1
                assert differs(left_out[name]) > LEFT_OUT, (name, place)
    assert judged >= (5 if opened in TRACED else 0)


@pytest.mark.parametrize("kind", ["linear", "log"])
def test_painted_ticks_are_those_of_plotly(bench: Bench, kind: str):
    random, known = np.random.default_rng(7), 0
    for _ in range(40):
        up, length = bool(random.integers(2)), int(random.integers(120, 900))
        low, span = SPANS[kind](random)
        asked = {"type": kind, "range": [low, low + span]}
        if kind == "log" and random.integers(2):
            asked |= {"dtick": ["D2", 1][random.integers(2)], "tickformat": "~g"}
        size = {"width": length, "height": length}
        theirs, ours = bench.page.evaluate("all => bench.ticks(...all)", [asked, up, size])
        known += ours is not None
        if ours is not None:
            assert [text for _, text in ours] == [text for _, text in theirs], asked
            np.testing.assert_allclose(
                [at for at, _ in ours], [at for at, _ in theirs], atol=1e-6 * span
            )
    assert known > 20  # an axis that needs all digits between powers of ten is Plotly's


def test_a_chart_that_is_given_back_is_as_plotly_left_it(bench: Bench):
    shown = moves("classifier")
    bench.place(shown.heights)
    before = bench.draw(shown.before)
    left = bench.page.evaluate(NODES)
    painted = bench.paint(next(iter(shown.after.values())))
    assert bench.page.evaluate(NODES) != left
    assert any((painted[name] != before[name]).any() for name in before)
    bench.page.evaluate("names => names.forEach(name => bench.release(name))", list(before))
    assert bench.page.evaluate(NODES) == left
    assert all((picture == before[name]).all() for name, picture in bench.pictures().items())


@pytest.mark.parametrize("panned", [False, True])
def test_a_chart_at_rest_after_a_movement_is_drawn_by_plotly_again(bench: Bench, panned: bool):
    """What a person has moved into view stays."""
    bench.place({"chart": 300})
    note = {"text": "here", "x": 1, "y": 0.5, "showarrow": False}
    layout = AXES | {"annotations": [note], "dragmode": "pan", "uirevision": "keep"}
    bench.draw({"chart": CHART | {"layout": layout}})
    if panned:
        mouse = bench.page.mouse
        mouse.move(200, 150)
        mouse.down()
        mouse.move(260, 170, steps=4)
        mouse.up()
        bench.page.wait_for_function("() => bench.div('chart')._fullLayout.xaxis.range[0] < 0")
        mouse.move(0, 0)
    else:
        moved = {"annotations": [note | {"x": 0.5}], "yaxis": {"range": [0, 100]}}
        bench.paint({"chart": CHART | {"layout": layout | moved}})
    after = {"chart": {"data": [CURVE | {"y": [1, 0, 1]}], "layout": layout}}
    painted, drawn = bench.paint(after), bench.draw(after)
    assert difference(painted["chart"], drawn["chart"], bench.ground) < MOST
    assert (bench.page.evaluate("bench.div('chart')._fullLayout.xaxis.range[0]") < 0) == panned


@pytest.mark.parametrize(
    "unknown",
    [
        {"data": [{"type": "heatmap", "z": [[1, 2], [3, 4]]}]},
        {"data": [CURVE | {"line": {"shape": "spline"}}]},
        {"data": [CURVE | {"fill": "tonexty", "fillcolor": "#123456"}]},
        {"data": [CURVE | {"mode": "markers", "marker": {"symbol": "star"}}]},
        {"data": [CURVE | {"mode": "markers", "marker": {"color": [1, 2, 3]}}]},
        {"layout": AXES | {"margin": {"l": 80, "r": 10, "t": 30, "b": 40}}},
        {"layout": AXES | {"yaxis": {"range": [0, 1], "side": "right"}}},
        {"layout": AXES | {"yaxis": {}}},
        {"layout": AXES | {"xaxis": {"range": [0, 2], "tickvals": [0, 1]}}},
        {"layout": AXES | {"shapes": [{"type": "path", "path": "M0,0H1"}]}},
        {"layout": AXES | {"annotations": [{"text": "x", "x": 1, "y": 1, "showarrow": True}]}},
        {
            "layout": (
                AXES | {"annotations": [{"text": "<u>x</u>", "x": 1, "y": 1, "showarrow": False}]}
            )
        },
        {"layout": AXES | {"title": {"text": "a title where there was none"}}},
    ],
)
def test_a_chart_with_an_unknown_part_is_left_to_plotly(bench: Bench, unknown: dict):
    bench.place({"chart": 300})
    before = bench.draw({"chart": CHART})
    after = bench.paint({"chart": CHART | unknown})
    assert bench.painted["chart"][0] is False
    assert (after["chart"] == before["chart"]).all()


@pytest.mark.parametrize("title", ["", "per cent"])
def test_an_axis_that_moves_beside_its_title_is_left_to_plotly(bench: Bench, title: str):
    """Plotly moves a title out of its labels' way."""
    bench.place({"chart": 300})
    axes = ({"range": [0, high], "title": {"text": title}} for high in (1, 1000))
    before, after = ({"chart": CHART | {"layout": AXES | {"yaxis": axis}}} for axis in axes)
    bench.draw(before)
    bench.paint(after)
    assert bench.painted["chart"][0] is (title == "")


def test_a_chart_out_of_view_is_painted_when_it_comes_into_view(bench: Bench):
    bench.place({"above": 600, "below": 300}, view=(480, 500))
    bench.draw({"above": CHART, "below": CHART})
    moved = CHART | {"data": [CURVE | {"y": [1, 0, 1]}]}
    hidden = (
        "name => getComputedStyle(bench.div(name).querySelector('.overplot')).visibility ==="
        " 'hidden'"
    )
    bench.page.evaluate("figures => bench.paint(figures)", {"above": moved, "below": moved})
    assert [bench.page.evaluate(hidden, name) for name in ("above", "below")] == [True, False]
    bench.page.evaluate("scrollTo(0, 900)")
    bench.page.wait_for_function(hidden, arg="below")
    bench.page.evaluate("scrollTo(0, 0)")
