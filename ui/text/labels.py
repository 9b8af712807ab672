"""What each page's privacy label says of a result, read from ``labels.toml``."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dpcore.privacy import Guarantee
from lab.experiment.settings import Settings
from lab.label.label import Stated, number, roles_of, searched, why_void
from lab.sweeps.tuning_cost import best_of
from ui.text.texts import SAYS
from ui.text.tiles import odds_text

_TAG = re.compile(r"<[^>]*>")
_READ = tomllib.loads(Path(__file__).with_name("labels.toml").read_text("utf-8"))


def label_of(
    topic: str,
    *,
    sources: Mapping[str, str] = MappingProxyType({}),
    guarantee: Callable[[Any], Guarantee | None] = lambda result: result.settings.guarantee,
    cases: Callable[[Any], Iterable[str]] = lambda _: (),
    holes: Callable[[Any], Mapping[str, Any]] = lambda _: {},
) -> Callable[[Any], Stated]:
    """Return ``Page.label`` of a topic.

    sources: data set -> what it is called. guarantee: of a result. cases: result -> names
        of further texts
    that apply. holes: result -> what fills the holes of the texts.
    """

    def label(result: Any) -> Stated:
        page, settings = _READ[topic], result.settings
        texts = _READ["common"] | {
            name: text for name, text in page.items() if not isinstance(text, dict)
        }
        for more in (
            *_chosen(page, settings, sources),
            *(page["case"][case] for case in cases(result)),
        ):
            texts |= more
        claims = texts.pop("claims", True)
        said = {name: text.format_map(holes(result)) for name, text in texts.items()}
        why = {name: said.pop(name, "") for name in ("nothing", "void")}
        return Stated(
            guarantee=guarantee(result),
            claimed=settings.epsilon if claims else None,
            said=said,
            **why,
        )

    return label


def _chosen(
    page: Mapping[str, Any], settings: Settings, sources: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the texts that the settings choose: those of [page.field.value], and of what all own
    files share.
    """
    for field, options in page.items():
        if isinstance(options, dict) and field != "case":
            value = getattr(settings, field)
            yield {"source": sources[value]} if value in sources else {}
            yield _READ["own"] if value == "own" else {}
            yield options.get(value, {})


def complete(stated: Stated, settings: Any, *, tries: int) -> Stated:
    """Return what a label states of a page's result: ``stated``, and what is known of searches on
    its private rows.

    tries: the mean number of tries of which the best is released, 0 for one model.
    """
    compared = searched(settings)
    stated = of_best(stated, settings, tries=tries, compared=compared) if tries else stated
    said = {}
    if compared and not stated.said.get("tuning", "").startswith("paid"):
        said["tuning"] = SAYS("handout.searched", count=compared)
    if stated.guarantee and "attacker" not in stated.said:
        said["attacker"] = _TAG.sub("", odds_text(stated.guarantee))
    stated = replace(stated, said={**stated.said, **said})
    return replace(stated, said={**stated.said, "summary": _summary(stated, settings)})


def _summary(stated: Stated, settings: Any) -> str:
    """Return who is protected, what an attacker can tell at most, and what is not covered, for a
    reader in a hurry.
    """
    if void := why_void(settings, stated):
        return SAYS("board.void", why=void)
    if stated.guarantee is None:
        return SAYS["board.nothing"]
    roles, unit = roles_of(settings), stated.guarantee.unit
    case = (
        "one_row"
        if roles and roles.one_row
        else "rows"
        if roles and roles.one_row is False
        else unit
    )
    attacker = stated.said["attacker"]
    return SAYS(
        "board.covered", who=SAYS[f"board.{case}"], attacker=attacker[0].upper() + attacker[1:]
    )


def of_best(stated: Stated, settings: Any, *, tries: int, compared: int) -> Stated:
    """Return what the label says where the best of a secret number of tries is released, ``tries``
    on average, after so many settings were ``compared`` on the private rows; ``stated`` where that
    has no guarantee.
    """
    guarantee = best_of(settings, tries)
    if guarantee is None or stated.void or settings.void:
        return stated
    holes = {"tries": tries, "compared": compared, "epsilon": number(settings.epsilon)}
    said = {name: text.format_map(holes) for name, text in _READ["best-of"].items()}
    before = stated.said["assumptions"]
    further = [assumption for assumption in guarantee.assumes if assumption not in before]
    said["assumptions"] = "; ".join((before, *further, said["assumptions"]))
    return replace(
        stated, guarantee=guarantee, claimed=guarantee.epsilon, said={**stated.said, **said}
    )
