"""Estimators refuse parameters out of range, by name."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from dpcore import check
from dpcore.estimators.linear import DPLinearRegression
from tests.estimator_makers import (
    make_linear,
    make_logistic,
    make_network,
    make_sparse,
    simple_rows,
)

# Numpy's global generator, which any other code can seed, is among them.
RANDOM_STATES = ("seed", -1, 0.5, True, 2**32, 10**400, [1, 2], np.random, np.random.mtrand._rand)
CLASSES = (3, "ab", ["a"], ["a", "a", "b"], ["a", 1], [0.0, np.nan], [None, "a"])
# Estimator -> (maker, parameter -> values that it refuses).
OUT_OF_RANGE = {
    "logistic": (
        make_logistic,
        {
            "steps": (0, 1.5),
            "adjacency": ("both",),
            "average": ("half",),
            "clip_norm": (0,),
            "data_norm": (-1,),
            "classes": CLASSES,
        },
    ),
    "network": (
        make_network,
        {
            "delta": (0, 2),
            "data_norm": (-1,),
            "learning_rate": (0,),
            "decay": (2,),
            "epochs": (0,),
            "lot_size": (0,),
            "accountant": ("my own",),
            "hidden_layer_sizes": ((4, 0),),
            "classes": CLASSES,
            "clip_norm": (0, None, (1.0,) * 3),
        },
    ),
    "linear": (
        make_linear,
        {
            "mechanism": ("magic",),
            "data_bound": (-1,),
            "label_bound": (0,),
            "steps": (0,),
            "batches": (0, 101),
            "clip_norm": (0,),
            "radius": (0,),
            "delta": (0,),
        },
    ),
    "linear by default": (
        DPLinearRegression,
        {"share": (1,), "delta": (-0.1, 1)},
    ),
    "output perturbation": (
        partial(make_linear, mechanism="output"),
        {"radius": (0,), "penalty": (-1,)},
    ),
    "sparse": (
        make_sparse,
        {
            "residual_bound": (0,),
            "data_bound": (0,),
            "steps": (0,),
            "radius": (-1,),
            "penalty": (-0.1,),
            "delta": (0,),
            "q": ("0",),
            "noise": ("normal",),
            "adjacency": ("both",),
        },
    ),
}
FOR_ALL = {"epsilon": (0, -1), "random_state": RANDOM_STATES}


def out_of_range_cases() -> list[Any]:
    """Return a case (maker, parameter, value) for each refused value."""
    cases = []
    for estimator, (make, refused) in OUT_OF_RANGE.items():
        for name, values in {**FOR_ALL, **refused}.items():
            for index, value in enumerate(values):
                cases.append(pytest.param(make, name, value, id=f"{estimator} {name} {index}"))
    return cases


@pytest.mark.parametrize(("make", "name", "value"), out_of_range_cases())
def test_a_parameter_out_of_range_is_refused_by_name(make, name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        make(**{name: value}).fit(*simple_rows())


STARTS = [
    (
        make_logistic,
        "coef_init",
        ([[np.nan, 0.0]], [[1.0]], [1.0, 2.0], [["a", "b"]], [[True, False]], [[1.0], [2.0, 3.0]]),
    ),
    (make_logistic, "intercept_init", ([np.nan], [1.0, 2.0], 0.0, ["a"], [True])),
    (make_sparse, "centre", ([np.inf, 0.0], [1.0], [[1.0, 2.0]], ["a", "b"], [True, False])),
]


@pytest.mark.parametrize(
    ("make", "name", "start"),
    [
        pytest.param(make, name, start, id=f"{name} {start}")
        for make, name, starts in STARTS
        for start in starts
    ],
)
def test_a_public_start_out_of_range_is_refused_by_name(make, name, start):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        make().fit(*simple_rows(), **{name: start})


NUMBERS = {
    make_logistic: "epsilon delta clip_norm data_norm steps learning_rate",
    make_network: (
        "epsilon delta clip_norm data_norm learning_rate decay epochs lot_size hidden_layer_sizes"
    ),
    make_linear: "epsilon delta data_bound label_bound radius steps clip_norm",
    make_sparse: "epsilon delta radius residual_bound data_bound steps",
}


@pytest.mark.parametrize(
    "value", [True, np.True_, "1", np.nan, np.inf, 10**400, [1.0], 1j], ids=lambda v: repr(v)[:9]
)
@pytest.mark.parametrize(
    ("make", "name"),
    [(make, name) for make, names in NUMBERS.items() for name in names.split()],
)
def test_a_value_that_is_no_number_is_refused_by_name(make, name, value):
    # To a cache, True is 1.
    make(epsilon=1.0).fit(*simple_rows())

    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        make(**{name: value}).fit(*simple_rows())
