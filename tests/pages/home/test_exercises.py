"""The three movements of the home page, and the sentences that follow from its numbers."""

import re

import numpy as np
import pytest

from pages.home import page_exercises, texts
from pages.home.page_exercises import Observation
from pages.home.settings import PersonSettings
from tests.pages.home.test_experiment import result_of
from ui.text.tiles import percent_rounded_up

EPSILONS = np.geomspace(0.01, 40, 7)


def observed(epsilon: float, *, person: int = 0, limit: float = 0.6, cost: float = 0.0):
    """Return an observation with 54 right guesses."""
    name = "Ana"
    if person:
        name = f"patient {person + 1}"
    return Observation(epsilon, person, name, 54, limit, cost)


@pytest.mark.parametrize(
    ("observations", "done"),
    [
        pytest.param([], set(), id="nothing-was-shown"),
        pytest.param([observed(10)], set(), id="the-start"),
        pytest.param([observed(0.9, limit=0.55)], {"hide"}, id="ana-is-hidden"),
        pytest.param([observed(1.0, limit=0.551)], set(), id="a-spy-may-do-better"),
        pytest.param(
            [observed(0.5, person=3, limit=0.53)], {"other"}, id="somebody-else-is-hidden"
        ),
        pytest.param(
            [observed(1.0, cost=2.0), observed(1.4, cost=1.9)], {"pay"}, id="price-between-two"
        ),
        pytest.param(
            [observed(1.0, cost=2.0), observed(1.6, cost=1.9)], set(), id="two-too-far-apart"
        ),
        pytest.param(
            [observed(1.0, cost=1.0), observed(1.1, cost=3.0)], set(), id="dearer-above-the-cheap"
        ),
    ],
)
def test_a_movement_is_done_by_what_was_observed(observations, done):
    assert set(page_exercises.outcomes(observations)) == done


def test_an_outcome_states_the_numbers_that_were_shown():
    observations = [observed(0.9, limit=0.541, cost=4.9), observed(2.0, person=4, limit=0.6)]

    outcomes = page_exercises.outcomes(observations)

    assert outcomes["hide"].startswith("At epsilon 0.9, no spy can do better than 55.")
    assert "4.9 points" in outcomes["hide"]
    assert "54 of 100 times about patient 5" in outcomes["other"]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("epsilon", EPSILONS, ids=lambda epsilon: f"epsilon {epsilon:.2g}")
class TestVerdict:
    @pytest.fixture
    def result(self, seed, epsilon):
        """Return the result of the home page at this epsilon and seed."""
        return result_of(PersonSettings(epsilon=float(epsilon), seed=seed))

    def test_the_verdict_states_the_right_guesses_of_the_tile_beyond_those_of_a_coin(self, result):
        spy, _ = texts.tiles(result)

        stated = re.findall(r"<b>(\d+) times? in 100 more</b>", texts.verdict(result))

        (right,) = re.findall(r"^\d+", spy.value)
        if int(right) > 50:
            assert [int(more) for more in stated] == [int(right) - 50]
        else:
            assert stated == []

    def test_the_verdict_states_the_difference_of_the_accuracies_of_the_tile(self, result):
        _, model = texts.tiles(result)

        stated = re.findall(r"costs <b>([\d.]+) points?</b>", texts.verdict(result))

        (reference,) = re.findall(r"privacy ([\d.]+)", model.note)
        lost = round(float(reference) - model.amount, 1)
        if lost > 0:
            assert [float(cost) for cost in stated] == [lost]
        else:
            assert stated == []

    def test_the_tile_states_the_limit_of_all_spies(self, result):
        spy, _ = texts.tiles(result)

        assert percent_rounded_up(result.limit) in spy.note
