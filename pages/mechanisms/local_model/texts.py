"""Randomised response in words: which text of ``local.md`` is said, and with which numbers."""

import math

from pages.mechanisms.local_model.tasks import LocalAnswers
from ui.text import guarantee_notes, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__, "texts.md")
ABOUT = SAYS.cases("about")
# With such an error the range of the estimate, up and down, is as wide as all shares.
_USELESS = 0.5


def numbers(result: LocalAnswers) -> list[Tile]:
    """Return the error of the survey, that of a curator, how often answers are true, and the best
    attacker.
    """
    survey, times = result.survey, result.error() / result.central()
    error, central = _points(result.error()), number(100 * result.central())
    case = "central_note" if times > 1.05 else "central_larger" if times < 0.95 else "central_same"
    note = SAYS(f"page.{case}", times=number(max(times, 1 / times)))
    people = SAYS("page.error_note", people=survey.respondents)
    truth = tiles.percent(survey.mechanism.truth_probability)
    return [
        Tile(
            SAYS["page.error"], f"±{error}", people, "private", tiles.shown_number(error), "points"
        ),
        Tile(SAYS["page.central"], f"±{central}", note, "", tiles.shown_number(central), "points"),
        Tile(
            SAYS["page.truth"],
            truth,
            SAYS("page.truth_note", options=survey.options),
            "",
            tiles.shown_number(truth),
            "points",
        ),
        tiles.attacker_tile(result.guarantee),
    ]


def _points(error: float) -> str:
    """Return an error in points with the one decimal that shares have, or with two digits below 0.1
    points.
    """
    if error >= 0.001:
        return f"{100 * error:.1f}"
    return number(float(f"{100 * error:.2g}"))


def verdict(result: LocalAnswers) -> str:
    """Return whether the survey learns the share, and what a trusted curator would need."""
    error, share = result.error(), float(result.shares[0])
    case = "useless" if error >= _USELESS else "hidden" if error >= share else "learns"
    fewer = max(1, math.ceil(result.central(1) / error))
    said = SAYS(f"verdict.{case}", share=tiles.percent(share, digits=1), error=_points(error))
    return f"{said} {SAYS('verdict.price', fewer=fewer)}"


def diagnostics(result: LocalAnswers) -> list[str]:
    """Return the explanation, three sentences: how answers are drawn, whom they protect, what is
    corrected.
    """
    survey = result.survey
    mechanism = survey.mechanism
    share = float(result.shares[0])
    untrue = (1 - share) * mechanism.other_probability
    naive = share * mechanism.truth_probability + untrue
    return [
        SAYS(
            "why.answers",
            epsilon=number(survey.epsilon),
            truthful=tiles.percent(mechanism.truth_probability, digits=1),
            other=tiles.percent(mechanism.other_probability, digits=1),
        ),
        SAYS("why.deniable", lies=tiles.percent(untrue / naive, digits=1)),
        SAYS(
            "why.biased",
            naive=tiles.percent(naive, digits=1),
            share=tiles.percent(share, digits=1),
        ),
    ]


def guarantee(result: LocalAnswers) -> str:
    """Return what each person is guaranteed."""
    return guarantee_notes.guarantee_with_notes(result.guarantee, assumed=SAYS["page.assumed"])


def findings(result: LocalAnswers) -> dict[str, str]:
    """Return what each picture shows, for its title."""
    error, central = _points(result.error()), number(100 * result.central())
    return {
        "shares": SAYS("finding.shares", error=f"±{error}"),
        "local_errors": SAYS("finding.local_errors", error=error, central=central),
    }
