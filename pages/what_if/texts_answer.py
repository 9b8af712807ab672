"""The planner's answer in two or three sentences."""

from dpcore.accountants.attacker import best_attacker
from lab.statistics.claims import Case
from lab.statistics.crossing import Crossing, Solution
from pages.what_if.experiment import REPEATS
from pages.what_if.measurements import MOST
from pages.what_if.result import WhatIfResult
from pages.what_if.texts import (
    SAYS,
    along,
    along_estimate,
    amount,
    crossing_interval,
    named,
    runs_reaching,
    tell,
)
from ui.text import guarantee_notes
from ui.text.tiles import percent, percent_rounded_up

# Text about the retests, by what they allow to say.
_GAINS = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.SO_FAR: "so_far", Case.ALIKE: "alike"}


def verdict(result: WhatIfResult) -> str:
    """Return the answer, and a warning where bounds were read off the rows."""
    return _sentences(_answer(result), guarantee_notes.void_verdict(result.settings.settings))


def _sentences(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def _answer(result: WhatIfResult) -> str:
    if result.settings.asks == "best":
        return _best_configuration(result)
    found = result.crossing
    if found is None:
        return _peak(result)
    if isinstance(found, Solution):
        return _sentences(_found(result, found), _levels(result), _attackers(result))
    if result.trained < 1:
        return tell(
            result, "so-far", done=len(result.curve.values), best=_best_value(result, found)
        )
    if found.verdict == "everywhere":
        return tell(result, f"everywhere.{result.settings.reached}")
    if found.verdict == "nowhere":
        best = _best_value(result, found)
        return _sentences(
            tell(result, f"nowhere.{result.settings.reached}", best=best), _estimate(result)
        )
    return _sentences(_unclear(result, found), _estimate(result))


# Where the target is reached


def _found(result: WhatIfResult, found: Solution) -> str:
    if result.settings.reached == "most":
        text = tell(
            result,
            "found.most_rises",
            safe=along(result, found.safe),
            did=runs_reaching(result, found),
        )
        median = result.crossings["median"]
        if not isinstance(median, Solution):
            return text
        return _sentences(
            text, SAYS("found.most_median", point=along_estimate(result, median.point))
        )
    point = along_estimate(result, found.point)
    text = tell(result, "found.median", point=point, between=crossing_interval(result, found))
    return _sentences(text, _single_runs(result, found))


def _single_runs(result: WhatIfResult, found: Solution) -> str:
    """Return how many runs reach the target at the crossing or the next value, and where 90
    % do.
    """
    there = along(result, found.tested)
    case = "here" if there == along(result, found.point) else "next"
    hits = round(found.share_at_tested * len(result.now))
    point = along_estimate(result, found.point)
    text = tell(result, f"found.{case}", point=point, there=there, hits=hits)
    most = result.crossings["most"]
    if found.share_at_tested >= MOST or not isinstance(most, Solution):
        return text
    return _sentences(
        text, SAYS("found.most", safe=along(result, most.safe), did=runs_reaching(result, most))
    )


def _levels(result: WhatIfResult) -> str:
    """Return from which epsilon on more of it gains less than a point, if that is known."""
    settings = result.settings
    if settings.along != "epsilon" or settings.asked.unit != "%" or result.level is None:
        return ""
    return SAYS("found.levels", setting=along(result, result.level))


def _attackers(result: WhatIfResult) -> str:
    """Return the best attacker's accuracy at each epsilon that is found for rows of a visitor's own
    file.
    """
    settings = result.settings
    if settings.along != "epsilon" or not settings.own_rows or settings.void:
        return ""
    bounds = []
    for epsilon in dict.fromkeys(_epsilons(result)):
        guarantee = settings.settings.change(epsilon=epsilon).guarantee
        if guarantee is not None:
            bound = percent_rounded_up(best_attacker(guarantee).right)
            bounds.append(SAYS("found.bound", bound=bound, setting=along(result, epsilon)))
    if not bounds:
        return ""
    return SAYS("found.attacker", bounds=" and ".join(bounds))


def _epsilons(result: WhatIfResult) -> list[float]:
    """Return the values of the slider that the answer names."""
    if result.crossing is None:
        return [result.peak.value]
    found = []
    median = result.crossings["median"]
    if isinstance(median, Solution):
        found.append(median.tested)
    most = result.crossings["most"]
    if isinstance(most, Solution):
        found.append(most.safe)
    return found


def _best_value(result: WhatIfResult, found: Crossing) -> str:
    """Return the best median, or the largest share of runs that reach the target, and its
    setting.
    """
    assert found.best is not None  # the base is always known
    assert found.at is not None
    setting = along(result, found.at)
    if result.settings.reached == "most":
        return SAYS("best-value.most", share=percent(found.best), setting=setting)
    value = amount(result.settings, found.best)
    return SAYS(f"best-value.{result.settings.asked.better}", value=value, setting=setting)


def _unclear(result: WhatIfResult, found: Crossing) -> str:
    """Return that the runs cannot show the answer, and how many could."""
    settings = result.settings
    runs = len(result.now)
    if settings.reached == "most":  # a share is counted on the base's own split
        runs //= settings.seeds
    text = tell(result, f"unclear.{settings.reached}", own=runs, best=_best_value(result, found))
    if found.needed is None:
        return _sentences(text, SAYS["unclear.close"])
    for repeats in REPEATS:
        if repeats > settings.repeats and repeats * settings.seeds >= found.needed:
            return _sentences(text, SAYS("unclear.choose", needed=repeats))
    return _sentences(text, SAYS("unclear.about", needed=found.needed))


def _estimate(result: WhatIfResult) -> str:
    """Return the estimate for more people than there are, once all of it is done."""
    values = result.beyond.values
    if not len(values) or len(values) < len(result.settings.around.estimated):
        return ""
    if result.enough is None:
        return tell(result, "beyond.none", people=f"{values[-1]:,.0f}")
    return tell(result, f"beyond.{result.settings.reached}", people=f"{result.enough:,.0f}")


# The best value of a measure that may get better and worse


def _peak(result: WhatIfResult) -> str:
    """Return the best median of the curve."""
    settings = result.settings
    peak = result.peak
    value = amount(settings, peak.median)
    setting = along(result, peak.value)
    values = len(result.curve.values)
    if result.trained < 1:
        best = SAYS(f"best-value.{settings.asked.better}", value=value, setting=setting)
        return tell(result, "so-far", done=values, best=best)
    case = f"peak.{settings.asked.better}"
    text = tell(result, case, value=value, setting=setting, values=values, hits=peak.hits)
    return _sentences(text, _attackers(result))


# The best configuration


def _best_configuration(result: WhatIfResult) -> str:
    settings = result.settings
    winner = result.winner
    if winner is None:
        return SAYS("best.waiting", done=len(result.tries), tries=len(settings.tried))
    names = [name for name in settings.settings.tuned if name in settings.sliders]
    configuration = ", ".join(
        named(settings, name, getattr(winner.settings, name)) for name in names
    )
    text = SAYS("best.chosen", tries=len(settings.tried), configuration=configuration)
    if not len(winner.again):
        return _sentences(text, SAYS("best.pending", chosen=amount(settings, winner.chosen)))
    retests = SAYS(
        f"best.{_GAINS[winner.gain]}",
        splits=len(winner.again),
        again=amount(settings, winner.again_median),
        base=amount(settings, winner.base_median),
    )
    return _sentences(text, retests)
