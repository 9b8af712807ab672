"""Membership, who pays and inversion in words."""

from lab.claims import Case
from pages.attack.inversion import REPEATS as RETRIES
from pages.attack.inversion import InversionResult
from pages.attack.membership import ATTACKS, MODELS, MembersResult
from pages.attack.who_pays import GROUPS, REPEATS, GroupsResult
from pages.attack.words import NOBODY_PROVED, best_attacker
from ui import outcomes, panels
from ui.panels import Number, number
from ui.plot import theme

# A picture that is at least so much alike can be recognised; one that is less so cannot.
_READABLE, _LOST = 0.7, 0.3
ABOUT = {
    "roc": (
        "How many members the attacker finds, over how often they accuse somebody who was not in: right and up is "
        "more. The dotted upright line is one false alarm in 100, of which the legend speaks. Look for how far the "
        "line of each model lies above guessing, and whether the private one stays below what its noise allows."
    ),
    "margins": (
        "How sure models are of the right class, of their members and of other people. Look for the two heaps lying "
        "apart: that is the memory that the attacker uses."
    ),
    "groups": (
        "How often the middle model is right on people of each group, over epsilon; dotted, without privacy; shaded, "
        "nine runs in ten. Look for how much later the minority's line reaches its dotted one."
    ),
    "classes": (
        "How often models are right on each class of the group: the mean, with nine runs in ten; the grey stroke is "
        "without privacy. Look for the class that loses most."
    ),
    "pictures": (
        "What the attacker reads from the weights: each class as the model sees it, the planted picture as it is read "
        "back, and what it truly is. Look for the cross in a frame, and for whether you can still tell the digits."
    ),
    "match": (
        "How alike what is read from the weights and the truth are, over epsilon: 1 is the same, 0 is nothing in "
        "common; dotted, without privacy; shaded, nine trainings in ten. Look for where the planted record comes out."
    ),
}
MEMBERSHIP_CAPTION = (
    "Solid: likelihood ratio; dashed: loss threshold; values at one false alarm in 100. Titles: right answers on "
    "members (in) and on others (out)."
)
PAYS_CAPTION = "Dotted lines and grey strokes: without privacy. Shaded, and the thin strokes: nine runs in ten."
INVERSION_CAPTION = (
    "Sheets: ten classes, the planted record as the weights show it, and the true one. Dotted: without privacy."
)


def membership_numbers(result: MembersResult) -> list[Number]:
    """Members found with one false alarm in 100, with and without privacy, and what the noise allows."""
    private, plain = (result.at(arm, ATTACKS[0], 0.01) for arm in ("private", "plain"))
    note = "at 1 false alarm in 100"
    limit = Number("This noise allows", _percent(result.allowed(0.01)), note, tone="bound")
    return [
        Number("Members found, private", _percent(private), note, "private", round(100 * private, 1), "points"),
        Number("Without privacy", _percent(plain), note),
        *([] if result.settings.void else [limit]),
        best_attacker(result.settings),
    ]


def membership_verdict(result: MembersResult) -> str:
    """Return how much better the attacker is without privacy, where that is shown, and whether that is memory."""
    plain, private = (result.at(arm, ATTACKS[0], 0.01) for arm in ("plain", "private"))
    both = f"{_percent(plain)} of the members without privacy, {_percent(private)} in the private model"
    case, trained = result.more_found, len(result.shadows["plain"].members)
    if case == Case.SO_FAR:
        text = f"{outcomes.so_far(trained, MODELS, 'model')}: with one false alarm in 100 the attacker finds {both}."
    elif case != Case.AHEAD:
        text = f"<b>No difference can be shown</b>: with one false alarm in 100 the attacker finds {both}."
    elif private == 0:
        text = "Without privacy the attacker finds members; in the private model, with as many false alarms, none."
    else:
        times = panels.multiple(number(plain / private))
        text = (
            f"Without privacy the attacker finds <b>{times} as many members</b> as in the "
            "private model, with as many false alarms."
        )
    if result.settings.void:
        return f"{text} {outcomes.void(result.settings)}"
    if case == Case.SO_FAR:
        return text
    return f"{text} {_memory(result)}: that model is right on {_shares(result.right('plain'))}."


