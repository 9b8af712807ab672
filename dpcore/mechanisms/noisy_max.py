"""Private selection of the largest score or count, of which only the index is released.

NoisyMax is the exponential mechanism or report-noisy-max. ``noisy_winners`` is the Gaussian version
for votes, with which PATE labels public rows for a student to train on [papernot2018].
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpcore import check
from dpcore.privacy import GaussianRelease, PureRelease

# A voter who changes their vote changes two counts by 1. Bounds that depend on the counts would be
# private themselves.
COUNTS_SENSITIVITY = math.sqrt(2)


@dataclass(frozen=True, kw_only=True)
class NoisyMax:
    """Select the index of the largest score after independent noise on each, for (epsilon, 0).

    Guarantee: Linf sensitivity `sensitivity`; noise `{"gumbel": gumbel_r, "laplace":
    laplace}[noise](scale=(1 if monotone else 2) * sensitivity / epsilon)` per score; event
    `PureRelease(epsilon=epsilon)`; adjacency of the sensitivity.

    One score may rise while others fall, so the scale is 2 sensitivity / epsilon. Scores that all
    move the same way need half.

    Attributes:
        sensitivity: Largest change of any one score between neighbours.
        epsilon: Of the guarantee, in nats.
        noise: "gumbel" is the exponential mechanism [mcsherry2007, Theorem 6], "laplace" is
            report-noisy-max [dwork2014, Claim 3.9].
        monotone: Whether all scores move the same way, as counts do under add/remove.

    >>> mechanism = NoisyMax(sensitivity=1.0, epsilon=2.0, monotone=True)
    >>> mechanism.release(np.array([100.0, 20.0, 30.0]), np.random.default_rng(0))
    0
    >>> mechanism.event
    PureRelease(epsilon=2.0)
    """

    sensitivity: float
    epsilon: float
    noise: Literal["gumbel", "laplace"] = "gumbel"
    monotone: bool = False

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        epsilon = check.epsilon(epsilon=self.epsilon)
        check.set_floats(self, sensitivity=sensitivity, epsilon=epsilon)
        check.choice(("gumbel", "laplace"), noise=self.noise)

    @property
    def scale(self) -> float:
        """Return the scale of the noise, in units of the scores."""
        if self.monotone:
            return self.sensitivity / self.epsilon
        return 2 * self.sensitivity / self.epsilon

    @property
    def event(self) -> PureRelease:
        """Return the privacy event of one selection."""
        return PureRelease(epsilon=self.epsilon)

    def release(
        self, scores: np.ndarray, rng: np.random.Generator, *, size: int | None = None
    ) -> np.ndarray | int:
        """Return the index of the winner, or the indices of ``size`` independent winners (size,).

        Args:
            scores: (k,), of which k is at least 1.
            rng: Source of the noise.
            size: Number of selections. None stands for one, returned as a number.

        Raises:
            RefusedError: If the scores have another shape or are not finite numbers.
        """
        scores = check.numbers(scores=scores)
        if scores.ndim != 1 or not scores.size:
            raise check.RefusedError("scores", scores.shape, "an array (k,) of at least one score")
        selections = 1
        if size is not None:
            selections = size
        shape = (selections, scores.size)
        if self.noise == "gumbel":
            noise = rng.gumbel(scale=self.scale, size=shape)
        else:
            noise = rng.laplace(scale=self.scale, size=shape)
        winners = (scores + noise).argmax(axis=1)
        if size is None:
            return int(winners[0])
        return winners


def noisy_winners(counts: np.ndarray, noise: np.ndarray, sigma: float | np.ndarray) -> np.ndarray:
    """Return the class with the largest noisy count (..., Q), for each of Q queries.

    Guarantee: L2 sensitivity `COUNTS_SENSITIVITY`; noise `norm(scale=sigma)` per count; event
    `GaussianRelease(noise_multiplier=sigma / sensitivity)`; adjacency replace-one.

    This is GNMax [papernot2018]. The event is that of one query.

    Args:
        counts: Number of votes for each of K classes, (K, Q).
        noise: Standard normal draws, (..., K, Q).
        sigma: Standard deviation of the noise, in votes, (...).

    Raises:
        RefusedError: If the counts are not finite numbers.
    """
    counts = check.numbers(counts=counts)
    sigma = np.asarray(sigma)[..., None, None]
    return (counts + noise * sigma).argmax(axis=-2)


def winner_event(sigma: float) -> GaussianRelease:
    """Return the privacy event of one query to ``noisy_winners``.

    Args:
        sigma: Standard deviation of the noise, in votes.
    """
    return GaussianRelease(noise_multiplier=sigma / COUNTS_SENSITIVITY)
