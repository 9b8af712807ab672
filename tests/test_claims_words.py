"""No page claims a gain, a best or an "ahead" that its runs do not show."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from pages.classifier import figures as classifier_figures
from pages.classifier import words as classifier
from pages.classifier import words_tables as classifier_tables
from pages.classifier.experiment import ClassifierSettings
from pages.hypotheses import figures as hypotheses_figures
from pages.hypotheses import words as hypotheses
from pages.hypotheses.experiment import HypothesesSettings
from pages.hypotheses.parameters import EPSILONS, LAWS, SHARES
from pages.network import figures as network_figures
from pages.network import words as network
from pages.network.experiment import NetworkSettings
from pages.parties import figures as parties_figures
from pages.parties import words as parties
from pages.parties.experiment import PartiesSettings
from pages.parties.result import QUERIES
from pages.regression import figures as regression_figures
from pages.regression import words as regression
from pages.regression.experiment import RegressionSettings
from pages.transfer import figures as transfer_figures
from pages.transfer import words as transfer
from pages.transfer import words_tabs
from pages.transfer.experiment import TransferSettings
from pages.transfer.work import CANDIDATES
from tests import (
    test_classifier_words,
    test_hypotheses_words,
    test_network_words,
    test_parties_words,
    test_regression_words,
    test_transfer_words,
)
from tests.claims import Claims, better, unfounded, worse
from tests.sentences import at_random, first, outcome, plain


class Topic(NamedTuple):
    """A page: its settings, what it says, and what shows each claim. quick: how many settings without ``SOAK``; within:
    limits of them; whole: the share of them of which all work is done, the others have their first picture, and
    ``also`` these tasks."""

    settings: type
    words: Callable[[Any], list[str]]
    claims: Claims
    within: Mapping[str, Any]
    quick: int
    whole: float = 0.3
    harmless: tuple[str, ...] = ()
    also: Callable[[Any], list[Any]] = lambda _: []


def tiles(numbers) -> list[str]:
    return [f"{one.label}: {one.value} ({one.note})." for one in numbers]


def titles(*figures) -> list[str]:
    return [f"{figure['layout']['title']['text']}." for figure in figures]


def amount(text: str) -> float:
    return float(text.replace(",", ""))


def since(places, shown: Callable[[float], bool], first: float) -> bool:
    """Whether it is shown at ``first`` and at all larger places."""
    return all(shown(place) for place in places if place >= first * (1 - 1e-6))


def until(places, shown: Callable[[float], bool], last: float) -> bool:
    return all(shown(place) for place in places if place <= last * (1 + 1e-6))


# ---- parties


def parties_words(result) -> list[str]:
    drawn = (parties_figures.over_epsilon, parties_figures.over_parties, parties_figures.answers)
    said = [*tiles(parties.numbers(result)), parties.verdict(result), *parties.diagnostics(result)]
    return [*said, *titles(*(draw(result) for draw in drawn))]


def _release(r, name: str) -> np.ndarray:
    return r.now.accuracy[r.methods.index(name)]


def _own(r) -> np.ndarray:
    return _release(r, r.settings.method)


def _named(name: str) -> str:
    return next(key for key, (text, _) in parties_figures.STYLES.items() if text == name)


def _party(r) -> dict[str, Any]:
    labels = r.settings.ensemble.rows["test"].y
    base = max(float(np.mean(labels == label)) for label in set(labels))
    return {"constant": base, "whole": r.asked == r.settings.ensemble.parties}


def _alone(r) -> float:
    return float(np.median(r.fits.accuracy))


def _leads(r, name: str, others) -> bool:
    others = [one for one in others if one != name]
    tests = len(r.methods) - 1
    return all(better(_release(r, name), _release(r, one), tests=tests, **_party(r)) for one in others)


def _pays(r, over: str) -> tuple[list[float], Callable[[float], bool]]:
    grid = r.arm(r.settings.method, over)
    found = dict(zip(grid.at, grid.runs, strict=True))
    found[getattr(r.settings, over)] = _own(r)
    return [*found], lambda place: better(found[place], _alone(r), **_party(r))


PARTIES: Claims = {
    r"accuracy loss: [\d.]+ points?": lambda r, _: worse(_own(r), r.batch_accuracy, **_party(r)),
    r"Joining helps, as": lambda r, _: better(_own(r), _alone(r), **_party(r)),
    r"Joining harms here, as": lambda r, _: worse(_own(r), _alone(r), **_party(r)),
    r"The best release is ([\w ]+) with [\d.]+\s%": lambda r, m: _leads(r, _named(m[1]), r.methods),
    r"Ahead of this release is ([\w ]+) with [\d.]+\s%": lambda r, m: _leads(r, _named(m[1]), [r.settings.method]),
    r"No other release does better\.": lambda r, _: _leads(r, r.settings.method, r.methods),
    r"No other release does better than the majority-class baseline": lambda r, _: (
        np.median(r.now.accuracy, axis=1).max() <= _party(r)["constant"]
    ),
    r"The noise costs [\d.]+ points?": lambda r, _: worse(_own(r), r.exact[r.settings.method], **_party(r)),
    r"better for (?:more than |up to about )?([\d,]+) quer(?:y|ies)": lambda r, m: all(
        worse(_release(r, "soft"), right, **_party(r))
        for asked, right in zip(QUERIES, r.answered, strict=True)
        if asked <= amount(m[1])
    ),
    r"Accuracy by (epsilon|parties): joining helps from ([\d,.]*\d)": lambda r, m: since(*_pays(r, m[1]), amount(m[2])),
    r"Accuracy by (epsilon|parties): joining helps everywhere": lambda r, m: since(*_pays(r, m[1]), 0),
    r"Accuracy by (?:epsilon|parties): joining harms everywhere": lambda r, _: worse(_own(r), _alone(r), **_party(r)),
}

# ---- classifier


def classifier_words(result) -> list[str]:
    said = [*tiles(classifier.numbers(result)), classifier.verdict(result), *classifier.diagnostics(result)]
    return [*said, classifier_tables.insight(result), *titles(classifier_figures.accuracy(result))]


def _model(r) -> dict[str, Any]:
    base = max(float(np.mean(r.split.y_test == label)) for label in range(r.split.n_classes))
    return {"constant": base, "whole": r.focus.accuracy.shape[1] == r.settings.repeats}


def _lost(r) -> bool:
    return worse(r.focus.accuracy[0], r.reference.accuracy, **_model(r))


def _costs(r) -> tuple[list[float], Callable[[float], bool]]:
    every = zip(r.table()["epsilon"], r.accuracy.runs[0], strict=True)
    found = {epsilon: runs for epsilon, runs in every if not np.isnan(runs[0])}
    how = {"constant": _model(r)["constant"]}
    return [*found], lambda place: worse(found[place], r.reference.accuracy, **how)


def _started(r, epsilon: str) -> bool:
    place = int(np.abs(r.table()["epsilon"] - amount(epsilon)).argmin())
    return better(r.accuracy.runs[1, place], r.accuracy.runs[0, place], constant=_model(r)["constant"])


CLASSIFIER: Claims = {
    r"accuracy loss: [\d.]+ points?": lambda r, _: _lost(r),
    r"Privacy lowers accuracy by [\d.]+ points?": lambda r, _: _lost(r),
    r"Part of the accuracy loss here is therefore not due to privacy": lambda r, _: _lost(r),
    r"public rows? adds [\d.]+ points?": lambda r, _: better(*r.focus.accuracy[::-1], **_model(r)),
    r"public rows? lowers accuracy by [\d.]+ points?": lambda r, _: worse(*r.focus.accuracy[::-1], **_model(r)),
    r"largest gain from pre-training is \S+ points, at epsilon ([\d.,]*\d)\.": lambda r, m: _started(r, m[1]),
    r"At epsilon ([\d.,]*\d) it is": lambda r, m: _started(r, m[1]),
    r"privacy lowers it up to ([\d.]*\d)": lambda r, m: until(*_costs(r), amount(m[1])),
    r"privacy lowers it everywhere": lambda r, _: since(*_costs(r), 0),
}

# ---- network


def network_words(result) -> list[str]:
    said = [*tiles(network.numbers(result)), network.verdict(result), *network.diagnostics(result)]
    return [*said, *titles(network_figures.accuracy(result))]


def _nets(r) -> dict[str, Any]:
    base = max(float(np.mean(r.split.y_test == label)) for label in range(r.split.n_classes))
    return {"constant": base, "whole": len(r.accuracy["private"]) == r.settings.repeats}


def _second_half(r) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy of the private networks at the end, and in the middle of the axis."""
    every = np.concatenate([run.accuracy for run in r.runs["private"]], axis=1)
    axis = r.trajectories["private"][r.settings.over].to_numpy()
    return every[-1], every[np.abs(axis - axis[-1] / 2).argmin()]


