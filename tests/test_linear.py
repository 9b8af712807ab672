"""The linear regressor: the line that it finds, its default mechanism, and rows and noise that it refuses."""

from functools import partial

import numpy as np
import pytest
from least_squares_cases import quiet, rows_of, statistics_of

from benchmarks import defaults
from dpcore import check
from dpcore.estimators import linear
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.regression import functional, perturbed
from dpcore.regression.least_squares import Statistics


@pytest.mark.parametrize("name", linear.REGRESSIONS)
def test_with_hardly_any_noise_the_estimator_finds_the_line(name):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (4000, 2))
    y = 30 + X @ [4.0, -6.0] + rng.normal(size=4000)
    how = {"epsilon": 1e6, "data_bound": 2.0, "label_bound": 60.0, "steps": 2000, "random_state": 0}
    model = linear.DPLinearRegression(mechanism=name, **how).fit(X, y)
    np.testing.assert_allclose(np.r_[model.coef_, model.intercept_], [4, -6, 30], atol=0.4)
    assert model.score(X, y) > 0.98


DEFAULTS = [
    ({"epsilon": 0.1}, "output"),  # n epsilon is 40, and (d + 1)^3 is 64
    ({"epsilon": 0.2, "delta": 0.0}, "functional"),
    ({"epsilon": 0.1, "delta": 1e-5}, "adassp"),
    ({"epsilon": 5.0, "mechanism": "output"}, "output"),
    ({"epsilon": 0.1, "mechanism": "functional", "delta": 1e-5}, "functional"),
]


@pytest.mark.parametrize(("given", "name"), DEFAULTS, ids=str)
def test_the_default_mechanism_follows_public_numbers_and_a_given_one_wins(given, name):
    X, y = rows_of()
    X, y = X[np.arange(400) % len(X), 1:4], y[np.arange(400) % len(X)]
    model = linear.DPLinearRegression(random_state=0, **given).fit(X, y)
    same = linear.DPLinearRegression(random_state=0, **given | {"mechanism": name})
    if name == "functional" and "mechanism" not in given:
        same.share = functional.best_share(4)
    assert model.mechanism_ == name
    np.testing.assert_array_equal(model.coef_, same.fit(X, y).coef_)
    assert model.guarantee_ == same.guarantee_
    assert model.guarantee_.delta == (1e-5 if name == "adassp" else 0.0)


def test_the_default_is_the_best_of_its_kind_on_six_data_sets():
    shown = []
    assert [line.met for line in defaults._linear(shown.append)] == [True, True]
    assert sum(line.endswith("features") for line in shown) == 6


def test_what_is_beyond_the_declared_bounds_counts_as_at_them():
    X, y = (part[:, 1:] if part.ndim == 2 else part for part in rows_of())
    fits = []
    for far in (1.0, 7.0):
        X[0], y[0] = far, far
        fits.append(linear.DPLinearRegression(random_state=0).fit(X, y).coef_)
    np.testing.assert_array_equal(*fits)


@pytest.mark.parametrize("name", linear.REGRESSIONS)
def test_epsilons_and_noise_that_make_no_sense_are_refused_by_name(name):
    way, statistics = linear.mechanism(name, steps=3), statistics_of()
    noise = linear.standard_noise(way, inputs=statistics.inputs, repeats=2, seed=0)
    for epsilons in ([0.0], [-1.0], [np.nan], [True], ["1"], [[1.0]]):
        with pytest.raises(check.RefusedError, match="^epsilons is "):
            way.fit(statistics, noise, np.array(epsilons))
    for wrong in (noise[:, 1:], noise[0], noise * np.nan, noise.astype(str)):
        with pytest.raises(check.RefusedError, match="^noise is "):
            way.fit(statistics, wrong, np.array([1.0]))
    with pytest.raises(check.RefusedError, match="^rows is None"):  # clipping needs them
        quiet(perturbed.Descent(clip_norm=1.0), statistics)


@pytest.mark.parametrize(("name", "value"), [("X", np.nan), ("X", "a"), ("y", np.nan), ("y", "a")])
def test_rows_that_are_no_numbers_are_refused_by_name(name, value):
    X, y = rows_of()
    rows = {"X": X, "y": y} | {name: np.full_like({"X": X, "y": y}[name], value, dtype=type(value))}
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        Statistics.of(**rows)
    with pytest.raises(check.RefusedError, match="^X is "):
        Statistics.of(X[1:], y)


@pytest.mark.parametrize("epsilon", [True, "1", np.nan, 0.0, -1.0], ids=repr)
def test_no_guarantee_is_made_of_what_is_no_epsilon(epsilon):
    guarantees = [partial(linear.mechanism(name).guarantee, inputs=4, rows=100) for name in linear.REGRESSIONS]
    others = partial(functional.published_epsilon, share=0.9), partial(classical_noise_multiplier, delta=1e-5)
    for made in (*guarantees, *others):
        with pytest.raises(check.RefusedError, match="^epsilons? is "):
            made(epsilon)
