"""Classes from a file with several rows of a person: who is learned from, and what counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.streams import stream
from dpcore.training import losses
from lab.data import classification
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.classifier.settings import ClassifierSettings
from tests import oracles
from tests.own_files import CLASSES, PEOPLE, choose, frame, visits

# Trainings are in single precision.
SINGLE_PRECISION = 1e-5
# What the rows of one person of 400 may move the loss by.
WEIGHT_OF_A_PERSON = 0.005
# Other rows change the order of sums.
SINGLE_PRECISION_NEAR_0 = 1e-6

PRIVATE = 240  # of the 300 people of these files


def split_of(own, seed=4):
    """Return the split of a file into private and test parts by this seed."""
    return classification.load(own.key, seed=seed)


def result_of(own, **changes):
    """Return the result of the classifier on a file, with the given settings changed."""
    settings = ClassifierSettings(repeats=4, steps=5).change(dataset="own").change(own=own)
    return settings.change(**changes).experiment.run()


def ensemble_of(file):
    """Return the private models that are trained on a file by person."""
    return result_of(choose(file, PEOPLE)).ensemble


def sorted_rows(cells):
    """Return the rows of an array in order, as a list."""
    return sorted(cells.tolist())


class TestSplit:
    """A file of 300 people with one to five rows each."""

    def test_people_are_counted(self):
        split = split_of(choose(visits(), PEOPLE))

        assert (len(split.y_private), len(split.y_test)) == (PRIVATE, 60)

    def test_all_rows_of_a_private_person_and_no_other_are_there(self):
        file = visits()
        split = split_of(choose(file, PEOPLE))
        names = list(dict.fromkeys(file["who"]))
        by_row = choose(file, CLASSES).source
        all_X, all_y = by_row.draw(np.random.default_rng(0))
        cells = np.column_stack([classification.to_unit(all_X, by_row.bounds), all_y])

        X, y, people = split.training_rows

        for person, place in enumerate(split.rows_of["private"]):
            found = np.column_stack([X, y])[people == person]
            assert sorted_rows(found) == sorted_rows(cells[file["who"] == names[place]])


@pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
class TestTraining:
    """What is trained and told is by person."""

    def run(self, classes):
        """Return the result with its training rows, as inputs with a constant, and whose they are."""
        result = result_of(choose(visits(), replace(PEOPLE, classes=classes)), clip_norm=0.4)
        X, y, people = result.split.training_rows
        return result, losses.with_constant(X), y, people

    def test_a_loss_is_the_mean_over_people_of_their_means(self, classes):
        result, inputs, y, people = self.run(classes)
        (weights, *_) = result.ensemble.weights
        (losses_of_runs, *_) = result.ensemble.loss
        # (runs, rows)
        row_losses = losses.values(losses.logits(weights, inputs), y)

        means_of_people = []
        for person in range(PRIVATE):
            means_of_people.append(row_losses[:, people == person].mean(axis=1))

        expected = np.mean(means_of_people, axis=0)
        np.testing.assert_allclose(losses_of_runs[:, -1], expected, rtol=SINGLE_PRECISION)

    def test_the_mean_gradient_of_a_person_is_clipped(self, classes):
        result, inputs, y, people = self.run(classes)
        start = np.zeros_like(result.ensemble.weights[0][0])

        clipped = []
        for person in range(PRIVATE):
            gradients = []
            for row in np.flatnonzero(people == person):
                gradients.append(oracles.gradient(start, inputs[row], y[row]))
            clipped.append(oracles.clipped(np.mean(gradients, axis=0), 0.4))

        signal = np.linalg.norm(np.mean(clipped, axis=0))
        first_signal, *_ = result.ensemble.signal
        assert first_signal == pytest.approx(signal, rel=SINGLE_PRECISION)

    def test_some_people_are_clipped(self, classes):
        result, *_ = self.run(classes)

        assert 0 < result.ensemble.clipped[0] < 1


class TestOptimum:
    """One person of 400 says no, in one row or in a thousand."""

    @pytest.fixture(scope="class")
    @classmethod
    def references(cls):
        """Return the non-private models of the file with one row, and of that with a thousand."""
        alike = frame(400, people=400).assign(age=50, hours=5.0, plan="basic", left="yes")
        many = pd.concat([alike, *[alike.iloc[[7]].assign(left="no")] * 1000])
        few = alike.copy()
        few.loc[7, "left"] = "no"
        many.loc[7, "left"] = "no"
        return [result_of(choose(file, PEOPLE)).reference for file in (few, many)]

    def test_the_accuracy_counts_people_and_not_rows(self, references):
        _, many = references

        assert many.best_accuracy > 0.99

    def test_the_loss_counts_people_and_not_rows(self, references):
        few, many = references

        assert many.best_loss == pytest.approx(few.best_loss, abs=WEIGHT_OF_A_PERSON)


class TestRowsWithoutAnAnswer:
    """Half of the rows are there once more, without an answer or with one that is no class."""

    def with_empty_rows(self, *, age):
        """Return the file with half of its rows once more, at this age and without a class."""
        file = visits()
        again = file.iloc[::2]
        empty = again.assign(left=np.resize(["", "perhaps"], len(again)), age=age)
        return pd.concat([file, empty])

    def test_inputs_of_rows_without_an_answer_change_nothing(self):
        young, old = (ensemble_of(self.with_empty_rows(age=age)) for age in (20, 80))

        np.testing.assert_array_equal(young.weights, old.weights)

    @pytest.mark.parametrize("name", ["weights", "loss", "clipped"])
    def test_rows_without_an_answer_count_as_none_of_a_person(self, name):
        without, with_them = ensemble_of(visits()), ensemble_of(self.with_empty_rows(age=20))

        np.testing.assert_allclose(
            getattr(with_them, name), getattr(without, name), atol=SINGLE_PRECISION_NEAR_0
        )

    def test_of_people_with_few_answers_both_classes_are_in_both_parts(self):
        """The first 39 of a person's 40 rows have no answer."""
        lines = ["who,x,y"]
        for row in range(120 * 40):
            answer = ("no", "yes")[row % 2] if row >= 120 * 39 else ""
            lines.append(f"p{row % 120},{row % 9},{answer}")
        x = Column(name="x", low=0, high=9)
        roles = Roles(answer="y", classes=("no", "yes"), columns=(x,), person="who")
        table = own_table.read("\n".join(lines).encode())

        split = split_of(own_rows.choose(table, roles), seed=3)

        assert {*split.y_private} == {*split.y_test} == {0, 1}


class TestOneRowOfAPerson:
    """900 people with several rows each, of which one is taken; a column says which."""

    @pytest.fixture(scope="class")
    @classmethod
    def places(cls):
        """The rows that are taken, of the file and where one person has a row more."""
        file = frame(3000, people=900).assign(place=np.arange(3000))
        more = pd.concat([file, file[file["who"] == "P00007"].assign(place=2999)])
        place = Column(name="place", low=0, high=3000)
        roles = replace(CLASSES, person="who", columns=(place,))
        return [choose(one, roles).source.draw(stream(1, "data"))[0][:, 0] for one in (file, more)]

    def test_one_row_of_each_person_is_taken(self, places):
        taken, _ = places

        assert sorted(taken % 900) == [*range(900)]

    def test_the_row_taken_of_a_person_does_not_depend_on_the_rows_of_others(self, places):
        taken, of_more = places

        assert {*np.flatnonzero(taken != of_more)} <= {7}
