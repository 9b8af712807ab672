"""Read a text table separated by comma, semicolon, tab or bar.

A text that is no table is refused in words of the lab's own, which name the line and quote no cell.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

import pyarrow as pa

from lab.uploads import sum_line
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_ROWS, check_size

_SEPARATORS = (b"\t", b";", b"|", b",")
# The beginning of a text, from which its separator is inferred.
_SAMPLE_BYTES = 200_000
_MOST_LETTERS_OF_A_LINE = 1 << 22
# Rows that are in memory as Python's texts at once, which take several times as much as Arrow's.
_ROWS_AT_ONCE = 10_000
_QUOTED = re.compile(rb'(?:(?<=[,;\t|\r\n])|\A)"[^"]*(?:""[^"]*)*(?:"|\Z)')
_UPLOAD_TABLE = "Upload a table in CSV or Parquet."


def read_csv(text: bytes) -> tuple[list[pa.ChunkedArray], list[str]]:
    """Return (the columns as text, including the first line; notes) of a text in UTF-8.

    Raises:
        FileRefusedError: If the text is no table.
    """
    start = _first_letter(text)
    if start == len(text):
        raise FileRefusedError("This file is empty.", _UPLOAD_TABLE)
    lines_above = _count_lines(text, start)
    text = text[start:]
    separator = _infer_separator(text)
    columns, has_blank_rows = _columns(_rows(text, separator, lines_above))
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


def _infer_separator(text: bytes) -> str:
    """Return the separator that occurs equally often in each of the first lines, else that of most
    names.

    Quoted fields are ignored. A comma that always stands between digits is a decimal comma if
    another separator qualifies.

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
            raise FileRefusedError(
                "The first line has two kinds of separators, equally often.",
                "Upload a table whose columns are separated by one of , ; | or tab.",
            )
    return best.decode()


def _is_in_each_line(mark: bytes, lines: list[bytes]) -> bool:
    """Return whether a separator occurs equally often in all lines, at least once."""
    counts = {line.count(mark) for line in lines}
    return len(counts) == 1 and 0 not in counts


def _rows(text: bytes, separator: str, lines_above: int) -> Iterator[list[str]]:
    """Yield the cells of each line that is not empty.

    Args:
        text: The file from the line after ``lines_above`` on.
        separator: Of the cells.
        lines_above: Number of lines before ``text``, for the line number in a refusal.

    Raises:
        FileRefusedError: That names the first malformed line, if there is one.
    """
    reader = csv.reader(_lines(text), delimiter=separator, strict=True)
    fields = 0
    try:
        for row in reader:
            if not row:
                continue
            if fields == 0:
                fields = len(row)
                # Rows are counted while they are read.
                check_size(2, fields)
            if len(row) != fields:
                raise _wrong_fields(reader.line_num + lines_above, len(row), fields)
            yield row
    except csv.Error:
        raise _open_quote(reader.line_num + lines_above) from None


def _lines(text: bytes) -> Iterator[str]:
    """Yield the lines of a text, each with its end."""
    file = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")
    line = file.readline(_MOST_LETTERS_OF_A_LINE)
    while line:
        if len(line) == _MOST_LETTERS_OF_A_LINE:
            raise FileRefusedError(
                "A line of this file is too long.",
                f"Write fewer than {_MOST_LETTERS_OF_A_LINE:,} letters a line.",
            )
        yield line
        line = file.readline(_MOST_LETTERS_OF_A_LINE)


def _columns(rows: Iterable[list[str]]) -> tuple[list[pa.ChunkedArray], bool]:
    """Return (the columns of all rows, whether rows without a value were left out)."""
    batches = []
    count = 0
    has_blank_rows = False
    remaining = iter(rows)
    some_rows = list(islice(remaining, _ROWS_AT_ONCE))
    while some_rows:
        count += len(some_rows)
        # The first line holds names.
        if count - 1 > MOST_ROWS:
            check_size(count - 1, len(some_rows[0]))
        filled_rows = [row for row in some_rows if "".join(row).strip()]
        if len(filled_rows) < len(some_rows):
            has_blank_rows = True
        if filled_rows:
            cells = [pa.array(column, pa.string()) for column in zip(*filled_rows, strict=True)]
            names = [str(number) for number in range(len(cells))]
            batches.append(pa.record_batch(cells, names=names))
        some_rows = list(islice(remaining, _ROWS_AT_ONCE))
    if not batches:
        raise FileRefusedError("This file has no value in any line.", _UPLOAD_TABLE)
    return pa.Table.from_batches(batches).columns, has_blank_rows


def _check_title_row(columns: list[pa.ChunkedArray], line: int) -> None:
    """Raise FileRefusedError if of many columns only the first has a name.

    It is a title, which a spreadsheet has filled up with separators.
    """
    first, *others = (column[0].as_py().strip() for column in columns)
    if len(others) > 1 and first and not any(others):
        raise FileRefusedError(
            f"There is a title or other text in line {line:,}, above the names of the columns.",
            f"Delete line {line:,}, and upload the file again.",
        )


def _wrong_fields(line: int, fields: int, expected: int) -> FileRefusedError:
    """Return the refusal of a line with another number of fields than the first one."""
    count = f"{fields} fields"
    if fields == 1:
        count = "1 field"
    return FileRefusedError(
        f"Line {line:,} has {count}, where the first line has {expected}.",
        "Give each line as many fields as the first. Put quotes around a field that holds a"
        " separator, and delete titles above and notes below the table.",
    )


def _open_quote(line: int) -> FileRefusedError:
    """Return the refusal of a quote that is still open in ``line``, or of a long field."""
    most = csv.field_size_limit()
    return FileRefusedError(
        f"A field with a quote does not end well in line {line:,}, or has more than {most:,}"
        " letters.",
        "Close each quote before a separator, and write a quote within quotes twice, up to line"
        f" {line:,}.",
    )
