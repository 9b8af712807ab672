"""Adapt the texts on a guarantee after a search on private rows.

The tile, the verdict and the tab *Guarantee* follow the privacy label. It is void after a search,
or states the price of the best of several tries that takes the search's place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lab.experiment.settings import Settings
from lab.label.label import Stated, searched, why_void
from ui.charts import attacker_icons
from ui.text import labels
from ui.text.numbers import delta
from ui.text.texts import SAYS
from ui.text.tiles import Tile, attacker_tile, note, number


@dataclass(frozen=True)
class SearchedGuarantee:
    """The guarantee of a result whose rows were searched.

    Attributes:
        settings: The settings of the result.
        stated: What its privacy label states.
        why_void: Why nothing is guaranteed, or "".
        tries: The mean number of tries of which the best is released, 0 for one model.
    """

    settings: Settings
    stated: Stated
    why_void: str
    tries: int

    def tiles(self, tiles: Iterable[Tile]) -> list[Tile]:
        """Return a page's tiles with the attacker's as the label has it."""
        adapted = []
        for tile in tiles:
            if tile.label == SAYS["attacker.label"]:
                tile = self._attacker_tile(tile)
            adapted.append(tile)
        return adapted

    def _attacker_tile(self, tile: Tile) -> Tile:
        if self.why_void:
            return Tile(
                SAYS["attacker.void-label"], SAYS["attacker.void"], self.why_void, tone="void"
            )
        if self.tries:
            tile_of_tries = attacker_tile(self.stated.guarantee)
            return tile_of_tries._replace(note=SAYS("search.tile", tries=self.tries))
        return tile

    def verdict(self, verdict: str) -> str:
        """Return a page's verdict (HTML), followed by why nothing is guaranteed."""
        if not self.why_void:
            return verdict
        epsilon = number(vars(self.settings)["epsilon"])
        return f"{verdict} {SAYS('void.verdict', why=self.why_void, epsilon=epsilon)}"

    def guarantee(self, text: str) -> str:
        """Return the tab *Guarantee* (HTML), given its text for one model."""
        if self.why_void:
            return note(SAYS("search.void", why=self.why_void))
        guarantee = self.stated.guarantee
        if not self.tries or guarantee is None:
            return text
        price = SAYS(
            "search.counted",
            epsilon=number(guarantee.epsilon),
            delta=delta(guarantee.delta),
            tries=self.tries,
        )
        return attacker_icons.icons(guarantee) + note(price) + text


def guarantee_after_search(stated: Stated, result: Any, *, tries: int) -> SearchedGuarantee | None:
    """Return the guarantee of a result, or None if nothing was searched or ever guaranteed.

    Args:
        stated: What the page's label states of one model.
        result: The result.
        tries: As in ``SearchedGuarantee``.
    """
    settings = result.settings
    count = searched(settings)
    if count == 0 and tries == 0:
        return None
    if stated.guarantee is None or why_void(settings, stated):
        return None
    complete = labels.complete(stated, settings, tries=tries)
    reason = ""
    if why_void(settings, complete):
        reason = SAYS("search.why", count=count)
    return SearchedGuarantee(settings=settings, stated=complete, why_void=reason, tries=tries)
