"""Formats of the planner's numbers and settings."""

import re
from html import escape

from lab.number_text import with_minus
from pages.what_if.settings import WhatIfSettings
from ui.text.sentences import capitalise
from ui.text.sliders import SLIDERS, in_sentence
from ui.text.texts import Texts
from ui.text.tiles import number

SAYS = Texts(__file__)
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


def value_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value."""
    if is_whole(settings, name):
        return f"{round(value):,}"
    return number(value)


def setting_text(settings: WhatIfSettings, name: str, value: float) -> str:
    """Return a parameter's value with its name, as in "epsilon 0.5" or "50 steps"."""
    text = value_text(settings, name, value)
    case = "one"
    if is_whole(settings, name) and slider_label(name).endswith("s") and text != "1":
        case = "many"
    return SAYS(f"setting.{case}", name=in_sentence(name), value=text)


def x_setting_text(settings: WhatIfSettings, value: float) -> str:
    """Return a value of the parameter on the x axis with its name."""
    return setting_text(settings, settings.x_field, value)


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
    """Return a number of the measure as the target has it: in percent already, if in percent."""
    if is_percent(settings):
        return f"{with_minus(f'{value:.3g}')}\u00a0%"
    return number(value)


def measure_text(settings: WhatIfSettings, value: float) -> str:
    """Return a number of the measure as it is computed.

    A share is shown in percent with a decimal, and any other number with three digits.
    """
    if is_percent(settings):
        return f"{_one_decimal(value)}\u00a0%"
    return number(value)


def difference_text(settings: WhatIfSettings, value: float) -> str:
    """Return a difference of two numbers as they are computed, with its sign.

    It is in points if the measure is shown in percent, and 0 has no sign.
    """
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


# Texts


def question_values(settings: WhatIfSettings) -> dict[str, str]:
    """Return the values of texts that are known before there is a result."""
    measure = measure_noun(settings)
    name = settings.x_field
    return {
        "measure": measure,
        "Measure": capitalise(measure),
        "setting": setting_text(settings, name, getattr(settings, name)),
        "target": target_text(settings, settings.target),
        "name": in_sentence(name),
        "label": slider_label(name),
    }
