"""A screen reader hears title, axes and values of a chart."""

import re

import numpy as np
import pytest

from ui.charts import theme
from ui.charts.alt_text import describe

X_AXIS = {"title": {"text": "epsilon"}}
Y_AXIS = {"title": {"text": "accuracy, %"}}


def line(heights: list[float], **options) -> dict:
    """Return a line at 1, 2, 3 and so on, which the legend calls "DP" with a value."""
    x = np.arange(1, len(heights) + 1)
    return theme.line(x, np.array(heights), colour=theme.PRIVATE, name="DP  <b>83</b>", **options)


def test_the_description_reads_title_axes_and_values_in_this_order():
    chart = theme.figure(
        line([50.0, 83.0, 85.0]),
        title="Accuracy",
        finding="2 points lower",
        xaxis=X_AXIS,
        yaxis=Y_AXIS,
    )

    assert describe(chart) == (
        "Accuracy: 2 points lower. The axes are accuracy, % (vertical) and epsilon (horizontal). "
        "DP: 50 at 1, 83 at 2, 85 at 3."
    )


def test_the_description_states_one_value_of_a_constant_line_and_leaves_out_notes():
    note = theme.annotation("bound 0.5", x=0.5, y=0.5)

    chart = theme.figure(line([7.0, 7.0]), xaxis=X_AXIS, annotations=[note])

    assert describe(chart) == "epsilon. DP: 7. bound 0.5."


def test_the_description_samples_a_long_line_with_both_ends():
    squares = [float(number**2) for number in range(200)]

    sentence = describe(theme.figure(line(squares)))

    assert re.fullmatch(r"DP: 0 at 1, (.* at .*, ){5}39,600 at 200\.", sentence)


def test_the_description_states_no_values_of_a_bundle_of_runs():
    unlisted_run = line([1.0, 2.0], showlegend=False)
    runs = line([1.0, np.nan, 2.0])

    assert describe(theme.figure(unlisted_run, runs)) == "DP."


def test_the_description_leaves_out_a_line_without_points():
    assert describe(theme.figure(line([np.nan, np.nan]))) == ""


@pytest.mark.parametrize(
    "bars",
    [
        pytest.param({"x": ["A", "B"], "y": [87, 12]}, id="upright"),
        pytest.param({"y": ["A", "B"], "x": [87, 12], "orientation": "h"}, id="lying"),
    ],
)
def test_the_description_states_the_value_of_each_bar(bars):
    chart = theme.figure({"type": "bar", "name": "with you", **bars})

    assert describe(chart) == "with you: 87 at A, 12 at B."
