"""A file of rows: read exactly, or refused in words of ours; what is guessed of it; and the files
to try.
"""

import csv
import io
import logging
import random
import re
import tomllib
import traceback
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpcore import check
from lab.uploads import column_types, limits, parquet_file, separate_process
from lab.uploads import table as own_table
from scripts import make_samples
from tests.hostile_files import CANARY, USUAL, parquet_of, people, tables, written
from ui.uploads.samples import FOLDER, SAMPLES, TEMPLATE

FILES = tables()
ROOT = Path(__file__).parents[3]


def refusal(data: bytes) -> check.RefusedError:
    with pytest.raises(check.RefusedError) as refused:
        own_table.read(data)
    return refused.value


def told(error: BaseException) -> str:
    """All that a log could have of an error, and of what it came from."""
    chain = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    return chain + (told(error.__context__) if error.__context__ else "")


class TestFiles:
    @pytest.mark.parametrize("name", FILES)
    def test_is_read_cell_by_cell_or_refused_and_no_cell_is_told(self, name, caplog, capfd):
        caplog.set_level(logging.DEBUG)
        file = FILES[name]
        if file.refused:
            error = refusal(file.make())
            assert error.name == "file"
            assert file.refused in str(error)
            assert "arrow" not in str(error).lower()
            said = [told(error)]
        else:
            table = own_table.read(file.make())
            assert {one: table.texts(one).tolist() for one in table.columns} == file.columns
            assert table.head is file.head
            assert table.rows == len(next(iter(file.columns.values())))
            said = [
                repr(table),
                *table.notes,
                *(table.kind(column).reason for column in table.columns),
            ]
            for column in table.columns:
                try:
                    table.numbers(column)
                except check.RefusedError as error:
                    said.append(told(error))
        assert CANARY not in "".join([*said, *capfd.readouterr(), caplog.text])

    def test_what_was_guessed_is_said(self):
        said = [
            ("Windows-1252", "Windows-1252"),
            ("no names", "looks like a row"),
            ("names or words", "unclear"),
            ("names twice and missing", "were named by number"),
        ]
        for name, note in said:
            assert any(note in one for one in own_table.read(FILES[name].make()).notes)

    def test_letters_of_windows_1252_are_no_east_asian_text(self):
        draw = random.Random(8)
        words = [
            "Ärger",
            "Øl",
            "ÅÄÖ",
            "AÇÃO",
            "Þórður",
            "créée",
            "été",
            "où",
            "ñandú",
            "Ünï",
            "5€",
            "½",
            "“so”",
            "–",
        ]
        for _ in range(200):
            cells = [
                " ".join(draw.choices(draw.sample(words, 3), k=draw.randint(1, 3)))
                for _ in range(20)
            ]
            table = own_table.read(
                written({"größe": cells, "b": ["some plain words"] * 20}).encode("cp1252")
            )
            assert table.texts("größe").tolist() == cells
            assert any("Windows-1252" in note for note in table.notes)

    def test_who_knows_says_whether_there_are_names(self):
        data = FILES["names or words"].make()
        named, unnamed = (own_table.read(data, head=head) for head in (True, False))
        assert (named.rows, list(named.columns), named.notes) == (40, ["one", "two"], ())
        assert (unnamed.rows, list(unnamed.columns), unnamed.notes) == (
            41,
            ["column 1", "column 2"],
            (),
        )
        assert unnamed.texts("column 1")[0] == "one"


def test_lines_are_read_as_the_standard_library_reads_them():
    """Cells of quotes, separators and line ends in all their mixtures: the same cells, or
    refused.
    """
    draw, same, refused = random.Random(5), 0, 0

    def cell() -> str:
        letters = "".join(draw.choices('ab" \n\r,x"', k=draw.randint(0, 4)))
        if draw.random() < 0.5:
            return '"' + letters.replace('"', '""') + '"'
        return re.sub('[\r\n",]', "", letters) if draw.random() < 0.8 else letters

    for _ in range(3000):
        fields, end = draw.choice([2, 2, 3]), draw.choice(["\n", "\r\n", "\r", "\n\n"])
        text = end.join(",".join(cell() for _ in range(fields)) for _ in range(draw.randint(3, 6)))
        try:
            table = own_table.read(text.encode(), head=False)
        except check.RefusedError:
            refused += 1
            continue
        rows = [
            row
            for row in csv.reader(io.StringIO(text, newline=""), strict=True)
            if "".join(row).strip()
        ]
        assert [list(row) for row in zip(*map(table.texts, table.columns), strict=True)] == rows, (
            text
        )
        same += 1
    assert min(same, refused) > 500


