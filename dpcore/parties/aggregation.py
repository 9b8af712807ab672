"""Aggregation of the parties' classifiers by a trusted aggregator, with the sensitivity to one
whole party.

Follows [hamm2016]: M parties, one of which may be replaced with *all of its rows*; the auxiliary
rows are public, with
||x|| <= 1 including the constant. The parties' votes label the public rows, and the minimiser of

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


def norm_bound(classes: int, regularisation: float) -> float:
    """Return B, a bound on the norm of any minimiser of an average of K-class losses plus
    (lambda/2)||W||^2.
    """
    return math.sqrt(float(lambertw((classes - 1) / math.e).real) / regularisation)


def longest(classes: int, regularisation: float) -> float:
    """Return the norm that local weights are clipped to, which no minimiser exceeds: min(B,
    c/lambda).
    """
    steepest = 1 if classes == 2 else math.sqrt(2)
    return min(steepest / regularisation, norm_bound(classes, regularisation))


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
    """Return the L2 sensitivity of the weights of ``release``, from the table above.

    mean_norm: g of the public rows. tolerance: gradient norm tau accepted for a minimiser, which
    adds 2 tau/lambda.
    """
    many = 1 if release == "vote" else parties
    if release == "average":
        published = 2 * (1 if classes == 2 else math.sqrt(2)) / (many * regularisation)
        return 2 * longest(classes, regularisation) / many if constants == "norms" else published
    slack = float(erm.distance(tolerance, regularisation=regularisation))
    if constants == "published":
        return (2 if classes == 2 else math.sqrt(2)) / (many * regularisation) + slack
    sharp = (1 if classes == 2 else math.sqrt(2)) * mean_norm / (many * regularisation)
    return (
        min(sharp, 2 * norm_bound(classes, regularisation)) if constants == "norms" else sharp
    ) + slack


def targets(counts: np.ndarray, *, release: str) -> np.ndarray:
    """Return targets (..., K, N) for each class from counts of votes, or sums of probabilities,
    (..., K, N).

    "soft": shares. "vote": 1 for the class with most votes, the first if tied. Raises RefusedError
    for counts that are not finite numbers.
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
    """Return the weights (..., k, d) fitted to targets ``shares`` (..., K, N) of rows X (N, d) or
    (..., N, d).

    start: starting weights. Use only with a strict tolerance, because a loosely converged result
    depends on its start.
    """
    if outputs(shares.shape[-2]) == 1:
        start, y = None if start is None else start[..., 0, :], shares[..., 1, :]
        found = erm.logistic(X, y, regularisation=regularisation, tolerance=tolerance, start=start)
        return found._replace(weights=found.weights[..., None, :])
    return erm.softmax(X, shares, regularisation=regularisation, tolerance=tolerance, start=start)


def cut(weights: np.ndarray, *, to: float) -> np.ndarray:
    """Clip weights (..., k, d) to a norm of at most ``to``."""
    norms = np.linalg.norm(weights, axis=(-2, -1), keepdims=True)
    return weights * np.minimum(1, to / np.maximum(norms, 1e-300))


def one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    """Return class numbers (..., N) one-hot encoded, (..., K, N)."""
    return (labels[..., None, :] == np.arange(classes)[:, None]).astype(float)


def margin_sd(sensitivity: float, *, dimensions: int, epsilon: float) -> float:
    """Return the standard deviation of norm-exponential noise in any direction, sqrt(D + 1)
    sensitivity / epsilon.

    It is that of the margin of a row of norm 1: ||b|| ~ Gamma(D, s) has E ||b||^2 = D (D + 1) s^2,
    in D directions.
    """
    return math.sqrt(dimensions + 1) * sensitivity / epsilon
