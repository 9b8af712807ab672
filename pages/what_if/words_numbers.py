"""The tiles of an answer, and the explanation under its charts."""

from html import escape

from lab.crossing import Answer, Crossing, Found
from lab.settings import Spread
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.result import WhatIfResult
from pages.what_if.words import (
    SAYS,
    amount,
    answer,
    at,
    basis,
    counted,
    interval,
    label,
    named,
    noun,
    points,
    signed,
    span,
    spread,
    stretch,
    sure,
    tell,
)
from ui.panels import Number, number
from ui.plot import theme

# The note of a number that needs no random runs.
NO_ERROR = SAYS["tiles.exact"]


def numbers(result: WhatIfResult) -> list[Number]:
    """Return the answer, what single runs do, what holds now, and what looking for it costs."""
    own = {"accuracy": _accuracies, "best": _bests, "versus": _versus}.get(result.settings.asks, _solved)
    return [*own(result), _cost(result)]


def _tile(result: WhatIfResult, name: str, value: float, note: str, tone: str = "") -> Number:
    unit = "points" if result.settings.asked.unit == "%" else noun(result.settings)
    shown = result.settings.scale * value
    return Number(name, amount(result.settings, value), note, tone=tone, amount=shown, unit=unit)


def _now(result: WhatIfResult) -> Number:
    """Return what the base reaches, and how many of its runs reach the target."""
    note = NO_ERROR if result.settings.exact else tell(result, "tiles.hits")
    return _tile(result, tell(result, "tiles.now"), result.median(result.now), note)


def _accuracies(result: WhatIfResult) -> list[Number]:
    settings, one, name = result.settings, result.typical(result.now), tell(result, "tiles.measure")
    if settings.exact:
        reached = Number(tell(result, "tiles.target"), SAYS["tiles.yes" if result.hits_now else "tiles.no"])
        return [_tile(result, name, one.median, NO_ERROR, "private"), reached]
    ends = interval(settings, Spread.of(result.now)[::2])
    return [
        _tile(result, name, one.median, SAYS("tiles.median", sure=sure(settings, one)), "private"),
        Number(SAYS["tiles.range"], ends, tell(result, "tiles.range_note")),
        Number(tell(result, "tiles.reach"), tell(result, "tiles.reach_value")),
    ]


def _solved(result: WhatIfResult) -> list[Number]:
    settings = result.settings
    found = result.crossed(settings.reached)
    if settings.exact and not settings.solved:
        hits, values = int((result.hits > 0).sum()), len(result.curve.values)
        share = tell(result, "tiles.reach_values", hits=hits, values=values)
        return [Number(tell(result, "tiles.reach"), share, NO_ERROR, tone="bound"), _now(result)]
    if found is None and settings.exact:
        return [Number(_asks(result), "…", SAYS["tiles.solving"], tone="bound"), _now(result)]
    if found is None or not result.direction:
        return [_within(result), _now(result)]
    if settings.exact:
        return [_first(result, found), _now(result)]
    other = "most" if settings.reached == "median" else "median"
    return [_first(result, found), _second(result, other), _now(result)]


def _asks(result: WhatIfResult) -> str:
    """Return the name of the answer, by what it is among the values that reach the target."""
    falls = result.direction == "falls"
    count, size = ("most", "largest") if falls else ("fewest", "smallest")
    return tell(result, f"tiles.{count if counted(result.settings, result.settings.along) else size}")


def _by(settings: WhatIfSettings) -> str:
    return SAYS[f"tiles.by_{settings.reached}"]


def _first(result: WhatIfResult, found: Crossing) -> Number:
    settings, value = result.settings, result.main
    if value is None or not isinstance(found, Found):
        return Number(_asks(result), _no_value(result, found), _by(settings), tone="bound")
    note = NO_ERROR
    if not settings.exact:
        told = between(result, found) if settings.reached == "median" else did(result, found)
        note = SAYS("tiles.found", who=_by(settings), found=told)
    return Number(_asks(result), answer(result, value), note, tone="bound", amount=value, unit=label(settings.along))


def _no_value(result: WhatIfResult, found: Answer) -> str:
    """Return what stands in place of a value, where there is none, or none yet."""
    return SAYS[f"tiles.{found.verdict}"] if result.trained == 1 else "…"


def between(result: WhatIfResult, found: Found) -> str:
    """Return the ends of a crossing's interval. The safe value is the upper one: what is drawn falls along nothing."""
    settings, name = result.settings, result.settings.along
    high = at(settings, name, found.safe)
    return SAYS("interval.below", high=high) if found.low is None else span(at(settings, name, found.low), high)


def did(result: WhatIfResult, found: Found) -> str:
    """Return how many runs reach the target at the safe value."""
    own = len(result.now) // result.settings.seeds
    return SAYS("interval.did", hits=round(found.share_safe * own), runs=own)


def _second(result: WhatIfResult, reached: str) -> Number:
    """Return the answer to the same question about single runs, or about the median run."""
    settings, found, name = result.settings, result.crossings[reached], SAYS[f"tiles.for_{reached}"]
    if not isinstance(found, Found):
        return Number(name, _no_value(result, found), tell(result, "tiles.each"))
    value, note = (found.safe, did) if reached == "most" else (found.point, between)
    return Number(name, at(settings, settings.along, value), note(result, found))


