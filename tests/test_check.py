"""Validators: what is allowed comes back as a plain number, what is not is refused by name and range."""

import math

import numpy as np
import pytest

from dpcore import check

NOT_NUMBERS = [math.nan, math.inf, -math.inf, True, "1", None, 1j, [1]]


@pytest.mark.parametrize("value", [1, 0.5, 1e-300, np.float32(0.5), np.int64(3)])
def test_positive_returns_a_float(value):
    found = check.positive(epsilon=value)
    assert type(found) is float
    assert found == value


@pytest.mark.parametrize("value", [0, -0.0, -3, *NOT_NUMBERS], ids=repr)
def test_positive_refuses(value):
    with pytest.raises(check.RefusedError, match="^epsilon is .*, but must be a finite number above 0$"):
        check.positive(epsilon=value)


@pytest.mark.parametrize(
    ("value", "inclusive", "good"),
    [(0, True, True), (1, True, True), (0, False, False), (1, False, False), (0.5, False, True), (2, True, False)],
)
def test_between_keeps_or_refuses_its_ends(value, inclusive, good):
    if good:
        assert check.between(0, 1, inclusive=inclusive, delta=value) == value
    else:
        with pytest.raises(check.RefusedError, match=f"^delta is {value}, but must be a number .*0.*1$"):
            check.between(0, 1, inclusive=inclusive, delta=value)


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_between_refuses_what_is_not_a_finite_number(value, inclusive):
    with pytest.raises(check.RefusedError, match="^delta is"):
        check.between(-1e9, 1e9, inclusive=inclusive, delta=value)


@pytest.mark.parametrize("value", [1, 10, np.int64(7), np.uint8(2)])
def test_whole_returns_an_int(value):
    found = check.whole(1, 10, steps=value)
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize("value", [0, 11, 2.0, np.float64(2), *NOT_NUMBERS], ids=repr)
def test_whole_refuses(value):
    with pytest.raises(check.RefusedError, match="^steps is .*, but must be a whole number from 1 to 10$"):
        check.whole(1, 10, steps=value)


def test_whole_without_an_upper_end():
    assert check.whole(1, steps=10**30) == 10**30
    with pytest.raises(check.RefusedError, match="a whole number, at least 1$"):
        check.whole(1, steps=0)


@pytest.mark.parametrize("value", [-1e-9, *NOT_NUMBERS], ids=repr)
def test_at_least_refuses(value):
    assert check.at_least(0, sd=np.float32(0)) == 0.0
    with pytest.raises(check.RefusedError, match="^sd is .*, but must be a finite number, at least 0$"):
        check.at_least(0, sd=value)


@pytest.mark.parametrize("value", [0, 1, "True", None], ids=repr)
def test_a_flag_is_true_or_false(value):
    assert check.flag(average=np.True_) is True
    with pytest.raises(check.RefusedError, match="^average is .*, but must be True or False$"):
        check.flag(average=value)


NO_ARRAYS_OF_NUMBERS = [
    [math.nan, 1],
    [1, math.inf],
    ["a", "b"],
    [True, False],
    [1j, 0],
    [None, 1],
    [[1], [2, 3]],
    "12",
]


@pytest.mark.parametrize("value", [*NO_ARRAYS_OF_NUMBERS, [1], [[1, 2]], 1.0], ids=repr)
def test_numbers_refuses(value):
    with pytest.raises(check.RefusedError, match="^start is .*, but must be finite numbers of shape \\(2,\\)$"):
        check.numbers((2,), start=value)


@pytest.mark.parametrize("value", [[0, 1], np.array([0, 1], np.uint8), np.array([0, 1], np.float32)], ids=repr)
def test_numbers_returns_floats(value):
    found = check.numbers((2,), (3, 2), start=value)
    assert (found.dtype, found.tolist()) == (float, [0.0, 1.0])


def test_numbers_keeps_or_refuses_its_end():
    assert check.numbers(low=0, sd=[0.0, 1.0]).tolist() == [0.0, 1.0]
    for inclusive, allowed in ((True, "at least 0"), (False, "above 0")):
        with pytest.raises(check.RefusedError, match=f"^sd is '-1..0', but must be finite numbers, {allowed}$"):
            check.numbers(low=0, inclusive=inclusive, sd=[-1.0, 0.0])
    with pytest.raises(check.RefusedError, match="^sd is 0, but"):
        check.numbers(low=0, inclusive=False, sd=0)


@pytest.mark.parametrize("value", [*NO_ARRAYS_OF_NUMBERS, [0.0, 1.0], [-1, 0], [0, 3], [[0, 1]]], ids=repr)
def test_wholes_refuses(value):
    with pytest.raises(check.RefusedError, match="^y is .*, but must be whole numbers of shape \\(2,\\) from 0 to 2$"):
        check.wholes((2,), low=0, high=2, y=value)


@pytest.mark.parametrize("value", [[0, 2], np.array([0, 2], np.uint8), range(0, 3, 2)], ids=repr)
def test_wholes_returns_ints_that_can_be_negated(value):
    found = check.wholes((2,), low=0, high=2, y=value)
    assert (1 - 2 * found).tolist() == [1, -3]
    assert check.wholes(low=0, draws=[]).dtype == int


@pytest.mark.parametrize("value", ["mars", "", "moo", None, 3, ["moons"]], ids=repr)
def test_choice_refuses_and_lists_the_options(value):
    with pytest.raises(check.RefusedError, match="but must be one of: moons, iris$"):
        check.choice({"moons": 1, "iris": 2}, dataset=value)


def test_a_refusal_is_a_value_error_that_carries_its_parts():
    with pytest.raises(ValueError, match="epsilon") as caught:
        check.positive(epsilon=-3)
    assert (caught.value.name, caught.value.value) == ("epsilon", -3)
    assert caught.value.allowed == "a finite number above 0"
