"""Texts of the local model: tiles, verdict, explanation, guarantee and titles of charts.

Errors are 90 % errors: nine surveys in ten estimate the share of the first answer within them.
"""

from pages.mechanisms.local_model.result import LocalModelResult
from ui.text import guarantee_notes, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")
# With an error this large, the range of the estimate is as wide as all shares.
_USELESS = 0.5
# Ratios of both errors between these are stated as about the same.
_ABOUT_THE_SAME = (0.95, 1.05)
# Errors below this share have two digits in place of one decimal.
_SMALL_ERROR = 0.001


# Tiles


def numbers(result: LocalModelResult) -> list[Tile]:
    """Return the tiles: both errors, how often answers are true, and the best attacker."""
    survey = result.survey
    error = _points_text(result.error)
    central_error = number(100 * result.central_error)
    truth = tiles.percent(survey.mechanism.truth_probability)
    error_tile = Tile(
        SAYS["page.error"],
        f"±{error}",
        SAYS("page.error_note", people=survey.respondents),
        tone="private",
        amount=tiles.shown_number(error),
        unit="points",
    )
    central_tile = Tile(
        SAYS["page.central"],
        f"±{central_error}",
        _central_note(result),
        amount=tiles.shown_number(central_error),
        unit="points",
    )
    truth_tile = Tile(
        SAYS["page.truth"],
        truth,
        SAYS("page.truth_note", options=survey.options),
        amount=tiles.shown_number(truth),
        unit="points",
    )
    return [error_tile, central_tile, truth_tile, tiles.attacker_tile(result.guarantee)]


def _central_note(result: LocalModelResult) -> str:
    """Return how many times smaller or larger the error of a trusted curator is."""
    ratio = result.error / result.central_error
    low, high = _ABOUT_THE_SAME
    if ratio > high:
        return SAYS("page.central_note", times=number(ratio))
    if ratio < low:
        return SAYS("page.central_larger", times=number(1 / ratio))
    return SAYS["page.central_same"]


def _points_text(error: float) -> str:
    """Return an error in points with a decimal, as shares have, or with two digits if small."""
    if error >= _SMALL_ERROR:
        return f"{100 * error:.1f}"
    return number(float(f"{100 * error:.2g}"))


# Verdict and explanation


def verdict(result: LocalModelResult) -> str:
    """Return whether the survey finds the share, and what a trusted curator needs."""
    share = float(result.shares[0])
    if result.error >= _USELESS:
        case = "useless"
    elif result.error >= share:
        case = "hidden"
    else:
        case = "learns"
    estimate = SAYS(
        f"verdict.{case}",
        share=tiles.percent(share, digits=1),
        error=_points_text(result.error),
    )
    return f"{estimate} {SAYS('verdict.price', fewer=result.central_people)}"


def diagnostics(result: LocalModelResult) -> list[str]:
    """Return three sentences: how answers are drawn, whom that protects, what is corrected."""
    mechanism = result.survey.mechanism
    share = float(result.shares[0])
    lies = (1 - share) * mechanism.other_probability
    first_answers = share * mechanism.truth_probability + lies
    answers = SAYS(
        "why.answers",
        epsilon=number(result.survey.epsilon),
        truthful=tiles.percent(mechanism.truth_probability, digits=1),
        other=tiles.percent(mechanism.other_probability, digits=1),
    )
    deniable = SAYS("why.deniable", lies=tiles.percent(lies / first_answers, digits=1))
    biased = SAYS(
        "why.biased",
        naive=tiles.percent(first_answers, digits=1),
        share=tiles.percent(share, digits=1),
    )
    return [answers, deniable, biased]


def guarantee(result: LocalModelResult) -> str:
    """Return the guarantee of each person (HTML)."""
    return guarantee_notes.guarantee_with_notes(result.guarantee, assumed=SAYS["page.assumed"])


# Titles of charts


def shares_finding(result: LocalModelResult) -> str:
    """Return the error of the first answer's share."""
    return SAYS("finding.shares", error=f"±{_points_text(result.error)}")


def errors_finding(result: LocalModelResult) -> str:
    """Return the error beside that of a trusted curator."""
    return SAYS(
        "finding.local_errors",
        error=_points_text(result.error),
        central=number(100 * result.central_error),
    )
