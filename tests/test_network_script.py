"""The page of networks: what its figures draw is what the result holds, and what a fixed order of batches changes."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.training import toeplitz
from pages.network import figures, words_tables
from pages.network import parameters as network
from pages.network import words as say
from pages.network.experiment import NetworkSettings
from pages.network.page import PAGE, knobs
from tests.test_figures import numbers

QUICK = NetworkSettings(rows=300, lot_size=50, epochs=3, repeats=2, width=4, layers=1)


@pytest.mark.parametrize("changes", [{}, {"clipping": "layers", "layers": 2}, {"dataset": "blobs", "layers": 0}])
def test_curves_draw_what_is_downloaded(changes):
    result = QUICK.change(**changes).run()
    frame = result.curves()
    private = frame[frame["arm"] == "private"]
    for over in network.OVER:
        drawn = figures.accuracy(replace(result, settings=result.settings.change(over=over)))
        (line,) = (trace for trace in drawn["data"] if trace.get("meta") == "ghost")
        assert line["name"] == "private"
        np.testing.assert_allclose(numbers(line["x"]), private[over], rtol=1e-6)
        np.testing.assert_allclose(numbers(line["y"]), 100 * private["accuracy median"], rtol=1e-6)


def test_another_loop_has_no_mechanisms_to_compare():
    result = QUICK.change(variant="shuffled").run()
    assert PAGE.view(result).boards["mechanisms"] == []
    assert "are compared for the correct DP-SGD variant" in words_tables.mechanisms(result)


@pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
def test_lots_in_a_fixed_order_need_no_secret(mechanism):
    result = QUICK.change(mechanism=mechanism, noise_ramp=0.5).run()
    said = say.guarantee(result)
    assert "leaves an empty place" in said
    assert "must stay secret" not in said
    assert "small batches in a fixed order" in (lead := say.lead(result.settings))
    assert "chance" not in lead
    assert not {"noise_ramp", "clip_ramp"} & {*knobs(result.settings).more}
    stated = say.label(result)
    assert toeplitz.ASSUMES in stated.said["assumptions"]
    assert "secret" not in stated.said["public"]
    assert stated.said["mechanism"].startswith(toeplitz.MECHANISMS[mechanism])
