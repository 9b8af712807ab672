"""The ledger in words: verdict, table, diagnostics, effects, guarantee."""

import math

from dpcore.accountants.prices import MOST_STEPS
from pages.ledger import figures
from pages.ledger.experiment import THEOREMS, LedgerResult
from ui import panels
from ui.outcomes import count
from ui.panels import in_hundred
from ui.plot import theme

KNOBS = {
    "steps": {
        "scale": "log",
        "stops": 20,
        "help": "T. Every step is another release, and every release costs. Epochs are steps times sampling rate.",
    }
}
AFTERWARDS = {
    "nothing": "nothing",
    "average": "average over the last steps",
    "round": "round to 8 bits",
    "predict": "a million predictions",
}
AFTERWARDS_HELP = (
    "Post-processing: whatever is computed from the released values alone, without another look at the data, costs "
    "nothing. Choose, and see epsilon stay."
)
_SOURCES = {
    "naive": "Dwork and Roth 2014, Thm 3.16",
    "strong": "Dwork and Roth 2014, Thm 3.20; Li et al. 2012",
    "published": "its figure in Abadi et al. 2016, with q &epsilon;<sub>0</sub>",
    "moments": "Abadi et al. 2016, Thm 2",
    "renyi": "Mironov et al. 2019; Canonne et al. 2020",
    "pld": "Zhu et al. 2022; Doroshenko et al. 2022",
}


def number(value: float) -> str:
    """Three significant digits; dots where it is still being computed."""
    return "…" if math.isnan(value) else panels.number(value)


def verdict(result: LedgerResult) -> str:
    """What the better theorem bought, and what the best one promises."""
    epsilon = {row: number(result.epsilon(row)) for row in THEOREMS}
    classical = "strong" if result.epsilon("strong") <= result.epsilon("naive") else "naive"
    by = {"strong": "strong composition", "naive": "adding up"}[classical]
    exact = result.exact_accuracy
    return (
        f"The same run is <b>{epsilon[classical]}</b> by {by}, <b>{epsilon['moments']}</b> by the moments accountant, "
        f"<b>{epsilon['pld']}</b> by its loss distribution: the noise is the same, only the proof differs. With "
        f"epsilon {number(result.held.epsilon)}, {panels.odds(result.held, exact=exact)}."
        f"{panels.weak(exact or result.held.attacker_accuracy)}"
    )


def table(result: LedgerResult) -> str:
    """A row a theorem, with what the target allows."""
    target = number(result.settings.target_epsilon)
    bound, printed = panels.badge("bound"), panels.badge("published, not a bound")
    shown = [
        {
            "name": theme.THEOREMS[row["accountant"]][0],
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
        now=theme.THEOREMS["pld"][0],
    )


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
            f"The moments accountant is held up by its orders: with 32 of them delta {settings.delta:g} alone costs "
            f"{number(result.moments_floor)}, however much noise there is."
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
        f", {number(saved)} times as much." if math.isfinite(saved) else "; like this it costs nothing that counts."
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
        f"<b>{tried} settings tried</b> on the same data: all of these runs count, those thrown away too. Choosing the "
        f"best of them costs {_pair(guarantee)}."
    )


def _pair(guarantee) -> str:
    if guarantee is None:
        return "…"
    return f"<b>{number(guarantee.epsilon)}</b> at delta {guarantee.delta:.2g}"


def guarantee(result: LedgerResult) -> str:
    """What is promised, and on what it rests."""
    return panels.guarantee(here=result.held) + panels.note(
        "Assumed: Poisson samples (each row is drawn independently), clipped contributions, noise as stated, one row "
        "per person; the number of rows, or a fixed denominator, is public. Batches of a shuffled data set are "
        "<b>not</b> covered. Delta should be far below one over the number of rows."
    )


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
            f"Counted as a removal and an addition instead: {number(in_two.epsilon)} at delta {in_two.delta:.2g}. "
            "Compare epsilons of one convention only."
        )
    )


def curve_alt(result: LedgerResult, over: str) -> str:
    """A chart of curves in words."""
    values = ", ".join(f"{theme.THEOREMS[row][0]} {number(result.epsilon(row))}" for row in theme.THEOREMS)
    now = (
        count(result.settings.steps, "step") if over == "steps" else f"noise {number(result.settings.noise_multiplier)}"
    )
    return f"Epsilon over {over} by theorem; at {now}: {values}."


def effects_alt(result: LedgerResult) -> str:
    """The chart of effects in words."""
    values = ", ".join(f"{figures.effect_name(one.name, result)} {_plain(one.guarantee)}" for one in result.effects())
    return f"Epsilon of the same noise: {values}."


def _plain(guarantee) -> str:
    return "…" if guarantee is None else number(guarantee.epsilon)
