"""What a source lets go: sensitivities by brute force, and noise in distribution. Its audits are in the audit table."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.parties import importance, sources
from dpcore.parties.objective import Objective
from dpcore.parties.sources import Budget, Part, Source
from dpcore.privacy import Adjacency
from dpcore.training import erm

# Many saturated rows hold the minimum far out along the first axis; there two rows pull with nearly all their length
# to opposite sides.
ROWS, LAMBDA, FAR = 20_000, 1e-4, np.tile([-1.0, 0.0], (50, 1))
HOW = {"regularisation": LAMBDA}


@pytest.mark.parametrize("what", ["hypothesis", "tilt"])
def test_the_worst_neighbours_come_near_the_bound_and_never_pass_it(what):
    """All rows lie on the first axis but one, of the other class, which is replaced by its mirror image."""
    X, y, moved = np.zeros((2, ROWS, 2)), np.ones((2, ROWS), int), []
    X[:, :, 0], y[:, 0] = 1.0, 0
    for cosine in np.linspace(0.1, 0.9, 9):
        side, sine = (cosine if what == "hypothesis" else -cosine), math.sqrt(1 - cosine**2)
        X[:, 0] = [[side, sine], [side, -sine]]
        if what == "hypothesis":
            found, bound = sources.hypotheses(X, y, **HOW), sources.hypothesis_sensitivity(ROWS, LAMBDA)
        else:
            found, bound = importance.tilts(X, FAR, **HOW), importance.sensitivity(ROWS, LAMBDA)
        moved.append(np.linalg.norm(np.subtract(*found)) / bound)
    assert 0.84 < max(moved) <= 1


@pytest.mark.parametrize("what", ["hypothesis", "tilt"])
def test_a_search_over_random_neighbours_stays_below(what):
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(60):
        n, m, d, strength = (int(v) for v in rng.integers([2, 1, 1, 0], [12, 12, 5, 4]))
        how, pair = {"regularisation": 10.0**-strength}, np.stack([rng.normal(size=(n, d))] * 2)
        pair[:, 0] = rng.normal(size=(2, d))
        pair /= np.maximum(np.linalg.norm(pair, axis=-1, keepdims=True), [[[1]] * n])
        if what == "hypothesis":
            y = np.stack([rng.integers(0, 2, n)] * 2)
            y[1, 0] = rng.integers(0, 2)
            found, bound = sources.hypotheses(pair, y, **how), sources.hypothesis_sensitivity(n, 10.0**-strength)
        else:
            public = rng.normal(size=(m, d)) / math.sqrt(d) / 3
            found, bound = importance.tilts(pair, public, **how), importance.sensitivity(n, 10.0**-strength)
        worst = max(worst, np.linalg.norm(found[0] - found[1]) / bound)
    assert 0.3 < worst <= 1


def test_importance_weights_are_a_ratio_of_densities():
    """Two Gaussians: the weights' logarithm is linear with the slope m / sd^2, and their mean is 1."""
    rng = np.random.default_rng(1)
    private, public = rng.normal(0.1, 0.2, size=(20_000, 1)), rng.normal(-0.1, 0.2, size=(20_000, 1))
    tilt = importance.tilts(private, public, regularisation=1e-6)
    assert tilt[0] == pytest.approx(0.2 / 0.04, rel=0.05)
    found = importance.weights(tilt, public)
    assert found.min() >= 0
    assert found.mean() == pytest.approx(1)
    assert np.average(public[:, 0], weights=found) == pytest.approx(private.mean(), abs=0.02)
    assert np.isfinite(importance.weights(np.array([1e5]), public)).all()


def parts(rng, n=40, d=4, names=None):
    X = rng.normal(size=(n, d))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)
    return Part(rows=np.arange(n) if names is None else names, X=X, y=rng.integers(0, 2, n))


def released(budget, repeats, *, d=6):
    rng = np.random.default_rng(2)
    both = [parts(rng, d=d) for _ in range(2)]
    two = [Source(labelled=one, unlabelled=dataclasses.replace(one, rows=one.rows + 100)) for one in both]
    fitted = sources.fit(two, rng.normal(size=(30, d)) / 10, lambda_lr=0.1, lambda_iw=0.05)
    wide = dataclasses.replace(fitted, hypotheses=fitted.hypotheses[:, None], tilts=fitted.tilts[:, None])
    noise = np.reshape([sources.draws(budget.noise, d, rng) for _ in range(4 * repeats)], (2, repeats, 2, d))
    return fitted, sources.release(wide, budget, noise)


