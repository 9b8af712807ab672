"""Files as people have them: what they are read as, or named for, and what is to be done."""

import io
import unicodedata
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from dpcore import check
from dpcore.estimators import people
from dpcore.normal_form import normal_form
from lab.uploads import csv_file, number_cells, persons, separate_process
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.cells import value_indices
from lab.uploads.column_roles import Column, Roles
from lab.uploads.formats import FileRefusedError
from tests.hostile_files import parquet_of

ROWS = 240
AGES = [18 + n * 7 % 60 for n in range(ROWS)]
AMOUNTS = [round((n * 37.61) % 900 + 1000, 2) for n in range(ROWS)]
LEFT = [("no", "yes")[n * 5 % 3 % 2] for n in range(ROWS)]


def lines(**changed: list[str]) -> list[list[str]]:
    """The lines of a table of 240 rows, with some columns in other spellings."""
    columns = {
        "age": list(map(str, AGES)),
        "amount": [f"{value:.2f}" for value in AMOUNTS],
        "left": LEFT,
    } | changed
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def text(rows: list[list[str]], separator: str = ";", end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in rows)


def table(**changed: list[str]) -> own_table.Table:
    return own_table.read(text(lines(**changed)).encode())


def refusal(data: bytes | str) -> FileRefusedError:
    data = data.encode() if isinstance(data, str) else data
    with pytest.raises(FileRefusedError) as refused:
        own_table.read(data)
    return refused.value


def grouped(value: float, thousands: str, decimal: str) -> str:
    return f"{value:,.2f}".translate({ord(","): thousands, ord("."): decimal})


