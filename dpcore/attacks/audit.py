"""Measured lower bounds on epsilon: what an attacker who can retrain the mechanism many times does achieve.

The attacker sees one score a run and says "in" above a threshold, or below it. Threshold and side are chosen on one
half of the runs, and their rates are bounded on the other half: choosing and testing on the same scores would overstate
them.

To audit a mechanism of your own: run it many times in two neighbouring worlds, with noise of their own, and score what
comes out. First run both worlds with the *same* noise, and ask whether the canary arrives at all.

>>> def counted(rows, seed):  # claims epsilon 1 for one replaced row, but its noise has half of the scale
...     return sum(rows) + np.random.default_rng(seed).laplace(scale=0.5, size=20_000)
>>> with_you, with_another = [0, 1, 1, 1], [0, 1, 1, 0]
>>> arrives(counted(with_you, 1), counted(with_another, 1))
True
>>> found = epsilon_lower_bound(counted(with_you, 1), counted(with_another, 2), delta=0, adjacency="replace-one")
>>> print(f"at least {found.epsilon:.1f}, at {found.confidence:.0%} confidence; assumed: {found.assumes or 'nothing'}")
at least 1.8, at 95% confidence; assumed: nothing
"""

import math
from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri

from dpcore import check
from dpcore.accountants import gdp
from dpcore.clopper_pearson import clopper_pearson
from dpcore.privacy import GAUSSIAN_CURVE, Adjacency, LowerBound

Form = Literal["count", "gaussian"]

# Worlds whose scores are the same in this share of runs, noise for noise, are one world to the attacker.
_SAME = 0.99
_GRAIN = 1e-9


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
    """Lower bound on epsilon from scores (R,) of runs with and without the canary.

    With TPR >= p and FPR <= q, each at confidence 1 - (1 - confidence)/2:
    "count": epsilon >= ln((p - delta)/q), for any mechanism. "gaussian": mu >= Phi^-1(p) - Phi^-1(q), and epsilon is
    that of mu-GDP at delta; far sharper, and only for mechanisms whose trade-off curve is Gaussian, which
    the bound names as its assumption. Of a sound Laplace mechanism it shows more than it spends.

    Which side of the threshold means "in" is chosen with the threshold: scores that are turned around show as much.
    Scores that say nothing give 0; the last digits of all are ignored. Raises RefusedError for fewer than two scores in
    a world, and for scores that are not finite.
    """
    check.choice(("count", "gaussian"), form=form)
    check.between(0, 1, inclusive=False, confidence=confidence)
    check.between(0, 1, inclusive=form == "count", delta=delta)
    (tune_in, test_in), (tune_out, test_out) = _halves(_scores(scores_in=scores_in), _scores(scores_out=scores_out))
    each = 1 - (1 - confidence) / 2
    rules = [_best_rule(s * tune_in, s * tune_out, delta=delta, confidence=each, form=form) for s in (1, -1)]
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
    """Whether the canary changes what the attacker sees: scores (R,) of both worlds, run by run with the *same* noise.

    False where 99 in 100 runs, or more, give the same score with the canary and without: a filter dropped it, say, or
    its gradient is 0. Then an audit that finds nothing is void, and says nothing of the mechanism.
    """
    same = _scores(scores_in=scores_in) == _scores(scores_out=scores_out)
    return bool(same.mean() < _SAME)


def most(epsilon: float, *, delta: float, reach: float) -> float:
    """The largest epsilon that an audit of a Gaussian mechanism could show whose canary moves it by ``reach`` of its
    sensitivity: that of reach mu, where mu is worth (epsilon, delta)."""
    reach = check.between(0, 1, reach=check.positive(reach=reach))
    return gdp.epsilon_of(delta, mu=reach * gdp.mu_of(epsilon, delta=delta))


def _scores(**named: np.ndarray) -> np.ndarray:
    """Finite scores (R,), at least two: one to choose a threshold, one to test it."""
    ((name, given),) = named.items()
    scores = np.asarray(given, dtype=float)
    if scores.ndim != 1 or len(scores) < 2:
        raise check.RefusedError(name, scores.shape, "an array (R,) of at least two scores")
    if not np.isfinite(scores).all():
        raise check.RefusedError(name, float(scores[~np.isfinite(scores)][0]), "finite numbers only")
    return scores


def _halves(scores_in: np.ndarray, scores_out: np.ndarray) -> list[list[np.ndarray]]:
    """Each world's scores to choose by and to test, as whole multiples of one billionth of the largest that chooses.

    The last digits of a floating-point sum tell which sum it was, which is another attack [mironov2012].
    """
    halves = [np.array_split(scores, 2) for scores in (scores_in, scores_out)]
    grain = _GRAIN * max(float(np.abs(tune).max()) for tune, _ in halves)
    return [[np.round(scores / grain) if grain else scores for scores in half] for half in halves]


def _best_rule(scores_in, scores_out, *, delta, confidence, form) -> tuple[float, float]:
    """(what it shows, threshold) of the threshold that shows most on these scores, of some hundred: mu, or epsilon."""
    candidates = np.quantile(np.concatenate([scores_in, scores_out]), np.linspace(0.002, 0.998, 200))
    hits, alarms = _above(scores_in, candidates), _above(scores_out, candidates)
    with np.errstate(invalid="ignore"):
        p = np.where(hits > 0, betaincinv(hits, len(scores_in) - hits + 1, 1 - confidence), 0)
        q = np.where(alarms < len(scores_out), betaincinv(alarms + 1, len(scores_out) - alarms, confidence), 1)
    shown = _mu(p, q) if form == "gaussian" else _epsilon(p, q, delta=delta, form=form)
    best = int(np.argmax(shown))
    return float(shown[best]), float(candidates[best])


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
