"""The contract of every estimator: scikit-learn's checks, its guarantee, its seeds and what it refuses."""

import json
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from dpcore import accountants, check, streams
from dpcore.cache import CACHE
from dpcore.estimators import classes, seeds
from dpcore.estimators.linear import REGRESSIONS, DPLinearRegression
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe

# The module of an estimator, and how it is made there.
ESTIMATORS = [
    ("logistic", "DPLogisticRegression()"),
    ("logistic", "DPLogisticRegression(epsilon=100.0, adjacency='add/remove')"),
    ("logistic", "DPLogisticRegression(average=False, learning_rate=4.0)"),
    ("network", "DPNetworkClassifier()"),
    ("network", "DPNetworkClassifier(epsilon=100.0, activation='relu', hidden_layer_sizes=(8, 8))"),
    ("sparse", "DPFrankWolfeRegressor()"),
    ("linear", "DPLinearRegression()"),
    ("linear", "DPLinearRegression(delta=1e-6)"),
    *(("linear", f"DPLinearRegression(mechanism={name!r}, steps=5)") for name in REGRESSIONS),
]
# Each kind once, small enough to fit many times.
SMALL = [
    DPLogisticRegression,
    lambda **how: DPNetworkClassifier(**{"epochs": 1, "lot_size": 100, **how}),
    lambda **how: DPLinearRegression(**{"mechanism": "descent", "steps": 3, "penalty": 1.0, **how}),
    lambda **how: DPFrankWolfeRegressor(**{"steps": 3, **how}),
]
PURE = ("published", "functional", "output")
NAMES = ["logistic", "network", "linear", "sparse"]
CHECK = """
import json, sys
from sklearn.utils.estimator_checks import check_estimator
from dpcore.estimators import linear, logistic, network, sparse
said = []
for made in json.loads(sys.argv[1]):
    found = check_estimator(eval(made), on_skip=None, on_fail=None)
    failed = [(one["check_name"], str(one["exception"])) for one in found if one["status"] != "passed"]
    said.append([len(found), failed])
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def checked():
    """What a Python outside of the tests says: one check needs a switch that scipy reads as it is imported."""
    command = [sys.executable, "-c", CHECK, json.dumps([".".join(one) for one in ESTIMATORS])]
    env = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    said = subprocess.check_output(command, env=env, text=True).splitlines()[-1]
    return dict(zip(ESTIMATORS, json.loads(said), strict=True))


@pytest.mark.parametrize(("module", "made"), ESTIMATORS)
def test_all_of_scikit_learns_checks_pass(checked, module, made):
    count, failed = checked[module, made]
    assert failed == []
    assert count >= 50


def rows():
    X = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    return X, (X[:, 0] > 0).astype(int)


def apart():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return rng.normal(scale=0.2, size=(200, 3)) + 0.5 * np.eye(2, 3)[y], np.array(list("ab"))[y]


def weights(fitted) -> np.ndarray:
    return fitted.weights_ if hasattr(fitted, "weights_") else fitted.coef_


GUARANTEES = [
    *(SMALL[0](steps=steps, adjacency=str(one)) for steps in (1, 30) for one in Adjacency),
    *(SMALL[2](mechanism=name) for name in REGRESSIONS),
    *(SMALL[3](noise=noise, adjacency=str(one)) for noise in frank_wolfe.NOISES for one in Adjacency),
]


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0, 150.0])
@pytest.mark.parametrize("model", GUARANTEES, ids=str)
def test_the_guarantee_is_the_claim_and_never_more(model, epsilon):
    held = clone(model).set_params(epsilon=epsilon, delta=1e-6).fit(*rows()).guarantee_
    assert epsilon * (1 - 1e-9) <= held.epsilon <= epsilon
    assert (held.adjacency, held.unit) == (getattr(model, "adjacency", Adjacency.REPLACE_ONE), "record")
    assert held.delta == (0 if getattr(model, "mechanism", None) in PURE else 1e-6)
    composed = accountants.account(held.event, delta=1e-6, adjacency=held.adjacency, accountant="naive")
    assert held.delta or composed.epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
@pytest.mark.parametrize("clip_norm", [0.5, (0.5, 2.0)], ids=str)
@pytest.mark.parametrize("accountant", ["moments", "renyi", "pld"])
def test_the_guarantee_of_a_network_is_the_claim_and_never_more(accountant, clip_norm, epsilon):
    how = {"accountant": accountant, "clip_norm": clip_norm, "epsilon": epsilon, "epochs": 5, "delta": 1e-6}
    fitted = DPNetworkClassifier(**how).fit(*apart())
    held = fitted.guarantee_
    assert 0.999 * epsilon <= held.epsilon <= epsilon
    assert (held.delta, held.adjacency, held.unit) == (1e-6, Adjacency.ADD_REMOVE, "record")
    assert held.basis == accountants.BASES[accountant]
    assert (held.event.event.rate, held.event.count) == (64 / 200, fitted.n_iter_)


@pytest.mark.parametrize("make", SMALL, ids=NAMES)
class TestSeeds:
    def test_a_fixed_seed_makes_the_same_release_and_the_guarantee_says_that_it_gives_the_noise_away(self, make):
        fits = [make(random_state=state).fit(*rows()) for state in (0, np.random.RandomState(0), 1)]
        np.testing.assert_array_equal(weights(fits[0]), weights(fits[1]))
        assert (weights(fits[0]) != weights(fits[2])).any()
        assert [seeds.KNOWN_SEED in one.guarantee_.assumes for one in (*fits, make().fit(*rows()))] == [True] * 3 + [
            False
        ]

    def test_the_noise_has_128_bits_and_without_a_seed_ignores_numpys_global_generator(self, make, monkeypatch):
        used, own = set(), streams._key
        monkeypatch.setattr(streams, "_key", lambda seed, purpose: used.add(seed) or own(seed, purpose))
        for _ in range(12):
            np.random.seed(0)  # noqa: NPY002
            make().fit(*rows())
        assert len(used) == 12
        assert min(max(used), max(map(seeds.noise_seed, range(12)))).bit_length() > 120
        ever, always = 0, 2**128 - 1
        for seed in used:
            ever, always = ever | seed, always & seed
        assert (ever ^ always).bit_count() > 110


@pytest.mark.parametrize("make", SMALL[:2], ids=NAMES[:2])
class TestClassifiers:
    def test_a_longer_row_counts_as_one_of_the_declared_norm_and_the_unit_changes_nothing(self, make):
        X, y = apart()
        direction, fits = X[0] / np.linalg.norm(X[0]), []
        for length in (2.0, 2e3, 2e9, 1.9):  # the last one keeps its length
            X[0] = length * direction
            fits.append(weights(make(data_norm=2.0, random_state=0).fit(X, y)))
        np.testing.assert_allclose(fits[1:3], [fits[0]] * 2, rtol=1e-9)
        assert np.abs(fits[3] - fits[0]).max() > 1e-7
        meters = make(data_norm=1.0, random_state=1).fit(X, y)
        millimeters = make(data_norm=1000.0, random_state=1).fit(1000 * X, y)
        np.testing.assert_allclose(meters.decision_function(X), millimeters.decision_function(1000 * X), rtol=1e-9)

    def test_declared_classes_refuse_no_label_and_those_read_off_the_labels_are_assumed_public(self, make):
        X = apart()[0]
        for label in ("a", "z", 3, None, np.nan):
            fitted = make(classes=["c", "a", "b"]).fit(X, np.full(200, label, dtype=object))
            assert list(fitted.classes_) == ["a", "b", "c"]
            assert fitted.predict_proba(X).shape == (200, 3)
            assert fitted.guarantee_.assumes == ()
        assert make().fit(*apart()).guarantee_.assumes == (classes.READ_OFF,)
        with pytest.raises(ValueError, match="one class"):
            make().fit(X, np.full(200, "a"))


SEEDS = (2**127 + 12345, 2**126 + 54321)


def memory() -> bytes:
    return pickle.dumps([(question, answer) for question, (answer, *_) in CACHE._answers.items()])


def traces(seed: int) -> list[bytes]:
    """What in the memory would give noise away: its seed, or the first draw of a law in either precision."""
    draws = [getattr(streams.stream(seed, "noise"), law)(size=1) for law in ("standard_normal", "gumbel", "laplace")]
    return [seed.to_bytes(16, "little"), *(draw.astype(kind).tobytes() for draw in draws for kind in (float, "f4"))]


RELEASES = {
    "logistic": SMALL[0],
    "network": SMALL[1],
    "sparse, gumbel": SMALL[3],
    "sparse, laplace": lambda: SMALL[3](noise="laplace"),
    **{f"linear, {name}": partial(SMALL[2], mechanism=name) for name in REGRESSIONS},
}


@pytest.mark.parametrize("make", RELEASES.values(), ids=RELEASES)
def test_the_process_keeps_neither_the_seed_nor_the_noise_of_a_release(make, monkeypatch):
    held = []
    for seed in SEEDS:
        CACHE.forget()
        monkeypatch.setattr(seeds.secrets, "randbits", lambda bits, seed=seed: seed)
        make().fit(*rows())
        held.append(memory())
        assert not [trace for trace in traces(seed) if trace in held[-1]]
    assert held[0] == held[1], "what is kept depends on the seed"


def test_seed_and_noise_of_a_picture_are_kept_and_found():
    CACHE.forget()
    next(streams.normal_steps(SEEDS[0], "noise", [0], steps=1, shape=(1,), dtype=np.float64))
    assert all(trace in memory() for trace in traces(SEEDS[0])[:2])


NUMBERS = [
    (SMALL[0], "epsilon delta clip_norm data_norm steps learning_rate"),
    (SMALL[1], "epsilon delta clip_norm data_norm learning_rate decay epochs lot_size hidden_layer_sizes"),
    (SMALL[2], "epsilon delta data_bound label_bound radius steps clip_norm"),
    (SMALL[3], "epsilon delta radius residual_bound data_bound steps"),
]
STATES = ("seed", -1, 0.5, True, 2**32, [1, 2])
CLASSES = (3, "ab", ["a"], ["a", "a", "b"], ["a", 1], [0.0, np.nan], [None, "a"])
NETWORK = {"delta": (0, 2), "data_norm": (-1,), "learning_rate": (0,), "decay": (2,), "epochs": (0,), "lot_size": (0,)}
NETWORK |= {"activation": ("sine",), "accountant": ("my own",), "hidden_layer_sizes": ((4, 0),), "classes": CLASSES}
LOGISTIC = {"steps": (0, 1.5), "adjacency": ("both",), "average": ("half",), "clip_norm": (0,), "data_norm": (-1,)}
OUT_OF_RANGE = [
    (SMALL[0], LOGISTIC | {"classes": CLASSES}),
    (SMALL[1], NETWORK | {"clip_norm": (0, None, (1.0,) * 3)}),
    (SMALL[2], {"mechanism": ("magic",), "data_bound": (-1,), "label_bound": (0,), "steps": (0,), "delta": (0,)}),
    (DPLinearRegression, {"share": (1,), "repair": ("hope",), "delta": (-0.1, 1)}),
    (partial(SMALL[2], mechanism="output"), {"radius": (0,), "penalty": (-1,)}),
    (SMALL[3], {"residual_bound": (0,), "data_bound": (0,), "steps": (0,), "radius": (-1,), "penalty": (-0.1,)}),
    (SMALL[3], {"delta": (0,), "q": ("0",), "noise": ("normal",), "adjacency": ("both",)}),
]
STARTS = [
    (SMALL[0], "coef_init", ([[np.nan, 0.0]], [[1.0]], [1.0, 2.0], [["a", "b"]], [[True, False]], [[1.0], [2.0, 3.0]])),
    (SMALL[0], "intercept_init", ([np.nan], [1.0, 2.0], 0.0, ["a"], [True])),
    (SMALL[3], "centre", ([np.inf, 0.0], [1.0], [[1.0, 2.0]], ["a", "b"], [True, False])),
]


@pytest.mark.parametrize(("make", "refused"), OUT_OF_RANGE)
def test_a_parameter_or_a_public_start_out_of_range_is_refused_by_name(make, refused):
    for name, values in ({"epsilon": (0, -1), "random_state": STATES} | refused).items():
        for value in values:
            with pytest.raises(check.RefusedError, match=f"^{name} is "):
                make(**{name: value}).fit(*rows())
    for name, start in ((name, start) for other, name, starts in STARTS if other is make for start in starts):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            make().fit(*rows(), **{name: start})


@pytest.mark.parametrize("value", [True, np.True_, "1", np.nan, np.inf, [1.0], 1j], ids=repr)
@pytest.mark.parametrize(("make", "names"), NUMBERS, ids=NAMES)
def test_what_is_no_number_is_refused_by_name(make, names, value):
    make(epsilon=1.0).fit(*rows())  # to a cache, True is 1
    for name in names.split():
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            make(**{name: value}).fit(*rows())
