"""What the audit table attacks among the private regressions: ten rows with one feature, of which one is replaced."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpcore import transfer
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.regression import functional as fm
from dpcore.regression import gaussian_statistics, perturbed
from dpcore.regression.adassp import AdaSSP
from dpcore.regression.least_squares import Statistics
from pages.attack.audits.targets import Target, both, each

Noise = Callable[[np.random.Generator, int], np.ndarray]
Score = Callable[[fm.Fit], np.ndarray]
# (x, y) of the row in the two worlds: worst for the sharp release, and for the published one.
_WORST = ((1.0, 1.0), (0.0, -1.0))
_WORST_PUBLISHED = ((1.0, 1.0), (-0.89, -1.0))
# The report's share of epsilon for the quadratic.
REPORT_SHARE = 0.9
# Two rows at right angles: the quadratic moves the furthest.
_WORST_ADAPTIVE = ((1.0, 1.0), (-1.0, 1.0))
# Of the noisy descent: its steps, and rows enough that a weight's own noise stays small beside 1.
_STEPS, _MANY = 40, 1000
_TRIANGLE, _WHOLE = np.triu_indices(2), tuple(np.indices((2, 2)).reshape(2, -1))
# The split at which both parts of the sharp release have the same scale.
_EVEN = 0.36


def _ten_rows(worst: tuple) -> list[Statistics]:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(9), rng.uniform(-1, 1, 9)])
    y = np.clip(0.4 * X[:, 0] - 0.3 * X[:, 1], -1, 1)
    return [Statistics.of(np.vstack([X, [1.0, x]]), np.append(y, label)) for x, label in worst]


def _released(
    mechanism: Any, worlds: list[Statistics], score: Score, *, epsilon: float, noise: Noise, factor: float = 1.0
) -> Target:
    """Score what ``mechanism`` releases of each of two statistics, with ``factor`` times standard ``noise``."""

    def scored(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        return score(mechanism.fit(worlds[1 - world], factor * noise(rng, runs), np.array([epsilon])))

    return both(scored)


def _laplace(numbers: int) -> Noise:
    return lambda rng, runs: rng.laplace(size=(runs, numbers))


def _normal(numbers: int) -> Noise:
    return lambda rng, runs: rng.standard_normal((runs, numbers))


def _noisy(fit: fm.Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the statistics (R, p, p) and (R, p) that a fit releases."""
    if fit.gram is None or fit.moment is None:
        raise TypeError("this mechanism releases no statistics")
    return fit.gram[0], fit.moment[0]


def _laplace_ratio(worlds: list[Statistics], scales: tuple, places: tuple[Any, ...]) -> Score:
    """Return the log-likelihood ratio of Laplace noise of these ``scales`` on both statistics."""

    def distance(fit: fm.Fit, world: Statistics) -> np.ndarray:
        gram, moment = _noisy(fit)
        on_gram = np.abs(gram[:, *places] - world.gram[*places]).sum(axis=1) / scales[0]
        return on_gram + np.abs(moment - world.moment).sum(axis=1) / scales[1]

    return lambda fit: distance(fit, worlds[1]) - distance(fit, worlds[0])


def functional(epsilon: float, *, factor: float = 1.0) -> Target:
    """Score the noisy quadratic of the sharp functional mechanism."""
    mechanism, statistics = fm.Functional(share=_EVEN, repair="none"), _ten_rows(_WORST)
    score = _laplace_ratio(statistics, mechanism.scales(2, np.array(epsilon)), _TRIANGLE)
    return _released(mechanism, statistics, score, epsilon=epsilon, noise=_laplace(5), factor=factor)


def functional_published(epsilon: float) -> Target:
    """Score the noisy quadratic as published: what it gives is about half of what it claims."""
    mechanism, statistics = fm.Published(share=REPORT_SHARE), _ten_rows(_WORST_PUBLISHED)
    scales = 2 * 4 / (REPORT_SHARE * epsilon), 4 * 2 / ((1 - REPORT_SHARE) * epsilon) / 2
    score = _laplace_ratio(statistics, scales, _WHOLE)
    return _released(mechanism, statistics, score, epsilon=epsilon, noise=_laplace(6))


def statistics(epsilon: float, *, delta: float, factor: float = 1.0) -> Target:
    """Score noisy Gaussian statistics, projected on the difference of the worlds in units of the noise."""
    mechanism, worlds = gaussian_statistics.GaussianStatistics(delta=delta), _ten_rows(_WORST)
    blank = Statistics(gram=1e-9 * np.eye(2), moment=np.zeros(2), square=0.0, rows=10)
    grams, moments = _noisy(mechanism.fit(blank, np.random.default_rng(9).normal(size=(4000, 5)), np.array([epsilon])))
    sd = grams[:, 1, 1].std(), moments.std()
    gram, moment = worlds[0].gram - worlds[1].gram, worlds[0].moment - worlds[1].moment

    def score(fit: fm.Fit) -> np.ndarray:
        grams, moments = _noisy(fit)
        return (grams * gram).sum((1, 2)) / sd[0] ** 2 + (moments * moment).sum(1) / sd[1] ** 2

    return _released(mechanism, worlds, score, epsilon=epsilon, noise=_normal(5), factor=factor)


