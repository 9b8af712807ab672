"""Trainings cut into parts: none is long, all of them together are the whole, and few are looked up."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore import check
from dpcore.cache import LIMIT_BYTES, sizes
from dpcore.training import descent, losses
from lab.data import classification
from lab.experiment import chunking
from lab.experiment.chunking import cut_batches, first_batch_size, sample
from pages.attack.settings import PART_DATASETS, AttackSettings
from pages.attack.tasks import attack_at_epsilon
from pages.classifier.settings import ClassifierSettings
from pages.hypotheses import training as work
from tests.highest_settings import CASES

MOST_TASKS = 1000  # that a redraw looks up in a few milliseconds
# Every slider that makes work, at its highest.
MANY = {"repeats": 100, "steps": 400, "public_steps": 400}
FULL = {"steps": 200, "members": 10**6, "repeats": 4000}


def largest_attack(part, dataset):
    """Return the settings of an attack with the sliders as in ``FULL``, or at their limits."""
    settings = AttackSettings().change(part=part).change(dataset=dataset, part=part)
    for slider, value in FULL.items():
        _, high = settings.limits[slider]
        settings = settings.change(**{slider: min(value, high)})
    return settings


LARGEST = {
    f"classifier {name}": ClassifierSettings().change(dataset=name, **MANY)
    for name in classification.LINEAR_DATASETS
}
for attacked in ("person", "membership", "fairness", "inversion"):
    for dataset_name in PART_DATASETS.get(attacked, classification.LINEAR_DATASETS):
        LARGEST[f"{attacked} {dataset_name}"] = largest_attack(attacked, dataset_name)

every_largest = pytest.mark.parametrize("name", LARGEST)


def counted(settings) -> list:
    """Return the tasks that train ensembles; a point of the attack's curve looks at trainings of
    other tasks, or few.
    """
    found = [
        task
        for task in settings.experiment.tasks()
        if hasattr(task, "cells") and task.work is not attack_at_epsilon
    ]
    assert found
    return found


class TestLargestSettings:
    @every_largest
    def test_no_task_of_the_largest_settings_is_long(self, name):
        later = [task.cells for task in counted(LARGEST[name]) if not task.essential]

        assert max(later) <= chunking.SLICE

    @every_largest
    def test_the_first_picture_does_not_take_long(self, name):
        first = [task.cells for task in counted(LARGEST[name]) if task.essential]

        assert sum(first) <= 2 * chunking.FIRST

    @every_largest
    def test_every_redraw_looks_up_few_tasks(self, name):
        assert len(LARGEST[name].experiment.tasks()) < 0.8 * MOST_TASKS

    @pytest.mark.parametrize("name", CASES)
    def test_no_page_has_too_many_tasks(self, name):
        least = 1 if name == "mechanisms" else 2  # one release in closed form is one task

        assert least <= len(CASES[name].settings.experiment.tasks()) < MOST_TASKS

    @pytest.mark.parametrize(("name", "draws"), [("hypotheses", 2), ("hypotheses topics", 8)])
    def test_the_largest_rows_leave_a_sixth_of_the_cache(self, name, draws):
        training = CASES[name].settings.source_training
        draw, data = (
            sum(sizes(value)[1].values()) for value in (work.draw(training, 0, 0), training.data)
        )

        assert draws * draw < LIMIT_BYTES / 3
        assert data < LIMIT_BYTES / 2


class TestLongTrainings:
    """Where one training takes long, fewer of them are offered."""

    long = AttackSettings().change(dataset="digits").change(repeats=4000).change(steps=200)

    def test_up_to_4000_repeats_of_short_trainings_are_allowed(self):
        assert AttackSettings(steps=200).limits["repeats"] == (100, 4000)

    def test_up_to_1500_repeats_of_long_trainings_are_allowed(self):
        assert self.long.repeats == 1500
        assert self.long.limits["repeats"] == (100, 1500)

    def test_more_trainings_than_the_limit_are_refused(self):
        with pytest.raises(check.RefusedError, match="^repeats is 1501,"):
            self.long.change(repeats=1501)

    @pytest.mark.parametrize("steps", ["abc", None, 1e9, True, float("nan")])
    def test_steps_that_are_no_number_of_steps_are_refused(self, steps):
        with pytest.raises(check.RefusedError, match="^steps is"):
            self.long.change(steps=steps)


def attack(dataset="gaussians", *, part="person", **changes):
    """Return the settings of this part of the attack page on a data set."""
    return AttackSettings().change(part=part).change(dataset=dataset, **changes)


@pytest.mark.parametrize(
    "settings",
    [
        ClassifierSettings(dataset="gaussians", public_rows=0, repeats=5, steps=7),
        ClassifierSettings(dataset="iris", public_rows=0, repeats=5, steps=7),
        attack("gaussians", steps=5, repeats=150),
        attack("iris", steps=5, repeats=150),
        AttackSettings().change(part="fairness", steps=3),
    ],
)
def test_a_part_has_the_cells_that_it_says(settings, monkeypatch):
    done, real = [], descent.noisy_gradient_descent

    def watched(X, y, *, n_classes, steps, draws, **options):
        """Note the cells of a descent in ``done``, and run it; stands for the engine's descent."""
        outputs = losses.outputs(n_classes)
        cells = chunking.training_cells(
            rows=len(X), outputs=outputs, inputs=X.shape[1], steps=steps
        )
        done.append(len(draws) * cells)
        return real(X, y, n_classes=n_classes, steps=steps, draws=draws, **options)

    monkeypatch.setattr(descent, "noisy_gradient_descent", watched)
    private = [task for task in counted(settings) if None not in getattr(task, "epsilons", ())]

    for task in private[:4]:
        done.clear()
        task.run()
        assert sum(done) == pytest.approx(task.cells)


