"""Change learning rate, clipping norm and noise over the steps by public schedules.

Learning rates are post-processing, and a clipping norm scales signal and noise alike, so neither
costs privacy. Of the noise, only the multiplier z_t = (noise sd) / (clipping norm) of each step
counts, and the steps compose in any order.

A schedule is given by its factors: the value at each step over the one at the first.
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
    """A schedule of factors over the steps, 1 at the first.

    Attributes:
        end: Factor at the last step.
        steps: Number of steps T.
        shape: A key of ``SHAPES``.
    """

    end: float
    steps: int
    shape: str = "geometric"

    def __post_init__(self) -> None:
        check.positive(end=self.end)
        check.whole(1, steps=self.steps)
        check.choice(SHAPES, shape=self.shape)

    @cached_property
    def factors(self) -> np.ndarray:
        """Return the factor of each step (T,)."""
        passed_share = np.arange(self.steps) / max(self.steps - 1, 1)
        if self.shape == "geometric":
            return self.end**passed_share
        return 1 + (self.end - 1) * passed_share

    def levels(self, *, until: int | None = None, count: int | None = LEVELS) -> dict[float, int]:
        """Return how many of the first ``until`` steps have each factor.

        Factors are rounded down to ``count`` points of a geometric grid, or kept as they are if
        None. Less noise costs more, so the result is never understated.
        """
        factors = self.factors
        if count is not None:
            low = factors.min()
            high = factors.max()
            grid = low * (high / low) ** (np.arange(count + 1) / count)
            index_below = np.searchsorted(grid, factors, side="right") - 1
            factors = grid[index_below]
        levels, counts = np.unique(factors[:until], return_counts=True)
        return dict(zip(levels.tolist(), counts.tolist(), strict=True))


def event(
    schedule: Schedule,
    noise_multiplier: float,
    *,
    rate: float,
    until: int | None = None,
    layers: int = 1,
) -> Event:
    """Return the event of steps on Poisson samples whose noise multipliers follow ``schedule``.

    At ``rate`` 1 nothing is rounded, as mu^2 = sum_t 1/z_t^2 is exact.

    Args:
        schedule: Of the noise multipliers, over that of the first step.
        noise_multiplier: That of the first step.
        rate: Sampling rate.
        until: Count only that many steps; None for all.
        layers: Number of releases per step.
    """
    count: int | None = LEVELS
    if rate == 1:
        count = None
    events = []
    for factor, times in schedule.levels(until=until, count=count).items():
        release = step(rate, noise_multiplier * factor, layers=layers)
        events.append(Composed(event=release, count=times))
    if len(events) == 1:
        return events[0]
    return Sequence(events=tuple(events))


def step(rate: float, noise_multiplier: float, *, layers: int = 1) -> PoissonSampled:
    """Return the event of one step, ``layers`` Gaussian releases from one Poisson sample."""
    release: Event = GaussianRelease(noise_multiplier=noise_multiplier)
    if layers > 1:
        release = Composed(event=release, count=layers)
    return PoissonSampled(rate=rate, event=release)
