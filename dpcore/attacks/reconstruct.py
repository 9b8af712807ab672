"""Reconstruction of one secret bit per person from noisy answers to random counting questions
[dinur2003].

Question j asks how many people of a random half have the bit 1, and is answered with a_j = <q_j, x>
+ sd z_j, where q_j is uniform on {0, 1}^n and z_j standard normal. The attacker knows questions and
noise, and solves for x.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpcore import check
from dpcore.privacy import Composed, GaussianRelease
from dpcore.streams import stream

# Of the diagonal of the least-squares matrix where there is no noise.
_LEAST_RIDGE = 1e-9


class Survey(NamedTuple):
    """Secret bits (n,) of people, questions (m, n) of zeros and ones, and noise (m,) of standard
    deviation 1.
    """

    bits: np.ndarray
    questions: np.ndarray
    noise: np.ndarray

    @classmethod
    def drawn(cls, people: int, questions: int, *, seed: int, index: int = 0) -> "Survey":
        """Return made-up people and questions; with more questions, the first ones are the same."""
        bits = stream(seed, "data", index).integers(0, 2, check.whole(1, people=people))
        asked = stream(seed, "split", index).integers(
            0, 2, (check.whole(1, questions=questions), people)
        )
        return cls(bits, asked, stream(seed, "noise", index).standard_normal(questions))

    def estimates(self, questions: int, *, noise_sd: float) -> np.ndarray:
        """Return the least-squares estimates (n,) of the bits from the first ``questions`` answers,
        around 1/2.

        argmin_x ||Q x - a||^2 / sd^2 + 4 ||x - 1/2||^2: 1/4 is the variance of a fair bit, so fewer
        questions than people leave what they do not determine at 1/2. Raises RefusedError for more
        questions than were drawn.
        """
        check.whole(1, len(self.questions), questions=questions)
        sd, asked = check.at_least(0, noise_sd=noise_sd), self.questions[:questions].astype(float)
        answers = asked @ self.bits + sd * self.noise[:questions]
        matrix = asked.T @ asked
        matrix[np.diag_indices_from(matrix)] += max(4 * sd**2, _LEAST_RIDGE)
        return 0.5 + np.linalg.solve(matrix, asked.T @ (answers - asked.sum(axis=1) / 2))

    def right(self, questions: int, *, noise_sd: float) -> np.ndarray:
        """Return for whom (n,) the estimate, rounded, is the secret bit."""
        return (self.estimates(questions, noise_sd=noise_sd) > 0.5) == self.bits


def expected(people: int, questions: int, *, noise_sd: float) -> float:
    """Return the share of bits that unweighted least squares recovers, Phi(sqrt(m - n) / (4 sd));
    NaN for m <= n.

    From the variance 4 sd^2 / (m - n) of an estimate with questions of random halves, and rounding
    at 1/2.
    """
    if questions <= people:
        return math.nan
    return float(ndtr(math.sqrt(questions - people) / (4 * noise_sd))) if noise_sd else 1.0


def event(questions: int, *, noise_sd: float) -> Composed:
    """Return the release of all answers: another bit of one person changes each by at most 1."""
    return Composed(event=GaussianRelease(noise_multiplier=noise_sd), count=questions)
