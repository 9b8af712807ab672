"""The big numbers of an answer."""

from html import escape

from lab.crossing import Answer, Crossing
from pages.what_if import words_parts as phrases
from pages.what_if.experiment import WhatIfResult, WhatIfSettings
from pages.what_if.words_asked import capital, today
from pages.what_if.words_parts import amount, at, interval, label, low, noun, signed, spread, target
from ui import outcomes
from ui.panels import Number, number
from ui.plot import theme


def numbers(result: WhatIfResult) -> list[Number]:
    """The answer, what single runs do, what holds today, and what looking for it costs."""
    own = {"accuracy": _accuracies, "best": _bests, "versus": _versus}.get(result.settings.asks, _solved)
    return [one for one in (*own(result), _price(result)) if one]


def _tile(result: WhatIfResult, name: str, mean: float, note: str, tone: str = "") -> Number:
    unit = "points" if result.settings.asked.unit == "%" else noun(result.settings)
    shown = result.settings.scale * mean
    return Number(name, amount(result.settings, mean), note, tone=tone, amount=shown, unit=unit)


# What a number is that no random run is needed for.
NO_ERROR = "no sampling error"


def _today(result: WhatIfResult) -> Number:
    """What the base reaches, and how many of its runs reach the target."""
    settings, one = result.settings, result.average(result.now)
    note = NO_ERROR if settings.exact else f"{hits(result)} {target(settings)}"
    return _tile(result, f"Now, {today(settings, settings.along)}", one.mean, note)


def hits(result: WhatIfResult) -> str:
    return f"{result.hits_now} of {len(result.now)} runs {'reaches' if result.hits_now == 1 else 'reach'}"


def _accuracies(result: WhatIfResult) -> list[Number]:
    settings, one = result.settings, result.average(result.now)
    name = capital(f"{noun(settings)} {today(settings, settings.along)}")
    if settings.exact:
        return [_tile(result, name, one.mean, NO_ERROR, "private"), _target(result)]
    least, most = result.nine_in_ten(result.now)
    ends = interval(settings, (least, most))
    return [
        _tile(result, name, one.mean, f"{interval(settings, (one.low, one.high))}, 95 % confidence", "private"),
        Number("Nine runs in ten", ends, f"of {len(result.now)} runs"),
        Number(f"Reach {target(settings)}", f"{result.hits_now} <small>of {len(result.now)} runs</small>"),
    ]


def _target(result: WhatIfResult) -> Number:
    reached = bool(result.hits_now)
    return Number(f"Target {target(result.settings)}", "reached" if reached else "not reached")


def _solved(result: WhatIfResult) -> list[Number]:
    settings = result.settings
    found = result.crossed(settings.reached)
    if found is None and settings.exact and settings.solved:
        return [Number(_asks(result), "…", "being solved", tone="bound"), _today(result)]
    if settings.exact and not settings.solved:
        values = len(result.curve.values)
        share = f"{int((result.hits > 0).sum())} <small>of {outcomes.count(values, 'value')}</small>"
        return [Number(f"Reach {target(settings)}", share, NO_ERROR, tone="bound"), _today(result)]
    if not result.direction:
        return [_within(result), _today(result)]
    answer = [_first(result, found)]
    if settings.exact:
        return [*answer, _today(result)]
    other = "most" if settings.reached == "mean" else "mean"
    return [*answer, _second(result, other), _today(result)]


def _asks(result: WhatIfResult) -> str:
    """What the answer is, in a few words."""
    settings = result.settings
    return f"{_which(result)} {low(settings.along)} for {target(settings)}"


def _which(result: WhatIfResult) -> str:
    """What the answer is among the values that reach the target."""
    settings, falls = result.settings, result.direction == "falls"
    if phrases.counted(settings, settings.along):
        return "Most" if falls else "Fewest"
    return "Largest" if falls else "Smallest"


def _first(result: WhatIfResult, found: Crossing) -> Number:
    """The answer, with its interval."""
    settings, value = result.settings, result.main
    if value is None:
        return Number(_asks(result), _no_value(result, found), _reached_by(settings), tone="bound")
    note = NO_ERROR
    if not settings.exact and settings.reached == "mean":
        note = f"average run; {between(result, found)}"
    elif not settings.exact:
        note = f"9 runs in 10; {did(result, found)}"
    return Number(
        _asks(result), phrases.answer(result, value), note, tone="bound", amount=value, unit=label(settings.along)
    )


def _no_value(result: WhatIfResult, found: Answer) -> str:
    """In place of a value, where there is none, or none yet."""
    if result.trained < 1:
        return "…"
    return {"everywhere": "everywhere", "nowhere": "none"}.get(found.verdict, "<small>cannot be told</small>")


