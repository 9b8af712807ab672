"""What the page on one published number says, held against what was computed."""

import math

import numpy as np
import pytest

from pages.mechanisms import texts as say
from pages.mechanisms import texts_tables
from pages.mechanisms.experiment import NUMBER_MECHANISMS, MechanismsSettings
from tests import attackers, reached
from tests.sentences import Rules, amount, hold, percent, plain, says, tiles

ONE = MechanismsSettings()
ONCE = [
    ONE,
    ONE.change(epsilon=0.01, prior=0.94),
    ONE.change(epsilon=0.01, prior=0.01, mechanism="gaussian"),
    ONE.change(mechanism="classical", epsilon=0.5),
    ONE.change(epsilon=math.log(10)),
    ONE.change(mechanism="classical", epsilon=7.0, delta=0.01),
    ONE.change(mechanism="gaussian", epsilon=0.05, delta=0.01),
    ONE.change(epsilon=150.0, noise="laplace", lead=0, seed=3),
]


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 300
    parts = [
        verdict,
        say.this_release(result),
        *say.diagnostics(result),
        say.guarantee(result),
        say.caption(result),
    ]
    parts += [
        *tiles(say.numbers(result)),
        *(f"{name} finding: {one}." for name, one in say.findings(result).items()),
    ]
    tables = (texts_tables.table(result), texts_tables.formulas(result))
    return " ".join([*parts, *tables, say.choosing(result)])


def shown(words: str, share: float) -> bool:
    """Whether ``words`` are this share as one of 100."""
    if words.startswith(("below", "above")):
        return share < 0.001 if words.startswith("below") else share > 0.999
    digits = len(words.partition(".")[2])
    return abs(float(words) - 100 * share) <= 0.5 * 10**-digits + 1e-9


def ends(result, match) -> bool:
    """Two different ends, those of the band, on both sides of the prior."""
    low, high = map(float, result.posterior_range(result.settings.prior))
    return match[1] != match[2] and shown(match[1], low) and shown(match[2], high)


def row_of(result, match) -> bool:
    """A row of the two formulas: real epsilon, how far it is kept, and whether it is."""
    formula = result.formulas[{"ln(2/δ)": "slide", "ln(1.25/δ)": "classical"}[match[1]]]
    known = pytest.approx([formula.real, formula.until], rel=0.006, abs=1e-12)
    holds = formula.real <= result.settings.epsilon
    return [amount(m) for m in match.groups()[1:3]] == known and (match[4] == "holds") == holds


def outside(result) -> float:
    return result.worlds.outside(result.settings.epsilon)


def error(result) -> float:
    return result.worlds.within / result.settings.sensitivity


def ratio(sign: int):
    return says(
        lambda r: math.exp(sign * r.drawn["log ratio"]),
        given=lambda r: sign * r.drawn["log ratio"] > 0,
    )


NUMBER = r"((?:below |above )?[\d.]+)"
RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(
        r.claim.guarantee, m[1]
    ),
    r"[Tt]he best attacker is right at most ([\d.]+)": lambda r, m: attackers.close(
        r.claim.guarantee, m[1]
    ),
    r"the error is at most what you add": lambda r, _: abs(error(r) - 1) < 0.006,
    r"the error is at most ([\d.,e+-]+) times what you add": says(error),
    r"the odds that you are in the data by a factor of at most ([\d.,e+]+\d)": says(
        lambda r: math.exp(r.settings.epsilon), given=lambda r: r.claim.holds
    ),
    rf"(?:always|mostly|often outside) {NUMBER} to {NUMBER}\)": ends,
    rf"claimed {NUMBER} to {NUMBER}\)": lambda r, m: not r.claim.holds and ends(r, m),
    r", always [\d.]": lambda r, _: outside(r) == 0,
    r", mostly [\d.]": lambda r, _: 0 < outside(r) < 0.1,
    r", often outside [\d.]": lambda r, _: outside(r) >= 0.1,
    r"With probability ([\d.]+), one release changes the odds": says(
        outside, given=lambda r: outside(r) >= 0.1, within=0.006
    ),
    rf"Posterior that you are in: {NUMBER} % \(prior {NUMBER} %": lambda r, m: (
        shown(m[2], r.settings.prior)
        and shown(m[1], r.drawn["posterior"])
        and (m[1] != m[2] or abs(r.drawn["posterior"] - r.settings.prior) < 1e-5)
    ),
    r"90 % error: ±([\d.,e+-]+) ": says(lambda r: r.worlds.within),
    r"likelihood ratio ([\d.,e+-]+)\)": lambda r, m: (
        amount(m[1]) == pytest.approx(math.exp(r.drawn["log ratio"]), rel=0.006)
        or r.drawn["log ratio"] < -math.log(200)
    ),
    r"errors finding: it is smallest with ([\w ,]+)\.": lambda r, m: (
        m[1]
        == NUMBER_MECHANISMS[
            r.table().query("holds").sort_values("within", kind="stable")["mechanism"].iloc[0]
        ]
    ),
    r"your vote adds ([\d.]+) point": percent(
        lambda r: np.diff(r.chances[:, r.settings.voted])[0], within=0.051
    ),
    r"except with probability": lambda r, _: outside(r) > 0,
    r"whether you are in the data": lambda r, _: r.claim.guarantee.adjacency == "add/remove",
    r"its guarantee does not hold": lambda r, _: r.claim.guarantee.epsilon > r.settings.epsilon,
    r"It is ([\d.,]+) times as likely with you": ratio(1),
    r"It is ([\d.,]+) times as likely without you": ratio(-1),
    r"It is over a billion times as likely (with|without) you": lambda r, m: (
        r.drawn["log ratio"] * (1 if m[1] == "with" else -1) > math.log(1e9)
    ),
    r"√\(2 (\S+)\)/ε, for L[12] norm +\S+ +(\S+) +\S+ +(\S+) +(holds|broken)": row_of,
    r"changes by more than a factor of ([\d.,e+]+), and epsilon": says(
        lambda r: math.exp(np.nanmax(np.abs(r.choice_ratio)))
    ),
    r"a factor of ([\d.,e+]+), and epsilon \S+ allows ([\d.,e+]+)\.": lambda r, m: (
        amount(m[1]) <= amount(m[2])
    ),
}


def test_every_sentence_says_what_was_computed_and_every_text_is_reached():
    seldom = attackers.rules(lambda r: r.claim.guarantee)
    hold(
        MechanismsSettings,
        words,
        RULES,
        within={"answers": ["one"]},
        also=ONCE,
        count=50,
        seldom=seldom,
    )
    for settings in ONCE:
        words(settings.run())
    assert reached.unread(say.SAYS) == []


def test_rounding_breaks_no_guarantee():
    """Neither of a scale of Laplace noise, nor of probabilities too small for a double, which are
    cut from a choice.
    """
    for epsilon in np.geomspace(0.01, 150, 100):
        result = ONE.change(epsilon=float(epsilon), sensitivity=float(np.sqrt(epsilon) + 0.1)).run()
        assert result.claim.holds
        assert result.worlds.outside(result.settings.epsilon) == 0
    far = ONE.change(
        epsilon=6.965, sensitivity=0.5325, lead=42, options=8, vote="last", noise="laplace"
    ).run()
    assert np.nanmax(np.abs(far.choice_ratio)) <= 6.965 * (1 + 1e-9)
