"""What the parties' page says, held against what was computed."""

from dataclasses import replace
from functools import partial

import numpy as np

from dpcore.accountants import shuffling
from pages.parties import charts
from pages.parties import texts as say
from pages.parties.page import PAGE
from pages.parties.settings import PartiesSettings
from pages.parties.texts_theorems import comparison_text
from pages.parties.theorems import Statement
from tests import attackers, reached
from tests.claims import better, since, unexplained, worse
from tests.sentences import (
    Rules,
    amount,
    beyond_accuracy,
    counts,
    first,
    hold,
    percent,
    plain,
    says,
    tiles,
    titles,
    two_stories,
)

QUICK = {"dataset": ["two", "four", "digits", "activities", "intrusions", "addresses"]}
QUICK |= {
    "parties": [2, 20, 200, 1000],
    "rows": [3, 10],
    "public_rows": [50, 400],
    "unlike": [0.0, 0.2, 1.0],
}
QUICK |= {"regularisation": [1e-4, 1e-3, 1e-1, 1.0], "repeats": [2, 6, 12], "seed": [0, 3]}
START = PartiesSettings(repeats=8)
ONCE = [
    PartiesSettings(),
    START.change(epsilon=0.01, parties=20),
    START.change(epsilon=100.0, constants="norms", method="average"),
    START.change(epsilon=3.0),
    START.change(epsilon=0.3, parties=600, method="vote", seed=1),
    START.change(method="pate", epsilon=0.1, delta=1e-2),
    START.change(dataset="digits"),
    START.change(rows=4).change(parties=20_000),
    *(START.change(trust_model="local").change(method=method) for method in ("soft", "average")),
    START.change(trust_model="local", epsilon=0.01, parties=20),
    START.change(trust_model="shuffle", delta=1e-2, epsilon=0.3).change(dataset="four"),
    START.change(trust_model="shuffle", method="average", parties=20),
]
HARMLESS = (r"adds? noise",)


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 300
    drawn = (charts.over_epsilon, charts.over_parties)
    parts = [*tiles(say.numbers(result)), verdict, *say.diagnostics(result), say.guarantee(result)]
    return " ".join([*parts, say.by_class(result), *titles(*(draw(result) for draw in drawn))])


def release(result, name: str) -> np.ndarray:
    return result.now.accuracy[result.methods.index(name)]


def own(result) -> np.ndarray:
    return release(result, result.settings.method)


def middle(result) -> float:
    return float(np.median(own(result)))


def always(result) -> float:
    labels = result.settings.ensemble.rows["test"].y
    return max(float(np.mean(labels == label)) for label in set(labels))


def alone(result) -> float:
    return float(np.median(result.fits.accuracy))


def shown(case, a, b, result, **more) -> bool:
    whole = result.asked == result.settings.ensemble.parties
    return case(a, b, constant=always(result), whole=whole, **more)


def joins(case):
    return lambda r, *_: shown(case, own(r), alone(r), r)


def leads(result, name: str, others) -> bool:
    tests = len(result.methods) - 1
    others = {*others} - {name}
    return bool(others) and all(
        shown(better, release(result, name), release(result, one), result, tests=tests)
        for one in others
    )


def named(name: str) -> str:
    return next(key for key, (text, _) in charts.STYLES.items() if text == name)


def places(result, over: str):
    """Return the values on the axis, and whether joining is shown to help at one of them."""
    grid = result.curve_of(result.settings.method, over)
    found = dict(zip(grid.at, grid.runs, strict=True)) | {
        getattr(result.settings, over): own(result)
    }
    return [*found], lambda place: shown(better, found[place], alone(result), result)


def lost(result) -> bool:
    return shown(worse, own(result), result.pooled_accuracy, result)


def one(result) -> float:
    """The epsilon of a party's message."""
    settings = result.settings
    shuffled = settings.trust_model == "shuffle"
    return shuffling.of_one(
        settings.epsilon, messages=settings.parties, delta=settings.delta * shuffled
    )


def few(result) -> float:
    """Of how many parties an aggregator's noise is as small: Delta / (few epsilon) = Delta /
    (sqrt(M) epsilon_0).
    """
    return result.settings.parties**0.5 * one(result) / result.settings.epsilon


def as_true(result) -> float:
    """How many true answers say as much: of those randomised, e^epsilon - 1 of e^epsilon + K - 1
    are kept.
    """
    e, classes = np.exp(one(result)), result.ensemble.classes
    return result.asked * ((e - 1) / (e + classes - 1)) ** 2


def spent(result) -> float:
    return result.settings.guarantee.epsilon


