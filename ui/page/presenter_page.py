"""Reduce a page to what a presenter shows: one chart, three tiles, one slider and the verdict."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ui.page.page import Page
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.text.tiles import Tile

_MOST_TILES = 3
# The dots of single repeats, which cannot be seen from afar.
_DOTS = "lab-dots"
_SENTENCE_END = re.compile(r"[.!?](?:</b>)? (?=[A-Z0-9<“])")


@lru_cache(maxsize=256)
def presenter_page(page: Page, chart_name: str) -> Page:
    """Return the page as it is presented, with one chart.

    chart_name: The chart's name. Any other text stands for the first chart.
    """

    def one_chart(result: Any) -> Rows:
        charts = {chart.name: chart for row in page.content.charts(result) for chart in row}
        first_chart = next(iter(charts.values()))
        chart = charts.get(chart_name, first_chart)
        return [[replace(chart, height=0, wide=1.0, pair=False)]]

    def variant(settings: Any) -> Page | None:
        page_variant = None
        if page.variant is not None:
            page_variant = page.variant(settings)
        if page_variant is None:
            return None
        return presenter_page(page_variant, chart_name)

    def hero_only(settings: Any) -> SliderLayout:
        layout = page.slider_layout(settings)
        return SliderLayout(hero=layout.hero, changes=layout.changes)

    def tiles(result: Any) -> Sequence[Tile]:
        return presenter_tiles(page.content.tiles(result))

    def verdict(result: Any) -> str:
        return verdict_with_heading(page.content.texts["verdict"](result))

    return replace(
        page,
        controls=replace(page.controls, sliders=hero_only),
        content=replace(
            page.content, tiles=tiles, texts={"verdict": verdict}, charts=one_chart, tabs=()
        ),
        variant=variant,
        question_tab=None,
    )


def presenter_tiles(tiles: Sequence[Tile]) -> Sequence[Tile]:
    """Return at most three tiles; leave out the one with dots of single repeats, or the third."""
    if len(tiles) <= _MOST_TILES:
        return tiles
    left_out = 2
    for index, tile in enumerate(tiles):
        if _DOTS in tile.mark:
            left_out = index
            break
    kept = [tile for index, tile in enumerate(tiles) if index != left_out]
    return kept[:_MOST_TILES]


def verdict_with_heading(verdict: str) -> str:
    """Return a verdict (HTML) with its first sentence as the heading.

    >>> verdict_with_heading("Privacy costs <b>2 points</b>. A run may fail.")
    '<h1>Privacy costs <b>2 points</b>.</h1><p>A run may fail.</p>'
    """
    end = _first_sentence_end(verdict)
    return f"<h1>{verdict[:end].strip()}</h1><p>{verdict[end:].strip()}</p>"


def _first_sentence_end(verdict: str) -> int:
    """Return the end of the first sentence that ends outside of bold text."""
    for match in _SENTENCE_END.finditer(verdict):
        end = match.end()
        if verdict.count("<b>", 0, end) == verdict.count("</b>", 0, end):
            return end
    return len(verdict)
