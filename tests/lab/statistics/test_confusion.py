"""Confusion matrices and what is derived from them, against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics

from lab.statistics.confusion import ByClass, balanced_accuracy, confusion, recalls
from tests.sentences import broken_by, plain
from ui.text import class_predictions

ROWS = 60
# Models (2, 3) of which each predicts the classes of the rows.
MODELS = (2, 3)
CASES = [
    pytest.param(classes, first_class, id=f"{classes} classes, from {first_class}")
    for classes in (2, 3, 10)
    for first_class in (0, 1)  # no row has class 0 in the second case
]


def random_classes(classes: int, first_class: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels (n,), and predictions (2, 3, n) of six models."""
    rng = np.random.default_rng(classes)
    labels = rng.integers(first_class, classes, ROWS)
    predictions = rng.integers(0, classes, (*MODELS, ROWS))
    return labels, predictions


@pytest.mark.parametrize(("classes", "first_class"), CASES)
def test_matrices_are_those_of_scikit_learn(classes, first_class):
    labels, predictions = random_classes(classes, first_class)

    counts = confusion(predictions, labels, classes=classes)

    assert counts.shape == (*MODELS, classes, classes)
    for model in np.ndindex(MODELS):
        expected = metrics.confusion_matrix(labels, predictions[model], labels=range(classes))
        np.testing.assert_array_equal(counts[model], expected)


@pytest.mark.parametrize(("classes", "first_class"), CASES)
def test_recalls_are_those_of_scikit_learn(classes, first_class):
    labels, predictions = random_classes(classes, first_class)
    present = np.unique(labels)

    counts = confusion(predictions, labels, classes=classes)

    for model in np.ndindex(MODELS):
        expected = metrics.recall_score(
            labels, predictions[model], labels=present, average=None, zero_division=0
        )
        np.testing.assert_allclose(recalls(counts[model])[present], expected)
        assert balanced_accuracy(counts[model]) == pytest.approx(expected.mean())


@pytest.mark.parametrize(("classes", "first_class"), CASES)
def test_the_recall_of_a_class_without_rows_is_nan(classes, first_class):
    labels, predictions = random_classes(classes, first_class)

    counts = confusion(predictions, labels, classes=classes)

    assert np.isnan(recalls(counts)[..., 0]).all() == (first_class > 0)


@pytest.mark.parametrize(("classes", "first_class"), CASES)
def test_each_model_may_have_its_own_rows(classes, first_class):
    labels, predictions = random_classes(classes, first_class)
    labels_of_models = np.stack([labels, labels[::-1]])[:, None]

    counts = confusion(predictions, labels_of_models, classes=classes)

    alone = confusion(predictions[1], labels_of_models[1], classes=classes)
    np.testing.assert_array_equal(counts[1], alone)


@pytest.fixture
def without_rows() -> ByClass:
    """Return the scores of a model on rows of which none has the second class."""
    counts = np.array([[[3, 1, 0], [0, 0, 0], [0, 2, 2]]])
    return ByClass(counts=counts, loss=np.array([0.5]))


def test_a_class_without_rows_is_in_no_number(without_rows):
    assert np.isnan(without_rows.shares[1]).all()
    assert without_rows.medians == {"accuracy": 0.625, "balanced accuracy": 0.625, "loss": 0.5}


def test_a_class_without_rows_has_dashes_in_the_table(without_rows):
    names = ["a", "b", "c"]

    table = class_predictions.table(without_rows, {"alone": without_rows}, names, models="models")

    assert "b - - - -" in plain(table)
    assert not broken_by(plain(table), without_rows, {})
