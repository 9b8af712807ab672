"""The attack in words: numbers, verdict, diagnostics and guarantee of two worlds; the other parts are in
``words_audits`` and ``words_parts``."""

from dpcore.privacy import LowerBound
from dpcore.training.recipes import crossing
from lab.own_settings import OWN
from pages.attack.experiment import PRESETS, AttackSettings
from pages.attack.figures import allowed
from pages.attack.two_worlds_result import WorldsResult
from ui import hundred, outcomes, panels
from ui.panels import Number, in_hundred, number
from ui.plot.theme import written
from ui.vocabulary import in_sentence

PARTS_HELP = (
    "**One person**: was this person's row in the training data, or another one? "
    "**Membership**: who was in the training data? "
    "**Audit**: does every mechanism of the lab keep its guarantee? "
    "**One-run audit**: what does a single training run reveal? "
    "**Fairness**: which group loses accuracy? "
    "**Inversion**: what do released weights reveal about the pictures?"
)
VERSIONS_HELP = (
    "**Correct**: each person's gradient is clipped, and the Gaussian noise is calibrated to epsilon and delta. "
    "**As published**: the slides of Hoseinpour et al. (2023) clip the average gradient and use the textbook formula "
    "for the noise. **Non-private**: no clipping and no noise."
)
KNOBS = {
    "repeats": {
        "label": "Trainings per world",
        "scale": "log",
        "stops": 20,
        "help": "The number of models trained with the person, and of those trained with another one. More trainings "
        "give narrower intervals.",
    }
}
NOBODY_PROVED = "An audit can refute a claim; it never proves one."
IF_GAUSSIAN = "if the noise is taken for Gaussian"
# From this difference on it is explained why epsilon alone would allow more than this noise does.
_WIDE = 0.05


LEADS = {
    "worlds": "**Click a point** to choose the person. The same model is trained again and again, with this person and "
    "with another in their place; the attacker sees one of these models and says which world it comes from. **Drag "
    "the person** anywhere, then drag epsilon.",
    "membership": "Many models are trained, each on half of the same people. The attacker sees a model and a person: "
    "was this person in? **Drag epsilon** and compare what they find with what the guarantee allows.",
    "audit": "Every mechanism of the lab runs hundreds or thousands of times in two neighbouring worlds, now. What an "
    "attacker achieves is a lower bound on epsilon. A mechanism that claims less is **caught**.",
    "once": "If you can train only once, plant many canaries. A coin decides the class of each, and the attacker "
    "guesses the coins from the weights. **Drag epsilon**, and compare with an audit of thousands of trainings.",
    "pays": "The guarantee is the same for everybody. Is its cost? **Drag epsilon**, and make the minority smaller.",
    "inversion": "What do published weights show of a class, and of one person's picture planted in the data? "
    "**Drag epsilon.**",
}
OWN_LEAD = (
    "**Choose the person** by how exposed they are, or by number: nobody's values are shown. The same model is trained "
    "again and again, with this person and with another in their place; the attacker sees one of these models and says "
    "which world it comes from. **Drag epsilon.**"
)
ABOUT = {
    "map": (
        "All people, the riskier the larger, and the person who is meant, ringed. Each line is where one model changes "
        "its mind, trained with this person or with another in their place. Look for lines of one colour apart from "
        "those of the other: that is what an attacker sees."
    ),
    "exposure": (
        "People in order of how far they move a step of the training, and the person who is meant. The dotted line is "
        "as far as anybody could, for whom the noise is made. Look for how far below it most people are: epsilon holds "
        "for all, and most are safer than it says."
    ),
    "scores": (
        "What the attacker makes of each training: left of the dotted line they say that another person was in, right "
        "of it that this one was. Look for how much the two heaps have in common: there the attacker can only guess."
    ),
    "accuracy": (
        "How often the attacker is right at each epsilon, with its 95 % interval, under the limits that the claim and "
        "its noise set. Look for where the points leave 50, and whether one lies above a limit."
    ),
}


def lead(settings: AttackSettings) -> str:
    """What is to be seen and done, and which settings the part brings."""
    said = OWN_LEAD if settings.dataset == OWN and settings.part == "worlds" else LEADS[settings.part]
    return f"{said} {recipe(settings.part)}".strip()


def recipe(part: str) -> str:
    """Which settings a part brings, and that they are a choice; nothing where it brings none."""
    given = PRESETS[part]
    if not given:
        return ""
    names = [f"{in_sentence(name)} {written(value)}" for name, value in given.items()]
    return (
        f"This view starts from settings that make the effect visible ({', '.join(names[:-1])} and {names[-1]}). "
        "Change them freely; links keep your own."
    )


def best_attacker(settings: AttackSettings) -> Number:
    """The best attacker against the sound recipe's noise; one whom nothing limits where the guarantee is void."""
    if settings.void:
        return outcomes.void_attacker(settings)
    return panels.attacker(settings.guarantees.formula)


