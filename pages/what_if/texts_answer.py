"""The planner's answer in two or three sentences."""

from dpcore.accountants.attacker import best_attacker
from lab.statistics.claims import Case
from lab.statistics.crossing import Crossing, Solution
from pages.what_if.findings import (
    configuration_text,
    crossing_interval_text,
    result_text,
    runs_reaching_text,
)
from pages.what_if.formats import (
    SAYS,
    is_percent,
    join_texts,
    measure_text,
    x_estimate_text,
    x_setting_text,
)
from pages.what_if.measurements import MOST
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import REPEATS
from ui.text import guarantee_notes
from ui.text.tiles import percent, percent_rounded_up

# Name of the text about the retests, by what they allow to claim.
_GAINS = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.SO_FAR: "so_far", Case.ALIKE: "alike"}


def verdict(result: WhatIfResult) -> str:
    """Return the answer, and a warning if bounds were read off the rows."""
    warning = guarantee_notes.void_verdict(result.settings.topic_settings)
    return join_texts([_answer(result), warning])


def _answer(result: WhatIfResult) -> str:
    if result.settings.answered_question == "best":
        return _best_configuration(result)
    crossing = result.curve.crossing
    if crossing is None:
        return _peak(result)
    if isinstance(crossing, Solution):
        return join_texts([_solution(result, crossing), _saturation(result), _attackers(result)])
    best = _best_value(result, crossing)
    if not result.curve.complete:
        return result_text(result, "so-far", done=len(result.curve.measured.values), best=best)
    if crossing.verdict == "everywhere":
        return result_text(result, f"everywhere.{result.settings.reached}")
    if crossing.verdict == "nowhere":
        text = result_text(result, f"nowhere.{result.settings.reached}", best=best)
    else:
        text = _unclear(result, crossing)
    return join_texts([text, _estimate(result)])


# Where the target is reached


def _solution(result: WhatIfResult, solution: Solution) -> str:
    """Name the value from which on the target is reached."""
    if result.settings.reached == "most":
        return _solution_for_most(result, solution)
    text = result_text(
        result,
        "found.median",
        point=x_estimate_text(result.settings, solution.point),
        between=crossing_interval_text(result, solution),
    )
    return join_texts([text, _single_runs(result, solution)])


def _solution_for_most(result: WhatIfResult, solution: Solution) -> str:
    """Name the values from which on 90 % of runs and the median reach the target."""
    settings = result.settings
    text = result_text(
        result,
        "found.most_rises",
        safe=x_setting_text(settings, solution.safe),
        did=runs_reaching_text(result, solution),
    )
    median = result.curve.crossings["median"]
    if not isinstance(median, Solution):
        return text
    point = x_estimate_text(settings, median.point)
    return join_texts([text, SAYS("found.most_median", point=point)])


def _single_runs(result: WhatIfResult, solution: Solution) -> str:
    """Count the runs that reach the target next to the crossing, and name the value for 90 %."""
    settings = result.settings
    tested = x_setting_text(settings, solution.tested)
    case = "next"
    if tested == x_setting_text(settings, solution.point):
        case = "here"
    text = result_text(
        result,
        f"found.{case}",
        point=x_estimate_text(settings, solution.point),
        there=tested,
        hits=round(solution.share_at_tested * len(result.base.runs)),
    )
    most = result.curve.crossings["most"]
    if solution.share_at_tested >= MOST or not isinstance(most, Solution):
        return text
    safe = x_setting_text(settings, most.safe)
    return join_texts([text, SAYS("found.most", safe=safe, did=runs_reaching_text(result, most))])


def _saturation(result: WhatIfResult) -> str:
    """Name the epsilon from which on more of it gains less than a point, if it is known."""
    settings = result.settings
    epsilon = result.curve.saturation
    if settings.x_field != "epsilon" or not is_percent(settings) or epsilon is None:
        return ""
    return SAYS("found.levels", setting=x_setting_text(settings, epsilon))


