"""Read a Parquet file in a separate process with bounds on memory and time: `python unpack.py BYTES < file`.

A few kilobytes can unpack to any size, whatever the file declares, and a corrupt file can crash its reader. Where the
system supports no bounds (Windows), the size of the rows is still checked.
"""

import sys

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

SPOILT, TOO_LARGE = 3, 4
# Memory needed for reading, as a multiple of the rows' size; seconds of CPU time.
_ROOM, _SECONDS = 5, 30


class TooLargeError(ValueError):
    """Raised if the rows take more bytes than allowed."""


def unpacked(data: bytes, most: int) -> pa.Table:
    """Return the columns by number, with dictionaries expanded after a check of their size."""
    batches, size = [], 0
    for batch in parquet.ParquetFile(pa.BufferReader(data)).iter_batches(batch_size=10_000, use_threads=False):
        size += sum(map(_expanded_bytes, batch.columns))
        if size > most:
            raise TooLargeError
        columns = (one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in batch.columns)
        batches.append(pa.record_batch(list(columns), names=list(map(str, range(batch.num_columns)))))
    return pa.Table.from_batches(batches)


def _expanded_bytes(column: pa.Array) -> int:
    """Return the size of a column once each row has its own value."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    if not pa.types.is_string(column.type.value_type):
        return 8 * len(column)
    return 4 * len(column) + (pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0)


def _limit_resources(most: int) -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_ROOM * most, _ROOM * most))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


def main(most: int) -> int:
    """Write the columns as an Arrow stream; return an exit status that tells why a file cannot be read."""
    _limit_resources(most)
    try:
        table = unpacked(sys.stdin.buffer.read(), most)
        with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
            stream.write_table(table)
    except (TooLargeError, MemoryError):
        return TOO_LARGE
    except (pa.ArrowException, OSError, ValueError):
        return SPOILT
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
