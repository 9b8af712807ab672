"""Run large sweeps in chunks of about one second on threads, processes or a Dask cluster, through
joblib.

All backends give bitwise equal numbers, because each measurement depends only on its own settings.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import joblib
import numpy as np

from dpcore import check, cores
from lab.experiment.settings import Settings
from lab.sweeps.sweep import Measurement, split

BACKENDS = {"threads": "threading", "processes": "loky", "dask": "dask"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a sweep: a combination of parameter values and a seed.

    values: the swept parameters by name. settings: the settings with these values and one of the
    seeds.
    """

    values: Mapping[str, Any]
    settings: Settings


def cells(
    settings: Settings, over: Mapping[str, Sequence[Any]], *, seeds: int = 1
) -> tuple[Cell, ...]:
    """Return every combination of the parameter values in ``over``, with each of ``seeds`` seeds.

    Raises RefusedError, before anything is trained, if the settings refuse a combination.
    """
    every = [dict(zip(over, values, strict=True)) for values in product(*over.values())]
    return tuple(
        Cell(values=values, settings=one)
        for values in every
        for one in split(_changed(settings, values), seeds)
    )


def _changed(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Apply all values at once; raise RefusedError if one value moves another out of its requested
    value.
    """
    found = settings.change(**values)
    for name, value in values.items():
        if getattr(found, name) != value:
            raise check.RefusedError(
                name,
                value,
                f"a value that stays with the others; it becomes {getattr(found, name)}",
            )
    return found


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

    backend: a key of ``BACKENDS``; "dask" uses the cluster of the open ``distributed.Client``.
    jobs: number of parallel jobs, by default the number of cores, or of the cluster's workers.
    piece: target duration of a chunk of work, in seconds, estimated from earlier chunks. Raises
    RefusedError.
    """
    name = BACKENDS[check.choice(BACKENDS, backend=backend)]
    left, width = iter(every), 1

    def pieces() -> Iterator[list[Cell]]:
        while some := list(islice(left, width)):
            yield some

    jobs = jobs or (-1 if name == "dask" else cores.cores())
    with joblib.parallel_config(backend=name):
        work = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        for seconds, found in work(
            joblib.delayed(_measured)(some, measure=measure, repeats=repeats) for some in pieces()
        ):
            yield from found
            width = max(1, min(2 * width, round(len(found) * piece / max(seconds, 1e-3))))


def _measured(
    some: Iterable[Cell], *, measure: str, repeats: int
) -> tuple[float, list[tuple[Cell, np.ndarray]]]:
    """Return (seconds taken, [(cell, its numbers)]), with the cells because chunks finish in any
    order.
    """
    cores.one_blas_thread()
    seconds, found = 0.0, []
    for one in some:
        began = time.perf_counter()
        measurement = Measurement(settings=one.settings, measure=measure, repeats=repeats)
        found.append((one, measurement.run(kept=False)[:repeats]))
        seconds += time.perf_counter() - began
    return seconds, found
