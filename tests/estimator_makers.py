"""Small estimators of every kind, and rows to fit them to."""

from typing import Any

import numpy as np

from dpcore.estimators.linear import DPLinearRegression
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor


def make_logistic(**parameters: Any) -> DPLogisticRegression:
    """Return a logistic regression with these parameters."""
    return DPLogisticRegression(**parameters)


def make_network(**parameters: Any) -> DPNetworkClassifier:
    """Return a network of one epoch and lots of 100 rows, unless the parameters say otherwise."""
    return DPNetworkClassifier(**{"epochs": 1, "lot_size": 100, **parameters})


def make_linear(**parameters: Any) -> DPLinearRegression:
    """Return a regression by three steps of descent, unless the parameters say otherwise."""
    return DPLinearRegression(**{"mechanism": "descent", "steps": 3, "penalty": 1.0, **parameters})


def make_sparse(**parameters: Any) -> DPFrankWolfeRegressor:
    """Return a Frank-Wolfe regression of three steps, unless the parameters say otherwise."""
    return DPFrankWolfeRegressor(**{"steps": 3, **parameters})


CLASSIFIERS = {"logistic": make_logistic, "network": make_network}
ESTIMATORS = {**CLASSIFIERS, "linear": make_linear, "sparse": make_sparse}


def simple_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return 100 rows of two features, and the class 0 or 1 of each."""
    X = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    return X, (X[:, 0] > 0).astype(int)


def separated_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return 200 rows of three features whose classes "a" and "b" lie apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(scale=0.2, size=(200, 3)) + 0.5 * np.eye(2, 3)[y]
    return X, np.array(["a", "b"])[y]


def weights_of(fitted: Any) -> np.ndarray:
    """Return what a fitted estimator has learned."""
    if hasattr(fitted, "weights_"):
        return fitted.weights_
    return fitted.coef_
