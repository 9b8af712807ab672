"""A file of rows is read exactly, or refused in words of ours, and takes little memory."""

import csv
import io
import logging
import random
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore import check
from lab.uploads import limits, parquet_file, separate_process
from lab.uploads import table as own_table
from tests.hostile_files import (
    CANARY,
    READ_TEXTS,
    REFUSED_TEXTS,
    USUAL,
    columns_of_people,
    csv_text,
)
from tests.hostile_parquet import READ_PARQUETS, REFUSED_PARQUETS, parquet_of
from tests.uploaded_tables import all_words_of, refusal

ROOT = Path(__file__).parents[3]
READ = {**READ_TEXTS, **READ_PARQUETS}
REFUSED = {**REFUSED_TEXTS, **REFUSED_PARQUETS}


@cache
def table_of_file(name: str) -> own_table.Table:
    """Return the table of the file of this name in ``READ``."""
    return own_table.read(READ[name].data())


@pytest.mark.parametrize("name", READ)
class TestReadFiles:
    def test_every_cell_is_read_as_it_stands(self, name):
        file = READ[name]

        table = table_of_file(name)

        assert {name: table.texts(name).tolist() for name in table.columns} == file.columns
        first_column, *_ = file.columns.values()
        assert table.rows == len(first_column)

    def test_names_in_the_first_line_are_found(self, name):
        assert table_of_file(name).head is READ[name].has_names

    def test_no_message_repeats_a_cell(self, name, caplog, capfd):
        caplog.set_level(logging.DEBUG)

        table = own_table.read(READ[name].data())

        words = [repr(table), *table.notes]
        for column in table.columns:
            words.append(table.kind(column).reason)
            try:
                table.numbers(column)
            except check.RefusedError as error:
                words.append(all_words_of(error))
        assert CANARY not in "".join([*words, *capfd.readouterr(), caplog.text])


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_for_its_reason_and_no_message_repeats_a_cell(name, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    file = REFUSED[name]

    error = refusal(file.data())

    assert error.name == "file"
    assert file.reason in str(error)
    assert "arrow" not in str(error).lower()
    assert CANARY not in "".join([all_words_of(error), *capfd.readouterr(), caplog.text])


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("Windows-1252", "Windows-1252"),
        ("no names", "looks like a row"),
        ("names or words", "unclear"),
        ("names twice and missing", "were named by number"),
    ],
)
def test_a_note_says_what_was_guessed(name, note):
    notes = table_of_file(name).notes

    assert note in " ".join(notes)


class TestNamesThatAreUnclear:
    """A file of 40 rows, or of 41 if its first line has no names."""

    DATA = READ["names or words"].data()

    def test_a_person_may_say_that_there_are_names(self):
        table = own_table.read(self.DATA, head=True)

        assert table.rows == 40
        assert list(table.columns) == ["one", "two"]
        assert table.notes == ()

    def test_a_person_may_say_that_there_are_none(self):
        table = own_table.read(self.DATA, head=False)

        first_cell, *_ = table.texts("column 1")
        assert table.rows == 41
        assert list(table.columns) == ["column 1", "column 2"]
        assert table.notes == ()
        assert first_cell == "one"


WESTERN_WORDS = [
    *("Ärger", "Øl", "ÅÄÖ", "AÇÃO", "Þórður", "créée", "été", "où", "ñandú", "Ünï"),
    *("5€", "½", "“so”", "–"),
]


def test_letters_of_windows_1252_are_no_east_asian_text():
    draw = random.Random(8)
    for _ in range(200):
        cells = []
        for _ in range(20):
            few_words = draw.sample(WESTERN_WORDS, 3)
            cells.append(" ".join(draw.choices(few_words, k=draw.randint(1, 3))))
        columns = {"größe": cells, "b": ["some plain words"] * 20}

        table = own_table.read(csv_text(columns).encode("cp1252"))

        assert table.texts("größe").tolist() == cells
        assert any("Windows-1252" in note for note in table.notes)


def random_cell(draw: random.Random) -> str:
    """Return quotes, separators and line ends in a mixture, which may be no correct cell."""
    letters = "".join(draw.choices('ab" \n\r,x"', k=draw.randint(0, 4)))
    if draw.random() < 0.5:
        return '"' + letters.replace('"', '""') + '"'
    if draw.random() < 0.8:
        return re.sub('[\r\n",]', "", letters)
    return letters


def random_csv(draw: random.Random) -> str:
    """Return a few lines of random cells, with one kind of line end."""
    fields = draw.choice([2, 2, 3])
    line_end = draw.choice(["\n", "\r\n", "\r", "\n\n"])
    lines = []
    for _ in range(draw.randint(3, 6)):
        lines.append(",".join(random_cell(draw) for _ in range(fields)))
    return line_end.join(lines)


