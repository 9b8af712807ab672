"""What the audit table attacks among the private regressions: ten rows with one feature, of which one is replaced."""

import math
from collections.abc import Callable

import numpy as np

from dpcore.experiments.attack_targets import Target, both
from dpcore.learners import functional as fm
from dpcore.learners import gaussian_statistics, perturbed
from dpcore.learners.least_squares import Statistics
from dpcore.mechanisms import NormExponential

# (x, y) of the row in the two worlds: worst for the sharp release, and for the published one.
_WORST = ((1.0, 1.0), (0.0, -1.0))
_WORST_PUBLISHED = ((1.0, 1.0), (-0.89, -1.0))
# Two rows at right angles: the quadratic moves the furthest.
_WORST_ADAPTIVE = ((1.0, 1.0), (-1.0, 1.0))
# Of the noisy descent: its steps, and rows enough that a weight's own noise stays small beside 1.
_STEPS, _MANY = 10, 1000
_TRIANGLE, _WHOLE = np.triu_indices(2), np.indices((2, 2)).reshape(2, -1)
# The split at which both parts of the sharp release have the same scale.
_EVEN = 0.36


def _ten_rows(worst: tuple) -> list[Statistics]:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(9), rng.uniform(-1, 1, 9)])
    y = np.clip(0.4 * X[:, 0] - 0.3 * X[:, 1], -1, 1)
    return [Statistics.of(np.vstack([X, [1.0, x]]), np.append(y, label)) for x, label in worst]


def _released(way, statistics: list[Statistics], noise: Callable, score: Callable, *, epsilon: float) -> Target:
    """Scores of what ``way`` releases of each of two statistics, with standard ``noise`` (rng, runs)."""

    def each(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        return score(way.fit(statistics[1 - world], noise(rng, runs), np.array([epsilon])))

    return both(each)


def _laplace_ratio(statistics: list[Statistics], scales: tuple, places: np.ndarray) -> Callable:
    first, second = statistics

    def score(fit: fm.Fit) -> np.ndarray:
        total = 0.0
        for sign, world in ((1, second), (-1, first)):
            on_gram = np.abs(fit.gram[0][:, *places] - world.gram[*places]).sum(axis=1) / scales[0]
            total = total + sign * (on_gram + np.abs(fit.moment[0] - world.moment).sum(axis=1) / scales[1])
        return total

    return score


def functional(epsilon: float, *, factor: float = 1.0) -> Target:
    """The noisy quadratic of the sharp functional mechanism."""
    way, statistics = fm.Functional(share=_EVEN, repair="none"), _ten_rows(_WORST)
    score = _laplace_ratio(statistics, way.scales(2, np.array(epsilon)), _TRIANGLE)
    return _released(way, statistics, lambda rng, runs: factor * rng.laplace(size=(runs, 5)), score, epsilon=epsilon)


def functional_published(epsilon: float) -> Target:
    """The noisy quadratic as published: what it gives is about half of what it claims."""
    way, statistics = fm.Published(share=0.9), _ten_rows(_WORST_PUBLISHED)
    scales = 2 * 4 / (0.9 * epsilon), 4 * 2 / (0.1 * epsilon) / 2
    score = _laplace_ratio(statistics, scales, _WHOLE)
    return _released(way, statistics, lambda rng, runs: rng.laplace(size=(runs, 6)), score, epsilon=epsilon)


def statistics(epsilon: float, *, delta: float, factor: float = 1.0) -> Target:
    """Noisy Gaussian statistics, projected on the difference of the worlds in units of the noise."""
    way, worlds = gaussian_statistics.GaussianStatistics(delta=delta), _ten_rows(_WORST)
    blank = Statistics(gram=1e-9 * np.eye(2), moment=np.zeros(2), square=0.0, rows=10)
    pure = way.fit(blank, np.random.default_rng(9).normal(size=(4000, 5)), np.array([epsilon]))
    sd = pure.gram[0][:, 1, 1].std(), pure.moment[0].std()
    gram, moment = worlds[0].gram - worlds[1].gram, worlds[0].moment - worlds[1].moment

    def score(fit: fm.Fit) -> np.ndarray:
        return (fit.gram[0] * gram).sum((1, 2)) / sd[0] ** 2 + (fit.moment[0] * moment).sum(1) / sd[1] ** 2

    return _released(way, worlds, lambda rng, runs: factor * rng.normal(size=(runs, 5)), score, epsilon=epsilon)


def output(epsilon: float, *, factor: float = 1.0) -> Target:
    """Output perturbation at a large penalty, where one row moves the optimum by nearly what the bound allows."""
    way = perturbed.OutputPerturbation(penalty=60.0, radius=1.0)
    worlds = [Statistics.of(np.ones((1, 4)), np.array([label])) for label in (1.0, -1.0)]
    ends = [way.fit(world, np.zeros((1, 4)), np.array([epsilon])).weights[0, 0] for world in worlds]
    standard = NormExponential(sensitivity=1.0, epsilon=1.0)
    step = ends[0] - ends[1]

    def noise(rng: np.random.Generator, runs: int) -> np.ndarray:
        return factor * standard.noise(4, rng, size=runs)

    return _released(way, worlds, noise, lambda fit: fit.weights[0] @ step, epsilon=epsilon)


def adassp(epsilon: float, *, delta: float, as_mu: bool = False) -> Target:
    """Noisy X'X and X'y, projected on what the worlds differ in; the third release, of an eigenvalue, stays inside.

    as_mu: mu of the claim is taken for the noise over the sensitivity, in place of its inverse.
    """
    way, worlds = gaussian_statistics.AdaSSP(delta=delta), _ten_rows(_WORST_ADAPTIVE)
    multiplier = float(gaussian_statistics.noise_multipliers(np.array([epsilon]), delta=delta, releases=3)[0])
    factor = 1 / multiplier**2 if as_mu else 1.0
    first, second = worlds
    gram = (first.gram - second.gram) / gaussian_statistics.gram_sensitivity(2) ** 2
    moment = (first.moment - second.moment) / gaussian_statistics.moment_sensitivity(2) ** 2

    def score(fit: fm.Fit) -> np.ndarray:
        return (fit.gram[0] * gram).sum((1, 2)) + fit.moment[0] @ moment

    return _released(way, worlds, lambda rng, runs: factor * rng.normal(size=(runs, 6)), score, epsilon=epsilon)


def steps(epsilon: float, *, delta: float, each: bool = False) -> Target:
    """Noisy descent: the coefficient that one row alone has a say in, with one label there and with the other.

    each: every step has the noise for the whole budget, and not for its share.
    """
    way = perturbed.Descent(delta=delta, steps=_STEPS, radius=10.0, momentum=0.0)
    X = np.column_stack([np.ones(_MANY), np.eye(_MANY)[0]])
    worlds = [Statistics.of(X, label * X[:, 1]) for label in (1.0, -1.0)]
    factor = 1 / math.sqrt(_STEPS) if each else 1.0

    def noise(rng: np.random.Generator, runs: int) -> np.ndarray:
        return factor * rng.standard_normal((runs, 2 * _STEPS))

    return _released(way, worlds, noise, lambda fit: fit.weights[0][:, 1], epsilon=epsilon)
