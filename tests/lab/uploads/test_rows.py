"""Rows of one's own: what becomes of their cells, their weights, and the question about them."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.training import losses
from lab.data import classification
from lab.models.non_private import optimum
from lab.uploads import rows as own_rows
from pages.classifier import charts
from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from tests.own_files import CLASSES, choose, frame, table_of
from tests.ui.charts.test_topic_charts import numbers


@pytest.fixture(scope="module")
def table():
    """Return a table of 1,000 rows."""
    return table_of(frame(1000))


def settings_of(own) -> ClassifierSettings:
    """Return quick settings of the classifier on a file."""
    return ClassifierSettings(repeats=4, steps=5).change(dataset="own").change(own=own)


class TestCells:
    """A row beyond the bounds, and one with missing cells and an answer that is no class."""

    @pytest.fixture(scope="class")
    @classmethod
    def source(cls):
        """Return the data source of a file whose first two rows have unusual cells."""
        file = frame(1000).astype(object)
        file.loc[0, ["age", "hours", "plan", "left"]] = [59, 90, "gold", "yes"]
        file.loc[1, ["age", "hours", "plan", "left"]] = ["", "n/a", "plus", "perhaps"]
        return choose(file, CLASSES).source

    @pytest.fixture(scope="class")
    @classmethod
    def rows(cls, source):
        """Return the inputs X in the unit cube and the classes y, in the order of the file."""
        X, y = source.draw(np.random.default_rng(0))
        return classification.to_unit(X, source.bounds), y

    def test_each_category_is_a_feature(self, source):
        assert source.features == ("age", "hours", "plan: basic", "plan: plus")

    def test_a_cell_beyond_the_bounds_is_at_them_and_an_unknown_category_is_none(self, rows):
        X, _ = rows

        assert X[0].tolist() == [0, 1, 0, 0]

    def test_a_missing_cell_is_the_middle(self, rows):
        X, _ = rows

        assert X[1].tolist() == [0, 0, 0, 1]

    def test_an_answer_that_is_no_class_is_none(self, rows):
        _, y = rows

        assert y[:2].tolist() == [1, -1]

    def test_every_row_is_there_and_in_the_unit_cube(self, rows):
        X, y = rows

        assert len(y) == 1000
        assert np.abs(X).max() == 1


@pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
class TestWeightsOfColumns:
    """The dots of the columns are their weights, the largest first."""

    def run(self, table, classes):
        """Return the result, and names of its inputs with private and non-private weights."""
        own = own_rows.choose(table, replace(CLASSES, classes=classes))
        result = settings_of(own).experiment.run()
        return result, *charts.largest_weights(result)

    def test_each_feature_has_a_name_and_weights(self, table, classes):
        result, names, private, plain = self.run(table, classes)

        assert sorted(names) == sorted(result.split.source.features)
        assert (private.shape, plain.shape) == ((4, 4), (4,))

    def test_weights_of_columns_are_those_of_the_model_or_the_spread_over_classes(
        self, table, classes
    ):
        result, (first, *_), private, _ = self.run(table, classes)
        weights = result.ensemble.weights[0][:, :, result.split.source.features.index(first)]

        expected = weights[:, 0] if len(classes) == 2 else np.ptp(weights, axis=1)
        np.testing.assert_array_equal(private[:, 0], expected)

    def test_the_column_with_the_largest_median_weight_is_first(self, table, classes):
        _, _, private, _ = self.run(table, classes)
        sizes = np.abs(np.median(private, axis=0))

        assert (np.diff(sizes) <= 0).all()

    def test_the_chart_draws_the_weights_of_columns(self, table, classes):
        result, names, private, _ = self.run(table, classes)

        drawn = go.Figure(charts.column_weights(result))

        np.testing.assert_array_equal(numbers(drawn.data[0].x), private.ravel())
        assert list(drawn.layout.yaxis.ticktext) == names


@pytest.mark.parametrize(("answer", "n_classes"), [(0, 2), (1, 2), (2, 3)])
def test_rows_of_one_class_have_an_optimum_that_always_says_so(answer, n_classes):
    X = np.random.default_rng(0).normal(size=(9, 2))

    weights = optimum(X, np.full(9, answer), n_classes=n_classes)

    assert (losses.predict(weights, losses.with_constant(X)) == answer).all()


CLASSIFIER_PAGE = next(page for page in PAGES if page.info.name == "classifier")


@pytest.fixture
def made_up(table) -> ClassifierSettings:
    """Return settings with made-up rows in place of a file."""
    return settings_of(own_rows.choose(table, CLASSES)).made_up


def question_about(settings: ClassifierSettings, text: str = "", targets=None):
    """Return the question that the tab of the classifier asks."""
    return CLASSIFIER_PAGE.question_tab.about(settings, text, targets or {})


def test_no_question_is_about_private_rows(table):
    settings = settings_of(own_rows.choose(table, CLASSES))

    assert question_about(settings) is None


def test_no_question_is_about_a_file_that_is_not_here(made_up):
    elsewhere = made_up.change(own=str.__str__(made_up.own))

    assert question_about(elsewhere) is None


def test_a_question_keeps_the_made_up_rows(made_up):
    question = question_about(made_up, "target 70")

    changed = question.change(rows=100, repeats=24)

    assert question.topic_settings == made_up
    assert question.topic_settings.own is made_up.own
    assert changed.topic_settings.own is made_up.own


def test_a_question_about_made_up_rows_is_answered(made_up):
    question = question_about(made_up, "target 70")

    answer = CLASSIFIER_PAGE.question_tab.view(question.experiment.run()).texts["answer"]

    assert CLASSIFIER_PAGE.question_tab.asks(question) == "target 70.0"
    assert "accuracy" in answer


def test_first_targets_are_in_reach(table):
    result = settings_of(own_rows.choose(table, CLASSES)).experiment.run()
    shares = result.held_out["reference"].shares.diagonal()
    reachable = {"scratch": result.reference.accuracy, "balanced": shares.mean()}
    for label, share in enumerate(shares):
        reachable[f"recall_{label}"] = share

    targets = CLASSIFIER_PAGE.content.first_targets(result)

    assert targets.pop("loss") > result.reference.loss[-1]
    for name, target in targets.items():
        assert 0 < target <= 100 * reachable[name] - 2, name


def test_the_first_question_about_made_up_rows_is_about_balanced_accuracy(made_up):
    targets = {"scratch": 61.0, "balanced": 55.0}

    first = question_about(made_up, targets=targets)

    assert (first.measure, first.target) == ("balanced", 55)


def test_another_measure_has_its_own_first_target(made_up):
    targets = {"scratch": 61.0, "balanced": 55.0}
    first = question_about(made_up, targets=targets)

    changed = first.change(measure="scratch")

    address = CLASSIFIER_PAGE.question_tab.asks(changed, targets, first)
    assert address == "measure scratch"
    assert question_about(made_up, address, targets).target == 61


@pytest.mark.parametrize(
    "as_text",
    [pytest.param(str.__str__, id="text alone"), pytest.param("".join, id="copied text")],
)
def test_a_question_is_refused_whose_settings_are_a_text(made_up, as_text):
    question = question_about(made_up)

    with pytest.raises(check.RefusedError):
        replace(question, base=as_text(question.base))


def test_no_link_is_about_a_file(made_up):
    question = question_about(made_up)

    with pytest.raises(check.RefusedError, match="without a file"):
        type(question)(topic="classifier", base="dataset own")
