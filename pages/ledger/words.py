"""The ledger in words: verdict, table, diagnostics, effects, guarantee."""

import math

from dpcore.accountants import selection
from dpcore.accountants.prices import MOST_STEPS
from dpcore.privacy import LAWS
from lab.papers import short
from pages.ledger import figures
from pages.ledger.experiment import LedgerResult
from pages.ledger.figures import number
from ui import panels
from ui.outcomes import count
from ui.panels import Number, in_hundred
from ui.plot import theme

KNOBS = {
    "steps": {
        "scale": "log",
        "stops": 20,
        "help": "The number of steps. Each step is another release and costs privacy. Epochs are steps times "
        "sampling rate.",
        "symbol": "T",
    }
}
AFTERWARDS = {
    "nothing": "nothing",
    "average": "average over the last steps",
    "round": "round to 8 bits",
    "predict": "a million predictions",
}
SHORT = {"nothing": "none", "average": "average", "round": "round", "predict": "predict"}
AFTERWARDS_HELP = (
    "What is done with the released weights. Anything computed from them alone, without reading the data again, "
    "costs no privacy. Examples are their average over the last steps, rounding to 8 bits and a million "
    "predictions. Choose one, and epsilon stays."
)
INTRODUCTION = (
    "A model is trained in steps. Each looks at a random sample of the rows, adds Gaussian noise, and costs some "
    "privacy. **Drag the noise or the steps.** Every curve counts the *same* run; only the theorem differs."
)
# What one sees, and what to look for, by picture.
ABOUT = {
    "steps": (
        "What the run has cost after so many steps, counted by each theorem. The dotted line is the run as it is set, "
        "the dashed orange one is the target. Look for how far the lines lie apart at the dotted line: the noise is "
        "the same for all of them, so the difference is only what each proof fails to see."
    ),
    "noise": (
        "What a run of this length costs with more noise or less, counted by each theorem. The crossed point on the "
        "dotted line is the published figure, which is not a bound. Look for where a line crosses the orange target: "
        "so much noise the target takes by that theorem."
    ),
    "effects": (
        "What the same noise promises when something else about it changes: each dot is an epsilon, and its line "
        "leads there from that of this run. Look for the dots without a line, which cost nothing more, and for the "
        "longest line."
    ),
    "searches": (
        "What a search costs, over how likely it finds a good setting: from one try at the left to a hundred, all of "
        "them released, or the best alone of a random number. Dots are the settings tried, the dotted line is one run. "
        "Look for the lowest line at the chance that you need: equal means of tries are no equal searches."
    ),
}
_SEARCHES = {
    "logarithmic": "Papernot and Steinke 2022, Thm 2",
    "geometric": "Papernot and Steinke 2022, Thm 2",
    "poisson": "Papernot and Steinke 2022, Thm 6",
}
_WAYS = {
    "public": "one run, chosen on public rows",
    "logarithmic": "the best alone, of a logarithmic number",
    "geometric": "the best alone, of a geometric number",
    "poisson": "the best alone, of a Poisson number",
    "all": "all {} tries",
}
_SOURCES = {
    "naive": "Dwork and Roth 2014, Thm 3.16",
    "strong": "Dwork and Roth 2014, Thm 3.20; Li et al. 2012",
    "published": "its figure in Abadi et al. 2016, with q &epsilon;<sub>0</sub>",
    "moments": "Abadi et al. 2016, Thm 2",
    "renyi": "Mironov et al. 2019; Canonne et al. 2020",
    "pld": "Zhu et al. 2022; Doroshenko et al. 2022",
}


# A theorem in half a sentence.
_BY = {
    "naive": "by adding up",
    "strong": "by strong composition",
    "moments": "by the moments accountant",
    "renyi": "by Rényi orders",
}


def loosest(result: LedgerResult) -> str:
    """The theorem that says most, of those that are computed at once."""
    return max(_BY, key=result.epsilon)


def _target(result: LedgerResult) -> tuple[float, str]:
    """(what is left of the target, of the numbers as they are shown; the target as it is shown)."""
    exact, target = result.epsilon("pld"), number(result.settings.target_epsilon)
    spent = number(result.held.epsilon if math.isnan(exact) else exact)
    return _amount(target) - _amount(spent), target


