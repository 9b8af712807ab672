"""The networks with rows of one's own: lots, the gradient of a row without an answer, and the picture of columns."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.network import figures, words_tables
from pages.network import words as say
from tests.own_files import CLASSES, by_person, frame, settings
from tests.sentences import plain


def test_a_lot_lies_within_the_rows():
    of = settings("network", file=frame(120))
    assert (of.rows, of.lot_size) == (96, 96)
    assert np.isfinite(of.run().accuracy["private"]).all()


def test_people_have_places_in_a_fixed_order():
    """With as many people as rows would be, and their lots: nobody's is secret."""
    of = settings("network", by_person(CLASSES), file=frame(1000, people=400), mechanism="toeplitz", lot_size=64)
    result = of.run()
    assert of.lot == 64
    assert result.guarantee.event.count == of.steps // 5
    assert "every person's average gradient" in say.lead(of)
    assert "None" not in plain(words_tables.mechanisms(result))


class TestPicture:
    """How far training has moved each column."""

    @pytest.mark.parametrize("changes", [{}, {"layers": 0}, {"clipping": "layers", "layers": 2}], ids=str)
    def test_its_dots_are_how_far_weights_have_moved(self, changes):
        result = settings("network", **changes).run()
        found, features = figures.leading(result), result.split.source.features
        assert sorted(found.names) == sorted(features)
        place = features.index(found.names[0])
        units = result.architecture.shapes[0][0]
        start = result.architecture.start(result.settings.seed, range(2)).astype(np.float32)
        inputs = (result.weights("private") - start)[:, : units * (1 + len(features))]
        moved = inputs.reshape(2, units, 1 + len(features))[:, :, place]
        np.testing.assert_allclose(found.runs[:, 0], np.linalg.norm(moved, axis=1), rtol=1e-5)
        assert len(go.Figure(figures.inputs(result)).data) == 2

    def test_noise_alone_moves_them_as_far_as_is_said(self):
        """Where hardly a row has a gradient: none of the others has an answer."""
        file = frame(6000)
        file.loc[100:, "left"] = ""
        result = settings("network", file=file, repeats=40, epochs=1, epsilon=0.1).run()
        moved = np.sqrt(np.square(result.moved("private")).mean())
        assert moved == pytest.approx(result.moved_by_noise, rel=0.1)

    def test_networks_that_have_diverged_are_left_out(self):
        result = settings("network").run()
        for run in result.runs["plain"]:
            run.weights[-1] = np.inf
        go.Figure(figures.inputs(result))
