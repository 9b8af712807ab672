"""Read an uploaded file into memory, or refuse it.

A refusal says what is wrong and in which line, in the lab's own words, because a parser's message
would quote rows. ``Table.notes`` list guesses made while reading. They contain no cell either.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore import check
from lab.uploads import column_types, separate_process
from lab.uploads.column_types import Kind
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_BYTES, MOST_TOGETHER

# The C library's allocator, whose free memory the server returns to the system; pyarrow's own kept
# 18 MB.
pa.set_memory_pool(pa.system_memory_pool())
HEAD_ASKED = "Does the first line hold the names of the columns, or is it a row?"
# Bytes of a text that is read in this process: reading it takes no time and memory that matter.
_SMALL = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A file that was read. The repr contains no row, as it may get into a log.

    Attributes:
        size: Bytes in memory.
        columns: Column name -> values (n,), as text or, in a Parquet file, as numbers.
        head: Whether the first line held names; None if that is unclear, HEAD_ASKED must be asked,
            and the file read again with the answer.
        notes: Sentences on guesses.
        twins: Made-up rows of the declared shape, by what is declared (``made_up``).
    """

    size: int
    columns: dict[str, pa.ChunkedArray] = field(repr=False)
    head: bool | None = True
    notes: tuple[str, ...] = ()
    twins: dict[Any, Any] = field(default_factory=dict, repr=False)
    _judgements: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def texts(self, name: str) -> np.ndarray:
        """Return a column (n,) as text, "" for missing cells."""
        texts = pc.fill_null(self.columns[name].cast(pa.string()), "")
        return np.array(texts.to_pylist(), dtype=object)

    def numbers(self, name: str, *, decimal: str = "") -> np.ndarray:
        """Return a column (n,) as float64, NaN for unreadable cells.

        Args:
            name: The column.
            decimal: The decimal separator, "." or ","; "" infers it.

        Raises:
            RefusedError: If the separator is ambiguous.
        """
        if not decimal:
            decimal = self.decimal(name)
        if not decimal:
            raise check.RefusedError(
                "decimal", "unclear", '"." or ",": 1,234 may be a thousand or one'
            )
        return column_types.numbers(self.columns[name], decimal)

    def decimal(self, name: str) -> str:
        """Return the decimal separator of a column, "." or ",", from 2,000 of its own cells, or ""
        if 1,234 may be a thousand or one and a person must decide.
        """
        cells = column_types.sample_cells(self.columns[name])
        excess = column_types.excess_of_commas(cells)
        if excess == 0 and column_types.has_ambiguous_comma(cells):
            return ""
        if excess > 0:
            return ","
        return "."

    def kind(self, name: str) -> Kind:
        """Return the inferred type of a column, from 2,000 of its cells."""
        return column_types.infer_kind(column_types.sample_cells(self.columns[name]))

    def number_fault(self, name: str) -> str:
        """Return "" if a column reads as numbers of one unit, else what it holds, from 2,000 of its
        cells.
        """
        return self._judged(name, column_types.number_fault)

    def units(self, name: str) -> set[str]:
        """Return the units beside the numbers of a column, "" for none, from 2,000 of its cells."""
        return self._judged(name, column_types.units)

    def _judged(self, name: str, judge: Callable[[list[str]], Any]) -> Any:
        """Return what ``judge`` returns for 2,000 cells of a column, computed once."""
        key = (judge.__name__, name)
        if key not in self._judgements:
            self._judgements[key] = judge(column_types.sample_cells(self.columns[name]))
        return self._judgements[key]

    def clear(self) -> None:
        """Release all rows now, even if the table is still referenced."""
        self.columns.clear()
        for _, made_up in self.twins.values():
            made_up.clear()
        self.twins.clear()
        self._judgements.clear()
        _open_tables.discard(self)
        pa.default_memory_pool().release_unused()


# The tables that somebody holds, whose sizes together are limited.
_open_tables: weakref.WeakSet[Table] = weakref.WeakSet()


def read(file: bytes | BinaryIO, *, head: bool | None = None) -> Table:
    """Read CSV (separated by comma, semicolon, tab or bar) or Parquet.

    The caller must keep a reference.

    Args:
        file: The file, or its bytes.
        head: Whether the first line holds names; None decides by the lines below.

    Raises:
        RefusedError: With a readable reason, if the file cannot be used.
    """
    if isinstance(file, bytes):
        data = file
    else:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise FileRefusedError(
            f"This file has more than {MOST_BYTES / 1e6:.0f} MB.",
            "Leave out columns or rows that are not needed, and upload it again.",
        )
    _check_room(len(data))
    if len(data) > _SMALL or data.startswith(b"PAR1"):
        parsed = separate_process.parse_separately(data, head=head)
    else:
        parsed = separate_process.parse(data, head=head)
    size = sum(column.nbytes for column in parsed.columns.values())
    _check_room(size)
    table = Table(size=size, columns=parsed.columns, head=parsed.head, notes=tuple(parsed.notes))
    _open_tables.add(table)
    pa.default_memory_pool().release_unused()  # memory used by the reader
    return table


def _check_room(size: int) -> None:
    """Raise FileRefusedError if ``size`` more bytes do not fit beside the open tables."""
    # A copy, because tables are released by other threads.
    taken = sum(table.size for table in list(_open_tables))
    if taken + size > MOST_TOGETHER:
        raise FileRefusedError(
            "The files in use fill what this server keeps.",
            "Upload yours again later, when others have closed theirs.",
        )
