"""Read a text table separated by comma, semicolon, tab or bar.

A refusal says what is wrong and in which line, in words of its own, because a parser's message
would quote rows.
"""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from lab.uploads import column_types, sum_line
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_ROWS, check_size

_BLOCK_BYTES = 1 << 22  # read at once by Arrow, and so the longest line
_SAMPLE_BYTES = 200_000  # from which the separator is inferred
_SAMPLE_LINES = 1_000
_PIECE_BYTES = 1 << 20
_MOST_NOTE_LINES = 20  # fewer lines below a table are taken for a note
_LEAST_TABLE_LINES = 3  # so many lines are a table if text stands above them
_SEPARATORS = (b"\t", b";", b"|", b",")
_COMMENTS = ("#", "%", "//")
_QUOTED = re.compile(rb'(?:(?<=[,;\t|\r\n])|\A)"[^"]*(?:""[^"]*)*(?:"|\Z)')
# Excel writes "sep=" in a line of its own, and removes it when it reads.
_SEP_LINE = re.compile(rb"sep=([,;|\t])[ \t]*(?=[\r\n]|\Z)", re.IGNORECASE)
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
    sep_line = _SEP_LINE.match(text, start)
    if sep_line:
        separator = sep_line[1].decode()
        line_end = text[sep_line.end() : sep_line.end() + 2]
        text = text[sep_line.end() + _first_letter(line_end) :]
        lines_above += 1
    else:
        text = text[start:]
        separator = _infer_separator(text, lines_above)
    first = _first_row(text, separator, lines_above)
    if len(first) < 2:
        _check_above(text, lines_above)
        _check_separated_by_spaces(text)
    if not _quotes_match(text, separator):
        _check_lines(text, separator, len(first), lines_above)
    if b"\n" not in text and b"\r" not in text:
        check_size(0, len(first))
    # Rows are counted while they are read.
    check_size(2, len(first))
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
    start = len(text) - len(text.lstrip())
    if start == len(text):
        return start
    # Spaces and tabs in front of the first letter belong to its line.
    while start and text[start - 1 : start] in (b" ", b"\t", b"\v", b"\f"):
        start -= 1
    return start


def _count_lines(text: bytes, end: int) -> int:
    """Return the number of line ends before ``end``."""
    line_feeds = text.count(b"\n", 0, end)
    returns = text.count(b"\r", 0, end)
    return line_feeds + returns - text.count(b"\r\n", 0, end)


def _infer_separator(text: bytes, lines_above: int) -> str:
    """Return the separator that occurs equally often in each of the first lines, else that of most
    names.

    Quoted fields are ignored. A comma that always stands between digits is a decimal comma if
    another separator qualifies.

    Args:
        text: The table.
        lines_above: Number of lines of the file before ``text``, for the line numbers of refusals.

    Raises:
        FileRefusedError: If two separators occur equally often in the first line.
    """
    sample = _QUOTED.sub(b"", text[:_SAMPLE_BYTES])
    lines = [line for line in re.split(rb"[\r\n]+", sample) if line] or [b""]
    if len(text) > _SAMPLE_BYTES and len(lines) > 1:
        lines.pop()  # the sample may end within it
    first_line = lines[0]
    candidates = [mark for mark in _SEPARATORS if _is_in_each_line(mark, lines)]
    if len(candidates) > 1 and b"," in candidates:
        decimal_commas = len(re.findall(rb"(?<=[0-9]),(?=[0-9])", sample))
        if sample.count(b",") == decimal_commas:
            candidates.remove(b",")
    if not candidates:
        candidates = list(_SEPARATORS)
    candidates.sort(key=first_line.count, reverse=True)
    best = candidates[0]
    for candidate in candidates[1:]:
        if first_line.count(candidate) == first_line.count(best) > 0:
            _check_above(text, lines_above)
            raise FileRefusedError(
                "The first line has two kinds of separators, equally often.", _SEPARATED
            )
    return best.decode()


def _is_in_each_line(mark: bytes, lines: list[bytes]) -> bool:
    """Return whether a separator occurs equally often in all lines, at least once."""
    counts = {line.count(mark) for line in lines}
    return len(counts) == 1 and 0 not in counts


