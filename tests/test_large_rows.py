"""A file with more rows than knobs can move with: a random part is live; all rows are trained on in small pieces."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.data import toy
from lab import sources
from lab.chunking import SLICE
from lab.files.own_rows import Column, OwnRows
from lab.sources import MOST_LIVE
from pages.classifier.experiment import ClassifierSettings
from pages.network.experiment import NetworkSettings
from tests.own_files import CLASSES, choose

PRIVATE = 48_000
KINDS = [ClassifierSettings(repeats=3, steps=5), NetworkSettings(repeats=3, epochs=1, width=4, layers=1)]


@pytest.fixture(scope="module")
def own() -> OwnRows:
    rng = np.random.default_rng(0)
    x = rng.random((60_000, 2)).round(3)
    y = np.where(x[:, 0] + rng.logistic(scale=0.1, size=len(x)) > 0.5, "yes", "no")
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(y=y)
    return choose(frame, replace(CLASSES, answer="y", columns=tuple(Column(name=name, low=0, high=1) for name in "ab")))


@pytest.fixture(params=KINDS, ids=lambda one: type(one).__name__)
def settings(request, own):
    return request.param.change(dataset="own").change(own=own)


def test_a_part_is_live_and_all_is_a_press_away_if_it_fits_into_memory(settings, monkeypatch):
    assert (settings.rows, settings.limits["rows"], settings.beyond) == (MOST_LIVE, (50, MOST_LIVE), False)
    whole = settings.of_rows(settings.most)
    assert (whole.rows, whole.limits["rows"], whole.beyond) == (PRIVATE, (50, PRIVATE), True)
    assert whole.of_rows(whole.live) == settings
    with pytest.raises(check.RefusedError, match="^rows is 48001, but must be a whole number from 50 to 48000"):
        settings.change(rows=PRIVATE + 1)
    monkeypatch.setattr(sources, "_MOST_VALUES", 60_000)
    assert settings.most == 30_000
    assert settings.of_rows(30_000).beyond
    with pytest.raises(check.RefusedError, match="rows"):
        settings.of_rows(PRIVATE)


def test_all_rows_are_learned_from_in_pieces_and_the_noise_weighs_as_much_less_as_is_said(settings):
    whole, ratio = settings.of_rows(settings.most), PRIVATE / MOST_LIVE
    essential, *_ = whole.tasks()
    if isinstance(whole, NetworkSettings):
        assert whole.steps == settings.steps
        assert whole.sigma == pytest.approx(settings.sigma, rel=1e-3)
        assert whole.lot_size / settings.lot_size == pytest.approx(ratio, rel=0.01)
        assert [[len(group) for group in model.groups(3)] for model in whole.models.values()] == [[2, 1]] * 2
        assert {len(model.learned()[0]) for model in whole.models.values()} == {PRIVATE}
    else:
        result = whole.run()
        assert settings.run().focus.noise / result.focus.noise == pytest.approx(ratio)
        assert essential.count == 2
        assert max(task.cells for task in whole.tasks() if hasattr(task, "cells")) <= max(SLICE, essential.cells)
        assert len(result.split.y_private) == PRIVATE
    rows = toy.load(settings.rows_of, seed=4, private_rows=settings.rows).rows_of["private"]
    assert len(rows) == MOST_LIVE
    assert not np.array_equal(np.sort(rows), np.arange(MOST_LIVE))