def membership_alts(result: MembersResult) -> dict[str, str]:
    """The pictures in words."""
    found = {arm: _percent(result.at(arm, ATTACKS[0], 0.01)) for arm in ("private", "plain")}
    limit = "" if result.settings.void else f"; this noise allows {_percent(result.allowed(0.01))}"
    roc = (
        f"Members found over false alarms. With one false alarm in 100: private {found['private']}, without privacy "
        f"{found['plain']}{limit}."
    )
    names = {"private": "private models", "plain": "models without privacy"}
    return {"roc": roc} | {
        f"margins.{arm}": f"How sure {name} are: right on {_shares(result.right(arm))}." for arm, name in names.items()
    }


def membership_diagnostics(result: MembersResult) -> list[str]:
    """Overfitting, the rare sure guesses, and the number of models."""
    best, others = ATTACKS[0], len(result.shadows["plain"].members) - 1
    sure = [_percent(result.at(arm, best, 0.001)) for arm in ("plain", "private")]
    plain, private = (f"{result.advantage(arm, best):.2f}" for arm in ("plain", "private"))
    advantage = f"{plain} and {private}" if plain != private else f"{plain} in both"
    return [
        f"<b>{_memory(result) if result.complete else 'So far'}</b>: without privacy the model is right on "
        f"{_shares(result.right('plain'))}; the "
        f"private one on {_shares(result.right('private'))}.",
        "<b>A few sure guesses count more than many vague ones</b>: with one false alarm in 1,000 the attacker finds "
        f"{sure[0]} without privacy and {sure[1]} with it. Their advantage (members found minus false alarms, at the "
        f"best threshold) is {advantage}.",
        f"The likelihood ratio compares a person's margin with the same person's margins in the other {others} models"
        f"{'' if others + 1 == MODELS else f' trained so far, of {MODELS}'}.",
        f"{result.pairs('private'):,} guesses, of people who share models{_left_end(result)}. {NOBODY_PROVED}",
    ]


def _left_end(result: MembersResult) -> str:
    return "" if result.settings.void else ": a curve may lie a little above the frontier at its left end by chance"


def _memory(result: MembersResult) -> str:
    """Whether the model without privacy is shown to be better on its members."""
    return "Memory shows as a gap" if result.memory == Case.AHEAD else "No gap can be shown, so no memory either"


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
        f"{number(settings.epsilon)}, delta {theme.delta(settings.delta)}, one {settings.unit} replaced, exact "
        "Gaussian composition. <b>No attack</b> then finds more than (false alarms) &times; e<sup>epsilon</sup> + "
        "delta of the members, and against this noise no more than the dotted line, whatever the attacker knows or "
        "computes. Without privacy there is no such line. Margins and curves read private rows: analyst only."
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


def pays_numbers(result: GroupsResult) -> list[Number]:
    """How often both groups' middle models are right, and what the smaller one pays more."""
    said = []
    for group, name in ((1, "Minority is right"), (0, "Majority is right")):
        mine, plain = outcomes.apart(result.typical(group), float(result.plain[group, -1]))
        shown = {"tone": "private", "amount": float(mine.split()[0]), "unit": "points"}
        said.append(Number(name, mine, f"without privacy: {plain}", **shown))
    more = result.cost(1) - result.cost(0)
    shown = {"amount": round(100 * more, 1), "unit": "points"}
    value = f"{outcomes.signed(more)} <small>points</small>"
    said.append(Number("Cost, minority − majority", value, f"{result.few} people of {result.settings.rows:,}", **shown))
    return [*said, best_attacker(result.settings)]


def pays_verdict(result: GroupsResult) -> str:
    """What privacy costs each group."""
    large, small = (result.cost(group) for group in (0, 1))
    return (
        f"{_who(result.uneven)} The minority, {result.few} people of {result.settings.rows:,}, "
        f"<b>{_points(small, result.lost(1))}</b>, the majority <b>{_points(large, result.lost(0))}</b>. The guarantee "
        "is the same for both."
    )


def pays_alts(result: GroupsResult) -> dict[str, str]:
    """The pictures in words."""
    epsilons, curves = result.over(0)[0], [result.over(group)[1][1] for group in (0, 1)]
    said = "; ".join(
        f"{name}: "
        + (", ".join(f"{number(e)}: {_whole(a)}" for e, a in zip(epsilons, curve, strict=True)) or "no point yet")
        for name, curve in zip(GROUPS, curves, strict=True)
    )
    classes = {
        f"classes.{name}": f"Right answers by class, {name}: "
        + ", ".join(f"{label} {_whole(result.typical(g, c))}" for c, label in enumerate(result.classes))
        + "."
        for g, name in enumerate(GROUPS)
    }
    return {"groups": f"Accuracy over epsilon by group. {said}."} | classes


