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
    """Return a table of 300 people, whose cells depend on the seed."""
    return table_of(frame(rows, seed=seed, people=300))


ROLES_OF_FILES = pytest.mark.parametrize(
    "roles",
    [
        pytest.param(CLASSES, id="two classes"),
        pytest.param(NUMBER, id="number"),
        pytest.param(replace(CLASSES, classes=("no", "yes", "perhaps")), id="three classes"),
        pytest.param(replace(CLASSES, person="who"), id="people"),
        pytest.param(replace(NUMBER, person="who", rows_each=3), id="three rows a person"),
        pytest.param(
            replace(CLASSES, columns=(Column(name="plan", kind="category", values=("basic",)),)),
            id="one category",
        ),
    ],
)


class TestMadeUpRows:
    @ROLES_OF_FILES
    def test_no_cell_of_the_file_is_read(self, roles, monkeypatch):
        own = own_rows.choose(file_of(0), roles)

        def fail(*_, **__):
            """Fail the test; stands for each method that reads cells."""
            pytest.fail("a cell was read")

        for method in ("texts", "numbers", "decimal", "kind"):
            monkeypatch.setattr(own_table.Table, method, fail)

        assert made_up.twin(own)

    @ROLES_OF_FILES
    def test_two_files_with_the_same_declarations_have_the_same_rows(self, roles):
        rows = made_up.twin(own_rows.choose(file_of(0), roles)).table
        other_rows = made_up.twin(own_rows.choose(file_of(1), roles)).table

        for name in rows.columns:
            assert rows.columns[name].equals(other_rows.columns[name])

    @ROLES_OF_FILES
    def test_made_up_rows_have_the_people_and_roles_of_the_file(self, roles):
        own = own_rows.choose(file_of(0), roles)

        twin = made_up.twin(own)

        assert twin.people == own.people
        assert twin.private == own.private
        assert twin.roles == roles

    @ROLES_OF_FILES
    def test_made_up_rows_have_no_other_columns_than_are_declared(self, roles):
        declared = {column.name for column in COLUMNS}

        twin = made_up.twin(own_rows.choose(file_of(0), roles))

        assert set(twin.table.columns) <= {*declared, roles.answer, roles.person}

    @ROLES_OF_FILES
    def test_made_up_rows_keep_to_the_declared_values(self, roles):
        table = made_up.twin(own_rows.choose(file_of(0), roles)).table

        for column in roles.columns:
            if column.kind == "number":
                numbers = table.numbers(column.name)
                assert column.low <= numbers.min() < numbers.max() <= column.high
            else:
                assert set(table.texts(column.name)) <= {*column.values, ""}

    @ROLES_OF_FILES
    def test_made_up_rows_are_made_once(self, roles):
        own = own_rows.choose(file_of(0), roles)

        assert made_up.twin(own) is made_up.twin(own)

    def test_a_model_of_made_up_rows_is_half_way_between_coin_toss_and_certainty(self):
        twin = made_up.twin(own_rows.choose(file_of(0, rows=3000), CLASSES))
        settings = PAGE["classifier"].settings()
        settings = settings.change(dataset="own", own=twin, steps=50, repeats=4, epsilon=10.0)

        accuracy = settings.experiment.run().reference.accuracy

        assert 0.8 < twin.best < 0.9
        assert accuracy == pytest.approx(twin.best, abs=0.05)

    def test_no_rows_are_made_up_from_bounds_that_were_read_off(self):
        first, *others = COLUMNS
        columns = (replace(first, read_off=True), *others)
        own = own_rows.choose(file_of(0), replace(CLASSES, columns=columns))

        settings = PAGE["classifier"].settings().change(dataset="own", own=own)

        assert settings.made_up is None

    def test_made_up_rows_are_removed_with_their_file(self):
        table = file_of(0)
        twin = made_up.twin(own_rows.choose(table, CLASSES))

        table.clear()

        assert twin.expired

    def test_a_file_keeps_the_made_up_rows_of_its_last_two_declarations(self):
        table = file_of(0)
        owns = []
        for columns in (COLUMNS[:1], COLUMNS[:2], COLUMNS[:3]):
            owns.append(own_rows.choose(table, replace(CLASSES, columns=columns)))

        oldest, middle, newest = [made_up.twin(own) for own in owns]

        assert oldest.expired
        assert not middle.expired
        assert not newest.expired

    def test_made_up_rows_of_an_earlier_declaration_are_made_again(self):
        table = file_of(0)
        owns = []
        for columns in (COLUMNS[:1], COLUMNS[:2], COLUMNS[:3]):
            owns.append(own_rows.choose(table, replace(CLASSES, columns=columns)))
            made_up.twin(owns[-1])
        first_own, *_ = owns

        assert not made_up.twin(first_own).expired

    @pytest.mark.parametrize("page", ROLES)
    def test_settings_keep_all_but_the_rows(self, page):
        own = own_rows.choose(file_of(0), ROLES[page])
        settings = PAGE[page].settings().change(dataset="own", own=own, rows=200, epsilon=2.0)

        made_up_settings = settings.made_up

        assert made_up_settings == replace(settings, own=made_up_settings.own)
        assert isinstance(made_up_settings.own, made_up.MadeUp)
        assert made_up_settings.guarantee == settings.guarantee


