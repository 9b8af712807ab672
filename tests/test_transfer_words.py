"""What the page of transfer says, held against what was computed."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import linear_model

from dpcore.transfer import RADIUS
from pages.transfer import page, published, words_tabs
from pages.transfer import words as say
from pages.transfer.descent import Alone
from pages.transfer.experiment import TransferSettings
from pages.transfer.work import CANDIDATES
from tests import attackers, reached
from tests.claims import better
from tests.sentences import Rules, first, hold, plain
from ui.panels import tiles

QUICK = {
    "dataset": ["made"],
    "target_rows": [100, 400, 1000],
    "dimension": [2, 10, 20],
    "sources": [1, 2, 6],
    "migrated": [24, 600, 15_000],
    "seed": [0, 3],
    "difference": [0.0, 0.8, 1.6, 4.0],
    "repeats": [2, 6, 8],
    "penalty": [0.0, 0.02, 0.1, 0.5],
    "loop_penalty": [0.1],
}
LARGE = TransferSettings(dimension=50, target_rows=5000, sources=1, difference=0.8, h=0.8, migrated=15_000, repeats=6)
ONCE = [
    TransferSettings(),
    LARGE.change(epsilon=4.0),
    LARGE.change(epsilon=0.1),
    TransferSettings(selection="detected", repeats=8),
    TransferSettings(selection="detected", sources=1, repeats=6),
    TransferSettings(selection="detected", epsilon=50.0, target_rows=5000, repeats=6),
    TransferSettings(selection="detected", epsilon=0.05, target_rows=100, repeats=8),
    TransferSettings(selection="detected", epsilon=1.0, sources=6, target_rows=5000, detection_share=0.5, repeats=8),
    TransferSettings(noise="printed", repeats=6),
    TransferSettings(sources=1, migrated=24, h=2.0, epsilon=1.0, repeats=8),
    TransferSettings(h=2.0, difference=4.0, epsilon=0.2, repeats=8),
    TransferSettings(adjacency="add/remove", repeats=6, h=20.0),
    TransferSettings(h=0.02, repeats=6, q=0.0),
    TransferSettings(dimension=50, repeats=2, q=0.001),
    TransferSettings(epsilon=50.0, target_rows=5000, difference=4.0, migrated=15_000, repeats=6),
    TransferSettings(difference=0.0, sources=1, repeats=6),
    TransferSettings(epsilon=0.05, target_rows=100, sources=1, difference=4.0, h=0.02, repeats=6),
    TransferSettings(penalty=0.05, polytope="corners", repeats=6),
    TransferSettings(penalty=0.05, penalty_q="2", repeats=6),
    TransferSettings(dimension=500, target_rows=200, penalty=0.05, repeats=6),
]


def words(result) -> str:
    assert len(plain(say.verdict(result))) <= 260
    parts = [tiles(say.numbers(result)), say.verdict(result), say.caption(result), *say.diagnostics(result)]
    return " ".join([*parts, say.guarantee(result)])


def ahead(result, one: str, other: str) -> bool:
    both = (result.focus.risk[CANDIDATES.index(name)] for name in (one, other))
    return better(*both, higher=False, constant=result.nothing_learnt * (1 - 1e-6))


def near(result) -> int:
    return int((result.sources()["norm"] <= result.settings.h + 1e-9).sum())


def gap(result) -> float:
    """How many standard deviations of the noise the best two sources are apart."""
    losses = np.sort(result.focus.detection.losses[1:])
    return (losses[1] - losses[0]) / result.focus.detection.sd


def lasso(result) -> np.ndarray:
    """(d,): the private rows with the page's L1 penalty, whose weight scikit-learn halves."""
    model = linear_model.Lasso(alpha=result.settings.penalty / 2, fit_intercept=False, tol=1e-6, max_iter=10_000)
    return model.fit(result.problem.X, result.problem.y).coef_


def ratio(result) -> float:
    """How many times the excess risk with the sources is that of the private rows alone."""
    return max(result.medians["transfer"], 1e-4) / max(result.medians["target"], 1e-4)


