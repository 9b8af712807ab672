"""Tasks of repeats over a parameter, and the grid of their outcomes."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from lab.experiment.parts import Grid, Runs, slices
from lab.experiment.settings import quantiles_of

AT = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Model:
    scale: float
    cells: float = 10.0


def outcome(model, at, repeats, *, given=None):
    """Return value + scale repeat (V, R) at all values, or of the first ``given`` repeats."""
    found = np.array(at)[:, None] + model.scale * np.array(repeats)
    return found[:, :given]


TASK = Runs(work=outcome, model=Model(1.0), at=AT, first=3, count=2)
WHOLE = outcome(Model(10.0), AT, range(5))

some_widths = pytest.mark.parametrize("width", [1, 2, 3])


class TestTask:
    def test_a_task_is_the_same_whether_or_not_it_is_essential(self):
        assert replace(TASK, essential=True) == TASK
        assert hash(replace(TASK, essential=True)) == hash(TASK)

    @pytest.mark.parametrize(
        "changed", [{"first": 2}, {"at": AT[:1]}, {"model": Model(2.0)}], ids=str
    )
    def test_other_contents_make_another_task(self, changed):
        assert replace(TASK, **changed) != TASK

    def test_the_outcome_of_a_task_is_of_its_repeats_at_its_values(self):
        np.testing.assert_array_equal(TASK.run(), [[3.5, 4.5], [4, 5], [5, 6]])

    def test_a_task_may_give_fewer_repeats_than_it_runs(self):
        np.testing.assert_array_equal(replace(TASK, given=1).run(), [[3.5], [4], [5]])

    def test_a_task_has_a_cell_for_each_repeat_at_each_value(self):
        assert TASK.cells == 3 * 2 * 10


def sliced(width):
    """Return the tasks of five repeats in two batches, each at ``width`` values at most."""
    return slices(outcome, Model(10.0), AT, [range(2), range(2, 5)], width=width)


def grids_on_the_way(width):
    """The tasks that are done and their grid, after each task in turn."""
    tasks = sliced(width)
    for count in range(len(tasks) + 1):
        done = tasks[:count]
        yield done, Grid.of(AT, tasks, {task: task.run() for task in done}, repeats=5)


def repeats_done(tasks):
    """Return the number of repeats that are done, at each value."""
    return [sum(task.count for task in tasks if value in task.at) for value in AT]


class TestGrid:
    @some_widths
    def test_some_repeats_at_every_value_come_before_more(self, width):
        firsts = [task.first for task in sliced(width)]

        assert firsts == sorted(firsts)

    @some_widths
    def test_a_grid_counts_the_repeats_that_are_done(self, width):
        for done, grid in grids_on_the_way(width):
            assert grid.done.tolist() == repeats_done(done)

    @some_widths
    def test_a_grid_is_complete_when_all_tasks_are_done(self, width):
        *on_the_way, (_, last) = grids_on_the_way(width)

        assert not any(grid.complete for _, grid in on_the_way)
        assert last.complete
        np.testing.assert_array_equal(last.runs, WHOLE)

    @some_widths
    def test_values_are_compared_over_the_repeats_that_all_of_them_have(self, width):
        for done, grid in grids_on_the_way(width):
            counts = repeats_done(done)
            begun = [index for index, count in enumerate(counts) if count > 0]

            values, quantiles = grid.over()

            assert values.tolist() == [AT[index] for index in begun]
            if begun:
                common_count = min(counts[index] for index in begun)
                common_repeats = WHOLE[begun, :common_count]
                np.testing.assert_allclose(quantiles, quantiles_of(common_repeats, axis=1))


class TestArms:
    both = Grid(AT, np.stack([WHOLE, WHOLE + 1]))

    def test_each_arm_is_a_grid(self):
        for arm, runs in zip(self.both.arms, [WHOLE, WHOLE + 1], strict=True):
            np.testing.assert_array_equal(arm.runs, runs)

    def test_a_row_of_the_frame_is_a_repeat_of_an_arm_at_a_value(self):
        frame = self.both.frame("value", over="noise", arm=("a", "b"))

        assert list(frame.columns) == ["arm", "noise", "repeat", "value"]
        assert frame[frame["arm"] == "b"]["value"].tolist() == (WHOLE + 1).ravel().tolist()
