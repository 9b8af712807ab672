"""The transfer experiment: what each candidate spends, what it reaches, and what transfer buys."""

import numpy as np
import pytest
from test_figures import numbers

from dpcore import transfer
from dpcore.accountants import account, zcdp
from dpcore.privacy import Adjacency, BoundedRangeRelease, PureRelease
from dpcore.training import frank_wolfe as fw
from pages.transfer import figures, parameters
from pages.transfer.experiment import TransferSettings
from pages.transfer.work import EPSILONS, MIGRATED

SMALL = TransferSettings(target_rows=300, dimension=8, repeats=6, epsilon=2.0, migrated=1000)


def essential(settings):
    return settings.result({task: task.run() for task in settings.tasks() if task.essential})


class TestBudget:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("noise", ["gumbel", "laplace"])
    @pytest.mark.parametrize("selection", ["known", "detected"])
    def test_each_candidate_spends_epsilon_and_no_more(self, selection, noise, adjacency):
        settings = SMALL.change(selection=selection, noise=noise, adjacency=str(adjacency), epsilon=1.7)
        for name in ("target", "pooled", "transfer"):
            held = settings.guarantee(name)
            assert held.epsilon <= 1.7 + 1e-12
            assert held.epsilon == pytest.approx(1.7, rel=1e-9)
            assert held.adjacency is adjacency
        alone = settings.source_guarantee
        assert (alone is None) == (selection == "known")
        if alone is not None:
            share = zcdp.rho_of_event(alone.event) / zcdp.rho_of_event(settings.guarantee("transfer").event)
            assert share == pytest.approx(settings.detection_share)

    @pytest.mark.parametrize("adjacency", Adjacency)
    def test_the_noise_is_that_of_the_event(self, adjacency):
        settings = SMALL.change(adjacency=str(adjacency), h=0.4)
        plans = settings.model.plans(2.0, 1000)
        moves = {Adjacency.REPLACE_ONE: 2, Adjacency.ADD_REMOVE: 1}[adjacency]
        for name, radius, rows in (("target", 2.0, 300), ("pooled", 2.0, 300 + 996), ("transfer", 0.4, 300)):
            own = plans[name]
            assert own.scale == pytest.approx(2 * moves * radius * transfer.RESIDUAL_BOUND / rows / own.epsilon)
            assert own.event.event == BoundedRangeRelease(epsilon=own.epsilon)
        # Another seed is other data: the noise and the path's length do not look at private rows.
        assert plans == settings.change(seed=77).model.plans(2.0, 1000)

    def test_the_printed_scale_costs_more_than_its_nominal_epsilon(self):
        found = essential(SMALL.change(noise="printed", epsilon=1.0))
        steps = found.plan("target").steps
        printed = fw.printed_scale(2.0, residual_bound=1.0, rows=300, epsilon=1.0, delta=1e-6, steps=steps)
        assert found.plan("target").scale == pytest.approx(printed)
        assert isinstance(found.plan("target").event.event, PureRelease)
        assert found.strong("target").epsilon > 2.0
        assert found.settings.guarantee("target").epsilon > 1.5
        optimal = account(found.plan("target").event, delta=1e-6, adjacency=Adjacency.REPLACE_ONE, accountant="pld")
        assert found.settings.guarantee("target").epsilon >= optimal.epsilon > 1.4


@pytest.fixture(scope="module", params=["known", "detected"])
def result(request):
    return SMALL.change(selection=request.param, migrated=MIGRATED[5], epsilon=EPSILONS[4]).run()


