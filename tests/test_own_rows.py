"""Rows of the user's own: what must be declared, what becomes of the cells, and who can reach them."""

import gc
import weakref
from base64 import b64decode
from dataclasses import asdict, replace

import numpy as np
import oracles
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.cache import CACHE
from dpcore.data import toy
from dpcore.estimators.reference import optimum
from dpcore.streams import stream
from dpcore.training import descent, losses
from lab import links
from lab.files import own_rows, own_table
from lab.files.file_handles import NONE, forget, key
from lab.files.own_rows import Column, OwnRows, Roles
from lab.sources import MOST_LIVE
from pages.classifier import figures
from pages.classifier import words as say
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from pages.what_if.page_tables import price
from tests.sentences import NEVER, broken_by, plain
from ui import takeaway
from ui.plot.columns import MOST_INPUTS


def customers(rows: int = 1000, *, seed: int = 0) -> pd.DataFrame:
    """A made-up table: who leaves calls often and has not been there for long."""
    rng = np.random.default_rng(seed)
    calls, tenure = rng.poisson(3, rows), rng.uniform(0, 30, rows).round(1)
    leaves = 0.6 * calls - 0.2 * tenure + rng.logistic(size=rows) > 0
    return pd.DataFrame(
        {
            "customer_id": [f"C{number:05}" for number in range(rows)],
            "age": rng.integers(18, 90, rows),
            "tenure": tenure,
            "calls": calls,
            "plan": rng.choice(["basic", "plus", "family"], rows),
            "churned": np.where(leaves, "yes", "no"),
        }
    )


# As a session does: what nobody holds is gone.
HELD = []


def table_of(frame: pd.DataFrame) -> own_table.Table:
    HELD.append(own_table.read(frame.to_csv(index=False).encode()))
    return HELD[-1]


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


ROLES = Roles(
    answer="churned",
    classes=("no", "yes"),
    columns=(
        Column(name="age", low=18, high=100),
        Column(name="tenure", low=0, high=20),
        Column(name="calls", low=0, high=10),
        Column(name="plan", kind="category", values=("basic", "plus")),
    ),
)


@pytest.fixture(scope="module")
def table():
    return table_of(customers())


def settings_of(own: str, **changes) -> ClassifierSettings:
    return ClassifierSettings(repeats=4, steps=5).change(dataset="own").change(own=own).change(**changes)


def split_of(own: OwnRows, seed: int = 4) -> toy.Split:
    return toy.load(key(own), seed=seed)


def same(one: toy.Split, other: toy.Split) -> bool:
    parts = [f"{kind}_{part}" for kind in "Xy" for part in ("private", "test")]
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


class TestRoles:
    def test_nothing_lacks(self):
        assert ROLES.lacks() == ()

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"answer": ""}, "nothing is chosen to be predicted"),
            ({"classes": ()}, "churned has no answer"),
            ({"classes": ("no",)}, "churned has one answer, and needs two"),
            ({"classes": ("no", "no ")}, "churned has an empty answer, or one twice"),
            ({"classes": tuple(map(str, range(21)))}, "churned has 21 values, more than 20"),
            ({"columns": ()}, "no column is chosen to learn from"),
            ({"columns": (Column(name="age"),)}, "age has no bounds"),
            ({"columns": (Column(name="age", low=3),)}, "age has no bounds"),
            ({"columns": (Column(name="age", low=3, high=3),)}, "the lowest value of age must be below the highest"),
            ({"columns": (Column(name="age", low=3, high=float("inf")),)}, "the lowest value of age"),
            ({"columns": (Column(name="plan", kind="category"),)}, "plan has no category"),
            ({"columns": (Column(name="age", low=0, high=1),) * 2}, "age is chosen twice"),
            ({"columns": (Column(name="churned", low=0, high=1),)}, "churned is what is predicted, and cannot help"),
            ({"person": "age"}, "age says who a person is, and is never learned from"),
            ({"person": "churned"}, "churned says who a person is"),
            ({"columns": tuple(Column(name=str(n), low=0, high=1) for n in range(65))}, "65 columns are chosen"),
        ],
        ids=str,
    )
    def test_what_is_missing_is_said_and_nothing_is_chosen(self, table, changes, said):
        roles = replace(ROLES, **changes)
        assert any(sentence.startswith(said) for sentence in roles.lacks())
        with pytest.raises(check.RefusedError):
            own_rows.choose(table, roles)

    @pytest.mark.parametrize("where", ["answer", "person", "columns"])
    def test_a_column_must_be_there(self, table, where):
        value = (Column(name="height", low=0, high=1),) if where == "columns" else "height"
        with pytest.raises(check.RefusedError, match="height"):
            own_rows.choose(table, replace(ROLES, **{where: value}))

    def test_answers_that_no_row_has_are_refused(self, table):
        with pytest.raises(check.RefusedError, match="0 rows with one of the answers"):
            own_rows.choose(table, replace(ROLES, classes=("ja", "nein")))

    def test_a_number_that_can_be_read_in_two_ways_is_asked_about(self):
        frame = customers().assign(age=["1,234", "2,345"] * 500)
        with pytest.raises(check.RefusedError, match="1,234"):
            own_rows.choose(table_of(frame), ROLES)
        said = replace(ROLES.columns[0], decimal=",")
        own_rows.choose(table_of(frame), replace(ROLES, columns=(said,)))

    def test_the_answer_in_disguise_is_told_by_declarations_alone(self):
        columns = (
            Column(name="Churned_flag", low=0, high=1),
            Column(name="left", kind="category", values=("yes", "no")),
            Column(name="unchurnedness", low=0, high=1),
            *ROLES.columns,
        )
        assert replace(ROLES, columns=columns).disguised == ("Churned_flag", "left")