def _amount(shown: str) -> float:
    """A number as it is shown."""
    return math.inf if shown == "unlimited" else float(shown.replace(",", ""))


def numbers(result: LedgerResult) -> list[Number]:
    """The run's epsilon by the tightest accountant and by the loosest proof, what is left of the target, and the "
    "attacker."""
    exact, most = number(result.epsilon("pld")), loosest(result)
    (left, target), worst = _target(result), number(result.epsilon(most))
    size = number(abs(left))
    return [
        Number(
            f"Epsilon, {result.settings.tightest}",
            exact,
            _tightness(result) if exact != "…" else "being counted",
            tone="private",
            amount=None if exact in ("…", "unlimited") else _amount(exact),
        ),
        Number("By the loosest proof", worst, theme.THEOREMS[most][0]),
        Number(
            "Left of the target",
            size if left >= 0 else f"−{size}",
            f"epsilon {target}{', overspent' if left < 0 else ''}",
            amount=math.copysign(_amount(size), left) if math.isfinite(left) else None,
        ),
        panels.attacker(result.exact_accuracy or result.held.attacker_accuracy),
    ]


def verdict(result: LedgerResult) -> str:
    """What other proofs say of the same run, and what the target allows."""
    one, other = [name for name in _BY if name != loosest(result)][:2]
    return (
        f"The same run is <b>{number(result.epsilon(one))}</b> {_BY[one]} and <b>{number(result.epsilon(other))}</b> "
        f"{_BY[other]}: the noise is the same, only the proof differs. {_budget(result)}"
    )


def _budget(result: LedgerResult) -> str:
    """What would use the target up, or keep it; by what is computed so far."""
    left, target = _target(result)
    by = "renyi" if math.isnan(result.most_steps("pld")) else "pld"
    if left >= 0 and result.most_steps(by) >= result.settings.steps:
        most = result.most_steps(by)
        shown = f"{MOST_STEPS:,} or more steps" if most >= MOST_STEPS else count(int(most), "step")
        return f"With this noise, the target of epsilon {target} allows {shown}."
    by = "renyi" if math.isnan(result.least_noise("pld")) else "pld"
    least = result.least_noise(by)
    if left >= 0 or math.isnan(least):
        return ""
    if math.isinf(least):
        return f"No noise keeps these steps within epsilon {target}."
    return f"To stay within epsilon {target}, these steps need noise multiplier {number(least)}."


def caption(result: LedgerResult) -> str:
    """What lines have no name in the pictures."""
    now = f"{count(result.settings.steps, 'step')} with noise multiplier {number(result.settings.noise_multiplier)}"
    return f"Dotted: this run, {now}. Orange: the target. Thin line: Rényi orders."


def _over_steps(result: LedgerResult) -> str:
    found, exact, worst = result.found["pld"], result.epsilon("pld"), loosest(result)
    missing = sum(map(math.isnan, found))
    if missing:
        return f"{len(found) - missing} of {len(found)} points counted by the {result.settings.tightest}"
    times = result.epsilon(worst) / exact if exact > 0 else math.inf
    if math.isinf(times):
        return ""
    return f"{theme.THEOREMS[worst][0]} says {panels.multiple(number(times))} the {result.settings.tightest}"


def _over_noise(result: LedgerResult) -> str:
    least = result.least_noise("pld")
    return f"the {result.settings.tightest} meets the target from {number(least)} on" if math.isfinite(least) else ""


def _searched(result: LedgerResult) -> str:
    if result.settings.settings_tried == 1 or result.searches["all"] is None:
        return ""
    least = min(held.epsilon for way, held in result.searches.items() if way in LAWS)
    together = result.searches["all"].epsilon
    return f"the best alone from {number(least)}, all for {number(together)}" if math.isfinite(together) else ""


def _dearest(result: LedgerResult) -> str:
    done = [one for one in result.effects() if one.guarantee is not None]
    most = max(done, key=lambda one: one.guarantee.epsilon)
    exact = result.epsilon("pld")
    return f"{figures.effect_name(most.name, result)} most" if most.guarantee.epsilon > exact else ""


# What is to be seen in each picture, for its title.
FINDINGS = {"steps": _over_steps, "noise": _over_noise, "effects": _dearest, "searches": _searched}


