"""Privacy audits: lower bounds on epsilon from an attacker who can run the mechanism many times.

The attacker gets one score per run and says "in" on one side of a threshold. Threshold and side are
chosen on one half of the runs, and their error rates are bounded on the other half, because reusing
the same scores would overstate them.

To audit your own mechanism, run it many times on two neighbouring data sets with independent noise,
and score its outputs. First run both with the *same* noise to test whether the canary has any
effect. A single run with hundreds of canaries can be audited as well [steinke2023].

>>> def noisy_sum(rows, seed):  # claims epsilon 1 for a replaced row with half of the noise
...     return sum(rows) + np.random.default_rng(seed).laplace(scale=0.5, size=20_000)
>>> with_you, with_another = [0, 1, 1, 1], [0, 1, 1, 0]
>>> canary_has_effect(noisy_sum(with_you, 1), noisy_sum(with_another, 1))
True
>>> outputs = noisy_sum(with_you, 1), noisy_sum(with_another, 2)
>>> bound = epsilon_lower_bound(*outputs, delta=0, adjacency="replace-one")
>>> print(f"at least {bound.epsilon:.1f}, at {bound.confidence:.0%} confidence")
at least 1.8, at 95% confidence
"""

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from dpcore import check
from dpcore.accountants import gdp
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE, LowerBound
from dpcore.privacy import Adjacency

Form = Literal["count", "gaussian"]

# If this share of runs has equal scores on both data sets under the same noise, the attacker cannot
# distinguish them.
_EQUAL_SHARE = 0.99
# Scores are rounded to so many binary digits, about nine decimal ones.
_DIGITS = 30
# Share of the scores that are at most as large as the size that small scores are rounded to.
_BULK = 0.95
# Candidate thresholds are so many quantiles of all scores, from the first to the last of these.
_CANDIDATES = 200
_QUANTILE_RANGE = (0.002, 0.998)


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
    """Return a lower bound on epsilon from the scores of many runs.

    The side of the threshold that means "in" is chosen with the threshold, so negated scores give
    the same bound. Uninformative scores give 0. The last digits of all scores are ignored.

    Args:
        scores_in: Scores (R,) of runs with the canary.
        scores_out: Scores (S,) of runs without it.
        delta: Of the claimed guarantee.
        adjacency: Relation of the two data sets.
        confidence: Of the bound.
        form: With true positive rate >= p and false positive rate <= q, each at confidence
            1 - (1 - confidence) / 2, "count" concludes epsilon >= ln((p - delta) / q), for any
            mechanism. "gaussian" concludes mu >= Phi^-1(p) - Phi^-1(q), and epsilon is that of
            mu-GDP at delta. It is much tighter but holds only for mechanisms with a Gaussian
            trade-off curve, which the bound names as its assumption. For a correct Laplace
            mechanism it exceeds the epsilon spent.
        unit: Of privacy.

    Raises:
        RefusedError: For fewer than two scores per data set, and for scores that are not finite.
    """
    check.choice(("count", "gaussian"), form=form)
    check.between(0, 1, inclusive=False, confidence=confidence)
    check.between(0, 1, inclusive=form == "count", delta=delta)
    checked_in = _checked_scores(scores_in=scores_in)
    checked_out = _checked_scores(scores_out=scores_out)
    tune_in, test_in, tune_out, test_out = _rounded_halves(checked_in, checked_out)
    # Half of the probability of error for each of the two rates.
    rate_confidence = 1 - (1 - confidence) / 2

    rule = _best_rule(tune_in, tune_out, delta=delta, confidence=rate_confidence, form=form)
    hits = rule.count_in(test_in)
    false_alarms = rule.count_in(test_out)
    p, _ = clopper_pearson(hits, len(test_in), confidence=rate_confidence)
    _, q = clopper_pearson(false_alarms, len(test_out), confidence=rate_confidence)
    if form == "count":
        epsilon = float(_epsilons(p, q, delta=delta))
        assumption = ""
    else:
        epsilon = 0.0
        assumption = GAUSSIAN_CURVE
        mu = float(_mus(p, q))
        if mu > 0:
            epsilon = gdp.epsilon_of(delta, mu=mu)
    return LowerBound(
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency(adjacency),
        unit=unit,
        confidence=confidence,
        trials=len(scores_in) + len(scores_out),
        assumes=assumption,
    )


def canary_has_effect(scores_in: np.ndarray, scores_out: np.ndarray) -> bool:
    """Return whether the canary changes the attacker's scores.

    It does not if at least 99 % of runs have the same score with and without the canary, for
    instance because a filter removed it or its gradient is 0. An audit that bounds nothing is then
    void and says nothing about the mechanism.

    Args:
        scores_in: Scores (R,) of runs with the canary.
        scores_out: Scores (R,) of runs without it and with the *same* noise.
    """
    equal = _checked_scores(scores_in=scores_in) == _checked_scores(scores_out=scores_out)
    return bool(equal.mean() < _EQUAL_SHARE)


def detectable_epsilon(epsilon: float, *, delta: float, influence: float) -> float:
    """Return the largest epsilon that an audit of a Gaussian mechanism can show.

    It is the epsilon of (influence mu)-GDP, where mu-GDP is the guarantee of the mechanism.

    Args:
        epsilon: Of the mechanism's guarantee.
        delta: Of the mechanism's guarantee.
        influence: Effect of the canary as a share of the sensitivity, at most 1.
    """
    influence = check.between(0, 1, influence=check.positive(influence=influence))
    return gdp.epsilon_of(delta, mu=influence * gdp.mu_of(epsilon, delta=delta))


