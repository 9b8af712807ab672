"""Membership, who pays and inversion in words."""

import streamlit as st

from dpcore.experiments.attack_groups import GROUPS, GroupsResult
from dpcore.experiments.attack_inversion import InversionResult
from dpcore.experiments.attack_members import ATTACKS, MODELS, MembersResult
from ui import panels
from ui.panels import number
from ui.sentences.attack import NOBODY_PROVED


def membership_verdict(result: MembersResult) -> str:
    """What the stronger attack finds on both models."""
    best = ATTACKS[0]
    plain, private = (result.at(arm, best, 0.01) for arm in ("plain", "private"))
    return (
        f"With one false alarm in 100, the attacker finds <b>{_percent(plain)}</b> of the members of a model that has "
        f"learnt them by heart, and <b>{_percent(private)}</b> of a private one with epsilon "
        f"{number(result.settings.epsilon)}; its noise allows at most {_percent(result.allowed(0.01))}."
    )


def membership_diagnostics(result: MembersResult) -> list[str]:
    """Overfitting, the rare sure guesses, and the number of models."""
    members, others = result.right("plain")
    inside, outside = result.right("private")
    best = ATTACKS[0]
    return [
        f"<b>Memory shows as a gap</b>: without privacy the model is right on {_whole(members)} of its members "
        "and "
        f"{_whole(others)} of others; the private one on {_whole(inside)} and {_whole(outside)}.",
        f"<b>Few sure guesses count more than many vague ones</b>: with one false alarm in 1,000 the attack finds "
        f"{_percent(result.at('plain', best, 0.001))} without privacy and "
        f"{_percent(result.at('private', best, 0.001))} "
        f"with. Its advantage (found less false alarms, at best) is {result.advantage('plain', best):.2f} and "
        f"{result.advantage('private', best):.2f}.",
        f"The likelihood ratio knows how each person's margin spreads over the other "
        f"{len(result.shadows['plain'].members) - 1}"
        f" models (of {MODELS} when done), so it also finds those whom every model gets right.",
        f"{result.pairs('private'):,} guesses, of people who share models: a curve may lie a little above the frontier "
        "at its left end by chance. " + NOBODY_PROVED,
    ]


def _whole(share: float) -> str:
    """A share in whole percent."""
    return f"{share:.0%}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def membership_guarantee(result: MembersResult) -> str:
    """The frontier in words."""
    settings = result.settings
    return panels.note(
        f"Private: noisy descent on {settings.members} rows out of {2 * settings.members}, epsilon "
        f"{number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian composition. Then "
        "<b>no attack</b> finds more than (false alarms) &times; e<sup>epsilon</sup> + delta of the members, and "
        "against "
        "this noise no more than the dotted line. The frontier holds whatever the attacker knows or computes; without "
        "privacy there is none. Margins and curves read private rows: analyst only."
    )


def membership_table(result: MembersResult) -> None:
    """Both attacks on both models."""
    frame = result.table()
    for name in ("found at 1 %", "found at 0.1 %"):
        frame[name] = frame[name].map(_percent)
    frame["advantage"] = frame["advantage"].map("{:.2f}".format)
    frame["model"] = frame["model"].map({"private": "private", "plain": "without privacy"})
    st.markdown("**Who is found** (trained now)")
    heads = ("model", "attack", "found at 1 %", "found at 0.1 %", "advantage")
    panels.table(
        frame,
        caption="Found: share of members, at this share of false alarms.",
        heads=dict(zip(heads, heads, strict=True)),
    )


def pays_verdict(result: GroupsResult) -> str:
    """What privacy costs each group."""
    (large, small), few = (result.cost(group) for group in (0, 1)), result.few
    return (
        f"At epsilon {number(result.settings.epsilon)} privacy costs the majority <b>{_points(large)}</b> and the "
        "minority, "
        f"{few} people of {result.settings.rows}, <b>{_points(small)}</b>. " + _who(large, small)
    )


def _points(cost: float) -> str:
    amount = abs(100 * cost)
    if amount < 0.05:
        return "nothing"
    return f"{amount:.1f} points" if cost > 0 else f"nothing (it gains {amount:.1f} points)"


def _who(large: float, small: float) -> str:
    if small - large > 0.02:
        return "Everybody has the same guarantee; its cost is not shared evenly."
    if large - small > 0.02:
        return "Here the majority pays more: the model leans to the few."
    return "Here both pay about the same; make the minority smaller, or change epsilon."


