"""The questions in words: what is asked, the answer, why it is so, and what looking for it costs."""

from html import escape

from dpcore.accountants import gdp
from dpcore.crossing import Answer, Crossing
from dpcore.papers import short
from pages.what_if import words_parts as phrases
from pages.what_if.experiment import OTHER_SEEDS, REPEATS, WhatIfResult, WhatIfSettings
from pages.what_if.words_parts import amount, at, interval, label, low, noun, points, signed, spread, target
from ui import outcomes, panels
from ui.panels import Number, number

CURVE_ABOUT = (
    "The measure along one knob, everything else as it is. The line is the average run, the shaded area holds nine "
    "runs in ten, and nine in ten reach at least the dashed line. Look for where the line meets the orange target, and "
    "for how far to the right the dashed one does. The orange strip is where the average may cross, with 95 % "
    "confidence."
)
KNOBS_ABOUT = (
    "What one step of each knob does from here, one knob at a time: a third of a decade down and up, or a tenth of its "
    "range. Strokes are intervals that hold together with 95 % confidence; hatched bars may be nothing. Look for the "
    "longest bar, and click on it to ask about that knob. What knobs do together is on the map."
)
MAP_ABOUT = (
    "Each cell is the average of its own runs, the lighter the better, on a scale that does not move; blank cells are "
    "still to be trained. The orange line is where the target is reached. Click on a place to go there."
)
TRIES_ABOUT = (
    "Each dot is one of the settings that were tried, by the average it was chosen by, the best first. The best of "
    "many is chosen for its luck too: the orange mark is the same setting measured again, on other splits with fresh "
    "noise."
)


def introduction(settings: WhatIfSettings) -> str:
    """What is to be done."""
    return (
        "Take a question, and **drag the target**. All pictures of one answer are made of the same runs, trained just "
        "now. The settings they are about are those of another page, and can be changed here as there."
    )


# ---- what is asked


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Question -> how it is asked, of those that have an answer here."""
    here = _here(settings, settings.knob)
    one = noun(settings)
    how = f"How accurate is it {here}?" if _accuracy(settings) else f"How large is the {one} {here}?"
    asked = {"accuracy": how, "smallest": f"Which {low(settings.knob)} {_reaches(settings)}?"}
    if settings.crowd:
        people = phrases.PEOPLE.get(settings.crowd, low(settings.crowd))
        where = "" if settings.knob == settings.crowd else f" {here}"
        asked["people"] = f"How many {people} {_reach(settings)}{where}?"
    if settings.tried:
        asked["best"] = "Which setting is best" + (f" {here}?" if settings.knob not in settings.settings.tuned else "?")
    return asked | {"versus": versus(settings)}


def versus(settings: WhatIfSettings) -> str:
    """A against B, by what is different in B."""
    changes = settings.different
    if len(changes) != 1:
        return "Is A better than B?"
    ((name, value),) = changes.items()
    mine = getattr(settings, name)
    if isinstance(mine, str):
        return f"Is {mine.replace('_', ' ')} better than {value.replace('_', ' ')}?"
    return f"Is {low(name)} {at(settings, name, mine)} better than {at(settings, name, value)}?"


def _accuracy(settings: WhatIfSettings) -> bool:
    """Whether the measure is how often a model is right."""
    return settings.asked.share


def _here(settings: WhatIfSettings, name: str) -> str:
    return phrases.where(settings, name, getattr(settings, name))


def _reaches(settings: WhatIfSettings) -> str:
    """What one value does to the target."""
    goal = target(settings)
    if settings.asked.better == "higher":
        return f"reaches {goal}" if _accuracy(settings) else f"brings the {noun(settings)} to {goal}"
    return f"keeps {_the(settings)} at {goal}" if settings.exact else f"brings {_the(settings)} down to {goal}"


def _the(settings: WhatIfSettings) -> str:
    """The measure within a sentence: epsilon has no article."""
    return "epsilon" if noun(settings) == "epsilon" else f"the {noun(settings)}"


def _reach(settings: WhatIfSettings) -> str:
    """What several do."""
    first, _, rest = _reaches(settings).partition(" ")
    return f"{first.removesuffix('es') if first == 'reaches' else first.removesuffix('s')} {rest}"


def target_knob(settings: WhatIfSettings) -> dict[str, object]:
    """How the target's knob looks."""
    if settings.asked.unit == "%":
        return {"label": "Target", "unit": "%"}
    name = noun(settings)
    return {"label": f"Target {name}", "scale": "log", "stops": 40}


