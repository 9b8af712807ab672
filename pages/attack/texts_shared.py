"""Texts that all parts of the attack page share."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pages.attack.settings import PRESETS, AttackSettings
from ui.text import tiles
from ui.text.numbers import delta, format_number
from ui.text.sliders import in_sentence
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)
PARTS_HELP = SAYS["parts"]
SLIDERS: dict[str, dict[str, Any]] = {
    "repeats": {
        "label": "Models trained per data set",
        "scale": "log",
        "stops": 20,
        "help": SAYS["repeats"],
    }
}


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


def table(
    texts: Texts,
    section: str,
    rows: tiles.Rows,
    columns: Sequence[str],
    *,
    formats: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
    more_heads: Mapping[str, str] = MappingProxyType({}),
    marked: str | None = None,
    **holes: Any,
) -> str:
    """Return a table whose title, caption and headings are texts of a section.

    columns: the columns with a heading in ``texts``.
    formats: functions that write the values of a column.
    more_heads: headings of further columns.
    marked: the value, as shown, of the first column in the row that is marked.
    holes: values for the caption.
    """
    heads = texts.heads(section, columns, now=tiles.badge("trained now"))
    return tiles.table(
        rows,
        title=texts[f"{section}.title"],
        caption=texts(f"{section}.caption", **holes),
        heads={**heads, **more_heads},
        formats=formats,
        marked=marked,
    )