def page_of_sample(page: str) -> AppTest:
    """Return the tab *What if* of a page with a sample as its own file, as the button of *My data*
    opens it.
    """
    app = opened("data").button(key=f"data.sample.{SAMPLES[page]}.csv").click().run()
    app = app.button(key="data.notes").click().run()
    *_, own = app.session_state["data.brought"].confirmed.values()
    return opened_by_link(app, page, own=str(own), tab="what-if")


def opened_by_link(app: AppTest, page: str, **link: str) -> AppTest:
    """Open a page by a link to an own file, and return it once its work is done."""
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
    """Return the text of the HTML blocks in which something has the class ``lab-<part>``."""
    named = re.compile(rf'class="(?:[^"]* )?lab-{part}[" ]')
    bodies = [element.proto.body for element in app.get("html")]
    return plain(" ".join(body for body in bodies if named.search(body)))


def label_of(app: AppTest, page: str):
    """Return the label of the result of a page."""
    state = app.session_state[f"{page}.state"]
    here = PAGE[page].at(state.settings)
    result = state.settings.experiment.run()
    return share_dialog.handout_of(state, here, result, link="", code="").label


def tab(app: AppTest, page: str, name: str) -> AppTest:
    """Open a tab of a page, and return the page once its work is done."""
    app.session_state[f"{page}.tabs"] = PAGE[page].at(settings_of(app, page)).tab(name).title
    app = at_rest(app.run(), page)
    assert not app.exception
    return app


def all_text(app: AppTest) -> str:
    """Return all that the page says, with its captions."""
    return text(app) + " ".join(one.value for one in app.caption)


class TestQuestions:
    @pytest.mark.parametrize("page", SAMPLES)
    def test_the_answer_of_what_if_reads_no_private_row(self, page):
        app = page_of_sample(page)

        assert "No value of your file is read for this answer" in all_text(app)
        assert html(app, "words-answer")
        assert label_of(app, page).void == ""
        assert "no limit" not in html(app, "numbers")


class TestShare:
    """What is handed out of an own file does not promise the same numbers."""

    LINK = "http://lab.example.org/"

    @pytest.fixture
    def settings(self):
        """Return quick settings of the classifier on a file."""
        own = own_rows.choose(file_of(0), CLASSES)
        return PAGE["classifier"].settings().change(dataset="own", own=own, steps=5, repeats=2)

    @pytest.fixture
    def state(self, settings):
        """Return the state of the page with these settings."""
        return PageState(page="classifier", settings=settings)

    @pytest.fixture
    def html(self, settings, state):
        """Return the handout of the result, as HTML."""
        page = PAGE["classifier"].at(settings)
        result = settings.experiment.run()
        return share_dialog.handout_of(state, page, result, link=self.LINK, code="").html()

    def test_the_link_of_a_result_on_a_file_has_no_code(self, state):
        assert share_dialog._qr_code(state, self.LINK) == ""

    @pytest.mark.parametrize(
        "promise", ["open these settings", "Same numbers again", '<figure class="code">']
    )
    def test_the_handout_of_a_result_on_a_file_does_not_promise_the_same_numbers(
        self, html, promise
    ):
        assert promise not in html

    def test_the_handout_says_that_the_file_is_missing(self, html):
        assert "without the file" in html