def _attackers(result: WhatIfResult) -> str:
    """Return the best attacker's accuracy at each epsilon that the answer names.

    It is told about rows of a visitor's file alone.
    """
    settings = result.settings
    if settings.x_field != "epsilon" or not settings.uses_uploaded_rows or settings.void:
        return ""
    bounds = []
    for epsilon in dict.fromkeys(_named_values(result)):
        guarantee = settings.topic_settings.change(epsilon=epsilon).guarantee
        if guarantee is None:
            continue
        bound = percent_rounded_up(best_attacker(guarantee).right)
        setting = x_setting_text(settings, epsilon)
        bounds.append(SAYS("found.bound", bound=bound, setting=setting))
    if not bounds:
        return ""
    return SAYS("found.attacker", bounds=" and ".join(bounds))


def _named_values(result: WhatIfResult) -> list[float]:
    """Return the values of the slider that the answer names."""
    curve = result.curve
    if curve.crossing is None:
        return [curve.peak.value]
    values = []
    median = curve.crossings["median"]
    if isinstance(median, Solution):
        values.append(median.tested)
    most = curve.crossings["most"]
    if isinstance(most, Solution):
        values.append(most.safe)
    return values


def _best_value(result: WhatIfResult, crossing: Crossing) -> str:
    """Return the best median, or the largest share of runs that reach the target, and where."""
    settings = result.settings
    assert crossing.best is not None  # there are always runs of the topic's settings
    assert crossing.at is not None
    setting = x_setting_text(settings, crossing.at)
    if settings.reached == "most":
        return SAYS("best-value.most", share=percent(crossing.best), setting=setting)
    value = measure_text(settings, crossing.best)
    return SAYS(f"best-value.{settings.asked_measure.better}", value=value, setting=setting)


def _unclear(result: WhatIfResult, crossing: Crossing) -> str:
    """Explain that the runs cannot show the answer, and name the number that could."""
    settings = result.settings
    runs = len(result.base.runs)
    if settings.reached == "most":
        runs //= settings.seeds  # a share is counted on the first split
    text = result_text(
        result,
        f"unclear.{settings.reached}",
        own=runs,
        best=_best_value(result, crossing),
    )
    return join_texts([text, _runs_needed(result, crossing.needed)])


def _runs_needed(result: WhatIfResult, needed: int | None) -> str:
    """Name the number of runs that could show the answer, a choice of the page if possible."""
    settings = result.settings
    if needed is None:
        return SAYS["unclear.close"]
    for repeats in REPEATS:
        if repeats > settings.repeats and repeats * settings.seeds >= needed:
            return SAYS("unclear.choose", needed=repeats)
    return SAYS("unclear.about", needed=needed)


def _estimate(result: WhatIfResult) -> str:
    """Return the estimate for more people than there are, once all of it is done."""
    curve = result.curve
    if not curve.estimates_complete:
        return ""
    if curve.enough_people is None:
        most_people = curve.estimated.values[-1]
        return result_text(result, "beyond.none", people=f"{most_people:,.0f}")
    people = f"{curve.enough_people:,.0f}"
    return result_text(result, f"beyond.{result.settings.reached}", people=people)


# The best value of a measure that may get better and worse


def _peak(result: WhatIfResult) -> str:
    """Return the best median of the curve."""
    settings = result.settings
    better = settings.asked_measure.better
    peak = result.curve.peak
    value = measure_text(settings, peak.median)
    setting = x_setting_text(settings, peak.value)
    values = len(result.curve.measured.values)
    if not result.curve.complete:
        best = SAYS(f"best-value.{better}", value=value, setting=setting)
        return result_text(result, "so-far", done=values, best=best)
    text = result_text(
        result, f"peak.{better}", value=value, setting=setting, values=values, hits=peak.hits
    )
    return join_texts([text, _attackers(result)])


# The best configuration


def _best_configuration(result: WhatIfResult) -> str:
    """Return the best configuration, and how it did on other splits."""
    settings = result.settings
    tries = len(settings.candidates)
    winner = result.search.winner
    if winner is None:
        return SAYS("best.waiting", done=len(result.search.tries), tries=tries)
    configuration = configuration_text(result)
    text = SAYS("best.chosen", tries=tries, configuration=configuration)
    if len(winner.retested) == 0:
        selected = measure_text(settings, winner.selected)
        return join_texts([text, SAYS("best.pending", chosen=selected)])
    retests = SAYS(
        f"best.{_GAINS[winner.gain]}",
        splits=len(winner.retested),
        again=measure_text(settings, winner.retested_median),
        base=measure_text(settings, winner.base_median),
    )
    return join_texts([text, retests])
