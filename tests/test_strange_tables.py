"""What a stranger's table brings: classes out of balance, one row of a class, more columns than rows, the answer in
disguise, no public rows. The classifier and the networks train on it, and say what it is."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.confusion import ByClass, confusion
from lab.files import own_rows
from lab.files.own_rows import Column, Roles
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.page import PAGE as CLASSIFIER
from pages.network.experiment import NetworkSettings
from pages.network.page import PAGE as NETWORK
from tests.sentences import NEVER, broken_by, plain
from tests.test_figures import numbers
from tests.test_own_rows import HELD, ROLES, customers, table_of
from ui.outcomes import one_answer
from ui.panels import number

SMALL = {
    CLASSIFIER: ClassifierSettings(repeats=4, steps=5),
    NETWORK: NetworkSettings(repeats=4, epochs=2, width=4, layers=1),
}


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


@pytest.fixture(params=SMALL, ids=lambda page: page.name)
def page(request):
    return request.param


def view_of(page, frame: pd.DataFrame, roles: Roles = ROLES, **changes):
    """(result, all that the page says of it), with every picture taken by Plotly."""
    own = own_rows.choose(table_of(frame), roles)
    result = SMALL[page].change(dataset="own").change(own=own).change(**changes).run()
    here = page.at(result.settings)
    view = here.view(result)
    for rows in view.boards.values():
        for picture in [picture for row in rows for picture in row]:
            go.Figure(picture.figure)
    said = plain(" ".join([*view.words.values(), *(f"{one.value} {one.note}." for one in view.numbers)]))
    assert broken_by(said, result, NEVER) == set()
    return result, said


def test_where_hardly_anybody_leaves_models_that_say_so_are_called_that(page):
    frame = customers(2000).assign(churned=np.where(np.arange(2000) % 50, "no", "yes"))
    result, said = view_of(page, frame, clip_norm=0.01 if page is CLASSIFIER else 0.5)
    counts = result.held_out["scratch" if page is CLASSIFIER else "private"].counts
    assert (counts[:, :, 0].sum(axis=1) == len(result.split.y_test)).all()
    assert re.search(r"All 4 private (model|network)s always answer “no”", said)
    drawn = page.at(result.settings).pictures(result)[0][0]
    base = result.split.best_constant[1]
    (line,) = (one for one in drawn.figure["data"] if "baseline (majority class)" in one.get("name", ""))
    np.testing.assert_allclose(numbers(line["y"]), 100 * base, rtol=1e-6)
    assert f"baseline (majority class): {number(100 * base)}." in drawn.alt


@pytest.mark.parametrize("rows", [1, 0])
def test_one_row_of_a_class_or_none(page, rows):
    frame = customers()
    frame.loc[: rows - 1, "churned"] = "perhaps"
    result, _ = view_of(page, frame, replace(ROLES, classes=("no", "yes", "perhaps")))
    assert np.isfinite(next(iter(result.held_out.values())).loss).all()


def test_everybody_has_the_same_answer(page):
    result, said = view_of(page, customers().assign(churned="no"))
    assert result.split.best_constant == ("no", 1.0)
    assert "makes no error" not in said


def test_more_columns_than_rows(page):
    rng = np.random.default_rng(0)
    names = [f"c{number}" for number in range(60)]
    numbers = pd.DataFrame(rng.random((120, 60)).round(3), columns=names)
    values = tuple(f"v{number}" for number in range(20))
    frame = numbers.assign(kind=rng.choice(values, 120), y=np.where(rng.random(120) > 0.5, "a", "b"))
    columns = (*(Column(name=name, low=0, high=1) for name in names),)
    roles = Roles(
        answer="y", classes=("a", "b"), columns=(*columns, Column(name="kind", kind="category", values=values))
    )
    result, said = view_of(page, frame.head(100), roles)
    assert (len(result.split.source.features), len(result.split.y_private)) == (80, 80)
    assert "of the time" in said


def test_the_answer_in_disguise_is_asked_about(page):
    rng = np.random.default_rng(0)
    frame = customers().assign(paid=lambda one: np.where(one["churned"] == "yes", 10, 0), noise=rng.random(1000))
    roles = replace(ROLES, columns=(Column(name="paid", low=0, high=10),))
    large = {"steps": 200} if page is CLASSIFIER else {"epochs": 10}
    _, said = view_of(page, frame, roles, **large)
    assert "The non-private model makes no error. Does a column give the label away" in said
    _, said = view_of(page, frame, ROLES)
    assert "makes no error" not in said


def test_a_public_start_is_refused_with_its_reason():
    own = own_rows.choose(table_of(customers()), ROLES)
    settings = ClassifierSettings().change(dataset="own").change(own=own)
    with pytest.raises(check.RefusedError, match="^public_rows is 30, but must be 0, as no row of a file is public"):
        settings.change(public_rows=30)
    knobs = CLASSIFIER.at(settings).knobs(settings)
    assert not {"public_rows", "shift", "public_steps"} & {knobs.hero, *knobs.main, *knobs.more}


class TestOneAnswer:
    LABELS = np.array([0, 0, 0, 1])

    def said(self, *answers: list[int]) -> str:
        given = np.array(answers)
        found = ByClass(counts=confusion(given, self.LABELS, classes=2), loss=np.zeros(len(given)))
        accuracy = (given == self.LABELS).mean(axis=1)
        return plain(one_answer(accuracy, self.LABELS, lambda: found, ("no", "yes"), model="model"))

    def test_it_is_said_of_models_that_have_one(self):
        no, yes, right, other = [0] * 4, [1] * 4, [0, 0, 0, 1], [0, 0, 1, 1]
        assert self.said(no, no) == "All 2 private models always answer “no”."
        assert self.said(no, right, right) == "One of 3 private models always answers “no”."
        assert self.said(no, yes, no) == "Each of 3 private models always gives one answer, most often “no”."
        assert self.said(right, other) == ""

    def test_as_many_right_answers_as_a_constant_model_are_not_enough(self):
        assert self.said([0, 0, 1, 1]) == ""

    def test_nothing_is_looked_up_where_it_cannot_be(self):
        assert one_answer(np.array([0.9]), self.LABELS, lambda: 1 / 0, ("no", "yes"), model="model") == ""
