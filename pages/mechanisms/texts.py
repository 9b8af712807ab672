"""Texts of one released number: tiles, verdict, explanation and guarantee."""

import math

from dpcore.accountants.attacker import best_attacker
from lab.number_text import with_minus
from pages.mechanisms.charts_comparison import FORMULA_NAMES
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import COUNT_NOISES, NUMBER_MECHANISMS
from pages.mechanisms.texts_numbers import (
    LARGEST_LOG_RATIO,
    SAYS,
    needed_delta_text,
    posterior_text,
    ratio_text,
)
from ui.text import guarantee_notes, sentences, tiles
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number
from ui.text.tiles import Tile, number, out_of_hundred, percent

INTRODUCTION = SAYS["introduction"]
MECHANISMS_HELP = SAYS["mechanisms"]
RELEASED_HELP = SAYS["released"]
ABOUT = SAYS.cases("about")
# A privacy loss beyond epsilon with at least this probability is not rare.
_OFTEN = 0.1
# Outputs from this size on are written without decimals.
_LARGE_OUTPUT = 1e4
# An error rate of an attack that is smaller is 0, and one above the second means that the attacker
# always says the same.
_NEVER = 1e-12
_MORE_THAN_HALF = 0.5
# A larger log-ratio has no factor that is a float.
_LARGEST_EXPONENT = 700


# Tiles


def numbers(result: OneNumberResult) -> list[Tile]:
    """Return the tiles: the 90 % error, this release, the posterior and the best attacker."""
    release = result.release
    prior = result.settings.prior
    error = number(result.pair.error)
    posterior = posterior_text(release.posterior, prior)
    error_tile = Tile(
        SAYS["tiles.error"],
        f"±{error}",
        SAYS["tiles.error_note"],
        tone="private",
        amount=tiles.shown_number(error),
    )
    release_tile = Tile(
        SAYS["tiles.release"],
        _output_text(release.output),
        SAYS("tiles.release_note", ratio=ratio_text(release.privacy_loss)),
    )
    posterior_tile = Tile(
        SAYS["tiles.posterior"],
        posterior,
        _posterior_note(result),
        amount=tiles.shown_number(posterior),
        unit="points",
    )
    return [error_tile, release_tile, posterior_tile, tiles.attacker_tile(result.guarantee)]


def _output_text(output: float) -> str:
    """Return a released number with at most five digits, or without decimals."""
    if abs(output) >= _LARGE_OUTPUT:
        return with_minus(f"{output:,.0f}")
    return format_number(output, digits=5)


def _posterior_note(result: OneNumberResult) -> str:
    """Return the prior, the posteriors that epsilon allows, and how often they are exceeded."""
    prior = result.settings.prior
    low, high = result.posterior_range(prior)
    low_text = posterior_text(float(low), prior).removesuffix("\u00a0%")
    high_text = posterior_text(float(high), prior).removesuffix("\u00a0%")
    chance_beyond = result.pair.chance_beyond(result.settings.epsilon)
    if low_text.startswith("below") and high_text.startswith("above"):
        case = "any"
    elif not result.claim.holds:
        case = "claimed"
    elif chance_beyond == 0:
        case = "always"
    elif chance_beyond < _OFTEN:
        case = "mostly"
    else:
        case = "seldom"
    prior_text = posterior_text(prior, result.release.posterior)
    return SAYS(f"tiles.{case}", prior=prior_text, low=low_text, high=high_text)


# Verdict


def verdict(result: OneNumberResult) -> str:
    """Return what an attacker learns, and, by the textbook formula, which epsilon it gives."""
    accuracy = tiles.percent_rounded_up(best_attacker(result.guarantee).right)
    attacker = SAYS("verdict.attacker", right=accuracy)
    formula = _formula_sentence(result)
    if formula:
        return f"{formula} {attacker} {_error_sentence(result)}"
    return f"{attacker} {_error_sentence(result)} {_odds_sentence(result)}"


def _formula_sentence(result: OneNumberResult) -> str:
    """Return the epsilon that the textbook formula gives, if it is not the claimed one, or ""."""
    claimed_epsilon = result.settings.epsilon
    real_epsilon = result.guarantee.epsilon
    claimed = number(claimed_epsilon)
    real = number(real_epsilon)
    if result.claim.holds:
        if result.settings.mechanism != "classical" or real == claimed:
            return ""
        return SAYS("verdict.stronger", claimed=claimed, real=real)
    if real == claimed:
        claimed = f"{claimed_epsilon:.8g}"
        real = f"{real_epsilon:.8g}"
    return SAYS("verdict.weaker", claimed=claimed, real=real)


