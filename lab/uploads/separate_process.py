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

import pyarrow as pa

from lab.uploads import column_types, csv_file, decoding, parquet_file, sum_line
from lab.uploads.column_names import unique_names
from lab.uploads.formats import FileRefusedError, check_format
from lab.uploads.limits import MOST_UNPACKED, check_size, too_large

# Bytes of memory that the process may take, seconds of CPU time, and seconds in all.
_MOST_MEMORY = 5 * MOST_UNPACKED
_MOST_CPU_SECONDS = 30
_MOST_SECONDS = 180.0
# So many files are read at once; others wait for their turn.
_TURNS = threading.BoundedSemaphore(2)
_WESTERN = "The text is not in UTF-8. It was read as Windows-1252 (Western European letters)."
_UNCLEAR = "It is unclear whether the first line holds names or a row. It was read as names."
_HEADLESS = "The first line looks like a row, so the columns are named by number."
_BLANK = "Lines without a value were left out."
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Parsed:
    """A file that was read.

    columns: name -> cells, as text or, in a Parquet file, as numbers. head: whether the first line
        holds names, None
    if that is unclear. notes: sentences on guesses, which contain no cell.
    """

    columns: dict[str, pa.ChunkedArray]
    head: bool | None
    notes: list[str]


def parse(data: bytes, *, head: bool | None) -> Parsed:
    """Read a CSV or Parquet file here; raise FileRefusedError.

    head: whether the first line holds names; None decides by the lines below.
    """
    if data.startswith(b"PAR1"):
        head = True
        names, columns = parquet_file.read_parquet(data)
        columns, notes = _without_empty_rows(columns)
        sum_line.check_last_row(columns)
    else:
        check_format(data)
        text, is_western = decoding.to_utf8(data)
        columns, notes = csv_file.read_csv(text)
        names = [str(column[0]) for column in columns]
        if is_western:
            notes.append(_WESTERN)
        if head is None:
            head = column_types.has_head(names, [column[1:] for column in columns])
            if head is not True:
                notes.append(_UNCLEAR if head is None else _HEADLESS)
        if head is False:
            names = [""] * len(columns)
        else:
            columns = [column[1:] for column in columns]
    check_size(len(columns[0]) if columns else 0, len(columns))
    names, changes = unique_names(names)
    if head is not False:
        notes += changes
    return Parsed(dict(zip(names, columns, strict=True)), head, notes)


def _without_empty_rows(columns: list[pa.ChunkedArray]) -> tuple[list[pa.ChunkedArray], list[str]]:
    """Return (the columns without the rows in which all values are missing, notes)."""
    table = pa.Table.from_arrays(columns, names=list(map(str, range(len(columns)))))
    filled = column_types.filled_rows(columns)
    if filled is None:
        return columns, []
    return table.filter(filled).columns, [_BLANK]


def parse_separately(data: bytes, *, head: bool | None) -> Parsed:
    """Read a file as ``parse`` does, in a process of its own."""
    settings = {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(paths)}
    with (
        _TURNS,
        subprocess.Popen(
            [sys.executable, "-m", __name__, json.dumps(head)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as process,
    ):
        writer = threading.Thread(target=_write, args=(process, data), daemon=True)
        writer.start()
        end = threading.Timer(_MOST_SECONDS, process.kill)
        end.start()
        try:
            return _received(process)
        finally:
            end.cancel()
            process.kill()
            writer.join()


def _write(process: subprocess.Popen, data: bytes) -> None:
    """Give the process its file; one that has ended early reads no more."""
    assert process.stdin is not None
    with suppress(OSError, ValueError):
        process.stdin.write(data)
    with suppress(OSError, ValueError):
        process.stdin.close()


def _received(process: subprocess.Popen) -> Parsed:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        # It was ended at one of its limits, or has crashed.
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
    with suppress(AttributeError, OSError):
        os.nice(5)  # other visitors' pages go first
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_SECONDS, _MOST_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(head: bool | None) -> int:
    """Read the file from the input; return an exit status."""
    _limit_resources()
    output = sys.stdout.buffer
    try:
        parsed = parse(sys.stdin.buffer.read(), head=head)
    except FileRefusedError as refusal:
        output.write(json.dumps({"refused": [refusal.value, refusal.allowed]}).encode() + b"\n")
        return 0
    except MemoryError:
        return 1
    message = {"names": list(parsed.columns), "head": parsed.head, "notes": parsed.notes}
    output.write(json.dumps(message).encode() + b"\n")
    columns = [*parsed.columns.values()]
    table = pa.Table.from_arrays(columns, names=list(map(str, range(len(columns)))))
    with pa.ipc.new_stream(output, table.schema) as stream:
        stream.write_table(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
