"""Tables of the planner: the cost of tuning, the configurations tried, and the curve in numbers."""

from lab.papers import short
from pages.what_if.experiment import OTHER_SEEDS, WhatIfSettings
from pages.what_if.result import WhatIfResult
from pages.what_if.words import SAYS, amount, at, interval, label, low, tell
from ui import panels
from ui.panels import number, percent
from ui.plot import theme


def price(result: WhatIfResult) -> str:
    """Return what looking for an answer costs, by what is released, and what choosing epsilon in this way costs."""
    settings, prices = result.settings, result.prices
    if settings.exact:
        return panels.note(SAYS["cost.exact"])
    honest = panels.note(SAYS("cost.honest", papers=f"{short('ligett2017')}; {short('ghazi2025')}"))
    if not prices:
        return panels.note(SAYS["cost.void"]) + _used(result) + honest
    one = prices["public"]
    rows = [
        {"way": SAYS[f"cost.{way}"], "epsilon": found.epsilon, "delta": found.delta, "basis": found.basis}
        for way, found in prices.items()
    ]
    table = panels.table(
        rows,
        title=SAYS("cost.title", tries=settings.tries, **_pair(one)),
        caption=SAYS("cost.caption", adjacency=one.adjacency, unit=one.unit, tries=settings.tries),
        heads=dict(zip(rows[0], SAYS["cost.heads"].split(", "), strict=True)),
        formats={"epsilon": number, "delta": _delta},
    )
    return _used(result) + table + honest


def _delta(value: float) -> str:
    return theme.delta(value, digits=3)


def _pair(held) -> dict[str, str]:
    return {"epsilon": number(held.epsilon), "delta": _delta(held.delta)}


def _used(result: WhatIfResult) -> str:
    spent, each = result.used_up, {runs for _, runs in result.used}
    holes = {"trainings": sum(runs for _, runs in result.used), "settings": len(result.used), "each": min(each)}
    said = [
        SAYS("cost.used_alike" if len(each) == 1 else "cost.used", **holes),
        SAYS["cost.none"] if spent is None else SAYS("cost.together", **_pair(spent)),
        SAYS["cost.own_rows" if result.settings.own_rows else "cost.public_rows"],
    ]
    return panels.note(" ".join(said))


def search(result: WhatIfResult) -> str:
    settings = result.settings
    if not settings.tried:
        return panels.note(SAYS["search.fixed"])
    frame, winner = result.search(), result.winner
    if not len(frame):
        return panels.note(SAYS["search.waiting"])
    names = [name for name in frame.columns if name != "chosen"]
    again = [SAYS["search.once"]] * len(frame)
    if winner:
        again[0] = amount(settings, winner.again_median) if len(winner.again) else "…"
    frame = frame.sort_values("chosen", ascending=settings.asked.better == "lower").assign(again=again)
    ranges = ", ".join(
        SAYS("search.range", name=low(name), low=at(settings, name, one), high=at(settings, name, other))
        for name, (one, other) in settings.settings.tuned.items()
        if name in names
    )
    heads = zip(("chosen", "again"), SAYS["search.heads"].split(", "), strict=True)
    return panels.table(
        frame,
        title=SAYS("search.title", tries=len(frame)),
        caption=SAYS("search.caption", ranges=ranges, splits=OTHER_SEEDS),
        heads={name: label(name) for name in names} | dict(heads),
        formats={name: _at(settings, name) for name in names} | {"chosen": lambda value: amount(settings, value)},
    )


def _at(settings: WhatIfSettings, name: str):
    return lambda value: at(settings, name, value)


def table(result: WhatIfResult) -> str:
    settings, frame, name = result.settings, result.table(), result.settings.along
    frame["range"] = [interval(settings, ends) for ends in zip(frame["low"], frame["high"], strict=True)]
    said = tell(result, "table.heads").split(", ")
    heads = dict(zip(("median", "range", "share reaching"), said, strict=True))
    return panels.table(
        frame,
        caption=tell(result, "table.exact" if settings.exact else "table.drawn"),
        heads={name: label(name), "median": heads["median"]} | ({} if settings.exact else heads),
        formats={name: _at(settings, name), "median": lambda value: amount(settings, value), "share reaching": percent},
        now=at(settings, name, getattr(settings, name)),
    )