# ---- numbers


def numbers(result: WhatIfResult) -> list[Number]:
    """The answer, what single runs do, what holds today, and what looking for it costs."""
    own = {"accuracy": _accuracies, "best": _bests, "versus": _versus}.get(result.settings.asks, _solved)
    return [one for one in (*own(result), _price(result)) if one]


def _tile(result: WhatIfResult, name: str, mean: float, note: str, tone: str = "") -> Number:
    unit = "points" if result.settings.asked.unit == "%" else noun(result.settings)
    shown = result.settings.scale * mean
    return Number(name, amount(result.settings, mean), note, tone=tone, amount=shown, unit=unit)


def _today(result: WhatIfResult) -> Number:
    """What the base reaches, and how many of its runs reach the target."""
    settings, one = result.settings, result.average(result.now)
    note = "computed, not drawn" if settings.exact else f"{_hits(result)} {target(settings)}"
    return _tile(result, f"Now, {_here(settings, settings.along)}", one.mean, note)


def _hits(result: WhatIfResult) -> str:
    return f"{result.hits_now} of {len(result.now)} runs {'reaches' if result.hits_now == 1 else 'reach'}"


def _accuracies(result: WhatIfResult) -> list[Number]:
    settings, one = result.settings, result.average(result.now)
    name = _capital(f"{noun(settings)} {_here(settings, settings.along)}")
    if settings.exact:
        return [_tile(result, name, one.mean, "computed, not drawn", "private"), _target(result)]
    least, most = result.nine_in_ten(result.now)
    ends = interval(settings, (least, most))
    return [
        _tile(result, name, one.mean, f"{interval(settings, (one.low, one.high))}, 95 % confidence", "private"),
        Number("Nine runs in ten", ends, f"of {len(result.now)} runs"),
        Number(f"Reach {target(settings)}", f"{result.hits_now} <small>of {len(result.now)} runs</small>"),
    ]


def _target(result: WhatIfResult) -> Number:
    reached = bool(result.hits_now)
    return Number(f"Target {target(result.settings)}", "reached" if reached else "not reached")


def _solved(result: WhatIfResult) -> list[Number]:
    settings = result.settings
    found = result.crossed(settings.reached)
    if found is None and settings.exact and settings.solved:
        return [Number(_asks(result), "…", "being solved", tone="bound"), _today(result)]
    if settings.exact and not settings.solved:
        values = len(result.curve.values)
        share = f"{int((result.hits > 0).sum())} <small>of {outcomes.count(values, 'value')}</small>"
        return [Number(f"Reach {target(settings)}", share, "computed, not drawn", tone="bound"), _today(result)]
    if not result.direction:
        return [_within(result), _today(result)]
    answer = [_first(result, found)]
    if settings.exact:
        return [*answer, _today(result)]
    other = "most" if settings.reached == "mean" else "mean"
    return [*answer, _second(result, other), _today(result)]


def _asks(result: WhatIfResult) -> str:
    """What the answer is, in a few words."""
    settings = result.settings
    return f"{_which(result)} {low(settings.along)} for {target(settings)}"


def _which(result: WhatIfResult) -> str:
    """What the answer is among the values that reach the target."""
    settings, falls = result.settings, result.direction == "falls"
    if phrases.counted(settings, settings.along):
        return "Most" if falls else "Fewest"
    return "Largest" if falls else "Smallest"