def claimed(settings: AttackSettings, *, allows: float) -> Number:
    """What the claim leaves the best attacker: the sound noise's own limit, what a claim would allow, or no limit."""
    if settings.version != "published":
        return best_attacker(settings) if settings.version == "sound" else panels.attacker(None)
    said = panels.at_most(allows) if allows <= 0.9995 else "100"
    value = f"{said} <small>times in 100</small>"
    return Number("The claim would allow", value, "right answers, if it held", tone="bound", amount=float(said))


def numbers(result: WorldsResult) -> list[Number]:
    """How often the attacker was right, what the claim leaves them, the epsilon that this shows, and this person."""
    found, settings = result.attack, result.settings
    right, none = in_hundred(found.accuracy), settings.version == "none"
    claim = "nothing is claimed" if none else f"claimed: {number(settings.epsilon)}"
    value, sure = f"{right} <small>times in 100</small>", f"{in_hundred(found.low)} to {in_hundred(found.high)}"
    least = _least(result.shown)
    said = [
        Number("The attacker was right", value, f"95 % confidence: {sure}", tone="private", amount=float(right)),
        claimed(settings, allows=result.promised),
        Number(
            "Epsilon shown, at least",
            number(least),
            "nothing is promised" if settings.void else claim,
            tone="bound",
            amount=least,
        ),
    ]
    if settings.version == "sound":
        share = in_hundred(result.risk)
        said.append(
            Number("This person moves a step", f"{share}\u00a0%", "of the furthest possible", amount=float(share))
        )
    elif not none:
        shown = number(result.risk)
        value = f"{shown} <small>time{'s' * (shown != '1')}</small>"
        said.append(Number("This person moves a step", value, "what its noise assumes"))
    return said


def verdict(result: WorldsResult) -> str:
    """Whether the attacker beats a coin, and whether the claim stands."""
    found, settings = result.attack, result.settings
    sight = "the final weights" if settings.sees == "weights" else "the weights after every step"
    told = "<b>beats a coin</b>" if found.low > 0.5 else "<b>cannot be told from a coin</b>"
    start = f"From {sight}, the attacker {told}"
    if settings.void:
        return f"{start}. {outcomes.void(settings)}"
    if settings.version == "none":
        sure = "Without noise, one look is enough." if found.accuracy == 1 else "There is no noise to hide behind."
        return f"{start}. Nothing is promised. {sure}"
    if settings.version == "published":
        return f"{start}. {_caught(result) if result.caught else _not_caught(result)}"
    if result.caught:
        return f"{start}. {_chance(result)}"
    if found.low > result.ceiling:
        return (
            f"{start}, more often than this noise allows: bad luck, as the lower end of one such interval in forty has."
        )
    if found.low > 0.5:
        return f"{start}, and stays within what this noise allows."
    return f"{start} in {found.trials:,} guesses."


CAPTION = (
    "Map: boundaries of models trained with this person (solid) and with another instead (dashed); larger points "
    "move a model further. Click, or drag the person."
)


def _caught(result: WorldsResult) -> str:
    return (
        "<b>Caught</b>: with 95 % confidence this recipe spends more than it claims. "
        f"{2 * result.trainings:,} trainings show it{_taken(result)}."
    )


def _taken(result: WorldsResult) -> str:
    """The larger bound, and what it takes for granted; nothing where it is no larger."""
    more = result.bounds["gaussian"].epsilon
    return f"; {IF_GAUSSIAN}, they show at least {number(more)}" if more > result.shown.epsilon else ""


def _not_caught(result: WorldsResult) -> str:
    epsilon = result.settings.epsilon
    text = f"<b>These trainings do not refute</b> the claim, epsilon {number(epsilon)}."
    more = result.bounds["gaussian"].epsilon
    if more > epsilon:
        return f"{text} They would {IF_GAUSSIAN} (at least {number(more)}), which nobody has proved."
    return f"{text} Try a lower clip norm, or a person further out."


def _least(bound: LowerBound) -> float:
    """The epsilon that a bound shows. Next to nothing is written as nothing, which a lower bound may be."""
    return bound.epsilon if bound.epsilon >= 0.001 else 0.0


def _chance(result: WorldsResult) -> str:
    return "These trainings seem to refute the claim: bad luck, which a sound recipe has in at most 5 of 100 audits."


def diagnostics(result: WorldsResult) -> list[str]:
    """This person's risk, what the attacker knows, and how the number of trainings limits what can be seen."""
    settings, sentences = result.settings, [_risk(result)]
    promised = settings.version != "none" and not settings.void
    if settings.sees == "weights" and promised and settings.steps > 1:
        sentences.append(
            "The guarantee holds against someone who sees <i>every step</i>. The final weights alone can only tell "
            "less. Choose “every step” to see how much."
        )
    halves = "Half of them choose direction and threshold, the others test them. " if result.scores is None else ""
    count, gaussian = (number(_least(result.bounds[form])) for form in ("count", "gaussian"))
    sentences.append(
        f"{result.trainings:,} trainings in each world so far. {halves}They show an epsilon of at least {count} by "
        f"counting, which assumes nothing, and of at least {gaussian} {IF_GAUSSIAN}, which nobody has proved of this "
        f"recipe. Each bound has 97.5 % confidence, both together 95 %. {NOBODY_PROVED}"
    )
    if settings.version == "sound" and promised and result.promised - result.ceiling >= _WIDE:
        sentences.append(
            f"Why would epsilon alone allow {in_hundred(result.promised)}, and this noise only "
            f"{in_hundred(result.ceiling)}? Epsilon and delta are one point of the noise's whole trade-off curve. "
            "Another mechanism with the same pair may give an attacker all of it."
        )
    return sentences


