"""The theorems of the work in words: what each says of this run, beside what is measured, and where it says nothing."""

import math
from dataclasses import replace

from dpcore.parties import aggregation
from lab.papers import short
from pages.parties.experiment import RECORDED
from pages.parties.own import OWN
from pages.parties.result import PartiesResult
from pages.parties.theorems import FAILURE, Statement, theorems
from ui import panels
from ui.panels import number

_NAMES = {
    ("sensitivity", "vote"): "Theorem 1: how far one party moves a majority vote",
    ("sensitivity", "soft"): "Theorem 3: how far one party moves soft labels",
    ("sensitivity", "average"): "Supplement: how far one party moves averaged weights",
    ("noise", "vote"): "Length of the noise, majority vote",
    ("noise", "soft"): "Length of the noise, soft labels",
    ("risk", "vote"): "Theorem 2: excess risk of the majority vote",
    ("risk", "soft"): "Theorem 4: excess risk of soft labels",
    ("public row", "vote"): "Section 4.5: noise if a public row changes too, majority vote",
    ("public row", "soft"): "Section 4.5: noise if a public row changes too, soft labels",
}
Found = dict[tuple[str, str], Statement]
_UNITS = {"risk": "{} nats", "public row": "× {}"}


def statements(result: PartiesResult) -> str:
    """Each theorem's number at today's settings beside what is measured, and what they are worth."""
    found = {(one.name, one.release): one for one in theorems(result)}
    needs = f"<b>What the noise needs.</b> {needed(result)}"
    return _table(found, result) + panels.bullets([_crowd(found), needs, *_risk(found, result), _lemma(result)])


def _table(found: Found, result: PartiesResult) -> str:
    rows = [
        {
            "name": _NAMES[one.name, one.release],
            "conditions": _conditions(one, result),
            "bound": _said(one.bound, one.name),
            "measured": _said(one.measured, one.name),
            "beside": _beside(one),
        }
        for one in found.values()
    ]
    return panels.table(
        rows,
        title=f"<b>What {short('hamm2016')} prove, at these settings</b>",
        caption=(
            "Sensitivities with the published constants; measured, the largest of some parties that turn around and "
            "of one among rows that are all tied. Noise: of today's sensitivity; the longest draw. Excess risk: 19 of "
            f"20 draws stay below what is measured; the bounds may fail in {100 * FAILURE:.0f} of 100 cases. Theorem 2 "
            "is Theorem 4 for one party, as more do not move its noise. Measured: analyst only."
        ),
        heads={
            "name": "statement",
            "conditions": "its conditions",
            "bound": f"says<br>{panels.badge('bound')}",
            "measured": f"measured<br>{panels.badge('trained now')}",
            "beside": "beside it",
        },
    )


def _said(value: float, name: str) -> str:
    """A statement's number in its unit; a dash where there is none."""
    return "–" if math.isnan(value) else _UNITS.get(name, "{}").format(number(value))


def _conditions(one: Statement, result: PartiesResult) -> str:
    """What a theorem asks for, and whether it is so here."""
    if one.name != "risk":
        return {"noise": "none", "public row": "one row"}.get(one.name, "rows no longer than 1: met")
    if result.ensemble.classes > 2:
        return "<b>not met:</b> two classes"
    return f"<b>not met:</b> {apart}" if (apart := _not_drawn_alike(result)) else "met"


def _not_drawn_alike(result: PartiesResult) -> str:
    """Why public rows and those measured on are not drawn independently from one law; "" where they are."""
    dataset = result.settings.dataset
    if dataset == OWN:
        return "the public rows are made up"
    return "rows of one party are alike" if dataset in RECORDED else ""


def _beside(one: Statement) -> str:
    if math.isnan(one.bound):
        return "not stated"
    known = "<b>vacuous</b>" if one.vacuous else ""
    if one.holds is None:
        return known or "–"
    if not one.holds:
        return "<b>above it</b>"
    share = f"{number(100 * one.measured / one.bound)} % of it" if one.measured > one.bound / 1000 else "far below it"
    return f"{known}, {share}" if known else share


def _crowd(found: Found) -> str:
    """Where a bound on what one party moves says less than that no two minimisers lie so far apart."""
    vote, soft = (found["sensitivity", release] for release in ("vote", "soft"))
    start = (
        f"<b>Sensitivity.</b> No two minimisers lie further apart than {number(vote.useless)} here, whatever the "
        "parties say. "
    )
    if soft.vacuous:
        return f"{start}Both published bounds are above that, and say nothing more."
    if vote.vacuous:
        return f"{start}Theorem 1 is above that, and says nothing more; Theorem 3 is below it."
    return f"{start}Both published bounds are below that."


# A margin's noise that leaves most answers what they were: half of the distance of one.
ENOUGH = 0.5


def needed(result: PartiesResult) -> str:
    """The noise on a margin of soft labels, and how many parties, or which epsilon, bring it down to ``ENOUGH``."""
    settings = result.settings
    options = {"dimensions": result.dimensions, "epsilon": settings.left}
    sd = aggregation.margin_sd(result.sensitivity("soft"), **options)
    start = (
        f"Soft labels from {settings.parties:,} parties get noise of standard deviation <b>{number(sd)}</b> on the "
        f"margin of a row of length 1, in {result.dimensions} dimensions"
    )
    if sd <= ENOUGH:
        return f"{start}: no more than {number(ENOUGH)}."
    return (
        f"{start}. For {number(ENOUGH)}, <b>{enough_parties(result):,} parties</b> are needed, or epsilon "
        f"{number(settings.spent + settings.left * sd / ENOUGH)}."
    )


def enough_parties(result: PartiesResult) -> int:
    """How many bring a margin's noise down to ``ENOUGH``; a bound on the weights' length falls with none of them."""
    model = result.settings.model
    model = replace(model, constants="sharp") if model.constants == "norms" else model
    options = {"dimensions": result.dimensions, "epsilon": result.settings.left}
    times = aggregation.margin_sd(model.sensitivity("soft"), **options) / ENOUGH
    return math.ceil(result.settings.parties * times)


def _risk(found: Found, result: PartiesResult) -> list[str]:
    """What the bounds on the excess risk are worth."""
    if result.ensemble.classes > 2:
        return [
            "<b>Excess risk.</b> Theorems 2 and 4 are about two classes: of "
            f"{result.ensemble.classes} nothing is stated."
        ]
    soft = found["risk", "soft"]
    worth = (
        f"that is vacuous: weights of 0 have a loss of {number(soft.useless)} and need no party"
        if soft.vacuous
        else f"less than the loss of weights of 0, {number(soft.useless)}"
    )
    parts = result.theorem("soft")
    names = {"noise": "the noise", "rows": "the public rows", "regularisation": "the penalty"}
    most = max(parts, key=parts.__getitem__)
    said = [
        f"<b>Excess risk.</b> Theorem 4 says at most {number(soft.bound)} nats; {worth}. Most of it is for "
        f"{names[most]}, {number(parts[most])}."
    ]
    if apart := _not_drawn_alike(result):
        said.append(f"<b>Not all is met:</b> Theorems 2 and 4 are about rows drawn independently; here {apart}.")
    return said


def _lemma(result: PartiesResult) -> str:
    if result.settings.labels == "votes":
        return (
            "<b>Lemma 2</b> holds exactly: the loss under shares of votes is the mean, over the parties, of the loss "
            "under each one's own."
        )
    return (
        "<b>Lemma 2</b> is about shares of votes. With means of probabilities the loss is that under a party's label "
        "drawn at random, and one party still moves it by at most 1/M."
    )
