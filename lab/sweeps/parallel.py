"""Run large sweeps in parallel on threads, processes or a Dask cluster, through joblib.

All backends give bitwise equal numbers, because each measurement depends only on its own settings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
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
) -> Iterator[tuple[Cell, np.ndarray]]:
    """Yield (cell, its numbers (repeats,)) as they become ready, in any order.

    Args:
        every: The cells.
        measure: A key of ``settings.experiment.measures``.
        repeats: Number of repeats of each cell.
        backend: A key of ``BACKENDS``; "dask" uses the cluster of the open ``distributed.Client``.
        jobs: Number of parallel jobs; None for the number of cores, or of the cluster's workers.

    Raises:
        RefusedError: If the backend is unknown.
    """
    name = BACKENDS[check.choice(BACKENDS, backend=backend)]
    if not jobs:
        jobs = thread_pool.core_count()
        if name == "dask":
            jobs = _ALL_WORKERS
    with joblib.parallel_config(backend=name):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        measure_cell = joblib.delayed(_measured)
        yield from parallel(measure_cell(cell, measure=measure, repeats=repeats) for cell in every)


def _measured(cell: Cell, *, measure: str, repeats: int) -> tuple[Cell, np.ndarray]:
    """Return the cell, as cells come in any order, and its numbers (repeats,)."""
    thread_pool.limit_blas_to_one_thread()
    measurement = Measurement(settings=cell.settings, measure=measure, repeats=repeats)
    return cell, measurement.run(kept=False)[:repeats]
