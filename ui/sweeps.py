"""A large sweep as a table with its settings, and the `make sweep` command that computes it."""

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import check
from lab import links
from lab.at_scale import Cell
from lab.settings import Settings

SCHEDULER = "LAB_SCHEDULER"
# What a file says of the sweep that it belongs to.
ABOUT = b"epsilon-lab"


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is asked for. over: knob -> its values; measure: of ``settings.MEASURES``; repeats: of each value on each of
    so many seeds."""

    page: str
    settings: Settings
    over: Mapping[str, tuple[Any, ...]]
    measure: str
    repeats: int
    seeds: int

    def __post_init__(self) -> None:
        check.choice(self.settings.MEASURES, measure=self.measure)
        check.whole(1, 10_000, repeats=self.repeats)
        check.whole(1, 10_000, seeds=self.seeds)

    @property
    def about(self) -> dict[str, Any]:
        """Return what tells it from other sweeps, but for which values and seeds there are: of these there may come
        more."""
        fixed = asdict(self.settings) | dict.fromkeys((*self.over, "seed"))
        return {
            "page": self.page,
            "settings": fixed,
            "over": [*self.over],
            "measure": self.measure,
            "repeats": self.repeats,
        } | ({"void": self.settings.void} if self.settings.void else {})

    def frame(self, found: Iterable[tuple[Cell, np.ndarray]]) -> pd.DataFrame:
        """A row a run."""
        frames = [
            pd.DataFrame({**cell.values, "seed": seed(cell), "repeat": np.arange(len(numbers)), self.measure: numbers})
            for cell, numbers in found
        ]
        return pd.concat(frames, ignore_index=True)

    def table(self, frame: pd.DataFrame) -> pa.Table:
        """The same for a Parquet file."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        return table.replace_schema_metadata({ABOUT: json.dumps(self.about, sort_keys=True).encode()})

    def file(self, frame: pd.DataFrame) -> bytes:
        """All of it as one Parquet file, in order: the same for the same runs, wherever they were trained."""
        ordered, packed = frame.sort_values([*self.over, "seed", "repeat"], ignore_index=True), io.BytesIO()
        pq.write_table(self.table(ordered), packed)
        return packed.getvalue()

    @property
    def command(self) -> str:
        """Return what trains it in a checkout, and writes it as one file."""
        link = f"{self.page}?{urlencode(links.versioned(links.brief(self.settings)))}"
        over = " ".join(f"{name}={','.join(map(str, values))}" for name, values in self.over.items())
        how = f"--measure {self.measure} --repeats {self.repeats} --seeds {self.seeds}"
        return f"make sweep ARGS=\"'{link}' --over {over} {how} --out runs --table runs.parquet\""


def seed(cell: Cell) -> int:
    """Return the seed of a cell; 0 where there is none."""
    return getattr(cell.settings, "seed", 0)


@contextmanager
def engine(backend: str) -> Iterator[str]:
    """The name of the engine, while it is there: a Dask cluster where one is named."""
    address = os.environ.get(SCHEDULER)
    if not address:
        yield backend
        return
    from distributed import Client  # requirements-cluster.txt

    with Client(address):
        yield "dask"
