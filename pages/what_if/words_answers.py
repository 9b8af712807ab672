"""The planner's answer in two or three sentences, chosen by what came out."""

from dpcore.accountants.attacker import best_attacker
from lab.claims import Case
from lab.crossing import Answer, Found, Reaching
from lab.settings import Spread
from pages.what_if.experiment import REPEATS
from pages.what_if.measured import MOST
from pages.what_if.result import WhatIfResult
from pages.what_if.words import (
    SAYS,
    ahead,
    amount,
    at,
    basis,
    interval,
    named,
    points,
    safely,
    signed,
    span,
    spread,
    stretch,
    sure,
    tell,
)
from pages.what_if.words_numbers import between, did
from ui import outcomes
from ui.panels import at_most, percent


def verdict(result: WhatIfResult) -> str:
    """Return the answer, and that no guarantee holds where bounds were read off the rows."""
    return " ".join(filter(None, [_answer(result), outcomes.void(result.settings.settings)]))


def _answer(result: WhatIfResult) -> str:
    settings = result.settings
    asked = {"accuracy": _accuracy, "best": _best, "versus": _versus}
    if settings.asks in asked:
        return asked[settings.asks](result)
    if settings.exact:
        return _exact(result) if settings.solved else _exact_curve(result)
    found: Answer = result.crossings[settings.reached] if result.direction else result.reaching
    if isinstance(found, Found):
        return " ".join(filter(None, [_found(result, found), _levels(result), _attackers(result)]))
    if isinstance(found, Reaching) and found.intervals:
        return _values(result, found)
    if result.trained < 1:
        return tell(result, "so-far", done=len(result.curve.values), best=_best_of(result, found))
    if found.verdict == "unclear":
        return f"{_unclear(result, found)} {_beyond(result)}".strip()
    said = tell(result, f"{found.verdict}.{settings.reached}", best=_best_of(result, found))
    return f"{said} {_beyond(result)}".strip() if found.verdict == "nowhere" else said


def _beyond(result: WhatIfResult) -> str:
    """Return what is estimated for more people than there are, once all estimates are there."""
    values, enough = result.beyond.values, result.enough
    if not len(values) or len(values) < len(result.settings.around.estimated):
        return ""
    case, people = (result.settings.reached, enough) if enough is not None else ("none", values[-1])
    return tell(result, f"beyond.{case}", people=f"{people:,.0f}")


def _along(result: WhatIfResult, value: float) -> str:
    return named(result.settings, result.settings.along, value)


def _accuracy(result: WhatIfResult) -> str:
    settings, one = result.settings, result.typical(result.now)
    value = amount(settings, one.median)
    if settings.exact:
        return tell(result, "accuracy.exact_yes" if result.hits_now else "accuracy.exact_no", value=value)
    ends = interval(settings, Spread.of(result.now)[::2])
    return tell(result, "accuracy.drawn", value=value, sure=sure(settings, one), range=ends)


def _found(result: WhatIfResult, found: Found) -> str:
    settings, half = result.settings, result.crossings["median"]
    if settings.reached == "most":
        holes = {"safe": _along(result, found.safe), "did": did(result, found)}
        said = tell(result, f"found.most_{result.direction}", **holes)
        if not isinstance(half, Found):
            return said
        return f"{said} {SAYS('found.most_median', point=_along(result, half.point))}"
    said = tell(result, "found.median", point=_along(result, found.point), between=between(result, found))
    return f"{said} {_single(result, found)}"


def _single(result: WhatIfResult, found: Found) -> str:
    """Return how many single runs reach the target where the median does, or at the next value tested."""
    point, there, most = _along(result, found.point), _along(result, found.there), result.crossings["most"]
    hits = round(found.share_there * len(result.now))
    said = tell(result, "found.here" if there == point else "found.next", point=point, there=there, hits=hits)
    if found.share_there >= MOST or not isinstance(most, Found):
        return said
    return f"{said} {SAYS('found.most', safe=_along(result, most.safe), did=did(result, most))}"


def _levels(result: WhatIfResult) -> str:
    """Return from which epsilon on more of it gains less than a point, if that is known."""
    settings = result.settings
    if settings.along != "epsilon" or settings.asked.unit != "%" or result.level is None:
        return ""
    return SAYS("found.levels", setting=_along(result, result.level))


def _attackers(result: WhatIfResult) -> str:
    """Return how often an attacker is right at most, with each epsilon that is found for a visitor's own rows."""
    settings = result.settings
    if settings.along != "epsilon" or not settings.own_rows or settings.void:
        return ""
    if result.direction:
        median, most = result.crossings["median"], result.crossings["most"]
        found = [one.there for one in (median,) if isinstance(one, Found)]
        found += [one.safe for one in (most,) if isinstance(one, Found)]
    else:
        found = [first for one in result.reachings.values() for first, _ in one.intervals[:1]]
    promises = {value: settings.settings.change(epsilon=value).promise for value in found}
    said = [
        SAYS("found.bound", bound=at_most(best_attacker(promise).right), setting=_along(result, value))
        for value, promise in promises.items()
        if promise is not None
    ]
    return SAYS("found.attacker", bounds=" and ".join(said)) if said else ""


def _best_of(result: WhatIfResult, found: Answer) -> str:
    """Return the best that there is, and where."""
    kind = "most" if result.settings.reached == "most" else result.settings.asked.better
    return SAYS(f"best-value.{kind}", **_best_value(result, found))


