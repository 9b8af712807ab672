"""Formats of the planner's numbers and settings, and the texts of its charts."""

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from html import escape

from lab.number_text import with_minus
from lab.statistics.crossing import Solution
from lab.statistics.differences import Difference
from lab.uploads.made_up import MadeUp
from pages.what_if.charts import SAYS
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.measurements import Effect
from pages.what_if.result import WhatIfResult
from ui.text import sentences
from ui.text.escaping import plain
from ui.text.sliders import SLIDERS
from ui.text.sliders import in_sentence as low
from ui.text.tiles import number

# Numbers up to here are written in full where they are whole; above, with three digits.
_FULL = 100
# An estimate that has a confidence interval is known to two digits at most.
_ESTIMATED_DIGITS = 2


def tell(result: WhatIfResult, key: str, **holes: object) -> str:
    """Return a text about a result, with the holes that many texts share."""
    settings = result.settings
    values = [*settings.around.curve]
    shared: dict[str, object] = {
        **words_of(settings),
        "hits": result.hits_now,
        "runs": len(result.now),
        "first": at(settings, settings.along, values[0]),
        "last": at(settings, settings.along, values[-1]),
    }
    return SAYS(key, **shared | holes)


def words_of(settings: WhatIfSettings) -> dict[str, str]:
    """Return the holes that are known before there is a result."""
    measure = noun(settings)
    return {
        "measure": measure,
        "Measure": measure[0].upper() + measure[1:],
        "setting": named(settings, settings.along, getattr(settings, settings.along)),
        "target": shown(settings, settings.target),
        "name": low(settings.along),
        "label": label(settings.along),
    }


def of_rows(settings: WhatIfSettings) -> str:
    """Return which rows a question about a visitor's file is asked on, and what that costs
    (markdown).
    """
    own = settings.settings.own
    if not isinstance(own, MadeUp):
        return SAYS("own-rows.private", count=len(settings.compares))
    people = SAYS["own-rows.people" if own.roles.person else "own-rows.rows"]
    best = f"{own.best:.3g}" if own.roles.target else f"{100 * own.best:.0f}"
    case = "number" if own.roles.target else "classes"
    carries = SAYS(f"own-rows.{case}", best=best, answer=plain(own.roles.answer))
    rows, columns = settings.settings.rows, len(own.roles.columns)
    return SAYS("own-rows.made_up", count=rows, people=people, columns=columns, carries=carries)


# Settings and numbers


def label(name: str) -> str:
    """Return the label of a parameter's slider."""
    return SLIDERS[name]["label"]


