"""Texts of model inversion: how well reconstructions from released weights match the truth.

The planted record is one person's picture in the data, which no other row resembles.
"""

from pages.attack import texts_shared
from pages.attack.inversion.result import RECORD_MATCH, InversionResult
from pages.attack.texts_shared import best_attacker
from ui.text.texts import Texts
from ui.text.tiles import Tile

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")
# A reconstruction with this correlation can be read, and one with less than the second not even be
# recognised.
_READABLE = 0.7
_LOST = 0.3
# The classes stay if their correlation is above this part of the non-private one.
_STAYS = 0.7


def numbers(result: InversionResult) -> list[Tile]:
    """Return the tiles: correlation of the record, private and not, of classes, the attacker."""
    note = SAYS["tiles.note"]
    record = result.record_match
    classes = result.class_match
    private_tile = Tile(
        SAYS["tiles.private"],
        correlation_text(record.private),
        note,
        tone="private",
        amount=float(f"{record.private:.2f}"),
    )
    plain_tile = Tile(SAYS["tiles.plain"], correlation_text(record.plain), note)
    class_tile = Tile(
        SAYS["tiles.classes"],
        correlation_text(classes.private),
        SAYS("tiles.classes_note", correlation=correlation_text(classes.plain)),
    )
    return [private_tile, plain_tile, class_tile, best_attacker(result.settings)]


def correlation_text(correlation: float) -> str:
    """Return a number with two decimals and a true minus, but none before a zero."""
    size = f"{abs(correlation):.2f}"
    if correlation >= 0 or size == "0.00":
        return size
    return f"−{size}"


def verdict(result: InversionResult) -> str:
    """Return whether the record can be read, with and without privacy, and the classes."""
    record = result.record_match
    classes = result.class_match
    if record.private >= _READABLE:
        private_case = "readable"
    elif record.private > _LOST:
        private_case = "visible"
    else:
        private_case = "lost"
    plain_case = "plain_hard"
    if record.plain >= _READABLE:
        plain_case = "plain_clear"
    class_case = "fade"
    if classes.private > _STAYS * classes.plain:
        class_case = "stay"
    matches = result.private.match[RECORD_MATCH]
    match = SAYS(
        "verdict.match",
        median=correlation_text(record.private),
        low=correlation_text(float(matches.min())),
        high=correlation_text(float(matches.max())),
        runs=len(matches),
    )
    sentences = [
        SAYS(f"verdict.{private_case}", match=match),
        SAYS[f"verdict.{plain_case}"],
        SAYS[f"verdict.{class_case}"],
    ]
    return " ".join(sentences)


def diagnostics(result: InversionResult) -> list[str]:
    """Return why a class remains visible, and why a record does not."""
    plain = correlation_text(result.record_match.plain)
    return [SAYS["why.class"], SAYS("why.record", plain=plain)]


def guarantee(result: InversionResult) -> str:
    """Return the guarantee, and what it says of the record and of the classes (HTML)."""
    return texts_shared.guarantee(result.settings, SAYS["guarantee"])
