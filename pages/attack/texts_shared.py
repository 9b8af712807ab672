"""Texts that all parts of the attack page share."""

from pages.attack.settings import PRESETS, AttackSettings
from ui.text import tiles
from ui.text.numbers import delta, format_number
from ui.text.sliders import in_sentence
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)


def introduction(texts: Texts, settings: AttackSettings) -> str:
    """Return the introduction of a part, and the settings that it starts from."""
    presets = []
    for name, value in PRESETS[settings.part].items():
        presets.append(f"{in_sentence(name)} {format_number(value)}")
    return f"{texts['lead']} {SAYS('presets', given=', '.join(presets))}"


def budget(settings: AttackSettings) -> dict[str, str]:
    """Return epsilon and delta as text."""
    return {"epsilon": number(settings.epsilon), "delta": delta(settings.delta)}


def best_attacker(settings: AttackSettings) -> Tile:
    """Return the tile of the best attacker against the noise of the correct mechanism."""
    return tiles.attacker_tile(settings.guarantees.formula)
