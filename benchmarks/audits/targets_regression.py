"""Attack private regressions on ten rows with one feature, of which one row is replaced."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import source_detection
from dpcore.regression import descent, gaussian_statistics, perturbation
from dpcore.regression import functional as fm
from dpcore.regression.gaussian_statistics import AdaSSP
from dpcore.regression.least_squares import Fit, Statistics

# (x, y) of the row in the two worlds: worst for the sharp release, and for the published one.
_WORST = ((1.0, 1.0), (0.0, -1.0))
_WORST_PUBLISHED = ((1.0, 1.0), (-0.89, -1.0))
# The report's share of epsilon for the quadratic.
REPORT_SHARE = 0.9
# Two rows at right angles: the quadratic moves the furthest.
_WORST_ADAPTIVE = ((1.0, 1.0), (-1.0, 1.0))
_STEPS = 40
_TRIANGLE, _WHOLE = np.triu_indices(2), tuple(np.indices((2, 2)).reshape(2, -1))
# The split at which both parts of the sharp release have the same scale.
_EVEN = 0.36


def ten_rows(worst: tuple) -> list[Statistics]:
    """Return the statistics of ten rows of which the last is either (x, y) of ``worst``."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(9), rng.uniform(-1, 1, 9)])
    y = np.clip(0.4 * X[:, 0] - 0.3 * X[:, 1], -1, 1)
    return [Statistics.of(np.vstack([X, [1.0, x]]), np.append(y, label)) for x, label in worst]


def _noisy(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the statistics (R, p, p) and (R, p) that a fit releases."""
    if fit.gram is None or fit.moment is None:
        raise TypeError("this mechanism releases no statistics")
    return fit.gram[0], fit.moment[0]


def _released(
    audit_run: AuditRun, mechanism: Any, worlds: list[Statistics], noise: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    return _noisy(mechanism.fit(worlds[1 - audit_run.canary], noise, np.array([epsilon])))


def laplace_ratio(
    released: tuple[np.ndarray, np.ndarray],
    worlds: list[Statistics],
    scales: tuple,
    places: tuple[Any, ...],
) -> np.ndarray:
    """Return the log-likelihood ratio of Laplace noise of these ``scales`` on both statistics."""
    gram, moment = released
    near, far = (
        np.abs(gram[:, *places] - one.gram[*places]).sum(axis=1) / scales[0]
        + np.abs(moment - one.moment).sum(axis=1) / scales[1]
        for one in worlds
    )
    return far - near


@target
def functional(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    mechanism, worlds = fm.Functional(share=_EVEN), ten_rows(_WORST)
    released = _released(
        audit_run,
        mechanism,
        worlds,
        factor * audit_run.rng().laplace(size=(audit_run.runs, 5)),
        epsilon,
    )
    return laplace_ratio(released, worlds, mechanism.scales(2, np.array(epsilon)), _TRIANGLE)


@target
def functional_published(audit_run: AuditRun, epsilon: float) -> np.ndarray:
    """Score the noisy quadratic as published: what it gives is about half of what it claims."""
    mechanism, worlds = fm.Published(share=REPORT_SHARE), ten_rows(_WORST_PUBLISHED)
    scales = 2 * 4 / (REPORT_SHARE * epsilon), 4 * 2 / ((1 - REPORT_SHARE) * epsilon) / 2
    released = _released(
        audit_run, mechanism, worlds, audit_run.rng().laplace(size=(audit_run.runs, 6)), epsilon
    )
    return laplace_ratio(released, worlds, scales, _WHOLE)


@target
def statistics(
    audit_run: AuditRun, epsilon: float, *, delta: float, factor: float = 1.0
) -> np.ndarray:
    """Score noisy Gaussian statistics, projected on the difference of the worlds in units of the
    noise.
    """
    mechanism, worlds = gaussian_statistics.GaussianStatistics(delta=delta), ten_rows(_WORST)
    blank = Statistics(gram=1e-9 * np.eye(2), moment=np.zeros(2), square=0.0, rows=10)
    grams, moments = _noisy(
        mechanism.fit(blank, np.random.default_rng(9).normal(size=(4000, 5)), np.array([epsilon]))
    )
    sd = grams[:, 1, 1].std(), moments.std()
    gram, moment = worlds[0].gram - worlds[1].gram, worlds[0].moment - worlds[1].moment
    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 5))
    grams, moments = _released(audit_run, mechanism, worlds, noise, epsilon)
    return (grams * gram).sum((1, 2)) / sd[0] ** 2 + (moments * moment).sum(1) / sd[1] ** 2


@target
def output(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Score output perturbation at a large penalty, where one row moves the optimum by nearly what
    the bound allows.
    """
    fit = partial(
        perturbation.OutputPerturbation(penalty=60.0, radius=1.0).fit, epsilons=np.array([epsilon])
    )
    worlds = [Statistics.of(np.ones((1, 4)), np.array([label])) for label in (1.0, -1.0)]
    ends = [fit(one, np.zeros((1, 4))).weights[0, 0] for one in worlds]
    noise = factor * NormExponential(sensitivity=1.0, epsilon=1.0).noise(
        4, audit_run.rng(), size=audit_run.runs
    )
    return fit(worlds[1 - audit_run.canary], noise).weights[0] @ (ends[0] - ends[1])


@target
def adassp(audit_run: AuditRun, epsilon: float, *, delta: float, as_mu: bool = False) -> np.ndarray:
    """Score noisy X'X and X'y, projected on what the worlds differ in; the third release, an
    eigenvalue, stays inside.

    as_mu: mu of the claim is taken for the noise over the sensitivity, in place of its inverse.
    """
    mechanism, worlds = AdaSSP(delta=delta), ten_rows(_WORST_ADAPTIVE)
    multiplier = float(
        gaussian_statistics.noise_multipliers(np.array([epsilon]), delta=delta, releases=3)[0]
    )
    factor = 1 / multiplier**2 if as_mu else 1.0
    first, second = worlds
    gram = (first.gram - second.gram) / gaussian_statistics.gram_sensitivity(2) ** 2
    moment = (first.moment - second.moment) / gaussian_statistics.moment_sensitivity(2) ** 2
    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 6))
    grams, moments = _released(audit_run, mechanism, worlds, noise, epsilon)
    return (grams * gram).sum((1, 2)) + moments @ moment


