"""Read a text table separated by comma, semicolon, tab or bar, or say what else it is.

A refusal says what was found and where, in words of its own, because a parser's message would quote
rows.
"""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from lab.uploads import column_types, sum_line
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_ROWS, check_size

_BLOCK = 1 << 22  # bytes that Arrow reads at once, and so the longest line
_SAMPLE = 200_000  # bytes from which the separator is inferred
_PIECE = 1 << 20
_FEW_LINES = 20  # at most so many lines below a table are taken for a note
_SEPARATORS = (b"\t", b";", b"|", b",")
_COMMENTS = ("#", "%", "//")
_QUOTED = re.compile(rb'(?:(?<=[,;\t|\r\n])|\A)"[^"]*(?:""[^"]*)*(?:"|\Z)')
# Excel writes "sep=" in a line of its own, and removes it when it reads.
_DECLARED = re.compile(rb"sep=([,;|\t])[ \t]*(?=[\r\n]|\Z)", re.IGNORECASE)
_SEPARATED = "Upload a table whose columns are separated by one of , ; | or tab."
_R_ADVICE = 'In R, write write.csv(data, "data.csv", row.names = FALSE), and upload that file.'


def read_csv(text: bytes) -> tuple[list[pa.ChunkedArray], list[str]]:
    """Return (the columns as text, including the first line; notes) of a text in UTF-8.

    Raises:
        FileRefusedError: If the text is no table.
    """
    start = _first_letter(text)
    if start == len(text):
        raise FileRefusedError("This file is empty.", "Upload a table in CSV or Parquet.")
    lines_above = _count_lines(text, start)
    separator = ""
    declared = _DECLARED.match(text, start)
    if declared:
        separator = declared[1].decode()
        above = lines_above
        start = declared.end() + _first_letter(text[declared.end() : declared.end() + 2])
        lines_above = above + 1
    text = text[start:]
    separator = separator or _separator(text, lines_above)
    first = _first_row(text, separator, lines_above)
    if len(first) < 2:
        _check_above(text, lines_above)
        _check_separated_by_spaces(text)
    if not _quotes_match(text, separator):
        _check_lines(text, separator, len(first), lines_above)
    has_lines = b"\n" in text or b"\r" in text
    check_size(2 if has_lines else 0, len(first))
    columns, has_blank_rows = _columns(text, separator, len(first), lines_above)
    notes = []
    if has_blank_rows:
        notes.append("Lines without a value were left out.")
    _check_title_row(columns, lines_above + 1)
    sum_line.check_last_row(columns)
    return columns, notes


def _first_letter(text: bytes) -> int:
    """Return the index of the first byte that is neither a line end nor a space before one, or the
    length.
    """
    stripped = len(text.lstrip())
    start = len(text) - stripped
    if not stripped:
        return len(text)
    # Spaces and tabs in front of the first letter belong to its line.
    while start and text[start - 1 : start] in (b" ", b"\t", b"\v", b"\f"):
        start -= 1
    return start


def _count_lines(text: bytes, end: int) -> int:
    """Return the number of line ends before ``end``."""
    line_feeds = text.count(b"\n", 0, end)
    returns = text.count(b"\r", 0, end)
    return line_feeds + returns - text.count(b"\r\n", 0, end)


def _separator(text: bytes, above: int) -> str:
    """Return the separator that occurs equally often in each of the first lines, else that of most
    names.

    Quoted fields are ignored. A comma that always stands between digits is a decimal comma if
    another separator qualifies. Raises FileRefusedError for a tie.
    """
    sample = _QUOTED.sub(b"", text[:_SAMPLE])
    lines = [line for line in re.split(rb"[\r\n]+", sample) if line] or [b""]
    if len(text) > _SAMPLE and len(lines) > 1:
        lines.pop()  # the sample may end within it
    even = [
        mark
        for mark in _SEPARATORS
        if lines[0].count(mark) and len({line.count(mark) for line in lines}) == 1
    ]
    if len(even) > 1 and sample.count(b",") == len(re.findall(rb"(?<=[0-9]),(?=[0-9])", sample)):
        even = [mark for mark in even if mark != b","]
    best, *others = sorted(even or _SEPARATORS, key=lines[0].count, reverse=True)
    if others and lines[0].count(best) == lines[0].count(others[0]) > 0:
        _check_above(text, above)
        raise FileRefusedError(
            "The first line has two kinds of separators, equally often.", _SEPARATED
        )
    return best.decode()


