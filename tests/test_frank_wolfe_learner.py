"""The estimator: scikit-learn's own checks, its guarantee, and its units."""

import math

import numpy as np
import pytest
from frank_wolfe_oracles import plain_loop, problem
from sklearn import linear_model

from dpcore import check
from dpcore.accountants import zcdp
from dpcore.estimators import seeds
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.privacy import Adjacency, BoundedRangeRelease, PureRelease
from dpcore.training import frank_wolfe as fw


class TestEstimator:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("noise", fw.NOISES)
    @pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0, 50.0])
    def test_the_guarantee_is_the_claim_and_never_more(self, epsilon, noise, adjacency):
        fitted = DPFrankWolfeRegressor(epsilon=epsilon, noise=noise, adjacency=str(adjacency)).fit(*problem())
        held = fitted.guarantee_
        assert held.epsilon <= epsilon
        assert held.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert (held.delta, held.adjacency, held.unit, held.basis) == (1e-6, adjacency, "record", zcdp.BASIS)
        kind = {"gumbel": BoundedRangeRelease, "laplace": PureRelease}[noise]
        assert (type(held.event.event), held.event.count) == (kind, fitted.n_iter_)

    def test_a_fit_is_the_plain_loop_in_its_own_units(self):
        X, y = problem(50, 3)
        centre = np.array([0.5, 0.0, -0.1])
        options = {"epsilon": 3.0, "radius": 0.7, "residual_bound": 0.5, "data_bound": 0.8, "steps": 8}
        model = DPFrankWolfeRegressor(random_state=4, noise="laplace", **options).fit(X, y, centre=centre)
        each = math.sqrt(2 * zcdp.rho_of(3.0, delta=1e-6) / 8)
        scale = 2 * (2 * 0.7 * 0.8 * 0.5 / 50) / each
        ball, how = fw.L1Ball(dimension=3, radius=0.56), {"scale": scale, "bound": 0.5, "noise": "laplace", "steps": 8}
        how |= {"seed": seeds.noise_seed(4), "draw": 0, "centre": centre * 0.8}
        w, chosen = plain_loop(np.clip(X, -0.8, 0.8) / 0.8, y, ball, **how)
        np.testing.assert_allclose(model.coef_, w / 0.8, atol=1e-10)
        assert list(model.path_) == chosen

    @pytest.mark.parametrize("q", fw.NORMS)
    def test_a_penalty_is_in_its_own_units_and_changes_no_guarantee(self, q):
        X, y = problem(3000, 4)
        options = {"epsilon": 1e5, "radius": 2.0, "residual_bound": 3.0, "steps": 3000, "random_state": 0}
        plain, model = (DPFrankWolfeRegressor(data_bound=1.5, penalty=p, q=q, **options) for p in (0.0, 0.1))
        kinds = {"1": linear_model.Lasso(0.05, fit_intercept=False), "2": linear_model.Ridge(300, fit_intercept=False)}
        assert model.fit(X, y).coef_ == pytest.approx(kinds[q].fit(X, y).coef_, abs=0.01)
        assert np.abs(plain.fit(X, y).coef_ - model.coef_).max() > 0.05
        assert model.guarantee_ == plain.guarantee_

    @pytest.mark.parametrize(
        "changes",
        [
            *({name: 0} for name in ("epsilon", "delta", "residual_bound", "data_bound", "steps")),
            *({"radius": -1}, {"penalty": -0.1}, {"q": "0"}, {"noise": "normal"}, {"adjacency": "both"}),
        ],
        ids=str,
    )
    def test_bad_parameters_are_refused_by_name(self, changes):
        ((name, value),) = changes.items()
        with pytest.raises(check.RefusedError, match=f"^{name} is '?{value}"):
            DPFrankWolfeRegressor(**changes).fit(*problem())
