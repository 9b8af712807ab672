"""Files with very many rows: a part of them is live, and all of them are a press away."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from lab.data import classification
from lab.experiment import data_settings
from lab.experiment.chunking import SLICE
from lab.experiment.data_settings import MOST_LIVE
from lab.uploads.column_roles import Column
from pages.classifier.settings import ClassifierSettings
from pages.network.settings import NetworkSettings
from tests.own_files import CLASSES, choose

# Noise is calibrated to this share of epsilon.
CALIBRATION_ERROR = 1e-3
# Batches have whole numbers of rows.
ROUNDING_OF_SIZES = 0.01

PRIVATE = 48_000


@pytest.fixture(scope="module")
def own():
    """A file of 60,000 rows, of which 48,000 are private."""
    rng = np.random.default_rng(0)
    x = rng.random((60_000, 2)).round(3)
    score = x[:, 0] + rng.logistic(scale=0.1, size=len(x))
    file = pd.DataFrame(x, columns=["a", "b"]).assign(y=np.where(score > 0.5, "yes", "no"))
    columns = tuple(Column(name=name, low=0, high=1) for name in "ab")
    return choose(file, replace(CLASSES, answer="y", columns=columns))


@pytest.fixture
def classifier(own):
    """Return quick settings of the classifier on the file."""
    return ClassifierSettings(repeats=3, steps=5).change(dataset="own").change(own=own)


@pytest.fixture
def network(own):
    """Return quick settings of the network on the file."""
    start = NetworkSettings(repeats=3, epochs=1, width=4, layers=1)
    return start.change(dataset="own").change(own=own)


@pytest.fixture(params=["classifier", "network"])
def settings(request):
    """Return quick settings of the classifier, or of the network, on the file."""
    return request.getfixturevalue(request.param)


def of_all_rows(settings):
    """Return the settings with as many private rows as there may be."""
    return settings.of_rows(settings.most_rows)


class TestRows:
    def test_the_pages_first_train_on_a_part_of_many_rows(self, settings):
        assert settings.rows == MOST_LIVE
        assert settings.limits["rows"] == (50, MOST_LIVE)
        assert not settings.exceeds_live_rows

    def test_all_rows_are_a_press_away(self, settings):
        whole = of_all_rows(settings)

        assert whole.rows == PRIVATE
        assert whole.limits["rows"] == (50, PRIVATE)
        assert whole.exceeds_live_rows

    def test_another_press_leads_back_to_a_part_of_the_rows(self, settings):
        whole = of_all_rows(settings)

        assert whole.of_rows(whole.live_rows) == settings

    def test_more_rows_than_there_are_is_refused(self, settings):
        why = "^rows is 48001, but must be a whole number from 50 to 48000"
        with pytest.raises(check.RefusedError, match=why):
            settings.change(rows=PRIVATE + 1)

    def test_no_more_rows_are_offered_than_fit_into_memory(self, settings, monkeypatch):
        monkeypatch.setattr(data_settings, "_MOST_VALUES", 60_000)

        assert settings.most_rows == 30_000
        assert settings.of_rows(30_000).exceeds_live_rows

    def test_more_rows_than_fit_into_memory_are_refused(self, settings, monkeypatch):
        monkeypatch.setattr(data_settings, "_MOST_VALUES", 60_000)

        with pytest.raises(check.RefusedError, match="rows"):
            settings.of_rows(PRIVATE)

    def test_the_live_part_is_drawn_by_chance(self, settings):
        split = classification.load(settings.dataset_key, seed=4, private_rows=settings.rows)
        rows = split.rows_of["private"]

        assert len(rows) == MOST_LIVE
        assert not np.array_equal(np.sort(rows), np.arange(MOST_LIVE))


class TestClassifier:
    def test_the_classifier_learns_from_all_rows(self, classifier):
        assert len(of_all_rows(classifier).experiment.run().split.y_private) == PRIVATE

    def test_noise_weighs_less_in_proportion_to_the_rows(self, classifier):
        live, whole = (one.experiment.run() for one in (classifier, of_all_rows(classifier)))

        ratio = live.ensemble.noise / whole.ensemble.noise
        assert ratio == pytest.approx(PRIVATE / MOST_LIVE)

    def test_a_classifier_on_all_rows_is_trained_in_pieces(self, classifier):
        first, *others = of_all_rows(classifier).experiment.tasks()

        assert first.count == 2
        cells = [task.cells for task in others if hasattr(task, "cells")]
        assert max(cells, default=0) <= max(SLICE, first.cells)


class TestNetwork:
    def test_the_network_learns_from_all_rows(self, network):
        for training in of_all_rows(network).trainings.values():
            inputs, *_ = training.rows()
            assert len(inputs) == PRIVATE

    def test_lots_grow_with_the_rows_and_the_noise_multiplier_stays(self, network):
        whole = of_all_rows(network)

        ratio = whole.lot_size / network.lot_size
        assert whole.steps == network.steps
        assert whole.noise_multiplier == pytest.approx(
            network.noise_multiplier, rel=CALIBRATION_ERROR
        )
        assert ratio == pytest.approx(PRIVATE / MOST_LIVE, rel=ROUNDING_OF_SIZES)

    def test_a_network_on_all_rows_is_trained_in_pieces(self, network):
        trainings = of_all_rows(network).trainings.values()

        sizes = [[len(group) for group in training.groups(3)] for training in trainings]
        assert sizes == [[2, 1]] * 2
