"""What is a guarantee worth against an attacker?"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dpcore.data.toy import DATASETS
from dpcore.training.recipes import VERSIONS
from pages.attack import figures, words_label
from pages.attack import figures_audits as audited
from pages.attack import figures_parts as others
from pages.attack import words as say
from pages.attack import words_audits as judge
from pages.attack import words_parts as tell
from pages.attack.experiment import AttackSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, Knobs, Page, Rows, Slices, Tab, always, listed

PARTS = {
    "worlds": "Two worlds",
    "membership": "Membership",
    "audit": "Audit",
    "once": "One run",
    "pays": "Who pays",
    "inversion": "Inversion",
}
SHORT = dict(zip(VERSIONS, ("Sound", "As published", "No privacy"), strict=True))
SEES = {"weights": "the final weights", "steps": "every step"}
AGAINST = {"label": "the same person, another class", "public": "a public row"}
WHO = {"row": "a private row", "outlier": "an outlier"}
RECIPE = ("clip_norm", "steps")
HEIGHT = 400


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment: the part at hand, and what it leaves to choose."""
    desk.choose("part", "Attack", PARTS, wide=True, help=say.PARTS_HELP)
    settings = desk.settings
    versions = settings.part in ("worlds", "once")
    data = len(settings.datasets) > 1 and settings.part != "audit"
    if not versions and not data:
        return
    with st.popover("Advanced", icon=":material/tune:"):
        if versions:
            desk.choose("version", "Recipe", SHORT, wide=True, help=say.VERSIONS_HELP)
        if data:
            desk.choose("dataset", "Data", {name: DATASETS[name].title for name in settings.datasets})
        if settings.part == "worlds":
            desk.choose("sees", "The attacker sees", SEES)
            desk.choose("who", "The person is", WHO)
            desk.choose("against", "In the other world stands", AGAINST)


def worlds_knobs(settings: AttackSettings) -> Knobs:
    """A row has a class of its own, an outlier is given one."""
    label = () if settings.who == "row" else ("label",)
    main, more = ("person", "person_x", "person_y", "clip_norm"), ("repeats", "delta", "steps", "learning_rate", "seed")
    return Knobs(hero="epsilon", main=main, more=(*label, *more), changes=say.KNOBS)


def knobs(*main: str) -> Knobs:
    return Knobs(hero="epsilon", main=main, more=("learning_rate", "delta", "seed"), changes=say.KNOBS)


def _chart(alts: Mapping[str, str], about: Mapping[str, str], name: str, figure: dict, **how) -> live.Picture:
    """``alts``: by a name, or by what stands behind its dot; ``about``: by what stands before it."""
    kind, _, part = name.partition(".")
    said = {"alt": alts[name] if name in alts else alts[part], "about": about[kind]}
    return live.Picture(name=name, figure=figure, height=HEIGHT, **said, **how)


def worlds(result) -> Rows:
    """The map, on which a click chooses; the curve over epsilon; and the scores."""
    chart = partial(_chart, say.alts(result), say.ABOUT)
    people = chart("map", figures.people(result), wide=1.25, clicks=figures.clicks(result), pair=True)
    curve = chart("accuracy", figures.accuracy(result), wide=1.25)
    return [[people, curve, chart("scores", figures.scores(result))]]


def membership(result) -> Rows:
    """The curves, and where they come from."""
    chart = partial(_chart, tell.membership_alts(result), tell.ABOUT)
    margins = (chart(f"margins.{arm}", others.margins(result, arm)) for arm in others.ARMS)
    return [[chart("roc", others.roc(result), wide=1.3), *margins]]


def audit(result) -> Rows:
    """What was caught: every audit as a dot beside its claim, sound mechanisms and broken ones apart."""
    chart = partial(_chart, judge.audit_alts(result), judge.ABOUT)
    return [[chart(f"audits.{name}", audited.summary(result, broken=name == "broken")) for name in ("sound", "broken")]]


def every_audit(result) -> Rows:
    """All audits by name, in two long charts."""
    alt, about = judge.audit_alts(result)["every"], judge.ABOUT["every"]
    return [
        [
            live.Picture(name=f"audits.{at}", figure=audited.audits(result, names), alt=alt, about=about, height=1380)
            for at, names in enumerate(audited.COLUMNS)
        ]
    ]


