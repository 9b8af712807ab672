"""Reads a Parquet file in a process of its own, with a bound on memory and time: `python unpack.py BYTES < file`.

A few kilobytes can unpack to any size, whatever a file says of itself, and a spoilt one may end who reads it. Where the
system can bound neither (Windows), what the rows come to is still counted.
"""

import sys

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

SPOILT, TOO_LARGE = 3, 4
# Of the bytes that the rows may come to: what reading them takes; seconds of CPU time.
_ROOM, _SECONDS = 5, 30


class TooLargeError(ValueError):
    """The rows come to more bytes than they may."""


def unpacked(data: bytes, most: int) -> pa.Table:
    """The columns by number; categories in full, once it is known what they come to."""
    batches, size = [], 0
    for batch in parquet.ParquetFile(pa.BufferReader(data)).iter_batches(batch_size=10_000, use_threads=False):
        size += sum(map(_bytes, batch.columns))
        if size > most:
            raise TooLargeError
        columns = (one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in batch.columns)
        batches.append(pa.record_batch(list(columns), names=list(map(str, range(batch.num_columns)))))
    return pa.Table.from_batches(batches)


def _bytes(column: pa.Array) -> int:
    """What a column comes to once each row has its own value."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    if not pa.types.is_string(column.type.value_type):
        return 8 * len(column)
    return 4 * len(column) + (pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0)


def _bounded(most: int) -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_ROOM * most, _ROOM * most))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


def main(most: int) -> int:
    """Writes an Arrow stream of the columns; what to say of a file that cannot be read, as an exit status."""
    _bounded(most)
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
