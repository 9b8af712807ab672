"""Time a sweep on threads, on processes and on two Dask workers.

    make bench ARGS=sweeps

The workers start before the clock. Every round has seeds that no worker has seen.

- *a sweep*: shortest wall time of 60 settings with 400 trainings each.
- *trainings / s*: trainings per second in it.
"""

import time

from benchmarks.report import Line, Outcome, Print, at_most, number, row
from dpcore import thread_pool
from dpcore.cache import CACHE
from lab.sweeps import parallel
from pages.classifier.settings import ClassifierSettings

SETTINGS = ClassifierSettings(public_rows=0)
CELLS, REPEATS, WORKERS = 60, 400, 2
WIDTHS = (12, 14, 16)


def run(*, rounds: int, say: Print) -> Outcome:
    """Each engine in turn, each round with seeds of its own."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        asked = "Dask over processes at most 1.3x"
        return Outcome(
            lines=[Line(asked=asked, measured="not measured", met=None)], missing=["distributed"]
        )
    seconds: dict[str, list[float]] = {name: [] for name in parallel.BACKENDS}
    alone = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=WORKERS, **alone) as cluster, Client(cluster):
        for backend in seconds:
            _taken(backend, seed=0, cells=8)  # its imports are nobody's
        for number_of in range(rounds):
            for backend, taken in seconds.items():
                taken.append(_taken(backend, seed=1 + number_of * CELLS, cells=CELLS))
    say(
        f"  {CELLS} cells of {REPEATS} trainings, {thread_pool.core_count()} cores; wall time, best of"
        f" {rounds} rounds"
    )
    say(row(("", "a sweep", "trainings / s"), WIDTHS))
    for backend, taken in seconds.items():
        say(row((backend, f"{number(min(taken))} s", number(CELLS * REPEATS / min(taken))), WIDTHS))
    ratios = [
        dask / other for dask, other in zip(seconds["dask"], seconds["processes"], strict=True)
    ]
    return Outcome(lines=[at_most("Dask with two workers over two processes", 1.3, ratios)])


def _taken(backend: str, *, seed: int, cells: int) -> float:
    """Seconds, from nothing; threads keep what they have trained, so it is forgotten."""
    CACHE.forget()
    every = parallel.cells(SETTINGS.change(seed=seed), {"epsilon": (1.0,)}, seeds=cells)
    began = time.perf_counter()
    for _ in parallel.stream(
        every, measure="scratch", repeats=REPEATS, backend=backend, jobs=WORKERS
    ):
        pass
    return time.perf_counter() - began
