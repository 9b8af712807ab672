"""The contract of every estimator: scikit-learn's checks, its guarantee, and what it refuses."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from dpcore import accountants, check
from dpcore.estimators.linear import REGRESSIONS
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe
from tests.estimator_makers import (
    CLASSIFIERS,
    ESTIMATORS,
    make_linear,
    make_logistic,
    make_network,
    make_sparse,
    separated_rows,
    simple_rows,
    weights_of,
)

# The same fit of rescaled numbers in double precision.
ROUNDING = 1e-9

each_estimator = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)
each_classifier = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)

# --- scikit-learn's checks ------------------------------------------------------------------------

# Estimators as Python code, within the package of estimators.
CHECKED = [
    "logistic.DPLogisticRegression()",
    "logistic.DPLogisticRegression(epsilon=100.0, adjacency='add/remove')",
    "logistic.DPLogisticRegression(average=False, learning_rate=4.0)",
    "network.DPNetworkClassifier()",
    "network.DPNetworkClassifier(epsilon=100.0, hidden_layer_sizes=(8, 8))",
    "sparse.DPFrankWolfeRegressor()",
    "linear.DPLinearRegression()",
    "linear.DPLinearRegression(delta=1e-6)",
    *(f"linear.DPLinearRegression(mechanism={name!r}, steps=5)" for name in REGRESSIONS),
]
PROGRAM = """
import json, sys
from sklearn.utils.estimator_checks import check_estimator
from dpcore.estimators import linear, logistic, network, sparse

results = []
for code in json.loads(sys.argv[1]):
    checks = check_estimator(eval(code), on_skip=None, on_fail=None)
    failed = []
    for one in checks:
        if one["status"] != "passed":
            failed.append((one["check_name"], str(one["exception"])))
    results.append([len(checks), failed])
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def results_of_checks() -> dict[str, Any]:
    """Return code -> (number of checks, failed ones), from another Python process.

    One check needs a switch that scipy reads when it is imported.
    """
    command = [sys.executable, "-c", PROGRAM, json.dumps(CHECKED)]
    env = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(Path(__file__).parents[3])}
    output = subprocess.check_output(command, env=env, text=True)
    last_line = output.splitlines()[-1]
    return dict(zip(CHECKED, json.loads(last_line), strict=True))


@pytest.mark.parametrize("code", CHECKED)
def test_all_of_scikit_learns_checks_pass(results_of_checks, code):
    count, failed = results_of_checks[code]

    assert failed == []
    assert count >= 50


# --- Guarantees -----------------------------------------------------------------------------------

PURE_MECHANISMS = ("published", "functional", "output")
GUARANTEED = [
    *(
        make_logistic(steps=steps, adjacency=str(adjacency))
        for steps in (1, 30)
        for adjacency in Adjacency
    ),
    *(make_linear(mechanism=name) for name in REGRESSIONS),
    *(
        make_sparse(noise=noise, adjacency=str(adjacency))
        for noise in frank_wolfe.NOISES
        for adjacency in Adjacency
    ),
]
each_guaranteed = pytest.mark.parametrize("model", GUARANTEED, ids=str)


@each_guaranteed
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0, 150.0])
def test_the_guarantee_is_the_claim_and_never_more(model, epsilon):
    fitted = clone(model).set_params(epsilon=epsilon, delta=1e-6).fit(*simple_rows())

    guarantee = fitted.guarantee_
    assert epsilon * (1 - 1e-9) <= guarantee.epsilon <= epsilon
    assert guarantee.adjacency == getattr(model, "adjacency", Adjacency.REPLACE_ONE)
    assert guarantee.unit == "record"
    if getattr(model, "mechanism", None) in PURE_MECHANISMS:
        assert guarantee.delta == 0
    else:
        assert guarantee.delta == 1e-6


@pytest.mark.parametrize("mechanism", PURE_MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0, 150.0])
def test_the_parts_of_a_pure_guarantee_add_up_to_the_claim(mechanism, epsilon):
    model = make_linear(mechanism=mechanism, epsilon=epsilon, delta=1e-6)

    guarantee = model.fit(*simple_rows()).guarantee_

    composed = accountants.account(
        guarantee.event, delta=1e-6, adjacency=guarantee.adjacency, accountant="basic"
    )
    assert composed.epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
@pytest.mark.parametrize("clip_norm", [0.5, (0.5, 2.0)], ids=str)
@pytest.mark.parametrize(
    ("accountant", "basis"),
    [
        ("moments", accountants.BASES["moments"]),
        ("renyi", "RDP accountant (orders to 1,024)"),
        ("pld", accountants.BASES["pld"]),
    ],
)
def test_the_guarantee_of_a_network_is_the_claim_and_never_more(
    accountant, basis, clip_norm, epsilon
):
    model = DPNetworkClassifier(
        accountant=accountant, clip_norm=clip_norm, epsilon=epsilon, epochs=5, delta=1e-6
    )

    fitted = model.fit(*separated_rows())

    guarantee = fitted.guarantee_
    assert 0.999 * epsilon <= guarantee.epsilon <= epsilon
    assert guarantee.delta == 1e-6
    assert guarantee.adjacency == Adjacency.ADD_REMOVE
    assert guarantee.unit == "record"
    assert guarantee.basis == basis
    assert guarantee.event.event.rate == 64 / 200
    assert guarantee.event.count == fitted.n_iter_


