"""The ledger in words: verdict, table, diagnostics, effects, guarantee, method."""

import math
from pathlib import Path

import streamlit as st

from dpcore.experiments.ledger_result import THEOREMS, LedgerResult
from dpcore.experiments.ledger_work import MOST_STEPS
from ui import panels
from ui.figures import ledger as figures
from ui.figures import theme

LEGEND = {"solid": "solid", "dash": "dashed", "dot": "dotted"}
KNOBS = {
    "steps": {
        "scale": "log",
        "stops": 20,
        "help": "T. Every step is another release, and every release costs. Epochs: steps times sampling rate.",
    }
}
AFTERWARDS = {
    "nothing": "nothing",
    "average": "average over the last steps",
    "round": "round to 8 bits",
    "predict": "a million predictions",
}
AFTERWARDS_HELP = (
    "Post-processing: whatever is computed from the released values alone, and never looks at the data again, costs "
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
    return (
        f"The same run is <b>{epsilon[classical]}</b> by {by}, <b>{epsilon['moments']}</b> by the moments accountant, "
        f"<b>{epsilon['pld']}</b> exactly: the noise did not change, the proof did. "
        f"With epsilon {number(result.held.epsilon)}, {panels.odds(result.held)}."
    )


def table(result: LedgerResult) -> None:
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
    panels.table(
        shown,
        caption=(
            f"The last columns turn the question round: what epsilon {target} (the target) needs in noise for these "
            "steps, or allows in steps with this noise. All on the safe side; the exact row is searched on the coarse "
            "grid. Steps are looked for up to 100,000."
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
    settings, rate = result.settings, result.settings.sampling_rate
    sentences = []
    if rate > 0.5:
        sentences.append(
            f"At sampling rate {number(rate)} nearly every row is in every step: there is next to no amplification."
        )
    else:
        share = result.unsampled / result.epsilon("renyi") if result.epsilon("renyi") > 0 else math.inf
        sentences.append(
            f"Sampling: a step sees one row in {number(1 / rate)}. With all rows in every step the same noise would "
            f"cost {number(result.unsampled)}, {number(share)} times as much (against Rényi orders)."
        )
    one = result.one_step
    if one > 1:
        sentences.append(
            f"Strong composition is at a loss: one sampled step alone counts as epsilon {number(one)}, and its second "
            "term grows with e to that."
        )
    elif result.epsilon("strong") > 5 * result.epsilon("moments"):
        sentences.append(
            "Strong composition first gives each step an epsilon and a delta of its own, and pays for every one; the "
            "moments accountant adds up the losses' moments and pays for delta once."
        )
    floor = math.log(1 / settings.delta) / 32
    if result.epsilon("moments") < 2 * floor:
        sentences.append(
            f"The moments accountant is held up by its orders: with 32 of them delta {settings.delta:g} alone costs "
            f"{number(floor)}, however much noise there is."
        )
    if settings.noise_multiplier < 1 and rate < 0.5:
        sentences.append("Noise below the clipping bound: a single step in which you are sampled gives much away.")
    if settings.steps * rate < 1:
        sentences.append(f"Less than one epoch ({number(settings.steps * rate)}): most rows are never looked at.")
    return sentences


def effects(result: LedgerResult) -> list[str]:
    """Sampling, groups, post-processing and tuning, a sentence each."""
    settings = result.settings
    found = {one.name: one.guarantee for one in result.effects()}
    return [
        f"<b>Sampling.</b> Taken as <i>q times epsilon</i>, strong composition would give "
        f"{number(result.epsilon('published'))}{panels.badge('as published, not a bound')}; with the valid "
        f"ln(1 + q(e<sup>&epsilon;</sup> - 1)) it gives {number(result.epsilon('strong'))}.",
        f"<b>{settings.people} {'person' if settings.people == 1 else 'people'} together</b> have "
        f"{_pair(found['group'])}."
        + (" Nothing is promised to them." if found["group"] is not None and found["group"].delta >= 1 else ""),
        f"<b>{AFTERWARDS[settings.afterwards].capitalize()}</b> afterwards: epsilon stays "
        f"{_pair(found['afterwards'])}. The data are not looked at again.",
        f"<b>{settings.settings_tried} settings tried</b> on the same data: all of these runs count, also those "
        f"thrown away. Choosing the best of them has {_pair(found['tuned'])}.",
    ]


def _pair(guarantee) -> str:
    if guarantee is None:
        return "…"
    return f"<b>{number(guarantee.epsilon)}</b> at delta {guarantee.delta:.2g}"


def guarantee(result: LedgerResult) -> str:
    """What is promised, and on what it rests."""
    return panels.guarantee(here=result.held) + panels.note(
        "Assumed: Poisson samples (each row on its own draw), contributions clipped, noise as stated, one row a "
        "person; the number of rows, or a fixed denominator, is public. Batches of a shuffled data set are <b>not</b> "
        "covered. Delta should be far below one over the number of rows."
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
            f"Without a count of its own: {number(in_two.epsilon)} at delta {in_two.delta:.2g}, as a removal and an "
            "addition. Compare epsilons of one convention only."
        )
    )


def curve_alt(result: LedgerResult, over: str) -> str:
    """A chart of curves in words."""
    values = ", ".join(f"{theme.THEOREMS[row][0]} {number(result.epsilon(row))}" for row in theme.THEOREMS)
    now = f"{result.settings.steps} steps" if over == "steps" else f"noise {number(result.settings.noise_multiplier)}"
    return f"Epsilon over {over} by theorem; at {now}: {values}."


def effects_alt(result: LedgerResult) -> str:
    """The chart of effects in words."""
    values = ", ".join(f"{figures.EFFECTS[one.name]} {_plain(one.guarantee)}" for one in result.effects())
    settings = result.settings
    return "Epsilon of the same noise: " + values.format(people=settings.people, settings_tried=settings.settings_tried)


def _plain(guarantee) -> str:
    return "…" if guarantee is None else number(guarantee.epsilon)


def how_it_works() -> None:
    """The run, the theorems, and what else moves the bill."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
