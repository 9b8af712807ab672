"""The planner's answer in two or three sentences."""

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
    join_texts,
    measure_text,
    x_estimate_text,
    x_setting_text,
)
from pages.what_if.measurements import MOST
from pages.what_if.result import WhatIfResult

# Name of the text about the retests, by what they allow to claim.
_GAINS = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.ALIKE: "alike"}


def verdict(result: WhatIfResult) -> str:
    """Return the answer to the question, as far as it is known."""
    if result.settings.answered_question == "best":
        return _best_configuration(result)
    crossing = result.curve.crossing
    if isinstance(crossing, Solution):
        return join_texts([_solution(result, crossing), _single_runs(result, crossing)])
    if not result.curve.complete:
        done = len(result.curve.measured.values)
        return result_text(result, "so-far", done=done, best=_best_median(result))
    if crossing is None:
        return _peak(result)
    return _unsolved(result, crossing)


# Where the target is reached


def _solution(result: WhatIfResult, solution: Solution) -> str:
    """Name the value from which on the median reaches the target."""
    return result_text(
        result,
        "found.median",
        point=x_estimate_text(result.settings, solution.point),
        between=crossing_interval_text(result, solution),
    )


def _single_runs(result: WhatIfResult, solution: Solution) -> str:
    """Count the runs that reach the target next to the crossing, and name the value for 90 %.

    The count is of the first tested value from the crossing on. Both may look alike.
    """
    settings = result.settings
    crossing_text = x_setting_text(settings, solution.point)
    tested_text = x_setting_text(settings, solution.tested)
    case = "next"
    if tested_text == crossing_text:
        case = "here"
    text = result_text(
        result,
        f"found.{case}",
        point=x_estimate_text(settings, solution.point),
        there=tested_text,
        hits=round(solution.share_at_tested * len(result.base.runs)),
    )
    if solution.share_at_tested >= MOST:
        return text
    crossing_for_most = result.curve.crossing_for_most
    if not isinstance(crossing_for_most, Solution):
        return text
    text_for_most = SAYS(
        "found.most",
        safe=x_setting_text(settings, crossing_for_most.safe),
        did=runs_reaching_text(result, crossing_for_most),
    )
    return join_texts([text, text_for_most])


def _unsolved(result: WhatIfResult, crossing: Crossing) -> str:
    """Explain that all values or none reach the target, or that the runs cannot show which do."""
    return result_text(
        result,
        f"unsolved.{crossing.verdict}",
        count=len(result.base.runs),
        best=_best_median(result),
    )


def _best_median(result: WhatIfResult) -> str:
    """Return the best median so far, and where it is."""
    settings = result.settings
    peak = result.curve.peak
    return SAYS(
        f"best-value.{settings.asked_measure.better}",
        value=measure_text(settings, peak.median),
        setting=x_setting_text(settings, peak.value),
    )


# The best value of a measure that may get better and worse


def _peak(result: WhatIfResult) -> str:
    """Return the best median of the curve."""
    settings = result.settings
    peak = result.curve.peak
    return result_text(
        result,
        f"peak.{settings.asked_measure.better}",
        value=measure_text(settings, peak.median),
        setting=x_setting_text(settings, peak.value),
        values=len(result.curve.measured.values),
        hits=peak.hits,
    )


# The best configuration


def _best_configuration(result: WhatIfResult) -> str:
    """Return the best configuration, and how it did on other splits."""
    settings = result.settings
    tries = len(settings.candidates)
    winner = result.search.winner
    if winner is None:
        return SAYS("best.waiting", done=len(result.search.tries), tries=tries)
    configuration = configuration_text(settings, winner.settings)
    text = SAYS("best.chosen", tries=tries, configuration=configuration)
    if winner.gain is None:
        selected = measure_text(settings, winner.selected)
        return join_texts([text, SAYS("best.pending", chosen=selected)])
    retests = SAYS(
        f"best.{_GAINS[winner.gain]}",
        splits=len(winner.retested),
        again=measure_text(settings, winner.retested_median),
        base=measure_text(settings, winner.base_median),
    )
    return join_texts([text, retests])
