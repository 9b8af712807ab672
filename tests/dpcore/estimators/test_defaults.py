"""Defaults of the estimators: what public numbers they follow, and what they cost."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from benchmarks import defaults
from dpcore.estimators.logistic import DPLogisticRegression
from tests.dpcore.estimators.test_fits import problem

# The same fit in double precision.
ROUNDING = 1e-9


@pytest.mark.parametrize(("epsilon", "rate"), [(0.5, 4 * 0.75**0.25), (0.01, 0.5), (100.0, 8.0)])
def test_the_learning_rate_follows_rows_times_epsilon_over_the_clipping_norm(epsilon, rate):
    X, y = problem(n=40)
    model = DPLogisticRegression(
        epsilon=epsilon, clip_norm=0.2, data_norm=0.7, steps=5, random_state=3
    )
    declared = clone(model).set_params(learning_rate=rate / 0.2)

    np.testing.assert_allclose(model.fit(X, y).coef_, declared.fit(X, y).coef_, rtol=ROUNDING)


@pytest.mark.parametrize(
    ("rows", "n_classes", "given", "clip_norm", "steps"),
    [
        (200, 2, {}, 0.3, 100),
        (2000, 2, {"epsilon": 0.5}, (1000 / 22_000) ** (1 / 3), 200),
        (2000, 4, {}, (2000 / 44_000) ** (1 / 3), 400),
        (2000, 2, {"epsilon": 100.0}, math.sqrt(2), 400),
        (2000, 2, {"clip_norm": 0.7, "steps": 9}, 0.7, 9),
    ],
)
def test_clipping_norm_and_steps_follow_rows_classes_and_epsilon(
    rows, n_classes, given, clip_norm, steps
):
    X = np.random.default_rng(0).normal(size=(rows, 3))

    model = DPLogisticRegression(random_state=0, **given).fit(X, np.arange(rows) % n_classes)

    assert model.clip_norm_ == pytest.approx(clip_norm)
    assert model.n_iter_ == model.guarantee_.event.count == steps


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 5))]
)
def test_on_20_000_rows_the_defaults_cost_less_than_a_third_of_a_point(seed):
    """At epsilon 1, where the best constant answer is more than 1.2 points worse: 20 releases."""
    lost, constant = defaults.points_lost(seed, rows=20_000, epsilon=1.0, releases=20)

    assert lost <= 0.3
    assert constant > 1.2
