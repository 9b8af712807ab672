"""Privacy audits: lower bounds on epsilon from an attacker who can run the mechanism many times.

The attacker gets one score per run and says "in" on one side of a threshold. Threshold and side are
chosen on one half of the runs, and their error rates are bounded on the other half, because reusing
the same scores would overstate them.

To audit your own mechanism, run it many times on two neighbouring data sets with independent noise,
and score its outputs. First run both with the *same* noise to test whether the canary has any
effect. A single run with hundreds of canaries can be audited as well [steinke2023].

>>> def counted(rows, seed):  # claims epsilon 1 for a replaced row with half of the noise
...     return sum(rows) + np.random.default_rng(seed).laplace(scale=0.5, size=20_000)
>>> with_you, with_another = [0, 1, 1, 1], [0, 1, 1, 0]
>>> arrives(counted(with_you, 1), counted(with_another, 1))
True
>>> outputs = counted(with_you, 1), counted(with_another, 2)
>>> found = epsilon_lower_bound(*outputs, delta=0, adjacency="replace-one")
>>> print(f"at least {found.epsilon:.1f}, at {found.confidence:.0%} confidence")
at least 1.8, at 95% confidence
"""

from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri

from dpcore import check
from dpcore.accountants import gdp
from dpcore.clopper_pearson import clopper_pearson
from dpcore.privacy import GAUSSIAN_CURVE, Adjacency, LowerBound

Form = Literal["count", "gaussian"]

# If this share of runs has equal scores on both data sets under the same noise, the attacker cannot
# distinguish them.
_EQUAL_SHARE = 0.99
# Scores are rounded to so many binary digits, about nine decimal ones.
_DIGITS = 30
# Share of the scores that are at most as large as the size that small scores are rounded to.
_BULK = 0.95


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
    """Return a lower bound on epsilon from scores (R,) of runs with and without the canary.

    With TPR >= p and FPR <= q, each at confidence 1 - (1 - confidence)/2: "count": epsilon >= ln((p
    - delta)/q), for any mechanism. "gaussian": mu >= Phi^-1(p) - Phi^-1(q), and epsilon is that of
    mu-GDP at delta. It is much tighter but holds only for mechanisms with a Gaussian trade-off
    curve, which the bound names as its assumption. For a correct Laplace mechanism it exceeds the
    epsilon spent.

    The side of the threshold that means "in" is chosen with the threshold, so negated scores give
    the same bound. Uninformative scores give 0; the last digits of all scores are ignored. Raises
    RefusedError for fewer than two scores per data set and for scores that are not finite.
    """
    check.choice(("count", "gaussian"), form=form)
    check.between(0, 1, inclusive=False, confidence=confidence)
    check.between(0, 1, inclusive=form == "count", delta=delta)
    (tune_in, test_in), (tune_out, test_out) = _halves(
        _scores(scores_in=scores_in), _scores(scores_out=scores_out)
    )
    each = 1 - (1 - confidence) / 2
    rules = [
        _best_rule(s * tune_in, s * tune_out, delta=delta, confidence=each, form=form)
        for s in (1, -1)
    ]
    (_, threshold), sign = max(zip(rules, (1, -1), strict=True), key=lambda rule: rule[0][0])
    hits, false_alarms = (int((sign * scores > threshold).sum()) for scores in (test_in, test_out))
    p, _ = clopper_pearson(hits, len(test_in), confidence=each)
    _, q = clopper_pearson(false_alarms, len(test_out), confidence=each)
    return LowerBound(
        epsilon=float(_epsilon(np.array(p), np.array(q), delta=delta, form=form)),
        delta=delta,
        adjacency=Adjacency(adjacency),
        unit=unit,
        confidence=confidence,
        trials=len(scores_in) + len(scores_out),
        assumes=GAUSSIAN_CURVE if form == "gaussian" else "",
    )


def arrives(scores_in: np.ndarray, scores_out: np.ndarray) -> bool:
    """Return whether the canary changes the attacker's scores (R,), given runs on both data sets
    with the *same* noise.

    False if at least 99 % of runs have the same score with and without the canary, for instance
    because a filter removed it or its gradient is 0. An audit that finds nothing is then void and
    says nothing about the mechanism.
    """
    same = _scores(scores_in=scores_in) == _scores(scores_out=scores_out)
    return bool(same.mean() < _EQUAL_SHARE)