def _first(result: WhatIfResult, found: Crossing) -> Number:
    """The answer, with its interval."""
    settings, value = result.settings, result.main
    if value is None:
        return Number(_asks(result), _no_value(result, found), _reached_by(settings), tone="bound")
    note = "computed, not drawn"
    if not settings.exact and settings.reached == "mean":
        note = f"average run; {_between(result, found)}"
    elif not settings.exact:
        note = f"9 runs in 10; {_did(result, found)}"
    return Number(
        _asks(result), phrases.answer(result, value), note, tone="bound", amount=value, unit=label(settings.along)
    )


def _no_value(result: WhatIfResult, found: Answer) -> str:
    """In place of a value, where there is none, or none yet."""
    if result.trained < 1:
        return "…"
    return {"everywhere": "everywhere", "nowhere": "none"}.get(found.verdict, "<small>cannot be told</small>")


def _between(result: WhatIfResult, found: Crossing) -> str:
    """The ends of a crossing's interval."""
    settings, name = result.settings, result.settings.along
    ends = [at(settings, name, end) if end is not None else "" for end in (found.low, found.high)]
    if not ends[0]:
        return f"at most {ends[1]}"
    if ends[0] == ends[1]:
        return ends[0]
    return f"{ends[0]} to {ends[1]}" if ends[1] else f"at least {ends[0]}"


def _did(result: WhatIfResult, found: Crossing) -> str:
    """How many did at the safe value."""
    own = len(result.now) // result.settings.seeds
    return f"{round(found.share_safe * own)} of {own} did"


def _second(result: WhatIfResult, reached: str) -> Number:
    """The same question about single runs, or about their average."""
    settings, found = result.settings, result.crossed(reached)
    name = "For 9 runs in 10" if reached == "most" else "For the average run"
    if found.verdict == "found":
        value = found.safe if reached == "most" else found.point
        note = _did(result, found) if reached == "most" else _between(result, found)
        return Number(name, at(settings, settings.along, value), note)
    return Number(name, _no_value(result, found), f"from {outcomes.count(len(result.now), 'run')} at each value")


def _reached_by(settings: WhatIfSettings) -> str:
    return "average run" if settings.reached == "mean" else "9 runs in 10"


def _within(result: WhatIfResult) -> Number:
    """The values that reach the target, where the measure may go up and down along the knob."""
    settings, found = result.settings, result.reaching
    name = f"{label(settings.along)} for {target(settings)}"
    if not found.intervals:
        return Number(name, _no_value(result, found), _reached_by(settings), "bound")
    said = phrases.stretch(settings, found.intervals[0][0], found.intervals[-1][1])
    said = said.replace(" to ", " <small>to</small> ")
    gaps = "" if len(found.intervals) == 1 else f", in {len(found.intervals)} stretches"
    return Number(name, said, f"{_reached_by(settings)}{gaps}", tone="bound")


def _bests(result: WhatIfResult) -> list[Number]:
    settings, winner = result.settings, result.winner
    if winner is None:
        done = f"{len(result.tries)} of {len(settings.tried)} tries"
        return [Number("Best setting", "…", done, tone="bound"), _today(result)]
    chosen = _tile(result, "Chosen by", winner.chosen, "the best of many is lucky too")
    if not len(winner.again):
        return [Number("Measured again", "…", "on other splits", tone="bound"), chosen, _today(result)]
    note = f"mean of {outcomes.count(len(winner.again), 'other split')}"
    base = _tile(result, "Yours, on the same splits", float(winner.base.mean()), f"here {_mean(result)}")
    return [_tile(result, "Best, measured again", float(winner.again.mean()), note, "bound"), chosen, base]


def _mean(result: WhatIfResult) -> str:
    return amount(result.settings, float(result.now.mean()))


def _versus(result: WhatIfResult) -> list[Number]:
    settings, theirs = result.settings, result.of(result.settings.rival)
    run = "" if settings.exact else ", average run"
    mine = _tile(result, f"A{run}", float(result.now.mean()), _said(settings, settings.settings), "private")
    if theirs is None or not result.complete:
        return [mine, Number("B", "…", "being trained")]
    other = _tile(result, f"B{run}", float(theirs.mean()), _said(settings, settings.rival))
    return [_gap(result), mine, other]


