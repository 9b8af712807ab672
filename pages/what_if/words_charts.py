"""Titles, findings, axes and hover texts of the planner's charts, and the formats that they share with its words."""

import math
from collections.abc import Sequence

from pages.what_if.experiment import WhatIfSettings
from pages.what_if.measured import Effect
from pages.what_if.result import WhatIfResult
from pages.what_if.words_parts import (
    SAYS,
    ahead,
    amount,
    answer,
    at,
    label,
    low,
    noun,
    rough,
    shown,
    signed,
    spread,
    stretch,
    tell,
    words_of,
)
from ui.panels import number


def upwards(settings: WhatIfSettings) -> str:
    """Return the name of the axis upwards."""
    unit = settings.asked.unit
    return f"{noun(settings)}, {unit}" if unit else noun(settings)


def hover(settings: WhatIfSettings) -> str:
    """Return the format of a point's height."""
    return "%{y:.1f} %" if settings.asked.unit == "%" else "%{y:.3g}"


def differences(settings: WhatIfSettings) -> str:
    """Return the name of the axis of differences."""
    return SAYS("chart.differences" if settings.asked.unit == "%" else "chart.change", **words_of(settings))


def title(result: WhatIfResult) -> str:
    """Return the title of the curve."""
    key = {"versus": "versus", "accuracy": "now", "best": "now"}.get(result.settings.asks, "solve")
    return tell(result, f"chart.{key}")


def finding(result: WhatIfResult) -> str:
    """Return what the curve shows."""
    settings = result.settings
    if settings.asks in ("accuracy", "best"):
        return tell(result, "finding.now", value=amount(settings, result.median(result.now)))
    if settings.asks == "versus":
        return ahead(result)
    if settings.exact and result.crossed("median") is None:  # still to be solved, or only to be read off
        return ""
    if result.main is not None:
        return tell(result, f"finding.{result.direction}", value=answer(result, result.main))
    found = result.crossed(settings.reached) or result.reaching
    if found.verdict == "found":
        intervals = result.reaching.intervals
        return SAYS("finding.found", values=stretch(settings, intervals[0][0], intervals[-1][1]))
    return SAYS[f"finding.{found.verdict}"] if result.trained == 1 else ""


def acts(both: Sequence[Effect]) -> bool:
    """Return whether a parameter does anything at all to these runs."""
    return any(one.difference.median or not one.difference.sure for one in both)


def important(result: WhatIfResult) -> str:
    """Return the parameter that does most, as far as can be shown."""
    found, count = result.effects, len(result.settings.around.bars)
    done = sum(map(len, found.values()))
    if done < count:
        return SAYS("finding.trained", done=done, count=count)
    shown_ones = [knob for knob, both in found.items() if any(one.difference.shown for one in both)]
    return low(shown_ones[0]) if shown_ones else SAYS["finding.unimportant"]


def bar(result: WhatIfResult, one: Effect) -> str:
    """Return what a bar stands for."""
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
    return highest(settings, result.map.medians[result.best_cell])


def highest(settings: WhatIfSettings, value: float) -> str:
    """Return the best of several medians by its name."""
    return SAYS(f"finding.best_{settings.asked.better}", value=amount(settings, value))


def contour(settings: WhatIfSettings, value: float) -> str:
    """Return the label of a contour of the map."""
    return shown(settings, value)


def ends(result: WhatIfResult) -> tuple[str, str]:
    """Return the numbers at the ends of the map's colours, the worst and the best."""
    settings = result.settings
    least, most = result.colours
    if settings.asked.limits[1] == math.inf:
        now = result.median(result.now)
        least, most = now / 10, now * 10
    said = [number(settings.scale * end) for end in (least, most)]
    unit = "\u00a0%" if settings.asked.unit == "%" else ""
    worst, best = said if settings.asked.better == "higher" else said[::-1]
    return worst, best + unit


def best_finding(result: WhatIfResult) -> str:
    """Return the median that selected the best configuration, and the one when it is retested."""
    settings, winner = result.settings, result.winner
    if winner is None:
        return SAYS("finding.trained", done=len(result.tries), count=len(settings.tried))
    chosen, again = amount(settings, winner.chosen), amount(settings, winner.again_median) if len(winner.again) else ""
    return SAYS("finding.again" if again else "finding.chosen", chosen=chosen, again=again)
