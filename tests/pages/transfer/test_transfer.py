"""The transfer page's budget, candidates, runs in the plane and charts."""

import numpy as np
import pytest

from dpcore.accountants import account, zcdp
from dpcore.parties.source_detection import RESIDUAL_BOUND, source_statistics
from dpcore.privacy import Adjacency, BoundedRangeRelease, PureRelease
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball
from lab.data import transfer_worlds
from lab.data.transfer_worlds import norm_q
from pages.transfer import charts
from pages.transfer.model import EPSILONS
from pages.transfer.plane import POLYTOPES
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferSettings
from tests.sentences import first
from tests.ui.charts.test_topic_charts import numbers

# Trainings and charts hold seven digits.
SINGLE_PRECISION = 1e-5
# Risks are squares of residuals in single precision.
SINGLE_PRECISION_OF_RISKS = 1e-4

SMALL = TransferSettings(target_rows=300, dimension=8, repeats=6, epsilon=2.0, migrated=1000)
TRAINED = ("target", "pooled", "transfer")


@pytest.fixture(scope="module", params=["known", "detected"])
def result(request) -> TransferResult:
    """All tasks at a point of the curve."""
    settings = SMALL.change(selection=request.param, migrated=2500, epsilon=EPSILONS[4])
    return settings.experiment.run()


# Budget


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("selection", ["known", "detected"])
def test_every_candidate_spends_the_set_epsilon_and_no_more(selection, noise, adjacency, name):
    settings = SMALL.change(selection=selection, noise=noise, adjacency=str(adjacency), epsilon=1.7)

    guarantee = settings.guarantee_of(name)

    assert 1.7 * (1 - 1e-9) <= guarantee.epsilon <= 1.7 + 1e-12
    assert guarantee.adjacency is adjacency


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_detection_spends_its_share_of_the_budget(noise, adjacency):
    settings = SMALL.change(
        selection="detected", noise=noise, adjacency=str(adjacency), epsilon=1.7
    )

    detection = settings.model.detection_guarantee(settings.epsilon)

    rho = zcdp.rho_of_event(detection.event)
    whole_rho = zcdp.rho_of_event(settings.guarantee_of("transfer").event)
    assert rho / whole_rho == pytest.approx(settings.detection_share)


def test_known_sources_need_no_detection():
    assert SMALL.model.detection_guarantee(SMALL.epsilon) is None


@pytest.mark.parametrize(
    ("name", "radius", "rows"),
    [
        pytest.param("target", 2.0, 300, id="target"),
        pytest.param("pooled", 2.0, 300 + 996, id="pooled"),
        pytest.param("transfer", 0.4, 300, id="transfer"),
    ],
)
@pytest.mark.parametrize("adjacency", Adjacency)
def test_noise_scale_is_that_of_the_event(adjacency, name, radius, rows):
    settings = SMALL.change(adjacency=str(adjacency), h=0.4)
    contributions = {Adjacency.REPLACE_ONE: 2, Adjacency.ADD_REMOVE: 1}[adjacency]

    plan = settings.model.plans(2.0)[name]

    sensitivity = contributions * radius * RESIDUAL_BOUND / rows
    assert plan.scale == pytest.approx(2 * sensitivity / plan.epsilon)
    assert plan.event.event == BoundedRangeRelease(epsilon=plan.epsilon)


def test_plans_do_not_depend_on_the_private_rows():
    other_rows = SMALL.change(seed=77)

    assert SMALL.model.plans(2.0) == other_rows.model.plans(2.0)


def test_printed_noise_has_the_published_scale():
    settings = SMALL.change(noise="printed", epsilon=1.0)

    plan = settings.model.plans(1.0)["target"]

    formula = 2.0 * np.sqrt(8 * plan.steps * np.log(1e6)) / 300
    assert plan.scale == pytest.approx(formula)
    assert isinstance(plan.event.event, PureRelease)


def test_printed_noise_costs_more_than_its_nominal_epsilon():
    result = first(SMALL.change(noise="printed", epsilon=1.0))

    epsilon = result.settings.guarantee_of("target").epsilon

    event = result.plan("target").event
    optimal = account(event, delta=1e-6, adjacency=Adjacency.REPLACE_ONE, accountant="pld")
    assert result.advanced("target").epsilon > 2.0 > epsilon > 1.5
    assert epsilon >= optimal.epsilon > 1.4


# Candidates


def test_fits_at_the_current_epsilon_are_a_point_of_the_curve(result):
    index = EPSILONS.index(result.settings.epsilon)

    np.testing.assert_allclose(
        result.over_epsilon.runs[:, index], result.fits.risk, rtol=SINGLE_PRECISION_OF_RISKS
    )


def test_target_is_the_engine_on_the_private_rows(result):
    problem = result.problem
    plan = result.plan("target")

    trajectory = fw.noisy_frank_wolfe(
        problem.X,
        problem.y,
        polytope=L1Ball(dimension=8, radius=2.0),
        seed=result.settings.seed,
        steps=plan.steps,
        scale=plan.scale,
        residual_bound=1.0,
        draws=range(6),
    )

    np.testing.assert_allclose(
        problem.risk(trajectory.weights), result.risks("target"), rtol=SINGLE_PRECISION
    )


