"""Files of another format, of another encoding, or with lines that are no rows."""

import io
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from dpcore import check
from lab.uploads import csv_file, separate_process
from lab.uploads import table as own_table
from tests.hostile_parquet import parquet_of
from tests.uploaded_tables import AGES, AMOUNTS, LEFT, ROWS, lines, refusal, table, text


def zipped(*names: str) -> bytes:
    """Return a zip archive with files of these names."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, "x" * 900)
    return data.getvalue()


class TestFormats:
    @pytest.mark.parametrize(
        ("data", "format_name"),
        [
            pytest.param(
                zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook", id="Excel"
            ),
            pytest.param(
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
                "an Excel workbook",
                id="old Excel",
            ),
            pytest.param(zipped("content.xml", "styles.xml"), "a zip archive", id="LibreOffice"),
            pytest.param(zipped("table.csv"), "a zip archive", id="zip"),
            pytest.param(b"PK\x05\x06" + bytes(18), "a zip archive", id="an empty zip archive"),
            pytest.param(b"\x1f\x8b\x08", "a compressed file", id="gzip"),
            pytest.param(b"BZh91AY", "a compressed file", id="bzip2"),
            pytest.param(b"\xfd7zXZ\x00", "a compressed file", id="xz"),
            pytest.param(b"Rar!\x1a\x07", "a compressed file", id="RAR"),
            pytest.param(b"7z\xbc\xaf\x27\x1c" + bytes(99), "a compressed file", id="7z"),
            pytest.param(b"\x28\xb5\x2f\xfd" + bytes(99), "a compressed file", id="zstd"),
            pytest.param(b"PARE" + bytes(9), "an encrypted Parquet file", id="encrypted Parquet"),
            pytest.param(b"%PDF-1.7", "a PDF", id="PDF"),
            pytest.param(
                b'{"age":{"0":76,"1":56},"left":{"0":0}}', "JSON", id="a frame of pandas as JSON"
            ),
            pytest.param(b'\n {"age": 1}\n{"age": 2}\n', "JSON", id="JSON by line"),
            pytest.param(b'\xef\xbb\xbf<?xml version="1.0"?><rows/>', "HTML or XML", id="XML"),
            pytest.param(b"<!-- a page -->", "HTML or XML", id="HTML"),
            pytest.param(b"| a | b |\n|---|---|\n", "a Markdown table", id="Markdown"),
        ],
    )
    def test_another_format_is_named_and_what_to_do_is_said(self, data, format_name):
        error = refusal(data)

        assert f"This is {format_name}" in error.value
        assert "CSV UTF-8" in error.allowed
        assert str(error) == f"{error.value} {error.allowed}"

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(b"$FL2@(#) SPSS DATA FILE" + bytes(99), id="SPSS"),
            pytest.param(b"\x72\x02\x01\x00" + bytes(99), id="Stata"),
            pytest.param(bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(99), id="SAS"),
            pytest.param(b"\x00\x01\xf2\x03\x04\x05\x06\x07DUCK" + bytes(99), id="DuckDB"),
            pytest.param(b"SQLite format 3\x00" + bytes(99), id="SQLite"),
            pytest.param(b"ARROW1\x00\x00" + bytes(99), id="Feather"),
            pytest.param(b"\x89HDF\r\n\x1a\n" + bytes(99), id="HDF5"),
            pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(99), id="PNG"),
            pytest.param("a,b\n1,2\n".encode("utf-32"), id="UTF-32"),
            pytest.param("a,b\n1,2\n".encode("utf-16-le"), id="UTF-16 without its mark"),
        ],
    )
    def test_a_file_that_is_no_text_is_refused(self, data):
        error = refusal(data)

        assert "no text in UTF-8" in error.value
        assert "CSV UTF-8" in error.allowed

    @pytest.mark.parametrize(
        "first_name",
        [
            *("A", "X", "ORC", "RDX", "animal,DUCK", "abcdefg,DUCK"),
            *("Obj", "PAR", "BZh", "MM", "%PD", "GIF"),
        ],
    )
    def test_a_table_may_begin_like_the_mark_of_another_format(self, first_name):
        rows = [[first_name, "b", "c"], ["2", "3", "4"], ["5", "6", "7"], ["8", "9", "1"]]

        assert own_table.read(text(rows).encode(), head=True).rows == 3

    @pytest.mark.parametrize(
        ("encoding", "word"),
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
    def test_an_encoding_that_is_not_read_is_not_taken_for_western_text(self, encoding, word):
        plans = [("plus", word)[row % 2] for row in range(ROWS)]

        error = refusal(text(lines(plan=plans)).encode(encoding))

        assert "no text in UTF-8" in error.value
        assert "CSV UTF-8" in error.allowed


class TestLinesWithoutAValue:
    """They are no rows."""

    NOTE = "Lines without a value were left out."

    @pytest.mark.parametrize(
        "blank",
        [
            pytest.param(["", "", ""], id="empty"),
            pytest.param([" ", "", "\t"], id="spaces"),
            pytest.param(['""', "", '""'], id="quotes"),
            pytest.param(["\u00a0", "", ""], id="a wide space"),
        ],
    )
    @pytest.mark.parametrize(
        "index",
        [
            pytest.param(1, id="first"),
            pytest.param(100, id="amid"),
            pytest.param(241, id="last"),
        ],
    )
    def test_a_blank_line_of_a_text_is_no_row(self, blank, index):
        rows = lines()
        rows[index:index] = [blank, blank, blank]

        found = own_table.read(text(rows).encode())

        assert found.rows == ROWS
        np.testing.assert_array_equal(found.numbers("age"), AGES)
        assert self.NOTE in found.notes

    def test_a_row_of_missing_values_in_parquet_is_no_row(self):
        columns = {
            "a": [*AGES, None, None],
            "b": [*AMOUNTS, None, float("nan")],
            "c": [*LEFT, None, ""],
        }

        found = own_table.read(parquet_of(columns))

        assert found.rows == ROWS
        assert self.NOTE in found.notes


class TestSumsAtTheEnd:
    @pytest.mark.parametrize(
        "last_line",
        [
            pytest.param(["Total", "", ""], id="English"),
            pytest.param(["", "Summe:", ""], id="German"),
            pytest.param(["ИТОГО", "1", ""], id="Russian"),
            pytest.param(["合計", "", ""], id="Japanese"),
            pytest.param(["Mean", f"{np.mean(AMOUNTS):.2f}", ""], id="mean"),
        ],
    )
    @pytest.mark.parametrize("blank_lines", [0, 3])
    def test_a_line_of_sums_is_named(self, last_line, blank_lines):
        blank = [["", "", ""]] * blank_lines

        error = refusal(text([*lines(), last_line, *blank]))

        assert "The last line holds sums" in error.value
        assert "Delete the last line" in error.allowed

    @pytest.mark.parametrize(
        "cells",
        [
            pytest.param(["0"] * (ROWS - 1) + ["1"], id="their sum by chance"),
            pytest.param(["partial", "total"] * (ROWS // 2), id="the word among others"),
            pytest.param([str(row) for row in range(ROWS)], id="rising"),
        ],
    )
    def test_an_ordinary_last_row_is_read(self, cells):
        assert table(amount=cells).rows == ROWS


class TestLinesThatAreNoRows:
    def test_a_table_separated_by_spaces_is_refused_as_one_column(self):
        error = refusal(text(lines(), " "))

        assert "This table has fewer than 2 columns." in error.value
        assert "separated by one of" in error.allowed

    def test_a_title_of_one_field_makes_a_table_of_one_column(self):
        error = refusal("Customers 2026\n\n" + text(lines()))

        assert "This table has fewer than 2 columns." in error.value
        assert "title" in error.allowed

    def test_a_title_of_a_spreadsheet_is_named_with_its_line(self):
        error = refusal("Customers 2026;;\n;;\n" + text(lines()))

        assert "line 1, above the names" in error.value
        assert "Delete line" in error.allowed

    def test_a_note_below_the_table_is_refused_with_its_line(self):
        error = refusal(text(lines()) + "Source: made up\n")

        assert "Line 242 has 1 field, where the first line has 3." in error.value
        assert "notes below the table" in error.allowed


class TestSeparateProcess:
    """Large text is read by a process of its own."""

    @pytest.fixture
    def without_small_files(self, monkeypatch):
        """Makes every file a large one."""
        monkeypatch.setattr(own_table, "_SMALL", 0)

    @pytest.mark.parametrize(
        ("make", "problem"),
        [
            pytest.param(lambda: b"\n" * 30_000_000, "is empty", id="line feeds"),
            pytest.param(lambda: b" " * 30_000_000, "is empty", id="spaces"),
            pytest.param(lambda: b"|" * 30_000_000, "A line of this file is too long", id="bars"),
            pytest.param(
                lambda: b"sep=,\n" * 5_000_000,
                "more than 1,000,000 rows",
                id="separators declared",
            ),
            pytest.param(lambda: b'"' * 30_000_001, "A line of this file is too long", id="quotes"),
            pytest.param(lambda: b",\n" * 15_000_000, "more than 1,000,000 rows", id="blank lines"),
        ],
    )
    def test_a_large_text_takes_no_memory_of_this_process(self, make, problem, monkeypatch):
        monkeypatch.setattr(separate_process, "parse", None)
        monkeypatch.setattr(csv_file, "read_csv", None)
        before = pa.total_allocated_bytes()

        error = refusal(make())

        assert problem in error.value
        assert pa.total_allocated_bytes() - before < 1_000_000

    def test_a_large_text_is_read_as_a_small_one_is(self, monkeypatch):
        data = text(lines(amount=[f"${amount:,.2f}" for amount in AMOUNTS])).encode()
        small = own_table.read(data)
        monkeypatch.setattr(own_table, "_SMALL", 0)

        large = own_table.read(data)

        assert large.head == small.head
        assert large.notes == small.notes
        assert list(large.columns) == list(small.columns)
        for name in small.columns:
            assert large.texts(name).tolist() == small.texts(name).tolist()

    def test_a_broken_line_of_a_large_text_is_named(self, without_small_files):
        broken = text(lines()) + "1;2;3;4\n"

        assert "Line 242 has 4 fields" in refusal(broken).value

    def test_a_process_at_its_limit_is_a_refusal(self, without_small_files, monkeypatch):
        monkeypatch.setattr(separate_process, "_MOST_SECONDS", 0.0)

        assert isinstance(refusal(text(lines())), check.RefusedError)
