"""Texts of the transfer page, checked against the numbers that they are about."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pages.transfer import charts, page, texts
from pages.transfer.model import CANDIDATES, EPSILONS
from pages.transfer.result import LEAST_RISK
from pages.transfer.settings import TransferSettings
from tests import attackers, reached
from tests.claims import better, since, until, worse
from tests.sentences import Rules, amount, first, hold, plain, says, tiles, titles

# Values of random settings that run quickly.
QUICK = {
    "target_rows": [100, 400, 1000],
    "dimension": [2, 10, 20],
    "sources": [1, 2, 6],
    "migrated": [24, 600, 15_000],
    "difference": [0.0, 0.8, 1.6, 4.0],
    "repeats": [2, 6, 8, 20],
    "seed": [0, 3],
    "penalty": [0.0, 0.02, 0.1, 0.5],
}
DETECTED = TransferSettings(selection="detected")
# Settings that together reach nearly every text.
CASES = [
    TransferSettings(),
    TransferSettings(
        epsilon=0.1,
        dimension=50,
        target_rows=5000,
        sources=1,
        difference=0.8,
        h=0.8,
        migrated=15_000,
        repeats=6,
    ),
    DETECTED.change(repeats=8),
    DETECTED.change(sources=1, repeats=6),
    DETECTED.change(epsilon=50.0, target_rows=5000, repeats=6),
    DETECTED.change(target_rows=5000, detection_share=0.5, repeats=8),
    TransferSettings(noise="printed", repeats=6),
    TransferSettings(adjacency="add/remove", repeats=6, h=20.0),
    TransferSettings(h=0.02, repeats=6, q=0.0),
    TransferSettings(epsilon=0.05, target_rows=100, sources=1, difference=4.0, h=0.02, repeats=6),
    TransferSettings(penalty=0.05, polytope="corners", repeats=6),
    TransferSettings(penalty=0.05, penalty_q="2", repeats=6),
    TransferSettings(repeats=2),
]
QUICK_CASES = [settings for settings in CASES if settings.dimension <= 20]
# Where words of a claim claim nothing.
HARMLESS = (r"adds? noise", r"costs (?:add up|just that)")
LONGEST_VERDICT = 260
# Relative distance of equal numbers that rounding may move apart.
ROUNDING = 1e-6


def all_texts(result) -> str:
    """Return what the page says of a result, without its tables. Its verdict must be short."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= LONGEST_VERDICT
    parts = [
        *tiles(texts.numbers(result)),
        verdict,
        *texts.diagnostics(result),
        texts.guarantee(result),
        *titles(charts.over_epsilon(result)),
    ]
    return " ".join(parts)


# Numbers and conditions of the rules


def median(name: str) -> Callable:
    """Return the function of a result that gives a candidate's median risk."""
    return lambda result: result.medians[name]


def least_squares(result) -> float:
    """Return the excess risk of the private rows alone, without privacy."""
    return result.fits.least_squares


def transfer_guarantee(result):
    """Return the guarantee of the transfer."""
    return result.settings.guarantee_of("transfer")


def is_ahead(name: str, other: str) -> Callable:
    """Return a rule: a candidate is shown to have less risk than another."""

    def holds(result, *_) -> bool:
        """Return whether ``name`` is shown to have less risk than ``other``."""
        return better(
            result.risks(name),
            result.risks(other),
            higher=False,
            constant=result.baseline * (1 - ROUNDING),
        )

    return holds


helps = is_ahead("transfer", "target")
harms = is_ahead("target", "transfer")


def risk_ratio(result) -> float:
    """Return the risk with the sources over that of the private rows alone."""
    transfer = max(result.medians["transfer"], LEAST_RISK)
    target = max(result.medians["target"], LEAST_RISK)
    return transfer / target


def no_difference(result, *_) -> bool:
    """Return whether the risks differ by less than a factor of 1.3, or neither is ahead."""
    return 1 / 1.3 < risk_ratio(result) < 1.3 or not (helps(result) or harms(result))


