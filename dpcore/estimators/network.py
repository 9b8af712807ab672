"""A differentially private multilayer perceptron as a scikit-learn estimator."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators import class_labels as classes
from dpcore.estimators import seeds
from dpcore.estimators.base import PrivateClassifier
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.training import sgd
from dpcore.training.networks import Architecture


@dataclass(eq=False, repr=False, kw_only=True)
class DPNetworkClassifier(PrivateClassifier):
    """Minimises the softmax loss of a multilayer perceptron by DP-SGD [abadi2016, Algorithm 1].

    Each step samples a lot (batch) with probability q = lot_size / n per row, clips the rows'
    gradients, adds one Gaussian draw per weight to their sum, and divides it by lot_size, whatever
    the actual size.

    Parameters
    ----------
    hidden_layer_sizes: units of each hidden layer; () for none. activation: "tanh" or "relu", of
        the hidden layers.
    epsilon, delta: the guarantee, under add/remove for one record. n is assumed public: it sets q
    and the steps.
    clip_norm: L2 bound on an example's gradient, or a tuple, one per layer, in units of rows scaled
        to norm at most 1 with the constant appended.
    data_norm: L2 bound on a row, **declared** and never measured; longer rows are scaled down to
        it.
    epochs: steps times lot_size over n, rounded up to whole steps. lot_size: the expected size of a
        lot, at most n (larger values count as n).
    learning_rate: initial value; it falls geometrically to ``decay`` times that at the end.
    accountant: a key of dpcore.accountants.ACCOUNTANTS; a tighter theorem needs less noise for the
        same guarantee. "pld-coarse" adds at most about 0.1 % more noise than "pld", which takes
        seconds where lots are small.
    classes: all possible classes, **declared**; a row of another class is ignored. None takes the
        classes in y, and assumes that their set is public.
    random_state: seed of initial weights, lots and noise. A fixed one makes a release reproducible,
        hence not private. None takes 128 bits from the operating system.

    Attributes ---------- weights_ (P,), architecture_ (dpcore.training.networks.Architecture),
    noise_multiplier_ (sd over clipping norm), classes_, n_features_in_, guarantee_
    (dpcore.privacy.Guarantee; its ``assumes`` lists its assumptions), n_iter_ (steps).
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
        """Fit to X (n, d), y (n,).

        Raises ValueError (RefusedError) naming a parameter that is out of range.
        """
        check.positive(data_norm=self.data_norm)
        epsilon = check.epsilon(epsilon=self.epsilon)
        delta = check.delta(delta=self.delta)
        check.choice(accountants.ACCOUNTANTS, accountant=self.accountant)
        X, labels = classes.validated(self, X, y)
        hidden = np.atleast_1d(
            check.wholes(low=1, hidden_layer_sizes=self.hidden_layer_sizes)
        ).tolist()
        self.architecture_ = Architecture(
            sizes=(X.shape[1], *hidden, len(self.classes_)), activation=self.activation
        )
        recipe = self._recipe(len(X))
        self.noise_multiplier_ = recipe.noise_multiplier(
            epsilon=epsilon, delta=delta, accountant=self.accountant
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
        held = accountants.account(
            event, delta=self.delta, adjacency=adjacency, accountant=self.accountant
        )
        # The sampling rate, the steps and the divisor of the sums follow the number of rows.
        assumes = (
            public_count(adjacency)
            + classes.assumed(self.classes)
            + seeds.assumed(self.random_state)
        )
        return replace(held, assumes=assumes)

    def _recipe(self, rows: int) -> sgd.Recipe:
        rate = min(check.positive(lot_size=self.lot_size) / rows, 1.0)
        steps = check.positive(epochs=self.epochs) / rate
        if steps > check.MOST_STEPS:
            raise check.RefusedError(
                "lot_size", self.lot_size, f"enough for {self.epochs} epochs in 10^15 steps"
            )
        if self.clip_norm is None:
            raise check.RefusedError(
                "clip_norm", None, "a bound, or one a layer: without it nothing is private"
            )
        return sgd.Recipe(
            architecture=self.architecture_,
            sampling_rate=rate,
            steps=math.ceil(steps),
            learning_rate=self.learning_rate,
            clip_norm=self.clip_norm,
            decay=self.decay,
        )

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Return rows divided by the declared norm, and longer rows scaled to norm 1."""
        return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), self.data_norm)

    def _logits(self, X: np.ndarray) -> np.ndarray:
        """Return logits (K, n)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.architecture_.logits(self.weights_[None], self._scaled(X))[0]
