"""What each page says of a file of one's own is so: rules on its sentences, held against the
results.
"""

import itertools
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
import pytest

from dpcore.estimators.linear import REGRESSIONS
from lab.uploads.column_roles import Roles
from tests.own_files import CLASSES, NUMBER, frame, read_off, said, settings
from tests.pages.regression.test_regression_texts import RULES as OF_REGRESSION
from tests.sentences import Rules, amount, broken_by, counts, says


def by_person(result, *_) -> bool:
    """Return whether the unit of privacy is a person."""
    return result.settings.by_person


def by_row(result, *_) -> bool:
    """Return whether the unit of privacy is a row."""
    return not result.settings.by_person


def correct(result, *_) -> bool:
    """Return whether the guarantee is not void."""
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


class UploadedCase(NamedTuple):
    """A file, what its columns are for, and other changes of a page's settings."""

    file: pd.DataFrame
    roles: Roles
    changes: dict[str, Any]


def assert_texts_keep(
    rules: Rules, kind: str, cases: list[UploadedCase], *, rare_rules: Rules = NOT_OF_A_FILE
) -> None:
    """Assert that texts about uploaded files keep the rules, of which each is met by some text."""
    found = set()
    for case in cases:
        shown = settings(kind, case.roles, file=case.file, **case.changes)
        result = shown.experiment.run()
        found |= broken_by(said(result), result, {**rules, **rare_rules})
    assert rules.keys() - found == set()


@pytest.mark.parametrize(
    ("kind", "cases_of_kind"),
    [
        pytest.param("classifier", [UploadedCase(frame(), CLASSES, {})], id="classifier"),
        pytest.param(
            "network",
            [
                UploadedCase(frame(), CLASSES, {"mechanism": "toeplitz"}),
                UploadedCase(
                    frame(1000, people=400),
                    replace(CLASSES, person="who"),
                    {"mechanism": "toeplitz", "lot_size": 64},
                ),
            ],
            id="network",
        ),
    ],
)
def test_texts_about_a_file_with_classes_agree_with_the_result(kind, cases_of_kind):
    cases = [
        UploadedCase(frame(), CLASSES, {"rows": 100}),
        UploadedCase(frame(1000, people=400), replace(CLASSES, person="who"), {}),
        UploadedCase(frame(), read_off(CLASSES), {}),
    ]

    assert_texts_keep(OF_CLASSES | ONLY[kind], kind, cases + cases_of_kind)


def test_texts_about_a_file_with_a_numeric_answer_agree_with_the_result():
    people = frame(1200, people=400)
    three_rows_each = replace(NUMBER, person="who", rows_each=3)
    one_row_each = replace(NUMBER, person="who", rows_each=1)
    answer_read_off = replace(NUMBER, target=replace(NUMBER.target, read_off=True))
    files = [
        UploadedCase(frame(), NUMBER, {}),
        UploadedCase(frame(), replace(NUMBER, gaps=False), {"rows": 100}),
        UploadedCase(frame(), answer_read_off, {}),
        UploadedCase(people, three_rows_each, {"rows": 200}),
        UploadedCase(people, one_row_each, {}),
    ]
    cases = []
    for case, mechanism, epsilon in itertools.product(files, REGRESSIONS, (0.05, 1.0, 50.0)):
        way = {"mechanism": mechanism, "epsilon": epsilon, "repeats": 6}
        cases.append(case._replace(changes=case.changes | way))

    rare_rules = {**OF_REGRESSION, **OF_NUMBERS, **NOT_OF_A_FILE}
    assert_texts_keep(OF_NUMBERS, "regression", cases, rare_rules=rare_rules)
