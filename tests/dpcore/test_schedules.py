"""Schedules of noise over the steps, and what they cost."""

import math
from functools import cache

import numpy as np
import pytest

from dpcore import check, schedules
from dpcore.accountants import gdp
from dpcore.schedules import SHAPES, Schedule
from lab.experiment.accounting_tasks import NoiseFor, Price
from tests.accounting_oracles import epsilon

# Noise that falls and noise that rises are rounded to other grids.
ORDER_ERROR = 1e-3
# Epsilons are documented with three digits.
THREE_DIGITS = 0.002
# The grid of the PLD accountant.
GRID_ERROR = 3e-4


class TestFactors:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_the_factors_of_a_ramp_go_from_1_to_its_end(self, shape):
        first, *_, last = Schedule(0.2, 41, shape).factors

        assert first == 1
        assert last == pytest.approx(0.2)

    def test_factors_of_a_linear_ramp_change_by_equal_differences(self):
        differences = np.diff(Schedule(0.2, 41, "linear").factors)

        np.testing.assert_allclose(differences, differences.mean())

    def test_factors_of_a_geometric_ramp_change_by_equal_ratios(self):
        log_ratios = np.diff(np.log(Schedule(0.2, 41, "geometric").factors))

        np.testing.assert_allclose(log_ratios, log_ratios.mean())

    @pytest.mark.parametrize("shape", SHAPES)
    def test_a_ramp_of_a_single_step_has_factor_1(self, shape):
        assert Schedule(0.2, 1, shape).factors.tolist() == [1]

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize(
        ("name", "changes"),
        [
            pytest.param("end", {"end": 0}, id="end"),
            pytest.param("steps", {"steps": 0}, id="steps"),
            pytest.param("shape", {"shape": "sudden"}, id="shape"),
        ],
    )
    def test_an_argument_of_a_ramp_out_of_range_is_refused_by_name(self, shape, name, changes):
        options = {"end": 1.0, "steps": 5, "shape": shape, **changes}

        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            Schedule(**options)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("end", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("until", [1, 7, 60])
class TestLevels:
    """Factors of some first steps, rounded down to a geometric grid of eight parts."""

    PARTS = 8

    @pytest.fixture
    def schedule(self, shape, end):
        """Return a schedule of 60 steps with this shape and last factor."""
        return Schedule(end, 60, shape)

    @pytest.fixture
    def levels(self, schedule, until):
        """Return how many of the first ``until`` steps have each rounded factor."""
        return schedule.levels(until=until, count=self.PARTS)

    def test_the_levels_of_a_ramp_count_every_step_once(self, levels, until, shape, end):
        assert sum(levels.values()) == until

    def test_a_ramp_has_few_levels(self, levels, until, shape, end):
        assert len(levels) <= self.PARTS + 1

    def test_levels_are_below_the_factors_by_at_most_one_part_of_the_grid(
        self, schedule, levels, until, shape, end
    ):
        rounded = np.repeat(list(levels.keys()), list(levels.values()))
        factors = np.sort(schedule.factors[:until])
        ratio_of_a_part = min(end, 1 / end) ** (1 / self.PARTS)
        rounding_error = 1e-12

        assert (rounded <= factors).all()
        assert (rounded >= factors * ratio_of_a_part * (1 - rounding_error)).all()


class TestOrderOfSteps:
    """Rate 0.01, 10,000 steps, noise 8 that falls to 2, or rises from 2 to 8."""

    @staticmethod
    @cache
    def epsilon_of_ramp(accountant: str, end: float) -> float:
        """Return the epsilon of a linear ramp whose least noise multiplier is 2."""
        ramp = Schedule(end, 10_000, "linear")
        first_multiplier = 2.0 / min(end, 1)
        return epsilon(schedules.event(ramp, first_multiplier, rate=0.01), accountant)

    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    def test_the_order_of_steps_does_not_change_epsilon(self, accountant):
        falling = self.epsilon_of_ramp(accountant, 0.25)
        rising = self.epsilon_of_ramp(accountant, 4.0)

        assert rising == pytest.approx(falling, rel=ORDER_ERROR)

    def test_rounding_factors_down_costs_three_percent_of_epsilon(self):
        falling = self.epsilon_of_ramp("pld", 0.25)

        # The truth lies between 0.957 and 0.972.
        assert falling == pytest.approx(0.996, abs=THREE_DIGITS)


@pytest.mark.parametrize("accountant", ["gdp", "pld"])
def test_without_sampling_the_noise_of_each_step_is_counted_exactly(accountant):
    event = schedules.event(Schedule(4.0, 100, "linear"), 20.0, rate=1.0)

    multipliers = np.linspace(20, 80, 100)
    mu = math.sqrt(sum(1 / multipliers**2))
    exact = gdp.epsilon_of(1e-5, mu=mu)
    assert epsilon(event, accountant) == pytest.approx(exact, abs=GRID_ERROR)


STEPS = 60


@cache
def first_multiplier(rate: float, end: float, accountant: str) -> float:
    """Return the first noise multiplier of a ramp, as pages find it for epsilon 2."""
    return NoiseFor(
        sampling_rate=rate,
        delta=1e-5,
        accountant=accountant,
        epsilon=2.0,
        steps=STEPS,
        ramp_end=end,
        ramp_shape="linear",
    ).run()


@pytest.mark.parametrize("accountant", ["renyi", "moments", "pld-coarse"])
@pytest.mark.parametrize("end", [0.2, 0.6, 5.0])
@pytest.mark.parametrize("rate", [0.05, 1.0])
class TestNoiseOfAPage:
    """The first noise multiplier of a ramp, and its price."""

    @pytest.fixture
    def multiplier(self, rate, end, accountant):
        """Return the first noise multiplier of the ramp for epsilon 2."""
        return first_multiplier(rate, end, accountant)

    @pytest.fixture
    def ramp(self, end):
        """Return a linear schedule of ``STEPS`` steps with this last factor."""
        return Schedule(end, STEPS, "linear")

    @pytest.fixture
    def spent(self, ramp, multiplier, rate, accountant):
        """Return the epsilon of all steps of the ramp."""
        return epsilon(schedules.event(ramp, multiplier, rate=rate), accountant)

    @pytest.fixture
    def price(self, rate, accountant, multiplier, ramp):
        """Epsilon after 1, 30 and 60 steps."""
        task = Price(
            sampling_rate=rate,
            delta=1e-5,
            accountant=accountant,
            noise_multipliers=(multiplier,),
            steps=(1, 30, STEPS),
            ramp=ramp,
        )
        (price,) = task.run()
        return price

    def test_a_ramp_on_a_page_spends_nearly_all_of_its_epsilon(self, spent, rate, end, accountant):
        # Two thousandths of epsilon may stay unspent.
        assert 2.0 * (1 - 2e-3) <= spent <= 2.0

    def test_the_shown_epsilon_of_all_steps_is_what_the_ramp_spends(
        self, price, spent, rate, end, accountant
    ):
        *_, of_all_steps = price

        assert of_all_steps == spent

    def test_the_shown_epsilon_grows_with_the_steps(self, price, rate, end, accountant):
        assert (np.diff(price) > 0).all()
