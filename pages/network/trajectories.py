"""Trajectories of an arm's training: quantiles of accuracy and loss."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lab.experiment.settings import Spread, quantiles_of
from pages.network.tasks import Trained
from pages.network.training import Training

# What is measured of networks, by the name of its columns and of the field of ``Trained``.
QUANTITIES = ("accuracy", "loss")


def columns_of(quantity: str) -> list[str]:
    """Return the columns with the low, median and high quantiles of a quantity."""
    return [f"{quantity} {quantile}" for quantile in Spread._fields]


def trajectory(
    groups: Sequence[Trained], training: Training, *, epsilon: np.ndarray
) -> pd.DataFrame:
    """Return a row per measured frame: frame, step, epochs, epsilon, and quantiles of networks.

    The quantities are those of ``QUANTITIES``.

    groups: the groups of the arm, of which the first is the furthest.
    epsilon: spent by each frame (FRAMES + 1,).
    """
    frames = groups[0].frames
    steps = training.step_of_frame[frames]
    columns = {
        "frame": frames,
        "step": steps,
        "epochs": steps * training.recipe.sampling_rate,
        "epsilon": epsilon[frames],
    }
    for quantity in QUANTITIES:
        quantiles = [_quantiles(groups, quantity, index) for index in range(len(frames))]
        for name, column in zip(columns_of(quantity), np.transpose(quantiles), strict=True):
            columns[name] = column
    return pd.DataFrame(columns)


def _quantiles(groups: Sequence[Trained], quantity: str, index: int) -> np.ndarray:
    """Return the quantiles (3,) at a measured frame of the networks that have come so far."""
    networks = []
    for group in groups:
        if len(group.frames) > index:
            networks.append(getattr(group, quantity)[index])
    with np.errstate(invalid="ignore"):  # losses of networks that have diverged may be infinite
        return quantiles_of(np.concatenate(networks))
