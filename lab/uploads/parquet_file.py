"""Read a Parquet file.

A few kilobytes can unpack to any size, and a corrupt file can crash its reader. It is therefore
read by a separate process (see ``separate_process``).
"""

from contextlib import suppress

import pyarrow as pa
from pyarrow import parquet

from lab.uploads import column_types
from lab.uploads.formats import FileRefusedError
from lab.uploads.limits import MOST_UNPACKED, check_size, too_large

# Rows that are expanded before they are measured.
_BATCH_ROWS = 1_000


class TooLargeError(ValueError):
    """Raised for rows that take more bytes than allowed."""


def read_parquet(data: bytes) -> tuple[list[str], list[pa.ChunkedArray]]:
    """Return (names, columns), where a column is numeric, boolean or text.

    Raises:
        FileRefusedError: If the file is corrupt, too large, or holds something else.
    """
    schema, metadata = _read_metadata(data)
    _check_metadata(schema, metadata)
    columns = _read_columns(data)
    if len(columns) != len(schema.names) or len(columns[0]) != metadata.num_rows:
        raise _corrupt()
    return schema.names, columns


def _read_metadata(data: bytes) -> tuple[pa.Schema, parquet.FileMetaData]:
    """Return schema and metadata, or raise FileRefusedError if the file is corrupt."""
    schema = None
    with suppress(pa.ArrowException, OSError, ValueError):
        schema = parquet.read_schema(pa.BufferReader(data))
        metadata = parquet.read_metadata(pa.BufferReader(data))
    if schema is None:
        raise _corrupt()
    return schema, metadata


def _read_columns(data: bytes) -> list[pa.ChunkedArray]:
    """Return the columns as numbers or texts.

    No refusal is raised within a handler, because its context would be Arrow's message, which may
    quote cells.
    """
    refusal = _corrupt()
    try:
        columns = unpacked(data, MOST_UNPACKED).columns
        return [_converted(column) for column in columns]
    except (TooLargeError, MemoryError):
        refusal = too_large()
    except (pa.ArrowException, OSError, ValueError):
        # Corrupt, or a day in an unknown time zone, or text that is not UTF-8.
        pass
    raise refusal


def unpacked(data: bytes, most: int) -> pa.Table:
    """Return the columns by number, with dictionaries expanded.

    Raises:
        TooLargeError: If the columns take more than ``most`` bytes.
    """
    batches = []
    size = 0
    file = parquet.ParquetFile(pa.BufferReader(data))
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        columns = [_expanded(column) for column in batch.columns]
        size += sum(column.nbytes for column in columns)
        if size > most:
            raise TooLargeError
        names = [str(number) for number in range(batch.num_columns)]
        batches.append(pa.record_batch(columns, names=names))
    return pa.Table.from_batches(batches)


def _expanded(column: pa.Array) -> pa.Array:
    """Return a column in which each row has its own value in place of a dictionary index."""
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    return column


def _converted(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as numbers or text, if all its values are valid."""
    if not column_types.is_numeric(column.type):
        column = column.cast(pa.string())
    column.validate(full=True)
    return column


def _corrupt() -> FileRefusedError:
    """Return the refusal of a file that ends too early or is damaged."""
    return FileRefusedError(
        "This Parquet file cannot be read to its end.", "Write it again, and upload it."
    )


def _check_metadata(schema: pa.Schema, metadata: parquet.FileMetaData) -> None:
    """Raise FileRefusedError for nested columns or more data than is allowed."""
    for number, kind in enumerate(schema.types, start=1):
        if not column_types.is_flat(kind):
            raise FileRefusedError(
                f"Column {number} has something else than plain values.",
                "Write numbers, texts, yes or no, or days into it, or leave it out.",
            )
    check_size(metadata.num_rows, metadata.num_columns)
    size = 0
    for group in range(metadata.num_row_groups):
        size += metadata.row_group(group).total_byte_size
    if size > MOST_UNPACKED:
        raise too_large()