def output(epsilon: float, *, factor: float = 1.0) -> Target:
    """Score output perturbation at a large penalty, where one row moves the optimum by nearly what the bound allows."""
    mechanism = perturbed.OutputPerturbation(penalty=60.0, radius=1.0)
    worlds = [Statistics.of(np.ones((1, 4)), np.array([label])) for label in (1.0, -1.0)]
    ends = [mechanism.fit(world, np.zeros((1, 4)), np.array([epsilon])).weights[0, 0] for world in worlds]
    standard = NormExponential(sensitivity=1.0, epsilon=1.0)

    def noise(rng: np.random.Generator, runs: int) -> np.ndarray:
        return standard.noise(4, rng, size=runs)

    def score(fit: fm.Fit) -> np.ndarray:
        return fit.weights[0] @ (ends[0] - ends[1])

    return _released(mechanism, worlds, score, epsilon=epsilon, noise=noise, factor=factor)


def adassp(epsilon: float, *, delta: float, as_mu: bool = False) -> Target:
    """Score noisy X'X and X'y, projected on what the worlds differ in; the third release, an eigenvalue, stays inside.

    as_mu: mu of the claim is taken for the noise over the sensitivity, in place of its inverse.
    """
    mechanism, worlds = AdaSSP(delta=delta), _ten_rows(_WORST_ADAPTIVE)
    multiplier = float(gaussian_statistics.noise_multipliers(np.array([epsilon]), delta=delta, releases=3)[0])
    factor = 1 / multiplier**2 if as_mu else 1.0
    first, second = worlds
    gram = (first.gram - second.gram) / gaussian_statistics.gram_sensitivity(2) ** 2
    moment = (first.moment - second.moment) / gaussian_statistics.moment_sensitivity(2) ** 2

    def score(fit: fm.Fit) -> np.ndarray:
        grams, moments = _noisy(fit)
        return (grams * gram).sum((1, 2)) + moments @ moment

    return _released(mechanism, worlds, score, epsilon=epsilon, noise=_normal(6), factor=factor)


def steps(epsilon: float, *, delta: float, whole: bool = False) -> Target:
    """Score noisy descent by the coefficient that one row alone has a say in, with one label there and with the other.

    whole: every step has the noise for the whole budget, and not for its share.
    """
    mechanism = perturbed.Descent(delta=delta, steps=_STEPS, radius=10.0, momentum=0.0)
    X = np.column_stack([np.ones(_MANY), np.eye(_MANY)[0]])
    worlds = [Statistics.of(X, label * X[:, 1]) for label in (1.0, -1.0)]
    factor = 1 / math.sqrt(_STEPS) if whole else 1.0

    def score(fit: fm.Fit) -> np.ndarray:
        return fit.weights[0][:, 1]

    return _released(mechanism, worlds, score, epsilon=epsilon, noise=_normal(2 * _STEPS), factor=factor)


def clipped(epsilon: float, *, delta: float, factor: float = 1.0) -> Target:
    """Score the first step of noisy descent with clipped gradients, along one row.

    One step: of many, the average of the path, which is the answer, hides nearly all.
    """
    X = np.column_stack([np.ones(10), np.linspace(-1, 1, 10)])
    X[-1] = 1.0
    mechanism = perturbed.Descent(delta=delta, steps=1, radius=10.0, momentum=0.0, clip_norm=0.1)
    return _one_step(mechanism, X, epsilon=epsilon, factor=factor)


def penalised(epsilon: float, *, delta: float, number: bool = False) -> Target:
    """Score one step of the descent beside Frank-Wolfe, in the L1 ball, along a row of the box's corner.

    number: noise for one number of the gradient, as the walk has it.
    """
    d = 30
    X = np.zeros((10, d))
    X[-1], X[:-1, 0] = 1.0, 1e-3
    mechanism = perturbed.Descent(
        delta=delta, steps=1, radius=50.0, norm="l1", rate=1.0, momentum=0.0, clip_norm=0.2 * (d / 3) ** 0.5
    )
    return _one_step(mechanism, X, epsilon=epsilon, factor=d**-0.5 if number else 1.0)


def _one_step(mechanism: perturbed.Descent, X: np.ndarray, *, epsilon: float, factor: float) -> Target:
    """Score the answer along the last row of X, with one label and with the other; all other labels are 0."""

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        y = np.append(np.zeros(len(X) - 1), 2.0 * world - 1)
        noise = factor * rng.standard_normal((runs, X.shape[1]))
        return mechanism.fit(Statistics.of(X, y), noise, np.array([epsilon]), rows=(X, y)).weights[0] @ X[-1]

    return both(score)


def detection(epsilon: float, *, delta: float, one: bool = False) -> Target:
    """Score the noisy losses of eight public sources, and of none.

    One row moves all nine from 0 to their bound, R^2 / 2. one: the noise is made for one loss.
    """
    sources, rows = 8, 10
    rho = gdp.mu_of(epsilon, delta=delta) ** 2 / 2 * (sources + 1 if one else 1)
    contrasts = np.zeros((sources, 2))

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        y = np.append(np.zeros(rows - 1), 10.0 * world)
        data = transfer.Problem(
            X=np.zeros((rows, 2)), y=y, beta=np.zeros(2), contrasts=contrasts, ranges=np.zeros((sources, 2)), sources=()
        )
        return transfer.detect(data, contrasts, rho=rho, seed=seed, draws=range(runs), part=draw).noisy.sum(axis=1)

    return each(score)
