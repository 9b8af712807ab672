"""What changes with the step: its shape, its levels, and what noise that changes costs."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpcore import check
from dpcore.accountants import account, gdp
from dpcore.accountants.prices import NoiseFor, Price
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PoissonSampled
from dpcore.schedules import SHAPES, Schedule
from dpcore.training.networks import Architecture
from dpcore.training.sgd import Recipe

ADD = Adjacency.ADD_REMOVE
RATE, STEPS, DELTA = 0.01, 10_000, 1e-5


@cache
def cost(event, accountant="pld", delta=DELTA) -> float:
    return account(event, delta=delta, adjacency=ADD, accountant=accountant).epsilon


class TestShape:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_it_goes_from_1_to_the_end(self, shape):
        shares = Schedule(0.2, 41, shape).shares
        assert (shares[0], shares[-1]) == (1, pytest.approx(0.2))
        moves = np.diff(shares if shape == "linear" else np.log(shares))
        np.testing.assert_allclose(moves, moves[0])
        assert Schedule(0.2, 1, shape).shares.tolist() == [1]

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("end", [0.2, 1.0, 5.0])
    @pytest.mark.parametrize("until", [1, 7, 60])
    def test_levels_are_few_and_never_above_what_they_stand_for(self, shape, end, until):
        schedule = Schedule(end, 60, shape)
        levels = schedule.levels(until=until, count=8)
        assert sum(levels.values()) == until
        assert len(levels) <= 9
        counted = np.repeat([*levels], [*levels.values()])
        shares = np.sort(schedule.shares[:until])
        assert (counted <= shares).all()
        assert (counted >= shares * min(end, 1 / end) ** (1 / 8) * (1 - 1e-12)).all()

    @pytest.mark.parametrize("values", [(0, 5), (1.0, 0), (1.0, 5, "sudden")], ids=["end", "steps", "shape"])
    def test_what_has_no_meaning_is_refused_by_name(self, values, request):
        with pytest.raises(check.RefusedError, match=f"^{request.node.callspec.id} is "):
            Schedule(*values)


class TestCost:
    """Rate .01, 10,000 steps, noise 8 falling to 2, delta 1e-5: the truth lies between .957 and .972."""

    RAMP = Schedule(0.25, STEPS, "linear")

    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    def test_the_order_does_not_matter(self, accountant):
        rising = Schedule(4.0, STEPS, "linear").event(2.0, rate=RATE)
        falling = cost(self.RAMP.event(8.0, rate=RATE), accountant)
        assert cost(rising, accountant) == pytest.approx(falling, rel=1e-3)
        assert accountant != "pld" or falling == pytest.approx(0.996, abs=0.002)

    def test_without_samples_it_is_exact(self):
        """100 steps from 20 to 80."""
        event = Schedule(4.0, 100, "linear").event(20.0, rate=1.0)
        exact = gdp.epsilon_of(DELTA, mu=math.sqrt(sum(1 / z**2 for z in np.linspace(20, 80, 100))))
        for accountant in ("gdp", "pld"):
            assert cost(event, accountant) == pytest.approx(exact, abs=3e-4)

    @pytest.mark.parametrize("accountant", ["renyi", "moments", "pld-coarse"])
    @pytest.mark.parametrize("end", [0.2, 0.6, 5.0])
    @pytest.mark.parametrize("rate", [0.05, 1.0])
    def test_the_noise_that_is_found_is_enough_and_hardly_more(self, rate, end, accountant):
        budget = {"sampling_rate": rate, "epsilon": 2.0, "delta": DELTA, "accountant": accountant}
        first = NoiseFor(**budget, steps=60, ramp_end=end, ramp_shape="linear").run()
        ramp = Schedule(end, 60, "linear")
        found = cost(ramp.event(first, rate=rate), accountant)
        assert 2.0 * (1 - 2e-3) <= found <= 2.0
        del budget["epsilon"]
        price = Price(**budget, noise_multipliers=(first,), steps=(1, 30, 60), ramp=ramp).run()[0]
        assert price[-1] == found
        assert (np.diff(price) > 0).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("decay", [0.01, 1.0])
def test_neither_learning_rate_nor_clip_norm_costs_anything(shape, decay):
    """Noise is scaled with the clip norm."""
    given = Recipe(architecture=Architecture(sizes=(2, 3, 2)), sampling_rate=0.05, steps=400, learning_rate=1.0)
    other = replace(given, shape=shape, decay=decay, clip_ramp=decay, learning_rate=7.0)
    event = Composed(event=PoissonSampled(rate=0.05, event=GaussianRelease(noise_multiplier=2.0)), count=400)
    assert other.event(2.0) == given.event(2.0) == event
