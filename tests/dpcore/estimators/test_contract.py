"""The contract of every estimator: scikit-learn's checks, its guarantee, its seeds and what it
refuses.
"""

import json
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from dpcore import accountants, check, streams
from dpcore.cache import CACHE
from dpcore.estimators import base, people
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
    """What a Python outside of the tests says: one check needs a switch that scipy reads as it is
    imported.
    """
    command = [sys.executable, "-c", CHECK, json.dumps([".".join(one) for one in ESTIMATORS])]
    env = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(Path(__file__).parents[3])}
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
    *(
        SMALL[3](noise=noise, adjacency=str(one))
        for noise in frank_wolfe.NOISES
        for one in Adjacency
    ),
]


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0, 150.0])
@pytest.mark.parametrize("model", GUARANTEES, ids=str)
def test_the_guarantee_is_the_claim_and_never_more(model, epsilon):
    held = clone(model).set_params(epsilon=epsilon, delta=1e-6).fit(*rows()).guarantee_
    assert epsilon * (1 - 1e-9) <= held.epsilon <= epsilon
    assert (held.adjacency, held.unit) == (
        getattr(model, "adjacency", Adjacency.REPLACE_ONE),
        "record",
    )
    assert held.delta == (0 if getattr(model, "mechanism", None) in PURE else 1e-6)
    composed = accountants.account(
        held.event, delta=1e-6, adjacency=held.adjacency, accountant="basic"
    )
    assert held.delta or composed.epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
@pytest.mark.parametrize("clip_norm", [0.5, (0.5, 2.0)], ids=str)
@pytest.mark.parametrize("accountant", ["moments", "renyi", "pld"])
def test_the_guarantee_of_a_network_is_the_claim_and_never_more(accountant, clip_norm, epsilon):
    how = {
        "accountant": accountant,
        "clip_norm": clip_norm,
        "epsilon": epsilon,
        "epochs": 5,
        "delta": 1e-6,
    }
    fitted = DPNetworkClassifier(**how).fit(*apart())
    held = fitted.guarantee_
    assert 0.999 * epsilon <= held.epsilon <= epsilon
    assert (held.delta, held.adjacency, held.unit) == (1e-6, Adjacency.ADD_REMOVE, "record")
    expected = accountants.BASES | {"renyi": "RDP accountant (orders to 1,024)"}
    assert held.basis == expected[accountant]
    assert (held.event.event.rate, held.event.count) == (64 / 200, fitted.n_iter_)


@pytest.mark.parametrize("make", SMALL, ids=NAMES)
class TestSeeds:
    def test_a_fixed_seed_makes_the_same_release_and_the_guarantee_says_that_it_gives_the_noise_away(
        self, make
    ):
        fits = [make(random_state=state).fit(*rows()) for state in (0, np.random.RandomState(0), 1)]
        np.testing.assert_array_equal(weights(fits[0]), weights(fits[1]))
        assert (weights(fits[0]) != weights(fits[2])).any()
        assert [
            base.SECRET_SEED in one.guarantee_.assumes for one in (*fits, make().fit(*rows()))
        ] == [True] * 3 + [False]

    def test_the_noise_has_128_bits_and_without_a_seed_ignores_numpys_global_generator(
        self, make, monkeypatch
    ):
        used, own = set(), streams._key
        monkeypatch.setattr(
            streams, "_key", lambda seed, purpose: used.add(seed) or own(seed, purpose)
        )
        for _ in range(12):
            np.random.seed(0)  # noqa: NPY002
            make().fit(*rows())
        assert len(used) == 12
        assert min(max(used), max(map(base.noise_seed, range(12)))).bit_length() > 120
        ever, always = 0, 2**128 - 1
        for seed in used:
            ever, always = ever | seed, always & seed
        assert (ever ^ always).bit_count() > 110


