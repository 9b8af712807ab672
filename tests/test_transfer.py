"""Transfer: contrasts and their norms, the sources' fit, detection and what it costs; and the published table."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check, transfer
from dpcore.accountants import zcdp
from dpcore.privacy import Adjacency, GaussianRelease
from dpcore.streams import stream
from pages.transfer.published import PUBLISHED, Row, fits

SIZE = {"rows": 50, "dimension": 20, "sources": 6, "difference": 1.5, "source_rows": 40}


def data(**changes):
    return transfer.problem(**({"seed": 1} | SIZE | changes))


class TestProblem:
    def test_norms_are_what_they_are_called(self):
        contrasts = np.array([[3.0, 0, -4.0], [0, 0, 0], [1.0, 1.0, 1.0]])
        assert transfer.norm_q(contrasts, 1) == pytest.approx([7, 0, 3])
        assert transfer.norm_q(contrasts, 0) == pytest.approx([2, 0, 3])
        assert transfer.norm_q(contrasts, 0.5) == pytest.approx([(3**0.5 + 2) ** 2, 0, 9])
        assert np.isfinite(transfer.norm_q(np.full((1, 50), 0.1), 0.05)).all()
        with pytest.raises(check.RefusedError, match="^q is 2"):
            transfer.norm_q(contrasts, 2)

    def test_the_first_source_is_the_farthest_and_all_point_one_way(self):
        found = data()
        norms = transfer.norm_q(found.contrasts, 1)
        assert norms[0] == pytest.approx(1.5)
        assert (norms[1:] < 1.5).all()
        assert (found.contrasts @ found.contrasts.T > 0).all()
        assert transfer.norm_q(found.contrasts, 0).tolist() == list(transfer.WIDTHS)
        assert np.abs(found.beta).sum() == pytest.approx(transfer.RADIUS)
        # The bound on an entry that the settings declare for q = 0.
        assert np.abs(found.contrasts).max() <= 1.5 / transfer.NARROWEST

    def test_more_rows_and_sources_leave_the_others(self):
        few, many = data(), data(rows=70, sources=9, source_rows=60)
        np.testing.assert_array_equal(few.X, many.X[:50])
        np.testing.assert_allclose(few.y, many.y[:50], atol=1e-14)
        np.testing.assert_array_equal(few.contrasts, many.contrasts[:6])
        for (X, y), (more, labels) in zip(few.sources, many.sources, strict=False):
            np.testing.assert_array_equal(X, more[:40])
            np.testing.assert_allclose(y, labels[:40], atol=1e-14)

    def test_rows_follow_their_laws_and_excess_risk_is_that_of_fresh_rows(self):
        found, rng = data(rows=4000, source_rows=4000), np.random.default_rng(0)
        beyond = zip(found.sources, found.ranges, found.contrasts, strict=True)
        for (X, y), (low, high), contrast in [((found.X, found.y), (-1, 1), 0), *beyond]:
            assert -1 <= low < -0.5 < 0.5 < high <= 1
            assert stats.kstest(X.ravel(), stats.uniform(low, high - low).cdf).pvalue > 1e-3
            residual = y - X @ (found.beta - contrast)
            assert stats.kstest(residual, stats.norm(0, transfer.LABEL_SD).cdf).pvalue > 1e-3
        w, X = rng.normal(size=20), rng.uniform(-1, 1, (400_000, 20))
        assert found.risk(w) == pytest.approx(np.square(X @ (w - found.beta)).mean(), rel=0.01)

    def test_the_fit_is_least_squares_on_the_kept_rows(self):
        found = data()
        kept = np.array([[1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]], bool)
        fitted = transfer.statistics(found, 30).fit(kept)
        X, y = (np.concatenate([found.sources[k][part][:30] for k in (0, 2)]) for part in (0, 1))
        ridge = np.linalg.lstsq(np.vstack([X, np.eye(20)]), np.append(y, np.zeros(20)), rcond=None)[0]
        np.testing.assert_allclose(fitted[0], ridge, atol=1e-10)
        np.testing.assert_allclose(fitted[1], 0)


class TestDetection:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("d", [1, 3, 5])
    def test_no_neighbour_moves_the_losses_further_and_some_do_as_far(self, d, adjacency):
        rng, n, bound, worst = np.random.default_rng(d), 6, 0.7, 0.0
        claim = transfer.loss_sensitivity(4, residual_bound=bound, rows=n)
        for trial in range(400):
            X, y = rng.uniform(-1, 1, (n, d)), rng.normal(size=n)
            candidates = rng.normal(size=(4, d))
            other = rng.uniform(-1, 1, d), rng.normal()
            if trial % 4 == 0:  # a row that no candidate misses, and one that all miss
                X[-1], y[-1], other = 0, 0, (rng.uniform(-1, 1, d), 100.0)
            with_other = np.vstack([X[:-1], other[0]]), np.append(y[:-1], other[1])
            before = transfer.clipped_losses(X, y, candidates, residual_bound=bound)
            after = transfer.clipped_losses(*with_other, candidates, residual_bound=bound)
            if adjacency is Adjacency.ADD_REMOVE:  # the row is not there, the denominator stays
                before = transfer.clipped_losses(X[:-1], y[:-1], candidates, residual_bound=bound) * (n - 1) / n
            worst = max(worst, float(np.linalg.norm(after - before)))
        assert worst <= claim * (1 + 1e-12)
        assert worst == pytest.approx(claim)

    def test_noise_is_what_is_paid_for_and_what_cannot_be_told_from_the_best_is_kept(self):
        found, rho = data(rows=400), 0.5
        each = transfer.statistics(found, 40).each
        seen = transfer.detect(found, each, rho=rho, seed=2, draws=range(500), part=4)
        assert seen.sd == pytest.approx(math.sqrt(7) * transfer.RESIDUAL_BOUND**2 / (2 * 400) / math.sqrt(2 * rho))
        noise = (seen.noisy - seen.losses) / seen.sd
        assert stats.kstest(noise.ravel(), stats.norm.cdf).pvalue > 1e-3
        assert np.abs(np.corrcoef(noise.T) - np.eye(7)).max() < 0.2
        assert zcdp.rho_of_event(GaussianRelease(noise_multiplier=transfer.noise_multiplier(rho))) == pytest.approx(rho)
        best = seen.noisy[:, 1:].min(axis=1, keepdims=True)
        rule = (seen.noisy[:, 1:] <= best + 2 * seen.sd + 0.002) & (seen.noisy[:, 1:] < seen.noisy[:, :1])
        np.testing.assert_array_equal(seen.kept, rule)
        assert seen.kept.any(axis=1).mean() > 0.9


def plain_loop(rows, *, noise, penalty):
    """One run, a row at a time. ``noise``: two draws of scale 1 an epoch."""
    a, b = np.zeros(2), 0.0
    for drawn in noise:
        grad_a, grad_b = a.mean() * drawn, 0.0
        for i in range(1, rows + 1):
            base = a.sum() * i + b - (2 * i + 1)
            grad_a, grad_b = (grad_a + 2 * base * i + penalty * a) / rows, (grad_b + 2 * base) / rows
            a, b = a - 1e-4 * grad_a, b - 1e-4 * grad_b
    return a, b


@pytest.mark.parametrize(("rows", "penalty"), [(5, 0.1), (15, 0.0), (25, 1.0)])
def test_the_batch_is_the_plain_loop_with_any_lambda_and_q(rows, penalty):
    found, generator = fits(rows, runs=3, seed=7, penalty=penalty), stream(7, "noise", rows)
    noise = np.array([generator.laplace(size=(3, 2)) for _ in range(50)])
    for run in range(3):
        a, b = plain_loop(rows, noise=noise[:, run], penalty=penalty)
        np.testing.assert_allclose([*found.a[run], found.b[run]], [*a, b], rtol=1e-10)
        mean = np.mean([(sum(a) * i + b - 2 * i - 1) ** 2 for i in range(1, rows + 1)])
        assert found.printed("1")[run] == pytest.approx(mean + penalty * (abs(a[0]) + abs(a[1])))
        assert found.printed("2")[run] == pytest.approx(mean + penalty * (a[0] ** 2 + a[1] ** 2))
    for epochs in (1, 160):  # without noise there is a shortcut
        found = fits(rows, epochs=epochs, noisy=False, penalty=penalty)
        a, b = plain_loop(rows, noise=np.zeros((epochs, 2)), penalty=penalty)
        np.testing.assert_allclose([*found.a[0], found.b[0]], [*a, b], rtol=1e-9)


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