def table(result: LedgerResult) -> str:
    """A row a theorem, with what the target allows."""
    target = number(result.settings.target_epsilon)
    bound, printed = panels.badge("bound"), panels.badge("published, not a bound")
    shown = [
        {
            "name": _name(result, row["accountant"]),
            "epsilon": f"<b>{number(row['epsilon'])}</b>",
            "source": _SOURCES[row["accountant"]],
            "status": bound if row["a bound"] else printed,
            "noise": _allowed(row["least noise multiplier"], row["a bound"]),
            "most": _steps(row["most steps"], row["a bound"]),
            "epochs": _allowed(row["most epochs"], row["a bound"]),
        }
        for row in result.rows()  # no frame: it would cost each redraw milliseconds
    ]
    return panels.table(
        shown,
        caption=(
            f"The last columns turn the question round: the noise that these steps need for the target, epsilon "
            f"{target}, and the steps that this noise allows. All are on the safe side; the last row is searched on "
            f"the coarse grid, and steps up to {MOST_STEPS:,}."
        ),
        heads={
            "name": "counted by",
            "epsilon": "epsilon of this run",
            "status": "status",
            "source": "theorem",
            "noise": f"noise multiplier<br>for epsilon {target}",
            "most": f"steps within<br>epsilon {target}",
            "epochs": "epochs",
        },
        now=_name(result, "pld"),
    )


def _name(result: LedgerResult, row: str) -> str:
    return result.settings.tightest if row == "pld" else theme.THEOREMS[row][0]


def _tightness(result: LedgerResult) -> str:
    """Return whether the tightest accountant gives epsilon itself or an upper bound on it."""
    return "exact" if result.settings.exact_accountant == "gdp" else "upper bound"


def _allowed(value: float, good: bool) -> str:
    if not good:
        return "–"
    return "none is enough" if math.isinf(value) else number(value)


def _steps(value: float, good: bool) -> str:
    if good and value >= MOST_STEPS:
        return f"{MOST_STEPS:,} or more"
    return f"{value:,.0f}" if good and not math.isnan(value) else _allowed(value, good)


def diagnostics(result: LedgerResult) -> list[str]:
    """Which regime the run is in."""
    settings = result.settings
    sentences = [_sampling(result), _strong(result)]
    if result.epsilon("moments") < 2 * result.moments_floor:
        sentences.append(
            f"The moments accountant is held up by its orders: with 32 of them delta {theme.delta(settings.delta)} "
            f"alone costs {number(result.moments_floor)}, however much noise there is."
        )
    if settings.noise_multiplier < 1:
        sentences.append("The noise multiplier is below 1: a step's noise is less than what one person may add to it.")
    if result.never_sampled > 0.1:
        sentences.append(f"On average {in_hundred(result.never_sampled)} in 100 rows are never looked at.")
    return [sentence for sentence in sentences if sentence]


def _sampling(result: LedgerResult) -> str:
    """What the samples save, against the best bound so far."""
    rate, saved = result.settings.sampling_rate, result.saved
    if rate == 1:
        return "Every row is in every step: no sampling hides who took part."
    seen = f"{in_hundred(rate)} in 100 rows" if rate >= 0.095 else f"one row in {number(1 / rate)}"
    whole = f"With all rows in every step, the same noise would cost {number(result.unsampled)}"
    if saved < 1.1:
        return f"Sampling: a step sees {seen}, which saves next to nothing here. {whole}."
    return f"Sampling: a step sees {seen}. {whole}" + (
        f", {panels.multiple(number(saved))} as much."
        if math.isfinite(saved)
        else "; like this it costs nothing that counts."
    )


def _strong(result: LedgerResult) -> str:
    """Why strong composition says what it says."""
    strong = result.epsilon("strong")
    if strong > result.epsilon("naive"):
        return (
            f"Strong composition is worse than the plain sum here: one sampled step counts as epsilon "
            f"{number(result.one_step)}, and its second term grows with e to that."
        )
    if strong > 5 * result.epsilon("moments"):
        return (
            "Strong composition gives each step an epsilon and a delta of its own and pays for every one; the moments "
            "accountant adds up the moments of the losses and pays for delta once."
        )
    return ""


