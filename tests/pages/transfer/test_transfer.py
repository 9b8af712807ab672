"""Transfer: the problem, detection and its cost; the published table; what each candidate spends
and reaches.
"""

import math
from dataclasses import replace

import dp_accounting as dp
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from scipy import stats
from sklearn.linear_model import Lasso

from dpcore import check
from dpcore.accountants import account, zcdp
from dpcore.parties import source_detection
from dpcore.privacy import Adjacency, BoundedRangeRelease, PureRelease
from dpcore.regression import perturbation
from dpcore.regression.least_squares import Statistics
from dpcore.streams import stream
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball
from lab.data import transfer_worlds
from pages.transfer import baselines, charts, charts_sources
from pages.transfer.model import EPSILONS, MIGRATED
from pages.transfer.plane import POLYTOPES
from pages.transfer.printed_noise import printed_epsilon, printed_scale
from pages.transfer.published import PUBLISHED, TableRow, run_loop
from pages.transfer.settings import TransferSettings
from tests.ui.charts.test_topic_charts import numbers

SIZE = {"rows": 50, "dimension": 20, "sources": 6, "difference": 1.5}


def data(**changes):
    return transfer_worlds.problem(**({"seed": 1} | SIZE | changes))


class TestProblem:
    def test_norms_are_what_they_are_called(self):
        contrasts = np.array([[3.0, 0, -4.0], [0, 0, 0], [1.0, 1.0, 1.0]])
        assert transfer_worlds.norm_q(contrasts, 1) == pytest.approx([7, 0, 3])
        assert transfer_worlds.norm_q(contrasts, 0) == pytest.approx([2, 0, 3])
        assert transfer_worlds.norm_q(contrasts, 0.5) == pytest.approx([(3**0.5 + 2) ** 2, 0, 9])
        assert np.isfinite(transfer_worlds.norm_q(np.full((1, 50), 0.1), 0.05)).all()
        with pytest.raises(check.RefusedError, match="^q is 2"):
            transfer_worlds.norm_q(contrasts, 2)

    def test_the_first_source_is_the_farthest_and_all_point_one_way(self):
        found = data()
        norms = transfer_worlds.norm_q(found.contrasts, 1)
        assert norms[0] == pytest.approx(1.5)
        assert (norms[1:] < 1.5).all()
        assert (found.contrasts @ found.contrasts.T > 0).all()
        assert transfer_worlds.norm_q(found.contrasts, 0).tolist() == list(transfer_worlds.WIDTHS)
        assert np.abs(found.beta).sum() == pytest.approx(transfer_worlds.RADIUS)
        # The bound on an entry that the settings declare for q = 0.
        assert np.abs(found.contrasts).max() <= 1.5 / transfer_worlds.NARROWEST

    def test_more_rows_and_sources_leave_the_others(self):
        few, many = data(), data(rows=70, sources=9)
        np.testing.assert_array_equal(few.X, many.X[:50])
        np.testing.assert_allclose(few.y, many.y[:50], atol=1e-14)
        np.testing.assert_array_equal(few.contrasts, many.contrasts[:6])
        for source, same in zip(few.sources, many.sources, strict=False):
            (X, y), (more, labels) = source(40), same(60)
            np.testing.assert_array_equal(X, more[:40])
            np.testing.assert_allclose(y, labels[:40], atol=1e-14)

    def test_rows_follow_their_laws_and_excess_risk_is_that_of_fresh_rows(self):
        found, rng = data(rows=4000), np.random.default_rng(0)
        beyond = zip(
            (source(4000) for source in found.sources), found.ranges, found.contrasts, strict=True
        )
        for (X, y), (low, high), contrast in [((found.X, found.y), (-1, 1), 0), *beyond]:
            assert -1 <= low < -0.5 < 0.5 < high <= 1
            assert stats.kstest(X.ravel(), stats.uniform(low, high - low).cdf).pvalue > 1e-3
            residual = y - X @ (found.beta - contrast)
            assert stats.kstest(residual, stats.norm(0, transfer_worlds.LABEL_SD).cdf).pvalue > 1e-3
        w, X = rng.normal(size=20), rng.uniform(-1, 1, (400_000, 20))
        assert found.risk(w) == pytest.approx(np.square(X @ (w - found.beta)).mean(), rel=0.01)

    def test_the_fit_is_least_squares_on_the_kept_rows(self):
        found = data()
        kept = np.array([[1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]], bool)
        fitted = source_detection.source_statistics(found.sources, 30).fit(kept)
        X, y = (np.concatenate([found.sources[k](30)[part] for k in (0, 2)]) for part in (0, 1))
        ridge = np.linalg.lstsq(np.vstack([X, np.eye(20)]), np.append(y, np.zeros(20)), rcond=None)[
            0
        ]
        np.testing.assert_allclose(fitted[0], ridge, atol=1e-10)
        np.testing.assert_allclose(fitted[1], 0)


