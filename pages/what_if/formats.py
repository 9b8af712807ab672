"""Formats of the planner's numbers and settings."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from html import escape

from lab.number_text import with_minus
from pages.what_if.settings import WhatIfSettings
from ui.text.sliders import SLIDERS, in_sentence
from ui.text.texts import Texts
from ui.text.tiles import number

SAYS = Texts(__file__)
# Whole numbers below this are written in full, even if they are estimates.
_FULL = 100
# An estimate that has a confidence interval is known to two digits at most.
_ESTIMATED_DIGITS = 2
# Digits that are read off a number before it is rounded, so that 0.1 does not become 0.11 when it
# is rounded up for its last bit.
_EXACT_DIGITS = 12
# The noun of a measure ends before one of these.
_AFTER_NOUN = re.compile(r",| of | on | by | from | over | with | at | \(")


# Parameters


def slider_label(name: str) -> str:
    """Return the label of a parameter's slider."""
    return SLIDERS[name]["label"]


def is_whole(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter has whole numbers."""
    low, _ = settings.topic_settings.limits[name]
    return isinstance(low, int)


def is_count(settings: WhatIfSettings, name: str) -> bool:
    """Return whether a parameter is a count, such as rows."""
    return is_whole(settings, name) and slider_label(name).endswith("s")


def value_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value. Fractions of large whole numbers have three digits."""
    if is_whole(settings, name) and (float(value).is_integer() or value < _FULL):
        return f"{round(value):,}"
    return number(value)


def estimate_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return an estimated value of a parameter with two digits."""
    return value_text(settings, name, two_digits(value))


def short_value_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with two digits, or a whole number."""
    if is_whole(settings, name):
        return value_text(settings, name, value)
    return estimate_text(settings, name, value)


def two_digits(value: float, rounding: str = ROUND_HALF_EVEN) -> float:
    """Round to two significant digits, in a direction that the module decimal names.

    >>> from decimal import ROUND_CEILING, ROUND_FLOOR
    >>> two_digits(0.819), two_digits(0.0384, ROUND_FLOOR), two_digits(1201.0, ROUND_CEILING)
    (0.82, 0.038, 1300.0)
    """
    exact = Decimal(f"{value:.{_EXACT_DIGITS}g}")
    return float(Context(prec=_ESTIMATED_DIGITS, rounding=rounding).plus(exact))


def setting_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with its name, as in "epsilon 0.5" or "50 steps"."""
    return _with_name(settings, name, value_text(settings, name, value))


def x_setting_text(settings: WhatIfSettings, value: float) -> str:
    """Return a value of the parameter on the x axis with its name."""
    return setting_text(settings, settings.x_field, value)


def x_estimate_text(settings: WhatIfSettings, value: float) -> str:
    """Return an estimated value of the parameter on the x axis with its name."""
    name = settings.x_field
    return _with_name(settings, name, estimate_text(settings, name, value))


def _with_name(settings: WhatIfSettings, name: str, value: str) -> str:
    """Return the text of a value with the parameter's name, which follows a count."""
    case = "one"
    if is_count(settings, name) and value != "1":
        case = "many"
    return SAYS(f"setting.{case}", name=in_sentence(name), value=value)


def range_text(low: str, high: str) -> str:
    """Return two numbers as a range, or one number if both look alike."""
    if low == high:
        return low
    return SAYS("interval.between", low=low, high=high)


# The measure


def measure_noun(settings: WhatIfSettings) -> str:
    """Return the name of the measure in a word or two."""
    label = settings.asked_measure.label
    if settings.measure.startswith("recall"):
        # A visitor may have typed the name of the class.
        return escape(label.partition(" from ")[0])
    return _AFTER_NOUN.split(label)[0]


def is_percent(settings: WhatIfSettings) -> bool:
    """Return whether the measure is shown in percent."""
    return settings.asked_measure.unit == "%"


def target_text(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure that is in percent already, if that is its unit."""
    if is_percent(settings):
        return f"{with_minus(f'{value:.3g}')}\u00a0%"
    return number(value)


def measure_text(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure: percent with a decimal, others with three digits."""
    if is_percent(settings):
        return f"{_one_decimal(value)}\u00a0%"
    return number(value)


def difference_text(settings: WhatIfSettings, value: float) -> str:
    """Return a difference with its sign, in points if the measure is in percent."""
    text = number(value)
    if is_percent(settings):
        text = _one_decimal(value)
    if text in ("0", "0.0"):
        return "0"
    if value > 0:
        return f"+{text}"
    return text


def _one_decimal(share: float) -> str:
    """Return a share in percent, with a decimal."""
    return with_minus(f"{100 * share:.1f}")


def measure_range_text(settings: WhatIfSettings, low: float, high: float) -> str:
    """Return a range of the measure, as in "87.2 to 89.0 %"."""
    low_text = measure_text(settings, low)
    high_text = measure_text(settings, high)
    if low_text == high_text:
        return low_text
    return range_text(low_text.removesuffix("\u00a0%"), high_text)


# Texts


def question_values(settings: WhatIfSettings) -> dict[str, str]:
    """Return the values of texts that are known before there is a result."""
    measure = measure_noun(settings)
    name = settings.x_field
    return {
        "measure": measure,
        "Measure": measure[0].upper() + measure[1:],
        "setting": setting_text(settings, name, getattr(settings, name)),
        "target": target_text(settings, settings.target),
        "name": in_sentence(name),
        "label": slider_label(name),
    }


def join_texts(texts: Sequence[str]) -> str:
    """Return the texts that are not empty, as one."""
    return " ".join(text for text in texts if text)
