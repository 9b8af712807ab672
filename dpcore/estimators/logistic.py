"""Differentially private logistic regression by noisy gradient descent, as a scikit-learn estimator."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators import classes, seeds
from dpcore.estimators.bases import PrivateClassifier
from dpcore.privacy import Adjacency, Guarantee
from dpcore.training import descent, losses

# The rule for the learning rate, times clip_norm: its ends, good on made-up data of many sizes, best on none.
LEAST_RATE, MOST_RATE = 1.0, 32.0


@dataclass(eq=False, repr=False, kw_only=True)
class DPLogisticRegression(PrivateClassifier):
    """Minimises (1/n) sum_i log(1 + exp(-y_i (w.x_i + b))), or the softmax loss for more than two classes.

    Full-batch gradient descent; each example's gradient is clipped and one Gaussian draw a coordinate is added at every
    step, so that the whole descent is exactly (epsilon, delta)-differentially private: per-example clipping as in
    [abadi2016, Algorithm 1] without sampling, Gaussian composition as in [dong2022, Corollary 3.3]. The guarantee
    covers the weights after every step, so their average is post-processing.

    Parameters
    ----------
    epsilon, delta: the guarantee, under ``adjacency`` ("replace-one" or "add/remove", n public) for one record; for one
    person with all of their rows, where ``fit`` is told whose they are.
    clip_norm: L2 bound on the gradient of an example, or on the average of a person's, in units of rows scaled to norm
    at most 1 with the constant beside.
    data_norm: L2 bound on a row, **declared** and never measured; longer rows are scaled down to it.
    classes: all there may be, **declared**; a row of another one counts for nothing. None takes those of y, and their
    set as public.
    steps: fixed without looking at the data. average: the answer is the mean of the second half of the path, and not
    its end. learning_rate: None lets clipped gradients carry the weights n epsilon far, from public numbers alone:
    n epsilon / steps, at least 1 and at most 32, over clip_norm.
    random_state: seed of the noise; a fixed one makes a release reproducible, and so not private. None takes 128 bits
    from the operating system.

    Attributes
    ----------
    coef_ (k, d), intercept_ (k,), classes_, n_features_in_, guarantee_ (dpcore.privacy.Guarantee; its ``assumes`` says
    what it rests on), n_iter_.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    clip_norm: float = 0.3
    data_norm: float = 1.0
    classes: Any = None
    steps: int = 100
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
        """Fit to X (n, d), y (n,). ``coef_init`` (k, d) and ``intercept_init`` (k,) start the descent: public only.

        groups: whose row each is (n,). A person's gradients are averaged before they are clipped, so that any number of
        rows costs what one does; n is then the number of people.

        Raises ValueError (RefusedError) for a parameter out of range, naming it.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        check.positive(data_norm=self.data_norm)
        check.positive(clip_norm=self.clip_norm)
        check.flag(average=self.average)
        multiplier = descent.noise_multiplier(epsilon=self.epsilon, delta=self.delta, steps=self.steps)
        X, y = self._rows(X, y)
        people = None if groups is None else _people(groups, len(X))
        count = len(X) if people is None else int(people.max()) + 1
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=len(self.classes_),
            steps=self.steps,
            learning_rate=self._rate(count),
            clip_norm=self.clip_norm,
            noise_sd=descent.mean_noise_sd(multiplier, clip_norm=self.clip_norm, rows=count, adjacency=adjacency),
            start=self._start(coef_init, intercept_init),
            seed=seeds.noise_seed(self.random_state),
            draws=[0],
            people=people,
            average=self.average,
            dtype=np.float64,
        )
        self.coef_ = path.weights[0, :, :-1] / self.data_norm
        self.intercept_ = path.weights[0, :, -1]
        self.n_iter_ = self.steps
        event, unit = descent.event(multiplier, steps=self.steps), "record" if people is None else "person"
        self.guarantee_: Guarantee = replace(
            accountants.account(event, delta=self.delta, adjacency=adjacency, unit=unit),
            assumes=classes.assumed(self.classes) + seeds.assumed(self.random_state),
        )
        return self

    def _rows(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (n, d + 1) of norm at most sqrt 2, and labels (n,) from 0."""
        X, y = classes.validated(self, X, y)
        inputs = losses.with_constant(X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), self.data_norm))
        inputs[y < 0] = 0  # a row of an undeclared class has no gradient
        return inputs, np.maximum(y, 0)

    def _rate(self, rows: int) -> float:
        if self.learning_rate is not None:
            return check.positive(learning_rate=self.learning_rate)
        return min(max(rows * self.epsilon / self.steps, LEAST_RATE), MOST_RATE) / self.clip_norm

    def _start(self, coef_init: np.ndarray | None, intercept_init: np.ndarray | None) -> np.ndarray:
        """Weights (k, d + 1) in units of rows of norm at most 1."""
        k, d = losses.outputs(len(self.classes_)), self.n_features_in_
        start = np.zeros((k, d + 1))
        if coef_init is not None:
            start[:, :-1] = check.numbers((k, d), coef_init=coef_init) * self.data_norm
        if intercept_init is not None:
            start[:, -1] = check.numbers((k,), intercept_init=intercept_init)
        return start

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Signed score (n,) for two classes, logits (n, K) for more."""
        z = self._logits(X)
        return z[0] if len(z) == 1 else z.T

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of each row (n,)."""
        z = self._logits(X)
        return self.classes_[(z[0] > 0).astype(int) if len(z) == 1 else z.argmax(axis=0)]

    def _logits(self, X: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.coef_ @ X.T + self.intercept_[:, None]


def _people(groups: np.ndarray, rows: int) -> np.ndarray:
    """The person (n,) of each row, numbered as they appear. Raises RefusedError unless each row has one."""
    names = np.asarray(groups, dtype=object)
    if names.shape != (rows,):
        raise check.RefusedError("groups", names.shape, f"whose row each of the {rows} is")
    places: dict = {}
    return np.array([places.setdefault(name, len(places)) for name in names.tolist()])
