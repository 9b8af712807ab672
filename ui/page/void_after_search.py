"""Adapt the texts on a guarantee that a search on private rows has voided.

The tile, the verdict and the tab *Guarantee* then follow the privacy label.
"""

from collections.abc import Callable, Iterable
from typing import Any

from lab.label.label import Stated, searched, why_void
from ui.text import guarantee_notes, labels
from ui.text.texts import SAYS
from ui.text.tiles import Tile, note, number


def why_void_after_search(stated: Stated, result: Any) -> str:
    """Return why a search voids the guarantee of a result; "" if none does.

    Args:
        stated: What the page's label states of the result.
        result: The result.
    """
    settings = result.settings
    count = searched(settings)
    if count == 0 or stated.guarantee is None or why_void(settings, stated):
        return ""
    if not why_void(settings, labels.complete(stated, settings)):
        return ""
    return SAYS("search.why", count=count)


def void_tiles(tiles: Iterable[Tile], reason: str) -> list[Tile]:
    """Return a page's tiles, in which the attacker's accuracy has no bound."""
    adapted = []
    for tile in tiles:
        if tile.label == SAYS["attacker.label"]:
            tile = guarantee_notes.void_attacker_tile(reason)
        adapted.append(tile)
    return adapted


def void_texts(
    texts: dict[str, Callable[[Any], str]], reason: str
) -> dict[str, Callable[[Any], str]]:
    """Return a page's functions of texts, with verdict and guarantee as the label has them."""
    verdict = texts["verdict"]

    def void_verdict(result: Any) -> str:
        epsilon = number(result.settings.epsilon)
        return f"{verdict(result)} {SAYS('void.verdict', why=reason, epsilon=epsilon)}"

    adapted = {**texts, "verdict": void_verdict}
    if "guarantee" in texts:
        adapted["guarantee"] = lambda _: note(SAYS("search.void", why=reason))
    return adapted