def effects(result: LedgerResult) -> list[str]:
    """Sampling, groups, post-processing and tuning, a sentence each."""
    settings = result.settings
    found = {one.name: one.guarantee for one in result.effects()}
    group, people = found["group"], settings.people
    nothing = " Nothing is promised to them." if group is not None and group.delta >= 1 else ""
    return [
        f"<b>Sampling.</b> Taken as <i>q times epsilon</i>, strong composition would give "
        f"{number(result.epsilon('published'))}{panels.badge('as published, not a bound')}; with the valid "
        f"ln(1 + q(e<sup>&epsilon;</sup> - 1)) it gives {number(result.epsilon('strong'))}.",
        f"<b>{'One person' if people == 1 else f'{people} people together'}:</b> {_pair(group)}.{nothing}",
        f"<b>{AFTERWARDS[settings.afterwards].capitalize()}</b> afterwards: still {_pair(found['afterwards'])}, for "
        "the data are not looked at again.",
        _tuned(settings.settings_tried, found["tuned"]),
    ]


def _tuned(tried: int, guarantee) -> str:
    """What it costs to have chosen among several runs."""
    if tried == 1:
        return "<b>One setting tried</b>: nothing else is to be counted."
    return (
        f"<b>{tried} settings tried</b> on the same data: all of these runs count, those thrown away too. Together "
        f"they cost {_at_most(guarantee)}{_pair(guarantee)}."
    )


def searches(result: LedgerResult) -> str:
    """What it costs to have tried several settings, by what is released, and when that price holds."""
    tried = result.settings.settings_tried
    if tried == 1:
        return panels.bullets(["<b>One setting tried</b>: nothing else is to be counted.", _EX_POST])
    rows = [
        {
            "way": _WAYS[way].format(tried),
            "epsilon": f"<b>{_plain(held)}</b>",
            "chance": f"{in_hundred(result.chance(way))} in 100",
            "tries": f"median {_median(way, tried)}" if way in LAWS else f"{tried}, fixed",
            "basis": _SEARCHES.get(way) or _counted(held),
        }
        for way, held in result.searches.items()
    ]
    heads = {
        "way": "released",
        "epsilon": "epsilon",
        "chance": "finds one of the<br>best tenth",
        "tries": f"tries, {tried}<br>on average",
        "basis": "counted by",
    }
    caption = (
        f"All at delta {theme.delta(result.settings.delta, digits=3)}. The theorems for the best alone are about Rényi "
        f"orders, by which one run counts as {number(result.epsilon('renyi'))}. The "
        f"{result.settings.tightest} gives {number(result.epsilon('pld'))} for a run."
    )
    return panels.table(rows, caption=caption, heads=heads) + panels.bullets(_search(result))


def _counted(held) -> str:
    """The basis of runs that are composed, in short."""
    short_of = {"exact": "exact Gaussian", "privacy": "PLD accountant", "Renyi": "Rényi orders"}
    if held is None:
        return "…"
    return short_of[held.basis.split()[0]] + ", coarse grid" * held.basis.endswith("coarse grid")


def _at_most(held) -> str:
    """What stands before a price that is an upper bound."""
    return "" if held is None or held.basis.startswith("exact") else "at most "


def _median(law: str, tries: int) -> int:
    return selection.median(law=law, tries=tries)


def _search(result: LedgerResult) -> list[str]:
    """Which way is cheapest, that the ways do not find the same, and what each takes for granted."""
    tried = result.settings.settings_tried
    fixed, found = (f"{in_hundred(result.chance(way))} in 100" for way in ("all", "logarithmic"))
    return [
        f"{_cheapest(result)} Equal means are no equal searches: {tried} tries find one of the best tenth of settings "
        f"{fixed} times; a logarithmic number of them, with this mean, {found} times.",
        "<b>What it takes.</b> The number of tries is drawn from a law that was fixed beforehand, and stays secret: no "
        "progress bar, no list of tries, no word of how long it took. What ranks them comes from public rows; a score "
        "on private rows is one more release of each try, with noise of its own. Of exactly "
        f"{tried} tries, no better price is proved for the best alone than for all of them.",
        _EX_POST,
    ]


