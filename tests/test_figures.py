"""Figures of the classifier draw what the result holds. That Plotly accepts them holds in tests/test_pages.py."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from dpcore.estimators.recipes import EPSILONS
from lab.boundaries import FEW, boundaries, drawn, votes
from pages.classifier import figures as classifier
from pages.classifier.experiment import ClassifierSettings
from ui.plot import maps, theme


@pytest.fixture(scope="module", params=[{}, {"dataset": "digits", "public_rows": 0}, {"version": "none"}])
def result(request):
    return ClassifierSettings(repeats=5, steps=6, **request.param).run()


def numbers(spec):
    flat = np.frombuffer(base64.b64decode(spec["bdata"]), {"f4": np.float32, "u1": np.uint8}[spec["dtype"]])
    return flat.reshape([int(size) for size in spec["shape"].split(",")]) if "shape" in spec else flat


@pytest.mark.parametrize(
    "values", [np.arange(6.0), np.arange(6, dtype=np.uint8).reshape(2, 3), np.array([np.nan, 1.0])]
)
def test_arrays_survive_the_way(values):
    assert np.array_equal(numbers(theme.array(values)), values.astype(np.float32), equal_nan=True)


def test_the_curve_shows_the_medians_of_the_table(result):
    table = result.table()
    lines = [trace for trace in classifier.accuracy(result)["data"] if trace["mode"] == "lines+markers"]
    for column, trace in zip(("without", "with"), lines, strict=False):
        assert numbers(trace["x"]) == pytest.approx(EPSILONS)
        assert numbers(trace["y"]) == pytest.approx(table[column].to_numpy(dtype=float), rel=1e-6)


def test_the_loss_drawn_is_the_loss_downloaded(result):
    curves, lines, count = result.loss_curves(), classifier.loss(result)["data"], len(result.references)
    traces = zip(result.settings.arms, lines[1 : 2 * count : 2], lines[-count:], strict=True)
    for arm, (name, trace, plain) in enumerate(traces):
        median = np.median(result.focus.loss[arm], axis=0)
        np.testing.assert_allclose(numbers(plain["y"]), result.references[name].loss, rtol=1e-5)
        np.testing.assert_allclose(numbers(trace["y"]), median, rtol=1e-5)
        np.testing.assert_allclose(curves[curves["arm"] == name]["median"], median, rtol=1e-5)


def test_the_map_draws_every_boundary(result):
    shape = classifier.regions(result, 0)["layout"]["shapes"][0]
    assert "opacity" not in shape  # its contrast, in test_palette.py, is that of an opaque line
    ends = np.array([float(number) for number in re.findall(r"[-+.e\d]+", shape["path"])]).reshape(-1, 2, 2)
    lines = result.plane.display(boundaries(shown(result), result.plane))
    np.testing.assert_allclose(ends, lines, rtol=1e-4, atol=1e-4)


def shown(result) -> np.ndarray:
    """The weights of the first arm's models on its map."""
    runs, accuracy = result.focus.weights[0], result.focus.accuracy[0]
    if result.split.n_classes <= FEW:
        return runs
    (kept,) = runs[drawn(accuracy, result.split.n_classes)]
    middle = np.flatnonzero((runs == kept).all(axis=(1, 2)))
    assert np.abs(accuracy[middle] - np.median(accuracy)) == np.abs(accuracy - np.median(accuracy)).min()
    return kept[None]


def test_a_boundary_that_is_not_in_the_plane_is_not_drawn(result):
    assert not maps.boundary(result.plane, np.empty((0, 2, 2)), colour="#000000", width=1)["visible"]


def test_the_map_colours_what_the_ensemble_decides(result):
    winner, _ = votes(shown(result), result.plane)
    source = classifier.regions(result, 0)["layout"]["images"][0]["source"]
    with Image.open(io.BytesIO(base64.b64decode(source.split(",")[1]))) as picture:
        codes = np.asarray(picture)[::-1]
        palette = picture.getpalette()
    assert np.array_equal(codes // maps.SHADES, winner)
    first = maps.SHADES * winner[0, 0] + maps.SHADES - 1
    assert "#" + bytes(palette[3 * first : 3 * first + 3]).hex() == theme.CLASSES[winner[0, 0]]
