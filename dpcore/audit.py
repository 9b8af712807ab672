"""Measured lower bounds on epsilon: what an attacker who can retrain the mechanism many times does achieve.

The attacker sees one score a run and says "in" above a threshold. The threshold is chosen on one half of the runs and
its rates are bounded on the other half: choosing and testing on the same scores would overstate them.
"""

import math
from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, LowerBound

Form = Literal["count", "gaussian"]

# How tight: (form, runs in each world, epsilon) -> half of all audits at 95 % confidence, of a mechanism exactly
# Gaussian at delta = 1e-5, show at least this share of its epsilon. Simulated, rounded down, and tested.
TIGHT = {
    ("count", 2_000, 1.0): 0.05,
    ("count", 2_000, 4.0): 0.28,
    ("count", 2_000, 8.0): 0.30,
    ("gaussian", 2_000, 1.0): 0.25,
    ("gaussian", 2_000, 4.0): 0.73,
    ("gaussian", 2_000, 8.0): 0.82,
    ("count", 20_000, 1.0): 0.33,
    ("count", 20_000, 4.0): 0.46,
    ("count", 20_000, 8.0): 0.44,
    ("gaussian", 20_000, 1.0): 0.74,
    ("gaussian", 20_000, 4.0): 0.91,
    ("gaussian", 20_000, 8.0): 0.94,
}


def clopper_pearson(hits: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """One-sided lower and one-sided upper bound on a rate, each at ``confidence`` [clopper1934]."""
    # Quantiles of the beta distribution.
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, 1 - confidence))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, confidence))
    return low, high


def epsilon_lower_bound(
    scores_in: np.ndarray,
    scores_out: np.ndarray,
    *,
    delta: float,
    adjacency: Adjacency,
    confidence: float = 0.95,
    form: Form = "count",
    unit: str = "record",
) -> LowerBound:
    """Lower bound on epsilon from scores of runs with and without the canary.

    With TPR >= p and FPR <= q, each at confidence 1 - (1 - confidence)/2:
    "count": epsilon >= ln((p - delta)/q), for any mechanism. "gaussian": mu >= Phi^-1(p) - Phi^-1(q), and epsilon is
    that of mu-GDP at delta; for mechanisms whose trade-off curve is Gaussian, and far sharper there (``TIGHT``).
    """
    check.choice(("count", "gaussian"), form=form)
    check.between(0, 1, inclusive=False, confidence=confidence)
    tune_in, test_in = np.array_split(np.asarray(scores_in, dtype=float), 2)
    tune_out, test_out = np.array_split(np.asarray(scores_out, dtype=float), 2)
    each = 1 - (1 - confidence) / 2
    threshold = _best_threshold(tune_in, tune_out, delta=delta, confidence=each, form=form)
    hits, false_alarms = int((test_in > threshold).sum()), int((test_out > threshold).sum())
    p, _ = clopper_pearson(hits, len(test_in), confidence=each)
    _, q = clopper_pearson(false_alarms, len(test_out), confidence=each)
    return LowerBound(
        epsilon=float(_epsilon(np.array(p), np.array(q), delta=delta, form=form)),
        delta=delta,
        adjacency=adjacency,
        unit=unit,
        confidence=confidence,
        trials=len(scores_in) + len(scores_out),
    )


def _best_threshold(scores_in, scores_out, *, delta, confidence, form) -> float:
    """The threshold whose bound would be largest on these scores, of some hundred candidates."""
    candidates = np.quantile(np.concatenate([scores_in, scores_out]), np.linspace(0.002, 0.998, 200))
    hits, alarms = _above(scores_in, candidates), _above(scores_out, candidates)
    with np.errstate(invalid="ignore"):
        p = np.where(hits > 0, betaincinv(hits, len(scores_in) - hits + 1, 1 - confidence), 0)
        q = np.where(alarms < len(scores_out), betaincinv(alarms + 1, len(scores_out) - alarms, confidence), 1)
    if form == "gaussian":
        return float(candidates[np.argmax(_mu(p, q))])
    return float(candidates[np.argmax(_epsilon(p, q, delta=delta, form=form))])


def _above(scores: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """How many scores lie above each candidate."""
    return len(scores) - np.searchsorted(np.sort(scores), candidates, side="right")


def _mu(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ndtri(p) - ndtri(q), nan=0.0, neginf=0.0)


def _epsilon(p: np.ndarray, q: np.ndarray, *, delta: float, form: Form) -> np.ndarray:
    if form == "gaussian":
        mu = float(_mu(p, q))
        return np.array(gdp.epsilon_of(delta, mu=mu) if mu > 0 else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(np.nan_to_num(np.log(np.maximum(p - delta, 0) / q), nan=0.0, neginf=0.0), 0.0)


def worst_epsilon(confidence: float, trials: int) -> float:
    """The largest epsilon that ``trials`` runs a world could show by counting: every guess right."""
    low, _ = clopper_pearson(trials // 2, trials // 2, confidence=1 - (1 - confidence) / 2)
    return math.log(low / (1 - low))
