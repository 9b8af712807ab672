"""Read an uploaded file into memory, or refuse it.

A refusal says what was found and where, in the lab's own words, because a parser's message would quote rows.
``Table.notes`` list guesses made while reading. They contain no cell either.
"""

import csv
import io
import os
import re
import subprocess
import sys
import weakref
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dpcore import check
from lab.files import column_types, decoding, unpack
from lab.files.column_types import Kind

MOST_BYTES, MOST_ROWS, MOST_COLUMNS = 100_000_000, 1_000_000, 200
# The C library's allocator, whose free memory the server returns to the system; pyarrow's own kept 18 MB.
pa.set_memory_pool(pa.system_memory_pool())
# Bounds on the memory of a Parquet file's rows, and of all open files together.
MOST_UNPACKED, MOST_TOGETHER = 200_000_000, 500_000_000
HEAD_ASKED = "Does the first line hold the names of the columns, or is it a row?"
_UNCLEAR = "Whether the first line holds names or a row is unclear; it was read as names."
_HEADLESS = "The first line looks like a row, so the columns go by their numbers."
_BLOCK, _LONGEST_NAME, _SAMPLE, _PIECE = 1 << 22, 80, 200_000, 1 << 20
_FOREIGN = {
    rb"PK\x03\x04": "the beginning of a zip archive or of an Excel workbook",
    rb"\xd0\xcf\x11\xe0": "the beginning of an old Excel workbook",
    rb"\x1f\x8b": "the beginning of a gzip archive",
    rb"%PDF": "the beginning of a PDF",
    rb"(\xef\xbb\xbf)?\s*(\[\s*[\[{]|\{\s*[\"}])": "the beginning of JSON",
    rb"(?i)(\xef\xbb\xbf)?\s*+(?>%[^\r\n]*+\s*+)*+@relation\b": "the beginning of an ARFF file (of Weka)",
    rb"(\xef\xbb\xbf)?\s*\|[^\r\n]*\|[ \t]*(\r\n|\r|\n)\|[-:| \t]+\|\s": "the beginning of a Markdown table",
    rb"(?i)(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml|table)\b": "the beginning of HTML or XML",
}
_SEPARATORS = (b"\t", b";", b"|", b",")
_COMMENTS = ("#", "%", "//")
_QUOTED = re.compile(rb'(?:(?<=[,;\t|\r\n])|\A)"[^"]*(?:""[^"]*)*(?:"|\Z)')
# Control characters, direction marks and byte order marks.
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_OUT_OF_RANGE = "<value out of range"  # how Arrow prints a day beyond its calendar
_TABLE = "a table in CSV or Parquet"


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A file that was read: column name -> values (n,), as text or, in a Parquet file, as numbers.

    size: bytes in memory. head: whether the first line held names; None if that is unclear and HEAD_ASKED must be asked
    (then read again with the answer). notes: sentences on guesses. compared: all settings, of any page, whose results
    on these rows somebody has compared. opened: the pages whose questions somebody lets read these rows. twins: made-up
    rows of the declared shape, by what is declared (``made_up``). The repr contains no row, as it may get into a log.
    """

    size: int
    columns: dict[str, pa.ChunkedArray] = field(repr=False)
    head: bool | None = True
    notes: tuple[str, ...] = ()
    compared: set[Any] = field(default_factory=set, repr=False)
    opened: set[str] = field(default_factory=set, repr=False)
    twins: dict[Any, Any] = field(default_factory=dict, repr=False)
    _kept: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def texts(self, name: str) -> np.ndarray:
        """Return a column (n,) as text, "" for missing cells."""
        return np.array(pc.fill_null(self.columns[name].cast(pa.string()), "").to_pylist(), dtype=object)

    def numbers(self, name: str, *, decimal: str = "") -> np.ndarray:
        """Return a column (n,) as float64, NaN for unreadable cells, with ``decimal`` "." or "," or inferred.

        Raises RefusedError if the separator is ambiguous.
        """
        decimal = decimal or self.decimal(name)
        if not decimal:
            raise check.RefusedError("decimal", "unclear", '"." or ",": 1,234 may be a thousand or one')
        return column_types.numbers(self.columns[name], decimal)

    def decimal(self, name: str) -> str:
        """Return the decimal separator of a column, "." or ",", or "" if 1,234 is ambiguous and a person must decide.

        The majority of 2,000 cells decides, or that of all columns if they tie; never the label.
        """
        found = self._judged(name, column_types.commas) or sum(
            self._judged(one, column_types.commas) for one in self.columns
        )
        if found:
            return "," if found > 0 else "."
        return "" if self._judged(name, column_types.two_ways) == "," else "."

    def kind(self, name: str) -> Kind:
        """Return the inferred type of a column, from 2,000 of its cells."""
        return column_types.guessed(name, column_types.judged(self.columns[name]))

    def _judged(self, name: str, judge: Any) -> Any:
        key = (judge.__name__, name)
        if key not in self._kept:
            self._kept[key] = judge(column_types.judged(self.columns[name]))
        return self._kept[key]

    def clear(self) -> None:
        """Release all rows now, even if the table is still referenced."""
        self.columns.clear()
        self.compared.clear()
        self.opened.clear()
        for _, made_up in self.twins.values():
            made_up.clear()
        self.twins.clear()
        self._kept.clear()
        _tables.discard(self)
        pa.default_memory_pool().release_unused()


_tables: weakref.WeakSet[Table] = weakref.WeakSet()


def read(file: bytes | BinaryIO, *, head: bool | None = None) -> Table:
    """Read CSV (separated by comma, semicolon, tab or bar) or Parquet; raise RefusedError with a readable reason.

    head: whether the first line holds names; None decides by the lines below. The caller must keep a reference.
    """
    data = file if isinstance(file, bytes) else file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise check.RefusedError("file", f"more than {MOST_BYTES / 1e6:.0f} MB", f"at most {MOST_BYTES / 1e6:.0f} MB")
    _check_room(len(data))
    for beginning, found in _FOREIGN.items():
        if re.match(beginning, data):
            raise _refused(found, _TABLE)
    notes: list[str] = []
    if data.startswith(b"PAR1"):
        head = True
        names, columns = _parquet(data)
    else:
        text, western = decoding.utf8(data)
        notes += ["It is no UTF-8, so it was read as Western European letters (Windows-1252)."] * western
        columns = _lines(text)
        names = [str(column[0]) for column in columns]
        if head is None:
            head = column_types.has_head(names, [column[1:] for column in columns])
            notes += [_UNCLEAR] * (head is None) + [_HEADLESS] * (head is False)
        names = [""] * len(names) if head is False else names
        columns = columns if head is False else [column[1:] for column in columns]
    _check_size(len(columns[0]) if columns else 0, len(columns))
    names, changed = _unique(names)
    size = sum(column.nbytes for column in columns)
    _check_room(size)
    notes += changed * (head is not False)
    table = Table(size=size, columns=dict(zip(names, columns, strict=True)), head=head, notes=tuple(notes))
    _tables.add(table)
    pa.default_memory_pool().release_unused()  # memory used by the reader
    return table


def _refused(found: str, allowed: str) -> check.RefusedError:
    return check.RefusedError("file", found, allowed)


def _check_room(size: int) -> None:
    if sum(table.size for table in list(_tables)) + size > MOST_TOGETHER:
        raise _refused("too much for now", "brought later: the files in use fill what this server keeps")


def _check_size(rows: int, columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise _refused(f"more than {MOST_COLUMNS} columns", f"at most {MOST_COLUMNS} columns")
    if columns < 2:
        raise _refused(f"{columns or 'no'} column{'s' * (not columns)}", "2 or more, separated by one of , ; | or tab")
    if rows > MOST_ROWS:
        raise _refused(f"more than {MOST_ROWS:,} rows", f"at most {MOST_ROWS:,} rows")
    if rows < 2:
        raise _refused(f"{rows or 'no'} row{'s' * (not rows)}", "at least 2 rows under its names")


def _separator(text: bytes, above: int) -> str:
    """Return the separator that occurs equally often in each of the first lines, else that of most names.

    Quoted fields are ignored. A comma that always stands between digits is a decimal comma if another separator
    qualifies. Raises RefusedError for a tie.
    """
    sample = _QUOTED.sub(b"", text[:_SAMPLE])
    lines = [line for line in re.split(rb"[\r\n]+", sample) if line] or [b""]
    lines = lines[: -1 if len(text) > _SAMPLE and len(lines) > 1 else None]
    even = [one for one in _SEPARATORS if lines[0].count(one) and len({line.count(one) for line in lines}) == 1]
    if len(even) > 1 and sample.count(b",") == len(re.findall(rb"(?<=[0-9]),(?=[0-9])", sample)):
        even = [one for one in even if one != b","]
    best, *others = sorted(even or _SEPARATORS, key=lines[0].count, reverse=True)
    if others and lines[0].count(best) == lines[0].count(others[0]) > 0:
        _check_above(text, above)
        raise _refused("a first line with two separators", "separated by one of , ; | or tab")
    return best.decode()


def _lines(text: bytes) -> list[pa.ChunkedArray]:
    """Return the columns of a CSV file as text, including the first line."""
    if not text.strip():
        raise _refused("no columns: nothing but spaces and line ends" if text else "no columns: it is empty", _TABLE)
    # Excel writes "sep=" and removes it when reading
    declared = next(re.finditer(rb"(?:[\r\n]*sep=([,;|\t]))?[\r\n]*", text))
    text, above = text[declared.end() :], len(declared[0].splitlines())
    separator = declared[1].decode() if declared[1] else _separator(text, above)
    first = _first(text, separator, above)
    if len(first) < 2:
        _check_above(text, above)
    if not _quotes_match(text, separator):
        _check_lines(text, separator, len(first), above)
    _check_size(2 if re.search(rb"[\r\n]", text) else 0, len(first))
    types = {f"f{column}": pa.string() for column in range(len(first))}
    try:
        found = arrow_csv.read_csv(
            pa.BufferReader(text),
            read_options=arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=_BLOCK),
            parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=b'"' in text),
            convert_options=arrow_csv.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[]),
        ).columns
    except pa.ArrowException:
        found = None
    if found is None or _longest(found) > csv.field_size_limit():
        _check_lines(text, separator, len(first), above)
        raise _refused("lines that are too long to read", f"at most {_BLOCK:,} bytes in a line")
    return found


def _first(text: bytes, separator: str, above: int) -> list[str]:
    reader = _csv_reader(text, separator)
    try:
        return next(filter(None, reader), [])
    except csv.Error:
        line = reader.line_num + above
    raise _unclosed_field(line)


def _csv_reader(text: bytes, separator: str) -> Any:
    return csv.reader(io.StringIO(text[:_SAMPLE].decode("utf-8", "ignore"), newline=""), delimiter=separator)


def _check_above(text: bytes, above: int) -> None:
    """Raise RefusedError if single fields or comments precede a table of at least 3 lines."""
    for separator in map(bytes.decode, _SEPARATORS):
        reader = _csv_reader(text, separator)
        try:
            rows = [(reader.line_num + above, len(row), row[0][:2]) for row in islice(filter(None, reader), 1_000)]
        except csv.Error:
            continue
        rows = rows[: -1 if len(text) > _SAMPLE else None]
        even = next((count for count, row in enumerate(reversed(rows)) if row[1] != rows[-1][1]), 0)
        head = [(line, fields, start.startswith(_COMMENTS)) for line, fields, start in rows[: len(rows) - even]]
        if even >= 3 and rows[-1][1] > 1 and all(fields == 1 or comment for _, fields, comment in head):
            where = f"line{f's {head[0][0]:,} to' * (len(head) > 1)} {head[-1][0]:,}"
            found = (
                f"{'a comment' if head[0][2] else 'a title or other text'} in {where}, above the names of the columns"
            )
            raise _refused(found, f"the names of the columns in its first line: delete {where}")


def _longest(columns: list[pa.ChunkedArray]) -> int:
    texts = [column for column in columns if pa.types.is_string(column.type)]
    return max((pc.max(pc.utf8_length(column)).as_py() or 0 for column in texts), default=0)


def _quotes_match(text: bytes, separator: str) -> bool:
    """Return whether quotes only begin and end fields (or are doubled), so that all CSV readers agree."""
    codes, beside = np.frombuffer(text, np.uint8), np.zeros(256, dtype=bool)
    beside[[ord(separator), *b'\r\n"']] = True
    seen = 0
    for start in range(0, len(text), _PIECE):
        at = start + np.flatnonzero(codes[start : start + _PIECE] == ord('"'))
        opening, closing = at[seen % 2 :: 2], at[1 - seen % 2 :: 2]
        seen += len(at)
        opening, closing = opening[opening > 0], closing[closing < len(text) - 1]
        if not (beside[codes[opening - 1]].all() and beside[codes[closing + 1]].all()):
            return False
    return seen % 2 == 0


def _check_lines(text: bytes, separator: str, fields: int, above: int) -> None:
    """Raise RefusedError that names the first malformed line."""
    lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")
    reader, found = csv.reader(lines, delimiter=separator, strict=True), None
    try:
        found = next((len(row) for row in reader if row and len(row) != fields), None)
    except csv.Error:
        found = -1
    line = reader.line_num + above
    if found == -1:
        raise _unclosed_field(line)
    if found is not None:
        _check_above(text, above)
        raise _refused(f"{found} field{'s' * (found != 1)} in line {line:,}", f"{fields} in each line, as in its first")


def _unclosed_field(line: int) -> check.RefusedError:
    allowed = f"every quote closed before a separator, and at most {csv.field_size_limit():,} letters in a field"
    return _refused(f"a field that does not end well in line {line:,}", allowed)


def _parquet(data: bytes) -> tuple[list[str], list[pa.ChunkedArray]]:
    """Return (names, columns) of a Parquet file, after checking its declared sizes and unpacking it separately."""
    try:
        schema, about = parquet.read_schema(pa.BufferReader(data)), parquet.read_metadata(pa.BufferReader(data))
    except (pa.ArrowException, OSError, ValueError):
        schema = None
    if schema is None:
        raise _corrupt()
    _check_unpacked(schema, about)
    table = _unpacked_separately(data)
    try:
        columns = [column if column_types.counts(column.type) else column.cast(pa.string()) for column in table.columns]
        for column in columns:
            column.validate(full=True)
    except pa.ArrowException:  # a day in an unknown time zone, or text that is not UTF-8
        columns = []
    if len(columns) != len(schema.names) or table.num_rows != about.num_rows:
        raise _corrupt()
    for place, (read, text) in enumerate(zip(table.columns, columns, strict=True), 1):
        if pa.types.is_temporal(read.type) and pc.any(pc.starts_with(text, _OUT_OF_RANGE)).as_py():
            raise _refused(f"a day that no calendar has in column {place}", "days that can be written as text")
    if _longest(columns) > csv.field_size_limit():
        raise _refused("a text that is too long", f"at most {csv.field_size_limit():,} letters in a field")
    return schema.names, columns


def _unpacked_separately(data: bytes) -> pa.Table:
    """Return the columns of a Parquet file, unpacked by a separate process (see ``unpack``)."""
    alone = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    given = [sys.executable, unpack.__file__, str(MOST_UNPACKED)]
    ran = subprocess.run(given, input=data, capture_output=True, check=False, env={**os.environ, **alone})
    if ran.returncode:  # it reports the reason, or was killed at its limit
        raise _corrupt() if ran.returncode == unpack.SPOILT else _unpacked()
    return pa.ipc.open_stream(ran.stdout).read_all()


def _corrupt() -> check.RefusedError:
    return _refused("the beginning of a Parquet file, and what cannot be read", "a whole Parquet file")


def _unpacked() -> check.RefusedError:
    return _refused(f"more than {MOST_UNPACKED / 1e6:.0f} MB once unpacked", "smaller, or in parts")


def _check_unpacked(schema: pa.Schema, about: Any) -> None:
    for number, kind in enumerate(schema.types, 1):
        if not column_types.is_flat(kind):
            raise _refused(
                f"something else than plain values in column {number}", "numbers, texts, yes or no, and dates"
            )
    _check_size(about.num_rows, about.num_columns)
    claimed = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    if claimed > MOST_UNPACKED:
        raise _unpacked()


def _unique(names: list[str]) -> tuple[list[str], list[str]]:
    """Return (unique names, notes on the positions of missing and repeated ones)."""
    made: dict[str, None] = {}
    missing, repeated = [], []
    for place, name in enumerate(names, 1):
        name = " ".join(_INVISIBLE.sub("", name).split())[:_LONGEST_NAME]
        if not name:
            missing.append(str(place))
        elif name in made:
            repeated.append(str(place))
        name = stem = name or f"column {place}"
        copy = 2
        while name in made:
            name, copy = f"{stem} ({copy})", copy + 1
        made[name] = None
    notes = [f"Without a name, and called by number: column {_places(missing)}."] * bool(missing)
    return list(made), notes + [f"Called as an earlier one, and numbered: column {_places(repeated)}."] * bool(repeated)


def _places(places: list[str]) -> str:
    return ", ".join(places[:5]) + f" and {len(places) - 5} more" * (len(places) > 5)
