"""What the page of transfer says, held against what was computed."""

from dataclasses import replace

import numpy as np
import pytest

from pages.transfer import charts, page, texts_tabs
from pages.transfer import texts as say
from pages.transfer.baselines import BaselineRisks
from pages.transfer.model import CANDIDATES, EPSILONS
from pages.transfer.published import PublishedTable
from pages.transfer.settings import TransferSettings
from tests import attackers, reached
from tests.claims import better, since, until, worse
from tests.sentences import Rules, amount, first, hold, plain, says, tiles, titles

QUICK = {
    "dataset": ["made"],
    "target_rows": [100, 400, 1000],
    "dimension": [2, 10, 20],
    "sources": [1, 2, 6],
}
QUICK |= {
    "migrated": [24, 600, 15_000],
    "difference": [0.0, 0.8, 1.6, 4.0],
    "repeats": [2, 6, 8, 20],
    "seed": [0, 3],
}
QUICK |= {"penalty": [0.0, 0.02, 0.1, 0.5], "loop_penalty": [0.1]}
LARGE = TransferSettings(
    dimension=50, target_rows=5000, sources=1, difference=0.8, h=0.8, migrated=15_000, repeats=6
)
ONCE = [
    TransferSettings(),
    LARGE.change(epsilon=0.1),
    TransferSettings(selection="detected", repeats=8),
    TransferSettings(selection="detected", sources=1, repeats=6),
    TransferSettings(selection="detected", epsilon=50.0, target_rows=5000, repeats=6),
    TransferSettings(
        selection="detected",
        epsilon=1.0,
        sources=6,
        target_rows=5000,
        detection_share=0.5,
        repeats=8,
    ),
    TransferSettings(noise="printed", repeats=6),
    TransferSettings(adjacency="add/remove", repeats=6, h=20.0),
    TransferSettings(h=0.02, repeats=6, q=0.0),
    TransferSettings(epsilon=0.05, target_rows=100, sources=1, difference=4.0, h=0.02, repeats=6),
    TransferSettings(penalty=0.05, polytope="corners", repeats=6),
    TransferSettings(penalty=0.05, penalty_q="2", repeats=6),
]


HARMLESS = (
    r"second best source is .*? behind the best",
    r"adds? (?:one vertex|noise)",
    r"costs (?:add up|just that)",
)


def words(result) -> str:
    assert len(plain(say.verdict(result))) <= 260
    parts = [
        *tiles(say.numbers(result)),
        say.verdict(result),
        say.caption(result),
        *say.diagnostics(result),
    ]
    drawn = (charts.over_epsilon, charts.plane_runs)
    parts += [say.guarantee(result)]
    return " ".join([*parts, *titles(*(draw(result) for draw in drawn))])


def risk(result, name: str) -> np.ndarray:
    return result.fits.risk[CANDIDATES.index(name)]


def median(name: str):
    return lambda r: r.medians[name]


def ahead(one: str, other: str):
    """Return a rule: the runs show less risk with ``one`` than with ``other``."""
    return lambda r, *_: better(
        risk(r, one), risk(r, other), higher=False, constant=r.baseline * (1 - 1e-6)
    )


helps, harms = ahead("transfer", "target"), ahead("target", "transfer")


def places(result, case=better):
    """Return the values of epsilon on the axis, and whether the sources are shown to help, or harm,
    at one of them.
    """
    pairs = (result.over_epsilon.runs[CANDIDATES.index(name)] for name in ("transfer", "target"))
    every = zip(EPSILONS, zip(*pairs, strict=True), strict=True)
    found = {epsilon: pair for epsilon, pair in every if not np.isnan(pair[0][0])}
    return [*found], lambda place: case(*found[place], higher=False, constant=result.baseline)


def walked(result, match) -> bool:
    """Whether the walks that begin at one point are shown to end nearer to the truth."""
    zero, source = (
        np.abs(points[-1] - result.plane_runs.truth).sum(axis=1)
        for points in result.plane_runs.points
    )
    return better(*((zero, source) if match[1] == "zero" else (source, zero)), higher=False)


def ratio(result) -> float:
    """How many times the excess risk with the sources is that of the private rows alone."""
    return max(result.medians["transfer"], 1e-4) / max(result.medians["target"], 1e-4)


def useless(result, *_) -> bool:
    return min(result.medians[one] for one in ("transfer", "target")) >= result.baseline * (
        1 - 1e-6
    )


def near_to(text: str, value: float) -> bool:
    """``text`` says ``value`` to its last digit, or that it is below 0.0001."""
    if text.startswith("below"):
        return value < 1e-4
    return abs(float(text) - value) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


def risks(*values):
    return lambda r, m: all(
        near_to(text, value(r)) for text, value in zip(m.groups(), values, strict=True)
    )


def factor(power: int, given):
    """Return a rule: the factor said is that of two numbers of two digits each, and at
    least 1.04.
    """
    return says(
        lambda r: ratio(r) ** power,
        given=lambda r: ratio(r) ** power >= 1.04 and given(r),
        rel=0.15,
    )