class TestArrays:
    def test_cells_become_what_the_bounds_say(self):
        frame = customers().astype(object)
        frame.loc[0, ["age", "tenure", "plan", "churned"]] = [59, 40, "gold", "yes"]
        frame.loc[1, ["age", "tenure", "plan", "churned"]] = ["", "n/a", "plus", "perhaps"]
        own = own_rows.choose(table_of(frame), ROLES)
        found = own.source
        assert found.features == ("age", "tenure", "calls", "plan: basic", "plan: plus")
        X, y = found.draw(np.random.default_rng(0))
        X = toy.to_unit(X, found.bounds)
        assert X[0, [0, 1, 3, 4]].tolist() == [0, 1, 0, 0]
        assert X[1, [0, 1, 3, 4]].tolist() == [0, 0, 0, 1]
        assert y[:2].tolist() == [1, -1]
        assert (len(y), np.abs(X).max()) == (1000, 1)

    def test_what_lies_outside_of_the_bounds_or_is_left_out_changes_nothing(self, table):
        frame = customers()
        frame["tenure"] = frame["tenure"].where(frame["tenure"] < 20, 1e6)
        frame["plan"] = frame["plan"].replace("family", "whatever")
        frame["customer_id"] = "the same"
        frame.insert(0, "secret", np.arange(len(frame)))
        one, other = own_rows.choose(table, ROLES), own_rows.choose(table_of(frame), ROLES)
        for seed in (0, 4):
            assert same(split_of(one, seed), split_of(other, seed))
        numbers = [settings_of(own).run() for own in (one, other)]
        np.testing.assert_array_equal(*(result.accuracy.runs for result in numbers))
        np.testing.assert_array_equal(*(result.focus.weights for result in numbers))

    def test_no_cell_decides_which_rows_are_private(self, table):
        """A row's place and the seed do: other answers, and other cells, leave all rows where they were."""
        frame = customers(seed=8)
        one, other = (split_of(own_rows.choose(one, ROLES)) for one in (table, table_of(frame)))
        for part in ("private", "test"):
            np.testing.assert_array_equal(one.rows_of[part], other.rows_of[part])
        assert (len(one.y_private), len(one.y_public), len(one.y_test)) == (800, 0, 200)

    def test_a_row_without_an_answer_adds_nothing_and_stays(self, table):
        """Its other cells have no say, and n is what it was."""
        frame, other = customers(), customers()
        frame.loc[::3, "churned"] = ""
        other.loc[::3, "churned"] = "perhaps"
        other.loc[::3, ["age", "tenure", "calls"]] = [77, 3, 9]
        whole, *both = (settings_of(own_rows.choose(one, ROLES)) for one in (table, table_of(frame), table_of(other)))
        results = [one.run() for one in both]
        assert {one.rows for one in (whole, *both)} == {800}
        np.testing.assert_array_equal(*(result.focus.weights for result in results))
        np.testing.assert_array_equal(*(result.reference.weights for result in results))
        np.testing.assert_array_equal(*(result.focus.loss for result in results))
        assert results[0].focus.noise == whole.probe().run().noise
        assert (results[0].split.y_private < 0).any()
        assert (results[0].split.y_test >= 0).all()

    def test_of_a_person_one_row_is_taken_whatever_others_have(self):
        frame = customers(3000)
        frame["customer_id"] = [f"C{number % 900}" for number in range(3000)]
        roles = replace(ROLES, person="customer_id", columns=(Column(name="place", low=0, high=3000),))
        frame["place"] = np.arange(3000)
        own = own_rows.choose(table_of(frame), roles)
        assert (own.people, own.private) == (900, 720)
        X, _ = own.source.draw(stream(1, "data"))
        assert sorted(X[:, 0] % 900) == [*range(900)]
        assert len({*own.source.draw(stream(2, "data"))[0][:, 0].tolist()} & {*X[:, 0].tolist()}) < 450
        more = pd.concat([frame, frame[frame["customer_id"] == "C7"].assign(place=2999)])
        again = own_rows.choose(table_of(more), roles)
        other, _ = again.source.draw(stream(1, "data"))
        assert np.flatnonzero(X[:, 0] != other[:, 0]).tolist() in ([], [7])

    def test_a_class_without_a_row_or_with_one_is_no_fault(self):
        frame = customers()
        roles = replace(ROLES, classes=("no", "yes", "perhaps"))
        result = settings_of(own_rows.choose(table_of(frame), roles)).run()
        assert np.isfinite(result.accuracy.runs).all()
        one_class = settings_of(own_rows.choose(table_of(frame.assign(churned="no")), ROLES)).run()
        assert one_class.reference.best_accuracy == 1
        assert one_class.split.best_constant == ("no", 1.0)


