"""Differentially private logistic regression by noisy gradient descent, as a scikit-learn
estimator.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators import class_labels as classes
from dpcore.estimators import seeds
from dpcore.estimators.base import PrivateClassifier
from dpcore.estimators.people import people_of
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.training import descent, losses

# Ranges of the defaults, good for many data sizes, optimal for none: steps, clip_norm,
# learning_rate * clip_norm.
STEPS, CLIP_NORMS, RATES = (100, 400), (0.3, math.sqrt(2)), (0.5, 8.0)


@dataclass(eq=False, repr=False, kw_only=True)
class DPLogisticRegression(PrivateClassifier):
    """Minimises (1/n) sum_i log(1 + exp(-y_i (w.x_i + b))), or the softmax loss for more than two
    classes.

    Full-batch gradient descent. Each example's gradient is clipped and one Gaussian draw per
    coordinate is added at every step, so that the whole descent is exactly (epsilon,
    delta)-differentially private: per-example clipping as in [abadi2016, Algorithm 1] without
    sampling, Gaussian composition as in [dong2022, Corollary 3.3]. The guarantee covers the weights
    after every step, so averaging them is post-processing.

    Parameters
    ----------
    epsilon, delta: the guarantee, under ``adjacency`` ("replace-one" or "add/remove", n public) for
    one record; for one person with all of their rows, if ``fit`` gets ``groups``.
    clip_norm: L2 bound on the gradient of an example, or on a person's average gradient, in units
    of rows scaled to norm at most 1 with the constant appended. None chooses the cube root of n
    epsilon / (11,000 sqrt(k (d + 1))), at
    least .3 and at most sqrt 2: a small bound has less noise and more bias.
    data_norm: L2 bound on a row, **declared** and never measured; longer rows are scaled down to
        it.
    classes: all possible classes, **declared**; a row of another class is ignored. None takes the
    classes in y, and assumes that their set is public.
    steps: None chooses n epsilon / 5, at least 100 and at most 400. average: return the mean of the
    second half of the iterates instead of the last one.
    learning_rate: None chooses (3 / (k (d + 1)))^(1/4) n epsilon / steps, at least .5 and at most
    8, over clip_norm. All defaults depend only on the number n of records or people, of weights k
    (d + 1), and epsilon, which are public. ``python -m benchmarks.run defaults`` measures them.
    random_state: seed of the noise. A fixed one makes a release reproducible, hence not private.
    None takes 128 bits from the operating system.

    Attributes ---------- coef_ (k, d), intercept_ (k,), classes_, n_features_in_, guarantee_
    (dpcore.privacy.Guarantee; its ``assumes`` lists its assumptions), n_iter_ (steps), clip_norm_,
    learning_rate_.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    clip_norm: float | None = None
    data_norm: float = 1.0
    classes: Any = None
    steps: int | None = None
    learning_rate: float | None = None
    average: bool = True
    adjacency: str = "replace-one"
    random_state: Any = None

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        groups: np.ndarray | None = None,
        coef_init: np.ndarray | None = None,
        intercept_init: np.ndarray | None = None,
    ) -> "DPLogisticRegression":
        """Fit to X (n, d), y (n,); the starting weights ``coef_init`` (k, d), ``intercept_init``
        (k,) must be public.

        groups: the person of each row (n,), as numbers, words or dates. Rows without a name are one
        person's, and so are spellings of a name that differ in nothing but their code points or
        spaces. A person's gradients are averaged before clipping, so any number of rows costs as
        much as one; n is then the number of people. Raises ValueError (RefusedError) naming a
        parameter that is out of range.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        check.positive(data_norm=self.data_norm)
        epsilon = check.epsilon(epsilon=self.epsilon)
        check.flag(average=self.average)
        X, y = self._rows(X, y)
        if groups is None:
            people, unit = None, "record"
            count = len(X)
        else:
            people, unit = people_of(groups, len(X)), "person"
            count = int(people.max()) + 1
        self._choose(count, epsilon)
        multiplier = descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.n_iter_)
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=len(self.classes_),
            steps=self.n_iter_,
            learning_rate=self.learning_rate_,
            clip_norm=self.clip_norm_,
            noise_sd=descent.mean_noise_sd(
                multiplier, clip_norm=self.clip_norm_, rows=count, adjacency=adjacency
            ),
            start=self._start(coef_init, intercept_init),
            seed=seeds.noise_seed(self.random_state),
            draws=[0],
            people=people,
            average=self.average,
            dtype=np.float64,
        )
        self.coef_ = path.weights[0, :, :-1] / self.data_norm
        self.intercept_ = path.weights[0, :, -1]
        event = descent.event(multiplier, steps=self.n_iter_)
        assumes = (
            public_count(adjacency, unit=unit)
            + classes.assumed(self.classes)
            + seeds.assumed(self.random_state)
        )
        guarantee = accountants.account(event, delta=self.delta, adjacency=adjacency, unit=unit)
        self.guarantee_: Guarantee = replace(guarantee, assumes=assumes)
        return self

    def _rows(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs (n, d + 1) of norm at most sqrt 2, and class numbers (n,)."""
        X, y = classes.validated(self, X, y)
        inputs = losses.with_constant(
            X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), self.data_norm)
        )
        inputs[y < 0] = 0  # a row of an undeclared class has no gradient
        return inputs, np.maximum(y, 0)

    def _choose(self, count: int, epsilon: float) -> None:
        """Set steps, clipping norm and learning rate as given, else by the default rules for
        ``count`` records.
        """
        size, weights = (
            count * epsilon,
            losses.outputs(len(self.classes_)) * (self.n_features_in_ + 1),
        )
        steps, clip_norm, rate = self.steps, self.clip_norm, self.learning_rate
        if steps is None:
            self.n_iter_ = round(_within(STEPS, size / 5))
        else:
            self.n_iter_ = check.whole(1, check.MOST_STEPS, steps=steps)
        widest = (size / (11_000 * math.sqrt(weights))) ** (1 / 3)
        self.clip_norm_ = (
            _within(CLIP_NORMS, widest)
            if clip_norm is None
            else check.positive(clip_norm=clip_norm)
        )
        moved = _within(RATES, (3 / weights) ** 0.25 * size / self.n_iter_)
        self.learning_rate_ = (
            moved / self.clip_norm_ if rate is None else check.positive(learning_rate=rate)
        )

    def _start(self, coef_init: np.ndarray | None, intercept_init: np.ndarray | None) -> np.ndarray:
        """Return initial weights (k, d + 1) in units of rows of norm at most 1."""
        k, d = losses.outputs(len(self.classes_)), self.n_features_in_
        start = np.zeros((k, d + 1))
        if coef_init is not None:
            start[:, :-1] = check.numbers((k, d), coef_init=coef_init) * self.data_norm
        if intercept_init is not None:
            start[:, -1] = check.numbers((k,), intercept_init=intercept_init)
        return start

    def _logits(self, X: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.coef_ @ X.T + self.intercept_[:, None]


def _within(ends: tuple[float, float], value: float) -> float:
    return min(max(value, ends[0]), ends[1])