def _columns(
    text: bytes, separator: str, fields: int, above: int
) -> tuple[list[pa.ChunkedArray], bool]:
    """Return (the columns of all lines, whether lines without a value were left out)."""
    try:
        columns, has_blank_rows = _parsed(text, separator, fields)
    except pa.ArrowException:
        columns = []
    # Arrow's message quotes rows, so that no refusal may have it as its context.
    if not columns:
        _check_lines(text, separator, fields, above)
        raise FileRefusedError(
            "A line of this file is too long.", f"Write at most {_BLOCK:,} bytes a line."
        )
    if (
        max(pc.max(pc.binary_length(column)).as_py() or 0 for column in columns)
        > csv.field_size_limit()
    ):
        _check_lines(text, separator, fields, above)
    return columns, has_blank_rows


def _parsed(text: bytes, separator: str, fields: int) -> tuple[list[pa.ChunkedArray], bool]:
    """Read batch by batch, so that a file of too many rows is refused before all of it is in
    memory.
    """
    types = {f"f{column}": pa.string() for column in range(fields)}
    reader = arrow_csv.open_csv(
        pa.BufferReader(text),
        read_options=arrow_csv.ReadOptions(
            autogenerate_column_names=True, block_size=_BLOCK, use_threads=False
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=b'"' in text),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types, strings_can_be_null=False, null_values=[]
        ),
    )
    batches = []
    rows = 0
    has_blank_rows = False
    for batch in reader:
        filled = _without_blank_rows(batch)
        has_blank_rows = has_blank_rows or filled.num_rows < batch.num_rows
        batches.append(filled)
        rows += filled.num_rows
        check_size(min(rows - 1, MOST_ROWS + 1) if rows > MOST_ROWS + 1 else 2, fields)
    if not rows:
        raise FileRefusedError(
            "This file has no value in any line.", "Upload a table in CSV or Parquet."
        )
    return pa.Table.from_batches(batches).columns, has_blank_rows


def _without_blank_rows(batch: pa.RecordBatch) -> pa.RecordBatch:
    filled = column_types.filled_rows(batch.columns)
    return batch if filled is None else batch.filter(filled)


def _check_title_row(columns: list[pa.ChunkedArray], line: int) -> None:
    """Raise FileRefusedError if of many columns only one has a name: a title that a spreadsheet has
    filled up.
    """
    names = [column[0].as_py().strip() for column in columns]
    if len(columns) > 2 and sum(map(bool, names)) == 1 and names[0]:
        raise FileRefusedError(
            f"There is a title or other text in line {line:,}, above the names of the columns.",
            f"Delete line {line:,}, and upload the file again.",
        )


def _reader(text: bytes, separator: str) -> Any:
    sample = text[:_SAMPLE].decode("utf-8", "ignore")
    return csv.reader(io.StringIO(sample, newline=""), delimiter=separator)


def _first_row(text: bytes, separator: str, above: int) -> list[str]:
    reader = _reader(text, separator)
    try:
        return next(filter(None, reader), [])
    except csv.Error:
        line = reader.line_num + above
    raise _open_quote(line)


def _sampled_rows(text: bytes, separator: str, above: int) -> list[tuple[int, list[str]]]:
    """Return (line, fields) of the first lines, or nothing if their quotes do not match."""
    reader = _reader(text, separator)
    try:
        rows = [(reader.line_num + above, row) for row in islice(filter(None, reader), 1_000)]
    except csv.Error:
        return []
    if len(text) > _SAMPLE:
        rows.pop()
    return rows


def _check_above(text: bytes, above: int) -> None:
    """Raise FileRefusedError if single fields or comments precede a table of at least 3 lines."""
    for separator in map(bytes.decode, _SEPARATORS):
        rows = _sampled_rows(text, separator, above)
        fields = len(rows[-1][1]) if rows else 0
        even = 0
        for _, row in reversed(rows):
            if len(row) != fields:
                break
            even += 1
        head = rows[: len(rows) - even]
        if even < 3 or fields < 2 or not head:
            continue
        if not all(len(row) == 1 or _is_comment(row) or _is_title(row) for _, row in head):
            continue
        what = "a comment" if _is_comment(head[0][1]) else "a title or other text"
        where = f"line {head[0][0]:,}"
        if len(head) > 1:
            where = f"lines {head[0][0]:,} to {head[-1][0]:,}"
        raise FileRefusedError(
            f"There is {what} in {where}, above the names of the columns.",
            f"Delete {where}, and upload the file again.",
        )