@pytest.fixture(scope="module")
def with_entries_counted() -> TransferResult:
    """Return a result whose sources are transferable with at most six entries in a contrast."""
    return first(SMALL.change(q=0.0, h=6.5))


def test_transferable_sources_are_those_within_h(with_entries_counted):
    entries = np.minimum(transfer_worlds.WIDTHS, 8)

    assert with_entries_counted.transferable.tolist() == (entries <= 6.5).tolist()


def test_known_sources_are_used_in_all_repeats(with_entries_counted):
    assert (with_entries_counted.fits.kept == with_entries_counted.transferable).all()


def test_source_only_is_the_fit_of_the_sources_used(with_entries_counted):
    problem = with_entries_counted.problem
    statistics = source_statistics(problem.sources, 166)

    weights = statistics.fit(with_entries_counted.fits.kept)

    np.testing.assert_allclose(with_entries_counted.risks("source"), problem.risk(weights))


@pytest.fixture(scope="module")
def without_source() -> TransferResult:
    """Return a result for which no source is within h."""
    return first(SMALL.change(h=0.02, difference=4.0))


def test_no_source_is_used_if_none_is_within_h(without_source):
    assert not without_source.fits.kept.any()
    assert without_source.summary()["source"].median == pytest.approx(without_source.baseline)


def test_transfer_without_a_source_has_the_plan_of_the_target(without_source):
    alone = without_source.plan("alone")
    target = without_source.plan("target")

    assert alone.steps == target.steps
    assert alone.scale == pytest.approx(target.scale)


def test_transfer_without_a_source_is_the_target(without_source):
    transfer = without_source.risks("transfer")

    np.testing.assert_allclose(transfer, without_source.risks("target"), rtol=SINGLE_PRECISION)


def test_detection_with_a_large_budget_keeps_the_nearest_source():
    settings = SMALL.change(
        selection="detected", epsilon=50.0, target_rows=5000, migrated=15_000, dimension=20
    )

    result = first(settings)

    used = result.fits.kept.mean(axis=0)
    risks = result.problem.risk(result.problem.beta - result.problem.contrasts)
    assert used[risks.argmin()] == 1
    assert used[risks.argmax()] == 0


@pytest.mark.parametrize(
    ("q", "h", "radius"),
    [
        pytest.param(1.0, 0.5, 0.5, id="L1"),
        pytest.param(0.5, 0.5, 0.5, id="between"),
        pytest.param(0.0, 2.0, 1.6, id="number of entries"),
        pytest.param(1.0, 9.0, 2.0, id="beyond the ball of the target"),
    ],
)
def test_correction_reaches_every_transferable_contrast(q, h, radius):
    settings = TransferSettings(q=q, h=h, difference=1.6)
    problem = settings.data.problem

    distances = norm_q(problem.contrasts[problem.transferable(q, h)], 1)

    assert settings.radius == pytest.approx(radius)
    assert (distances <= settings.radius + 1e-9).all()


# Runs in the plane


@pytest.mark.parametrize("kind", range(2), ids=["from zero", "around the source"])
@pytest.mark.parametrize("epsilon", [0.1, 50.0])
@pytest.mark.parametrize("polytope", POLYTOPES)
def test_runs_in_the_plane_stay_in_their_polytope(polytope, epsilon, kind):
    runs = first(SMALL.change(epsilon=epsilon, polytope=polytope)).plane_runs
    corners = runs.corners[kind]

    edges = np.roll(corners, -1, axis=0) - corners  # counter-clockwise
    from_corners = runs.points[kind][..., None, :] - corners

    side = edges[:, 0] * from_corners[..., 1] - edges[:, 1] * from_corners[..., 0]
    assert (side >= -1e-9).all()  # to the left of every edge


@pytest.mark.parametrize("kind", range(2), ids=["from zero", "around the source"])
@pytest.mark.parametrize("polytope", POLYTOPES)
def test_ends_in_the_plane_gather_as_epsilon_grows(polytope, kind):
    spreads = []
    for epsilon in (0.1, 50.0):
        runs = first(SMALL.change(epsilon=epsilon, polytope=polytope)).plane_runs
        ends = runs.points[kind][-1]
        spreads.append(ends.std(axis=0).sum())

    assert spreads[1] < 0.5 * spreads[0]


# Charts


def test_chart_over_epsilon_shows_the_medians(result):
    traces = charts.over_epsilon(result)["data"]

    lines = [trace for trace in traces if trace.get("name")]
    for trace, runs in zip(lines, result.over_epsilon.runs, strict=True):
        assert numbers(trace["y"]) == pytest.approx(np.median(runs, axis=1), rel=SINGLE_PRECISION)


def test_the_name_of_the_lower_reference_line_is_below_it_and_the_other_above():
    annotations = charts.over_epsilon(first(SMALL))["layout"]["annotations"]

    names = {annotation["text"]: annotation for annotation in annotations}
    lower, upper = sorted(
        (names["predict 0"], names[charts.WITHOUT_PRIVACY[0]]), key=lambda name: name["y"]
    )
    assert lower["yanchor"] == "top"
    assert upper["yanchor"] == "bottom"
