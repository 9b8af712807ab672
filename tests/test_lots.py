"""Lots, Poisson samples as the theorem says and shuffled ones, and the streams that all randomness comes from."""

from typing import get_args

import numpy as np
import pytest
from scipy import stats

from dpcore import check, lots, streams
from dpcore.cache import CACHE
from dpcore.lots import BLOCK


def membership(drawn, *, rows) -> np.ndarray:
    """Lots (R, W) of each step -> who is in which (steps, R, rows); each row at most once, in rising or any order."""
    found = []
    for members in drawn:
        inside = np.zeros((len(members), rows + 1), dtype=int)
        np.add.at(inside, (np.arange(len(members))[:, None], members), 1)
        assert inside[:, :-1].max(initial=0) <= 1
        found.append(inside[:, :-1])
    return np.array(found)


def poisson(*, indices=(0,), rows=30, rate=0.2, first=0, last=BLOCK, seed=1) -> np.ndarray:
    drawn = lots.poisson(seed, indices, rows=rows, rate=rate, first=first, last=last)
    return membership(drawn, rows=rows)


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5, 0.97])
def test_sizes_are_binomial(rate):
    rows, sizes = 40, poisson(indices=range(40), rows=40, rate=rate, last=4 * BLOCK).sum(axis=2).ravel()
    assert len(sizes) == 8000
    low, high = stats.binom.ppf([0.002, 0.998], rows, rate)
    edges = np.arange(low, high + 1)  # the tails are one cell each
    observed = np.histogram(np.clip(sizes, low, high), bins=[*edges, high + 1])[0]
    expected = stats.binom.pmf(edges, rows, rate)
    expected[0], expected[-1] = stats.binom.cdf(low, rows, rate), stats.binom.sf(high - 1, rows, rate)
    assert stats.chisquare(observed, 8000 * expected / expected.sum()).pvalue > 1e-3


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_every_row_of_every_step_is_a_coin_of_its_own(rate):
    """No place of a block is favoured. Pairs of rows in one lot, of one row in two lots and of one cell in two streams
    are uncorrelated."""
    inside = poisson(indices=range(2000), rows=6, rate=rate)
    assert np.abs(inside.mean(axis=1) - rate).max() < 4.5 * np.sqrt(rate * (1 - rate) / 2000)
    cells = inside[:10].swapaxes(0, 1).reshape(2000, 60)
    assert np.abs(np.corrcoef(cells.T) - np.eye(60)).max() < 5 / np.sqrt(2000)
    assert abs(np.corrcoef(cells[:-1].ravel(), cells[1:].ravel())[0, 1]) < 4 / np.sqrt(120_000)


def test_all_rows_at_rate_one_and_hardly_any_at_tiny_rates():
    assert (poisson(rate=1.0) == 1).all()
    for rate in (1e-9, 1e-18, 1e-300):
        assert (poisson(rate=rate, indices=range(20)) == 0).all()
    few, most = (poisson(rate=rate, indices=range(500)) for rate in (1e-3, 1 - 1e-3))
    assert [few.sum(), (1 - most).sum()] == pytest.approx([750, 750], abs=4 * np.sqrt(750))


@pytest.mark.parametrize(
    ("draw", "options"), [(lots.poisson, {"rate": 0.2}), (lots.shuffled, {"size": 7})], ids=["poisson", "shuffled"]
)
def test_any_piece_is_that_piece_of_the_whole_and_each_stream_has_its_index(draw, options):
    def drawn(*, indices=(3, 0, 8), first=0, last=130, seed=1):
        return membership(draw(seed, indices, rows=30, **options, first=first, last=last), rows=30)

    whole = drawn()
    assert whole.shape == (130, 3, 30)
    assert (whole[:BLOCK] != whole[BLOCK : 2 * BLOCK]).any()
    for first, last in [(0, 51), (49, 51), (50, 100), (129, 130), (13, 13)]:
        piece = drawn(first=first, last=last)
        np.testing.assert_array_equal(piece.reshape(-1, 3, 30), whole[first:last])
    np.testing.assert_array_equal(drawn(indices=[8, 3]), whole[:, [2, 0]])
    assert (drawn(seed=2) != whole).any()
    assert (whole[:, 0] != whole[:, 1]).any()