def _is_comment(row: list[str]) -> bool:
    return row[0].startswith(_COMMENTS)


def _is_title(row: list[str]) -> bool:
    """Return whether only the first field of a line is filled, as a spreadsheet writes a title."""
    return not any(field.strip() for field in row[1:])


def _check_separated_by_spaces(text: bytes) -> None:
    """Raise FileRefusedError if the lines have as many words each, two or more."""
    sample = text[:_SAMPLE].decode("utf-8", "ignore").splitlines()[:1_000]
    if len(text) > _SAMPLE:
        sample.pop()
    counts = [len(re.findall(r'"[^"]*"|\S+', line)) for line in sample if line.strip()]
    below = set(counts[1:])
    if len(counts) < 3 or len(below) != 1:
        return
    (words,) = below
    if words >= 2 and counts[0] in (words, words - 1):
        raise FileRefusedError(
            "This table is separated by spaces, as write.table of R has it.",
            f"{_R_ADVICE} In a spreadsheet, choose Save as, CSV UTF-8.",
        )


def _check_lines(text: bytes, separator: str, fields: int, above: int) -> None:
    """Raise FileRefusedError that names the first malformed line."""
    lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator, strict=True)
    row: list[str] | None = None
    try:
        row = next((row for row in reader if row and len(row) != fields), None)
    except csv.Error:
        row = []
    line = reader.line_num + above
    if row is None:
        return
    if not row:
        raise _open_quote(line)
    _check_short_names(text, separator, fields, above)
    _check_above(text, above)
    _check_note_below(row, reader, line)
    count = "1 field" if len(row) == 1 else f"{len(row)} fields"
    raise FileRefusedError(
        f"Line {line:,} has {count}, where the first line has {fields}.",
        "Give each line as many fields as the first. Put quotes around a field that holds a"
        " separator.",
    )


def _check_short_names(text: bytes, separator: str, fields: int, above: int) -> None:
    """Raise FileRefusedError if each line has one field more than the line of names."""
    _, *rows = [row for _, row in _sampled_rows(text, separator, above)] or [[]]
    if len(rows) < 2 or any(len(row) != fields + 1 for row in rows):
        return
    if not any(row[-1] for row in rows):
        raise FileRefusedError(
            "Each line but the first ends with a separator.",
            "Add one to the end of the first line, and upload it again.",
        )
    raise FileRefusedError(
        "The first line has a name less than there are columns, as write.table of R has it: rows"
        " have names, too.",
        _R_ADVICE,
    )


def _check_note_below(row: list[str], reader: Iterator[list[str]], line: int) -> None:
    """Raise FileRefusedError if there is nothing but a few single fields from this line on."""
    if len(row) > 1:
        return
    try:
        below = list(islice(filter(None, reader), _FEW_LINES))
    except csv.Error:
        return
    if len(below) < _FEW_LINES and all(len(other) == 1 for other in below):
        raise FileRefusedError(
            f"There is a note below the table, from line {line:,} on.",
            f"Delete what follows from line {line:,} on, and upload the file again.",
        )


def _open_quote(line: int) -> FileRefusedError:
    most = csv.field_size_limit()
    return FileRefusedError(
        f"A field with a quote does not end well in line {line:,}, or has more than {most:,}"
        " letters.",
        "Close each quote before a separator, and write a quote within quotes twice, up to line"
        f" {line:,}.",
    )


def _quotes_match(text: bytes, separator: str) -> bool:
    """Return whether quotes only begin and end fields (or are doubled), so that all CSV readers
    agree.
    """
    codes = np.frombuffer(text, np.uint8)
    may_be_beside = np.zeros(256, dtype=bool)
    may_be_beside[[ord(separator), *b'\r\n"']] = True
    seen = 0
    for start in range(0, len(text), _PIECE):
        quotes = start + np.flatnonzero(codes[start : start + _PIECE] == ord('"'))
        # Quotes open and close in turn.
        opening = quotes[seen % 2 :: 2]
        closing = quotes[1 - seen % 2 :: 2]
        seen += len(quotes)
        opening = opening[opening > 0]
        closing = closing[closing < len(text) - 1]
        if not may_be_beside[codes[opening - 1]].all():
            return False
        if not may_be_beside[codes[closing + 1]].all():
            return False
    return seen % 2 == 0