def attack_points(result):
    """Return a list with the points of the curve of an attack."""
    return [[*result.points.values()]]


def fairness_curve(result):
    """Return a list with the runs of the curve of fairness."""
    return [result.curve.runs]


def membership_margins(result):
    """Return a list with the margins of the non-private models."""
    return [result.plain.margins]


def ensemble_and_curve(result):
    """Return a list with weights, losses and accuracies of the ensemble, and the curve's runs."""
    ensemble = result.ensemble
    return [ensemble.weights, ensemble.loss, ensemble.accuracy, result.accuracy.runs]


CURVE = ClassifierSettings(dataset="iris", repeats=5, steps=6, public_steps=5, public_rows=9)

# Settings, the numbers of their result, the repeats of a part, and how far floating point takes
# the numbers from those of the whole.
every_cut = pytest.mark.parametrize(
    ("settings", "numbers", "repeats", "atol"),
    [
        pytest.param(
            attack("iris", part="fairness", steps=4), fairness_curve, 7, 0.05, id="fairness"
        ),
        pytest.param(attack("iris", steps=4, repeats=100), attack_points, 7, 1, id="iris"),
        pytest.param(AttackSettings(repeats=100), attack_points, 7, 1, id="attack"),
        pytest.param(
            AttackSettings().change(part="membership", steps=4),
            membership_margins,
            7,
            1e-4,
            id="membership",
        ),
        pytest.param(CURVE, ensemble_and_curve, 2, 5e-6, id="classifier"),
    ],
)


def cut_into_parts(settings, repeats, monkeypatch):
    """Return the settings with so many repeats in a part of the longest training."""
    longest = max(task.cells / task.count for task in counted(settings))
    monkeypatch.setattr(chunking, "SLICE", repeats * longest)
    return replace(settings)


class TestParts:
    @every_cut
    def test_smaller_parts_of_a_training_make_more_tasks(
        self, settings, numbers, repeats, atol, monkeypatch
    ):
        whole = len(settings.experiment.tasks())

        assert len(cut_into_parts(settings, repeats, monkeypatch).experiment.tasks()) > whole

    @every_cut
    def test_parts_of_a_training_give_the_numbers_of_the_whole(
        self, settings, numbers, repeats, atol, monkeypatch
    ):
        whole = numbers(settings.experiment.run())

        parts = numbers(cut_into_parts(settings, repeats, monkeypatch).experiment.run())

        for found, expected in zip(parts, whole, strict=True):
            np.testing.assert_allclose(found, expected, atol=atol)

    @every_cut
    def test_the_order_of_parts_changes_nothing(
        self, settings, numbers, repeats, atol, monkeypatch
    ):
        experiment = cut_into_parts(settings, repeats, monkeypatch).experiment

        last_first = {task: task.run() for task in reversed(experiment.tasks())}

        backwards, forwards = experiment.gather(last_first), experiment.run()
        for found, expected in zip(numbers(backwards), numbers(forwards), strict=True):
            np.testing.assert_array_equal(found, expected)


class TestBatches:
    """Repeats are cut in order, and none is left out."""

    @pytest.mark.parametrize(
        ("first", "last", "limits", "batches"),
        [
            (3, 10, {"each": chunking.SLICE / 3}, (range(3, 6), range(6, 9), range(9, 10))),
            (0, 4, {"each": 1.0}, (range(4),)),
            (0, 4, {"each": 1.0, "most": 3}, (range(3), range(3, 4))),
            (0, 2, {"each": 9 * chunking.SLICE}, (range(1), range(1, 2))),
            (4, 4, {"each": 1.0}, ()),
        ],
        ids=["three a slice", "one slice", "three at most", "long ones", "none"],
    )
    def test_repeats_are_cut_to_the_length_of_a_slice(self, first, last, limits, batches):
        assert cut_batches(first, last, **limits) == batches

    @pytest.mark.parametrize(
        ("each", "size"), [(1.0, 10), (chunking.FIRST / 3, 3), (9 * chunking.FIRST, 2)]
    )
    def test_the_first_picture_has_two_repeats_at_least(self, each, size):
        assert first_batch_size(10, each=each) == size


class TestSample:
    """Repeats beyond those of the page, of which 8 and 16 are run together."""

    own = (range(8), range(8, 24))
    counts = pytest.mark.parametrize("count", [1, 8, 9, 24, 25, 100, 113, 499, 500])

    def parts(self, count):
        """Return the batches of a sample, each with the number of repeats that it gives."""
        return sample(self.own, count, each=1.0, most=30)

    def test_a_sample_leaves_out_no_repeat(self):
        repeats = [repeat for part, _ in self.parts(500) for repeat in part]

        assert repeats == list(range(500))

    @counts
    def test_what_is_run_together_depends_on_no_count(self, count):
        runs = [part for part, _ in self.parts(count)]

        assert runs == [part for part, _ in self.parts(500)][: len(runs)]

    @counts
    def test_as_many_repeats_are_given_as_were_asked_for(self, count):
        given = [number for _, number in self.parts(count)]

        assert sum(given) == count

    @counts
    def test_each_part_gives_some_of_its_repeats(self, count):
        assert all(0 < given <= len(part) for part, given in self.parts(count))
