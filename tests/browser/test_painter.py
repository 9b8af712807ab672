"""The painter against Plotly: for every chart of every page, what it paints over one picture is the next one."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.browser.painting import OPENED, Bench, difference, inked, legend, moves, part_difference, without

DRAWN = ["classifier pinned", "network", "accounting", "attack worlds"]
TRACED = ["classifier", "attack worlds"]
MOST = 0.05  # of the inked pixels of a chart may differ
MOST_OF_A_TRACE = 0.2  # of the pixels that one trace inks: there are few of them, and their edges are less even
LEFT_OUT = 0.5  # of them differ at least where the trace is not painted: the rest is hidden under other traces
LEAST_INK = 12  # pixels of a trace that can be judged
# A random axis: where it begins and how far it goes; a logarithmic one in powers of ten.
SPANS = {
    "linear": lambda random: (random.normal() * 10.0 ** random.integers(-3, 4), 10 ** random.uniform(-2, 3.7)),
    "log": lambda random: (random.uniform(-4, 2), random.uniform(0.3, 5)),
}
NODES = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .map(node => node.innerHTML.replaceAll(' style=""', ""))"""
CURVE = {"type": "scatter", "mode": "lines", "x": [0, 1, 2], "y": [0, 1, 0.5]}
AXES = {"xaxis": {"range": [0, 2]}, "yaxis": {"range": [0, 1]}, "margin": {"l": 50, "r": 10, "t": 30, "b": 40}}
CHART = {"data": [CURVE], "layout": AXES}


@pytest.fixture(scope="module")
def page_of_charts(chromium: Browser) -> Iterator[Bench]:
    context = chromium.new_context()
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield Bench(page)
    context.close()
    assert faults == []


@pytest.fixture
def bench(page_of_charts: Bench) -> Bench:
    page_of_charts.look("light")
    return page_of_charts


def compared(bench: Bench, before: dict, after: dict) -> dict[str, float]:
    """Chart -> how much of it differs, painted over ``before`` and drawn by Plotly.

    A legend that names others is Plotly's to draw: such a chart is painted over one that names the same.
    """
    bench.draw(before)
    painted = bench.paint(after)
    left = {name for name, (done, _) in bench.painted.items() if not done}
    assert left == {name for name in after if legend(before[name]) != legend(after[name])}
    if left:
        bench.draw({name: {**without(after[name], 0), "layout": before[name]["layout"]} for name in left})
        again = bench.paint({name: after[name] for name in left})
        assert all(done for done, _ in bench.painted.values())
        painted |= {name: again[name] for name in left}
    drawn = bench.draw(after)
    return {name: difference(painted[name], drawn[name], bench.ground) for name in after}


@pytest.mark.parametrize(
    ("opened", "look", "knobs"),
    [
        *((one, "light", 1) for one in DRAWN),
        *(pytest.param(one, look, None, marks=pytest.mark.soak) for one in OPENED for look in ("light", "dark")),
    ],
)
def test_what_is_painted_is_what_plotly_draws(bench: Bench, opened: str, look: str, knobs: int | None):
    """Over one picture, of the first knobs or of all."""
    bench.look(look)
    shown = moves(opened, knobs)
    bench.place(shown.heights)
    for knob, after in shown.after.items():
        shares = compared(bench, shown.before, after)
        assert {name: share for name, share in shares.items() if share > MOST} == {}, knob


@pytest.mark.parametrize(
    "opened", [one if one in TRACED else pytest.param(one, marks=pytest.mark.soak) for one in OPENED]
)
def test_each_trace_is_painted_and_one_that_is_left_out_is_noticed(bench: Bench, opened: str):
    shown = moves(opened)
    after = next(iter(shown.after.values()))
    bench.place(shown.heights)
    bench.draw(shown.before)
    painted, drawn, judged = bench.paint(after), bench.draw(after, afresh=True), 0
    for place in range(max(len(figure["data"]) for figure in after.values())):
        less = {name: without(figure, place) for name, figure in after.items() if place < len(figure["data"])}
        bench.draw(shown.before)
        left_out, bare = bench.paint(less), bench.draw(less, afresh=True)
        for name in (name for name in less if inked(drawn[name], bare[name]) >= LEAST_INK):
            assert part_difference(painted[name], drawn[name], bare[name]) <= MOST_OF_A_TRACE, (name, place)
            if part_difference(bare[name], drawn[name], bare[name]) > LEFT_OUT:  # else another trace lies beside it
                judged += 1
                assert part_difference(left_out[name], drawn[name], bare[name]) > LEFT_OUT, (name, place)
    assert judged >= (5 if opened in TRACED else 0)


@pytest.mark.parametrize("kind", ["linear", "log"])
def test_ticks_are_plotlys(bench: Bench, kind: str):
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
            np.testing.assert_allclose([at for at, _ in ours], [at for at, _ in theirs], atol=1e-6 * span)
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
def test_what_moved_and_stands_again_is_plotlys_again(bench: Bench, panned: bool):
    """What a person has moved into view stays."""
    bench.place({"chart": 300})
    note = {"text": "here", "x": 1, "y": 0.5, "showarrow": False}
    layout = AXES | {"annotations": [note], "dragmode": "pan", "uirevision": "keep"}
    bench.draw({"chart": CHART | {"layout": layout}})
    if panned:
        box, mouse = bench.boxes["chart"], bench.page.mouse
        mouse.move(box["x"] + 200, box["y"] + 150)
        mouse.down()
        mouse.move(box["x"] + 260, box["y"] + 170, steps=4)
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
        {"layout": AXES | {"annotations": [{"text": "<u>x</u>", "x": 1, "y": 1, "showarrow": False}]}},
        {"layout": AXES | {"title": {"text": "a title where there was none"}}},
    ],
)
def test_what_is_not_known_is_left_to_plotly(bench: Bench, unknown: dict):
    bench.place({"chart": 300})
    before = bench.draw({"chart": CHART})
    after = bench.paint({"chart": CHART | unknown})
    assert bench.painted["chart"][0] is False
    assert (after["chart"] == before["chart"]).all()


@pytest.mark.parametrize("title", ["", "per cent"])
def test_an_axis_that_moves_beside_its_title_is_left_to_plotly(bench: Bench, title: str):
    """Plotly moves a title out of its labels' way."""
    bench.place({"chart": 300})
    before, after = (
        CHART | {"layout": AXES | {"yaxis": {"range": [0, high], "title": {"text": title}}}} for high in (1, 1000)
    )
    bench.draw({"chart": before})
    bench.paint({"chart": after})
    assert bench.painted["chart"][0] is (title == "")


def test_a_chart_out_of_view_is_painted_when_it_comes_into_view(bench: Bench):
    bench.place({"above": 600, "below": 300}, view=(480, 500))
    bench.draw({"above": CHART, "below": CHART})
    moved = CHART | {"data": [CURVE | {"y": [1, 0, 1]}]}
    hidden = "name => getComputedStyle(bench.div(name).querySelector('.overplot')).visibility === 'hidden'"
    bench.page.evaluate("figures => bench.paint(figures)", {"above": moved, "below": moved})
    assert [bench.page.evaluate(hidden, name) for name in ("above", "below")] == [True, False]
    bench.page.evaluate("scrollTo(0, 900)")
    bench.page.wait_for_function(hidden, arg="below")
    bench.page.evaluate("scrollTo(0, 0)")
