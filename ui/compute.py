"""The only cache of the app, and the only place where a page waits.

An experiment offers its work as tasks (``dpcore.experiments``). ``compute`` runs as many as fit into a slice of time
and says how far it has come; the page shows what there is and asks for the next slice, unless a control has moved.
Outcomes are shared by all sessions: a class that opens one link computes it once.
"""

import threading
import time
from collections import OrderedDict
from typing import Any

from threadpoolctl import threadpool_limits

from dpcore.experiments import Experiment

# Small matrices, many sessions: threads of the linear algebra would only get into each other's way.
threadpool_limits(1, user_api="blas")

# One slice: what a slider's redraw can spare.
SLICE_SECONDS = 0.05
# The largest outcome, 200 models of the digits, holds 0.6 MB; the usual one, 48 of two features, 10 kB.
_OUTCOMES = 400


class _Outcomes:
    """The newest outcomes by task, safe to use from all script threads."""

    def __init__(self, limit: int):
        self._limit, self._kept, self._lock = limit, OrderedDict(), threading.Lock()

    def find(self, task: Any) -> tuple[bool, Any]:
        with self._lock:
            if task not in self._kept:
                return False, None
            self._kept.move_to_end(task)
            return True, self._kept[task]

    def keep(self, task: Any, outcome: Any) -> None:
        with self._lock:
            self._kept[task] = outcome
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)


_outcomes = _Outcomes(_OUTCOMES)


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
