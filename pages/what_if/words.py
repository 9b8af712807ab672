"""What stands beside an answer: why it is so, what looking for it cost, tables, and charts in words."""

from lab.papers import short
from pages.what_if import words_parts as phrases
from pages.what_if.experiment import OTHER_SEEDS, WhatIfResult, WhatIfSettings
from pages.what_if.words_numbers import hits
from pages.what_if.words_parts import amount, at, interval, label, low, noun, points, target
from ui import outcomes, panels
from ui.panels import number
from ui.plot import theme

CURVE_ABOUT = (
    "The measure along one parameter, everything else as it is. The line is the median run, the shaded area holds nine "
    "runs in ten, and nine in ten reach at least the dashed line. Look for where the line meets the orange target, and "
    "for how far to the right the dashed one does. The orange strip is where the median may cross, with 95 % "
    "confidence."
)
KNOBS_ABOUT = (
    "What one step of each parameter does from here, one parameter at a time: a third of a decade down and up, or a "
    "tenth of its range. Strokes are intervals that hold together with 95 % confidence; hatched bars may be nothing. "
    "Look for the longest bar, and click on it to ask about that parameter. What parameters do together is on the map."
)
MAP_ABOUT = (
    "Each cell is the median of its own runs, the lighter the better, on a scale that does not move; blank cells are "
    "still to be trained. The orange line is where the target is reached. Click on a place to go there."
)
TRIES_ABOUT = (
    "Each dot is one of the settings that were tried, by the median run it was chosen by, the best first. The best of "
    "many is chosen for its luck too: the orange mark is the same setting measured again, on other splits with fresh "
    "noise."
)


def introduction(settings: WhatIfSettings) -> str:
    """What is to be done."""
    return (
        "Take a question, and **drag the target**. All pictures of one answer are made of the same runs, trained just "
        "now. The settings they are about are those of another page, and can be changed here as there."
    )


# ---- beside the answer

CLICKS = "Click on a bar to ask about its parameter, on the map to go there."


