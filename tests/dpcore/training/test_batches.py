"""Batches: Poisson samples have their law, shuffles take each row once, and any piece of them is
that piece of the whole.
"""

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.training import batches
from dpcore.training.batches import BLOCK


def membership(drawn, *, rows: int) -> np.ndarray:
    """Return who is in the batches of each step, (steps, R, rows), from row numbers (R, W)."""
    of_steps = []
    for members in drawn:
        # The last place counts those that pad a batch.
        counts = np.zeros((len(members), rows + 1), dtype=int)
        streams = np.arange(len(members))[:, None]
        np.add.at(counts, (streams, members), 1)
        assert counts[:, :-1].max(initial=0) <= 1, "a row is twice in a batch"
        of_steps.append(counts[:, :-1])
    return np.array(of_steps)


def poisson(*, indices=(0,), rows=30, rate=0.2, first=0, last=BLOCK, seed=1) -> np.ndarray:
    """Return who is in the Poisson sample of each step before ``last``, (steps, R, rows)."""
    drawn = batches.poisson(seed, indices, rows=rows, rate=rate, first=first, last=last)
    return membership(drawn, rows=rows)


def shuffled(*, indices=(0,), rows=30, size=7, first=0, last=BLOCK, seed=1) -> np.ndarray:
    """Return who is in the shuffled batch of each step before ``last``, (steps, R, rows)."""
    drawn = batches.shuffled(seed, indices, rows=rows, size=size, first=first, last=last)
    return membership(drawn, rows=rows)


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5, 0.97])
def test_sizes_of_poisson_samples_are_binomial(rate):
    rows = 40
    law = stats.binom(rows, rate)
    # The tails are one cell each.
    low, high = law.ppf([0.002, 0.998])
    sizes = np.arange(low, high + 1)
    expected = law.pmf(sizes)
    expected[0] = law.cdf(low)
    expected[-1] = law.sf(high - 1)

    drawn = poisson(indices=range(40), rows=rows, rate=rate, last=4 * BLOCK).sum(axis=2).ravel()

    observed, _ = np.histogram(np.clip(drawn, low, high), bins=[*sizes, high + 1])
    assert len(drawn) == 8000
    assert stats.chisquare(observed, 8000 * expected / expected.sum()).pvalue > 1e-3


RATES = pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])


@RATES
def test_no_place_of_a_block_is_favoured(rate):
    is_member = poisson(indices=range(2000), rows=6, rate=rate)

    sd = np.sqrt(rate * (1 - rate) / 2000)
    assert np.abs(is_member.mean(axis=1) - rate).max() < 4.5 * sd


@RATES
def test_rows_steps_and_streams_are_uncorrelated(rate):
    is_member = poisson(indices=range(2000), rows=6, rate=rate)

    # (10 steps, 2000, 6 rows) to (2000, 60).
    cells = is_member[:10].swapaxes(0, 1).reshape(2000, 60)
    between_cells = np.corrcoef(cells.T) - np.eye(60)
    between_streams = np.corrcoef(cells[:-1].ravel(), cells[1:].ravel())[0, 1]
    assert np.abs(between_cells).max() < 5 / np.sqrt(2000)
    assert abs(between_streams) < 4 / np.sqrt(120_000)


def test_a_sample_at_rate_one_has_all_rows():
    assert (poisson(rate=1.0) == 1).all()


@pytest.mark.parametrize("rate", [1e-9, 1e-18, 1e-300])
def test_a_sample_at_a_tiny_rate_has_no_row(rate):
    assert (poisson(rate=rate, indices=range(20)) == 0).all()


def test_samples_near_rates_zero_and_one_have_as_many_and_lack_as_many_rows():
    few = poisson(rate=1e-3, indices=range(500))
    most = poisson(rate=1 - 1e-3, indices=range(500))

    assert few.sum() == pytest.approx(750, abs=4 * np.sqrt(750))
    assert (1 - most).sum() == pytest.approx(750, abs=4 * np.sqrt(750))


KINDS = pytest.mark.parametrize("draw", [poisson, shuffled])


@KINDS
@pytest.mark.parametrize(("first", "last"), [(0, 51), (49, 51), (50, 100), (129, 130), (13, 13)])
def test_batches_of_some_steps_are_those_of_the_whole_run(draw, first, last):
    whole = draw(indices=(3, 0, 8), last=130)

    piece = draw(indices=(3, 0, 8), first=first, last=last)

    assert whole.shape == (130, 3, 30)
    np.testing.assert_array_equal(piece.reshape(-1, 3, 30), whole[first:last])


@KINDS
class TestOwnBatches:
    """Each block, seed and stream has batches of its own."""

    STREAMS = (3, 0, 8)

    @pytest.fixture
    def whole(self, draw):
        """The batches of three streams in 130 steps, (130, 3, rows)."""
        return draw(indices=self.STREAMS, last=130)

    def test_each_block_has_batches_of_its_own(self, draw, whole):
        first_block = whole[:BLOCK]
        second_block = whole[BLOCK : 2 * BLOCK]

        assert (first_block != second_block).any()

    def test_each_seed_has_batches_of_its_own(self, draw, whole):
        of_another_seed = draw(indices=self.STREAMS, last=130, seed=2)

        assert (of_another_seed != whole).any()

    def test_each_stream_has_batches_of_its_own(self, draw, whole):
        first, second, _ = whole.swapaxes(0, 1)

        assert (first != second).any()

    def test_a_stream_has_the_same_batches_beside_any_other_streams(self, draw, whole):
        of_8_and_3 = draw(indices=(8, 3), last=130)

        np.testing.assert_array_equal(of_8_and_3, whole[:, [2, 0]])


@pytest.mark.parametrize(
    ("rows", "size"), [(30, 7), (30, 10), (30, 30), (30, 16), (5, 1), (200, 64)]
)
def test_a_shuffled_epoch_takes_each_row_once(rows, size):
    batches_per_epoch = rows // size

    is_member = shuffled(indices=range(20), rows=rows, size=size, last=3 * batches_per_epoch)

    epochs = is_member.reshape(3, batches_per_epoch, 20, rows).sum(axis=1)
    assert (is_member.sum(axis=2) == size).all()
    assert epochs.max() == 1
    assert (epochs.sum(axis=2) == batches_per_epoch * size).all()


@pytest.mark.parametrize(("rows", "size"), [(30, 7), (30, 10), (30, 16), (5, 1), (200, 64)])
def test_each_epoch_has_an_order_of_its_own(rows, size):
    batches_per_epoch = rows // size

    is_member = shuffled(indices=range(20), rows=rows, size=size, last=2 * batches_per_epoch)

    assert (is_member[:batches_per_epoch] != is_member[batches_per_epoch:]).any()


def test_a_shuffle_favours_no_row_and_no_place():
    is_member = shuffled(indices=range(1000), rows=9, size=2, last=8)

    sd = np.sqrt(2 / 9 * 7 / 9 / 1000)
    assert np.abs(is_member.mean(axis=1) - 2 / 9).max() < 4.5 * sd


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, np.nan])
def test_impossible_rates_are_refused(rate):
    with pytest.raises(check.RefusedError, match="^rate is "):
        poisson(rate=rate)


@pytest.mark.parametrize("size", [0, 31, 2.5])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(check.RefusedError, match="^size is "):
        shuffled(size=size)
