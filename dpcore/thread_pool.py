"""Run jobs on the CPU cores: the models of a batch, a part of them in each thread of a pool."""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Thread

import scipy.linalg  # noqa: F401  scipy's bundled BLAS must be loaded before it can be limited
from threadpoolctl import threadpool_limits

# Multiply-adds above which a second core pays for its start: about 20 ms of work.
_WORTH_A_SECOND_CORE = 3e8


@cache
def limit_blas_to_one_thread() -> None:
    """Limit BLAS to one thread per caller for the rest of this process.

    With small matrices and many models or sessions, BLAS threads would only compete, and their
    number would decide the last bits of results. threadpoolctl keeps a reference to the thread that
    limits OpenBLAS, and through it to everything that thread holds, such as a visitor's session. A
    thread that holds nothing therefore sets the limit.
    """
    thread = Thread(target=threadpool_limits, kwargs={"limits": 1, "user_api": "blas"})
    thread.start()
    thread.join()


def for_each_part(job: Callable[[slice], None], models: int, *, work: float, at_once: int) -> None:
    """Call ``job`` on slices of at most ``at_once`` models that together cover ``models``.

    work: multiply-adds of the whole job. Little work stays on one core. Large work runs on all
    cores in parallel, because numpy releases the GIL, and from then on BLAS uses one thread per
    job.
    """
    workers = 1
    if work >= _WORTH_A_SECOND_CORE:
        workers = min(core_count(), models)
    width = min(at_once, math.ceil(models / workers))
    parts = []
    for first in range(0, models, width):
        end = min(first + width, models)
        parts.append(slice(first, end))
    if workers == 1:
        for part in parts:
            job(part)
        return
    limit_blas_to_one_thread()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(job, parts))


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
