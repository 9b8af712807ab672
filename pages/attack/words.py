"""The attack in words: verdicts, diagnostics and guarantees of two worlds; the other parts are in ``attack_parts``."""

import re

from dpcore.training.recipes import crossing
from pages.attack.experiment import PRESETS
from pages.attack.figures import ALLOWED
from pages.attack.two_worlds_result import WorldsResult
from ui import panels
from ui.panels import in_hundred, number
from ui.vocabulary import KNOBS as VOCABULARY

PARTS_HELP = (
    "**Two worlds**: was it this person's row, or another in its place? "
    "**Membership**: who was in, person by person? "
    "**Audit**: does every mechanism of the lab keep its promise? "
    "**One run**: what does one single training show? "
    "**Who pays**: whose accuracy is lost? "
    "**Inversion**: what do released weights show of the pictures?"
)
VERSIONS_HELP = (
    "**Sound**: each person's gradient is clipped, and the noise is calibrated exactly. **As published**: the slides "
    "clip the average gradient and use the textbook's noise. **No privacy**: no clipping, no noise."
)
KNOBS = {
    "repeats": {
        "label": "Trainings in each world",
        "scale": "log",
        "stops": 20,
        "help": "How often the attacker trains with the person, and how often with another. More trainings give "
        "narrower intervals.",
    }
}
NOBODY_PROVED = "An audit can refute a claim; it never proves one."
IF_GAUSSIAN = "if the noise is taken for Gaussian"
# From this difference on it is explained why epsilon alone would allow more than this noise does.
_WIDE = 0.05


def recipe(part: str) -> str:
    """Which settings a part brings, and that they are a choice; nothing where it brings none."""
    given = PRESETS[part]
    if not given:
        return ""
    names = [f"{VOCABULARY[name]['label'].lower()} {value:g}" for name, value in given.items()]
    return (
        f"This view starts from settings that make the effect visible ({', '.join(names[:-1])} and {names[-1]}). "
        "Change them freely; links keep your own."
    )


def verdict(result: WorldsResult) -> str:
    """What the attacker achieves, against what the claim allows."""
    found, settings = result.attack, result.settings
    sight = "the final weights" if settings.sees == "weights" else "the weights after every step"
    right = (
        f"From {sight}, the attacker picks the right world <b>{in_hundred(found.accuracy)} times in 100</b> "
        f"(95 % confidence: {in_hundred(found.low)} to {in_hundred(found.high)}; a coin: 50)."
    )
    if settings.version == "none":
        sure = "Without noise, one look is enough." if found.accuracy == 1 else "There is no noise to hide behind."
        return f"{right} Nothing is promised. {sure}"
    if settings.version == "published":
        return f"{right} {_caught(result) if result.caught else _not_caught(result)}"
    return f"{right} {_allowed(result)}{f' {_chance(result)}' if result.caught else ''}"


def _allowed(result: WorldsResult) -> str:
    """What the sound recipe's guarantee leaves the attacker."""
    epsilon, promised, ceiling = result.settings.epsilon, in_hundred(result.promised), in_hundred(result.ceiling)
    if promised == ceiling:
        return f"Epsilon {number(epsilon)} allows at most <b>{ceiling}</b>."
    return (
        f"Epsilon {number(epsilon)} alone would allow {promised}; this Gaussian noise allows at most <b>{ceiling}</b>."
    )


def _caught(result: WorldsResult) -> str:
    return (
        "<b>Caught</b>: with 95 % confidence this recipe spends at least epsilon "
        f"<b>{number(result.shown.epsilon)}</b>, and claims {number(result.settings.epsilon)}. "
        f"{2 * result.trainings:,} trainings show it{_taken(result)}."
    )


def _taken(result: WorldsResult) -> str:
    """The larger bound, and what it takes for granted; nothing where it is no larger."""
    more = result.bounds["gaussian"].epsilon
    return f"; {IF_GAUSSIAN}, they show at least {number(more)}" if more > result.shown.epsilon else ""


def _not_caught(result: WorldsResult) -> str:
    epsilon = result.settings.epsilon
    text = (
        f"The recipe claims epsilon {number(epsilon)}, which would allow {in_hundred(result.promised)}. "
        "<b>These trainings do not refute it.</b>"
    )
    more = result.bounds["gaussian"].epsilon
    if more > epsilon:
        return f"{text} They would {IF_GAUSSIAN} (at least {number(more)}), which nobody has proved."
    return f"{text} Try a lower clip norm, or a person further out."


def _chance(result: WorldsResult) -> str:
    return (
        f"These trainings refute the claim (at least {number(result.shown.epsilon)}): bad luck, which a sound recipe "
        "has in at most 5 of 100 audits."
    )


def diagnostics(result: WorldsResult) -> list[str]:
    """This person's risk, what the attacker knows, and how the number of trainings limits what can be seen."""
    settings, sentences = result.settings, [_risk(result)]
    if settings.sees == "weights" and settings.version != "none" and settings.steps > 1:
        sentences.append(
            "The guarantee holds against someone who sees <i>every step</i>. The final weights alone can only tell "
            "less. Choose “every step” to see how much."
        )
    halves = "Half of them choose direction and threshold, the others test them. " if result.scores is None else ""
    count, gaussian = (number(result.bounds[form].epsilon) for form in ("count", "gaussian"))
    sentences.append(
        f"{result.trainings:,} trainings in each world so far. {halves}They show an epsilon of at least {count} by "
        f"counting, which assumes nothing, and of at least {gaussian} {IF_GAUSSIAN}, which nobody has proved of this "
        f"recipe. Each bound has 97.5 % confidence, both together 95 %. {NOBODY_PROVED}"
    )
    if settings.version == "sound" and result.promised - result.ceiling >= _WIDE:
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
            f"<b>This person</b> moves the mean gradient {number(result.risk)} times as far as the noise formula "
            "assumes of anybody. Clipping the average does not shorten one person's gradient."
        )
    middle, most = (in_hundred(float(one)) for one in (result.usual_risk, result.risks.max()))
    return (
        f"<b>This person</b> moves the clipped gradient {in_hundred(result.risk)} % as far as anybody could, measured "
        "without noise. The guarantee is made for the worst person. Of the "
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
            return panels.guarantee(here=held.formula) + worlds
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


def map_alt(result: WorldsResult) -> str:
    """The map in words."""
    settings = result.settings
    (_, label), _ = settings.neighbours.candidates
    who = f"row {settings.person}" if settings.who == "row" else "an outlier"
    return (
        f"Map of people. The person is {who} of {result.split.source.classes[label]}. Two sets of boundaries: of "
        "models trained with this person, and with another instead."
    )


def scores_alt(result: WorldsResult) -> str:
    """The histogram in words."""
    return (
        f"Attacker's scores in both worlds: {result.overlap:.0%} in common. They say “with” in "
        f"{in_hundred(result.attack.hits)} of 100 trainings with this person, and in "
        f"{in_hundred(result.attack.alarms)} of 100 with another."
    )


def accuracy_alt(result: WorldsResult) -> str:
    """The curve in words."""
    curve = result.curve
    points = ", ".join(
        f"{number(e)}: {in_hundred(a)}" for e, a in zip(curve["epsilon"], curve["accuracy"], strict=True)
    )
    return f"How often in 100 the attacker is right, over epsilon: {points}."


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
        | {name: f"{words}<br>{bound}" for name, words in reversed(ALLOWED[result.settings.version].items())},
        now=number(result.settings.epsilon),
    )


def plain(text: str) -> str:
    """A sentence without its formatting, for a screen reader."""
    return re.sub(r"<[^>]+>", "", text)
