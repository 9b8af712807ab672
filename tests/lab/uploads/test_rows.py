"""Rows of one's own: what must be declared, what becomes of cells, who is learned from, what
strange files bring.
"""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.estimators.linear import REGRESSIONS
from dpcore.streams import stream
from dpcore.training import losses
from lab.data import classification
from lab.models.non_private import optimum
from lab.uploads import column_bounds
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from lab.uploads.rows import OwnRows
from pages.classifier import charts
from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from tests import oracles, own_files
from tests.own_files import CLASSES, COLUMNS, NUMBER, by_person, choose, frame, table_of
from tests.sentences import broken_by
from tests.ui.charts.test_topic_charts import numbers
from ui.text.tiles import number


@pytest.fixture(scope="module")
def table():
    return table_of(frame(1000))


def settings_of(own: str, **changes) -> ClassifierSettings:
    return (
        ClassifierSettings(repeats=4, steps=5)
        .change(dataset="own")
        .change(own=own)
        .change(**changes)
    )


def split_of(own: OwnRows, seed: int = 4) -> classification.Split:
    return classification.load(own.key, seed=seed)


def column(name: str, **said) -> tuple[Column]:
    return (Column(name=name, **said),)


def bounded(name: str, *, columns: int = 1, **said) -> dict:
    return {"columns": column(name, **({"low": 0, "high": 1} | said)) * columns}


FORTY = tuple(
    Column(name=name, kind="category", values=tuple(map(str, range(40)))) for name in "ab"
)
# The roles, what is changed in them, and what is then said.
LACKS = [
    (CLASSES, {"answer": ""}, "no column to predict is chosen"),
    (CLASSES, {"classes": ()}, "left has no answer"),
    (CLASSES, {"classes": ("no",)}, "left has one answer, and needs two"),
    (CLASSES, {"classes": ("no", "no ")}, "left has an empty answer, or one twice"),
    (CLASSES, {"classes": tuple(map(str, range(21)))}, "left has 21 values, more than 20"),
    (CLASSES, {"columns": ()}, "no input column is chosen"),
    (CLASSES, bounded("age", high=None), "age has no bounds"),
    *(
        (CLASSES, bounded("age", high=high), "the lowest value of age must be below")
        for high in (0, float("inf"))
    ),
    (CLASSES, bounded("plan", kind="category"), "plan has no category"),
    (
        CLASSES,
        bounded("plan", kind="category", values=tuple(map(str, range(51)))),
        "plan has 51 values, more than 50",
    ),
    (CLASSES, bounded("age", columns=2), "age is chosen twice"),
    (CLASSES, bounded("left"), "left is the column to predict"),
    *((CLASSES, {"person": name}, f"{name} identifies the persons") for name in ("age", "left")),
    (
        CLASSES,
        {"columns": sum((column(str(n), low=0, high=1) for n in range(65)), ())},
        "65 columns are chosen",
    ),
    (NUMBER, {"target": Column(name="pay")}, "pay has no bounds"),
    (
        NUMBER,
        {"target": Column(name="pay", low=0, high=1e31)},
        "the bounds of pay must lie within 1e",
    ),
    (NUMBER, bounded("pay"), "pay is the column to predict"),
    (NUMBER, {"columns": NUMBER.columns[:1]}, "one input is chosen, and a regression needs two"),
    (NUMBER, {"columns": FORTY}, "the columns make 78 inputs"),
]
ALONE = {"who": np.maximum(np.arange(900), 799), "left": ["no"] * 800 + [""] * 100}
TWO_WAYS = {"age": ["1,234", "2,345"] * 450}
# The roles, what is changed in them, other cells of the file, and what is then refused.
REFUSED = [
    (CLASSES, {"answer": "height"}, {}, "height"),
    (CLASSES, {"person": "height"}, {}, "height"),
    (CLASSES, bounded("height"), {}, "height"),
    (CLASSES, {"classes": ("ja", "nein")}, {}, "0 rows with one of the answers"),
    (CLASSES, {"person": "who"}, {"who": "C"}, "1 person"),
    (
        CLASSES,
        {"person": "who"},
        {"who": np.arange(900) % 99},
        "99 people', but must be at least 100",
    ),
    (CLASSES, {"person": "who"}, ALONE, "1 people with"),
    (CLASSES, {}, TWO_WAYS, "1,234"),
    (NUMBER, {}, {"pay": TWO_WAYS["age"]}, "1,234"),
    (CLASSES, {"test_share": 0.6}, {}, "test_share"),
    *((NUMBER, {"rows_each": rows}, {}, "rows_each") for rows in (0, 51)),
    (NUMBER, {"gaps": 1}, {}, "gaps"),
]
CASES = [*((roles, changes, {}, said) for roles, changes, said in LACKS), *REFUSED]


