"""A sweep that is too large for one thread: the same looks, in pieces of about a second, on whatever can compute.

The engines are joblib's: threads of this process, processes of this machine, or the machines of a Dask cluster. The
numbers are the same on all of them to the last bit: a look depends on nothing but itself.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import joblib
import numpy as np

from dpcore import check, cores
from lab.settings import Settings
from lab.sweep import Look, split

BACKENDS = {"threads": "threading", "processes": "loky", "dask": "dask"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one piece of a sweep measures. values: of the knobs that are swept, by name; settings: with these and one
    of the seeds; part, parts: which of the repeats, as a ``Look`` has it."""

    values: Mapping[str, Any]
    settings: Settings
    part: int = 0
    parts: int = 1


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
    goes_on: Callable[[], bool] | None = None,
) -> Iterator[tuple[Cell, np.ndarray]]:
    """(cell, its numbers, (repeats,)) as they are ready, in any order.

    backend: a key of ``BACKENDS``; "dask" takes the cluster of the ``distributed.Client`` that is open. jobs: how many
    at once, by default as many as there are cores, or as the cluster has. piece: seconds that one piece of work takes,
    about, as far as those before it tell. goes_on: asked before each cell on threads, where it may wait; once it says
    no, what is not trained yet is left out. What computes elsewhere is in nobody's way. Raises RefusedError.
    """
    name = BACKENDS[check.choice(BACKENDS, backend=backend)]
    goes_on = goes_on if name == "threading" else None
    how = {"measure": measure, "repeats": repeats, "goes_on": goes_on}
    left, width = iter(every), 1

    def pieces() -> Iterator[list[Cell]]:
        while some := list(islice(left, width)):
            yield some

    jobs = jobs or (-1 if name == "dask" else cores.cores())
    with joblib.parallel_config(backend=name):
        work = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        for seconds, found in work(joblib.delayed(_measured)(some, **how) for some in pieces()):
            yield from found
            width = max(1, min(2 * width, round(len(found) * piece / max(seconds, 1e-3))))


def _measured(
    some: Iterable[Cell], *, measure: str, repeats: int, goes_on: Callable[[], bool] | None
) -> tuple[float, list[tuple[Cell, np.ndarray]]]:
    """(seconds that they took, which they are and their numbers): they come in any order."""
    cores.one_blas_thread()
    seconds, found = 0.0, []
    for one in some:
        if goes_on and not goes_on():
            break
        began = time.perf_counter()
        look = Look(settings=one.settings, measure=measure, repeats=repeats, part=one.part, parts=one.parts)
        found.append((one, look.alone()[:repeats]))
        seconds += time.perf_counter() - began
    return seconds, found
