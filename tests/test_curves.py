"""Charts from the builders of ui/plot: what each draws, what it says on hover, and that Plotly accepts it."""

import base64
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from ui.plot import theme
from ui.plot.curves import Curve, Level, hover_text, over

X, SPREAD = np.array([0.1, 1.0, 10.0]), np.array([[60.0, 70, 80], [65, 75, 85], [70, 80, 90]])
EPSILON, ACCURACY = theme.epsilon_axis(0.01, 100), theme.axis("test accuracy, %", 0, 102)


def numbers(spec):
    return np.frombuffer(base64.b64decode(spec["bdata"]), np.float32)


def drawn(*curves, **how):
    figure = over(*curves, title=theme.title("Accuracy"), xaxis=EPSILON, yaxis=ACCURACY, **how)
    assert len(go.Figure(figure).data) == len(figure["data"])
    return figure


def test_a_curve_is_an_area_a_line_strokes_and_a_dot():
    what = {"value": "75 %", "x": X, "y": SPREAD, "at_now": SPREAD[:, 1], "runs": [74, 76], "ghost": True}
    figure = drawn(Curve(name="private", colour=theme.PRIVATE, **what), now=1.0)
    area, line = figure["data"]
    assert (area["fill"], area["showlegend"]) == ("toself", False)
    np.testing.assert_array_equal(numbers(line["y"]), SPREAD[1])
    assert (line["name"], line["meta"]) == ("private  <b>75 %</b>", theme.GHOST)
    rule, strokes, dot = figure["layout"]["shapes"]
    assert (rule["x0"], strokes["path"], dot["yanchor"]) == (1.0, "M1,74L9,74M1,76L9,76", 75)
    assert dot["name"] == theme.GHOST


def test_the_value_at_now_is_a_point_of_its_line_and_area():
    curve = Curve(name="private", colour=theme.PRIVATE, x=X, y=SPREAD, at_now=(50, 72, 90))
    area, line = drawn(curve, now=2.0)["data"]
    np.testing.assert_allclose(numbers(line["x"]), [0.1, 1, 2, 10], rtol=1e-6)
    np.testing.assert_array_equal(numbers(line["y"]), [65, 75, 72, 85])
    np.testing.assert_array_equal(numbers(area["y"]), [70, 80, 90, 90, 80, 50, 70, 60])
    np.testing.assert_array_equal(numbers(drawn(curve, now=1.0)["data"][1]["y"]), [65, 72, 85])
    beyond = drawn(replace(curve, at_now=(0, 500, 900), dotted=True), now=2.0)["layout"]["shapes"][-1]
    assert beyond["yanchor"] == 102  # on the frame's edge


@pytest.mark.parametrize(("axis", "height"), [(ACCURACY, 50.0), (theme.log_axis("error", 1, 100), np.log10(50))])
def test_a_level_is_named_where_it_lies(axis, height):
    figure = over(title=theme.title(""), xaxis=EPSILON, yaxis=axis, levels=[Level(y=50.0, name="chance")])
    assert figure["layout"]["shapes"][0]["y0"] == 50
    assert figure["layout"]["annotations"][-1]["y"] == pytest.approx(height)


def test_hover_texts_read_the_axes():
    texts = {
        "RMSE, thousand": "RMSE %{y:.4~g} thousand",
        "mean loss (nats, log scale)": "mean loss %{y:.4~g} nats",
        "% of runs": "%{y:.1f} % of runs",
    }
    for text, said in texts.items():
        assert hover_text("a", EPSILON, theme.axis(text, 1, 2)) == f"epsilon %{{x}}: {said}<extra>a</extra>"
