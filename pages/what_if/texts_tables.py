"""Tables of the planner: the cost of tuning, the configurations tried, and the curve in numbers."""

from collections.abc import Callable
from functools import partial

from dpcore.privacy import Guarantee
from lab.papers import short
from pages.what_if.experiment import OTHER_SEEDS, WhatIfSettings
from pages.what_if.result import WhatIfResult
from pages.what_if.texts import SAYS, amount, at, interval, label, low, tell
from ui.text import tiles
from ui.text.numbers import delta
from ui.text.tiles import number, percent, unit_word


def price(result: WhatIfResult) -> str:
    """Return what the runs of the answer cost, and what a search on private rows would cost, by
    what is released.
    """
    settings = result.settings
    honest = tiles.note(SAYS("cost.honest", papers=f"{short('ligett2017')}; {short('ghazi2025')}"))
    if not result.prices:
        return tiles.note(SAYS["cost.void"]) + _used(result) + honest
    one = result.prices["public"]
    rows = []
    for way, cost in result.prices.items():
        rows.append(
            {
                "way": SAYS[f"cost.{way}"],
                "epsilon": cost.epsilon,
                "delta": cost.delta,
                "basis": cost.basis,
            }
        )
    table = tiles.table(
        rows,
        title=SAYS("cost.title", tries=settings.tries, **_pair(one)),
        caption=SAYS(
            "cost.caption", adjacency=one.adjacency, unit=unit_word(one.unit), tries=settings.tries
        ),
        heads=dict(zip(rows[0], SAYS["cost.heads"].split(", "), strict=True)),
        formats={"epsilon": number, "delta": _delta},
    )
    return _used(result) + table + honest


def _delta(value: float) -> str:
    return delta(value, digits=3)


def _pair(guarantee: Guarantee) -> dict[str, str]:
    return {"epsilon": number(guarantee.epsilon), "delta": _delta(guarantee.delta)}


def _used(result: WhatIfResult) -> str:
    """Return how many runs the answer uses, and what releasing all of them would cost."""
    counts = [runs for _, runs in result.used]
    case = "used_alike" if len({*counts}) == 1 else "used"
    texts = [SAYS(f"cost.{case}", trainings=sum(counts), settings=len(counts), each=min(counts))]
    if result.used_up is None:
        texts.append(SAYS["cost.none"])
    else:
        texts.append(SAYS("cost.together", **_pair(result.used_up)))
    texts.append(
        SAYS["cost.own_rows" if result.settings.reads_private_rows else "cost.public_rows"]
    )
    return tiles.note(" ".join(texts))


def search(result: WhatIfResult) -> str:
    """Return the table of the configurations tried, the best first."""
    settings = result.settings
    if not settings.tried:
        return tiles.note(SAYS["search.fixed"])
    frame = result.search()
    if not len(frame):
        return tiles.note(SAYS["search.waiting"])
    names = [name for name in frame.columns if name != "chosen"]
    frame = frame.sort_values("chosen", ascending=settings.asked.better == "lower").assign(
        again=_retests(result)
    )
    chosen_head, again_head = SAYS["search.heads"].split(", ")
    return tiles.table(
        frame,
        title=SAYS("search.title", tries=len(frame)),
        caption=SAYS("search.caption", ranges=_ranges(settings, names), splits=OTHER_SEEDS),
        heads={name: label(name) for name in names} | {"chosen": chosen_head, "again": again_head},
        formats={name: _format(settings, name) for name in names}
        | {"chosen": partial(amount, settings)},
    )


def _retests(result: WhatIfResult) -> list[str]:
    """Return the column of retests: only the best configuration has one."""
    texts = [SAYS["search.once"]] * len(result.tries)
    winner = result.winner
    if winner:
        texts[0] = amount(result.settings, winner.again_median) if len(winner.again) else "…"
    return texts


def _ranges(settings: WhatIfSettings, names: list[str]) -> str:
    texts = []
    for name, (least, most) in settings.settings.tuned.items():
        if name in names:
            ends = {"low": at(settings, name, least), "high": at(settings, name, most)}
            texts.append(SAYS("search.range", name=low(name), **ends))
    return ", ".join(texts)


def _format(settings: WhatIfSettings, name: str) -> Callable[[float], str]:
    return partial(at, settings, name)


def table(result: WhatIfResult) -> str:
    """Return the table of the curve."""
    settings = result.settings
    name = settings.along
    frame = result.table()
    frame["range"] = [
        interval(settings, ends) for ends in zip(frame["low"], frame["high"], strict=True)
    ]
    heads = tell(result, "table.heads").split(", ")
    return tiles.table(
        frame,
        caption=tell(result, "table.drawn"),
        heads={name: label(name)}
        | dict(zip(("median", "range", "share reaching"), heads, strict=True)),
        formats={
            name: _format(settings, name),
            "median": partial(amount, settings),
            "share reaching": percent,
        },
        marked=at(settings, name, getattr(settings, name)),
    )
