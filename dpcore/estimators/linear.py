"""Differentially private linear regression as a scikit-learn estimator."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import check
from dpcore.cache import cached
from dpcore.estimators.base import PrivateRegressor, noise_seed, seed_assumption
from dpcore.privacy import Guarantee
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.functional import Functional, Published, best_share
from dpcore.regression.gaussian_statistics import AdaSSP, GaussianStatistics
from dpcore.regression.least_squares import Statistics
from dpcore.regression.perturbation import OutputPerturbation
from dpcore.streams import stream

REGRESSIONS: dict[str, Any] = {
    "published": Published,
    "functional": Functional,
    "gaussian": GaussianStatistics,
    "adassp": AdaSSP,
    "output": OutputPerturbation,
    "descent": Descent,
}
# Share of epsilon for the quadratic part, if a mechanism is named without one.
_DEFAULT_SHARE = 0.8


def mechanism(name: str, **options: Any) -> Any:
    """Return the mechanism with this key of ``REGRESSIONS``.

    Args:
        name: The key.
        options: Fields of the mechanism. Those that it does not have are ignored.
    """
    kind = REGRESSIONS[check.choice(REGRESSIONS, mechanism=name)]
    field_names = {field.name for field in fields(kind)}
    known_options = {name: value for name, value in options.items() if name in field_names}
    return kind(**known_options)


def standard_noise(mechanism: Any, *, inputs: int, repeats: int, seed: int) -> np.ndarray:
    """Return unscaled draws of a mechanism, the same for every epsilon.

    They depend on the type of the mechanism and on its number of steps, if it has one. No other
    field changes them. The array is cached and shared, hence read-only.

    Args:
        mechanism: An instance of one of ``REGRESSIONS``.
        inputs: Number of inputs, including the constant.
        repeats: Number of draws R; each has its own random stream.
        seed: Of the draws.

    Returns:
        The draws, (R, ...).
    """
    return _standard_noise(
        type(mechanism),
        getattr(mechanism, "steps", None),
        inputs=inputs,
        repeats=repeats,
        seed=seed,
    )


@cached
def _standard_noise(
    kind: type, steps: int | None, *, inputs: int, repeats: int, seed: int
) -> np.ndarray:
    """Return draws, cached by the only arguments that they depend on.

    Epsilon, delta, share and clipping norm do not change them.
    """
    options = {}
    if steps is not None:
        options["steps"] = steps
    mechanism = kind(**options)
    part = list(REGRESSIONS.values()).index(kind)
    draws = []
    for repeat in range(repeats):
        draws.append(mechanism.draws(inputs, stream(seed, "noise", repeat, part)))
    noise = np.stack(draws)
    noise.flags.writeable = False
    return noise


@dataclass(eq=False, repr=False, kw_only=True)
class DPLinearRegression(PrivateRegressor):
    """Linear regression with differential privacy for one replaced row.

    It minimises sum_i (w.x_i + b - y_i)^2. The number of rows n is public. The guarantee is that of
    the chosen mechanism, whose class states its sensitivity and its noise.

    Parameters
    ----------
    mechanism : str or None, default=None
        A key of ``REGRESSIONS``. None chooses "descent", or a mechanism with delta = 0 if that is
        asked for: "functional" if n epsilon >= (d + 1)^3, else "output". On six data sets and
        epsilons from 0.05 to 10 these had the smallest geometric mean error among mechanisms with
        the same kind of guarantee (``python -m benchmarks.run defaults``).
    epsilon : float, default=1.0
        Of the guarantee, in nats.
    delta : float or None, default=None
        Of the guarantee. It is 0 for "published", "functional" and "output". None means 1e-6 for a
        mechanism that needs a delta. 0 chooses a mechanism without one.
    data_bound : float, default=1.0
        Features lie in +-data_bound and are clipped to it. **Declared**, never measured.
    label_bound : float, default=1.0
        Labels lie in +-label_bound and are clipped to it. **Declared**, never measured.
    share : float or None, default=None
        Share of epsilon for the quadratic part, of "published" and "functional". None means 0.8, or
        the share with the least total variance if the mechanism is chosen automatically.
    radius : float or None, default=None
        Largest norm of the weights in units of the bounds, of "output" and "descent". None means 1
        for "output", and for "descent" the rule of ``Descent.chosen_radius``.
    penalty : float or None, default=None
        Ridge penalty in units of the bounds, of "output".
    steps : int, default=60
        Number of steps of "descent".
    batches : int, default=1
        Number of batches of "descent", which takes its steps on them in turn, for very many rows.
        The order of the rows decides on them, so it should be random. More batches need more noise.
    clip_norm : float or None, default=None
        L2 bound on the gradient of a row in units of the bounds, of "descent". None means the rule
        of ``Descent.chosen_clip_norm``, which uses public numbers alone.
    random_state : int, RandomState or None, default=None
        Seed of the noise. A fixed one makes a release reproducible, hence not private. None takes
        128 bits from the operating system.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Weights of the features.
    intercept_ : float
        Constant of the prediction.
    n_features_in_ : int
        Number of features d.
    guarantee_ : dpcore.privacy.Guarantee
        The guarantee, with its assumptions.
    mechanism_ : str
        The chosen key of ``REGRESSIONS``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (5000, 2))
    >>> y = X @ [0.5, -0.25]
    >>> model = DPLinearRegression(epsilon=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    >>> model.mechanism_, round(model.guarantee_.epsilon, 2)
    ('descent', 1.0)
    """

    mechanism: str | None = None
    epsilon: float = 1.0
    delta: float | None = None
    data_bound: float = 1.0
    label_bound: float = 1.0
    share: float | None = None
    radius: float | None = None
    penalty: float | None = None
    steps: int = 60
    batches: int = 1
    clip_norm: float | None = None
    random_state: Any = None

    def fit(self, X: np.ndarray, y: np.ndarray) -> "DPLinearRegression":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels.

        Raises
        ------
        RefusedError
            A ValueError that names a parameter out of range.
        """
        data_bound = check.positive(data_bound=self.data_bound)
        label_bound = check.positive(label_bound=self.label_bound)
        epsilon = check.epsilon(epsilon=self.epsilon)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        chosen = self._choose_mechanism(len(X), X.shape[1] + 1)

        features = np.clip(X / data_bound, -1, 1)
        inputs = np.column_stack([np.ones(len(X)), features])
        labels = np.clip(y.astype(float) / label_bound, -1, 1)
        # Clipping needs each row's gradient, which the statistics do not have.
        data: Rows | Statistics
        if isinstance(chosen, Descent):
            data = Rows.of(inputs, labels)
        else:
            data = Statistics.of(inputs, labels)
        rng = stream(noise_seed(self.random_state), "noise")
        noise = chosen.draws(data.inputs, rng)
        # One epsilon and one repeat.
        fit = chosen.fit(data, noise[None], np.array([epsilon]))
        weights = fit.weights[0, 0]

        self.coef_ = weights[1:] * label_bound / data_bound
        self.intercept_ = float(weights[0] * label_bound)
        guarantee: Guarantee = chosen.guarantee(epsilon, inputs=data.inputs, rows=len(X))
        self.guarantee_ = replace(guarantee, assumes=seed_assumption(self.random_state))
        return self

    def _choose_mechanism(self, rows: int, inputs: int) -> Any:
        """Return the named mechanism, or the default one, and set ``mechanism_``."""
        options = {}
        for name, value in self.get_params().items():
            if value is not None:
                options[name] = value
        if self.mechanism is not None:
            self.mechanism_ = self.mechanism
            options.setdefault("share", _DEFAULT_SHARE)
            return mechanism(self.mechanism_, **options)
        options.setdefault("share", best_share(inputs))
        # Refuses bad parameters even if another mechanism is chosen.
        mechanism("functional", **options)
        if self.delta is None or check.between(0, 1, delta=self.delta) > 0:
            self.mechanism_ = "descent"
        elif rows * check.epsilon(epsilon=self.epsilon) >= inputs**3:
            self.mechanism_ = "functional"
        else:
            self.mechanism_ = "output"
        return mechanism(self.mechanism_, **options)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predicted labels (n,). Features are clipped to their bound."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        features = np.clip(X, -self.data_bound, self.data_bound)
        return features @ self.coef_ + self.intercept_
