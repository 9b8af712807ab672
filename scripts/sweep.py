r"""Train every combination of some values, with many seeds and repeats, and write Parquet files.

    python -m scripts.sweep settings.json --over epsilon=0.1,1,10 clip_norm=0.5,1 --out runs \
        --repeats 400 --seeds 50
    python -m scripts.sweep "classifier?dataset=digits" --over epsilon=0.1,1 --out runs \
        --backend processes

The settings are those of a page: its link, or the settings.json of its folder (*Share*). ``runs``
is a folder of Parquet files with one row a run, which ``pandas.read_parquet("runs")`` reads as one
table. A sweep that was stopped continues where it ended. ``LAB_SCHEDULER=tcp://...`` computes on a
Dask cluster, whose machines need this checkout and its requirements. A Dask scheduler runs whatever
it is sent, so its port belongs behind a firewall or on the loopback address.
"""

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import check
from dpcore.check import RefusedError
from lab.experiment import links
from lab.experiment.settings import Settings
from lab.sweeps import parallel
from lab.sweeps.parallel import Cell
from pages.topics import PAGES

# Seconds between two files, and between two lines about the progress.
KEEP_SECONDS = 5.0
PROGRESS_SECONDS = 2.0
# Longer durations are printed in minutes.
LONGEST_SECONDS = 90
SCHEDULER = "LAB_SCHEDULER"
# Key of a file's metadata with the sweep that it belongs to.
ABOUT = b"epsilon-lab"

# A cell and its numbers (R,).
Trained = tuple[Cell, np.ndarray]

# Exit statuses.
DONE = 0
REFUSED = 2
STOPPED = 130


def read(text: str) -> tuple[str, Settings]:
    """Return (page, settings) of a link or of a file. Raises RefusedError."""
    if text.endswith(".json"):
        page, fields = _read_file(Path(text))
    else:
        page, fields = _read_link(text)
    kinds = {page.name: page.settings for page in PAGES}
    check.choice(kinds, page=page)
    settings, refusals = links.read(kinds[page], fields)
    for refusal in refusals.values():
        raise refusal
    known = {links.VERSION_NAME, *asdict(settings)}
    for name in sorted(fields):
        if name not in known and not links.is_tracking(name):
            raise RefusedError("settings", name, f"a field of the page {page}")
    return page, settings


def _read_file(file: Path) -> tuple[str, dict[str, str]]:
    """Return (page, field -> text) of a settings.json."""
    content = json.loads(file.read_text("utf-8"))
    page = content.pop("page", "")
    return page, {name: str(value) for name, value in content.items()}


def _read_link(link: str) -> tuple[str, dict[str, str]]:
    """Return (page, field -> text) of an address, with or without its server."""
    parts = urlsplit(link)
    _, _, page = parts.path.strip("/").rpartition("/")
    return page, dict(parse_qsl(parts.query, keep_blank_values=True))