def _net_lost(r) -> bool:
    return worse(r.accuracy["private"], r.accuracy["plain"], **_nets(r))


NETWORK: Claims = {
    r"accuracy loss: [\d.]+ points?": lambda r, _: _net_lost(r),
    r"Privacy lowers accuracy by [\d.]+ points?": lambda r, _: _net_lost(r),
    r"non-private networks do worse here": lambda r, _: better(r.accuracy["private"], r.accuracy["plain"], **_nets(r)),
    r"Correlated noise ends [\d.]+ points? more accurate": lambda r, _: better(
        r.at_the_end["toeplitz"], r.at_the_end["ordered"], constant=_nets(r)["constant"]
    ),
    r"Correlated noise ends [\d.]+ points? less accurate": lambda r, _: worse(
        r.at_the_end["toeplitz"], r.at_the_end["ordered"], constant=_nets(r)["constant"]
    ),
    r"second half adds \d+ points?": lambda r, _: better(*_second_half(r), constant=_nets(r)["constant"]),
    r"second half loses \d+ points?": lambda r, _: worse(*_second_half(r), constant=_nets(r)["constant"]),
}

# ---- regression


def regression_words(result) -> list[str]:
    said = [*tiles(regression.numbers(result)), regression.verdict(result), *regression.diagnostics(result)]
    return [*said, *titles(regression_figures.errors(result))]


