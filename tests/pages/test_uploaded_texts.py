"""What each page says of a file of one's own is so: rules on its sentences, held against the
results.
"""

import itertools
from dataclasses import replace

import pytest

from dpcore.estimators.linear import REGRESSIONS
from tests.own_files import CLASSES, NUMBER, frame, read_off, said, settings
from tests.pages.regression.test_regression_texts import RULES as OF_REGRESSION
from tests.sentences import Rules, amount, broken_by, counts, says


def by_person(result, *_) -> bool:
    return result.settings.by_person


def by_row(result, *_) -> bool:
    return not result.settings.by_person


def correct(result, *_) -> bool:
    return not result.settings.void


NOBODY: Rules = {
    r"nothing is guaranteed|guarantee is void|no limit": lambda r, _: bool(r.settings.void),
    r"coin toss: 50": correct,
}
# Of a file with classes, on the pages of the classifier and the networks.
OF_CLASSES: Rules = NOBODY | {
    r"the noise would weigh ([\d.]+) times less": says(
        lambda r: r.settings.own.private / r.settings.rows
    ),
    r"The unit of privacy is one person, all of their rows|one person record|another person's were used": (
        by_person
    ),
    r"The unit of privacy is one row": by_row,
    r"adjacency (?:replace-one|add/remove), one (person|record)": lambda r, m: (
        m[1] == r.settings.unit
    ),
}
TRAINED: Rules = {
    r"Trained on ([\d,]+) (?:of ([\d,]+) )?(rows|people)": lambda r, m: (
        amount(m[1]) == r.settings.rows
        and (m[2] is None) == (r.settings.rows == r.settings.own.private)
        and (m[3] == "people") == by_person(r)
    ),
}
LEARNT: Rules = TRAINED | {
    r"Tested on (?:one row each of )?([\d,]+)": counts(lambda r: len(r.split.y_test)),
}
ONLY: dict[str, Rules] = {
    "classifier": {
        **LEARNT,
        r"all rows of each\.|average is clipped": by_person,
    },
    "network": {
        **LEARNT,
        r"[Uu]p to (\d+) (?:rows of each|of a person's rows)": counts(lambda _: 8, given=by_person),
    },
}
OF_NUMBERS: Rules = {
    **NOBODY,
    **TRAINED,
    r"one person, all of their rows": lambda r, _: (
        by_person(r) and r.settings.source.rows_each >= 1
    ),
    r"The unit of privacy is one row": by_row,
    r"At most (\d+) rows of each person are used": counts(
        lambda r: r.settings.mechanism_of("gaussian").rows_each
    ),
}
NOT_OF_A_FILE: Rules = {
    r"held-out people|label bound|Excess risk|excess risk|the truth": lambda *_: False
}


def held(kind: str, rules: Rules, cases, *, seldom: Rules = NOT_OF_A_FILE) -> None:
    """Hold the rules against what is said of all these files; each pattern must be found
    somewhere.
    """
    found = set()
    for file, roles, changes in cases:
        result = settings(kind, roles, file=file, **changes).experiment.run()
        found |= broken_by(said(result), result, {**rules, **seldom})
    assert {*rules} - found == set()


@pytest.mark.parametrize("kind", ["classifier", "network"])
def test_texts_about_a_file_with_classes_agree_with_the_result(kind):
    people, file = frame(1000, people=400), frame()
    by_person = replace(CLASSES, person="who")
    part, tree = {"rows": 100}, {}
    extra = []
    if kind == "network":
        extra, tree = (
            [(people, by_person, {"mechanism": "toeplitz", "lot_size": 64})],
            {"mechanism": "toeplitz"},
        )
    cases = [
        (file, CLASSES, part),
        (people, by_person, {}),
        (file, read_off(CLASSES), {}),
        (frame(), CLASSES, tree),
    ]
    held(kind, OF_CLASSES | ONLY[kind], cases + extra)


def test_texts_about_a_file_with_a_numeric_answer_agree_with_the_result():
    off = replace(NUMBER, target=replace(NUMBER.target, read_off=True))
    people, by_person = frame(1200, people=400), replace(NUMBER, person="who", rows_each=3)
    kinds = [
        (frame(), NUMBER, {}),
        (frame(), replace(NUMBER, gaps=False), {"rows": 100}),
        (frame(), off, {}),
    ]
    kinds += [(people, by_person, {"rows": 200}), (people, replace(by_person, rows_each=1), {})]
    ways = [
        {"mechanism": kind, "epsilon": one, "repeats": 6}
        for kind in REGRESSIONS
        for one in (0.05, 1.0, 50.0)
    ]
    cases = [
        (file, roles, changes | way)
        for (file, roles, changes), way in itertools.product(kinds, ways)
    ]
    held("regression", OF_NUMBERS, cases, seldom={**OF_REGRESSION, **OF_NUMBERS, **NOT_OF_A_FILE})
