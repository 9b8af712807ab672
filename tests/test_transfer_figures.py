"""The transfer page's pictures show the result."""

import numpy as np
import pytest
from test_figures import numbers

from pages.transfer import figures
from pages.transfer.experiment import TransferSettings
from pages.transfer.work import CANDIDATES, EPSILONS

SMALL = {"target_rows": 200, "dimension": 5, "repeats": 6}
CASES = [
    {"selection": "detected", "noise": "laplace"},
    {"q": 0.1, "difference": 4.0, "sources": 12},
    {"difference": 0.0, "epsilon": 50.0},
    {"h": 0.02, "difference": 4.0, "epsilon": 0.05},
]


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request):
    return TransferSettings(**(SMALL | request.param)).run()


def test_the_curve_shows_the_medians(result):
    lines = [trace for trace in figures.over_epsilon(result)["data"] if trace.get("name")][1:]
    for place, (name, trace) in enumerate(zip(CANDIDATES, lines, strict=True)):
        shown = figures.theme.key(figures.STYLES[name][0], figures.risk(result.summary()[name].median))
        assert trace["name"].replace("\u2007", "") == shown
        assert numbers(trace["x"]) == pytest.approx(EPSILONS)
        assert numbers(trace["y"]) == pytest.approx(np.median(result.over_epsilon.runs[place], axis=1), rel=1e-5)


def test_the_walk_draws_every_repeat(result):
    shapes = figures.walk(result)["layout"]["shapes"]
    assert sum("xanchor" in shape for shape in shapes) == 2 * result.settings.repeats  # the dot at the end of each
    paths = [shape["path"] for shape in shapes if shape["type"] == "path"]
    assert paths[1].count("M") == paths[3].count("M") == result.settings.repeats


def test_sources_right_of_the_line_are_not_transferable(result):
    figure = figures.sources(result)
    line = next(shape for shape in figure["layout"]["shapes"] if shape["type"] == "line")
    assert line["x0"] == result.settings.h
    inside = [colour == figures.theme.PUBLIC for colour in figure["data"][0]["marker"]["line"]["color"]]
    assert inside == (result.sources()["norm"] <= result.settings.h).tolist()


@pytest.mark.parametrize(("dimension", "rows"), [(500, 200), (20, 1000)])
def test_the_words_of_two_lines_do_not_cross(dimension, rows):
    """With more coefficients than rows, least squares is about as good as nothing at all."""
    result = TransferSettings(dimension=dimension, target_rows=rows, repeats=2).run()
    words = {one["text"]: one for one in figures.over_epsilon(result)["layout"]["annotations"]}
    height = 0.35  # of a word, in decades of the picture's axis
    ends = [
        (word["y"], word["y"] + height) if word["yanchor"] == "bottom" else (word["y"] - height, word["y"])
        for word in (words[figures._NOTHING[False]], words[figures.WITHOUT[0]])
    ]
    assert min(high for _, high in ends) <= max(low for low, _ in ends)


def test_a_contrast_by_a_tiny_q_is_a_finite_number():
    result = TransferSettings(dimension=50, repeats=2, q=0.001).run()
    assert np.isfinite(result.sources()["norm"]).all()
    assert "inf" not in str(figures.sources(result)["layout"])
