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
        curves = np.vstack([self.highest, self.resampled])
        targets = _heights(self.log_epsilons, curves, log_epsilon) + POINT
        next_epsilons = np.exp(_reached(self.log_epsilons, curves, targets))
        prices = np.full(len(curves), np.inf)
        is_left = np.isfinite(next_epsilons)
        added = right_guesses(next_epsilons[is_left]) - right_guesses(np.array([epsilon]))
        prices[is_left] = _PER_HUNDRED * added
        guesses, resampled = float(prices[0]), np.sort(prices[1:])
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


def _heights(x: np.ndarray, curves: np.ndarray, position: float) -> np.ndarray:
    """Return the heights (n,) of curves (n, V) over ``x`` at a position, level beyond the ends."""
    index = int(np.clip(np.searchsorted(x, position, side="right"), 1, len(x) - 1))
    share = (position - x[index - 1]) / (x[index] - x[index - 1])
    share = min(max(share, 0.0), 1.0)
    return (1 - share) * curves[:, index - 1] + share * curves[:, index]


def _reached(x: np.ndarray, curves: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return where rising curves (n, V) over ``x`` first reach targets (n,), or infinity."""
    reaches = curves >= targets[:, None]
    index = np.maximum(reaches.argmax(axis=1), 1)
    rows = np.arange(len(curves))
    below = curves[rows, index - 1]
    step = curves[rows, index] - below
    share = np.divide(targets - below, step, out=np.zeros(len(curves)), where=step > 0)
    position = x[index - 1] + share * (x[index] - x[index - 1])
    return np.where(reaches[:, -1], position, np.inf)
