"""The card of a recommended epsilon: one number first, then its reasons."""

from html import escape

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Guarantee
from lab.experiment.settings import Settings
from lab.label.deployments import PERSON, deployments
from lab.label.label import roles_of
from pages.what_if.findings import result_text
from pages.what_if.formats import SAYS, is_percent, measure_text, value_text, x_setting_text
from pages.what_if.recommendation import Recommendation
from pages.what_if.result import WhatIfResult
from pages.what_if.texts_question import people_text
from ui.text.numbers import delta, number
from ui.text.tiles import (
    odds_text,
    percent_rounded_up,
    rare_guess_text,
    shown_number,
    unit_word,
)


def epsilon_to_take(result: WhatIfResult) -> tuple[Recommendation, Guarantee] | None:
    """Return the recommendation of an epsilon and its guarantee, or None if there are none."""
    settings = result.settings
    recommendation = result.recommendation
    if settings.answered_question == "best" or settings.x_field != "epsilon":
        return None
    if recommendation is None or recommendation.guarantee is None:
        return None
    return recommendation, recommendation.guarantee


def card(result: WhatIfResult) -> str:
    """Return the card (HTML), or "" if no epsilon can be recommended."""
    epsilon = epsilon_to_take(result)
    if epsilon is None:
        return ""
    recommendation, guarantee = epsilon
    value = value_text(result.settings, "epsilon", recommendation.value)
    so = result_text(
        result,
        "card.so",
        delta=delta(guarantee.delta),
        people=people_text(recommendation.settings),
    )
    attacker = percent_rounded_up(best_attacker(guarantee).right)
    coin = SAYS("card.coin", rare=rare_guess_text(guarantee, section="rare-short"))
    reach = f"{result_text(result, 'card.reach')} {median_reach(result, recommendation)}"
    gap, direction = _left_to_buy(result, recommendation)
    columns = [
        f"<p><b>{result_text(result, 'card.take')}</b> <strong>{value}</strong> {so}</p>",
        _reason(attacker, SAYS["card.guesses"], coin, tone="bound"),
        _reason(str(recommendation.hits), result_text(result, "card.runs"), reach, tone="private"),
        _reason(gap, direction, _left_sentence(result, recommendation)),
    ]
    sentences = escape(" ".join(advice(result, recommendation, guarantee)))
    return (
        f'<section class="lab-card"><div>{" ".join(columns)}</div> '
        f"<footer>{_stricter(recommendation.settings, guarantee)} "
        f"<small>{SAYS['card.label']}</small> "
        f'<button type="button" data-copy="{sentences}">Copy</button></footer></section>'
    )


def _reason(amount: str, noun: str, sentence: str, *, tone: str = "") -> str:
    """Return a column of the card (HTML)."""
    return f'<p><span><strong class="{tone}">{amount}</strong> {noun}</span> {sentence}</p>'


def median_reach(result: WhatIfResult, recommendation: Recommendation) -> str:
    """Return how many runs reach the target with the value that is enough for the median run."""
    if recommendation.median_value == recommendation.value:
        return SAYS["card.median-same"]
    return result_text(
        result,
        "card.median",
        there=x_setting_text(result.settings, recommendation.median_value),
        fewer=recommendation.median_hits,
    )


# What a larger epsilon would add


def _left_to_buy(result: WhatIfResult, recommendation: Recommendation) -> tuple[str, str]:
    """Return how much better the median is at the largest epsilon, and the words for it.

    The first is the difference of the two medians as they are shown, and not below 0, as in
    "1.5 points". The second is "more to buy", or the words for a measure that should be low.
    """
    settings = result.settings
    better = settings.asked_measure.better
    median = shown_number(measure_text(settings, recommendation.median))
    last_median = shown_number(measure_text(settings, recommendation.last_median))
    if median is None or last_median is None:
        raise ValueError("a median is shown as a number")
    gap = last_median - median
    if better == "lower":
        gap = -gap
    text = number(max(0.0, gap))
    direction = SAYS[f"card.{better}"]
    if not is_percent(settings):
        return text, direction
    points = SAYS["card.points"]
    if text == "1":
        points = SAYS["card.one"]
    return f"{text} {points}", direction


def _left_sentence(result: WhatIfResult, recommendation: Recommendation) -> str:
    """Compare the median with that at the largest epsilon."""
    settings = result.settings
    median = measure_text(settings, recommendation.median)
    last_median = measure_text(settings, recommendation.last_median)
    case = "left"
    if median == last_median:
        case = "left-same"
    point = "percent"
    if is_percent(settings):
        point = "point"
    return SAYS(
        f"card.{case}",
        here=median,
        most=last_median,
        last=value_text(settings, "epsilon", recommendation.last_value),
        close=value_text(settings, "epsilon", recommendation.close_value),
        point=SAYS[f"card.{point}"],
    )


# Registered releases


def _stricter(settings: Settings, guarantee: Guarantee) -> str:
    """Compare the attacker with those of registered releases of the same unit and trust.

    Without such a release, return "". The axis is from a coin toss to certainty, with a tick for
    each of them. Where no curator is trusted, the unit is a party, and no release protects one.
    """
    unit = guarantee.unit
    roles = roles_of(settings)
    if unit == "record" and (roles is None or roles.one_row):
        unit = PERSON
    rights = [release.attacker.right for release in deployments() if release.like(unit)]
    if not rights:
        return ""
    right = best_attacker(guarantee).right
    stricter = len([of_release for of_release in rights if right < of_release])
    case = "of-some"
    if stricter == len(rights):
        case = "of-all"
    count = SAYS(f"card.{case}", stricter=stricter, count=len(rights))
    text = SAYS("card.stricter", count=count, unit=unit)
    ticks = "".join(_tick("i", of_release) for of_release in rights)
    return f'<span>{text}</span><span class="lab-card-axis">{ticks}{_tick("b", right)}</span>'


def _tick(tag: str, right: float) -> str:
    """Return a tick at an accuracy of the attacker."""
    return f'<{tag} style="left:{200 * (right - 0.5):.4g}%"></{tag}>'


# The card as sentences


def advice(result: WhatIfResult, recommendation: Recommendation, guarantee: Guarantee) -> list[str]:
    """Return the card as four sentences, which can stand alone."""
    take = result_text(
        result,
        "advice.take",
        setting=x_setting_text(result.settings, recommendation.value),
        hits=recommendation.hits,
    )
    facts = SAYS(
        "advice.facts",
        delta=delta(guarantee.delta),
        adjacency=guarantee.adjacency,
        unit=unit_word(guarantee.unit),
        people=people_text(recommendation.settings),
        basis=guarantee.basis,
    )
    odds = odds_text(guarantee)
    attacker = f"{odds[0].upper()}{odds[1:]}."
    return [take, facts, attacker, _left_sentence(result, recommendation)]
