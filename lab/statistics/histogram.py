"""Shares of values in the bins of a histogram."""

import numpy as np


def bin_shares(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the share of values in each bin; those beyond the edges are in the outermost bins.

    Args:
        values: The values, (R,).
        edges: Edges of the bins, (n + 1,).

    >>> bin_shares(np.array([-9.0, 0.5, 1.5, 1.7]), np.array([0.0, 1.0, 2.0])).tolist()
    [0.5, 0.5]
    """
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return counts / len(values)