class TestCandidates:
    def test_a_picture_shows_the_medians_and_which_sources_transfer(self, result):
        lines = [trace for trace in figures.over_epsilon(result)["data"] if trace.get("name")][1:]
        for trace, runs in zip(lines, result.over_epsilon.runs, strict=True):
            assert numbers(trace["y"]) == pytest.approx(np.median(runs, axis=1), rel=1e-5)
        (dots, *_), shapes = figures.sources(result)["data"], figures.sources(result)["layout"]["shapes"]
        assert next(shape for shape in shapes if shape["type"] == "line")["x0"] == result.settings.h
        inside = [colour == figures.theme.PUBLIC for colour in dots["marker"]["line"]["color"]]
        assert inside == (result.sources()["norm"] <= result.settings.h).tolist()

    def test_the_curves_pass_through_today(self, result):
        today = result.over_epsilon.runs[:, EPSILONS.index(result.settings.epsilon)]
        np.testing.assert_allclose(today, result.focus.risk, rtol=1e-4)
        np.testing.assert_allclose(result.over_migrated.runs[:, 5], result.focus.risk, rtol=1e-4)

    def test_a_walk_is_the_engine_on_the_candidates_rows(self, result):
        settings, problem = result.settings, result.problem
        own, ball = result.plan("target"), fw.L1Ball(dimension=8, radius=2.0)
        options = {"steps": own.steps, "scale": own.scale, "residual_bound": 1.0, "draws": range(6)}
        walk = fw.noisy_frank_wolfe(problem.X, problem.y, polytope=ball, seed=settings.seed, **options)
        np.testing.assert_allclose(problem.risk(walk.weights), result.focus.risk[0], rtol=1e-5)

    def test_the_known_sources_are_those_within_h(self):
        found = essential(SMALL.change(q=0.0, h=6.5))
        assert found.sources()["transferable"].tolist() == [width <= 6.5 for width in np.minimum(transfer.WIDTHS, 8)]
        assert (found.focus.kept == found.sources()["transferable"].to_numpy()).all()
        trusted = found.problem.risk(transfer.statistics(found.problem, 166).fit(found.focus.kept))
        np.testing.assert_allclose(found.focus.risk[1], trusted)

    def test_without_a_source_a_transfer_is_the_walk_from_zero(self):
        found = essential(SMALL.change(h=0.02, difference=4.0))
        assert not found.focus.kept.any()
        assert found.summary()["source"].median == pytest.approx(found.nothing_learnt)
        alone, target = found.plan("alone"), found.plan("target")
        assert (alone.steps, alone.scale) == (target.steps, pytest.approx(target.scale))
        np.testing.assert_allclose(found.focus.risk[3], found.focus.risk[0], rtol=1e-5)

    def test_with_a_large_budget_the_nearest_source_is_found(self):
        sizes = {"target_rows": 5000, "migrated": 15_000, "dimension": 20}
        sources = essential(SMALL.change(selection="detected", epsilon=50.0, **sizes)).sources()
        assert sources["used"][sources["excess risk"].argmin()] == 1
        assert sources["used"][sources["excess risk"].argmax()] == 0


class TestPlane:
    @pytest.mark.parametrize("polytope", parameters.POLYTOPES)
    def test_walks_stay_inside_and_gather_as_epsilon_grows(self, polytope):
        spreads = []
        for epsilon in (0.1, 50.0):
            found = essential(SMALL.change(epsilon=epsilon, polytope=polytope)).walks
            for corners, points in zip(found.corners, found.points, strict=True):
                following = np.roll(corners, -1, axis=0) - corners
                x, y = np.moveaxis(points[..., None, :] - corners, -1, 0)
                assert (following[:, 0] * y - following[:, 1] * x >= -1e-9).all()  # to the left of every edge
            spreads.append([points[-1].std(axis=0).sum() for points in found.points])
        assert (np.array(spreads[1]) < 0.5 * np.array(spreads[0])).all()

    def test_the_optimum_is_the_true_one_where_it_is_inside(self):
        X, y, truth, _ = SMALL.change(target_rows=5000).data.plane
        quiet = {"steps": 300, "scale": 0.0, "residual_bound": 1.0, "seed": 0, "draws": [0], "dtype": np.float64}
        found = fw.noisy_frank_wolfe(X, y, polytope=fw.L1Ball(dimension=2, radius=transfer.RADIUS), **quiet)
        np.testing.assert_allclose(found.weights[0], truth, atol=0.05)


@pytest.mark.parametrize(("q", "h", "radius"), [(1.0, 0.5, 0.5), (0.5, 0.5, 0.5), (0.0, 2.0, 1.6), (1.0, 9.0, 2.0)])
def test_the_correction_reaches_every_transferable_contrast(q, h, radius):
    settings = TransferSettings(q=q, h=h, difference=1.6)
    assert settings.radius == pytest.approx(radius)
    found = settings.data.problem
    near = found.contrasts[found.transferable(q, h)]
    assert (transfer.norm_q(near, 1) <= settings.radius + 1e-9).all()


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("rows", [100, 5000])
def test_a_larger_threshold_means_more_noise(epsilon, rows):
    at = [TransferSettings(h=h, epsilon=epsilon, target_rows=rows) for h in (0.02, 0.1, 0.4, 1.0, 2.0)]
    scales = [one.model.plans(epsilon, 24)["transfer"].scale for one in at]
    assert (np.diff(scales) > 0).all()


@pytest.mark.parametrize(("dimension", "rows"), [(500, 200), (20, 1000)])
def test_the_words_of_two_lines_do_not_cross(dimension, rows):
    """With more coefficients than rows, least squares is about as good as nothing at all."""
    result = TransferSettings(dimension=dimension, target_rows=rows, repeats=2).run()
    words = {one["text"]: one for one in figures.over_epsilon(result)["layout"]["annotations"]}
    height, ends = 0.35, []  # of a word, in decades of the picture's axis
    for word in (words[figures._NOTHING[False]], words[figures.WITHOUT[0]]):
        ends.append(np.add(word["y"], (0, height) if word["yanchor"] == "bottom" else (-height, 0)))
    assert min(high for _, high in ends) <= max(low for low, _ in ends)


def test_a_contrast_by_a_tiny_q_is_a_finite_number():
    result = TransferSettings(dimension=50, repeats=2, q=0.001).run()
    assert np.isfinite(result.sources()["norm"]).all()
    assert "inf" not in str(figures.sources(result)["layout"])