def near_to(text: str, value: float) -> bool:
    """``text`` says ``value`` to its last digit, or that it is below 0.0001."""
    if text.startswith("below"):
        return value < 1e-4
    return abs(float(text) - value) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


def times(text: str, value: float) -> bool:
    """Of two numbers of two digits each."""
    return float(text.replace(",", "")) == pytest.approx(value, rel=0.15) and value >= 1.04


RISK = r"(below 0\.0001|[\d.]+?)(?=[.,;:)]? )"
RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: (
        r.settings.noise != "printed" and attackers.close(r.settings.guarantee("transfer"), m[1])
    ),
    rf"Excess risk, with sources {RISK}": lambda r, m: near_to(m[1], r.medians["transfer"]),
    rf"Excess risk, target only {RISK}": lambda r, m: near_to(m[1], r.medians["target"]),
    rf"Excess risk, non-private {RISK}": lambda r, m: near_to(m[1], r.focus.least_squares),
    r"([\d.,]+) times lower than target only": lambda r, m: times(m[1], 1 / ratio(r)),
    r"([\d.,]+) times higher than target only": lambda r, m: times(m[1], ratio(r)),
    r"no difference shown|No difference can be shown in": lambda r, _: (
        1 / 1.3 < ratio(r) < 1.3 or not (ahead(r, "transfer", "target") or ahead(r, "target", "transfer"))
    ),
    r"no better than predicting 0": lambda r, _: (
        min(r.medians[one] for one in ("transfer", "target")) >= r.nothing_learnt * (1 - 1e-6)
    ),
    rf"Excess risk is {RISK} with the sources and {RISK} without": lambda r, m: (
        near_to(m[1], r.medians["transfer"]) and near_to(m[2], r.medians["target"])
    ),
    r"cut excess risk by a factor of ([\d.,]+),": lambda r, m: times(m[1], 1 / ratio(r)),
    r"sources harm here\. .* is [\d.]+, or ([\d.,]+) times": lambda r, m: times(m[1], ratio(r)),
    r"No source is used": lambda r, _: not r.focus.kept.any(),
    rf", from {RISK} with the private rows alone": lambda r, m: near_to(m[1], r.medians["target"]),
    r"Using only the sources does": lambda r, _: ahead(r, "source", "transfer"),
    r"Pooling all rows does": lambda r, _: ahead(r, "pooled", "transfer"),
    r"does better still": lambda r, _: ahead(r, "transfer", "target"),
    rf"only the sources gives {RISK}": lambda r, m: near_to(m[1], r.medians["source"]),
    r"Predicting 0 for everybody would do no worse": lambda r, _: (
        min(r.medians[one] for one in ("transfer", "target")) >= r.nothing_learnt * (1 - 1e-6)
    ),
    r"alone do worse than predicting 0": lambda r, _: r.medians["target"] > r.nothing_learnt * (1 - 1e-6),
    r"pooling all rows harms": lambda r, _: r.medians["pooled"] > r.medians["target"],
    r"Actual epsilon ([\d.]+) nominal": lambda r, m: (
        r.settings.noise == "printed" and near_to(m[1], r.settings.guarantee("transfer").epsilon)
    ),
    r"Around the sources the radius": lambda r, _: r.focus.kept.any(),
    r"No contrast is within": lambda r, _: near(r) == 0,
    r"then Frank-Wolfe from zero": lambda r, _: not r.focus.kept.any(),
    r"(\d+) sources? lies? within h = [\d.]+, namely number ([\d, ]+) \(": lambda r, m: (
        int(m[1]) == len(m[2].split(",")) == near(r)
    ),
    r"admits sources that are farther": lambda r, _: near(r) < r.settings.sources,
    r"a larger ball around them": lambda r, _: r.settings.radius < RADIUS,
    r"whatever epsilon is": lambda r, _: r.settings.selection == "known",
    r"target only, same penalty": lambda r, _: r.settings.penalty > 0,
    r"epsilon is unchanged": lambda r, _: all(
        r.settings.guarantee(one).epsilon
        == pytest.approx(r.settings.change(penalty=0.0).guarantee(one).epsilon, rel=1e-9)
        for one in ("target", "pooled", "transfer")
        if r.settings.noise != "printed"
    ),
    r"one more vertex to choose, of (\d+)": lambda r, m: int(m[1]) == len(r.settings.model.ball(RADIUS).vertices),
    r"Without privacy (\d+) of (\d+) coefficients": lambda r, m: (
        (int(m[1]), int(m[2])) == (int((lasso(r) == 0).sum()), r.settings.dimension)
    ),
    r"Its gradient at the public": lambda r, _: r.settings.model.penalties.ridge == r.settings.penalty > 0,
    r"Over the seven corners, Frank-Wolfe has no": lambda r, _: (
        r.settings.polytope == "corners" and r.settings.model.penalties.ball > 0
    ),
    r"In (\d+) of \d+ runs? it keeps no source": lambda r, m: int(m[1]) == (~r.focus.kept.any(axis=1)).sum() > 0,
    r"noise hides the difference": lambda r, _: gap(r) < 1,
    r"noise sometimes hides": lambda r, _: 1 <= gap(r) < 3,
    r"noise hardly ever hides": lambda r, _: gap(r) >= 3,
    r"There is one source": lambda r, _: r.settings.sources == 1,
    r"of the residuals around the sources": lambda r, _: r.focus.clipped > 0.01,
    r"whether you are in the data": lambda r, _: r.settings.adjacency == "add/remove",
    r"your row or another one was used": lambda r, _: r.settings.adjacency == "replace-one",
    r"never reads a private row": lambda r, _: r.settings.selection == "known",
    r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.target_rows >= 1,
}


