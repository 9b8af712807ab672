"""A sweep that is too large for one thread: the same looks, in pieces of about a second, on whatever can compute.

The engines are joblib's: threads of this process, processes of this machine, or the machines of a Dask cluster. The
numbers are the same on all of them to the last bit: a look depends on nothing but itself.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import joblib
import numpy as np

from dpcore import check, cores
from dpcore.experiment import Settings
from dpcore.sweep import Look, split

BACKENDS = {"threads": "threading", "processes": "loky", "dask": "dask"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one piece of a sweep measures. values: of the knobs that are swept, by name; settings: with these and one
    of the seeds."""

    values: Mapping[str, Any]
    settings: Settings


def cells(settings: Settings, over: Mapping[str, Sequence[Any]], *, seeds: int = 1) -> tuple[Cell, ...]:
    """Every combination of the values of the knobs, with each of so many seeds. Raises RefusedError, before anything
    is trained, where the settings refuse one."""
    every = [dict(zip(over, values, strict=True)) for values in product(*over.values())]
    return tuple(
        Cell(values=values, settings=one) for values in every for one in split(_changed(settings, values), seeds)
    )


def _changed(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """All of them at once; none may be brought into another's range."""
    found = settings.change(**values)
    for name, value in values.items():
        if getattr(found, name) != value:
            raise check.RefusedError(
                name, value, f"a value that stays with the others; it becomes {getattr(found, name)}"
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
    """(cell, its numbers, (repeats,)) as they are ready, in any order.

    backend: a key of ``BACKENDS``; "dask" takes the cluster of the ``distributed.Client`` that is open. jobs: how many
    at once, by default as many as there are cores, or as the cluster has. piece: seconds that one piece of work takes,
    about: as many cells as the first one, which is measured here, says. Raises RefusedError.
    """
    name = BACKENDS[check.choice(BACKENDS, backend=backend)]
    if not every:
        return
    began = time.perf_counter()
    first = _measured(every[:1], measure, repeats)
    yield every[0], first[0]
    width = max(1, round(piece / max(time.perf_counter() - began, 1e-3)))
    pieces = [every[begin : begin + width] for begin in range(1, len(every), width)]
    how = {"n_jobs": jobs or (-1 if name == "dask" else cores.cores()), "return_as": "generator_unordered"}
    with joblib.parallel_config(backend=name):
        work = joblib.Parallel(**how, batch_size=1)
        for done, found in work(joblib.delayed(_piece)(some, measure, repeats) for some in pieces):
            yield from zip(done, found, strict=True)


def _piece(some: Sequence[Cell], measure: str, repeats: int) -> tuple[Sequence[Cell], list[np.ndarray]]:
    """Which they are, and their numbers: they come in any order."""
    return some, _measured(some, measure, repeats)


def _measured(some: Iterable[Cell], measure: str, repeats: int) -> list[np.ndarray]:
    cores.one_blas_thread()
    return [Look(settings=one.settings, measure=measure, repeats=repeats).run()[:repeats] for one in some]