def is_useless(result, *_) -> bool:
    """Return whether neither the transfer nor the target is better than predicting 0."""
    least = min(result.medians["transfer"], result.medians["target"])
    return least >= result.baseline * (1 - ROUNDING)


def is_worse_than_baseline(result, *_) -> bool:
    """Return whether the target is shown to do worse than predicting 0."""
    return worse(result.risks("target"), result.baseline, higher=False)


def is_printed(result) -> bool:
    """Return whether the noise has the published scale."""
    return result.settings.noise == "printed"


def is_rounded(text: str, value: float) -> bool:
    """Return whether ``text`` states a risk to its last digit, or that it is below 0.0001."""
    if text.startswith("below"):
        return value < LEAST_RISK
    decimals = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.501 * 10.0**-decimals


def risks(*values: Callable) -> Callable:
    """Return a rule: the numbers are these risks of the result."""

    def holds(result, match) -> bool:
        """Return whether each number in the sentence is the risk in its place."""
        pairs = zip(match.groups(), values, strict=True)
        return all(is_rounded(text, value(result)) for text, value in pairs)

    return holds


def factor(power: int, given: Callable) -> Callable:
    """Return a rule: the number is the ratio of two risks of two digits, and at least 1.04.

    power: 1 for the ratio of the transfer to the target, and -1 for its inverse.
    """
    return says(
        lambda result: risk_ratio(result) ** power,
        given=lambda result: risk_ratio(result) ** power >= 1.04 and given(result),
        rel=0.15,
    )


def epsilon_is_unchanged(result, *_) -> bool:
    """Return whether a penalty leaves the guarantees of calibrated noise as they are."""
    if is_printed(result):
        return True
    without_penalty = result.settings.change(penalty=0.0)
    for name in ("target", "pooled", "transfer"):
        epsilon = without_penalty.guarantee_of(name).epsilon
        if result.settings.guarantee_of(name).epsilon != pytest.approx(epsilon, rel=ROUNDING):
            return False
    return True


def shown_by_epsilon(result, case: Callable) -> tuple[list[float], Callable[[float], bool]]:
    """Return the epsilons trained so far, and whether the sources are shown to help at one.

    case: ``better``, or ``worse`` for harm.
    """
    transfer = result.over_epsilon.runs[CANDIDATES.index("transfer")]
    target = result.over_epsilon.runs[CANDIDATES.index("target")]
    trained = []
    for epsilon, runs in zip(EPSILONS, transfer, strict=True):
        if not np.isnan(runs[0]):
            trained.append(epsilon)

    def is_shown(epsilon: float) -> bool:
        """Return whether the transfer is shown to be better, or worse, at this epsilon."""
        index = EPSILONS.index(epsilon)
        return case(transfer[index], target[index], higher=False, constant=result.baseline)

    return trained, is_shown


def descent_is_best(result, *_) -> bool:
    """Return whether gradient descent is shown to beat Frank-Wolfe with and without sources."""
    for name in ("transfer", "target"):
        other = result.risks(name)
        if not better(result.descent, other, higher=False, constant=result.baseline):
            return False
    return True