def caption(result: WhatIfResult) -> str:
    """What lines and marks are."""
    settings = result.settings
    if settings.exact:
        return f"Everything here is computed rather than sampled. {CLICKS}"
    area = "Blue area: nine runs in ten"
    if settings.asks == "best":
        area = "Dots: median runs that tries were chosen by; diamonds: measured again, on other splits with fresh noise"
    strip = ""
    if result.spans:
        who = "the median run" if settings.reached == "median" else "9 runs in 10"
        does = (
            "may cross" if result.direction else f"{'reaches' if settings.reached == 'median' else 'reach'} the target"
        )
        strip = f"Orange: where {who} {does}, with 95 % confidence"
    return ". ".join(
        one
        for one in (
            area,
            strip,
            "Strokes on bars: 95 % confidence for all of them; hatched: may be nothing",
            CLICKS,
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
            "setting: the confidence is about noise, not about other people. More splits are under More settings."
        )
    if not result.complete:
        return ""
    across, within = result.splits
    return (
        f"Stated is the median over <b>{settings.seeds} splits</b> of their medians, of {runs} each. These differ by a "
        f"standard deviation of {points(settings, across)}, where the noise alone would make "
        f"{points(settings, within)}; intervals count splits, not runs."
    )


def _single_runs(result: WhatIfResult) -> str:
    """What a single run may come to."""
    settings = result.settings
    least, most = result.nine_in_ten(result.now)
    return (
        f"Whoever publishes one model gets a single run, not the median: nine in ten land "
        f"{phrases.land(settings, (least, most))} here, and {hits(result)} {target(settings)}."
    )


def _paired(result: WhatIfResult) -> str:
    """What bars are compared with."""
    effects = [one for both in result.effects.values() for one in both]
    if not effects:
        return ""
    if result.compared > 1:
        return f"Every bar is the median over {result.compared} splits of the rows of the difference of their medians."
    pairs = sum(one.difference.paired for one in effects)
    if pairs == len(effects):
        return "Every bar is the median difference of pairs of runs with the same rows and the same noise."
    if not pairs:
        return "Bars compare groups of runs: those parameters change what is drawn."
    return (
        f"Of {len(effects)} bars, {pairs} compare pairs of runs with the same noise; the other parameters change "
        "what is drawn."
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
        f"comes to {amount(settings, winner.again_median)}. Only the second is fair: the first was picked for "
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
        f"accuracy first (ex-post privacy: {short('ligett2017')}; {short('ghazi2025')}), do better."
    )
    if settings.exact:
        return panels.note("Nothing here looks at a row: all numbers are computed, and cost nothing.")
    if not prices:
        return panels.note("One run promises nothing here, so neither do several.") + _used(result) + honest
    rows = [
        {
            "way": _WAYS[way],
            "epsilon": number(one.epsilon),
            "delta": theme.delta(one.delta, digits=3),
            "basis": one.basis,
        }
        for way, one in prices.items()
    ]
    tries, one = outcomes.count(settings.tries, "try", "tries"), prices["public"]
    each = f"epsilon {number(one.epsilon)} and delta {theme.delta(one.delta, digits=3)}"
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
    return _used(result) + table + honest


def _used(result: WhatIfResult) -> str:
    """What the answer on the page has used, and who pays for it."""
    each, spent = {runs for _, runs in result.used}, result.used_up
    settings = outcomes.count(len(result.used), "setting", "settings")
    runs = f"{settings}, {outcomes.count(min(each), 'run')} of each" if len(each) == 1 else settings
    cost = "They promise nothing together."
    if spent is not None:
        pair = f"epsilon {number(spent.epsilon)} at delta {theme.delta(spent.delta, digits=3)}"
        cost = f"Released together, they would cost up to <b>{pair}</b>."
    if result.settings.own_rows:
        who = (
            "They were trained on <b>the private rows of your file</b>. The answer is for you alone: no guarantee "
            "covers it, and to publish it would cost that."
        )
    else:
        who = "Here all rows are made up or public, so that no private row was looked at and <b>nobody pays</b>."
    total = sum(runs for _, runs in result.used)
    return panels.note(f"<b>This answer uses {outcomes.count(total, 'training')}</b> ({runs}). {cost} {who}")


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
            again = amount(settings, winner.again_median) if len(winner.again) else "…"
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
            "median": amount(settings, row["median"]),
            "range": interval(settings, (row["low"], row["high"])),
            "reach": f"{100 * row['share reaching']:.0f}",
        }
        for row in frame.to_dict("records")
    ]
    heads = {name: label(name), "median": "median run"}
    if not settings.exact:
        heads |= {"range": "nine runs in ten", "reach": f"of 100, reach {target(settings)}"}
    now = at(settings, name, getattr(settings, name))
    caption = (
        "Computed, without sampling error."
        if settings.exact
        else f"{outcomes.count(len(result.now), 'run')} at each value."
    )
    return panels.table(rows, caption=caption, heads=heads, now=now)


# ---- for a screen reader


def curve_alt(result: WhatIfResult) -> str:
    """The curve in words."""
    settings, values = result.settings, result.curve.values
    some = [*range(0, len(values), max(1, len(values) // 8))]
    medians = result.curve.medians
    said = ", ".join(
        f"{at(settings, settings.along, values[place])}: {amount(settings, medians[place])}" for place in some
    )
    finding = phrases.finding(result)
    return f"{noun(settings).capitalize()} over {low(settings.along)}, target {target(settings)}: {finding}. {said}."


def knobs_alt(result: WhatIfResult) -> str:
    """The bars in words."""
    said = [phrases.bar(result, one) for both in result.effects.values() if phrases.acts(both) for one in both]
    return f"What a step of each parameter does, the most important first. {'; '.join(said) or 'Nothing yet'}."


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
    medians = sorted((median for _, median in result.tries), reverse=result.settings.asked.better == "higher")
    return f"Medians of the tries, the best first: {', '.join(amount(result.settings, one) for one in medians)}."