class TestRoles:
    @pytest.mark.parametrize(
        ("roles", "changes", "cells", "said"), CASES, ids=map(str, range(len(CASES)))
    )
    def test_what_is_missing_or_does_not_fit_the_file_is_refused_by_name(
        self, roles, changes, cells, said
    ):
        with pytest.raises(check.RefusedError, match=said):
            own_rows.choose(
                table_of(frame(900, people=900).assign(**cells)), replace(roles, **changes)
            )

    def test_a_declared_decimal_mark_is_taken_and_bounds_are_read_off_numbers_alone(self, table):
        choose(
            frame().assign(**TWO_WAYS),
            replace(CLASSES, columns=(replace(CLASSES.columns[0], decimal=","),)),
        )
        assert column_bounds.read_off(table, Column(name="age")) == (18, 89)
        with pytest.raises(check.RefusedError):
            column_bounds.read_off(table, Column(name="plan"))

    def test_too_large_a_table_is_refused(self, monkeypatch):
        monkeypatch.setattr(own_rows, "MOST_CELLS", 2699)
        with pytest.raises(check.RefusedError, match="2,700 numbers"):
            choose(frame(), NUMBER)

    def test_the_answer_in_disguise_is_told_by_declarations_alone(self):
        names = ("Churned_flag", "unchurnedness", "age")
        columns = (
            *(column(name)[0] for name in names),
            *column("gone", kind="category", values=("yes", "no")),
        )
        assert replace(CLASSES, answer="churned", columns=columns).disguised == (
            "Churned_flag",
            "gone",
        )
        assert NUMBER.disguised == ()
        assert replace(NUMBER, columns=column("base_pay", low=0, high=1)).disguised == ("base_pay",)


def test_cells_become_what_the_bounds_say():
    file = frame(1000).astype(object)
    file.loc[0, ["age", "hours", "plan", "left"]] = [59, 90, "gold", "yes"]
    file.loc[1, ["age", "hours", "plan", "left"]] = ["", "n/a", "plus", "perhaps"]
    found = choose(file, CLASSES).source
    assert found.features == ("age", "hours", "plan: basic", "plan: plus")
    X, y = found.draw(np.random.default_rng(0))
    X = classification.to_unit(X, found.bounds)
    assert X[:2].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    assert (y[:2].tolist(), len(y), np.abs(X).max()) == ([1, -1], 1000, 1)


def test_of_a_person_one_row_is_taken_whatever_others_have():
    file = frame(3000, people=900).assign(place=np.arange(3000))
    more = pd.concat([file, file[file["who"] == "P00007"].assign(place=2999)])
    roles = replace(CLASSES, person="who", columns=column("place", low=0, high=3000))
    one, other = (
        choose(each, roles).source.draw(stream(1, "data"))[0][:, 0] for each in (file, more)
    )
    assert sorted(one % 900) == [*range(900)]
    assert {*np.flatnonzero(one != other)} <= {7}