def _error_sentence(result: OneNumberResult) -> str:
    """Return the 90 % error, compared with what one person adds."""
    times = number(result.pair.error / result.pair.sensitivity)
    if times == "1":
        return SAYS["verdict.error_equal"]
    return SAYS("verdict.error", times=times)


def _odds_sentence(result: OneNumberResult) -> str:
    """Return by how much a release may change the odds that you are in."""
    epsilon = result.settings.epsilon
    if epsilon >= LARGEST_LOG_RATIO:
        return SAYS("verdict.odds_any", epsilon=number(epsilon))
    factor = number(math.exp(epsilon))
    chance_beyond = result.pair.chance_beyond(epsilon)
    if chance_beyond == 0:
        return SAYS("verdict.odds", factor=factor)
    case = "odds_mostly"
    if chance_beyond >= _OFTEN:
        case = "odds_delta"
    return SAYS(f"verdict.{case}", factor=factor, outside=tiles.small_chance(chance_beyond))


def caption(result: OneNumberResult) -> str:
    """Return the line under the charts, which says what the marks are."""
    case = "broken"
    if result.claim.holds:
        case = "holds"
    marks = SAYS[f"caption.{case}"]
    if math.isfinite(result.pair.output_at(result.settings.epsilon)):
        return f"{marks} {SAYS['caption.shaded']}"
    return marks


# Explanation


def this_release(result: OneNumberResult) -> str:
    """Return what the release says about you."""
    settings = result.settings
    posterior = result.release.posterior
    output = SAYS(
        "release.shown",
        output=_output_text(result.release.output),
        truth=settings.value + settings.sensitivity,
    )
    change = SAYS(
        "release.posterior",
        prior=posterior_text(settings.prior, posterior),
        after=posterior_text(posterior, settings.prior),
    )
    return f"{output} {_likelihood_text(result, 'release')} {change}"


def _likelihood_text(result: OneNumberResult, section: str) -> str:
    """Return whether the release is likelier with you or without you, and how many times.

    section: of the texts, "release" for a sentence and "finding" for the title of a chart.
    """
    loss = result.release.privacy_loss
    ratio = ratio_text(abs(loss))
    if ratio == "1":
        case = "equal"
    elif loss > 0:
        case = "with"
    else:
        case = "without"
    return SAYS(f"{section}.{case}", ratio=ratio, output=_output_text(result.release.output))


def diagnostics(result: OneNumberResult) -> list[str]:
    """Return three sentences: the sensitivity, the best attacker, the mechanism."""
    sensitivity = SAYS("why.sensitivity", sensitivity=number(result.settings.sensitivity))
    return [sensitivity, _attack_sentence(result), _mechanism_sentence(result)]


def _attack_sentence(result: OneNumberResult) -> str:
    """Return what the best attacker with the set prior does."""
    prior = percent(result.settings.prior)
    attack = result.pair.best_attack(result.settings.prior)
    accuracy = out_of_hundred(attack.accuracy)
    rates = (attack.false_positive_rate, attack.false_negative_rate)
    if min(rates) < _NEVER and max(rates) > _MORE_THAN_HALF:
        case = "attack_never"
        if math.isfinite(result.decision_output):
            case = "attack_hardly"
        answer = "in"
        if attack.false_negative_rate > attack.false_positive_rate:
            answer = "out"
        return SAYS(f"why.{case}", prior=prior, says=answer, right=accuracy)
    return SAYS(
        "why.attack",
        prior=prior,
        cut=result.decision_output,
        right=accuracy,
        alarms=out_of_hundred(attack.false_positive_rate),
        misses=out_of_hundred(attack.false_negative_rate),
    )


def _mechanism_sentence(result: OneNumberResult) -> str:
    """Return what is particular to the mechanism."""
    settings = result.settings
    if settings.mechanism == "laplace":
        return SAYS["why.laplace"]
    if settings.mechanism == "classical":
        case = "formula_broken"
        if result.claim.holds:
            case = "formula_holds"
        exact_scale = settings.claim("gaussian").pair.scale
        difference = 100 * abs(result.pair.scale / exact_scale - 1)
        return SAYS(f"why.{case}", difference=number(difference))
    _, chance = result.pair.chance_above(settings.epsilon)
    return SAYS(
        "why.gaussian",
        beyond=tiles.small_chance(chance),
        needed=needed_delta_text(result.claim.needed_delta),
        delta=delta_text(settings.delta),
    )


# Guarantee


