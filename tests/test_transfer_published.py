"""The published table by the loop as it was, and what its numbers are."""

import numpy as np
import pytest

from dpcore.streams import stream
from pages.transfer import published
from pages.transfer.published import CONTROLS, PUBLISHED, Row, fits


def plain_loop(rows, *, epochs, noise, penalty=0.1):
    """One run: numbers in lists, one row and one coefficient at a time. ``noise``: two draws of scale 1 an epoch."""
    x, y = [[float(i), float(i)] for i in range(1, rows + 1)], [2.0 * i + 1 for i in range(1, rows + 1)]
    a, b = [0.0, 0.0], 0.0
    for epoch in range(epochs):
        grad_a, grad_b = [0.0, 0.0], 0.0
        scale = sum(a) / len(a)
        for j in range(2):
            grad_a[j] += scale * noise[epoch][j]
        for i in range(rows):
            base = a[0] * x[i][0] + a[1] * x[i][1] + b - y[i]
            for j in range(2):
                grad_a[j] = (grad_a[j] + 2 * base * x[i][j] + penalty * a[j]) / rows
            grad_b = (grad_b + 2 * base) / rows
            for j in range(2):
                a[j] -= 1e-4 * grad_a[j]
            b -= 1e-4 * grad_b
    return a, b


@pytest.mark.parametrize("rows", [5, 15, 25])
def test_the_batch_is_the_plain_loop(rows):
    found, generator = fits(rows, runs=4, seed=7), stream(7, "noise", rows)
    noise = np.array([generator.laplace(size=(4, 2)) for _ in range(50)])
    for run in range(4):
        a, b = plain_loop(rows, epochs=50, noise=noise[:, run])
        np.testing.assert_allclose(found.a[run], a, rtol=1e-10)
        np.testing.assert_allclose(found.b[run], b, rtol=1e-10)


@pytest.mark.parametrize("epochs", [1, 50, 160])
def test_the_quiet_shortcut_is_the_plain_loop(epochs):
    found = fits(5, epochs=epochs, noisy=False)
    a, b = plain_loop(5, epochs=epochs, noise=np.zeros((epochs, 2)))
    np.testing.assert_allclose([*found.a[0], found.b[0]], [*a, b], rtol=1e-9)


@pytest.mark.parametrize("penalty", [0.0, 0.04, 1.0])
def test_lambda_and_q_are_free(penalty):
    found, generator = fits(10, runs=1, seed=7, penalty=penalty), stream(7, "noise", 10)
    a, b = plain_loop(10, epochs=50, noise=generator.laplace(size=(50, 1, 2))[:, 0], penalty=penalty)
    np.testing.assert_allclose([*found.a[0], found.b[0]], [*a, b], rtol=1e-10)
    mean = np.mean([(sum(a) * i + b - 2 * i - 1) ** 2 for i in range(1, 11)])
    assert found.printed("1")[0] == pytest.approx(mean + penalty * (abs(a[0]) + abs(a[1])))
    assert found.printed("2")[0] == pytest.approx(mean + penalty * (a[0] ** 2 + a[1] ** 2))


def test_what_the_table_says_of_more_passes_is_so():
    for penalty, q in ((0.1, "1"), (0.0, "1"), (1.0, "1"), (1.0, "2")):
        done = published.result({row: row.run() for row in published.tasks(penalty, q)}, penalty=penalty, q=q)
        frame = done.frame()
        least = frame.loc[~frame["noisy"], "value"].min()
        twenty = frame.loc[frame["noisy"] & (frame["migrated"] == 20), "value"].iloc[0]
        assert done.passes_suffice == (least <= twenty)
        assert done.as_published == ((penalty, q) == (0.1, "1"))


@pytest.mark.parametrize("migrated", PUBLISHED)
class TestTable:
    def test_a_hundred_runs_come_within_a_twentieth(self, migrated):
        for seed in range(3):
            assert fits(5 + migrated, runs=100, seed=seed).printed().mean() == pytest.approx(
                PUBLISHED[migrated], abs=0.05
            )

    def test_many_runs_come_within_two_thousandths(self, migrated):
        assert fits(5 + migrated, runs=4000, seed=1).printed().mean() == pytest.approx(PUBLISHED[migrated], abs=0.002)

    def test_what_is_printed_is_training_error_and_penalty(self, migrated):
        found, rows = Row(migrated=migrated).run(), 5 + migrated
        one = fits(rows)
        x = np.arange(1, rows + 1)
        mean = np.square(one.a[:, :1] * x + one.a[:, 1:] * x + one.b[:, None] - (2 * x + 1)).mean()
        assert found["training MSE"] == pytest.approx(mean)
        assert found["training SSE"] == pytest.approx(rows * mean)
        assert found["value"] == pytest.approx(mean + 0.1 * np.abs(one.a).sum(axis=1).mean())

    def test_other_readings_do_not_give_it(self, migrated):
        found = Row(migrated=migrated).run()
        for name in ("training SSE", "held-out MSE", "training MSE"):
            assert abs(found[name] - PUBLISHED[migrated]) > 0.04


def test_errors_of_the_same_fits():
    """Sums of squares, and mean squares at x = 1, ..., 5, which every fit has seen."""
    found = [fits(rows, runs=1000) for rows in (5, 10, 15, 20, 25)]
    sums = [one.training.sum(axis=1).mean() for one in found]
    near = [one.squares(np.arange(1, 6)).mean() for one in found]
    assert sums == pytest.approx([170.6, 330.1, 164.1, 33.9, 7.6], abs=0.06)
    assert near == pytest.approx([34.1, 12.1, 3.14, 1.06, 0.70], abs=0.06)


def test_more_passes_over_five_rows_do_better_than_twenty_more_rows():
    rows = {row.epochs: row.run() for row in published.tasks() if not row.noisy}
    assert tuple(rows) == CONTROLS
    assert rows[500]["training MSE"] == pytest.approx(0.416, abs=0.001)
    assert rows[5000]["training MSE"] == pytest.approx(0.054, abs=0.001)
    twenty = Row(migrated=20).run()
    assert rows[500]["held-out MSE"] < twenty["held-out MSE"]
    assert rows[5000]["training MSE"] < 0.2 * twenty["training MSE"]


def test_its_noise_hardly_enters():
    """The scale is 0 in the first epoch and read off the fit later: without any noise the table is the same."""
    for migrated, value in PUBLISHED.items():
        assert fits(5 + migrated, noisy=False).printed()[0] == pytest.approx(value, abs=0.002)


def test_a_partial_table():
    frame = published.result({}).frame()
    assert len(frame) == len(PUBLISHED) + len(CONTROLS)
    assert frame["value"].isna().all()
    assert published.result({}).passes_suffice is None
    assert frame["published"].dropna().tolist() == list(PUBLISHED.values())
