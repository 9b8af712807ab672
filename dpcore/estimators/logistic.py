"""Differentially private logistic regression by noisy gradient descent."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators.base import PrivateClassifier, noise_seed
from dpcore.estimators.people import people_of
from dpcore.privacy import Adjacency, public_count
from dpcore.training import descent, losses

# Ranges of the defaults, good for many data sizes, optimal for none. Rates are learning_rate *
# clip_norm.
STEPS = (100, 400)
CLIP_NORMS = (0.3, math.sqrt(2))
RATES = (0.5, 8.0)
# Constants of the default rules, which ``python -m benchmarks.run defaults`` measures.
_SIZE_PER_STEP = 5
_SIZE_PER_CLIP_NORM = 11_000
_RATE_OF_WEIGHTS = 3


@dataclass(eq=False, repr=False, kw_only=True)
class DPLogisticRegression(PrivateClassifier):
    """Logistic regression with differential privacy, by noisy full-batch gradient descent.

    It minimises (1/n) sum_i log(1 + exp(-y_i (w.x_i + b))), or the softmax loss for more than two
    classes.

    Each example's gradient is clipped and one Gaussian draw per coordinate is added at every step,
    so that the whole descent is exactly (epsilon, delta)-differentially private: per-example
    clipping as in [abadi2016, Algorithm 1] without sampling, Gaussian composition as in [dong2022,
    Corollary 3.3]. The guarantee covers the weights after every step, so averaging them is
    post-processing.

    Guarantee: L2 sensitivity `adjacency.contributions * clip_norm_ / rows`; noise
    `norm(scale=noise_multiplier_ * sensitivity)` per coordinate and step; event
    `Composed(event=GaussianRelease(noise_multiplier=noise_multiplier_), count=n_iter_)`;
    adjacency replace-one, add/remove.

    All defaults depend only on the number n of records or people, the number of weights k (d + 1),
    and epsilon, which are public. ``python -m benchmarks.run defaults`` measures them.

    Parameters
    ----------
    epsilon : float, default=1.0
        Of the guarantee, in nats: for one record, or for one person with all of their rows if
        ``fit`` gets ``groups``.
    delta : float, default=1e-5
        Of the guarantee.
    clip_norm : float or None, default=None
        L2 bound on the gradient of an example, or on a person's average gradient, in units of rows
        scaled to norm at most 1 with the constant appended. A small bound has less noise and more
        bias. None chooses the cube root of n epsilon / (11,000 sqrt(k (d + 1))), at least 0.3 and
        at most sqrt(2).
    data_norm : float, default=1.0
        L2 bound on a row; longer rows are scaled down to it. **Declared**, never measured.
    classes : array-like or None, default=None
        All possible classes, **declared**; a row of another class is ignored. None takes the
        classes in y, and assumes that their set is public.
    steps : int or None, default=None
        Number of steps. None chooses n epsilon / 5, at least 100 and at most 400.
    learning_rate : float or None, default=None
        None chooses (3 / (k (d + 1)))^(1/4) n epsilon / steps, at least 0.5 and at most 8, over
        clip_norm.
    average : bool, default=True
        Whether to return the mean of the second half of the iterates instead of the last one.
    adjacency : {"replace-one", "add/remove"}, default="replace-one"
        Relation of neighbouring data sets. Under add/remove, n is assumed public.
    random_state : int, RandomState or None, default=None
        Seed of the noise. A fixed one makes a release reproducible, hence not private. None takes
        128 bits from the operating system.

    Attributes
    ----------
    coef_ : ndarray of shape (k, d)
        Weights of the features, with k = 1 for two classes, else one row per class.
    intercept_ : ndarray of shape (k,)
        Constants of the logits.
    classes_ : ndarray of shape (K,)
        The classes.
    n_features_in_ : int
        Number of features d.
    guarantee_ : dpcore.privacy.Guarantee
        The guarantee, with its assumptions.
    n_iter_ : int
        Number of steps.
    clip_norm_ : float
        Clipping norm.
    learning_rate_ : float
        Learning rate.
    noise_multiplier_ : float
        Standard deviation of the noise of a step over the sensitivity of the mean gradient.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) % 2
    >>> X = rng.normal(0.4 * (2 * y - 1), 0.3).reshape(-1, 1)
    >>> model = DPLogisticRegression(epsilon=1.0, classes=[0, 1], random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    >>> round(model.guarantee_.epsilon, 2), model.guarantee_.delta, model.guarantee_.adjacency.value
    (1.0, 1e-05, 'replace-one')
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
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Classes.
        groups : array-like of shape (n,), default=None
            The person of each row, as numbers, words or dates. Rows without a name are one
            person's, and so are spellings of a name that differ in nothing but their code points or
            spaces. A person's gradients are averaged before clipping, so any number of rows costs
            as much as one; n is then the number of people.
        coef_init : ndarray of shape (k, d), default=None
            Starting weights, which must be public.
        intercept_init : ndarray of shape (k,), default=None
            Starting constants, which must be public.

        Raises
        ------
        RefusedError
            A ValueError that names a parameter out of range.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        check.positive(data_norm=self.data_norm)
        epsilon = check.epsilon(epsilon=self.epsilon)
        check.flag(average=self.average)
        X, class_numbers = self._training_rows(X, y)
        if groups is None:
            people = None
            unit = "record"
            count = len(X)
        else:
            people = people_of(groups, len(X))
            unit = "person"
            count = int(people.max()) + 1
        self._set_training_parameters(count, epsilon)
        self.noise_multiplier_ = descent.noise_multiplier(
            epsilon=epsilon, delta=self.delta, steps=self.n_iter_
        )
        noise_sd = descent.mean_noise_sd(
            self.noise_multiplier_, clip_norm=self.clip_norm_, rows=count, adjacency=adjacency
        )
        start = self._start(coef_init, intercept_init)
        weights = self._train(X, class_numbers, people, start=start, noise_sd=noise_sd)
        self.coef_ = weights[:, :-1] / self.data_norm
        self.intercept_ = weights[:, -1]
        event = descent.event(self.noise_multiplier_, steps=self.n_iter_)
        guarantee = accountants.account(event, delta=self.delta, adjacency=adjacency, unit=unit)
        # The noise is that of a mean, and so follows the number of records or people.
        assumptions = public_count(adjacency, unit=unit) + self._assumptions()
        self.guarantee_ = replace(guarantee, assumes=assumptions)
        return self

    def _train(
        self,
        X: np.ndarray,
        class_numbers: np.ndarray,
        people: np.ndarray | None,
        *,
        start: np.ndarray,
        noise_sd: float,
    ) -> np.ndarray:
        """Return the weights (k, d + 1) of one noisy descent."""
        path = descent.noisy_gradient_descent(
            X,
            class_numbers,
            n_classes=len(self.classes_),
            steps=self.n_iter_,
            learning_rate=self.learning_rate_,
            clip_norm=self.clip_norm_,
            noise_sd=noise_sd,
            start=start,
            seed=noise_seed(self.random_state),
            draws=[0],
            people=people,
            average=self.average,
            dtype=np.float64,
        )
        return path.weights[0]

    def _training_rows(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs (n, d + 1) of norm at most sqrt(2), and class numbers (n,)."""
        X, class_numbers = self._validated(X, y)
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        inputs = losses.with_constant(X / np.maximum(norms, self.data_norm))
        # A row of an undeclared class has no gradient.
        inputs[class_numbers < 0] = 0
        return inputs, np.maximum(class_numbers, 0)

    def _set_training_parameters(self, count: int, epsilon: float) -> None:
        """Set steps, clipping norm and learning rate, by default rules where they are not given.

        Args:
            count: Number of records or people.
            epsilon: Of the guarantee.
        """
        size = count * epsilon
        weights = losses.outputs(len(self.classes_)) * (self.n_features_in_ + 1)
        if self.steps is None:
            self.n_iter_ = round(_limited(size / _SIZE_PER_STEP, STEPS))
        else:
            self.n_iter_ = check.whole(1, check.MOST_STEPS, steps=self.steps)
        if self.clip_norm is None:
            clip_norm = (size / (_SIZE_PER_CLIP_NORM * math.sqrt(weights))) ** (1 / 3)
            self.clip_norm_ = _limited(clip_norm, CLIP_NORMS)
        else:
            self.clip_norm_ = check.squarable(clip_norm=self.clip_norm)
        if self.learning_rate is None:
            rate = (_RATE_OF_WEIGHTS / weights) ** 0.25 * size / self.n_iter_
            self.learning_rate_ = _limited(rate, RATES) / self.clip_norm_
        else:
            self.learning_rate_ = check.squarable(learning_rate=self.learning_rate)

    def _start(self, coef_init: np.ndarray | None, intercept_init: np.ndarray | None) -> np.ndarray:
        """Return initial weights (k, d + 1) in units of rows of norm at most 1."""
        k = losses.outputs(len(self.classes_))
        d = self.n_features_in_
        start = np.zeros((k, d + 1))
        if coef_init is not None:
            start[:, :-1] = check.numbers((k, d), coef_init=coef_init) * self.data_norm
        if intercept_init is not None:
            start[:, -1] = check.numbers((k,), intercept_init=intercept_init)
        return start

    def _logits(self, X: np.ndarray) -> np.ndarray:
        """Return the logits (k, n) of rows (n, d), k = 1 for two classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.coef_ @ X.T + self.intercept_[:, None]


def _limited(value: float, ends: tuple[float, float]) -> float:
    """Return ``value``, or the nearer end if it is outside of them."""
    low, high = ends
    return min(max(value, low), high)