def _off(r) -> bool:
    return worse(r.focus.errors, r.least_squares, higher=False, constant=r.mean_error)


def _useful(r) -> tuple[tuple[float, ...], Callable[[float], bool]]:
    found = dict(zip(r.settings.epsilons, r.curves[r.settings.mechanism].errors, strict=True))
    return r.settings.epsilons, lambda place: better(found[place], r.mean_error, higher=False)


REGRESSION: Claims = {
    r"loss from privacy: [\d.,e+]+": lambda r, _: _off(r),
    r"Privacy raises the median RMSE by [\d.,e+]+": lambda r, _: _off(r),
    r"better than the baseline from epsilon ([\d.]*\d)": lambda r, m: since(*_useful(r), amount(m[1])),
}

# ---- transfer


def transfer_words(result) -> list[str]:
    said = [*tiles(transfer.numbers(result)), transfer.verdict(result), *transfer.diagnostics(result)]
    said += [words_tabs.coefficients(result)]
    drawn = (transfer_figures.over_epsilon, transfer_figures.over_coefficients, transfer_figures.walk)
    return [*said, *titles(*(draw(result) for draw in drawn))]


def _risk(r, name: str) -> np.ndarray:
    return r.focus.risk[CANDIDATES.index(name)]


def _less(r, one: str, other: str) -> bool:
    return better(_risk(r, one), _risk(r, other), higher=False, constant=r.nothing_learnt)


def _helps(r, case: Callable[..., bool] = better) -> tuple[list[float], Callable[[float], bool]]:
    runs = r.over_epsilon.runs
    pairs = zip(runs[CANDIDATES.index("transfer")], runs[CANDIDATES.index("target")], strict=True)
    found = {e: pair for e, pair in zip(r.settings.epsilons, pairs, strict=True) if not np.isnan(pair[0][0])}
    return [*found], lambda place: case(*found[place], higher=False, constant=r.nothing_learnt)


