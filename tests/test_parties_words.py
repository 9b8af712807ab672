"""What the parties' page says, held against what was computed; its claims, in tests/test_claims_words.py."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dpcore.accountants import shuffling
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.page import PAGE
from pages.parties.parameters import RECORDED
from pages.parties.result import QUERIES
from pages.parties.theorems import Statement
from pages.parties.words_statements import _compared, enough_parties
from tests import attackers, reached
from tests.claims import better, worse
from tests.sentences import Rules, beyond_accuracy, first, hold, plain, two_stories
from tests.test_own_parties import ROLES, own_of, patients, settings_of

QUICK = {
    "parties": [2, 20, 200, 1000],
    "rows": [3, 10],
    "public_rows": [50, 400],
    "learner": ["logistic", "bayes"],
    "dataset": ["two", "four", "digits", "activities", "intrusions", "addresses"],
    "unlike": [0.0, 0.2, 1.0],
    "careless": [0.0, 0.3],
    "regularisation": [1e-4, 1e-3, 1e-1, 1.0],
    "repeats": [2, 8],
    "seed": [0, 3],
}
ONCE = [
    PartiesSettings(),
    PartiesSettings(epsilon=0.01, parties=20, repeats=8),
    PartiesSettings(epsilon=100.0, constants="norms", method="average", repeats=8),
    PartiesSettings(method="pate", epsilon=1.0, repeats=8),
    PartiesSettings(epsilon=3.0, careless=0.3, repeats=8),
    PartiesSettings(method="pate", epsilon=0.1, delta=1e-2, repeats=8),
    PartiesSettings(learner="bayes", dataset="digits", repeats=8),
    PartiesSettings(method="vote", epsilon=100.0, regularisation=1.0, repeats=8),
    PartiesSettings(parties=20_000, repeats=8, rows=4),
    PartiesSettings(method="vote", regularisation=1e-4, epsilon=0.1, repeats=8),
    *(PartiesSettings(trust_model="local", method=method, repeats=8) for method in ("soft", "average")),
    PartiesSettings(trust_model="local", epsilon=0.01, parties=20, repeats=8),
    PartiesSettings(trust_model="shuffle", delta=1e-2, epsilon=0.3, repeats=8, dataset="four"),
    PartiesSettings(trust_model="shuffle", method="average", parties=20, repeats=8),
]


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 300
    tiles = [f"{one.label}: {one.value} ({one.note})" for one in say.numbers(result)]
    return " ".join([*tiles, verdict, *say.diagnostics(result), say.guarantee(result), say.by_class(result)])


def own(result) -> np.ndarray:
    return result.now.accuracy[result.methods.index(result.settings.method)]


def middle(result) -> float:
    return float(np.median(own(result)))


def others(result) -> float:
    return float(np.median(result.now.accuracy, axis=1).max())


def always(result) -> float:
    labels = result.settings.ensemble.rows["test"].y
    return max(float(np.mean(labels == label)) for label in set(labels))


def alone(result) -> float:
    return float(np.median(result.fits.accuracy))


def leading_shown(result) -> bool:
    """Whether the release with the best median is shown to be ahead of the chosen one."""
    best = result.now.accuracy[np.median(result.now.accuracy, axis=1).argmax()]
    return better(best, own(result), tests=len(result.methods) - 1)


def answers_shown(result) -> list[bool]:
    """At which numbers of questions one by one is shown to do better than the released model."""
    soft = result.now.accuracy[result.methods.index("soft")]
    return [worse(soft, float(right), constant=always(result)) for right in result.answered]


def leading(result) -> int:
    many = [*answers_shown(result), False].index(False)
    return QUERIES[many - 1] if many else 0


def cost(result) -> float:
    return 100 * (result.exact[result.settings.method] - middle(result))


def one(result) -> float:
    """The epsilon of a party's message."""
    settings = result.settings
    shuffled = settings.trust_model == "shuffle"
    return shuffling.of_one(settings.epsilon, messages=settings.parties, delta=settings.delta * shuffled)


def few(result) -> float:
    """Of how many parties an aggregator's noise is as small: Delta / (few epsilon) = Delta / (sqrt(M) epsilon_0)."""
    return result.settings.parties**0.5 * one(result) / result.settings.epsilon


def as_true(result) -> float:
    """How many true answers say as much: of those randomised, e^epsilon - 1 of e^epsilon + K - 1 are kept."""
    e, classes = np.exp(one(result)), result.ensemble.classes
    return result.asked * ((e - 1) / (e + classes - 1)) ** 2


def told(text: str) -> float:
    return float(text.replace(",", ""))