def _risk(result: WorldsResult) -> str:
    """How far this person moves a step, in the units of the version at hand."""
    if result.settings.version == "none":
        return "<b>Nothing is clipped</b>, so nothing bounds how far one person moves the model."
    if result.settings.version == "published":
        return (
            f"<b>This person</b> moves the mean gradient {panels.multiple(number(result.risk))} as far as the noise "
            "formula assumes of anybody. Clipping the average does not shorten one person's gradient."
        )
    middle, most = (in_hundred(float(one)) for one in (result.usual_risk, result.risks.max()))
    return (
        f"<b>This person</b> moves the clipped gradient {in_hundred(result.risk)} % as far as anybody could, measured "
        f"without noise. The {'noise' if result.settings.void else 'guarantee'} is made for the worst person. Of the "
        f"{len(result.risks):,} people here, the middle one moves it {middle} % as far, and the furthest {most} %."
    )


def guarantee(result: WorldsResult) -> str:
    """What is claimed, against whom, and which two data sets are compared."""
    settings, held = result.settings, result.guarantees
    other = "the same features with the next class" if settings.against == "label" else "the first public row"
    here = f"row {settings.person}" if settings.who == "row" else f"an outlier in place of row {settings.person}"
    worlds = panels.note(
        f"The two worlds differ in one record: {here}, or {other}. The attacker knows the other {settings.rows - 1:,} "
        "rows and both candidates. The map and the risks read private rows: analyst only."
    )
    match settings.version:
        case "sound":
            return (
                hundred.drawn(held.formula)
                + panels.guarantee(here=held.formula)
                + panels.note(outcomes.limit(held.formula))
                + worlds
            )
        case "published":
            limit = number(crossing(settings.delta))
            return (
                panels.note(f"Claimed: epsilon {number(settings.epsilon)}. What the same noise really gives:")
                + panels.guarantee(rows_in_their_bounds=held.bounded, each_gradient_clipped=held.formula)
                + panels.note(f"Above epsilon {limit} the formula is too weak even if each gradient is clipped.")
                + worlds
            )
        case _:
            return panels.note("None: there is no epsilon for a release without noise.") + worlds


def alts(result: WorldsResult) -> dict[str, str]:
    """The pictures in words."""
    found, curve = result.attack, result.curve
    points = ", ".join(
        f"{number(e)}: {in_hundred(a)}" for e, a in zip(curve["epsilon"], curve["accuracy"], strict=True)
    )
    return {
        "map" if result.plane else "exposure": _people_alt(result),
        "scores": (
            f"Attacker's scores in both worlds: {100 * result.overlap:.0f}\u00a0% in common. They say “with” in "
            f"{in_hundred(found.hits)} of 100 trainings with this person, and in {in_hundred(found.alarms)} of 100 "
            "with another."
        ),
        "accuracy": f"How often in 100 the attacker is right, over epsilon: {points}.",
    }


def _people_alt(result: WorldsResult) -> str:
    """The map in words, or where nobody may be drawn how exposed people are."""
    settings, people = result.settings, f"{len(result.risks):,} people"
    if result.plane is None:
        middle, mine = in_hundred(result.usual_risk), in_hundred(result.risk)
        return f"How far {people} move a step, in order. The middle one: {middle} %, this person: {mine} %."
    (_, label), _ = settings.neighbours.candidates
    who = f"row {settings.person}" if settings.who == "row" else "an outlier"
    return (
        f"Map of {people}. The person is {who} of {result.split.source.classes[label]}. Two sets of boundaries: of "
        "models trained with this person, and with another instead."
    )


def worlds_table(result: WorldsResult) -> str:
    """Measured and allowed over epsilon."""
    curve = result.curve
    shown = curve.assign(
        epsilon=curve["epsilon"].map(number),
        interval=[f"{100 * a:.1f} to {100 * b:.1f}" for a, b in zip(curve["low"], curve["high"], strict=True)],
        trials=curve["trials"].map("{:,}".format),
        **{name: (100 * curve[name]).map("{:.1f}".format) for name in ("accuracy", "promised", "gaussian")},
    )
    now, bound = panels.badge("trained now"), panels.badge("bound")
    return panels.table(
        shown,
        title="<b>How often the attacker is right</b> (in 100; guessing is 50)",
        caption=f"The marked row is the answer above, from its own {result.attack.trials:,} guesses. All rows share "
        "their noise, so their errors are alike; each interval holds alone, at 95 %.",
        heads={
            "epsilon": "epsilon",
            "accuracy": f"measured<br>{now}",
            "interval": f"95 % interval<br>{now}",
            "trials": "guesses",
        }
        | {name: f"{words}<br>{bound}" for name, words in reversed(allowed(result).items())},
        now=number(result.settings.epsilon),
    )
