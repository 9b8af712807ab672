"""What the columns of a table are taken for, and the numbers in them."""

import numpy as np
import pytest

from dpcore import check
from lab.uploads import column_types
from lab.uploads import table as own_table
from tests.hostile_files import csv_text
from tests.hostile_parquet import READ_PARQUETS, parquet_of


def table_of(cells: list[str], *, name: str = "a", second: str = "x") -> own_table.Table:
    """Return a table with a column of these cells, and a second one of equal cells."""
    columns = {
        name: [f'"{cell}"' for cell in cells],
        "b": [f'"{second}"'] * len(cells),
    }
    return own_table.read(csv_text(columns).encode())


NAN = np.nan


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers"),
    [
        pytest.param(
            ["0.3", "-1", "−3.5", "+2.50", "1e3", ".5", "4.", " 5 "],
            ".",
            [0.3, -1, -3.5, 2.5, 1000, 0.5, 4, 5],
            id="signs and exponents",
        ),
        pytest.param(
            ["1.234,5", "12", "1.234", "1,5E2"],
            ",",
            [1234.5, 12, 1234, 150],
            id="thousands with a point",
        ),
        pytest.param(
            ["1,234.5", "12", "1,234", "1,234,567"],
            ".",
            [1234.5, 12, 1234, 1234567],
            id="thousands with a comma",
        ),
        pytest.param(
            ["1 234,5", "12 345,25", "1’234"],
            ",",
            [1234.5, 12345.25, 1234],
            id="thousands with a space",
        ),
        pytest.param(
            ["3", "NA", "", "n/a", "inf", "nan", "1e999"],
            ".",
            [3, NAN, NAN, NAN, NAN, NAN, NAN],
            id="missing",
        ),
        pytest.param(
            ["0,5", "1,5", "0.5", "12,34.5", "1,2,3"],
            ",",
            [0.5, 1.5, NAN, NAN, NAN],
            id="no numbers with a decimal comma",
        ),
        pytest.param(
            ["0.5", "1.5", "0,5", "1_000", "0x10", "1,23", "5 kg", "~5"],
            ".",
            [0.5, 1.5, NAN, NAN, NAN, NAN, NAN, NAN],
            id="no numbers with a decimal point",
        ),
    ],
)
def test_a_column_has_one_decimal_sign_and_its_numbers(cells, decimal, numbers):
    table = table_of(cells)

    assert table.decimal("a") == decimal
    np.testing.assert_array_equal(table.numbers("a"), numbers)


class TestUnclearDecimal:
    """Numbers that can be read in two ways."""

    @pytest.fixture
    def table(self):
        """Return a table whose commas may be decimal signs, or stand between thousands."""
        return table_of(["1,234", "5,678", "3"], second="0,5")

    def test_an_unclear_decimal_sign_is_asked_about(self, table):
        assert table.decimal("a") == ""
        with pytest.raises(check.RefusedError, match="decimal is 'unclear'"):
            table.numbers("a")

    @pytest.mark.parametrize(
        ("decimal", "numbers"),
        [
            pytest.param(".", [1234, 5678, 3], id="point"),
            pytest.param(",", [1.234, 5.678, 3], id="comma"),
        ],
    )
    def test_the_declared_decimal_sign_decides_how_numbers_are_read(self, table, decimal, numbers):
        np.testing.assert_array_equal(table.numbers("a", decimal=decimal), numbers)


class TestNumbersComeBack:
    """Floating-point numbers come back to the last bit."""

    @pytest.fixture
    def values(self):
        """Return normal numbers times powers of ten from -300 to 299, (500,)."""
        numbers = np.random.default_rng(0).normal(size=500)
        powers = np.random.default_rng(1).integers(-300, 300, 500)
        return numbers * 10.0**powers

    def test_numbers_come_back_from_text_to_the_last_bit(self, values):
        table = table_of([repr(value) for value in values.tolist()])

        np.testing.assert_array_equal(table.numbers("a"), values)

    def test_numbers_come_back_from_parquet_to_the_last_bit(self, values):
        table = own_table.read(parquet_of({"a": values, "b": np.zeros(500, np.float32)}))

        np.testing.assert_array_equal(table.numbers("a"), values)

    @pytest.mark.parametrize(
        ("name", "numbers"),
        [
            ("whole", [1, NAN, -3]),
            ("yes", [1, 0, NAN]),
            ("money", [12.3, NAN, -0.05]),
            ("day", [NAN, NAN, NAN]),
            ("nothing", [NAN, NAN, NAN]),
        ],
    )
    def test_numbers_of_other_parquet_types_come_back(self, name, numbers):
        table = own_table.read(READ_PARQUETS["Parquet of all kinds"].data())

        np.testing.assert_array_equal(table.numbers(name), numbers)


class TestKinds:
    @pytest.mark.parametrize(
        ("name", "cell_of_row", "kind"),
        [
            ("age", lambda row: 18 + row * 7 % 60, "number"),
            ("churned", lambda row: row % 2, "number"),
            ("plan", lambda row: ("basic", "plus", "pro")[row % 3], "category"),
            ("yes", lambda row: row % 2 == 0, "category"),
            ("code", lambda row: f"AB-{row * 7919 % 100_000}", "other"),
            ("visit", lambda row: f"C{row // 3:04}", "other"),
            ("day", lambda row: f"2024-{row % 12 + 1:02}-{row % 28 + 1:02}", "other"),
            ("moment", lambda row: f"2024-05-{row % 28 + 1:02}T10:{row % 60:02}:00Z", "other"),
            ("german", lambda row: f"{row % 28 + 1}.{row % 12 + 1}.2024", "other"),
            ("mail", lambda row: f"p{row}@example.org", "other"),
            ("note", lambda row: f"the {row} th note of many words", "other"),
        ],
    )
    def test_a_column_is_taken_for_what_it_is(self, name, cell_of_row, kind):
        cells = [str(cell_of_row(row)) for row in range(300)]

        column_kind = table_of(cells, name=name, second="1").kind(name)

        can_be_used = kind in ("number", "category")
        assert column_kind.kind == kind
        assert bool(column_kind.reason) == (not can_be_used)

    def test_only_some_cells_of_many_are_looked_at(self):
        table = own_table.read(("a,b\n" + "1,2\n" * 100_000).encode())

        cells = column_types.sample_cells(table.columns["a"])

        assert len(cells) == column_types.SAMPLE_SIZE

    def test_only_the_beginning_of_a_long_cell_is_looked_at(self):
        table = table_of(["a@" + "." * 100_000 + "@"] * 30)

        cells = column_types.sample_cells(table.columns["a"])

        assert {len(cell) for cell in cells} == {100}