def test_a_source_needs_labels_and_rows_in_the_unit_ball_that_no_two_parts_share():
    rng = np.random.default_rng(0)
    one, X = parts(rng), np.zeros((2, 2))
    Source(labelled=one, unlabelled=parts(rng, names=np.arange(40, 80)))
    for names, why in ((np.arange(39, 79), "1 rows"), (np.arange(40), "40 rows"), (np.full(40, 50), "rows")):
        with pytest.raises(check.RefusedError, match=why):  # nor may one part hold a row twice
            Source(labelled=one, unlabelled=parts(rng, names=names))
    with pytest.raises(check.RefusedError, match="unit ball"):
        Part(rows=np.arange(2), X=np.full((2, 2), 0.8))
    with pytest.raises(check.RefusedError, match="labels"):
        Source(labelled=Part(rows=np.arange(2), X=X), unlabelled=Part(rows=np.arange(2, 4), X=X))


class TestRelease:
    def test_norm_exponential_noise_in_distribution(self):
        budget, d = Budget(epsilon=0.7), 6
        fitted, releases = released(budget, 1500, d=d)
        for k, one in enumerate(releases):  # both cost a row epsilon once
            assert (one.guarantee.epsilon, one.guarantee.delta, one.guarantee.unit) == (0.7, 0, "record")
            assert one.guarantee.adjacency is Adjacency.REPLACE_ONE
            noises = one.hypothesis - fitted.hypotheses[k], one.tilt - fitted.tilts[k]
            for noise, sensitivity in zip(noises, (2 / (40 * 0.1), 2 / (40 * 0.05)), strict=True):
                length = np.linalg.norm(noise, axis=1)
                assert stats.kstest(length, stats.gamma(d, scale=sensitivity / 0.7).cdf).pvalue > 1e-3
                # the first coordinate of a uniform direction, squared, is Beta(1/2, (d - 1)/2)
                cosine = noise[:, 0] / length
                assert stats.kstest(cosine**2, stats.beta(0.5, (d - 1) / 2).cdf).pvalue > 1e-3
                assert noise.std() == pytest.approx(budget.coordinate_sd(sensitivity, dimension=d), rel=0.05)
        together = np.hstack([np.hstack([one.hypothesis, one.tilt]) for one in releases])
        cross = np.abs(np.corrcoef(together.T) - np.eye(4 * d))
        assert cross.max() < 0.12  # every source, and both of its releases, has noise of its own

    def test_gaussian_noise_has_the_exact_sd_and_without_noise_nothing_is_promised(self):
        budget = Budget(epsilon=1.5, noise="gaussian", delta=1e-4)
        fitted, releases = released(budget, 1500)
        sd = fitted.hypothesis_sensitivity / gdp.mu_of(1.5, delta=1e-4)
        noise = (releases[0].hypothesis - fitted.hypotheses[0]).ravel()
        assert stats.kstest(noise, stats.norm(scale=sd).cdf).pvalue > 1e-3
        assert budget.guarantee.delta == 1e-4
        fitted, releases = released(Budget(epsilon=math.inf), 1)
        assert releases[0].guarantee is None
        np.testing.assert_array_equal(releases[0].tilt[0], fitted.tilts[0])
        with pytest.raises(check.RefusedError):
            _ = Budget(epsilon=math.inf).guarantee