@pytest.mark.parametrize(("rows", "size"), [(30, 7), (30, 10), (30, 30), (30, 16), (5, 1), (200, 64)])
def test_a_shuffled_epoch_takes_each_row_once(rows, size):
    each = rows // size
    inside = membership(lots.shuffled(1, range(20), rows=rows, size=size, first=0, last=3 * each), rows=rows)
    assert (inside.sum(axis=2) == size).all()
    epochs = inside.reshape(3, each, 20, rows).sum(axis=1)
    assert epochs.max() == 1
    assert (epochs.sum(axis=2) == each * size).all()
    if size < rows:
        assert (inside[:each] != inside[each : 2 * each]).any()  # the next epoch has an order of its own


def test_a_shuffle_favours_no_row_and_no_place():
    inside = membership(lots.shuffled(1, range(1000), rows=9, size=2, first=0, last=8), rows=9)
    assert np.abs(inside.mean(axis=1) - 2 / 9).max() < 4.5 * np.sqrt(2 / 9 * 7 / 9 / 1000)


def noise(indices, *, steps, shape=(2, 3), seed=1, dtype=np.float64):
    return np.stack(list(streams.normal_steps(seed, "noise", indices, steps=steps, shape=shape, dtype=dtype)))


class TestStreams:
    @pytest.mark.parametrize("size", [1, 200, 1000, streams._BLOCK_BYTES])
    @pytest.mark.parametrize("steps", [7, 10])
    def test_steps_are_the_draws_of_each_stream_in_order_in_blocks_of_any_size(self, steps, size, monkeypatch):
        monkeypatch.setattr(streams, "_BLOCK_BYTES", size)
        CACHE.forget()
        each = [streams.stream(1, "noise", index).standard_normal((steps, 2, 3)) for index in (4, 0, 9)]
        whole = np.stack(each, axis=1)
        np.testing.assert_array_equal(noise([4, 0, 9], steps=steps), whole)
        np.testing.assert_array_equal(noise([4, 0, 9], steps=steps, dtype=np.float32), whole.astype(np.float32))
        assert noise([], steps=3).shape == (3, 0, 2, 3)

    @pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**40 + 3, 0x0123456789ABCDEF_FEDCBA9876543210])
    @pytest.mark.parametrize(("index", "part"), [(0, 0), (100_003, 2), (5, 1)])
    def test_a_stream_is_numpys_own_of_its_four_numbers(self, seed, index, part):
        for number, purpose in enumerate(get_args(streams.Purpose)):
            own = np.random.default_rng(np.random.SeedSequence([seed, number, index, part]))
            np.testing.assert_array_equal(streams.stream(seed, purpose, index, part).random(4), own.random(4))

    def test_seeds_and_indices_give_independent_streams(self):
        seed = 0x0123456789ABCDEF_FEDCBA9876543210
        keys = [(seed ^ flipped, 0) for flipped in [0, *(1 << bit for bit in range(128))]] + [(seed, 1)]
        draws = [streams.stream(seed, "noise", index).standard_normal(2000) for seed, index in keys]
        assert np.abs(np.corrcoef(draws) - np.eye(130)).max() < 0.12


REFUSED = {
    "rate": (lambda value: poisson(rate=value), (0, -0.1, 1.01, np.nan)),
    "size": (lambda value: next(lots.shuffled(1, [0], rows=30, size=value, first=0, last=1)), (0, 31, 2.5)),
    "seed": (lambda value: streams.stream(value, "noise"), (-1, 1.5, True)),
    "purpose": (lambda value: streams.stream(1, value), ("tea",)),
    "index": (lambda value: streams.stream(1, "noise", value), (-1, 0.5)),
    "part": (lambda value: streams.stream(1, "noise", part=value), (-1,)),
    "indices": (lambda value: noise(value, steps=1), ([0, 0.5], [-1], ["a"])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_arguments_are_refused_by_name(name):
    call, values = REFUSED[name]
    for value in values:
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            call(value)
