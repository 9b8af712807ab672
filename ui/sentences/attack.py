"""The attack in words: verdicts, diagnostics and guarantees of two worlds; the other parts are in ``attack_parts``."""

import re
from pathlib import Path

import streamlit as st

from dpcore.experiments.attack import PRESETS
from dpcore.experiments.attack_result import WorldsResult
from dpcore.experiments.classifier_claims import crossing
from ui import panels
from ui.panels import in_hundred, number
from ui.vocabulary import KNOBS as VOCABULARY

PARTS_HELP = (
    "**Two worlds**: can an attacker tell whether one person was in? **Membership**: who was in, person by person? "
    "**Audit**: does every mechanism of the lab keep its promise? **One run**: what does one single training show? "
    "**Who pays**: whose accuracy is lost? "
    "**Inversion**: what do released weights show of the pictures?"
)
VERSIONS_HELP = (
    "**Sound**: each person's gradient is clipped, the noise calibrated exactly. **As published**: the slides clip "
    "the average gradient and use the textbook's noise. **No privacy**: no clipping, no noise."
)
KNOBS = {
    "repeats": {
        "label": "Trainings in each world",
        "scale": "log",
        "stops": 20,
        "help": "How often the attacker trains with the person, and how often with another. More trainings, narrower "
        "intervals, and larger bounds.",
    }
}
NOBODY_PROVED = "An audit can refute a claim; it never proves one."


def recipe(part: str) -> str:
    """Which settings a part brings, and that they are a choice; nothing where it brings none."""
    given = PRESETS[part]
    if not given:
        return ""
    names = [f"{VOCABULARY[name]['label'].lower()} {value:g}" for name, value in given.items()]
    return (
        f"This part begins with {', '.join(names[:-1])} and {names[-1]}: chosen from a few that were tried, because "
        "they show something. Change them below; a link keeps yours."
    )


def verdict(result: WorldsResult) -> str:
    """What the attacker achieves, against what the claim allows."""
    found, settings = result.attack, result.settings
    sight = "the final weights" if settings.sees == "weights" else "the weights after every step"
    right = (
        f"Seeing {sight}, the attacker tells the two worlds apart <b>{in_hundred(found.accuracy)} times in 100</b> "
        f"(95 % interval {in_hundred(found.low)} to {in_hundred(found.high)}; guessing: 50)."
    )
    match settings.version:
        case "none":
            return f"{right} Nothing is promised, and nothing hides this person: without noise one look is enough."
        case "published" if result.caught:
            return f"{right} {_caught(result)}"
        case "published":
            return (
                f"{right} The recipe claims epsilon {number(settings.epsilon)}, which would allow "
                f"{in_hundred(result.promised)}. <b>These trainings do not refute it yet</b>; lower the clip norm, or "
                "take "
                "a person further out."
            )
        case _:
            also = f" {_caught(result)}" if result.caught else ""
            return (
                f"{right} Epsilon {number(settings.epsilon)} allows {in_hundred(result.promised)}, and Gaussian noise "
                "of "
                f"this epsilon and delta <b>{in_hundred(result.ceiling)}</b>.{also}"
            )


def _caught(result: WorldsResult) -> str:
    bound = result.shown
    return (
        f"<b>Caught</b>: with 95 % confidence this recipe spends at least epsilon <b>{number(bound.epsilon)}</b>, and "
        f"claims {number(result.settings.epsilon)}. It took {2 * result.trainings:,} trainings."
    )


def diagnostics(result: WorldsResult) -> list[str]:
    """This person's risk, what the attacker knows, and how the number of trainings limits what can be seen."""
    settings, sentences = result.settings, []
    if settings.version == "sound":
        sentences.append(
            f"<b>This person</b> moves the clipped gradient by {in_hundred(result.risk)} in 100 of the furthest that "
            "anybody could (without noise; large points move it further). The guarantee is made for the worst person; "
            "most are safer, and nobody is told which."
        )
    else:
        sentences.append(
            f"<b>This person</b> moves the mean gradient {number(result.risk)} times as far as the noise formula "
            "assumes "
            "of anybody: nothing has shortened this one row."
        )
    if settings.sees == "weights" and settings.version != "none":
        sentences.append(
            "The guarantee holds against one who sees <i>every step</i>; the final weights alone say less, because "
            "later "
            "steps pull back what earlier ones moved. Choose “every step” to see the difference."
        )
    sentences.append(
        f"{result.trainings:,} trainings in each world so far. "
        + ("Half of them choose direction and threshold, the others test them. " if result.scores is None else "")
        + "Lower bounds on epsilon: "
        + "; ".join(f"{number(bound.epsilon)} ({name})" for name, bound in _bounds(result).items())
        + ", each at 97.5 % confidence. "
        + NOBODY_PROVED
    )
    if settings.version == "sound" and settings.epsilon > 2:
        sentences.append(
            f"Why the claim allows {in_hundred(result.promised)} and the noise only {in_hundred(result.ceiling)}: "
            "epsilon and delta are one point of the noise's whole trade-off curve. Another mechanism with the same "
            "pair "
            "may give an attacker all of it."
        )
    return sentences


