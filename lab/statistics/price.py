"""The price of the next point of accuracy, in right guesses of the best attacker.

A larger epsilon trains a better model, and lets an attacker be right more often. The price is the
number of right guesses in 100 that are added from an epsilon up to the one at which the median
accuracy is a point higher. Medians of few runs scatter by more than a point, so a price takes many
runs, and has a range.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np

from dpcore.streams import stream

POINT = 0.01
# Fewer runs give ranges whose upper end is ten times the lower one.
LEAST_RUNS = 400
# How often the runs are resampled, and the share of the resamples that the range leaves out on
# either side.
_RESAMPLES = 200
_OUTSIDE = 0.05
# A range whose upper end is more than so many times its lower one says no price.
_WIDEST = 4.0
# No point is left if so many resamples have none.
_CERTAIN = 0.9
_PER_HUNDRED = 100

# Epsilons (n,) -> the largest share of right guesses at each of them.
RightGuesses = Callable[[np.ndarray], np.ndarray]


class Offer(StrEnum):
    """What can be said about the next point.

    PRICE: it has a price. NOTHING: less than a point is left. UNCLEAR: the runs do not tell.
    """

    PRICE = "price"
    NOTHING = "nothing"
    UNCLEAR = "unclear"


class Price(NamedTuple):
    """The price of the next point of accuracy.

    guesses: more right guesses in 100, or infinite if the medians do not rise by a point.
    low, high: the ends of 90 % of the same number over resampled runs.
    """

    offer: Offer
    guesses: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class MedianCurve:
    """Median accuracies over epsilon, straight over its logarithm between two values.

    log_epsilons: of the V values, in ascending order.
    highest: the largest median up to each value, (V,).
    resampled: the same of resampled runs, (``_RESAMPLES``, V).
    """

    log_epsilons: np.ndarray
    highest: np.ndarray
    resampled: np.ndarray

    @classmethod
    def of(cls, epsilons: Sequence[float], runs: np.ndarray) -> Self | None:
        """Return the curve of accuracies (V, R), or None for fewer than ``LEAST_RUNS`` runs.

        Run r has the same noise at each epsilon, so runs are resampled with all of their values.
        """
        count = runs.shape[1]
        if count < LEAST_RUNS:
            return None
        generator = stream(0, "resampling")
        medians = []
        for _ in range(_RESAMPLES):
            chosen = generator.integers(count, size=count)
            medians.append(np.median(runs[:, chosen], axis=1))
        return cls(
            log_epsilons=np.log(epsilons),
            highest=np.maximum.accumulate(np.median(runs, axis=1)),
            resampled=np.maximum.accumulate(np.array(medians), axis=1),
        )

    def price(self, epsilon: float, right_guesses: RightGuesses) -> Price:
        """Return the price of the next point from an epsilon on."""
        log_epsilon = math.log(epsilon)
        next_log_epsilons = []
        for curve in (self.highest, *self.resampled):
            target = np.interp(log_epsilon, self.log_epsilons, curve) + POINT
            next_log_epsilons.append(np.interp(target, curve, self.log_epsilons, right=np.inf))
        next_epsilons = np.exp(next_log_epsilons)
        shares = right_guesses(np.array([epsilon, *next_epsilons]))
        prices = np.where(np.isinf(next_epsilons), np.inf, _PER_HUNDRED * (shares[1:] - shares[0]))
        guesses = float(prices[0])
        resampled = np.sort(prices[1:])
        outside = int(_OUTSIDE * _RESAMPLES)
        low = float(resampled[outside])
        high = float(resampled[-1 - outside])
        return Price(_offer(guesses, low, high, resampled), guesses, low, high)


def _offer(guesses: float, low: float, high: float, resampled: np.ndarray) -> Offer:
    """Return what a price and those of resampled runs allow to say."""
    if np.isinf(resampled).mean() >= _CERTAIN:
        return Offer.NOTHING
    if math.isinf(guesses) or high > _WIDEST * low:
        return Offer.UNCLEAR
    return Offer.PRICE