# Written to a file.
BUILT_IN = ("breast_cancer", "digits", "iris")


def own_of(name: str, seed: int) -> OwnRows:
    """A file that is written from a built-in set so that its rows are in the same parts, found by the seed's own order;
    the public ones are not in it."""
    source, split = toy.DATASETS[name], toy.load(name, seed=seed)
    X, y = source.draw(stream(seed, "data"))
    rows = np.concatenate([split.rows_of["private"], split.rows_of["test"]])
    placed = np.empty_like(rows)
    placed[stream(seed, "split").permutation(len(rows))] = rows
    frame = pd.DataFrame(X[placed], columns=source.features).assign(answer=np.array(source.classes)[y[placed]])
    bounds = zip(source.features, source.bounds, strict=True)
    roles = Roles(
        answer="answer",
        classes=source.classes,
        columns=tuple(Column(name=feature, low=low, high=high) for feature, (low, high) in bounds),
        test_share=len(split.y_test) / len(rows),
    )
    return own_rows.choose(table_of(frame), roles)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_file_written_from_a_built_in_set_gives_its_numbers(name):
    """The same rows in the same parts: bit for bit."""
    built = ClassifierSettings(repeats=4, steps=5, seed=4, public_rows=0).change(dataset=name)
    own = settings_of(own_of(name, built.seed), seed=built.seed)
    assert same(own.run().split, built.run().split)
    assert own.rows == built.rows
    one, other = own.run(), built.run()
    np.testing.assert_array_equal(one.accuracy.runs, other.accuracy.runs)
    np.testing.assert_array_equal(one.focus.weights, other.focus.weights)
    np.testing.assert_array_equal(one.focus.loss, other.focus.loss)
    assert one.reference.best_accuracy == other.reference.best_accuracy
    assert one.guarantees == other.guarantees


PEOPLE = replace(ROLES, person="customer_id")


