"""Linear regression by output perturbation and by noisy gradient descent.

Inputs x = (1, features) have p coordinates in [-1, 1], labels lie in [-1, 1], one row is replaced,
and n is public, so ||x|| <= sqrt p.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check
from dpcore.mechanisms import NormExponential
from dpcore.privacy import (
    Adjacency,
    Composed,
    Event,
    GaussianRelease,
    Guarantee,
    NormExponentialRelease,
)
from dpcore.regression.functional import pure_guarantee
from dpcore.regression.gaussian_statistics import noise_multipliers
from dpcore.regression.least_squares import Fit, Statistics, Unit, ridge_in_ball, validated

# trace(G) / n <= p bounds the curvature, so descent with this rate over p cannot diverge.
_RATE = 1.5
# Norms below this count as 0, so that nothing is divided by 0.
_LEAST_NORM = 1e-300


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


@dataclass(frozen=True, kw_only=True)
class Descent(Unit):
    """Minimise (1/n) sum_i (w.x_i - y_i)^2 / 2 by noisy gradient descent in a ball.

    Guarantee: L2 sensitivity `2 * rows_each * gradient_bound(weights) / rows`; noise
    `norm(scale=sensitivity * sqrt(steps) / mu)` per coordinate and step; event
    `Composed(event=GaussianRelease(noise_multiplier=sqrt(steps) / mu), count=steps)`; adjacency
    replace-one.

    Without ``clip_norm`` nothing is clipped. The weights w before a step are already public, and
    there the gradient of a row has norm at most sqrt p (1 + ||w||_1), as |w.x| <= ||w||_1. The mean
    gradient (G w - m) / n is thus computed from the statistics, with noise for twice that bound
    over n. With ``clip_norm`` each row's gradient is clipped to it, which needs the rows.

    Every step is the same Gaussian release in units of its sensitivity [dong2022, Corollary 3.3].
    Momentum and the returned average over the second half of the iterates are post-processing.

    Attributes:
        delta: Of the guarantee.
        steps: Number of steps.
        radius: Of the ball.
        norm: Of the ball, "l2" or "l1".
        lasso, ridge: Of the penalty (lasso ||w||_1 + ridge ||w||^2) / 2, which uses no row. The
            first is soft-thresholding after a step, the second adds the gradient ridge w.
        rate: Public learning rate. None stands for 1.5 / p.
        momentum: Share of the last move that is added to the next.
        clip_norm: Largest norm of a row's gradient, or None.
    """

    delta: float = 1e-6
    steps: int = 60
    radius: float = 1.0
    norm: str = "l2"
    lasso: float = 0.0
    ridge: float = 0.0
    rate: float | None = None
    momentum: float = 0.9
    clip_norm: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.whole(1, check.MOST_STEPS, steps=self.steps)
        check.between(0, 1, momentum=self.momentum)
        check.squarable(radius=self.radius)
        check.choice(PROJECTIONS, norm=self.norm)
        check.between(0, math.inf, lasso=self.lasso)
        check.between(0, math.inf, ridge=self.ridge)
        if self.rate is not None:
            check.positive(rate=self.rate)
        if self.clip_norm is not None:
            check.positive(clip_norm=self.clip_norm)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise (T p,) in the order of the steps."""
        return rng.standard_normal(self.steps * inputs)

    def fit(
        self,
        statistics: Statistics,
        noise: np.ndarray,
        epsilons: np.ndarray,
        *,
        rows: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Fit:
        """Fit all E x R models together.

        Args:
            statistics: Without noise.
            noise: (R, T p), each row as ``draws`` returns.
            epsilons: (E,).
            rows: Inputs (n, p) and labels (n,), needed if ``clip_norm`` is set.

        Raises:
            RefusedError: If rows are needed and not given.
        """
        p = statistics.inputs
        n = statistics.rows
        noise, epsilons = validated(noise, epsilons, width=self.steps * p)
        multipliers = noise_multipliers(epsilons, delta=self.delta, releases=self.steps)
        person_multipliers = self.rows_each * multipliers[:, None, None]
        noise_of_steps = noise.reshape(len(noise), self.steps, p)
        weights = np.zeros((len(epsilons), len(noise), p))
        average = np.zeros_like(weights)
        velocity = np.zeros_like(weights)
        rate = self.rate or _RATE / p
        averaged_steps = self.steps - self.steps // 2
        project = PROJECTIONS[self.norm]
        for step in range(self.steps):
            gradient = self._mean_gradient(weights, statistics, rows)
            step_noise = noise_of_steps[:, step] * person_multipliers
            step_noise = step_noise * 2 * self.gradient_bound(weights) / n
            noisy_gradient = gradient + self.ridge * weights + step_noise
            velocity = self.momentum * velocity - rate * noisy_gradient
            moved = soft_threshold(weights + velocity, rate * self.lasso / 2)
            weights = project(moved, self.radius)
            if step >= self.steps - averaged_steps:
                average += weights / averaged_steps
        return Fit(average)

    def gradient_bound(self, weights: np.ndarray) -> np.ndarray | float:
        """Return a bound on the norm of a row's gradient at ``weights`` (E, R, p).

        It is one number with clipping, and (E, R, 1) without.
        """
        if self.clip_norm is not None:
            return self.clip_norm
        inputs = weights.shape[-1]
        return math.sqrt(inputs) * (1 + np.abs(weights).sum(axis=-1, keepdims=True))

    def _mean_gradient(
        self,
        weights: np.ndarray,
        statistics: Statistics,
        rows: tuple[np.ndarray, np.ndarray] | None,
    ) -> np.ndarray:
        """Return the mean gradient (E, R, p), of clipped gradients if there is a ``clip_norm``."""
        if self.clip_norm is None:
            return (weights @ statistics.gram - statistics.moment) / statistics.rows
        if rows is None:
            raise check.RefusedError("rows", None, "given where gradients are clipped")
        X, y = rows
        residuals = weights @ X.T - y
        # The gradient of a row is its residual times its inputs.
        residual_bounds = self.clip_norm / np.linalg.norm(X, axis=1)
        return np.clip(residuals, -residual_bounds, residual_bounds) @ X / len(y)

    def event(self, epsilon: float) -> Event:
        """Return the event of all steps."""
        multipliers = noise_multipliers(np.array([epsilon]), delta=self.delta, releases=self.steps)
        release = GaussianRelease(noise_multiplier=float(multipliers[0]))
        return Composed(event=release, count=self.steps)

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee, which depends neither on ``inputs`` nor on ``rows``."""
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )


def project_to_l2_ball(weights: np.ndarray, radius: float) -> np.ndarray:
    """Project weights (..., p) onto the L2 ball of ``radius``."""
    norms = np.linalg.norm(weights, axis=-1, keepdims=True)
    return weights * np.minimum(1, radius / np.maximum(norms, _LEAST_NORM))


def project_to_l1_ball(weights: np.ndarray, radius: float) -> np.ndarray:
    """Project weights (..., p) onto the L1 ball of ``radius``, by soft-thresholding.

    The threshold makes the entries that stay nonzero, the largest k, add up to the radius. For
    these k, the mean excess of the largest entries over the radius is maximal.
    """
    descending = -np.sort(-np.abs(weights), axis=-1)
    counts = np.arange(1, descending.shape[-1] + 1)
    mean_excess = (np.cumsum(descending, axis=-1) - radius) / counts
    threshold = np.maximum(mean_excess.max(axis=-1, keepdims=True), 0)
    return soft_threshold(weights, threshold)


def soft_threshold(weights: np.ndarray, threshold: float | np.ndarray) -> np.ndarray:
    """Move each weight towards 0 by ``threshold``, but not beyond."""
    shrunk = np.maximum(np.abs(weights) - threshold, 0)
    return np.sign(weights) * shrunk


PROJECTIONS = {"l2": project_to_l2_ball, "l1": project_to_l1_ball}
