"""Texts that all parts of the attack page share."""

from pages.attack.settings import AttackSettings
from ui.charts import attacker_icons
from ui.text import guarantee_notes, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile

SAYS = Texts(__file__)


def best_attacker(settings: AttackSettings) -> Tile:
    """Return the tile of the best attacker against the noise of the correct mechanism."""
    return tiles.attacker_tile(settings.guarantees.formula)


def guarantee(settings: AttackSettings, scope: str) -> str:
    """Return the guarantee of the correct mechanism, its meaning, and what it covers (HTML)."""
    formula = settings.guarantees.formula
    facts = guarantee_notes.guarantee_with_notes(formula, assumed=scope)
    return attacker_icons.icons(formula) + facts
