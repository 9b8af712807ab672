"""The table of the curve."""

from functools import partial

from pages.what_if.findings import result_text
from pages.what_if.formats import (
    SAYS,
    measure_text,
    slider_label,
    target_text,
    value_text,
)
from pages.what_if.result import WhatIfResult
from ui.text import tables
from ui.text.tiles import percent


def table(result: WhatIfResult) -> str:
    """Return the table of the curve."""
    settings = result.settings
    name = settings.x_field
    columns = ("median", "share reaching")
    heads = SAYS.heads("table", columns, target=target_text(settings, settings.target))
    return tables.table(
        result.table(),
        caption=result_text(result, "table.drawn"),
        heads={name: slider_label(name), **heads},
        formats={
            name: partial(value_text, settings, name),
            "median": partial(measure_text, settings),
            "share reaching": percent,
        },
        marked=value_text(settings, name, getattr(settings, name)),
    )
