"""The best attacker as two rows of a hundred people, so that their errors can be counted."""

import math
from pathlib import Path
from typing import Any

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee
from lab.label.label import Stated
from ui.charts import theme
from ui.text.texts import SAYS

RULES = Path(__file__).with_suffix(".css")
# By unit, under replace-one: the data with you, those without you, and what the attacker says of
# the former.
_REPLACED = {
    "record": ("with your row", "with another row in its place"),
    "person": ("with your rows", "with another person's rows in their place"),
    "party": ("with your party", "with another party in its place"),
}


def correct_of_hundred(right: float) -> int:
    """Return how many of a hundred the attacker is right about, rounded up so that none of them is
    missing.
    """
    return min(100, math.ceil(100 * right - 1e-6))


def icons_of_label(said: Stated, result: Any) -> str:
    """Return the drawing for what a page's label states, or nothing where that does not hold."""
    return (
        "" if said.guarantee is None or said.void or result.settings.void else icons(said.guarantee)
    )


def icons(held: Guarantee) -> str:
    """Return the drawing (HTML) of the best attacker against a guarantee.

    The two rows are the point of the trade-off curve where both errors are equal, (1 + TV)/2 and (1
    - TV)/2 for the best attacker of a symmetric curve, and bounds on both for any other.
    """
    many = correct_of_hundred(best_attacker(held).right)
    if held.adjacency is Adjacency.ADD_REMOVE:
        with_you, without_you, word = "with you", "without you", "in"
    else:
        with_you, without_you, word = *_REPLACED.get(held.unit, _REPLACED["record"]), "yours"
    said = {
        "with_you": with_you,
        "without_you": without_you,
        "word": word,
        "many": many,
        "few": 100 - many,
    }
    errors = "errors" if many < 100 else "no-errors"
    return (
        '<div class="lab-hundred">'
        f"<p>{SAYS('hundred.with', **said)}</p>"
        f"{_row(many, theme.WITH_YOU)}"
        f"<p>{SAYS('hundred.without', **said)}</p>"
        f"{_row(100 - many, theme.WITHOUT_YOU)}"
        f"<small>{SAYS(f'hundred.{errors}', **said)}</small></div>"
    )


def _row(many: int, colour: str) -> str:
    """Draw a hundred people, of whom the first ``many`` are filled.

    The sentence over them says the same.
    """
    return (
        '<div aria-hidden="true"'
        f' style="color:{colour}">{"<i></i>" * many}<s>{"<i></i>" * (100 - many)}</s></div>'
    )
