"""Many noisy answers in words: which text of ``many.md`` is said, and with which numbers."""

import math

from pages.mechanisms.many_answers.tasks import PEOPLE, ManyAnswers
from ui.text import guarantee_notes, tiles
from ui.text.numbers import delta as delta_text
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__, "texts.md")
ABOUT = SAYS.cases("about")

# More of 100 guesses are right by chance with probability below 5 %: the 95 % quantile of a fair
# binomial.
_CHANCE = 58
_MOST = 90


def numbers(result: ManyAnswers) -> list[Tile]:
    """Return the secrets recovered, the error of an answer, the epsilon of all answers and the best
    attacker.
    """
    held, off = result.guarantee, number(result.error)
    delta = SAYS("page.spent", delta=delta_text(held.delta))
    return [
        Tile(
            SAYS["page.recovered"],
            f"{result.many} of {PEOPLE}",
            SAYS["page.coin"],
            "bound",
            result.many,
        ),
        Tile(
            SAYS["page.error"],
            f"±{off}",
            SAYS["page.error_note"],
            "private",
            tiles.shown_number(off),
        ),
        Tile(SAYS["page.epsilon"], number(held.epsilon), delta, "", held.epsilon),
        tiles.attacker_tile(held),
    ]


def verdict(result: ManyAnswers) -> str:
    """Return how many secrets the answers give away, and what they have spent."""
    many = result.many
    case = (
        "all"
        if many == PEOPLE
        else "most"
        if many >= _MOST
        else "some"
        if many > _CHANCE
        else "none"
    )
    held = result.guarantee
    spent = {"epsilon": number(held.epsilon), "delta": delta_text(held.delta)}
    holes = {"many": many, "questions": result.settings.questions}
    return f"{SAYS(f'verdict.{case}', **holes)} {SAYS('verdict.spent', **spent)}"


def diagnostics(result: ManyAnswers) -> list[str]:
    """Return the explanation, three sentences: the attack, what theory expects of it, what stops
    it.
    """
    noise_sd = result.model.noise_sd
    if math.isnan(result.expected):
        theory = SAYS("why.few", people=PEOPLE)
    else:
        theory = SAYS("why.formula", expected=tiles.percent(result.expected))
    return [
        SAYS("why.attack", questions=result.settings.questions),
        theory,
        SAYS("why.stops", now=number(noise_sd), more=number(2 * noise_sd)),
    ]


def guarantee(result: ManyAnswers) -> str:
    """Return what all answers together guarantee each person."""
    return guarantee_notes.guarantee_with_notes(result.guarantee, assumed=SAYS["page.assumed"])


def findings(result: ManyAnswers) -> dict[str, str]:
    """Return what each picture shows, for its title."""
    middle = tiles.percent(result.median)
    return {
        "people": SAYS("finding.people", many=result.many),
        "curve": SAYS("finding.curve", share=middle, questions=result.settings.questions),
    }
