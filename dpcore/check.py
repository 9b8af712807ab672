"""Validators that name the argument, its value and what is allowed.

Each takes the argument by keyword, ``positive(epsilon=epsilon)``, and returns the value as it may be used.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any


class RefusedError(ValueError):
    """A value that is outside of what an argument allows.

    Attributes: ``name`` of the argument, ``value`` as given, ``allowed`` in words.
    """

    def __init__(self, name: str, value: object, allowed: str):
        self.name, self.value, self.allowed = name, value, allowed
        super().__init__(f"{name} is {value!r}, but must be {allowed}")


def _single(named: dict[str, Any]) -> tuple[str, Any]:
    ((name, value),) = named.items()
    return name, value


def _finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def positive(**named: Any) -> float:
    """A finite number above 0.

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


def between(low: float, high: float, *, inclusive: bool = True, **named: Any) -> float:
    """A finite number from ``low`` to ``high``; strictly between them with ``inclusive=False``.

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
    """A whole number of at least ``low`` and, where given, at most ``high``.

    >>> whole(1, 10, steps=2.5)
    Traceback (most recent call last):
    dpcore.check.RefusedError: steps is 2.5, but must be a whole number from 1 to 10
    """
    name, value = _single(named)
    integral = isinstance(value, Integral) and not isinstance(value, bool)
    if not integral or value < low or (high is not None and value > high):
        allowed = f"a whole number from {low} to {high}" if high is not None else f"a whole number, at least {low}"
        raise RefusedError(name, value, allowed)
    return int(value)


def choice(options: Collection[str], **named: Any) -> str:
    """One of ``options``.

    >>> choice(["moons", "iris"], dataset="mars")
    Traceback (most recent call last):
    dpcore.check.RefusedError: dataset is 'mars', but must be one of: moons, iris
    """
    name, value = _single(named)
    if value not in list(options):
        raise RefusedError(name, value, f"one of: {', '.join(options)}")
    return value
