"""A differentially private multilayer perceptron, as a scikit-learn estimator."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators import classes, seeds
from dpcore.estimators.bases import PrivateClassifier
from dpcore.privacy import Adjacency, Guarantee
from dpcore.training import sgd
from dpcore.training.networks import Architecture


@dataclass(eq=False, repr=False, kw_only=True)
class DPNetworkClassifier(PrivateClassifier):
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
    accountant: a key of dpcore.accountants.ACCOUNTANTS; a sharper theorem needs less noise for the same guarantee. The
        noise of "pld-coarse" is at most about 0.1 % above that of "pld", which takes seconds where lots are small.
    classes: all there may be, **declared**; a row of another one counts for nothing. None takes those of y, and their
        set as public.
    random_state: seed of start, lots and noise; a fixed one makes a release reproducible, and so not private. None
        takes 128 bits from the operating system.

    Attributes
    ----------
    weights_ (P,), architecture_ (dpcore.training.networks.Architecture), noise_multiplier_ (sd over clip bound),
    classes_, n_features_in_, guarantee_ (dpcore.privacy.Guarantee; its ``assumes`` says what it rests on), n_iter_
    (steps).
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
    accountant: str = "pld-coarse"
    classes: Any = None
    random_state: Any = None

    def fit(self, X: np.ndarray, y: np.ndarray) -> "DPNetworkClassifier":
        """Fit to X (n, d), y (n,). Raises ValueError (RefusedError) for a parameter out of range, naming it."""
        check.positive(data_norm=self.data_norm)
        check.choice(accountants.ACCOUNTANTS, accountant=self.accountant)
        X, labels = classes.validated(self, X, y)
        hidden = np.atleast_1d(check.wholes(low=1, hidden_layer_sizes=self.hidden_layer_sizes)).tolist()
        self.architecture_ = Architecture(sizes=(X.shape[1], *hidden, len(self.classes_)), activation=self.activation)
        recipe = self._recipe(len(X))
        self.noise_multiplier_ = recipe.noise_multiplier(
            epsilon=self.epsilon, delta=self.delta, accountant=self.accountant
        )
        seed = seeds.noise_seed(self.random_state)
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
        self.guarantee_ = self._guarantee(recipe)
        return self

    def _guarantee(self, recipe: sgd.Recipe) -> Guarantee:
        event, adjacency = recipe.event(self.noise_multiplier_), Adjacency.ADD_REMOVE
        held = accountants.account(event, delta=self.delta, adjacency=adjacency, accountant=self.accountant)
        return replace(held, assumes=classes.assumed(self.classes) + seeds.assumed(self.random_state))

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

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of each row (n,)."""
        best = self._logits(X).argmax(axis=0)
        return self.classes_[best]

    def _logits(self, X: np.ndarray) -> np.ndarray:
        """(K, n)"""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.architecture_.logits(self.weights_[None], self._scaled(X))[0]
