"""*My data*: what is asked about a file, its refusals, and what bounds cost."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.check import RefusedError
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column
from tests.app import opened, settings_of, text
from tests.pages.data.sessions import (
    CUSTOMERS,
    back_to_my_data,
    confirmed_rows,
    draft_of,
    is_waiting,
    open_page,
    open_page_at_rest,
    replace_sample_table,
    set_bounds,
    upload,
    use_columns,
    visible_text,
    with_answer,
    with_customers,
    with_notes,
    with_sample,
)
from ui.uploads import samples
from ui.uploads.rows import MOST_SPENT, Draft

# The beginning of a workbook of Excel.
WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
TITLE_ABOVE = b"Customers 2026\n\na,b\n1,2\n3,4\n5,6\n"
JSON = b'{"a": {"0": 1}}'


def shapes_file() -> bytes:
    """Return a file with numbers that have a unit, a price and a date."""
    lines = ["weight,price,when,left"]
    for row in range(240):
        left = ("no", "yes")[row % 2]
        day = row % 28 + 1
        lines.append(f"{50 + row % 40} kg,${row % 900 + 100}.50,2024-05-{day:02},{left}")
    return "\n".join([*lines, ""]).encode()


# Roles of columns


class TestRoles:
    def test_all_columns_are_left_out_at_first(self):
        app = with_sample()

        assert {box.value for box in app.selectbox} == {"out"}
        assert is_waiting(app)

    def test_nothing_is_trained_until_a_number_has_bounds(self):
        app = use_columns(with_answer(with_sample()), age="number")

        assert is_waiting(app)
        assert not confirmed_rows(app)

    def test_bounds_in_the_wrong_order_are_not_enough(self):
        app = use_columns(with_answer(with_sample()), age="number")

        assert is_waiting(set_bounds(app, "age", 100, 18))

    def test_a_complete_file_can_be_trained_on(self):
        app = use_columns(with_answer(with_sample()), age="number")

        set_bounds(app, "age", 18, 100)

        assert not is_waiting(app)
        (rows,) = confirmed_rows(app)
        assert rows.private == 2400
        assert rows.roles.columns == (Column(name="age", low=18, high=100),)


class TestNumericAnswer:
    def with_salary(self) -> AppTest:
        """Return *My data* that is to predict the salary as a number, still without bounds."""
        app = use_columns(with_notes("regression"), salary="out")
        return use_columns(app, salary="amount")

    def test_a_numeric_answer_needs_bounds(self):
        app = self.with_salary()

        assert is_waiting(app, "regression")
        assert not is_waiting(set_bounds(app, "salary", 0, 150), "regression")

    def test_a_numeric_answer_has_no_classes_and_may_be_missing(self):
        app = set_bounds(self.with_salary(), "salary", 0, 150)

        *_, rows = confirmed_rows(app)

        assert rows.roles.classes == ()
        assert rows.roles.target.high == 150
        assert rows.roles.gaps

    def test_another_use_of_a_column_forgets_its_bounds(self):
        app = set_bounds(self.with_salary(), "salary", 0, 150)

        assert not draft_of(use_columns(app, salary="answer")).roles.target
        assert draft_of(use_columns(app, salary="amount")).roles.target.low is None


class TestRowsPerPerson:
    def with_three_rows_each(self) -> AppTest:
        """Return the regression page, with three rows per person and no missing labels declared."""
        app = use_columns(with_notes("regression"), employee_id="person")
        app.number_input(key="data.rows_each").set_value(3).run()
        app.toggle(key="data.gaps").set_value(False).run()
        return open_page(app, "regression")

    def test_the_number_of_rows_per_person_is_typed(self):
        settings = settings_of(self.with_three_rows_each(), "regression")

        assert settings.own.roles.rows_each == 3
        assert settings.source.rows_each == 3
        assert not settings.own.roles.gaps

    def test_rows_per_person_are_1_without_a_column_of_people(self):
        app = back_to_my_data(self.with_three_rows_each())

        assert draft_of(use_columns(app, employee_id="out")).roles.rows_each == 1


class TestOneRowPerPerson:
    def test_my_data_asks_whether_each_row_is_one_person(self):
        assert "is not answered" in visible_text(with_notes("classifier"))

    @pytest.mark.parametrize(
        ("answer", "line"),
        [
            pytest.param(True, "✓] One person is one row", id="one row"),
            pytest.param(False, "⚠] Each row is protected alone", id="several rows"),
        ],
    )
    def test_the_answer_about_one_row_per_person_is_listed(self, answer, line):
        app = with_notes("classifier")

        app.segmented_control(key="data.one_row").set_value(answer).run()

        assert line in visible_text(app)
        *_, rows = confirmed_rows(app)
        assert rows.roles.one_row is answer

    def test_my_data_does_not_ask_about_one_row_per_person_with_a_column_of_people(self):
        app = use_columns(with_notes("classifier"), customer_id="person")

        assert "data.one_row" not in app.session_state
        assert draft_of(app).roles.one_row is None


def test_a_changed_use_of_a_column_is_another_file_for_the_pages():
    app = open_page(with_notes("classifier"), "classifier")
    before = settings_of(app, "classifier").own
    app = use_columns(back_to_my_data(app), age="out")
    *_, newest = confirmed_rows(app)

    settings = settings_of(open_page(app, "classifier", own=str(newest)), "classifier")

    assert settings.own == newest
    assert settings.own != before
    assert {*before.source.features} - {*settings.source.features} == {"age"}


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda sample: sample.file)
class TestNotesOfASample:
    def with_notes_of(self, sample: samples.Sample) -> AppTest:
        """Return *My data* with this sample, filled in from its notes."""
        app = with_sample(sample.file.removesuffix(".csv"))
        assert is_waiting(app)
        return app.button(key="data.notes").click().run()

    def test_notes_of_a_sample_complete_its_file(self, sample):
        page = "classifier"
        if sample.target:
            page = "regression"

        app = self.with_notes_of(sample)

        assert not is_waiting(app, page)

    def test_notes_fill_in_the_declared_roles_of_the_sample(self, sample):
        roles = draft_of(self.with_notes_of(sample)).roles

        assert roles.columns == sample.columns
        assert roles.answer == sample.answer
        assert roles.void == ()

    def test_notes_of_a_sample_are_offered_once(self, sample):
        app = self.with_notes_of(sample)

        assert "data.notes" not in {button.key for button in app.button}


def test_a_column_with_an_ambiguous_mark_asks_what_the_mark_means(monkeypatch):
    frame = pd.read_csv(CUSTOMERS, dtype=str).assign(monthly_spend="1,234")
    replace_sample_table(monkeypatch, frame)

    app = use_columns(with_sample(), monthly_spend="number")

    groups = [str(group.proto) for group in app.get("button_group")]
    assert any("Decimal separator of monthly_spend" in group for group in groups)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("<img src=x onerror=alert(1)>", id="HTML"),
        pytest.param("a~b=c&d**bold** :red[x] $a$" + "x" * 300, id="markdown"),
    ],
)
def test_a_hostile_name_of_a_column_does_no_harm(name, monkeypatch):
    frame = pd.read_csv(CUSTOMERS).rename(columns={"age": name})
    table = replace_sample_table(monkeypatch, frame)
    shown_name = [*table.columns][1]

    app = use_columns(with_answer(with_sample()), **{shown_name: "number"})
    set_bounds(app, shown_name, 18, 100)

    assert "<img" not in visible_text(app)
    for page in ("classifier", "network"):
        app = open_page_at_rest(app, page)
        assert "<img" not in visible_text(app)


# Uploads


def refusals(app: AppTest) -> list[str]:
    """Return the texts of all errors that the page shows."""
    return [error.value for error in app.error]


class TestUploads:
    @pytest.mark.parametrize(
        ("name", "data", "reason"),
        [
            pytest.param(
                "report.csv", TITLE_ABOVE, "without a title above it", id="title above the table"
            ),
            pytest.param("frame.json", JSON, "This is JSON.", id="JSON"),
            pytest.param("book.xls", WORKBOOK, "choose Save as, CSV UTF-8", id="workbook"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_refused_with_one_reason(self, name, data, reason):
        app = upload(opened("data"), name, data)

        (refusal,) = refusals(app)
        assert reason in refusal

    def test_a_new_refusal_takes_the_place_of_an_old_one(self):
        app = upload(opened("data"), "report.csv", TITLE_ABOVE)

        upload(app, "frame.json", JSON)

        (refusal,) = refusals(app)
        assert "This is JSON." in refusal

    def test_a_file_that_is_read_takes_the_place_of_a_refusal(self):
        app = upload(opened("data"), "book.xls", WORKBOOK)

        upload(app, "shapes.csv", shapes_file())

        assert refusals(app) == []
        assert [*draft_of(app).uses] == ["weight", "price", "when", "left"]

    def test_a_removed_file_takes_its_refusal_along(self):
        app = upload(opened("data"), "book.xls", WORKBOOK)
        assert refusals(app)

        app.file_uploader[0].set_value(None).run()

        assert refusals(app) == []

    def test_a_refused_file_leaves_the_one_before(self):
        app = upload(opened("data"), "shapes.csv", shapes_file())

        upload(app, "book.xls", WORKBOOK)

        assert refusals(app)
        assert draft_of(app).file == "shapes.csv"


class TestColumnsThatAreNoNumbers:
    @pytest.fixture
    def app(self) -> AppTest:
        """Return *My data* with the file of ``shapes_file``."""
        return upload(opened("data"), "shapes.csv", shapes_file())

    @pytest.mark.parametrize(
        ("column", "use", "kind"),
        [
            pytest.param("weight", "number", "texts", id="unit"),
            pytest.param("when", "amount", "dates or times", id="dates"),
        ],
    )
    def test_columns_that_are_no_numbers_are_warned_about_if_used_as_numbers(
        self, app, column, use, kind
    ):
        use_columns(app, **{column: use})

        assert f"does not read as numbers**], but as {kind}" in text(app)
        assert f"⚠] {column} does not read as numbers" in text(app)

    def test_prices_are_read_without_their_unit(self, app):
        use_columns(app, price="number")

        assert "does not read as numbers" not in text(app)
        assert "without their unit" in visible_text(app)


# What bounds cost


class TestPrivateBounds:
    SPEND = "data.draw.monthly_spend"

    def allow_few_rows(self, monkeypatch) -> None:
        """Have 1,000 rows be enough for private bounds from now on."""
        name = "pages.data.page_columns.private_bounds.least_rows"
        monkeypatch.setattr(name, lambda epsilon: 1000)

    def with_bounds_of_spend(self, monkeypatch) -> AppTest:
        """Return *My data* after private bounds of the monthly spend were paid for once."""
        self.allow_few_rows(monkeypatch)
        app = use_columns(with_customers(), monthly_spend="number")
        return app.button(key=self.SPEND).click().run()

    def test_private_bounds_need_enough_rows(self):
        app = use_columns(with_customers(), monthly_spend="number")

        assert app.button(key=self.SPEND).disabled

    def test_private_bounds_complete_a_column(self, monkeypatch):
        app = self.with_bounds_of_spend(monkeypatch)

        low = app.number_input(key="data.low.monthly_spend")
        high = app.number_input(key="data.high.monthly_spend")
        assert not is_waiting(app)
        assert low.disabled
        assert high.disabled
        assert high.value in (64, 128, 256)

    def test_private_bounds_are_paid_for_at_each_press_and_at_no_other_time(self, monkeypatch):
        app = self.with_bounds_of_spend(monkeypatch)
        (payment,) = draft_of(app).payments
        assert draft_of(app.run()).payments == (payment,)

        app = app.button(key=self.SPEND).click().run()

        assert draft_of(app).payments == (payment, payment)

    def test_the_guarantee_counts_private_bounds(self, monkeypatch):
        app = self.with_bounds_of_spend(monkeypatch)
        app = app.button(key=self.SPEND).click().run()

        page = open_page(app, "classifier", tab="guarantee")

        assert "<b>0.2</b> paid for bounds" in visible_text(page)

    def test_typed_bounds_do_not_take_the_payments_back(self, monkeypatch):
        app = self.with_bounds_of_spend(monkeypatch)
        app = app.button(key=self.SPEND).click().run()

        app = app.button(key="data.type.monthly_spend").click().run()

        assert is_waiting(app)
        assert "Bounds have cost 0.2 of epsilon" in visible_text(app)


class TestPayments:
    @pytest.fixture
    def table(self) -> own_table.Table:
        """Return the table of the sample of customers."""
        return own_table.read(CUSTOMERS.read_bytes())

    @pytest.fixture
    def draft(self, table) -> Draft:
        """Return the entries of a file of customers of which only the age is used, as a number."""
        draft = Draft.for_table(table, "x")
        draft.set_use("age", "number")
        return draft

    def test_a_refused_draw_costs_nothing(self, table, draft):
        with pytest.raises(RefusedError, match="^rows is "):
            draft.buy_bounds(table, "age", 0.1)

        assert draft.payments == ()

    def test_payments_end_at_a_largest_epsilon(self, table, draft, monkeypatch):
        monkeypatch.setattr("dpcore.mechanisms.private_bounds.least_rows", lambda epsilon: 1000)
        draft.buy_bounds(table, "age", MOST_SPENT)

        with pytest.raises(RefusedError, match="^epsilon is "):
            draft.buy_bounds(table, "age", 0.01)

        assert draft.roles.spent == MOST_SPENT
        assert draft.columns["age"].paid == MOST_SPENT
