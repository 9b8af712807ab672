"""What changes with the step by a public schedule: learning rate, clip bound, noise; and what such noise costs.

A learning rate only processes what was released, and a bound scales signal and noise alike: neither costs anything. Of
noise, only the multiplier z_t = (noise sd) / (clip bound) of each step counts, and the steps compose in any order.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore import check
from dpcore.privacy import Composed, Event, GaussianRelease, PoissonSampled, Sequence

SHAPES = {"geometric": "geometrically", "linear": "linearly"}
# Multipliers of sampled steps are counted at so many steps of a geometric grid: between 8 and 2 that adds 3 %.
LEVELS = 25


@dataclass(frozen=True)
class Schedule:
    """From 1 at the first of ``steps`` steps to ``end`` at the last one; ``shape`` is a key of ``SHAPES``."""

    end: float
    steps: int
    shape: str = "geometric"

    def __post_init__(self) -> None:
        check.positive(end=self.end)
        check.whole(1, steps=self.steps)
        check.choice(SHAPES, shape=self.shape)

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of each step (T,)."""
        passed = np.arange(self.steps) / max(self.steps - 1, 1)
        return self.end**passed if self.shape == "geometric" else 1 + (self.end - 1) * passed

    def levels(self, *, until: int | None = None, count: int | None = LEVELS) -> dict[float, int]:
        """Share -> how many of the first ``until`` steps have it: rounded down to ``count`` geometric steps between the
        least and the largest, or as they are (None). Less noise costs more, so this is the safe side.
        """
        shares = self.shares
        if count is not None:
            low, high = shares.min(), shares.max()
            grid = low * (high / low) ** (np.arange(count + 1) / count)
            shares = grid[np.searchsorted(grid, shares, side="right") - 1]
        return dict(zip(*(found.tolist() for found in np.unique(shares[:until], return_counts=True)), strict=True))

    def event(self, noise_multiplier: float, *, rate: float, until: int | None = None, layers: int = 1) -> Event:
        """The first ``until`` steps: each a Poisson sample, with ``noise_multiplier`` times the share of the step.

        Without sampling each multiplier counts as it is: mu^2 = sum_t 1/z_t^2 is exact. layers: how many releases of
        that multiplier a step makes.
        """
        found = self.levels(until=until, count=None if rate == 1 else LEVELS)
        parts = tuple(
            Composed(event=step(rate, noise_multiplier * share, layers=layers), count=times)
            for share, times in found.items()
        )
        return parts[0] if len(parts) == 1 else Sequence(events=parts)


def step(rate: float, noise_multiplier: float, *, layers: int = 1) -> PoissonSampled:
    """One step: Gaussian noise on the sum over a Poisson sample, in each of ``layers`` releases."""
    release: Event = GaussianRelease(noise_multiplier=noise_multiplier)
    if layers > 1:
        release = Composed(event=release, count=layers)
    return PoissonSampled(rate=rate, event=release)