class TestDetection:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("d", [1, 3, 5])
    def test_no_neighbour_moves_the_losses_further_and_some_do_as_far(self, d, adjacency):
        rng, n, bound, worst = np.random.default_rng(d), 6, 0.7, 0.0
        claim = source_detection.loss_sensitivity(4, residual_bound=bound, rows=n)
        for trial in range(400):
            X, y = rng.uniform(-1, 1, (n, d)), rng.normal(size=n)
            candidates = rng.normal(size=(4, d))
            other = rng.uniform(-1, 1, d), rng.normal()
            if trial % 4 == 0:  # a row that no candidate misses, and one that all miss
                X[-1], y[-1], other = 0, 0, (rng.uniform(-1, 1, d), 100.0)
            with_other = np.vstack([X[:-1], other[0]]), np.append(y[:-1], other[1])
            before = source_detection.clipped_losses(X, y, candidates, residual_bound=bound)
            after = source_detection.clipped_losses(*with_other, candidates, residual_bound=bound)
            if adjacency is Adjacency.ADD_REMOVE:  # the row is not there, the denominator stays
                before = (
                    source_detection.clipped_losses(
                        X[:-1], y[:-1], candidates, residual_bound=bound
                    )
                    * (n - 1)
                    / n
                )
            worst = max(worst, float(np.linalg.norm(after - before)))
        assert worst <= claim * (1 + 1e-12)
        assert worst == pytest.approx(claim)

    def test_noise_is_what_is_paid_for_and_what_cannot_be_told_from_the_best_is_kept(self):
        found, rho = data(rows=400), 0.5
        each = source_detection.source_statistics(found.sources, 40).separate_weights
        seen = source_detection.detect(
            found.X, found.y, each, rho=rho, seed=2, draws=range(500), part=4
        )
        assert seen.sd == pytest.approx(
            math.sqrt(7) * source_detection.RESIDUAL_BOUND**2 / (2 * 400) / math.sqrt(2 * rho)
        )
        noise = (seen.noisy - seen.losses) / seen.sd
        assert stats.kstest(noise.ravel(), stats.norm.cdf).pvalue > 1e-3
        assert np.abs(np.corrcoef(noise.T) - np.eye(7)).max() < 0.2
        assert zcdp.rho_of_event(source_detection.event(rho)) == pytest.approx(rho)
        best = seen.noisy[:, 1:].min(axis=1, keepdims=True)
        rule = (seen.noisy[:, 1:] <= best + 2 * seen.sd + 0.002) & (
            seen.noisy[:, 1:] < seen.noisy[:, :1]
        )
        np.testing.assert_array_equal(seen.kept, rule)
        assert seen.kept.any(axis=1).mean() > 0.9


def plain_loop(rows, *, noise, penalty):
    """One run, a row at a time. ``noise``: two draws of scale 1 an epoch."""
    a, b = np.zeros(2), 0.0
    for drawn in noise:
        grad_a, grad_b = a.mean() * drawn, 0.0
        for i in range(1, rows + 1):
            base = a.sum() * i + b - (2 * i + 1)
            grad_a, grad_b = (
                (grad_a + 2 * base * i + penalty * a) / rows,
                (grad_b + 2 * base) / rows,
            )
            a, b = a - 1e-4 * grad_a, b - 1e-4 * grad_b
    return a, b


