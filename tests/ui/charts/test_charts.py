"""Charts from the builders of ui/charts, ghosts of pinned settings, and the attacker as a hundred
people.
"""

import math
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.special import ndtri

from dpcore.privacy import Adjacency, GaussianRelease, Guarantee
from lab.experiment.settings import Spread
from lab.label.label import Stated
from lab.statistics.claims import Case
from pages.topics import PAGES
from tests.handouts import quick
from tests.sentences import plain
from tests.ui.charts.test_topic_charts import numbers
from ui.charts import attacker_icons, theme
from ui.charts.curves import Curve, Level, accuracy_chart, curve_chart, finding, quantile_curve
from ui.page.pinned_charts import NAME, with_overlay
from ui.text import tiles
from ui.text.numbers import percent
from ui.widgets import Chart

LINE = {"color": "#2b7bd6", "width": 3, "dash": "solid"}


def curve(y: float, **more) -> dict:
    return {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [y, y], "line": LINE} | more


def dot(y: float, **more) -> dict:
    colour = {"fillcolor": "#2b7bd6", "line": {"width": 0}}
    return {"type": "circle", "x0": 0, "x1": 1, "y0": y, "y1": y + 1} | colour | more


def picture(y: float, **more) -> Chart:
    """A band, a curve and a mark that may have ghosts, and others that may not; all at the height
    ``y``.
    """
    hover = f"%{{y}}<extra>curve {y}</extra>"
    band = curve(y, name="band", fill="toself", fillcolor="#eef")
    data = [
        band,
        curve(y, name="private", meta="ghost", hovertemplate=hover),
        curve(y, name="without"),
    ]
    layout = {
        "title": {"text": f"At {y}"},
        "shapes": [dot(y, name="ghost"), dot(y + 5)],
        "uirevision": "keep",
    }
    known = {"name": "accuracy", "alt": f"Accuracy {y}", "clicks": {"position": "spot"}}
    return Chart(figure={"data": data, "layout": layout}, **(known | more))


def test_only_what_is_marked_has_a_ghost_and_it_lies_below_todays():
    mine, theirs = picture(1), picture(2)
    ((shown,),) = with_overlay([[mine]], [[theirs]])
    assert (mine, theirs) == (picture(1), picture(2)), "cached pictures stay as they are"
    assert len(go.Figure(shown.figure).data) == 4
    drawn = [(one["name"], one["y"][0]) for one in shown.figure["data"]]
    assert drawn == [("band", 1), (NAME, 2), ("private", 1), ("without", 1)]
    assert [one["y0"] for one in shown.figure["layout"]["shapes"]] == [2, 1, 6]
    assert shown.figure["layout"]["title"] == {"text": "At 1"}
    assert (shown.alt, shown.name, shown.clicks) == ("Accuracy 1", "accuracy", {"position": "spot"})
    assert shown.figure["data"][1]["hovertemplate"] == f"%{{y}}<extra>{NAME}</extra>"
    assert (
        with_overlay([[mine]], [[mine]])[0][0].figure["layout"]["shapes"]
        == mine.figure["layout"]["shapes"]
    )
    for pinned in ([], [[]], [[picture(2, name="another")]]):
        assert with_overlay(rows := [[mine, picture(1, name="map", pair=True)]], pinned) == rows
    bare = replace(mine, figure={"data": [curve(1)], "layout": {}})
    assert with_overlay([[bare]], [[bare]])[0][0] is bare


