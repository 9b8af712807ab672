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

# Seconds between two files, and between two words on how far it has come.
_KEEP, _SAY = 5.0, 2.0
SCHEDULER = "LAB_SCHEDULER"
# What a file says of the sweep that it belongs to.
ABOUT = b"epsilon-lab"


def read(text: str) -> tuple[str, Settings]:
    """(page, settings) of a link or of a file. Raises RefusedError."""
    kinds = {page.name: page.settings for page in PAGES}
    if text.endswith(".json"):
        said = json.loads(Path(text).read_text("utf-8"))
        page = said.pop("page", "")
        texts = {name: str(value) for name, value in said.items()}
    else:
        parts = urlsplit(text)
        page, texts = (
            parts.path.strip("/").rpartition("/")[-1],
            dict(parse_qsl(parts.query, keep_blank_values=True)),
        )
    check.choice(kinds, page=page)
    settings, refused = links.read(kinds[page], texts)
    for refusal in refused.values():
        raise refusal
    known = {links.VERSION_NAME, *asdict(settings)}
    unknown = sorted(name for name in texts if name not in known and not links.is_tracking(name))
    if unknown:
        raise RefusedError("settings", unknown[0], f"a field of the page {page}")
    return page, settings


def over(texts: Iterable[str], settings: Settings) -> dict[str, tuple[Any, ...]]:
    """Slider -> values, of "epsilon=0.1,1,10". Raises RefusedError."""
    found = {}
    for text in texts:
        name, _, values = text.partition("=")
        check.choice(asdict(settings), over=name)
        found[name] = tuple(
            getattr(links.changed(settings, name, value), name) for value in values.split(",")
        )
    return found


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep of a page's settings.

    over: the values of each parameter.
    measure: a key of ``settings.experiment.measures``.
    repeats: runs of each combination of values on each of ``seeds`` splits.
    folder: where the runs are kept.
    """

    page: str
    settings: Settings
    over: Mapping[str, tuple[Any, ...]]
    measure: str
    repeats: int
    seeds: int
    folder: Path

    def __post_init__(self) -> None:
        check.choice(self.settings.experiment.measures, measure=self.measure)
        check.whole(1, 10_000, repeats=self.repeats)
        check.whole(1, 10_000, seeds=self.seeds)

    def run(self, backend: str) -> int:
        """Train what is missing; how many cells that were."""
        every = self.cells()
        self.folder.mkdir(parents=True, exist_ok=True)
        todo = self.left(every)
        _tell(f"{len(every):,} cells of {self.repeats} runs; {len(every) - len(todo):,} are there.")
        waiting, began, kept, said = [], *[time.monotonic()] * 3
        try:
            with engine(backend) as name:
                work = parallel.stream(
                    todo, measure=self.measure, repeats=self.repeats, backend=name
                )
                for place, one in enumerate(work, 1):
                    waiting.append(one)
                    now = time.monotonic()
                    if now - kept > _KEEP:
                        self.keep(waiting)
                        waiting, kept = [], now
                    if now - said > _SAY:
                        _tell(
                            f"{place:,} of {len(todo):,};"
                            f" {_lasts((now - began) * (len(todo) / place - 1))} left."
                        )
                        said = now
        finally:
            if waiting:
                self.keep(waiting)
        return len(todo)

    def left(self, every: Iterable[Cell]) -> list[Cell]:
        """The cells that are not in the folder yet.

        Raises RefusedError where it holds another sweep.
        """
        there: set[tuple] = set()
        for file in sorted(self.folder.glob("*.parquet")):
            said = json.loads((pq.read_schema(file).metadata or {}).get(ABOUT, b"{}"))
            if said != self.about:
                raise RefusedError(
                    "out",
                    str(self.folder),
                    "a folder of this sweep, or an empty one: it holds another",
                )
            there |= set(
                pd.read_parquet(file, columns=[*self.over, "seed"]).itertuples(
                    index=False, name=None
                )
            )
        return [cell for cell in every if (*cell.values.values(), seed(cell)) not in there]

    def keep(self, found: list[tuple[Cell, np.ndarray]]) -> None:
        """A file of what was found: there whole, or not at all."""
        file = self.folder / f"{time.time_ns():x}-{os.getpid():x}.parquet"
        unfinished = file.with_name(f".{file.stem}")  # readers of the folder leave such names out
        pq.write_table(self.table(self.frame(found)), unfinished)
        unfinished.rename(file)

    def whole(self) -> bytes:
        """What was asked for of all that is there, as one file."""
        names = [*self.over, "seed"]
        asked = [(*cell.values.values(), seed(cell)) for cell in self.cells()]
        there = pd.read_parquet(self.folder)
        return self.file(there[pd.MultiIndex.from_frame(there[names]).isin(asked)])

    def cells(self) -> tuple[Cell, ...]:
        return parallel.cells(self.settings, self.over, seeds=self.seeds)

    @property
    def about(self) -> dict[str, Any]:
        """Return what tells it from other sweeps, but for which values and seeds there are: of
        these there may come more.
        """
        fixed = asdict(self.settings) | dict.fromkeys((*self.over, "seed"))
        return {
            "page": self.page,
            "settings": fixed,
            "over": [*self.over],
            "measure": self.measure,
            "repeats": self.repeats,
        } | ({"void": self.settings.void} if self.settings.void else {})

    def frame(self, found: Iterable[tuple[Cell, np.ndarray]]) -> pd.DataFrame:
        """Return a row a run."""
        frames = [
            pd.DataFrame(
                {
                    **cell.values,
                    "seed": seed(cell),
                    "repeat": np.arange(len(numbers)),
                    self.measure: numbers,
                }
            )
            for cell, numbers in found
        ]
        return pd.concat(frames, ignore_index=True)

    def table(self, frame: pd.DataFrame) -> pa.Table:
        """Return the same for a Parquet file."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        return table.replace_schema_metadata(
            {ABOUT: json.dumps(self.about, sort_keys=True).encode()}
        )

    def file(self, frame: pd.DataFrame) -> bytes:
        """Return one Parquet file, in order: the same for the same runs, wherever they were
        trained.
        """
        ordered, packed = (
            frame.sort_values([*self.over, "seed", "repeat"], ignore_index=True),
            io.BytesIO(),
        )
        pq.write_table(self.table(ordered), packed)
        return packed.getvalue()


