"""Many noisy answers in words: which text of ``many.md`` is said, and with which numbers."""

import math

from pages.mechanisms.reconstruction import PEOPLE, REPEATS, ManyAnswers
from ui import outcomes, panels
from ui.panels import Number, number
from ui.plot import theme
from ui.texts import Texts

SAYS = Texts(__file__, "many.md")
ABOUT = SAYS.cases("about")

# More of 100 guesses are right by chance with probability below 5 %: the 95 % quantile of a fair binomial.
_CHANCE = 58
_MOST = 90


def numbers(result: ManyAnswers) -> list[Number]:
    """Return the secrets recovered, the error of an answer, the epsilon of all answers and the best attacker."""
    held, off = result.guarantee, number(result.error)
    delta = SAYS("page.spent", delta=theme.delta(held.delta))
    return [
        Number(SAYS["page.recovered"], f"{result.many} of {PEOPLE}", SAYS["page.coin"], "bound", result.many),
        Number(SAYS["page.error"], f"±{off}", SAYS["page.error_note"], "private", panels.amount(off)),
        Number(SAYS["page.epsilon"], number(held.epsilon), delta, "", held.epsilon),
        panels.attacker(held),
    ]


def verdict(result: ManyAnswers) -> str:
    """Return how many secrets the answers give away, and what they have spent."""
    many = result.many
    case = "all" if many == PEOPLE else "most" if many >= _MOST else "some" if many > _CHANCE else "none"
    held = result.guarantee
    spent = {"epsilon": number(held.epsilon), "delta": theme.delta(held.delta)}
    holes = {"many": many, "questions": result.settings.questions}
    return f"{SAYS(f'verdict.{case}', **holes)} {SAYS('verdict.spent', **spent)}"


def diagnostics(result: ManyAnswers) -> list[str]:
    """Return how the attacker solves for the secrets, what the formula expects, and what stops them."""
    asked, sd = result.settings.questions, result.model.noise_sd
    low, high = (outcomes.percent(end) for end in (result.now.min(), result.now.max()))
    case = "few" if math.isnan(result.expected) else "formula"
    expected = {} if math.isnan(result.expected) else {"expected": outcomes.percent(result.expected)}
    said = [
        SAYS("why.attack", questions=asked),
        SAYS(f"why.{case}", people=PEOPLE, **expected),
        SAYS(
            "why.average", questions=asked, average=number(result.error / math.sqrt(asked)), error=number(result.error)
        ),
        SAYS["why.theorem"],
        SAYS("why.stops", now=number(sd), more=number(2 * sd)),
    ]
    whole = len(result.now) == REPEATS
    return [*said, SAYS("why.runs", runs=REPEATS, low=low, high=high)] if whole else said


def guarantee(result: ManyAnswers) -> str:
    """Return what all answers together guarantee each person."""
    held = result.guarantee
    notes = (panels.meaning(held), outcomes.limit(held), SAYS["page.assumed"])
    return panels.guarantee(here=held) + "".join(map(panels.note, notes))


def findings(result: ManyAnswers) -> dict[str, str]:
    """Return what each picture shows, for its title."""
    middle = outcomes.percent(result.median)
    return {
        "people": SAYS("finding.people", many=result.many),
        "curve": SAYS("finding.curve", share=middle, questions=result.settings.questions),
    }
