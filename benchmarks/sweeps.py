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
CELLS = 60
REPEATS = 400
WORKERS = 2
# Cells that are trained before the clock starts, so that every worker has imported everything.
WARM_UP_CELLS = 8
SLOWER_AT_MOST = 1.3
COLUMNS = ("", "a sweep", "trainings / s")
WIDTHS = (12, 14, 16)


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure each backend in turn."""
    asked = "Dask with two workers over two processes"
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        line = Line(asked=asked, measured="not measured", met=None)
        return Outcome(lines=[line], missing=["distributed"])
    seconds: dict[str, list[float]] = {backend: [] for backend in parallel.BACKENDS}
    cluster = LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )
    with cluster, Client(cluster):
        for backend in seconds:
            _seconds_of_sweep(backend, seed=0, cells=WARM_UP_CELLS)
        for turn in range(rounds):
            for backend, taken in seconds.items():
                taken.append(_seconds_of_sweep(backend, seed=1 + turn * CELLS, cells=CELLS))

    say(
        f"  {CELLS} cells of {REPEATS} trainings, {thread_pool.core_count()} cores; wall time, best of"
        f" {rounds} rounds"
    )
    say(row(COLUMNS, WIDTHS))
    for backend, taken in seconds.items():
        best = min(taken)
        say(row((backend, f"{number(best)} s", number(CELLS * REPEATS / best)), WIDTHS))
    ratios = []
    for dask, processes in zip(seconds["dask"], seconds["processes"], strict=True):
        ratios.append(dask / processes)
    return Outcome(lines=[at_most(asked, SLOWER_AT_MOST, ratios)])


def _seconds_of_sweep(backend: str, *, seed: int, cells: int) -> float:
    """Train a sweep of ``cells`` seeds from an empty cache, and return the seconds."""
    CACHE.forget()
    sweep = parallel.cells(SETTINGS.change(seed=seed), {"epsilon": (1.0,)}, seeds=cells)
    begin = time.perf_counter()
    results = parallel.stream(
        sweep, measure="scratch", repeats=REPEATS, backend=backend, jobs=WORKERS
    )
    for _ in results:
        pass
    return time.perf_counter() - begin
