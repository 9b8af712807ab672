"""Strange files: each is refused, or has sound numbers and sentences."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.estimators.linear import REGRESSIONS
from lab.uploads.column_roles import Column, Roles
from tests import own_files
from tests.own_files import CLASSES, COLUMNS, frame
from tests.sentences import broken_by
from tests.ui.charts.test_topic_charts import numbers
from ui.text.tiles import number

# Ways of each page to learn from a file: what may break differs between them.
WAYS = {
    "classifier": [{}],
    "network": [{}],
    "regression": [{"mechanism": name, "repeats": 3} for name in REGRESSIONS],
}
EVERY = {*WAYS}


def answered(file: pd.DataFrame, where) -> pd.DataFrame:
    """Return the file with answers in these rows only."""
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


SIXTY = tuple(Column(name=f"c{place}", low=0, high=1) for place in range(60))


def fitting_roles(name: str, roles: Roles) -> Roles:
    """Return a page's roles, as they fit this file."""
    if name in BOUNDS and roles.target:
        low, high = BOUNDS[name]
        return replace(roles, target=replace(roles.target, low=low, high=high))
    if name in ("one person", "three persons", "rows without a name"):
        return replace(roles, person="who")
    if name == "one row of a class" and roles.classes:
        return replace(roles, classes=("no", "yes", "perhaps", "never"))
    if name == "more columns than rows":
        return replace(roles, columns=SIXTY)
    if name == "names":
        renamed = [replace(one, name=NAMES.get(one.name, one.name)) for one in COLUMNS]
        return replace(roles, columns=tuple(renamed))
    return roles


def strange_settings(name, kind, **changes):
    """Return the settings of a kind of page on the strange file of this name."""
    make, _ = STRANGE[name]
    roles = fitting_roles(name, own_files.ROLES[kind])
    return own_files.settings(kind, roles, file=make(frame(400, people=40)), **changes)


def accepted():
    """Each file, page that takes it, and way of the page to learn from it."""
    for (name, (_, refusing)), kind in itertools.product(STRANGE.items(), WAYS):
        if kind not in refusing:
            yield from ((name, kind, changes) for changes in WAYS[kind])


every_accepted = pytest.mark.parametrize(("name", "kind", "changes"), [*accepted()], ids=str)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name, (_, refusing) in STRANGE.items() for kind in sorted(refusing)],
)
def test_a_file_is_refused_where_nothing_can_be_learned(name, kind):
    with pytest.raises(check.RefusedError):
        strange_settings(name, kind)


@every_accepted
def test_numbers_are_finite_but_for_classes_without_held_out_rows(name, kind, changes):
    settings = strange_settings(name, kind, **changes)

    for found in own_files.numbers(settings):
        if found.dtype.kind == "f":
            values = np.atleast_2d(found)
            of_no_class = np.isnan(values).all(axis=tuple(range(values.ndim - 1)))
            assert (np.isfinite(values) | of_no_class).all()
            assert not of_no_class.all()


@every_accepted
def test_sentences_are_sound_and_names_are_no_html(name, kind, changes):
    result = strange_settings(name, kind, **changes).experiment.run()

    assert "<b>x" not in own_files.said(result, html=True)
    broken_by(own_files.said(result, without=("table",)), result, {})


two_kinds_of_classes = pytest.mark.parametrize("kind", ["classifier", "network"])


def run_of(kind, file, roles=CLASSES, **changes):
    """Return the result of four repeats of a kind of page on a file."""
    return own_files.settings(kind, roles, file=file, repeats=4, **changes).experiment.run()


class TestHardlyAnybodyLeaves:
    """Two in a hundred rows are of the other class, and private models always say the first."""

    def run(self, kind):
        """Return the result on 2,000 rows, of which each fiftieth is of the class "yes"."""
        file = frame(2000).assign(left=np.where(np.arange(2000) % 50, "no", "yes"))
        return run_of(kind, file, clip_norm=0.01 if kind == "classifier" else 0.5)

    def chart(self, result, kind):
        """Return the first chart of the page."""
        (first, *_), *_ = own_files.PAGES[kind].at(result.settings).content.charts(result)
        return first

    @two_kinds_of_classes
    def test_private_models_always_predict_the_first_class(self, kind):
        result = self.run(kind)
        held_out = result.held_out["scratch" if kind == "classifier" else "private"]

        assert (held_out.counts[:, :, 0].sum(axis=1) == len(result.split.y_test)).all()

    @two_kinds_of_classes
    def test_the_page_says_that_models_always_predict_one_class(self, kind):
        words = own_files.said(self.run(kind))

        assert re.search(r"All 4 private (model|network)s always answer “no”", words)

    def test_the_networks_chart_has_the_line_of_the_majority_class(self):
        result = self.run("network")
        _, share = result.split.best_constant

        (line,) = (
            trace
            for trace in self.chart(result, "network").figure["data"]
            if "majority class" in trace.get("name", "")
        )

        np.testing.assert_allclose(numbers(line["y"]), 100 * share, rtol=1e-6)

    def test_the_classifiers_chart_has_the_line_of_the_majority_class(self):
        result = self.run("classifier")
        _, share = result.split.best_constant

        shapes = self.chart(result, "classifier").figure["layout"]["shapes"]

        heights = [shape["y0"] for shape in shapes if shape.get("xref") == "paper"]
        assert pytest.approx(100 * share) in heights

    @two_kinds_of_classes
    def test_the_description_of_the_chart_states_the_share_of_the_majority_class(self, kind):
        result = self.run(kind)
        _, share = result.split.best_constant

        description = self.chart(result, kind).alt

        stated = re.search(r"majority class\D*(\d+)", description)
        assert stated[1] == number(100 * share)


class TestAnswerInDisguise:
    words = "The non-private model makes no error"

    @two_kinds_of_classes
    def test_a_model_without_error_is_asked_about(self, kind):
        file = frame()
        file["paid"] = np.where(file["left"] == "yes", 10, 0)
        roles = replace(CLASSES, columns=(Column(name="paid", low=0, high=10),))
        changes = {"steps": 200} if kind == "classifier" else {"epochs": 10}

        result = run_of(kind, file, roles, **changes)

        assert self.words in own_files.said(result)

    @two_kinds_of_classes
    @pytest.mark.parametrize("changes", [{}, {"left": "no"}], ids=["errors", "one class"])
    def test_a_model_with_errors_or_of_one_class_is_not_asked_about(self, kind, changes):
        result = run_of(kind, frame().assign(**changes))

        assert self.words not in own_files.said(result)
