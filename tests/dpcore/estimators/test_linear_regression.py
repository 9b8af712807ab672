"""Linear regression: its fits with hardly any noise, its default mechanism, and what it refuses."""

import itertools
from functools import partial

import numpy as np
import pytest

from benchmarks import defaults
from dpcore import check
from dpcore.estimators import linear
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.regression import functional
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Statistics
from tests.oracles import data_of, quiet, rows_of

# What hardly any noise, and clipping at the bounds, move the coefficients by.
LITTLE_NOISE = 0.4

every_mechanism = pytest.mark.parametrize("name", linear.REGRESSIONS)
# Functions of epsilon, all other arguments given.
OF_EPSILON = {
    "share of the functional mechanism": partial(functional.published_epsilon, share=0.9),
    "classical noise": partial(classical_noise_multiplier, delta=1e-5),
    **{
        name: partial(linear.mechanism(name).guarantee, inputs=4, rows=100)
        for name in linear.REGRESSIONS
    },
}


@every_mechanism
def test_with_hardly_any_noise_the_estimator_finds_the_line(name):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (4000, 2))
    y = 30 + X @ [4.0, -6.0] + rng.normal(size=4000)
    model = linear.DPLinearRegression(
        mechanism=name, epsilon=1e6, data_bound=2.0, label_bound=60.0, steps=2000, random_state=0
    )

    model.fit(X, y)

    found = [*model.coef_, model.intercept_]
    np.testing.assert_allclose(found, [4, -6, 30], atol=LITTLE_NOISE)
    assert model.score(X, y) > 0.98


class TestDefaultMechanism:
    """On 400 rows with three inputs: the mechanism follows these numbers and the budget."""

    chosen = pytest.mark.parametrize(
        ("given", "name", "delta"),
        [
            ({"epsilon": 0.1}, "descent", 1e-6),
            # n epsilon is 40, and (d + 1)^3 is 64.
            ({"epsilon": 0.1, "delta": 0.0}, "output", 0.0),
            ({"epsilon": 0.2, "delta": 0.0}, "functional", 0.0),
            ({"epsilon": 0.1, "delta": 1e-5}, "descent", 1e-5),
            ({"epsilon": 5.0, "mechanism": "output"}, "output", 0.0),
            ({"epsilon": 0.1, "mechanism": "functional", "delta": 1e-5}, "functional", 0.0),
        ],
    )

    def fitted(self, **options):
        """Return a linear regression fitted to 400 rows of three features, some of them twice."""
        X, y = rows_of()
        rows = np.arange(400) % len(X)
        return linear.DPLinearRegression(random_state=0, **options).fit(X[rows, 1:4], y[rows])

    @chosen
    def test_the_default_mechanism_follows_public_numbers_unless_one_is_given(
        self, given, name, delta
    ):
        assert self.fitted(**given).mechanism_ == name

    @chosen
    def test_the_guarantee_of_the_default_mechanism_has_the_delta_that_it_needs(
        self, given, name, delta
    ):
        assert self.fitted(**given).guarantee_.delta == delta

    @chosen
    def test_the_fit_is_that_of_the_mechanism(self, given, name, delta):
        share = {}
        if name == "functional" and "mechanism" not in given:
            share = {"share": functional.best_share(4)}

        found, expected = (
            self.fitted(**given),
            self.fitted(**given | {"mechanism": name} | share),
        )

        np.testing.assert_array_equal(found.coef_, expected.coef_)
        assert found.guarantee_ == expected.guarantee_


def test_the_benchmark_of_the_defaults_meets_its_claims():
    shown = []

    claims = defaults.compare_linear(shown.append)

    assert [claim.met for claim in claims] == [True, True]
    assert sum(line.endswith("features") for line in shown) == 6


def test_values_beyond_the_declared_bounds_count_as_at_the_bounds():
    def coefficients(value: float) -> np.ndarray:
        """Fit rows of which the first has this value everywhere."""
        with_constant, y = rows_of()
        X = with_constant[:, 1:].copy()
        y = y.copy()
        X[0] = value
        y[0] = value
        return linear.DPLinearRegression(random_state=0).fit(X, y).coef_

    at_the_bounds = coefficients(1.0)
    beyond_them = coefficients(7.0)

    np.testing.assert_array_equal(beyond_them, at_the_bounds)


class TestRefusals:
    """What makes no sense is refused by name."""

    @every_mechanism
    @pytest.mark.parametrize("epsilons", [[0.0], [-1.0], [np.nan], [True], ["1"], [[1.0]]])
    def test_epsilons_without_a_meaning_are_refused(self, name, epsilons):
        way = linear.mechanism(name, steps=3)
        data = data_of(way, *rows_of())
        noise = linear.standard_noise(way, inputs=data.inputs, repeats=2, seed=0)

        with pytest.raises(check.RefusedError, match="^epsilons is "):
            way.fit(data, noise, np.array(epsilons))

    @every_mechanism
    @pytest.mark.parametrize("wrong", ["too few", "no repeats", "missing", "words"])
    def test_noise_without_a_meaning_is_refused(self, name, wrong):
        way = linear.mechanism(name, steps=3)
        data = data_of(way, *rows_of())
        noise = linear.standard_noise(way, inputs=data.inputs, repeats=2, seed=0)
        given = {
            "too few": noise[:, 1:],
            "no repeats": noise[0],
            "missing": noise * np.nan,
            "words": noise.astype(str),
        }

        with pytest.raises(check.RefusedError, match="^noise is "):
            way.fit(data, given[wrong], np.array([1.0]))

    def test_more_batches_than_rows_are_refused(self):
        with pytest.raises(check.RefusedError, match="^batches is 301"):
            quiet(Descent(batches=301), Rows.of(*rows_of()))

    @pytest.mark.parametrize("kind", [Statistics, Rows])
    @pytest.mark.parametrize("name", ["X", "y"])
    @pytest.mark.parametrize("value", [np.nan, "a"])
    def test_rows_that_are_no_numbers_are_refused(self, kind, name, value):
        X, y = rows_of()
        given = {"X": X, "y": y}
        given[name] = np.full_like(given[name], value, dtype=type(value))

        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            kind.of(**given)

    def test_rows_without_an_answer_each_are_refused(self):
        X, y = rows_of()

        with pytest.raises(check.RefusedError, match="^X is "):
            Statistics.of(X[1:], y)

    @pytest.mark.parametrize(
        ("name", "epsilon"), [*itertools.product(OF_EPSILON, (True, "1", np.nan, 0.0, -1.0))]
    )
    def test_a_guarantee_for_an_epsilon_without_a_meaning_is_refused(self, name, epsilon):
        with pytest.raises(check.RefusedError, match="^epsilons? is "):
            OF_EPSILON[name](epsilon)
