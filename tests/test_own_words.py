"""What each page says of a file of one's own is so: rules on its sentences, held against the results."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimators.linear import REGRESSIONS
from pages.attack import words as attack_words
from pages.attack import words_parts
from pages.transfer import words, words_tabs
from pages.transfer.page import PAGE as TRANSFER
from pages.transfer.work import CANDIDATES
from tests import reached
from tests.app import opened
from tests.claims import better
from tests.own_files import CLASSES, NUMBER, TOWNS, frame, read_off, said, settings
from tests.sentences import Rules, broken_by
from tests.test_regression_words import RULES as OF_REGRESSION


def whole(text: str) -> int:
    return int(text.replace(",", ""))


def near(text: str, value: float) -> bool:
    return float(text.replace(",", "")) == pytest.approx(value, rel=6e-3, abs=1e-9)


def middle(result, name: str) -> float:
    return float(np.median(result.focus.risk[CANDIDATES.index(name)]))


def ahead(result, one: str, other: str) -> bool:
    both = (result.focus.risk[CANDIDATES.index(name)] for name in (one, other))
    return better(*both, higher=False, constant=result.nothing_learnt)


NOBODY: Rules = {
    r"nothing is guaranteed|guarantee is void|no limit": lambda r, _: bool(r.settings.void),
    r"coin toss: 50": lambda r, _: not r.settings.void,
}
# Of a file with classes, on the pages of the classifier, the networks and attacks.
OF_CLASSES: Rules = NOBODY | {
    r"[Tt]rained on (?:your file, )?([\d,]+) (?:of ([\d,]+) )?(rows|people)": lambda r, m: (
        whole(m[1]) == r.settings.rows
        and (m[2] is None) == (r.settings.rows == r.settings.own.private)
        and (m[3] == "people") == r.settings.by_person
    ),
    r"the noise would weigh ([\d.]+) times less": lambda r, m: near(m[1], r.settings.own.private / r.settings.rows),
    r"Tested on (?:one row each of )?([\d,]+)": lambda r, m: whole(m[1]) == len(r.split.y_test),
    r"The unit of privacy is one person, all of their rows|one person record|another person's were used": lambda r, _: (
        r.settings.by_person
    ),
    r"The unit of privacy is one row": lambda r, _: not r.settings.by_person,
    r"adjacency (?:replace-one|add/remove), one (person|record)": lambda r, m: m[1] == r.settings.unit,
}
ONLY: dict[str, Rules] = {
    "classifier": {
        r"all rows of each\.|average is clipped": lambda r, _: r.settings.by_person,
        r"would take ([\d,]+) times the noise of one row": lambda r, m: whole(m[1]) == r.settings.roles.most_rows > 1,
        r"One row of each person": lambda r, _: r.settings.roles.most_rows == 1,
    },
    "network": {
        r"up to (\d+) rows of each|Up to (\d+) of a person's rows": lambda r, m: (
            r.settings.by_person and int(m[1] or m[2]) == 8
        ),
        r"leaves an empty place": lambda r, _: r.settings.mechanism == "toeplitz",
        r"must stay secret": lambda r, _: r.settings.mechanism != "toeplitz",
    },
    "attack": {
        r"the most exposed person": lambda r, _: r.settings.who == "exposed",
        r"all rows of": lambda r, _: r.settings.by_person,
        r"counted by|guarantee is calibrated|No attack then|ound of this noise": lambda r, _: not r.settings.void,
    },
}
OF_NUMBERS: Rules = {
    r"trained on ([\d,]+) (?:of [\d,]+ )?(rows|people)": lambda r, m: (
        whole(m[1]) == r.settings.rows and (m[2] == "people") == r.settings.by_person
    ),
    r"of ([\d,]+) (?:rows|people), picked": lambda r, m: whole(m[1]) > r.settings.rows,
    r"measured on ([\d,]+) row": lambda r, m: whole(m[1]) == r.problem.test().there,
    r"one person, all of their rows": lambda r, _: r.settings.by_person and r.settings.source.rows_each >= 1,
    r"The unit of privacy is one row": lambda r, _: not r.settings.by_person,
    r"At most (\d+) rows of each person are used": lambda r, m: (
        int(m[1]) == r.settings.mechanism_of("gaussian").rows_each > 1
    ),
    r"up to (\d+) rows here": lambda r, m: int(m[1]) == r.settings.mechanism_of("output").rows_each > 1,
    r"number of such rows is protected too": lambda r, _: r.settings.mechanism_of("functional").gaps,
    r"becomes the midpoint of its bounds": lambda r, _: not r.settings.roles.gaps,
}
NOT_OF_A_FILE: Rules = {r"held-out people|label bound|Excess risk|excess risk|the truth": lambda *_: False}
ERROR = r"([\d.,]+(?:e[-+]\d+)?)(?=[.,;)]? )"
OF_SOURCES: Rules = {
    rf"RMSE, with sources {ERROR}": lambda r, m: near(m[1], middle(r, "transfer")),
    rf"RMSE, target only {ERROR}": lambda r, m: near(m[1], middle(r, "target")),
    rf"RMSE, non-private {ERROR}": lambda r, m: near(m[1], r.focus.least_squares),
    r"lower than target only|The sources help\. RMSE falls": lambda r, _: ahead(r, "transfer", "target"),
    r"higher than target only|The sources harm here": lambda r, _: ahead(r, "target", "transfer"),
    r"No difference can be shown in|no difference shown": lambda r, _: (
        not (ahead(r, "transfer", "target") or ahead(r, "target", "transfer"))
    ),
    r"No source is used": lambda r, _: not r.focus.kept.any(),
    r"Using only the sources does": lambda r, _: ahead(r, "source", "transfer"),
    r"Pooling all rows does": lambda r, _: ahead(r, "pooled", "transfer"),
    r"pooling all rows harms": lambda r, _: ahead(r, "target", "pooled"),
    r"the midpoint of the bounds would do no worse|no better than the midpoint": lambda r, _: (
        min(middle(r, one) for one in ("transfer", "target")) >= r.nothing_learnt
    ),
    r"alone do worse than predicting the midpoint": lambda r, _: middle(r, "target") > r.nothing_learnt,
    r"Trained on ([\d,]+) (of ([\d,]+) )?private": lambda r, m: (
        whole(m[1]) == len(r.problem.y)
        and (m[3] is None) == (r.settings.target_rows == r.settings.limits["target_rows"][1])
    ),
    r"and on ([\d,]+) public rows? of (\d+) sources?": lambda r, m: (
        whole(m[1]) == sum(r.settings.data.counts(r.settings.migrated)) and int(m[2]) == len(r.problem.sources)
    ),
    r"Tested on ([\d,]+) rows?": lambda r, m: whole(m[1]) == len(r.problem.y_test),
    r"You declared that all sources resemble the target": lambda r, _: (
        r.settings.selection == "known" and r.focus.kept.all()
    ),
    r"never reads a private row": lambda r, _: r.settings.selection == "known",
    r"Detection alone spends": lambda r, _: r.settings.selection == "detected",
    r"one person of the target": lambda r, _: r.settings.by_person,
    r"one row of the target\.": lambda r, _: not r.settings.by_person,
    r"counts as a row and adds nothing": lambda r, _: r.settings.roles.gaps,
    r"becomes the midpoint of its bounds": lambda r, _: not r.settings.roles.gaps,
}


def held(kind: str, rules: Rules, cases, *, seldom: Rules = NOT_OF_A_FILE) -> None:
    """Hold the rules against what is said of all these files; each pattern must be found somewhere."""
    found = set()
    for file, roles, changes in cases:
        result = settings(kind, roles, file=file, **changes).run()
        found |= broken_by(said(result), result, {**rules, **seldom})
    assert {*rules} - found == set()


@pytest.mark.parametrize("kind", ["classifier", "network", "attack"])
def test_what_is_said_of_a_file_with_classes_is_so(kind):
    people, file = frame(1000, people=400), frame()
    by_person = replace(CLASSES, person="who")
    part, tree = {"classifier": {"rows": 100}, "network": {"rows": 100}}.get(kind, {}), {}
    extra = [(people, replace(by_person, most_rows=most), {"epsilon": 1.0}) for most in (1, 12)]
    if kind == "network":
        extra, tree = [(people, by_person, {"mechanism": "toeplitz", "lot_size": 64})], {"mechanism": "toeplitz"}
    if kind == "attack":
        small = {"part": "membership"}
        extra = [(file, CLASSES, small), (people, by_person, small), (file, read_off(CLASSES), small)]
        extra += [(file, CLASSES, one) for one in ({"against": "nobody"}, {"who": "middle"}, {"person": 5})]
        part, file = {}, frame(5000)
    cases = [(file, CLASSES, part), (people, by_person, {}), (file, read_off(CLASSES), {}), (frame(), CLASSES, tree)]
    rules = OF_CLASSES | ONLY[kind]
    if kind == "attack":
        rules = {
            pattern: holds for pattern, holds in rules.items() if not pattern.startswith(("Tested", r"[Tt]rained"))
        }
    held(kind, rules, cases + extra)
    if kind == "attack":
        opened("attack", part="once", dataset="own")
        result = settings("attack", part="membership").run()
        words_parts.membership_caption(result)
        assert {*reached.unread(attack_words.OWN)} <= {"help.who"}  # which is on the control alone


def test_what_is_said_of_a_number_is_so():
    off = replace(NUMBER, target=replace(NUMBER.target, read_off=True))
    people, by_person = frame(1200, people=400), replace(NUMBER, person="who", rows_each=3)
    kinds = [
        (frame(), NUMBER, {}),
        (frame(), replace(NUMBER, gaps=False), {"rows": 100}),
        (frame(), off, {}),
        (people, by_person, {"rows": 200}),
        (people, replace(by_person, rows_each=1), {}),
    ]
    ways = [{"mechanism": kind, "epsilon": one, "repeats": 6} for kind in REGRESSIONS for one in (0.05, 1.0, 50.0)]
    cases = [(file, roles, changes | way) for (file, roles, changes), way in itertools.product(kinds, ways)]
    rules = {**OF_REGRESSION, **OF_NUMBERS, **NOBODY}
    held("regression", {**OF_NUMBERS, **NOBODY}, cases, seldom=rules | NOT_OF_A_FILE)


def test_what_is_said_of_sources_is_so():
    off = replace(TOWNS, target=replace(TOWNS.target, read_off=True))
    file = frame()
    far = file.assign(pay=file["pay"].where(file["town"] == "Ashford", 80 - file["pay"]))
    kinds = [
        (file, TOWNS, {}),
        (file, replace(TOWNS, gaps=False, sources=("Brookside",)), {"target_rows": 100, "migrated": 60}),
        (file, off, {}),
        (frame(900, people=900), replace(TOWNS, person="who"), {}),
        (far, TOWNS, {"h": 0.05}),
        (file.assign(pay=40 + 0.1 * file["pay"].where(file["town"] == "Ashford", 200)), TOWNS, {}),
    ]
    ways = [
        {"selection": kind, "epsilon": epsilon, "repeats": 6}
        for kind in ("known", "detected")
        for epsilon in (0.05, 1.0, 50.0)
    ]
    cases = [(file, roles, changes | way) for (file, roles, changes), way in itertools.product(kinds, ways)]
    held("transfer", {**OF_SOURCES, **NOBODY}, cases)
    paid = settings("transfer", TOWNS, paid=(0.1,))
    for one in (paid, paid.change(selection="detected")):
        said(one.run())
    result = paid.run()
    unmeasured = replace(result, focus=replace(result.focus, risk=np.full_like(result.focus.risk, np.nan)))
    assert "None of the held-out rows has an answer" in words.verdict(unmeasured)
    assert words.numbers(unmeasured)[0].note == "no held-out row has an answer"
    TRANSFER.lead(paid), words.texts(paid)["help.selection"]
    assert reached.unread(words_tabs.OWN) == []
