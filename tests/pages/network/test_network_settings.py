"""Settings of the networks: ranges, what both arms have in common, and the budget that is spent."""

import dataclasses

import numpy as np
import pytest

from dpcore import accountants, check
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    Composed,
    GaussianRelease,
    PoissonSampled,
)
from dpcore.training import dp_ftrl
from lab.experiment import links
from pages.network.settings import CLIPPING, STARTS, NetworkSettings
from pages.network.training import FRAMES
from tests.pages.network.examples import small

# Calibration may leave this share of epsilon unspent.
UNSPENT_SHARE = 1e-3
# The same formula in double precision.
ROUNDING = 1e-9


class TestRanges:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            pytest.param(
                {"lot_size": 301},
                "lot_size is 301, but must be a whole number from 20 to 300",
                id="batch larger than the data",
            ),
            pytest.param({"dataset": "digits"}, "rows is 300", id="data of a fixed size"),
        ],
    )
    def test_settings_without_a_training_are_refused(self, changes, message):
        with pytest.raises(check.RefusedError, match=f"^{message}"):
            small(**changes)

    def test_batch_size_falls_with_a_smaller_number_of_rows(self):
        settings = NetworkSettings(dataset="blobs", rows=400, lot_size=400)

        fewer = settings.change(rows=200)

        assert fewer.rows == 200
        assert fewer.lot_size == 200

    def test_data_set_brings_its_clipping_norm_and_learning_rate(self):
        settings = NetworkSettings()

        digits = settings.change(dataset="digits")

        assert digits.clip_norm == STARTS["digits"]["clip_norm"]
        assert digits.learning_rate == STARTS["digits"]["learning_rate"]
        assert digits.change(dataset="moons").change(rows=400) == settings

    def test_data_set_leaves_what_was_changed(self):
        changed = NetworkSettings().change(clip_norm=0.7)

        digits = changed.change(dataset="digits")

        assert digits.clip_norm == 0.7
        assert digits.learning_rate == STARTS["digits"]["learning_rate"]

    def test_data_set_of_a_link_brings_its_learning_rate(self):
        settings, _ = links.read(NetworkSettings, {"dataset": "digits"})

        assert settings.learning_rate == STARTS["digits"]["learning_rate"]


class TestArms:
    def test_non_private_networks_do_not_depend_on_epsilon(self):
        plain = small().trainings["plain"]

        assert plain == small(epsilon=1.0).trainings["plain"]
        assert plain.recipe.clip_norm is None
        assert plain.noise_multiplier == 0

    def test_non_private_networks_have_independent_noise_in_a_fixed_order(self):
        trainings = small(mechanism="toeplitz").trainings

        assert trainings["plain"] == small(mechanism="ordered").trainings["plain"]
        assert trainings["plain"] != trainings["private"]

    def test_a_ramp_has_no_effect_in_a_fixed_order(self):
        settings = small(mechanism="toeplitz")

        ramped = settings.change(noise_ramp=0.3)

        assert ramped.trainings["private"] == settings.trainings["private"]

    def test_faulty_loops_sample_their_batches(self):
        shuffled = small(mechanism="toeplitz").change(variant="shuffled")

        assert shuffled.trainings == small(variant="shuffled").trainings


RAMPS = [
    pytest.param({}, id="constant noise"),
    pytest.param({"noise_ramp": 0.3, "shape": "linear"}, id="ramp"),
]


