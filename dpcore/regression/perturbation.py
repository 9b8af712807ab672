"""Linear regression by output perturbation.

Inputs x = (1, features) have p coordinates in [-1, 1], labels lie in [-1, 1], one row is replaced,
and n is public, so ||x|| <= sqrt p.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.mechanisms import NormExponential
from dpcore.privacy import Guarantee, NormExponentialRelease
from dpcore.regression.balls import project_to_l2_ball
from dpcore.regression.functional import pure_guarantee
from dpcore.regression.least_squares import Fit, Statistics, Unit, ridge_in_ball, validated


@dataclass(frozen=True, kw_only=True)
class OutputPerturbation(Unit):
    """Minimise (1/n) sum_i (w.x_i - y_i)^2 / 2 + penalty ||w||^2 / 2 in a ball, and add noise.

    Guarantee: L2 sensitivity `l2_sensitivity(penalty, inputs=inputs, rows=rows)`; noise
    `gamma(inputs, scale=sensitivity / epsilon)` per norm; event
    `NormExponentialRelease(epsilon=epsilon, dimension=inputs)`; adjacency replace-one.

    The ball is ||w|| <= radius. The noise has a density proportional to exp(-epsilon ||b|| /
    sensitivity) [chaudhuri2011, Algorithm 1]. Projection back into the ball is post-processing.

    Attributes:
        radius: Of the ball.
        penalty: If None, it is (2 c^2)^(1/3) with c = 2 k L p / (n epsilon), from public numbers
            alone, which balances noise against shrinkage.

    >>> mechanism = OutputPerturbation(radius=1.0)
    >>> round(mechanism.chosen_penalty(1.0, inputs=3, rows=1000), 3)
    0.117
    """

    radius: float = 1.0
    penalty: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check.squarable(radius=self.radius)
        if self.penalty is not None:
            check.positive(penalty=self.penalty)

    def chosen_penalty(self, epsilon: float, *, inputs: int, rows: int) -> float:
        """Return the penalty at this epsilon."""
        if self.penalty is not None:
            return self.penalty
        gradient_bound = math.sqrt(inputs) * (1 + math.sqrt(inputs) * self.radius)
        c = 2 * self.rows_each * gradient_bound * inputs / (rows * epsilon)
        return (2 * c**2) ** (1 / 3)

    def l2_sensitivity(self, penalty: float, *, inputs: int, rows: int) -> float:
        """Return the L2 sensitivity 2 k L / (n penalty) of the minimiser, or 2 r if that is less.

        L = sqrt p (1 + sqrt p r) bounds the norm of a row's gradient for ||w|| <= r. The objective
        is penalty-strongly convex, and replacing a row changes its gradient by at most 2 L / n
        [chaudhuri2011, Lemma 7]. Its minimum has ||w|| <= r = min(radius, 1 / sqrt penalty,
        sqrt p / penalty), as its value at 0 is at most 1/2 and its gradient there has norm at most
        sqrt p.
        """
        r = min(self.radius, 1 / math.sqrt(penalty), math.sqrt(inputs) / penalty)
        k = self.rows_each
        by_convexity = 2 * k * math.sqrt(inputs) * (1 + math.sqrt(inputs) * r) / (rows * penalty)
        return min(by_convexity, 2 * r)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return one norm-exponential draw (p,) of scale 1."""
        return NormExponential(sensitivity=1.0, epsilon=1.0).noise(inputs, rng)[0]

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Return weights (E, R, p), for each epsilon with each row of noise.

        The penalised minimiser within the ball is found once per epsilon, on which the penalty
        depends. Scaled noise is added to it, and the sum is projected back into the ball.

        Args:
            statistics: Without noise.
            noise: (R, p), each row as ``draws`` returns.
            epsilons: (E,).
        """
        p = statistics.inputs
        n = statistics.rows
        noise, epsilons = validated(noise, epsilons, width=p)
        minimisers = []
        scales = []
        for epsilon in epsilons:
            penalty = self.chosen_penalty(float(epsilon), inputs=p, rows=n)
            minimisers.append(ridge_in_ball(statistics, penalty=penalty, radius=self.radius))
            scales.append(self.l2_sensitivity(penalty, inputs=p, rows=n) / epsilon)
        # (E, 1, p) + (R, p) * (E, 1, 1) = (E, R, p)
        noisy = np.array(minimisers)[:, None] + noise * np.array(scales)[:, None, None]
        return Fit(project_to_l2_ball(noisy, self.radius))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee of weights for this number of inputs, whatever ``rows``."""
        event = NormExponentialRelease(epsilon=epsilon, dimension=inputs)
        return pure_guarantee(
            epsilon, event, basis="output perturbation of a strongly convex objective"
        )
