"""Say what is wrong with a text that is no table, and in which line.

A refusal has words of its own, because a parser's message would quote rows.
"""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from lab.uploads.formats import FileRefusedError

SEPARATORS = (b"\t", b";", b"|", b",")
SAMPLE_BYTES = 200_000  # the beginning of a text, from which its layout is inferred
_SAMPLE_LINES = 1_000
_MOST_NOTE_LINES = 20  # fewer lines below a table are taken for a note
_LEAST_TABLE_LINES = 3  # so many lines are a table if text stands above them
_COMMENTS = ("#", "%", "//")
_R_ADVICE = 'In R, write write.csv(data, "data.csv", row.names = FALSE), and upload that file.'


def check_title_row(columns: list[pa.ChunkedArray], line: int) -> None:
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


def check_above(text: bytes, lines_above: int) -> None:
    """Raise FileRefusedError if single fields or comments precede a table of at least 3 lines."""
    for separator in SEPARATORS:
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
    """Return whether a line is a single field, a comment or a title."""
    return len(row) == 1 or _is_comment(row) or _is_title(row)


def _is_comment(row: list[str]) -> bool:
    """Return whether a line starts with the sign of a comment."""
    return row[0].startswith(_COMMENTS)


def _is_title(row: list[str]) -> bool:
    """Return whether only the first field of a line is filled, as a spreadsheet writes a title."""
    return not any(field.strip() for field in row[1:])


def check_separated_by_spaces(text: bytes) -> None:
    """Raise FileRefusedError if the lines have as many words each, two or more."""
    sample = text[:SAMPLE_BYTES].decode("utf-8", "ignore").splitlines()[:_SAMPLE_LINES]
    if len(text) > SAMPLE_BYTES:
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


def check_lines(text: bytes, separator: str, fields: int, lines_above: int) -> None:
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
        raise open_quote(line)
    if malformed is None:
        return
    _check_short_names(text, separator, fields, lines_above)
    check_above(text, lines_above)
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


def open_quote(line: int) -> FileRefusedError:
    """Return the refusal of a quote that is still open in ``line``."""
    most = csv.field_size_limit()
    return FileRefusedError(
        f"A field with a quote does not end well in line {line:,}, or has more than {most:,}"
        " letters.",
        "Close each quote before a separator, and write a quote within quotes twice, up to line"
        f" {line:,}.",
    )


def sample_reader(text: bytes, separator: str) -> Any:
    """Return a CSV reader of the beginning of a text."""
    sample = text[:SAMPLE_BYTES].decode("utf-8", "ignore")
    return csv.reader(io.StringIO(sample, newline=""), delimiter=separator)


def _sampled_rows(text: bytes, separator: str, lines_above: int) -> list[tuple[int, list[str]]]:
    """Return (line, fields) of the first lines, or nothing if their quotes do not match."""
    reader = sample_reader(text, separator)
    rows = []
    try:
        for row in islice(filter(None, reader), _SAMPLE_LINES):
            rows.append((reader.line_num + lines_above, row))
    except csv.Error:
        return []
    if len(text) > SAMPLE_BYTES:
        rows.pop()
    return rows