def _descends(r, width: int, *, first: str) -> bool:
    one = r.alone[width]
    both = (one.descent, one.walk) if first == "descent" else (one.walk, one.descent)
    return better(*both, higher=False, constant=one.nothing)


def _widths(r, text: str, first: str) -> bool:
    return all(_descends(r, int(width), first=first) for width in text.split(", "))


def _walked(r, first: str) -> list[np.ndarray]:
    """How far from the truth the walks end, those that begin at ``first`` before the others."""
    zero, source = (np.abs(points[-1] - r.walks.truth).sum(axis=1) for points in r.walks.points)
    return [zero, source] if first == "zero" else [source, zero]


TRANSFER: Claims = {
    r"[\d.,]+ times lower than target only": lambda r, _: _less(r, "transfer", "target"),
    r"[\d.,]+ times higher than target only": lambda r, _: _less(r, "target", "transfer"),
    r"The sources cut excess risk by a factor of [\d.,]+": lambda r, _: _less(r, "transfer", "target"),
    r"The sources harm here": lambda r, _: _less(r, "target", "transfer"),
    r"Using only the sources does better": lambda r, _: _less(r, "source", "transfer"),
    r"Pooling all rows does better": lambda r, _: _less(r, "pooled", "transfer"),
    r"pooling all rows harms": lambda r, _: _less(r, "target", "pooled"),
    r"alone do worse than predicting 0": lambda r, _: worse(_risk(r, "target"), r.nothing_learnt, higher=False),
    r"does better than Frank-Wolfe with them": lambda r, _: all(
        better(r.alone[r.settings.dimension].descent, one, higher=False, constant=r.nothing_learnt)
        for one in (_risk(r, "transfer"), r.alone[r.settings.dimension].walk)
    ),
    r"DP gradient descent is ahead with": lambda r, _: _descends(r, r.settings.dimension, first="descent"),
    r"Frank-Wolfe is ahead with": lambda r, _: _descends(r, r.settings.dimension, first="walk"),
    r"Frank-Wolfe leads at (\d+(?:, \d+)*)": lambda r, m: _widths(r, m[1], "walk"),
    r"DP gradient descent (?:leads )?at (\d+(?:, \d+)*)": lambda r, m: _widths(r, m[1], "descent"),
    r"alone: (descent|Frank-Wolfe) is ahead(?: from (\d+))?": lambda r, m: since(
        r.alone, lambda width: _descends(r, width, first=m[1]), amount(m[2] or "0")
    ),
    r"Frank-Wolfe runs: closer from (the source|zero)": lambda r, m: better(*_walked(r, m[1]), higher=False),
    r"the sources help from ([\d.]*\d) on": lambda r, m: since(*_helps(r), amount(m[1])),
    r"the sources help up to ([\d.]*\d)": lambda r, m: until(*_helps(r), amount(m[1])),
    r"the sources help at every epsilon": lambda r, _: since(*_helps(r), 0),
    r"the sources harm at every epsilon": lambda r, _: since(*_helps(r, worse), 0),
}

# ---- hypotheses


def hypotheses_words(result) -> list[str]:
    said = [*tiles(hypotheses.numbers(result)), hypotheses.verdict(result), *hypotheses.diagnostics(result)]
    drawn = [hypotheses_figures.accuracy(result, over) for over in ("epsilon", "share")]
    drawn += [hypotheses_figures.gain(result), hypotheses_figures.weights(result)]
    return [*said, *titles(*drawn, hypotheses_figures.dimension(result))]


def _common(done) -> float:
    rows = np.concatenate([one.counts for one in done])[:, 0].sum(axis=(0, 2))
    return float(rows.max() / rows.sum())


def _borrowed(r, case: Callable[..., bool], one: str = "transfer", other: str = "weak") -> bool:
    whole = len(r.accuracy[one]) == r.settings.repeats
    return case(r.accuracy[one], r.accuracy[other], constant=_common(r.now.done), whole=whole)