def _said(settings: WhatIfSettings, one) -> str:
    """What is different in A, or in B."""
    words = []
    for name in [*settings.different][:2]:
        value = getattr(one, name)
        shown = escape(value.replace("_", " ")) if isinstance(value, str) else at(settings, name, value)
        words.append(shown if isinstance(value, str) else f"{low(name)} {shown}")
    return ", ".join(words) or "the same"


def _gap(result: WhatIfResult) -> Number:
    settings, one = result.settings, result.difference
    if one is None:
        gap = float(result.now.mean() - result.of(settings.rival).mean())
        return Number("A less B", signed(settings, gap), "computed, not drawn", tone="bound")
    pairs = f"{one.pairs} {'splits' if result.compared > 1 else 'pairs'}" if one.paired else "two groups"
    note = "in every pair" if one.sure else f"{spread(settings, one)}, {pairs}"
    return Number("A less B", signed(settings, one.mean), note, tone="bound")


def _price(result: WhatIfResult) -> Number | None:
    """What it costs to have looked, where the rows are private."""
    settings, prices = result.settings, result.prices
    if settings.exact:
        return Number("Price of searching", "none", "no row is looked at")
    if not prices:
        return Number("Price of searching", "no limit", "one run promises nothing")
    tries = outcomes.count(settings.tries, "try", "tries")
    exact = "" if gdp.is_gaussian(prices["all"].event) else ", at most"
    shown = number(prices["all"].epsilon)
    delta, one = phrases.plain(prices["all"].delta), number(prices["public"].epsilon)
    note = f"delta {delta}; one run, or chosen on public rows: {one}"
    return Number(f"{tries}, all counted", f"<small>epsilon{exact}</small> {shown}", note)


# ---- the answer


def verdict(result: WhatIfResult) -> str:
    """The answer in a sentence or two, chosen by what came out."""
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
    """That the average run has this number."""
    if _accuracy(settings):
        return f"the average run is right <b>{value}</b> of the time"
    return f"{_the(settings)} is <b>{value}</b>" + ("" if settings.exact else " on average")


def _accuracy_said(result: WhatIfResult) -> str:
    settings, one = result.settings, result.average(result.now)
    here = _capital(_here(settings, settings.along))
    if settings.exact:
        than = "" if result.hits_now else " not"
        return f"{here} {_is(settings, amount(settings, one.mean))}: the target of {target(settings)} is{than} reached."
    least, most = result.nine_in_ten(result.now)
    said = f"{here} {_is(settings, amount(settings, one.mean))}"
    if not one.sure:
        said += f" ({interval(settings, (one.low, one.high))} with 95 % confidence)"
    return (
        f"{said}. Nine single runs in ten land {phrases.land(settings, (least, most))}; {_hits(result)} "
        f"{target(settings)}."
    )


def _found(result: WhatIfResult, found: Crossing) -> str:
    settings = result.settings
    if settings.reached == "most":
        edge = "Up to" if result.direction == "falls" else "From"
        rest = " on" if edge == "From" else ""
        said = (
            f"{edge} {_value(settings, found.safe)}{rest}, at least <b>9 single runs in 10</b> "
            f"{_get(settings)}, with 95 % confidence ({_did(result, found)})."
        )
        mean = result.crossed("mean")
        if mean.verdict == "found":
            said += f" The average run does {phrases.where(settings, settings.along, mean.point)}."
        return said
    said = (
        f"{_capital(phrases.where(settings, settings.along, _bold(settings, found.point)))} "
        f"{_is(settings, target(settings))}; with 95 % confidence, the crossing lies {_lies(result, found)}."
    )
    return f"{said} {_single(result, found)}".strip()


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _bold(settings: WhatIfSettings, value: float) -> str:
    return f"<b>{at(settings, settings.along, value)}</b>"


