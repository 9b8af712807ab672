"""What the pages of one number, many answers and the local model share."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from pages.mechanisms.settings import NUMBER_MECHANISMS, RELEASED
from pages.mechanisms.texts_numbers import SAYS
from ui.page.page import Content, always, listed
from ui.page.view import Rows
from ui.session.page_state import PageState

# Heights of the charts in the first screen and in tabs, in pixels.
HEIGHT = 455
TAB_HEIGHT = 360

_RELEASED_HELP = SAYS["released"]
_MECHANISMS_HELP = SAYS["mechanisms"]


def main_choices(state: PageState) -> None:
    """Show the choices of what is released and, for one number, of the method."""
    state.choose("answers", "Released", RELEASED, wide=True, help=_RELEASED_HELP)
    if state.settings.answers == "one":
        state.choose("mechanism", "Method", NUMBER_MECHANISMS, wide=True, help=_MECHANISMS_HELP)


def make_content(texts: ModuleType, charts: Callable[[Any], Rows]) -> Content:
    """Return the content of the page of many answers, or of the local model.

    texts: the module of its texts, which has the functions ``numbers``, ``verdict``,
        ``diagnostics`` and ``guarantee``, and ``SAYS`` with a section "page".
    """
    return Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": always(texts.SAYS["page.caption"]),
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
        },
        charts=charts,
        lead=always(texts.SAYS["page.lead"]),
    )