def pays_diagnostics(result: GroupsResult) -> list[str]:
    """Why the few pay."""
    settings = result.settings
    names = result.classes
    costs = [
        (result.cost(g, c), f"{name} of the {group}") for g, group in enumerate(GROUPS) for c, name in enumerate(names)
    ]
    worst, least = max(costs), min(costs)
    return [
        f"<b>Clipping</b> lets each person say the same amount: {result.few} people together move the mean gradient "
        "by at "
        f"most {number(settings.clip_norm * result.few / settings.rows)}, the others by up to "
        f"{number(settings.clip_norm * (settings.rows - result.few) / settings.rows)}. What only the few need is "
        "learnt last.",
        f"<b>By class</b>: most is lost by {worst[1]} ({round(100 * worst[0]):+d} points), least by {least[1]} "
        f"({round(100 * least[0]):+d}); a model that errs to one side favours the class there.",
        "All models see the group as a feature, and without privacy they can use it. The test has every person once in "
        "each group, so that the two are compared on the same people.",
        "Forty trainings: medians for a group, means for a class (a noisy model leans to one of them); the bands hold "
        "nine in ten. More steps or a higher learning rate close part of a gap "
        "that is not privacy.",
    ]


def pays_guarantee(result: GroupsResult) -> str:
    """The same for all."""
    settings = result.settings
    return panels.note(
        f"Epsilon {number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian "
        "composition: for "
        "a person of the minority exactly as for one of the majority. Accuracies on this page are for the analyst only."
    )


def pays_table(result: GroupsResult) -> None:
    """Groups and classes."""
    frame = result.table()
    for name in ("without privacy", "private", "cost"):
        frame[name] = (100 * frame[name]).map("{:.1f}".format)
    st.markdown("**Who pays** (right in 100; trained now)")
    heads = ("group", "class", "without privacy", "private", "cost")
    panels.table(
        frame,
        caption="Private: 40 trainings at today's epsilon; their median, of a single class their mean.",
        heads=dict(zip(heads, heads, strict=True)),
    )


def inversion_verdict(result: InversionResult) -> str:
    """What can be recognised."""
    classes, record = result.match(0), result.match(1)
    return (
        f"Subtracting what the other rows explain, the attacker reads the planted record from the weights: correlation "
        f"with the truth <b>{record[1]:.2f}</b> without privacy, <b>{record[0]:.2f}</b> at epsilon "
        f"{number(result.settings.epsilon)}. The picture of a class, learnt from many people, "
        f"{'stays' if classes[0] > 0.7 * classes[1] else 'is lost as well'}: {classes[1]:.2f} and {classes[0]:.2f}."
    )


def inversion_diagnostics(result: InversionResult) -> list[str]:
    """A class is no person."""
    return [
        "<b>A class is learnt from many people</b>, and privacy does not hide what all of them have in common: that "
        "is what "
        "a useful model is for. So its picture stays at epsilons that hide each person.",
        "<b>A planted record</b>, a cross in a frame that is no digit, belongs to one row only. Without noise the "
        "weights of its class differ from those trained without it by nearly a multiple of the record itself.",
        "The attacker knows all other rows, the recipe and the class, and trains the other weights without noise: the "
        "strongest knowledge that the guarantee allows him, and only the final weights to see.",
        "The pictures are one release; the curve has ten for each epsilon, median and nine in ten.",
    ]


def inversion_guarantee(result: InversionResult) -> str:
    """What is promised about the record."""
    settings = result.settings
    return panels.note(
        f"Epsilon {number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian "
        "composition, on "
        f"{settings.rows} digits. It bounds what can be learnt about the record from the weights; nothing is promised "
        "about "
        "what a class looks like. The true record is drawn for the analyst only."
    )


def inversion_table(result: InversionResult) -> None:
    """Correlations over epsilon."""
    frame = result.table()
    shown = frame.assign(
        epsilon=frame["epsilon"].map(number),
        **{name: frame[name].map("{:.2f}".format) for name in ("classes", "record")},
    )
    st.markdown("**How alike what is recovered and the truth are** (correlation of pixels; trained now)")
    heads = {"epsilon": "epsilon", "classes": "classes, on average", "record": "planted record"}
    panels.table(shown, caption="Median of ten trainings.", heads=heads, now=number(result.settings.epsilon))
