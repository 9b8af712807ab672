"""A differentially private multilayer perceptron as a scikit-learn estimator."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import accountants, check
from dpcore.estimators.base import PrivateClassifier, noise_seed
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.training import sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe


@dataclass(eq=False, repr=False, kw_only=True)
class DPNetworkClassifier(PrivateClassifier):
    """A multilayer perceptron with differential privacy, by DP-SGD [abadi2016, Algorithm 1].

    It minimises the softmax loss. Each step samples a batch with probability
    q = lot_size / n per row, clips the rows' gradients, adds one Gaussian draw per weight to their
    sum, and divides it by lot_size, whatever the actual size. The guarantee is under add/remove for
    one record. n is assumed public: it sets q and the number of steps.

    Guarantee: L2 sensitivity `clip_norm / lot_size`; noise
    `norm(scale=noise_multiplier_ * sensitivity)` per weight and step; event
    `Composed(event=PoissonSampled(event=GaussianRelease(noise_multiplier=noise_multiplier_),
    rate=lot_size / rows), count=n_iter_)`; adjacency add/remove.

    A bound per layer makes a release per layer, each with its own sensitivity.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(16,)
        Number of units of each hidden layer, which apply tanh; () for none.
    epsilon : float, default=1.0
        Of the guarantee, in nats.
    delta : float, default=1e-5
        Of the guarantee.
    clip_norm : float or tuple of float, default=1.0
        L2 bound on an example's gradient, or one bound per layer, in units of rows scaled to norm
        at most 1 with the constant appended.
    data_norm : float, default=1.0
        L2 bound on a row; longer rows are scaled down to it. **Declared**, never measured.
    epochs : float, default=20
        Number of steps times lot_size over n, rounded up to whole steps.
    lot_size : float, default=64
        Expected size of a batch. Values above n count as n.
    learning_rate : float, default=1.0
        Initial learning rate.
    decay : float, default=0.2
        The learning rate falls geometrically to this share of its initial value.
    accountant : str, default="pld-coarse"
        A key of ``dpcore.accountants.ACCOUNTANTS``. A tighter theorem needs less noise for the same
        guarantee. "pld-coarse" adds at most about 0.1 % more noise than "pld", which takes seconds
        where batches are small.
    classes : array-like or None, default=None
        All possible classes, **declared**; a row of another class is ignored. None takes the
        classes in y, and assumes that their set is public.
    random_state : int, RandomState or None, default=None
        Seed of initial weights, batches and noise. A fixed one makes a release reproducible, so not
        private. None takes 128 bits from the operating system.

    Attributes
    ----------
    weights_ : ndarray of shape (P,)
        All weights of the network.
    architecture_ : dpcore.training.networks.Architecture
        Layers.
    noise_multiplier_ : float
        Standard deviation of the noise of a step over the clipping norm.
    classes_ : ndarray of shape (K,)
        The classes.
    n_features_in_ : int
        Number of features d.
    guarantee_ : dpcore.privacy.Guarantee
        The guarantee, with its assumptions.
    n_iter_ : int
        Number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) % 2
    >>> X = rng.normal(0.4 * (2 * y - 1), 0.3).reshape(-1, 1)
    >>> model = DPNetworkClassifier(epsilon=2.0, classes=[0, 1], epochs=5, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    >>> model.n_iter_, round(model.guarantee_.epsilon, 2)
    (157, 2.0)
    """

    hidden_layer_sizes: tuple[int, ...] = (16,)
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
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Classes.

        Raises
        ------
        RefusedError
            A ValueError that names a parameter out of range.
        """
        check.positive(data_norm=self.data_norm)
        epsilon = check.epsilon(epsilon=self.epsilon)
        delta = check.delta(delta=self.delta)
        check.choice(accountants.ACCOUNTANTS, accountant=self.accountant)
        X, class_numbers = self._validated(X, y)
        hidden = check.wholes(low=1, hidden_layer_sizes=self.hidden_layer_sizes)
        # A single number stands for one hidden layer.
        hidden_sizes = np.atleast_1d(hidden).tolist()
        sizes = (X.shape[1], *hidden_sizes, len(self.classes_))
        self.architecture_ = Architecture(sizes=sizes)
        recipe = self._recipe(len(X))
        self.noise_multiplier_ = recipe.noise_multiplier(
            epsilon=epsilon, delta=delta, accountant=self.accountant
        )
        seed = noise_seed(self.random_state)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            training = sgd.train(
                recipe,
                self._scaled(X),
                class_numbers,
                start=self.architecture_.start(seed, [0]),
                noise_multiplier=self.noise_multiplier_,
                seed=seed,
                draws=[0],
                dtype=np.float64,
            )
        self.weights_ = training.weights[0]
        if not np.isfinite(self.weights_).all():
            raise check.RefusedError(
                "learning_rate",
                self.learning_rate,
                f"so small that weights stay finite with clip_norm {self.clip_norm}",
            )
        self.n_iter_ = recipe.steps
        self.guarantee_ = self._guarantee(recipe)
        return self

    def _guarantee(self, recipe: Recipe) -> Guarantee:
        """Return the guarantee of training, with what it assumes."""
        adjacency = Adjacency.ADD_REMOVE
        guarantee = accountants.account(
            recipe.event(self.noise_multiplier_),
            delta=self.delta,
            adjacency=adjacency,
            accountant=self.accountant,
        )
        # The sampling rate, the steps and the divisor of the sums follow the number of rows.
        assumptions = public_count(adjacency) + self._assumptions()
        return replace(guarantee, assumes=assumptions)

    def _recipe(self, rows: int) -> Recipe:
        """Return the training settings for so many rows."""
        sampling_rate = min(check.positive(lot_size=self.lot_size) / rows, 1.0)
        steps = check.positive(epochs=self.epochs) / sampling_rate
        if steps > check.MOST_STEPS:
            raise check.RefusedError(
                "lot_size", self.lot_size, f"enough for {self.epochs} epochs in 10^15 steps"
            )
        if self.clip_norm is None:
            raise check.RefusedError(
                "clip_norm", None, "a bound, or one a layer: without it nothing is private"
            )
        return Recipe(
            architecture=self.architecture_,
            sampling_rate=sampling_rate,
            steps=math.ceil(steps),
            learning_rate=self.learning_rate,
            clip_norm=self.clip_norm,
            decay=self.decay,
        )

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Return rows divided by the declared norm, and longer rows scaled to norm 1."""
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        return X / np.maximum(norms, self.data_norm)

    def _logits(self, X: np.ndarray) -> np.ndarray:
        """Return logits (K, n)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        logits = self.architecture_.logits(self.weights_[None], self._scaled(X))
        return logits[0]