def _columns(
    text: bytes, separator: str, fields: int, lines_above: int
) -> tuple[list[pa.ChunkedArray], bool]:
    """Return (the columns of all lines, whether lines without a value were left out)."""
    columns: list[pa.ChunkedArray] = []
    # Arrow's message quotes rows, so that no refusal may have it as its context.
    with suppress(pa.ArrowException):
        columns, has_blank_rows = _parsed(text, separator, fields)
    if not columns:
        _check_lines(text, separator, fields, lines_above)
        raise FileRefusedError(
            "A line of this file is too long.", f"Write at most {_BLOCK_BYTES:,} bytes a line."
        )
    longest = max(pc.max(pc.binary_length(column)).as_py() or 0 for column in columns)
    if longest > csv.field_size_limit():
        _check_lines(text, separator, fields, lines_above)
    return columns, has_blank_rows


def _parsed(text: bytes, separator: str, fields: int) -> tuple[list[pa.ChunkedArray], bool]:
    """Read a text batch by batch, so that a file of too many rows is refused before all of it is
    in memory.
    """
    types = {f"f{column}": pa.string() for column in range(fields)}
    reader = arrow_csv.open_csv(
        pa.BufferReader(text),
        read_options=arrow_csv.ReadOptions(
            autogenerate_column_names=True, block_size=_BLOCK_BYTES, use_threads=False
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
        # The first line holds names.
        if rows - 1 > MOST_ROWS:
            check_size(rows - 1, fields)
    if not rows:
        raise FileRefusedError(
            "This file has no value in any line.", "Upload a table in CSV or Parquet."
        )
    return pa.Table.from_batches(batches).columns, has_blank_rows


def _without_blank_rows(batch: pa.RecordBatch) -> pa.RecordBatch:
    filled = column_types.filled_rows(batch.columns)
    if filled is None:
        return batch
    return batch.filter(filled)


def _check_title_row(columns: list[pa.ChunkedArray], line: int) -> None:
    """Raise FileRefusedError if of many columns only the first has a name.

    It is a title, which a spreadsheet has filled up with separators.
    """
    if len(columns) <= 2:
        return
    first, *others = (column[0].as_py().strip() for column in columns)
    if first and not any(others):
        raise FileRefusedError(
            f"There is a title or other text in line {line:,}, above the names of the columns.",
            f"Delete line {line:,}, and upload the file again.",
        )


def _sample_reader(text: bytes, separator: str) -> Any:
    """Return a CSV reader of the beginning of a text."""
    sample = text[:_SAMPLE_BYTES].decode("utf-8", "ignore")
    return csv.reader(io.StringIO(sample, newline=""), delimiter=separator)


def _first_row(text: bytes, separator: str, lines_above: int) -> list[str]:
    reader = _sample_reader(text, separator)
    with suppress(csv.Error):
        return next(filter(None, reader), [])
    raise _open_quote(reader.line_num + lines_above)


def _sampled_rows(text: bytes, separator: str, lines_above: int) -> list[tuple[int, list[str]]]:
    """Return (line, fields) of the first lines, or nothing if their quotes do not match."""
    reader = _sample_reader(text, separator)
    rows = []
    try:
        for row in islice(filter(None, reader), _SAMPLE_LINES):
            rows.append((reader.line_num + lines_above, row))
    except csv.Error:
        return []
    if len(text) > _SAMPLE_BYTES:
        rows.pop()
    return rows


def _check_above(text: bytes, lines_above: int) -> None:
    """Raise FileRefusedError if single fields or comments precede a table of at least 3 lines."""
    for separator in _SEPARATORS:
        rows = _sampled_rows(text, separator.decode(), lines_above)
        above = _rows_above_table(rows)
        if not above or not all(_is_no_row(row) for _, row in above):
            continue
        first_line, first_row = above[0]
        last_line, _ = above[-1]
        what = "a title or other text"
        if _is_comment(first_row):
            what = "a comment"
        where = f"line {first_line:,}"
        if len(above) > 1:
            where = f"lines {first_line:,} to {last_line:,}"
        raise FileRefusedError(
            f"There is {what} in {where}, above the names of the columns.",
            f"Delete {where}, and upload the file again.",
        )


def _rows_above_table(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Return the rows above those at the end that have equally many fields, or nothing if these are
    no table.
    """
    if not rows:
        return []
    _, last_row = rows[-1]
    fields = len(last_row)
    table_lines = 0
    for _, row in reversed(rows):
        if len(row) != fields:
            break
        table_lines += 1
    if table_lines < _LEAST_TABLE_LINES or fields < 2:
        return []
    return rows[: len(rows) - table_lines]


def _is_no_row(row: list[str]) -> bool:
    return len(row) == 1 or _is_comment(row) or _is_title(row)


def _is_comment(row: list[str]) -> bool:
    return row[0].startswith(_COMMENTS)


def _is_title(row: list[str]) -> bool:
    """Return whether only the first field of a line is filled, as a spreadsheet writes a title."""
    return not any(field.strip() for field in row[1:])


def _check_separated_by_spaces(text: bytes) -> None:
    """Raise FileRefusedError if the lines have as many words each, two or more."""
    sample = text[:_SAMPLE_BYTES].decode("utf-8", "ignore").splitlines()[:_SAMPLE_LINES]
    if len(text) > _SAMPLE_BYTES:
        sample.pop()
    word_counts = [len(re.findall(r'"[^"]*"|\S+', line)) for line in sample if line.strip()]
    if len(word_counts) < _LEAST_TABLE_LINES:
        return
    first, *below = word_counts
    words = below[0]
    if any(count != words for count in below):
        return
    # R writes no name above the names of rows.
    if words >= 2 and first in (words, words - 1):
        raise FileRefusedError(
            "This table is separated by spaces, as write.table of R has it.",
            f"{_R_ADVICE} In a spreadsheet, choose Save as, CSV UTF-8.",
        )


def _check_lines(text: bytes, separator: str, fields: int, lines_above: int) -> None:
    """Raise FileRefusedError that names the first malformed line, if there is one."""
    lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator, strict=True)
    malformed = None
    has_open_quote = False
    try:
        malformed = next((row for row in reader if row and len(row) != fields), None)
    except csv.Error:
        has_open_quote = True
    line = reader.line_num + lines_above
    if has_open_quote:
        raise _open_quote(line)
    if malformed is None:
        return
    _check_short_names(text, separator, fields, lines_above)
    _check_above(text, lines_above)
    _check_note_below(malformed, reader, line)
    count = f"{len(malformed)} fields"
    if len(malformed) == 1:
        count = "1 field"
    raise FileRefusedError(
        f"Line {line:,} has {count}, where the first line has {fields}.",
        "Give each line as many fields as the first. Put quotes around a field that holds a"
        " separator.",
    )


def _check_short_names(text: bytes, separator: str, fields: int, lines_above: int) -> None:
    """Raise FileRefusedError if each line has one field more than the line of names."""
    rows = [row for _, row in _sampled_rows(text, separator, lines_above)][1:]
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
    """Raise FileRefusedError if only a few single fields follow from this ``row`` on.

    ``reader`` yields the rows below it.
    """
    if len(row) > 1:
        return
    try:
        below = list(islice(filter(None, reader), _MOST_NOTE_LINES))
    except csv.Error:
        return
    if len(below) < _MOST_NOTE_LINES and all(len(fields) == 1 for fields in below):
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
    for start in range(0, len(text), _PIECE_BYTES):
        piece = codes[start : start + _PIECE_BYTES]
        quotes = start + np.flatnonzero(piece == ord('"'))
        # Quotes open and close in turn.
        opening = quotes[seen % 2 :: 2]
        closing = quotes[1 - seen % 2 :: 2]
        seen += len(quotes)
        # The first and the last byte of the text have nothing beside them.
        opening = opening[opening > 0]
        closing = closing[closing < len(text) - 1]
        if not may_be_beside[codes[opening - 1]].all():
            return False
        if not may_be_beside[codes[closing + 1]].all():
            return False
    return seen % 2 == 0