def _points(cost: float, case: Case) -> str:
    """ "loses 3.1 points", of shares of right answers, where that is shown."""
    if case != (Case.BEHIND if cost > 0 else Case.AHEAD):
        return "shows no loss"
    amount = f"{abs(100 * cost):.1f}"
    return f"{'loses' if cost > 0 else 'gains'} {amount} {'point' if amount == '1.0' else 'points'}"


def _who(uneven: Case) -> str:
    """Whose cost is shown to be larger."""
    if uneven == Case.AHEAD:
        return "<b>The cost is not shared evenly</b>."
    if uneven == Case.BEHIND:
        return "<b>Here the majority pays more</b>."
    return f"<b>No difference in cost can be shown</b> in {REPEATS} runs."


def pays_diagnostics(result: GroupsResult) -> list[str]:
    """Why the few pay."""
    settings, names = result.settings, result.classes
    costs = [
        (result.cost(g, c), f"{name} of the {group}", result.lost(g, c))
        for g, group in enumerate(GROUPS)
        for c, name in enumerate(names)
    ]
    (worst, whose, one), (least, whom, other) = max(costs), min(costs)
    few, many = (number(settings.clip_norm * size / settings.rows) for size in (result.few, settings.rows - result.few))
    return [
        f"<b>Clipping</b> gives each person the same say: the {result.few} people of the minority together move the "
        f"mean gradient by at most {few}, the others by up to {many}.",
        f"<b>By class</b>: {whose} {_points(worst, one)}; {whom} {_points(least, other)}. All other classes lie "
        "in between.",
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
        f"Epsilon {number(settings.epsilon)}, delta {theme.delta(settings.delta)}, one record replaced, exact Gaussian "
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
        title="<b>Who pays</b> (% right; trained now)",
        caption=f"Private: {REPEATS} trainings at today's epsilon. All: their median; a single class: their mean.",
        heads=dict(zip(heads, heads, strict=True)),
    )


def inversion_numbers(result: InversionResult) -> list[Number]:
    """How alike what is read from the weights and the truth are: one person's record, and what many have in common."""
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    note = "correlation with the truth"
    return [
        Number("Planted record, private", _alike(hidden), note, "private", float(f"{hidden:.2f}")),
        Number("Record, without privacy", _alike(seen), note),
        Number("Classes, private", _alike(private), f"without privacy: {_alike(plain)}"),
        best_attacker(result.settings),
    ]


def _alike(correlation: float) -> str:
    """With a true minus, and none before a zero."""
    shown = f"{abs(correlation):.2f}"
    return shown if correlation >= 0 or shown == "0.00" else f"−{shown}"


def inversion_verdict(result: InversionResult) -> str:
    """What can be recognised."""
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    if hidden >= _READABLE:
        record = "<b>can be read</b> from the private weights"
    elif hidden > _LOST:
        record = "<b>can be made out</b> in the private weights"
    else:
        record = "<b>cannot be recognised</b> in the private weights"
    without = "stands in those without privacy" if seen >= _READABLE else "is hard to read even without privacy"
    classes = "stay" if private > _READABLE * plain else "fade"
    return (
        f"One person's picture {record}, and {without}. The pictures of the classes, learnt from many people, "
        f"<b>{classes}</b>."
    )


def inversion_alts(result: InversionResult) -> dict[str, str]:
    """The pictures in words."""
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    epsilons, curve = result.over(1)
    points = ", ".join(f"{number(e)}: {_alike(a)}" for e, a in zip(epsilons, curve[1], strict=True))
    return {
        "without": (
            "What the weights of a model without privacy show, class by class. Correlation with the truth: record "
            f"{_alike(seen)}, classes {_alike(plain)}."
        ),
        "with": (
            f"The same of a private model at epsilon {number(result.settings.epsilon)}: record {_alike(hidden)}, "
            f"classes {_alike(private)}."
        ),
        "match": f"Correlation of the planted record with the truth, over epsilon: {points or 'no point yet'}.",
    }


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
        f"Epsilon {number(settings.epsilon)}, delta {theme.delta(settings.delta)}, one record replaced, exact Gaussian "
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
