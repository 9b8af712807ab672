"""What the planner calls things: formats of numbers and settings, and the texts of its charts."""

import math
import re
from collections.abc import Sequence
from html import escape

from lab.differences import Difference
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.figures import SAYS
from pages.what_if.measured import Effect
from pages.what_if.result import WhatIfResult
from ui import outcomes, panels
from ui.panels import number
from ui.vocabulary import KNOBS
from ui.vocabulary import in_sentence as low


def tell(result: WhatIfResult, key: str, **holes: object) -> str:
    """Return a sentence about a result; holes that many sentences share are filled here."""
    settings, values = result.settings, [*result.settings.around.curve]
    first, last = (at(settings, settings.along, end) for end in (values[0], values[-1]))
    about = words_of(settings) | {"hits": result.hits_now, "runs": len(result.now), "first": first, "last": last}
    return SAYS(key, **about | holes)


def words_of(settings: WhatIfSettings) -> dict[str, str]:
    """Return what the sentences of a question call its parts."""
    measure, setting = noun(settings), named(settings, settings.along, getattr(settings, settings.along))
    the = measure if measure == "epsilon" else f"the {measure}"
    found = {"measure": measure, "the": the, "Measure": measure[0].upper() + measure[1:], "setting": setting}
    target = shown(settings, settings.target)
    return found | {"target": target, "name": low(settings.along), "label": label(settings.along)}


def of_private_rows(settings: WhatIfSettings) -> str:
    """Return, in markdown, what no guarantee covers where a visitor's own rows answer."""
    return SAYS("own-rows", count=len(settings.compares))


# ---- settings and numbers


def label(name: str) -> str:
    return KNOBS[name]["label"]


