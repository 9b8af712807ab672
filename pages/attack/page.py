"""What is a guarantee worth against an attacker?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.data.toy import DATASETS
from dpcore.training.recipes import VERSIONS
from pages.attack import figures
from pages.attack import figures_audits as audited
from pages.attack import figures_parts as others
from pages.attack import words as say
from pages.attack import words_audits as judge
from pages.attack import words_parts as tell
from pages.attack.experiment import AttackSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, Knobs, Page, Slices, Tab, always, listed

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
RECIPE = ("clip_norm", "steps", "learning_rate")


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("part", "Attack", PARTS, wide=True, help=say.PARTS_HELP)
    if say.recipe(desk.settings.part):
        st.caption(say.recipe(desk.settings.part))
    settings = desk.settings
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if settings.part in ("worlds", "once"):
            desk.choose("version", "Version", SHORT, wide=True, help=say.VERSIONS_HELP)
        if len(settings.datasets) > 1 and settings.part != "audit":
            desk.choose("dataset", "Data", {name: DATASETS[name].title for name in settings.datasets})
        if settings.part == "worlds":
            desk.choose("sees", "The attacker sees", SEES)
            with st.popover("Person, neighbours", icon=":material/tune:"):
                desk.choose("who", "The person is", WHO)
                desk.choose("against", "In the other world stands", AGAINST)


def worlds_knobs(settings: AttackSettings) -> Knobs:
    """A row has a class of its own, an outlier is given one."""
    label = () if settings.who == "row" else ("label",)
    main, more = ("person", "person_x", "person_y", "clip_norm", "repeats"), ("delta", "steps", "learning_rate", "seed")
    return Knobs(hero="epsilon", main=main, more=(*label, *more), changes=say.KNOBS)


def knobs(*main: str) -> Knobs:
    return Knobs(hero="epsilon", main=main, more=("delta", "seed"), changes=say.KNOBS)


def worlds(result) -> list[list[live.Picture]]:
    """The map, on which a click chooses, with the scores; under them the curve over epsilon."""
    people = live.Picture(
        name="map",
        figure=figures.people(result),
        alt=say.map_alt(result),
        height=380,
        clicks=figures.clicks(result),
    )
    scores = live.Picture(name="scores", figure=figures.scores(result), alt=say.scores_alt(result), height=380)
    curve = live.Picture(name="accuracy", figure=figures.accuracy(result), alt=say.accuracy_alt(result), height=340)
    return [[people, scores], [curve]]


def membership(result) -> list[list[live.Picture]]:
    """The curves, and where they come from."""
    words = tell.membership_verdict(result)
    roc = live.Picture(name="roc", figure=others.roc(result), alt=say.plain(words), height=400)
    rows = [
        live.Picture(
            name=f"margins.{arm}",
            figure=others.margins(result, arm),
            alt=f"How sure models are of members and of others, {name}.",
            height=280,
        )
        for arm, (name, _) in others.ARMS.items()
    ]
    return [[roc], rows]


def audit(result) -> list[list[live.Picture]]:
    """All audits, in two charts."""
    words = say.plain(judge.audit_verdict(result))
    return [
        [
            live.Picture(name=f"audits.{at}", figure=audited.audits(result, names), alt=words, height=1380)
            for at, names in enumerate(audited.COLUMNS)
        ]
    ]


def once(result) -> list[list[live.Picture]]:
    """The canaries of one training, and what it shows of each claim beside many trainings."""
    words = say.plain(judge.once_verdict(result))
    seen = live.Picture(name="canaries", figure=audited.canaries(result), alt=words, height=380)
    beside = live.Picture(name="beside", figure=audited.over(result), alt=words, height=380)
    return [[seen, beside]]


def pays(result) -> list[list[live.Picture]]:
    """Groups over epsilon, and the classes of each."""
    words = say.plain(tell.pays_verdict(result))
    classes = [
        live.Picture(
            name=f"classes.{group}",
            figure=others.by_class(result, place),
            alt=f"Right answers by class, {group}.",
            height=280,
        )
        for place, group in enumerate(others.GROUPS)
    ]
    return [[live.Picture(name="groups", figure=others.groups(result), alt=words, height=340)], classes]


def inversion(result) -> list[list[live.Picture]]:
    """Pictures, and how alike they are to the truth."""
    words = say.plain(tell.inversion_verdict(result))
    sheets = [
        live.Picture(
            name=f"pictures.{name}",
            figure=others.pictures(result, private=private),
            alt=f"What the weights of a model {name} privacy show, class by class. {words}",
            height=400,
        )
        for name, private in (("without", False), ("with", True))
    ]
    return [sheets, [live.Picture(name="match", figure=others.match(result), alt=words, height=320)]]


def words(verdict, diagnostics, guarantee, table) -> dict[str, Callable[[Any], str]]:
    """What a part says of its result, by name."""
    return {"verdict": verdict, "why": listed(diagnostics), "guarantee": guarantee, "table": table}


# The part that the page opens with; each of the others is the same page with other words, knobs and pictures.
def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return worlds(result)[1:]


WORLDS = Page(
    name="attack",
    title="Attacker",
    icon=":material/my_location:",
    group="Promise",
    about="What a guarantee is worth in practice",
    question="What is a guarantee worth against an attacker?",
    settings=AttackSettings,
    setup=setup,
    lead=always(
        "**Click a point** to choose the person. The same model is trained again and again, with this person and "
        "with another in their place; the attacker sees one of these models and says which world it comes from. "
        "**Drag the person** anywhere, then drag epsilon."
    ),
    numbers=always(()),
    knobs=worlds_knobs,
    words=words(say.verdict, say.diagnostics, say.guarantee, say.worlds_table),
    pictures=lambda result: worlds(result)[:1],
    # Beside the verdict, so that it never lags behind.
    slices=Slices(moving=0),
    tabs=(
        Tab("why", "How to read it", ("why",)),
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: result.frames(),
)
MEMBERSHIP = replace(
    WORLDS,
    lead=always(
        "Many models are trained, each on half of the same people. The attacker sees a model and a person: was this "
        "person in? **Drag epsilon** and compare what they find with what the guarantee allows."
    ),
    knobs=always(knobs("members", *RECIPE)),
    words=words(tell.membership_verdict, tell.membership_diagnostics, tell.membership_guarantee, tell.membership_table),
    pictures=membership,
)
AUDIT = replace(
    WORLDS,
    lead=always(
        "Every mechanism of the lab runs hundreds or thousands of times in two neighbouring worlds, now. What an "
        "attacker achieves is a lower bound on epsilon. A mechanism that claims less is **caught**."
    ),
    knobs=always(Knobs(hero="seed", changes=say.KNOBS)),
    words=words(judge.audit_verdict, judge.audit_diagnostics, judge.audit_guarantee, judge.audit_table),
    pictures=audit,
    # Nothing is dragged through the audits: longer slices, fewer pictures of so many bars, and the long table at rest.
    slices=Slices(moving=0, resting=0.3),
)
ONCE = replace(
    WORLDS,
    lead=always(
        "If you can train only once, plant many canaries. A coin decides the class of each, and the attacker guesses "
        "the coins from the weights. **Drag epsilon**, and compare with an audit of thousands of trainings."
    ),
    knobs=always(knobs("canaries", "guessed", *RECIPE)),
    words=words(judge.once_verdict, judge.once_diagnostics, judge.once_guarantee, judge.once_table),
    pictures=once,
)
PAYS = replace(
    WORLDS,
    lead=always(
        "The guarantee is the same for everybody. Is its cost? **Drag epsilon**, and make the minority smaller."
    ),
    knobs=always(knobs("minority", *RECIPE)),
    words=words(tell.pays_verdict, tell.pays_diagnostics, tell.pays_guarantee, tell.pays_table),
    pictures=pays,
)
INVERSION = replace(
    WORLDS,
    lead=always(
        "What do published weights show of a class, and of one person's picture planted in the data? **Drag epsilon.**"
    ),
    knobs=always(knobs("label", *RECIPE)),
    words=words(tell.inversion_verdict, tell.inversion_diagnostics, tell.inversion_guarantee, tell.inversion_table),
    pictures=inversion,
)
_BY_PART = dict(zip(PARTS, (WORLDS, MEMBERSHIP, AUDIT, ONCE, PAYS, INVERSION), strict=True))
PAGE = replace(WORLDS, variant=lambda settings: _BY_PART[settings.part])
