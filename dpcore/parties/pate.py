"""PATE: noisy counts of the parties' votes label public rows, and anyone may train a student on them [papernot2018]."""

import math

import numpy as np

# A party that votes for another class moves two counts by 1. Bounds that depend on the votes would be private too.
COUNTS_SENSITIVITY = math.sqrt(2)


def noisy_winners(counts: np.ndarray, noise: np.ndarray, sigma: float | np.ndarray) -> np.ndarray:
    """GNMax of [papernot2018]: the class (..., Q) of the largest count after noise.

    counts (K, Q) of votes, noise (..., K, Q) standard normal draws, sigma its standard deviation in votes.
    """
    return (counts + noise * np.asarray(sigma)[..., None, None]).argmax(axis=-2)