def _free(r) -> bool:
    plain = r.plain.runs("transfer")
    whole = min(len(plain), r.repeats) == r.settings.repeats
    return worse(r.accuracy["transfer"], plain, constant=_common(r.now.done), whole=whole)


def _borrows(r, over: str, case: Callable[..., bool] = better) -> tuple[list[float], Callable[[float], bool]]:
    """Places of a curve in the unit of its axis, and whether borrowing is shown to be better there."""
    scale = 1 if over == "epsilon" else 100
    found = {key[1] * scale: one.done for key, one in r.found.items() if key[0] == over and one.done}
    found.pop(np.inf, None)

    def shown(place: float) -> bool:
        mine, alone = (np.concatenate([one.of(name) for one in found[place]]) for name in ("transfer", "weak"))
        return case(mine, alone, constant=_common(found[place]), whole=len(mine) == r.settings.repeats)

    assert len(found) >= len({"epsilon": EPSILONS, "share": SHARES}[over])
    return [*found], shown


def _over(text: str) -> str:
    return "share" if "labels" in text else "epsilon"


def _widest(r, number: str) -> bool:
    runs = {key[1]: one.runs("transfer") for key, one in r.found.items() if key[0] == "dimension" and one.done}
    best, few = runs.pop(int(amount(number))), min(map(len, runs.values()))
    return all(better(best[:few], other[:few], tests=len(runs)) for other in runs.values())


def _law(r, match: re.Match) -> bool:
    """Of all words, or of a few public directions: from where on each law of noise is shown to help."""
    few = 0 if "words" in match[1] else int(match[1].split()[0])

    def shown(noise: str) -> Callable[[float], bool]:
        def at(epsilon: float) -> bool:
            found = r.found["law", noise, few, epsilon]
            return better(found.runs("transfer"), found.runs("weak"))

        return at

    firsts = [
        0.0 if text == "everywhere" else amount(text.split()[2]) for text in match.groups()[1:] if text != "nowhere"
    ]
    laws = [noise for noise, text in zip(LAWS, match.groups()[1:], strict=True) if text != "nowhere"]
    return all(since(EPSILONS, shown(noise), first) for noise, first in zip(laws, firsts, strict=True))


_ON = r"(nowhere|everywhere|from epsilon [\d.,]*\d on)"
_TITLE = r"Accuracy by (epsilon|labels): transfer "
HYPOTHESES: Claims = {
    r"transfer: \+[\d.]+ points?": lambda r, _: _borrowed(r, better),
    r"transfer: −[\d.]+ points?": lambda r, _: _borrowed(r, worse),
    r"accuracy loss: [\d.]+ points?": lambda r, _: _free(r),
    r"Transfer gains [\d.]+ points? here": lambda r, _: _borrowed(r, better),
    r"Transfer harms here": lambda r, _: _borrowed(r, worse),
    r"In (\d+) of \d+ runs it harms": lambda r, m: (
        int(m[1]) == int((r.accuracy["transfer"] < r.accuracy["weak"]).sum())
    ),
    r"would be worth another [\d.]+ points?": lambda r, _: _borrowed(r, worse, "transfer", "target"),
    r"Equal weights do better now, by [\d.]+": lambda r, _: _borrowed(r, better, "average", "transfer"),
    r"Weighting the sources gains [\d.]+ points?": lambda r, _: _borrowed(r, better, "transfer", "average"),
    r"The best source alone does better": lambda r, _: _borrowed(r, better, "source", "transfer"),
    r"(?:At this epsilon ([\d,]+) features do best|best with ([\d,]+))": lambda r, m: _widest(r, m[1] or m[2]),
    r": they are closer than equal ones": lambda r, _: better(r.now.runs("error"), r.equal_error, higher=False),
    r"here they mislead": lambda r, _: worse(r.now.runs("error"), r.equal_error, higher=False),
    r"Gain over target only: \+[\d.]+ points with transfer": lambda r, _: _borrowed(r, better),
    r"Gain over target only: −[\d.]+ points with transfer": lambda r, _: _borrowed(r, worse),
    rf"(All [\d,]+ words|\d+ public directions)\. Transfer is shown to beat the target alone {_ON} with the paper's "
    rf"noise, and {_ON} with": _law,
    rf"{_TITLE}helps from ([\d.]*\d)": lambda r, m: since(*_borrows(r, _over(m[1])), amount(m[2])),
    rf"{_TITLE}helps up to ([\d.]*\d)": lambda r, m: until(*_borrows(r, _over(m[1])), amount(m[2])),
    rf"{_TITLE}helps everywhere": lambda r, m: since(*_borrows(r, _over(m[1])), 0),
    rf"{_TITLE}harms everywhere": lambda r, m: since(*_borrows(r, _over(m[1]), worse), 0),
}

