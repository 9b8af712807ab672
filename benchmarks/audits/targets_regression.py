"""Attack private regressions on ten rows with one feature, of which one row is replaced."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import source_detection
from dpcore.regression import descent, gaussian_statistics, perturbation
from dpcore.regression import functional as functional_mechanism
from dpcore.regression.gaussian_statistics import AdaSSP
from dpcore.regression.least_squares import Fit, Statistics

# (x, y) of the last row with the canary and without: worst for the sharp release.
WORST_ROWS = ((1.0, 1.0), (0.0, -1.0))
# The same, worst for the published release.
WORST_ROWS_PUBLISHED = ((1.0, 1.0), (-0.89, -1.0))
# The same, of two rows at right angles, which move the quadratic furthest.
WORST_ROWS_ADASSP = ((1.0, 1.0), (-1.0, 1.0))
# Share of epsilon for the quadratic: in the report, and where both parts of the sharp release have
# the same scale.
REPORT_SHARE = 0.9
EVEN_SHARE = 0.36
# Draws by which the standard deviation of released statistics is measured.
CALIBRATION_DRAWS = 4000

DESCENT_STEPS = 40
DESCENT_ROWS = 10

SOURCES = 8
DETECTION_ROWS = 10


class Worlds(NamedTuple):
    """Statistics of the rows with the canary and without."""

    with_canary: Statistics
    without_canary: Statistics

    def of(self, audit_run: AuditRun) -> Statistics:
        if audit_run.canary:
            return self.with_canary
        return self.without_canary


class Released(NamedTuple):
    """Noisy X^T X (runs, p, p) and X^T y (runs, p)."""

    gram: np.ndarray
    moment: np.ndarray


def ten_rows(last_rows: Sequence[tuple[float, float]]) -> Worlds:
    """Return the statistics of ten rows of which the last is either of two (x, y)."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(9), rng.uniform(-1, 1, 9)])
    y = np.clip(0.4 * X[:, 0] - 0.3 * X[:, 1], -1, 1)
    statistics_of_worlds = []
    for x, label in last_rows:
        statistics_of_worlds.append(Statistics.of(np.vstack([X, [1.0, x]]), np.append(y, label)))
    return Worlds(*statistics_of_worlds)


def _release(
    mechanism: Any, statistics_of_rows: Statistics, noise: np.ndarray, epsilon: float
) -> Released:
    """Return the statistics that a mechanism releases with each row of noise."""
    fit: Fit = mechanism.fit(statistics_of_rows, noise, np.array([epsilon]))
    if fit.gram is None or fit.moment is None:
        raise TypeError("this mechanism releases no statistics")
    return Released(fit.gram[0], fit.moment[0])


def _laplace_ratio(
    released: Released,
    worlds: Worlds,
    *,
    gram_scale: float,
    moment_scale: float,
    entries: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Return the log-likelihood ratio of Laplace noise on both statistics, (runs,).

    Args:
        released: The noisy statistics.
        worlds: Those without noise.
        gram_scale: Scale of the noise on X^T X.
        moment_scale: Scale of the noise on X^T y.
        entries: Rows and columns of X^T X that have noise of their own.
    """

    def distance(world: Statistics) -> np.ndarray:
        rows, columns = entries
        gram_difference = released.gram[:, rows, columns] - world.gram[rows, columns]
        moment_difference = released.moment - world.moment
        gram_distance = np.abs(gram_difference).sum(axis=1) / gram_scale
        return gram_distance + np.abs(moment_difference).sum(axis=1) / moment_scale

    return distance(worlds.without_canary) - distance(worlds.with_canary)


@target
def functional(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Score the noisy quadratic and linear part of the sharp functional mechanism."""
    mechanism = functional_mechanism.Functional(share=EVEN_SHARE)
    worlds = ten_rows(WORST_ROWS)
    noise = factor * audit_run.rng().laplace(size=(audit_run.runs, 5))
    released = _release(mechanism, worlds.of(audit_run), noise, epsilon)
    gram_scale, moment_scale = mechanism.scales(2, np.array(epsilon))
    return _laplace_ratio(
        released,
        worlds,
        gram_scale=gram_scale,
        moment_scale=moment_scale,
        entries=np.triu_indices(2),
    )


@target
def functional_published(audit_run: AuditRun, epsilon: float) -> np.ndarray:
    """Score the noisy quadratic as published, which gives about half of what it claims."""
    mechanism = functional_mechanism.Published(share=REPORT_SHARE)
    worlds = ten_rows(WORST_ROWS_PUBLISHED)
    noise = audit_run.rng().laplace(size=(audit_run.runs, 6))
    released = _release(mechanism, worlds.of(audit_run), noise, epsilon)
    rows, columns = np.indices((2, 2)).reshape(2, -1)
    return _laplace_ratio(
        released,
        worlds,
        gram_scale=2 * 4 / (REPORT_SHARE * epsilon),
        # The linear part is -2 X^T y.
        moment_scale=4 * 2 / ((1 - REPORT_SHARE) * epsilon) / 2,
        entries=(rows, columns),
    )


@target
def statistics(
    audit_run: AuditRun, epsilon: float, *, delta: float, factor: float = 1.0
) -> np.ndarray:
    """Score noisy Gaussian statistics along the difference of the worlds, in units of the noise."""
    mechanism = gaussian_statistics.GaussianStatistics(delta=delta)
    worlds = ten_rows(WORST_ROWS)

    # The standard deviations are measured, so that they are not those of the code under attack.
    nothing = Statistics(gram=1e-9 * np.eye(2), moment=np.zeros(2), square=0.0, rows=10)
    draws = np.random.default_rng(9).normal(size=(CALIBRATION_DRAWS, 5))
    only_noise = _release(mechanism, nothing, draws, epsilon)
    gram_sd = only_noise.gram[:, 1, 1].std()
    moment_sd = only_noise.moment.std()

    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 5))
    released = _release(mechanism, worlds.of(audit_run), noise, epsilon)
    gram_difference = worlds.with_canary.gram - worlds.without_canary.gram
    moment_difference = worlds.with_canary.moment - worlds.without_canary.moment
    gram_score = (released.gram * gram_difference).sum((1, 2)) / gram_sd**2
    moment_score = (released.moment * moment_difference).sum(1) / moment_sd**2
    return gram_score + moment_score


