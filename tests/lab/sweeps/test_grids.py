"""Values of a slider around where one is, in steps, and the order in which they are run."""

import numpy as np
import pytest

from lab.sweeps import grids
from lab.sweeps.grids import grid, log_scale, neighbours
from pages.classifier.settings import ClassifierSettings
from pages.topics import TOPIC_PAGES

# Values are rounded to the slider's stops.
ROUNDED_STOPS = 0.01

every_topic = pytest.mark.parametrize(
    "settings", [page.settings() for page in TOPIC_PAGES], ids=[page.name for page in TOPIC_PAGES]
)
some_epsilons = pytest.mark.parametrize("epsilon", [0.01, 150.0, 0.5])


def movable(settings):
    """The name, value, and limits of each slider that has more than one value."""
    for slider, (low, high) in settings.limits.items():
        if low != high:
            yield slider, getattr(settings, slider), low, high


def epsilons_around(epsilon):
    return np.array(grid(ClassifierSettings(epsilon=epsilon), "epsilon"))


@every_topic
def test_the_present_value_is_one_of_the_values(settings):
    for slider, now, _, _ in movable(settings):
        assert now in grid(settings, slider)


@every_topic
def test_values_rise_within_the_limits(settings):
    for slider, _, low, high in movable(settings):
        values = grid(settings, slider)
        assert list(values) == sorted(set(values))
        assert low <= values[0] < values[-1] <= high


@every_topic
def test_values_are_few(settings):
    for slider, *_ in movable(settings):
        assert len(grid(settings, slider)) <= 2 * grids.STEPS + 3


@every_topic
def test_a_whole_number_keeps_whole_values(settings):
    for slider, _, low, _ in movable(settings):
        if isinstance(low, int):
            assert all(isinstance(value, int) for value in grid(settings, slider))


@every_topic
def test_a_neighbour_is_another_value_within_the_limits(settings):
    for slider, now, low, high in movable(settings):
        for value in neighbours(settings, slider):
            assert low <= value <= high
            assert value != now


@every_topic
def test_a_neighbour_is_a_third_of_a_decade_away_or_a_tenth_of_the_range(settings):
    for slider, now, low, high in movable(settings):
        for value in neighbours(settings, slider):
            if value in (low, high) or isinstance(low, int):
                continue
            if log_scale(low, high):
                factor = max(value / now, now / value)
                assert factor == pytest.approx(grids.DECADE, rel=ROUNDED_STOPS)
            else:
                assert abs(value - now) == pytest.approx(0.1 * (high - low), rel=ROUNDED_STOPS)


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
