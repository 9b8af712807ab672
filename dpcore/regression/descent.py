"""Linear regression by gradient descent with clipping.

Inputs x = (1, features) have p coordinates in [-1, 1], labels lie in [-1, 1], one row is replaced,
and n is public.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check
from dpcore.privacy import Adjacency, Composed, Event, GaussianRelease, Guarantee
from dpcore.regression.balls import PROJECTIONS, soft_threshold
from dpcore.regression.gaussian_statistics import noise_multipliers
from dpcore.regression.least_squares import Fit, Unit, validated

# The rule of the clipping norm. Few rows times epsilon need little noise, and many little bias, of
# which labels with a heavy tail have most. Both numbers suit data sets of many sizes
# (``python -m benchmarks.run descent``).
_ROWS_PER_CLIP_NORM = 2000
_ROWS_PER_SQUARED_CLIP_NORM = 3000
# The rule of the radius and of the learning rate. With fewer rows times epsilon for each input,
# noise fills a larger ball, and slower steps average more of it. trace(G) / n <= p bounds the
# curvature, so descent with momentum 0.9 and a rate below 3.8 / p cannot diverge.
_ROWS_PER_INPUT = 100
_SMALL_RADIUS = 1.0
_LARGE_RADIUS = 3.0
_SLOW_RATE = 1.5
_FAST_RATE = 3.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Rows for descent, in an order that is public.

    Attributes:
        X: Inputs (n, p).
        y: Labels (n,).
        norms: Of each row's inputs, (n,), as ``row_norms`` returns.
        ends: Cumulative number of rows of the first persons, (m,); None if each row is a person.
        rows_each: The most rows of a person.
    """

    X: np.ndarray
    y: np.ndarray
    norms: np.ndarray
    ends: np.ndarray | None = None
    rows_each: int = 1

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray) -> "Rows":
        """Return rows that are a person each.

        Raises:
            RefusedError: For other shapes, or if there are values that are not finite numbers.
        """
        y = check.numbers((len(y),), y=y)
        X = check.rows(X, y)
        return cls(X=X, y=y, norms=row_norms(X))

    @property
    def inputs(self) -> int:
        """Return p, including the constant."""
        return self.X.shape[1]

    @property
    def persons(self) -> int:
        """Return the number of persons."""
        if self.ends is None:
            return len(self.y)
        return len(self.ends)

    def batch(self, index: int, batches: int) -> tuple[slice, int]:
        """Return the rows of a batch, and the public number of rows that it has place for.

        Batches have equal numbers of persons, up to one. Nobody is in two batches.
        """
        first = index * self.persons // batches
        last = (index + 1) * self.persons // batches
        places = (last - first) * self.rows_each
        if self.ends is None:
            return slice(first, last), places
        starts = np.append(0, self.ends)
        return slice(int(starts[first]), int(starts[last])), places


