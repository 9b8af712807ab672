"""Rules on the numbers of a sentence: what its pattern finds is what the result gives."""

import re
from collections.abc import Callable
from typing import Any

import pytest


def amount(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def says(*values: Callable[[Any], float], given: Callable[[Any], Any] = bool, rel: float = 0.006, within: float = 0.0):
    """Return a rule: the numbers said are these of the result, and it meets ``given``."""

    def holds(result: Any, match: re.Match) -> bool:
        wanted = pytest.approx([float(value(result)) for value in values], rel=rel, abs=within)
        return (given is bool or bool(given(result))) and [amount(one) for one in match.groups()] == wanted

    return holds


def percent(*shares: Callable[[Any], float], given: Callable[[Any], Any] = bool, within: float = 0.51):
    return says(*(lambda r, one=one: 100 * one(r) for one in shares), given=given, rel=0, within=within)


def counts(*values: Callable[[Any], int], given: Callable[[Any], Any] = bool):
    return says(*values, given=given, rel=1e-12)
