"""Names of persons and of classes, in any type and spelling."""

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.estimators import base, people
from tests.estimator_makers import (
    CLASSIFIERS,
    make_logistic,
    separated_rows,
    simple_rows,
    weights_of,
)

each_classifier = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)

# --- Persons --------------------------------------------------------------------------------------

MISSING_NAMES = {
    "NaN": np.full(100, np.nan),
    "different NaNs": np.array([float("nan") for _ in range(100)], dtype=object),
    "a column without names": pd.Series([np.nan] * 100),
    "None": [None] * 100,
    "NA": pd.Series([pd.NA] * 100, dtype="Int64"),
    "NaT": pd.Series([pd.NaT] * 100),
    "not a time": np.full(100, np.datetime64("NaT")),
    "empty": ["", " "] * 50,
    "several kinds": [None, np.nan, pd.NA, pd.NaT, ""] * 20,
    "masked": np.ma.masked_all(100, dtype=int),
}
each_missing_name = pytest.mark.parametrize("groups", MISSING_NAMES.values(), ids=MISSING_NAMES)


@each_missing_name
def test_rows_without_a_name_belong_to_one_person(groups):
    assert not people.people_of(groups, 100).any()


@each_missing_name
def test_rows_without_a_name_are_learned_from_as_one_person(groups):
    without_names = make_logistic(random_state=0).fit(*simple_rows(), groups=groups)
    with_one_name = make_logistic(random_state=0).fit(*simple_rows(), groups=np.zeros(100))

    np.testing.assert_array_equal(without_names.coef_, with_one_name.coef_)
    assert without_names.n_iter_ == 100


MASKED_SECOND = np.ma.masked_array([1, 2, 1, 2], mask=[False, True, False, False])


@pytest.mark.parametrize(
    ("names", "persons"),
    [
        pytest.param([3.0, np.nan, 4.0, None, 3.0], [0, 1, 2, 1, 0], id="missing among numbers"),
        pytest.param(MASKED_SECOND, [0, 1, 0, 2], id="a masked one among numbers"),
        pytest.param(
            ["Zoë Ruiz", "Zoe\u0308 Ruiz", " Zoë  Ruiz", "Zoë\u00a0Ruiz"],
            [0, 0, 0, 0],
            id="spellings of a name",
        ),
        pytest.param(["Zoe", "Zoë", "zoe"], [0, 1, 0], id="an accent, and a capital"),
        pytest.param([1, 1.0, np.int8(1), np.float32(2)], [0, 0, 0, 1], id="any precision"),
    ],
)
def test_equal_names_belong_to_one_person(names, persons):
    assert people.people_of(names, len(names)).tolist() == persons


@pytest.mark.parametrize(
    "names", [[1, "1"], [True, 1], [b"a", "a"], ["a", 1.5], [("a",), "a"]], ids=str
)
def test_names_of_several_types_are_refused(names):
    message = "^groups is 'a mixture of .*, but must be names of one type$"

    with pytest.raises(check.RefusedError, match=message):
        make_logistic().fit(*simple_rows(), groups=names * 50)


def test_objects_that_cannot_be_names_are_refused():
    groups = np.empty(100, dtype=object)
    groups[:] = [{} for _ in range(100)]

    with pytest.raises(check.RefusedError, match="^groups is "):
        make_logistic().fit(*simple_rows(), groups=groups)


# --- Declared classes -----------------------------------------------------------------------------


@each_classifier
@pytest.mark.parametrize("label", ["a", "z", 3, None, np.nan], ids=str)
def test_declared_classes_refuse_no_label(make, label):
    X, _ = separated_rows()

    fitted = make(classes=["c", "a", "b"]).fit(X, np.full(200, label, dtype=object))

    assert list(fitted.classes_) == ["a", "b", "c"]
    assert fitted.predict_proba(X).shape == (200, 3)
    assert base.PUBLIC_CLASSES not in fitted.guarantee_.assumes


