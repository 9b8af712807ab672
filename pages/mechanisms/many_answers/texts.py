"""Texts of many answers: tiles, verdict, explanation, guarantee and titles of charts.

A secret is recovered if the attacker's guess is right. By chance half of them are.
"""

from pages.mechanisms.many_answers.reconstruction import expected_share
from pages.mechanisms.many_answers.result import ManyAnswersResult
from pages.mechanisms.many_answers.tasks import PEOPLE
from ui.text import guarantee_notes, tiles
from ui.text.numbers import delta as delta_text
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")
# More of 100 guesses are right by chance with probability below 5 %: the 95 % quantile of the
# binomial distribution for a fair coin.
_CHANCE = 58
# From this number of right guesses on, secrets are recovered rather than guessed.
_RECOVERED = 90


def numbers(result: ManyAnswersResult) -> list[Tile]:
    """Return the tiles: secrets recovered, the epsilon of all answers, the best attacker."""
    guarantee = result.guarantee
    recovered_tile = Tile(
        SAYS["page.recovered"],
        f"{result.recovered} of {PEOPLE}",
        SAYS["page.coin"],
        tone="bound",
        amount=result.recovered,
    )
    epsilon_tile = Tile(
        SAYS["page.epsilon"],
        number(guarantee.epsilon),
        SAYS("page.spent", delta=delta_text(guarantee.delta)),
        amount=guarantee.epsilon,
    )
    return [recovered_tile, epsilon_tile, tiles.attacker_tile(guarantee)]


def verdict(result: ManyAnswersResult) -> str:
    """Return how many secrets are recovered, and the guarantee of all answers."""
    recovered = result.recovered
    if recovered >= _RECOVERED:
        case = "most"
    elif recovered > _CHANCE:
        case = "some"
    else:
        case = "none"
    secrets = SAYS(f"verdict.{case}", many=recovered, questions=result.settings.questions)
    spent = SAYS(
        "verdict.spent",
        epsilon=number(result.guarantee.epsilon),
        delta=delta_text(result.guarantee.delta),
    )
    return f"{secrets} {spent}"


def diagnostics(result: ManyAnswersResult) -> list[str]:
    """Return three sentences: the attack, what theory expects of it, what stops it."""
    noise_sd = result.settings.noise_sd
    expected = expected_share(PEOPLE, result.settings.questions, noise_sd=noise_sd)
    if expected is None:
        theory = SAYS("why.few", people=PEOPLE)
    else:
        theory = SAYS("why.formula", expected=tiles.percent(expected))
    return [
        SAYS("why.attack", questions=result.settings.questions),
        theory,
        SAYS("why.stops", now=number(noise_sd), more=number(2 * noise_sd)),
    ]


def guarantee(result: ManyAnswersResult) -> str:
    """Return the guarantee of all answers together (HTML)."""
    return guarantee_notes.guarantee_with_notes(result.guarantee, assumed=SAYS["page.assumed"])


# Titles of charts


def people_finding(result: ManyAnswersResult) -> str:
    """Return how many secrets are guessed."""
    return SAYS("finding.people", many=result.recovered)


def curve_finding(result: ManyAnswersResult) -> str:
    """Return the finding of the curve, on the median share that is recovered."""
    return SAYS(
        "finding.curve",
        share=tiles.percent(result.median),
        questions=result.settings.questions,
    )
