"""Membership, who pays and inversion in words."""

from pages.attack.inversion import REPEATS as RETRIES
from pages.attack.inversion import InversionResult
from pages.attack.membership import ATTACKS, MODELS, MembersResult
from pages.attack.who_pays import GROUPS, REPEATS, GroupsResult
from pages.attack.words import NOBODY_PROVED
from ui import panels
from ui.panels import number


def membership_verdict(result: MembersResult) -> str:
    """What the stronger attack finds on both models."""
    best = ATTACKS[0]
    plain, private = (result.at(arm, best, 0.01) for arm in ("plain", "private"))
    return (
        f"With one false alarm in 100, the attacker finds <b>{_percent(plain)}</b> of the members of a model without "
        f"privacy, and <b>{_percent(private)}</b> of a private one with epsilon {number(result.settings.epsilon)}. Its "
        f"noise allows at most {_percent(result.allowed(0.01))}."
    )


def membership_diagnostics(result: MembersResult) -> list[str]:
    """Overfitting, the rare sure guesses, and the number of models."""
    best, others = ATTACKS[0], len(result.shadows["plain"].members) - 1
    sure = [_percent(result.at(arm, best, 0.001)) for arm in ("plain", "private")]
    advantage = [f"{result.advantage(arm, best):.2f}" for arm in ("plain", "private")]
    return [
        f"<b>{_memory(result)}</b>: without privacy the model is right on {_shares(result.right('plain'))}; the "
        f"private one on {_shares(result.right('private'))}.",
        "<b>A few sure guesses count more than many vague ones</b>: with one false alarm in 1,000 the attacker finds "
        f"{sure[0]} without privacy and {sure[1]} with it. Their advantage (members found minus false alarms, at the "
        f"best threshold) is {advantage[0]} and {advantage[1]}.",
        f"The likelihood ratio compares a person's margin with the same person's margins in the other {others} models"
        f"{'' if others + 1 == MODELS else f' trained so far, of {MODELS}'}.",
        f"{result.pairs('private'):,} guesses, of people who share models: a curve may lie a little above the frontier "
        "at its left end by chance. " + NOBODY_PROVED,
    ]


def _memory(result: MembersResult) -> str:
    """Whether the model without privacy is better on its members, in whole percent."""
    members, others = (round(100 * share) for share in result.right("plain"))
    return "Memory shows as a gap" if members > others else "No gap shows, so no memory either"


def _shares(right: tuple[float, float]) -> str:
    return f"{_whole(right[0])} of its members and {_whole(right[1])} of others"


def _whole(share: float) -> str:
    """A share in whole percent."""
    return f"{100 * share:.0f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def membership_guarantee(result: MembersResult) -> str:
    """The frontier in words."""
    settings = result.settings
    return panels.note(
        f"Private: noisy descent on {settings.members} rows out of {2 * settings.members}, epsilon "
        f"{number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian composition. "
        "<b>No attack</b> then finds more than (false alarms) &times; e<sup>epsilon</sup> + delta of the members, and "
        "against this noise no more than the dotted line, whatever the attacker knows or computes. Without privacy "
        "there is no such line. Margins and curves read private rows: analyst only."
    )


def membership_table(result: MembersResult) -> str:
    """Both attacks on both models."""
    frame = result.table()
    for name in ("found at 1 %", "found at 0.1 %"):
        frame[name] = frame[name].map(_percent)
    frame["advantage"] = frame["advantage"].map("{:.2f}".format)
    frame["model"] = frame["model"].map({"private": "private", "plain": "without privacy"})
    heads = ("model", "attack", "found at 1 %", "found at 0.1 %", "advantage")
    return panels.table(
        frame,
        title="<b>Who is found</b> (trained now)",
        caption="Found: share of members, at this share of false alarms.",
        heads=dict(zip(heads, heads, strict=True)),
    )


def pays_verdict(result: GroupsResult) -> str:
    """What privacy costs each group."""
    large, small = (result.cost(group) for group in (0, 1))
    return (
        f"At epsilon {number(result.settings.epsilon)} the majority <b>{_points(large)}</b> and the minority, "
        f"{result.few} people of {result.settings.rows:,}, <b>{_points(small)}</b>. {_who(large, small)}"
    )


def _points(cost: float) -> str:
    """ "loses 3.1 points", of shares of right answers."""
    amount = f"{abs(100 * cost):.1f}"
    if amount == "0.0":
        return "loses nothing"
    return f"{'loses' if cost > 0 else 'gains'} {amount} {'point' if amount == '1.0' else 'points'}"


