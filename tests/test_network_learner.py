"""The network as an estimator: scikit-learn's own checks, its guarantee, and what it does with rows and seeds."""

import math

import network_oracles as plain
import numpy as np
import pytest
from sklearn.base import clone

from dpcore import accountants, check, lots
from dpcore.estimators import classes, seeds
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


def test_a_longer_row_counts_as_one_of_the_declared_norm():
    X, y = problem()
    model, fits = DPNetworkClassifier(data_norm=2.0, random_state=0, epochs=3), []
    direction = X[0] / np.linalg.norm(X[0])
    for length in (2.0, 2e3, 2e9):
        X[0] = length * direction
        fits.append(clone(model).fit(X, y))
    np.testing.assert_allclose([fit.weights_ for fit in fits[1:]], [fits[0].weights_] * 2, rtol=1e-9)
    np.testing.assert_allclose(fits[0].predict_proba([2.0 * direction]), fits[0].predict_proba([9.0 * direction]))
    X[0] = 1.9 * direction  # while a shorter one keeps its length
    assert np.abs(clone(model).fit(X, y).weights_ - fits[0].weights_).max() > 1e-7


def test_the_unit_of_the_rows_changes_nothing():
    X, y = problem()
    meters = DPNetworkClassifier(data_norm=1.0, random_state=1, epochs=3).fit(X, y)
    millimeters = DPNetworkClassifier(data_norm=1000.0, random_state=1, epochs=3).fit(1000 * X, y)
    np.testing.assert_allclose(meters.decision_function(X), millimeters.decision_function(1000 * X), rtol=1e-9)


def test_the_seed_makes_a_release_reproducible_and_nothing_else_does():
    fits = [
        DPNetworkClassifier(random_state=state, epochs=1).fit(*problem()).weights_ for state in (0, 0, 1, None, None)
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert len({tuple(fit) for fit in fits}) == 4


def test_with_hardly_any_noise_it_learns_what_no_line_separates():
    X, y = rings()
    model = DPNetworkClassifier(epsilon=200.0, epochs=60, learning_rate=4.0, clip_norm=2.0, random_state=0)
    assert clone(model).fit(X, y).score(*rings(seed=1)) > 0.95
    line = clone(model).set_params(hidden_layer_sizes=())
    assert line.fit(X, y).score(*rings(seed=1)) < 0.85


def test_probabilities_and_scores_agree_with_predictions():
    for n_classes in (2, 3):
        X, y = problem(n_classes)
        fitted = DPNetworkClassifier(epsilon=5.0, random_state=0, epochs=3).fit(X, y)
        assert (fitted.classes_[fitted.predict_proba(X).argmax(axis=1)] == fitted.predict(X)).all()
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
        scores = fitted.decision_function(X)
        assert scores.shape == ((200,) if n_classes == 2 else (200, 3))
        if n_classes == 2:
            assert ((scores > 0) == (fitted.predict(X) == "b")).all()


class TestClasses:
    @pytest.mark.parametrize("label", ["a", "z", None, math.nan])
    def test_no_set_of_labels_is_refused(self, label):
        X, y = problem()[0], np.full(200, label, dtype=object)
        model = DPNetworkClassifier(classes=["c", "a", "b"], epochs=1).fit(X, y)
        assert list(model.classes_) == ["a", "b", "c"]
        assert model.predict_proba(X).shape == (200, 3)
        assert model.guarantee_.assumes == ()

    def test_those_read_off_the_labels_are_taken_as_public_and_the_guarantee_says_so(self):
        assert DPNetworkClassifier(epochs=1).fit(*problem()).guarantee_.assumes == (classes.READ_OFF,)


def test_a_lot_larger_than_the_data_is_all_of_it():
    fitted = DPNetworkClassifier(lot_size=1000, epochs=3).fit(*problem())
    assert fitted.n_iter_ == 3
    exact = accountants.account(
        fitted.guarantee_.event, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant="gdp"
    ).epsilon
    assert 0.8 < exact <= 1.0


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"delta": 0},
        {"delta": 2},
        {"clip_norm": 0},
        {"clip_norm": None},
        {"clip_norm": (1.0, 1.0, 1.0)},
        {"data_norm": -1},
        {"hidden_layer_sizes": (4, 0)},
        {"epochs": 0},
        {"lot_size": 0},
        {"learning_rate": 0},
        {"decay": 2},
        {"activation": "sine"},
        {"accountant": "my own"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(changes):
    ((name, _),) = changes.items()
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        DPNetworkClassifier(**changes).fit(*problem())
