"""The answer in a sentence or two, chosen by what came out."""

from lab.claims import Case
from lab.crossing import Answer, Crossing
from pages.what_if import words_parts as phrases
from pages.what_if.experiment import REPEATS, WhatIfResult, WhatIfSettings
from pages.what_if.words_asked import capital, of_accuracy, reaches, the_measure, today
from pages.what_if.words_numbers import between, did, hits, median
from pages.what_if.words_parts import amount, at, low, points, signed, spread, sure, target
from ui import outcomes


def verdict(result: WhatIfResult) -> str:
    """The answer in a sentence or two, and that no epsilon promises anything where bounds were read off the rows."""
    return " ".join(filter(None, [_answer(result), outcomes.void(result.settings.settings)]))


def _answer(result: WhatIfResult) -> str:
    """Chosen by what came out."""
    settings = result.settings
    if settings.asks == "accuracy":
        return _accuracy_said(result)
    if settings.asks == "best":
        return _best_said(result)
    if settings.asks == "versus":
        return _versus_said(result)
    if settings.exact:
        return _exact_said(result)
    if not result.direction:
        return _reaching_said(result)
    found = result.crossed(settings.reached)
    if found.verdict != "found" and result.trained < 1:
        return _so_far(result, found)
    said = {"found": _found, "everywhere": _everywhere, "nowhere": _nowhere, "unclear": _unclear}
    return said[found.verdict](result, found)


def _is(settings: WhatIfSettings, value: str) -> str:
    """That the median run has this number."""
    if of_accuracy(settings):
        return f"the median run is right <b>{value}</b> of the time"
    return f"{the_measure(settings)} is <b>{value}</b>" + ("" if settings.exact else " in the median run")


def _accuracy_said(result: WhatIfResult) -> str:
    settings, one = result.settings, result.typical(result.now)
    here = capital(today(settings, settings.along))
    if settings.exact:
        than = "" if result.hits_now else " not"
        said = f"{here} {_is(settings, amount(settings, one.median))}"
        return f"{said}: the target of {target(settings)} is{than} reached."
    least, most = result.nine_in_ten(result.now)
    said = f"{here} {_is(settings, amount(settings, one.median))}"
    if not one.sure:
        said += f" ({sure(settings, one)})"
    return (
        f"{said}. Nine single runs in ten land {phrases.land(settings, (least, most))}; {hits(result)} "
        f"{target(settings)}."
    )


def _found(result: WhatIfResult, found: Crossing) -> str:
    settings = result.settings
    if settings.reached == "most":
        edge = "Up to" if result.direction == "falls" else "From"
        rest = " on" if edge == "From" else ""
        said = (
            f"{edge} {_value(settings, found.safe)}{rest}, at least <b>9 single runs in 10</b> "
            f"{_get(settings)}, with 95 % confidence ({did(result, found)})."
        )
        half = result.crossed("median")
        if half.verdict == "found":
            said += f" The median run does {phrases.where(settings, settings.along, half.point)}."
        return said
    said = (
        f"{capital(phrases.where(settings, settings.along, _bold(settings, found.point)))} "
        f"{_is(settings, target(settings))}; with 95 % confidence, the crossing lies {_lies(result, found)}."
    )
    return f"{said} {_single(result, found)}".strip()


def _bold(settings: WhatIfSettings, value: float) -> str:
    return f"<b>{at(settings, settings.along, value)}</b>"


def _value(settings: WhatIfSettings, value: float) -> str:
    """ "epsilon 0.5", "50 steps"."""
    return phrases.where(settings, settings.along, _bold(settings, value)).partition(" ")[2]


def _lies(result: WhatIfResult, found: Crossing) -> str:
    settings, name = result.settings, result.settings.along
    if found.low is None or found.high is None:
        return between(result, found)
    one, other = at(settings, name, found.low), at(settings, name, found.high)
    return f"between {one} and {other}" if one != other else f"at {one}"


def _single(result: WhatIfResult, found: Crossing) -> str:
    """What single runs do where their median is at the target."""
    settings, most = result.settings, result.crossed("most")
    share = round(100 * found.share_there)
    if share >= 100 * settings.most:
        return f"So do {share} single runs in 100." if share < 100 else "So does every single run."
    but = "About half of the runs fall short there."
    if most.verdict == "found":
        return f"{but} For <b>9 runs in 10</b>, take {_value(settings, most.safe)} ({did(result, most)})."
    return but


def _get(settings: WhatIfSettings) -> str:
    """What single runs do."""
    goal = target(settings)
    if settings.asked.better == "higher":
        return f"reach {goal}"
    return f"keep {the_measure(settings)} at {goal} or below"


