"""A differentially private multilayer perceptron, as a scikit-learn estimator."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check, losses, sgd
from dpcore.networks import Architecture
from dpcore.privacy import Adjacency, Guarantee


@dataclass(eq=False, repr=False, kw_only=True)
class DPNetworkClassifier(ClassifierMixin, BaseEstimator):
    """Minimises the softmax loss of a multilayer perceptron by DP-SGD [abadi2016, Algorithm 1].

    A step takes each row into its lot with probability q = lot_size / n, clips the rows' gradients, and adds one
    Gaussian draw a weight to their sum, which is divided by lot_size, whatever the lot's size.

    Parameters
    ----------
    hidden_layer_sizes: units of each hidden layer; () for none. activation: "tanh" or "relu", of the hidden layers.
    epsilon, delta: the guarantee, under add/remove for one record. n is taken as public: it sets q and the steps.
    clip_norm: L2 bound on an example's gradient, or a tuple of bounds, one a layer, in units of rows scaled to norm at
        most 1 with the constant beside.
    data_norm: L2 bound on a row, **declared** and never measured; longer rows are scaled down to it.
    epochs: steps times lot_size over n, rounded up to whole steps. lot_size: the expected size of a lot, at most n
        (more is taken as n).
    learning_rate: at the start; it falls geometrically to ``decay`` times that at the end.
    accountant: a key of dpcore.accountants.ACCOUNTANTS; a sharper theorem needs less noise for the same guarantee.
    random_state: seed of start, lots and noise; a fixed one makes a release reproducible, and so not private.

    Attributes
    ----------
    weights_ (P,), architecture_ (dpcore.networks.Architecture), noise_multiplier_ (sd over clip bound), classes_,
    n_features_in_, guarantee_ (dpcore.privacy.Guarantee), n_iter_ (steps).
    """

    hidden_layer_sizes: tuple[int, ...] = (16,)
    activation: str = "tanh"
    epsilon: float = 1.0
    delta: float = 1e-5
    clip_norm: float | tuple[float, ...] = 1.0
    data_norm: float = 1.0
    epochs: float = 20
    lot_size: float = 64
    learning_rate: float = 1.0
    decay: float = 0.2
    accountant: str = "renyi"
    random_state: Any = None

    def fit(self, X: np.ndarray, y: np.ndarray) -> "DPNetworkClassifier":
        """Fit to X (n, d), y (n,). Raises ValueError (RefusedError) for a parameter out of range, naming it."""
        check.positive(data_norm=self.data_norm)
        check.choice(accountants.ACCOUNTANTS, accountant=self.accountant)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}, but at least two are needed")
        hidden = [check.whole(1, hidden_layer_sizes=size) for size in self.hidden_layer_sizes]
        self.architecture_ = Architecture(sizes=(X.shape[1], *hidden, len(self.classes_)), activation=self.activation)
        recipe = self._recipe(len(X))
        self.noise_multiplier_ = recipe.noise_multiplier(
            epsilon=self.epsilon, delta=self.delta, accountant=self.accountant
        )
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.weights_ = sgd.train(
            recipe,
            self._scaled(X),
            labels,
            start=self.architecture_.start(seed, [0]),
            noise_multiplier=self.noise_multiplier_,
            seed=seed,
            draws=[0],
            dtype=np.float64,
        ).weights[0]
        self.n_iter_ = recipe.steps
        self.guarantee_: Guarantee = accountants.account(
            recipe.event(self.noise_multiplier_),
            delta=self.delta,
            adjacency=Adjacency.ADD_REMOVE,
            accountant=self.accountant,
        )
        return self

    def _recipe(self, rows: int) -> sgd.Recipe:
        rate = min(check.positive(lot_size=self.lot_size) / rows, 1.0)
        if self.clip_norm is None:
            raise check.RefusedError("clip_norm", None, "a bound, or one a layer: without it nothing is private")
        return sgd.Recipe(
            architecture=self.architecture_,
            sampling_rate=rate,
            steps=math.ceil(check.positive(epochs=self.epochs) / rate),
            learning_rate=self.learning_rate,
            clip_norm=self.clip_norm,
            decay=self.decay,
        )

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Rows in units of the declared norm, no longer than it."""
        return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), self.data_norm)

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Signed score (n,) for two classes, logits (n, K) for more."""
        z = self._logits(X)
        return z[1] - z[0] if len(z) == 2 else z.T

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, K)."""
        return losses.probabilities(self._logits(X)).T

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of each row (n,)."""
        best = self._logits(X).argmax(axis=0)
        return self.classes_[best]

    def _logits(self, X: np.ndarray) -> np.ndarray:
        """(K, n)"""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.architecture_.logits(self.weights_[None], self._scaled(X))[0]
