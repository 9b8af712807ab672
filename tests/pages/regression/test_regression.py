"""The regression's settings, results and charts, compared with direct computations."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.functional import best_share, published_best_share
from lab.data.regression import SOURCES, load
from lab.experiment import links
from pages.regression import charts
from pages.regression.settings import RegressionSettings
from pages.regression.tasks import EPSILONS, score_curve
from tests.sentences import first


def diabetes(**changes) -> RegressionSettings:
    """Return quick settings with four features of the diabetes study."""
    settings = RegressionSettings().change(dataset="diabetes")
    return settings.change(features=4, repeats=6).change(**changes)


@pytest.fixture(scope="module")
def small():
    """Return a result of four features of the diabetes study."""
    return diabetes().experiment.run()


@pytest.fixture(scope="module")
def census():
    """Return a result of the published mechanism on the default data, at epsilon 0.1."""
    return RegressionSettings(mechanism="published", epsilon=0.1, repeats=100).experiment.run()


# Settings


def test_mechanisms_that_split_epsilon_have_the_share_of_least_noise():
    settings = RegressionSettings()

    shares = [settings.mechanism_of(name).share for name in ("published", "functional")]

    assert shares == [published_best_share(14), best_share(14)]


def test_curves_do_not_depend_on_the_set_epsilon():
    curves = []
    for epsilon in (0.1, 5.0):
        tasks = diabetes(epsilon=epsilon).experiment.tasks()
        curves.append({task for task in tasks if task.work is score_curve})

    assert curves[0] == curves[1]
    assert {type(task.model.mechanism) for task in curves[0]} == set(REGRESSIONS.values())


# Options by hand


@pytest.mark.parametrize("name", ["published", "functional"])
def test_share_by_hand_is_that_of_the_chosen_mechanism_alone(name):
    by_rule = RegressionSettings(mechanism=name)

    by_hand = by_rule.change(tuning="own").change(share=0.4)

    changed = [other for other in REGRESSIONS if by_hand.method(other) != by_rule.method(other)]
    assert changed == [name]
    assert by_hand.mechanism_of(name).share == 0.4


def test_descent_by_hand_starts_with_the_options_of_the_rule():
    settings = diabetes(epsilon=0.5)
    rule = settings.mechanism_of("descent")
    public = {"inputs": 5, "rows": 353}

    by_hand = settings.change(tuning="own")

    clip_norm = rule.chosen_clip_norm(0.5, **public)
    assert by_hand.clip_norm == pytest.approx(clip_norm, rel=0.05)
    assert by_hand.steps == rule.steps
    assert by_hand.radius == rule.chosen_radius(0.5, **public)


def test_options_by_hand_stay_when_epsilon_moves():
    by_hand = diabetes(tuning="own").change(clip_norm=2.0, steps=20, radius=0.7)

    moved = by_hand.change(epsilon=50.0)

    descent = moved.mechanism_of("descent")
    assert (descent.clip_norm, descent.steps, descent.radius) == (2.0, 20, 0.7)


@pytest.mark.parametrize("mechanism", ["descent", "published", "functional"])
def test_by_rule_nothing_is_left_of_options_by_hand(mechanism):
    by_rule = diabetes(mechanism=mechanism)
    by_hand = by_rule.change(tuning="own")
    lowest = {name: by_hand.limits[name][0] for name in by_hand.options}

    again = by_hand.change(**lowest).change(tuning="rule")

    assert again == by_rule


@pytest.mark.parametrize("clip_norm", [0.02, 1.0])
def test_a_link_keeps_options_by_hand(clip_norm):
    settings = diabetes(tuning="own", clip_norm=clip_norm, radius=3.0)

    restored, refused = links.read(RegressionSettings, links.minimal_texts(settings))

    assert restored == settings
    assert refused == {}


# Errors


def test_least_squares_error_is_that_of_a_direct_fit(small):
    data = load("diabetes", seed=small.settings.seed)
    rows = data.source.train_rows
    weights, *_ = np.linalg.lstsq(data.X[:rows, :5], data.y[:rows], rcond=None)
    residuals = data.X_test[:, :5] @ weights - data.y_test

    expected = np.sqrt(np.square(residuals).mean())
    assert small.least_squares_error == pytest.approx(expected, rel=1e-9)


def test_baseline_is_the_error_of_the_mean_training_label(small):
    data = load("diabetes", seed=small.settings.seed)
    mean_label = data.y[: data.source.train_rows].mean()

    expected = np.sqrt(np.square(data.y_test - mean_label).mean())
    assert small.baseline == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_fits_at_the_set_epsilon_are_a_point_of_the_curve(name, census):
    point = census.curves[name][EPSILONS.index(census.settings.epsilon)]

    np.testing.assert_allclose(point, census.all_fits[name].errors, rtol=1e-6)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_curve_ends_near_least_squares(name, census):
    last = census.curves[name][EPSILONS.index(100.0)]

    assert np.median(last) < 1.01 * census.least_squares_error


def test_a_lower_label_bound_clips_labels_and_raises_the_error(small):
    low = diabetes(label_top=100.0).experiment.run()

    assert small.clipped_label_share == 0
    assert 0.3 < low.clipped_label_share < 0.9
    assert low.least_squares_error > small.least_squares_error


def test_best_alternative_stays_while_the_chosen_mechanism_is_trained_anew(small):
    others = dict(small.curves)
    others.pop(small.settings.mechanism)

    partial = replace(small, curves=others)

    assert partial.best_alternative == small.best_alternative


# The chart of lines


def test_finding_counts_the_lines_that_are_fitted_so_far():
    result = first(RegressionSettings(repeats=20))
    fits = len(result.fits.errors)

    title = charts.lines(result)["layout"]["title"]["text"]

    assert 0 < fits < 20
    assert title.endswith(f"{fits} of {fits} rise")


# Tables


def test_table_has_a_row_per_mechanism(small):
    table = small.table()

    assert list(table["mechanism"]) == list(REGRESSIONS)
    assert list(table["delta"]) == [0, 0, 1e-6, 1e-6, 0, 1e-6]
    published_median = np.median(small.all_fits["published"].errors)
    assert table["median"][0] == pytest.approx(published_median)


def test_coefficients_are_changes_of_the_label_over_the_whole_range(small):
    problem = small.problem
    weights = problem.least_squares()
    index = 2
    predictions = []
    for end in (-1, 1):
        inputs = np.zeros(5)
        inputs[0] = 1
        inputs[index + 1] = end
        predictions.append(problem.midpoint + problem.half_range * weights @ inputs)

    frame = small.coefficients()

    change = predictions[1] - predictions[0]
    assert frame["least squares"][index] == pytest.approx(change)
    assert (frame["low"] <= frame["median"]).all()
    assert list(frame["feature"]) == list(SOURCES["diabetes"].features[:4])


@pytest.mark.parametrize("features", [2, 3, 4])
def test_lines_are_over_the_feature_with_the_largest_coefficient(features):
    result = diabetes(features=features).experiment.run()

    coefficients = result.coefficients()["least squares"].abs()

    assert result.feature == coefficients.argmax()
    assert len(result.fitted_lines.private) == 6


# The chart of objectives


def test_lines_fall_for_the_fits_without_a_minimum(census):
    eigenvalues = census.fits.least_eigenvalues
    assert eigenvalues.min() < 0 < eigenvalues.max()

    layout = charts.objective(census, eigenvalues)["layout"]

    lines = layout["shapes"][-1]["path"].split("M")[1:]
    last_heights = [float(line.rpartition(",")[2]) for line in lines]
    assert np.sign(last_heights).tolist() == np.sign(eigenvalues).tolist()
    assert f"{(eigenvalues <= 0).sum()} of 100 fall" in layout["title"]["text"]


def test_released_objectives_curve_nowhere_less_than_drawn(census):
    gram = census.fits.gram[0]
    directions = np.random.default_rng(0).normal(size=(200, len(gram)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)

    curvatures = np.einsum("ij,jk,ik->i", directions, gram, directions)

    drawn = census.fits.least_eigenvalues[0]
    assert (curvatures >= drawn * (1 - 1e-9) - 1e-9).all()