def _cheapest(result: LedgerResult) -> str:
    """The best way on private rows, as far as all tries are counted."""
    tried, together = result.settings.settings_tried, result.searches["all"]
    law = min((way for way in result.searches if way in LAWS), key=lambda way: result.searches[way].epsilon)
    alone = result.searches[law].epsilon
    if together is None:
        return f"<b>The best alone</b> costs {number(alone)} {_BY_LAW[law]}; all {tried} tries are being counted."
    if together.epsilon <= alone:
        return (
            f"<b>All {tried} tries</b> may be released for {number(together.epsilon)}: the best alone has no lower "
            f"price here, {number(alone)} {_BY_LAW[law]}."
        )
    return (
        f"<b>The best alone</b> costs {number(alone)} {_BY_LAW[law]}, and all {tried} tries cost "
        f"{_at_most(together)}{number(together.epsilon)}."
    )


_BY_LAW = {"logarithmic": "by the logarithmic law", "geometric": "by the geometric law", "poisson": "by Poisson's law"}
# Of an epsilon that was chosen by looking.
_EX_POST = (
    "<b>Choosing epsilon itself.</b> If you raise epsilon until the accuracy on private rows will do, the last epsilon "
    "is not what you spent: everything shown on the way counts, and an accuracy read without noise leaves no guarantee "
    f"at all; methods made for this promise what depends on the outcome ({short('ligett2017')}; {short('ghazi2025')})."
)


def _pair(guarantee) -> str:
    if guarantee is None:
        return "…"
    return f"<b>{number(guarantee.epsilon)}</b> at delta {theme.delta(guarantee.delta, digits=3)}"


def guarantee(result: LedgerResult) -> str:
    """What is promised, and on what it rests."""
    right = result.exact_accuracy
    odds = f"{panels.odds(result.held, exact=right)}.{panels.weak(right or result.held.attacker_accuracy)}"
    assumed = (
        "Assumed: Poisson samples (each row is drawn independently), clipped contributions, noise as stated, one row "
        "per person; the number of rows, or a fixed denominator, is public. Batches of a shuffled data set are "
        "<b>not</b> covered. Delta should be far below one over the number of rows."
    )
    said = f"With epsilon {number(result.held.epsilon)}, {odds}"
    return panels.guarantee(here=result.held) + panels.note(said) + panels.note(assumed)


def neighbours(result: LedgerResult) -> str:
    """Both conventions, for the same noise."""
    own, in_two = result.replaced, result.replaced_in_two
    return (
        panels.note("<b>Add or remove one person</b>: one contribution comes or goes.")
        + panels.guarantee(here=result.held)
        + panels.note(
            "<b>Replace one person</b>: one goes and another comes, so the same noise has half the multiplier."
        )
        + (panels.guarantee(here=own) if own is not None else panels.note("…"))
        + panels.note(
            f"Counted as a removal and an addition instead: {number(in_two.epsilon)} at delta "
            f"{theme.delta(in_two.delta, digits=3)}. Compare epsilons of one convention only."
        )
    )


def curve_alt(result: LedgerResult, over: str) -> str:
    """A chart of curves in words."""
    values = ", ".join(f"{_name(result, row)} {number(result.epsilon(row))}" for row in theme.THEOREMS)
    now = (
        count(result.settings.steps, "step") if over == "steps" else f"noise {number(result.settings.noise_multiplier)}"
    )
    return f"Epsilon over {over} by theorem; at {now}: {values}."


def effects_alt(result: LedgerResult) -> str:
    """The chart of effects in words."""
    values = ", ".join(f"{figures.effect_name(one.name, result)} {_plain(one.guarantee)}" for one in result.effects())
    return f"Epsilon of the same noise: {values}."


def searches_alt(result: LedgerResult) -> str:
    """The chart of searches in words."""
    values = ", ".join(
        f"{name} {_plain(result.searches[way])} at {in_hundred(result.chance(way))} in 100"
        for way, (name, _) in figures.WAYS.items()
    )
    tried = count(result.settings.settings_tried, "try", "tries")
    return f"Epsilon over the chance to find a setting of the best tenth; for {tried}: {values}."


def _plain(guarantee) -> str:
    return "…" if guarantee is None else number(guarantee.epsilon)