@pytest.mark.parametrize(("rows", "penalty"), [(5, 0.1), (15, 0.0), (25, 1.0)])
def test_the_batch_is_the_plain_loop_with_any_lambda_and_q(rows, penalty):
    found, generator = run_loop(rows, runs=3, seed=7, penalty=penalty), stream(7, "noise", rows)
    noise = np.array([generator.laplace(size=(3, 2)) for _ in range(50)])
    for run in range(3):
        a, b = plain_loop(rows, noise=noise[:, run], penalty=penalty)
        np.testing.assert_allclose([*found.a[run], found.b[run]], [*a, b], rtol=1e-10)
        mean = np.mean([(sum(a) * i + b - 2 * i - 1) ** 2 for i in range(1, rows + 1)])
        assert found.printed("1")[run] == pytest.approx(mean + penalty * (abs(a[0]) + abs(a[1])))
        assert found.printed("2")[run] == pytest.approx(mean + penalty * (a[0] ** 2 + a[1] ** 2))
    for epochs in (1, 160):  # without noise there is a shortcut
        found = run_loop(rows, epochs=epochs, noisy=False, penalty=penalty)
        a, b = plain_loop(rows, noise=np.zeros((epochs, 2)), penalty=penalty)
        np.testing.assert_allclose([*found.a[0], found.b[0]], [*a, b], rtol=1e-9)


@pytest.mark.parametrize("migrated", PUBLISHED)
def test_it_is_training_error_and_penalty_and_no_other_reading(migrated):
    found, rows, published = TableRow(migrated=migrated).run(), 5 + migrated, PUBLISHED[migrated]
    assert found["value"] == pytest.approx(published, abs=0.05)
    assert run_loop(rows, runs=4000, seed=1).printed().mean() == pytest.approx(published, abs=0.002)
    # The noise is of scale 0 in the first epoch and read off the fit later: without any the table
    # is the same.
    assert run_loop(rows, noisy=False).printed()[0] == pytest.approx(published, abs=0.002)
    one, x = run_loop(rows), np.arange(1, rows + 1)
    mean = np.square(one.a.sum(axis=1)[:, None] * x + one.b[:, None] - (2 * x + 1)).mean()
    value = mean + 0.1 * np.abs(one.a).sum(axis=1).mean()
    names = ("training MSE", "training SSE", "value")
    assert [found[name] for name in names] == pytest.approx([mean, rows * mean, value])
    assert (
        min(
            abs(found[name] - published)
            for name in ("training SSE", "held-out MSE", "training MSE")
        )
        > 0.04
    )


SMALL = TransferSettings(target_rows=300, dimension=8, repeats=6, epsilon=2.0, migrated=1000)


def essential(settings):
    return settings.experiment.gather(
        {task: task.run() for task in settings.experiment.tasks() if task.essential}
    )


class TestBudget:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("noise", ["gumbel", "laplace"])
    @pytest.mark.parametrize("selection", ["known", "detected"])
    def test_each_candidate_spends_epsilon_and_no_more(self, selection, noise, adjacency):
        settings = SMALL.change(
            selection=selection, noise=noise, adjacency=str(adjacency), epsilon=1.7
        )
        for held in map(settings.guarantee_of, ("target", "pooled", "transfer")):
            assert 1.7 * (1 - 1e-9) <= held.epsilon <= 1.7 + 1e-12
            assert held.adjacency is adjacency
        detection = settings.model.detection_guarantee(settings.epsilon)
        assert (detection is None) == (selection == "known")
        if selection == "detected":
            events = detection.event, settings.guarantee_of("transfer").event
            share = zcdp.rho_of_event(events[0]) / zcdp.rho_of_event(events[1])
            assert share == pytest.approx(settings.detection_share)

    @pytest.mark.parametrize("adjacency", Adjacency)
    def test_the_noise_is_that_of_the_event(self, adjacency):
        settings = SMALL.change(adjacency=str(adjacency), h=0.4)
        plans = settings.model.plans(2.0, 1000)
        moves = {Adjacency.REPLACE_ONE: 2, Adjacency.ADD_REMOVE: 1}[adjacency]
        for name, radius, rows in (
            ("target", 2.0, 300),
            ("pooled", 2.0, 300 + 996),
            ("transfer", 0.4, 300),
        ):
            own = plans[name]
            assert own.scale == pytest.approx(
                2 * moves * radius * source_detection.RESIDUAL_BOUND / rows / own.epsilon
            )
            assert own.event.event == BoundedRangeRelease(epsilon=own.epsilon)
        # Another seed is other data: the noise and the path's length do not look at private rows.
        assert plans == settings.change(seed=77).model.plans(2.0, 1000)

    def test_the_printed_scale_costs_more_than_its_nominal_epsilon(self):
        found = essential(SMALL.change(noise="printed", epsilon=1.0))
        own, held = found.plan("target"), found.settings.guarantee_of("target")
        printed = printed_scale(
            2.0, residual_bound=1.0, rows=300, epsilon=1.0, delta=1e-6, steps=own.steps
        )
        assert own.scale == pytest.approx(printed)
        assert isinstance(own.event.event, PureRelease)
        optimal = account(own.event, delta=1e-6, adjacency=Adjacency.REPLACE_ONE, accountant="pld")
        assert found.advanced("target").epsilon > 2.0 > held.epsilon > 1.5
        assert held.epsilon >= optimal.epsilon > 1.4


