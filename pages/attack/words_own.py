"""The attack on an uploaded file in words: how much of it is used, in whom the data sets differ, and what is void."""

from collections.abc import Callable
from typing import Any

from pages.attack.experiment import MISFITS, AttackSettings
from pages.attack.membership import MembersResult
from pages.attack.two_worlds_result import WorldsResult
from pages.attack.words_parts import MEMBERSHIP_CAPTION, membership_guarantee
from ui import hundred, outcomes, panels
from ui.texts import Texts

SAYS = Texts(__file__, "own.md")
WHO = {name: SAYS[f"choices.{name}"] for name in ("exposed", "middle", "row")}
AGAINST = {name: SAYS[f"choices.{name}"] for name in ("label", "nobody")}
WHO_HELP = SAYS["help.who"]
KNOBS = {"person": {"label": SAYS["help.label"], "help": SAYS["help.person"]}}


def refused(settings: AttackSettings, parts: dict[str, str]) -> str:
    """Return why a part cannot use a file, and which parts can; Markdown."""
    able = " and ".join(parts[part] for part in parts if part not in (*MISFITS, "audit"))
    part, audit = parts[settings.part], parts["audit"]
    return SAYS("refused", part=part, misfit=settings.misfit, able=able, audit=audit)


def worlds_caption(result: WorldsResult) -> str:
    """Return how many rows the charts are made of."""
    return SAYS("caption.used", used=outcomes.used_of(result.settings, several=True))


def membership_caption(result: MembersResult) -> str:
    """Return what the charts show, and the part of the file that the models share."""
    settings = result.settings
    used = SAYS(f"caption.{_unit(settings)}", used=2 * settings.members, all=settings.own.private)
    return f"{MEMBERSHIP_CAPTION} {used}"


def _unit(settings: AttackSettings) -> str:
    return "person" if settings.by_person else "row"


def worlds_guarantee(result: WorldsResult) -> str:
    """Return what is guaranteed, in whom the data sets differ, and what is public."""
    settings = result.settings
    held = result.guarantees.formula
    text = "" if settings.void else hundred.drawn(held) + panels.guarantee(here=held)
    who = SAYS(f"who.{settings.who}", person=settings.person)
    differ = [SAYS(f"guarantee.{case}", who=who) for case in (_unit(settings), settings.against, "knows")]
    return _void(settings) + text + panels.note(" ".join(differ)) + _of_own(settings, several=True)


def members_guarantee(result: MembersResult) -> str:
    """Return what is guaranteed for members unless it is void, and what is public."""
    settings = result.settings
    return (_void(settings) or membership_guarantee(result)) + _of_own(settings)


def _void(settings: AttackSettings) -> str:
    return outcomes.void_guarantee(settings) if settings.void else ""


def _of_own(settings: AttackSettings, *, several: bool = False) -> str:
    return outcomes.of_own(settings.own.roles, public="steps and rates", several=several)


def tabled(table: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a function of a table that says first that the guarantee is void, where it is."""

    def found(result: Any) -> str:
        void = outcomes.void(result.settings)
        return (panels.note(void) if void else "") + table(result)

    return found
