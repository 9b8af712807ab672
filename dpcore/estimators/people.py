"""Number the persons of rows, who are identified by their names.

All spellings of one name are one person (``dpcore.normal_form``), so that nobody counts twice.
"""

from collections.abc import Hashable
from datetime import date
from numbers import Real
from typing import Any

import numpy as np

from dpcore import check
from dpcore.normal_form import normal_form

_MISSING = object()


def people_of(groups: Any, rows: int) -> np.ndarray:
    """Return the person (n,) of each row, numbered by first appearance.

    Rows without a name (None, NaN, and what stands for a missing value in pandas and numpy) are one
    person's. So are spellings with one normal form (see ``normal_form``).

    Raises:
        RefusedError: Unless each row has a name, and all names are of one type.
    """
    names = np.array(groups, dtype=object)
    if isinstance(groups, np.ma.MaskedArray):
        names[np.ma.getmaskarray(groups)] = None
    if names.shape != (rows,):
        raise check.RefusedError("groups", names.shape, f"whose row each of the {rows} is")
    numbers: dict[Hashable, int] = {}
    kinds = set()
    people = np.empty(rows, dtype=int)
    for row, name in enumerate(names):
        person = _MISSING
        if not _is_missing(name):
            kinds.add(_kind(name))
            person = _normal_form(name)
        people[row] = numbers.setdefault(person, len(numbers))
    if len(kinds) > 1:
        raise check.RefusedError(
            "groups", f"a mixture of {' and '.join(sorted(kinds))}", "names of one type"
        )
    return people


def _is_missing(name: Any) -> bool:
    """Return whether the name of a person is missing: None, blank or not equal to itself."""
    if name is None:
        return True
    if isinstance(name, str):
        return not name.strip()
    try:
        return bool(name != name)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor different
        return True


def _kind(name: Any) -> str:
    """Return the type of a name in words.

    Values of two types are never the same person.
    """
    if isinstance(name, str):
        return "words"
    if isinstance(name, bool | np.bool_):
        return "truth values"
    if isinstance(name, Real):
        return "numbers"
    if isinstance(name, date | np.datetime64):
        return "dates"
    if isinstance(name, Hashable):
        return f"values of type {type(name).__name__}"
    raise check.RefusedError("groups", name, "numbers, words or dates")


def _normal_form(name: Any) -> Hashable:
    """Return the form that all spellings of a name share; anything but text as it is."""
    if isinstance(name, str):
        return normal_form(name)
    return name
