"""What a stranger's table brings to each page that takes one: it is refused, or has numbers and sound sentences."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.confusion import ByClass, confusion
from dpcore.estimators.linear import REGRESSIONS
from lab.files.own_rows import Column, Roles
from tests.own_files import CLASSES, COLUMNS, NUMBER, PAGES, TOWNS, frame, numbers, said, settings
from tests.sentences import broken_by, plain
from tests.test_figures import numbers as drawn
from ui.outcomes import one_answer
from ui.panels import number

FILE = frame(400, people=40)
BY_PERSON = replace(CLASSES, person="who")
KIND = {"classifier": CLASSES, "network": CLASSES, "attack": CLASSES, "regression": NUMBER, "transfer": TOWNS}
KIND["parties"] = BY_PERSON
# Ways of each page to learn from a file: what may break differs between them.
WAYS = {
    "classifier": [{}],
    "network": [{}],
    "attack": [{"part": "worlds"}, {"part": "membership"}],
    "regression": [{"mechanism": name, "repeats": 3} for name in REGRESSIONS],
    "transfer": [{"selection": name, "epsilon": epsilon} for name in ("known", "detected") for epsilon in (0.05, 50.0)],
    "parties": [{"learner": name} for name in ("logistic", "bayes", "tree", "neighbours", "mixed")],
}
EVERY = {*WAYS}
Strange = Callable[[pd.DataFrame], pd.DataFrame | None]


def told(roles: Roles, **changes) -> Roles:
    """The roles with other bounds of the number to be predicted, where one is."""
    return replace(roles, target=replace(roles.target, **changes)) if roles.target else roles


def answered(file: pd.DataFrame, where) -> pd.DataFrame:
    """The file with answers in these rows only."""
    return file.assign(pay=file["pay"].where(where), left=file["left"].where(where, ""))


WIDE = tuple(Column(name=f"c{place}", low=0, high=1) for place in range(60))
CELLS = np.random.default_rng(0).random((1200, 60)).round(3)
SPARSE = {400: 3, 1200: 1}
NAMES = {"age": "<b>x</b>", "hours": "a" * 79}
# Name -> the file; the roles, made of a page's; the pages that refuse it.
STRANGE: dict[str, tuple[Strange, Callable[[Roles], Roles], set[str]]] = {
    "no answer": (lambda file: answered(file, file.index < 0), lambda roles: roles, EVERY),
    "answers in words": (lambda file: file.assign(pay="much", left="perhaps"), lambda roles: roles, EVERY),
    "few answers": (lambda file: answered(file, file.index >= 280), lambda roles: roles, set()),
    "one row": (lambda file: file.head(1), lambda roles: roles, EVERY),
    "two rows": (lambda file: file.head(2), lambda roles: roles, EVERY),
    "one person": (lambda file: file.assign(who="E"), lambda roles: replace(roles, person="who"), EVERY),
    "three persons": (
        lambda file: file.assign(who=file.index % 3),
        lambda roles: replace(roles, person="who"),
        EVERY - {"parties"},
    ),
    "every second row without a name": (
        lambda file: file.assign(who=np.where(file.index % 2, "", file.index)),
        lambda roles: replace(roles, person="who"),
        set(),
    ),
    "a person with one row": (
        lambda file: file[(file["who"] != "P00000") | (file.index == 0)],
        lambda roles: roles,
        set(),
    ),
    "all answers alike": (lambda file: file.assign(pay=40, left="no"), lambda roles: roles, set()),
    "one row of a class": (
        lambda file: file.assign(left=np.where(file.index == 3, "perhaps", file["left"])),
        lambda roles: replace(roles, classes=roles.classes and ("no", "yes", "perhaps", "never")),
        set(),
    ),
    "all beyond the bounds": (
        lambda file: file.assign(pay=1e30, age=-1e30, hours="x", plan="?"),
        lambda roles: roles,
        set(),
    ),
    "infinite": (lambda file: file.assign(hours="inf", age="-inf"), lambda roles: roles, set()),
    "nothing in the columns": (lambda file: file.assign(age="", hours="", plan=""), lambda roles: roles, set()),
    "constant columns": (lambda file: file.assign(age=18, hours=0, plan="basic"), lambda roles: roles, set()),
    "the same column twice": (lambda file: file.assign(age=18 + file["hours"] * 82 / 48), lambda roles: roles, set()),
    "the answer itself": (
        lambda file: file.assign(age=file["pay"], hours=48 * (file["left"] == "yes")),
        lambda roles: roles,
        set(),
    ),
    "more columns than rows": (
        lambda file: pd.concat([file, pd.DataFrame(CELLS[: len(file)], columns=[one.name for one in WIDE])], axis=1)[
            : 380 : SPARSE[len(file)]
        ],
        lambda roles: replace(roles, columns=WIDE),
        set(),
    ),
    "names": (
        lambda file: file.rename(columns=NAMES),
        lambda roles: replace(
            roles, columns=tuple(replace(one, name=NAMES.get(one.name, one.name)) for one in COLUMNS)
        ),
        set(),
    ),
    "tiny bounds": (lambda file: file, lambda roles: told(roles, low=40, high=40 + 1e-9), set()),
    "huge bounds": (lambda file: file, lambda roles: told(roles, low=-1e30, high=1e30), set()),
    "negative bounds": (lambda file: file, lambda roles: told(roles, low=-80, high=-1), set()),
    "none of the target": (lambda file: file.assign(town="Brookside"), lambda roles: roles, {"transfer"}),
    "few of the target": (
        lambda file: file[(file["town"] != "Ashford") | (file.index < 250)],
        lambda roles: roles,
        {"transfer"},
    ),
    "a source without a row": (
        lambda file: file,
        lambda roles: replace(roles, sources=roles.sources and ("Brookside", "Nowhere")),
        {"transfer"},
    ),
    "a source without an answer": (
        lambda file: file.assign(pay=file["pay"].where(file["town"] != "Brookside")),
        lambda roles: roles,
        {"transfer"},
    ),
    "a target without answers": (
        lambda file: file.assign(pay=file["pay"].where(file["town"] != "Ashford", 0 * file["pay"] + np.nan)),
        lambda roles: roles,
        {"transfer"},
    ),
    "no such column": (lambda file: file.drop(columns="town"), lambda roles: roles, {"transfer"}),
    "a source of one row": (
        lambda file: file[(file["town"] != "Brookside") | (file.index == file.index[file["town"] == "Brookside"][0])],
        lambda roles: roles,
        set(),
    ),
    "sources far away": (
        lambda file: file.assign(pay=file["pay"].where(file["town"] == "Ashford", 80 - file["pay"])),
        lambda roles: roles,
        set(),
    ),
    "a name of a source": (
        lambda file: file.replace({"town": {"Brookside": "<b>x"}}),
        lambda roles: replace(roles, sources=roles.sources and ("<b>x", "Cedar Hill")),
        set(),
    ),
    "blank towns": (
        lambda file: file.assign(town=file["town"].where(file.index % 6 > 0, "")),
        lambda roles: roles,
        set(),
    ),
}
OF_SOURCES = [*STRANGE][[*STRANGE].index("none of the target") :]


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_file_is_refused_or_has_sound_numbers(name, kind):
    if name in OF_SOURCES and kind != "transfer":
        return
    make, roles_of, refusing = STRANGE[name]
    file, roles = make(frame(1200, people=40) if kind == "transfer" else FILE), roles_of(KIND[kind])
    if kind in refusing:
        with pytest.raises(check.RefusedError):
            settings(kind, roles, file=file)
        return
    for changes in WAYS[kind]:
        of = settings(kind, roles, file=file, **changes)
        result = of.run()
        found = [np.atleast_2d(one) for one in numbers(of) if one.dtype.kind == "f"]
        empty = [np.isnan(one).all(axis=tuple(range(one.ndim - 1))) for one in found]  # a class without held-out rows
        assert all((np.isfinite(one) | none).all() for one, none in zip(found, empty, strict=True)), changes
        assert not any(none.all() for none in empty)
        assert "<b>x" not in said(result, html=True)
        assert broken_by(said(result, without=("table",)), result, {}) == set()


@pytest.fixture(params=["classifier", "network"])
def kind(request):
    return request.param


def run_of(kind: str, file: pd.DataFrame, roles: Roles = CLASSES, **changes):
    result = settings(kind, roles, file=file, repeats=4, **changes).run()
    return result, said(result)


def test_where_hardly_anybody_leaves_models_that_say_so_are_called_that(kind):
    file = frame(2000).assign(left=np.where(np.arange(2000) % 50, "no", "yes"))
    result, words = run_of(kind, file, clip_norm=0.01 if kind == "classifier" else 0.5)
    counts = result.held_out["scratch" if kind == "classifier" else "private"].counts
    assert (counts[:, :, 0].sum(axis=1) == len(result.split.y_test)).all()
    assert re.search(r"All 4 private (model|network)s always answer “no”", words)
    picture = PAGES[kind].at(result.settings).pictures(result)[0][0]
    base = result.split.best_constant[1]
    (line,) = (one for one in picture.figure["data"] if "baseline (majority class)" in one.get("name", ""))
    np.testing.assert_allclose(drawn(line["y"]), 100 * base, rtol=1e-6)
    assert f"baseline (majority class): {number(100 * base)}." in picture.alt


def test_the_answer_in_disguise_is_asked_about(kind):
    file = frame().assign(paid=lambda one: np.where(one["left"] == "yes", 10, 0))
    roles = replace(CLASSES, columns=(Column(name="paid", low=0, high=10),))
    _, words = run_of(kind, file, roles, **({"steps": 200} if kind == "classifier" else {"epochs": 10}))
    assert "The non-private model makes no error. Does a column give the label away" in words
    for other in (frame(), frame().assign(left="no")):
        result, words = run_of(kind, other)
        assert "makes no error" not in words
    assert result.split.best_constant == ("no", 1.0)


class TestOneAnswer:
    LABELS = np.array([0, 0, 0, 1])

    @pytest.mark.parametrize(
        ("answers", "told"),
        [
            ("no no", "All 2 private models always answer “no”."),
            ("no right right", "One of 3 private models always answers “no”."),
            ("no yes no", "Each of 3 private models always gives one answer, most often “no”."),
            ("right other", ""),
            ("other", ""),  # as many right answers as a constant model are not enough
        ],
    )
    def test_it_is_said_of_models_that_have_one(self, answers, told):
        kinds = {"no": [0] * 4, "yes": [1] * 4, "right": [0, 0, 0, 1], "other": [0, 0, 1, 1]}
        given = np.array([kinds[one] for one in answers.split()])
        found = ByClass(counts=confusion(given, self.LABELS, classes=2), loss=np.zeros(len(given)))
        accuracy = (given == self.LABELS).mean(axis=1)
        assert plain(one_answer(accuracy, self.LABELS, lambda: found, ("no", "yes"), model="model")) == told

    def test_nothing_is_looked_up_where_it_cannot_be(self):
        assert one_answer(np.array([0.9]), self.LABELS, lambda: 1 / 0, ("no", "yes"), model="model") == ""
