"""Validators whose errors name the argument, its value and the allowed values.

Each validator takes the argument by keyword, ``positive(epsilon=epsilon)``, and returns the
converted value.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

# Beyond these, the formulas for Gaussian noise lose too many digits.
EPSILONS = (1e-12, 1e12)
LEAST_DELTA = 1e-300
# More steps or tries than any computation has. Whole numbers beyond the range of a float cannot be
# counted.
MOST_STEPS = 10**15
_SQUARABLE = (1e-100, 1e100)


class RefusedError(ValueError):
    """Raised for a value that an argument does not allow.

    Attributes:
        name: Name of the argument.
        value: The value as given.
        allowed: The allowed values, in words.
    """

    def __init__(self, name: str, value: object, allowed: str):
        self.name = name
        self.value = value
        self.allowed = allowed
        super().__init__(f"{name} is {value!r}, but must be {allowed}")


def _single(named: dict[str, Any]) -> tuple[str, Any]:
    """Return (name, value) of the only keyword argument."""
    ((name, value),) = named.items()
    return name, value


def _finite(value: object) -> bool:
    """Return whether ``value`` is a finite real number, which a truth value is not."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # a whole number beyond the range of a float
        return False


def positive(**named: Any) -> float:
    """Return the argument as a float if it is a finite number above 0.

    >>> positive(epsilon=0.5)
    0.5
    >>> positive(epsilon=-3)
    Traceback (most recent call last):
    dpcore.check.RefusedError: epsilon is -3, but must be a finite number above 0
    """
    name, value = _single(named)
    if not (_finite(value) and value > 0):
        raise RefusedError(name, value, "a finite number above 0")
    return float(value)


def _positive_within(ends: tuple[float, float], named: dict[str, Any]) -> float:
    """Return the only keyword argument as a positive number within ``ends``."""
    value = positive(**named)
    low, high = ends
    if not low <= value <= high:
        raise RefusedError(*_single(named), f"a number from {low:g} to {high:g}")
    return value


def epsilon(**named: Any) -> float:
    """Return the argument as a float if it is an epsilon for which noise can be calibrated.

    >>> epsilon(epsilon=1e300)
    Traceback (most recent call last):
    dpcore.check.RefusedError: epsilon is 1e+300, but must be a number from 1e-12 to 1e+12
    """
    return _positive_within(EPSILONS, named)


def delta(**named: Any) -> float:
    """Return the argument as a float if it is a delta that floating-point accounting can resolve.

    >>> delta(delta=5e-324)
    Traceback (most recent call last):
    dpcore.check.RefusedError: delta is 5e-324, but must be at least 1e-300
    """
    name, value = _single(named)
    converted = between(0, 1, inclusive=False, **named)
    if converted < LEAST_DELTA:
        raise RefusedError(name, value, f"at least {LEAST_DELTA:g}")
    # An exact fraction just below 1 becomes the float 1.
    if converted == 1:
        raise RefusedError(name, value, "a number strictly between 0 and 1")
    return converted


def squarable(**named: Any) -> float:
    """Return the argument as a float if it is above 0 and can be squared and inverted.

    >>> squarable(noise_multiplier=1e-160)
    Traceback (most recent call last):
    dpcore.check.RefusedError: noise_multiplier is 1e-160, but must be a number from
    1e-100 to 1e+100
    """
    return _positive_within(_SQUARABLE, named)


def set_floats(owner: object, **converted: float) -> None:
    """Set fields of a frozen dataclass to the floats that a validator returned.

    Whole numbers stay. A number of lower precision, such as ``numpy.float32``, would round all that
    is computed from it.
    """
    for name, value in converted.items():
        if type(getattr(owner, name)) is not int:
            object.__setattr__(owner, name, value)


def at_least(low: float, **named: Any) -> float:
    """Return the argument as a float if it is a finite number of at least ``low``.

    >>> at_least(0, noise_multiplier=True)
    Traceback (most recent call last):
    dpcore.check.RefusedError: noise_multiplier is True, but must be a finite number, at least 0
    """
    name, value = _single(named)
    if not (_finite(value) and value >= low):
        raise RefusedError(name, value, f"a finite number, at least {low:g}")
    return float(value)


def between(low: float, high: float, *, inclusive: bool = True, **named: Any) -> float:
    """Return the argument as a float if it lies in [``low``, ``high``].

    inclusive: whether the ends themselves are allowed.

    >>> between(0, 1, inclusive=False, delta=1)
    Traceback (most recent call last):
    dpcore.check.RefusedError: delta is 1, but must be a number strictly between 0 and 1
    """
    name, value = _single(named)
    if inclusive and not (_finite(value) and low <= value <= high):
        raise RefusedError(name, value, f"a number from {low:g} to {high:g}")
    if not inclusive and not (_finite(value) and low < value < high):
        raise RefusedError(name, value, f"a number strictly between {low:g} and {high:g}")
    return float(value)


def whole(low: int, high: int | None = None, **named: Any) -> int:
    """Return the argument as an int if it is a whole number from ``low`` to ``high``.

    high: no limit if None.

    >>> whole(1, 10, steps=2.5)
    Traceback (most recent call last):
    dpcore.check.RefusedError: steps is 2.5, but must be a whole number from 1 to 10
    """
    name, value = _single(named)
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < low or (high is not None and value > high):
        allowed = f"a whole number, at least {low}"
        if high is not None:
            allowed = f"a whole number from {low} to {high}"
        raise RefusedError(name, value, allowed)
    return int(value)


