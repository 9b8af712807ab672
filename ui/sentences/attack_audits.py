"""Audits in words: of every mechanism of the lab, and of one single training beside many."""

import numpy as np
import streamlit as st

from dpcore.audit import worst_epsilon
from dpcore.experiments.attack_attempts import AuditResult
from dpcore.experiments.attack_audits import AUDITS, CONFIDENCE
from dpcore.experiments.attack_once import CONFIDENCE as SURE
from dpcore.experiments.attack_once import RETRAININGS, OnceResult
from ui import panels
from ui.panels import number
from ui.sentences.attack import NOBODY_PROVED


def audit_verdict(result: AuditResult) -> str:
    """How many were caught, and which notable ones."""
    done, caught = len(result.bounds), sum(map(result.caught, result.bounds))
    text = f"<b>{caught} of {done}</b> mechanisms are caught spending more than they claim"
    text += "." if done == len(AUDITS) else f"; {len(AUDITS) - done} audits are still running."
    name = "classifier published"
    if name in result.bounds:
        bound = result.bounds[name]
        text += (
            f" The slides' classifier claims epsilon {number(AUDITS[name].epsilon)} and spends at least "
            f"<b>{number(bound.epsilon)}</b>: {bound.trials:,} trainings show it."
        )
    return text


def audit_diagnostics(result: AuditResult) -> list[str]:
    """How to read the table."""
    sentences = [
        "<b>Consistent</b> means that this attack, with this many runs, did not refute the claim: nothing more. "
        + NOBODY_PROVED,
        f"Each bound is at {CONFIDENCE:.0%} confidence on its own: of 100 audits of sound mechanisms one at most would "
        "be caught by bad luck.",
        "By counting, 1,000 right guesses of 1,000 show an epsilon of about 5 and no more; where the noise is "
        "Gaussian, both rates together show far more.",
        "A mechanism that adds too much noise is consistent however wrong its reasons are: the report's functional "
        "mechanism gives about half of what it claims.",
    ]
    if result.surprises:
        names = "; ".join(f"{AUDITS[name].family}, {AUDITS[name].what}" for name in result.surprises)
        sentences.insert(0, f"<b>Not as expected with this seed</b>: {names}.")
    return sentences


def audit_guarantee(_: AuditResult) -> str:
    """What is claimed in each row."""
    return panels.note(
        "Each row has a claim of its own: epsilon and delta as in the table, one record replaced, for DP-SGD one there "
        "or not, for parties all rows of one party. The neighbours are the worst that are known, and may lie outside "
        "of the public bounds that the classifier's page keeps. What is measured is a lower bound, never a guarantee."
    )


def audit_table(result: AuditResult) -> None:
    """Every audit with its verdict."""
    frame = result.table()
    if frame.empty:
        return
    shown = frame.assign(
        claimed=[
            f"{number(e)}" + (f",&nbsp;{d:g}" if d else "")
            for e, d in zip(frame["claimed"], frame["delta"], strict=True)
        ],
        **{
            "at least": frame["at least"].map(number),
            "trainings": frame["trainings"].map("{:,}".format),
            "verdict": ["<b>caught</b>" if v == "caught" else v for v in frame["verdict"]],
            "form": frame["form"].map({"count": "counting", "gaussian": "Gaussian"}),
        },
    )
    st.markdown("**Claimed and measured**")
    names = {
        "claimed": "claimed epsilon, delta",
        "at least": f"measured, at least ({CONFIDENCE:.0%})",
        "trainings": "runs",
    }
    heads = ("mechanism", "version", "verdict", "claimed", "at least", "form", "trainings", "neighbours")
    panels.table(
        shown,
        caption="Runs in both worlds together. The same table with more runs: make audit.",
        heads={head: names.get(head, head) for head in heads},
    )


