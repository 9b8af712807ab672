"""The success of a rare guess that a text states, for tests of what epsilon is said to mean."""

import re

from dpcore.accountants.attacker import largest_success
from dpcore.privacy import Guarantee
from tests.sentences import plain

_ODDS = re.compile(r"right 1 time in 100 .*?\b1 (?:time )?in (\d+)")
_OFTEN = re.compile(r"right 1 time in 100 .*?(\d+) (?:times )?in 100")
_CERTAIN = re.compile(r"right 1 time in 100 may become right practically every time")
# Rounded readings of a success are so close to it at most.
_CLOSE = 1e-6


def states_rare_guess(text: str) -> bool:
    """Return whether a text (HTML) says what becomes of a rare guess."""
    return "right 1 time in 100" in plain(text)


def assert_rare_guess(text: str, guarantee: Guarantee) -> None:
    """Assert that the success stated in a text (HTML) is that under a guarantee, rounded up."""
    success = largest_success(guarantee, base_rate=0.01)
    stated = plain(text)
    if _CERTAIN.search(stated):
        assert success > 0.999
        return
    odds = _ODDS.search(stated)
    if odds:
        count = int(odds[1])
        assert 1 / (count + 1) < success <= 1 / count + _CLOSE
        return
    often = _OFTEN.search(stated)
    assert often, stated
    most = int(often[1])
    assert most - 1 < 100 * success <= most + _CLOSE