def most(epsilon: float, *, delta: float, reach: float) -> float:
    """Return the largest epsilon that an audit of a Gaussian mechanism can show with a canary of
    influence ``reach``.

    reach: the canary's effect as a share of the sensitivity. Result: that of reach mu, with mu-GDP
    at (epsilon, delta).
    """
    reach = check.between(0, 1, reach=check.positive(reach=reach))
    return gdp.epsilon_of(delta, mu=reach * gdp.mu_of(epsilon, delta=delta))


def _scores(**named: np.ndarray) -> np.ndarray:
    """Return finite scores (R,), at least two: one to choose a threshold and one to test it."""
    ((name, given),) = named.items()
    scores = np.asarray(given, dtype=float)
    if scores.ndim != 1 or len(scores) < 2:
        raise check.RefusedError(name, scores.shape, "an array (R,) of at least two scores")
    if not np.isfinite(scores).all():
        raise check.RefusedError(
            name, float(scores[~np.isfinite(scores)][0]), "finite numbers only"
        )
    return scores


def _halves(scores_in: np.ndarray, scores_out: np.ndarray) -> list[list[np.ndarray]]:
    """Return each data set's scores, split into a half for choosing and a half for testing.

    Scores are rounded, because the last digits of a floating-point sum reveal which sum it was,
    which is a different attack [mironov2012]. Each is rounded to one billionth of its own size, but
    no finer than one billionth of the size that 95 % of those used for choosing do not exceed. A
    few scores of any size thus leave the others as they are.
    """
    halves = [np.array_split(scores, 2) for scores in (scores_in, scores_out)]
    sizes = np.abs(np.concatenate([tune for tune, _ in halves]))
    _, least_exponent = np.frexp(np.quantile(sizes, _BULK, method="lower"))
    return [[_rounded(scores, least_exponent) for scores in half] for half in halves]


def _rounded(scores: np.ndarray, least_exponent: int) -> np.ndarray:
    """Round scores to ``_DIGITS`` binary digits of themselves or of 2^least_exponent, whichever is
    larger.

    The result never falls where the score rises, so a threshold keeps its meaning.
    """
    _, exponents = np.frexp(scores)
    exponents = np.maximum(exponents, least_exponent)
    whole = np.round(np.ldexp(scores, _DIGITS - exponents))
    return np.ldexp(whole, exponents - _DIGITS)


def _best_rule(scores_in, scores_out, *, delta, confidence, form) -> tuple[float, float]:
    """Return (mu or epsilon, threshold) of the best of 200 candidate thresholds on these scores."""
    candidates = np.quantile(
        np.concatenate([scores_in, scores_out]), np.linspace(0.002, 0.998, 200)
    )
    hits, alarms = _above(scores_in, candidates), _above(scores_out, candidates)
    with np.errstate(invalid="ignore"):
        p = np.where(hits > 0, betaincinv(hits, len(scores_in) - hits + 1, 1 - confidence), 0)
        q = np.where(
            alarms < len(scores_out),
            betaincinv(alarms + 1, len(scores_out) - alarms, confidence),
            1,
        )
    shown = _mu(p, q) if form == "gaussian" else _epsilon(p, q, delta=delta, form=form)
    best = int(np.argmax(shown))
    return float(shown[best]), float(candidates[best])


def _above(scores: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the number of scores above each candidate."""
    return len(scores) - np.searchsorted(np.sort(scores), candidates, side="right")


def _mu(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ndtri(p) - ndtri(q), nan=0.0, neginf=0.0)


def _epsilon(p: np.ndarray, q: np.ndarray, *, delta: float, form: Form) -> np.ndarray:
    if form == "gaussian":
        mu = float(_mu(p, q))
        return np.array(gdp.epsilon_of(delta, mu=mu) if mu > 0 else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(
            np.nan_to_num(np.log(np.maximum(p - delta, 0) / q), nan=0.0, neginf=0.0), 0.0
        )
