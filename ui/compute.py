"""The only cache of the app, and the only place where a page waits.

An experiment offers its work as tasks (``dpcore.experiments``). ``compute`` runs as many as fit into a slice of time
and says how far it has come; the page shows what there is and asks for the next slice, unless a control has moved.
Outcomes are shared by all sessions: a class that opens one link computes it once.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpcore.experiments import Experiment

# Small matrices, many sessions: threads of the linear algebra would only get into each other's way.
threadpool_limits(1, user_api="blas")

# One slice: what a slider's redraw can spare.
SLICE_SECONDS = 0.05
# How many outcomes are kept, and how many bytes of arrays they may hold together. A usual one, 48 models of two
# features, has 10 kB; a stretch of training of wide networks a few megabytes.
_OUTCOMES, _BYTES = 1000, 300_000_000


class _Outcomes:
    """The newest outcomes by task, safe to use from all script threads."""

    def __init__(self, limit: int, *, limit_bytes: int):
        self._limit, self._limit_bytes, self._bytes = limit, limit_bytes, 0
        self._kept, self._lock = OrderedDict(), threading.Lock()

    def find(self, task: Any) -> tuple[bool, Any]:
        with self._lock:
            if task not in self._kept:
                return False, None
            self._kept.move_to_end(task)
            return True, self._kept[task][0]

    def keep(self, task: Any, outcome: Any) -> None:
        size = array_bytes(outcome)
        with self._lock:
            self._bytes += size - self._kept.pop(task, (None, 0))[1]
            self._kept[task] = outcome, size
            while len(self._kept) > self._limit or (self._bytes > self._limit_bytes and len(self._kept) > 1):
                self._bytes -= self._kept.popitem(last=False)[1][1]


def array_bytes(value: Any) -> int:
    """How many bytes the arrays in an outcome hold."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return sum(map(array_bytes, value.values()))
    return sum(map(array_bytes, value)) if isinstance(value, (tuple, list)) else 0


_outcomes = _Outcomes(_OUTCOMES, limit_bytes=_BYTES)


def compute(experiment: Experiment, *, seconds: float = SLICE_SECONDS) -> tuple[Any, float]:
    """(the result of the work done so far, the share of the tasks that are done: 1 when complete).

    Essential tasks are run whatever they take, and always at least one that is not done yet; with ``seconds`` 0 nothing
    but the essential ones.
    """
    tasks, done, ran = experiment.tasks(), {}, False
    end = time.perf_counter() + seconds
    for task in tasks:
        found, outcome = _outcomes.find(task)
        if not found and (task.essential or (seconds and not ran) or time.perf_counter() < end):
            outcome, found, ran = task.run(), True, True
            _outcomes.keep(task, outcome)
        if found:
            done[task] = outcome
    return experiment.result(done), len(done) / len(tasks)