def clopper_pearson(hits: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """Return exact confidence bounds on the rate of ``hits`` in ``trials`` [clopper1934].

    They are quantiles of the beta distribution.

    Returns:
        The one-sided lower and upper bounds, each at ``confidence``.
    """
    low = 0.0
    if hits > 0:
        low = float(betaincinv(hits, trials - hits + 1, 1 - confidence))
    high = 1.0
    if hits < trials:
        high = float(betaincinv(hits + 1, trials - hits, confidence))
    return low, high


def _checked_scores(**named: np.ndarray) -> np.ndarray:
    """Return finite scores (R,), at least two: one to choose a threshold and one to test it."""
    ((name, value),) = named.items()
    scores = np.asarray(value, dtype=float)
    if scores.ndim != 1 or len(scores) < 2:
        raise check.RefusedError(name, scores.shape, "an array (R,) of at least two scores")
    finite = np.isfinite(scores)
    if not finite.all():
        raise check.RefusedError(name, float(scores[~finite][0]), "finite numbers only")
    return scores


def _rounded_halves(
    scores_in: np.ndarray, scores_out: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Split each data set's scores into a half for choosing and a half for testing.

    Scores are rounded, because the last digits of a floating-point sum reveal which sum it was,
    which is a different attack [mironov2012]. Each is rounded to one billionth of its own size, but
    no finer than one billionth of the size that 95 % of those used for choosing do not exceed. A
    few scores of any size thus leave the others as they are.

    Returns:
        Scores for choosing and for testing with the canary, then both without it.
    """
    tune_in, test_in = np.array_split(scores_in, 2)
    tune_out, test_out = np.array_split(scores_out, 2)
    sizes = np.abs(np.concatenate([tune_in, tune_out]))
    _, least_exponent = np.frexp(np.quantile(sizes, _BULK, method="lower"))
    return (
        _rounded(tune_in, least_exponent),
        _rounded(test_in, least_exponent),
        _rounded(tune_out, least_exponent),
        _rounded(test_out, least_exponent),
    )


def _rounded(scores: np.ndarray, least_exponent: int) -> np.ndarray:
    """Round scores to ``_DIGITS`` binary digits of themselves or of 2^least_exponent.

    The larger of the two counts. The result never falls where the score rises, so a threshold keeps
    its meaning.
    """
    _, exponents = np.frexp(scores)
    exponents = np.maximum(exponents, least_exponent)
    whole_numbers = np.round(np.ldexp(scores, _DIGITS - exponents))
    return np.ldexp(whole_numbers, exponents - _DIGITS)


class _Rule(NamedTuple):
    """A rule to say "in" above a threshold.

    Attributes:
        value: The mu or epsilon that the rule shows on the scores for choosing.
        threshold: Of the scores times ``sign``.
        sign: -1 if low scores mean "in", else 1.
    """

    value: float
    threshold: float
    sign: int

    def count_in(self, scores: np.ndarray) -> int:
        """Return the number of runs of which the rule says "in"."""
        return int((self.sign * scores > self.threshold).sum())


def _best_rule(
    scores_in: np.ndarray, scores_out: np.ndarray, *, delta: float, confidence: float, form: Form
) -> _Rule:
    """Return the best rule on these scores."""
    rules = []
    for sign in (1, -1):
        value, threshold = _best_threshold(
            sign * scores_in, sign * scores_out, delta=delta, confidence=confidence, form=form
        )
        rules.append(_Rule(value=value, threshold=threshold, sign=sign))
    return max(rules, key=lambda rule: rule.value)


def _best_threshold(
    scores_in: np.ndarray, scores_out: np.ndarray, *, delta: float, confidence: float, form: Form
) -> tuple[float, float]:
    """Return the best candidate threshold, after the mu or epsilon that it shows."""
    all_scores = np.concatenate([scores_in, scores_out])
    candidates = np.quantile(all_scores, np.linspace(*_QUANTILE_RANGE, _CANDIDATES))
    hits = _counts_above(scores_in, candidates)
    false_alarms = _counts_above(scores_out, candidates)
    # As ``clopper_pearson``, for all candidates at once.
    with np.errstate(invalid="ignore"):
        low = betaincinv(hits, len(scores_in) - hits + 1, 1 - confidence)
        high = betaincinv(false_alarms + 1, len(scores_out) - false_alarms, confidence)
    p = np.where(hits > 0, low, 0)
    q = np.where(false_alarms < len(scores_out), high, 1)
    if form == "gaussian":
        values = _mus(p, q)
    else:
        values = _epsilons(p, q, delta=delta)
    best = int(np.argmax(values))
    return float(values[best]), float(candidates[best])


def _counts_above(scores: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the number of scores above each candidate."""
    at_most = np.searchsorted(np.sort(scores), candidates, side="right")
    return len(scores) - at_most


def _mus(p: np.ndarray | float, q: np.ndarray | float) -> np.ndarray:
    """Return Phi^-1(p) - Phi^-1(q), or 0 if that is undefined or minus infinity."""
    with np.errstate(invalid="ignore"):
        differences = ndtri(p) - ndtri(q)
    return np.nan_to_num(differences, nan=0.0, neginf=0.0, posinf=np.inf)


def _epsilons(p: np.ndarray | float, q: np.ndarray | float, *, delta: float) -> np.ndarray:
    """Return ln((p - delta) / q), or 0 if that is undefined or negative.

    It is infinite for q = 0 and p > delta.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.divide(np.maximum(p - delta, 0), q)
        logarithms = np.log(ratios)
    # The comparison is false for NaN.
    return np.where(logarithms > 0, logarithms, 0.0)