@target
def output(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Score output perturbation at a large penalty.

    There one row moves the optimum by nearly what the bound allows.
    """
    mechanism = perturbation.OutputPerturbation(penalty=60.0, radius=1.0)
    inputs = 4
    X = np.ones((1, inputs))
    worlds = Worlds(
        with_canary=Statistics.of(X, np.array([1.0])),
        without_canary=Statistics.of(X, np.array([-1.0])),
    )

    def weights(world: Statistics, noise: np.ndarray) -> np.ndarray:
        """Return the weights (runs, p) with each row of noise."""
        return mechanism.fit(world, noise, epsilons=np.array([epsilon])).weights[0]

    without_noise = np.zeros((1, inputs))
    optimum_with = weights(worlds.with_canary, without_noise)[0]
    optimum_without = weights(worlds.without_canary, without_noise)[0]
    unit_noise = NormExponential(sensitivity=1.0, epsilon=1.0)
    noise = factor * unit_noise.noise(inputs, audit_run.rng(), size=audit_run.runs)
    return weights(worlds.of(audit_run), noise) @ (optimum_with - optimum_without)


@target
def adassp(audit_run: AuditRun, epsilon: float, *, delta: float, as_mu: bool = False) -> np.ndarray:
    """Score noisy X^T X and X^T y along the difference of the worlds.

    The third release, an eigenvalue, is not seen.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        as_mu: Take mu of the claim for the noise over the sensitivity, in place of its inverse.
    """
    factor = 1.0
    if as_mu:
        multipliers = gaussian_statistics.noise_multipliers(
            np.array([epsilon]), delta=delta, releases=3
        )
        factor = 1 / float(multipliers[0]) ** 2
    worlds = ten_rows(WORST_ROWS_ADASSP)
    gram_difference = worlds.with_canary.gram - worlds.without_canary.gram
    moment_difference = worlds.with_canary.moment - worlds.without_canary.moment
    gram_axis = gram_difference / gaussian_statistics.gram_sensitivity(2) ** 2
    moment_axis = moment_difference / gaussian_statistics.moment_sensitivity(2) ** 2

    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 6))
    released = _release(AdaSSP(delta=delta), worlds.of(audit_run), noise, epsilon)
    return (released.gram * gram_axis).sum((1, 2)) + released.moment @ moment_axis


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
        steps=DESCENT_STEPS,
        batches=batches,
        radius=10.0,
        # So slow that the residual stays beyond its bound.
        rate=0.01,
        momentum=0.0,
        clip_norm=0.1,
    )
    X = np.zeros((DESCENT_ROWS, 2))
    X[-1] = 1.0
    label = -1.0
    if audit_run.canary:
        label = 1.0
    y = label * X[:, 0]
    noise = factor * audit_run.rng().standard_normal((audit_run.runs, 2 * DESCENT_STEPS))
    fit = mechanism.fit(descent.Rows.of(X, y), noise, np.array([epsilon]))
    return fit.weights[0] @ X[-1]


@target
def detection(
    audit_run: AuditRun, epsilon: float, *, delta: float, for_one_loss: bool = False
) -> np.ndarray:
    """Score the noisy losses of eight public sources, and of none.

    One row moves all nine losses from 0 to their bound, R^2 / 2.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        for_one_loss: Make the noise for one loss.
    """
    rho = gdp.mu_of(epsilon, delta=delta) ** 2 / 2
    if for_one_loss:
        rho *= SOURCES + 1
    y = np.zeros(DETECTION_ROWS)
    y[-1] = 10.0 * audit_run.canary
    found = source_detection.detect(
        np.zeros((DETECTION_ROWS, 2)),
        y,
        np.zeros((SOURCES, 2)),
        rho=rho,
        seed=audit_run.seed,
        draws=range(audit_run.runs),
        part=audit_run.draw,
    )
    return found.noisy.sum(axis=1)