# How a number may be written -> one of its spellings. All of a column are alike.
SPELLINGS: dict[str, Callable[[float], str]] = {
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
NEGATIVE: dict[str, Callable[[float], str]] = {
    "parentheses": lambda value: f"({value:.2f})",
    "parentheses and dollars": lambda value: f"(${value:,.2f})",
    "dollars and parentheses": lambda value: f"$({value:,.2f})",
    "a true minus sign": lambda value: f"−{value:.2f}",
    "a dash": lambda value: f"–{value:.2f}",
    "minus dollars": lambda value: f"-${value:.2f}",
    "dollars minus": lambda value: f"$-{value:.2f}",
}


class TestNumbers:
    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_a_column_of_one_spelling_is_read(self, spelling):
        found = table(amount=list(map(SPELLINGS[spelling], AMOUNTS)))
        expected = np.array(AMOUNTS)
        np.testing.assert_allclose(found.numbers("amount"), expected)
        assert found.kind("amount").kind == "number"
        assert found.number_fault("amount") == ""

    @pytest.mark.parametrize("spelling", NEGATIVE)
    def test_negative_numbers_are_read_among_others(self, spelling):
        plain = (
            (lambda value: f"${value:,.2f}")
            if "dollars" in spelling
            else (lambda value: f"{value:.2f}")
        )
        cells = [
            (NEGATIVE[spelling] if row % 2 else plain)(value) for row, value in enumerate(AMOUNTS)
        ]
        found = table(amount=cells)
        np.testing.assert_allclose(
            found.numbers("amount"), np.array(AMOUNTS) * np.resize([1, -1], ROWS)
        )
        assert found.kind("amount").kind == "number"

    def test_one_cell_is_read_alike_alone_and_in_a_column(self):
        cells = [spell(1234.5) for spell in (*SPELLINGS.values(), *NEGATIVE.values())]
        cells += [
            "5,-",
            "5.–",
            "$ 5",
            "5 kg",
            "<5",
            "(5",
            "5)",
            "--5",
            "",
            "€",
            "%",
            "(-5)",
            "½",
            "五",
        ]
        for decimal in ".,":
            column = number_cells.to_floats(pa.array(cells), decimal).to_pylist()
            pattern = number_cells.POINT if decimal == "." else number_cells.COMMA
            assert [value is not None for value in column] == [
                bool(pattern.match(number_cells.bare(cell))) for cell in cells
            ]

    @pytest.mark.parametrize(
        ("shape", "make"),
        [
            (
                "numbers with a unit: not the same one in each cell",
                lambda n: f"{n / 4}{'$€'[n % 2]}",
            ),
            (
                "numbers with a unit: not the same one in each cell",
                lambda n: f"{n / 4}{('', '%')[n % 2]}",
            ),
            ("texts", lambda n: f"{n / 4} kg"),
            ("texts", lambda n: f"< {n / 4}"),
            ("texts", lambda n: f"{n}-{n + 9}"),
            (
                "numbers, and something else in other cells",
                lambda n: (f"{n / 4}", "refused to say it at all")[n % 2],
            ),
            ("dates or times", lambda n: f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}"),
            ("texts", lambda n: f"the answer of somebody, the {n} th"),
        ],
        ids=[
            "two currencies",
            "some per cent",
            "a unit",
            "below",
            "ranges",
            "mixed",
            "dates",
            "texts",
        ],
    )
    def test_another_shape_is_named(self, shape, make):
        found = table(amount=[make(n) for n in range(ROWS)])
        assert found.number_fault("amount") == shape
        assert found.kind("amount").kind != "number"

    def test_infinite_values_are_missing_ones_in_either_format(self):
        values = np.where(np.arange(ROWS) % 4, AMOUNTS, np.resize([np.inf, -np.inf, np.nan], ROWS))
        for found in (
            own_table.read(parquet_of({"amount": values, "age": AGES})),
            table(amount=list(map(str, values))),
        ):
            assert found.kind("amount").kind == "number"
            np.testing.assert_array_equal(
                found.numbers("amount"), np.where(np.arange(ROWS) % 4, AMOUNTS, np.nan)
            )


# Name -> spellings of one name.
ONE_NAME = {
    "code points": ["café", "cafe\u0301", "CAFÉ"],
    "compatible letters": ["ﬁn", "fin", "ｆｉｎ"],
    "spaces": ["Ann Lee", " Ann  Lee ", "Ann\u00a0Lee", "Ann\u2009Lee", "Ann\tLee"],
    "marks that are not seen": ["P1", "P1\u200b", "\u200eP1", "P\u00ad1", "\ufeffP1"],
    "capitals": ["Anna", "ANNA", "anna"],
    "sharp s": ["Weiß", "WEISS"],
    "apostrophes": ["O'Hara", "O’Hara", "O‘Hara", "O`Hara", "Oʼhara"],
    "dashes": ["Jean-Luc", "Jean–Luc", "Jean‑Luc", "Jean−Luc"],
    "one": ["1", "1.0", "1.", "01", "+1", "1,0", "1e0", "true", "TRUE", "True", "١", "１"],
    "zero": ["0", "0.0", "-0", "0,00", "false", "FALSE"],
    "an identifier": ["100000", "100000.0", "1e5", "1E+05", "1.0e5"],
    "dots at the end": ["<=50K", "<=50K.", "<=50k ..", "<=50K ."],
    "half": ["0.5", ".5", "0,5", "0.50"],
}


class TestNames:
    @pytest.mark.parametrize("spellings", ONE_NAME.values(), ids=ONE_NAME)
    def test_spellings_of_a_name_are_one(self, spellings):
        assert len(set(map(normal_form, spellings))) == 1
        assert not people.people_of(spellings, len(spellings)).any()
        assert len(persons.group_rows(np.array(spellings, dtype=object))[2]) == 1

    def test_other_names_stay_apart(self):
        names = [
            "1",
            "2",
            "1.5",
            "10",
            "Zoe",
            "Zoë",
            "1,000",
            "a-b",
            "ab",
            "yes",
            "no",
            "9" * 70,
            "9" * 69 + "8",
        ]
        assert len(set(map(normal_form, names))) == len(names)

    def test_rows_without_a_name_are_one_person_however_that_is_written(self):
        names = np.array(
            ["", " ", "NA", "nan", "NaN", "<NA>", "NULL", "None", "n/a", "-"], dtype=object
        )
        assert len(persons.group_rows(names)[2]) == 1

    @pytest.mark.parametrize("spellings", ONE_NAME.values(), ids=ONE_NAME)
    def test_each_row_with_a_spelling_of_an_answer_or_a_category_counts(self, spellings):
        cells = [
            f'"{(spellings[row % len(spellings)], "other")[row % 3 // 2]}"' for row in range(ROWS)
        ]
        for typed in spellings:
            found = table(answer=cells)
            places = value_indices(found, "answer", ("other", typed))
            np.testing.assert_array_equal(places, [1 - row % 3 // 2 for row in range(ROWS)])

    @pytest.mark.parametrize(
        "typed",
        [("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("1", "0"), ("1.0", "0.0")],
    )
    def test_truth_values_are_answers_in_any_spelling(self, typed):
        answers = np.resize([True, False, False], ROWS)
        files = [
            parquet_of({"age": AGES, "left": answers}),
            parquet_of({"age": AGES, "left": answers.astype(float)}),
        ]
        files.append(
            text(lines(left=[str(answer).upper() for answer in answers.tolist()])).encode()
        )
        roles = Roles(answer="left", classes=typed, columns=(Column(name="age", low=0, high=99),))
        for data in files:
            found = own_table.read(data)
            assert own_rows.choose(found, roles).answered == ROWS
            np.testing.assert_array_equal(
                value_indices(found, "left", typed), 1 - answers.astype(int)
            )

    def test_two_spellings_of_one_answer_are_refused(self):
        for typed in (("1", "1.0"), ("Yes", "yes"), ("true", "1"), ("café", "cafe\u0301")):
            roles = Roles(
                answer="left", classes=typed, columns=(Column(name="age", low=0, high=99),)
            )
            assert roles.faults() == ("left has an empty answer, or one twice",)

    def test_a_person_in_two_spellings_is_one_person(self):
        names = [
            ("Zoë {}", "Zoe\u0308  {}", "ZOË {}\u200b")[row % 3].format(row // 3)
            for row in range(ROWS * 3)
        ]
        rows = [
            ["who", "age", "left"],
            *([name, "5", LEFT[row % ROWS]] for row, name in enumerate(names)),
        ]
        roles = Roles(
            answer="left",
            classes=("no", "yes"),
            columns=(Column(name="age", low=0, high=9),),
            person="who",
        )
        found = own_table.read(text(rows).encode())
        assert own_rows.choose(found, roles).people == ROWS


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(
                name,
                "application/vnd.oasis.opendocument.spreadsheet"
                if name == "mimetype"
                else "x" * 900,
            )
    return packed.getvalue()


# Name -> (beginning of a file, what it is named for).
FORMATS = {
    "Excel": (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an Excel workbook"),
    "LibreOffice": (zipped("content.xml", "styles.xml"), "a zip archive"),
    "zip": (zipped("table.csv"), "a zip archive"),
    "an empty zip archive": (b"PK\x05\x06" + bytes(18), "a zip archive"),
    "gzip": (b"\x1f\x8b\x08", "a compressed file"),
    "bzip2": (b"BZh91AY", "a compressed file"),
    "xz": (b"\xfd7zXZ\x00", "a compressed file"),
    "RAR": (b"Rar!\x1a\x07", "a compressed file"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(99), "a compressed file"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(99), "a compressed file"),
    "encrypted Parquet": (b"PARE" + bytes(9), "an encrypted Parquet file"),
    "PDF": (b"%PDF-1.7", "a PDF"),
    "a frame of pandas as JSON": (b'{"age":{"0":76,"1":56},"left":{"0":0}}', "JSON"),
    "JSON by line": (b'\n {"age": 1}\n{"age": 2}\n', "JSON"),
    "XML": (b'\xef\xbb\xbf<?xml version="1.0"?><rows/>', "HTML or XML"),
    "HTML": (b"<!-- a page -->", "HTML or XML"),
    "Markdown": (b"| a | b |\n|---|---|\n", "a Markdown table"),
}
# Files that are no text, which are refused without their name.
BINARY = {
    "SPSS": b"$FL2@(#) SPSS DATA FILE" + bytes(99),
    "Stata": b"\x72\x02\x01\x00" + bytes(99),
    "SAS": bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(99),
    "DuckDB": b"\x00\x01\xf2\x03\x04\x05\x06\x07DUCK" + bytes(99),
    "SQLite": b"SQLite format 3\x00" + bytes(99),
    "Feather": b"ARROW1\x00\x00" + bytes(99),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(99),
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(99),
    "UTF-32": "a,b\n1,2\n".encode("utf-32"),
    "UTF-16 without its mark": "a,b\n1,2\n".encode("utf-16-le"),
}


class TestFormats:
    @pytest.mark.parametrize("name", FORMATS)
    def test_a_file_of_another_format_is_named_and_what_to_do_is_said(self, name):
        data, format_name = FORMATS[name]

        error = refusal(data)

        assert f"This is {format_name}" in error.value
        assert "CSV UTF-8" in error.allowed
        assert str(error) == f"{error.value} {error.allowed}"

    @pytest.mark.parametrize("name", BINARY)
    def test_a_file_that_is_no_text_is_refused(self, name):
        error = refusal(BINARY[name])

        assert "no text in UTF-8" in error.value
        assert "CSV UTF-8" in error.allowed

    def test_no_sign_is_found_in_an_ordinary_table(self):
        for head in (
            "A",
            "X",
            "ORC",
            "RDX",
            "animal,DUCK",
            "abcdefg,DUCK",
            "Obj",
            "PAR",
            "BZh",
            "MM",
            "%PD",
            "GIF",
        ):
            data = text(
                [[head, "b", "c"], ["2", "3", "4"], ["5", "6", "7"], ["8", "9", "1"]]
            ).encode()
            assert own_table.read(data, head=True).rows == 3

    @pytest.mark.parametrize(
        ("code", "word"),
        [
            ("cp1251", "базовый"),
            ("koi8-r", "базовый"),
            ("iso-8859-5", "базовый"),
            ("cp866", "базовый"),
            ("cp1253", "βασικός"),
            ("cp1255", "בסיסי רגיל"),
            ("cp1256", "أساسي"),
            ("cp874", "พื้นฐาน"),
            ("euc_jp", "基本のプラン"),
            ("cp932", "基本プラン"),
            ("gb18030", "基本计划"),
            ("big5", "基本計劃"),
            ("cp949", "기본 요금제"),
        ],
    )
    def test_an_encoding_that_is_not_read_is_no_western_text(self, code, word):
        data = text(lines(plan=[f"{word}" if row % 2 else "plus" for row in range(ROWS)])).encode(
            code
        )
        error = refusal(data)
        assert "no text in UTF-8" in error.value
        assert "CSV UTF-8" in error.allowed


class TestLines:
    @pytest.mark.parametrize(
        "blank", [["", "", ""], [" ", "", "\t"], ['""', "", '""'], ["\u00a0", "", ""]], ids=str
    )
    @pytest.mark.parametrize("place", [1, 100, 241])
    def test_a_line_without_a_value_is_nobodys_row(self, blank, place):
        rows = lines()
        rows[place:place] = [blank] * 3
        found = own_table.read(text(rows).encode())
        assert found.rows == ROWS
        np.testing.assert_array_equal(found.numbers("age"), AGES)
        assert "Lines without a value were left out." in found.notes

    def test_nor_is_a_row_of_parquet_in_which_all_is_missing(self):
        columns = {
            "a": [*AGES, None, None],
            "b": [*AMOUNTS, None, float("nan")],
            "c": [*LEFT, None, ""],
        }
        found = own_table.read(parquet_of(columns))
        assert found.rows == ROWS
        assert "Lines without a value were left out." in found.notes

    @pytest.mark.parametrize(
        "last",
        [
            ["Total", "", ""],
            ["", "Summe:", ""],
            ["ИТОГО", "1", ""],
            ["合計", "", ""],
            ["Mean", f"{np.mean(AMOUNTS):.2f}", ""],
        ],
        ids=str,
    )
    def test_a_line_of_sums_at_the_end_is_named(self, last):
        for below in ([], [["", "", ""]] * 3):
            error = refusal(text([*lines(), last, *below]))
            assert "The last line holds sums" in error.value
            assert "Delete the last line" in error.allowed

    def test_an_ordinary_last_row_is_none(self):
        kinds = [("total", "partial")[row % 2] for row in range(ROWS)]
        assert table(amount=["0"] * (ROWS - 1) + ["1"]).rows == ROWS
        assert table(amount=[*kinds[1:], "total"]).rows == ROWS
        assert table(amount=[str(row) for row in range(ROWS)]).rows == ROWS

    def test_a_table_separated_by_spaces_has_one_column(self):
        error = refusal(text(lines(), " "))

        assert "This table has fewer than 2 columns." in error.value
        assert "separated by one of" in error.allowed

    @pytest.mark.parametrize(
        ("title", "problem"),
        [
            pytest.param(
                "Customers 2026\n\n", "This table has fewer than 2 columns.", id="one field"
            ),
            pytest.param("Customers 2026;;\n;;\n", "line 1, above the names", id="a spreadsheet's"),
        ],
    )
    def test_a_title_above_the_table_is_refused(self, title, problem):
        error = refusal(title + text(lines()))

        assert problem in error.value
        assert "title" in error.allowed or "Delete line" in error.allowed

    def test_a_note_below_the_table_is_refused_with_its_line(self):
        error = refusal(text(lines()) + "Source: made up\n")

        assert "Line 242 has 1 field, where the first line has 3." in error.value
        assert "notes below the table" in error.allowed


class TestSeparateProcess:
    @pytest.mark.parametrize(
        ("make", "found"),
        [
            (lambda: b"\n" * 30_000_000, "is empty"),
            (lambda: b" " * 30_000_000, "is empty"),
            (lambda: b"|" * 30_000_000, "A line of this file is too long"),
            (lambda: b"sep=,\n" * 5_000_000, "more than 1,000,000 rows"),
            (lambda: b'"' * 30_000_001, "A line of this file is too long"),
            (lambda: b",\n" * 15_000_000, "more than 1,000,000 rows"),
        ],
        ids=["line feeds", "spaces", "bars", "separators declared", "quotes", "blank lines"],
    )
    def test_a_large_text_takes_no_memory_of_this_process(self, make, found, monkeypatch):
        monkeypatch.setattr(separate_process, "parse", None)
        monkeypatch.setattr(csv_file, "read_csv", None)
        before = pa.total_allocated_bytes()
        assert found in refusal(make()).value
        assert pa.total_allocated_bytes() - before < 1_000_000

    def test_a_large_text_is_read_as_a_small_one_is(self, monkeypatch):
        data = text(lines(amount=list(map(SPELLINGS["dollars before"], AMOUNTS)))).encode()
        small = own_table.read(data)
        monkeypatch.setattr(own_table, "_SMALL", 0)
        large = own_table.read(data)
        assert (large.head, large.notes, list(large.columns)) == (
            small.head,
            small.notes,
            list(small.columns),
        )
        for name in small.columns:
            assert large.texts(name).tolist() == small.texts(name).tolist()
        broken = text(lines()) + "1;2;3;4\n"
        assert "Line 242 has 4 fields" in refusal(broken).value

    def test_a_process_at_its_limit_is_a_refusal(self, monkeypatch):
        monkeypatch.setattr(own_table, "_SMALL", 0)
        monkeypatch.setattr(separate_process, "_MOST_SECONDS", 0.0)
        assert isinstance(refusal(text(lines())), check.RefusedError)


def test_normalised_text_is_found_by_what_is_typed():
    """The file has decomposed letters, and the keyboard composed ones."""
    cells = [
        unicodedata.normalize(("NFC", "NFD")[row % 2], ("café", "thé")[row % 3 // 2])
        for row in range(ROWS)
    ]
    found = table(plan=cells)
    assert (value_indices(found, "plan", ("café", "thé")) >= 0).all()