RULES: Rules = {
    r"as much as about ([\d,]+) truthful": lambda r, m: abs(told(m[1]) - as_true(r)) <= 0.5 + 1e-6,
    r"say less than one truthful answer": lambda r, _: as_true(r) < 0.5,
    r"sampling error of ([\d.,e+-]+) truthful": lambda r, m: told(m[1]) == pytest.approx(as_true(r), rel=0.006),
    r"classifier's with probability (\d+)": lambda r, m: (
        abs(float(m[1]) - 100 / (1 + (r.ensemble.classes - 1) * np.exp(-one(r)))) <= 0.51
    ),
    r"aggregator needs about ([\d,]+) part": lambda r, m: abs(told(m[1]) - max(1, few(r))) <= 0.5 + 1e-6,
    r"on each weight, ([\d.,e+]+) times": lambda r, m: (
        told(m[1]) == pytest.approx(r.settings.parties / few(r), rel=0.006)
    ),
    r"would have to be ([\d,]+)": lambda r, m: (
        r.settings.trust_model == "local" and told(m[1]) ** 0.5 == pytest.approx(r.settings.parties)
    ),
    r"add noise for epsilon ([\d.e-]+), and together the messages have epsilon ([\d.e-]+)": lambda r, m: (
        float(m[1]) == pytest.approx(one(r), rel=0.006)
        and float(m[2]) == pytest.approx(r.settings.promise.epsilon, rel=0.006)
        and r.settings.promise.epsilon <= min(float(m[1]), r.settings.epsilon)
    ),
    r"shuffler brings nothing here": lambda r, _: (
        r.settings.trust_model == "shuffle" and r.settings.promise.epsilon == r.settings.epsilon == one(r)
    ),
    r"Nobody is trusted": lambda r, _: r.settings.trust_model != "central" and r.settings.promise.delta == 0,
    r"The shuffler is trusted": lambda r, _: r.settings.promise.delta > 0,
    r"It deals the public rows at random, and tells nobody": lambda r, _: (
        r.settings.promise.delta > 0 and r.settings.method == "soft"
    ),
    r"The aggregator is trusted": lambda r, _: r.settings.trust_model == "central",
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(r.settings.promise, m[1]),
    r"Accuracy, [\w ]+: (\d+(?:\.\d+)?)\s%": lambda r, m: abs(float(m[1]) - 100 * middle(r)) <= 0.51,
    r"Non-private, all rows: (\d+(?:\.\d+)?)\s%": lambda r, m: abs(float(m[1]) - 100 * r.batch_accuracy) <= 0.51,
    r"accuracy loss: ([\d.]+) points?": lambda r, m: (
        abs(float(m[1]) - 100 * (r.batch_accuracy - middle(r))) <= 1 + 1e-9
    ),
    r"no accuracy loss shown": lambda r, _: not worse(own(r), r.batch_accuracy),
    r"no better than a constant baseline": lambda r, _: max(middle(r), r.batch_accuracy) <= always(r),
    r"90 % of runs: ([\d.]+) to ([\d.]+)\s%": lambda r, m: np.allclose(
        [float(one) for one in m.groups()], 100 * np.quantile(own(r), [0.05, 0.95]), atol=0.51
    ),
    r"No difference can be shown in": lambda r, _: not (better(own(r), alone(r)) or worse(own(r), alone(r))),
    r"shown in (\d+) draws of noise": lambda r, m: int(m[1]) == len(own(r)),
    r"reach median accuracy ([\d.]+) % and a single party ([\d.]+)": lambda r, m: np.allclose(
        [float(m[1]), float(m[2])], [100 * middle(r), 100 * alone(r)], atol=0.51
    ),
    r"learnt nothing yet": lambda r, _: middle(r) <= always(r) + 1e-9,
    r"No other release does better|No other release can be": lambda r, _: (
        others(r) <= middle(r) or others(r) <= always(r) or leading_shown(r) is False
    ),
    r"PATE needs delta": lambda r, _: r.settings.method != "pate",
    r"a whole party": lambda r, _: r.settings.promise.unit == "party",
    r"So far ([\d,]+) of": lambda r, m: int(m[1].replace(",", "")) == r.asked < r.settings.parties,
    r"The noise costs ([\d.]+) points?": lambda r, m: abs(float(m[1]) - cost(r)) <= 0.051 and cost(r) > 0,
    r"No cost in accuracy can be shown": lambda r, _: not worse(own(r), r.exact[r.settings.method]),
    r"votes on every class's count": lambda r, _: r.settings.method == "pate",
    r"have random labels": lambda r, _: r.settings.careless > 0,
    r"No number of noisy answers": lambda r, _: not answers_shown(r)[0],
    r"is better for (?:more than|up to about) ([\d,]+) quer": lambda r, m: int(m[1].replace(",", "")) == leading(r) > 0,
    r"hardly more accurate than the majority-class baseline": lambda r, _: (
        np.median(r.now.accuracy[r.methods.index("soft")]) < always(r) + 0.05 + 1e-9
    ),
    r"from the public images": lambda r, _: r.settings.dataset == "digits",
    r"held out whole": lambda r, _: r.settings.dataset in RECORDED,
    r"the noise is (?:about|[\d.e+,]+ times) as long as the weights\. (?:At|With)": lambda r, _: (
        r.settings.dataset in RECORDED
        and (r.settings.method == "pate" or r.noise_norm(r.settings.method) > r.signal_norm(r.settings.method))
    ),
    r"For 0.5, ([\d,]+) parties": lambda r, m: int(m[1].replace(",", "")) == enough_parties(r) > r.settings.parties,
    r"no common weights": lambda r, _: "average" not in r.methods,
    r"no minimiser is longer": lambda r, _: r.settings.constants == "norms",
    r"Theorem 4 bounds": lambda r, _: r.settings.ensemble.classes == 2 and r.settings.method == "soft",
    r"whether a party or another one in its place took part": lambda r, _: (
        r.settings.promise.adjacency == "replace-one"
    ),
    r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.parties >= 1,
    r"asked in [\d,]+ chunks": lambda r, _: r.kept[0] >= 20,
    **beyond_accuracy(lambda r: r.held_out[r.settings.method], lambda r: r.held_out["batch"]),
}


