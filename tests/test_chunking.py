"""Ensembles in parts: what a slice may hold at any setting, and that parts are the whole. Nothing is timed."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import extremes
from dpcore import check
from dpcore.data import toy as data
from dpcore.training import descent, losses
from lab import chunking
from pages.attack.experiment import AttackSettings
from pages.attack.parameters import FITTING
from pages.attack.two_worlds_result import attacked
from pages.classifier.experiment import EPSILONS, ClassifierSettings

MOST_TASKS = 1000  # that a redraw looks up in a few milliseconds
# Every knob that makes work, at its highest.
MANY = {"repeats": 100, "steps": 400, "public_steps": 400}
FULL = {"steps": 200, "canaries": 1000, "members": 10**6, "repeats": 4000}


def largest_attack(part: str, dataset: str, **changes) -> AttackSettings:
    there = AttackSettings().change(part=part).change(dataset=dataset, **changes)
    for name, value in FULL.items():
        there = there.change(**{name: min(value, there.limits[name][1])})
    return there


PARTS = [(part, {}) for part in ("membership", "once", "pays", "inversion")]
PARTS += [("worlds", {"sees": sees}) for sees in ("weights", "steps")]
LARGEST = {f"classifier {name}": ClassifierSettings().change(dataset=name, **MANY) for name in data.STRAIGHT} | {
    f"attack {part} {name} {changes}": largest_attack(part, name, **changes)
    for part, changes in PARTS
    for name in FITTING.get(part, data.STRAIGHT)
}


def counted(settings) -> list:
    """The tasks that train ensembles; a point of the attack's curve looks at trainings of other tasks, or few."""
    found = [task for task in settings.tasks() if hasattr(task, "cells") and task.work is not attacked]
    assert found
    return found


@pytest.mark.parametrize("name", LARGEST)
def test_no_setting_makes_a_slice_or_the_first_picture_long(name):
    tasks = counted(LARGEST[name])
    assert max(task.cells for task in tasks if not task.essential) <= chunking.SLICE
    assert sum(task.cells for task in tasks if task.essential) <= 1.25 * chunking.FIRST
    assert len(LARGEST[name].tasks()) < 0.8 * MOST_TASKS  # every redraw looks up each


def test_no_page_has_too_many_tasks_at_its_extremes():
    for name in extremes.CASES:
        if name == "what-if, people":  # 400 repeats of many settings, six at a time
            continue
        least = 0 if name == "mechanisms" else 1  # one release in closed form is one task
        assert least < len(extremes.at_highest(name).tasks()) < MOST_TASKS, name


def test_fewer_trainings_where_one_takes_long():
    assert AttackSettings(steps=200, sees="steps").limits["repeats"] == (100, 4000)
    long = AttackSettings().change(dataset="digits").change(repeats=4000).change(steps=200, sees="steps")
    assert (long.repeats, long.limits["repeats"]) == (500, (100, 500))
    assert long.change(sees="weights").limits["repeats"] == (100, 1500)
    with pytest.raises(check.RefusedError, match="^repeats is 501, but must be at most 500 where one training takes"):
        long.change(repeats=501)
    for bad in ("abc", None, 1e9, True, float("nan")):
        with pytest.raises(check.RefusedError, match="^steps is"):
            long.change(steps=bad)


FEW = [ClassifierSettings(dataset=name, public_rows=0, repeats=5, steps=7) for name in ("gaussians", "iris")]
FEW += [AttackSettings().change(dataset=name, steps=5, repeats=150) for name in ("gaussians", "iris")]


@pytest.mark.parametrize("settings", [*FEW, AttackSettings().change(part="pays", steps=3)])
def test_a_part_has_the_cells_that_it_says(settings, monkeypatch):
    done, real = [], descent.noisy_gradient_descent

    def watched(X, y, *, n_classes, steps, draws, **options):
        cells = chunking.cells(rows=len(X), outputs=losses.outputs(n_classes), inputs=X.shape[1], steps=steps)
        done.append(len(draws) * cells)
        return real(X, y, n_classes=n_classes, steps=steps, draws=draws, **options)

    monkeypatch.setattr(descent, "noisy_gradient_descent", watched)
    for task in [one for one in counted(settings) if None not in getattr(one, "epsilons", ())][:4]:
        done.clear()
        task.run()
        assert sum(done) == pytest.approx(task.cells)


CURVE = ClassifierSettings(dataset="iris", repeats=5, steps=6, public_steps=5, public_rows=9)


def in_order(settings, order):
    return settings.result({task: task.run() for task in order(settings.tasks())})


WHOLE = [
    (AttackSettings().change(part="pays").change(dataset="iris", steps=4), lambda one: [one.curve.runs], 0.05),
    (AttackSettings().change(dataset="iris", steps=4, repeats=100), lambda one: [[*one.points.values()]], 1),
    (AttackSettings(sees="steps", repeats=100), lambda one: [[*one.points.values()]], 1),
    (AttackSettings().change(part="once").change(canaries=20, steps=2), lambda one: [one.now.scores], 5e-6),
    (AttackSettings().change(part="membership", steps=4), lambda one: [one.shadows["plain"].margins], 1e-4),
    (CURVE, lambda one: [one.focus.weights, one.focus.loss, one.focus.accuracy, one.accuracy.runs], 5e-6),
]


@pytest.mark.parametrize(("settings", "figures", "atol"), WHOLE)
def test_parts_are_the_whole_in_any_order(settings, figures, atol, monkeypatch):
    whole, before = figures(settings.run()), len(settings.tasks())
    dearest = max(counted(settings), key=lambda task: task.cells / task.count)
    monkeypatch.setattr(chunking, "SLICE", (2 if settings is CURVE else 7) * dearest.cells / dearest.count)
    settings = replace(settings)
    assert len(settings.tasks()) > before or settings.part == "once"
    for parts, back, all_ in zip(figures(settings.run()), figures(in_order(settings, reversed)), whole, strict=True):
        np.testing.assert_allclose(parts, all_, atol=atol)
        np.testing.assert_array_equal(parts, back)


def test_a_curve_under_way_has_the_same_repeats_at_every_epsilon(monkeypatch):
    monkeypatch.setattr(chunking, "SLICE", 1.0)
    monkeypatch.setattr(chunking, "FIRST", 1.0)
    one = replace(CURVE)
    assert [(task.first, task.count) for task in one.samples()] == [(0, 2), (2, 1), (3, 1), (4, 1)]
    wanted = [task for task in one.tasks() if task.essential] + list(one._curve()[: len(EPSILONS) + 1])
    found = one.result({task: task.run() for task in wanted})
    epsilons, quantiles = found.accuracy.arms[0].over()
    assert (found.trained, tuple(epsilons)) == (2, EPSILONS)
    np.testing.assert_array_equal(quantiles, np.broadcast_to(found.accuracy.runs[0, :, 0], (3, len(EPSILONS))))


def test_repeats_are_cut_in_order_and_none_is_left_out():
    assert chunking.cut(3, 10, each=chunking.SLICE / 3) == (range(3, 6), range(6, 9), range(9, 10))
    assert chunking.cut(0, 4, each=1.0) == (range(4),)
    assert chunking.cut(0, 4, each=1.0, most=3) == (range(3), range(3, 4))
    assert chunking.cut(0, 2, each=9 * chunking.SLICE) == (range(1), range(1, 2))
    assert chunking.cut(4, 4, each=1.0) == ()
    assert chunking.first(10, each=1.0) == 10
    assert chunking.first(10, each=chunking.FIRST / 3) == 3
    assert chunking.first(10, each=9 * chunking.FIRST) == 2
