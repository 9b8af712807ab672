"""The results table of the classifier: public pre-training, trained now and as published."""

import math

from lab.models.classifier_versions import EPSILONS, PUBLISHED, misprinted_gains
from pages.classifier.charts import SAYS
from pages.classifier.result import ClassifierResult
from ui.text import sentences, tables, tiles
from ui.text.tiles import number


def table(result: ClassifierResult) -> str:
    """Return accuracy by epsilon, trained now and as published."""
    frame = result.table()
    misprinted = misprinted_gains()
    published_gains = []
    for epsilon, gain in zip(frame["epsilon"], frame["published gain"], strict=True):
        text = f"{gain:.2f}"
        if epsilon in misprinted:
            text += "&nbsp;*"
        published_gains.append(text)
    frame["published gain"] = published_gains

    heads = SAYS.heads(
        "table",
        frame.columns.tolist(),
        now=tiles.badge("trained now"),
        then=tiles.badge("published"),
    )
    formats = {
        "epsilon": number,
        "without": sentences.format_tenths,
        "with": sentences.format_tenths,
        "gain": _signed_points,
        "published without": "{:.2f}".format,
        "published with": "{:.2f}".format,
        "published gain computed": "{:.2f}".format,
    }
    slips = [number(epsilon) for epsilon in misprinted]
    caption = SAYS("table.caption", slips=sentences.listed(slips))
    return tables.table(
        frame,
        title=SAYS["table.title"],
        caption=f"{caption} {insight(result)}",
        heads=heads,
        marked=number(result.settings.epsilon),
        formats=formats,
    )


def insight(result: ClassifierResult) -> str:
    """Return where pre-training gains most, and whether it gains at the last epsilon too."""
    largest = result.largest_gain
    if largest is None or result.settings.version == "none":
        return ""
    if largest.gain is None:
        case = "none"
        if result.too_few_for_gains:
            case = "few"
        return SAYS(f"insight.{case}", runs=result.accuracy.runs.shape[-1])
    last_epsilon = EPSILONS[-1]
    _, _, published_gain = PUBLISHED[last_epsilon]
    numbers = {
        "most": _signed_points(largest.gain),
        "at": number(largest.epsilon),
        "end": number(last_epsilon),
        "printed": _signed_points(published_gain),
    }
    if largest.last_gain is None:
        return SAYS("insight.ends", **numbers)
    return SAYS("insight.lasts", last=_signed_points(largest.last_gain), **numbers)


def _signed_points(points: float) -> str:
    """Return a difference in points with its sign, or dots while it is unknown."""
    if math.isnan(points):
        return "…"
    return sentences.signed_points(points / 100)
