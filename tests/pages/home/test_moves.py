"""The three movements of the home page, and the sentences that follow from its numbers."""

import re

import numpy as np
import pytest

from pages.home import page_moves, texts
from pages.home.page_moves import Observation
from pages.home.settings import PersonSettings
from tests.pages.home.test_experiment import result_of
from ui.text.tiles import percent_rounded_up


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
    assert set(page_moves.outcomes(observations)) == done


def test_an_outcome_states_the_numbers_that_were_shown():
    observations = [observed(0.9, limit=0.541, cost=4.9), observed(2.0, person=4, limit=0.6)]

    outcomes = page_moves.outcomes(observations)

    assert outcomes["hide"].startswith("At epsilon 0.9, no spy can do better than 55.")
    assert "4.9 points" in outcomes["hide"]
    assert "54 of 100 times about patient 5" in outcomes["other"]


@pytest.mark.parametrize("seed", range(10))
def test_the_verdict_follows_from_the_numbers_of_the_tiles(seed):
    for epsilon in np.geomspace(0.01, 40, 7):
        result = result_of(PersonSettings(epsilon=float(epsilon), seed=seed))

        spy, model = texts.tiles(result)
        verdict = texts.verdict(result)

        right = int(re.match(r"\d+", spy.value)[0])
        more = re.search(r"<b>(\d+) times? in 100 more</b>", verdict)
        cost = re.search(r"costs <b>([\d.]+) points?</b>", verdict)
        shown_reference = float(re.search(r"privacy ([\d.]+)", model.note)[1])
        assert right - 50 == int(more[1]) if more else right <= 50
        lost = round(shown_reference - model.amount, 1)
        assert lost == float(cost[1]) if cost else lost <= 0
        assert percent_rounded_up(result.limit) in spy.note