def choice(options: Collection[object], **named: Any) -> str:
    """Return the argument if it is one of ``options``.

    >>> choice(["moons", "iris"], dataset="mars")
    Traceback (most recent call last):
    dpcore.check.RefusedError: dataset is 'mars', but must be one of: moons, iris
    """
    name, value = _single(named)
    if value not in list(options):
        raise RefusedError(name, value, f"one of: {', '.join(map(str, options))}")
    return value


def flag(**named: Any) -> bool:
    """Return the argument if it is True or False, not merely truthy or falsy.

    >>> flag(average="half")
    Traceback (most recent call last):
    dpcore.check.RefusedError: average is 'half', but must be True or False
    """
    name, value = _single(named)
    if not isinstance(value, bool | np.bool_):
        raise RefusedError(name, value, "True or False")
    return bool(value)


def numbers(
    *shapes: tuple[int, ...], low: float = -math.inf, inclusive: bool = True, **named: Any
) -> np.ndarray:
    """Return the argument as a float array if all its numbers are finite and large enough.

    shapes: the shapes that are allowed; any if none is given. They are at least ``low``, or above
    it if not ``inclusive``.

    >>> numbers((2,), (3, 2), start=[1.0, 2.0, 3.0])
    Traceback (most recent call last):
    dpcore.check.RefusedError: start is (3,), but must be finite numbers of shape (2,) or (3, 2)
    """
    name, value = _single(named)
    array = _array(value)
    if not _are_finite_numbers(array, shapes) or not _are_above(array, low, inclusive=inclusive):
        allowed = f"finite numbers{_shape_text(shapes)}"
        if low > -math.inf and inclusive:
            allowed += f", at least {low:g}"
        elif low > -math.inf:
            allowed += f", above {low:g}"
        raise RefusedError(name, _described(value, array, shapes), allowed)
    return array.astype(float, copy=False)


def _are_finite_numbers(array: np.ndarray, shapes: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether all values are finite numbers, in one of ``shapes`` if any is given."""
    if array.dtype.kind not in "iuf":
        return False
    if shapes and array.shape not in shapes:
        return False
    return bool(np.isfinite(array).all())


def _are_above(array: np.ndarray, low: float, *, inclusive: bool) -> bool:
    """Return whether all numbers are above ``low``, or at least ``low`` if it is included."""
    if inclusive:
        return bool((array >= low).all())
    return bool((array > low).all())


def wholes(*shapes: tuple[int, ...], low: int, high: int | None = None, **named: Any) -> np.ndarray:
    """Return the argument as an int array if all its entries are in [``low``, ``high``].

    shapes: the shapes that are allowed; any if none is given.

    >>> wholes(low=0, high=1, y=["a", "b"])
    Traceback (most recent call last):
    dpcore.check.RefusedError: y is dtype('<U1'), but must be whole numbers from 0 to 1
    """
    name, value = _single(named)
    array = _array(value)
    are_whole = array.dtype.kind in "iu" or not array.size
    has_shape = not shapes or array.shape in shapes
    is_valid = are_whole and has_shape and not (array < low).any()
    if is_valid and high is not None:
        is_valid = not (array > high).any()
    if not is_valid:
        allowed = f"whole numbers{_shape_text(shapes)}"
        if high is None:
            allowed += f", at least {low}"
        else:
            allowed += f" from {low} to {high}"
        raise RefusedError(name, _described(value, array, shapes), allowed)
    return array.astype(int, copy=False)


def rows(X: Any, y: Any, *, columns: int | None = None) -> np.ndarray:
    """Return X (n, p) as a float array if it is finite and has a row for each of ``y``.

    columns: p; any number of columns if None.

    >>> rows([[0.5, 1.0]], [0, 1])
    Traceback (most recent call last):
    dpcore.check.RefusedError: X is (1, 2), but must be (n, p) with the n = 2 rows of y,
    at least one
    """
    shape = np.shape(X)
    is_matrix = len(shape) == 2 and shape[0] > 0
    if not is_matrix or shape != (len(y), columns or shape[1]):
        allowed = f"(n, {columns or 'p'}) with the n = {len(y)} rows of y, at least one"
        raise RefusedError("X", shape, allowed)
    return numbers(X=X)


def _array(value: object) -> np.ndarray:
    """Return ``value`` as an array, or one of None if its rows have unequal lengths."""
    try:
        return np.asarray(value)
    except ValueError:  # rows of unequal length
        return np.asarray(None)


def _shape_text(shapes: tuple[tuple[int, ...], ...]) -> str:
    """Return the allowed shapes for an error message; "" if any is allowed."""
    if not shapes:
        return ""
    return f" of shape {' or '.join(map(str, shapes))}"


def _described(value: object, array: np.ndarray, shapes: tuple[tuple[int, ...], ...]) -> object:
    """Return what an error message shows of an array.

    It is the value itself if single, else the first of shape, dtype and range that is wrong.
    """
    if array.ndim == 0 or array.dtype.kind == "O":
        return value
    if shapes and array.shape not in shapes:
        return array.shape
    if array.dtype.kind not in "iuf":
        return array.dtype
    if not np.isfinite(array).all():
        return "not finite"
    return f"{array.min():g}..{array.max():g}"