@pytest.fixture(scope="module", params=["known", "detected"])
def result(request):
    return SMALL.change(
        selection=request.param, migrated=MIGRATED[5], epsilon=EPSILONS[4]
    ).experiment.run()


class TestCandidates:
    def test_a_picture_shows_the_medians_and_which_sources_transfer(self, result):
        lines = [trace for trace in charts.over_epsilon(result)["data"] if trace.get("name")][1:]
        for trace, runs in zip(lines, result.over_epsilon.runs, strict=True):
            assert numbers(trace["y"]) == pytest.approx(np.median(runs, axis=1), rel=1e-5)
        (dots, *_), shapes = (
            charts_sources.sources(result)["data"],
            charts_sources.sources(result)["layout"]["shapes"],
        )
        assert next(shape for shape in shapes if shape["type"] == "line")["x0"] == result.settings.h
        inside = [colour == charts.theme.PUBLIC for colour in dots["marker"]["line"]["color"]]
        assert inside == (result.sources()["norm"] <= result.settings.h).tolist()

    def test_today_is_a_point_of_the_curves_and_the_engine_on_the_candidates_rows(self, result):
        settings, problem, today = result.settings, result.problem, result.fits.risk
        np.testing.assert_allclose(
            result.over_epsilon.runs[:, EPSILONS.index(settings.epsilon)], today, rtol=1e-4
        )
        np.testing.assert_allclose(result.over_migrated.runs[:, 5], today, rtol=1e-4)
        own, ball = result.plan("target"), L1Ball(dimension=8, radius=2.0)
        options = {"steps": own.steps, "scale": own.scale, "residual_bound": 1.0, "draws": range(6)}
        walk = fw.noisy_frank_wolfe(
            problem.X, problem.y, polytope=ball, seed=settings.seed, **options
        )
        np.testing.assert_allclose(problem.risk(walk.weights), today[0], rtol=1e-5)

    def test_the_known_sources_are_those_within_h(self):
        found = essential(SMALL.change(q=0.0, h=6.5))
        assert found.sources()["transferable"].tolist() == [
            width <= 6.5 for width in np.minimum(transfer_worlds.WIDTHS, 8)
        ]
        assert (found.fits.kept == found.sources()["transferable"].to_numpy()).all()
        trusted = found.problem.risk(
            source_detection.source_statistics(found.problem.sources, 166).fit(found.fits.kept)
        )
        np.testing.assert_allclose(found.fits.risk[1], trusted)
        found = essential(
            SMALL.change(h=0.02, difference=4.0)
        )  # without a source it is the walk from zero
        assert not found.fits.kept.any()
        assert found.summary()["source"].median == pytest.approx(found.baseline)
        alone, target = found.plan("alone"), found.plan("target")
        assert (alone.steps, alone.scale) == (target.steps, pytest.approx(target.scale))
        np.testing.assert_allclose(found.fits.risk[3], found.fits.risk[0], rtol=1e-5)

    def test_with_a_large_budget_the_nearest_source_is_found(self):
        sizes = {"target_rows": 5000, "migrated": 15_000, "dimension": 20}
        sources = essential(SMALL.change(selection="detected", epsilon=50.0, **sizes)).sources()
        assert sources["used"][sources["excess risk"].argmin()] == 1
        assert sources["used"][sources["excess risk"].argmax()] == 0


