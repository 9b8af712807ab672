"""Tasks of repeats over a parameter, the grid of their outcomes, and settings that follow from one function."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from dpcore.streams import stream
from lab.ensemble import Ensemble, Grid, Runs, slices
from lab.settings import Measure, Spread, quantiles_of

AT = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Model:
    scale: float
    cells: float = 10.0


def outcome(model, at, repeats, *, given=None):
    found = np.array(at)[:, None] + model.scale * np.array(repeats)
    return found[:, :given]


def tasks(width=2):
    return slices(outcome, Model(10.0), AT, [range(2), range(2, 5)], width=width)


def test_a_task_depends_on_what_it_holds_and_not_on_who_waits_for_it():
    task = Runs(work=outcome, model=Model(1.0), at=AT, first=3, count=2)
    assert task == replace(task, essential=True)
    assert hash(task) == hash(replace(task, essential=True))
    assert len({task, replace(task, first=2), replace(task, at=AT[:1]), replace(task, model=Model(2.0))}) == 4
    np.testing.assert_array_equal(task.run(), [[3.5, 4.5], [4, 5], [5, 6]])
    np.testing.assert_array_equal(replace(task, given=1).run(), [[3.5], [4], [5]])
    assert task.cells == 3 * 2 * 10


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_grid_of_all_slices_is_the_whole(width):
    first, second = ((one.at, one.first, one.count) for one in tasks(2)[::2])
    assert (first, second) == ((AT[:2], 0, 2), (AT[:2], 2, 3)), "some repeats at every value before more"
    grid = Grid.of(AT, tasks(width), {one: one.run() for one in tasks(width)}, repeats=5)
    np.testing.assert_array_equal(grid.runs, outcome(Model(10.0), AT, range(5)))
    assert grid.complete
    at, found = grid.over()
    np.testing.assert_array_equal(at, AT)
    np.testing.assert_array_equal(found, quantiles_of(grid.runs, axis=1))


def test_a_grid_in_part_compares_values_over_the_same_repeats():
    first, second, third, _ = tasks()
    grid = Grid.of(AT, tasks(), {one: one.run() for one in (first, second, third)}, repeats=5)
    assert grid.done.tolist() == [5, 5, 2]
    assert not grid.complete
    at, found = grid.over()
    assert at.tolist() == list(AT)
    np.testing.assert_allclose(found, quantiles_of(outcome(Model(10.0), AT, range(2)), axis=1))
    begun = Grid.of(AT, tasks(), {first: first.run()}, repeats=5)
    assert begun.over()[0].tolist() == [0.5, 1.0]
    assert Grid.of(AT, tasks(), {}, repeats=5).over()[0].size == 0


def test_arms_of_a_grid_are_grids():
    grid = Grid(AT, np.stack([np.zeros((3, 4)), np.ones((3, 4))]))
    assert [arm.over()[1].tolist() for arm in grid.arms] == [[[0.0] * 3] * 3, [[1.0] * 3] * 3]
    frame = grid.frame("value", over="noise", arm=("a", "b"))
    assert list(frame.columns) == ["arm", "noise", "repeat", "value"]
    assert frame[frame["arm"] == "b"]["value"].tolist() == [1.0] * 12


@dataclass(frozen=True, kw_only=True)
class Noisy(Ensemble):
    """Gaussian noise of scale 1 / epsilon."""

    LIMITS: ClassVar = {"epsilon": (0.1, 10.0), "repeats": (2, 50), "seed": (0, 9)}
    CURVE: ClassVar = AT
    MEASURES: ClassVar = {"error": Measure("error", "lower", lambda found: np.abs(found[0]))}
    COMMON: ClassVar = ("repeats", "seed")

    epsilon: float = 1.0
    repeats: int = 20
    seed: int = 3

    def runs(self, at: float, repeats: range) -> np.ndarray:
        return np.array([stream(self.seed, "noise", r).standard_normal() for r in repeats]) / at


def test_the_result_is_that_of_its_runs():
    settings = Noisy(epsilon=2.0)
    result = settings.run()
    np.testing.assert_array_equal(result.now, settings.runs(2.0, range(20)))
    assert result.spread == Spread.of(result.now)
    np.testing.assert_array_equal(result.curve.runs, [settings.runs(at, range(20)) for at in AT])
    table = result.table()
    assert list(table.columns) == ["epsilon", *Spread._fields]
    assert table["median"].tolist() == [np.median(runs) for runs in result.curve.runs]
    with pytest.raises(ValueError, match="epsilon"):
        Noisy(epsilon=0.0)


def test_a_first_picture_needs_the_current_value_and_other_values_share_the_curve():
    first, *others = Noisy().tasks()
    assert [task.essential for task in (first, *others)] == [True, False, False]
    # the current value lies on the curve, whose point is then known at once
    assert Noisy().result({first: first.run()}).curve.done.tolist() == [0, 20, 0]
    assert {*Noisy(epsilon=0.7).tasks()[1:]} == {*Noisy(epsilon=0.3).tasks()[1:]}
    (few,), (many,) = Noisy().sample(5), Noisy().sample(9)
    np.testing.assert_array_equal(few.run()[0], many.run()[0][:5])
