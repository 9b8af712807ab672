"""The overlay of pinned settings, B, on the charts of the present ones, A."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from ui.charts import theme
from ui.page.pinned_charts import NAME, with_overlay
from ui.widgets import Chart

LINE = {"color": theme.PRIVATE, "width": 3, "dash": "solid"}


def trace(height: float, **properties) -> dict:
    """Return a trace that is a horizontal line at this height, with further properties."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1],
        "y": [height, height],
        "line": LINE,
        **properties,
    }


def circle(height: float, **properties) -> dict:
    """Return a filled circle from this height to 1 above it, with further properties."""
    return {
        "type": "circle",
        "x0": 0,
        "x1": 1,
        "y0": height,
        "y1": height + 1,
        "fillcolor": theme.PRIVATE,
        "line": {"width": 0},
        **properties,
    }


def chart_at(height: float) -> Chart:
    """Return a chart in which one trace and one shape are marked for the overlay."""
    marked_trace = trace(
        height, name="private", meta=theme.PINNED, hovertemplate="%{y}<extra>private</extra>"
    )
    figure = {
        "data": [trace(height, name="band"), marked_trace, trace(height, name="without")],
        "layout": {
            "title": {"text": f"At {height}"},
            "shapes": [circle(height, name=theme.PINNED), circle(height + 5)],
        },
    }
    return Chart(
        figure=figure, name="accuracy", alt=f"Accuracy {height}", clicks={"position": "spot"}
    )


def overlaid(chart: Chart, pinned: Chart) -> Chart:
    """Return a chart with the overlay of the pinned one."""
    ((result,),) = with_overlay([[chart]], [[pinned]])
    return result


class TestWhatIsOverlaid:
    @pytest.fixture
    def chart(self) -> Chart:
        """Return the chart at 1 with the overlay of the chart at 2."""
        return overlaid(chart_at(1), pinned=chart_at(2))

    def test_only_the_marked_trace_is_overlaid_below_the_present_one(self, chart):
        names_and_heights = []
        for drawn_trace in chart.figure["data"]:
            height, _ = drawn_trace["y"]
            names_and_heights.append((drawn_trace["name"], height))

        assert names_and_heights == [("band", 1), (NAME, 2), ("private", 1), ("without", 1)]

    def test_only_the_marked_shape_is_overlaid_below_the_present_ones(self, chart):
        heights = [shape["y0"] for shape in chart.figure["layout"]["shapes"]]

        assert heights == [2, 1, 6]

    def test_hovering_names_the_pinned_settings(self, chart):
        _, pinned_trace, *_ = chart.figure["data"]

        assert pinned_trace["hovertemplate"] == f"%{{y}}<extra>{NAME}</extra>"

    def test_title_and_description_are_those_of_the_present_chart(self, chart):
        assert chart.figure["layout"]["title"] == {"text": "At 1"}
        assert chart.alt == "Accuracy 1"

    def test_name_and_clicks_are_those_of_the_present_chart(self, chart):
        assert chart.name == "accuracy"
        assert chart.clicks == {"position": "spot"}

    def test_plotly_accepts_every_trace(self, chart):
        assert len(go.Figure(chart.figure).data) == 4

    def test_charts_in_the_cache_do_not_change(self):
        present = chart_at(1)
        pinned = chart_at(2)

        overlaid(present, pinned)

        assert present == chart_at(1)
        assert pinned == chart_at(2)


class TestWhatIsNotOverlaid:
    def test_a_shape_that_both_charts_have_is_drawn_once(self):
        chart = chart_at(1)

        shapes = overlaid(chart, pinned=chart).figure["layout"]["shapes"]

        assert shapes == chart.figure["layout"]["shapes"]

    @pytest.mark.parametrize(
        "pinned",
        [
            pytest.param([], id="no rows"),
            pytest.param([[]], id="an empty row"),
            pytest.param([[replace(chart_at(2), name="another")]], id="a chart of another name"),
        ],
    )
    def test_charts_that_are_not_pinned_stay_as_they_are(self, pinned):
        rows = [[chart_at(1), replace(chart_at(1), name="map", pair=True)]]

        assert with_overlay(rows, pinned) == rows

    def test_a_chart_without_marked_parts_stays_the_same_object(self):
        chart = replace(chart_at(1), figure={"data": [trace(1)], "layout": {}})

        assert overlaid(chart, pinned=chart) is chart


class TestOutline:
    """An overlay is an outline in the colour of what it stands for."""

    @pytest.fixture
    def chart(self) -> Chart:
        """Return the chart at 1 with the overlay of a filled trace and a filled circle."""
        marked_trace = trace(
            2,
            meta=theme.PINNED,
            fill="tozeroy",
            fillcolor="#eef",
            marker={"size": 9, "color": theme.PRIVATE},
        )
        figure = {"data": [marked_trace], "layout": {"shapes": [circle(2, name=theme.PINNED)]}}
        return overlaid(chart_at(1), pinned=replace(chart_at(2), figure=figure))

    @pytest.fixture
    def pinned_trace(self, chart) -> dict:
        """Return the only trace of the overlay."""
        (pinned_trace,) = [
            drawn_trace for drawn_trace in chart.figure["data"] if drawn_trace.get("name") == NAME
        ]
        return pinned_trace

    def test_the_line_is_dashed_in_its_colour(self, pinned_trace):
        assert pinned_trace["line"] == {**LINE, "dash": "dash"}

    def test_the_marker_is_hollow_in_its_colour(self, pinned_trace):
        assert pinned_trace["marker"] == {
            "size": 9,
            "color": theme.PRIVATE,
            "symbol": "circle-open",
        }

    @pytest.mark.parametrize("name", ["fill", "fillcolor", "meta"])
    def test_the_trace_has_no_area_and_no_mark(self, pinned_trace, name):
        assert name not in pinned_trace

    def test_a_filled_shape_becomes_its_outline(self, chart):
        pinned_shape, *_ = chart.figure["layout"]["shapes"]

        assert "fillcolor" not in pinned_shape
        assert pinned_shape["line"] == {"color": theme.PRIVATE, "width": 1.5}
