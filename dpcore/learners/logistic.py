"""Differentially private logistic regression by noisy gradient descent, as a scikit-learn estimator."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check, descent, losses
from dpcore.privacy import Adjacency, Guarantee


@dataclass(eq=False, repr=False, kw_only=True)
class DPLogisticRegression(ClassifierMixin, BaseEstimator):
    """Minimises (1/n) sum_i log(1 + exp(-y_i (w.x_i + b))), or the softmax loss for more than two classes.

    Full-batch gradient descent; each example's gradient is clipped and one Gaussian draw a coordinate is added at every
    step, so that the whole descent is exactly (epsilon, delta)-differentially private: per-example clipping as in
    [abadi2016, Algorithm 1] without sampling, Gaussian composition as in [dong2022, Corollary 3.3].

    Parameters
    ----------
    epsilon, delta: the guarantee, under ``adjacency`` ("replace-one" or "add/remove", n public) for one record.
    clip_norm: L2 bound on an example's gradient, in units of rows scaled to norm at most 1 with the constant beside.
    data_norm: L2 bound on a row, **declared** and never measured; longer rows are scaled down to it.
    steps, learning_rate: fixed without looking at the data.
    random_state: seed of the noise; a fixed one makes a release reproducible, and so not private.

    Attributes
    ----------
    coef_ (k, d), intercept_ (k,), classes_, n_features_in_, guarantee_ (dpcore.privacy.Guarantee), n_iter_.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    clip_norm: float = 1.0
    data_norm: float = 1.0
    steps: int = 50
    learning_rate: float = 4.0
    adjacency: str = "replace-one"
    random_state: Any = None

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        coef_init: np.ndarray | None = None,
        intercept_init: np.ndarray | None = None,
    ) -> "DPLogisticRegression":
        """Fit to X (n, d), y (n,). ``coef_init`` (k, d) and ``intercept_init`` (k,) start the descent: public only.

        Raises ValueError (RefusedError) for a parameter out of range, naming it.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        data_norm = check.positive(data_norm=self.data_norm)
        check.positive(clip_norm=self.clip_norm)
        multiplier = descent.noise_multiplier(epsilon=self.epsilon, delta=self.delta, steps=self.steps)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}, but at least two are needed")
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        rows = X / np.maximum(norms, data_norm)
        k = losses.outputs(len(self.classes_))
        start = np.zeros((k, X.shape[1] + 1))
        if coef_init is not None:
            start[:, :-1] = np.asarray(coef_init) * data_norm
        if intercept_init is not None:
            start[:, -1] = intercept_init
        path = descent.noisy_gradient_descent(
            losses.with_constant(rows),
            labels,
            n_classes=len(self.classes_),
            steps=self.steps,
            learning_rate=self.learning_rate,
            clip_norm=self.clip_norm,
            noise_sd=descent.mean_noise_sd(multiplier, clip_norm=self.clip_norm, rows=len(X), adjacency=adjacency),
            start=start,
            seed=int(check_random_state(self.random_state).randint(2**31)),
            draws=[0],
            dtype=np.float64,
        )
        self.coef_ = path.weights[0, :, :-1] / data_norm
        self.intercept_ = path.weights[0, :, -1]
        self.n_iter_ = self.steps
        self.guarantee_: Guarantee = accountants.account(
            descent.event(multiplier, steps=self.steps), delta=self.delta, adjacency=adjacency
        )
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Signed score (n,) for two classes, logits (n, K) for more."""
        z = self._logits(X)
        return z[0] if len(z) == 1 else z.T

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, K)."""
        return losses.probabilities(self._logits(X)).T

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of each row (n,)."""
        z = self._logits(X)
        return self.classes_[(z[0] > 0).astype(int) if len(z) == 1 else z.argmax(axis=0)]

    def _logits(self, X: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.coef_ @ X.T + self.intercept_[:, None]
