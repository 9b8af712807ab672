"""Rows for the tests of private linear regression, and a mechanism with its noise off."""

import numpy as np

from dpcore.estimators import linear
from dpcore.regression.least_squares import Statistics


def rows_of(n: int = 300, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, d))])
    return X, np.clip(X @ np.linspace(0.4, -0.3, d + 1) + rng.normal(scale=0.1, size=n), -1, 1)


def statistics_of(**how) -> Statistics:
    return Statistics.of(*rows_of(**how))


def quiet(way, statistics, epsilon=1.0, **more):
    noise = 0 * linear.standard_noise(way, inputs=statistics.inputs, repeats=1, seed=0)
    return way.fit(statistics, noise, np.array([epsilon]), **more).weights[0, 0]
