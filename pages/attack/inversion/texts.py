"""Choose the texts of model inversion, with their numbers."""

from collections.abc import Callable
from typing import Any

from pages.attack.inversion.tasks import REPEATS as RETRIES
from pages.attack.inversion.tasks import InversionResult
from pages.attack.texts import SAYS, best_attacker, say, tabled
from ui.text.tiles import Tile, number

# A reconstruction of this correlation can be recognised; one below the second cannot.
_READABLE, _LOST = 0.7, 0.3


def numbers(result: InversionResult) -> list[Tile]:
    """Return the correlation of reconstruction and truth: of one person's record, and of what many
    share.
    """
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    tile, note = "inversion.tiles", SAYS["inversion.tiles.note"]
    return [
        Tile(SAYS[f"{tile}.private"], _alike(hidden), note, "private", float(f"{hidden:.2f}")),
        Tile(SAYS[f"{tile}.plain"], _alike(seen), note),
        Tile(
            SAYS[f"{tile}.classes"],
            _alike(private),
            SAYS(f"{tile}.classes_note", correlation=_alike(plain)),
        ),
        best_attacker(result.settings),
    ]


def _alike(correlation: float) -> str:
    """Return a number with a true minus, and none before a zero."""
    shown = f"{abs(correlation):.2f}"
    return shown if correlation >= 0 or shown == "0.00" else f"−{shown}"


def verdict(result: InversionResult) -> str:
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    cases = (
        "readable" if hidden >= _READABLE else "visible" if hidden > _LOST else "lost",
        "plain_clear" if seen >= _READABLE else "plain_hard",
        "stay" if private > _READABLE * plain else "fade",
    )
    return " ".join(say("inversion.verdict", cases))


def diagnostics(result: InversionResult) -> list[str]:
    return say("inversion.why", ("class", "record"), plain=_alike(result.match(1)[1]))


def table(result: InversionResult) -> str:
    now, columns = number(result.settings.epsilon), ("epsilon", "classes", "record")
    formats: dict[str, Callable[[Any], str]] = {
        "epsilon": number,
        "classes": _alike,
        "record": _alike,
    }
    return tabled(
        "inversion.table", result.table(), columns, formats=formats, mark=now, runs=RETRIES
    )
