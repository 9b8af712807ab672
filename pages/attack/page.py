"""How much can an attacker really learn?"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab.data.classification import DATASETS
from lab.models.classifier_versions import VERSIONS
from pages.attack import charts as figures
from pages.attack import texts as say
from pages.attack.audits import charts as audits_charts
from pages.attack.audits import texts as audits_texts
from pages.attack.experiment import AttackSettings
from pages.attack.fairness import charts as fairness_charts
from pages.attack.fairness import texts as fairness_texts
from pages.attack.fairness.tasks import GROUPS, GroupsResult
from pages.attack.inversion import charts as inversion_charts
from pages.attack.inversion import texts as inversion_texts
from pages.attack.inversion.tasks import InversionResult
from pages.attack.membership import charts as membership_charts
from pages.attack.membership import texts as membership_texts
from pages.attack.membership.tasks import MembersResult
from pages.attack.result import WorldsResult
from pages.attack.settings import PARTS
from ui import widgets
from ui.page.page import (
    GUARANTEE_TAB,
    WHY_TAB,
    Page,
    Rows,
    Slices,
    SliderLayout,
    Tab,
    always,
    listed,
    noted,
)
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

SHORT = dict(zip(VERSIONS, ("Correct", "As published", "Non-private"), strict=True))
SEES = {"weights": "the final weights", "steps": "every step"}
AGAINST = {"label": "the same person, another class", "public": "a public row"}
WHO = {"row": "a private row", "outlier": "an outlier"}
RECIPE = ("clip_norm", "steps")
Said = Callable[[Any], str]
HEIGHT = 455


def setup(state: page_state.PageState) -> None:
    state.choose("part", "Attack", PARTS, wide=True, help=say.PARTS_HELP)


def more(state: page_state.PageState) -> None:
    settings = state.settings
    worlds = settings.part == "worlds"
    if worlds:
        state.choose("version", "Mechanism", SHORT, wide=True, help=say.VERSIONS_HELP)
    if len(settings.datasets) > 1:
        titles = {name: DATASETS[name].title for name in settings.datasets}
        state.choose("dataset", "Data", titles)
    if worlds:
        state.choose("sees", "Attacker access", SEES)
        state.choose("who", "Target person", WHO)
        state.choose("against", "Compared with", AGAINST)


def worlds_sliders(settings: AttackSettings) -> SliderLayout:
    """Return the sliders of one person; only an outlier is given a class."""
    label = () if settings.who == "row" else ("label",)
    return SliderLayout(
        hero="epsilon",
        main=("person", "person_x", "person_y", "clip_norm"),
        more=(*label, "repeats", "delta", "steps", "learning_rate", "seed"),
        changes=say.SLIDERS,
    )


def sliders(*main: str) -> Callable[[Any], SliderLayout]:
    return always(
        SliderLayout(
            hero="epsilon", main=main, more=("learning_rate", "delta", "seed"), changes=say.SLIDERS
        )
    )


_row = partial(widgets.row, say.ABOUT, height=HEIGHT)


def worlds(result: WorldsResult) -> Rows:
    """Draw the map, on which a click chooses, the curve over epsilon, and the scores."""
    drawn = {"accuracy": figures.accuracy(result), "scores": figures.scores(result)}
    wide = {"map": 1.25, "accuracy": 1.25}
    people = {"map": figures.people(result)}
    return [
        _row(people | drawn, wide=wide, clicks={"map": figures.clicks(result)}, pair={"map": True})
    ]


def membership(result: MembersResult) -> Rows:
    margins = {
        f"margins.{arm}": membership_charts.margins(result, arm) for arm in membership_charts.ARMS
    }
    return [_row({"roc": membership_charts.roc(result)} | margins, wide={"roc": 1.3})]


def audits(_: Any) -> Rows:
    charts = {
        "audits.correct": audits_charts.summary(broken=False),
        "audits.broken": audits_charts.summary(broken=True),
    }
    return [_row(charts)]


def every_audit(_desk: page_state.PageState, _picture: Mapping[str, Any]) -> None:
    """Show the table of all recorded audits."""
    st.html(audits_texts.table())


def pays(result: GroupsResult) -> Rows:
    classes = {
        f"classes.{group}": fairness_charts.by_class(result, place)
        for place, group in enumerate(GROUPS)
    }
    return [_row({"groups": fairness_charts.groups(result)} | classes, wide={"groups": 1.5})]


def inversion(result: InversionResult) -> Rows:
    sheets = {
        f"pictures.{arm}": inversion_charts.pictures(result, private=arm == "with")
        for arm in ("without", "with")
    }
    return [_row(sheets | {"match": inversion_charts.match(result)}, wide={"match": 1.2})]


def guarantee(result: GroupsResult | InversionResult) -> str:
    """Return what is guaranteed in a part whose guarantee is that of its noise."""
    settings = result.settings
    return say.SAYS(f"{settings.part}.guarantee", rows=settings.rows, **say.budget(settings))


def words(
    name: str,
    verdict: Said,
    why: Callable[[Any], list[str]],
    guarantee: Said,
    table: Said,
    caption: Said | None = None,
) -> dict[str, Said]:
    """Return the texts of a part by name; the caption is one of its texts where it is no
    function.
    """
    return {
        "verdict": verdict,
        "caption": caption or always(say.SAYS[f"{name}.caption"]),
        "why": listed(why),
        "guarantee": guarantee,
        "table": table,
        "audits": lambda _: audits_texts.summary(),
    }


TABLE_TAB = Tab("table", "Results table", ("table",))
AUDITS_TAB = Tab("audits", "Audits", ("audits",), audits, shows=every_audit)
# The part that the page opens with; each of the others is the same page with other words, sliders
# and pictures.
WORLDS = Page(
    name="attack",
    title="Attacks and audits",
    icon=":material/my_location:",
    group="Privacy",
    about="What a guarantee is worth in practice",
    question="How much can an attacker really learn?",
    settings=AttackSettings,
    label=labels.label_of("attack"),
    setup=setup,
    more=more,
    lead=say.lead,
    move=Suggestion("person", say.SAYS["move"], low=1),
    numbers=say.numbers,
    sliders=worlds_sliders,
    words=words(
        "worlds", say.verdict, say.diagnostics, say.guarantee, say.worlds_table, caption=say.caption
    ),
    pictures=worlds,
    # Beside the verdict, so that it never lags behind.
    slices=Slices(moving=0),
    tabs=(WHY_TAB, GUARANTEE_TAB, TABLE_TAB, AUDITS_TAB),
    frames=lambda result: result.frames(),
)
MEMBERSHIP = replace(
    WORLDS,
    numbers=membership_texts.numbers,
    sliders=sliders("members", *RECIPE),
    words=words(
        "membership",
        membership_texts.verdict,
        membership_texts.diagnostics,
        membership_texts.guarantee,
        membership_texts.table,
        caption=membership_texts.caption,
    ),
    pictures=membership,
)
PAYS = replace(
    WORLDS,
    numbers=fairness_texts.numbers,
    sliders=sliders("minority", *RECIPE),
    words=words(
        "pays",
        fairness_texts.verdict,
        fairness_texts.diagnostics,
        noted(guarantee),
        fairness_texts.table,
    ),
    pictures=pays,
)
INVERSION = replace(
    WORLDS,
    numbers=inversion_texts.numbers,
    sliders=sliders("label", *RECIPE),
    words=words(
        "inversion",
        inversion_texts.verdict,
        inversion_texts.diagnostics,
        noted(guarantee),
        inversion_texts.table,
    ),
    pictures=inversion,
)
_BY_PART = {"worlds": WORLDS, "membership": MEMBERSHIP, "pays": PAYS, "inversion": INVERSION}
PAGE = replace(WORLDS, variant=lambda settings: _BY_PART[settings.part])
