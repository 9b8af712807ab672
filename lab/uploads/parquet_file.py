"""Read a Parquet file, of which a few kilobytes can unpack to any size, and a corrupt one can crash
its reader.

It is read by a separate process (see ``separate_process``).
"""

import csv
from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from lab.uploads import column_types
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_UNPACKED, check_size, too_large

_BATCH_ROWS = 10_000
_OUT_OF_RANGE = "<value out of range"  # how Arrow prints a day beyond its calendar


class TooLargeError(ValueError):
    """Raised if the rows take more bytes than allowed."""


def read_parquet(data: bytes) -> tuple[list[str], list[pa.ChunkedArray]]:
    """Return (names, columns), where a column is numeric, boolean or text; raise
    FileRefusedError.
    """
    schema = None
    with suppress(pa.ArrowException, OSError, ValueError):
        schema = parquet.read_schema(pa.BufferReader(data))
        metadata = parquet.read_metadata(pa.BufferReader(data))
    if schema is None:
        raise _corrupt()
    _check_metadata(schema, metadata)
    columns = []
    is_too_large = False
    try:
        table = unpacked(data, MOST_UNPACKED)
        columns = [_converted(column) for column in table.columns]
    except (TooLargeError, MemoryError):
        is_too_large = True
    except (pa.ArrowException, OSError, ValueError):
        # Corrupt, or a day in an unknown time zone, or text that is not UTF-8. Arrow's message may
        # quote cells.
        columns = []
    if is_too_large:
        raise too_large()
    if len(columns) != len(schema.names) or table.num_rows != metadata.num_rows:
        raise _corrupt()
    for number, (source, column) in enumerate(zip(table.columns, columns, strict=True), 1):
        _check_column(number, source, column)
    return schema.names, columns


def unpacked(data: bytes, most: int) -> pa.Table:
    """Return the columns by number, with dictionaries expanded after a check of their size."""
    batches = []
    size = 0
    file = parquet.ParquetFile(pa.BufferReader(data))
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        size += sum(map(_expanded_bytes, batch.columns))
        if size > most:
            raise TooLargeError
        columns = [_expanded(column) for column in batch.columns]
        batches.append(pa.record_batch(columns, names=list(map(str, range(batch.num_columns)))))
    return pa.Table.from_batches(batches)


def _expanded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _expanded_bytes(column: pa.Array) -> int:
    """Return the size of a column once each row has its own value."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    if not pa.types.is_string(column.type.value_type):
        return 8 * len(column)
    lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    return 4 * len(column) + (pc.sum(lengths).as_py() or 0)


def _converted(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not column_types.counts(column.type):
        column = column.cast(pa.string())
    column.validate(full=True)
    return column


def _check_column(number: int, source: pa.ChunkedArray, column: pa.ChunkedArray) -> None:
    if pa.types.is_temporal(source.type) and pc.any(pc.starts_with(column, _OUT_OF_RANGE)).as_py():
        raise FileRefusedError(
            f"Column {number} has a day that no calendar has.",
            "Write days as text, such as 2024-02-29.",
        )
    if (
        pa.types.is_string(column.type)
        and (pc.max(pc.utf8_length(column)).as_py() or 0) > csv.field_size_limit()
    ):
        raise FileRefusedError(
            f"Column {number} has a text of more than {csv.field_size_limit():,} letters.",
            "Leave the column out.",
        )


def _corrupt() -> FileRefusedError:
    return FileRefusedError(
        "This Parquet file cannot be read to its end.", "Write it again, and upload it."
    )


def _check_metadata(schema: pa.Schema, metadata: parquet.FileMetaData) -> None:
    for number, kind in enumerate(schema.types, 1):
        if not column_types.is_flat(kind):
            raise FileRefusedError(
                f"Column {number} has something else than plain values.",
                "Write numbers, texts, yes or no, or days into it, or leave it out.",
            )
    check_size(metadata.num_rows, metadata.num_columns)
    groups = range(metadata.num_row_groups)
    if sum(metadata.row_group(group).total_byte_size for group in groups) > MOST_UNPACKED:
        raise too_large()
