"""Randomised response, in which people add the noise to their own answers [warner1965].

Nobody has to be trusted with the true answers.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import PureRelease


@dataclass(frozen=True, kw_only=True)
class RandomisedResponse:
    """Give the true answer, or with some probability another one; (epsilon, 0) for each person.

    Guarantee: probability ratio `truth_probability / other_probability`; event
    `PureRelease(epsilon=epsilon)`; adjacency replace-one.

    The true answer has the probability p = e^epsilon / (e^epsilon + k - 1), and each of the k - 1
    others q = 1 / (e^epsilon + k - 1). This is the local model: p / q is e^epsilon, whatever the
    true answer [kairouz2016, Section 4].

    Attributes:
        epsilon: Of the guarantee, in nats.
        options: k, the number of possible answers.

    >>> mechanism = RandomisedResponse(epsilon=1.0)
    >>> round(mechanism.truth_probability, 3)
    0.731
    >>> counts = mechanism.counts(np.array([700, 300]), np.random.default_rng(0), size=1)
    >>> round(float(mechanism.estimates(counts)[0, 0]), 1)
    0.7
    """

    epsilon: float
    options: int = 2

    def __post_init__(self) -> None:
        check.positive(epsilon=self.epsilon)
        check.whole(2, options=self.options)

    @property
    def truth_probability(self) -> float:
        """Return p, the probability of the true answer."""
        return 1 / (1 + (self.options - 1) * math.exp(-self.epsilon))

    @property
    def other_probability(self) -> float:
        """Return q, the probability of each single other answer."""
        return math.exp(-self.epsilon) * self.truth_probability

    @property
    def event(self) -> PureRelease:
        """Return the privacy event of one answer."""
        return PureRelease(epsilon=self.epsilon)

    def answers(self, truths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the answers (n,) of people whose true answers are ``truths`` (n,).

        Raises:
            RefusedError: If true answers are not whole numbers from 0 to k - 1.
        """
        truths = check.wholes(low=0, high=self.options - 1, truths=truths)
        is_lie = rng.random(truths.shape) >= self.truth_probability
        # A lie is the true answer moved by 1 to k - 1, modulo k.
        moves = rng.integers(1, self.options, truths.shape)
        return (truths + np.where(is_lie, moves, 0)) % self.options

    def counts(self, people: np.ndarray, rng: np.random.Generator, *, size: int) -> np.ndarray:
        """Return the number of people who give each answer, in ``size`` surveys, (size, k).

        Args:
            people: Number of people with each true answer, (k,).
            rng: Source of the noise.
            size: Number of independent surveys of the same people.

        Raises:
            RefusedError: If ``people`` are not whole numbers.
        """
        people = check.wholes((self.options,), low=0, people=people)
        probabilities = np.full((self.options, self.options), self.other_probability)
        np.fill_diagonal(probabilities, self.truth_probability)
        # Rounding may leave a sum a little above 1, which is refused.
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        counts_by_truth = []
        for truth, count in enumerate(people):
            counts_by_truth.append(rng.multinomial(int(count), probabilities[truth], size))
        return np.sum(counts_by_truth, axis=0)

    def estimates(self, counts: np.ndarray) -> np.ndarray:
        """Return unbiased estimates of the shares of the true answers, (..., k).

        They are (c / n - q) / (p - q), and may be below 0 or above 1.

        Args:
            counts: Number of people who gave each answer, (..., k).
        """
        shares = counts / counts.sum(axis=-1, keepdims=True)
        p = self.truth_probability
        q = self.other_probability
        return (shares - q) / (p - q)

    def sd(self, people: float, *, share: float) -> float:
        """Return the standard deviation of the estimated share of an option.

        It is sqrt((s p (1 - p) + (1 - s) q (1 - q)) / n) / (p - q), over the noise alone, for fixed
        people.

        Args:
            people: n, the number of people.
            share: s, the true share of the option.
        """
        p = self.truth_probability
        q = self.other_probability
        of_truthful = share * p * (1 - p)
        of_others = (1 - share) * q * (1 - q)
        variance = of_truthful + of_others
        return math.sqrt(variance / people) / (p - q)