@pytest.mark.parametrize("make", SMALL[:2], ids=NAMES[:2])
class TestClassifiers:
    def test_a_longer_row_counts_as_one_of_the_declared_norm_and_the_unit_changes_nothing(
        self, make
    ):
        X, y = apart()
        direction, fits = X[0] / np.linalg.norm(X[0]), []
        for length in (2.0, 2e3, 2e9, 1.9):  # the last one keeps its length
            X[0] = length * direction
            fits.append(weights(make(data_norm=2.0, random_state=0).fit(X, y)))
        np.testing.assert_allclose(fits[1:3], [fits[0]] * 2, rtol=1e-9)
        assert np.abs(fits[3] - fits[0]).max() > 1e-7
        meters = make(data_norm=1.0, random_state=1).fit(X, y)
        millimeters = make(data_norm=1000.0, random_state=1).fit(1000 * X, y)
        np.testing.assert_allclose(
            meters.decision_function(X), millimeters.decision_function(1000 * X), rtol=1e-9
        )

    def test_declared_classes_refuse_no_label_and_those_read_off_the_labels_are_assumed_public(
        self, make
    ):
        X = apart()[0]
        for label in ("a", "z", 3, None, np.nan):
            fitted = make(classes=["c", "a", "b"]).fit(X, np.full(200, label, dtype=object))
            assert list(fitted.classes_) == ["a", "b", "c"]
            assert fitted.predict_proba(X).shape == (200, 3)
            assert base.PUBLIC_CLASSES not in fitted.guarantee_.assumes
        assert base.PUBLIC_CLASSES in make().fit(*apart()).guarantee_.assumes
        with pytest.raises(ValueError, match="one class"):
            make().fit(X, np.full(200, "a"))


@pytest.mark.parametrize("make", SMALL, ids=NAMES)
class TestEnds:
    @pytest.mark.parametrize("epsilon", [1e-300, 5e-324, 1e16, 1e300], ids=str)
    def test_an_epsilon_beyond_what_noise_can_be_calibrated_to_is_refused_by_name(
        self, make, epsilon
    ):
        with pytest.raises(check.RefusedError, match=r"^epsilon is .* from 1e-12 to 1e\+12$"):
            make(epsilon=epsilon).fit(*rows())

    @pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1e6], ids=str)
    def test_the_smallest_and_large_epsilons_are_kept(self, make, epsilon):
        held = make(epsilon=epsilon).fit(*rows()).guarantee_
        # Next to delta such an epsilon is lost in the rounding of delta, which is to the safe side
        assert 0 <= held.epsilon <= epsilon * 1.001

    @pytest.mark.parametrize(
        "kind", [np.float32, np.float16, np.int64], ids=lambda kind: kind.__name__
    )
    def test_a_number_of_any_precision_is_counted_in_double_precision(self, make, kind):
        fits = [make(epsilon=epsilon, random_state=0).fit(*rows()) for epsilon in (kind(1), 1.0)]
        assert fits[0].guarantee_ == fits[1].guarantee_
        assert type(fits[0].guarantee_.epsilon) is float
        np.testing.assert_array_equal(weights(fits[0]), weights(fits[1]))

    def test_a_delta_that_no_accountant_resolves_is_refused_by_name(self, make):
        with pytest.raises(
            check.RefusedError, match=r"^delta is 5e-324, but must be at least 1e-300$"
        ):
            make(delta=5e-324).fit(*rows())


@pytest.mark.parametrize("value", [1e300, 1e-300], ids=str)
@pytest.mark.parametrize("name", ["clip_norm", "learning_rate"])
@pytest.mark.parametrize("make", SMALL[:2], ids=NAMES[:2])
def test_a_clipping_norm_and_a_learning_rate_whose_square_is_no_float_are_refused(
    make, name, value
):
    with pytest.raises(check.RefusedError, match=rf"^{name} is .* from 1e-100 to 1e\+100$"):
        make(**{name: value}).fit(*rows())