def _best_value(result: WhatIfResult, found: Answer) -> dict[str, str]:
    """Return the best value and its setting, as sentences say them; one at least is known, that of the base."""
    best: float = found.best  # type: ignore[assignment]  # the base is known
    at_best: float = found.at  # type: ignore[assignment]  # the base is known
    return {"value": amount(result.settings, best), "share": percent(best), "setting": _along(result, at_best)}


def _unclear(result: WhatIfResult, found: Answer) -> str:
    """Return that the answer cannot be shown, and how many runs it would take."""
    settings = result.settings
    own = len(result.now) // (settings.seeds if settings.reached == "most" else 1)
    said = tell(result, f"unclear.{settings.reached}", own=own, best=_best_of(result, found))
    if found.needed is None:
        return f"{said} {SAYS['unclear.close']}"
    enough = next((count for count in REPEATS if count * settings.seeds >= found.needed), None)
    if enough is not None and settings.repeats < enough:
        return f"{said} {SAYS('unclear.choose', needed=enough)}"
    return f"{said} {SAYS('unclear.about', needed=found.needed)}"


def _values(result: WhatIfResult, found: Reaching) -> str:
    settings = result.settings
    rest = SAYS["found.values_all" if found.verdict == "everywhere" else "found.values_else"]
    said = f"{tell(result, f'found.values_{settings.reached}', where=_where(result, found))} {rest}"
    most = result.reachings["most"]
    if not settings.own_rows:
        return said
    both = settings.reached == "median" and most.intervals
    also = tell(result, "found.values_also", where=_where(result, most)) if both else ""
    return " ".join(filter(None, [said, also, _levels(result), _attackers(result)]))


def _where(result: WhatIfResult, found: Reaching) -> str:
    shown = [stretch(result.settings, *ends) for ends in found.intervals]
    return ", ".join(shown if len(shown) <= 3 else [shown[0], "…", shown[-1]])


def _exact(result: WhatIfResult) -> str:
    settings, found = result.settings, result.crossed("median")
    if found is None:
        return SAYS["exact.waiting"]
    first, last = (at(settings, settings.along, end) for end in settings.limits[settings.along])
    if isinstance(found, Found):
        return tell(result, f"exact.{result.direction}", setting=_along(result, safely(result, found.safe)))
    said = tell(result, f"exact.{found.verdict}", first=first, last=last)
    if found.verdict == "everywhere":
        return said
    return f"{said} {SAYS('exact.best', **_best_value(result, found))}"


def _exact_curve(result: WhatIfResult) -> str:
    """Return which values shown reach the target, where the measure is computed and may go up and down."""
    values, reached = result.curve.values, result.hits > 0
    if result.trained < 1:
        return tell(result, "exact.so_far", values=len(values))
    if reached.all() or not reached.any():
        return tell(result, "exact.everywhere" if reached.any() else "exact.nowhere")
    low, high = (at(result.settings, result.settings.along, value) for value in values[reached][[0, -1]])
    return tell(result, "exact.some", reached=reached.sum(), values=len(values), low=low, high=high)


def _best(result: WhatIfResult) -> str:
    settings, winner = result.settings, result.winner
    if winner is None:
        return SAYS("best.waiting", done=len(result.tries), tries=len(settings.tried))
    names = [name for name in settings.settings.tuned if name in settings.knobs]
    tuned = ", ".join(named(settings, name, getattr(winner.settings, name)) for name in names)
    said = SAYS("best.chosen", tries=len(settings.tried), configuration=tuned)
    if not len(winner.again):
        return f"{said} {SAYS('best.pending', chosen=amount(settings, winner.chosen))}"
    cases = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.SO_FAR: "so_far", Case.ALIKE: "alike"}
    medians = {"again": amount(settings, winner.again_median), "base": amount(settings, winner.base_median)}
    return f"{said} {SAYS(f'best.{cases[winner.gain]}', splits=len(winner.again), **medians)}"


def _versus(result: WhatIfResult) -> str:
    settings, theirs, one = result.settings, result.of(result.settings.rival), result.difference
    if theirs is None or not result.complete:
        return SAYS["versus.waiting"]
    mine, other = result.median(result.now), result.median(theirs)
    both = {"mine": amount(settings, mine), "theirs": amount(settings, other), "value": amount(settings, mine)}
    gap = mine - other if one is None or one.sure else one.median
    who = "A" if (gap > 0) == (settings.asked.better == "higher") else "B"
    if one is None or one.sure:
        alike = not settings.exact and result.leads == Case.ALIKE
        case = "same" if gap == 0 else "about" if alike else "better"
        return SAYS(f"versus.{case}", who=who, gap=points(settings, gap), **both)
    compared = SAYS(f"versus.{basis(result, one)}", pairs=one.pairs)
    if result.leads == Case.ALIKE:
        holes = {"gap": signed(settings, one.median), "spread": spread(settings, one), "basis": compared}
        return SAYS("versus.small" if one.shown else "versus.none", **holes)
    ends = span(*(signed(settings, end).removeprefix("+") for end in sorted(map(abs, (one.low, one.high)))))
    said = SAYS("versus.shown", who=who, gap=points(settings, one.median), interval=ends, basis=compared, **both)
    if len(result.ahead) < 2:
        return said
    return f"{said} {tell(result, 'versus.along', where=ahead(result))}"
