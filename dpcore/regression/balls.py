"""Projections of weights onto balls around 0."""

import numpy as np


def project_to_l2_ball(weights: np.ndarray, radius: float | np.ndarray) -> np.ndarray:
    """Project weights (..., p) onto the L2 ball of ``radius``."""
    norms = np.sqrt((weights * weights).sum(axis=-1, keepdims=True))
    return weights * (radius / np.maximum(norms, radius))


def project_to_l1_ball(weights: np.ndarray, radius: float | np.ndarray) -> np.ndarray:
    """Project weights (..., p) onto the L1 ball of ``radius``, by soft-thresholding.

    The threshold makes the entries that stay nonzero, the largest k, add up to the radius. For
    these k, the mean excess of the largest entries over the radius is maximal.
    """
    descending = -np.sort(-np.abs(weights), axis=-1)
    counts = np.arange(1, descending.shape[-1] + 1)
    mean_excess = (np.cumsum(descending, axis=-1) - radius) / counts
    threshold = np.maximum(mean_excess.max(axis=-1, keepdims=True), 0)
    return soft_threshold(weights, threshold)


def soft_threshold(weights: np.ndarray, threshold: float | np.ndarray) -> np.ndarray:
    """Move each weight towards 0 by ``threshold``, but not beyond."""
    shrunk = np.maximum(np.abs(weights) - threshold, 0)
    return np.sign(weights) * shrunk


PROJECTIONS = {"l2": project_to_l2_ball, "l1": project_to_l1_ball}
