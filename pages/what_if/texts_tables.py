"""The table of the curve."""

from functools import partial

from pages.what_if.findings import result_text
from pages.what_if.formats import (
    measure_text,
    slider_label,
    value_text,
)
from pages.what_if.result import WhatIfResult
from ui.text import tables
from ui.text.tiles import percent


def table(result: WhatIfResult) -> str:
    """Return the table of the curve."""
    settings = result.settings
    name = settings.x_field
    frame = result.table()[[name, "median", "share reaching"]]
    median_head, share_head = result_text(result, "table.heads").split(", ")
    return tables.table(
        frame,
        caption=result_text(result, "table.drawn"),
        heads={
            name: slider_label(name),
            "median": median_head,
            "share reaching": share_head,
        },
        formats={
            name: partial(value_text, settings, name),
            "median": partial(measure_text, settings),
            "share reaching": percent,
        },
        marked=value_text(settings, name, getattr(settings, name)),
    )