def at(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value; an estimate of a whole number with three digits."""
    if _whole(settings, name) and (float(value).is_integer() or value < 100):
        return f"{round(value):,}"
    return number(value)


def rough(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with two digits, where there is little room."""
    return at(settings, name, value if _whole(settings, name) else float(f"{value:.2g}"))


def _whole(settings: WhatIfSettings, name: str) -> bool:
    return isinstance(settings.limits[name][0], int)


def counted(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter says how many of something there are."""
    return _whole(settings, name) and label(name).endswith("s")


def named(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return "epsilon 0.5" or "50 steps"."""
    value_shown = at(settings, name, value)
    many = counted(settings, name) and value_shown != "1"
    return SAYS("setting.many" if many else "setting.one", name=low(name), value=value_shown)


def stretch(settings: WhatIfSettings, first: float, last: float) -> str:
    """Return values of the parameter from one to another."""
    return span(*(at(settings, settings.along, value) for value in (first, last)))


def span(one: str, other: str) -> str:
    """Return two numbers as a range, or one where both look alike."""
    return one if one == other else SAYS("interval.between", low=one, high=other)


def noun(settings: WhatIfSettings) -> str:
    """Return what is measured, in a word or two."""
    if settings.measure == "attacker":
        return "attacker's accuracy"
    if settings.measure.startswith("recall"):  # of a class, whose name a visitor may have typed
        return escape(settings.asked.label.partition(" from ")[0])
    return re.split(r",| of | on | by | from | over | with | at | \(", settings.asked.label)[0]


def shown(settings: WhatIfSettings, value: float) -> str:
    """Return a number that is in the unit shown already."""
    return f"{value:.3g}\u00a0%" if settings.asked.unit == "%" else number(value)


def amount(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure, percent with a decimal and anything else with three digits."""
    value = round(value, 3) + 0.0 if settings.asked.unit == "%" else value  # without a negative zero
    text = panels.percent(value, digits=1) if settings.asked.unit == "%" else number(value)
    return text.replace("-", "\u2212") if value < 0 else text


def signed(settings: WhatIfSettings, value: float) -> str:
    """Return a difference with its sign, of percents in points."""
    text = f"{100 * value:.1f}" if settings.asked.unit == "%" else number(value)
    if float(text.replace(",", "")) == 0:
        return "0"
    return text.replace("-", "\u2212") if value < 0 else f"+{text}"


def points(settings: WhatIfSettings, value: float) -> str:
    """Return a difference without its sign, with its unit."""
    return outcomes.points(value) if settings.asked.unit == "%" else number(abs(value))


def interval(settings: WhatIfSettings, ends: Sequence[float]) -> str:
    """Return "87.2 to 89.0 %"."""
    one, other = (amount(settings, end) for end in ends)
    return one if one == other else span(one.removesuffix("\u00a0%"), other)


def sure(settings: WhatIfSettings, one: Difference) -> str:
    if not one.bounded:
        return SAYS["interval.few"]
    return SAYS("interval.sure", interval=interval(settings, (one.low, one.high)))


def basis(result: WhatIfResult, one: Difference) -> str:
    """Return what a difference is made of: a key of several texts."""
    return "splits" if result.compared > 1 else "pairs" if one.paired else "groups"


def spread(settings: WhatIfSettings, one: Difference) -> str:
    return span(signed(settings, one.low), signed(settings, one.high)) if one.bounded else SAYS["interval.few"]


def safely(result: WhatIfResult, value: float) -> float:
    """Return a value with the three digits that are shown, rounded to the side where the target is reached."""
    if _whole(result.settings, result.settings.along):
        return value
    rounded = float(f"{value:.3g}")
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 2) if value else 0.0
    if result.direction == "falls":
        return rounded if rounded <= value else float(f"{rounded - step:.3g}")
    return rounded if rounded >= value else float(f"{rounded + step:.3g}")


def answer(result: WhatIfResult, value: float) -> str:
    """Return the value that answers the question, as all of the page says it."""
    settings = result.settings
    return at(settings, settings.along, safely(result, value) if settings.exact else value)


def ahead(result: WhatIfResult) -> str:
    """Return which of the two is ahead at which values, where that can be shown."""
    told = result.ahead
    if len(told) < 2:
        return SAYS("ahead.one", who=told[0][0]) if told else SAYS["ahead.none"]
    if len(told) > 3:
        return SAYS["ahead.many"]
    return ", ".join(SAYS("ahead.part", who=who, values=stretch(result.settings, *ends)) for who, *ends in told)


# ---- charts


def upwards(settings: WhatIfSettings) -> str:
    unit = settings.asked.unit
    return f"{noun(settings)}, {unit}" if unit else noun(settings)


def differences(settings: WhatIfSettings) -> str:
    return SAYS("chart.differences" if settings.asked.unit == "%" else "chart.change", **words_of(settings))


def title(result: WhatIfResult) -> str:
    key = {"versus": "versus", "accuracy": "now", "best": "now"}.get(result.settings.asks, "solve")
    return tell(result, f"chart.{key}")


def finding(result: WhatIfResult) -> str:
    settings = result.settings
    if settings.asks in ("accuracy", "best"):
        return tell(result, "finding.now", value=amount(settings, result.median(result.now)))
    if settings.asks == "versus":
        return ahead(result)
    if result.main is not None:
        return tell(result, f"finding.{result.direction}", value=answer(result, result.main))
    if settings.exact and result.crossed("median") is None:  # still to be solved, or only to be read off
        return ""
    found = result.crossed(settings.reached) or result.reaching
    if found.verdict == "found":
        return SAYS("finding.found", values=stretch(settings, result.spans[0][0], result.spans[-1][1]))
    return SAYS[f"finding.{found.verdict}"] if result.trained == 1 else ""


def important(result: WhatIfResult) -> str:
    done, count = sum(map(len, result.effects.values())), len(result.settings.around.bars)
    if done < count:
        return SAYS("finding.trained", done=done, count=count)
    sure_ones = [knob for knob, both in result.effects.items() if any(one.difference.shown for one in both)]
    return low(sure_ones[0]) if sure_ones else SAYS["finding.unimportant"]


def bar(result: WhatIfResult, one: Effect) -> str:
    settings = result.settings
    value, now = (at(settings, one.knob, value) for value in (one.value, getattr(settings, one.knob)))
    gap = signed(settings, one.difference.median) + (" points" if settings.asked.unit == "%" else "")
    said = SAYS("finding.bar", label=label(one.knob), value=value, now=now, gap=gap)
    return said if one.difference.sure else f"{said} ({spread(settings, one.difference)})"


def map_finding(result: WhatIfResult) -> str:
    """Return what the map shows, or how far it has come."""
    settings = result.settings
    if not result.whole:
        return SAYS("finding.trained", done=result.cells_done, count=len(settings.around.cells))
    if result.first:
        value = settings.axes[1].value(result.first[1])
        return SAYS("setting.one", name=low(settings.upwards), value=rough(settings, settings.upwards, value))
    best = result.map.medians[result.best_cell]
    return SAYS(f"finding.best_{settings.asked.better}", value=amount(settings, best))


def colour_ends(result: WhatIfResult) -> tuple[str, str]:
    """Return the numbers at the ends of the map's colours, the worst and the best."""
    settings = result.settings
    least, most = (number(settings.scale * end) for end in result.colours)
    worst, best = (least, most) if settings.asked.better == "higher" else (most, least)
    return worst, best + ("\u00a0%" if settings.asked.unit == "%" else "")


def best_finding(result: WhatIfResult) -> str:
    """Return the median that selected the best configuration, and the one when it is retested."""
    settings, winner = result.settings, result.winner
    if winner is None:
        return SAYS("finding.trained", done=len(result.tries), count=len(settings.tried))
    chosen, again = amount(settings, winner.chosen), amount(settings, winner.again_median) if len(winner.again) else ""
    return SAYS("finding.again" if again else "finding.chosen", chosen=chosen, again=again)
