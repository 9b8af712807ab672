"""A CSV file of 20 MB in its visitor's hands: from its bytes to the first picture, by the page that
learns from it.

- *read*, *choose*, *trained*, *drawn*: seconds on the clock up to there: a table; kinds guessed and
  roles given; what the first picture waits for; its words and pictures.
- *CPU*: of all cores together, up to the picture.

Each round is a process of its own, after its imports: nothing is kept from the one before.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.report import Outcome, Print, at_most, duration, number, row

MEGABYTES, COLUMNS = 20, 10
DRAWN_AT_MOST = 3.0
WIDTHS = (12, 9, 9, 9, 9, 9)

_PROGRAM = """
import json, sys, time
from pathlib import Path
from lab.uploads import rows as own_rows, own_table
from pages.topics import PAGES
from ui.compute.runner import compute
from ui.uploads.rows import Draft
from lab.uploads import rows as own_rows, table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.topics import PAGES
from ui.compute.runner import compute
from ui.uploads.rows import Draft
page = next(page for page in PAGES if page.name == sys.argv[2])
data = Path(sys.argv[1]).read_bytes()
took, start, work = {}, time.perf_counter(), time.process_time()
def reached(what): took[what] = time.perf_counter() - start
table = own_table.read(data)
reached("read")
Draft.of(table, "file")
columns = tuple(Column(name=name, low=0, high=1) for name in table.columns if name != "answer")
own = own_rows.choose(table, Roles(answer="answer", classes=("no", "yes"), columns=columns))
settings = page.settings().change(dataset="own").change(own=own)
reached("choose")
result, _ = compute(settings, seconds=0)
reached("trained")
here = page.at(settings)
view = here.view(result)
here.tab_texts(view, ""), view.charts(*here.boards(""))
reached("drawn")
print(json.dumps(took | {"CPU": time.process_time() - work}))
"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Each page, each time in a new process."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file.csv"
        file.write_bytes(table())
        say(f"  a file of {number(file.stat().st_size / 1e6)} MB with {COLUMNS} columns of numbers")
        say(row(("page", "read", "choose", "trained", "drawn", "CPU"), WIDTHS))
        for page in ("classifier", "network"):
            asked = [sys.executable, "-c", _PROGRAM, str(file), page]
            runs = [
                subprocess.run(asked, capture_output=True, text=True, check=True)
                for _ in range(rounds)
            ]
            taken = [json.loads(one.stdout) for one in runs]
            medians = [
                duration(float(np.median([one[what] for one in taken]))) for what in taken[0]
            ]
            say(row((page, *medians), WIDTHS))
            lines.append(
                at_most(
                    f"{page}: to the picture",
                    DRAWN_AT_MOST,
                    [one["drawn"] for one in taken],
                    unit=" s",
                )
            )
    return Outcome(lines=lines)


def table() -> bytes:
    """Rows of which two columns tell the answer."""
    rng = np.random.default_rng(0)
    rows = MEGABYTES * 10**6 // (COLUMNS * 7 + 4)
    X = rng.random((rows, COLUMNS))
    answers = np.where(3 * X[:, 0] - 2 * X[:, 1] + rng.logistic(size=rows) > 0.5, "yes", "no")
    cells = [*(np.char.mod("%.4f", column).tolist() for column in X.T), answers.tolist()]
    names = [*(f"c{place}" for place in range(COLUMNS)), "answer"]
    return "\n".join(map(",".join, [names, *zip(*cells, strict=True)])).encode()
