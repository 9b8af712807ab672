"""Numbers are written in one way, and deltas are rounded up."""

import math

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.privacy import delta_rounded_up
from lab.label import label
from pages.accounting.charts import number as number_of_accounting
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.numbers import number, tick_text

USUAL = [
    (0.0, "0"),
    (0.00012345, "0.000123"),
    (0.99951, "1"),
    (999.4, "999"),
    (999.5, "1,000"),
    (99_949.0, "99,900"),
    (999_400_000.0, "999,000,000"),
    (999_600_000.0, "1e+9"),
    (-2000.0, "−2,000"),
    (-0.0, "0"),
    (-1e-5, "−1e-5"),
    (-0.5, "−0.5"),
    (-1e9, "−1e+9"),
    (math.inf, "unlimited"),
    (-math.inf, "none"),
    (math.nan, "none"),
]


class TestThreeDigits:
    """A number has three digits up to each edge, and powers of ten only where digits end."""

    @pytest.mark.parametrize("write", [tiles.number, number], ids=["tiles", "texts"])
    @pytest.mark.parametrize(("value", "text"), USUAL)
    def test_numbers_of_tiles_and_texts_have_three_digits(self, write, value, text):
        assert write(value) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [(999.7, "1,000"), (999_400.0, "999,000"), (999_600.0, "1e+6"), (math.nan, "…")],
    )
    def test_numbers_of_accounting_have_three_digits(self, value, text):
        assert number_of_accounting(value) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (999.4, "999"),
            (999.7, "1,000"),
            (12_000, "12,000"),
            (1e-5, "1e-5"),
            (-2000, "−2,000"),
            (-0.0, "0"),
        ],
    )
    def test_numbers_of_a_label_have_three_digits(self, value, text):
        assert label.number(value) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [(-2000.0, "−2,000"), (-0.0, "0"), (-1e-5, "−1e-5"), (1e-5, "10<sup>-5</sup>")],
    )
    def test_numbers_of_a_tick_have_three_digits(self, value, text):
        assert tick_text(value) == text


@pytest.mark.parametrize(
    ("text", "value"), [("−2,000", -2000.0), ("−1.5\u00a0%", -1.5), ("below 1", None)]
)
def test_a_number_of_a_tile_is_read_back(text, value):
    assert tiles.shown_number(text) == value


@pytest.mark.parametrize(
    ("factor", "text"), [("1", "about"), ("1.01", "1.01 times"), ("…", "… times")]
)
def test_a_factor_near_1_is_written_as_about_as_much(factor, text):
    assert tiles.multiple_text(factor) == text


class TestDelta:
    @pytest.mark.parametrize("digits", [1, 2, 3, 6])
    def test_a_shown_delta_is_never_smaller_and_hardly_larger(self, digits):
        exponents = np.random.default_rng(digits).uniform(-15, 0, 2000)
        one_digit_more = 10.0 ** (1 - digits)
        rounding_error = 1e-11

        for delta in 10**exponents:
            shown_delta = float(delta_text(delta, digits=digits))
            assert shown_delta >= delta * (1 - rounding_error)
            assert shown_delta <= delta * (1 + one_digit_more)

    @pytest.mark.parametrize(
        ("delta", "text"),
        [
            pytest.param(9.991e-6, "1e-5", id="rounded up"),
            pytest.param(3 * 1e-5, "3e-5", id="with a rounding error"),
            pytest.param(0.0, "0", id="none"),
            pytest.param(0.9999999, "1", id="nearly 1"),
            pytest.param(1.0, "1", id="1"),
        ],
    )
    def test_a_delta_of_few_digits_is_shown_as_it_is(self, delta, text):
        assert delta_text(delta, digits=3) == text

    @pytest.mark.parametrize("delta", [-1e-9, 1.001, math.nan])
    def test_a_delta_out_of_range_is_refused(self, delta):
        with pytest.raises(RefusedError, match=r"^delta is "):
            delta_rounded_up(delta, digits=3)
