"""The estimator: scikit-learn's own checks, its guarantee, and what it does with rows, starts and seeds."""

import math

import numpy as np
import oracles
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from dpcore import check, descent
from dpcore.learners.logistic import DPLogisticRegression
from dpcore.learners.reference import optimum
from dpcore.privacy import Adjacency


def problem(n_classes=2, *, n=200, d=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(scale=0.25, size=(n, d)) + 0.5 * np.eye(n_classes, d)[y]
    return X, np.array(list("abcdef"))[y]


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("steps", [1, 30])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 8.0, 150.0])
def test_the_guarantee_is_the_claim_and_never_more(epsilon, steps, adjacency):
    X, y = problem()
    fitted = DPLogisticRegression(epsilon=epsilon, delta=1e-6, steps=steps, adjacency=str(adjacency)).fit(X, y)
    found = fitted.guarantee_
    assert found.epsilon <= epsilon
    assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert (found.delta, found.adjacency, found.unit) == (1e-6, adjacency, "record")
    assert found.event.count == steps


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_fit_is_the_plain_loop(adjacency, n_classes):
    X, y = problem(n_classes, n=40)
    model = DPLogisticRegression(
        epsilon=3.0, clip_norm=0.2, data_norm=0.7, steps=5, adjacency=str(adjacency), random_state=3
    ).fit(X, y)
    rows = np.array([x * min(1, 0.7 / np.linalg.norm(x)) / 0.7 for x in X])
    multiplier = descent.noise_multiplier(epsilon=3.0, delta=1e-5, steps=5)
    moves = {Adjacency.REPLACE_ONE: 2, Adjacency.ADD_REMOVE: 1}[adjacency]
    path = oracles.descend(
        np.column_stack([rows, np.ones(40)]),
        np.unique(y, return_inverse=True)[1],
        start=np.zeros((1 if n_classes == 2 else n_classes, 4)),
        steps=5,
        learning_rate=4.0,
        clip_norm=0.2,
        noise_sd=multiplier * moves * 0.2 / 40,
        seed=int(np.random.RandomState(3).randint(2**31)),
        draw=0,
    )
    # Published weights are for rows in their own units.
    np.testing.assert_allclose(model.coef_, path[-1][:, :-1] / 0.7, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, path[-1][:, -1], atol=1e-10)
    assert model.n_iter_ == 5


def test_a_longer_row_counts_as_one_of_the_declared_norm():
    X, y = problem()
    model, ends = DPLogisticRegression(data_norm=2.0, random_state=0), []
    direction = X[0] / np.linalg.norm(X[0])
    for length in (2.0, 2e3, 2e9):
        X[0] = length * direction
        fitted = clone(model).fit(X, y)
        ends.append(np.append(fitted.coef_, fitted.intercept_))
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, rtol=1e-9)
    X[0] = 1.9 * direction  # while a shorter one keeps its length
    assert np.abs(clone(model).fit(X, y).coef_ - ends[0][:-1]).max() > 1e-6


def test_the_unit_of_the_rows_changes_nothing():
    X, y = problem()
    meters = DPLogisticRegression(data_norm=1.0, random_state=1).fit(X, y)
    millimeters = DPLogisticRegression(data_norm=1000.0, random_state=1).fit(1000 * X, y)
    np.testing.assert_allclose(meters.decision_function(X), millimeters.decision_function(1000 * X), rtol=1e-9)


def test_the_seed_makes_a_release_reproducible_and_nothing_else_does():
    X, y = problem()
    fits = [DPLogisticRegression(random_state=state).fit(X, y).coef_ for state in (0, 0, 1, None, None)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert len({tuple(fit.ravel()) for fit in fits}) == 4


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_start_is_used_in_the_units_of_the_rows(n_classes):
    X, y = problem(n_classes)
    k = 1 if n_classes == 2 else n_classes
    coef, intercept = np.random.default_rng(5).normal(size=(k, 3)), np.arange(k) + 0.5
    model = DPLogisticRegression(epsilon=150.0, steps=1, learning_rate=1e-9, data_norm=2.0)
    fitted = model.fit(X, y, coef_init=coef, intercept_init=intercept)
    np.testing.assert_allclose(fitted.coef_, coef, atol=1e-7)
    np.testing.assert_allclose(fitted.intercept_, intercept, atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_hardly_any_noise_it_finds_the_optimum(n_classes):
    X, y = problem(n_classes, n=2000, seed=1)
    X = np.clip(X, -1, 1) / math.sqrt(3)
    fitted = DPLogisticRegression(epsilon=1e6, clip_norm=2.0, steps=4000, learning_rate=4.0, random_state=0).fit(X, y)
    best = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, y)
    found, target = (m.decision_function(X) for m in (fitted, best))
    assert np.corrcoef(found.ravel(), target.ravel())[0, 1] > 0.999
    assert fitted.score(X, y) == pytest.approx(best.score(X, y), abs=0.005)


def test_probabilities_and_scores_agree_with_predictions():
    for n_classes in (2, 4):
        X, y = problem(n_classes, d=4)
        fitted = DPLogisticRegression(epsilon=5.0, random_state=0).fit(X, y)
        assert (fitted.classes_[fitted.predict_proba(X).argmax(axis=1)] == fitted.predict(X)).all()
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
        scores = fitted.decision_function(X)
        assert scores.shape == ((200,) if n_classes == 2 else (200, 4))


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"delta": 0},
        {"delta": 2},
        {"clip_norm": 0},
        {"data_norm": -1},
        {"steps": 0},
        {"steps": 1.5},
        {"learning_rate": 0},
        {"adjacency": "both"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(changes):
    ((name, value),) = changes.items()
    with pytest.raises(check.RefusedError, match=f"^{name} is '?{value}"):
        DPLogisticRegression(**changes).fit(*problem())


def test_the_reference_is_a_stationary_point():
    X, y = problem(3, seed=2)
    labels = np.unique(y, return_inverse=True)[1]
    mean = oracles.mean_gradient(
        optimum(X, labels), np.column_stack([X, np.ones(len(X))]), labels, clip_norm=1.0, clipping="none"
    )
    # What is left of the gradient is what its slight regularisation balances.
    assert np.linalg.norm(mean) < 1e-4