def test_a_ghost_is_an_outline_in_the_colour_of_its_own():
    marked = curve(
        2, meta="ghost", fill="tozeroy", fillcolor="#eef", marker={"size": 9, "color": "#2b7bd6"}
    )
    other = replace(
        picture(2), figure={"data": [marked], "layout": {"shapes": [dot(2, name="ghost")]}}
    )
    ((shown,),) = with_overlay([[picture(1)]], [[other]])
    ghost = next(one for one in shown.figure["data"] if one.get("name") == NAME)
    assert ghost["line"] == LINE | {"dash": "dash"}
    assert ghost["marker"] == {"size": 9, "color": "#2b7bd6", "symbol": "circle-open"}
    assert not {"fill", "fillcolor", "meta"} & set(ghost)
    mark = shown.figure["layout"]["shapes"][0]
    assert "fillcolor" not in mark
    assert mark["line"] == {"color": "#2b7bd6", "width": 1.5}


AT, SPREAD = np.array([0.1, 1.0, 10.0]), np.array([[60.0, 70, 80], [65, 75, 85], [70, 80, 90]])
EPSILON, ACCURACY = theme.epsilon_axis(0.01, 100), theme.axis("test accuracy, %", 0, 102)


def drawn(*curves, **how):
    figure = curve_chart(*curves, title="Accuracy", xaxis=EPSILON, yaxis=ACCURACY, **how)
    assert len(go.Figure(figure).data) == len(figure["data"])
    return figure


# The lower end, the median and the upper end of the runs at the set epsilon.
NOW = (50, 72, 90)
PRIVATE_CURVE = Curve(name="private", colour=theme.PRIVATE, x=AT, y=SPREAD, at_current=NOW)


def test_the_value_at_now_is_a_point_of_its_curve():
    band, line = drawn(PRIVATE_CURVE, current=2.0)["data"]

    np.testing.assert_allclose(numbers(line["x"]), [0.1, 1, 2, 10], rtol=1e-6)
    np.testing.assert_array_equal(numbers(line["y"]), [65, 75, 72, 85])
    upper_edge = [70, 80, 90, 90]
    lower_edge_backwards = [80, 50, 70, 60]
    np.testing.assert_array_equal(numbers(band["y"]), upper_edge + lower_edge_backwards)


def test_the_value_at_now_takes_the_place_of_a_point_there():
    _, line = drawn(PRIVATE_CURVE, current=1.0)["data"]

    np.testing.assert_array_equal(numbers(line["y"]), [65, 72, 85])


def test_a_value_at_now_beyond_the_axis_is_marked_on_the_edge_of_the_frame():
    curve = replace(PRIVATE_CURVE, at_current=(0, 500, 900), has_dot=True)

    figure = drawn(curve, current=2.0)

    dot = figure["layout"]["shapes"][-1]
    _, top = ACCURACY["range"]
    assert dot["yanchor"] == top


@pytest.mark.parametrize(
    ("axis", "height"),
    [
        pytest.param(ACCURACY, 50.0, id="linear"),
        pytest.param(theme.log_axis("error", 1, 100), np.log10(50), id="logarithmic"),
    ],
)
def test_the_name_of_a_level_stands_at_its_line(axis, height):
    level = Level(y=50.0, name="chance")

    figure = curve_chart(xaxis=EPSILON, yaxis=axis, levels=[level])

    (line,) = figure["layout"]["shapes"]
    name = figure["layout"]["annotations"][-1]
    assert line["y0"] == 50
    assert name["y"] == pytest.approx(height)


def held(adjacency=Adjacency.ADD_REMOVE, unit="record"):
    """A guarantee whose best attacker is right 63 % of the time: Phi(mu/2)."""
    event = GaussianRelease(noise_multiplier=1 / (2 * ndtri(0.63)))
    return Guarantee(
        epsilon=9.0, delta=1e-5, adjacency=adjacency, unit=unit, basis="a theorem", event=event
    )


def counted(html):
    rows = re.findall(r"<div aria-hidden=.*?</div>", html)
    inside = [(row.partition("<s>")[0].count("<i>"), row.count("<i>")) for row in rows]
    return inside, [int(one) for one in re.findall(r"<b>(\d+)</b>", html)]


