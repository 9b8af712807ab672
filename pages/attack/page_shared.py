"""What the pages of all parts of the attack share: choices, audits, and charts."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from lab.data.classification import DATASETS
from lab.models.classifier_versions import VERSIONS
from pages.attack import texts, texts_shared
from pages.attack.audits import charts as audits_charts
from pages.attack.audits import texts as audits_texts
from pages.attack.settings import PARTS, AttackSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, Slices, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.text.tiles import Tile
from ui.widgets import Chart, explained_chart

# Height of the charts, in pixels.
HEIGHT = 455
VERSION_LABELS = {"correct": "Correct", "published": "As published", "none": "Non-private"}
SEES_LABELS = {"weights": "the final weights", "steps": "every step"}
AGAINST_LABELS = {"label": "the same person, another class", "public": "a public row"}
WHO_LABELS = {"row": "a private row", "outlier": "an outlier"}


def main_choices(state: PageState) -> None:
    """Show the choice of the attack."""
    state.choose("part", "Attack", PARTS, wide=True, help=texts_shared.PARTS_HELP)


def more_choices(state: PageState) -> None:
    """Show the choice of the data set and, in the part on one person, all others."""
    is_one_person = state.settings.part == "worlds"
    if is_one_person:
        versions = {name: VERSION_LABELS[name] for name in VERSIONS}
        state.choose("version", "Mechanism", versions, wide=True, help=texts.VERSIONS_HELP)
    if len(state.settings.datasets) > 1:
        titles = {name: DATASETS[name].title for name in state.settings.datasets}
        state.choose("dataset", "Data", titles)
    if is_one_person:
        state.choose("sees", "Attacker access", SEES_LABELS)
        state.choose("who", "Target person", WHO_LABELS)
        state.choose("against", "Compared with", AGAINST_LABELS)


def part_sliders(name: str) -> SliderLayout:
    """Return the sliders of a part with a slider ``name`` of its own."""
    return SliderLayout(
        hero="epsilon",
        main=(name, "clip_norm", "steps"),
        more=("learning_rate", "delta", "seed"),
        changes=texts_shared.SLIDERS,
    )


def chart(about: Mapping[str, str], name: str, figure: Mapping[str, Any], **layout: Any) -> Chart:
    """Return a chart of this page with its help text."""
    return explained_chart(about, name, figure, height=HEIGHT, **layout)


# Audits


def audit_charts(result: Any) -> Rows:
    """Return the recorded audits of correct and of broken mechanisms, whatever the result."""
    correct = audits_charts.summary(broken=False)
    broken = audits_charts.summary(broken=True)
    about = audits_texts.ABOUT
    return [[chart(about, "audits.correct", correct), chart(about, "audits.broken", broken)]]


def show_audit_table(state: PageState, picture: Mapping[str, Any]) -> None:
    """Show the table of all recorded audits, whatever the state."""
    st.html(audits_texts.table())


TABLE_TAB = Tab("table", "Results table", ("table",))
AUDITS_TAB = Tab("audits", "Audits", ("audits",), audit_charts, show_extra=show_audit_table)


def part_page(
    *,
    lead: Callable[[AttackSettings], str],
    tiles: Callable[[Any], list[Tile]],
    verdict: Callable[[Any], str],
    caption: Callable[[Any], str],
    why: Callable[[Any], list[str]],
    guarantee: Callable[[Any], str],
    table: Callable[[Any], str],
    sliders: Callable[[Any], SliderLayout],
    charts: Callable[[Any], Rows],
) -> Page:
    """Return the page of a part, from its texts, sliders and charts."""
    return Page(
        info=PageInfo(
            name="attack",
            title="Attacks and audits",
            icon=":material/my_location:",
            group="Privacy",
            question="How much can an attacker really learn?",
            about="What a guarantee is worth in practice",
        ),
        settings=AttackSettings,
        controls=Controls(
            choices=main_choices,
            sliders=sliders,
            more_choices=more_choices,
            suggestion=Suggestion("person", texts_shared.SAYS["move"], low=1),
        ),
        content=Content(
            tiles=tiles,
            texts={
                "verdict": verdict,
                "caption": caption,
                "why": listed(why),
                "guarantee": guarantee,
                "table": table,
                "audits": lambda result: audits_texts.summary(),
            },
            charts=charts,
            tabs=(WHY_TAB, GUARANTEE_TAB, TABLE_TAB, AUDITS_TAB),
            lead=lead,
        ),
        exports=Exports(
            downloads=lambda result: result.frames(),
            label=labels.label_of("attack"),
        ),
        # A movement computes only what it must, so that the curve never lags behind the verdict.
        slices=Slices(moving=0),
    )
