"""The planner's answer in two or three sentences."""

from lab.statistics.claims import Case
from lab.statistics.crossing import Crossing
from pages.what_if.findings import (
    configuration_text,
    interval_text,
    result_text,
)
from pages.what_if.formats import SAYS, measure_text, x_setting_text
from pages.what_if.measurements import Answer
from pages.what_if.recommendation import Recommendation
from pages.what_if.result import WhatIfResult
from pages.what_if.texts_card import advice, epsilon_to_take, median_reach

# Name of the text about the retests, by what they allow to claim.
_GAINS = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.ALIKE: "alike"}


def verdict(result: WhatIfResult) -> str:
    """Return the answer to the question, as far as it is known."""
    if result.settings.answered_question == "best":
        return _best_configuration(result)
    recommendation = result.recommendation
    if recommendation is not None:
        epsilon = epsilon_to_take(result)
        if epsilon is not None:
            return " ".join(advice(result, *epsilon))
        enough = _enough(result, recommendation)
        return f"{enough} {median_reach(result, recommendation)}"
    crossing = result.curve.crossing
    if result.curve.answer is not None:
        return _solution(result, result.curve.answer)
    if not result.curve.complete:
        done = len(result.curve.measured.values)
        return result_text(result, "so-far", done=done, best=_best_median(result))
    if crossing is None:
        return _peak(result)
    return _unsolved(result, crossing)


# Where the target is reached


def _solution(result: WhatIfResult, answer: Answer) -> str:
    """Name the value from which on the median reaches the target."""
    return result_text(
        result,
        "found.median",
        point=x_setting_text(result.settings, answer.value),
        between=interval_text(result, answer),
    )


def _enough(result: WhatIfResult, recommendation: Recommendation) -> str:
    """Count the runs that reach the target with the value to take."""
    return result_text(
        result,
        "found.most",
        safe=x_setting_text(result.settings, recommendation.value),
        hits=recommendation.hits,
    )


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
    retests = SAYS(
        f"best.{_GAINS[winner.gain]}",
        splits=len(winner.retested),
        again=measure_text(settings, winner.retested_median),
        base=measure_text(settings, winner.base_median),
    )
    return f"{text} {retests}"