def test_weights_of_a_network_that_overflow_are_refused():
    network = DPNetworkClassifier(clip_norm=1e100, learning_rate=1e100, epochs=2, random_state=0)
    with pytest.raises(check.RefusedError, match=r"^learning_rate is 1e\+100, .* stay finite"):
        network.fit(*rows())


@pytest.mark.parametrize(
    ("make", "unit", "given"),
    [
        (partial(SMALL[0], adjacency="add/remove"), "rows", {}),
        (partial(SMALL[0], adjacency="add/remove"), "people", {"groups": np.arange(100) // 2}),
        (SMALL[1], "rows", {}),
        (partial(SMALL[3], adjacency="add/remove"), "rows", {}),
        (partial(SMALL[3], adjacency="add/remove", steps=None), "rows", {}),
    ],
    ids=["logistic", "logistic of people", "network", "sparse", "sparse, default steps"],
)
def test_a_guarantee_under_add_remove_assumes_that_the_number_which_sets_the_noise_is_public(
    make, unit, given
):
    assumed = make().fit(*rows(), **given).guarantee_.assumes
    assert f"the number of {unit} is public" in assumed


@pytest.mark.parametrize(
    "make", [SMALL[0], SMALL[2], SMALL[3]], ids=["logistic", "linear", "sparse"]
)
def test_replace_one_itself_says_that_the_number_of_rows_is_public(make):
    assert not [one for one in make().fit(*rows()).guarantee_.assumes if "number of" in one]


MISSING = {
    "NaN": np.full(100, np.nan),
    "different NaNs": np.array([float("nan") for _ in range(100)], dtype=object),
    "a column without names": pd.Series([np.nan] * 100),
    "None": [None] * 100,
    "NA": pd.Series([pd.NA] * 100, dtype="Int64"),
    "NaT": pd.Series([pd.NaT] * 100),
    "not a time": np.full(100, np.datetime64("NaT")),
    "empty": ["", " "] * 50,
    "several kinds": [None, np.nan, pd.NA, pd.NaT, ""] * 20,
    "masked": np.ma.masked_all(100, dtype=int),
}


class TestGroups:
    @pytest.mark.parametrize("groups", MISSING.values(), ids=MISSING)
    def test_rows_without_a_name_are_one_person(self, groups):
        assert not people.people_of(groups, 100).any()
        fits = [
            SMALL[0](random_state=0).fit(*rows(), groups=one) for one in (groups, np.zeros(100))
        ]
        np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
        assert fits[0].n_iter_ == 100

    def test_missing_names_are_one_person_among_others(self):
        assert people.people_of([3.0, np.nan, 4.0, None, 3.0], 5).tolist() == [0, 1, 2, 1, 0]
        masked = np.ma.masked_array([1, 2, 1, 2], mask=[False, True, False, False])
        assert people.people_of(masked, 4).tolist() == [0, 1, 0, 2]

    def test_spellings_of_a_name_are_one_person(self):
        spellings = ["Zoë Ruiz", "Zoe\u0308 Ruiz", " Zoë  Ruiz", "Zoë\u00a0Ruiz"]
        assert not people.people_of(spellings, 4).any()
        assert people.people_of(["Zoe", "Zoë", "zoe"], 3).tolist() == [0, 1, 0]

    def test_numbers_are_the_same_person_in_any_precision(self):
        assert people.people_of([1, 1.0, np.int8(1), np.float32(2)], 4).tolist() == [0, 0, 0, 1]

    @pytest.mark.parametrize(
        "groups", [[1, "1"], [True, 1], [b"a", "a"], ["a", 1.5], [("a",), "a"]], ids=str
    )
    def test_names_of_several_types_are_refused(self, groups):
        with pytest.raises(
            check.RefusedError, match="^groups is 'a mixture of .*, but must be names of one type$"
        ):
            SMALL[0]().fit(*rows(), groups=groups * 50)

    def test_what_cannot_be_a_name_is_refused(self):
        groups = np.empty(100, dtype=object)
        groups[:] = [{} for _ in range(100)]
        with pytest.raises(check.RefusedError, match="^groups is "):
            SMALL[0]().fit(*rows(), groups=groups)


NUMBERED, WORDED, TRUE = np.arange(100) % 2, np.array(["0", "1"] * 50), np.arange(100) % 2 == 0
UNLIKE = {
    "numbers": (["0", "1"], NUMBERED),
    "fractions": (["0.0", "1.0"], NUMBERED.astype(float)),
    "truth values": (["True", "False"], TRUE),
    "a list of numbers": (["0", "1"], NUMBERED.tolist()),
    "a column of numbers": (["0", "1"], pd.Series(NUMBERED)),
    "numbers or nothing": (["0", "1"], pd.Series(NUMBERED, dtype="Int64")),
    "words": ([0, 1], WORDED),
    "a list of words": ([0, 1], WORDED.tolist()),
    "a column of words": ([0, 1], pd.Series(WORDED)),
    "categories": ([0, 1], pd.Series(WORDED, dtype="category")),
    "bytes": (["0", "1"], WORDED.astype("S")),
    "dates": ([0, 1], NUMBERED.astype("datetime64[D]")),
}


@pytest.mark.parametrize("make", SMALL[:2], ids=NAMES[:2])
class TestTypesOfClasses:
    @pytest.mark.parametrize(("declared", "y"), UNLIKE.values(), ids=UNLIKE)
    def test_classes_that_no_label_of_this_type_can_have_are_refused(self, make, declared, y):
        with pytest.raises(check.RefusedError, match="^classes is "):
            make(classes=declared).fit(rows()[0], y)

    @pytest.mark.parametrize(
        ("declared", "y"),
        [
            ([0.0, 1.0], NUMBERED),
            ([0, 1], NUMBERED.astype(float)),
            ([False, True], NUMBERED),
            ([0, 1], pd.Series(NUMBERED, dtype="category")),
            (["0", "1"], pd.Series(WORDED, dtype="string")),
            (["0", "1"], [*WORDED[:-1].tolist(), 5]),
        ],
        ids=["fractions", "whole", "truth", "categories", "words", "one of another type"],
    )
    def test_types_that_can_be_equal_are_not_refused(self, make, declared, y):
        fitted = make(classes=declared, random_state=0).fit(rows()[0], y)
        assert np.abs(weights(fitted)).max() > 0

    @pytest.mark.parametrize(
        ("declared", "labels", "spellings"),
        [
            (["0", "1"], WORDED, NUMBERED.astype(object)),
            ([0, 1], NUMBERED, WORDED.astype(object)),
            (["no", "yes"], np.where(TRUE, "yes", "no"), np.where(TRUE, "Yes.", " NO")),
        ],
        ids=["numbers as objects", "words as objects", "words with dots"],
    )
    def test_a_label_belongs_to_its_class_in_any_spelling(self, make, declared, labels, spellings):
        X, _ = rows()
        expected = make(classes=declared, random_state=0).fit(X, labels)
        fitted = make(classes=declared, random_state=0).fit(X, spellings)
        np.testing.assert_array_equal(weights(fitted), weights(expected))


def test_only_equal_labels_belong_to_classes_that_are_spellings_of_one_name():
    labels = np.array(["a", "A", "a.", None, np.nan], dtype=object)
    numbers = base._class_numbers(labels, np.array(["A", "a"]))
    assert numbers.tolist() == [1, 0, -1, -1, -1]


SEEDS = (2**127 + 12345, 2**126 + 54321)


def memory() -> bytes:
    return pickle.dumps([(question, answer) for question, (answer, *_) in CACHE._answers.items()])


def traces(seed: int) -> list[bytes]:
    """What in the memory would give noise away: its seed, or the first draw of a law in either
    precision.
    """
    draws = [
        getattr(streams.stream(seed, "noise"), law)(size=1)
        for law in ("standard_normal", "gumbel", "laplace")
    ]
    return [
        seed.to_bytes(16, "little"),
        *(draw.astype(kind).tobytes() for draw in draws for kind in (float, "f4")),
    ]


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
        monkeypatch.setattr(base.secrets, "randbits", lambda bits, seed=seed: seed)
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
    (
        SMALL[1],
        "epsilon delta clip_norm data_norm learning_rate decay epochs lot_size hidden_layer_sizes",
    ),
    (SMALL[2], "epsilon delta data_bound label_bound radius steps clip_norm"),
    (SMALL[3], "epsilon delta radius residual_bound data_bound steps"),
]
# numpy's global generator, which any other code can seed, among them
STATES = ("seed", -1, 0.5, True, 2**32, 10**400, [1, 2], np.random, np.random.mtrand._rand)
CLASSES = (3, "ab", ["a"], ["a", "a", "b"], ["a", 1], [0.0, np.nan], [None, "a"])
NETWORK = {
    "delta": (0, 2),
    "data_norm": (-1,),
    "learning_rate": (0,),
    "decay": (2,),
    "epochs": (0,),
    "lot_size": (0,),
}
NETWORK |= {
    "activation": ("sine",),
    "accountant": ("my own",),
    "hidden_layer_sizes": ((4, 0),),
    "classes": CLASSES,
}
LOGISTIC = {
    "steps": (0, 1.5),
    "adjacency": ("both",),
    "average": ("half",),
    "clip_norm": (0,),
    "data_norm": (-1,),
}
OUT_OF_RANGE = [
    (SMALL[0], LOGISTIC | {"classes": CLASSES}),
    (SMALL[1], NETWORK | {"clip_norm": (0, None, (1.0,) * 3)}),
    (
        SMALL[2],
        {
            "mechanism": ("magic",),
            "data_bound": (-1,),
            "label_bound": (0,),
            "steps": (0,),
            "delta": (0,),
        },
    ),
    (DPLinearRegression, {"share": (1,), "repair": ("hope",), "delta": (-0.1, 1)}),
    (partial(SMALL[2], mechanism="output"), {"radius": (0,), "penalty": (-1,)}),
    (
        SMALL[3],
        {
            "residual_bound": (0,),
            "data_bound": (0,),
            "steps": (0,),
            "radius": (-1,),
            "penalty": (-0.1,),
        },
    ),
    (SMALL[3], {"delta": (0,), "q": ("0",), "noise": ("normal",), "adjacency": ("both",)}),
]
STARTS = [
    (
        SMALL[0],
        "coef_init",
        ([[np.nan, 0.0]], [[1.0]], [1.0, 2.0], [["a", "b"]], [[True, False]], [[1.0], [2.0, 3.0]]),
    ),
    (SMALL[0], "intercept_init", ([np.nan], [1.0, 2.0], 0.0, ["a"], [True])),
    (SMALL[3], "centre", ([np.inf, 0.0], [1.0], [[1.0, 2.0]], ["a", "b"], [True, False])),
]


@pytest.mark.parametrize(("make", "refused"), OUT_OF_RANGE)
def test_a_parameter_or_a_public_start_out_of_range_is_refused_by_name(make, refused):
    for name, values in ({"epsilon": (0, -1), "random_state": STATES} | refused).items():
        for value in values:
            with pytest.raises(check.RefusedError, match=f"^{name} is "):
                make(**{name: value}).fit(*rows())
    for name, start in (
        (name, start) for other, name, starts in STARTS if other is make for start in starts
    ):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            make().fit(*rows(), **{name: start})


@pytest.mark.parametrize(
    "value", [True, np.True_, "1", np.nan, np.inf, 10**400, [1.0], 1j], ids=lambda v: repr(v)[:9]
)
@pytest.mark.parametrize(("make", "names"), NUMBERS, ids=NAMES)
def test_what_is_no_number_is_refused_by_name(make, names, value):
    make(epsilon=1.0).fit(*rows())  # to a cache, True is 1
    for name in names.split():
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            make(**{name: value}).fit(*rows())
