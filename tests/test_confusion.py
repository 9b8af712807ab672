"""Confusion matrices and what is made of them are scikit-learn's."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn import metrics

from dpcore.confusion import ByClass, balanced_accuracy, confusion, recalls
from dpcore.parties.hypotheses import informed
from dpcore.training import erm, losses
from pages.classifier.experiment import ClassifierSettings
from pages.hypotheses.experiment import HypothesesSettings
from pages.hypotheses.work import hypothesis_weights, target_fit
from pages.network.experiment import NetworkSettings
from pages.network.work import inputs
from pages.parties.experiment import PartiesSettings
from tests.sentences import broken_by, plain
from ui import outcomes, panels


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
        assert balanced_accuracy(found[place]) == pytest.approx(theirs.mean())
    assert np.isnan(recalls(found)[..., 0]).all() == missing
    own = np.stack([labels, labels[::-1]])[:, None]  # each model may have rows of its own
    both = confusion(answers, own, classes=classes)
    np.testing.assert_array_equal(both[1], confusion(answers[1], own[1], classes=classes))


def test_a_class_without_rows_is_no_part_of_any_number():
    one = ByClass(counts=np.array([[[3, 1, 0], [0, 0, 0], [0, 2, 2]]]), loss=np.array([0.5]))
    assert np.isnan(one.shares[1]).all()
    assert one.middle == {"accuracy": 0.625, "balanced accuracy": 0.625, "loss": 0.5}
    said = plain(outcomes.by_class(one, {"alone": one}, ["a", "b", "c"], models="models"))
    assert "b - - - -" in said
    assert not broken_by(said, one, {})


def classifier():
    """(result, arm -> (labels, what each model says of the probabilities of the classes)), as of the others below."""
    result = ClassifierSettings(dataset="digits", repeats=3, steps=5).run()
    X = losses.with_constant(result.split.X_test).astype(np.float32)
    models = {"scratch": result.focus.weights[0], "reference": result.reference.weights[None]}
    said = {arm: [(result.split.y_test, softmax(X @ one.T, axis=1)) for one in models[arm]] for arm in models}
    return result, said, result.summary["scratch"].median


def network():
    result = NetworkSettings(dataset="blobs", repeats=3, epochs=2, width=4, layers=1, epsilon=3.0).run()
    X, y, said = inputs(result.split.X_test), result.split.y_test, {}
    for arm in ("private", "plain"):
        said[arm] = [(y, softmax(z.T, axis=1)) for z in result.architecture.logits(result.weights(arm), X)]
    return result, said, result.summary("private").median


def parties():
    # With so little noise no probability is below 2e-16, where scikit-learn's loss ends
    result = PartiesSettings(dataset="four", parties=200, repeats=3, epsilon=100.0, regularisation=0.1).run()
    test = result.ensemble.rows["test"]
    models = dict(zip(result.methods, result.now.weights, strict=True)) | {"batch": result.batch[None]}
    said = {arm: [(test.y, softmax(test.X @ one.T, axis=1)) for one in models[arm]] for arm in models}
    return result, said, result.summary["soft"].median


def hypotheses():
    sizes = {"source_rows": 200, "unlabelled_rows": 200, "target_rows": 300, "public_rows": 300}
    result = HypothesesSettings(**sizes, repeats=4).run()
    said = {"transfer": [], "weak": []}
    for answer in result.settings.answers():
        model, repeats = answer.model, answer.repeats
        fits = [target_fit(model.target, repeat) for repeat in repeats]
        X, y = (np.stack([getattr(one, name)[: result.labels] for one in fits]).astype(float) for name in "Xy")
        _, found = informed(model.releases(repeats), hypothesis_weights(model, repeats), X, y)
        alone = erm.logistic(X, y, regularisation=result.settings.lambda_lr).weights
        for arm, weights in (("transfer", found), ("weak", alone)):
            shares = [expit(one.X_test @ w) for one, w in zip(fits, weights, strict=True)]
            said[arm] += [(one.y_test, np.stack([1 - p, p], axis=1)) for one, p in zip(fits, shares, strict=True)]
    return result, said, result.summary["transfer"].median


@pytest.mark.parametrize("page", [classifier, network, parties, hypotheses])
def test_every_page_counts_what_its_own_models_answer_and_that_is_downloaded(page):
    result, said, accuracy = page()
    assert said.keys() <= result.held_out.keys()
    for arm, models in said.items():
        found, every = result.held_out[arm], range(len(result.classes))
        assert len(found.counts) == len(found.loss) == len(models)
        answers = [(labels, shares.argmax(axis=1)) for labels, shares in models]
        for mine, pair in zip(found.counts, answers, strict=True):
            np.testing.assert_array_equal(mine, metrics.confusion_matrix(*pair, labels=every))
        recall = [metrics.recall_score(*pair, labels=every, average=None) for pair in answers]
        np.testing.assert_allclose(np.diagonal(found.shares), np.median(recall, axis=0))
        loss = [metrics.log_loss(labels, shares, labels=every) for labels, shares in models]
        np.testing.assert_allclose(found.loss, loss, rtol=1e-3)
        scores = {"accuracy": metrics.accuracy_score, "balanced accuracy": metrics.balanced_accuracy_score}
        middle = {name: np.median([score(*pair) for pair in answers]) for name, score in scores.items()}
        assert found.middle == pytest.approx(middle | {"loss": np.median(loss)}, rel=1e-3)
    first = next(iter(said)) if page is not parties else "soft"
    assert result.held_out[first].middle["accuracy"] == pytest.approx(accuracy)
    cells, measures = (panels.by_class_frames(result)[name]() for name in ("By class", "Held-out rows"))
    assert set(cells["arm"]) == set(measures["arm"]) == set(result.held_out)
    for arm, found in result.held_out.items():
        matrix = cells[cells["arm"] == arm].pivot(index="class", columns="answered", values="share")
        np.testing.assert_array_equal(matrix.loc[list(result.classes), list(result.classes)], found.shares)
        assert measures.set_index("arm").loc[arm].to_dict() == found.middle