def test_words_say_what_is_drawn_and_nothing_is_where_nothing_holds():
    result, parties = quick(PAGES[0]).result, {"adjacency": Adjacency.REPLACE_ONE, "unit": "party"}
    for how, word, second in (({}, "in", "without you"), (parties, "yours", "with another party")):
        html = attacker_icons.icons(held(**how))
        said = (
            rf"with you.*, the attacker says “{word}” for at most 63\. Of 100 releases {second}.*"
            rf" “{word}” for 37\."
        )
        assert re.search(said, plain(html))
        assert counted(html) == ([(63, 100), (37, 100)], [63, 37])
        assert attacker_icons.icons_of_label(Stated(guarantee=held(**how)), result) == html
    assert (
        attacker_icons.icons_of_label(Stated(), result)
        == attacker_icons.icons_of_label(Stated(guarantee=held(), void="as published"), result)
        == ""
    )
    # The people agree with the tile and never understate the attacker.
    for right in (*np.linspace(0.5, 1.0, 5001), 0.63 + 1e-12, 0.63 - 1e-12, 0.9949, 0.99999):
        people, tile = (
            attacker_icons.correct_of_hundred(right),
            float(tiles.percent_rounded_up(right)),
        )
        assert 100 * right - 1e-6 <= people < 100 * right + 1
        assert people == math.ceil(tile)
        assert 100 * right - 1e-6 <= tile


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "what-if"], ids=lambda page: page.name
)
def test_every_guarantee_draws_the_attacker_of_the_tile(page):
    one = quick(page)
    view = page.view(one.result)
    ((tile,),) = (
        [number.amount] for number in view.tiles if number.label == "Attacker right, at most"
    )
    people = math.ceil(tile)
    assert counted(view.texts["guarantee"]) == (
        [(people, 100), (100 - people, 100)],
        [people, 100 - people],
    )
    if page.name != "attack":
        sheet = one.html().partition('<article class="more">')[0]
        assert counted(sheet)[0] == [(people, 100), (100 - people, 100)]


TEXTS = {
    "everywhere": "everywhere",
    "up_to": "up to {at:g}",
    "unshown": "not shown",
    "few": "too few runs",
}


@pytest.mark.parametrize(
    ("cases", "case", "text"),
    [
        ([Case.AHEAD, Case.AHEAD, Case.AHEAD], Case.AHEAD, "everywhere"),
        ([Case.AHEAD, Case.AHEAD, Case.ALIKE], Case.AHEAD, "up to 1"),
        ([Case.BEHIND, Case.ALIKE, Case.AHEAD], Case.BEHIND, "up to 0.1"),
        ([Case.ALIKE, Case.ALIKE, Case.AHEAD], Case.BEHIND, "not shown"),
        ([Case.FEW, Case.FEW, Case.FEW], Case.BEHIND, "too few runs"),
        ([Case.ALIKE, Case.BEHIND, Case.BEHIND], Case.BEHIND, ""),
    ],
)
def test_a_finding_says_where_along_the_curve_a_case_holds(cases, case, text):
    assert finding(TEXTS, cases, [0.1, 1, 10], case) == text


def test_only_a_measured_curve_with_a_band_has_a_dot_and_its_spread():
    now = Spread(0.5, 0.6, 0.7)
    points = np.array([0.1, 10.0]), np.array([[0.2, 0.4], [0.3, 0.5], [0.4, 0.6]])
    main = quantile_curve("private", theme.PRIVATE, points, now, band=True, strokes=[0.5, 0.7])
    other = quantile_curve("public", theme.PUBLIC, points, now, band=False)
    drawn = accuracy_chart(main, other, current=1.0, xaxis=EPSILON, title="Accuracy")
    assert [trace.get("fill") for trace in drawn["data"]] == ["toself", None, None]
    assert main.value == other.value == percent(0.6)
    assert main.dot_shapes(1.0, ACCURACY)
    assert not other.dot_shapes(1.0, ACCURACY)
    assert list(main.strokes) == [50, 70]