def today(settings) -> list:
    """Today's release of all parties, but for the largest crowds: it alone claims anything."""
    return [settings.probe()] if settings.parties <= 2000 else []


def test_every_sentence_says_what_was_computed():
    hold(
        PartiesSettings,
        words,
        RULES,
        within=QUICK,
        also=ONCE,
        count=12,
        essential=today,
        seldom={r"for more than [\d,]+ questions": lambda r, _: all(answers_shown(r))}
        | two_stories(lambda r: r.held_out[r.settings.method])
        | attackers.rules(lambda r: r.settings.promise),
    )


TINY = {"parties": 20, "public_rows": 50, "queries": 20, "repeats": 6}
# Together they lead to all that is said of a first picture, and of all of the work.
FIRST = [
    {"dataset": "intrusions", "epsilon": 100.0, "method": "vote", "parties": 20},
    {"dataset": "addresses", "method": "pate", "parties": 20},
    {"dataset": "activities"},
    {"dataset": "digits", "epsilon": 0.01},
    {"dataset": "four", "parties": 2, "epsilon": 0.01, "seed": 1},
    {"dataset": "four", "regularisation": 1.0, "method": "vote"},
    {"learner": "bayes"},
    {"method": "average", "constants": "norms", "labels": "probabilities", "epsilon": 100.0},
    {"method": "pate", "parties": 200, "repeats": 20},
    {"method": "vote", "parties": 200, "repeats": 20},
    {"trust_model": "local", "epsilon": 0.01},
    {"trust_model": "local", "method": "average"},
    {"trust_model": "shuffle", "parties": 20},
    {"trust_model": "shuffle", "parties": 400, "delta": 1e-2, "dataset": "activities"},
    {"parties": 1000, "repeats": 12},
    {"parties": 5000, "rows": 3, "epsilon": 100.0, "public_rows": 2000, "regularisation": 1.0},
]
WHOLE = [
    {},
    {"method": "vote", "epsilon": 10.0, "repeats": 20, "rows": 30},
    {"parties": 20_000, "rows": 3, "dataset": "four", "epsilon": 100.0, "regularisation": 1.0},
]


read = partial(reached.show, PAGE)


def test_every_text_is_reached():
    for changes in FIRST:
        dataset = PartiesSettings().change(**TINY).change(dataset=changes.get("dataset", "two"))
        settings = dataset.change(**{name: value for name, value in changes.items() if name != "dataset"})
        read(first(settings, today(settings)))
    whole, *_ = [read(PartiesSettings().change(**TINY | changes).run()) for changes in WHOLE]
    read(replace(whole, asked=10))
    alone = PartiesSettings().change(**TINY, trust_model="local").run()
    read(alone)
    so_far = replace(alone, asked=10)
    assert "truthful" not in say.verdict(so_far)
    assert "these 10 answers" in " ".join(say.diagnostics(so_far))
    three = patients()
    three.loc[::7, "back"] = "maybe"
    few = patients(2400, wards=60)
    few["back"] = few["back"].where(few["ward"].isin(["ward 0", "ward 1", "ward 2"]), "?")
    classes = replace(ROLES, classes=("no", "yes", "maybe"))
    for frame, roles, changes in ((three, classes, {}), (few, ROLES, {"parties": 40, "method": "pate"})):
        settings = settings_of(own_of(frame, roles), **changes)
        read(first(settings, today(settings)))
    fits = {"weights": {name: 0 * one for name, one in whole.fits.weights.items()}, "accuracy": 0 * whole.fits.accuracy}
    read(replace(whole, fits=replace(whole.fits, **fits)))
    _compared(Statement("risk", "soft", 1.0, 2.0))
    assert reached.unread(say.SAYS) == []