def guarantee(result: OneNumberResult) -> str:
    """Return the guarantee, its assumptions and its limits (HTML)."""
    settings = result.settings
    stated = guarantee_notes.guarantee_with_notes(
        result.guarantee, assumed=SAYS["guarantee.assumed"]
    )
    if settings.mechanism != "classical":
        return stated
    claimed = SAYS(
        "guarantee.claimed",
        epsilon=number(settings.epsilon),
        delta=delta_text(settings.delta),
    )
    return tiles.note(claimed) + stated


# Private selection


def selection(result: OneNumberResult) -> str:
    """Return how your vote changes which option wins (HTML)."""
    settings = result.settings
    without_you, with_you = result.win_probabilities
    leader = SAYS("choice.level", option=result.option_names[0])
    if settings.lead > 0:
        leader = SAYS("choice.ahead", option=result.option_names[0], lead=settings.lead)
    wins = SAYS(
        "choice.wins",
        without=out_of_hundred(without_you[0]),
        with_you=out_of_hundred(with_you[0]),
    )
    noise = SAYS("choice.noise", noise=COUNT_NOISES[settings.noise])
    parts = [noise, leader, wins, _vote_sentence(result), _factor_sentence(result)]
    cost = SAYS("choice.cost", epsilon=number(settings.epsilon))
    return tiles.note(" ".join(parts)) + tiles.note(cost)


def _vote_sentence(result: OneNumberResult) -> str:
    """Return how your vote changes the probability that your option wins."""
    voted = result.settings.voted
    option = result.option_names[voted]
    without_you, with_you = result.win_probabilities
    before = tiles.small_chance(without_you[voted])
    after = tiles.small_chance(with_you[voted])
    if before == after:
        return SAYS("choice.stays", option=option, before=before)
    return SAYS("choice.moves", option=option, before=before, after=after)


def _factor_sentence(result: OneNumberResult) -> str:
    """Return the largest factor by which any option's probability of winning changes."""
    epsilon = result.settings.epsilon
    largest = result.largest_win_log_ratio
    if largest >= _LARGEST_EXPONENT:
        return SAYS("choice.within", epsilon=number(epsilon))
    return SAYS(
        "choice.factor",
        most=number(math.exp(largest)),
        epsilon=number(epsilon),
        allowed=number(math.exp(epsilon)),
    )


# Titles of charts


def findings(result: OneNumberResult) -> dict[str, str]:
    """Return what each chart shows, for its title."""
    prior = result.settings.prior
    posterior = result.release.posterior
    return {
        "release": _likelihood_text(result, "finding"),
        "posterior": SAYS(
            "finding.posterior",
            prior=posterior_text(prior, posterior),
            after=posterior_text(posterior, prior),
        ),
        "trade": SAYS(
            "finding.trade", right=out_of_hundred(result.pair.best_attack(prior).accuracy)
        ),
        "profile": _profile_finding(result),
        "errors": SAYS("finding.errors", mechanism=NUMBER_MECHANISMS[_best_mechanism(result)]),
        "dots": SAYS("finding.dots", error=number(result.pair.error)),
        "formulas": _formula_finding(result),
        "choice": _selection_finding(result),
    }


def _profile_finding(result: OneNumberResult) -> str:
    """Return the delta that the noise needs, and the guaranteed one."""
    guaranteed = delta_text(result.claim.delta)
    needed = result.claim.needed_delta
    if needed == 0:
        return SAYS("finding.profile_none", delta=guaranteed)
    return SAYS("finding.profile", needed=needed_delta_text(needed), delta=guaranteed)


def _best_mechanism(result: OneNumberResult) -> str:
    """Return the mechanism with the smallest error among those whose claim holds."""
    claims = [result.settings.claim(name) for name in NUMBER_MECHANISMS]
    holding = [claim for claim in claims if claim.holds]
    return min(holding, key=lambda claim: claim.pair.error).mechanism


def _formula_finding(result: OneNumberResult) -> str:
    """Return the epsilon that both formulas for one number give."""
    given = []
    for name in ("slide", "classical"):
        real = number(result.formulas[name].real)
        given.append(f"{real} by {FORMULA_NAMES[name]}")
    epsilon = number(result.settings.epsilon)
    return SAYS("finding.formulas", epsilon=epsilon, given=", ".join(given))


def _selection_finding(result: OneNumberResult) -> str:
    """Return by how much your vote raises the probability that your option wins."""
    voted = result.settings.voted
    without_you, with_you = result.win_probabilities
    gain = float(with_you[voted]) - float(without_you[voted])
    points = sentences.points_text(gain)
    return SAYS("finding.choice", points=points, option=result.option_names[voted])
