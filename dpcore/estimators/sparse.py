"""Differentially private regression in an L1 ball by noisy Frank-Wolfe."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import check
from dpcore.accountants import account, zcdp
from dpcore.estimators.base import PrivateRegressor, noise_seed, seed_assumption
from dpcore.privacy import Adjacency, public_count
from dpcore.training import frank_wolfe, polytopes
from dpcore.training.polytopes import L1Ball


@dataclass(eq=False, repr=False, kw_only=True)
class DPFrankWolfeRegressor(PrivateRegressor):
    """Sparse linear regression with differential privacy, by noisy Frank-Wolfe.

    It minimises (2/n) sum_i huber_R(y_i - x_i.w) + penalty ||w - c||_q over ||w - c||_1 <= radius,
    without an intercept. Each step privately selects one of 2d vertices [talwar2015, Algorithm 2].

    Guarantee: Linf sensitivity
    `adjacency.contributions * radius * data_bound * residual_bound / rows`; noise
    `gumbel_r(scale=noise_scale_)` per score of a vertex and step; event
    `Composed(event=BoundedRangeRelease(epsilon=2 * sensitivity / noise_scale_), count=n_iter_)`;
    adjacency replace-one, add/remove.

    With Laplace noise each event is a ``PureRelease`` instead.

    Parameters
    ----------
    epsilon : float, default=1.0
        Of the guarantee, in nats, for one record.
    delta : float, default=1e-6
        Of the guarantee.
    radius : float, default=1.0
        L1 radius of the ball, in units of the weights. The noise is proportional to it.
    residual_bound : float, default=1.0
        R, in units of y; longer residuals count as R. **Declared**, never measured.
    data_bound : float, default=1.0
        Bound on every |x_ij|; values beyond are clipped. **Declared**, never measured.
    penalty : float, default=0.0
        Weight lambda of the penalty, public. Short residuals count as (1/n) sum r^2, so that the
        alpha of scikit-learn's Lasso is lambda / 2, and that of its Ridge n lambda.
    q : {"1", "2"}, default="1"
        Norm of the penalty: "1" for the L1 norm, "2" for the squared L2 norm.
    noise : {"gumbel", "laplace"}, default="gumbel"
        "gumbel" noise makes the selection the exponential mechanism, accounted by its bounded range
        [cesar2021]. "laplace" is report-noisy-min.
    steps : int or None, default=None
        Number of steps. None chooses from n, epsilon, delta and the bounds alone.
    adjacency : {"replace-one", "add/remove"}, default="replace-one"
        Relation of neighbouring data sets. Under add/remove, n is assumed public.
    random_state : int, RandomState or None, default=None
        Seed of the noise. A fixed one makes a release reproducible, hence not private. None takes
        128 bits from the operating system.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Weights of the features.
    n_features_in_ : int
        Number of features d.
    guarantee_ : dpcore.privacy.Guarantee
        The guarantee, with its assumptions.
    n_iter_ : int
        Number of steps T.
    noise_scale_ : float
        Scale of the noise on the scores of the vertices.
    path_ : ndarray of shape (T,)
        Numbers of the selected vertices, from 0 to 2d - 1; 2d itself is the centre.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (5000, 20))
    >>> y = 0.8 * X[:, 3]
    >>> model = DPFrankWolfeRegressor(epsilon=1.0, random_state=0).fit(X, y)
    >>> int(np.abs(model.coef_).argmax())
    3
    >>> round(model.guarantee_.epsilon, 2)
    1.0
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    radius: float = 1.0
    residual_bound: float = 1.0
    data_bound: float = 1.0
    penalty: float = 0.0
    q: str = "1"
    noise: frank_wolfe.Noise = "gumbel"
    steps: int | None = None
    adjacency: str = "replace-one"
    random_state: Any = None

    def fit(
        self, X: np.ndarray, y: np.ndarray, *, centre: np.ndarray | None = None
    ) -> "DPFrankWolfeRegressor":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels.
        centre : ndarray of shape (d,), default=None
            Centre c of the ball, which must be public. None is 0.

        Raises
        ------
        RefusedError
            A ValueError that names a parameter out of range.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        residual_bound = check.positive(residual_bound=self.residual_bound)
        data_bound = check.positive(data_bound=self.data_bound)
        check.choice(frank_wolfe.NOISES, noise=self.noise)
        rho = zcdp.rho_of(self.epsilon, delta=self.delta)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        rows, dimension = X.shape
        # Rows are divided by their bound, so weights, ball and penalties are multiplied by it.
        penalties = polytopes.penalties(self.penalty, q=self.q, unit=data_bound)
        radius = check.positive(radius=self.radius) * data_bound
        ball = L1Ball(dimension=dimension, radius=radius, penalty=penalties.ball)
        self.n_iter_ = self._number_of_steps(rows, rho, ball, residual_bound)
        step_epsilon = frank_wolfe.selection_epsilon(rho, steps=self.n_iter_, noise=self.noise)
        sensitivity = frank_wolfe.score_sensitivity(
            ball.norm, residual_bound=residual_bound, rows=rows, adjacency=adjacency
        )
        self.noise_scale_ = frank_wolfe.noise_scale(step_epsilon, sensitivity=sensitivity)
        scaled_centre = np.zeros(dimension)
        if centre is not None:
            scaled_centre = check.numbers((dimension,), centre=centre) * data_bound
        path = frank_wolfe.noisy_frank_wolfe(
            np.clip(X, -data_bound, data_bound) / data_bound,
            y,
            polytope=ball,
            steps=self.n_iter_,
            scale=self.noise_scale_,
            residual_bound=residual_bound,
            seed=noise_seed(self.random_state),
            draws=[0],
            noise=self.noise,
            ridge=penalties.ridge,
            centre=scaled_centre,
            dtype=np.float64,
        )
        self.coef_ = path.weights[0] / data_bound
        self.path_ = path.choices[:, 0]
        event = frank_wolfe.event(step_epsilon, steps=self.n_iter_, noise=self.noise)
        guarantee = account(event, delta=self.delta, adjacency=adjacency, accountant="zcdp")
        # The sensitivity of the scores, and the default number of steps, follow the number of rows.
        assumptions = public_count(adjacency) + seed_assumption(self.random_state)
        self.guarantee_ = replace(guarantee, assumes=assumptions)
        return self

    def _number_of_steps(self, rows: int, rho: float, ball: L1Ball, residual_bound: float) -> int:
        """Return the given number of steps, or the default for so many rows."""
        if self.steps is not None:
            return check.whole(1, check.MOST_STEPS, steps=self.steps)
        return frank_wolfe.steps_for(
            rows=rows,
            rho=rho,
            radius=ball.radius,
            residual_bound=residual_bound,
            vertices=len(ball.vertices),
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predictions x.w, (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return X @ self.coef_