class TestObjective:
    """The density of the minimum can be written down: b = -n (mean gradient + (lambda + Delta) w), and a change of
    variables."""

    def log_density(self, W, X, y, *, strength, rate, public=None, count=None):
        """Up to a constant, at points W (m, d), for rows X (n, d); ``public`` rows are on the other side, and weigh as
        much as all of X. ``count``: by what b is divided in the objective, n if it is right."""
        n, d = X.shape
        s, z = 2 * y - 1, W @ X.T
        slope = -(s / (1 + np.exp(s * z))) @ X / n + strength * W
        hessian = np.einsum("mn,ni,nj->mij", 1 / (2 + np.exp(z) + np.exp(-z)), X, X) / n + strength * np.eye(d)
        if public is not None:
            z = W @ public.T
            slope = slope + 1 / (1 + np.exp(-z)) @ public / len(public)
            spread = 1 / (2 + np.exp(z) + np.exp(-z)) / len(public)
            hessian = hessian + np.einsum("mn,ni,nj->mij", spread, public, public)
        length = (count or n) * np.linalg.norm(slope, axis=1)
        return -rate * length / 2 + np.linalg.slogdet(hessian)[1]

    def worst(self, n, *, public=None, **how):
        """The largest log-ratio between the densities of neighbours found on a grid: rows on the unit circle."""
        radius, turn = np.meshgrid(np.geomspace(0.05, 60, 25), np.linspace(0, 2 * np.pi, 49))
        W = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)
        circle = [np.array([np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 17)[:-1]]
        worst = 0.0
        for others in (np.zeros(2), circle[2]):
            X, y = np.tile(others, (n, 1)), np.full(n, int(public is not None))
            densities = []
            for first in (np.zeros(2), *circle):  # a row of the other class is its mirror image
                X[0] = first
                densities.append(self.log_density(W, X, y, public=public, **how))
            worst = max(worst, np.ptp(np.array(densities), axis=0).max())
        return worst

    PUBLIC = np.array([[-1.0, 0.0], [0.6, 0.8], [0.0, -0.5]])

    @pytest.mark.parametrize(("n", "regularisation", "epsilon"), [(10, 0.1, 1.0), (20, 0.01, 0.3), (5, 0.05, 2.0)])
    def test_no_neighbours_are_told_apart_by_more_than_epsilon(self, n, regularisation, epsilon):
        made = Objective(rows=n, regularisation=regularisation, epsilon=epsilon)
        minimum = self.worst(n, strength=regularisation + made.extra, rate=2 / made.scale)
        tilt = self.worst(n, strength=made.strength, rate=2 / made.scale, public=self.PUBLIC)
        assert 0.45 * epsilon < minimum <= epsilon * (1 + 1e-9)
        assert 0.4 * epsilon < tilt <= epsilon * (1 + 1e-9)

    def test_leaving_out_the_change_of_volume_and_dividing_by_public_rows_are_caught(self):
        """The private rows' mean has weight 1, whatever the public ones number: b must be divided by n_D."""
        assert self.worst(3, strength=0.01, rate=0.5) > 1.5 * 0.5
        made = Objective(rows=10, regularisation=0.1, epsilon=1.0)
        assert self.worst(10, strength=made.strength, rate=2 / made.scale, public=self.PUBLIC, count=40) > 1.5

    def test_just_above_the_theorems_switch_noise_stays_bounded(self):
        """Where the price of volume takes nearly all of epsilon: more regularisation, not unbounded noise."""
        made = [Objective(rows=1000, regularisation=0.001, epsilon=epsilon) for epsilon in np.geomspace(0.05, 5, 400)]
        assert all(one.scale <= 4 / one.epsilon for one in made)
        extras = [one.extra for one in made]
        assert extras == sorted(extras, reverse=True)
        assert extras[-1] == 0 < extras[0]

    @pytest.mark.parametrize("what", ["minimum", "tilt"])
    def test_what_is_found_follows_that_density(self, what):
        rng, public = np.random.default_rng(4), np.array([[-1.0], [0.3]])
        X, y = rng.choice([-1.0, 0.5, 1.0], 12), rng.integers(0, 2, 12)
        made = Objective(rows=12, regularisation=0.2, epsilon=1.2)
        draws = np.array([sources.draws("objective", 1, rng) for _ in range(4000)])
        rows = np.broadcast_to(X[:, None], (4000, 12, 1))
        if what == "minimum":
            found, how = made.minimise(rows, np.broadcast_to(y, (4000, 12)), draws), {"strength": 0.2 + made.extra}
        else:
            found, how = made.tilt(rows, public, draws), {"strength": made.strength, "public": public}
            y = np.ones(12, int)
        grid = np.linspace(-40, 40, 40_001)
        density = np.exp(self.log_density(grid[:, None], X[:, None], y, rate=2 / made.scale, **how))
        cdf = np.cumsum(density) / density.sum()
        assert stats.kstest(found[:, 0], lambda w: np.interp(w, grid, cdf)).pvalue > 1e-3


def test_a_fit_that_does_not_get_there_is_not_released(monkeypatch):
    """All noise is made for ``erm.TOLERANCE``: after one step a fit is not there."""
    rng = np.random.default_rng(2)
    X, y, draws = rng.uniform(-0.5, 0.5, size=(50, 3)), rng.integers(0, 2, 50), np.ones(3)
    how, made = {"regularisation": 1e-3}, Objective(rows=50, regularisation=1e-3, epsilon=1.0)
    fits = [partial(sources.hypotheses, X, y, **how), partial(importance.tilts, X, X[:9], **how)]
    fits += [partial(made.minimise, X, y, draws), partial(made.tilt, X, X[:9], draws)]
    assert all(np.isfinite(fit()).all() for fit in fits)
    monkeypatch.setattr(erm, "_STEPS", 1)
    for fit in fits:
        with pytest.raises(ArithmeticError, match="minimiser"):
            fit()
