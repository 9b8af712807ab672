"""Published bounds of [hamm2016], and what is measured of the quantities that they bound.

Shapes: K classes, C check rows. Weights are (k, d).
"""

import math

import numpy as np

from dpcore.parties import aggregation
from dpcore.training import losses
from lab.data.party_kinds import CHECK_ROWS
from pages.parties.fits import ANALYST_TOLERANCE, Ensemble
from pages.parties.result import PartiesResult
from pages.parties.votes import collect_votes

# The constant c of Theorem 4: the largest second derivative of the logistic loss.
_LOGISTIC_CURVATURE = 0.25
# Probability with which the bound on the excess risk may fail.
FAILURE = 0.05


def theorem_four(
    *,
    parties: float,
    public_rows: int,
    inputs: int,
    regularisation: float,
    epsilon: float,
    reference_norm: float,
) -> dict[str, float]:
    """Return the parts of the bound on R(released) - R(w_0) of [hamm2016, Theorem 4].

    It is for two classes, and holds with probability 1 - d_p - d_s. Each of d_p and d_s is half of
    ``FAILURE``.

        noise: 4 d^2 (c + lambda) log^2(d / d_p) / (lambda^2 M^2 epsilon^2)
        rows: 16 (32 + log(1 / d_s)) / (lambda N)
        regularisation: (lambda / 2) ||w_0||^2

    parties: M. public_rows: N. inputs: d. regularisation: lambda.
    reference_norm: the norm of w_0.
    """
    half = FAILURE / 2
    curvature = _LOGISTIC_CURVATURE + regularisation
    numerator = 4 * inputs**2 * curvature * math.log(inputs / half) ** 2
    return {
        "noise": numerator / (regularisation * parties * epsilon) ** 2,
        "rows": 16 * (32 + math.log(1 / half)) / (regularisation * public_rows),
        "regularisation": regularisation / 2 * reference_norm**2,
    }


def auxiliary_factor(*, parties: int, public_rows: int) -> float:
    """Return the factor on the noise of soft labels if one *public* row may change too [hamm2016,
    Section 4.5].

    It is (N + M - 1) / N, because a party changes labels by 1 / M on each of N rows, and a row
    changes one of N.
    """
    return (public_rows + parties - 1) / public_rows


def risk_bound(result: PartiesResult, release: str) -> dict[str, float]:
    """Return the parts of the bound on a release's excess risk, in nats.

    That of a vote is the bound for one party (Theorem 2), because more parties do not lower its
    noise.
    """
    ensemble = result.ensemble
    parties = ensemble.parties
    if release == "vote":
        parties = 1
    best = reference(ensemble, result.asked, release)
    _, inputs = ensemble.shape
    return theorem_four(
        parties=parties,
        public_rows=ensemble.pool.public_rows,
        inputs=inputs,
        regularisation=ensemble.regularisation,
        epsilon=result.settings.epsilon,
        reference_norm=float(np.linalg.norm(best)),
    )


def risk(ensemble: Ensemble, weights: np.ndarray, asked: int, release: str = "soft") -> np.ndarray:
    """Return the loss (...) of weights (..., k, d) on the check rows, in nats [hamm2016, Lemma 2].

    release: "soft" for the loss under the parties' shares, "vote" for that under their majority,
        which is the loss of Theorem 2.
    """
    logits = losses.logits(weights, ensemble.rows["check"].X)
    targets = _check_targets(ensemble, asked, release)
    return losses.expected_values(logits, targets).mean(axis=-1)


def reference(ensemble: Ensemble, asked: int, release: str = "soft") -> np.ndarray:
    """Return the weights w_0 (k, d) that are best on the check rows, with the same lambda."""
    minimum = aggregation.fit(
        ensemble.rows["check"].X,
        _check_targets(ensemble, asked, release),
        regularisation=ensemble.regularisation,
        tolerance=ANALYST_TOLERANCE,
    )
    return minimum.weights


def excess_risk(
    ensemble: Ensemble, weights: np.ndarray, asked: int, release: str = "soft"
) -> np.ndarray:
    """Return by how much the ``risk`` (...) of weights exceeds that of the best, in nats."""
    best = risk(ensemble, reference(ensemble, asked, release), asked, release)
    return risk(ensemble, weights, asked, release) - best


def _check_targets(ensemble: Ensemble, asked: int, release: str) -> np.ndarray:
    """Return the targets (K, C) of the check rows: the parties' shares, or the winner."""
    totals = collect_votes(ensemble.pool, asked)
    counts = totals.votes[:, -CHECK_ROWS:] * (ensemble.parties / asked)
    return aggregation.targets(counts, release=release)


def largest_changes(ensemble: Ensemble) -> dict[str, float]:
    """Return how far the weights of "vote" and "soft" move if one party changes.

    All rows are tied between two classes without the party, which votes for the first one or for
    the second on all of them.
    """
    rows = ensemble.rows["public"].X
    counts = np.zeros((2, ensemble.classes, len(rows)))
    counts[:, :2] = (ensemble.parties - 1) / 2
    counts[0, 0] += 1
    counts[1, 1] += 1
    changes = {}
    for release in ("vote", "soft"):
        targets = aggregation.targets(counts, release=release)
        minimum = aggregation.fit(rows, targets, regularisation=ensemble.regularisation)
        changes[release] = float(np.linalg.norm(minimum.weights[1] - minimum.weights[0]))
    return changes
