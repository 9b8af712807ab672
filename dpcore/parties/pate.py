"""PATE: noisy vote counts label public rows, on which anyone may train a student [papernot2018]."""

import math

import numpy as np

from dpcore import check

# A party that changes its vote changes two counts by 1. Data-dependent bounds would be private
# themselves.
COUNTS_SENSITIVITY = math.sqrt(2)


def noisy_winners(counts: np.ndarray, noise: np.ndarray, sigma: float | np.ndarray) -> np.ndarray:
    """Return the class (..., Q) with the largest noisy count, by GNMax [papernot2018].

    counts (K, Q) of votes, noise (..., K, Q) standard normal draws, sigma its standard deviation in
    votes. Raises RefusedError for counts that are not finite numbers.
    """
    counts = check.numbers(counts=counts)
    return (counts + noise * np.asarray(sigma)[..., None, None]).argmax(axis=-2)
