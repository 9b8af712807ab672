"""Texts of one released number: tiles, verdict, explanation, guarantee and titles of charts.

The 90 % error is what nine releases in ten keep. The posterior is the probability that you are in
the data, after the release.
"""

import math

from dpcore.accountants.attacker import best_attacker
from lab.number_text import with_minus
from pages.mechanisms.result import VOTED, OneNumberResult
from pages.mechanisms.texts_numbers import (
    LARGEST_LOG_RATIO,
    SAYS,
    needed_delta_text,
    probability_text,
    ratio_text,
)
from ui.text import guarantee_notes, sentences, tiles
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number
from ui.text.tiles import Tile, number, out_of_hundred, percent

ABOUT = SAYS.cases("about")
# Outputs from this size on are written without decimals.
_LARGE_OUTPUT = 1e4
# An attacker who nearly always says the same has one error rate below the first of these, and the
# other above the second.
_NEVER = 1e-12
_MORE_THAN_HALF = 0.5


# Tiles


def numbers(result: OneNumberResult) -> list[Tile]:
    """Return the tiles: the 90 % error, this release, the posterior and the best attacker."""
    release = result.release
    prior = result.settings.prior
    error = number(result.pair.error)
    posterior = probability_text(release.posterior, prior)
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
        SAYS("tiles.prior", prior=probability_text(prior, release.posterior)),
        amount=tiles.shown_number(posterior),
        unit="points",
    )
    return [error_tile, release_tile, posterior_tile, tiles.attacker_tile(result.guarantee)]


def _output_text(output: float) -> str:
    """Return a released number with at most five digits, or without decimals."""
    if abs(output) >= _LARGE_OUTPUT:
        return with_minus(f"{output:,.0f}")
    return format_number(output, digits=5)


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
    is_same_if_rounded = claimed == real
    if not result.claim.holds:
        if is_same_if_rounded:
            claimed = f"{claimed_epsilon:.8g}"
            real = f"{real_epsilon:.8g}"
        return SAYS("verdict.weaker", claimed=claimed, real=real)
    if result.settings.mechanism == "classical" and not is_same_if_rounded:
        return SAYS("verdict.stronger", claimed=claimed, real=real)
    return ""


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
    outside = tiles.small_chance(chance_beyond)
    return SAYS("verdict.odds_mostly", factor=factor, outside=outside)


# Explanation


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
        answer = "in"
        if attack.false_negative_rate > attack.false_positive_rate:
            answer = "out"
        return SAYS("why.attack_ignores", prior=prior, says=answer, right=accuracy)
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
    factor = SAYS(
        "choice.factor",
        most=number(math.exp(result.largest_win_log_ratio)),
        epsilon=number(settings.epsilon),
        allowed=number(math.exp(settings.epsilon)),
    )
    parts = [SAYS["choice.noise"], leader, wins, _vote_sentence(result), factor]
    cost = SAYS("choice.cost", epsilon=number(settings.epsilon))
    return tiles.note(" ".join(parts)) + tiles.note(cost)


def _vote_sentence(result: OneNumberResult) -> str:
    """Return how your vote changes the probability that your option wins."""
    option = result.option_names[VOTED]
    without_you, with_you = result.win_probabilities
    before = tiles.small_chance(without_you[VOTED])
    after = tiles.small_chance(with_you[VOTED])
    if before == after:
        return SAYS("choice.stays", option=option, before=before)
    return SAYS("choice.moves", option=option, before=before, after=after)


# Titles of charts


def release_finding(result: OneNumberResult) -> str:
    """Return whether the release is likelier with you or without you, and how many times."""
    loss = result.release.privacy_loss
    ratio = ratio_text(abs(loss))
    if ratio == "1":
        case = "equal"
    elif loss > 0:
        case = "with"
    else:
        case = "without"
    return SAYS(f"finding.{case}", ratio=ratio, output=_output_text(result.release.output))


def posterior_finding(result: OneNumberResult) -> str:
    """Return how this release changes the probability that you are in."""
    prior = result.settings.prior
    posterior = result.release.posterior
    return SAYS(
        "finding.posterior",
        prior=probability_text(prior, posterior),
        after=probability_text(posterior, prior),
    )


def attacker_finding(result: OneNumberResult) -> str:
    """Return the accuracy of the best attacker with the set prior."""
    attack = result.pair.best_attack(result.settings.prior)
    return SAYS("finding.trade", right=out_of_hundred(attack.accuracy))


def selection_finding(result: OneNumberResult) -> str:
    """Return by how much your vote raises the probability that your option wins."""
    without_you, with_you = result.win_probabilities
    gain = float(with_you[VOTED]) - float(without_you[VOTED])
    points = sentences.points_text(gain)
    return SAYS("finding.choice", points=points, option=result.option_names[VOTED])
