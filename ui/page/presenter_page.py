"""Reduce a page to what a presenter shows: one chart, three tiles, one slider and the verdict."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ui.page.page import Page, Rows, SliderLayout, always
from ui.text.tiles import Tile

_SENTENCE = re.compile(r"[.!?](?:</b>)? (?=[A-Z0-9<“])")


@lru_cache(maxsize=256)
def staged(page: Page, picture: str) -> Page:
    """Return ``page`` as it is presented, with this picture alone; with its first one if it has
    none of this name.
    """

    def only(result: Any) -> Rows:
        every = {one.name: one for row in page.pictures(result) for one in row}
        return [
            [
                replace(
                    every.get(picture) or next(iter(every.values())), height=0, wide=1.0, pair=False
                )
            ]
        ]

    def variant(settings: Any) -> Page | None:
        other = page.variant(settings) if page.variant else None
        return staged(other, picture) if other else None

    def hero(settings: Any) -> SliderLayout:
        whole = page.slider_layout(settings)
        return SliderLayout(hero=whole.hero, changes=whole.changes)

    return replace(
        page,
        aside=always(None),
        sliders=hero,
        numbers=lambda result: three(page.numbers(result)),
        words={"verdict": lambda result: heading(page.words["verdict"](result))},
        pictures=only,
        tabs=(),
        variant=variant,
        asked=None,
    )


def three(numbers: Sequence[Tile]) -> Sequence[Tile]:
    """Return at most three of the tiles: without the dots of single runs, or else without the
    third.
    """
    if len(numbers) < 4:
        return numbers
    out = next((one for one in numbers if "lab-dots" in one.mark), numbers[2])
    return [one for one in numbers if one is not out][:3]


def heading(verdict: str) -> str:
    """Return its first sentence as the heading, the others under it.

    >>> heading("Privacy costs <b>2 points</b>. A run may fail.")
    '<h1>Privacy costs <b>2 points</b>.</h1><p>A run may fail.</p>'
    """
    ends = (match.end() for match in _SENTENCE.finditer(verdict))
    end = next(
        (end for end in ends if verdict.count("<b>", 0, end) == verdict.count("</b>", 0, end)),
        len(verdict),
    )
    return f"<h1>{verdict[:end].strip()}</h1><p>{verdict[end:].strip()}</p>"
