"""Validators return an allowed value as a plain number, and refuse others by name and range."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

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
FLOATS = [1, 0.5, 1e-300, np.float32(0.5), np.int64(3)]
INTS = [1, 10, np.int64(7), np.uint8(2)]


@dataclass(frozen=True, kw_only=True)
class Validator:
    """A validator of one keyword argument, and what it does.

    Attributes:
        validate: The validator.
        allowed: Values that it returns.
        kind: Type of what it returns.
        refused: Values that it refuses.
        words: End of the message, which says what is allowed.
    """

    validate: Callable[..., Any]
    allowed: list[Any]
    kind: type
    refused: list[Any]
    words: str


VALIDATORS = {
    "positive": Validator(
        validate=check.positive,
        allowed=FLOATS,
        kind=float,
        refused=[0, -0.0, -3, *NOT_NUMBERS],
        words="a finite number above 0",
    ),
    "at_least": Validator(
        validate=partial(check.at_least, 0),
        allowed=[0, *FLOATS],
        kind=float,
        refused=[-1e-9, *NOT_NUMBERS],
        words="a finite number, at least 0",
    ),
    "between": Validator(
        validate=partial(check.between, 0, 1),
        allowed=[0, 1, 0.5],
        kind=float,
        refused=[2, -1e-9, *NOT_NUMBERS],
        words="a number from 0 to 1",
    ),
    "strictly between": Validator(
        validate=partial(check.between, 0, 1, inclusive=False),
        allowed=[0.5, 1e-9],
        kind=float,
        refused=[0, 1, *NOT_NUMBERS],
        words="a number strictly between 0 and 1",
    ),
    "whole": Validator(
        validate=partial(check.whole, 1, 10),
        allowed=INTS,
        kind=int,
        refused=[0, 11, 2.0, *NOT_NUMBERS],
        words="a whole number from 1 to 10",
    ),
    "whole without an end": Validator(
        validate=partial(check.whole, 1),
        allowed=[1, 10**30],
        kind=int,
        refused=[0],
        words="a whole number, at least 1",
    ),
    "flag": Validator(
        validate=check.flag,
        allowed=[True, False, np.True_],
        kind=bool,
        refused=[0, 1, "True", None],
        words="True or False",
    ),
    "choice": Validator(
        validate=partial(check.choice, {"moons": 1, "iris": 2}),
        allowed=["moons", "iris"],
        kind=str,
        refused=["mars", "", None, 3, ["moons"]],
        words="one of: moons, iris",
    ),
    "numbers": Validator(
        validate=partial(check.numbers, (2,), (3, 2)),
        allowed=[
            [0, 1],
            np.array([0, 1], np.uint8),
            np.array([0, 1], np.float32),
            np.zeros((3, 2)),
        ],
        kind=np.ndarray,
        refused=[*NO_ARRAYS, [1], [[1, 2]], 1.0],
        words="finite numbers of shape (2,) or (3, 2)",
    ),
    "numbers at least": Validator(
        validate=partial(check.numbers, low=0),
        allowed=[[0.0, 1.0]],
        kind=np.ndarray,
        refused=[[-1.0, 0.0]],
        words="at least 0",
    ),
    "numbers above": Validator(
        validate=partial(check.numbers, low=0, inclusive=False),
        allowed=[[0.1, 1.0], 1],
        kind=np.ndarray,
        refused=[[-1.0, 0.0], [0.0, 1.0], 0],
        words="above 0",
    ),
    "wholes": Validator(
        validate=partial(check.wholes, (2,), low=0, high=2),
        allowed=[[0, 2], np.array([0, 2], np.uint8), range(0, 3, 2)],
        kind=np.ndarray,
        refused=[*NO_ARRAYS, [0.0, 1.0], [-1, 0], [0, 3], [[0, 1]]],
        words="whole numbers of shape (2,) from 0 to 2",
    ),
}


def cases(values: str) -> list[Any]:
    """Return a case (validator, value) for each value in the field ``values`` of each validator."""
    found = []
    for name, validator in VALIDATORS.items():
        for index, value in enumerate(getattr(validator, values)):
            found.append(pytest.param(validator, value, id=f"{name} {index} {value!r:.20}"))
    return found


@pytest.mark.parametrize(("validator", "value"), cases("allowed"))
def test_an_allowed_value_comes_back_as_a_plain_value(validator, value):
    returned = validator.validate(epsilon=value)

    assert type(returned) is validator.kind
    assert np.array_equal(returned, value)


@pytest.mark.parametrize(("validator", "value"), cases("refused"))
def test_another_value_is_refused_by_name_and_range(validator, value):
    message = rf"^epsilon is .*, but must be .*{re.escape(validator.words)}$"

    with pytest.raises(check.RefusedError, match=message) as caught:
        validator.validate(epsilon=value)

    assert caught.value.name == "epsilon"
    assert caught.value.allowed.endswith(validator.words)


def test_numbers_come_back_as_floats():
    numbers = check.numbers(x=np.array([0, 1], np.uint8))

    assert numbers.dtype == float


def test_whole_numbers_come_back_as_signed_integers():
    wholes = check.wholes(low=0, high=2, y=np.array([0, 2], np.uint8))

    assert (1 - 2 * wholes).tolist() == [1, -3]


def test_no_whole_numbers_are_integers_too():
    assert check.wholes(low=0, draws=[]).dtype == int


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        pytest.param([-1.0, 0.0], "'-1..0'", id="the range of numbers"),
        pytest.param([math.nan, 1], "'not finite'", id="numbers that are not finite"),
        pytest.param(["a"], "dtype", id="an array of something else"),
    ],
)
def test_a_refusal_of_an_array_says_what_is_wrong_with_it(value, seen):
    with pytest.raises(check.RefusedError, match=f"^sd is {seen}"):
        check.numbers(low=0, sd=value)


def test_a_refusal_of_rows_says_how_many_columns_and_rows_are_needed():
    message = r"^X is \(1, 2\), but must be \(n, 3\) with the n = 1 rows of y"

    with pytest.raises(check.RefusedError, match=message):
        check.rows([[0.5, 1.0]], [0], columns=3)


def test_a_delta_that_rounds_to_1_is_refused_for_being_too_large():
    delta = 1 - Fraction(1, 10**30)

    with pytest.raises(check.RefusedError, match="must be a number strictly between 0 and 1$"):
        check.delta(delta=delta)
