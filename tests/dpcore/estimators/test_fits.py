"""Fits of the estimators against loops that take a row and a step at a time."""

import math

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.base import clone

from dpcore.accountants import zcdp
from dpcore.estimators import base
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import batches, descent
from dpcore.training.networks import Architecture
from dpcore.training.polytopes import L1Ball
from dpcore.training.sgd_recipe import Recipe
from lab.models.non_private import optimum
from tests import network_oracles, oracles
from tests.frank_wolfe_oracles import plain_loop
from tests.frank_wolfe_oracles import problem as regression

# Double precision: estimator and plain loop sum the same numbers in another order.
ROUNDING = 1e-10
# What one step with a tiny learning rate may move the weights by.
TINY_STEP = 1e-7
# As rounding, over the layers of a network.
ROUNDING_OF_NETWORKS = 1e-9
# What hardly any noise moves the coefficients by.
LITTLE_NOISE = 0.01

numbers_of_classes = pytest.mark.parametrize("n_classes", [2, 3])
rows_of_no_class = pytest.mark.parametrize(
    "nobody", [(), (5, 9)], ids=["all count", "two of no class"]
)


def problem(n_classes=2, *, n=200, seed=0):
    """Return rows around a corner for each class, and the letters of their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(scale=0.25, size=(n, 3)) + 0.5 * np.eye(n_classes, 3)[y]
    return X, np.array(list("abc"))[y]


def shortened(X, norm):
    """Return the rows clipped to the norm, in units of it."""
    return np.array([x * min(1, norm / np.linalg.norm(x)) / norm for x in X])


def places_of(y):
    """Return the place of each label among the sorted classes, (n,)."""
    return np.unique(y, return_inverse=True)[1]


def without(y, nobody):
    """Return the labels with those of some rows in no class, and the classes that must then be
    declared.
    """
    labels = y.astype(object)
    labels[list(nobody)] = "other"
    return labels, sorted(set(y)) if nobody else None


class TestLogistic:
    """Five steps of clipped descent on 40 rows, some of which may be of no class."""

    multiplier = descent.noise_multiplier(epsilon=3.0, delta=1e-5, steps=5)

    def model(self, y, nobody, **options):
        """Return an unfitted estimator, and the labels, of no class for rows in ``nobody``."""
        labels, classes = without(y, nobody)
        model = DPLogisticRegression(
            epsilon=3.0,
            clip_norm=0.2,
            data_norm=0.7,
            steps=5,
            random_state=3,
            learning_rate=4.0,
            classes=classes,
            **options,
        )
        return model, labels

    def path(self, X, y, nobody, *, moves):
        """Return the weights of a plain loop after each step, in the units of the given rows."""
        inputs = np.column_stack([shortened(X, 0.7), np.ones(40)])
        inputs[list(nobody)] = 0
        n_classes = len(set(y))
        path = oracles.descend(
            inputs,
            places_of(y),
            steps=5,
            learning_rate=4.0,
            clip_norm=0.2,
            seed=base.noise_seed(3),
            draw=0,
            start=np.zeros((1 if n_classes == 2 else n_classes, 4)),
            noise_sd=self.multiplier * moves * 0.2 / 40,
        )
        path[..., :-1] /= 0.7
        return path

    @rows_of_no_class
    @numbers_of_classes
    @pytest.mark.parametrize(
        ("adjacency", "moves"), [(Adjacency.REPLACE_ONE, 2), (Adjacency.ADD_REMOVE, 1)]
    )
    @pytest.mark.parametrize("average", [False, True])
    def test_a_fit_is_the_plain_loop(self, adjacency, moves, n_classes, nobody, average):
        X, y = problem(n_classes, n=40)
        model, labels = self.model(y, nobody, adjacency=str(adjacency), average=average)

        model.fit(X, labels)

        path = self.path(X, y, nobody, moves=moves)
        expected = path[3:].mean(axis=0) if average else path[-1]
        found = np.column_stack([model.coef_, model.intercept_])
        np.testing.assert_allclose(found, expected, atol=ROUNDING)

    @pytest.mark.parametrize("adjacency", Adjacency)
    def test_the_guarantee_is_of_its_steps(self, adjacency):
        X, y = problem(n=40)
        model, labels = self.model(y, (), adjacency=str(adjacency))

        model.fit(X, labels)

        assert model.guarantee_.event == descent.event(self.multiplier, steps=5)

    @numbers_of_classes
    def test_a_start_is_in_the_units_of_the_rows(self, n_classes):
        outputs = 1 if n_classes == 2 else n_classes
        coef = np.random.default_rng(5).normal(size=(outputs, 3))
        intercept = np.arange(outputs) + 0.5
        model = DPLogisticRegression(epsilon=150.0, steps=1, learning_rate=1e-9, data_norm=2.0)

        model.fit(*problem(n_classes), coef_init=coef, intercept_init=intercept)

        np.testing.assert_allclose(model.coef_, coef, atol=TINY_STEP)
        np.testing.assert_allclose(model.intercept_, intercept, atol=TINY_STEP)

    @numbers_of_classes
    def test_at_the_non_private_optimum_the_mean_gradient_is_nearly_0(self, n_classes):
        X, y = problem(n_classes, seed=2)
        inputs, labels = np.column_stack([X, np.ones(len(X))]), places_of(y)

        weights = optimum(X, labels, n_classes=n_classes)

        gradient = oracles.mean_gradient(weights, inputs, labels, clip_norm=1.0, clipping="none")
        assert np.linalg.norm(gradient) < 1e-4  # what its slight regularisation balances


class TestNetwork:
    """Ten steps with batches of about 8 of 40 rows, some of which may be of no class."""

    @rows_of_no_class
    @numbers_of_classes
    @pytest.mark.parametrize("clip_norm", [0.3, (0.2, 0.4)], ids=str)
    def test_a_fit_is_the_plain_loop(self, clip_norm, n_classes, nobody):
        X, y = problem(n_classes, n=40)
        model = self.fitted(X, y, nobody, clip_norm)
        net = Architecture(sizes=(3, 4, n_classes))
        seed = base.noise_seed(3)
        (start,) = net.start(seed, [0])
        batches_with_a_class = []
        for (members,) in batches.poisson(seed, [0], rows=40, rate=0.2, first=0, last=10):
            # Unused places of a batch are negative.
            rows = members[members >= 0]
            batches_with_a_class.append(rows[~np.isin(rows, nobody)])
        clip_norms = np.broadcast_to(clip_norm, 2)
        weights_of_layers = [16, 5 * n_classes]
        noise_sd = model.noise_multiplier_ * np.repeat(clip_norms, weights_of_layers)
        path = network_oracles.descend(
            net.sizes,
            shortened(X, 0.6),
            places_of(y),
            batches=batches_with_a_class,
            divisor=8,
            clip_norm=clip_norm,
            start=start,
            rates=[0.2 ** (step / 9) for step in range(10)],
            noise=noise_sd * stream(seed, "noise").standard_normal((50, net.parameters)),
        )

        np.testing.assert_allclose(model.weights_, path[-1], atol=ROUNDING_OF_NETWORKS)

    @pytest.mark.parametrize("clip_norm", [0.3, (0.2, 0.4)], ids=str)
    def test_noise_and_guarantee_are_those_of_ten_sampled_steps(self, clip_norm):
        model = self.fitted(*problem(n=40), (), clip_norm)
        recipe = Recipe(
            architecture=Architecture(sizes=(3, 4, 2)),
            sampling_rate=0.2,
            steps=10,
            learning_rate=1.0,
            clip_norm=clip_norm,
        )

        sigma = recipe.noise_multiplier(epsilon=1.0, delta=1e-5, accountant=model.accountant)
        event = model.guarantee_.event
        assert model.noise_multiplier_ == pytest.approx(sigma, rel=ROUNDING)
        assert model.n_iter_ == event.count == 10
        assert event.event.rate == 0.2

    def fitted(self, X, y, nobody, clip_norm):
        """Return a network fitted to rows, of which those in ``nobody`` are of no class."""
        labels, classes = without(y, nobody)
        model = DPNetworkClassifier(
            hidden_layer_sizes=(4,),
            clip_norm=clip_norm,
            data_norm=0.6,
            epochs=2,
            lot_size=8,
            random_state=3,
            classes=classes,
        )
        return model.fit(X, labels)

    def test_a_batch_larger_than_the_data_is_all_of_it(self):
        model = DPNetworkClassifier(lot_size=1000, epochs=3).fit(*problem())

        assert model.n_iter_ == 3
        assert model.guarantee_.event.event.rate == 1


def rings(seed):
    """Return two classes, one around the other."""
    X = np.random.default_rng(seed).uniform(-0.7, 0.7, size=(1500, 2))
    return X, (np.linalg.norm(X, axis=1) > 0.5).astype(int)


class TestRings:
    """With hardly any noise."""

    model = DPNetworkClassifier(
        epsilon=200.0, epochs=60, learning_rate=4.0, clip_norm=2.0, random_state=0
    )

    def line(self):
        """Return a network without hidden layers."""
        return clone(self.model).set_params(hidden_layer_sizes=()).fit(*rings(0))

    def test_a_network_learns_rings_that_no_line_separates(self):
        assert clone(self.model).fit(*rings(0)).score(*rings(1)) > 0.95

    def test_a_linear_model_does_not_learn_rings(self):
        assert self.line().score(*rings(1)) < 0.85

    def test_a_row_counts_as_if_its_norm_were_1_at_most(self):
        near, far = self.line().predict_proba([[1.0, 0.0], [7.0, 0.0]])

        np.testing.assert_allclose(near, far)


class TestSparse:
    """Eight steps towards corners of the l1 ball, with the bounds of inputs and residuals."""

    X, y = regression(50, 3)
    centre = np.array([0.5, 0.0, -0.1])
    epsilon_of_a_step = math.sqrt(2 * zcdp.rho_of(3.0, delta=1e-6) / 8)

    def fitted(self):
        """Return a regression fitted in eight steps with Laplace noise around the centre."""
        model = DPFrankWolfeRegressor(
            epsilon=3.0,
            radius=0.7,
            residual_bound=0.5,
            data_bound=0.8,
            steps=8,
            noise="laplace",
            random_state=4,
        )
        return model.fit(self.X, self.y, centre=self.centre)

    def test_a_fit_is_the_plain_loop_in_its_own_units(self):
        sensitivity = 2 * 0.7 * 0.8 * 0.5 / 50
        expected, chosen = plain_loop(
            np.clip(self.X, -0.8, 0.8) / 0.8,
            self.y,
            L1Ball(dimension=3, radius=0.7 * 0.8),
            scale=2 * sensitivity / self.epsilon_of_a_step,
            bound=0.5,
            noise="laplace",
            steps=8,
            seed=base.noise_seed(4),
            draw=0,
            centre=self.centre * 0.8,
        )

        model = self.fitted()

        np.testing.assert_allclose(model.coef_, expected / 0.8, atol=ROUNDING)
        assert list(model.path_) == chosen

    def test_each_step_has_an_equal_share_of_the_budget(self):
        event = self.fitted().guarantee_.event

        assert event.event.epsilon == pytest.approx(self.epsilon_of_a_step)


@pytest.mark.parametrize(
    ("q", "known"),
    [
        ("1", linear_model.Lasso(0.05, fit_intercept=False)),
        ("2", linear_model.Ridge(300, fit_intercept=False)),
    ],
)
class TestPenalty:
    """Of 0.1 on 3,000 rows, with hardly any noise."""

    X, y = regression(3000, 4)

    def fitted(self, q, penalty):
        """Return a regression fitted with the penalty of a lasso (q "1") or of a ridge (q "2")."""
        model = DPFrankWolfeRegressor(
            epsilon=1e5,
            radius=2.0,
            residual_bound=3.0,
            steps=3000,
            random_state=0,
            data_bound=1.5,
            penalty=penalty,
            q=q,
        )
        return model.fit(self.X, self.y)

    def test_a_penalised_fit_is_that_of_scikit_learn(self, q, known):
        expected = known.fit(self.X, self.y).coef_

        assert self.fitted(q, 0.1).coef_ == pytest.approx(expected, abs=LITTLE_NOISE)

    def test_a_penalty_changes_the_fit_and_not_the_guarantee(self, q, known):
        plain, penalised = self.fitted(q, 0.0), self.fitted(q, 0.1)

        assert np.abs(plain.coef_ - penalised.coef_).max() > 0.05
        assert plain.guarantee_ == penalised.guarantee_
