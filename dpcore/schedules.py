"""Public schedules of learning rate, clipping norm and noise over the steps, and the privacy events
of noise schedules.

Learning rates are post-processing, and a clipping norm scales signal and noise alike, so neither
costs privacy. Of the noise, only the multiplier z_t = (noise sd) / (clipping norm) of each step
counts, and the steps compose in any order.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore import check
from dpcore.privacy import Composed, Event, GaussianRelease, PoissonSampled, Sequence

SHAPES = {"geometric": "geometrically", "linear": "linearly"}
# Multipliers of sampled steps are rounded to this many points of a geometric grid; from 8 to 2 that
# costs 3 %.
LEVELS = 25


@dataclass(frozen=True)
class Schedule:
    """A schedule from 1 at the first of ``steps`` steps to ``end`` at the last; ``shape`` is a key
    of ``SHAPES``.
    """

    end: float
    steps: int
    shape: str = "geometric"

    def __post_init__(self) -> None:
        check.positive(end=self.end)
        check.whole(1, steps=self.steps)
        check.choice(SHAPES, shape=self.shape)

    @cached_property
    def shares(self) -> np.ndarray:
        """Return the factor of each step (T,)."""
        passed = np.arange(self.steps) / max(self.steps - 1, 1)
        return self.end**passed if self.shape == "geometric" else 1 + (self.end - 1) * passed

    def levels(self, *, until: int | None = None, count: int | None = LEVELS) -> dict[float, int]:
        """Return the factors of the first ``until`` steps, each with the number of steps that have
        it.

        They are rounded down to ``count`` points of a geometric grid, or kept as they are if None.
        Less noise costs more, so the result is never understated.
        """
        shares = self.shares
        if count is not None:
            low, high = shares.min(), shares.max()
            grid = low * (high / low) ** (np.arange(count + 1) / count)
            shares = grid[np.searchsorted(grid, shares, side="right") - 1]
        return dict(
            zip(
                *(found.tolist() for found in np.unique(shares[:until], return_counts=True)),
                strict=True,
            )
        )

    def event(
        self, noise_multiplier: float, *, rate: float, until: int | None = None, layers: int = 1
    ) -> Event:
        """Return the event of the first ``until`` steps on Poisson samples, with
        ``noise_multiplier`` at step 1.

        At ``rate`` 1 nothing is rounded, as mu^2 = sum_t 1/z_t^2 is exact. layers: number of
        releases per step.
        """
        found = self.levels(until=until, count=None if rate == 1 else LEVELS)
        parts = tuple(
            Composed(event=step(rate, noise_multiplier * share, layers=layers), count=times)
            for share, times in found.items()
        )
        return parts[0] if len(parts) == 1 else Sequence(events=parts)


def step(rate: float, noise_multiplier: float, *, layers: int = 1) -> PoissonSampled:
    """Return the event of one step: ``layers`` releases with Gaussian noise from one Poisson
    sample.
    """
    release: Event = GaussianRelease(noise_multiplier=noise_multiplier)
    if layers > 1:
        release = Composed(event=release, count=layers)
    return PoissonSampled(rate=rate, event=release)
