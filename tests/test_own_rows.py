"""Rows of one's own: what must be declared, what becomes of the cells, and who is learned from."""

from dataclasses import replace

import numpy as np
import oracles
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.data import toy
from dpcore.estimators.reference import optimum
from dpcore.streams import stream
from dpcore.training import descent, losses
from lab import links
from lab.files import own_rows, own_table
from lab.files.file_handles import key
from lab.files.own_rows import Column, OwnRows, Roles
from pages.classifier import figures
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from pages.what_if.page_tables import price
from tests.own_files import CLASSES, NUMBER, TOWNS, choose, frame, table_of
from tests.test_figures import numbers


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


def column(name: str, **said) -> tuple[Column]:
    return (Column(name=name, **said),)


def bounded(name: str, *, columns: int = 1, **said) -> dict:
    return {"columns": column(name, **({"low": 0, "high": 1} | said)) * columns}


FORTY = tuple(Column(name=name, kind="category", values=tuple(map(str, range(40)))) for name in "ab")
# The roles, what is changed in them, and what is then said.
LACKS = [
    (CLASSES, {"answer": ""}, "nothing is chosen to be predicted"),
    (CLASSES, {"classes": ()}, "left has no answer"),
    (CLASSES, {"classes": ("no",)}, "left has one answer, and needs two"),
    (CLASSES, {"classes": ("no", "no ")}, "left has an empty answer, or one twice"),
    (CLASSES, {"classes": tuple(map(str, range(21)))}, "left has 21 values, more than 20"),
    (CLASSES, {"columns": ()}, "no column is chosen to learn from"),
    (CLASSES, bounded("age", high=None), "age has no bounds"),
    *((CLASSES, bounded("age", high=high), "the lowest value of age must be below") for high in (0, float("inf"))),
    (CLASSES, bounded("plan", kind="category"), "plan has no category"),
    (CLASSES, bounded("plan", kind="category", values=tuple(map(str, range(51)))), "plan has 51 values, more than 50"),
    (CLASSES, bounded("age", columns=2), "age is chosen twice"),
    (CLASSES, bounded("left"), "left is what is predicted, and cannot help"),
    *((CLASSES, {"person": name}, f"{name} says who a person is, and is never") for name in ("age", "left")),
    (CLASSES, {"columns": sum((column(str(n), low=0, high=1) for n in range(65)), ())}, "65 columns are chosen"),
    (NUMBER, {"target": Column(name="pay")}, "pay has no bounds"),
    (NUMBER, {"target": Column(name="pay", low=0, high=1e31)}, "the bounds of pay must lie within 1e"),
    (NUMBER, bounded("pay"), "pay is what is predicted"),
    (NUMBER, {"columns": NUMBER.columns[:1]}, "one input is chosen, and a regression needs two"),
    (NUMBER, {"columns": FORTY}, "the columns make 78 inputs"),
    (TOWNS, {"own_source": " "}, "town has no value whose rows are private"),
    (TOWNS, {"sources": ()}, "town has one source, and needs two"),
    (TOWNS, {"sources": ("Ashford",)}, "town has an empty source, or one twice"),
    (TOWNS, {"sources": tuple(map(str, range(13)))}, "town has 14 values, more than 13"),
    *((TOWNS, {"source": name}, f"{name} says which source a row is of, and is") for name in ("hours", "pay")),
    (TOWNS, {"person": "town"}, "town says which source a row is of"),
]
ALONE = {"who": np.maximum(np.arange(900), 799), "left": ["no"] * 800 + [""] * 100}
TWO_WAYS = {"age": ["1,234", "2,345"] * 450}
# The roles, what is changed in them, other cells of the file, and what is then refused.
REFUSED = [
    (CLASSES, {"answer": "height"}, {}, "height"),
    (CLASSES, {"person": "height"}, {}, "height"),
    (CLASSES, bounded("height"), {}, "height"),
    (TOWNS, {"source": "height"}, {}, "height"),
    (CLASSES, {"classes": ("ja", "nein")}, {}, "0 rows with one of the answers"),
    (CLASSES, {"person": "who"}, {"who": "C"}, "1 person"),
    (CLASSES, {"person": "who"}, {"who": np.arange(900) % 99}, "99 people', but must be at least 100"),
    (CLASSES, {"person": "who"}, ALONE, "1 people with"),
    (CLASSES, {}, TWO_WAYS, "1,234"),
    (NUMBER, {}, {"pay": TWO_WAYS["age"]}, "1,234"),
    *((CLASSES, {"person": "who", "most_rows": most}, {}, "most_rows") for most in (0, 1001, 2.5)),
    (CLASSES, {"test_share": 0.6}, {}, "test_share"),
    *((NUMBER, {"rows_each": rows}, {}, "rows_each") for rows in (0, 51)),
    (NUMBER, {"gaps": 1}, {}, "gaps"),
    (TOWNS, {"own_source": "Nowhere"}, {}, "too few private rows in town"),
    (TOWNS, {"sources": ("Brookside", "Nowhere")}, {}, "no rows of Nowhere with an answer"),
]