# A sign test shows nothing in fewer than six runs.
RUNS = [2, 6, 12, 20]
TOPICS = {
    "parties": Topic(
        PartiesSettings,
        parties_words,
        PARTIES,
        test_parties_words.QUICK | {"repeats": RUNS},
        12,
        also=test_parties_words.today,
        whole=0.05,
        harmless=(r"is hardly more accurate than the majority-class baseline", "adds noise"),
    ),
    "classifier": Topic(
        ClassifierSettings,
        classifier_words,
        CLASSIFIER,
        test_classifier_words.QUICK
        | {"repeats": RUNS, "dataset": list(test_classifier_words.STRAIGHT), "steps": (1, 30)},
        15,
    ),
    "network": Topic(
        NetworkSettings,
        network_words,
        NETWORK,
        test_network_words.QUICK
        | {
            "repeats": [8, 16],
            "epochs": [2, 4, 8],
            "learning_rate": [1.0, 4.0],
            "plain_rate": [1.0],
            "clip_norm": [1.0],
        },
        8,
        harmless=(r"another rate may help",),
    ),
    "regression": Topic(
        RegressionSettings,
        regression_words,
        REGRESSION,
        test_regression_words.QUICK | {"repeats": RUNS},
        30,
        whole=0.1,
    ),
    "transfer": Topic(
        TransferSettings,
        transfer_words,
        TRANSFER,
        test_transfer_words.QUICK | {"repeats": RUNS},
        20,
        whole=0.1,
        harmless=(r"second best source is .*? behind the best", r"Each step adds one vertex", "keeps? no source"),
    ),
    "hypotheses": Topic(
        HypothesesSettings,
        hypotheses_words,
        HYPOTHESES,
        test_hypotheses_words.QUICK | {"repeats": [2, 6, 12]},
        4,
        also=test_hypotheses_words.today,
        whole=0.1,
        harmless=(r"Gain over target only: (?:none shown|so far[^.]*)", "Gain over target only"),
    ),
}


@pytest.mark.parametrize("name", TOPICS)
def test_no_sentence_claims_what_the_runs_do_not_show(name: str):
    topic, rng = TOPICS[name], np.random.default_rng(11)
    tried, claimed = int(os.environ.get("SOAK", topic.quick)), 0
    for _ in range(tried):
        settings = at_random(topic.settings, rng, topic.within)
        whole = rng.random() < topic.whole
        result = outcome(settings, rng, whole=True) if whole else first(settings, topic.also(settings))
        for claim, wrong in unfounded(plain(" ".join(topic.words(result))), result, topic.claims, topic.harmless):
            claimed += 1
            assert not wrong, f"{claim!r} is not shown in {settings}"
    print(f"{name}: {tried} settings, {claimed} claims")
    assert claimed > tried / 20


@pytest.mark.parametrize(
    ("name", "settings"),
    [("hypotheses", HypothesesSettings(seed=4712)), ("parties", PartiesSettings(parties=6000)), ("classifier", None)],
)
def test_no_sentence_of_a_first_picture_claims_anything(name: str, settings):
    settings = settings or ClassifierSettings(dataset="digits", repeats=40, steps=400)
    result, topic = first(settings), TOPICS[name]
    said = plain(" ".join(topic.words(result)))
    assert re.search(r"[Ss]o far", said)
    assert not [claim for claim, _ in unfounded(said, result, topic.claims, topic.harmless)]