class TestSampledBudget:
    @pytest.mark.parametrize("ramps", RAMPS)
    @pytest.mark.parametrize("clipping", CLIPPING)
    def test_training_spends_its_epsilon_and_never_more(self, clipping, ramps):
        settings = small(clipping=clipping, repeats=2, layers=2, **ramps)

        result = settings.experiment.run()

        assert settings.epsilon * (1 - 3e-3) <= result.guarantee.epsilon <= settings.epsilon
        is_step = np.diff(settings.step_of_frame) > 0
        assert (np.diff(result.spent) > 0)[is_step].all()

    @pytest.mark.parametrize("ramps", RAMPS)
    @pytest.mark.parametrize("clipping", CLIPPING)
    def test_half_of_the_training_spends_less(self, clipping, ramps):
        settings = small(clipping=clipping, repeats=2, layers=2, **ramps)
        result = settings.experiment.run()

        half = dataclasses.replace(result, settings=settings.change(shown=FRAMES // 2))

        assert half.guarantee.epsilon == result.spent[FRAMES // 2]
        assert half.guarantee.epsilon < result.guarantee.epsilon
        assert half.step == settings.step_of_frame[FRAMES // 2]
        if not ramps:
            assert half.guarantee.event.count == half.step

    @pytest.mark.parametrize("ramps", RAMPS)
    @pytest.mark.parametrize("clipping", CLIPPING)
    def test_exact_epsilon_is_not_larger(self, clipping, ramps):
        """Layers with bounds of their own cost no more than one plain Gaussian release a step."""
        settings = small(clipping=clipping, repeats=2, layers=2, **ramps)
        guarantee = settings.experiment.run().guarantee
        event = guarantee.event
        if not ramps:
            release = GaussianRelease(noise_multiplier=settings.noise_multiplier)
            step = PoissonSampled(rate=settings.sampling_rate, event=release)
            event = Composed(event=step, count=settings.steps)

        exact = accountants.account(
            event, delta=settings.delta, adjacency=Adjacency.ADD_REMOVE, accountant="pld"
        )

        assert exact.epsilon <= guarantee.epsilon * (1 + 1e-3)

    def test_shuffled_batches_count_each_epoch_as_one_release(self):
        result = small(variant="shuffled", repeats=2).experiment.run()

        guarantee = result.guarantee_by_epochs

        assert guarantee.adjacency == Adjacency.REPLACE_ONE
        assert not result.is_covered
        release = GaussianRelease(noise_multiplier=result.settings.noise_multiplier / 2)
        assert guarantee.event == Composed(event=release, count=3)
        assert guarantee.epsilon > 3 * result.guarantee.epsilon

    def test_shuffled_batches_count_the_least_noise_of_a_ramp(self):
        result = small(variant="shuffled", repeats=2).experiment.run()
        settings = result.settings.change(noise_ramp=0.3)

        ramped = dataclasses.replace(result, settings=settings)

        release = ramped.guarantee_by_epochs.event.event
        assert release.noise_multiplier == pytest.approx(settings.noise_multiplier * 0.3 / 2)


@pytest.mark.parametrize("clipping", CLIPPING)
@pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
class TestBudgetInFixedOrder:
    def test_training_spends_its_epsilon_and_never_more(self, mechanism, clipping):
        settings = small(mechanism=mechanism, clipping=clipping, repeats=2, epsilon=2.0)

        result = settings.experiment.run()

        assert result.guarantee.epsilon <= 2
        assert result.guarantee.epsilon == pytest.approx(2, rel=UNSPENT_SHARE)

    def test_passes_have_a_whole_number_of_batches(self, mechanism, clipping):
        settings = small(mechanism=mechanism, clipping=clipping, repeats=2, epsilon=2.0)

        assert settings.steps % 6 == 0
        assert small(mechanism=mechanism, rows=410, lot_size=100).batch_size == 102.5
        assert small(mechanism="sampled", rows=410, lot_size=100).batch_size == 100

    @pytest.mark.parametrize("frame", [1, 20, FRAMES])
    def test_each_frame_has_the_exact_epsilon(self, mechanism, clipping, frame):
        settings = small(mechanism=mechanism, clipping=clipping, repeats=2, epsilon=2.0)
        result = settings.experiment.run()

        shown = dataclasses.replace(result, settings=settings.change(shown=frame))

        guarantee = shown.guarantee
        assert guarantee.assumes == ("the number of rows is public", dp_ftrl.ASSUMES)
        assert guarantee.basis == "exact Gaussian composition (GDP)"
        if settings.step_of_frame[frame] == 0:
            assert guarantee.epsilon == 0
            assert guarantee.event == ApproximateRelease(epsilon=0, delta=0)
        else:
            exact = accountants.account(
                guarantee.event, delta=settings.delta, adjacency=Adjacency.ADD_REMOVE
            )
            assert guarantee.epsilon == pytest.approx(exact.epsilon, rel=ROUNDING)
