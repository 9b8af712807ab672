"""A file of a million rows of ten numbers, in the forms that people have: CPU time to read it, and
memory at the peak.

- *read*: from bytes to a table. *numbers*: one of its columns as numbers. Both on all cores
  together.
- *memory*: most of the process, its bytes of the file included, less what it had after its imports,
  over the file.

And of the first form what a person waits for: from its bytes to the first pictures of a regression
on nine columns.

- *CPU*, *wall*: time until they are drawn. *seed*: CPU time once other rows are held out.

Each form is read in a process of its own, on Linux: that is where a process can be asked for its
own peak.
"""

import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.report import Outcome, Print, at_most, duration, number, row

ROWS, COLUMNS = 1_000_000, 10
READ_AT_MOST, PICTURE_AT_MOST, MEMORY_AT_MOST = 2.0, 5.0, 6.0
WIDTHS = (20, 9, 9, 9, 9)

_MOST = """
import json, re, sys, time
from pathlib import Path
def most(): return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
_PROGRAM = """
from lab.uploads import table as own_table
empty = most()
data = Path(sys.argv[1]).read_bytes()
start = time.process_time()
table = own_table.read(data)
read = time.process_time()
table.numbers("c1", decimal=sys.argv[2])
numbers = time.process_time()
print(json.dumps({"read": read - start, "numbers": numbers - read, "memory": (most() - empty) / len(data)}))
"""


_PICTURE = """
from lab.uploads import rows as own_rows, own_table
from lab.uploads import rows as own_rows, table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.regression.settings import RegressionSettings
from pages.regression.page import PAGE
from ui.page.view import FIRST
def drawn(settings):
    tasks = settings.experiment.tasks()
    result = settings.experiment.gather({task: task.run() for task in tasks if task.essential})
    return [picture.figure for row in PAGE.at(settings).view(result).boards[FIRST] for picture in row]
drawn(RegressionSettings(repeats=2).change(dataset="diabetes"))  # what is imported when it is first used
empty = most()
start, clock = time.process_time(), time.perf_counter()
data = Path(sys.argv[1]).read_bytes()
columns = [Column(name=f"c{place}", low=0, high=100) for place in range(10)]
roles = Roles(answer="c9", classes=(), target=columns[9], columns=tuple(columns[:9]))
table = own_table.read(data)
settings = RegressionSettings().change(dataset="own").change(own=own_rows.choose(table, roles))
drawn(settings)
cpu, wall = time.process_time() - start, time.perf_counter() - clock
start = time.process_time()
drawn(settings.change(seed=settings.seed + 1))
again = time.process_time() - start
print(json.dumps({"CPU": cpu, "wall": wall, "seed": again, "memory": (most() - empty) / len(data)}))
"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Each form, each time in a new process."""
    lines = []
    say(row(("", "file", "read", "numbers", "memory"), WIDTHS))
    with tempfile.TemporaryDirectory() as folder:
        for name, data in forms():
            file = Path(folder) / "file"
            file.write_bytes(data)
            taken = [
                _run(_PROGRAM, str(file), "," if "comma" in name else ".") for _ in range(rounds)
            ]
            read, numbers, memory = (np.median([one[what] for one in taken]) for what in taken[0])
            size = f"{number(len(data) / 1e6)} MB"
            say(row((name, size, duration(read), duration(numbers), f"{number(memory)} x"), WIDTHS))
            lines.append(
                at_most(f"{name}: reading", READ_AT_MOST, [one["read"] for one in taken], unit=" s")
            )
            if name != "Parquet":  # packed, so that memory over the file says little
                lines.append(
                    at_most(f"{name}: memory", MEMORY_AT_MOST, [one["memory"] for one in taken])
                )
            if name == "commas":
                lines += _pictures(str(file), rounds, say)
    return Outcome(lines=lines)


def _pictures(file: str, rounds: int, say: Print) -> list:
    """The first pictures of a regression on this file."""
    taken = [_run(_PICTURE, file) for _ in range(rounds)]
    middle = {what: float(np.median([one[what] for one in taken])) for what in taken[0]}
    times = ", ".join(f"{what} {duration(middle[what])}" for what in ("CPU", "wall", "seed"))
    say(f"first pictures of a regression: {times}; memory {number(middle['memory'])} x")
    return [
        at_most(
            "first regression pictures: wall",
            PICTURE_AT_MOST,
            [one["wall"] for one in taken],
            unit=" s",
        ),
        at_most(
            "first regression pictures: memory", MEMORY_AT_MOST, [one["memory"] for one in taken]
        ),
    ]


def _run(program: str, *arguments: str) -> dict[str, float]:
    """What a program of a process of its own prints."""
    asked = [sys.executable, "-c", _MOST + program, *arguments]
    return json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


def forms() -> Iterator[tuple[str, bytes]]:
    """(name, file) with the same numbers."""
    rng = np.random.default_rng(0)
    values = np.round(rng.random((COLUMNS, ROWS)) * 100, 2)
    columns = [np.char.mod("%.2f", column).tolist() for column in values]
    names = [f"c{place}" for place in range(COLUMNS)]
    text = "\n".join(map(",".join, [names, *zip(*columns, strict=True)]))
    yield "commas", text.encode()
    yield "decimal commas", text.replace(",", ";").replace(".", ",").encode()
    yield "quoted", "\n".join(f'"{line}"' for line in text.replace(",", '","').split("\n")).encode()
    yield "with inches", text.replace("\n", ' 5" \n').encode()
    yield (
        "UTF-16",
        text[: len(text) * 4 // 5].rpartition("\n")[0].encode("utf-16"),
    )  # 100 MB are the most
    file = io.BytesIO()
    parquet.write_table(pa.table(dict(zip(names, values, strict=True))), file)
    yield "Parquet", file.getvalue()
