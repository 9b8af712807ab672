"""Values of a slider around where one is, in steps, and the order in which they are run."""

from typing import Any

import numpy as np
import pytest

from lab.sweeps import grids
from lab.sweeps.grids import grid, log_scale, neighbours
from pages.classifier.settings import ClassifierSettings
from pages.topics import TOPIC_PAGES

# Values are rounded to the slider's stops.
ROUNDED_STOPS = 0.01

some_epsilons = pytest.mark.parametrize("epsilon", [0.01, 150.0, 0.5])


def sliders_of_topics() -> list[Any]:
    """Return (settings, field) of each slider that has more than one value."""
    parameters = []
    for page in TOPIC_PAGES:
        settings = page.settings()
        for slider, (low, high) in settings.limits.items():
            if low != high:
                parameters.append(pytest.param(settings, slider, id=f"{page.name} {slider}"))
    return parameters


def is_whole(settings: Any, slider: str) -> bool:
    """Return whether a slider has whole numbers."""
    low, _ = settings.limits[slider]
    return isinstance(low, int)


SLIDERS = sliders_of_topics()
every_slider = pytest.mark.parametrize(("settings", "slider"), SLIDERS)
every_slider_of_whole_numbers = pytest.mark.parametrize(
    ("settings", "slider"), [slider for slider in SLIDERS if is_whole(*slider.values)]
)
every_other_slider = pytest.mark.parametrize(
    ("settings", "slider"), [slider for slider in SLIDERS if not is_whole(*slider.values)]
)


def epsilons_around(epsilon):
    """Return the values of the slider of epsilon around this one."""
    return np.array(grid(ClassifierSettings(epsilon=epsilon), "epsilon"))


@every_slider
def test_the_present_value_is_one_of_the_values(settings, slider):
    assert getattr(settings, slider) in grid(settings, slider)


@every_slider
def test_values_rise_within_the_limits(settings, slider):
    low, high = settings.limits[slider]

    values = grid(settings, slider)

    assert list(values) == sorted(set(values))
    assert len(values) > 1
    assert low <= min(values)
    assert max(values) <= high


@every_slider
def test_values_are_few(settings, slider):
    assert len(grid(settings, slider)) <= 2 * grids.STEPS + 3


@every_slider_of_whole_numbers
def test_a_whole_number_keeps_whole_values(settings, slider):
    assert all(isinstance(value, int) for value in grid(settings, slider))


@every_slider
def test_a_neighbouring_setting_is_another_value_within_the_limits(settings, slider):
    low, high = settings.limits[slider]
    present = getattr(settings, slider)

    for value in neighbours(settings, slider):
        assert low <= value <= high
        assert value != present


@every_other_slider
def test_a_neighbouring_setting_is_a_third_of_a_decade_away_or_a_tenth_of_the_range(
    settings, slider
):
    low, high = settings.limits[slider]
    present = getattr(settings, slider)

    for value in set(neighbours(settings, slider)) - {low, high}:
        if log_scale(low, high):
            factor = max(value / present, present / value)
            assert factor == pytest.approx(grids.DECADE, rel=ROUNDED_STOPS)
        else:
            distance = abs(value - present)
            assert distance == pytest.approx(0.1 * (high - low), rel=ROUNDED_STOPS)


@some_epsilons
def test_values_reach_a_factor_of_30_to_either_side(epsilon):
    values = epsilons_around(epsilon)

    assert values[0] >= epsilon / 30 * 0.99
    assert values[-1] <= epsilon * 30 * 1.01


@some_epsilons
def test_steps_are_even_but_around_the_present_value(epsilon):
    values = epsilons_around(epsilon)
    factors = values[1:] / values[:-1]

    assert factors[factors > 1.05].min() > 1.10
    assert factors.max() < 1.25  # one and a half steps, around where one is


@some_epsilons
def test_most_values_stay_as_one_moves(epsilon):
    values = epsilons_around(epsilon)
    moved = epsilons_around(epsilon * (1.22 if epsilon < 1 else 0.82))

    assert len({*values} & {*moved}) >= 0.8 * len(values)


@some_epsilons
def test_the_present_value_is_run_first_and_the_ends_next(epsilon):
    values = epsilons_around(epsilon)
    lowest, *_, highest = values

    first_turn, second_turn, *_ = grids.coarse_to_fine(tuple(values), epsilon)

    assert first_turn == [epsilon]
    assert {lowest, highest} <= {*first_turn, *second_turn}


@some_epsilons
def test_each_value_is_run_once_in_turns_that_grow(epsilon):
    values = epsilons_around(epsilon)
    turns = grids.coarse_to_fine(tuple(values), epsilon)

    sizes = [len(turn) for turn in turns]
    assert sorted(np.concatenate(turns)) == list(values)
    assert sizes == sorted(sizes)
