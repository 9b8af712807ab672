"""Find a line of sums at the end of a table, which is nobody's row."""

import numpy as np
import pyarrow as pa

from lab.uploads import column_types
from lab.uploads.formats import FileRefusedError

# In the first languages of spreadsheets, in small letters.
_WORDS = frozenset(
    word
    for words in (
        ("total", "totals", "grand total", "sum", "sums", "subtotal", "overall", "average", "mean"),
        ("summe", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "durchschnitt"),
        ("somme", "total général", "ensemble", "moyenne"),
        ("suma", "total general", "promedio", "media", "somma", "totale"),
        ("totaal", "som", "totalt", "i alt", "yhteensä", "razem", "celkem", "összesen", "toplam"),
        (
            "итого",
            "всего",
            "сумма",
            "σύνολο",
            "المجموع",
            "合计",
            "总计",
            "合計",
            "総計",
            "합계",
            "총계",
        ),
    )
    for word in words
)
# With fewer rows above, a last value that is their sum may be chance.
_LEAST_ROWS = 10
_RELATIVE_ERROR = 1e-6


def check_last_row(columns: list[pa.ChunkedArray]) -> None:
    """Raise FileRefusedError if the last row of a table, with its line of names, holds sums."""
    if len(columns[0]) < 4:
        return
    if _is_named(columns) or _is_sum(columns):
        raise FileRefusedError(
            "The last line holds sums or means of the lines above.",
            "Delete the last line, and upload the file again.",
        )


def _is_named(columns: list[pa.ChunkedArray]) -> bool:
    """Return whether the last row begins with a word such as "total", which its column has nowhere
    else.
    """
    for column in columns:
        word = str(column[-1].as_py() or "").strip()
        if not word:
            continue
        if word.rstrip(" :.").casefold() not in _WORDS:
            return False
        return sum(chunk.to_pylist().count(column[-1].as_py()) for chunk in column.chunks) == 1
    return False


def _is_sum(columns: list[pa.ChunkedArray]) -> bool:
    """Return whether a column's last number is larger than all above, and their sum."""
    if len(columns[0]) < _LEAST_ROWS + 2:
        return False
    for column in columns:
        above = column.slice(1, len(column) - 2)
        last = pa.chunked_array([[str(column[-1].as_py())]])
        if any(_is_sum_of(last, above, decimal) for decimal in ".,"):
            return True
    return False


def _is_sum_of(last: pa.ChunkedArray, above: pa.ChunkedArray, decimal: str) -> bool:
    total = column_types.numbers(last, decimal)[0]
    if np.isnan(total):
        return False
    # A look at a few cells spares most columns the reading of all.
    for cells in (pa.chunked_array([pa.array(column_types.judged(above), pa.string())]), above):
        values = column_types.numbers(cells, decimal)
        values = values[~np.isnan(values)]
        if not len(values) or values.min() < 0 or values.max() >= total:
            return False
    return abs(values.sum() - total) <= _RELATIVE_ERROR * total
