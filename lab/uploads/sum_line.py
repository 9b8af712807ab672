"""Refuse a table whose last line holds sums, because it is nobody's row."""

import pyarrow as pa

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
# Of a shorter table, the last line is never refused: its names and three rows.
_LEAST_LINES = 4


def check_last_row(columns: list[pa.ChunkedArray]) -> None:
    """Raise FileRefusedError if the last line of a table holds sums.

    Args:
        columns: All lines of the table, including the line of names.
    """
    if len(columns[0]) < _LEAST_LINES:
        return
    if _begins_with_sum_word(columns):
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
