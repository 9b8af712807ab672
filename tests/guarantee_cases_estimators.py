"""Cases of estimators whose guarantee lines ``test_guarantee_docstrings`` compares with the code."""

import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
from sklearn.base import clone

from dpcore.estimators import base
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.privacy import Adjacency
from dpcore.training.polytopes import L1Ball
from tests.guarantee_cases import Case, properties_of
from tests.guarantee_cases_training import CLIP_NORM, ROWS


def long_row_changes(
    fitted_weights: Callable[[np.ndarray, np.ndarray], np.ndarray], *, adjacency: Adjacency
) -> np.ndarray:
    """Return differences of fitted weights whose last row differs, (pairs, weights).

    Args:
        fitted_weights: Maps (X (n, p), y (n,)) to weights after one step of learning rate 1. Each
            fit has the same noise.
        adjacency: An absent row is a row of another class than 0 and 1.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = rng.integers(0, 2, ROWS)
    long_row = 50 * rng.normal(size=3)
    with_row = []
    for row, label in itertools.product([long_row, -long_row], [0, 1]):
        X[-1] = row
        y[-1] = label
        with_row.append(fitted_weights(X, y))
    others = with_row
    if adjacency is Adjacency.ADD_REMOVE:
        y[-1] = 2
        others = [fitted_weights(X, y)]
    return np.array([one - other for one, other in itertools.product(with_row, others)])


def logistic_case(adjacency: Adjacency) -> Case:
    """Return the case of the estimator of a logistic regression."""
    steps = 4
    parameters = {
        "delta": 1e-6,
        "clip_norm": CLIP_NORM,
        "learning_rate": 1.0,
        "classes": [0, 1],
        "average": False,
        "adjacency": str(adjacency),
    }
    model = DPLogisticRegression(epsilon=2.0, steps=steps, **parameters)

    @cache
    def draw_noise() -> np.ndarray:
        """Return draws of the noise: rows of another class have no gradient."""
        rows_without_class = np.zeros((ROWS, 200)), np.full(ROWS, 2)
        moves = []
        for seed in range(100):
            fitted = clone(model).set_params(random_state=seed).fit(*rows_without_class)
            moves.append(np.append(fitted.coef_, fitted.intercept_))
        # The sum of independent steps, scaled to the standard deviation of one.
        return np.array(moves) / math.sqrt(steps)

    def one_step(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the weights and the intercept after one step, (p + 1,)."""
        fitted = DPLogisticRegression(epsilon=2.0, steps=1, random_state=0, **parameters).fit(X, y)
        return np.append(fitted.coef_, fitted.intercept_)

    fitted = clone(model).fit(np.zeros((ROWS, 3)), np.zeros(ROWS))
    return Case(
        documented=DPLogisticRegression,
        names={**properties_of(fitted), "adjacency": adjacency, "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=draw_noise,
        changes=lambda: long_row_changes(one_step, adjacency=adjacency),
        epsilon=model.epsilon,
        delta=model.delta,
    )


class RecordedScores(np.ndarray):
    """Scores that are kept when the smallest one is chosen."""

    chosen_from: list[np.ndarray]

    def argmin(self, **options: Any) -> Any:
        """Keep the scores of the first model, and return the places of the smallest ones."""
        self.chosen_from.append(np.array(self[0]))
        return super().argmin(**options)


def noisy_scores(model: DPFrankWolfeRegressor, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the scores from which each step of a fit selects, (steps, vertices)."""
    exact_scores = L1Ball.scores
    RecordedScores.chosen_from = []
    with mock.patch.object(
        L1Ball, "scores", lambda ball, gradient: exact_scores(ball, gradient).view(RecordedScores)
    ):
        clone(model).set_params(random_state=0).fit(X, y)
    return np.array(RecordedScores.chosen_from)


def frank_wolfe_case(adjacency: Adjacency) -> Case:
    """Return the case of the estimator by Frank-Wolfe."""
    features = 25
    model = DPFrankWolfeRegressor(
        epsilon=2.0,
        delta=1e-6,
        radius=2.0,
        residual_bound=0.5,
        data_bound=3.0,
        steps=500,
        adjacency=str(adjacency),
    )

    def changes() -> np.ndarray:
        """Return differences of the scores of the first step, which has the same noise."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(ROWS, features))
        y = rng.normal(size=ROWS)
        with_row = []
        for label in (100.0, -100.0):
            X[-1] = 100.0
            y[-1] = label
            with_row.append(noisy_scores(model, X, y)[0])
        others = with_row
        if adjacency is Adjacency.ADD_REMOVE:
            X[-1] = 0
            y[-1] = 0
            others = [noisy_scores(model, X, y)[0]]
        return np.array([one - other for one, other in itertools.product(with_row, others)])

    # Without features there is no gradient, so scores are the subtracted noise alone.
    no_rows = np.zeros((ROWS, features)), np.zeros(ROWS)
    fitted = clone(model).fit(*no_rows)
    return Case(
        documented=DPFrankWolfeRegressor,
        names={**properties_of(fitted), "adjacency": adjacency, "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=lambda: -noisy_scores(model, *no_rows),
        changes=changes,
    )


def network_case() -> Case:
    """Return the case of the estimator of a network."""
    adjacency = Adjacency.ADD_REMOVE
    steps = 4
    parameters = {
        "hidden_layer_sizes": (),
        "delta": 1e-6,
        "clip_norm": CLIP_NORM,
        "lot_size": ROWS / 2,
        "decay": 1.0,
        "classes": [0, 1],
        "accountant": "renyi",
    }
    # A batch has half of the rows, so there are twice as many steps as epochs.
    model = DPNetworkClassifier(epsilon=2.0, epochs=steps / 2, **parameters)

    @cache
    def draw_noise() -> np.ndarray:
        """Return draws of the noise: rows of another class have no gradient."""
        rows_without_class = np.zeros((ROWS, 100)), np.full(ROWS, 2)
        moves = []
        for random_state in range(100):
            fitted = clone(model).set_params(random_state=random_state).fit(*rows_without_class)
            start = fitted.architecture_.start(base.noise_seed(random_state), [0])
            moves.append(fitted.weights_ - start[0])
        # The sum of independent steps, scaled to the standard deviation of one.
        return np.array(moves) / math.sqrt(steps)

    def one_step(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the weights of a fit whose batch contains the last row."""
        model = DPNetworkClassifier(epsilon=2.0, epochs=0.5, random_state=1, **parameters)
        return model.fit(X, y).weights_

    fitted = clone(model).fit(np.zeros((ROWS, 3)), np.zeros(ROWS))
    return Case(
        documented=DPNetworkClassifier,
        names={**properties_of(fitted), "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=draw_noise,
        changes=lambda: long_row_changes(one_step, adjacency=adjacency),
    )


CASES = {"DPNetworkClassifier": network_case()}
for relation in Adjacency:
    CASES[f"DPFrankWolfeRegressor, {relation}"] = frank_wolfe_case(relation)
    CASES[f"DPLogisticRegression, {relation}"] = logistic_case(relation)
