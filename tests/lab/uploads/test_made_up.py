"""Questions about a visitor's own file are about made-up rows; comparing settings on private rows
voids label, tile and tab.
"""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lab.uploads import made_up
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column
from pages.topics import PAGES
from tests.app import at_rest, opened, settings_of, text
from tests.own_files import CLASSES, COLUMNS, NUMBER, ROLES, frame, table_of
from tests.sentences import plain
from ui.export import share_dialog
from ui.session.page_state import PageState

PAGE = {page.name: page for page in PAGES}
QUICK = {
    "classifier": {"steps": "5"},
    "network": {"epochs": "1", "width": "4", "layers": "1"},
    "regression": {"mechanism": "gaussian", "epsilon": "1"},
}
SAMPLES = {"classifier": "customers", "network": "customers", "regression": "salaries"}


def file_of(seed: int, *, rows: int = 500) -> own_table.Table:
    return table_of(frame(rows, seed=seed, people=300))


class TestMadeUpRows:
    @pytest.mark.parametrize(
        "roles",
        [
            CLASSES,
            NUMBER,
            replace(CLASSES, classes=("no", "yes", "perhaps")),
            replace(CLASSES, person="who"),
            replace(NUMBER, person="who", rows_each=3),
            replace(CLASSES, columns=(Column(name="plan", kind="category", values=("basic",)),)),
        ],
    )
    def test_they_follow_from_declarations_and_the_number_of_people_alone(self, roles, monkeypatch):
        files = [file_of(seed) for seed in (0, 1)]
        owns = [own_rows.choose(table, roles) for table in files]
        for name in ("texts", "numbers", "decimal", "kind"):
            monkeypatch.setattr(
                own_table.Table, name, lambda *_, **__: pytest.fail("a cell was read")
            )
        one, other = (made_up.twin(own) for own in owns)
        monkeypatch.undo()
        assert (one.people, one.private, one.roles) == (owns[0].people, owns[0].private, roles)
        assert not {*one.table.columns} - {
            *(column.name for column in COLUMNS),
            roles.answer,
            roles.person,
        }
        for name in one.table.columns:
            assert one.table.columns[name].equals(other.table.columns[name])
        for column in roles.columns:
            if column.kind == "number":
                cells = one.table.numbers(column.name)
                assert column.low <= cells.min() < cells.max() <= column.high
            else:
                assert {*one.table.texts(column.name)} <= {*column.values, ""}
        assert made_up.twin(owns[0]) is one

    def test_half_way_between_coin_toss_and_certainty_there_is_something_to_learn(self):
        one = made_up.twin(own_rows.choose(file_of(0, rows=3000), CLASSES))
        assert 0.8 < one.best < 0.9
        settings = (
            PAGE["classifier"]
            .settings()
            .change(dataset="own", own=one, steps=50, repeats=4, epsilon=10.0)
        )
        assert settings.experiment.run().reference.accuracy == pytest.approx(one.best, abs=0.05)

    def test_bounds_that_were_read_off_make_none_up(self):
        columns = (replace(COLUMNS[0], read_off=True), *COLUMNS[1:])
        own = own_rows.choose(file_of(0), replace(CLASSES, columns=columns))
        assert PAGE["classifier"].settings().change(dataset="own", own=own).made_up is None

    def test_they_go_with_the_file(self):
        table = file_of(0)
        one = made_up.twin(own_rows.choose(table, CLASSES))
        table.clear()
        assert one.expired

    def test_a_file_keeps_those_of_its_two_last_shapes(self):
        table = file_of(0)
        shapes = [replace(CLASSES, columns=COLUMNS[:number]) for number in (1, 2, 3)]
        owns = [own_rows.choose(table, roles) for roles in shapes]
        first, *others = (made_up.twin(own) for own in owns)
        assert first.expired
        assert not any(one.expired for one in others)
        assert not made_up.twin(owns[0]).expired

    @pytest.mark.parametrize("page", ROLES)
    def test_settings_keep_all_but_the_rows(self, page):
        own = own_rows.choose(file_of(0), ROLES[page])
        settings = PAGE[page].settings().change(dataset="own", own=own, rows=200, epsilon=2.0)
        other = settings.made_up
        assert other == replace(settings, own=other.own)
        assert isinstance(other.own, made_up.MadeUp)
        assert other.guarantee == settings.guarantee


def asks(page: str) -> AppTest:
    """The tab *What if* of a page with a sample as its own file, as the button of *My data* opens
    it.
    """
    app = opened("data").button(key=f"data.sample.{SAMPLES[page]}.csv").click().run()
    app = app.button(key="data.notes").click().run()
    *_, own = app.session_state["data.brought"].confirmed.values()
    return led(app, page, own=str(own), tab="what-if")


def led(app: AppTest, page: str, **link: str) -> AppTest:
    app._page_hash = calc_hash(page)
    app.query_params.clear()
    for name, value in {
        "dataset": "own",
        "repeats": "2",
        "rows": "400",
        **QUICK[page],
        **link,
    }.items():
        app.query_params[name] = value
    app = at_rest(app.run(), page)
    assert not app.exception
    return app


def html(app: AppTest, part: str) -> str:
    named = re.compile(rf'class="(?:[^"]* )?lab-{part}[" ]')
    found = [one.proto.body for one in app.get("html") if named.search(one.proto.body)]
    return plain(" ".join(found))


def label_of(app: AppTest, page: str):
    state = app.session_state[f"{page}.state"]
    here = PAGE[page].at(state.settings)
    result = state.settings.experiment.run()
    return share_dialog.handout_of(state, here, result, link="", code="").label


def tab(app: AppTest, page: str, name: str) -> AppTest:
    app.session_state[f"{page}.tabs"] = PAGE[page].at(settings_of(app, page)).tab(name).title
    app = at_rest(app.run(), page)
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return text(app) + " ".join(one.value for one in app.caption)


class TestQuestions:
    @pytest.mark.parametrize("page", SAMPLES)
    def test_the_answer_reads_no_private_row(self, page):
        app = asks(page)

        assert "No value of your file is read for this answer" in said(app)
        assert html(app, "words-answer")
        assert label_of(app, page).void == ""
        assert "no limit" not in html(app, "numbers")


class TestShare:
    def test_what_is_handed_out_of_an_own_file_does_not_promise_the_same_numbers(self):
        own = own_rows.choose(file_of(0), CLASSES)
        settings = PAGE["classifier"].settings().change(dataset="own", own=own, steps=5, repeats=2)
        page = PAGE["classifier"].at(settings)
        state = PageState(page="classifier", settings=settings)
        assert share_dialog._qr_code(state, "http://lab.example.org/") == ""
        html = share_dialog.handout_of(
            state, page, settings.experiment.run(), link="http://lab.example.org/", code=""
        ).html()
        for promised in ("open these settings", "Same numbers again", '<figure class="code">'):
            assert promised not in html
        assert "without the file" in html