def own_of(name: str, seed: int) -> OwnRows:
    """A file of a built-in set's private rows, in the seed's order, so that they are in the same
    parts.
    """
    source, split = classification.DATASETS[name], classification.load(name, seed=seed)
    X, y = source.draw(stream(seed, "data"))
    rows = np.concatenate([split.rows_of["private"], split.rows_of["test"]])
    placed = np.empty_like(rows)
    placed[stream(seed, "split").permutation(len(rows))] = rows
    frame = pd.DataFrame(X[placed], columns=source.features).assign(
        answer=np.array(source.classes)[y[placed]]
    )
    share, bounds = len(split.y_test) / len(rows), zip(source.features, source.bounds, strict=True)
    columns = tuple(Column(name=feature, low=low, high=high) for feature, (low, high) in bounds)
    return choose(
        frame, Roles(answer="answer", classes=source.classes, columns=columns, test_share=share)
    )


PEOPLE = by_person(CLASSES)


def visits(people: int = 300) -> pd.DataFrame:
    """Persons with one to five rows each, in no order."""
    rng = np.random.default_rng(0)
    who = rng.permutation(
        np.repeat([f"C{number:05}" for number in range(people)], rng.integers(1, 6, people))
    )
    return frame(len(who)).assign(who=who)


class TestPeople:
    def test_all_rows_of_a_private_person_and_no_other_are_there(self):
        file = visits()
        split = split_of(choose(file, PEOPLE))
        assert (len(split.y_private), len(split.y_test)) == (240, 60)
        names = list(dict.fromkeys(file["who"]))
        alone = choose(file, CLASSES).source
        X, y = alone.draw(np.random.default_rng(0))
        cells = np.column_stack([classification.to_unit(X, alone.bounds), y])
        mine = [
            sorted(cells[file["who"] == names[place]].tolist())
            for place in split.rows_of["private"]
        ]
        X, y, people = split.training_rows
        assert [
            sorted(np.column_stack([X, y])[people == one].tolist()) for one in range(240)
        ] == mine

    @pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
    def test_what_is_trained_and_told_is_by_person(self, classes):
        result = settings_of(
            choose(visits(), replace(PEOPLE, classes=classes)), clip_norm=0.4
        ).experiment.run()
        X, y, people = result.split.training_rows
        inputs = losses.with_constant(X)
        weights = result.ensemble.weights[0]
        values = losses.values(losses.logits(weights, inputs), y)
        mean = np.mean([values[:, people == one].mean(axis=1) for one in range(240)], axis=0)
        np.testing.assert_allclose(result.ensemble.loss[0, :, -1], mean, rtol=1e-5)
        start, units = np.zeros_like(weights[0]), [people == one for one in range(240)]
        gradients = [
            [oracles.gradient(start, *row) for row in zip(inputs[of], y[of], strict=True)]
            for of in units
        ]
        clipped = np.mean([oracles.clipped(np.mean(one, axis=0), 0.4) for one in gradients], axis=0)
        assert result.ensemble.signal[0] == pytest.approx(np.linalg.norm(clipped), rel=1e-5)
        assert 0 < result.ensemble.clipped[0] < 1

    def test_the_optimum_counts_people_and_not_rows(self):
        file = frame(400, people=400).assign(age=50, hours=5.0, plan="basic", left="yes")
        many = pd.concat([file, *[file.iloc[[7]].assign(left="no")] * 1000])
        file.loc[7, "left"] = "no"
        one, other = (settings_of(choose(each, PEOPLE)).experiment.run() for each in (file, many))
        assert other.reference.best_accuracy > 0.99
        assert other.reference.best_loss == pytest.approx(one.reference.best_loss, abs=0.005)

    def test_a_row_without_an_answer_is_none_of_a_persons(self):
        file = visits()
        empty = file.iloc[::2].assign(left=lambda rows: np.resize(["", "perhaps"], len(rows)))
        files = (file, *(pd.concat([file, empty.assign(age=age)]) for age in (20, 80)))
        one, two, three = (
            settings_of(choose(each, PEOPLE)).experiment.run().ensemble for each in files
        )
        np.testing.assert_array_equal(two.weights, three.weights)
        for name in ("weights", "loss", "clipped"):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-6)
        rows = [
            f"p{i % 120},{i % 9},{('no', 'yes')[i % 2] if i >= 120 * 39 else ''}"
            for i in range(120 * 40)
        ]
        roles = Roles(
            answer="y", classes=("no", "yes"), columns=column("x", low=0, high=9), person="who"
        )
        kept = own_table.read("\n".join(["who,x,y", *rows]).encode())
        split = split_of(own_rows.choose(kept, roles), seed=3)
        assert {*split.y_private} == {*split.y_test} == {0, 1}, "of people with few answers"