@each_classifier
def test_classes_of_the_labels_are_assumed_to_be_public(make):
    fitted = make().fit(*separated_rows())

    assert base.PUBLIC_CLASSES in fitted.guarantee_.assumes


@each_classifier
def test_labels_of_one_class_are_refused(make):
    X, _ = separated_rows()

    with pytest.raises(ValueError, match="one class"):
        make().fit(X, np.full(200, "a"))


NUMBERS = np.arange(100) % 2
WORDS = np.array(["0", "1"] * 50)
TRUTHS = NUMBERS == 0


@each_classifier
@pytest.mark.parametrize(
    ("declared", "y"),
    [
        pytest.param(["0", "1"], NUMBERS, id="numbers"),
        pytest.param(["0.0", "1.0"], NUMBERS.astype(float), id="fractions"),
        pytest.param(["True", "False"], TRUTHS, id="truth values"),
        pytest.param(["0", "1"], NUMBERS.tolist(), id="a list of numbers"),
        pytest.param(["0", "1"], pd.Series(NUMBERS), id="a column of numbers"),
        pytest.param(["0", "1"], pd.Series(NUMBERS, dtype="Int64"), id="numbers or nothing"),
        pytest.param([0, 1], WORDS, id="words"),
        pytest.param([0, 1], WORDS.tolist(), id="a list of words"),
        pytest.param([0, 1], pd.Series(WORDS), id="a column of words"),
        pytest.param([0, 1], pd.Series(WORDS, dtype="category"), id="categories"),
        pytest.param(["0", "1"], WORDS.astype("S"), id="bytes"),
        pytest.param([0, 1], NUMBERS.astype("datetime64[D]"), id="dates"),
    ],
)
def test_classes_that_no_label_of_this_type_can_have_are_refused(make, declared, y):
    X, _ = simple_rows()

    with pytest.raises(check.RefusedError, match="^classes is "):
        make(classes=declared).fit(X, y)


@each_classifier
@pytest.mark.parametrize(
    ("declared", "y"),
    [
        pytest.param([0.0, 1.0], NUMBERS, id="fractions"),
        pytest.param([0, 1], NUMBERS.astype(float), id="whole numbers"),
        pytest.param([False, True], NUMBERS, id="truth values"),
        pytest.param([0, 1], pd.Series(NUMBERS, dtype="category"), id="categories"),
        pytest.param(["0", "1"], pd.Series(WORDS, dtype="string"), id="words"),
        pytest.param(["0", "1"], [*WORDS[:-1].tolist(), 5], id="one label of another type"),
    ],
)
def test_declared_classes_of_another_type_than_the_labels_are_learned_if_they_can_be_equal(
    make, declared, y
):
    X, _ = simple_rows()

    fitted = make(classes=declared, random_state=0).fit(X, y)

    assert np.abs(weights_of(fitted)).max() > 0


@each_classifier
@pytest.mark.parametrize(
    ("declared", "labels", "spellings"),
    [
        pytest.param(["0", "1"], WORDS, NUMBERS.astype(object), id="numbers as objects"),
        pytest.param([0, 1], NUMBERS, WORDS.astype(object), id="words as objects"),
        pytest.param(
            ["no", "yes"],
            np.where(TRUTHS, "yes", "no"),
            np.where(TRUTHS, "Yes.", " NO"),
            id="words with dots",
        ),
    ],
)
def test_a_label_belongs_to_its_class_in_any_spelling(make, declared, labels, spellings):
    X, _ = simple_rows()

    of_labels = make(classes=declared, random_state=0).fit(X, labels)
    of_spellings = make(classes=declared, random_state=0).fit(X, spellings)

    np.testing.assert_array_equal(weights_of(of_spellings), weights_of(of_labels))


def test_only_equal_labels_belong_to_classes_that_are_spellings_of_one_name():
    labels = np.array(["a", "A", "a.", None, np.nan], dtype=object)

    numbers = base._class_numbers(labels, np.array(["A", "a"]))

    assert numbers.tolist() == [1, 0, -1, -1, -1]
