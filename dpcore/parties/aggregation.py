"""Aggregation of the parties' classifiers by a trusted aggregator, private for one whole party.

Follows [hamm2016]: M parties, one of which may be replaced with *all of its rows*; the auxiliary
rows are public, with ||x|| <= 1 including the constant. The parties' votes label the public rows,
and the minimiser of

    (1/N) sum_i sum_k a_ik l_k(W x_i) + (lambda/2) ||W||^2

over the N public rows is released with norm-exponential noise (output perturbation
[chaudhuri2011]). Targets a are the winner of the votes (Algorithm 1, "vote") or the parties' shares
for each class (Algorithm 2, "soft"), of their votes or of their class probabilities. One party can
change the winner entirely, and a share by 1/M. "average" releases the mean of the parties' own
weights [pathak2010], with noise for a whole party.

L2 sensitivity of the released weights, replace-one party, K = 2 (one output) and K > 2 (noise in K
d dimensions):

                   vote               soft                   average
    "published"    2/lambda           2/(M lambda)           2/(M lambda)         K = 2
                   sqrt2/lambda       sqrt2/(M lambda)       2 sqrt2/(M lambda)   K > 2
    "sharp"        c g/lambda         c g/(M lambda)         as published
    "norms"        min of "sharp" and 2 B                    2 min(B, c/lambda)/M

c = 1 for K = 2: the derivative of the logistic risk in a_i is -x_i/N for all weights, as l'(z) +
l'(-z) = -1, half of the published bound. c = sqrt2 for K > 2, where the published bound already
uses that. g = (1/N) sum_i ||x_i|| <= 1 is public. B bounds the norm of any minimiser: the gradient
is 0 there, so lambda ||W||^2 = sum_i r_i sum_k (a_ik - p_ik) z_ik, and a class's part of it, z_y -
sum_k p_k z_k, is at most u(K) = max_z z (K-1)/(e^z + K-1) = W0((K-1)/e). Hence B =
sqrt(u(K)/lambda). Local weights are clipped to that norm and to c/lambda, so their bound depends on
no solver.
"""

import math

import numpy as np
from scipy.special import lambertw

from dpcore import check
from dpcore.training import erm
from dpcore.training.losses import outputs

RELEASES = ("vote", "soft", "average")
CONSTANTS = ("published", "sharp", "norms")
# Norms below this count as 0, so that nothing is divided by 0.
_LEAST_NORM = 1e-300


def norm_bound(classes: int, regularisation: float) -> float:
    """Return B, which bounds the norm of any minimiser of K-class losses plus (lambda/2)||W||^2."""
    largest_margin_part = float(lambertw((classes - 1) / math.e).real)
    return math.sqrt(largest_margin_part / regularisation)


def local_norm_bound(classes: int, regularisation: float) -> float:
    """Return min(B, c/lambda), which no minimiser exceeds; local weights are clipped to it."""
    return min(_slope(classes) / regularisation, norm_bound(classes, regularisation))


def _slope(classes: int) -> float:
    """Return c of the table above."""
    if classes == 2:
        return 1
    return math.sqrt(2)


def sensitivity(
    release: str,
    *,
    classes: int,
    parties: float,
    regularisation: float,
    constants: str = "sharp",
    mean_norm: float = 1.0,
    tolerance: float = 0.0,
) -> float:
    """Return the L2 sensitivity of the weights of a release, from the table above.

    Args:
        release: One of ``RELEASES``.
        classes: K.
        parties: M.
        regularisation: lambda.
        constants: One of ``CONSTANTS``.
        mean_norm: g of the public rows.
        tolerance: Gradient norm tau accepted for a minimiser, which adds 2 tau/lambda. The mean of
            clipped weights depends on no solver.
    """
    slope = _slope(classes)
    divisor = parties
    if release == "vote":
        divisor = 1
    if release == "average":
        if constants == "norms":
            return 2 * local_norm_bound(classes, regularisation) / divisor
        return 2 * slope / (divisor * regularisation)
    slack = float(erm.distance(tolerance, regularisation=regularisation))
    if constants == "published":
        published_slope = slope
        if classes == 2:
            published_slope = 2
        return published_slope / (divisor * regularisation) + slack
    bound = slope * mean_norm / (divisor * regularisation)
    if constants == "norms":
        bound = min(bound, 2 * norm_bound(classes, regularisation))
    return bound + slack


def targets(counts: np.ndarray, *, release: str) -> np.ndarray:
    """Return the targets (..., K, N) of the public rows for each class.

    Args:
        counts: Counts of votes, or sums of class probabilities, (..., K, N).
        release: "soft" takes shares. "vote" takes 1 for the class with most votes, the first if
            classes tie.

    Raises:
        RefusedError: If the counts are not finite numbers, at least 0.
    """
    counts = check.numbers(low=0, counts=counts)
    if release == "soft":
        return counts / counts.sum(axis=-2, keepdims=True)
    return one_hot(counts.argmax(axis=-2), counts.shape[-2])


def fit(
    X: np.ndarray,
    shares: np.ndarray,
    *,
    regularisation: float,
    tolerance: float = erm.TOLERANCE,
    start: np.ndarray | None = None,
) -> erm.Minimum:
    """Return the weights (..., k, d) fitted to targets, and what the solver reached.

    Args:
        X: (N, d) or (..., N, d).
        shares: Targets, (..., K, N).
        regularisation: lambda.
        tolerance: Largest norm of the gradient.
        start: Starting weights (..., k, d). Use them only with a strict tolerance, because a
            loosely converged result depends on its start.
    """
    if outputs(shares.shape[-2]) > 1:
        return erm.softmax(
            X, shares, regularisation=regularisation, tolerance=tolerance, start=start
        )
    if start is not None:
        start = start[..., 0, :]
    minimum = erm.logistic(
        X, shares[..., 1, :], regularisation=regularisation, tolerance=tolerance, start=start
    )
    return minimum._replace(weights=minimum.weights[..., None, :])


def clip_norms(weights: np.ndarray, *, max_norm: float) -> np.ndarray:
    """Scale weights (..., k, d) down to a norm of at most ``max_norm``."""
    norms = np.linalg.norm(weights, axis=(-2, -1), keepdims=True)
    return weights * np.minimum(1, max_norm / np.maximum(norms, _LEAST_NORM))


def one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    """Return class numbers (..., N) one-hot encoded, (..., K, N)."""
    class_numbers = np.arange(classes)[:, None]
    return (labels[..., None, :] == class_numbers).astype(float)


def margin_sd(sensitivity: float, *, dimensions: int, epsilon: float) -> float:
    """Return the standard deviation of norm-exponential noise in any direction.

    It is sqrt(D + 1) sensitivity / epsilon, and that of the margin of a row of norm 1, because
    ||b|| ~ Gamma(D, s) has E ||b||^2 = D (D + 1) s^2, in D directions.
    """
    return math.sqrt(dimensions + 1) * sensitivity / epsilon