def test_every_sentence_says_what_was_computed():
    hold(
        TransferSettings,
        words,
        RULES,
        within=QUICK,
        also=ONCE,
        count=30,
        essential=True,
        seldom=attackers.rules(lambda r: r.settings.guarantee("transfer")),
    )


UNUSED = TransferSettings(selection="detected", epsilon=0.1, target_rows=200, h=0.05, sources=2, repeats=8)
# Of target only, source only, pooled, and sources with a correction.
RISKS = [
    (0.1, 0.1, 0.05, 0.1),
    (0.1, 0.1, 0.02, 0.05),
    (0.05, 0.1, 0.2, 0.1),
    (0.1, 0.05, 0.1, 0.1),
    (0.1, 0.02, 0.1, 0.05),
    (9.0, 9.0, 9.0, 9.0),
]


def alone(*, walk: float, descent: float) -> Alone:
    runs = np.linspace(0.99, 1.01, 8)
    return Alone(walk=walk * runs, descent=descent * runs, plain=0.01, nothing=0.5)


def test_every_text_is_reached():
    for settings in [*ONCE, UNUSED]:
        if settings.dimension <= 20:
            words(first(settings))
    settings = TransferSettings(repeats=8, noise="printed")
    result, (one, other, *rest) = first(settings), settings.widths
    for at in RISKS:
        focus = replace(result.focus, risk=np.outer(at, np.linspace(0.99, 1.01, 8)))
        say.numbers(replace(result, focus=focus))
        say.verdict(replace(result, focus=focus))
    behind, ahead, alike = (alone(walk=0.05, descent=x) for x in (0.2, 1e-4, 0.05))
    constant = alone(walk=0.9, descent=0.9)
    for now, then in ((behind, ahead), (ahead, alike), (behind, alike), (alike, alike), (constant, alike)):
        said = replace(result, alone=dict.fromkeys(rest, alike) | {one: now, other: then})
        words_tabs.beside(said)
        words_tabs.coefficients(said)
    words_tabs.coefficients(result)
    words_tabs.costs_table(result)
    page.PAGE.lead(settings), say.texts(settings)["help.selection"]
    page.board(*page.DRAWN)(result)
    for penalty, least in ((0.1, 0.0), (1.0, 99.0)):
        done = {task: task.run() for task in published.tasks(penalty)}
        done |= {task: row | {"value": least} for task, row in done.items() if not task.noisy}
        words_tabs.published_table(replace(result, published=published.result(done, penalty=penalty)))
    assert reached.unread(say.SAYS) == []
