"""Read a file in a process of its own, with limits on memory and CPU time.

A file can be made so that reading it takes any memory, or so long that all other visitors wait, or
crashes its reader. Where the system supports no limits (Windows), the size of the rows is still
checked.

The process reads the file from its input, and writes one line of JSON, and the columns as an Arrow
stream.
"""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from lab.uploads import column_types, csv_file, decoding, parquet_file, sum_line
from lab.uploads.column_names import unique_names
from lab.uploads.formats import FileRefusedError, check_format
from lab.uploads.limits import MOST_UNPACKED, check_size, too_large

# Bytes of memory that the process may take, seconds of CPU time, and seconds in all.
_MOST_MEMORY = 5 * MOST_UNPACKED
_MOST_CPU_SECONDS = 30
_MOST_SECONDS = 180.0
# Number of files that are read at once; others wait.
_SLOTS = threading.BoundedSemaphore(2)
# Visitors' pages have priority over the process.
_NICENESS = 5
_WESTERN = "The text is not in UTF-8. It was read as Windows-1252 (Western European letters)."
_UNCLEAR = "It is unclear whether the first line holds names or a row. It was read as names."
_HEADLESS = "The first line looks like a row, so the columns are named by number."
_BLANK = "Lines without a value were left out."
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Parsed:
    """A file that was read.

    Attributes:
        columns: Name -> cells, as text or, in a Parquet file, as numbers.
        head: Whether the first line holds names, None if that is unclear.
        notes: Sentences on guesses, which contain no cell.
    """

    columns: dict[str, pa.ChunkedArray]
    head: bool | None
    notes: list[str]


def parse(data: bytes, *, head: bool | None) -> Parsed:
    """Read a CSV or Parquet file in this process.

    Args:
        data: The file.
        head: Whether the first line holds names; None decides by the lines below.

    Raises:
        FileRefusedError: If the file cannot be used.
    """
    if data.startswith(b"PAR1"):
        return _parse_parquet(data)
    return _parse_text(data, head)


def _parse_parquet(data: bytes) -> Parsed:
    """Return the table of a Parquet file."""
    names, columns = parquet_file.read_parquet(data)
    notes = []
    filled = column_types.filled_rows(columns)
    if filled is not None:
        table = pa.Table.from_arrays(columns, names=_numbers_as_names(columns))
        columns = table.filter(filled).columns
        notes.append(_BLANK)
    sum_line.check_last_row(columns)
    return _named(names, columns, True, notes)


def _parse_text(data: bytes, head: bool | None) -> Parsed:
    """Return the table of a text file.

    Args:
        data: The file.
        head: Whether the first line has names; None infers it.
    """
    check_format(data)
    text, is_western = decoding.to_utf8(data)
    columns, notes = csv_file.read_csv(text)
    first_line = [str(column[0]) for column in columns]
    below = [column[1:] for column in columns]
    if is_western:
        notes.append(_WESTERN)
    if head is None:
        head = column_types.has_header(first_line, below)
        if head is None:
            notes.append(_UNCLEAR)
        elif not head:
            notes.append(_HEADLESS)
    if head is False:
        return _named([""] * len(columns), columns, head, notes)
    return _named(first_line, below, head, notes)


def _named(
    names: list[str], columns: list[pa.ChunkedArray], head: bool | None, notes: list[str]
) -> Parsed:
    """Return the columns under unique names, with notes on the names of the file that changed."""
    rows = 0
    if columns:
        rows = len(columns[0])
    check_size(rows, len(columns))
    names, name_notes = unique_names(names)
    if head is not False:
        notes = notes + name_notes
    return Parsed(dict(zip(names, columns, strict=True)), head, notes)


def _numbers_as_names(columns: list[pa.ChunkedArray]) -> list[str]:
    """Return the numbers of the columns as names, which need not be unique in the file."""
    return [str(number) for number in range(len(columns))]


def parse_separately(data: bytes, *, head: bool | None) -> Parsed:
    """Read a file as ``parse`` does, in a process of its own."""
    with (
        _SLOTS,
        subprocess.Popen(
            [sys.executable, "-m", __name__, json.dumps(head)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        ) as process,
    ):
        writer = threading.Thread(target=_write, args=(process, data), daemon=True)
        writer.start()
        time_limit = threading.Timer(_MOST_SECONDS, process.kill)
        time_limit.start()
        try:
            return _received(process)
        finally:
            time_limit.cancel()
            process.kill()
            writer.join()


def _environment() -> dict[str, str]:
    """Return environment variables with which the process finds the lab and takes little memory."""
    paths = [str(_ROOT)]
    if os.environ.get("PYTHONPATH"):
        paths.append(os.environ["PYTHONPATH"])
    return {
        **os.environ,
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _write(process: subprocess.Popen, data: bytes) -> None:
    """Write the file to the input of the process, which may have ended early."""
    assert process.stdin is not None
    with suppress(OSError, ValueError):
        process.stdin.write(data)
    with suppress(OSError, ValueError):
        process.stdin.close()


def _received(process: subprocess.Popen) -> Parsed:
    """Return the table that the process writes; raise FileRefusedError if it refuses the file or
    ends without an answer.
    """
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        # The process was ended at one of its limits, or has crashed.
        raise too_large()
    message = json.loads(line)
    if "refused" in message:
        raise FileRefusedError(*message["refused"])
    try:
        table = pa.ipc.open_stream(process.stdout).read_all()
    except pa.ArrowException:
        raise too_large() from None
    columns = dict(zip(message["names"], table.columns, strict=True))
    return Parsed(columns, message["head"], message["notes"])


def _limit_resources() -> None:
    """Bound the priority, memory and CPU time of this process."""
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_SECONDS, _MOST_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(head: bool | None) -> int:
    """Read the file from the input, write the answer to the output, and return an exit status."""
    _limit_resources()
    output = sys.stdout.buffer
    try:
        parsed = parse(sys.stdin.buffer.read(), head=head)
    except FileRefusedError as refusal:
        _write_line(output, {"refused": [refusal.value, refusal.allowed]})
        return 0
    except MemoryError:
        return 1
    names = list(parsed.columns)
    _write_line(output, {"names": names, "head": parsed.head, "notes": parsed.notes})
    columns = list(parsed.columns.values())
    table = pa.Table.from_arrays(columns, names=_numbers_as_names(columns))
    with pa.ipc.new_stream(output, table.schema) as stream:
        stream.write_table(table)
    return 0


def _write_line(output: BinaryIO, message: dict[str, Any]) -> None:
    """Write a message as one line of JSON."""
    output.write(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