def rows_by_the_standard_library(text: str) -> list[list[str]]:
    """Return the rows with a value."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    return [row for row in rows if "".join(row).strip()]


def test_lines_are_read_as_the_standard_library_reads_them_or_refused():
    draw = random.Random(5)
    refused = 0
    read = 0
    for _ in range(3000):
        text = random_csv(draw)
        try:
            table = own_table.read(text.encode(), head=False)
        except check.RefusedError:
            refused += 1
            continue
        read += 1

        columns = [table.texts(name).tolist() for name in table.columns]
        rows = [list(row) for row in zip(*columns, strict=True)]
        assert rows == rows_by_the_standard_library(text), text

    assert read > 500
    assert refused > 500


def varint(number: int) -> bytes:
    """Return a number as Parquet's footer has it, seven bits a byte, the lowest first."""
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


class TestParquet:
    @staticmethod
    def spoilt_files(count: int) -> list[bytes]:
        """Return files in which one to four bytes are changed, anywhere after the mark."""
        intact = parquet_of(USUAL, compression="zstd")
        draw = random.Random(7)
        files = []
        for _ in range(count):
            data = bytearray(intact)
            for _ in range(draw.randint(1, 4)):
                data[draw.randrange(4, len(data))] = draw.randrange(256)
            files.append(bytes(data))
        return files

    def test_what_is_spoilt_is_read_or_fails_as_is_foreseen(self):
        failed = 0
        for data in self.spoilt_files(800):
            try:
                parquet_file.unpacked(data, 10**6)
            except (pa.ArrowException, OSError, ValueError):
                failed += 1

        assert failed > 300

    def test_what_is_spoilt_is_refused_and_no_message_repeats_a_cell(self):
        messages = []
        for data in self.spoilt_files(25):
            try:
                own_table.read(data)
            except check.RefusedError as error:
                messages.append(all_words_of(error))

        assert len(messages) > 10
        assert CANARY not in "".join(messages)

    def test_a_file_that_lies_about_its_size_is_found_out_elsewhere(self):
        """Half a gigabyte in 90 kB, said to be 134 MB, is read by a process that is stopped."""
        texts = pa.array([f"{row}" + "x" * 50_000 for row in range(10_000)])
        columns = {"a": texts, "b": np.zeros(10_000, np.int8)}
        data = parquet_of(columns, compression="zstd", use_dictionary=False)
        group = parquet.read_metadata(io.BytesIO(data)).row_group(0)
        # The footer has twice the number, for its sign.
        claimed = varint(2 * (1 << 27))
        for size in {group.total_byte_size, group.column(0).total_uncompressed_size}:
            data = data.replace(varint(2 * size), claimed)
        claimed_group = parquet.read_metadata(io.BytesIO(data)).row_group(0)
        assert claimed_group.total_byte_size < limits.MOST_UNPACKED
        before = pa.total_allocated_bytes()

        error = refusal(data)

        assert "once it is unpacked" in error.value
        assert pa.total_allocated_bytes() - before < 10**6

    def test_a_reader_that_is_ended_is_a_refusal(self, monkeypatch):
        monkeypatch.setattr(separate_process, "__name__", "lab.uploads.no_such_module")

        assert refusal(parquet_of(USUAL)).name == "file"


class TestMemory:
    @pytest.fixture
    def room_for_half_of(self, monkeypatch):
        """Leaves room for half of some data beside the tables that are open."""

        def limit(data: bytes) -> None:
            """Set the limit of all open tables to what is taken plus half of this data."""
            taken = sum(table.size for table in own_table._open_tables)
            monkeypatch.setattr(own_table, "MOST_TOGETHER", taken + len(data) // 2)

        return limit

    def test_a_file_that_does_not_fit_beside_others_has_to_wait(self, room_for_half_of):
        data = csv_text(columns_of_people(300)).encode()
        first = own_table.read(data)
        room_for_half_of(data)

        assert "fill what this server keeps" in refusal(data).value
        first.clear()
        assert own_table.read(data).rows == 300

    def test_the_server_takes_as_much_as_the_reader(self):
        config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))

        megabytes = config["server"]["maxUploadSize"]

        assert megabytes * 10**6 == own_table.MOST_BYTES

    def test_a_large_file_takes_at_most_twice_its_size(self):
        numbers = np.random.default_rng(0).random((100_000, 10)) * 1000
        columns = {}
        for index, column in enumerate(np.char.mod("%.2f", numbers).T):
            columns[f"c{index}"] = column.tolist()
        data = csv_text(columns).encode()

        assert own_table.read(data).size <= 2 * len(data)