@pytest.mark.parametrize("polytope", POLYTOPES)
def test_walks_in_the_plane_stay_inside_and_gather_as_epsilon_grows(polytope):
    spreads = []
    for epsilon in (0.1, 50.0):
        found = essential(SMALL.change(epsilon=epsilon, polytope=polytope)).plane_runs
        for corners, points in zip(found.corners, found.points, strict=True):
            (a, b), beside = (
                (np.roll(corners, -1, axis=0) - corners).T,
                points[..., None, :] - corners,
            )
            x, y = np.moveaxis(beside, -1, 0)
            assert (a * y - b * x >= -1e-9).all()  # to the left of every edge
        spreads.append([points[-1].std(axis=0).sum() for points in found.points])
    assert (np.array(spreads[1]) < 0.5 * np.array(spreads[0])).all()


@pytest.mark.parametrize(
    ("q", "h", "radius"), [(1.0, 0.5, 0.5), (0.5, 0.5, 0.5), (0.0, 2.0, 1.6), (1.0, 9.0, 2.0)]
)
def test_the_correction_reaches_every_transferable_contrast(q, h, radius):
    settings = TransferSettings(q=q, h=h, difference=1.6)
    found = settings.data.problem
    assert settings.radius == pytest.approx(radius)
    assert (
        transfer_worlds.norm_q(found.contrasts[found.transferable(q, h)], 1)
        <= settings.radius + 1e-9
    ).all()


@pytest.mark.parametrize(("dimension", "rows"), [(500, 200), (20, 1000)])
def test_the_words_of_two_lines_do_not_cross_and_a_contrast_by_a_tiny_q_is_finite(dimension, rows):
    """With more coefficients than rows, least squares is about as good as nothing at all."""
    result = TransferSettings(
        dimension=dimension, target_rows=rows, repeats=2, q=0.001
    ).experiment.run()
    words = {one["text"]: one for one in charts.over_epsilon(result)["layout"]["annotations"]}
    height, ends = 0.35, []  # of a word, in decades of the picture's axis
    for word in (words["predict 0"], words[charts.WITHOUT_PRIVACY[0]]):
        ends.append(np.add(word["y"], (0, height) if word["yanchor"] == "bottom" else (-height, 0)))
    assert min(high for _, high in ends) <= max(low for low, _ in ends)
    assert np.isfinite(result.sources()["norm"]).all()
    assert "inf" not in str(charts_sources.sources(result)["layout"])


HOW = {"steps": 3000, "radius": 9.0, "norm": "l1", "rate": 1.0, "momentum": 0.0, "clip_norm": 1e3}
WALK = TransferSettings(target_rows=200, dimension=20, sources=1, repeats=4)


def quiet(way: perturbation.Descent, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    noise = np.zeros((1, way.steps * X.shape[1]))
    return way.fit(Statistics.of(X, y), noise, np.array([1.0]), rows=(X, y)).weights[0, 0]


@pytest.mark.parametrize("penalty", [0.02, 0.2, 2.0])
def test_with_a_penalty_descent_ends_at_the_lasso_or_the_ridge(penalty):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 8))
    y = X @ np.where(np.arange(8) < 3, 0.6, 0.0) + 0.1 * rng.normal(size=60)
    lasso = Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(X, y).coef_
    ridge = np.linalg.solve(X.T @ X / len(X) + 0.3 * np.eye(8), X.T @ y / len(X))
    # With the radius of the Lasso's answer a ball without a penalty has the same minimum.
    ball = {"radius": max(float(np.abs(lasso).sum()), 1e-9)}
    for how, expected in (({"lasso": penalty}, lasso), (ball, lasso), ({"ridge": 0.3}, ridge)):
        np.testing.assert_allclose(
            quiet(perturbation.Descent(**HOW | how), X, y), expected, atol=1e-8
        )