def _value(settings: WhatIfSettings, value: float) -> str:
    """ "epsilon 0.5", "50 steps"."""
    return phrases.where(settings, settings.along, _bold(settings, value)).partition(" ")[2]


def _lies(result: WhatIfResult, found: Crossing) -> str:
    settings, name = result.settings, result.settings.along
    if found.low is None or found.high is None:
        return _between(result, found)
    one, other = at(settings, name, found.low), at(settings, name, found.high)
    return f"between {one} and {other}" if one != other else f"at {one}"


def _single(result: WhatIfResult, found: Crossing) -> str:
    """What single runs do where their average is at the target."""
    settings, most = result.settings, result.crossed("most")
    share = round(100 * found.share_there)
    if share >= 100 * settings.most:
        return f"So do {share} single runs in 100." if share < 100 else "So does every single run."
    but = f"But only {share} single {'run' if share == 1 else 'runs'} in 100 {'gets' if share == 1 else 'get'} there."
    if most.verdict == "found":
        return f"{but} For <b>9 runs in 10</b>, take {_value(settings, most.safe)} ({_did(result, most)})."
    return but


def _get(settings: WhatIfSettings) -> str:
    """What single runs do."""
    goal = target(settings)
    if settings.asked.better == "higher":
        return f"reach {goal}"
    return f"keep {_the(settings)} at {goal} or below"


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
    who = "the average run" if settings.reached == "mean" else "at least 9 runs in 10"
    reaches = _get(settings) if settings.reached == "most" else _does(settings)
    return f"<b>Anywhere</b> from {low(settings.along)} {first} to {last}, {who} {reaches}."


def _does(settings: WhatIfSettings) -> str:
    """What the average run does."""
    first, _, rest = _get(settings).partition(" ")
    return f"{first}{'es' if first == 'reach' else 's'} {rest}"


def _best_of(result: WhatIfResult, found: Answer) -> str:
    """The best that there is, and where."""
    settings, where = result.settings, phrases.where(result.settings, result.settings.along, found.at)
    if settings.reached == "most":
        return f"at best {outcomes.count(round(100 * found.best), 'run')} in 100 do, {where}"
    return f"the best average is {amount(settings, found.best)}, {where}"


def _nowhere(result: WhatIfResult, found: Answer) -> str:
    settings = result.settings
    first, last = _ends(result)
    if settings.reached == "most":
        return (
            f"<b>Nowhere</b> from {low(settings.along)} {first} to {last} do 9 runs in 10 {_get(settings)}: "
            f"{_best_of(result, found)}."
        )
    return (
        f"<b>Nowhere</b> from {low(settings.along)} {first} to {last} does the average run {_get(settings)}: "
        f"{_best_of(result, found)}."
    )


def _unclear(result: WhatIfResult, found: Answer) -> str:
    """That it cannot be told, and how many runs it would take."""
    settings = result.settings
    own = len(result.now) // (settings.seeds if settings.reached == "most" else 1)
    what = "in which part 9 runs in 10" if settings.reached == "most" else "where the average run"
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
    who = "the average run" if settings.reached == "mean" else "at least 9 runs in 10"
    reach = _does(settings) if settings.reached == "mean" else _get(settings)
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
    found = result.crossed("mean")
    if found is None:
        return "The answer is being computed."
    name = low(settings.along)
    least, most = (at(settings, settings.along, end) for end in settings.limits[settings.along])
    if found.verdict == "everywhere":
        return f"<b>Anywhere</b> from {name} {least} to {most}, {_exactly(settings)}."
    if found.verdict == "nowhere":
        best = f"{amount(settings, found.best)} {phrases.where(settings, settings.along, found.at)}"
        return f"<b>No {name}</b> from {least} to {most} {_reaches(settings)}: the best is {best}."
    edge, on = ("Up to", "") if result.direction == "falls" else ("From", " on")
    said = f"{edge} {_value(settings, phrases.safely(result, found.safe))}{on}, {_exactly(settings)}."
    return f"{said} This is computed, not drawn: there is nothing to be unsure of."


