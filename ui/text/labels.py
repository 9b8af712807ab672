"""The statements of each topic's privacy label about a result, read from ``labels.toml``."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dpcore.privacy import Guarantee
from lab.experiment.data_settings import OWN
from lab.experiment.settings import Settings
from lab.label.label import Stated, roles_of, why_void
from ui.text.texts import SAYS
from ui.text.tiles import odds_text, rare_guess_text

_TAG = re.compile(r"<[^>]*>")
_TABLES = tomllib.loads(Path(__file__).with_name("labels.toml").read_text("utf-8"))


def label_of(
    topic: str,
    *,
    sources: Mapping[str, str] = MappingProxyType({}),
    guarantee: Callable[[Any], Guarantee | None] = lambda result: result.settings.guarantee,
    cases: Callable[[Any], Iterable[str]] = lambda _: (),
    holes: Callable[[Any], Mapping[str, Any]] = lambda _: {},
) -> Callable[[Any], Stated]:
    """Return the function of a topic that states the label of a result, for ``Exports.label``.

    Args:
        topic: Name of the topic, whose table is read.
        sources: Data set -> its name in labels.
        guarantee: Result -> its guarantee.
        cases: Result -> names of further texts that apply.
        holes: Result -> values for the holes of the texts.
    """

    def state_label(result: Any) -> Stated:
        """Return the statements on a result, from the tables of ``labels.toml``.

        Three of their entries are no statements: "claims" tells whether epsilon is claimed at all,
        "nothing" why nothing is guaranteed, and "void" why a guarantee does not hold.
        """
        table = _TABLES[topic]
        settings = result.settings
        texts = dict(_TABLES["common"])
        for name, text in table.items():
            if not isinstance(text, dict):
                texts[name] = text
        texts |= _texts_by_settings(table, settings, sources)
        for case in cases(result):
            texts |= table["case"][case]
        claimed = None
        if texts.pop("claims", True):
            claimed = settings.epsilon
        filled = {name: text.format_map(holes(result)) for name, text in texts.items()}
        nothing = filled.pop("nothing", "")
        void = filled.pop("void", "")
        return Stated(
            guarantee=guarantee(result), claimed=claimed, nothing=nothing, void=void, said=filled
        )

    return state_label


def _texts_by_settings(
    table: Mapping[str, Any], settings: Settings, sources: Mapping[str, str]
) -> dict[str, str]:
    """Return the texts of the tables [topic.field.value] that have the value of the settings.

    Args:
        table: The table of the topic: texts by name, and tables by field.
        settings: The settings.
        sources: Data set -> its name in labels.
    """
    texts: dict[str, str] = {}
    for field, texts_by_value in table.items():
        # Not of a field are the texts of the topic itself, and those of its cases.
        if not isinstance(texts_by_value, dict) or field == "case":
            continue
        value = getattr(settings, field)
        if value in sources:
            texts["source"] = sources[value]
        if value == OWN:
            texts |= _TABLES["own"]
        texts |= texts_by_value.get(value, {})
    return texts


def complete(stated: Stated, settings: Any) -> Stated:
    """Add to the statements of a topic the attacker and the summary.

    Args:
        stated: The statements of the topic.
        settings: The settings of the result.
    """
    texts = dict(stated.said)
    if stated.guarantee and "attacker" not in texts:
        attacker = f"{odds_text(stated.guarantee)}. {rare_guess_text(stated.guarantee)}"
        attacker = attacker.removesuffix(".")
        texts["attacker"] = _TAG.sub("", attacker)
    texts["summary"] = _summary(stated, settings)
    return replace(stated, said=texts)


def _summary(stated: Stated, settings: Any) -> str:
    """Return who is protected, the best attacker, and what is not covered, in two sentences."""
    void_reason = why_void(settings, stated)
    if void_reason:
        return SAYS("board.void", why=void_reason)
    if stated.guarantee is None:
        return SAYS["board.nothing"]
    attacker = _TAG.sub("", odds_text(stated.guarantee))
    return SAYS(
        "board.covered",
        who=_protected(settings, stated.guarantee.unit),
        attacker=attacker[0].upper() + attacker[1:],
    )


def _protected(settings: Any, unit: str) -> str:
    """Name the people or rows that a guarantee protects."""
    roles = roles_of(settings)
    case = unit
    if roles and roles.one_row:
        case = "one_row"
    elif roles and roles.one_row is False:
        case = "rows"
    return SAYS[f"board.{case}"]
