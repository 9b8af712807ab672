"""What a search on private rows makes of a result's guarantee, for the tile, the verdict and the
tab *Guarantee*.

They follow the privacy label: void after a search, or the price of the best of several tries that
takes its place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lab.experiment.settings import Settings
from lab.label.label import Stated, searched, why_void
from ui.charts import attacker_icons
from ui.text import labels, tiles
from ui.text.numbers import delta
from ui.text.texts import SAYS
from ui.text.tiles import Tile, number


@dataclass(frozen=True)
class Released:
    """What a label states of a result whose rows were searched.

    why: why nothing is guaranteed, or "". tries: the mean number of tries whose best is released, 0
    for one model.
    """

    settings: Settings
    stated: Stated
    why: str
    tries: int

    def numbers(self, numbers: Iterable[Tile]) -> list[Tile]:
        """Return the big numbers, with the attacker's as the label has it."""
        return [
            self._attacker(one) if one.label == SAYS["attacker.label"] else one for one in numbers
        ]

    def _attacker(self, one: Tile) -> Tile:
        if self.why:
            return Tile(SAYS["attacker.void-label"], SAYS["attacker.void"], self.why, tone="void")
        if self.tries:
            return tiles.attacker_tile(self.stated.guarantee)._replace(
                note=SAYS("search.tile", tries=self.tries)
            )
        return one

    def verdict(self, said: str) -> str:
        """Return a page's verdict (HTML), with why nothing holds behind it."""
        if not self.why:
            return said
        return (
            f"{said}"
            f" {SAYS('void.verdict', why=self.why, epsilon=number(vars(self.settings)['epsilon']))}"
        )

    def guarantee(self, said: str) -> str:
        """Return the tab *Guarantee* (HTML); ``said``: what a page says there of one model."""
        if self.why:
            return tiles.note(SAYS("search.void", why=self.why))
        guarantee = self.stated.guarantee
        if not self.tries or guarantee is None:
            return said
        price = {
            "epsilon": number(guarantee.epsilon),
            "delta": delta(guarantee.delta),
            "tries": self.tries,
        }
        return attacker_icons.icons(guarantee) + tiles.note(SAYS("search.counted", **price)) + said


def of(stated: Stated, result: Any, *, tries: int) -> Released | None:
    """Return what is released of a result; None where nothing was searched, or nothing is
    guaranteed anyway.

    stated: what the page's label says of one model.
    """
    settings = result.settings
    count = searched(settings)
    if not (count or tries) or why_void(settings, stated) or stated.guarantee is None:
        return None
    whole = labels.complete(stated, settings, tries=tries)
    why = SAYS("search.why", count=count) if why_void(settings, whole) else ""
    return Released(settings=settings, stated=whole, why=why, tries=tries)
