"""What the charts of the planner show, in the words of their titles and marks."""

from lab.experiment.settings import Settings
from pages.what_if.formats import (
    SAYS,
    difference_text,
    is_percent,
    measure_noun,
    measure_text,
    question_values,
    range_text,
    setting_text,
    slider_label,
    target_text,
    value_text,
)
from pages.what_if.measurements import Answer, Effect
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings
from ui.text.sliders import in_sentence
from ui.text.tiles import number


def result_text(result: WhatIfResult, key: str, **values: object) -> str:
    """Return a text of ``texts.md`` about a result, with the values that many texts share."""
    settings = result.settings
    curve = list(result.plan.curve)
    shared: dict[str, object] = {
        **question_values(settings),
        "hits": result.hits,
        "runs": len(result.base.runs),
        "first": value_text(settings, settings.x_field, curve[0]),
        "last": value_text(settings, settings.x_field, curve[-1]),
    }
    return SAYS(key, **{**shared, **values})


# Curve


def measure_axis_title(settings: WhatIfSettings) -> str:
    """Return the title of the axis of the measure."""
    unit = settings.asked_measure.unit
    if unit:
        return f"{measure_noun(settings)}, {unit}"
    return measure_noun(settings)


def curve_title(result: WhatIfResult) -> str:
    """Return the title of the curve."""
    if result.settings.only_improves:
        return result_text(result, "chart.solve")
    return result_text(result, "chart.peak")


def curve_finding(result: WhatIfResult) -> str:
    """Return the finding of the curve, or "" while it is open."""
    curve = result.curve
    if curve.answer is not None:
        return result_text(result, "finding.from", value=answer_text(result, curve.answer))
    if not curve.complete:
        return ""
    if curve.crossing is None:
        key = f"finding.best_{result.settings.asked_measure.better}"
        return SAYS(key, value=measure_text(result.settings, curve.peak.median))
    return SAYS[f"finding.{curve.crossing.verdict}"]


def answer_text(result: WhatIfResult, answer: Answer) -> str:
    """Return the value that answers the question."""
    return value_text(result.settings, result.settings.x_field, answer.value)


def interval_text(result: WhatIfResult, answer: Answer) -> str:
    """Return the confidence interval of an answer."""
    settings = result.settings
    high = value_text(settings, settings.x_field, answer.high)
    if answer.low is None:
        return SAYS("interval.below", high=high)
    return range_text(value_text(settings, settings.x_field, answer.low), high)


# Effects of parameters


def effects_axis_title(settings: WhatIfSettings) -> str:
    """Return the title of the axis of the effects."""
    case = "change"
    if is_percent(settings):
        case = "differences"
    return SAYS(f"chart.{case}", **question_values(settings))


def effects_finding(result: WhatIfResult) -> str:
    """Return the parameter with the largest effect that is shown, or how many are done."""
    done = sum(len(effects) for effects in result.effects.values())
    count = len(result.plan.effects)
    if done < count:
        return SAYS("finding.trained", done=done, count=count)
    for slider, effects in result.effects.items():
        if any(effect.difference.shown for effect in effects):
            return in_sentence(slider)
    return SAYS["finding.unimportant"]


def effect_text(result: WhatIfResult, effect: Effect) -> str:
    """Return the text of an effect on hover."""
    settings = result.settings
    name = effect.slider
    difference = effect.difference
    gap = difference_text(settings, difference.median)
    if is_percent(settings):
        gap += " points"
    text = SAYS(
        "finding.bar",
        label=slider_label(name),
        value=value_text(settings, name, effect.value),
        now=value_text(settings, name, getattr(settings, name)),
        gap=gap,
    )
    if difference.sure:
        return text
    low = difference_text(settings, difference.low)
    high = difference_text(settings, difference.high)
    return f"{text} ({range_text(low, high)})"


# Map


def map_finding(result: WhatIfResult) -> str:
    """Return the numbers at the ends of the map's colours, or the number of cells that are done."""
    settings = result.settings
    map_result = result.map
    if map_result.cells_done < map_result.cells:
        return SAYS("finding.trained", done=map_result.cells_done, count=map_result.cells)
    worst, best = map_result.colour_range
    if settings.asked_measure.better == "lower":
        worst, best = best, worst
    return SAYS(
        "finding.colours",
        worst=number(settings.scale * worst),
        best=target_text(settings, settings.scale * best),
    )


def cell_text(settings: WhatIfSettings, x: float, y: float, median: float) -> str:
    """Return the text of a cell of the map on hover."""
    parts = []
    for name, value in ((settings.x_field, x), (settings.y_field, y)):
        parts.append(f"{slider_label(name)} {value_text(settings, name, value)}")
    return f"{', '.join(parts)}: {measure_text(settings, median)}"


def configuration_text(planner: WhatIfSettings, configuration: Settings) -> str:
    """Return the values of a configuration with their names."""
    texts = []
    for name in planner.topic_settings.tuned:
        if name in planner.sliders:
            texts.append(setting_text(planner, name, getattr(configuration, name)))
    return ", ".join(texts)