def _within(result: WhatIfResult) -> Number:
    settings, found, name = result.settings, result.reaching, tell(result, "tiles.within")
    if not found.intervals:
        return Number(name, _no_value(result, found), _by(settings), "bound")
    note = _by(settings)
    if len(found.intervals) > 1:
        note = SAYS("tiles.intervals", who=note, count=len(found.intervals))
    return Number(name, stretch(settings, found.intervals[0][0], found.intervals[-1][1]), note, "bound")


def _bests(result: WhatIfResult) -> list[Number]:
    settings, winner = result.settings, result.winner
    if winner is None:
        done = SAYS("tiles.tried", done=len(result.tries), tries=len(settings.tried))
        return [Number(SAYS["tiles.best"], "…", done, tone="bound"), _now(result)]
    note = SAYS("tiles.selected_note", tries=len(settings.tried))
    chosen = _tile(result, SAYS["tiles.selected"], winner.chosen, note)
    if not len(winner.again):
        return [Number(SAYS["tiles.again"], "…", SAYS["tiles.again_wait"], tone="bound"), chosen, _now(result)]
    note = SAYS("tiles.again_note", splits=len(winner.again))
    here = SAYS("tiles.yours_note", median=amount(settings, result.median(result.now)))
    base = _tile(result, SAYS["tiles.yours"], winner.base_median, here)
    return [_tile(result, SAYS["tiles.again"], winner.again_median, note, "bound"), chosen, base]


def _versus(result: WhatIfResult) -> list[Number]:
    settings, theirs = result.settings, result.of(result.settings.rival)
    a, b = ("A", "B") if settings.exact else (SAYS["tiles.a"], SAYS["tiles.b"])
    mine = _tile(result, a, result.median(result.now), _said(settings, settings.settings), "private")
    if theirs is None or not result.complete:
        return [mine, Number(b, "…", SAYS["tiles.training"])]
    other = result.median(theirs)
    return [_gap(result, other), mine, _tile(result, b, other, _said(settings, settings.rival))]


def _said(settings: WhatIfSettings, one: object) -> str:
    words = []
    for name in [*settings.different][:2]:
        value = getattr(one, name)
        words.append(escape(value.replace("_", " ")) if isinstance(value, str) else named(settings, name, value))
    return ", ".join(words) or SAYS["tiles.same"]


def _gap(result: WhatIfResult, other: float) -> Number:
    settings, one = result.settings, result.difference
    if one is None:
        gap = result.median(result.now) - other
        return Number(SAYS["tiles.gap"], signed(settings, gap), NO_ERROR, tone="bound")
    case = "every" if one.sure else basis(result, one)
    note = SAYS(f"tiles.{case}", spread=spread(settings, one), pairs=one.pairs)
    return Number(SAYS["tiles.gap"], signed(settings, one.median), note, tone="bound")


def _cost(result: WhatIfResult) -> Number:
    """Return what it costs to have looked, where the rows are private."""
    if result.settings.exact or not result.prices:
        case = "free" if result.settings.exact else "unlimited"
        return Number(SAYS["tiles.cost"], SAYS[f"tiles.{case}"], SAYS[f"tiles.{case}_note"])
    one, total = result.prices["public"], sum(runs for _, runs in result.used)
    case = "used_delta" if one.delta else "used_note"
    case = case if len({getattr(used, "epsilon", 0) for used, _ in result.used}) == 1 else "used_apart"
    note = SAYS(f"tiles.{case}", epsilon=number(one.epsilon), delta=theme.delta(one.delta, digits=3))
    return Number(SAYS["tiles.used"], f"{total:,}", note)


# ---- explanation


def caption(result: WhatIfResult) -> str:
    """Return that nothing is sampled, or what the strip is, where there is one; a handout has no help texts."""
    if result.settings.exact:
        return SAYS["caption.exact"]
    return SAYS["caption.strip"] if result.settings.asks != "best" and result.spans else ""


def why(result: WhatIfResult) -> list[str]:
    settings = result.settings
    if settings.exact:
        return [SAYS["why.exact"]]
    single = tell(result, "why.single", range=interval(settings, Spread.of(result.now)[::2]))
    return [one for one in (_splits(result), single, _bars(result), _lucky(result)) if one]


def _splits(result: WhatIfResult) -> str:
    """Return whether this is about one split of the data, and how far splits differ."""
    settings = result.settings
    if settings.seeds == 1:
        return SAYS("why.one_split", seed=settings.settings.seed, repeats=settings.repeats)
    if not result.complete:
        return ""
    across, within = (points(settings, one) for one in result.splits)
    return SAYS("why.splits", splits=settings.seeds, repeats=settings.repeats, across=across, within=within)


def _bars(result: WhatIfResult) -> str:
    paired = [one.difference.paired for both in result.effects.values() for one in both]
    if not paired:
        return ""
    case = "pairs" if all(paired) else "mixed" if any(paired) else "groups"
    case = "splits" if result.compared > 1 else case
    return SAYS(f"why.bars_{case}", splits=result.compared, bars=len(paired), pairs=sum(paired))


def _lucky(result: WhatIfResult) -> str:
    """Return how much of the winner's number was luck."""
    settings, winner = result.settings, result.winner
    if winner is None or not len(winner.again):
        return ""
    chosen, again = (amount(settings, median) for median in (winner.chosen, winner.again_median))
    return SAYS("why.lucky", tries=len(settings.tried), splits=len(winner.again), chosen=chosen, again=again)