@target
def clipped(
    audit_run: AuditRun, epsilon: float, *, delta: float, batches: int = 1, factor: float = 1.0
) -> np.ndarray:
    """Score descent by the released weights along the only row that has inputs.

    With one label its gradient is clipped to one side in every step, and with the other label to
    the other side. Other rows are missing, so the path is a random walk with a drift.
    """
    mechanism = descent.Descent(
        delta=delta,
        steps=_STEPS,
        batches=batches,
        radius=10.0,
        # So slow that the residual stays beyond its bound.
        rate=0.01,
        momentum=0.0,
        clip_norm=0.1,
    )
    X = np.zeros((10, 2))
    X[-1] = 1.0
    label = -1.0
    if audit_run.canary:
        label = 1.0
    y = label * X[:, 0]
    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 2 * _STEPS))
    fit = mechanism.fit(descent.Rows.of(X, y), noise, np.array([epsilon]))
    return fit.weights[0] @ X[-1]


@target
def detection(
    audit_run: AuditRun, epsilon: float, *, delta: float, one: bool = False
) -> np.ndarray:
    """Score the noisy losses of eight public sources, and of none.

    One row moves all nine from 0 to their bound, R^2 / 2. one: the noise is made for one loss.
    """
    sources, rows = 8, 10
    rho = gdp.mu_of(epsilon, delta=delta) ** 2 / 2 * (sources + 1 if one else 1)
    none = np.zeros((sources, 2))
    y = np.append(np.zeros(rows - 1), 10.0 * audit_run.canary)
    found = source_detection.detect(
        np.zeros((rows, 2)),
        y,
        none,
        rho=rho,
        seed=audit_run.seed,
        draws=range(audit_run.runs),
        part=audit_run.draw,
    )
    return found.noisy.sum(axis=1)
