"""Charts of the planner: map, effects of parameters, and the curve."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from pages.what_if import charts, charts_effects, charts_map
from pages.what_if.result import WhatIfResult
from tests.pages.what_if.examples import question_about, result_with
from ui.charts import theme

SHADES = 64
LARGEST_CLIP_NORM = 0.5
SHOWN_SLIDERS = 7


# Map


def rising_accuracy(epsilon, clip_norm):
    """Return an accuracy from 0.5 to 0.9 that rises with epsilon and the clipping norm."""
    return 0.5 + 0.4 * np.tanh(epsilon * clip_norm / 3)


def map_result(only=lambda settings: True) -> WhatIfResult:
    """Return a result with that accuracy and a target of 70 %."""

    def runs(settings, count):
        """Return equal runs (count,) with the rising accuracy."""
        return np.full(count, rising_accuracy(settings.epsilon, settings.clip_norm))

    return result_with(question_about("classifier", target=70), runs, only=only)


@pytest.fixture(scope="module")
def complete() -> WhatIfResult:
    """Return the result of which all cells are done."""
    return map_result()


@pytest.fixture(scope="module")
def half() -> WhatIfResult:
    """Return the result of which the cells with a small clipping norm are missing."""
    return map_result(only=lambda settings: settings.clip_norm > LARGEST_CLIP_NORM)


def cell_pixels(result: WhatIfResult) -> np.ndarray:
    """Return the colour of the middle of each cell, (Y, X, RGBA), from below."""
    (image,) = charts_map.median_map(result)["layout"]["images"]
    _, _, encoded = image["source"].partition(",")
    picture = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA")
    pixels = np.asarray(picture)[::-1]
    height, width, _ = pixels.shape
    places = []
    for axis, size in zip(result.settings.axes, (width, height), strict=True):
        low, high = axis.ends
        shares = (axis.position(axis.values) - low) / (high - low)
        places.append((shares * size).astype(int).clip(0, size - 1))
    columns, rows = places
    return pixels[np.ix_(rows, columns)]


def expected_colours(result: WhatIfResult) -> np.ndarray:
    """Return the colour of each median of the map, (Y, X, RGB)."""
    low, high = result.map.colour_range
    shares = np.clip((result.map.map.medians - low) / (high - low), 0, 1)
    numbers = np.round((SHADES - 1) * shares).astype(int)
    colours = []
    for shade in theme.shades(SHADES):
        colours.append([int(shade[start : start + 2], 16) for start in (1, 3, 5)])
    return np.array(colours)[numbers]


def test_a_cell_has_the_colour_of_its_median(complete):
    pixels = cell_pixels(complete)

    assert (pixels[..., 3] == 255).all()
    np.testing.assert_array_equal(pixels[..., :3], expected_colours(complete))


def test_a_cell_is_blank_until_it_is_done(complete, half):
    done = ~np.isnan(half.map.map.medians)
    pixels = cell_pixels(half)

    assert 0 < done.sum() < done.size
    np.testing.assert_array_equal(pixels[..., 3], np.where(done, 255, 0))
    np.testing.assert_array_equal(pixels[done][:, :3], expected_colours(complete)[done])


def test_the_colour_scale_has_round_ends_that_do_not_depend_on_the_target(complete):
    assert complete.map.colour_range == pytest.approx((0.5, 0.9))


def test_the_title_of_the_map_names_the_ends_of_the_colour_scale(complete):
    title = charts_map.median_map(complete)["layout"]["title"]["text"]

    assert "dark 50 to light 90\u00a0%" in title


def test_the_colour_scale_stays_while_the_map_refines(complete, half):
    assert half.map.colour_range == complete.map.colour_range


def test_the_line_of_the_target_is_where_the_medians_are_at_the_target(complete):
    points = complete.map.target_line.reshape(-1, 2)

    assert len(points) > 0
    for log_epsilon, log_clip_norm in points:
        accuracy = rising_accuracy(10**log_epsilon, 10**log_clip_norm)
        assert accuracy == pytest.approx(0.7, abs=0.08)


# Effects of parameters


def test_only_sliders_with_an_effect_have_bars():
    question = question_about("classifier", question="people")
    result = result_with(
        question, lambda settings, count: np.full(count, min(1, 0.5 + 0.1 * settings.clip_norm))
    )

    points, *_ = charts_effects.effects(result)["data"]

    assert len(points["text"]) == 2
    assert all(text.startswith("Clipping norm") for text in points["hovertext"])


@pytest.fixture(scope="module")
def noisy() -> WhatIfResult:
    """Return a result in which epsilon alone has an effect, under noise."""
    random = np.random.default_rng(1)

    def runs(settings, count):
        """Return runs (count,) that are ten points better above epsilon 1, under noise."""
        return 0.8 + 0.1 * (settings.epsilon > 1) + 0.01 * random.standard_normal(count)

    return result_with(question_about("classifier"), runs)


def test_the_largest_effect_comes_first(noisy):
    assert next(iter(noisy.effects)) == "epsilon"


def test_an_effect_is_shown_of_epsilon_alone(noisy):
    shown = set()
    for slider, effects in noisy.effects.items():
        if any(effect.difference.shown for effect in effects):
            shown.add(slider)

    assert shown == {"epsilon"}


def test_bars_that_may_be_zero_are_pale(noisy):
    shown_boxes, pale_boxes, *_ = charts_effects.effects(noisy)["layout"]["shapes"]

    bars = sum(len(effects) for effects in list(noisy.effects.values())[:SHOWN_SLIDERS])
    assert shown_boxes["path"].count("Z") == 1
    assert pale_boxes["path"].count("Z") == bars - 1
    assert pale_boxes["fillcolor"] != shown_boxes["fillcolor"]


# Curve


def test_there_is_no_strip_along_a_parameter_that_may_help_or_harm():
    question = question_about("classifier", slider="clip_norm", target=80)
    result = result_with(
        question, lambda settings, count: np.full(count, 0.8 - abs(np.log(settings.clip_norm)) / 10)
    )

    shapes = charts.curve(result)["layout"]["shapes"]

    assert not [shape for shape in shapes if shape["type"] == "rect"]
