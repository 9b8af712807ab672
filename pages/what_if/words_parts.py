"""Text and number formats that the planner's words and charts share."""

import math
import re
from collections.abc import Sequence

from lab.differences import Difference
from pages.what_if.experiment import WhatIfSettings
from pages.what_if.figures import SAYS
from pages.what_if.result import WhatIfResult
from ui import outcomes, panels
from ui.panels import number
from ui.vocabulary import KNOBS, in_sentence

# What a parameter counts, where its name does not say so.
PEOPLE = {"rows": "people", "target_rows": "people", "source_rows": "labelled rows"}
_MINUS = "\u2212"


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
    return found | {"target": target(settings), "name": low(settings.along), "label": label(settings.along)}


def label(name: str) -> str:
    """Return the label of a parameter."""
    return KNOBS[name]["label"]


low = in_sentence


def rough(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with two digits, where there is little room."""
    return at(settings, name, value if _counts(settings, name) else float(f"{value:.2g}"))


def _counts(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter has whole numbers."""
    return isinstance(settings.limits[name][0], int)


def counted(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter says how many of something there are."""
    return _counts(settings, name) and label(name).endswith("s")


def named(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return "epsilon 0.5" or "50 steps"."""
    shown_value = at(settings, name, value)
    many = counted(settings, name) and shown_value != "1"
    return SAYS("setting.many" if many else "setting.one", name=low(name), value=shown_value)


def at(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value; an estimate of a whole number with three digits."""
    if _counts(settings, name) and (float(value).is_integer() or value < 100):
        return f"{round(value):,}"
    return number(value)


def stretch(settings: WhatIfSettings, first: float, last: float) -> str:
    """Return values of the parameter from one to another."""
    return span(*(at(settings, settings.along, value) for value in (first, last)))


def span(one: str, other: str) -> str:
    """Return two numbers as a range, or one where both look alike."""
    return one if one == other else SAYS("interval.between", low=one, high=other)


def noun(settings: WhatIfSettings) -> str:
    """Return what is measured, in a word or two."""
    said = settings.asked.label
    if settings.measure == "attacker":
        return "attacker's accuracy"
    return re.split(r",| of | on | by | from | over | with | at | \(", said)[0]


def target(settings: WhatIfSettings) -> str:
    """Return the target in its unit."""
    return shown(settings, settings.target)


def shown(settings: WhatIfSettings, value: float) -> str:
    """Return a number that is in the unit shown already."""
    return f"{value:.3g}\u00a0%" if settings.asked.unit == "%" else number(value)


def amount(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure, percent with a decimal and anything else with three digits."""
    value = round(value, 3) + 0.0 if settings.asked.unit == "%" else value  # without a negative zero
    text = panels.percent(value, digits=1) if settings.asked.unit == "%" else number(value)
    return text.replace("-", _MINUS) if value < 0 else text


def interval(settings: WhatIfSettings, ends: Sequence[float]) -> str:
    """Return "87.2 to 89.0 %"."""
    one, other = (amount(settings, end) for end in ends)
    return one if one == other else span(one.removesuffix("\u00a0%"), other)


def sure(settings: WhatIfSettings, one: Difference) -> str:
    """Return the confidence interval of the median of some runs."""
    if not one.bounded:
        return SAYS["interval.few"]
    return SAYS("interval.sure", interval=interval(settings, (one.low, one.high)))


def signed(settings: WhatIfSettings, value: float) -> str:
    """Return a difference with its sign, of percents in points."""
    text = f"{100 * value:.1f}" if settings.asked.unit == "%" else number(value)
    if float(text.replace(",", "")) == 0:
        return "0"
    return text.replace("-", _MINUS) if value < 0 else f"+{text}"


def points(settings: WhatIfSettings, value: float) -> str:
    """Return a difference without its sign, with its unit."""
    return outcomes.points(value) if settings.asked.unit == "%" else number(abs(value))


def spread(settings: WhatIfSettings, one: Difference) -> str:
    """Return the ends of a difference's interval."""
    if not one.bounded:
        return SAYS["interval.few"]
    return span(signed(settings, one.low), signed(settings, one.high))


def safely(result: WhatIfResult, value: float) -> float:
    """Return a value with the three digits that are shown, rounded to the side where the target is reached."""
    if _counts(result.settings, result.settings.along):
        return value
    shown_value = float(f"{value:.3g}")
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 2) if value else 0.0
    if result.direction == "falls":
        return shown_value if shown_value <= value else float(f"{shown_value - step:.3g}")
    return shown_value if shown_value >= value else float(f"{shown_value + step:.3g}")


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
