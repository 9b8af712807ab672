"""Reconstruction of one secret bit per person from noisy answers to random counting questions.

Question j asks how many people of a random half have the bit 1, and is answered with a_j = <q_j, x>
+ sd z_j, where q_j is uniform on {0, 1}^n and z_j standard normal. The attacker knows questions and
noise level, and solves for x [dinur2003].
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpcore.privacy import Composed, GaussianRelease
from dpcore.streams import stream

# Keeps the least-squares matrix regular where there is no noise.
_LEAST_RIDGE = 1e-9
# Variance of a fair bit.
_BIT_VARIANCE = 1 / 4


class Survey(NamedTuple):
    """People with a secret bit each, and questions about them.

    Attributes:
        bits: Of the people, (n,).
        questions: Whether each person is in the half that a question is about, 0 or 1, (m, n).
        noise: Of the answers, with standard deviation 1, (m,).
    """

    bits: np.ndarray
    questions: np.ndarray
    noise: np.ndarray

    @classmethod
    def draw(cls, people: int, questions: int, *, seed: int, index: int = 0) -> "Survey":
        """Return made-up people and questions; with more questions, the first ones are the same.

        Args:
            people: Number of people n.
            questions: Number of questions m.
            seed: Of the random numbers.
            index: Number of the survey with this seed.
        """
        return cls(
            bits=stream(seed, "data", index).integers(0, 2, people),
            questions=stream(seed, "split", index).integers(0, 2, (questions, people)),
            noise=stream(seed, "noise", index).standard_normal(questions),
        )

    def estimates(self, questions: int, *, noise_sd: float) -> np.ndarray:
        """Return the least-squares estimates (n,) of the bits, around 1/2.

        They are argmin_x ||Q x - a||^2 / sd^2 + 4 ||x - 1/2||^2. 1/4 is the variance of a fair bit,
        so fewer questions than people leave what they do not determine at 1/2.

        Args:
            questions: Number of answers that are used, the first ones.
            noise_sd: Standard deviation of their noise.
        """
        used = self.questions[:questions].astype(float)
        answers = used @ self.bits + noise_sd * self.noise[:questions]
        matrix = used.T @ used
        diagonal = np.diag_indices_from(matrix)
        matrix[diagonal] += max(noise_sd**2 / _BIT_VARIANCE, _LEAST_RIDGE)
        expected_answers = used.sum(axis=1) / 2
        return 0.5 + np.linalg.solve(matrix, used.T @ (answers - expected_answers))

    def recovered(self, questions: int, *, noise_sd: float) -> np.ndarray:
        """Return whether each person's estimate, rounded, is the secret bit, (n,)."""
        estimates = self.estimates(questions, noise_sd=noise_sd)
        return (estimates > 0.5) == self.bits


def expected_share(people: int, questions: int, *, noise_sd: float) -> float | None:
    """Return the share of bits that unweighted least squares recovers, or None for m <= n.

    It is Phi(sqrt(m - n) / (4 sd)), from the variance 4 sd^2 / (m - n) of an estimate with
    questions of random halves, and rounding at 1/2. The noise must not be 0.
    """
    if questions <= people:
        return None
    return float(ndtr(math.sqrt(questions - people) / (4 * noise_sd)))


def event(questions: int, *, noise_sd: float) -> Composed:
    """Return the privacy event of all answers.

    Another bit of one person changes each answer by at most 1.
    """
    return Composed(event=GaussianRelease(noise_multiplier=noise_sd), count=questions)
