"""Read an uploaded file into memory, or refuse it.

A refusal says what was found and where, in the lab's own words, because a parser's message would
quote rows. ``Table.notes`` list guesses made while reading. They contain no cell either.
"""

import weakref
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
    """A file that was read: column name -> values (n,), as text or, in a Parquet file, as numbers.

    size: bytes in memory. head: whether the first line held names; None if that is unclear and
        HEAD_ASKED must be asked
    (then read again with the answer). notes: sentences on guesses. compared: all settings, of any
    page, whose results on these rows somebody has compared. opened: the pages whose questions
    somebody lets read these rows. twins: made-up rows of the declared shape, by what is declared
    (``made_up``). The repr contains no row, as it may get into a log.
    """

    size: int
    columns: dict[str, pa.ChunkedArray] = field(repr=False)
    head: bool | None = True
    notes: tuple[str, ...] = ()
    compared: set[Any] = field(default_factory=set, repr=False)
    opened: set[str] = field(default_factory=set, repr=False)
    twins: dict[Any, Any] = field(default_factory=dict, repr=False)
    _kept: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def texts(self, name: str) -> np.ndarray:
        """Return a column (n,) as text, "" for missing cells."""
        return np.array(
            pc.fill_null(self.columns[name].cast(pa.string()), "").to_pylist(), dtype=object
        )

    def numbers(self, name: str, *, decimal: str = "") -> np.ndarray:
        """Return a column (n,) as float64, NaN for unreadable cells, with ``decimal`` "." or "," or
        inferred.

        Raises RefusedError if the separator is ambiguous.
        """
        decimal = decimal or self.decimal(name)
        if not decimal:
            raise check.RefusedError(
                "decimal", "unclear", '"." or ",": 1,234 may be a thousand or one'
            )
        return column_types.numbers(self.columns[name], decimal)

    def decimal(self, name: str) -> str:
        """Return the decimal separator of a column, "." or ",", or "" if 1,234 is ambiguous and a
        person must decide.

        The majority of 2,000 cells decides, or that of all columns if they tie; never the label.
        """
        found = self._judged(name, column_types.commas) or sum(
            self._judged(one, column_types.commas) for one in self.columns
        )
        if found:
            return "," if found > 0 else "."
        return "" if self._judged(name, column_types.two_ways) == "," else "."

    def kind(self, name: str) -> Kind:
        """Return the inferred type of a column, from 2,000 of its cells."""
        return column_types.guessed(name, column_types.judged(self.columns[name]))

    def number_fault(self, name: str) -> str:
        """Return "" if a column reads as numbers of one unit, else what it holds, from 2,000 of its
        cells.
        """
        return self._judged(name, column_types.number_fault)

    def units(self, name: str) -> set[str]:
        """Return the units beside the numbers of a column, "" for none, from 2,000 of its cells."""
        return self._judged(name, column_types.units)

    def _judged(self, name: str, judge: Any) -> Any:
        key = (judge.__name__, name)
        if key not in self._kept:
            self._kept[key] = judge(column_types.judged(self.columns[name]))
        return self._kept[key]

    def clear(self) -> None:
        """Release all rows now, even if the table is still referenced."""
        self.columns.clear()
        self.compared.clear()
        self.opened.clear()
        for _, made_up in self.twins.values():
            made_up.clear()
        self.twins.clear()
        self._kept.clear()
        _tables.discard(self)
        pa.default_memory_pool().release_unused()


_tables: weakref.WeakSet[Table] = weakref.WeakSet()


def read(file: bytes | BinaryIO, *, head: bool | None = None) -> Table:
    """Read CSV (separated by comma, semicolon, tab or bar) or Parquet; raise RefusedError with a
    readable reason.

    head: whether the first line holds names; None decides by the lines below. The caller must keep
    a reference.
    """
    data = file if isinstance(file, bytes) else file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise FileRefusedError(
            f"This file has more than {MOST_BYTES / 1e6:.0f} MB.",
            "Leave out columns or rows that are not needed, and upload it again.",
        )
    _check_room(len(data))
    small_text = len(data) <= _SMALL and not data.startswith(b"PAR1")
    parse = separate_process.parse if small_text else separate_process.parse_separately
    parsed = parse(data, head=head)
    size = sum(column.nbytes for column in parsed.columns.values())
    _check_room(size)
    table = Table(size=size, columns=parsed.columns, head=parsed.head, notes=tuple(parsed.notes))
    _tables.add(table)
    pa.default_memory_pool().release_unused()  # memory used by the reader
    return table


def _check_room(size: int) -> None:
    if sum(table.size for table in list(_tables)) + size > MOST_TOGETHER:
        raise FileRefusedError(
            "The files in use fill what this server keeps.",
            "Upload yours again later, when others have closed theirs.",
        )
