"""Say what is wrong with a text that is no table, and in which line.

A refusal has words of its own, because a parser's message would quote rows.
"""

import csv
import io
from typing import Any

import pyarrow as pa

from lab.uploads.formats import FileRefusedError

SEPARATORS = (b"\t", b";", b"|", b",")
SAMPLE_BYTES = 200_000  # the beginning of a text, from which its layout is inferred


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
    count = f"{len(malformed)} fields"
    if len(malformed) == 1:
        count = "1 field"
    raise FileRefusedError(
        f"Line {line:,} has {count}, where the first line has {fields}.",
        "Give each line as many fields as the first. Put quotes around a field that holds a"
        " separator, and delete titles above and notes below the table.",
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
