"""Random streams are numpy's own, independent, and the same in blocks of any size."""

from typing import get_args

import numpy as np
import pytest

from dpcore import check, streams
from dpcore.cache import CACHE

LONG_SEED = 0x0123456789ABCDEF_FEDCBA9876543210
INDICES = (4, 0, 9)


def noise(indices, *, steps: int, dtype=np.float64) -> np.ndarray:
    """Return the noise of all steps, (steps, streams, 2, 3)."""
    steps_of_noise = streams.normal_steps(
        1, "noise", indices, steps=steps, shape=(2, 3), dtype=dtype
    )
    return np.stack(list(steps_of_noise))


def by_stream(steps: int) -> np.ndarray:
    """Return the same, one stream after the other."""
    draws = []
    for index in INDICES:
        draws.append(streams.stream(1, "noise", index).standard_normal((steps, 2, 3)))
    return np.stack(draws, axis=1)


@pytest.mark.parametrize("size", [1, 200, 1000, streams._BLOCK_BYTES])
@pytest.mark.parametrize("steps", [7, 10])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_steps_are_the_draws_of_each_stream_in_blocks_of_any_size(steps, size, dtype, monkeypatch):
    monkeypatch.setattr(streams, "_BLOCK_BYTES", size)
    CACHE.forget()

    drawn = noise(INDICES, steps=steps, dtype=dtype)

    np.testing.assert_array_equal(drawn, by_stream(steps).astype(dtype))


def test_no_stream_has_steps_without_noise():
    assert noise([], steps=3).shape == (3, 0, 2, 3)


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**40 + 3, LONG_SEED])
@pytest.mark.parametrize(("index", "part"), [(0, 0), (100_003, 2), (5, 1)])
@pytest.mark.parametrize(("number", "purpose"), [*enumerate(get_args(streams.Purpose))])
def test_a_stream_is_numpys_own_of_its_four_numbers(seed, number, purpose, index, part):
    sequence = np.random.SeedSequence([seed, number, index, part])

    draws = streams.stream(seed, purpose, index, part).random(4)

    np.testing.assert_array_equal(draws, np.random.default_rng(sequence).random(4))


def test_seeds_and_indices_give_independent_streams():
    keys = [(LONG_SEED, 0), (LONG_SEED, 1)]
    for bit in range(128):
        keys.append((LONG_SEED ^ (1 << bit), 0))

    draws = [streams.stream(seed, "noise", index).standard_normal(2000) for seed, index in keys]

    assert np.abs(np.corrcoef(draws) - np.eye(130)).max() < 0.12


@pytest.mark.parametrize(
    ("name", "call"),
    [
        pytest.param("seed", lambda: streams.stream(-1, "noise"), id="a negative seed"),
        pytest.param("seed", lambda: streams.stream(1.5, "noise"), id="a fraction as seed"),
        pytest.param("seed", lambda: streams.stream(True, "noise"), id="a truth value as seed"),
        pytest.param("purpose", lambda: streams.stream(1, "tea"), id="an unknown purpose"),
        pytest.param("index", lambda: streams.stream(1, "noise", -1), id="a negative index"),
        pytest.param("index", lambda: streams.stream(1, "noise", 0.5), id="a fraction as index"),
        pytest.param("part", lambda: streams.stream(1, "noise", part=-1), id="a negative part"),
        pytest.param("indices", lambda: noise([0, 0.5], steps=1), id="a fraction among indices"),
        pytest.param("indices", lambda: noise([-1], steps=1), id="a negative one among indices"),
        pytest.param("indices", lambda: noise(["a"], steps=1), id="a word among indices"),
    ],
)
def test_bad_arguments_are_refused_by_name(name, call):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        call()