def _who(large: float, small: float) -> str:
    if small - large > 0.02:
        return "Everybody has the same guarantee; its cost is not shared evenly."
    if large - small > 0.02:
        return "Here the majority pays more."
    return "Here both pay about the same; make the minority smaller, or change epsilon."


def pays_diagnostics(result: GroupsResult) -> list[str]:
    """Why the few pay."""
    settings, names = result.settings, result.classes
    costs = [
        (result.cost(g, c), f"{name} of the {group}") for g, group in enumerate(GROUPS) for c, name in enumerate(names)
    ]
    (worst, whose), (least, whom) = max(costs), min(costs)
    few, many = (number(settings.clip_norm * size / settings.rows) for size in (result.few, settings.rows - result.few))
    return [
        f"<b>Clipping</b> gives each person the same say: the {result.few} people of the minority together move the "
        f"mean gradient by at most {few}, the others by up to {many}.",
        f"<b>By class</b>: {whose} {_points(worst)}; {whom} {_points(least)}. All other classes lie in between.",
        "All models see the group as a feature. The test has every person once in each group, so both groups are "
        "compared on the same people.",
        f"{REPEATS} trainings. A group's figure is their median, a class's their mean, because a noisy model leans to "
        "one class. Bands hold nine in ten. Part of a gap may be unfinished training: try more steps or a higher "
        "learning rate.",
    ]


def pays_guarantee(result: GroupsResult) -> str:
    """The same for all."""
    settings = result.settings
    return panels.note(
        f"Epsilon {number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian "
        "composition: the same for a person of the minority as for one of the majority. Accuracies on this page are "
        "for the analyst only."
    )


def pays_table(result: GroupsResult) -> str:
    """Groups and classes."""
    frame = result.table()
    for name in ("without privacy", "private", "cost"):
        frame[name] = (100 * frame[name]).map("{:.1f}".format)
    heads = ("group", "class", "without privacy", "private", "cost")
    return panels.table(
        frame,
        title="<b>Who pays</b> (right in 100; trained now)",
        caption=f"Private: {REPEATS} trainings at today's epsilon. All: their median; a single class: their mean.",
        heads=dict(zip(heads, heads, strict=True)),
    )


def inversion_verdict(result: InversionResult) -> str:
    """What can be recognised."""
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    stays = "it stays" if private > 0.7 * plain else "it fades"
    return (
        "The attacker subtracts what the other rows explain and reads the planted record from the weights: correlation "
        f"with the truth <b>{seen:.2f}</b> without privacy, <b>{hidden:.2f}</b> at epsilon "
        f"{number(result.settings.epsilon)}. The picture of a class, learnt from many people, has {plain:.2f} and "
        f"{private:.2f}: {stays}."
    )


def inversion_diagnostics(result: InversionResult) -> list[str]:
    """A class is no person."""
    return [
        "<b>A class is learnt from many people</b>. Privacy does not hide what all of them have in common: that is "
        "what a useful model is for.",
        "<b>A planted record</b>, a cross in a frame that is no digit, belongs to one row only. Without noise, what "
        f"that row adds to the weights of its class is an image of it (correlation {result.match(1)[1]:.2f}).",
        "The attacker knows all other rows, the recipe and the class, and trains without noise what the other rows "
        "give. That is as much knowledge as the guarantee allows for; they see only the final weights.",
        f"The pictures are of one training. The curve has {RETRIES} for each epsilon: their median, and nine in ten.",
    ]


def inversion_guarantee(result: InversionResult) -> str:
    """What is promised about the record."""
    settings = result.settings
    return panels.note(
        f"Epsilon {number(settings.epsilon)}, delta {settings.delta:g}, one record replaced, exact Gaussian "
        f"composition, on {settings.rows:,} digits. It bounds what the weights tell about the record. Nothing is "
        "promised about what a class looks like. The true record is drawn for the analyst only."
    )


def inversion_table(result: InversionResult) -> str:
    """Correlations over epsilon."""
    frame = result.table()
    shown = frame.assign(
        epsilon=frame["epsilon"].map(number),
        **{name: frame[name].map("{:.2f}".format) for name in ("classes", "record")},
    )
    heads = {"epsilon": "epsilon", "classes": "classes, on average", "record": "planted record"}
    return panels.table(
        shown,
        title="<b>How alike what is recovered and the truth are</b> (correlation of pixels; trained now)",
        caption=f"Median of {RETRIES} trainings.",
        heads=heads,
        now=number(result.settings.epsilon),
    )
