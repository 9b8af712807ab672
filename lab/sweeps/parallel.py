"""Run large sweeps in parallel on threads, processes or a Dask cluster, through joblib.

All backends give bitwise equal numbers, because each measurement depends only on its own settings.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import joblib
import numpy as np

from dpcore import check, thread_pool
from lab.experiment.settings import Settings
from lab.sweeps.measurement import Measurement, split

# Name of a backend -> that of joblib.
BACKENDS = {"threads": "threading", "processes": "loky", "dask": "dask"}
# In joblib, as many jobs as there are workers.
_ALL_WORKERS = -1
# Seconds; keeps a ratio finite.
_SHORTEST = 1e-3


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A combination of parameter values and a seed.

    Attributes:
        values: The swept parameters by name.
        settings: The settings with these values and one of the seeds.
    """

    values: Mapping[str, Any]
    settings: Settings


def cells(
    settings: Settings, over: Mapping[str, Sequence[Any]], *, seeds: int = 1
) -> tuple[Cell, ...]:
    """Return every combination of the parameter values in ``over``, with each of several seeds.

    Raises:
        RefusedError: Before anything is trained, if the settings refuse a combination.
    """
    found = []
    for combination in product(*over.values()):
        values = dict(zip(over, combination, strict=True))
        for variant in split(_changed(settings, values), seeds):
            found.append(Cell(values=values, settings=variant))
    return tuple(found)


def _changed(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Apply all values at once; raise RefusedError if one value changes another one."""
    changed = settings.change(**values)
    for name, value in values.items():
        actual = getattr(changed, name)
        if actual != value:
            raise check.RefusedError(
                name, value, f"a value that stays with the others; it becomes {actual}"
            )
    return changed


def stream(
    every: Sequence[Cell],
    *,
    measure: str,
    repeats: int,
    backend: str = "threads",
    jobs: int | None = None,
    piece: float = 1.0,
) -> Iterator[tuple[Cell, np.ndarray]]:
    """Yield (cell, its numbers (repeats,)) as they become ready, in any order.

    Args:
        every: The cells.
        measure: A key of ``settings.experiment.measures``.
        repeats: Number of repeats of each cell.
        backend: A key of ``BACKENDS``; "dask" uses the cluster of the open ``distributed.Client``.
        jobs: Number of parallel jobs; None for the number of cores, or of the cluster's workers.
        piece: Target duration of a chunk of cells in seconds, estimated from earlier chunks.

    Raises:
        RefusedError: If the backend is unknown.
    """
    name = BACKENDS[check.choice(BACKENDS, backend=backend)]
    if not jobs:
        jobs = thread_pool.core_count()
        if name == "dask":
            jobs = _ALL_WORKERS
    remaining = iter(every)
    chunk_size = 1

    def chunks() -> Iterator[list[Cell]]:
        """Yield the remaining cells in lists of ``chunk_size``."""
        chunk = list(islice(remaining, chunk_size))
        while chunk:
            yield chunk
            chunk = list(islice(remaining, chunk_size))

    with joblib.parallel_config(backend=name):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        measure_chunk = joblib.delayed(_measured)
        calls = (measure_chunk(chunk, measure=measure, repeats=repeats) for chunk in chunks())
        for seconds, results in parallel(calls):
            yield from results
            estimate = round(len(results) * piece / max(seconds, _SHORTEST))
            chunk_size = max(1, min(2 * chunk_size, estimate))


def _measured(
    chunk: Iterable[Cell], *, measure: str, repeats: int
) -> tuple[float, list[tuple[Cell, np.ndarray]]]:
    """Return (seconds taken, [(cell, its numbers)]), with the cells because chunks finish in any
    order.
    """
    thread_pool.limit_blas_to_one_thread()
    seconds = 0.0
    results = []
    for cell in chunk:
        start = time.perf_counter()
        measurement = Measurement(settings=cell.settings, measure=measure, repeats=repeats)
        numbers = measurement.run(kept=False)[:repeats]
        seconds += time.perf_counter() - start
        results.append((cell, numbers))
    return seconds, results
