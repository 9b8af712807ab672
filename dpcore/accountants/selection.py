"""Release the best of a random number K of tries [papernot2022]: the laws of K and the RDP.

A try is one run with one of many settings. Only the best one is shown, so the others cost little.
K is drawn from a law that is fixed beforehand, and stays secret.

A truncated negative binomial law has a shape eta and a parameter g, here u = ln(1/g). A Poisson law
has neither. A fixed number is not covered, because releasing the best of k tries, each (epsilon,
0)-DP, can cost k epsilon.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from dpcore import check
from dpcore.privacy import LAWS

_LEAST_LOG_ODDS = 1e-9  # smallest u, at which K is 1 except in one search in 10^9


def divergences(
    r: np.ndarray,
    a: np.ndarray,
    *,
    law: str,
    tries: int,
    profile: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Return the RDP r'(a) of the best of K tries.

    Shape eta: r'(a) = r(a) + (1 + eta) min_b [(1 - 1/b) r(b) + u/b] + ln(E K)/(a - 1)
    [papernot2022, Theorem 2].
    Poisson: r'(a) = r(a) + E K delta + ln(E K)/(a - 1), a try being (ln(a/(a-1)), delta)-DP
    [papernot2022, Theorem 6].

    Args:
        r: The RDP of one try at the orders ``a``.
        a: Orders above 1.
        law: Distribution of K, a key of ``LAWS``.
        tries: The mean of K.
        profile: Maps epsilons of a try to its deltas; None derives them from ``r``.
    """
    if law == "poisson":
        epsilons = -np.log1p(-1 / a)
        if profile is None:
            # [canonne2020, Proposition 12], at every order (columns) for each epsilon (rows)
            excess = r - epsilons[:, None] - epsilons
            log_deltas = (a - 1) * excess - np.log(a)
            deltas = np.exp(np.minimum(log_deltas.min(axis=1), 0))
        else:
            deltas = profile(epsilons)
        return r + tries * deltas + math.log(tries) / (a - 1)
    # K is always 1.
    if tries == 1:
        return r
    of_number = log_odds(law, tries) / a
    smallest = np.min((1 - 1 / a) * r + of_number)
    of_searching = math.log(tries) / (a - 1)
    return r + (1 + LAWS[law]) * smallest + of_searching


@lru_cache(maxsize=4096)
def log_odds(law: str, tries: int) -> float:
    """Return the parameter u = ln(1/g) of a truncated negative binomial law with mean ``tries``.

    E K = eta (1-g)/(g (1 - g^eta)), or (1/g - 1)/ln(1/g) at shape 0.
    """
    if tries == 1:
        return _LEAST_LOG_ODDS

    def excess(u: float) -> float:
        """Return how much the mean at u exceeds the number of tries."""
        return math.expm1(u) / _box_cox(-LAWS[law], u) - tries

    # The mean at the upper end exceeds the number of tries for every law.
    high = 2 * math.log(tries) + 5
    return float(brentq(excess, _LEAST_LOG_ODDS, high, xtol=1e-15))


def _box_cox(shape: float, u: float) -> float:
    """Return (e^{shape u} - 1)/shape, which is u for shape 0."""
    if shape == 0:
        return u
    return math.expm1(shape * u) / shape


def best_among(share: float, *, law: str | None, tries: int) -> float:
    """Return the probability that one of K random settings is among the best ``share``.

    law: of K, with mean ``tries``; K is fixed if None.

    >>> laws = (None, "poisson", "geometric", "logarithmic")
    >>> [round(best_among(0.1, law=law, tries=10), 3) for law in laws]
    [0.651, 0.632, 0.526, 0.423]
    """
    missed = 1 - check.between(0, 1, share=share)
    if law is None:
        return 1 - missed**tries
    if check.choice(LAWS, law=law) == "poisson":
        return -math.expm1(-tries * share)
    u = log_odds(law, tries)
    u_of_missed = -math.log1p(math.expm1(-u) * missed)
    return 1 - _box_cox(LAWS[law], u_of_missed) / _box_cox(LAWS[law], u)


def chances(most: int, *, law: str, tries: int) -> np.ndarray:
    """Return the probabilities P[K = k] of each number of tries k = 0 to ``most``, (most + 1,)."""
    k = np.arange(most + 1)
    if check.choice(LAWS, law=law) == "poisson":
        return np.exp(k * math.log(tries) - tries - gammaln(k + 1))
    # P[K = 0] is 0. P[K = 1], then the ratios of P[K = k + 1] to P[K = k]:
    u = log_odds(law, tries)
    first_ratio = 1 / _box_cox(LAWS[law], u)
    numbers = k[1:]
    next_ratios = (numbers + LAWS[law]) / (numbers + 1)
    ratios = np.append(first_ratio, next_ratios)
    products = np.cumprod(-math.expm1(-u) * ratios)
    return np.append(0.0, products[:most])


def median(*, law: str, tries: int) -> int:
    """Return the median of K, which is 4 for the logarithmic law with mean 10."""
    most = 2 * tries  # by Markov's inequality
    cumulative = np.cumsum(chances(most, law=law, tries=tries))
    return int(np.searchsorted(cumulative, 0.5))
