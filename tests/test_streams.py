"""Streams: what one purpose, repeat or step draws never shifts another."""

import numpy as np
import pytest
from scipy import stats

from dpcore import check, streams
from dpcore.cache import CACHE


def drawn(indices, *, steps, shape=(2, 3), seed=1, dtype=np.float64):
    return np.stack(list(streams.normal_steps(seed, "noise", indices, steps=steps, shape=shape, dtype=dtype)))


def test_steps_are_the_draws_of_each_stream_in_order():
    found = drawn([4, 0, 9], steps=7)
    for row, index in enumerate([4, 0, 9]):
        generator = streams.stream(1, "noise", index)
        for step in range(7):
            np.testing.assert_array_equal(found[step, row], generator.standard_normal((2, 3)))


def test_more_steps_and_more_streams_keep_the_earlier_draws():
    few, many = drawn([0, 1], steps=5), drawn([1, 2, 0], steps=9)
    np.testing.assert_array_equal(few, many[:5, [2, 0]])
    assert drawn([], steps=3).shape == (3, 0, 2, 3)


@pytest.mark.parametrize("size", [1, 200, 1000])
def test_the_size_of_a_block_changes_nothing(size, monkeypatch):
    whole = drawn(range(3), steps=10)
    monkeypatch.setattr(streams, "_BLOCK_BYTES", size)
    CACHE.forget()
    np.testing.assert_array_equal(drawn(range(3), steps=10), whole)


def test_both_precisions_see_the_same_noise():
    np.testing.assert_array_equal(drawn([0, 1], steps=4, dtype=np.float32), drawn([0, 1], steps=4).astype(np.float32))


@pytest.mark.parametrize(("seed", "index", "part"), [(0, 0, 0), (7, 100_003, 2), (2**32 - 1, 5, 0), (2**40 + 3, 5, 1)])
def test_a_stream_is_numpys_own_of_its_four_numbers(seed, index, part):
    own = np.random.default_rng(np.random.SeedSequence([seed, 3, index, part]))
    np.testing.assert_array_equal(streams.stream(seed, "audit", index, part).random(4), own.random(4))


@pytest.mark.parametrize("key", [(2, "noise", 0), (1, "data", 0), (1, "audit", 0), (1, "split", 0), (1, "noise", 1)])
def test_seed_purpose_and_index_each_give_another_stream(key):
    draws = [streams.stream(*k).standard_normal(2000) for k in ((1, "noise", 0), key)]
    assert abs(stats.pearsonr(*draws).statistic) < 0.08


def test_noise_is_standard_normal():
    assert stats.kstest(drawn(range(50), steps=40).ravel(), stats.norm.cdf).pvalue > 1e-3


def test_every_bit_of_a_seed_of_128_counts():
    seed = 0x0123456789ABCDEF_FEDCBA9876543210
    seen = {streams.stream(seed ^ flipped, "noise").bytes(16) for flipped in [0, *(1 << bit for bit in range(128))]}
    assert len(seen) == 129


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"purpose": "tea"}, "purpose"),
        ({"index": -1}, "index"),
        ({"index": 0.5}, "index"),
        ({"part": -1}, "part"),
    ],
    ids=str,
)
def test_bad_keys_are_refused_by_name(changes, name):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        streams.stream(**{"seed": 1, "purpose": "noise"} | changes)
    for indices in ([0, 0.5], [-1], ["a"]):
        with pytest.raises(check.RefusedError, match="^indices is "):
            drawn(indices, steps=1)
