"""What a screen reader hears of a figure."""

import numpy as np

from ui.plot import theme
from ui.plot.described import described


def curve(y, **more):
    return theme.line(np.arange(1, len(y) + 1), np.array(y), colour=theme.PRIVATE, name="DP  <b>83</b>", **more)


def test_title_axes_and_values_are_said():
    figure = theme.figure(
        curve([50.0, 83.0, 85.0]),
        title=theme.title("Accuracy", "2 points lower"),
        xaxis={"title": {"text": "epsilon"}},
        yaxis={"title": {"text": "accuracy, %"}},
    )
    assert described(figure) == (
        "Accuracy: 2 points lower. The axes are accuracy, % (vertical) and epsilon (horizontal). "
        "DP: 50 at 1, 83 at 2, 85 at 3."
    )


def test_a_note_in_a_chart_without_a_vertical_title_is_no_axis():
    note = theme.word("bound 0.5", x=0.5, y=0.5)
    figure = theme.figure(curve([7.0, 7.0]), xaxis={"title": {"text": "epsilon"}}, annotations=[note])
    assert described(figure) == "epsilon. DP: 7. bound 0.5."


def test_a_constant_line_has_one_value():
    assert described(theme.figure(curve([7.0, 7.0]))) == "DP: 7."


def test_a_long_line_is_sampled_with_both_ends():
    said = described(theme.figure(curve([float(n * n) for n in range(200)])))
    assert said.startswith("DP: 0 at 1, ")
    assert said.endswith("39,600 at 200.")
    assert said.count(" at ") == 7


def test_lines_out_of_the_legend_and_bundles_of_runs_have_no_values():
    bundle = curve([1.0, np.nan, 2.0])
    assert described(theme.figure(curve([1.0, 2.0], showlegend=False), bundle)) == "DP."
    assert described(theme.figure(curve([np.nan, np.nan]))) == ""


def test_bars_are_said_by_name():
    upright = {"type": "bar", "name": "with you", "x": ["A", "B"], "y": [87, 12]}
    lying = {"type": "bar", "name": "with you", "y": ["A", "B"], "x": [87, 12], "orientation": "h"}
    for bars in (upright, lying):
        assert described(theme.figure(bars)) == "with you: 87 at A, 12 at B."
