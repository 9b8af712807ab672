"""Texts that all parts of the attack page share."""

from pages.attack.settings import AttackSettings
from ui.text import tiles
from ui.text.numbers import delta
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)


def budget(settings: AttackSettings) -> dict[str, str]:
    """Return epsilon and delta as text."""
    return {"epsilon": number(settings.epsilon), "delta": delta(settings.delta)}


def best_attacker(settings: AttackSettings) -> Tile:
    """Return the tile of the best attacker against the noise of the correct mechanism."""
    return tiles.attacker_tile(settings.guarantees.formula)
