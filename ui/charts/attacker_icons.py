"""The best attacker as two rows of a hundred people, so that their errors can be counted."""

import math
from pathlib import Path

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee
from lab.experiment.settings import Settings
from lab.label.label import Stated
from ui.charts import theme
from ui.text.texts import SAYS

RULES = Path(__file__).with_suffix(".css")
_PEOPLE = 100
# So much above a whole number is a rounding error, and is not rounded up.
_ROUNDING_ERROR = 1e-6
# Unit of privacy -> the names of two data sets that differ in one unit replaced.
_REPLACED = {
    "record": ("with your row", "with another row in its place"),
    "person": ("with your rows", "with another person's rows in their place"),
    "party": ("with your party", "with another party in its place"),
}


def correct_of_hundred(accuracy: float) -> int:
    """Return how many of a hundred people the attacker is right about, rounded up."""
    return min(_PEOPLE, math.ceil(_PEOPLE * accuracy - _ROUNDING_ERROR))


def icons_of_label(stated: Stated, settings: Settings) -> str:
    """Return the icons of the guarantee that a label states; "" where nothing is guaranteed.

    Args:
        stated: What the label states of a result. It may void the guarantee, as may the settings.
        settings: The settings of that result.
    """
    if stated.guarantee is None or stated.void or settings.void:
        return ""
    return icons(stated.guarantee)


def icons(guarantee: Guarantee) -> str:
    """Draw the best attacker against a guarantee (HTML).

    The two rows are the point of the trade-off curve where both errors are equal: (1 + TV)/2 and
    (1 - TV)/2 for the best attacker of a symmetric curve, and bounds on both for any other.
    """
    correct = correct_of_hundred(best_attacker(guarantee).right)
    if guarantee.adjacency is Adjacency.ADD_REMOVE:
        with_you = "with you"
        without_you = "without you"
        answer = "in"
    else:
        with_you, without_you = _REPLACED.get(guarantee.unit, _REPLACED["record"])
        answer = "yours"
    holes = {
        "with_you": with_you,
        "without_you": without_you,
        "word": answer,
        "many": correct,
        "few": _PEOPLE - correct,
    }
    errors = "no-errors"
    if correct < _PEOPLE:
        errors = "errors"
    return (
        '<div class="lab-hundred">'
        f"<p>{SAYS('hundred.with', **holes)}</p>"
        f"{_people_row(correct, theme.WITH_YOU)}"
        f"<p>{SAYS('hundred.without', **holes)}</p>"
        f"{_people_row(_PEOPLE - correct, theme.WITHOUT_YOU)}"
        f"<small>{SAYS(f'hundred.{errors}', **holes)}</small></div>"
    )


def _people_row(filled: int, colour: str) -> str:
    """Draw a hundred people, of whom the first ``filled`` are filled (HTML).

    It is hidden from screen readers, as the sentence above it says the same.
    """
    person = "<i></i>"
    return (
        f'<div aria-hidden="true" style="color:{colour}">'
        f"{person * filled}<s>{person * (_PEOPLE - filled)}</s></div>"
    )
