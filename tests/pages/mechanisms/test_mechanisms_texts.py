"""Texts of one released number: each states what was computed."""

import math

import numpy as np
import pytest

from pages.mechanisms import texts, texts_tables
from pages.mechanisms.result import VOTED
from pages.mechanisms.settings import MechanismsSettings
from tests import attackers, reached
from tests.sentences import Rules, amount, hold, percent, plain, says, tiles

# Half a unit of the third digit, and rounding.
THREE_DIGITS = 0.006
# Half a unit of the second digit, and rounding.
TWO_DIGITS = 0.06

DEFAULT = MechanismsSettings()
# Settings with the texts that random ones seldom have.
ALSO = [
    DEFAULT,
    DEFAULT.change(epsilon=0.01, prior=0.94),
    DEFAULT.change(epsilon=0.01, prior=0.01, mechanism="gaussian"),
    DEFAULT.change(mechanism="classical", epsilon=0.5),
    DEFAULT.change(epsilon=math.log(10)),
    DEFAULT.change(mechanism="classical", epsilon=7.0, delta=0.01),
    DEFAULT.change(mechanism="gaussian", epsilon=0.05, delta=0.01),
    DEFAULT.change(epsilon=150.0, lead=0, seed=3),
]


def all_texts(result) -> str:
    """Return all that the page says of a result. Its verdict must be short."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= 300
    findings = [
        texts.release_finding(result),
        texts.posterior_finding(result),
        texts.attacker_finding(result),
        texts.selection_finding(result),
    ]
    parts = [
        verdict,
        *texts.diagnostics(result),
        texts.guarantee(result),
        *tiles(texts.numbers(result)),
        *[f"Finding: {finding}." for finding in findings],
        texts_tables.table(result),
        texts_tables.several_numbers(result),
        texts.selection(result),
    ]
    return " ".join(parts)


def states_share(text: str, share: float) -> bool:
    """Return whether a text without a percent sign states a share to its last digit."""
    if text.startswith("below"):
        return share < 0.001
    if text.startswith("above"):
        return share > 0.999
    _, _, decimals = text.partition(".")
    return abs(float(text) - 100 * share) <= 0.5 * 10 ** -len(decimals) + 1e-9


def states_posterior(result, match) -> bool:
    """Return whether a posterior and the prior are stated, and look alike only if they are close."""
    posterior, prior = result.release.posterior, result.settings.prior
    are_stated = states_share(match[1], posterior) and states_share(match[2], prior)
    return are_stated and (match[1] != match[2] or abs(posterior - prior) < 1e-5)


def states_slide(result, match) -> bool:
    """Return whether the row of the slides has the real and the last epsilon, and whether it holds."""
    row = result.table().set_index("mechanism").loc["slide"]
    stated = [amount(match[1]), amount(match[2])]
    expected = pytest.approx([row["real epsilon"], row["until"]], rel=THREE_DIGITS, abs=1e-12)
    return stated == expected and (match[3] == "holds") == row["holds"]


def states_likelihood_ratio(result, match) -> bool:
    """Return whether the ratio of the release is stated; any number passes below 1/200."""
    loss = result.release.privacy_loss
    if loss < -math.log(200):  # stated with too few digits
        return True
    return amount(match[1]) == pytest.approx(math.exp(loss), rel=THREE_DIGITS)


def states_large_ratio(result, match) -> bool:
    """Return whether the ratio of the release exceeds a billion in the direction that is stated."""
    sign = -1
    if match[1] == "with":
        sign = 1
    return sign * result.release.privacy_loss > math.log(1e9)


def chance_beyond(result) -> float:
    """Return the probability of a privacy loss beyond epsilon, up or down."""
    return result.pair.chance_beyond(result.settings.epsilon)


def relative_error(result) -> float:
    """Return the 90 % error over what a person adds at most."""
    return result.pair.error / result.pair.sensitivity


def likelihood_ratio(sign: int):
    """Return a rule for the ratio of a release that is likelier with you (1) or without you (-1)."""
    return says(
        lambda r: math.exp(sign * r.release.privacy_loss),
        given=lambda r: sign * r.release.privacy_loss > 0,
    )


def states_attacker(result, match) -> bool:
    """Return whether the best attacker's accuracy is stated."""
    return attackers.close(result.guarantee, match[1])


NUMBER = r"((?:below |above )?[\d.]+)"
RULES: Rules = {
    r"Attacker right, at most:? ([\d.]+)": states_attacker,
    r"[Tt]he best attacker is right at most ([\d.]+)": states_attacker,
    r"the error is at most what you add": lambda r, _: abs(relative_error(r) - 1) < 0.006,
    r"the error is at most ([\d.,e+-]+) times what you add": says(relative_error),
    r"the odds that you are in the data by a factor of at most ([\d.,e+]+\d)": says(
        lambda r: math.exp(r.settings.epsilon), given=lambda r: r.claim.holds
    ),
    rf"Posterior that you are in: {NUMBER} % \(prior {NUMBER} %": states_posterior,
    r"90 % error: ±([\d.,e+-]+) ": says(lambda r: r.pair.error),
    r"likelihood ratio ([\d.,e+-]+)\)": states_likelihood_ratio,
    r"your vote adds ([\d.]+) point": percent(
        lambda r: np.diff(r.win_probabilities[:, VOTED])[0], within=0.051
    ),
    r"except with probability ([\d.e-]+\d)\.": lambda r, m: (
        amount(m[1]) == pytest.approx(chance_beyond(r), rel=TWO_DIGITS)
    ),
    r"whether you are in the data": lambda r, _: r.guarantee.adjacency == "add/remove",
    r"its guarantee does not hold": lambda r, _: r.guarantee.epsilon > r.settings.epsilon,
    r"is ([\d.,]+) times as likely with you": likelihood_ratio(1),
    r"is ([\d.,]+) times as likely without you": likelihood_ratio(-1),
    r"is over a billion times as likely (with|without) you": states_large_ratio,
    r"With ln\(2/δ\) +±\S+ +\S+ +\S+ +(\S+) +\S+ +(\S+) +[\d.]+ +(holds|broken)": states_slide,
    r"changes by more than a factor of ([\d.,e+]+), and epsilon": says(
        lambda r: math.exp(np.abs(np.diff(r.log_win_probabilities, axis=0)).max())
    ),
    r"a factor of ([\d.,e+]+), and epsilon \S+ allows ([\d.,e+]+)\.": lambda r, m: (
        amount(m[1]) <= amount(m[2])
    ),
}


def test_texts_state_what_was_computed():
    seldom = attackers.rules(lambda result: result.guarantee)

    hold(
        MechanismsSettings,
        all_texts,
        RULES,
        within={"answers": ["one"]},
        also=ALSO,
        count=50,
        seldom=seldom,
    )


def test_every_text_is_reached():
    for settings in ALSO:
        all_texts(settings.experiment.run())

    assert reached.unread(texts.SAYS) == []
