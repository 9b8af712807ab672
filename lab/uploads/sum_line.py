"""Refuse a table whose last line holds sums, because it is nobody's row."""

import numpy as np
import pyarrow as pa

from lab.uploads import column_types
from lab.uploads.formats import FileRefusedError

# In the most common languages of spreadsheets, in small letters.
_WORDS = {
    *("total", "totals", "grand total", "sum", "sums", "subtotal", "overall", "average", "mean"),
    *("summe", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "durchschnitt"),
    *("somme", "total général", "ensemble", "moyenne"),
    *("suma", "total general", "promedio", "media", "somma", "totale"),
    *("totaal", "som", "totalt", "i alt", "yhteensä", "razem", "celkem", "összesen", "toplam"),
    *("итого", "всего", "сумма", "σύνολο", "المجموع"),
    *("合计", "总计", "合計", "総計", "합계", "총계"),
}
# With fewer rows above, a last value that is their sum may be chance.
_LEAST_ROWS_FOR_SUM = 10
# Of a shorter table, the last line is never refused: its names and three rows.
_LEAST_LINES = 4
_RELATIVE_ERROR = 1e-6


def check_last_row(columns: list[pa.ChunkedArray]) -> None:
    """Raise FileRefusedError if the last line of a table holds sums.

    Args:
        columns: All lines of the table, including the line of names.
    """
    if len(columns[0]) < _LEAST_LINES:
        return
    if _begins_with_sum_word(columns) or _has_sum(columns):
        raise FileRefusedError(
            "The last line holds sums or means of the lines above.",
            "Delete the last line, and upload the file again.",
        )


def _begins_with_sum_word(columns: list[pa.ChunkedArray]) -> bool:
    """Return whether the first cell of the last line is a word such as "total", which its column
    has nowhere else.
    """
    for column in columns:
        cell = column[-1].as_py()
        word = str(cell or "").strip()
        if not word:
            continue
        if word.rstrip(" :.").casefold() not in _WORDS:
            return False
        return sum(chunk.to_pylist().count(cell) for chunk in column.chunks) == 1
    return False


def _has_sum(columns: list[pa.ChunkedArray]) -> bool:
    """Return whether a column's last number is larger than all above, and their sum."""
    # The line of names and the last line are no rows above.
    if len(columns[0]) - 2 < _LEAST_ROWS_FOR_SUM:
        return False
    for column in columns:
        above = column.slice(1, len(column) - 2)
        last = pa.chunked_array([[str(column[-1].as_py())]])
        if any(_is_sum_of(last, above, decimal) for decimal in ".,"):
            return True
    return False


def _is_sum_of(last: pa.ChunkedArray, above: pa.ChunkedArray, decimal: str) -> bool:
    """Return whether the number ``last`` is the sum of the numbers above it."""
    total = column_types.numbers(last, decimal)[0]
    if np.isnan(total):
        return False
    # A look at a few cells spares most columns the reading of all.
    sample = pa.chunked_array([pa.array(column_types.sample_cells(above), pa.string())])
    if not _may_be_parts(_numbers(sample, decimal), total):
        return False
    numbers = _numbers(above, decimal)
    if not _may_be_parts(numbers, total):
        return False
    return abs(numbers.sum() - total) <= _RELATIVE_ERROR * total


def _numbers(cells: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """Return the numbers in cells, without those that are none."""
    numbers = column_types.numbers(cells, decimal)
    return numbers[~np.isnan(numbers)]


def _may_be_parts(numbers: np.ndarray, total: float) -> bool:
    """Return whether all numbers lie between 0 and the total."""
    return len(numbers) > 0 and numbers.min() >= 0 and numbers.max() < total