class TestParquet:
    def test_what_is_spoilt_is_read_or_refused(self):
        """With a few bytes changed, anywhere: in the ways that are foreseen, and no cell is
        told.
        """
        good, draw, failed, refused = parquet_of(USUAL, compression="zstd"), random.Random(7), 0, []
        for trial in range(800):
            data = bytearray(good)
            for _ in range(draw.randint(1, 4)):
                data[draw.randrange(4, len(data))] = draw.randrange(256)
            try:
                parquet_file.unpacked(bytes(data), 10**6)
            except (pa.ArrowException, OSError, ValueError):
                failed += 1
            if trial < 25:
                try:
                    own_table.read(bytes(data))
                except check.RefusedError as error:
                    refused.append(told(error))
        assert failed > 300
        assert len(refused) > 10
        assert CANARY not in "".join(refused)

    def test_a_file_that_lies_about_its_size_is_found_out_elsewhere(self):
        """Half a gigabyte in 90 kB, said to be 134 MB: what reads it is another process, which is
        stopped.
        """
        texts = pa.array([f"{n}" + "x" * 50_000 for n in range(10_000)])
        columns = {"a": texts, "b": np.zeros(10_000, np.int8)}
        data = parquet_of(columns, compression="zstd", use_dictionary=False)
        about = parquet.read_metadata(io.BytesIO(data)).row_group(0)
        for size in {about.total_byte_size, about.column(0).total_uncompressed_size}:
            data = data.replace(varint(2 * size), varint(1 << 28))
        assert (
            parquet.read_metadata(io.BytesIO(data)).row_group(0).total_byte_size
            < limits.MOST_UNPACKED
        )
        before = pa.total_allocated_bytes()
        assert "once it is unpacked" in refusal(data).value
        assert pa.total_allocated_bytes() - before < 10**6

    def test_a_reader_that_is_ended_is_a_refusal(self, monkeypatch):
        monkeypatch.setattr(separate_process, "__name__", "lab.uploads.no_such_module")
        assert refusal(parquet_of(USUAL)).name == "file"


def varint(number: int) -> bytes:
    """A number as Parquet's footer has it, seven bits a byte."""
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def column(cells: list[str], *, beside: str = "x") -> own_table.Table:
    """A table of these cells, and of as many others."""
    return own_table.read(
        written({"a": [f'"{cell}"' for cell in cells], "b": [f'"{beside}"'] * len(cells)}).encode()
    )


class TestNumbers:
    @pytest.mark.parametrize(
        ("cells", "decimal", "numbers"),
        [
            (
                ["0.3", "-1", "−3.5", "+2.50", "1e3", ".5", "4.", " 5 "],
                ".",
                [0.3, -1, -3.5, 2.5, 1000, 0.5, 4, 5],
            ),
            (["1.234,5", "12", "1.234", "1,5E2"], ",", [1234.5, 12, 1234, 150]),
            (["1,234.5", "12", "1,234", "1,234,567"], ".", [1234.5, 12, 1234, 1234567]),
            (["1 234,5", "12 345,25", "1’234"], ",", [1234.5, 12345.25, 1234]),
            (["3", "NA", "", "n/a", "inf", "nan", "1e999"], ".", [3] + [np.nan] * 6),
            (["0,5", "1,5", "0.5", "12,34.5", "1,2,3"], ",", [0.5, 1.5] + [np.nan] * 3),
            (
                ["0.5", "1.5", "0,5", "1_000", "0x10", "1,23", "5 kg", "~5"],
                ".",
                [0.5, 1.5] + [np.nan] * 6,
            ),
        ],
        ids=str,
    )
    def test_a_column_is_read_in_one_way(self, cells, decimal, numbers):
        table = column(cells)
        assert table.decimal("a") == decimal
        np.testing.assert_array_equal(table.numbers("a"), numbers)

    def test_what_can_be_read_in_two_ways_is_asked(self):
        table = column(["1,234", "5,678", "3"], beside="0,5")
        assert table.decimal("a") == ""
        with pytest.raises(check.RefusedError, match="decimal is 'unclear'"):
            table.numbers("a")
        for decimal, numbers in ((".", [1234, 5678, 3]), (",", [1.234, 5.678, 3])):
            np.testing.assert_array_equal(table.numbers("a", decimal=decimal), numbers)

    def test_floats_and_numbers_of_parquet_come_back_to_the_last_bit(self):
        values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.random.default_rng(
            1
        ).integers(-300, 300, 500)
        binary = parquet_of({"a": values, "b": np.zeros(500, np.float32)})
        for table in (column(list(map(repr, values.tolist()))), own_table.read(binary)):
            np.testing.assert_array_equal(table.numbers("a"), values)
        table = own_table.read(FILES["Parquet of all kinds"].make())
        np.testing.assert_array_equal(table.numbers("whole"), [1, np.nan, -3])
        np.testing.assert_array_equal(table.numbers("yes"), [1, 0, np.nan])
        np.testing.assert_array_equal(table.numbers("money"), [12.3, np.nan, -0.05])
        assert np.isnan([table.numbers("day"), table.numbers("nothing")]).all()


