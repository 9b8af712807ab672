"""Tables of the planner: the cost of tuning, and the curve in numbers."""

from functools import partial

from lab.papers import short
from pages.what_if.findings import result_text
from pages.what_if.formats import (
    SAYS,
    measure_range_text,
    measure_text,
    slider_label,
    value_text,
)
from pages.what_if.result import WhatIfResult
from ui.text import tables, tiles
from ui.text.numbers import delta
from ui.text.tiles import number, percent, unit_word

# Cost of tuning


def price(result: WhatIfResult) -> str:
    """Return the cost of the answer's search, and of one on private rows."""
    papers = f"{short('ligett2017')}; {short('ghazi2025')}"
    honest = tiles.note(SAYS("cost.honest", papers=papers))
    public_rows = tiles.note(SAYS["cost.public_rows"])
    if not result.prices:
        return tiles.note(SAYS["cost.void"]) + public_rows + honest
    return public_rows + _price_table(result) + honest


def _price_table(result: WhatIfResult) -> str:
    """Return the cost of a search by the way of its release."""
    tries = result.settings.tries
    one_run = result.prices["public"]
    rows = []
    for way, cost in result.prices.items():
        row = {
            "way": SAYS[f"cost.{way}"],
            "epsilon": cost.epsilon,
            "delta": cost.delta,
            "basis": cost.basis,
        }
        rows.append(row)
    unit = unit_word(one_run.unit)
    return tables.table(
        rows,
        title=SAYS(
            "cost.title",
            tries=tries,
            epsilon=number(one_run.epsilon),
            delta=_delta_text(one_run.delta),
        ),
        caption=SAYS("cost.caption", adjacency=one_run.adjacency, unit=unit, tries=tries),
        heads=dict(zip(rows[0], SAYS["cost.heads"].split(", "), strict=True)),
        formats={"epsilon": number, "delta": _delta_text},
    )


def _delta_text(value: float) -> str:
    """Return a delta with three digits."""
    return delta(value, digits=3)


# Curve


def table(result: WhatIfResult) -> str:
    """Return the table of the curve."""
    settings = result.settings
    name = settings.x_field
    frame = result.table()
    ranges = []
    for low, high in zip(frame["low"], frame["high"], strict=True):
        ranges.append(measure_range_text(settings, low, high))
    frame["range"] = ranges
    median_head, range_head, share_head = result_text(result, "table.heads").split(", ")
    return tables.table(
        frame,
        caption=result_text(result, "table.drawn"),
        heads={
            name: slider_label(name),
            "median": median_head,
            "range": range_head,
            "share reaching": share_head,
        },
        formats={
            name: partial(value_text, settings, name),
            "median": partial(measure_text, settings),
            "share reaching": percent,
        },
        marked=value_text(settings, name, getattr(settings, name)),
    )
