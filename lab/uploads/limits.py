"""Limits on the size of uploaded files."""

from lab.uploads.formats import FileRefusedError

MOST_BYTES = 100_000_000
MOST_ROWS = 1_000_000
MOST_COLUMNS = 200
# Bounds on the memory of a Parquet file's rows, and of all open files together.
MOST_UNPACKED = 200_000_000
MOST_TOGETHER = 500_000_000
_SEPARATED = (
    "Upload a table whose columns are separated by one of , ; | or tab, without a title above it."
)


def check_size(rows: int, columns: int) -> None:
    """Raise FileRefusedError unless a table has as many rows and columns as can be used."""
    if columns > MOST_COLUMNS:
        raise FileRefusedError(
            f"This table has more than {MOST_COLUMNS} columns.",
            "Leave out columns that are not needed, and upload it again.",
        )
    if columns < 2:
        raise FileRefusedError("This table has fewer than 2 columns.", _SEPARATED)
    if rows > MOST_ROWS:
        raise FileRefusedError(
            f"This table has more than {MOST_ROWS:,} rows.",
            f"Draw at most {MOST_ROWS:,} of them at random, and upload those.",
        )
    if rows < 2:
        raise FileRefusedError(
            "This table has fewer than 2 rows under its names.", "Upload at least 2."
        )


def too_large() -> FileRefusedError:
    """Return the refusal of a file that takes too much memory once it is read."""
    return FileRefusedError(
        f"This file takes more than {MOST_UNPACKED / 1e6:.0f} MB once it is unpacked.",
        "Leave out columns or rows that are not needed, and upload it again.",
    )
