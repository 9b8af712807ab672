"""Exact (Clopper-Pearson) confidence bounds on a binomial rate."""

from scipy.special import betaincinv


def clopper_pearson(hits: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """Return the one-sided lower and upper bounds on the rate of ``hits``, each at ``confidence``
    [clopper1934].
    """
    # Quantiles of the beta distribution.
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, 1 - confidence))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, confidence))
    return low, high
