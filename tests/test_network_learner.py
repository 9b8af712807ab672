"""The network as an estimator: scikit-learn's own checks, its guarantee, and what it does with rows and seeds."""

import math

import network_oracles as plain
import numpy as np
import pytest
from sklearn.base import clone

from dpcore import accountants, lots
from dpcore.estimators import seeds
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import sgd
from dpcore.training.networks import Architecture


def problem(n_classes=2, *, n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(scale=0.2, size=(n, 3)) + 0.5 * np.eye(n_classes, 3)[y]
    return X, np.array(list("abcdef"))[y]


def rings(n=1500, seed=0):
    """What no line separates."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.7, 0.7, size=(n, 2))
    return X, (np.linalg.norm(X, axis=1) > 0.5).astype(int)


@pytest.mark.parametrize("clip_norm", [0.5, (0.5, 2.0)], ids=str)
@pytest.mark.parametrize("accountant", ["moments", "renyi", "pld"])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_the_guarantee_is_the_claim_and_never_more(epsilon, accountant, clip_norm):
    model = DPNetworkClassifier(epsilon=epsilon, delta=1e-6, accountant=accountant, clip_norm=clip_norm, epochs=5)
    found = model.fit(*problem()).guarantee_
    assert 0.999 * epsilon <= found.epsilon <= epsilon
    assert (found.delta, found.adjacency, found.unit) == (1e-6, Adjacency.ADD_REMOVE, "record")
    assert found.basis == accountants.BASES[accountant]
    assert found.event.event.rate == 64 / 200
    assert found.event.count == model.n_iter_ == math.ceil(5 * 200 / 64)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("clip_norm", [0.3, (0.2, 0.4)], ids=str)
@pytest.mark.parametrize("nobody", [(), (5, 9)], ids=["all count", "two of no class"])
def test_a_fit_is_the_plain_loop(clip_norm, n_classes, nobody):
    X, y = problem(n_classes, n=40)
    labels = y.astype(object)
    labels[list(nobody)] = "other"
    model = DPNetworkClassifier(
        hidden_layer_sizes=(4,),
        clip_norm=clip_norm,
        data_norm=0.6,
        epochs=2,
        lot_size=8,
        classes=sorted(set(y)) if nobody else None,
        random_state=3,
    ).fit(X, labels)
    rows = np.array([x * min(1, 0.6 / np.linalg.norm(x)) / 0.6 for x in X])
    net, seed = Architecture(sizes=(3, 4, n_classes)), seeds.noise_seed(3)
    recipe = sgd.Recipe(architecture=net, sampling_rate=0.2, steps=10, learning_rate=1.0, clip_norm=clip_norm)
    sigma = recipe.noise_multiplier(epsilon=1.0, delta=1e-5, accountant=model.accountant)
    bounds = clip_norm if isinstance(clip_norm, tuple) else (clip_norm, clip_norm)
    scale = sigma * np.repeat(bounds, [k * p for k, p in net.shapes])
    path = plain.descend(
        net.sizes,
        rows,
        np.unique(y, return_inverse=True)[1],
        start=net.start(seed, [0])[0],
        lots=[
            m[0][(m[0] >= 0) & ~np.isin(m[0], nobody)]
            for m in lots.poisson(seed, [0], rows=40, rate=0.2, first=0, last=10)
        ],
        rates=[0.2 ** (step / 9) for step in range(10)],
        clip_norm=clip_norm,
        divisor=8,
        noise=scale * stream(seed, "noise").standard_normal((50, net.parameters)),
    )
    np.testing.assert_allclose(model.weights_, path[-1], atol=1e-9)
    assert (model.n_iter_, model.noise_multiplier_) == (10, pytest.approx(sigma, rel=1e-12))


def test_with_hardly_any_noise_it_learns_what_no_line_separates():
    X, y = rings()
    model = DPNetworkClassifier(epsilon=200.0, epochs=60, learning_rate=4.0, clip_norm=2.0, random_state=0)
    assert clone(model).fit(X, y).score(*rings(seed=1)) > 0.95
    line = clone(model).set_params(hidden_layer_sizes=())
    assert line.fit(X, y).score(*rings(seed=1)) < 0.85
    np.testing.assert_allclose(line.predict_proba([[1.0, 0.0]]), line.predict_proba([[7.0, 0.0]]))  # of norm 1 at most


def test_a_lot_larger_than_the_data_is_all_of_it():
    fitted = DPNetworkClassifier(lot_size=1000, epochs=3).fit(*problem())
    assert fitted.n_iter_ == 3
    exact = accountants.account(
        fitted.guarantee_.event, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant="gdp"
    ).epsilon
    assert 0.8 < exact <= 1.0