def once(result) -> Rows:
    """The canaries of one training, and what it shows of each claim beside many trainings."""
    chart = partial(_chart, judge.once_alts(result), judge.ABOUT)
    return [[chart("canaries", audited.canaries(result)), chart("beside", audited.over(result))]]


def pays(result) -> Rows:
    """Groups over epsilon, and the classes of each."""
    chart = partial(_chart, tell.pays_alts(result), tell.ABOUT)
    classes = (chart(f"classes.{group}", others.by_class(result, place)) for place, group in enumerate(others.GROUPS))
    return [[chart("groups", others.groups(result), wide=1.5), *classes]]


def inversion(result) -> Rows:
    """Pictures, and how alike they are to the truth."""
    chart = partial(_chart, tell.inversion_alts(result), tell.ABOUT)
    sheets = (
        chart(f"pictures.{name}", others.pictures(result, private=name == "with")) for name in ("without", "with")
    )
    return [[*sheets, chart("match", others.match(result), wide=1.2)]]


def words(verdict, caption, diagnostics, guarantee, table) -> dict[str, Callable[[Any], str]]:
    """What a part says of its result, by name."""
    why = listed(diagnostics)
    return {"verdict": verdict, "caption": always(caption), "why": why, "guarantee": guarantee, "table": table}


WHY, TABLE = Tab("why", "How to read it", ("why",)), Tab("table", "Table", ("table",))
# The part that the page opens with; each of the others is the same page with other words, knobs and pictures.
WORLDS = Page(
    name="attack",
    title="Attacker",
    icon=":material/my_location:",
    group="Promise",
    about="What a guarantee is worth in practice",
    question="What is a guarantee worth against an attacker?",
    settings=AttackSettings,
    label=words_label.label,
    setup=setup,
    lead=say.lead,
    numbers=say.numbers,
    knobs=worlds_knobs,
    words=words(say.verdict, say.CAPTION, say.diagnostics, say.guarantee, say.worlds_table),
    pictures=worlds,
    # Beside the verdict, so that it never lags behind.
    slices=Slices(moving=0),
    tabs=(WHY, GUARANTEE_TAB, TABLE),
    frames=lambda result: result.frames(),
)
MEMBERSHIP = replace(
    WORLDS,
    numbers=tell.membership_numbers,
    knobs=always(knobs("members", *RECIPE)),
    words=words(
        tell.membership_verdict,
        tell.MEMBERSHIP_CAPTION,
        tell.membership_diagnostics,
        tell.membership_guarantee,
        tell.membership_table,
    ),
    pictures=membership,
)
AUDIT = replace(
    WORLDS,
    numbers=judge.audit_numbers,
    knobs=always(Knobs(hero="seed", changes=say.KNOBS)),
    words=words(
        judge.audit_verdict, judge.AUDIT_CAPTION, judge.audit_diagnostics, judge.audit_guarantee, judge.audit_table
    ),
    pictures=audit,
    tabs=(WHY, GUARANTEE_TAB, Tab("every", "Every audit", pictures=every_audit), TABLE),
    # Nothing is dragged through the audits: longer slices, fewer pictures of so many bars, and the long table at rest.
    slices=Slices(moving=0, resting=0.3),
)
ONCE = replace(
    WORLDS,
    numbers=judge.once_numbers,
    knobs=always(knobs("canaries", "guessed", *RECIPE)),
    words=words(judge.once_verdict, judge.ONCE_CAPTION, judge.once_diagnostics, judge.once_guarantee, judge.once_table),
    pictures=once,
)
PAYS = replace(
    WORLDS,
    numbers=tell.pays_numbers,
    knobs=always(knobs("minority", *RECIPE)),
    words=words(tell.pays_verdict, tell.PAYS_CAPTION, tell.pays_diagnostics, tell.pays_guarantee, tell.pays_table),
    pictures=pays,
)
INVERSION = replace(
    WORLDS,
    numbers=tell.inversion_numbers,
    knobs=always(knobs("label", *RECIPE)),
    words=words(
        tell.inversion_verdict,
        tell.INVERSION_CAPTION,
        tell.inversion_diagnostics,
        tell.inversion_guarantee,
        tell.inversion_table,
    ),
    pictures=inversion,
)
_BY_PART = dict(zip(PARTS, (WORLDS, MEMBERSHIP, AUDIT, ONCE, PAYS, INVERSION), strict=True))
PAGE = replace(WORLDS, variant=lambda settings: _BY_PART[settings.part])
