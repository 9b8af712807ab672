"""What the pages of all parts of the attack share: choices, sliders, audits and tabs."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from lab.data.classification import DATASETS
from pages.attack.audits import texts as audits_texts
from pages.attack.settings import PARTS, REPLACED_BY, AttackSettings
from pages.attack.texts_shared import SAYS
from ui.page.page import Content, Controls, Exports, Page, PageInfo, Slices, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels

# Height of the charts, in pixels.
HEIGHT = 455
_PARTS_HELP = SAYS["parts"]
_REPLACED_BY_HELP = SAYS["replaced_by"]
_VERSIONS_HELP = SAYS["versions"]
VERSION_LABELS = {"correct": "Correct", "published": "As published", "none": "Non-private"}


def main_choices(state: PageState) -> None:
    """Show the choice of the attack and, in the part on one person, of the other data set."""
    state.choose("part", "Attack", PARTS, wide=True, help=_PARTS_HELP)
    if state.settings.part == "person":
        state.choose(
            "replaced_by", "In their place", REPLACED_BY, wide=True, help=_REPLACED_BY_HELP
        )


def more_choices(state: PageState) -> None:
    """Show the choice of the data set and, in the part on one person, of the method."""
    if state.settings.part == "person":
        state.choose("version", "Method", VERSION_LABELS, wide=True, help=_VERSIONS_HELP)
    if len(state.settings.datasets) > 1:
        titles = {name: DATASETS[name].title for name in state.settings.datasets}
        state.choose("dataset", "Data", titles)


def part_sliders(name: str) -> SliderLayout:
    """Return the sliders of a part with a slider ``name`` of its own."""
    return SliderLayout(
        hero="epsilon",
        main=(name, "clip_norm", "steps"),
        more=("learning_rate", "delta", "seed"),
    )


# Audits


def recorded_audits(result: Any) -> str:
    """Return the summary and the table of all recorded audits, whatever the result."""
    return audits_texts.summary() + audits_texts.table()


TABLE_TAB = Tab("table", "Table", ("table",))
AUDITS_TAB = Tab("audits", "Audits", ("audits",))


def part_page(
    texts: ModuleType,
    *,
    sliders: Callable[[AttackSettings], SliderLayout],
    charts: Callable[[Any], Rows],
    table: Callable[[Any], str] | None = None,
) -> Page:
    """Return the page of a part.

    texts: the module of its texts, which has the functions ``numbers``, ``verdict``,
        ``diagnostics`` and ``guarantee``, and ``SAYS`` with the texts "lead" and "caption".
    table: function of a result that returns the table (HTML) of a further tab.
    """
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
            suggestion=Suggestion("person", SAYS["move"], low=1),
        ),
        content=_part_content(texts, charts, table),
        exports=Exports(
            downloads=lambda result: result.frames(),
            label=labels.label_of("attack"),
        ),
        # A movement computes only what it must, so that the curve never lags behind the verdict.
        slices=Slices(moving=0),
    )


def _part_content(
    texts: ModuleType,
    charts: Callable[[Any], Rows],
    table: Callable[[Any], str] | None,
) -> Content:
    """Return what the page of a part shows. The arguments are those of ``part_page``."""
    page_texts: dict[str, Callable[[Any], str]] = {
        "verdict": texts.verdict,
        "caption": always(texts.SAYS["caption"]),
        "why": listed(texts.diagnostics),
        "guarantee": texts.guarantee,
        "audits": recorded_audits,
    }
    tabs = [WHY_TAB, GUARANTEE_TAB]
    if table is not None:
        page_texts["table"] = table
        tabs.append(TABLE_TAB)
    tabs.append(AUDITS_TAB)
    return Content(
        tiles=texts.numbers,
        texts=page_texts,
        charts=charts,
        tabs=tabs,
        lead=always(f"{texts.SAYS['lead']} {SAYS['presets']}"),
    )
