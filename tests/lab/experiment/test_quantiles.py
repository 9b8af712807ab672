"""Quantiles of the repeats, against those of numpy to the last bit."""

import itertools

import numpy as np
import pytest

from lab.experiment.settings import QUANTILES, quantiles_of

every_size = pytest.mark.parametrize(
    ("rows", "dtype"), [*itertools.product((1, 2, 3, 20, 24, 99), (np.float64, np.float32))]
)


def drawn(rows, dtype):
    """Return numbers (3, rows, 2) of one size, the first third of them with ties."""
    random = np.random.default_rng(rows)
    scale = 10.0 ** random.uniform(-5, 5)
    values = (scale * random.normal(size=(3, rows, 2))).astype(dtype)
    values[0] = values[0].round()
    return values


@every_size
@pytest.mark.parametrize("axis", [-2, 1])
def test_quantiles_along_an_axis_are_those_of_numpy(rows, dtype, axis):
    values = drawn(rows, dtype)

    expected = np.quantile(values, QUANTILES, axis=axis)
    np.testing.assert_array_equal(quantiles_of(values, axis=axis), expected)


@every_size
def test_quantiles_of_one_list_are_those_of_numpy(rows, dtype):
    values = drawn(rows, dtype)[1, :, 0]

    np.testing.assert_array_equal(quantiles_of(values), np.quantile(values, QUANTILES))


@every_size
def test_a_missing_number_makes_all_quantiles_missing(rows, dtype):
    values = drawn(rows, dtype)[1, :, 0]
    values[rows // 2] = np.nan

    assert np.isnan(quantiles_of(values)).all()
