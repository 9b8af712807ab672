"""The scores by class of all pages that show them, against scikit-learn on the pages' own models."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import softmax
from sklearn import metrics

from dpcore.training import losses
from pages.classifier.settings import ClassifierSettings
from pages.network.settings import NetworkSettings
from pages.network.training import scale_inputs
from pages.parties.settings import PartiesSettings

# Losses of models in single precision lose digits where a class is certain.
SINGLE_PRECISION = 1e-3

# Of a model, the labels (n,) of test rows and its probabilities (n, classes) for them.
Answers = tuple[np.ndarray, np.ndarray]


class Example(NamedTuple):
    """A page's result, and what its own models answer.

    answers: arm -> of each of its models, the labels of test rows and its probabilities for them.
    arm: the one whose accuracy the page shows.
    accuracy: the median that the page shows.
    """

    result: Any
    answers: dict[str, list[Answers]]
    arm: str
    accuracy: float


def classifier_example() -> Example:
    """Return the classifier's example: private models from scratch, and the non-private one."""
    result = ClassifierSettings(dataset="digits", repeats=3, steps=5).experiment.run()
    X = losses.with_constant(result.split.X_test).astype(np.float32)
    weights_by_arm = {
        "scratch": result.ensemble.weights[0],
        "reference": result.reference.weights[None],
    }
    answers = {}
    for arm, models in weights_by_arm.items():
        answers[arm] = [(result.split.y_test, softmax(X @ weights.T, axis=1)) for weights in models]
    return Example(result, answers, "scratch", result.summary["scratch"].median)


def network_example() -> Example:
    """Return the networks' example: private and non-private ones."""
    settings = NetworkSettings(dataset="blobs", repeats=3, epochs=2, width=4, layers=1, epsilon=3.0)
    result = settings.experiment.run()
    X = scale_inputs(result.split.X_test)
    answers = {}
    for arm in ("private", "plain"):
        logits = result.architecture.logits(result.weights(arm), X)
        answers[arm] = [(result.split.y_test, softmax(of_model.T, axis=1)) for of_model in logits]
    return Example(result, answers, "private", result.summary("private").median)


def parties_example() -> Example:
    """Return the parties' example: models of soft labels, and the non-private one of all rows."""
    # With so little noise no probability is below 2e-16, where scikit-learn's loss ends.
    settings = PartiesSettings(
        dataset="four", parties=200, repeats=3, epsilon=100.0, regularisation=0.1
    )
    result = settings.experiment.run()
    test_rows = result.ensemble.rows["test"]
    weights_by_arm = {"soft": result.released.weights_of("soft"), "pooled": result.pooled[None]}
    answers = {}
    for arm, models in weights_by_arm.items():
        answers[arm] = [
            (test_rows.y, softmax(test_rows.X @ weights.T, axis=1)) for weights in models
        ]
    return Example(result, answers, "soft", result.summary["soft"].median)


EXAMPLES = {
    "classifier": classifier_example,
    "network": network_example,
    "parties": parties_example,
}


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request) -> Example:
    """Return the example of a page."""
    return EXAMPLES[request.param]()


def predictions(answers: list[Answers]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the labels and the predicted classes of each model."""
    return [(labels, shares.argmax(axis=1)) for labels, shares in answers]


def test_every_arm_has_scores_of_each_of_its_models(example):
    assert example.answers.keys() <= example.result.held_out.keys()
    for arm, answers in example.answers.items():
        scores = example.result.held_out[arm]
        assert len(scores.counts) == len(scores.loss) == len(answers), arm


def test_matrices_are_those_of_the_pages_own_models(example):
    classes = range(len(example.result.classes))

    for arm, answers in example.answers.items():
        counts = example.result.held_out[arm].counts
        for matrix, pair in zip(counts, predictions(answers), strict=True):
            expected = metrics.confusion_matrix(*pair, labels=classes)
            np.testing.assert_array_equal(matrix, expected, err_msg=arm)


def test_recalls_are_medians_over_the_models(example):
    classes = range(len(example.result.classes))

    for arm, answers in example.answers.items():
        recalls = [
            metrics.recall_score(*pair, labels=classes, average=None)
            for pair in predictions(answers)
        ]
        shares = example.result.held_out[arm].shares
        np.testing.assert_allclose(np.diagonal(shares), np.median(recalls, axis=0), err_msg=arm)


def test_losses_are_those_of_the_pages_own_models(example):
    classes = range(len(example.result.classes))

    for arm, answers in example.answers.items():
        expected = [metrics.log_loss(*pair, labels=classes) for pair in answers]
        loss = example.result.held_out[arm].loss
        np.testing.assert_allclose(loss, expected, rtol=SINGLE_PRECISION, err_msg=arm)


def test_medians_are_those_of_the_pages_own_models(example):
    classes = range(len(example.result.classes))

    for arm, answers in example.answers.items():
        pairs = predictions(answers)
        accuracies = [metrics.accuracy_score(*pair) for pair in pairs]
        balanced = [metrics.balanced_accuracy_score(*pair) for pair in pairs]
        loss = [metrics.log_loss(*pair, labels=classes) for pair in answers]
        expected = {
            "accuracy": np.median(accuracies),
            "balanced accuracy": np.median(balanced),
            "loss": np.median(loss),
        }
        assert example.result.held_out[arm].medians == pytest.approx(
            expected, rel=SINGLE_PRECISION
        ), arm


def test_the_shown_accuracy_is_the_median_of_the_matrices(example):
    medians = example.result.held_out[example.arm].medians

    assert medians["accuracy"] == pytest.approx(example.accuracy)
