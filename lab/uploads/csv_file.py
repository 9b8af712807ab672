"""Read a text table separated by comma, semicolon, tab or bar.

A text that is no table is refused with a diagnosis (``csv_faults``).
"""

import csv
import re
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from lab.uploads import column_types, csv_faults, sum_line
from lab.uploads.csv_faults import SAMPLE_BYTES, SEPARATORS
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_ROWS, check_size

_BLOCK_BYTES = 1 << 22  # read at once by Arrow, and so the longest line
_PIECE_BYTES = 1 << 20
_QUOTED = re.compile(rb'(?:(?<=[,;\t|\r\n])|\A)"[^"]*(?:""[^"]*)*(?:"|\Z)')
# Excel writes "sep=" in a line of its own, and removes it when it reads.
_SEP_LINE = re.compile(rb"sep=([,;|\t])[ \t]*(?=[\r\n]|\Z)", re.IGNORECASE)
_SEPARATED = "Upload a table whose columns are separated by one of , ; | or tab."


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
        separator = _infer_separator(text)
    first = _first_row(text, separator, lines_above)
    if not _quotes_match(text, separator):
        csv_faults.check_lines(text, separator, len(first), lines_above)
    if b"\n" not in text and b"\r" not in text:
        check_size(0, len(first))
    # Rows are counted while they are read.
    check_size(2, len(first))
    columns, has_blank_rows = _columns(text, separator, len(first), lines_above)
    notes = []
    if has_blank_rows:
        notes.append("Lines without a value were left out.")
    csv_faults.check_title_row(columns, lines_above + 1)
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


def _infer_separator(text: bytes) -> str:
    """Return the separator that occurs equally often in each of the first lines, else that of most
    names.

    Quoted fields are ignored. A comma that always stands between digits is a decimal comma if
    another separator qualifies.

    Raises:
        FileRefusedError: If two separators occur equally often in the first line.
    """
    sample = _QUOTED.sub(b"", text[:SAMPLE_BYTES])
    lines = [line for line in re.split(rb"[\r\n]+", sample) if line] or [b""]
    if len(text) > SAMPLE_BYTES and len(lines) > 1:
        lines.pop()  # the sample may end within it
    first_line = lines[0]
    candidates = [mark for mark in SEPARATORS if _is_in_each_line(mark, lines)]
    if len(candidates) > 1 and b"," in candidates:
        decimal_commas = len(re.findall(rb"(?<=[0-9]),(?=[0-9])", sample))
        if sample.count(b",") == decimal_commas:
            candidates.remove(b",")
    if not candidates:
        candidates = list(SEPARATORS)
    candidates.sort(key=first_line.count, reverse=True)
    best = candidates[0]
    for candidate in candidates[1:]:
        if first_line.count(candidate) == first_line.count(best) > 0:
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
        csv_faults.check_lines(text, separator, fields, lines_above)
        raise FileRefusedError(
            "A line of this file is too long.", f"Write at most {_BLOCK_BYTES:,} bytes a line."
        )
    longest = max(pc.max(pc.binary_length(column)).as_py() or 0 for column in columns)
    if longest > csv.field_size_limit():
        csv_faults.check_lines(text, separator, fields, lines_above)
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
    """Return the rows with a value in any column."""
    filled = column_types.filled_rows(batch.columns)
    if filled is None:
        return batch
    return batch.filter(filled)


def _first_row(text: bytes, separator: str, lines_above: int) -> list[str]:
    """Return the fields of the first line that is not blank; none if all are.

    Args:
        text: The file from the line after ``lines_above`` on.
        separator: Of the fields.
        lines_above: Number of lines before ``text``, for the line number in a refusal.

    Raises:
        FileRefusedError: If a quote stays open, or a field is too long.
    """
    reader = csv_faults.sample_reader(text, separator)
    first: list[str] | None = None
    # The refusal must not have the reader's error as its context, which may quote rows.
    with suppress(csv.Error):
        first = next(filter(None, reader), [])
    if first is None:
        raise csv_faults.open_quote(reader.line_num + lines_above)
    return first


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
