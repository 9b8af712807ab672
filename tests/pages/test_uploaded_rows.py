"""Networks trained on a visitor's own table."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.network import charts as network_figures
from tests.own_files import CLASSES, by_person, frame, settings

# Weights are kept in single precision.
SINGLE_PRECISION = 1e-5


def test_a_lot_lies_within_the_rows_and_people_have_places_in_a_fixed_order():
    of = settings("network", file=frame(120))
    assert (of.rows, of.lot_size) == (96, 96)
    assert np.isfinite(of.experiment.run().accuracy["private"]).all()
    of = settings(
        "network",
        by_person(CLASSES),
        file=frame(1000, people=400),
        mechanism="toeplitz",
        lot_size=64,
    )
    assert (of.batch_size, of.experiment.run().guarantee.event.count) == (64, of.steps // 5)


@pytest.mark.parametrize(
    "changes", [{}, {"layers": 0}, {"clipping": "layers", "layers": 2}], ids=str
)
def test_dots_are_how_far_the_weights_of_a_column_have_moved(changes):
    result = settings("network", **changes).experiment.run()
    found, features = network_figures.furthest_inputs(result), result.split.source.features
    assert sorted(found.names) == sorted(features)
    place, units = features.index(found.names[0]), result.architecture.shapes[0][0]
    start = result.architecture.start(result.settings.seed, range(2)).astype(np.float32)
    inputs = (result.weights("private") - start)[:, : units * (1 + len(features))]
    moved = inputs.reshape(2, units, 1 + len(features))[:, :, place]
    np.testing.assert_allclose(
        found.runs[:, 0], np.linalg.norm(moved, axis=1), rtol=SINGLE_PRECISION
    )
    for run in result.groups["plain"]:
        run.weights[-1] = np.inf  # one that has diverged is left out
    assert len(go.Figure(network_figures.inputs(result)).data) == 2
