"""Curves over a parameter, with their value at the current one, and reference levels."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from lab.experiment.settings import Spread
from lab.statistics.claims import Case
from tests.ui.charts.test_topic_charts import numbers
from ui.charts import theme
from ui.charts.curves import Curve, Level, accuracy_chart, curve_chart, finding, quantile_curve
from ui.text.numbers import percent

EPSILON = theme.epsilon_axis(0.01, 100)
ACCURACY = theme.axis("test accuracy, %", 0, 102)
# At each epsilon the lower end, the median and the upper end of the runs.
LOW = [60.0, 70, 80]
MEDIAN = [65.0, 75, 85]
HIGH = [70.0, 80, 90]
# The same three at the current epsilon.
AT_CURRENT = (50, 72, 90)
PRIVATE_CURVE = Curve(
    name="private",
    colour=theme.PRIVATE,
    x=np.array([0.1, 1.0, 10.0]),
    y=np.array([LOW, MEDIAN, HIGH]),
    at_current=AT_CURRENT,
)
# Charts hold single precision.
SINGLE_PRECISION = 1e-6


def chart_of(curve: Curve, *, current: float) -> dict:
    """Return the figure of a curve over epsilon, after a check that Plotly accepts it."""
    figure = curve_chart(curve, title="Accuracy", xaxis=EPSILON, yaxis=ACCURACY, current=current)
    assert len(go.Figure(figure).data) == len(figure["data"])
    return figure


class TestValueAtCurrent:
    def test_the_value_at_the_current_setting_is_a_point_of_the_line(self):
        _, line = chart_of(PRIVATE_CURVE, current=2.0)["data"]

        np.testing.assert_allclose(numbers(line["x"]), [0.1, 1, 2, 10], rtol=SINGLE_PRECISION)
        np.testing.assert_array_equal(numbers(line["y"]), [65, 75, 72, 85])

    def test_the_current_setting_is_a_point_of_both_edges_of_the_band(self):
        band, _ = chart_of(PRIVATE_CURVE, current=2.0)["data"]

        upper_edge = [70, 80, 90, 90]
        lower_edge_backwards = [80, 50, 70, 60]
        np.testing.assert_array_equal(numbers(band["y"]), upper_edge + lower_edge_backwards)

    def test_the_current_value_replaces_a_point_at_the_same_place(self):
        _, line = chart_of(PRIVATE_CURVE, current=1.0)["data"]

        np.testing.assert_array_equal(numbers(line["y"]), [65, 72, 85])

    def test_the_dot_of_the_current_value_stays_in_the_frame_when_the_value_is_beyond_the_axis(
        self,
    ):
        _, top = ACCURACY["range"]
        curve = replace(PRIVATE_CURVE, at_current=(0, top + 400, top + 800), has_dot=True)

        *_, dot = chart_of(curve, current=2.0)["layout"]["shapes"]

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
    *_, name = figure["layout"]["annotations"]
    assert line["y0"] == 50
    assert name["y"] == pytest.approx(height)


FINDINGS = {
    "everywhere": "everywhere",
    "up_to": "up to {at:g}",
    "unshown": "not shown",
    "few": "too few runs",
}


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        pytest.param([Case.AHEAD, Case.AHEAD, Case.AHEAD], "everywhere", id="all"),
        pytest.param([Case.AHEAD, Case.AHEAD, Case.ALIKE], "up to 1", id="two"),
        pytest.param([Case.AHEAD, Case.ALIKE, Case.BEHIND], "up to 0.1", id="one"),
        pytest.param([Case.ALIKE, Case.ALIKE, Case.BEHIND], "not shown", id="none"),
        pytest.param([Case.FEW, Case.FEW, Case.FEW], "too few runs", id="few runs"),
        pytest.param([Case.ALIKE, Case.AHEAD, Case.AHEAD], "", id="no text"),
    ],
)
def test_a_sentence_says_for_which_values_of_the_slider_a_is_ahead(cases, text):
    assert finding(FINDINGS, cases, [0.1, 1, 10]) == text


class TestQuantileCurves:
    """One measured curve with its band, and one to compare with, without a band."""

    CURRENT = Spread(0.5, 0.6, 0.7)
    POINTS = np.array([0.1, 10.0]), np.array([[0.2, 0.4], [0.3, 0.5], [0.4, 0.6]])

    @pytest.fixture
    def measured(self) -> Curve:
        """Return the curve of private runs, with a band and two single runs."""
        return quantile_curve(
            "private", theme.PRIVATE, self.POINTS, self.CURRENT, band=True, strokes=[0.5, 0.7]
        )

    @pytest.fixture
    def compared(self) -> Curve:
        """Return the curve of public runs, without a band."""
        return quantile_curve("public", theme.PUBLIC, self.POINTS, self.CURRENT, band=False)

    def test_only_the_measured_curve_has_an_area(self, measured, compared):
        chart = accuracy_chart(measured, compared, current=1.0, xaxis=EPSILON, title="Accuracy")

        fills = [trace.get("fill") for trace in chart["data"]]
        assert fills == ["toself", None, None]

    def test_only_the_measured_curve_has_a_dot(self, measured, compared):
        assert measured.dot_shapes(1.0, ACCURACY)
        assert not compared.dot_shapes(1.0, ACCURACY)

    def test_the_legend_has_the_median_of_both(self, measured, compared):
        median = percent(self.CURRENT.median)

        assert measured.value == median
        assert compared.value == median

    def test_single_runs_are_drawn_in_percent(self, measured):
        assert list(measured.strokes) == [50, 70]