RULES: Rules = {
    r"as much as about ([\d,]+) truthful": says(as_true, rel=0, within=0.5 + 1e-6),
    r"say less than one truthful answer": lambda r, _: as_true(r) < 0.5,
    r"aggregator needs about ([\d,]+) part": says(
        lambda r: max(1, few(r)), rel=0, within=0.5 + 1e-6
    ),
    r"add noise for epsilon ([\d.e-]+), and together the messages have epsilon ([\d.e-]+)": says(
        one, spent, given=lambda r: spent(r) <= min(one(r), r.settings.epsilon) * (1 + 1e-9)
    ),
    r"bound used for the shuffler proves no smaller epsilon": lambda r, _: (
        r.settings.trust_model == "shuffle" and spent(r) == r.settings.epsilon == one(r)
    ),
    r"Nobody is trusted": lambda r, _: (
        r.settings.trust_model != "central" and r.settings.guarantee.delta == 0
    ),
    r"The shuffler is trusted": lambda r, _: r.settings.guarantee.delta > 0,
    r"It deals the public rows at random, and tells nobody": lambda r, _: (
        r.settings.guarantee.delta > 0 and r.settings.method == "soft"
    ),
    r"The aggregator is trusted": lambda r, _: r.settings.trust_model == "central",
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(
        r.settings.guarantee, m[1]
    ),
    r"Accuracy, [\w ]+: (\d+(?:\.\d+)?)\s%": percent(middle),
    r"Non-private, all rows: (\d+(?:\.\d+)?)\s%": percent(lambda r: r.pooled_accuracy),
    r"accuracy loss: ([\d.]+) points?": percent(
        lambda r: r.pooled_accuracy - middle(r), given=lost, within=1.01
    ),
    r"no accuracy loss shown": lambda r, _: not lost(r),
    r"90 % of runs: ([\d.]+) to ([\d.]+)\s%": percent(
        *(lambda r, q=q: np.quantile(own(r), q) for q in (0.05, 0.95))
    ),
    r"No difference can be shown in (\d+)": counts(
        lambda r: len(own(r)), given=lambda r: not (joins(better)(r) or joins(worse)(r))
    ),
    r"reach median accuracy ([\d.]+) % and a single party ([\d.]+)": percent(middle, alone),
    r"No other release can be": lambda r, _: (
        not any(leads(r, one, [r.settings.method]) for one in r.methods)
    ),
    r"whether a party or another one in its place took part": lambda r, _: (
        r.settings.guarantee.adjacency == "replace-one"
    ),
    r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.parties >= 1,
    **beyond_accuracy(lambda r: r.held_out[r.settings.method], lambda r: r.held_out["pooled"]),
}
SELDOM: Rules = {
    r"Joining helps, as": joins(better),
    r"Joining harms here, as": joins(worse),
    r"The best release is ([\w ]+) with [\d.]+\s%": lambda r, m: leads(r, named(m[1]), r.methods),
    r"Ahead of this release is ([\w ]+) with [\d.]+\s%": lambda r, m: leads(
        r, named(m[1]), [r.settings.method]
    ),
    r"No other release does better\.": lambda r, _: leads(r, r.settings.method, r.methods),
    r"No other release does better than the majority-class baseline": lambda r, _: (
        np.median(r.now.accuracy, axis=1).max() <= always(r)
    ),
    r"Accuracy by (epsilon|parties): joining helps from ([\d,.]*\d)": lambda r, m: since(
        *places(r, m[1]), amount(m[2])
    ),
    r"Accuracy by (epsilon|parties): joining helps everywhere": lambda r, m: since(
        *places(r, m[1]), 0
    ),
    r"Accuracy by (?:epsilon|parties): joining harms everywhere": joins(worse),
    **two_stories(lambda r: r.held_out[r.settings.method]),
    **attackers.rules(lambda r: r.settings.guarantee),
}


def today(settings) -> list:
    """Today's release of all parties, but for the largest crowds: it alone claims anything."""
    return [*settings.experiment.shown_sample()] if settings.parties <= 2000 else []


def test_every_sentence_says_what_was_computed_and_a_first_picture_claims_nothing():
    also = [*ONCE, *(one.experiment.run() for one in ONCE[1:5])]
    how = {"within": QUICK, "also": also, "count": 20, "essential": today}
    hold(PartiesSettings, words, RULES, seldom=SELDOM, harmless=HARMLESS, **how)
    said = plain(words(first(PartiesSettings(parties=6000))))
    assert "So far" in said
    assert not unexplained(said, harmless=HARMLESS)


TINY = {"parties": 20, "public_rows": 50, "queries": 20, "repeats": 6}
# Together with ``ONCE`` they lead to all that is said of a first picture, and of all of the work.
FIRST = [
    {"dataset": "intrusions", "epsilon": 100.0, "method": "vote", "parties": 20},
    {"dataset": "addresses", "method": "pate", "parties": 20},
    {"dataset": "activities"},
    {"dataset": "four", "parties": 2, "epsilon": 0.01, "seed": 1},
    {"method": "average", "constants": "norms", "labels": "probabilities", "epsilon": 100.0},
    {"method": "vote", "parties": 200, "repeats": 20},
    {"parties": 5000, "rows": 3, "epsilon": 100.0, "public_rows": 2000, "regularisation": 1.0},
]
WHOLE = [
    {},
    {"repeats": 2},
    {"method": "vote", "epsilon": 10.0, "repeats": 20, "rows": 30},
    {"parties": 20_000, "rows": 3, "dataset": "four", "epsilon": 100.0, "regularisation": 1.0},
]


def test_every_text_is_reached():
    read, small = partial(reached.show, PAGE), PartiesSettings().change(**TINY)
    some = [small.change(dataset=one.get("dataset", "two")).change(**one) for one in FIRST]
    for settings in (*ONCE, *some):
        read(first(settings, today(settings)))
    whole, *_ = [
        read(PartiesSettings().change(**TINY | changes).experiment.run()) for changes in WHOLE
    ]
    alone = read(small.change(trust_model="local").experiment.run())
    read(replace(whole, asked=10))
    so_far = replace(alone, asked=10)
    assert "truthful" not in say.verdict(so_far)
    assert "these 10 answers" in " ".join(say.diagnostics(so_far))
    fits = {
        "weights": {name: 0 * one for name, one in whole.fits.weights.items()},
        "accuracy": 0 * whole.fits.accuracy,
    }
    read(replace(whole, fits=replace(whole.fits, **fits)))
    comparison_text(Statement("risk", "soft", 1.0, 2.0))
    assert reached.unread(say.SAYS) == []