def at(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value; whole numbers above 100 that are estimates with three digits."""
    if _whole(settings, name) and (float(value).is_integer() or value < _FULL):
        return f"{round(value):,}"
    return number(value)


def rough(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with two digits, where there is little room."""
    if _whole(settings, name):
        return at(settings, name, value)
    return estimate(settings, name, value)


def estimate(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return an estimated value of a parameter with two digits."""
    return at(settings, name, two_digits(value))


def two_digits(value: float, rounding: str = ROUND_HALF_EVEN) -> float:
    """Round to two significant digits, in a direction that the module decimal names.

    >>> two_digits(0.819), two_digits(0.0384, ROUND_FLOOR), two_digits(1201.0, ROUND_CEILING)
    (0.82, 0.038, 1300.0)
    """
    # Twelve digits, so that 0.1 is not rounded up to 0.11 for its last bit.
    exact = Decimal(f"{value:.12g}")
    return float(Context(prec=_ESTIMATED_DIGITS, rounding=rounding).plus(exact))


def _whole(settings: WhatIfSettings, name: str) -> bool:
    return isinstance(settings.limits[name][0], int)


def counted(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter is a count, such as rows."""
    return _whole(settings, name) and label(name).endswith("s")


def named(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return "epsilon 0.5" or "50 steps"."""
    return _with_name(settings, name, at(settings, name, value))


def _with_name(settings: WhatIfSettings, name: str, text: str) -> str:
    case = "many" if counted(settings, name) and text != "1" else "one"
    return SAYS(f"setting.{case}", name=low(name), value=text)


def along(result: WhatIfResult, value: float) -> str:
    """Return a value of the parameter on the x axis, with its name."""
    return named(result.settings, result.settings.along, value)


def along_estimate(result: WhatIfResult, value: float) -> str:
    """Return an estimated value of the parameter on the x axis, with its name."""
    settings = result.settings
    return _with_name(settings, settings.along, estimate(settings, settings.along, value))


def span(one: str, other: str) -> str:
    """Return two numbers as a range, or one number where both look alike."""
    if one == other:
        return one
    return SAYS("interval.between", low=one, high=other)


def noun(settings: WhatIfSettings) -> str:
    """Return the name of the measure in a word or two."""
    if settings.measure.startswith("recall"):  # a visitor may have typed the name of the class
        return escape(settings.asked.label.partition(" from ")[0])
    return re.split(r",| of | on | by | from | over | with | at | \(", settings.asked.label)[0]


def shown(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure that is already in percent."""
    if settings.asked.unit == "%":
        return with_minus(f"{value:.3g}") + "\u00a0%"
    return number(value)


def amount(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure, percent with a decimal and anything else with three
    digits.
    """
    if settings.asked.unit == "%":
        return with_minus(f"{100 * value:.1f}") + "\u00a0%"
    return number(value)


def signed(settings: WhatIfSettings, value: float) -> str:
    """Return a difference with its sign, of percents in points."""
    text = number(value)
    if settings.asked.unit == "%":
        text = with_minus(f"{100 * value:.1f}")
    if text in ("0", "0.0"):
        return "0"
    return f"+{text}" if value > 0 else text


def points(settings: WhatIfSettings, value: float) -> str:
    """Return a difference without its sign, with its unit."""
    if settings.asked.unit == "%":
        return sentences.points_text(value)
    return number(abs(value))


def interval(settings: WhatIfSettings, ends: Sequence[float]) -> str:
    """Return "87.2 to 89.0 %"."""
    low_end, high_end = (amount(settings, end) for end in ends)
    if low_end == high_end:
        return low_end
    return span(low_end.removesuffix("\u00a0%"), high_end)


def spread(settings: WhatIfSettings, difference: Difference) -> str:
    """Return the confidence interval of a difference."""
    return span(signed(settings, difference.low), signed(settings, difference.high))


# Charts


def upwards(settings: WhatIfSettings) -> str:
    """Return the title of the axis of the measure."""
    if settings.asked.unit:
        return f"{noun(settings)}, {settings.asked.unit}"
    return noun(settings)


def differences(settings: WhatIfSettings) -> str:
    """Return the title of the axis of the bars."""
    case = "differences" if settings.asked.unit == "%" else "change"
    return SAYS(f"chart.{case}", **words_of(settings))


def title(result: WhatIfResult) -> str:
    """Return the title of the curve."""
    case = "solve" if result.settings.improves else "peak"
    return tell(result, f"chart.{case}")


def finding(result: WhatIfResult) -> str:
    """Return what the curve shows; "" while that is open."""
    if result.main is not None:
        return tell(result, "finding.from", value=answer(result, result.main))
    if result.trained < 1:
        return ""
    if result.crossing is None:
        return _best_median(result.settings, result.peak.median)
    return SAYS[f"finding.{result.crossing.verdict}"]


def _best_median(settings: WhatIfSettings, median: float) -> str:
    return SAYS(f"finding.best_{settings.asked.better}", value=amount(settings, median))


def important(result: WhatIfResult) -> str:
    """Return the parameter with the largest effect that is shown, or how many bars are done."""
    done = sum(map(len, result.effects.values()))
    count = len(result.settings.around.bars)
    if done < count:
        return SAYS("finding.trained", done=done, count=count)
    for slider, effects in result.effects.items():
        if any(effect.difference.shown for effect in effects):
            return low(slider)
    return SAYS["finding.unimportant"]


def bar(result: WhatIfResult, effect: Effect) -> str:
    """Return the hover text of a bar."""
    settings = result.settings
    gap = signed(settings, effect.difference.median)
    if settings.asked.unit == "%":
        gap += " points"
    text = SAYS(
        "finding.bar",
        label=label(effect.slider),
        value=at(settings, effect.slider, effect.value),
        now=at(settings, effect.slider, getattr(settings, effect.slider)),
        gap=gap,
    )
    if effect.difference.sure:
        return text
    return f"{text} ({spread(settings, effect.difference)})"


def map_finding(result: WhatIfResult) -> str:
    """Return what the map shows, or how many cells are done."""
    settings = result.settings
    if not result.whole:
        return SAYS("finding.trained", done=result.cells_done, count=len(settings.around.cells))
    if result.first:
        value = settings.axes[1].value(result.first[1])
        return SAYS(
            "setting.one",
            name=low(settings.upwards),
            value=estimate(settings, settings.upwards, value),
        )
    return _best_median(settings, result.map.medians[result.best_cell])


def colour_ends(result: WhatIfResult) -> tuple[str, str]:
    """Return the numbers at the ends of the map's colours, the worst and the best."""
    settings = result.settings
    worst, best = (number(settings.scale * end) for end in result.colours)
    if settings.asked.better == "lower":
        worst, best = best, worst
    if settings.asked.unit == "%":
        best += "\u00a0%"
    return worst, best


def best_finding(result: WhatIfResult) -> str:
    """Return the median that selected the best configuration, and that of its retests."""
    settings = result.settings
    winner = result.winner
    if winner is None:
        return SAYS("finding.trained", done=len(result.tries), count=len(settings.tried))
    chosen = amount(settings, winner.chosen)
    if not len(winner.again):
        return SAYS("finding.chosen", chosen=chosen)
    return SAYS("finding.again", chosen=chosen, again=amount(settings, winner.again_median))


# Crossing


def answer(result: WhatIfResult, value: float) -> str:
    """Return the value that answers the question.

    The median's crossing is an estimate, and what 90 % of runs need is a value that was tested.
    """
    settings = result.settings
    if settings.reached == "median":
        return estimate(settings, settings.along, value)
    return at(settings, settings.along, value)


def crossing_interval(result: WhatIfResult, found: Solution) -> str:
    """Return the confidence interval of a crossing, its ends rounded outwards.

    The measure rises, so its upper end is the safe value.
    """
    settings = result.settings
    high = at(settings, settings.along, two_digits(found.safe, ROUND_CEILING))
    if found.low is None:
        return SAYS("interval.below", high=high)
    return span(at(settings, settings.along, two_digits(found.low, ROUND_FLOOR)), high)


def runs_reaching(result: WhatIfResult, found: Solution) -> str:
    """Return how many runs of the base's own split reach the target at the safe value."""
    runs = len(result.now) // result.settings.seeds
    return SAYS("interval.did", hits=round(found.share_safe * runs), runs=runs)