def seed(cell: Cell) -> int:
    """Return the seed of a cell; 0 where there is none."""
    return getattr(cell.settings, "seed", 0)


@contextmanager
def engine(backend: str) -> Iterator[str]:
    """Yield the name of the engine, while it is there: a Dask cluster where one is named.

    Raises RefusedError.
    """
    address = os.environ.get(SCHEDULER)
    if not address:
        yield backend
        return
    from distributed import Client  # requirements-cluster.txt

    try:
        client = Client(address)
    except (ValueError, OSError) as fault:
        allowed = "the address of a Dask scheduler that answers, such as tcp://scheduler:8786"
        raise RefusedError(SCHEDULER, address, allowed) from fault
    with client:
        yield "dask"


def _lasts(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(words: list[str] | None = None) -> int:
    """Exit code 0: all is there; 2: what was asked is refused; 130: it was stopped, and can
    go on.
    """
    parser = argparse.ArgumentParser(
        prog="sweep", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("settings", help="a link of a page, or settings.json")
    parser.add_argument("--over", nargs="+", required=True, metavar="KNOB=VALUE,...")
    parser.add_argument("--measure", default="", help="by default what a comparison is about")
    parser.add_argument("--repeats", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument(
        "--table", type=Path, help="all of it as one Parquet file, in order, once it is there"
    )
    parser.add_argument("--backend", choices=("threads", "processes"), default="processes")
    said = parser.parse_args(words)
    try:
        page, settings = read(said.settings)
        asked = Sweep(
            page=page,
            settings=settings,
            over=over(said.over, settings),
            measure=said.measure or settings.experiment.compared,
            repeats=said.repeats,
            seeds=said.seeds,
            folder=said.out,
        )
        count = asked.run(said.backend)
        if said.table:
            said.table.write_bytes(asked.whole())
    except (RefusedError, OSError, json.JSONDecodeError) as fault:
        _tell(f"{fault}")
        return 2
    except KeyboardInterrupt:
        _tell("Stopped: started again, it goes on here.")
        return 130
    _tell(f"Done: {count:,} cells were trained.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
