"""Replay a release on two neighbouring data sets with the same noise.

The noise cancels, so two runs show how far the canary moves what is released, where an audit needs
thousands. A move beyond the sensitivity that the noise is made for refutes the claim, for instance
if a gradient is not clipped. A replay cannot see noise that is missing, too small or used twice.

>>> def noisy_sum(rows, seed):  # clips each row to 1, and its noise is made for that
...     return np.clip(rows, 0, 1).sum() + np.random.default_rng(seed).normal(scale=4.0)
>>> def unclipped_sum(rows, seed):
...     return np.sum(rows) + np.random.default_rng(seed).normal(scale=4.0)
>>> with_canary, without_canary = [0.2, 0.7, 9.0], [0.2, 0.7]
>>> moves = (replayed_move(sum_of, with_canary, without_canary, seed=0)
...          for sum_of in (noisy_sum, unclipped_sum))
>>> print("moves by {:.0f} and {:.0f}, where 1 is declared".format(*moves))
moves by 1 and 9, where 1 is declared
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def replayed_move(
    release: Callable[[Any, int], np.ndarray], with_canary: Any, without_canary: Any, *, seed: int
) -> float:
    """Return how far a release moves between two data sets, a lower bound on its L2 sensitivity.

    Args:
        release: Releases numbers from a data set, with noise that the seed alone decides.
        with_canary: A data set.
        without_canary: A neighbouring data set.
        seed: Of the noise of both runs.
    """
    difference = np.subtract(release(with_canary, seed), release(without_canary, seed))
    return float(np.linalg.norm(difference))
