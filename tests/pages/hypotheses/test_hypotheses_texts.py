"""What the page of hypotheses says, held against what was computed."""

from dataclasses import replace
from functools import partial

import numpy as np

from lab.statistics.claims import Case
from pages.hypotheses import charts, charts_features
from pages.hypotheses import texts as say
from pages.hypotheses.page import PAGE
from pages.hypotheses.result import ALL_WORDS, EPSILONS, LAWS, SHARES, HypothesesResult
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.texts_algorithm import stages
from tests import attackers, reached
from tests.claims import better, since, unexplained, until, worse
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
from ui.compute.runner import compute

# What is fitted does not depend on epsilon, so few worlds go with many of them.
QUICK = {
    "data": ["domains", "topics"],
    "sources": [2, 5],
    "dimension": [2, 20],
    "similarity": [0.0, 0.5, 1.0],
}
QUICK |= {
    "source_rows": [200],
    "unlabelled_rows": [200],
    "target_rows": [300],
    "public_rows": [300],
}
QUICK |= {"lambda_lr": [0.003, 0.1], "lambda_iw": [0.001], "repeats": [2, 6, 12], "seed": [3]}
SMALL = HypothesesSettings(
    source_rows=200, unlabelled_rows=200, target_rows=300, public_rows=300, repeats=6
)
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


HARMLESS = (r"Gain over target only", r"adds? noise", r"best source on the test")


def words(result) -> str:
    verdict = say.verdict(result)
    assert len(plain(verdict)) <= 260  # two lines
    parts = [
        *tiles(say.numbers(result)),
        verdict,
        say.caption(result),
        stages(result),
        *say.diagnostics(result),
    ]
    drawn = [
        *(charts.accuracy(result, over) for over in ("epsilon", "share")),
        charts.gain(result),
    ]
    drawn += [charts.weights(result), charts_features.dimension(result)]
    return " ".join([*parts, say.guarantee(result), say.by_class(result), *titles(*drawn)])


def middle(result, name: str = "transfer") -> float:
    return float(np.median(result.accuracy[name]))


def ahead(result, one: str, other: str) -> float:
    return middle(result, one) - middle(result, other)


def even(result) -> float:
    shares = np.array(result.settings.shares)
    return float(((shares - 1 / len(shares)) ** 2).mean())


def shown(result, text: str, name: str) -> bool:
    """``text`` is the median accuracy of a method in percent, to its last digit."""
    return abs(float(text) - 100 * middle(result, name)) <= 0.501 * 10.0 ** -len(
        text.partition(".")[2]
    )


def always(done) -> float:
    rows = np.concatenate([one.counts for one in done])[:, 0].sum(axis=(0, 2))
    return float(rows.max() / rows.sum())


def shows(case, one: str = "transfer", other: str = "weak"):
    """Return a rule: today's runs show one method to be better, or worse, than another."""

    def holds(result, *_) -> bool:
        whole = len(result.accuracy[one]) == result.settings.repeats
        return case(
            result.accuracy[one],
            result.accuracy[other],
            constant=always(result.now.batches),
            whole=whole,
        )

    return holds


def alike(one: str = "transfer", other: str = "weak"):
    return lambda r, *_: not (shows(better, one, other)(r) or shows(worse, one, other)(r))


def free(result) -> float:
    return float(
        np.median(
            np.concatenate([one.accuracy_of("transfer") for one in result.without_noise.batches])
        )
    )


def dear(result, *_) -> bool:
    """Whether the noise is shown to cost accuracy."""
    plainly = result.without_noise.accuracy("transfer")
    whole = min(len(plainly), result.repeats) == result.settings.repeats
    return worse(
        result.accuracy["transfer"], plainly, constant=always(result.now.batches), whole=whole
    )


def places(result, over: str, case=better):
    """Return the values on an axis in its unit, and whether borrowing is shown to be better, or
    worse, at one.
    """
    over, scale = ("share", 100) if "labels" in over else ("epsilon", 1)
    runs = {**result.over_epsilon}
    if over == "share":
        runs = {**result.over_share, result.settings.label_share: result.now}
    found = {value * scale: at.batches for value, at in runs.items() if at.batches}
    found.pop(np.inf, None)

    def at(place: float) -> bool:
        mine, alone = (
            np.concatenate([one.accuracy_of(name) for one in found[place]])
            for name in ("transfer", "weak")
        )
        return case(
            mine, alone, constant=always(found[place]), whole=len(mine) == result.settings.repeats
        )

    assert len(found) >= len({"epsilon": EPSILONS, "share": SHARES}[over])
    return [*found], at