def _ends(result: WhatIfResult) -> tuple[str, str]:
    values = [*result.settings.around.curve]
    return tuple(at(result.settings, result.settings.along, end) for end in (values[0], values[-1]))


def _so_far(result: WhatIfResult, found: Answer) -> str:
    """Of a curve that is still being trained, nothing but the best of what is known."""
    done = outcomes.count(len(result.curve.values), "value")
    return f"{done} of {low(result.settings.along)} trained so far; {_best_of(result, found)}."


def _everywhere(result: WhatIfResult, found: Answer) -> str:
    settings = result.settings
    first, last = _ends(result)
    who = "the median run" if settings.reached == "median" else "at least 9 runs in 10"
    reaches = _get(settings) if settings.reached == "most" else _does(settings)
    return f"<b>Anywhere</b> from {low(settings.along)} {first} to {last}, {who} {reaches}."


def _does(settings: WhatIfSettings) -> str:
    """What the median run does."""
    first, _, rest = _get(settings).partition(" ")
    return f"{first}{'es' if first == 'reach' else 's'} {rest}"


def _best_of(result: WhatIfResult, found: Answer) -> str:
    """The best that there is, and where."""
    settings, where = result.settings, phrases.where(result.settings, result.settings.along, found.at)
    if settings.reached == "most":
        return f"at most {outcomes.count(round(100 * found.best), 'run')} in 100 do, {where}"
    return f"the {phrases.top(settings)} median is {amount(settings, found.best)}, {where}"


def _nowhere(result: WhatIfResult, found: Answer) -> str:
    settings = result.settings
    first, last = _ends(result)
    if settings.reached == "most":
        return (
            f"<b>Nowhere</b> from {low(settings.along)} {first} to {last} do 9 runs in 10 {_get(settings)}: "
            f"{_best_of(result, found)}."
        )
    return (
        f"<b>Nowhere</b> from {low(settings.along)} {first} to {last} does the median run {_get(settings)}: "
        f"{_best_of(result, found)}."
    )


def _unclear(result: WhatIfResult, found: Answer) -> str:
    """That it cannot be told, and how many runs it would take."""
    settings = result.settings
    own = len(result.now) // (settings.seeds if settings.reached == "most" else 1)
    what = "in which part 9 runs in 10" if settings.reached == "most" else "where the median run"
    reach = _get(settings) if settings.reached == "most" else _does(settings)
    said = f"{outcomes.count(own, 'run')} <b>cannot tell</b> {what} {reach}: {_best_of(result, found)}."
    if result.trained < 1:
        return said
    if found.needed is None:
        return f"{said} The target lies too near to the best that there is."
    enough = next((count for count in REPEATS if count * settings.seeds >= found.needed), None)
    if enough is not None and settings.repeats < enough:
        return f"{said} Take {enough} runs."
    return f"{said} It would take about {found.needed:,} runs."


def _reaching_said(result: WhatIfResult) -> str:
    """Of a knob along which the measure may go up and down: the values that reach the target, never the smallest."""
    settings, found = result.settings, result.reaching
    if not found.intervals and result.trained < 1:
        return _so_far(result, found)
    if not found.intervals:
        return (_nowhere if found.verdict == "nowhere" else _unclear)(result, found)
    shown = [phrases.stretch(settings, *ends) for ends in found.intervals]
    where = outcomes_list(shown) if len(shown) <= 3 else f"{shown[0]}, ... and {shown[-1]}"
    who = "the median run" if settings.reached == "median" else "at least 9 runs in 10"
    reach = _does(settings) if settings.reached == "median" else _get(settings)
    said = f"With {low(settings.along)} <b>{where}</b>, {who} {reach} (95 % confidence for all of them)."
    if found.verdict == "everywhere":
        return f"{said} Those are all values shown."
    return f"{said} Nothing is said about values in between or beyond, where it cannot be told or is not so."