def test_no_neighbour_moves_a_mean_gradient_further_than_its_noise_is_made_for():
    """One step from anywhere, undone to its gradient: replaced rows, corners of the box and worse
    labels among them.
    """
    rng, furthest, n, d = np.random.default_rng(1), 0.0, 5, 40
    model = WALK.change(dimension=d).model
    clip = baselines.gradient_descent(model).clip_norm
    way = perturbation.Descent(steps=1, radius=1e9, momentum=0.0, rate=1.0, clip_norm=clip)
    for case in range(200):
        X, y = rng.uniform(-1, 1, (n, d)), rng.normal(size=n)
        Z, z = X.copy(), y.copy()
        X[0], Z[0] = rng.choice([-1.0, 1.0], (2, d)) if case % 2 else rng.uniform(-1, 1, (2, d))
        Z[0] = X[0] if case % 3 else Z[0]
        z[0] = -10 * np.sign(y[0])
        furthest = max(
            furthest, np.linalg.norm(quiet(way, X, y) - quiet(way, Z, z)) / (2 * clip / n)
        )
    assert 0.95 < furthest <= 1 + 1e-12


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 50.0])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_its_noise_is_that_of_an_independent_accountant(epsilon, adjacency):
    settings = WALK.change(epsilon=epsilon, adjacency=str(adjacency), repeats=2)
    model = settings.model
    way = baselines.gradient_descent(model)
    problem = baselines.private_rows(model.data.seed, 200, 20)
    # Without a gradient, one step from zero moves each weight by the rate times its noise
    still = replace(problem, y=np.zeros(200))
    one_step_descent = replace(way, steps=1, radius=1e9, lasso=0.0, ridge=0.0)
    moved = baselines.fit_descent(model, one_step_descent, still, epsilon, range(400))
    sd = moved.std() / way.rate
    one_step = PLDAccountant().compose(
        dp.GaussianDpEvent(sd / (adjacency.contributions * way.clip_norm / 200))
    )
    assert one_step.get_epsilon(settings.delta) == pytest.approx(epsilon, rel=0.05)


def test_today_s_walk_is_the_page_s_own():
    wanted = [
        one
        for one in WALK.experiment.tasks()
        if one.essential or getattr(one, "work", None) is baselines.fit_baselines
    ]
    assert not any(one.essential for one in wanted if one.work is baselines.fit_baselines)
    result = WALK.experiment.gather({task: task.run() for task in wanted})
    np.testing.assert_allclose(result.baselines.frank_wolfe, result.fits.risk[0], rtol=1e-4)


def test_many_coefficients_and_little_noise_are_what_the_walk_is_for():
    """At 500 and epsilon 50 it is ahead, with 20 or at epsilon 10 it is not."""
    for d, epsilon, ahead in ((500, 50.0, True), (500, 10.0, False), (20, 10.0, False)):
        settings = TransferSettings(
            target_rows=200, dimension=d, sources=1, epsilon=epsilon, repeats=8
        )
        frank_wolfe, descent = baselines.fit_baselines(settings.model, (epsilon,), range(8)).medians
        assert (frank_wolfe < descent) == ahead


PRINTED = [
    (Adjacency.ADD_REMOVE, "laplace", (1.04, 4.60)),
    (Adjacency.REPLACE_ONE, "laplace", (2.15, 10.5)),
    (Adjacency.REPLACE_ONE, "gumbel", (1.02, 4.29)),
]


@pytest.mark.parametrize(("adjacency", "noise", "costs"), PRINTED)
def test_the_printed_scale_is_its_formula_and_costs_more_than_nominal(adjacency, noise, costs):
    """At T = 100 and delta = 1e-6: what nominal 1 and 4 really cost."""
    for nominal, cost in zip((1.0, 4.0), costs, strict=True):
        each = printed_epsilon(nominal, delta=1e-6, steps=100, adjacency=adjacency)
        event = fw.event(each, steps=100, noise=noise)
        if noise == "laplace":
            found = account(event, delta=1e-6, adjacency=adjacency, accountant="advanced").epsilon
        else:
            found = zcdp.classic_epsilon(zcdp.rho_of_event(event), delta=1e-6)
        assert found == pytest.approx(cost, rel=0.01)
        printed = printed_scale(
            1.5, residual_bound=2.0, rows=300, epsilon=nominal, delta=1e-6, steps=100
        )
        assert printed == pytest.approx(
            2.0 * 1.5 * math.sqrt(8 * 100 * math.log(1e6)) / (300 * nominal)
        )
        sensitivity = fw.score_sensitivity(1.5, residual_bound=2.0, rows=300, adjacency=adjacency)
        assert fw.noise_scale(each, sensitivity=sensitivity) == pytest.approx(printed)