def _bounds(result: WorldsResult) -> dict:
    names = {"count": "counting", "gaussian": "taking the noise for Gaussian"}
    return {names[form]: bound for form, bound in result.bounds.items()}


def guarantee(result: WorldsResult) -> str:
    """What is claimed, against whom, and which two data sets are compared."""
    settings, held = result.settings, result.guarantees
    other = "the same features, but the next class" if settings.against == "label" else "the first public row"
    here = f"row {settings.person}" if settings.who == "row" else f"an outlier in place of row {settings.person}"
    worlds = panels.note(
        f"The two worlds: {here}, or {other} there; the other {settings.rows - 1} rows are the same, and the attacker "
        "knows them. One record is replaced. Map and risks read private rows: analyst only."
    )
    match settings.version:
        case "sound":
            return panels.guarantee(here=held.formula) + worlds
        case "published":
            return (
                panels.note(f"Claimed: epsilon {number(settings.epsilon)}. What the same noise really gives:")
                + panels.guarantee(rows_in_their_bounds=held.bounded, each_gradient_clipped=held.formula)
                + panels.note(
                    f"The formula alone, with each gradient clipped, is too weak above epsilon "
                    f"{number(crossing(settings.delta))}."
                )
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
        f"Map of people; the one who is meant is {who} of {result.split.source.classes[label]}. Boundaries of models "
        "trained with and without this person lie over each other."
    )


def scores_alt(result: WorldsResult) -> str:
    """The histogram in words."""
    return (
        f"Attacker's scores in both worlds: {result.overlap:.0%} in common; with this person he says so in "
        f"{in_hundred(result.attack.hits)} of 100, with another in {in_hundred(result.attack.alarms)}."
    )


def accuracy_alt(result: WorldsResult) -> str:
    """The curve in words."""
    curve = result.curve
    points = ", ".join(
        f"{number(e)}: {in_hundred(a)}" for e, a in zip(curve["epsilon"], curve["accuracy"], strict=True)
    )
    return f"Right answers of the attacker in 100 over epsilon: {points or 'still to be measured'}."


def worlds_table(result: WorldsResult) -> None:
    """Measured and allowed over epsilon."""
    curve = result.curve
    if curve.empty:
        return
    shown = curve.assign(
        epsilon=curve["epsilon"].map(number),
        interval=[f"{100 * a:.1f} to {100 * b:.1f}" for a, b in zip(curve["low"], curve["high"], strict=True)],
        trials=curve["trials"].map("{:,}".format),
        **{name: (100 * curve[name]).map("{:.1f}".format) for name in ("accuracy", "promised", "gaussian")},
    )
    now, bound = panels.badge("trained now"), panels.badge("bound")
    st.markdown("**How often the attacker is right** (in 100; guessing is 50)")
    panels.table(
        shown,
        caption="The points of a row share their noise with those of other rows: their errors are alike. The interval "
        "holds for each alone, at 95 %.",
        heads={
            "epsilon": "epsilon",
            "accuracy": f"measured<br>{now}",
            "interval": f"95 % interval<br>{now}",
            "trials": "guesses",
            "gaussian": f"this noise allows<br>{bound}",
            "promised": f"epsilon, delta allow<br>{bound}",
        },
        now=number(result.settings.epsilon),
    )


def how_it_works() -> None:
    """The attacks in steps, and what they can and cannot show."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """A sentence without its formatting, for a screen reader."""
    return re.sub(r"<[^>]+>", "", text)