def visits(people: int = 300, *, seed: int = 0) -> pd.DataFrame:
    """Customers with one to five rows each, in no order."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 6, people)
    names = rng.permutation(np.repeat([f"C{number:05}" for number in range(people)], counts))
    return customers(len(names), seed=seed).assign(customer_id=names)


def rows_by_person(split: toy.Split) -> list[list]:
    X, y, people = split.learned
    return [sorted(np.column_stack([X, y])[people == one].tolist()) for one in range(people.max() + 1)]


class TestPeople:
    """All rows of a person are learned from, and count as one."""

    def test_all_rows_of_a_private_person_and_no_other_are_there(self):
        frame = visits()
        own = own_rows.choose(table_of(frame), PEOPLE)
        split = split_of(own)
        assert (own.people, own.private, len(split.y_private), len(split.y_test)) == (300, 240, 240, 60)
        names = list(dict.fromkeys(frame["customer_id"]))
        alone = own_rows.choose(table_of(frame), ROLES)
        X, y = alone.source.draw(np.random.default_rng(0))
        cells = np.column_stack([toy.to_unit(X, alone.source.bounds), y])
        mine = [sorted(cells[frame["customer_id"] == names[place]].tolist()) for place in split.rows_of["private"]]
        assert rows_by_person(split) == mine
        assert sum(map(len, mine)) > 2 * 240

    def test_one_row_each_are_rows_but_for_the_unit(self, table):
        rows, people = (settings_of(own_rows.choose(table, roles)).run() for roles in (ROLES, PEOPLE))
        for part in ("weights", "accuracy", "loss", "clipped", "signal"):
            np.testing.assert_array_equal(getattr(people.focus, part), getattr(rows.focus, part))
        np.testing.assert_array_equal(people.accuracy.runs, rows.accuracy.runs)
        assert (rows.guarantees.formula.unit, people.guarantees.formula.unit) == ("record", "person")
        assert rows.guarantees.formula.epsilon == people.guarantees.formula.epsilon

    @pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
    def test_what_is_trained_and_told_is_by_person(self, classes):
        result = settings_of(own_rows.choose(table_of(visits()), replace(PEOPLE, classes=classes)), clip_norm=0.4).run()
        X, y, people = result.split.learned
        inputs = losses.with_constant(X)
        weights = result.focus.weights[0]
        values = losses.values(losses.logits(weights, inputs), y)
        mean = np.mean([values[:, people == one].mean(axis=1) for one in range(240)], axis=0)
        np.testing.assert_allclose(result.focus.loss[0, :, -1], mean, rtol=1e-5)
        start = np.zeros_like(weights[0])
        averages = np.stack(
            [
                np.mean([oracles.gradient(start, *row) for row in zip(inputs[of], y[of], strict=True)], axis=0)
                for of in (people == one for one in range(240))
            ]
        )
        clipped = np.mean([oracles.clipped(one, 0.4) for one in averages], axis=0)
        assert result.focus.signal[0] == pytest.approx(np.linalg.norm(clipped), rel=1e-5)
        assert 0 < result.focus.clipped[0] < 1
        plain = result.reference
        assert plain.best_loss < plain.loss[-1] < plain.loss[0]

    def test_the_optimum_counts_people_and_not_rows(self):
        """Of one who says no a hundred times, and many who say yes once: yes."""
        frame = customers(400).assign(age=50, tenure=5.0, calls=3, plan="basic", churned="yes")
        many = pd.concat([frame, *[frame.iloc[[7]].assign(churned="no")] * 1000])
        frame.loc[7, "churned"] = "no"
        one, other = (settings_of(own_rows.choose(table_of(each), PEOPLE)).run() for each in (frame, many))
        assert other.reference.best_accuracy > 0.99
        assert other.reference.best_loss == pytest.approx(one.reference.best_loss, abs=0.005)

    def test_the_number_of_rows_decides_no_noise(self):
        frame = visits()
        few, many = (
            settings_of(own_rows.choose(table_of(pd.concat([frame] * times)), PEOPLE)).run() for times in (1, 3)
        )
        assert few.settings.rows == many.settings.rows == 240
        assert few.focus.noise == many.focus.noise
        assert few.guarantees == many.guarantees
        np.testing.assert_allclose(few.focus.weights, many.focus.weights, atol=1e-6)

    def test_a_row_without_an_answer_is_none_of_a_persons(self):
        frame = visits()
        empty = frame.iloc[::2].assign(churned=lambda rows: np.resize(["", "perhaps"], len(rows)))
        both = [pd.concat([frame, empty.assign(age=age)]) for age in (20, 80)]
        results = [settings_of(own_rows.choose(table_of(one), PEOPLE)).run() for one in (frame, *both)]
        np.testing.assert_array_equal(results[1].focus.weights, results[2].focus.weights)
        np.testing.assert_allclose(results[0].focus.weights, results[1].focus.weights, atol=1e-6)
        np.testing.assert_allclose(results[0].focus.loss, results[1].focus.loss, atol=1e-6)
        np.testing.assert_allclose(results[0].focus.clipped, results[1].focus.clipped)

    def test_one_with_a_thousand_rows_beside_others_with_one(self):
        frame = customers(400)
        more = pd.concat([frame, *[frame.iloc[[7]]] * 999])
        one, other = (settings_of(own_rows.choose(table_of(each), PEOPLE)).run() for each in (frame, more))
        np.testing.assert_allclose(one.focus.weights, other.focus.weights, atol=1e-6)

    def test_all_rows_of_one_person_are_too_few_people(self):
        with pytest.raises(check.RefusedError, match="1 person"):
            own_rows.choose(table_of(customers().assign(customer_id="C")), PEOPLE)


class TestApart:
    """What rows that are clipped one by one would cost, which is declared and never looked up."""

    def settings(self, frame: pd.DataFrame, most_rows: int | None, **changes) -> ClassifierSettings:
        return settings_of(own_rows.choose(table_of(frame), replace(PEOPLE, most_rows=most_rows)), **changes)

    def test_nothing_is_compared_unless_a_number_is_declared(self):
        result = self.settings(visits(), None).run()
        assert np.isnan(result.apart.runs).all()
        assert settings_of(own_rows.choose(table_of(customers()), ROLES)).run().apart.done.sum() == 0

    @pytest.mark.parametrize("most_rows", [0, 1001, 2.5])
    def test_it_is_a_number_of_rows(self, table, most_rows):
        with pytest.raises(check.RefusedError, match="most_rows"):
            own_rows.choose(table, replace(PEOPLE, most_rows=most_rows))

    def test_with_one_row_each_it_is_what_is_trained(self):
        result = self.settings(customers(), 1).run()
        np.testing.assert_array_equal(result.apart.runs[0], result.focus.accuracy[0])

    @pytest.mark.parametrize("most_rows", [1, 3, 20])
    def test_of_each_person_as_many_are_taken_and_the_noise_is_for_them(self, most_rows, monkeypatch):
        settings = self.settings(visits(), most_rows)
        (task,) = settings._apart()
        model = task.model.model
        people = model.split.learned[2]
        counts = np.bincount(people)
        taken = np.minimum(counts, most_rows).sum()
        seen = {}
        descend = type(model).descend
        monkeypatch.setattr(
            type(model), "descend", lambda self, X, y, **how: seen.update(how, y=y) or descend(self, X, y, **how)
        )
        task.run()
        assert len(seen["y"]) == taken
        step, units = seen["learning_rate"] / taken, most_rows * 240  # what a row moves the weights by
        assert step == pytest.approx(settings.learning_rate / units)
        multiplier = descent.noise_multiplier(epsilon=0.5, delta=1e-5, steps=5)
        assert seen["learning_rate"] * seen["noise_sd"] == pytest.approx(step * multiplier * 2 * most_rows)

    def test_which_rows_are_taken_does_not_depend_on_others(self):
        frame = visits()
        few, many = (self.settings(one, 2)._apart()[0] for one in (frame, pd.concat([frame, frame.iloc[[5]]])))
        found = [{tuple(row) for row in task.model.rows()[0].tolist()} for task in (few, many)]
        assert len(found[0] - found[1]) <= 2

    def test_what_is_said_of_it(self):
        for most_rows, words in ((1, "One row of each person"), (12, "12 times the noise of one row")):
            result = self.settings(visits(), most_rows, epsilon=1.0).run()
            assert broken_by(said_of(result), result, NEVER) == set()
            assert words in said_of(result)
        off = tuple(replace(column, read_off=True) for column in ROLES.columns)
        void = replace(PEOPLE, most_rows=3, columns=off)
        assert "noise of one row" not in said_of(settings_of(own_rows.choose(table_of(visits()), void)).run())


class TestSettings:
    def test_only_the_sound_version_and_no_public_rows(self, table):
        settings = settings_of(own_rows.choose(table, ROLES))
        assert (settings.version, settings.arms, settings.rows, settings.own) == (
            "sound",
            ("scratch",),
            800,
            settings.own,
        )
        with pytest.raises(check.RefusedError, match="version"):
            settings.change(version="published")
        with pytest.raises(check.RefusedError, match="public_rows"):
            settings.change(public_rows=1)
        assert settings.change(dataset="iris").own == NONE

    def test_a_large_file_is_a_random_part(self):
        own = own_rows.choose(table_of(customers(30_000)), ROLES)
        settings = settings_of(own)
        assert (own.private, settings.rows, settings.limits["rows"]) == (24_000, MOST_LIVE, (50, MOST_LIVE))
        rows = toy.load(key(own), seed=4, private_rows=settings.rows).rows_of["private"]
        assert len(rows) == MOST_LIVE
        assert not np.array_equal(np.sort(rows), np.arange(MOST_LIVE))

    def test_bounds_read_off_the_rows_are_told(self, table):
        low, high = own_rows.read_off(table, "age")
        assert (low, high) == (18, 89)
        column = Column(name="age", low=low, high=high, read_off=True)
        roles = replace(ROLES, columns=(column, *ROLES.columns[1:]))
        assert settings_of(own_rows.choose(table, roles)).void == "bounds were read off private rows"
        assert settings_of(own_rows.choose(table, ROLES)).void == ""
        with pytest.raises(check.RefusedError):
            own_rows.read_off(table, "plan")


class TestName:
    def test_it_says_nothing_of_the_file(self, table):
        settings = settings_of(own_rows.choose(table, ROLES))
        link = {name: str(value) for name, value in asdict(settings).items()}
        told = str(link) + takeaway.script(settings)
        for part in ("churned", "tenure", "basic", "18", "customer"):
            assert part not in told.replace(str(settings.own), "")

    def test_a_file_is_gone_with_its_holder(self):
        kept = own_table.read(customers().to_csv(index=False).encode())
        settings = settings_of(own_rows.choose(kept, ROLES))
        task = settings.probe()
        CACHE.answer(task, task.run)
        alive = weakref.ref(kept)
        forget(kept)
        assert not CACHE.find(task)[0]
        del kept
        gc.collect()
        assert alive() is None
        with pytest.raises(check.RefusedError, match="gone"):
            task.run()


class TestWeights:
    """The picture of what models go by, which needs no row."""

    @pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
    def test_its_dots_are_the_weights(self, table, classes):
        result = settings_of(own_rows.choose(table, replace(ROLES, classes=classes))).run()
        names, private, plain = figures.leading(result)
        assert sorted(names) == sorted(result.split.source.features)
        assert (private.shape, plain.shape) == ((4, 5), (5,))
        weights = result.focus.weights[0]
        place = result.split.source.features.index(names[0])
        wanted = weights[:, 0, place] if len(classes) == 2 else np.ptp(weights[:, :, place], axis=1)
        np.testing.assert_array_equal(private[:, 0], wanted)
        medians = np.abs(np.median(private, axis=0))
        assert (np.diff(medians) <= 0).all()
        drawn = go.Figure(figures.weights(result))
        dots = np.frombuffer(b64decode(drawn.data[0].x["bdata"]), np.float32)
        np.testing.assert_array_equal(dots, private.ravel())
        assert list(drawn.layout.yaxis.ticktext) == names

    def test_of_many_columns_the_leading_are_shown(self):
        rng = np.random.default_rng(0)
        frame = customers().assign(**{f"column {n}": rng.random(1000) for n in range(20)})
        columns = tuple(Column(name=f"column {n}", low=0, high=1) for n in range(20))
        own = own_rows.choose(table_of(frame), replace(ROLES, columns=columns))
        assert len(figures.leading(settings_of(own).run())[0]) == MOST_INPUTS


def test_a_null_row_has_no_gradient_whatever_the_weights_are():
    X, y = losses.examples(np.ones((3, 2)), np.array([1, -1, 0]))
    weights = np.random.default_rng(0).normal(size=(4, 1, 3))
    assert losses.gradient_norms(weights, X, y)[:, 1].tolist() == [0] * 4
    np.testing.assert_allclose(losses.values(losses.logits(weights, X), y)[:, 1], np.log(2), rtol=1e-6)
    np.testing.assert_array_equal(X[[0, 2]], np.ones((2, 3)))


@pytest.mark.parametrize("answer", [0, 1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_of_one_class_have_an_optimum_that_always_says_so(answer, n_classes):
    if answer < n_classes:
        X = np.random.default_rng(0).normal(size=(9, 2))
        weights = optimum(X, np.full(9, answer), n_classes=n_classes)
        assert (losses.predict(weights, losses.with_constant(X)) == answer).all()


def said_of(result) -> str:
    found = [say.verdict(result), say.guarantee(result), say.caption(result), *say.diagnostics(result)]
    return plain(" ".join([*found, *(f"{one.label}: {one.value} {one.note}." for one in say.numbers(result))]))


def test_what_is_said_of_rows_of_ones_own(table):
    frame = customers(1000).assign(customer_id=[f"C{number % 400}" for number in range(1000)])
    some = settings_of(own_rows.choose(table, ROLES), rows=100).run()
    people = settings_of(own_rows.choose(table_of(frame), replace(ROLES, person="customer_id"))).run()
    off = tuple(replace(column, read_off=True) for column in ROLES.columns[:1]) + ROLES.columns[1:]
    void = settings_of(own_rows.choose(table, replace(ROLES, columns=off))).run()
    for result in (some, people, void):
        assert broken_by(said_of(result), result, NEVER) == set()
    assert "100 of 800 rows, picked at random. With all, the noise would weigh 8 times less" in said_of(some)
    assert "Trained on 320 people, all rows of each. Tested on one row each of 80 others" in said_of(people)
    assert "The unit of privacy is one person, all of their rows" in said_of(people)
    assert "Their gradients are averaged, and the average is clipped" in said_of(people)
    assert "whether your rows or another person's were used" in said_of(people)
    assert "adjacency replace-one, one person" in said_of(people)
    assert "adjacency replace-one, one record" in said_of(some)
    assert "Clipping rows one by one" not in said_of(people)
    assert "At epsilon 0.5, nothing is guaranteed" in said_of(void)
    assert "coin toss: 50" not in said_of(void)
    assert "coin toss: 50" in said_of(some)


def test_no_question_can_be_asked_about_a_file():
    kind = next(page.settings for page in PAGES if page.name == "what-if")
    assert kind(topic="classifier", base="dataset iris").settings.dataset == "iris"
    with pytest.raises(check.RefusedError, match="without a file"):
        kind(topic="classifier", base="dataset own")


def test_a_question_can_be_asked_about_rows_that_are_here(table):
    """And by nobody else: its text, as a link has it, only names the file."""
    page = next(one for one in PAGES if one.name == "classifier")
    settings = settings_of(own_rows.choose(table, ROLES))
    question = page.asked.about(settings, "target 70")
    assert question.settings == settings
    assert question.settings.own is settings.own
    assert set(question.knobs) == {"epsilon", "clip_norm", "steps", "learning_rate", "rows", "delta"}
    answer = page.asked.view(question.run()).words["answer"]
    assert "Median accuracy is <b>70" in answer
    assert page.asked.asks(question) == "target 70.0"
    assert question.change(rows=100, seeds=2).settings.own is settings.own
    assert np.isfinite(question.change(seeds=2).settings.overlap)
    with pytest.raises(check.RefusedError):
        type(question)(topic="classifier", base=str.__str__(question.base))
    with pytest.raises(check.RefusedError):
        replace(question, base="".join(question.base))
    assert page.asked.about(settings.change(own=str.__str__(settings.own)), "") is None
    said = price(question.result({}))
    assert "the private rows of your file" in said
    assert "made up" not in said
    assert "no privacy" in price(replace(question, base=links.word(ClassifierSettings(), apart=" ")).result({}))


class TestAnswersOfFew:
    """People of whom few rows have an answer."""

    ROLES = Roles(answer="y", classes=("no", "yes"), columns=(Column(name="x", low=0, high=9),), person="who")

    def file(self, *rows: tuple[str, int, str]):
        lines = ["who,x,y", *(",".join(map(str, row)) for row in rows)]
        self.table = own_table.read("\n".join(lines).encode())
        return own_rows.choose(self.table, self.ROLES)

    def test_one_person_with_all_the_answers_is_too_few(self):
        rows = [("me", i % 9, ("no", "yes")[i % 2]) for i in range(150)] + [(f"p{i}", i % 9, "") for i in range(200)]
        with pytest.raises(check.RefusedError, match="1 people with one"):
            self.file(*rows)

    def test_a_persons_row_is_one_with_an_answer(self):
        rows = [(f"p{i % 120}", i % 9, "yes" if i < 120 else "") for i in range(120 * 40)]
        own = self.file(*rows)
        split = toy.load(key(own), seed=3)
        assert (split.y_test == 1).all()
        assert len(split.y_test) == 24
        assert (split.y_private == 1).all()