def between(result: WhatIfResult, found: Crossing) -> str:
    """The ends of a crossing's interval."""
    settings, name = result.settings, result.settings.along
    ends = [at(settings, name, end) if end is not None else "" for end in (found.low, found.high)]
    if not ends[0]:
        return f"at most {ends[1]}"
    if ends[0] == ends[1]:
        return ends[0]
    return f"{ends[0]} to {ends[1]}" if ends[1] else f"at least {ends[0]}"


def did(result: WhatIfResult, found: Crossing) -> str:
    """How many did at the safe value."""
    own = len(result.now) // result.settings.seeds
    return f"{round(found.share_safe * own)} of {own} did"


def _second(result: WhatIfResult, reached: str) -> Number:
    """The same question about single runs, or about their average."""
    settings, found = result.settings, result.crossed(reached)
    name = "For 9 runs in 10" if reached == "most" else "For the average run"
    if found.verdict == "found":
        value = found.safe if reached == "most" else found.point
        note = did(result, found) if reached == "most" else between(result, found)
        return Number(name, at(settings, settings.along, value), note)
    return Number(name, _no_value(result, found), f"from {outcomes.count(len(result.now), 'run')} at each value")


def _reached_by(settings: WhatIfSettings) -> str:
    return "average run" if settings.reached == "mean" else "9 runs in 10"


def _within(result: WhatIfResult) -> Number:
    """The values that reach the target, where the measure may go up and down along the knob."""
    settings, found = result.settings, result.reaching
    name = f"{label(settings.along)} for {target(settings)}"
    if not found.intervals:
        return Number(name, _no_value(result, found), _reached_by(settings), "bound")
    said = phrases.stretch(settings, found.intervals[0][0], found.intervals[-1][1])
    said = said.replace(" to ", " <small>to</small> ")
    gaps = "" if len(found.intervals) == 1 else f", in {len(found.intervals)} stretches"
    return Number(name, said, f"{_reached_by(settings)}{gaps}", tone="bound")


def _bests(result: WhatIfResult) -> list[Number]:
    settings, winner = result.settings, result.winner
    if winner is None:
        done = f"{len(result.tries)} of {len(settings.tried)} tries"
        return [Number("Best setting", "…", done, tone="bound"), _today(result)]
    chosen = _tile(result, "Chosen by", winner.chosen, "the best of many is lucky too")
    if not len(winner.again):
        return [Number("Measured again", "…", "on other splits", tone="bound"), chosen, _today(result)]
    note = f"mean of {outcomes.count(len(winner.again), 'other split')}"
    base = _tile(result, "Yours, on the same splits", float(winner.base.mean()), f"here {mean(result)}")
    return [_tile(result, "Best, measured again", float(winner.again.mean()), note, "bound"), chosen, base]


def mean(result: WhatIfResult) -> str:
    return amount(result.settings, float(result.now.mean()))


def _versus(result: WhatIfResult) -> list[Number]:
    settings, theirs = result.settings, result.of(result.settings.rival)
    run = "" if settings.exact else ", average run"
    mine = _tile(result, f"A{run}", float(result.now.mean()), _said(settings, settings.settings), "private")
    if theirs is None or not result.complete:
        return [mine, Number("B", "…", "being trained")]
    other = _tile(result, f"B{run}", float(theirs.mean()), _said(settings, settings.rival))
    return [_gap(result), mine, other]


def _said(settings: WhatIfSettings, one) -> str:
    """What is different in A, or in B."""
    words = []
    for name in [*settings.different][:2]:
        value = getattr(one, name)
        shown = escape(value.replace("_", " ")) if isinstance(value, str) else at(settings, name, value)
        words.append(shown if isinstance(value, str) else f"{low(name)} {shown}")
    return ", ".join(words) or "the same"


def _gap(result: WhatIfResult) -> Number:
    settings, one = result.settings, result.difference
    if one is None:
        gap = float(result.now.mean() - result.of(settings.rival).mean())
        return Number("A less B", signed(settings, gap), NO_ERROR, tone="bound")
    pairs = f"{one.pairs} {'splits' if result.compared > 1 else 'pairs'}" if one.paired else "two groups"
    note = "in every pair" if one.sure else f"{spread(settings, one)}, {pairs}"
    return Number("A less B", signed(settings, one.mean), note, tone="bound")


def _price(result: WhatIfResult) -> Number | None:
    """What it costs to have looked, where the rows are private."""
    settings, prices = result.settings, result.prices
    if settings.exact:
        return Number("Price of searching", "none", "no row is looked at")
    if not prices:
        return Number("Price of searching", "no limit", "one run promises nothing")
    one, total = prices["public"], sum(runs for _, runs in result.used)
    delta = f", delta {theme.delta(one.delta, digits=3)}" if one.delta else ""
    return Number("Trainings used", f"{total:,}", f"each costs epsilon {number(one.epsilon)}{delta}")