class TestKinds:
    @pytest.mark.parametrize(
        ("name", "make", "kind"),
        [
            ("age", lambda n: 18 + n * 7 % 60, "number"),
            ("churned", lambda n: n % 2, "number"),
            ("plan", lambda n: ("basic", "plus", "pro")[n % 3], "category"),
            ("yes", lambda n: n % 2 == 0, "category"),
            ("code", lambda n: f"AB-{n * 7919 % 100_000}", "other"),
            ("visit", lambda n: f"C{n // 3:04}", "other"),
            ("day", lambda n: f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}", "other"),
            ("moment", lambda n: f"2024-05-{n % 28 + 1:02}T10:{n % 60:02}:00Z", "other"),
            ("german", lambda n: f"{n % 28 + 1}.{n % 12 + 1}.2024", "other"),
            ("mail", lambda n: f"p{n}@example.org", "other"),
            ("note", lambda n: f"the {n} th note of many words", "other"),
        ],
    )
    def test_a_column_is_taken_for_what_it_is(self, name, make, kind):
        cells = [str(make(n)) for n in range(300)]
        found = own_table.read(
            written({name: [f'"{cell}"' for cell in cells], "b": ["1"] * 300}).encode()
        ).kind(name)
        assert found.kind == kind
        assert bool(found.reason) == (kind not in ("number", "category"))

    def test_so_many_cells_are_looked_at_and_so_much_of_each(self):
        rows = own_table.read(("a,b\n" + "1,2\n" * 100_000).encode())
        assert len(column_types.sample_cells(rows.columns["a"])) == column_types.SAMPLE_SIZE
        table = column(["a@" + "." * 100_000 + "@"] * 30)
        assert {len(cell) for cell in column_types.sample_cells(table.columns["a"])} == {100}


class TestRoom:
    def test_files_that_do_not_fit_together_wait(self, monkeypatch):
        data = written(people(300)).encode()
        first = own_table.read(data)
        monkeypatch.setattr(
            own_table,
            "MOST_TOGETHER",
            sum(table.size for table in own_table._open_tables) + len(data) // 2,
        )
        assert "fill what this server keeps" in refusal(data).value
        first.clear()
        assert own_table.read(data).rows == 300

    def test_the_server_takes_as_much_as_the_reader(self):
        server = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["server"]
        assert server["maxUploadSize"] * 10**6 == own_table.MOST_BYTES

    def test_a_large_file_takes_its_rows_and_little_more(self):
        rng = np.random.default_rng(0)
        cells = np.char.mod("%.2f", rng.random((100_000, 10)) * 1000)
        data = ("\n".join(map(",".join, [[f"c{n}" for n in range(10)], *cells.tolist()]))).encode()
        assert own_table.read(data).size <= 2 * len(data)


NOTES = (FOLDER / "README.md").read_text("utf-8").partition("## Files to try")[2]
SECTIONS = dict(
    zip(*[iter(re.split(r"^### (\w+\.csv)$", NOTES, flags=re.MULTILINE)[1:])] * 2, strict=True)
)


def test_the_recipe_makes_the_bytes_of_the_files_to_try_and_of_the_template():
    made = make_samples.made()
    assert (
        set(made)
        == {path.name for path in FOLDER.glob("*.csv")} - {"deployments.csv"}
        == set(SECTIONS)
    )
    assert [name for name, data in made.items() if (FOLDER / name).read_bytes() != data] == []
    assert max(map(len, made.values())) < 400_000
    rows = own_table.read(TEMPLATE.read_bytes())
    assert (rows.head, rows.rows) == (True, 8)
    kinds = [rows.kind(name).kind for name in ("visits_a_month", "plan", "renewed", "person")]
    assert kinds[:3] == ["number", "category", "category"]
    assert rows.kind("about_this_line").reason


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_a_file_to_try_holds_what_its_page_and_its_notes_declare(sample):
    rows, notes = own_table.read(sample.data), " ".join(SECTIONS[sample.file].split())
    assert {*rows.columns} == {*(one.name for one in sample.columns), *sample.aside, sample.answer}
    assert (rows.head, rows.notes) == (True, ())
    assert f"{rows.rows:,} " in notes
    for one in filter(None, (*sample.columns, sample.target)):
        if one.kind == "number":
            values = rows.numbers(one.name)
            assert one.low <= np.nanmin(values) <= np.nanmax(values) <= one.high
            assert np.isnan(values).mean() < 0.1
            assert (rows.decimal(one.name), rows.kind(one.name).kind) == (".", "number")
            assert f"| {one.name} | {one.low:g} | {one.high:g} |" in notes
        else:
            assert rows.kind(one.name) == ("category", "")
            declared = re.search(rf"`{one.name}` is ([^;.]+)", notes)[1].partition(", as ")[0]
            assert (
                {*rows.texts(one.name)} - {""} == {*one.values} == {*re.split(", | or ", declared)}
            )
    assert bool(sample.classes) == (sample.target is None)
    assert len({*rows.texts(sample.aside[-1])}) == rows.rows
    assert sum((rows.texts(one) == "").sum() for one in rows.columns) > 50
