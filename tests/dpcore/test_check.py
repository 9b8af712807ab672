"""Validators: what is allowed comes back as a plain number, what is not is refused by name and
range.
"""

import math
import re
from functools import partial

import numpy as np
import pytest

from dpcore import check

NOT_NUMBERS = [math.nan, math.inf, -math.inf, True, "1", None, 1j, [1]]
NO_ARRAYS = [
    [math.nan, 1],
    [1, math.inf],
    ["a", "b"],
    [True, False],
    [1j, 0],
    [None, 1],
    [[1], [2, 3]],
    "12",
]
FLOATS, INTS = [1, 0.5, 1e-300, np.float32(0.5), np.int64(3)], [1, 10, np.int64(7), np.uint8(2)]
OPEN, ABOVE = (
    partial(check.between, 0, 1, inclusive=False),
    partial(check.numbers, low=0, inclusive=False),
)
CHOICE = partial(check.choice, {"moons": 1, "iris": 2})
# Validator, what it allows and as what type, what it refuses, and with which words.
TABLE = {
    "positive": (
        check.positive,
        FLOATS,
        float,
        [0, -0.0, -3, *NOT_NUMBERS],
        "a finite number above 0",
    ),
    "at least": (
        partial(check.at_least, 0),
        [0, *FLOATS],
        float,
        [-1e-9, *NOT_NUMBERS],
        "a finite number, at least 0",
    ),
    "between": (
        partial(check.between, 0, 1),
        [0, 1, 0.5],
        float,
        [2, -1e-9, *NOT_NUMBERS],
        "a number from 0 to 1",
    ),
    "strictly": (
        OPEN,
        [0.5, 1e-9],
        float,
        [0, 1, *NOT_NUMBERS],
        "a number strictly between 0 and 1",
    ),
    "whole": (
        partial(check.whole, 1, 10),
        INTS,
        int,
        [0, 11, 2.0, *NOT_NUMBERS],
        "a whole number from 1 to 10",
    ),
    "whole, no end": (partial(check.whole, 1), [1, 10**30], int, [0], "a whole number, at least 1"),
    "flag": (check.flag, [True, False, np.True_], bool, [0, 1, "True", None], "True or False"),
    "choice": (
        CHOICE,
        ["moons", "iris"],
        str,
        ["mars", "", None, 3, ["moons"]],
        "one of: moons, iris",
    ),
    "numbers": (
        partial(check.numbers, (2,), (3, 2)),
        [[0, 1], np.array([0, 1], np.uint8), np.array([0, 1], np.float32), np.zeros((3, 2))],
        np.ndarray,
        [*NO_ARRAYS, [1], [[1, 2]], 1.0],
        "finite numbers of shape (2,) or (3, 2)",
    ),
    "numbers, at least": (
        partial(check.numbers, low=0),
        [[0.0, 1.0]],
        np.ndarray,
        [[-1.0, 0.0]],
        "at least 0",
    ),
    "numbers, above": (ABOVE, [[0.1, 1.0], 1], np.ndarray, [[-1.0, 0.0], [0.0, 1.0], 0], "above 0"),
    "wholes": (
        partial(check.wholes, (2,), low=0, high=2),
        [[0, 2], np.array([0, 2], np.uint8), range(0, 3, 2)],
        np.ndarray,
        [*NO_ARRAYS, [0.0, 1.0], [-1, 0], [0, 3], [[0, 1]]],
        "whole numbers of shape (2,) from 0 to 2",
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_plain_value_comes_back_or_is_refused_by_name_and_range(name):
    validator, allowed, kind, refused, words = TABLE[name]
    for value in allowed:
        found = validator(epsilon=value)
        assert type(found) is kind
        assert np.array_equal(found, value)
    for value in refused:
        with pytest.raises(
            check.RefusedError, match=rf"^epsilon is .*, but must be .*{re.escape(words)}$"
        ) as caught:
            validator(epsilon=value)
        assert caught.value.name == "epsilon"
        assert caught.value.allowed.endswith(words)


def test_arrays_come_back_as_floats_or_ints_and_a_refusal_says_what_it_saw():
    assert check.numbers(x=np.array([0, 1], np.uint8)).dtype == float
    assert (1 - 2 * check.wholes(low=0, high=2, y=np.array([0, 2], np.uint8))).tolist() == [1, -3]
    assert check.wholes(low=0, draws=[]).dtype == int
    for value, said in (
        ([-1.0, 0.0], "'-1..0'"),
        ([math.nan, 1], "'not finite'"),
        (["a"], "dtype"),
    ):
        with pytest.raises(check.RefusedError, match=f"^sd is {said}"):
            check.numbers(low=0, sd=value)
    with pytest.raises(
        check.RefusedError, match=r"^X is \(1, 2\), but must be \(n, 3\) with the n = 1 rows of y"
    ):
        check.rows([[0.5, 1.0]], [0], columns=3)
