"""Tasks of repeats over a parameter, the grid of their outcomes, ensembles in parts, and files with
very many rows.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.cache import LIMIT_BYTES, sizes
from dpcore.training import descent, losses
from lab.data import classification
from lab.experiment import chunking, data_settings
from lab.experiment.chunking import SLICE
from lab.experiment.data_settings import MOST_LIVE
from lab.experiment.parts import Grid, Runs, slices
from lab.experiment.settings import quantiles_of
from lab.uploads.column_roles import Column
from lab.uploads.rows import OwnRows
from pages.attack.settings import PART_DATASETS, AttackSettings
from pages.attack.tasks import attack_at_epsilon
from pages.classifier.settings import ClassifierSettings
from pages.hypotheses import training as work
from pages.network.settings import NetworkSettings
from tests.highest_settings import CASES
from tests.own_files import CLASSES, choose

AT = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Model:
    scale: float
    cells: float = 10.0


def outcome(model, at, repeats, *, given=None):
    found = np.array(at)[:, None] + model.scale * np.array(repeats)
    return found[:, :given]


def test_a_task_depends_on_what_it_holds_and_not_on_who_waits_for_it():
    task = Runs(work=outcome, model=Model(1.0), at=AT, first=3, count=2)
    assert {task, replace(task, essential=True)} == {task}
    assert (
        len(
            {
                task,
                replace(task, first=2),
                replace(task, at=AT[:1]),
                replace(task, model=Model(2.0)),
            }
        )
        == 4
    )
    np.testing.assert_array_equal(task.run(), [[3.5, 4.5], [4, 5], [5, 6]])
    np.testing.assert_array_equal(replace(task, given=1).run(), [[3.5], [4], [5]])
    assert task.cells == 3 * 2 * 10


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_grid_of_slices_compares_values_over_the_same_repeats_until_it_is_the_whole(width):
    tasks = slices(outcome, Model(10.0), AT, [range(2), range(2, 5)], width=width)
    assert [one.first for one in tasks] == sorted(one.first for one in tasks), (
        "some repeats at every value before more"
    )
    whole = outcome(Model(10.0), AT, range(5))
    for count in range(len(tasks) + 1):
        grid = Grid.of(AT, tasks, {one: one.run() for one in tasks[:count]}, repeats=5)
        done = [sum(one.count for one in tasks[:count] if value in one.at) for value in AT]
        begun = [place for place, many in enumerate(done) if many]
        at, found = grid.over()
        assert (grid.done.tolist(), grid.complete) == (done, count == len(tasks))
        assert at.tolist() == [AT[place] for place in begun]
        if begun:
            shared = whole[begun, : min(done[place] for place in begun)]
            np.testing.assert_allclose(found, quantiles_of(shared, axis=1))
    np.testing.assert_array_equal(grid.runs, whole)
    both = Grid(AT, np.stack([whole, whole + 1]))
    assert [arm.runs[0, 0] for arm in both.arms] == [whole[0, 0], whole[0, 0] + 1]
    frame = both.frame("value", over="noise", arm=("a", "b"))
    assert list(frame.columns) == ["arm", "noise", "repeat", "value"]
    assert frame[frame["arm"] == "b"]["value"].tolist() == (whole + 1).ravel().tolist()


MOST_TASKS = 1000  # that a redraw looks up in a few milliseconds
# Every slider that makes work, at its highest.
MANY = {"repeats": 100, "steps": 400, "public_steps": 400}
FULL = {"steps": 200, "members": 10**6, "repeats": 4000}


PARTS = [{"part": part} for part in ("person", "membership", "fairness", "inversion")]
LARGEST = {
    f"classifier {name}": ClassifierSettings().change(dataset=name, **MANY)
    for name in classification.LINEAR_DATASETS
}
for part in PARTS:
    for name in PART_DATASETS.get(part["part"], classification.LINEAR_DATASETS):
        there = AttackSettings().change(part=part["part"]).change(dataset=name, **part)
        for slider, value in FULL.items():
            there = there.change(**{slider: min(value, there.limits[slider][1])})
        LARGEST[f"attack {name} {part}"] = there


def counted(settings) -> list:
    """The tasks that train ensembles; a point of the attack's curve looks at trainings of other
    tasks, or few.
    """
    found = [
        task
        for task in settings.experiment.tasks()
        if hasattr(task, "cells") and task.work is not attack_at_epsilon
    ]
    assert found
    return found


@pytest.mark.parametrize("name", LARGEST)
def test_no_setting_makes_a_slice_or_the_first_picture_long(name):
    tasks = counted(LARGEST[name])
    assert max(task.cells for task in tasks if not task.essential) <= chunking.SLICE
    assert sum(task.cells for task in tasks if task.essential) <= 2 * chunking.FIRST
    assert len(LARGEST[name].experiment.tasks()) < 0.8 * MOST_TASKS  # every redraw looks up each


@pytest.mark.parametrize(("name", "draws"), [("hypotheses", 2), ("hypotheses topics", 8)])
def test_the_largest_rows_leave_a_sixth_of_the_cache(name, draws):
    training = CASES[name].settings.source_training
    rows = work.draw(training, 0, 0)
    draw, data = (sum(sizes(value)[1].values()) for value in (rows, training.data))
    assert draws * draw < LIMIT_BYTES / 3 < LIMIT_BYTES * 5 / 6 - data


@pytest.mark.parametrize("name", CASES)
def test_no_page_has_too_many_tasks_at_its_extremes(name):
    least = 0 if name == "mechanisms" else 1  # one release in closed form is one task
    assert least < len(CASES[name].settings.experiment.tasks()) < MOST_TASKS


def test_fewer_trainings_where_one_takes_long():
    assert AttackSettings(steps=200).limits["repeats"] == (100, 4000)
    long = AttackSettings().change(dataset="digits").change(repeats=4000).change(steps=200)
    assert (long.repeats, long.limits["repeats"]) == (1500, (100, 1500))
    with pytest.raises(check.RefusedError, match="^repeats is 1501,"):
        long.change(repeats=1501)
    for bad in ("abc", None, 1e9, True, float("nan")):
        with pytest.raises(check.RefusedError, match="^steps is"):
            long.change(steps=bad)


FEW = [
    ClassifierSettings(dataset=name, public_rows=0, repeats=5, steps=7)
    for name in ("gaussians", "iris")
]
FEW += [
    AttackSettings().change(dataset=name, steps=5, repeats=150) for name in ("gaussians", "iris")
]


@pytest.mark.parametrize("settings", [*FEW, AttackSettings().change(part="fairness", steps=3)])
def test_a_part_has_the_cells_that_it_says(settings, monkeypatch):
    done, real = [], descent.noisy_gradient_descent

    def watched(X, y, *, n_classes, steps, draws, **options):
        cells = chunking.training_cells(
            rows=len(X), outputs=losses.outputs(n_classes), inputs=X.shape[1], steps=steps
        )
        done.append(len(draws) * cells)
        return real(X, y, n_classes=n_classes, steps=steps, draws=draws, **options)

    monkeypatch.setattr(descent, "noisy_gradient_descent", watched)
    for task in [one for one in counted(settings) if None not in getattr(one, "epsilons", ())][:4]:
        done.clear()
        task.run()
        assert sum(done) == pytest.approx(task.cells)


CURVE = ClassifierSettings(dataset="iris", repeats=5, steps=6, public_steps=5, public_rows=9)


WHOLE = [
    (
        AttackSettings().change(part="fairness").change(dataset="iris", steps=4),
        lambda one: [one.curve.runs],
        0.05,
    ),
    (
        AttackSettings().change(dataset="iris", steps=4, repeats=100),
        lambda one: [[*one.points.values()]],
        1,
    ),
    (AttackSettings(repeats=100), lambda one: [[*one.points.values()]], 1),
    (
        AttackSettings().change(part="membership", steps=4),
        lambda one: [one.plain.margins],
        1e-4,
    ),
    (
        CURVE,
        lambda one: [
            one.ensemble.weights,
            one.ensemble.loss,
            one.ensemble.accuracy,
            one.accuracy.runs,
        ],
        5e-6,
    ),
]


@pytest.mark.parametrize(("settings", "figures", "atol"), WHOLE)
def test_parts_are_the_whole_in_any_order(settings, figures, atol, monkeypatch):
    whole, before = figures(settings.experiment.run()), len(settings.experiment.tasks())
    dearest = max(counted(settings), key=lambda task: task.cells / task.count)
    monkeypatch.setattr(
        chunking, "SLICE", (2 if settings is CURVE else 7) * dearest.cells / dearest.count
    )
    settings = replace(settings)
    assert len(settings.experiment.tasks()) > before
    tasks = reversed(settings.experiment.tasks())
    backwards = settings.experiment.gather({task: task.run() for task in tasks})
    for parts, back, all_ in zip(
        figures(settings.experiment.run()), figures(backwards), whole, strict=True
    ):
        np.testing.assert_allclose(parts, all_, atol=atol)
        np.testing.assert_array_equal(parts, back)


def test_repeats_are_cut_in_order_and_none_is_left_out():
    assert chunking.cut_batches(3, 10, each=chunking.SLICE / 3) == (
        range(3, 6),
        range(6, 9),
        range(9, 10),
    )
    assert chunking.cut_batches(0, 4, each=1.0) == (range(4),)
    assert chunking.cut_batches(0, 4, each=1.0, most=3) == (range(3), range(3, 4))
    assert chunking.cut_batches(0, 2, each=9 * chunking.SLICE) == (range(1), range(1, 2))
    assert chunking.cut_batches(4, 4, each=1.0) == ()
    assert chunking.first_batch_size(10, each=1.0) == 10
    assert chunking.first_batch_size(10, each=chunking.FIRST / 3) == 3
    assert chunking.first_batch_size(10, each=9 * chunking.FIRST) == 2


PRIVATE = 48_000
KINDS = [
    ClassifierSettings(repeats=3, steps=5),
    NetworkSettings(repeats=3, epochs=1, width=4, layers=1),
]


@pytest.fixture(scope="module")
def own() -> OwnRows:
    rng = np.random.default_rng(0)
    x = rng.random((60_000, 2)).round(3)
    y = np.where(x[:, 0] + rng.logistic(scale=0.1, size=len(x)) > 0.5, "yes", "no")
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(y=y)
    return choose(
        frame,
        replace(
            CLASSES, answer="y", columns=tuple(Column(name=name, low=0, high=1) for name in "ab")
        ),
    )


@pytest.fixture(params=KINDS, ids=lambda one: type(one).__name__)
def settings(request, own):
    return request.param.change(dataset="own").change(own=own)


def test_a_part_is_live_and_all_is_a_press_away_if_it_fits_into_memory(settings, monkeypatch):
    assert (settings.rows, settings.limits["rows"], settings.exceeds_live_rows) == (
        MOST_LIVE,
        (50, MOST_LIVE),
        False,
    )
    whole = settings.of_rows(settings.most_rows)
    assert (whole.rows, whole.limits["rows"], whole.exceeds_live_rows) == (
        PRIVATE,
        (50, PRIVATE),
        True,
    )
    assert whole.of_rows(whole.live_rows) == settings
    with pytest.raises(
        check.RefusedError, match="^rows is 48001, but must be a whole number from 50 to 48000"
    ):
        settings.change(rows=PRIVATE + 1)
    monkeypatch.setattr(data_settings, "_MOST_VALUES", 60_000)
    assert settings.most_rows == 30_000
    assert settings.of_rows(30_000).exceeds_live_rows
    with pytest.raises(check.RefusedError, match="rows"):
        settings.of_rows(PRIVATE)


def test_all_rows_are_learned_from_in_pieces_and_the_noise_weighs_as_much_less_as_is_said(settings):
    whole, ratio = settings.of_rows(settings.most_rows), PRIVATE / MOST_LIVE
    essential, *_ = whole.experiment.tasks()
    if isinstance(whole, NetworkSettings):
        assert whole.steps == settings.steps
        assert whole.noise_multiplier == pytest.approx(settings.noise_multiplier, rel=1e-3)
        assert whole.lot_size / settings.lot_size == pytest.approx(ratio, rel=0.01)
        assert [
            [len(group) for group in model.groups(3)] for model in whole.trainings.values()
        ] == [[2, 1]] * 2
        assert {len(model.rows()[0]) for model in whole.trainings.values()} == {PRIVATE}
    else:
        result = whole.experiment.run()
        assert settings.experiment.run().ensemble.noise / result.ensemble.noise == pytest.approx(
            ratio
        )
        assert essential.count == 2
        assert max(
            task.cells for task in whole.experiment.tasks() if hasattr(task, "cells")
        ) <= max(SLICE, essential.cells)
        assert len(result.split.y_private) == PRIVATE
    rows = classification.load(settings.dataset_key, seed=4, private_rows=settings.rows).rows_of[
        "private"
    ]
    assert len(rows) == MOST_LIVE
    assert not np.array_equal(np.sort(rows), np.arange(MOST_LIVE))
