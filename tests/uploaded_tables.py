"""A table of 240 rows that a visitor uploads, and the refusal of a file that is none."""

import traceback

import pytest

from lab.uploads import table as own_table
from lab.uploads.formats import FileRefusedError

ROWS = 240
AGES = [18 + row * 7 % 60 for row in range(ROWS)]
AMOUNTS = [round((row * 37.61) % 900 + 1000, 2) for row in range(ROWS)]
LEFT = [("no", "yes")[row * 5 % 3 % 2] for row in range(ROWS)]


def lines(**changed_columns: list[str]) -> list[list[str]]:
    """Return the lines of the table, the names first, with some columns in other spellings."""
    columns = {
        "age": [str(age) for age in AGES],
        "amount": [f"{amount:.2f}" for amount in AMOUNTS],
        "left": LEFT,
        **changed_columns,
    }
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return [list(columns), *rows]


def text(rows: list[list[str]], separator: str = ";") -> str:
    """Return rows as the text of a file."""
    return "".join(separator.join(row) + "\n" for row in rows)


def table(**changed_columns: list[str]) -> own_table.Table:
    """Return the table as it is read, with some columns in other spellings."""
    return own_table.read(text(lines(**changed_columns)).encode())


def refusal(data: bytes | str) -> FileRefusedError:
    """Return the error by which a file is refused."""
    if isinstance(data, str):
        data = data.encode()
    with pytest.raises(FileRefusedError) as refused:
        own_table.read(data)
    return refused.value


def all_words_of(error: BaseException) -> str:
    """Return all that a log could have of an error, and of what it came from."""
    words = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    if error.__context__ is not None:
        words += all_words_of(error.__context__)
    return words
