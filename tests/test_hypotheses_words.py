"""What the page of hypotheses says, held against what was computed; its claims, in tests/test_claims_words.py."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dpcore.parties.hypotheses import LEAST_SD
from lab.claims import Case
from lab.files import own_texts
from pages.hypotheses import figures
from pages.hypotheses import words as say
from pages.hypotheses.experiment import HypothesesSettings
from pages.hypotheses.page import PAGE
from pages.hypotheses.parameters import DIMENSIONS, EPSILONS, LAWS
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.words_steps import stages
from tests import attackers, reached
from tests.claims import better, worse
from tests.sentences import Rules, beyond_accuracy, broken_by, first, hold, plain, two_stories
from tests.test_own_texts import chosen, written
from ui.compute import compute
from ui.panels import tiles

# What is fitted does not depend on epsilon, so few worlds go with many of them.
QUICK = {
    "data": ["domains", "topics"],
    "sources": [2, 5],
    "dimension": [2, 20],
    "source_rows": [200],
    "unlabelled_rows": [200],
    "target_rows": [300],
    "public_rows": [300],
    "similarity": [0.0, 0.5, 1.0],
    "lambda_lr": [0.003, 0.1],
    "lambda_iw": [0.001],
    "repeats": [2, 6],
    "seed": [3],
}
SMALL = HypothesesSettings(source_rows=200, unlabelled_rows=200, target_rows=300, public_rows=300, repeats=6)
ONCE = [
    SMALL,
    SMALL.change(epsilon=0.1, label_share=0.5, repeats=12),
    SMALL.change(epsilon=1000.0, similarity=1.0),
    SMALL.change(epsilon=300.0, mixture="1-0-0-0-0"),
    SMALL.change(noise="gaussian", delta=1e-2),
    SMALL.change(noise="objective", epsilon=3.0),
    SMALL.change(epsilon=0.5),
    SMALL.change(data="topics", epsilon=300.0, dimension=20),
    SMALL.change(data="topics", epsilon=300.0, projection="none", repeats=2),
    SMALL.change(data="reviews", epsilon=30.0, projection="none", repeats=2),
    SMALL.change(lambda_lr=1.0, epsilon=1000.0),
]


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 260  # two lines
    parts = (verdict, say.caption(result), stages(result), *say.diagnostics(result), say.guarantee(result))
    return " ".join([tiles(say.numbers(result)), *parts, say.by_class(result)])


def middle(result, name: str = "transfer") -> float:
    return float(np.median(result.accuracy[name]))


def ahead(result, one: str, other: str) -> float:
    """How far the median of one method is ahead of another's, in points."""
    return 100 * (middle(result, one) - middle(result, other))


def even(result) -> float:
    shares = np.array(result.settings.shares)
    return float(((shares - 1 / len(shares)) ** 2).mean())


def shown(result, text: str, name: str) -> bool:
    """``text`` is the median accuracy of a method in percent, to its last digit."""
    return abs(float(text) - 100 * middle(result, name)) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


def gained(result) -> float:
    return ahead(result, "transfer", "weak")


def shows(result, case, one: str = "transfer", other: str = "weak") -> bool:
    """Whether today's runs show one method to be better, or worse, than another."""
    whole = result.repeats == result.settings.repeats
    return case(result.accuracy[one], result.accuracy[other], whole=whole)


PERCENT = r"(\d+(?:\.\d+)?)\s%"

RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(r.settings.promise, m[1]),
    rf"Accuracy with transfer {PERCENT}": lambda r, m: shown(r, m[1], "transfer"),
    rf"Target only {PERCENT}": lambda r, m: shown(r, m[1], "weak"),
    r"Transfer without noise … being trained": lambda r, _: np.isnan(r.plain.middle("transfer")),
    r"transfer: ([+−])([\d.]+) points?": lambda r, m: (
        abs(float(m[2]) - abs(gained(r))) <= 1.01 and (m[1] == "+") == (gained(r) > 0)
    ),
    r"no difference shown": lambda r, _: not (shows(r, better) or shows(r, worse)),
    rf"Median accuracy is {PERCENT} with transfer and {PERCENT} with": lambda r, m: (
        shown(r, m[1], "transfer") and shown(r, m[2], "weak")
    ),
    rf"Transfer gains .* here, with median accuracy {PERCENT} against {PERCENT} with (\d+) labels alone": lambda r, m: (
        gained(r) > 0
        and shown(r, m[1], "transfer")
        and shown(r, m[2], "weak")
        and int(m[3]) == round(r.settings.label_share * r.settings.target_rows)
    ),
    r"No difference can be shown in (\d+) runs": lambda r, m: (
        int(m[1]) == r.repeats and not (shows(r, better) or shows(r, worse))
    ),
    r"your row or another one was used": lambda r, _: r.settings.promise.adjacency == "replace-one",
    r"curvature of the rows damps": lambda r, _: (
        r.settings.noise == "objective" and r.measured_noise < 0.9 * r.noise_at(r.dimension)[0]
    ),
    r"make Gaussian noise longer": lambda r, _: (
        r.settings.noise == "gaussian" and r.noise_at(2) == pytest.approx(r.noise_at(60))
    ),
    r"words of the paper": lambda r, _: r.settings.noise == "exponential" and r.dimension < 5588,
    r"With ([\d,]+) features the noise": lambda r, m: int(m[1].replace(",", "")) == r.dimension,
    r"Equal weights would miss it by ([\d.e-]+\d)": lambda r, m: float(m[1]) == pytest.approx(even(r), rel=0.006),
    r"That is the floor": lambda r, _: r.prior_spread <= LEAST_SD * 1.01,
    r"The wider it is": lambda r, _: r.prior_spread > LEAST_SD * 1.01,
    r"No gain of all \d+ labels": lambda r, _: not shows(r, better, "target", "transfer"),
    r"worth another ([\d.]+) points?": lambda r, m: abs(float(m[1]) - ahead(r, "target", "transfer")) <= 0.051,
    r"No difference between weighted and equally weighted": lambda r, _: (
        not (shows(r, better, "transfer", "average") or shows(r, worse, "transfer", "average"))
    ),
    r"Equal weights do better now, by ([\d.]+)": lambda r, m: (
        abs(float(m[1]) - ahead(r, "average", "transfer")) <= 0.051
    ),
    r"Weighting the sources gains ([\d.]+)": lambda r, m: abs(float(m[1]) - ahead(r, "transfer", "average")) <= 0.051,
    r"releasing one of them whole": lambda r, _: (
        r.settings.noise == "gaussian" and r.settings.delta * r.settings.source_rows >= 1
    ),
    **beyond_accuracy(
        lambda r: r.held_out["transfer"],
        lambda r: r.held_out["weak"],
        lambda r: r.held_out.get("transfer without noise"),
    ),
}


SELDOM: Rules = {
    r"In (\d+) of (\d+) runs it harms": lambda r, m: int(m[2]) == r.repeats and int(m[1]) > 0.2 * r.repeats,
    r"[Ss]o far (\d+) of (\d+) runs|So far, (\d+) of (\d+) runs": lambda r, m: (
        [int(one) for one in m.groups() if one] == [r.repeats, r.settings.repeats] and r.repeats < r.settings.repeats
    ),
}

# Said as soon as the models without noise are trained, which is not essential.
LATER: Rules = {
    rf"Transfer without noise {PERCENT}": lambda r, m: abs(float(m[1]) - 100 * r.plain.middle("transfer")) <= 0.51,
    r"accuracy loss: ([\d.]+) points?": lambda r, m: (
        abs(float(m[1]) - 100 * (r.plain.middle("transfer") - middle(r))) <= 1.01 and float(m[1]) > 0
    ),
    r"no accuracy loss shown": lambda r, _: not worse(r.accuracy["transfer"], r.plain.runs("transfer")),
}


def today(settings) -> list:
    """All of today's runs, whose verdict claims something."""
    return list(settings.samples())


def test_every_sentence_says_what_was_computed():
    hold(
        HypothesesSettings,
        words,
        RULES,
        within=QUICK,
        also=ONCE,
        count=8,
        essential=today,
        seldom=SELDOM | two_stories(lambda r: r.held_out["transfer"]) | attackers.rules(lambda r: r.settings.promise),
    )