def _exactly(settings: WhatIfSettings) -> str:
    """That the measure reaches the target."""
    side = "at least" if settings.asked.better == "higher" else "at most"
    return f"{_the(settings)} is {side} {target(settings)}"


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
    said = f"Best of {outcomes.count(len(settings.tried), 'try', 'tries')}: <b>{_setting(result)}</b>."
    if not len(winner.again):
        return f"{said} It was chosen by {amount(settings, winner.chosen)}, and is being measured again."
    again, base = float(winner.again.mean()), float(winner.base.mean())
    verb = "reaches" if settings.asked.better == "higher" else "comes to"
    ahead = again > base if settings.asked.better == "higher" else again < base
    beside = f"{amount(settings, base)} of your setting" if ahead else f"your setting's {amount(settings, base)}"
    against = "against the" if ahead else "and is not ahead of"
    return (
        f"{said} Measured again on {outcomes.count(len(winner.again), 'other split')}, it {verb} "
        f"<b>{amount(settings, again)}</b> on average, {against} {beside}; it was chosen by "
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
    both = f"A {_mean(result)}, B {amount(settings, float(theirs.mean()))}"
    sign = 1 if settings.asked.better == "higher" else -1
    gap = float(result.now.mean() - theirs.mean())
    if one is None or one.sure:
        if gap == 0:
            return f"A and B come to <b>the same</b>: {amount(settings, float(theirs.mean()))}."
        return f"<b>{'A' if sign * gap > 0 else 'B'} is better</b> by {points(settings, gap)}: {both}."
    pairs = f"{one.pairs} pairs with the same noise" if one.paired else "compared as two groups"
    if result.compared > 1:
        pairs = f"{one.pairs} splits of the rows"
    if not one.shown:
        return (
            f"<b>No difference can be shown</b> here: {signed(settings, one.mean)} ({spread(settings, one)}, {pairs})."
        )
    who = "A" if sign * one.mean > 0 else "B"
    said = (
        f"<b>{who} is better</b> by {points(settings, one.mean)} on average ({_span(settings, one)}, {pairs}): {both}."
    )
    where = phrases.ahead(result)
    if len(result.ahead) < 2:
        return said
    return f"{said} Over {low(settings.along)}, where it can be told: {where}."


def _span(settings: WhatIfSettings, one) -> str:
    """The ends of an interval on one side of 0, without signs."""
    ends = sorted(abs(end) for end in (one.low, one.high))
    return " to ".join(dict.fromkeys(signed(settings, end).removeprefix("+") for end in ends))


# ---- beside the answer


def caption(result: WhatIfResult) -> str:
    """What lines and marks are."""
    settings = result.settings
    if settings.exact:
        return "Everything here is computed, not drawn. Click on a bar to ask about its knob, on the map to go there."
    area = "Blue area: nine runs in ten"
    if settings.asks == "best":
        area = "Dots: averages that tries were chosen by; diamonds: measured again, on other splits with fresh noise"
    strip = ""
    if result.spans:
        who = "the average run" if settings.reached == "mean" else "9 runs in 10"
        does = "may cross" if result.direction else f"{'reaches' if settings.reached == 'mean' else 'reach'} the target"
        strip = f"Orange: where {who} {does}, with 95 % confidence"
    return ". ".join(
        one
        for one in (
            area,
            strip,
            "Strokes on bars: 95 % confidence for all of them; hatched: may be nothing",
            "Click on a bar to ask about its knob, on the map to go there.",
        )
        if one
    )


def why(result: WhatIfResult) -> list[str]:
    """What the answer rests on."""
    settings = result.settings
    if settings.exact:
        return ["All numbers here are computed by formula or by an accountant: another run gives the same."]
    return [one for one in (_splits(result), _single_runs(result), _paired(result), _lucky(result)) if one]


def _splits(result: WhatIfResult) -> str:
    """Whether this is about one split of the data, and how far splits differ."""
    settings = result.settings
    runs = outcomes.count(settings.repeats, "run")
    if settings.seeds == 1:
        return (
            f"All of this is about <b>one split</b> of the data, seed {settings.settings.seed}, with {runs} at each "
            "setting: the confidence is about noise, not about other people. More splits are under More knobs."
        )
    if not result.complete:
        return ""
    across, within = result.splits
    return (
        f"Averages are over <b>{settings.seeds} splits</b> with {runs} each. From split to split they differ by a "
        f"standard deviation of {points(settings, across)}, where the noise alone would make "
        f"{points(settings, within)}; intervals count splits, not runs."
    )


def _single_runs(result: WhatIfResult) -> str:
    """What a single run may come to."""
    settings = result.settings
    least, most = result.nine_in_ten(result.now)
    return (
        f"Whoever publishes one model gets a single run, not the average: nine in ten land "
        f"{phrases.land(settings, (least, most))} here, and {_hits(result)} {target(settings)}."
    )


def _paired(result: WhatIfResult) -> str:
    """What bars are compared with."""
    effects = [one for both in result.effects.values() for one in both]
    if not effects:
        return ""
    if result.compared > 1:
        return f"Every bar is the mean difference over {result.compared} splits of the rows."
    pairs = sum(one.difference.paired for one in effects)
    if pairs == len(effects):
        return "Every bar is the mean difference of pairs of runs with the same rows and the same noise."
    if not pairs:
        return "Bars compare groups of runs: those knobs change what is drawn."
    return (
        f"Of {len(effects)} bars, {pairs} compare pairs of runs with the same noise; the other knobs change what is "
        "drawn."
    )


def _lucky(result: WhatIfResult) -> str:
    """How much of the winner's number was luck."""
    settings, winner = result.settings, result.winner
    if winner is None or not len(winner.again):
        return ""
    picked = "high" if settings.asked.better == "higher" else "low"
    splits = outcomes.count(len(winner.again), "other split")
    return (
        f"The best of {len(settings.tried)} tries was chosen by {amount(settings, winner.chosen)}; on {splits} it "
        f"comes to {amount(settings, float(winner.again.mean()))}. Only the second is fair: the first was picked for "
        f"being {picked}."
    )


_WAYS = {
    "public": "chosen on public or made-up rows",
    "logarithmic": "the best alone, of a secret number of tries, logarithmic law",
    "half": "the best alone, of a secret number of tries, negative binomial law of shape 1/2",
    "geometric": "the best alone, of a secret number of tries, geometric law",
    "poisson": "the best alone, of a secret number of tries, Poisson law",
    "all": "all tries shown, or any number that is not secret",
}


def price(result: WhatIfResult) -> str:
    """What looking for an answer costs, by what is released, and what is honest about choosing epsilon in this way."""
    settings, prices = result.settings, result.prices
    honest = panels.note(
        "Choosing epsilon by looking at private accuracy is itself a release: the epsilon that is found is <b>not</b> "
        "the price of having found it. Runs at several epsilons add up; only methods made for it, which reveal "
        f"accuracy first (ex-post privacy: {short('ligett2017')}; {short('ghazi2025')}), do better. On this page all "
        "rows are made up or public, so nobody pays."
    )
    if settings.exact:
        return panels.note("Nothing here looks at a row: all numbers are computed, and cost nothing.")
    if not prices:
        return panels.note("One run promises nothing here, so neither do several.") + honest
    rows = [
        {"way": _WAYS[way], "epsilon": number(one.epsilon), "delta": phrases.plain(one.delta), "basis": one.basis}
        for way, one in prices.items()
    ]
    tries, one = outcomes.count(settings.tries, "try", "tries"), prices["public"]
    each = f"epsilon {number(one.epsilon)} and delta {phrases.plain(one.delta)}"
    table = panels.table(
        rows,
        title=f"<b>What a search of {tries} costs on private rows</b>, each of {each}",
        caption=(
            f"Neighbours: {one.adjacency}, one {one.unit}. Of a random number of tries, {settings.tries} is the mean. "
            "Its law must be fixed beforehand, the number stay secret, and the score that ranks the tries be part of "
            "each, or of public rows. A fixed number of tries of which only the best is shown has no better price than "
            "all of them."
        ),
        heads={"way": "way of searching", "epsilon": "epsilon", "delta": "delta", "basis": "counted by"},
    )
    return table + honest


def search(result: WhatIfResult) -> str:
    """The tries: what was tried, by what it was chosen, and the winner again."""
    settings = result.settings
    if not settings.tried:
        return panels.note("Nothing here is tuned: no ranges are declared for these settings.")
    frame, winner = result.search(), result.winner
    if not len(frame):
        return panels.note("Nothing is trained yet.")
    names = [name for name in frame.columns if name != "chosen"]
    frame = frame.sort_values("chosen", ascending=settings.asked.better == "lower")
    rows = []
    for nth, row in enumerate(frame.to_dict("records")):
        again = "not measured again"
        if winner and not nth:
            again = amount(settings, float(winner.again.mean())) if len(winner.again) else "…"
        words = {name: at(settings, name, row[name]) for name in names}
        rows.append(words | {"chosen": amount(settings, row["chosen"]), "again": again})
    ranges = "; ".join(
        f"{low(name)} {at(settings, name, one)} to {at(settings, name, other)}"
        for name, (one, other) in settings.settings.tuned.items()
        if name in names
    )
    return panels.table(
        rows,
        title=f"<b>{outcomes.count(len(rows), 'setting')}, drawn at random from ranges declared beforehand</b>",
        caption=f"Ranges: {ranges}. Again: on {OTHER_SEEDS} other splits, with fresh noise.",
        heads={name: label(name) for name in names} | {"chosen": "chosen by", "again": "again"},
    )


def table(result: WhatIfResult) -> str:
    """The curve in numbers."""
    settings = result.settings
    frame = result.table()
    name = settings.along
    rows = [
        {
            name: at(settings, name, row[name]),
            "mean": amount(settings, row["mean"]),
            "range": interval(settings, (row["low"], row["high"])),
            "reach": f"{100 * row['share reaching']:.0f}",
        }
        for row in frame.to_dict("records")
    ]
    heads = {name: label(name), "mean": "average run"}
    if not settings.exact:
        heads |= {"range": "nine runs in ten", "reach": f"of 100, reach {target(settings)}"}
    now = at(settings, name, getattr(settings, name))
    caption = "Computed, not drawn." if settings.exact else f"{outcomes.count(len(result.now), 'run')} at each value."
    return panels.table(rows, caption=caption, heads=heads, now=now)


# ---- for a screen reader


def curve_alt(result: WhatIfResult) -> str:
    """The curve in words."""
    settings, (values, _) = result.settings, result.curve
    some = [*range(0, len(values), max(1, len(values) // 8))]
    means = result.curve.means
    said = ", ".join(
        f"{at(settings, settings.along, values[place])}: {amount(settings, means[place])}" for place in some
    )
    finding = phrases.finding(result)
    return f"{noun(settings).capitalize()} over {low(settings.along)}, target {target(settings)}: {finding}. {said}."


def knobs_alt(result: WhatIfResult) -> str:
    """The bars in words."""
    said = [phrases.bar(result, one) for both in result.effects.values() if phrases.acts(both) for one in both]
    return f"What a step of each knob does, the most important first. {'; '.join(said) or 'Nothing yet'}."


def map_alt(result: WhatIfResult) -> str:
    """The map in words."""
    settings = result.settings
    finding = phrases.map_finding(result)
    if result.first:
        which = "most" if result.direction == "falls" else "least"
        finding = f"{target(settings)} takes the {which} {low(settings.along)} at {finding}, straight between cells"
    return f"{noun(settings).capitalize()} over {low(settings.along)} and {low(settings.upwards)}: {finding}."


def tries_alt(result: WhatIfResult) -> str:
    """The tries in words."""
    means = sorted((mean for _, mean in result.tries), reverse=result.settings.asked.better == "higher")
    return f"Averages of the tries, the best first: {', '.join(amount(result.settings, mean) for mean in means)}."