def once_verdict(result: OnceResult) -> str:
    """What one training shows, and what many show."""
    right, guesses, bound = result.first
    settings = result.settings
    text = (
        f"One training with {settings.canaries} canaries: <b>{right} of {guesses}</b> guesses are right. So, with "
        f"{SURE:.0%} confidence, epsilon is at least <b>{number(bound.epsilon)}</b>"
    )
    if settings.version == "none":
        text += "; nothing was promised."
    elif result.caught:
        text += f"; the claim is {number(settings.epsilon)}. <b>Caught by a single training.</b>"
    else:
        text += f"; the claim is {number(settings.epsilon)}, and this training does not refute it."
    if not result.beside:
        return text
    found = {form: number(one.epsilon) for form, one in result.beside.items()}
    return (
        f"{text} {2 * RETRAININGS:,} trainings with one canary show at least {found['count']} by counting, and "
        f"<b>{found['gaussian']}</b> if the noise is taken for Gaussian."
    )


def once_diagnostics(result: OnceResult) -> list[str]:
    """What each audit can and cannot see."""
    _, guesses, _ = result.first
    low, high = result.luck
    return [
        "<b>One training</b> is all that can be paid for where training is dear. Each canary has a feature of its own "
        "and a coin for its class, so that one run holds hundreds of experiments. What counts is how many guesses are "
        "right, of those canaries of which the attacker is surest.",
        f"It cannot show more than {number(result.ceiling.epsilon)} here: that is what {guesses} right guesses of "
        f"{guesses} give. More canaries, or more guesses, raise it; unsure guesses lower it.",
        f"<b>Many trainings</b> attack one canary {2 * RETRAININGS:,} times. By counting they show at most "
        f"{number(worst_epsilon(SURE, RETRAININGS))}; who knows that the noise is Gaussian sees its whole trade-off "
        "curve, and far more.",
        f"<b>Luck</b>: {len(result.audits)} trainings with the same coins and other noise, each an audit of its own, "
        f"show {number(low)} to {number(high)} (nine in ten). One that is refuted at {SURE:.0%} is wrong once in "
        "twenty. " + NOBODY_PROVED,
    ]


def once_guarantee(result: OnceResult) -> str:
    """What is claimed of a canary, and which bound is measured."""
    settings, (_, _, bound) = result.settings, result.first
    claim = {
        "sound": f"Claimed: epsilon {number(settings.epsilon)}, delta {settings.delta:g}, exact Gaussian composition.",
        "published": f"Claimed: epsilon {number(settings.epsilon)}, delta {settings.delta:g}; the average gradient is "
        "clipped, the noise is the textbook's.",
        "none": "Nothing is claimed: no clipping, no noise.",
    }[settings.version]
    return panels.note(
        f"{claim} One record replaced: a coin decides which class a canary has. The lower bound is at "
        f"{bound.confidence:.0%} confidence, and pays for delta once a canary. A measured bound is no guarantee."
    )


def once_table(result: OnceResult) -> None:
    """The bounds over epsilon."""
    frame = result.curve
    if frame["median"].isna().all():
        return
    shown = frame.assign(
        **{name: frame[name].map(lambda one: "" if np.isnan(one) else number(one)) for name in frame.columns}
    )
    shown["range"] = [
        f"{low}&nbsp;to&nbsp;{high}" if low else "" for low, high in zip(shown["low"], shown["high"], strict=True)
    ]
    now = panels.badge("trained now")
    st.markdown(f"**Measured, at least** ({SURE:.0%} confidence each)")
    heads = {
        "epsilon": "claimed",
        "median": f"one training, median{now}",
        "range": "nine in ten",
        "count": f"{2 * RETRAININGS:,} trainings, counting{now}",
        "gaussian": f"{2 * RETRAININGS:,} trainings, Gaussian form{now}",
    }
    panels.table(
        shown,
        caption="One training: eight at each claim, each an audit of its own; nine in ten show what lies in the range.",
        heads=heads,
        now=number(result.settings.epsilon),
    )