def widest(result, match) -> bool:
    found = {**result.over_dimension}
    if not result.settings.projected:
        found[result.data.features] = result.now
    runs = {value: one.accuracy("transfer") for value, one in found.items() if one.batches}
    best, few = runs.pop(int(amount(match[1] or match[2]))), min(map(len, runs.values()))
    return all(better(best[:few], other[:few], tests=len(runs)) for other in runs.values())


def laws(result, match) -> bool:
    """Whether transfer with all words is shown to help from there on, with each distribution of
    noise.
    """

    def helps(noise: str):
        found = result.over_law[noise, ALL_WORDS]
        runs = lambda epsilon, name: found[epsilon].accuracy(name)  # noqa: E731
        return lambda epsilon: better(runs(epsilon, "transfer"), runs(epsilon, "weak"))

    said = zip(LAWS, match.groups(), strict=True)
    firsts = {
        noise: text.removeprefix("everywhere") or "from 0 0"
        for noise, text in said
        if text != "nowhere"
    }
    return all(
        since(EPSILONS, helps(noise), amount(text.split()[2])) for noise, text in firsts.items()
    )


PERCENT = r"(\d+(?:\.\d+)?)\s%"
ON = r"(nowhere|everywhere|from epsilon [\d.,]*\d on)"
TITLE = r"Accuracy by (epsilon|labels): transfer "
RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(
        r.settings.guarantee, m[1]
    ),
    rf"Accuracy with transfer: {PERCENT}": lambda r, m: shown(r, m[1], "transfer"),
    rf"Target only: {PERCENT}": lambda r, m: shown(r, m[1], "weak"),
    r"transfer: \+([\d.]+) points?": percent(
        lambda r: ahead(r, "transfer", "weak"), given=shows(better), within=1.01
    ),
    r"transfer: −([\d.]+) points?": percent(
        lambda r: ahead(r, "weak", "transfer"), given=shows(worse), within=1.01
    ),
    r"no difference shown": alike(),
    rf"Median accuracy is {PERCENT} with transfer and {PERCENT} with": lambda r, m: (
        shown(r, m[1], "transfer") and shown(r, m[2], "weak")
    ),
    rf"Transfer gains .* here, with median accuracy {PERCENT} against {PERCENT} with (\d+) labels alone": lambda r, m: (
        shows(better)(r)
        and shown(r, m[1], "transfer")
        and shown(r, m[2], "weak")
        and int(m[3]) == round(r.settings.label_share * r.settings.target_rows)
    ),
    r"No difference can be shown in (\d+) runs": counts(lambda r: r.repeats, given=alike()),
    r"your row or another one was used": lambda r, _: (
        r.settings.guarantee.adjacency == "replace-one"
    ),
    r"equal weights would miss it by ([\d.e-]+\d)": says(even),
    r"No difference between weighted and equally weighted": alike("transfer", "average"),
    r"Equal weights do better now, by ([\d.]+)": percent(
        lambda r: ahead(r, "average", "transfer"),
        given=shows(better, "average", "transfer"),
        within=0.051,
    ),
    r"Weighting the sources gains ([\d.]+) points?": percent(
        lambda r: ahead(r, "transfer", "average"),
        given=shows(better, "transfer", "average"),
        within=0.051,
    ),
    r"releasing one of them whole": lambda r, _: (
        r.settings.noise == "gaussian" and r.settings.delta * r.settings.source_rows >= 1
    ),
    rf"Transfer without noise: {PERCENT}": percent(free),
    r"accuracy loss: ([\d.]+) points?": percent(
        lambda r: free(r) - middle(r), given=dear, within=1.01
    ),
    r"no accuracy loss shown": lambda r, _: not dear(r),
    **beyond_accuracy(
        lambda r: r.held_out["transfer"],
        lambda r: r.held_out["weak"],
        lambda r: r.held_out.get("transfer without noise"),
    ),
}
SELDOM: Rules = {
    r"In (\d+) of (\d+) runs it harms": counts(
        lambda r: (r.accuracy["transfer"] < r.accuracy["weak"]).sum(), lambda r: r.repeats
    ),
    r"[Ss]o far,? (\d+) of (\d+) runs": counts(
        lambda r: r.repeats,
        lambda r: r.settings.repeats,
        given=lambda r: r.repeats < r.settings.repeats,
    ),
    r"Transfer gains [\d.]+ points? here": shows(better),
    r"Transfer harms here": shows(worse),
    r"(?:At this epsilon ([\d,]+) features do best|best with ([\d,]+))": widest,
    r": they are closer than equal ones": lambda r, _: better(
        r.now.outcome.error, r.error_of_equal_weights, higher=False
    ),
    r"so they mislead here": lambda r, _: worse(
        r.now.outcome.error, r.error_of_equal_weights, higher=False
    ),
    r"Gain over target only: \+[\d.]+ points with transfer": shows(better),
    r"Gain over target only: −[\d.]+ points with transfer": shows(worse),
    rf"With all [\d,]+ words, transfer is shown to beat the target alone {ON} with the paper's"
    rf" noise, and {ON} "
    r"with Gaussian": laws,
    rf"{TITLE}helps from (?:epsilon )?([\d.]*\d)": lambda r, m: since(
        *places(r, m[1]), amount(m[2])
    ),
    rf"{TITLE}helps up to (?:epsilon )?([\d.]*\d)": lambda r, m: until(
        *places(r, m[1]), amount(m[2])
    ),
    rf"{TITLE}helps everywhere": lambda r, m: since(*places(r, m[1]), 0),
    rf"{TITLE}harms everywhere": lambda r, m: since(*places(r, m[1], worse), 0),
    **two_stories(lambda r: r.held_out["transfer"]),
    **attackers.rules(lambda r: r.settings.guarantee),
}


