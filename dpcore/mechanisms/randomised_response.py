"""Randomised response: every person adds the noise to their own answer, so nobody has to be trusted
[warner1965].
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import PureRelease


@dataclass(frozen=True, kw_only=True)
class RandomisedResponse:
    """One answer among ``options``: the true one with probability p = e^epsilon / (e^epsilon + k -
    1), else one of the k - 1 others, each with q = 1 / (e^epsilon + k - 1). (epsilon, 0)-DP for
    each person, in the local model: p / q is e^epsilon, whatever the true answer [kairouz2016,
    Section 4].
    """

    epsilon: float
    options: int = 2

    def __post_init__(self) -> None:
        check.positive(epsilon=self.epsilon)
        check.whole(2, options=self.options)

    @property
    def truthful(self) -> float:
        """Return p, the probability of a true answer."""
        return 1 / (1 + (self.options - 1) * math.exp(-self.epsilon))

    @property
    def other(self) -> float:
        """Return q, the probability of each other answer."""
        return math.exp(-self.epsilon) * self.truthful

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)

    def answers(self, truths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return what people answer (n,) whose true answers (n,) are 0 to k - 1.

        Raises RefusedError for others.
        """
        truths = check.wholes(low=0, high=self.options - 1, truths=truths)
        lies = rng.random(truths.shape) >= self.truthful
        return (truths + lies * rng.integers(1, self.options, truths.shape)) % self.options

    def counts(self, people: np.ndarray, rng: np.random.Generator, *, size: int) -> np.ndarray:
        """Return how many give each answer (size, k), in as many surveys of people (k,) with each
        true answer.

        Raises RefusedError unless ``people`` are whole numbers.
        """
        people = check.wholes((self.options,), low=0, people=people)
        rows = np.full((self.options, self.options), self.other)
        np.fill_diagonal(rows, self.truthful)
        rows /= rows.sum(axis=1, keepdims=True)  # of rounding
        return np.sum(
            [rng.multinomial(int(n), row, size) for n, row in zip(people, rows, strict=True)],
            axis=0,
        )

    def estimates(self, counts: np.ndarray) -> np.ndarray:
        """Return the unbiased shares (..., k) of the true answers, (c / n - q) / (p - q), also
        outside 0 to 1.
        """
        shares = counts / counts.sum(axis=-1, keepdims=True)
        return (shares - self.other) / (self.truthful - self.other)

    def sd(self, people: float, *, share: float) -> float:
        """Return the standard deviation of the estimate of an option that this share of the people
        has.

        sqrt((s p (1 - p) + (1 - s) q (1 - q)) / n) / (p - q), over the noise alone: the people are
        fixed.
        """
        p, q = self.truthful, self.other
        return math.sqrt((share * p * (1 - p) + (1 - share) * q * (1 - q)) / people) / (p - q)
