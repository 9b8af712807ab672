"""Compose a privacy loss distribution with itself, quicker than dp-accounting and with its result.

The library takes three quarters of a composition's time to find the truncation bounds by a general
logarithm of sums. It also raises the size to the power of the count, a whole number of up to a
million digits, to learn that a distribution is large.
"""

import math

import numpy as np
from scipy import fft

# The library composes distributions up to this many points without a transform.
_MOST_POINTS_WITHOUT_TRANSFORM = 1000
# The mass outside of the truncation bounds, as the library has it. It counts as an infinite loss.
_TAIL = 1e-15
# The orders of the Chernoff bounds times the number of points, as the library has them.
_SCALED_ORDERS = np.concatenate([np.arange(-20, 0), np.arange(1, 21)])


def self_composed(single, times: int):
    """Return the distribution ``single`` composed with itself ``times`` times."""
    if times == 1:
        return single
    pmfs = [single._pmf_remove]
    if not single._symmetric:
        pmfs.append(single._pmf_add)
    smallest = min(pmf.size for pmf in pmfs)
    if smallest**2 <= _MOST_POINTS_WITHOUT_TRANSFORM:
        return single.self_compose(times)
    powers = [_power(pmf.to_dense_pmf(), times) for pmf in pmfs]
    return type(single)(*powers)


def _power(pmf, times: int):
    """Return the distribution of a sum of ``times`` losses, F^-1[F[p]^times].

    The transform is taken on a circle as long as the part between the truncation bounds.
    """
    low, high = _truncation_bounds(pmf._probs, times)
    length = fft.next_fast_len(max(high - low + 1, len(pmf._probs)))
    transform = fft.fft(pmf._probs, length)
    circle = np.real(fft.ifft(transform**times))
    probabilities = np.roll(circle, -low)[: high - low + 1]
    infinity_mass = _TAIL - math.expm1(times * math.log1p(-pmf._infinity_mass))
    return type(pmf)(
        pmf._discretization,
        pmf._lower_loss * times + low,
        probabilities,
        infinity_mass,
        pmf._pessimistic_estimate,
    )


def _truncation_bounds(probabilities: np.ndarray, times: int) -> tuple[int, int]:
    """Return the (lowest, highest) point of a sum of draws, but for a mass of ``_TAIL``.

    The bounds are Chernoff's. With S the sum and M(t) = E[e^(t L)] for a draw L,

        P[S >= s] <= M(t)^times e^(-t s) for t > 0,
        P[S <= s] <= M(t)^times e^(-t s) for t < 0.

    Either right-hand side is half of ``_TAIL`` at s = (times ln M(t) + ln(2 / _TAIL)) / t. The
    highest of the lower ends and the lowest of the upper ends count. All exponents t L are in [-20,
    20], so a plain sum is exact enough.

    Args:
        probabilities: Of the points 0, 1, ... for one draw.
        times: Number of draws that are added.
    """
    orders = _SCALED_ORDERS / len(probabilities)
    points = np.arange(len(probabilities))
    log_moments = []
    with np.errstate(all="ignore"):
        for order in orders:
            moment = np.exp(order * points) @ probabilities
            log_moments.append(np.log(moment))
        ends = (times * np.array(log_moments) + math.log(2 / _TAIL)) / orders
    # Without mass, as without draws, no end is finite, and all points remain.
    low = 0
    high = (len(probabilities) - 1) * times
    for order, end in zip(orders, ends, strict=True):
        if not math.isfinite(end):
            continue
        if order < 0:
            low = max(low, math.floor(end))
        else:
            high = min(high, math.ceil(end))
    return low, high