def today(settings) -> list:
    """All of today's runs, whose verdict claims something."""
    return list(settings.experiment.shown_sample())


def test_every_sentence_says_what_was_computed_and_a_first_picture_claims_nothing():
    free = [
        first(one, [*today(one), *one.experiment.over_epsilon.parts[np.inf].tasks]) for one in ONCE
    ]
    also = [*ONCE, *free, ONCE[0].change(seed=3).experiment.run()]
    how = {"within": QUICK, "also": also, "count": 12, "essential": today}
    hold(HypothesesSettings, words, RULES, seldom=SELDOM, harmless=HARMLESS, **how)
    said = plain(words(first(HypothesesSettings(seed=4712))))
    assert "o far" in said
    assert not unexplained(said, harmless=HARMLESS)


def test_what_is_trained_now_has_its_name_before_its_curve():
    """A legend names only what has points; over the shares the first three are there at once."""
    result, done = compute(SMALL.change(repeats=2, seed=4711, epsilon=7.0), seconds=0)
    assert done < 1
    assert not len(result.curve("transfer", "epsilon")[0])
    named = [trace for trace in charts.accuracy(result, "epsilon")["data"] if trace.get("name")]
    assert len(named) == 4
    assert all(trace["x"]["bdata"] for trace in named)


def test_the_bars_are_the_medians():
    result = first(SMALL, today(SMALL))
    bars = [
        shape for shape in charts.weights(result)["layout"]["shapes"] if shape["type"] == "rect"
    ]
    np.testing.assert_allclose(
        [bar["y1"] for bar in bars], 100 * np.median(result.now.outcome.weights, axis=0)
    )
    median = round(100 * result.gain["transfer"].median, 1)
    words = [word["text"] for word in charts.gain(result)["layout"]["annotations"]]
    assert f"{median:+.1f}".replace("-", "−") in words


TINY = SMALL.change(source_rows=100, unlabelled_rows=100, target_rows=200, public_rows=200)
FIRST = [
    {"epsilon": 30.0, "repeats": 20, "mixture": "0.2-0.2-0.2-0.2-0.2"},
    {"noise": "objective", "epsilon": 3.0, "lambda_lr": 1e-4},
    {"epsilon": 1000.0, "similarity": 1.0, "lambda_lr": 1.0},
    {"data": "topics", "projection": "none", "repeats": 2},
]


def test_every_text_is_reached(monkeypatch):
    read = partial(reached.show, PAGE)
    read(first(HypothesesSettings(seed=9)))  # three runs of twenty
    wholes = [
        read(TINY.change(data=data, repeats=2).experiment.run()) for data in ("domains", "topics")
    ]
    for settings in (*ONCE[:-2], *(TINY.change(**changes) for changes in FIRST)):
        result = read(first(settings, today(settings)))
    # What other runs would show
    monkeypatch.setattr(HypothesesResult, "harmed", 0.5)
    monkeypatch.setattr(HypothesesResult, "too_few_for_dimensions", False)
    for best in ((2, 5), (2,)):
        monkeypatch.setattr(HypothesesResult, "best_dimensions", best)
        for whole in wholes:
            read(replace(whole))  # which remembers nothing
    two = np.array(EPSILONS[:2])
    for case in Case:
        monkeypatch.setattr(HypothesesResult, "compare", lambda *_, case=case: case)
        read(result)
        for other in ([case, case], [Case.ALIKE, case], [Case.AHEAD, case]):
            charts.helps_finding(two, other, "epsilon")
    for epsilon in (EPSILONS[0], 3.0, np.inf):
        monkeypatch.setattr(HypothesesResult, "helps_from", lambda *_, epsilon=epsilon: epsilon)
        assert "all" in say._laws(result)
        charts_features.laws(result)
    assert reached.unread(say.SAYS) == []
