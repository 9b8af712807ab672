"""Numbers in words: at the edges of their formats, and never a delta below the true one."""

import math

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.privacy import delta_rounded_up
from lab import label
from pages.accounting.figures import number as of_accounting
from pages.transfer.figures import error
from ui import panels
from ui.plot import theme


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.00012345, "0.000123"),
        (0.99951, "1"),
        (999.4, "999"),
        (999.5, "1,000"),
        (999.96, "1,000"),
        (1004.9, "1,000"),
        (99_949.0, "99,900"),
        (207_106_960.0, "207,000,000"),
        (999_400_000.0, "999,000,000"),
        (999_600_000.0, "1e+9"),
        (1.3949e65, "1.39e+65"),
        (math.inf, "unlimited"),
        (-math.inf, "none"),
        (math.nan, "none"),
    ],
)
def test_a_number_has_three_digits_up_to_each_edge(value: float, shown: str):
    assert panels.number(value) == theme.number(value) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (of_accounting, {999.7: "1,000", 999_400.0: "999,000", 999_600.0: "1e+6", math.nan: "…"}),
        (error, {999.7: "1,000", 123_456.0: "123,000", math.nan: "…"}),
        (label.number, {999.4: "999", 999.7: "1,000", 12_000: "12,000", 1e-5: "1e-5"}),
    ],
    ids=["accounting", "transfer", "label"],
)
def test_a_page_writes_powers_of_ten_only_where_digits_end(written, shown: dict[float, str]):
    assert {value: written(value) for value in shown} == shown


@pytest.mark.parametrize(
    ("shown", "said"), [("1", "about"), ("1.01", "1.01 times"), ("0", "0 times"), ("…", "… times")]
)
def test_a_ratio_is_never_1_times(shown: str, said: str):
    assert panels.multiple(shown) == said


@pytest.mark.parametrize("digits", [1, 2, 3, 6])
def test_a_delta_as_shown_is_never_smaller_than_it_is(digits: int):
    for delta in 10 ** np.random.default_rng(digits).uniform(-15, 0, 2000):
        shown = float(theme.delta(delta, digits=digits))
        assert delta * (1 - 1e-11) <= shown <= delta * (1 + 10.0 ** (1 - digits))


@pytest.mark.parametrize(
    ("delta", "digits", "shown"),
    [
        (0.0001022, 1, "0.0002"),
        (0.0001022, 2, "0.00011"),
        (0.0001022, 3, "0.000103"),
        (9.991e-6, 3, "1e-5"),
        (3 * 1e-5, 6, "3e-5"),  # a rounding error above
        (1e-5, 2, "1e-5"),
        (0.0, 2, "0"),
        (0.9991, 3, "1"),
        (1.0, 6, "1"),
    ],
)
def test_a_delta_rounds_up(delta: float, digits: int, shown: str):
    assert theme.delta(delta, digits=digits) == shown


@pytest.mark.parametrize("delta", [-1e-9, 1.001, math.nan])
def test_what_is_no_delta_is_refused(delta: float):
    with pytest.raises(RefusedError, match=r"^delta is "):
        delta_rounded_up(delta, digits=3)
