"""The regression experiment: what the settings refuse, what the pictures draw, and what its curves show."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize

from dpcore import check
from dpcore.data.regression import SOURCES, load
from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.functional import best_share, published_best_share
from pages.regression import figures
from pages.regression import surface as regression_surface
from pages.regression.experiment import RegressionSettings
from pages.regression.parameters import SPLITTERS
from pages.regression.work import EPSILONS, SHARES, over_epsilon


def settings(**changes) -> RegressionSettings:
    return RegressionSettings().change(dataset="diabetes").change(features=4, repeats=6).change(**changes)


@pytest.fixture(scope="module")
def small():
    return settings().run()


@pytest.fixture(scope="module")
def census():
    return RegressionSettings(epsilon=0.1, repeats=100).run()


class TestSettings:
    @pytest.mark.parametrize("features", range(2, 14))
    def test_fewer_features_keep_the_pictures_possible(self, features):
        found = RegressionSettings(feature=12, across=12, up=11).change(features=features)
        assert max(found.feature, found.across, found.up) < features
        assert found.across != found.up
        with pytest.raises(check.RefusedError, match="^up is 1, but must be another feature"):
            replace(found, across=1, up=1)

    def test_each_method_has_its_own_best_split_or_all_have_one(self):
        start = RegressionSettings(share=0.4)
        assert start.share_of("published") == published_best_share(14)
        assert start.share_of("functional") == best_share(14)
        own = start.change(split="own")
        assert own.share_of("published") == own.share_of("functional") == 0.4
        assert np.isnan(own.share_of("gaussian"))


def test_moving_epsilon_leaves_the_curves_alone():
    one, other = (settings(epsilon=epsilon).tasks() for epsilon in (0.1, 5.0))
    assert {task for task in one if task.work is over_epsilon} == {task for task in other if task.work is over_epsilon}


class TestResult:
    def test_the_rails_are_what_they_say(self, small):
        data = load("diabetes", seed=small.settings.seed)
        n = data.source.train_rows
        X, y = data.X[:n, :5], data.y[:n]
        weights = np.linalg.lstsq(X, y, rcond=None)[0]
        off = data.X_test[:, :5] @ weights - data.y_test
        assert small.least_squares == pytest.approx(np.sqrt(np.square(off).mean()), rel=1e-9)
        assert small.mean_error == pytest.approx(np.sqrt(np.square(data.y_test - y.mean()).mean()), rel=1e-9)

    @pytest.mark.parametrize("name", REGRESSIONS)
    def test_a_point_of_the_curve_is_what_today_shows_and_its_end_is_near_least_squares(self, name, census):
        today, end = (census.curves[name].errors[EPSILONS.index(at)] for at in (0.1, 100.0))
        np.testing.assert_allclose(today, census.at_now[name].errors, rtol=1e-6)
        assert np.median(end) < 1.01 * census.least_squares

    def test_tables_hold_every_mechanism(self, small):
        table = small.table()
        assert list(table["mechanism"]) == list(REGRESSIONS)
        assert table["median"][0] == pytest.approx(np.median(small.at_now["published"].errors))
        assert (table["delta"] == [0, 0, 1e-6, 1e-6, 0, 1e-6]).all()
        assert (tuple(small.over_split["share"]), list(small.over_split)) == (SHARES, ["share", *SPLITTERS])

    def test_coefficients_are_in_the_labels_unit_over_the_whole_range(self, small):
        frame = small.coefficients()
        ends = np.tile(np.zeros(4), (2, 1))
        ends[:, 2] = (-1, 1)
        weights = small.problem.least_squares()
        at = small.problem.middle + small.problem.half * (weights[0] + ends @ weights[1:])
        assert frame["least squares"][2] == pytest.approx(at[1] - at[0])
        assert (frame["low"] <= frame["median"]).all()
        assert list(frame["feature"]) == list(SOURCES["diabetes"].features[:4])

    def test_a_lower_label_bound_cuts_and_a_higher_does_not(self, small):
        low = settings(label_top=100.0).run()
        assert small.cut == 0 < 0.3 < low.cut < 0.9
        assert low.least_squares > small.least_squares


class TestSurface:
    def random(self, signs, seed=0):
        rng = np.random.default_rng(seed)
        turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
        return turn @ np.diag(np.array(signs) * rng.uniform(1, 3, 5)) @ turn.T, rng.normal(size=5)

    def test_it_is_the_least_error_over_all_other_coefficients(self):
        gram, moment = self.random([1, 1, 1, 1, 1])
        found = regression_surface.surface(gram, moment, rows=10, pair=(1, 3))
        whole = np.linalg.solve(gram, moment)
        np.testing.assert_allclose(found.centre, whole[[1, 3]])

        def least(a, b):
            def objective(rest):
                w = np.insert(rest, [1, 2], [a, b])
                return (w @ gram @ w - 2 * moment @ w) / 10

            return optimize.minimize(objective, np.zeros(3), tol=1e-12).fun

        bottom = least(*found.centre)
        for a, b in ((0.0, 0.0), (1.0, -2.0)):
            z = np.array([a, b]) - found.centre
            assert z @ found.hessian @ z == pytest.approx(least(a, b) - bottom, abs=1e-8)

    @pytest.mark.parametrize("signs", [(1, 1, 1, 1, 1), (-1, 1, 1, 1, 1), (-1, -1, 1, 1, 1), (-1, -1, -1, -1, -1)])
    def test_directions_that_curve_down_add_up_and_the_grid_is_the_quadratic(self, signs):
        for seed in range(5):
            gram, moment = self.random(signs, seed)
            found = regression_surface.surface(gram, moment, rows=10, pair=(1, 3))
            others = np.linalg.eigvalsh(gram[np.ix_([0, 2, 4], [0, 2, 4])])
            assert found.negative == signs.count(-1) == found.seen + (others < 0).sum()
            z = np.array([0.3 + 0.6, -0.1 - 0.6]) - found.centre
            corner = found.values(np.array([0.3, -0.1]))[0, -1]  # rows from below, columns to the right
            assert corner == pytest.approx(z @ found.hessian @ z)

    def test_the_title_says_bowl_or_saddle(self, census):
        least = census.focus.least
        assert least.min() < 0 < least.max()
        for draw in (int(np.argmin(least)), int(np.argmax(least))):
            start = replace(census.settings, draw=draw + 1)
            result = start.result({start.focus("published"): census.focus})
            title = figures.noisy_surface(result)["layout"]["title"]["text"]
            assert (result.noisy_surface.negative > 0) == (least[draw] <= 0)
            assert ("saddle" in title or title.endswith(" maximum")) == (result.noisy_surface.seen > 0)