@pytest.mark.parametrize("classes", [("no", "yes"), ("no", "yes", "perhaps")])
def test_the_dots_of_the_columns_are_their_weights(table, classes):
    result = settings_of(own_rows.choose(table, replace(CLASSES, classes=classes))).experiment.run()
    names, private, plain = charts.largest_weights(result)
    assert sorted(names) == sorted(result.split.source.features)
    assert (private.shape, plain.shape) == ((4, 4), (4,))
    weights = result.ensemble.weights[0]
    place = result.split.source.features.index(names[0])
    wanted = weights[:, 0, place] if len(classes) == 2 else np.ptp(weights[:, :, place], axis=1)
    np.testing.assert_array_equal(private[:, 0], wanted)
    assert (np.diff(np.abs(np.median(private, axis=0))) <= 0).all()
    drawn = go.Figure(charts.column_weights(result))
    np.testing.assert_array_equal(numbers(drawn.data[0].x), private.ravel())
    assert list(drawn.layout.yaxis.ticktext) == names


def test_rows_of_one_class_have_an_optimum_that_always_says_so():
    X = np.random.default_rng(0).normal(size=(9, 2))
    for answer, n_classes in ((0, 2), (1, 2), (2, 3)):
        weights = optimum(X, np.full(9, answer), n_classes=n_classes)
        assert (losses.predict(weights, losses.with_constant(X)) == answer).all()


CLASSIFIER_PAGE = next(page for page in PAGES if page.info.name == "classifier")


@pytest.fixture
def made_up(table) -> ClassifierSettings:
    """Return settings with made-up rows in place of a file."""
    return settings_of(own_rows.choose(table, CLASSES)).made_up


def question_about(settings: ClassifierSettings, text: str = "", targets=None):
    """Return the question that the tab of the classifier asks."""
    return CLASSIFIER_PAGE.question_tab.about(settings, text, targets or {})


def test_no_question_is_about_private_rows(table):
    settings = settings_of(own_rows.choose(table, CLASSES))

    assert question_about(settings) is None


def test_no_question_is_about_a_file_that_is_not_here(made_up):
    elsewhere = made_up.change(own=str.__str__(made_up.own))

    assert question_about(elsewhere) is None


def test_a_question_keeps_the_made_up_rows(made_up):
    question = question_about(made_up, "target 70")

    changed = question.change(rows=100, repeats=24)

    assert question.topic_settings == made_up
    assert question.topic_settings.own is made_up.own
    assert changed.topic_settings.own is made_up.own


def test_a_question_about_made_up_rows_is_answered(made_up):
    question = question_about(made_up, "target 70")

    answer = CLASSIFIER_PAGE.question_tab.view(question.experiment.run()).texts["answer"]

    assert CLASSIFIER_PAGE.question_tab.asks(question) == "target 70.0"
    assert "accuracy" in answer


