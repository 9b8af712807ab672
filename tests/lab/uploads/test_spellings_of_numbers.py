"""Numbers as people write them: with currencies, groups of digits, parentheses, or units."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from lab.uploads import number_cells
from lab.uploads import table as own_table
from tests.hostile_parquet import parquet_of
from tests.uploaded_tables import AGES, AMOUNTS, ROWS, table

Spelling = Callable[[float], str]


def grouped(value: float, thousands: str, decimal: str) -> str:
    """Return a number with two decimals, with these signs between thousands and as decimal sign."""
    signs = {ord(","): thousands, ord("."): decimal}
    return f"{value:,.2f}".translate(signs)


# How a number may be written. All of a column are alike.
SPELLINGS: dict[str, Spelling] = {
    "dollars before": lambda value: f"${value:,.2f}",
    "euros behind": lambda value: f"{value:.2f} €",
    "euros as in Germany": lambda value: grouped(value, ".", ",") + " €",
    "pounds": lambda value: f"£{value:.2f}",
    "francs": lambda value: f"CHF {grouped(value, chr(0x2019), '.')}",
    "a code behind": lambda value: f"{value:.2f} USD",
    "a sign with letters": lambda value: f"US$ {value:.2f}",
    "reais": lambda value: f"R$ {grouped(value, '.', ',')}",
    "per cent": lambda value: f"{value:.2f}%",
    "per cent, apart": lambda value: f"{value:.2f} %",
    "narrow spaces": lambda value: grouped(value, "\u202f", ","),
    "thin spaces": lambda value: grouped(value, "\u2009", "."),
    "apostrophes": lambda value: grouped(value, "'", "."),
}


def in_plain(value: float) -> str:
    """Return a number with two decimals."""
    return f"{value:.2f}"


def in_dollars(value: float) -> str:
    """Return a dollar sign and a number with two decimals, with commas between thousands."""
    return f"${value:,.2f}"


# How a negative number may be written -> (its spelling, that of positive ones in the column).
NEGATIVE: dict[str, tuple[Spelling, Spelling]] = {
    "parentheses": (lambda value: f"({value:.2f})", in_plain),
    "parentheses and dollars": (lambda value: f"(${value:,.2f})", in_dollars),
    "dollars and parentheses": (lambda value: f"$({value:,.2f})", in_dollars),
    "a true minus sign": (lambda value: f"−{value:.2f}", in_plain),
    "a dash": (lambda value: f"–{value:.2f}", in_plain),
    "minus dollars": (lambda value: f"-${value:.2f}", in_dollars),
    "dollars minus": (lambda value: f"$-{value:.2f}", in_dollars),
}
NO_PLAIN_NUMBERS = ["5,-", "5.–", "$ 5", "5 kg", "<5", "(5", "5)", "--5", "", "€", "%", "(-5)"]
OTHER_DIGITS = ["½", "五"]


class TestColumnsOfOneSpelling:
    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_positive_numbers_are_read(self, spelling):
        cells = [SPELLINGS[spelling](amount) for amount in AMOUNTS]

        found = table(amount=cells)

        np.testing.assert_allclose(found.numbers("amount"), AMOUNTS)
        assert found.kind("amount").kind == "number"
        assert found.number_fault("amount") == ""

    @pytest.mark.parametrize("spelling", NEGATIVE)
    def test_negative_numbers_are_read_among_others(self, spelling):
        write_negative, write_positive = NEGATIVE[spelling]
        cells = []
        expected = []
        for row, amount in enumerate(AMOUNTS):
            if row % 2 == 1:
                cells.append(write_negative(amount))
                expected.append(-amount)
            else:
                cells.append(write_positive(amount))
                expected.append(amount)

        found = table(amount=cells)

        np.testing.assert_allclose(found.numbers("amount"), expected)
        assert found.kind("amount").kind == "number"


@pytest.mark.parametrize(
    ("decimal", "pattern"),
    [
        pytest.param(".", number_cells.POINT, id="point"),
        pytest.param(",", number_cells.COMMA, id="comma"),
    ],
)
def test_a_cell_is_a_number_alone_where_it_is_one_in_a_column(decimal, pattern):
    cells = [spell(1234.5) for spell in SPELLINGS.values()]
    cells += [write_negative(1234.5) for write_negative, _ in NEGATIVE.values()]
    cells += [*NO_PLAIN_NUMBERS, *OTHER_DIGITS]

    column = number_cells.to_floats(pa.array(cells), decimal).to_pylist()

    for cell, value in zip(cells, column, strict=True):
        is_number_alone = bool(pattern.match(number_cells.bare(cell)))
        assert (value is not None) == is_number_alone, cell


TWO_UNITS = "numbers with a unit: not the same one in each cell"
MIXED = "numbers, and something else in other cells"


@pytest.mark.parametrize(
    ("cell_of_row", "fault"),
    [
        pytest.param(lambda row: f"{row / 4}{'$€'[row % 2]}", TWO_UNITS, id="two currencies"),
        pytest.param(lambda row: f"{row / 4}{('', '%')[row % 2]}", TWO_UNITS, id="some per cent"),
        pytest.param(lambda row: f"{row / 4} kg", "texts", id="a unit"),
        pytest.param(lambda row: f"< {row / 4}", "texts", id="below"),
        pytest.param(lambda row: f"{row}-{row + 9}", "texts", id="ranges"),
        pytest.param(
            lambda row: (f"{row / 4}", "refused to say it at all")[row % 2], MIXED, id="mixed"
        ),
        pytest.param(
            lambda row: f"2024-{row % 12 + 1:02}-{row % 28 + 1:02}", "dates or times", id="dates"
        ),
        pytest.param(lambda row: f"the answer of somebody, the {row} th", "texts", id="texts"),
    ],
)
def test_what_is_no_column_of_numbers_is_named(cell_of_row, fault):
    found = table(amount=[cell_of_row(row) for row in range(ROWS)])

    assert found.number_fault("amount") == fault
    assert found.kind("amount").kind != "number"


class TestInfiniteValues:
    """They count as missing."""

    IS_FINITE = np.arange(ROWS) % 4 != 0
    VALUES = np.where(IS_FINITE, AMOUNTS, np.resize([np.inf, -np.inf, np.nan], ROWS))
    EXPECTED = np.where(IS_FINITE, AMOUNTS, np.nan)

    @pytest.fixture(params=["text", "Parquet"])
    def found(self, request):
        """Return a table with infinite and missing amounts, from a text or a Parquet file."""
        if request.param == "text":
            return table(amount=[str(value) for value in self.VALUES])
        return own_table.read(parquet_of({"amount": self.VALUES, "age": AGES}))

    def test_numbers_beside_infinite_values_are_read(self, found):
        assert found.kind("amount").kind == "number"
        np.testing.assert_array_equal(found.numbers("amount"), self.EXPECTED)
