"""Share the models of a batch among the cores."""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import threadpool_limits

# Multiply-adds from which a second core is worth its start: some 20 ms of work.
_WORTH_A_SECOND_CORE = 3e8


def for_each_part(job: Callable[[slice], None], models: int, *, work: float, at_once: int) -> None:
    """Do ``job`` on slices of at most ``at_once`` models, that together are all of them.

    work: multiply-adds of the whole. Little work stays on one core; large work is done on all of them side by side,
    for numpy leaves Python free to go on meanwhile.
    """
    workers = min(cores(), models) if work >= _WORTH_A_SECOND_CORE else 1
    width = min(at_once, math.ceil(models / workers))
    parts = [slice(first, min(first + width, models)) for first in range(0, models, width)]
    if workers == 1:
        for part in parts:
            job(part)
        return
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        list(pool.map(job, parts))


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
