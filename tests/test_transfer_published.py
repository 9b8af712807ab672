"""The published table by the loop as it was, and what its numbers are."""

import numpy as np
import pytest

from dpcore.streams import stream
from pages.transfer import published
from pages.transfer.published import PUBLISHED, Row, fits


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


@pytest.mark.parametrize(("rows", "penalty"), [(5, 0.1), (15, 0.0), (25, 1.0)])
def test_the_batch_is_the_plain_loop_with_any_lambda_and_q(rows, penalty):
    found, generator = fits(rows, runs=3, seed=7, penalty=penalty), stream(7, "noise", rows)
    noise = np.array([generator.laplace(size=(3, 2)) for _ in range(50)])
    for run in range(3):
        a, b = plain_loop(rows, epochs=50, noise=noise[:, run], penalty=penalty)
        np.testing.assert_allclose([*found.a[run], found.b[run]], [*a, b], rtol=1e-10)
        mean = np.mean([(sum(a) * i + b - 2 * i - 1) ** 2 for i in range(1, rows + 1)])
        assert found.printed("1")[run] == pytest.approx(mean + penalty * (abs(a[0]) + abs(a[1])))
        assert found.printed("2")[run] == pytest.approx(mean + penalty * (a[0] ** 2 + a[1] ** 2))
    for epochs in (1, 160):  # without noise there is a shortcut
        found = fits(rows, epochs=epochs, noisy=False, penalty=penalty)
        a, b = plain_loop(rows, epochs=epochs, noise=np.zeros((epochs, 2)), penalty=penalty)
        np.testing.assert_allclose([*found.a[0], found.b[0]], [*a, b], rtol=1e-9)


def test_what_the_table_says_of_more_passes_is_so():
    for penalty, q in ((0.1, "1"), (0.0, "1"), (1.0, "1"), (1.0, "2")):
        done = published.result({row: row.run() for row in published.tasks(penalty, q)}, penalty=penalty, q=q)
        frame = done.frame()
        least = frame.loc[~frame["noisy"], "value"].min()
        twenty = frame.loc[frame["noisy"] & (frame["migrated"] == 20), "value"].iloc[0]
        assert done.passes_suffice == (least <= twenty)
        assert done.as_published == ((penalty, q) == (0.1, "1"))


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_it_is_training_error_and_penalty_and_no_other_reading(migrated):
    found, rows, published = Row(migrated=migrated).run(), 5 + migrated, PUBLISHED[migrated]
    assert found["value"] == pytest.approx(published, abs=0.05)
    assert fits(rows, runs=4000, seed=1).printed().mean() == pytest.approx(published, abs=0.002)
    # The noise is of scale 0 in the first epoch and read off the fit later: without any the table is the same.
    assert fits(rows, noisy=False).printed()[0] == pytest.approx(published, abs=0.002)
    one, x = fits(rows), np.arange(1, rows + 1)
    mean = np.square(one.a.sum(axis=1)[:, None] * x + one.b[:, None] - (2 * x + 1)).mean()
    value = mean + 0.1 * np.abs(one.a).sum(axis=1).mean()
    names = ("training MSE", "training SSE", "value")
    assert [found[name] for name in names] == pytest.approx([mean, rows * mean, value])
    assert min(abs(found[name] - published) for name in ("training SSE", "held-out MSE", "training MSE")) > 0.04
