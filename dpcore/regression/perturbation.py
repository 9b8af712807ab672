"""Linear regression by output perturbation and by noisy gradient descent.

Inputs x = (1, features) with p coordinates in [-1, 1], labels in [-1, 1], one row replaced, n
public: ||x|| <= sqrt p.
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
from dpcore.regression.functional import Fit, pure
from dpcore.regression.gaussian_statistics import noise_multipliers
from dpcore.regression.least_squares import Statistics, Unit, ridge_in_ball, standard


@dataclass(frozen=True, kw_only=True)
class OutputPerturbation(Unit):
    """Minimises (1/n) sum_i (w.x_i - y_i)^2 / 2 + penalty ||w||^2 / 2 over ||w|| <= radius, and
    adds noise.

    Noise of density proportional to exp(-epsilon ||b|| / Delta) [chaudhuri2011, Algorithm 1].
    Projection back into the ball is post-processing. penalty None: (2 c^2)^(1/3) with c = 2 k L p /
    (n epsilon), from public numbers alone, which balances noise against shrinkage.
    """

    radius: float = 1.0
    penalty: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check.squarable(radius=self.radius)
        if self.penalty is not None:
            check.positive(penalty=self.penalty)

    def chosen_penalty(self, epsilon: float, *, inputs: int, rows: int) -> float:
        if self.penalty is not None:
            return self.penalty
        longest = math.sqrt(inputs) * (1 + math.sqrt(inputs) * self.radius)
        return (2 * (2 * self.rows_each * longest * inputs / (rows * epsilon)) ** 2) ** (1 / 3)

    def sensitivity(self, penalty: float, *, inputs: int, rows: int) -> float:
        """Return 2 k L / (n penalty), or 2 r if less; L = sqrt p (1 + sqrt p r) bounds a row's
        gradient for ||w|| <= r.

        The objective is penalty-strongly convex, and replacing a row changes its gradient by at
        most 2 L / n [chaudhuri2011, Lemma 7]. Its minimum has ||w|| <= r = min(radius, 1 / sqrt
        penalty, sqrt p / penalty), as its value at 0 is at most 1/2 and its gradient there has norm
        at most sqrt p.
        """
        r = min(self.radius, 1 / math.sqrt(penalty), math.sqrt(inputs) / penalty)
        return min(
            2 * self.rows_each * math.sqrt(inputs) * (1 + math.sqrt(inputs) * r) / (rows * penalty),
            2 * r,
        )

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return one norm-exponential draw (p,) of scale 1."""
        return NormExponential(sensitivity=1.0, epsilon=1.0).noise(inputs, rng)[0]

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit the optimum once per epsilon, on which the penalty depends, and add each repeat's
        noise.
        """
        p, n = statistics.inputs, statistics.rows
        noise, epsilons = standard(noise, epsilons, width=p)
        optima, scales = [], []
        for epsilon in epsilons:
            penalty = self.chosen_penalty(float(epsilon), inputs=p, rows=n)
            optima.append(ridge_in_ball(statistics, penalty=penalty, radius=self.radius))
            scales.append(self.sensitivity(penalty, inputs=p, rows=n) / epsilon)
        return Fit(
            in_ball(
                np.array(optima)[:, None] + noise * np.array(scales)[:, None, None], self.radius
            )
        )

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        event = NormExponentialRelease(epsilon=epsilon, dimension=inputs)
        return pure(epsilon, event, basis="output perturbation of a strongly convex objective")


@dataclass(frozen=True, kw_only=True)
class Descent(Unit):
    """Minimises (1/n) sum_i (w.x_i - y_i)^2 / 2 by noisy gradient descent over ||w|| <= radius.

    Without ``clip_norm`` nothing is clipped. At the weights w, already public, the gradient of a
    row has norm at most sqrt p (1 + ||w||_1), as |w.x| <= ||w||_1. The mean gradient (G w - m) / n
    is thus computed from the statistics, with noise for twice that bound over n. With ``clip_norm``
    each row's gradient is clipped to it, which needs the rows. Every step is the same Gaussian
    release in units of its sensitivity [dong2022, Corollary 3.3]. Momentum and the returned average
    over the second half of the iterates are post-processing.

    norm: of the ball, "l2" or "l1". lasso, ridge: penalty (lasso ||w||_1 + ridge ||w||^2) / 2,
    which uses no row: soft-thresholding after a step, and the gradient ridge w. rate: public
    learning rate; None: 1.5 / p.
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
        check.choice(BALLS, norm=self.norm)
        check.between(0, math.inf, lasso=self.lasso)
        check.between(0, math.inf, ridge=self.ridge)
        for name in ("rate", "clip_norm"):
            if getattr(self, name) is not None:
                check.positive(**{name: getattr(self, name)})

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise (T p,) in step order."""
        return rng.standard_normal(self.steps * inputs)

    def fit(
        self,
        statistics: Statistics,
        noise: np.ndarray,
        epsilons: np.ndarray,
        *,
        rows: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Fit:
        """Fit all E x R models together, with rows (inputs (n, p), labels (n,)) if ``clip_norm`` is
        set.
        """
        p, n = statistics.inputs, statistics.rows
        noise, epsilons = standard(noise, epsilons, width=self.steps * p)
        multiplier = (
            self.rows_each
            * noise_multipliers(epsilons, delta=self.delta, releases=self.steps)[:, None, None]
        )
        steps = noise.reshape(len(noise), self.steps, p)
        weights = np.zeros((len(epsilons), len(noise), p))
        average, velocity = np.zeros_like(weights), np.zeros_like(weights)
        # trace(G) / n <= p bounds the curvature, so this rate cannot diverge
        rate, tail = self.rate or 1.5 / p, self.steps - self.steps // 2
        for step in range(self.steps):
            gradient, longest = self._gradient(weights, statistics, rows)
            noisy = gradient + self.ridge * weights + steps[:, step] * multiplier * 2 * longest / n
            velocity = self.momentum * velocity - rate * noisy
            weights = BALLS[self.norm](
                shrunk(weights + velocity, rate * self.lasso / 2), self.radius
            )
            if step >= self.steps - tail:
                average += weights / tail
        return Fit(average)

    def _gradient(self, weights, statistics, rows) -> tuple[np.ndarray, np.ndarray | float]:
        """Return (mean gradient (E, R, p), bound on the norm of a row's gradient: a number, or (E,
        R, 1)).
        """
        if self.clip_norm is None:
            mean = (weights @ statistics.gram - statistics.moment) / statistics.rows
            return mean, math.sqrt(statistics.inputs) * (
                1 + np.abs(weights).sum(axis=-1, keepdims=True)
            )
        if rows is None:
            raise check.RefusedError("rows", None, "given where gradients are clipped")
        X, y = rows
        residuals = weights @ X.T - y
        reach = self.clip_norm / np.linalg.norm(X, axis=1)
        return np.clip(residuals, -reach, reach) @ X / len(y), self.clip_norm

    def event(self, epsilon: float) -> Event:
        multiplier = float(
            noise_multipliers(np.array([epsilon]), delta=self.delta, releases=self.steps)[0]
        )
        return Composed(event=GaussianRelease(noise_multiplier=multiplier), count=self.steps)

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )


def in_ball(weights: np.ndarray, radius: float) -> np.ndarray:
    """Project weights (..., p) onto the L2 ball of ``radius``."""
    norms = np.linalg.norm(weights, axis=-1, keepdims=True)
    return weights * np.minimum(1, radius / np.maximum(norms, 1e-300))


def in_diamond(weights: np.ndarray, radius: float) -> np.ndarray:
    """Project weights (..., p) onto the L1 ball of ``radius``: soft-thresholding by one amount."""
    sizes = -np.sort(-np.abs(weights), axis=-1)
    excess = (np.cumsum(sizes, axis=-1) - radius) / np.arange(1, sizes.shape[-1] + 1)
    # The mean excess of the largest k entries is maximal if they are those that stay nonzero
    return shrunk(weights, np.maximum(excess.max(axis=-1, keepdims=True), 0))


def shrunk(weights: np.ndarray, amount: float | np.ndarray) -> np.ndarray:
    """Move weights towards 0 by ``amount`` (soft-thresholding)."""
    return np.sign(weights) * np.maximum(np.abs(weights) - amount, 0)


BALLS = {"l2": in_ball, "l1": in_diamond}