def read_values(texts: Iterable[str], settings: Settings) -> dict[str, tuple[Any, ...]]:
    """Return field -> values, of texts such as "epsilon=0.1,1,10". Raises RefusedError."""
    values_of_fields = {}
    for text in texts:
        name, _, listed = text.partition("=")
        check.choice(asdict(settings), over=name)
        values = []
        for value in listed.split(","):
            values.append(getattr(links.changed(settings, name, value), name))
        values_of_fields[name] = tuple(values)
    return values_of_fields


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep of a page's settings.

    Attributes:
        page: Name of the page.
        settings: Of all runs, but for the swept fields.
        over: Field -> its values.
        measure: A key of ``settings.experiment.measures``.
        repeats: Runs of each combination of values on each split.
        seeds: Number of splits.
        folder: Where the runs are kept.
    """

    page: str
    settings: Settings
    over: Mapping[str, tuple[Any, ...]]
    measure: str
    repeats: int
    seeds: int
    folder: Path

    def __post_init__(self) -> None:
        measures = self.settings.experiment.measures
        if not measures:
            raise RefusedError("page", self.page, "a page that trains models")
        check.choice(measures, measure=self.measure)
        check.whole(1, 10_000, repeats=self.repeats)
        check.whole(1, 10_000, seeds=self.seeds)

    def run(self, backend: str) -> int:
        """Train the cells that are missing, and return their number."""
        cells = self.cells()
        self.folder.mkdir(parents=True, exist_ok=True)
        missing = self.missing(cells)
        kept_before = len(cells) - len(missing)
        _print(f"{len(cells):,} cells of {self.repeats} runs; {kept_before:,} are there.")
        progress = Progress(cells=len(missing))
        waiting: list[Trained] = []
        last_kept = time.monotonic()
        try:
            with engine(backend) as engine_name:
                for trained in parallel.stream(
                    missing, measure=self.measure, repeats=self.repeats, backend=engine_name
                ):
                    waiting.append(trained)
                    if time.monotonic() - last_kept > KEEP_SECONDS:
                        self.keep(waiting)
                        waiting = []
                        last_kept = time.monotonic()
                    progress.add_cell()
        finally:
            if waiting:
                self.keep(waiting)
        return len(missing)

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells that are not in the folder yet.

        Raises RefusedError where it holds another sweep.
        """
        kept: set[tuple] = set()
        for file in sorted(self.folder.glob("*.parquet")):
            metadata = pq.read_schema(file).metadata or {}
            if json.loads(metadata.get(ABOUT, b"{}")) != self.about:
                raise RefusedError(
                    "out",
                    str(self.folder),
                    "a folder of this sweep, or an empty one: it holds another",
                )
            columns = pd.read_parquet(file, columns=self.key_columns)
            kept.update(columns.itertuples(index=False, name=None))
        return [cell for cell in cells if _key(cell) not in kept]

    def keep(self, trained: list[Trained]) -> None:
        """Write a file of the folder, complete or not at all."""
        file = self.folder / f"{time.time_ns():x}-{os.getpid():x}.parquet"
        # Readers of the folder leave such names out.
        unfinished = file.with_name(f".{file.stem}")
        pq.write_table(self.table(self.frame(trained)), unfinished)
        unfinished.rename(file)

    def all_runs(self) -> bytes:
        """Return the runs of this sweep in the folder as one file.

        The folder may have runs of more values and seeds.
        """
        keys = [_key(cell) for cell in self.cells()]
        runs = pd.read_parquet(self.folder)
        keys_of_runs = pd.MultiIndex.from_frame(runs[self.key_columns])
        return self.file(runs[keys_of_runs.isin(keys)])

    def cells(self) -> tuple[Cell, ...]:
        return parallel.cells(self.settings, self.over, seeds=self.seeds)

    @property
    def key_columns(self) -> list[str]:
        """Return the columns that identify a cell."""
        return [*self.over, "seed"]

    @property
    def about(self) -> dict[str, Any]:
        """Return what distinguishes this sweep from others.

        The swept values and the seeds are left out, because a folder may get more of them.
        """
        about = {
            "page": self.page,
            "settings": {**asdict(self.settings), **dict.fromkeys(self.key_columns)},
            "over": list(self.over),
            "measure": self.measure,
            "repeats": self.repeats,
        }
        if self.settings.void:
            about["void"] = self.settings.void
        return about

    def frame(self, trained: Iterable[Trained]) -> pd.DataFrame:
        """Return a table with a row for each run."""
        frames = []
        for cell, numbers in trained:
            columns = {
                **cell.values,
                "seed": seed(cell),
                "repeat": np.arange(len(numbers)),
                self.measure: numbers,
            }
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    def table(self, frame: pd.DataFrame) -> pa.Table:
        """Return the table with the metadata of a Parquet file."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        about = json.dumps(self.about, sort_keys=True)
        return table.replace_schema_metadata({ABOUT: about.encode()})

    def file(self, frame: pd.DataFrame) -> bytes:
        """Return a Parquet file, which is the same for the same runs, wherever they were trained."""
        ordered = frame.sort_values([*self.key_columns, "repeat"], ignore_index=True)
        content = io.BytesIO()
        pq.write_table(self.table(ordered), content)
        return content.getvalue()


def seed(cell: Cell) -> int:
    """Return the seed of a cell, or 0 if its settings have none."""
    return getattr(cell.settings, "seed", 0)


def _key(cell: Cell) -> tuple[Any, ...]:
    """Return the values of ``Sweep.key_columns``."""
    return (*cell.values.values(), seed(cell))


class Progress:
    """Prints from time to time how many cells are trained and how long the others will take.

    Args:
        cells: Number of cells.
    """

    def __init__(self, cells: int):
        self.cells = cells
        self.trained = 0
        self.begin = time.monotonic()
        self.last_printed = self.begin

    def add_cell(self) -> None:
        """Count one more cell."""
        self.trained += 1
        now = time.monotonic()
        if now - self.last_printed > PROGRESS_SECONDS:
            seconds_a_cell = (now - self.begin) / self.trained
            left = seconds_a_cell * (self.cells - self.trained)
            _print(f"{self.trained:,} of {self.cells:,}; {_duration(left)} left.")
            self.last_printed = now


@contextmanager
def engine(backend: str) -> Iterator[str]:
    """Yield the name of the engine: a Dask cluster if one is named, or else ``backend``.

    Raises RefusedError.
    """
    address = os.environ.get(SCHEDULER)
    if not address:
        yield backend
        return
    # It is in requirements-cluster.txt only.
    from distributed import Client

    try:
        client = Client(address)
    except (ValueError, OSError) as fault:
        allowed = "the address of a Dask scheduler that answers, such as tcp://scheduler:8786"
        raise RefusedError(SCHEDULER, address, allowed) from fault
    with client:
        yield "dask"


def _duration(seconds: float) -> str:
    if seconds < LONGEST_SECONDS:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the sweep of the command line, and return the exit status.

    It is 0 if all is there, 2 if the sweep is refused, and 130 if it was stopped and can go on.
    """
    options = read_options(arguments)
    try:
        page, settings = read(options.settings)
        sweep = Sweep(
            page=page,
            settings=settings,
            over=read_values(options.over, settings),
            measure=options.measure or settings.experiment.compared,
            repeats=options.repeats,
            seeds=options.seeds,
            folder=options.out,
        )
        count = sweep.run(options.backend)
        if options.table:
            options.table.write_bytes(sweep.all_runs())
    except (RefusedError, OSError, json.JSONDecodeError) as fault:
        _print(str(fault))
        return REFUSED
    except KeyboardInterrupt:
        _print("Stopped: started again, it goes on here.")
        return STOPPED
    _print(f"Done: {count:,} cells were trained.")
    return DONE


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="sweep", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("settings", help="a link of a page, or settings.json")
    parser.add_argument("--over", nargs="+", required=True, metavar="SLIDER=VALUE,...")
    parser.add_argument("--measure", default="", help="by default what a comparison is about")
    parser.add_argument("--repeats", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument(
        "--table", type=Path, help="all of it as one Parquet file, in order, once it is there"
    )
    parser.add_argument("--backend", choices=("threads", "processes"), default="processes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