RISK = r"(below 0\.0001|[\d.]+?)(?=[.,;:)]? )"
RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: (
        r.settings.noise != "printed" and attackers.close(r.settings.guarantee_of("transfer"), m[1])
    ),
    rf"Excess risk, with sources: {RISK}": risks(median("transfer")),
    rf"Excess risk, target only: {RISK}": risks(median("target")),
    rf"Excess risk, non-private: {RISK}": risks(lambda r: r.fits.least_squares),
    r"([\d.,]+) times smaller than target only": factor(-1, helps),
    r"([\d.,]+) times as large as target only": factor(1, harms),
    r"no difference shown|No difference can be shown in \d+ runs?\.": lambda r, _: (
        1 / 1.3 < ratio(r) < 1.3 or not (helps(r) or harms(r))
    ),
    r"no better than predicting 0|for everybody would do no worse \([^)]*\)\. Excess": useless,
    rf"Excess risk is {RISK} with the sources and {RISK} without": risks(
        median("transfer"), median("target")
    ),
    r"the sources cut excess risk by a factor of ([\d.,]+),": factor(-1, helps),
    r"The sources harm here": harms,
    r"harm here\. .* is [\d.]+, or ([\d.,]+) times": factor(1, harms),
    rf", from {RISK} with the private rows alone": risks(median("target")),
    r"Using only the sources does better": ahead("source", "transfer"),
    r"Pooling all rows does better": ahead("pooled", "transfer"),
    rf"only the sources gives {RISK}": risks(median("source")),
    r"alone do worse than predicting 0": lambda r, _: worse(
        risk(r, "target"), r.baseline, higher=False
    ),
    r"pooling all rows harms": ahead("target", "pooled"),
    r"Actual epsilon: ([\d.]+) \(nominal": says(
        lambda r: r.settings.guarantee_of("transfer").epsilon,
        given=lambda r: r.settings.noise == "printed",
    ),
    r"epsilon is unchanged": lambda r, _: all(
        r.settings.guarantee_of(one).epsilon
        == pytest.approx(r.settings.change(penalty=0.0).guarantee_of(one).epsilon, rel=1e-9)
        for one in ("target", "pooled", "transfer")
        if r.settings.noise != "printed"
    ),
    r"whether you are in the data": lambda r, _: r.settings.adjacency == "add/remove",
    r"your row or another one was used": lambda r, _: r.settings.adjacency == "replace-one",
    r"never reads a private row|whatever epsilon is": lambda r, _: r.settings.selection == "known",
    r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.target_rows >= 1,
}
SELDOM: Rules = {
    # What does better stands first
    r"to ([\d.]*\d)\. Using only the sources gives ([\d.]*\d)": lambda _, m: (
        amount(m[1]) <= amount(m[2])
    ),
    r"does better than Frank-Wolfe with them": lambda r, _: all(
        better(r.baselines.descent, one, higher=False, constant=r.baseline)
        for one in (risk(r, "transfer"), r.baselines.frank_wolfe)
    ),
    r"Frank-Wolfe runs: those from (the source|zero) end closer": walked,
    r"the sources help from ([\d.]*\d) on": lambda r, m: since(*places(r), amount(m[1])),
    r"the sources help up to ([\d.]*\d)": lambda r, m: until(*places(r), amount(m[1])),
    r"the sources help at every epsilon": lambda r, _: since(*places(r), 0),
    r"the sources harm at every epsilon": lambda r, _: since(*places(r, worse), 0),
    **attackers.rules(lambda r: r.settings.guarantee_of("transfer")),
}


def test_every_sentence_says_what_was_computed():
    also = [*ONCE, *(one.experiment.run() for one in ONCE if one.dimension <= 20)]
    how = {"within": QUICK, "also": also, "count": 30, "essential": True}
    hold(TransferSettings, words, RULES, seldom=SELDOM, harmless=HARMLESS, **how)


UNUSED = TransferSettings(
    selection="detected", epsilon=0.1, target_rows=200, h=0.05, sources=2, repeats=8
)
# Of target only, source only, pooled, and sources with a correction.
RISKS = [
    (0.1, 0.1, 0.05, 0.1),
    (0.1, 0.1, 0.02, 0.05),
    (0.05, 0.1, 0.2, 0.1),
    (0.1, 0.05, 0.1, 0.1),
]
RISKS += [(0.1, 0.02, 0.1, 0.05), (9.0, 9.0, 9.0, 9.0)]


def test_every_text_is_reached():
    for settings in [*ONCE, UNUSED]:
        if settings.dimension <= 20:
            words(first(settings))
    settings, runs = TransferSettings(repeats=8, noise="printed"), np.linspace(0.99, 1.01, 8)
    result = first(settings)
    for at in RISKS:
        fits = replace(result.fits, risk=np.outer(at, runs))
        say.numbers(replace(result, fits=fits)), say.verdict(replace(result, fits=fits))
    for descent in (0.2, 1e-4):
        texts_tabs.descent(result, BaselineRisks(frank_wolfe=0.05 * runs, descent=descent * runs))
    texts_tabs.costs_table(result)
    page.PAGE.lead(settings)
    for draw in (page.main_charts, page.source_charts, page.published_charts):
        draw(result)
    for penalty, least in ((0.1, 0.0), (1.0, 99.0)):
        table = PublishedTable(penalty=penalty)
        done = {task: task.run() for task in table.tasks}
        done |= {task: row | {"value": least} for task, row in done.items() if not task.noisy}
        texts_tabs.published_table(replace(result, published=table.gather(done)))
    assert reached.unread(say.SAYS) == []