@dataclass(frozen=True, kw_only=True)
class Descent(Unit):
    """Minimise (1/n) sum_i (w.x_i - y_i)^2 / 2 by noisy gradient descent with clipping in a ball.

    Guarantee: L2 sensitivity `2 * rows_each * clip_norm / (rows / batches)`; noise
    `norm(scale=sensitivity * sqrt(passes) / mu)` per coordinate and step; event
    `Composed(event=GaussianRelease(noise_multiplier=sqrt(passes) / mu), count=passes)`; adjacency
    replace-one.

    The gradient of a row, (w.x - y) x, is clipped to the norm C by clipping the residual w.x - y to
    C / ||x||. A step uses one of several batches, in turn. They are fixed by the order of the rows,
    so a person is in one batch, and changes only the steps on it, one in each pass over all
    batches. Each of these is the same Gaussian release in units of its sensitivity [dong2022,
    Corollary 3.3]. Momentum and the returned average over the second half of the iterates are
    post-processing.

    Attributes:
        delta: Of the guarantee.
        steps: Number of steps.
        batches: Number of batches. 1 stands for all rows in each step.
        clip_norm: Largest norm of a row's gradient. If None, it follows from public numbers.
        radius: Of the ball. If None, it follows from public numbers.
        norm: Of the ball, "l2" or "l1".
        lasso, ridge: Of the penalty (lasso ||w||_1 + ridge ||w||^2) / 2, which uses no row. The
            first is soft-thresholding after a step, the second adds the gradient ridge w.
        rate: Learning rate. If None, it follows from public numbers.
        momentum: Share of the last move that is added to the next.

    >>> mechanism = Descent(steps=60, batches=3)
    >>> mechanism.passes
    20
    >>> mechanism.event(1.0).count
    20
    """

    delta: float = 1e-6
    steps: int = 60
    batches: int = 1
    clip_norm: float | None = None
    radius: float | None = None
    norm: str = "l2"
    lasso: float = 0.0
    ridge: float = 0.0
    rate: float | None = None
    momentum: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.whole(1, check.MOST_STEPS, steps=self.steps)
        check.whole(1, batches=self.batches)
        check.between(0, 1, momentum=self.momentum)
        check.choice(PROJECTIONS, norm=self.norm)
        check.between(0, math.inf, lasso=self.lasso)
        check.between(0, math.inf, ridge=self.ridge)
        if self.clip_norm is not None:
            check.positive(clip_norm=self.clip_norm)
        if self.radius is not None:
            check.squarable(radius=self.radius)
        if self.rate is not None:
            check.positive(rate=self.rate)

    @property
    def passes(self) -> int:
        """Return the most steps that use a row."""
        return math.ceil(self.steps / self.batches)

    def chosen_clip_norm(self, epsilon: float, *, inputs: int, rows: int) -> float:
        """Return the clipping norm at this epsilon.

        It grows with the number of rows times epsilon (``_information``), by which the noise
        falls, and more slowly where that is large. The rule never needs more than 2 sqrt p,
        because a residual is at most 2 if a prediction lies in [-1, 1] like its label.
        """
        if self.clip_norm is not None:
            return self.clip_norm
        information = self._information(epsilon, rows)
        return min(
            information / _ROWS_PER_CLIP_NORM,
            math.sqrt(information / _ROWS_PER_SQUARED_CLIP_NORM),
            2 * math.sqrt(inputs),
        )

    def chosen_radius(self, epsilon: float, *, inputs: int, rows: int) -> float:
        """Return the radius of the ball at this epsilon."""
        if self.radius is not None:
            return self.radius
        if self._has_many_rows(epsilon, inputs, rows):
            return _LARGE_RADIUS
        return _SMALL_RADIUS

    def chosen_rate(self, epsilon: float, *, inputs: int, rows: int) -> float:
        """Return the learning rate at this epsilon."""
        if self.rate is not None:
            return self.rate
        if self._has_many_rows(epsilon, inputs, rows):
            return _FAST_RATE / inputs
        return _SLOW_RATE / inputs

    def _has_many_rows(self, epsilon: float, inputs: int, rows: int) -> bool:
        """Return whether little noise is needed for so many inputs."""
        return self._information(epsilon, rows) >= _ROWS_PER_INPUT * inputs

    def _information(self, epsilon: float, rows: int) -> float:
        """Return the number of persons times epsilon, as much as steps on all rows would need.

        Noise in b batches is sqrt b times that of steps on all rows.
        """
        return rows / self.rows_each * epsilon / math.sqrt(self.batches)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise (T p,) in the order of the steps."""
        return rng.standard_normal(self.steps * inputs)

    def fit(self, rows: Rows, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit all E x R models together.

        Args:
            rows: With at least one person in each batch.
            noise: (R, T p), each row as ``draws`` returns.
            epsilons: (E,).

        Raises:
            RefusedError: If there are more batches than persons.
        """
        p = rows.inputs
        noise, epsilons = validated(noise, epsilons, width=self.steps * p)
        check.whole(1, rows.persons, batches=self.batches)
        multipliers = noise_multipliers(epsilons, delta=self.delta, releases=self.passes)
        person_multipliers = self.rows_each * multipliers[:, None, None]
        _, places = rows.batch(0, 1)
        clip_norms = _per_epsilon(self.chosen_clip_norm, epsilons, inputs=p, rows=places)
        radii = _per_epsilon(self.chosen_radius, epsilons, inputs=p, rows=places)
        rates = _per_epsilon(self.chosen_rate, epsilons, inputs=p, rows=places)
        noise_of_steps = noise.reshape(len(noise), self.steps, p)
        weights = np.zeros((len(epsilons), len(noise), p))
        average = np.zeros_like(weights)
        velocity = np.zeros_like(weights)
        averaged_steps = self.steps - self.steps // 2
        project = PROJECTIONS[self.norm]
        for step in range(self.steps):
            batch, places = rows.batch(step % self.batches, self.batches)
            gradient = _clipped_gradient_sum(weights, rows, batch, clip_norms) / places
            step_noise = noise_of_steps[:, step] * person_multipliers
            step_noise = step_noise * 2 * clip_norms / places
            noisy_gradient = gradient + step_noise
            if self.ridge > 0:
                noisy_gradient = gradient + self.ridge * weights + step_noise
            velocity = self.momentum * velocity - rates * noisy_gradient
            moved = weights + velocity
            if self.lasso > 0:
                moved = soft_threshold(moved, rates * self.lasso / 2)
            weights = project(moved, radii)
            if step >= self.steps - averaged_steps:
                average += weights / averaged_steps
        return Fit(average)

    def event(self, epsilon: float) -> Event:
        """Return the event of all steps."""
        multipliers = noise_multipliers(np.array([epsilon]), delta=self.delta, releases=self.passes)
        release = GaussianRelease(noise_multiplier=float(multipliers[0]))
        return Composed(event=release, count=self.passes)

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee, which depends neither on ``inputs`` nor on ``rows``."""
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )


def row_norms(X: np.ndarray) -> np.ndarray:
    """Return the norm of each row of inputs X (n, p), (n,), or 1 for a missing row of zeros."""
    norms = np.linalg.norm(X, axis=1)
    return np.where(norms > 0, norms, 1).astype(X.dtype, copy=False)


def _per_epsilon(
    rule: Callable[..., float], epsilons: np.ndarray, *, inputs: int, rows: int
) -> np.ndarray:
    """Return what a rule of public numbers gives for each epsilon, (E, 1, 1)."""
    values = [rule(float(epsilon), inputs=inputs, rows=rows) for epsilon in epsilons]
    return np.array(values)[:, None, None]


def _clipped_gradient_sum(
    weights: np.ndarray, rows: Rows, batch: slice, clip_norms: np.ndarray
) -> np.ndarray:
    """Return the sum (E, R, p) of the clipped gradients of a batch at ``weights`` (E, R, p).

    Products are in the precision of the rows.
    """
    X = rows.X[batch]
    models = weights.reshape(-1, weights.shape[-1])
    residuals = models.astype(X.dtype, copy=False) @ X.T
    residuals -= rows.y[batch]
    # One bound for each epsilon and row.
    residual_bounds = clip_norms.astype(X.dtype, copy=False) / rows.norms[batch]
    residuals = residuals.reshape(*weights.shape[:-1], -1)
    np.minimum(residuals, residual_bounds, out=residuals)
    np.maximum(residuals, -residual_bounds, out=residuals)
    # The gradient of a row is its residual times its inputs.
    return (residuals.reshape(len(models), -1) @ X).reshape(weights.shape)
