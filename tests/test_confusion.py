"""Confusion matrices and what is made of them are scikit-learn's."""

import warnings

import numpy as np
import pytest
from sklearn import metrics

from dpcore.confusion import balanced_accuracy, confusion, recalls
from dpcore.training import losses
from pages.classifier.experiment import ClassifierSettings


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("missing", [False, True])
def test_they_are_those_of_scikit_learn(classes, missing):
    rng = np.random.default_rng(classes)
    labels = rng.integers(missing, classes, 60)
    answers = rng.integers(0, classes, (2, 3, 60))
    found = confusion(answers, labels, classes=classes)
    assert found.shape == (2, 3, classes, classes)
    for place in np.ndindex(2, 3):
        one = metrics.confusion_matrix(labels, answers[place], labels=range(classes))
        np.testing.assert_array_equal(found[place], one)
        there = np.unique(labels)
        theirs = metrics.recall_score(labels, answers[place], labels=there, average=None, zero_division=0)
        np.testing.assert_allclose(recalls(found[place])[there], theirs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of answers that are no label
            assert balanced_accuracy(found[place]) == pytest.approx(
                metrics.balanced_accuracy_score(labels, answers[place])
            )
    assert np.isnan(recalls(found)[..., 0]).all() == missing


@pytest.mark.parametrize("dataset", ["breast_cancer", "digits"])
def test_the_page_counts_the_predictions_of_its_own_models(dataset):
    """Each repeat's matrix is scikit-learn's of its weights; the accuracy in it is the one the page shows."""
    result = ClassifierSettings(dataset=dataset, repeats=3, steps=5).run()
    split = result.split
    X = losses.with_constant(split.X_test).astype(np.float32)
    for arm, weights in enumerate(result.focus.weights):
        counts = result.confusion(arm)
        for mine, one in zip(counts, weights, strict=True):
            answers = losses.predict(one, X)
            np.testing.assert_array_equal(
                mine, metrics.confusion_matrix(split.y_test, answers, labels=range(split.n_classes))
            )
        np.testing.assert_allclose(
            np.trace(counts, axis1=-2, axis2=-1) / len(split.y_test), result.focus.accuracy[arm], rtol=1e-6
        )
    frame = result.by_class()
    assert set(frame["arm"]) == {*result.settings.arms, "reference"}
    scratch = frame[(frame["arm"] == "scratch") & (frame["answered"] == frame["class"])]
    np.testing.assert_allclose(scratch["share"], np.median(recalls(result.confusion(0)), axis=0))
    private, reference = result.held_out()["scratch"], result.held_out()["reference"]
    assert private.balanced == pytest.approx(np.median(balanced_accuracy(result.confusion(0))))
    z = losses.logits(result.reference.weights, X)
    assert reference.loss == pytest.approx(
        metrics.log_loss(split.y_test, losses.probabilities(z).T, labels=range(split.n_classes)), rel=1e-3
    )