def test_first_targets_are_in_reach(table):
    result = settings_of(own_rows.choose(table, CLASSES)).experiment.run()
    shares = result.held_out["reference"].shares.diagonal()
    reachable = {"scratch": result.reference.accuracy, "balanced": shares.mean()}
    for label, share in enumerate(shares):
        reachable[f"recall_{label}"] = share

    targets = CLASSIFIER_PAGE.content.first_targets(result)

    assert targets.pop("loss") > result.reference.loss[-1]
    for name, target in targets.items():
        assert 0 < target <= 100 * reachable[name] - 2, name


def test_another_measure_has_its_own_first_target(made_up):
    targets = {"scratch": 61.0, "balanced": 55.0}
    first = question_about(made_up, targets=targets)

    changed = first.change(measure="balanced")

    address = CLASSIFIER_PAGE.question_tab.asks(changed, targets, first)
    assert address == "measure balanced"
    assert question_about(made_up, address, targets).target == 55


@pytest.mark.parametrize(
    "as_text",
    [pytest.param(str.__str__, id="text alone"), pytest.param("".join, id="copied text")],
)
def test_a_text_alone_does_not_lead_to_the_rows(made_up, as_text):
    question = question_about(made_up)

    with pytest.raises(check.RefusedError):
        replace(question, base=as_text(question.base))


def test_no_link_is_about_a_file(made_up):
    question = question_about(made_up)

    with pytest.raises(check.RefusedError, match="without a file"):
        type(question)(topic="classifier", base="dataset own")


# Ways of each page to learn from a file: what may break differs between them.
WAYS = {
    "classifier": [{}],
    "network": [{}],
    "regression": [{"mechanism": name, "repeats": 3} for name in REGRESSIONS],
}
EVERY = {*WAYS}


def answered(file: pd.DataFrame, where) -> pd.DataFrame:
    """The file with answers in these rows only."""
    return file.assign(pay=file["pay"].where(where), left=file["left"].where(where, ""))


def wide(file: pd.DataFrame) -> pd.DataFrame:
    """Fewer rows than columns, of the towns in turn."""
    cells = pd.DataFrame(np.random.default_rng(0).random((len(file), 60)).round(3)).add_prefix("c")
    return pd.concat([file, cells], axis=1)[: 380 : 3 if len(file) == 400 else 1]


NAMES = {"age": "<b>x</b>", "hours": "a" * 79}
# Name -> the file, and the pages that refuse it.
STRANGE: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], set[str]]] = {
    "answers in words": (lambda file: file.assign(pay="much", left="perhaps"), EVERY),
    "few answers": (lambda file: answered(file, file.index >= 280), set()),
    "one person": (lambda file: file.assign(who="E"), EVERY),
    "three persons": (lambda file: file.assign(who=file.index % 3), EVERY),
    "rows without a name": (
        lambda file: file.assign(who=np.where(file.index % 2, "", file.index)),
        set(),
    ),
    "a person with one row": (
        lambda file: file[(file["who"] != "P00000") | (file.index == 0)],
        set(),
    ),
    "all answers alike": (lambda file: file.assign(pay=40, left="no"), set()),
    "one row of a class": (
        lambda file: file.assign(left=file["left"].mask(file.index == 3, "perhaps")),
        set(),
    ),
    "beyond the bounds": (
        lambda file: file.assign(pay=1e30, age=-1e30, hours="inf", plan="?"),
        set(),
    ),
    "nothing in the columns": (lambda file: file.assign(age="", hours="", plan=""), set()),
    "constant columns": (lambda file: file.assign(age=18, hours=0, plan="basic"), set()),
    "the same column twice": (lambda file: file.assign(age=18 + file["hours"] * 82 / 48), set()),
    "the answer itself": (
        lambda file: file.assign(age=file["pay"], hours=48 * (file["left"] == "yes")),
        set(),
    ),
    "more columns than rows": (wide, set()),
    "names": (lambda file: file.rename(columns=NAMES), set()),
    "tiny bounds": (lambda file: file, set()),
    "huge bounds": (lambda file: file, set()),
    "negative bounds": (lambda file: file, set()),
}
BOUNDS = {
    "tiny bounds": (40, 40 + 1e-9),
    "huge bounds": (-1e30, 1e30),
    "negative bounds": (-80, -1),
}