RISK = r"(below 0\.0001|[\d.]+?)(?=[.,;:)]? )"
RULES: Rules = {
    # Tiles
    r"Attacker right, at most:? ([\d.]+)": lambda r, m: (
        not is_printed(r) and attackers.close(transfer_guarantee(r), m[1])
    ),
    rf"Excess risk, with sources: {RISK}": risks(median("transfer")),
    rf"Excess risk, target only: {RISK}": risks(median("target")),
    rf"Excess risk, non-private: {RISK}": risks(least_squares),
    r"Actual epsilon: ([\d.]+) \(nominal": says(
        lambda r: transfer_guarantee(r).epsilon, given=is_printed
    ),
    r"([\d.,]+) times smaller than target only": factor(-1, helps),
    r"([\d.,]+) times as large as target only": factor(1, harms),
    r"no difference shown|No difference can be shown in \d+ runs?\.": no_difference,
    r"no better than predicting 0|for everybody would do no worse \([^)]*\)\. Excess": is_useless,
    # Verdict
    rf"Excess risk is {RISK} with the sources and {RISK} without": risks(
        median("transfer"), median("target")
    ),
    r"the sources cut excess risk by a factor of ([\d.,]+),": factor(-1, helps),
    rf", from {RISK} with the private rows alone": risks(median("target")),
    r"The sources harm here": harms,
    r"harm here\. .* is [\d.]+, or ([\d.,]+) times": factor(1, harms),
    r"Using only the sources does better": is_ahead("source", "transfer"),
    r"Pooling all rows does better": is_ahead("pooled", "transfer"),
    rf"only the sources gives {RISK}": risks(median("source")),
    r"pooling all rows harms": is_ahead("target", "pooled"),
    r"alone do worse than predicting 0": is_worse_than_baseline,
    # Explanation and guarantee
    r"epsilon is unchanged": epsilon_is_unchanged,
    r"whether you are in the data": lambda r, _: r.settings.adjacency == "add/remove",
    r"your row or another one was used": lambda r, _: r.settings.adjacency == "replace-one",
    r"never reads a private row|whatever epsilon is": lambda r, _: r.settings.selection == "known",
    r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.target_rows >= 1,
}
# Rules of sentences that the settings tried may not reach.
SELDOM: Rules = {
    # What does better stands first.
    r"to ([\d.]*\d)\. Using only the sources gives ([\d.]*\d)": lambda _, m: (
        amount(m[1]) <= amount(m[2])
    ),
    r"does better than Frank-Wolfe with them": descent_is_best,
    r"the sources help from ([\d.]*\d) on": lambda r, m: since(
        *shown_by_epsilon(r, better), amount(m[1])
    ),
    r"the sources help up to ([\d.]*\d)": lambda r, m: until(
        *shown_by_epsilon(r, better), amount(m[1])
    ),
    r"the sources help at every epsilon": lambda r, _: since(*shown_by_epsilon(r, better), 0),
    r"the sources harm at every epsilon": lambda r, _: since(*shown_by_epsilon(r, worse), 0),
    **attackers.rules(transfer_guarantee),
}


def test_every_sentence_is_true_of_its_result():
    complete = [settings.experiment.run() for settings in QUICK_CASES]

    hold(
        TransferSettings,
        all_texts,
        RULES,
        within=QUICK,
        also=[*CASES, *complete],
        count=30,
        essential=True,
        seldom=SELDOM,
        harmless=HARMLESS,
    )


# Risks of "target", "source", "pooled" and "transfer" that reach every verdict.
RISKS = [
    (0.1, 0.1, 0.05, 0.1),
    (0.1, 0.1, 0.02, 0.05),
    (0.05, 0.1, 0.2, 0.1),
    (0.1, 0.05, 0.1, 0.1),
    (0.1, 0.02, 0.1, 0.05),
    (9.0, 9.0, 9.0, 9.0),
]


def test_every_text_is_reached():
    without_source = DETECTED.change(epsilon=0.1, target_rows=200, h=0.05, sources=2, repeats=8)
    result = first(TransferSettings(repeats=8, noise="printed"))
    spread = np.linspace(0.99, 1.01, 8)

    for settings in [*QUICK_CASES, without_source]:
        all_texts(first(settings))
    for medians in RISKS:
        fits = replace(result.fits, risk=np.outer(medians, spread))
        texts.numbers(replace(result, fits=fits))
        texts.verdict(replace(result, fits=fits))
    for descent in (0.2, 1e-4):
        texts.diagnostics(replace(result, descent=descent * spread))
    page.main_charts(result)
    page.PAGE.content.lead(result.settings)
    texts.published_table(result)

    assert reached.unread(texts.SAYS) == []