def test_the_price_of_noise_is_said_as_soon_as_it_is_known():
    found = set()
    for settings in ONCE:
        result = first(settings, [*today(settings), *settings.work["epsilon", np.inf]])
        plainly = np.concatenate([one.of("transfer") for one in result.plain.done])
        assert result.plain.middle("transfer") == np.median(plainly)
        found |= broken_by(plain(words(result)), result, LATER)
    assert found >= set(LATER)


@pytest.mark.parametrize("epsilon", [0.1, 300.0])
def test_the_number_of_features_that_does_best_is_the_measured_one(epsilon):
    result = SMALL.change(epsilon=epsilon, repeats=2, data="topics").run()
    at, (_, medians, _) = result.curve("transfer", "dimension")
    (sentence,) = [text for text in say.diagnostics(result) if "At this epsilon" in text]
    assert len(at) == len(DIMENSIONS)
    ends = [f"{100 * medians[end]:.0f}\u00a0% with {at[end]:,.0f} features" for end in (0, -1)]
    assert "no number of features can be shown to do best" in sentence  # of two runs
    assert all(end in sentence for end in ends)


def test_what_is_trained_now_has_its_name_before_its_curve():
    """A legend names only what has points; over the shares the first three are there at once."""
    small = {"source_rows": 200, "unlabelled_rows": 200, "target_rows": 300, "repeats": 2, "seed": 4711, "epsilon": 7.0}
    result, done = compute(HypothesesSettings(**small), seconds=0)
    assert done < 1
    assert not len(result.curve("transfer", "epsilon")[0])
    named = [trace for trace in figures.accuracy(result, "epsilon")["data"] if trace.get("name")]
    assert len(named) == 4
    assert all(trace["x"]["bdata"] for trace in named)


TINY = SMALL.change(source_rows=100, unlabelled_rows=100, target_rows=200, public_rows=200)
FIRST = [
    {"epsilon": 1000.0, "similarity": 1.0, "lambda_lr": 1.0},
    {"epsilon": 300.0, "mixture": "1-0-0-0-0"},
    {"epsilon": 30.0, "repeats": 20, "mixture": "0.2-0.2-0.2-0.2-0.2"},
    {"noise": "gaussian", "sources": 2, "dimension": 2},
    {"noise": "objective", "epsilon": 3.0, "divergence": "squares", "lambda_lr": 1e-4},
    {"label_share": 0.5, "epsilon": 1.0, "repeats": 12},
    {"data": "topics", "projection": "none", "repeats": 2},
]


read = partial(reached.show, PAGE)


def test_every_text_is_reached(monkeypatch):
    read(first(HypothesesSettings(seed=9)))  # three runs of twenty
    table = own_texts.read(written())  # as a session, which holds its file
    own = chosen(table, source="")
    read(first(HypothesesSettings().change(data="own").change(own=own).change(repeats=2)))
    wholes = [read(TINY.change(data=data, repeats=2).run()) for data in ("domains", "topics")]
    for changes in FIRST:
        settings = TINY.change(**changes)
        result = read(first(settings, today(settings)))
    # What other runs would show
    monkeypatch.setattr(HypothesesResult, "harmed", 0.5)
    monkeypatch.setattr(HypothesesResult, "best_dimensions", (0,))
    for whole in wholes:
        read(replace(whole))  # which remembers nothing
    for case in Case:
        monkeypatch.setattr(HypothesesResult, "now_beside", lambda *_, case=case: case)
        read(result)
        figures._better(np.array(EPSILONS[:2]), [case, case], "epsilon")
        figures._better(np.array(EPSILONS[:2]), [Case.ALIKE, case], "epsilon")
    figures._better(np.array(EPSILONS[:2]), [Case.AHEAD, Case.ALIKE], "epsilon")
    for epsilon in (EPSILONS[0], 3.0, np.inf):
        for name in ("helps_from", "near_from"):
            monkeypatch.setattr(HypothesesResult, name, lambda *_, epsilon=epsilon: epsilon)
        assert len(say._laws(result)) == len(LAWS)
        figures.laws(result)
    assert reached.unread(say.SAYS) == []
