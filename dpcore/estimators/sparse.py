"""Differentially private regression in an L1 ball by noisy Frank-Wolfe, as a scikit-learn
estimator.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import check
from dpcore.accountants import zcdp
from dpcore.estimators import seeds
from dpcore.estimators.base import PrivateRegressor
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.training import frank_wolfe as fw


@dataclass(eq=False, repr=False, kw_only=True)
class DPFrankWolfeRegressor(PrivateRegressor):
    """Minimises (2/n) sum_i huber_R(y_i - x_i.w) + penalty ||w - c||_q over ||w - c||_1 <= radius,
    no intercept.

    Noisy Frank-Wolfe [talwar2015, Algorithm 2]: each step privately selects one of 2d vertices.
    With "gumbel" noise that is the exponential mechanism, accounted by its bounded range
    [cesar2021]; "laplace" is report-noisy-min.

    Parameters
    ----------
    epsilon, delta: the guarantee, under ``adjacency`` ("replace-one" or "add/remove", n public) for
    one record.
    radius: L1 radius of the ball, in units of the weights; the noise is proportional to it.
    residual_bound: R, in units of y; longer residuals count as R. data_bound: bound on every
    |x_ij|. Both are **declared**, and values beyond are clipped. penalty: lambda, public; q: "1",
    or "2" for the squared L2 norm. Short residuals count as (1/n) sum r^2, so that Lasso's alpha is
    lambda/2, and Ridge's n lambda.
    steps: None chooses from n, epsilon, delta and the bounds alone.
    random_state: seed of the noise. A fixed one makes a release reproducible, hence not private.
    None takes 128 bits from the operating system.

    Attributes ---------- coef_ (d,), n_features_in_, guarantee_ (dpcore.privacy.Guarantee; its
    ``assumes`` lists its assumptions), n_iter_, path_ (T,): the vertices chosen, of 2d; 2d itself
    is the centre.
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    radius: float = 1.0
    residual_bound: float = 1.0
    data_bound: float = 1.0
    penalty: float = 0.0
    q: str = "1"
    noise: fw.Noise = "gumbel"
    steps: int | None = None
    adjacency: str = "replace-one"
    random_state: Any = None

    def fit(
        self, X: np.ndarray, y: np.ndarray, *, centre: np.ndarray | None = None
    ) -> "DPFrankWolfeRegressor":
        """Fit to X (n, d), y (n,); ``centre`` (d,) of the ball must be public and defaults to 0.

        Raises ValueError (RefusedError) naming a parameter that is out of range.
        """
        adjacency = Adjacency(check.choice(list(Adjacency), adjacency=self.adjacency))
        bound, data_bound = (
            check.positive(**{name: getattr(self, name)})
            for name in ("residual_bound", "data_bound")
        )
        check.choice(fw.NOISES, noise=self.noise)
        rho = zcdp.rho_of(self.epsilon, delta=self.delta)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        n, d = X.shape
        penalties = fw.penalties(self.penalty, q=self.q, unit=data_bound)
        ball = fw.L1Ball(
            dimension=d,
            radius=check.positive(radius=self.radius) * data_bound,
            penalty=penalties.ball,
        )
        best = fw.steps_for(
            rows=n, rho=rho, radius=ball.radius, residual_bound=bound, vertices=len(ball.vertices)
        )
        self.n_iter_ = (
            best if self.steps is None else check.whole(1, check.MOST_STEPS, steps=self.steps)
        )
        each = fw.selection_epsilon(rho, steps=self.n_iter_, noise=self.noise)
        sensitivity = fw.score_sensitivity(
            ball.norm, residual_bound=bound, rows=n, adjacency=adjacency
        )
        walk = fw.noisy_frank_wolfe(
            np.clip(X, -data_bound, data_bound) / data_bound,
            y,
            polytope=ball,
            steps=self.n_iter_,
            scale=fw.noise_scale(each, sensitivity=sensitivity),
            residual_bound=bound,
            seed=seeds.noise_seed(self.random_state),
            draws=[0],
            noise=self.noise,
            ridge=penalties.ridge,
            centre=np.zeros(d)
            if centre is None
            else check.numbers((d,), centre=centre) * data_bound,
            dtype=np.float64,
        )
        self.coef_, self.path_ = walk.weights[0] / data_bound, walk.choices[:, 0]
        event = fw.event(each, steps=self.n_iter_, noise=self.noise)
        held: Guarantee = zcdp.account(event, delta=self.delta, adjacency=adjacency)
        # The sensitivity of the scores, and the default number of steps, follow the number of rows.
        self.guarantee_ = replace(
            held, assumes=public_count(adjacency) + seeds.assumed(self.random_state)
        )
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predictions x.w (n,)."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_