class TestRoles:
    @pytest.mark.parametrize(("roles", "changes", "said"), LACKS, ids=[f"{n} {one[-1]}" for n, one in enumerate(LACKS)])
    def test_what_is_missing_is_said_and_nothing_is_chosen(self, roles, changes, said):
        assert roles.lacks() == ()
        changed = replace(roles, **changes)
        assert any(sentence.startswith(said) for sentence in changed.lacks())
        with pytest.raises(check.RefusedError):
            choose(frame(), changed)

    @pytest.mark.parametrize(("roles", "changes", "cells", "said"), REFUSED, ids=map(str, range(len(REFUSED))))
    def test_what_does_not_fit_the_file_is_refused_by_name(self, roles, changes, cells, said):
        with pytest.raises(check.RefusedError, match=said):
            own_rows.choose(table_of(frame(900, people=900).assign(**cells)), replace(roles, **changes))

    def test_a_number_that_can_be_read_in_two_ways_is_read_as_it_is_said(self):
        said = replace(CLASSES.columns[0], decimal=",")
        choose(frame().assign(**TWO_WAYS), replace(CLASSES, columns=(said,)))

    def test_too_large_a_table_is_refused(self, monkeypatch):
        monkeypatch.setattr(own_rows, "MOST_CELLS", 2699)
        with pytest.raises(check.RefusedError, match="2,700 numbers"):
            choose(frame(), NUMBER)

    def test_the_answer_in_disguise_is_told_by_declarations_alone(self):
        names = ("Churned_flag", "unchurnedness", "age")
        columns = (*(column(name)[0] for name in names), *column("left", kind="category", values=("yes", "no")))
        assert replace(ROLES, columns=columns).disguised == ("Churned_flag", "left")
        assert NUMBER.disguised == ()
        assert replace(NUMBER, columns=column("base_pay", low=0, high=1)).disguised == ("base_pay",)

    def test_bounds_can_be_read_off(self, table):
        assert own_rows.read_off(table, "age") == (18, 89)
        with pytest.raises(check.RefusedError):
            own_rows.read_off(table, "plan")


def test_cells_become_what_the_bounds_say():
    frame = customers().astype(object)
    frame.loc[0, ["age", "tenure", "plan", "churned"]] = [59, 40, "gold", "yes"]
    frame.loc[1, ["age", "tenure", "plan", "churned"]] = ["", "n/a", "plus", "perhaps"]
    found = choose(frame, ROLES).source
    assert found.features == ("age", "tenure", "calls", "plan: basic", "plan: plus")
    X, y = found.draw(np.random.default_rng(0))
    X = toy.to_unit(X, found.bounds)
    assert X[:2, [0, 1, 3, 4]].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    assert (y[:2].tolist(), len(y), np.abs(X).max()) == ([1, -1], 1000, 1)


def test_of_a_person_one_row_is_taken_whatever_others_have():
    file = customers(3000).assign(customer_id=[f"C{n % 900}" for n in range(3000)], place=np.arange(3000))
    more = pd.concat([file, file[file["customer_id"] == "C7"].assign(place=2999)])
    roles = replace(ROLES, person="customer_id", columns=column("place", low=0, high=3000))
    one, other = (choose(each, roles).source.draw(stream(1, "data"))[0][:, 0] for each in (file, more))
    assert sorted(one % 900) == [*range(900)]
    assert {*np.flatnonzero(one != other)} <= {7}


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
    return choose(frame, roles)


PEOPLE = replace(ROLES, person="customer_id")