@pytest.mark.parametrize(
    ("make", "unit", "fit_options"),
    [
        pytest.param(partial(make_logistic, adjacency="add/remove"), "rows", {}, id="logistic"),
        pytest.param(
            partial(make_logistic, adjacency="add/remove"),
            "people",
            {"groups": np.arange(100) // 2},
            id="logistic of people",
        ),
        pytest.param(make_network, "rows", {}, id="network"),
        pytest.param(partial(make_sparse, adjacency="add/remove"), "rows", {}, id="sparse"),
        pytest.param(
            partial(make_sparse, adjacency="add/remove", steps=None),
            "rows",
            {},
            id="sparse with the default steps",
        ),
    ],
)
def test_a_guarantee_under_add_remove_assumes_that_the_number_of_units_is_public(
    make, unit, fit_options
):
    guarantee = make().fit(*simple_rows(), **fit_options).guarantee_

    assert f"the number of {unit} is public" in guarantee.assumes


@pytest.mark.parametrize(
    "make", [make_logistic, make_linear, make_sparse], ids=["logistic", "linear", "sparse"]
)
def test_a_guarantee_under_replace_one_assumes_nothing_of_the_number_of_rows(make):
    guarantee = make().fit(*simple_rows()).guarantee_

    assert not any("number of" in assumption for assumption in guarantee.assumes)


# --- Norms of rows --------------------------------------------------------------------------------


@each_classifier
def test_a_longer_row_counts_as_one_of_the_declared_norm(make):
    X, y = separated_rows()
    direction = X[0] / np.linalg.norm(X[0])

    def weights_with_length(length: float) -> np.ndarray:
        """Set the length of the first row, and return the weights of a new fit."""
        X[0] = length * direction
        return weights_of(make(data_norm=2.0, random_state=0).fit(X, y))

    at_the_norm = weights_with_length(2.0)
    np.testing.assert_allclose(weights_with_length(2e3), at_the_norm, rtol=ROUNDING)
    np.testing.assert_allclose(weights_with_length(2e9), at_the_norm, rtol=ROUNDING)
    # A shorter row keeps its length.
    assert np.abs(weights_with_length(1.9) - at_the_norm).max() > 1e-7


@each_classifier
def test_the_unit_of_the_inputs_changes_nothing(make):
    X, y = separated_rows()

    in_metres = make(data_norm=1.0, random_state=1).fit(X, y)
    in_millimetres = make(data_norm=1000.0, random_state=1).fit(1000 * X, y)

    np.testing.assert_allclose(
        in_metres.decision_function(X), in_millimetres.decision_function(1000 * X), rtol=ROUNDING
    )


# --- Ends of numbers ------------------------------------------------------------------------------


@each_estimator
@pytest.mark.parametrize("epsilon", [1e-300, 5e-324, 1e16, 1e300], ids=str)
def test_an_epsilon_that_noise_cannot_be_calibrated_to_is_refused_by_name(make, epsilon):
    with pytest.raises(check.RefusedError, match=r"^epsilon is .* from 1e-12 to 1e\+12$"):
        make(epsilon=epsilon).fit(*simple_rows())


@each_estimator
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1e6], ids=str)
def test_the_smallest_and_large_epsilons_are_kept(make, epsilon):
    guarantee = make(epsilon=epsilon).fit(*simple_rows()).guarantee_

    # Next to delta such an epsilon is lost in the rounding of delta, which is to the safe side.
    assert 0 <= guarantee.epsilon <= epsilon * 1.001


@each_estimator
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64])
def test_a_number_of_any_precision_is_counted_in_double_precision(make, kind):
    of_kind = make(epsilon=kind(1), random_state=0).fit(*simple_rows())
    of_float = make(epsilon=1.0, random_state=0).fit(*simple_rows())

    assert of_kind.guarantee_ == of_float.guarantee_
    assert type(of_kind.guarantee_.epsilon) is float
    np.testing.assert_array_equal(weights_of(of_kind), weights_of(of_float))


@each_estimator
def test_a_delta_that_no_accountant_resolves_is_refused_by_name(make):
    message = r"^delta is 5e-324, but must be at least 1e-300$"

    with pytest.raises(check.RefusedError, match=message):
        make(delta=5e-324).fit(*simple_rows())


@each_classifier
@pytest.mark.parametrize("value", [1e300, 1e-300], ids=str)
@pytest.mark.parametrize("name", ["clip_norm", "learning_rate"])
def test_a_clipping_norm_or_learning_rate_whose_square_is_no_float_is_refused(make, name, value):
    with pytest.raises(check.RefusedError, match=rf"^{name} is .* from 1e-100 to 1e\+100$"):
        make(**{name: value}).fit(*simple_rows())


def test_weights_of_a_network_that_overflow_are_refused():
    network = DPNetworkClassifier(clip_norm=1e100, learning_rate=1e100, epochs=2, random_state=0)

    with pytest.raises(check.RefusedError, match=r"^learning_rate is 1e\+100, .* stay finite"):
        network.fit(*simple_rows())
