"""Private selection of the largest score: the exponential mechanism and report-noisy-max."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpcore import check
from dpcore.privacy import PureRelease


@dataclass(frozen=True, kw_only=True)
class NoisyMax:
    """The index of the largest score after noise; (epsilon, 0)-DP.

    sensitivity: the largest change of any one score between neighbours. One score may rise while
    others fall, so the scale is 2 sensitivity/epsilon. ``monotone`` scores all move the same way
    (counts under add/remove) and need half.
    noise: "gumbel" is the exponential mechanism [mcsherry2007, Theorem 6], "laplace" is
    report-noisy-max [dwork2014, Claim 3.9].
    """

    sensitivity: float
    epsilon: float
    noise: Literal["gumbel", "laplace"] = "gumbel"
    monotone: bool = False

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        check.set_floats(self, sensitivity=sensitivity, epsilon=check.epsilon(epsilon=self.epsilon))
        check.choice(("gumbel", "laplace"), noise=self.noise)

    @property
    def scale(self) -> float:
        return (1 if self.monotone else 2) * self.sensitivity / self.epsilon

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)

    def release(
        self, scores: np.ndarray, rng: np.random.Generator, *, size: int | None = None
    ) -> np.ndarray | int:
        """Return the index of the winner among ``scores`` (k,), or ``size`` independent winners.

        Raises RefusedError for scores of another shape, or that are not finite numbers.
        """
        scores = check.numbers(scores=scores)
        if scores.ndim != 1 or not scores.size:
            raise check.RefusedError("scores", scores.shape, "an array (k,) of at least one score")
        draw = rng.gumbel if self.noise == "gumbel" else rng.laplace
        noisy = scores + draw(scale=self.scale, size=(1 if size is None else size, scores.size))
        winners = noisy.argmax(axis=1)
        return int(winners[0]) if size is None else winners
