"""Share the models of a batch among the cores."""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Thread

import scipy.linalg  # noqa: F401  brings a BLAS of its own, which must be there to be limited
from threadpoolctl import threadpool_limits

# Multiply-adds from which a second core is worth its start: some 20 ms of work.
_WORTH_A_SECOND_CORE = 3e8


@cache
def one_blas_thread() -> None:
    """From now on each product of matrices in this process is computed by the thread that asks for it.

    Small matrices, many models or sessions: threads of the linear algebra would only get into each other's way, and
    their number would decide the last bits. threadpoolctl holds on to the thread that has set OpenBLAS's limit, and so
    to all that hangs on it, the session of a visitor for one: it is set by a thread that has nothing.
    """
    thread = Thread(target=threadpool_limits, kwargs={"limits": 1, "user_api": "blas"})
    thread.start()
    thread.join()


def for_each_part(job: Callable[[slice], None], models: int, *, work: float, at_once: int) -> None:
    """Do ``job`` on slices of at most ``at_once`` models, that together are all of them.

    work: multiply-adds of the whole. Little work stays on one core; large work is done on all of them side by side,
    for numpy leaves Python free to go on meanwhile; the linear algebra then has one thread a job, from then on.
    """
    workers = min(cores(), models) if work >= _WORTH_A_SECOND_CORE else 1
    width = min(at_once, math.ceil(models / workers))
    parts = [slice(first, min(first + width, models)) for first in range(0, models, width)]
    if workers == 1:
        for part in parts:
            job(part)
        return
    one_blas_thread()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(job, parts))


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