def outcomes_list(texts: list[str]) -> str:
    """ "a, b and c"."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def _exact_said(result: WhatIfResult) -> str:
    settings = result.settings
    if settings.solved is None:
        return _exact_curve(result)
    found = result.crossed("median")
    if found is None:
        return "The answer is being computed."
    name = low(settings.along)
    least, most = (at(settings, settings.along, end) for end in settings.limits[settings.along])
    if found.verdict == "everywhere":
        return f"<b>Anywhere</b> from {name} {least} to {most}, {_exactly(settings)}."
    if found.verdict == "nowhere":
        best = f"{amount(settings, found.best)} {phrases.where(settings, settings.along, found.at)}"
        return f"<b>No {name}</b> from {least} to {most} {reaches(settings)}: the best is {best}."
    edge, on = ("Up to", "") if result.direction == "falls" else ("From", " on")
    said = f"{edge} {_value(settings, phrases.safely(result, found.safe))}{on}, {_exactly(settings)}."
    return f"{said} It is computed rather than sampled, so it has no sampling error."


def _exactly(settings: WhatIfSettings) -> str:
    """That the measure reaches the target."""
    side = "at least" if settings.asked.better == "higher" else "at most"
    return f"{the_measure(settings)} is {side} {target(settings)}"


def _exact_curve(result: WhatIfResult) -> str:
    """Where nothing is drawn, and the knob has no direction: what the values shown do."""
    settings = result.settings
    values, reached = result.curve.values, result.hits > 0
    first, last = _ends(result)
    name, what = low(settings.along), f"{_exactly(settings)}"
    if result.trained < 1:
        return f"{len(values)} values of {name} computed so far."
    if reached.all() or not reached.any():
        return f"<b>{'Anywhere' if reached.any() else 'Nowhere'}</b> from {name} {first} to {last} {what}."
    share = f"{reached.sum()} of {len(values)} values"
    ends = [at(settings, settings.along, value) for value in (values[reached][0], values[reached][-1])]
    return f"At {share} of {name} shown, {what}; the least of them is {ends[0]}, the largest {ends[1]}."


def _best_said(result: WhatIfResult) -> str:
    settings, winner = result.settings, result.winner
    if winner is None:
        return f"{len(result.tries)} of {len(settings.tried)} tries are trained."
    said = f"Chosen of {outcomes.count(len(settings.tried), 'try', 'tries')}: <b>{_setting(result)}</b>."
    if not len(winner.again):
        return f"{said} It was chosen by {amount(settings, winner.chosen)}, and is being measured again."
    again, base = winner.again_median, winner.base_median
    verb = "reaches" if settings.asked.better == "higher" else "comes to"
    beside = {
        Case.AHEAD: f"better than your setting's {amount(settings, base)}",
        Case.BEHIND: f"worse than your setting's {amount(settings, base)}",
        Case.SO_FAR: f"beside your setting's {amount(settings, base)} so far",
        Case.ALIKE: f"no difference shown from your setting's {amount(settings, base)}",
    }[winner.gain]
    return (
        f"{said} Measured again on {outcomes.count(len(winner.again), 'other split')}, it {verb} "
        f"<b>{amount(settings, again)}</b> in the median of these, {beside}; it was chosen by "
        f"{amount(settings, winner.chosen)} here."
    )


def _setting(result: WhatIfResult) -> str:
    """What was tuned of the best one."""
    settings, winner = result.settings, result.winner
    names = [name for name in settings.settings.tuned if name in settings.knobs]
    return ", ".join(f"{low(name)} {at(settings, name, getattr(winner.settings, name))}" for name in names)


def _versus_said(result: WhatIfResult) -> str:
    settings, theirs, one = result.settings, result.of(result.settings.rival), result.difference
    if theirs is None or not result.complete:
        return "B is being trained."
    both = f"A {median(result)}, B {amount(settings, result.median(theirs))}"
    sign = 1 if settings.asked.better == "higher" else -1
    gap = result.median(result.now) - result.median(theirs)
    if one is None or one.sure:
        if gap == 0:
            return f"A and B come to <b>the same</b>: {amount(settings, result.median(theirs))}."
        if not settings.exact and result.leads == Case.ALIKE:
            return f"A and B come to <b>about the same</b>: {both}."
        return f"<b>{'A' if sign * gap > 0 else 'B'} is better</b> by {points(settings, gap)}: {both}."
    pairs = f"median of {one.pairs} pairs with the same noise" if one.paired else "difference of the medians"
    if result.compared > 1:
        pairs = f"median of {one.pairs} splits"
    if result.leads == Case.ALIKE:
        gap = signed(settings, one.median)
        none = "The difference is too small to matter" if one.shown else "No difference can be shown"
        return f"<b>{none}</b> here: {gap} ({pairs}, {spread(settings, one)})."
    who = "A" if sign * one.median > 0 else "B"
    said = (
        f"<b>{who} is better</b> by {points(settings, one.median)} ({pairs}, 95 % confidence interval "
        f"{_span(settings, one)}): {both}."
    )
    where = phrases.ahead(result)
    if len(result.ahead) < 2:
        return said
    return f"{said} Over {low(settings.along)}, where it can be told: {where}."


def _span(settings: WhatIfSettings, one) -> str:
    """The ends of an interval on one side of 0, without signs."""
    ends = sorted(abs(end) for end in (one.low, one.high))
    return " to ".join(dict.fromkeys(signed(settings, end).removeprefix("+") for end in ends))