def visits(people: int = 300, *, seed: int = 0) -> pd.DataFrame:
    """Customers with one to five rows each, in no order."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 6, people)
    names = rng.permutation(np.repeat([f"C{number:05}" for number in range(people)], counts))
    return customers(len(names), seed=seed).assign(customer_id=names)


class TestPeople:
    """All rows of a person are learned from, and count as one."""

    def test_all_rows_of_a_private_person_and_no_other_are_there(self):
        frame = visits()
        split = split_of(choose(frame, PEOPLE))
        assert (len(split.y_private), len(split.y_test)) == (240, 60)
        names = list(dict.fromkeys(frame["customer_id"]))
        alone = choose(frame, ROLES).source
        X, y = alone.draw(np.random.default_rng(0))
        cells = np.column_stack([toy.to_unit(X, alone.bounds), y])
        mine = [sorted(cells[frame["customer_id"] == names[place]].tolist()) for place in split.rows_of["private"]]
        X, y, people = split.learned
        assert [sorted(np.column_stack([X, y])[people == one].tolist()) for one in range(240)] == mine

    @pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
    def test_what_is_trained_and_told_is_by_person(self, classes):
        result = settings_of(choose(visits(), replace(PEOPLE, classes=classes)), clip_norm=0.4).run()
        X, y, people = result.split.learned
        inputs = losses.with_constant(X)
        weights = result.focus.weights[0]
        values = losses.values(losses.logits(weights, inputs), y)
        mean = np.mean([values[:, people == one].mean(axis=1) for one in range(240)], axis=0)
        np.testing.assert_allclose(result.focus.loss[0, :, -1], mean, rtol=1e-5)
        start, units = np.zeros_like(weights[0]), [people == one for one in range(240)]
        gradients = [[oracles.gradient(start, *row) for row in zip(inputs[of], y[of], strict=True)] for of in units]
        clipped = np.mean([oracles.clipped(np.mean(one, axis=0), 0.4) for one in gradients], axis=0)
        assert result.focus.signal[0] == pytest.approx(np.linalg.norm(clipped), rel=1e-5)
        assert 0 < result.focus.clipped[0] < 1

    def test_the_optimum_counts_people_and_not_rows(self):
        """Of one who says no a hundred times, and many who say yes once: yes."""
        frame = customers(400).assign(age=50, tenure=5.0, calls=3, plan="basic", churned="yes")
        many = pd.concat([frame, *[frame.iloc[[7]].assign(churned="no")] * 1000])
        frame.loc[7, "churned"] = "no"
        one, other = (settings_of(choose(each, PEOPLE)).run() for each in (frame, many))
        assert other.reference.best_accuracy > 0.99
        assert other.reference.best_loss == pytest.approx(one.reference.best_loss, abs=0.005)

    def test_a_row_without_an_answer_is_none_of_a_persons(self):
        frame = visits()
        empty = frame.iloc[::2].assign(churned=lambda rows: np.resize(["", "perhaps"], len(rows)))
        files = (frame, *(pd.concat([frame, empty.assign(age=age)]) for age in (20, 80)))
        one, two, three = (settings_of(choose(file, PEOPLE)).run().focus for file in files)
        np.testing.assert_array_equal(two.weights, three.weights)
        for name in ("weights", "loss", "clipped"):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-6)


@pytest.mark.parametrize("most_rows", [1, 3, 20])
def test_as_many_rows_of_a_person_are_clipped_apart_as_are_declared_and_the_noise_is_for_them(most_rows, monkeypatch):
    frame = visits()

    def apart(frame: pd.DataFrame, most_rows: int | None) -> ClassifierSettings:
        return settings_of(choose(frame, replace(PEOPLE, most_rows=most_rows)))

    assert apart(frame, None).run().apart.done.sum() == 0
    assert np.isfinite(apart(customers(), most_rows).run().apart.runs).all(), "people of one row each"
    settings, more = apart(frame, most_rows), apart(pd.concat([frame, frame.iloc[[5]]]), most_rows)
    (task,), (other,) = settings._apart(), more._apart()
    found = [{tuple(row) for row in one.model.rows()[0].tolist()} for one in (task, other)]
    assert len(found[0] - found[1]) <= 2, "which rows are taken does not depend on other people"
    model, seen = type(task.model.model), {}
    descend = model.descend
    monkeypatch.setattr(model, "descend", lambda self, X, y, **how: seen.update(how, y=y) or descend(self, X, y, **how))
    task.run()
    taken = np.minimum(np.bincount(task.model.model.split.learned[2]), most_rows).sum()
    assert len(seen["y"]) == taken
    step, units = seen["learning_rate"] / taken, most_rows * 240  # what a row moves the weights by
    assert step == pytest.approx(settings.learning_rate / units)
    multiplier = descent.noise_multiplier(epsilon=0.5, delta=1e-5, steps=5)
    assert seen["learning_rate"] * seen["noise_sd"] == pytest.approx(step * multiplier * 2 * most_rows)


@pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
def test_the_dots_of_the_columns_are_their_weights(table, classes):
    result = settings_of(own_rows.choose(table, replace(ROLES, classes=classes))).run()
    names, private, plain = figures.leading(result)
    assert sorted(names) == sorted(result.split.source.features)
    assert (private.shape, plain.shape) == ((4, 5), (5,))
    weights = result.focus.weights[0]
    place = result.split.source.features.index(names[0])
    wanted = weights[:, 0, place] if len(classes) == 2 else np.ptp(weights[:, :, place], axis=1)
    np.testing.assert_array_equal(private[:, 0], wanted)
    assert (np.diff(np.abs(np.median(private, axis=0))) <= 0).all()
    drawn = go.Figure(figures.weights(result))
    np.testing.assert_array_equal(numbers(drawn.data[0].x), private.ravel())
    assert list(drawn.layout.yaxis.ticktext) == names


@pytest.mark.parametrize(("answer", "n_classes"), [(0, 2), (1, 2), (2, 3)])
def test_rows_of_one_class_have_an_optimum_that_always_says_so(answer, n_classes):
    X = np.random.default_rng(0).normal(size=(9, 2))
    weights = optimum(X, np.full(9, answer), n_classes=n_classes)
    assert (losses.predict(weights, losses.with_constant(X)) == answer).all()


def test_a_question_can_be_asked_about_rows_that_are_here(table):
    """And by nobody else: its text, as a link has it, only names the file."""
    page = next(one for one in PAGES if one.name == "classifier")
    settings = settings_of(own_rows.choose(table, ROLES))
    question = page.asked.about(settings, "target 70")
    assert question.settings == settings
    assert question.settings.own is settings.own
    assert "Median accuracy is <b>70" in page.asked.view(question.run()).words["answer"]
    assert page.asked.asks(question) == "target 70.0"
    result = settings.run()
    shares = result.held_out["reference"].shares.diagonal()
    reachable = {"scratch": result.reference.accuracy, "balanced": shares.mean()}
    reachable |= {f"recall_{place}": share for place, share in enumerate(shares)}
    start = page.targets(result)
    assert start.pop("loss") > result.reference.loss[-1]
    assert all(0 < target <= 100 * reachable[name] - 2 for name, target in start.items())
    targets = {"scratch": 61.0, "balanced": 55.0}  # computed from the rows, and so in no address
    first = page.asked.about(settings, "", targets)
    other = first.change(measure="balanced")
    assert page.asked.asks(other, targets, first) == "measure balanced"
    assert page.asked.about(settings, "measure balanced", targets).target == 55
    assert question.change(rows=100, seeds=2).settings.own is settings.own
    for base in (str.__str__(question.base), "".join(question.base)):
        with pytest.raises(check.RefusedError):
            replace(question, base=base)
    assert page.asked.about(settings.change(own=str.__str__(settings.own)), "") is None
    assert "the private rows of your file" in price(question.result({}))
    with pytest.raises(check.RefusedError, match="without a file"):
        type(question)(topic="classifier", base="dataset own")
    assert "no privacy" in price(replace(question, base=links.word(ClassifierSettings(), apart=" ")).result({}))


def test_a_persons_row_is_one_with_an_answer():
    """Of people of whom few rows have one."""
    roles = Roles(answer="y", classes=("no", "yes"), columns=column("x", low=0, high=9), person="who")
    rows = [f"p{i % 120},{i % 9},{('no', 'yes')[i % 2] if i >= 120 * 39 else ''}" for i in range(120 * 40)]
    kept = own_table.read("\n".join(["who,x,y", *rows]).encode())
    split = split_of(own_rows.choose(kept, roles), seed=3)
    assert {*split.y_private} == {*split.y_test} == {0, 1}