def roles_of(name: str, roles: Roles) -> Roles:
    """A page's roles, as they fit this file."""
    if name in BOUNDS and roles.target:
        return replace(
            roles, target=replace(roles.target, low=BOUNDS[name][0], high=BOUNDS[name][1])
        )
    if name in ("one person", "three persons", "rows without a name"):
        return replace(roles, person="who")
    if name == "one row of a class":
        return replace(roles, classes=roles.classes and ("no", "yes", "perhaps", "never"))
    if name == "more columns than rows":
        return replace(
            roles, columns=tuple(Column(name=f"c{place}", low=0, high=1) for place in range(60))
        )
    if name == "names":
        return replace(
            roles,
            columns=tuple(replace(one, name=NAMES.get(one.name, one.name)) for one in COLUMNS),
        )
    return roles


@pytest.mark.parametrize(("name", "kind"), [*itertools.product(STRANGE, WAYS)])
def test_a_strange_file_is_refused_or_has_sound_numbers(name, kind):
    make, refusing = STRANGE[name]
    file, roles = make(frame(400, people=40)), roles_of(name, own_files.ROLES[kind])
    if kind in refusing:
        with pytest.raises(check.RefusedError):
            own_files.settings(kind, roles, file=file)
        return
    for changes in WAYS[kind]:
        of = own_files.settings(kind, roles, file=file, **changes)
        result = of.experiment.run()
        found = [np.atleast_2d(one) for one in own_files.numbers(of) if one.dtype.kind == "f"]
        empty = [
            np.isnan(one).all(axis=tuple(range(one.ndim - 1))) for one in found
        ]  # a class without held-out rows
        assert all(
            (np.isfinite(one) | none).all() for one, none in zip(found, empty, strict=True)
        ), changes
        assert not any(none.all() for none in empty)
        assert "<b>x" not in own_files.said(result, html=True)
        broken_by(own_files.said(result, without=("table",)), result, {})


def run_of(kind: str, file: pd.DataFrame, roles: Roles = CLASSES, **changes):
    result = own_files.settings(kind, roles, file=file, repeats=4, **changes).experiment.run()
    return result, own_files.said(result)


@pytest.mark.parametrize("kind", ["classifier", "network"])
def test_where_hardly_anybody_leaves_models_that_say_so_are_called_that(kind):
    file = frame(2000).assign(left=np.where(np.arange(2000) % 50, "no", "yes"))
    result, words = run_of(kind, file, clip_norm=0.01 if kind == "classifier" else 0.5)
    counts = result.held_out["scratch" if kind == "classifier" else "private"].counts
    assert (counts[:, :, 0].sum(axis=1) == len(result.split.y_test)).all()
    assert re.search(r"All 4 private (model|network)s always answer “no”", words)
    picture = own_files.PAGES[kind].at(result.settings).content.charts(result)[0][0]
    base = result.split.best_constant[1]
    (line,) = (
        one for one in picture.figure["data"] if "baseline (majority class)" in one.get("name", "")
    )
    np.testing.assert_allclose(numbers(line["y"]), 100 * base, rtol=1e-6)
    assert f"baseline (majority class): {number(100 * base)}." in picture.alt


@pytest.mark.parametrize("kind", ["classifier", "network"])
def test_the_answer_in_disguise_is_asked_about(kind):
    file = frame().assign(paid=lambda one: np.where(one["left"] == "yes", 10, 0))
    roles = replace(CLASSES, columns=(Column(name="paid", low=0, high=10),))
    _, words = run_of(
        kind, file, roles, **({"steps": 200} if kind == "classifier" else {"epochs": 10})
    )
    assert "The non-private model makes no error" in words
    for other in (frame(), frame().assign(left="no")):
        assert "makes no error" not in run_of(kind, other)[1]
