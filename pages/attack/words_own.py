"""The attack on a file of one's own in words: how much of it is used, whom the worlds differ in, and what is void."""

from collections.abc import Callable
from typing import Any

from pages.attack.experiment import MISFITS, AttackSettings
from pages.attack.membership import MembersResult
from pages.attack.two_worlds_result import WorldsResult
from pages.attack.words_parts import MEMBERSHIP_CAPTION, membership_guarantee
from ui import hundred, outcomes, panels

WHO = {"exposed": "the most exposed", "middle": "the median person", "row": "one by number"}
_WHOSE = {"exposed": "the most exposed person", "middle": "the person in the middle"}
AGAINST = {"label": "the same person, another class", "nobody": "nobody: a person who adds nothing"}
WHO_HELP = (
    "**Most exposed**: the person with the most influence on the training. **Median**: half of the others have "
    "more influence. **By number**: in an order that the seed alone decides. No values are shown."
)


KNOBS = {
    "person": {
        "label": "Person #",
        "help": "The person who is attacked. The seed decides the order of people.",
    }
}


def refused(settings: AttackSettings, parts: dict[str, str]) -> str:
    """Why a part can do nothing with a file, and which can; markdown."""
    able = [parts[part] for part in parts if part not in (*MISFITS, "audit")]
    return (
        f"**{parts[settings.part]} cannot use your file:** {settings.misfit}. {' and '.join(able)} can; "
        f"{parts['audit']} needs no file. Other data are under *More settings*."
    )


def worlds_caption(result: WorldsResult) -> str:
    """What the charts are made of."""
    used = outcomes.used_of(result.settings, several=True)
    return f"Your file: {used}. No row is drawn. For the analyst only."


def membership_caption(result: MembersResult) -> str:
    """The same, with the part of the file that the models share."""
    settings = result.settings
    people = "people, one row each," if settings.by_person else "rows,"
    used = f"{2 * settings.members:,} of {settings.own.private:,} {people} picked at random"
    return f"{MEMBERSHIP_CAPTION} Your file: each model has half of {used}. No row is drawn."


def worlds_guarantee(result: WorldsResult) -> str:
    """What is promised, in whom the worlds differ, and what is public."""
    settings = result.settings
    held = result.guarantees.formula
    text = "" if settings.void else hundred.drawn(held) + panels.guarantee(here=held)
    rows, it = ("all rows", "they have") if settings.by_person else ("the row", "it has")
    who = f"the person with number {settings.person}" if settings.who == "row" else _WHOSE[settings.who]
    other = (
        "no class, and so no say" if settings.against == "nobody" else "the next class, or the first for want of one"
    )
    worlds = panels.note(
        f"The two worlds differ in {rows} of {who}: in the other world {it} {other}. The attacker knows all other rows "
        "and both candidates. How exposed people are, and the attack itself, read private rows: analyst only."
    )
    return _void(settings) + text + worlds + _of_own(settings, several=True)


def members_guarantee(result: MembersResult) -> str:
    """What holds of members, unless it is void, and what is public."""
    settings = result.settings
    return (_void(settings) or membership_guarantee(result)) + _of_own(settings)


def _void(settings: AttackSettings) -> str:
    return outcomes.void_guarantee(settings) if settings.void else ""


def _of_own(settings: AttackSettings, *, several: bool = False) -> str:
    return outcomes.of_own(settings.own.roles, public="steps and rates", several=several)


def tabled(table: Callable[[Any], str]) -> Callable[[Any], str]:
    """A table, under what says that nothing is guaranteed where that is so."""

    def found(result: Any) -> str:
        void = outcomes.void(result.settings)
        return (panels.note(void) if void else "") + table(result)

    return found
