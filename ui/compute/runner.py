"""Run the tasks of an experiment, a slice of time after another.

This is the only place where a page waits. ``compute`` runs as many tasks as fit into a slice; the
page shows the result so far and asks for the next slice. All sessions share the outcomes
(``dpcore.cache``), so a class that opens one link computes it once.
"""

import time
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from dpcore import thread_pool
from dpcore.cache import CACHE
from lab.experiment.settings import Settings
from ui.compute import scheduler

thread_pool.limit_blas_to_one_thread()

# CPU time of a slice: what a slider's redraw can spare, and what is computed between two redraws
# while nothing moves.
SLICE_SECONDS, LONG_SLICE_SECONDS = 0.05, 0.25
# A slice may also take so many times as long by the clock, which counts what runs in other threads.
_BY_THE_CLOCK = 4

# (settings, the tasks that are done) -> the result, for as long as somebody, such as a kept chart,
# holds it.
_results: WeakValueDictionary[Any, Any] = WeakValueDictionary()


def compute(settings: Settings, *, seconds: float = SLICE_SECONDS) -> tuple[Any, float]:
    """Run tasks for a slice of time; return the result so far, and the share of tasks done.

    Essential tasks always run, and at least one other task, unless another request waits for the
    end of this one. With ``seconds`` 0 only essential tasks run. Before each task, other requests
    may go first, or the request is cancelled (``scheduler.yield_slot``). A task that another
    session runs is waited for if it must run here, and left to that session otherwise. The same
    tasks done give the same object.

    seconds: of CPU time, so that a busy machine draws the same work no more often.
    """
    experiment = settings.experiment
    tasks = experiment.tasks()
    outcomes = {}
    ran_one = False
    cpu_start = time.thread_time()
    clock_start = time.monotonic()
    paused = 0.0

    def has_time() -> bool:
        cpu_seconds = time.thread_time() - cpu_start
        clock_seconds = time.monotonic() - clock_start - paused
        used = max(cpu_seconds, clock_seconds / _BY_THE_CLOCK)
        return used < seconds and not scheduler.others_waiting()

    for task in tasks:
        is_known, outcome = CACHE.find(task)
        if is_known:
            outcomes[task] = outcome
            continue
        must_run = task.essential or (seconds > 0 and not ran_one)
        if not must_run and (not has_time() or CACHE.running(task)):
            continue
        paused += scheduler.yield_slot()
        if task.essential or not scheduler.rerun_requested():
            outcomes[task] = CACHE.answer(task, task.run)
            ran_one = True
    key = (settings, tuple(outcomes))
    result = _results.get(key)
    if result is None:
        result = _results.setdefault(key, experiment.gather(outcomes))
    return result, len(outcomes) / len(tasks)


def repeats(settings: Settings, *, done: bool) -> np.ndarray | None:
    """Return the compared measure of each repeat that is known, (R,).

    Return None where nothing can be compared: of settings without repeats, for fewer than two of
    them, and where one has diverged.

    done: whether all tasks of the settings are done. Repeats that the cache has dropped since are
        then computed again.
    """
    experiment = settings.experiment
    if not experiment.PAIRED_BY:
        return None
    measure = experiment.measures[experiment.compared]
    batches = []
    for task in experiment.shown_sample():
        is_known, outcome = CACHE.find(task)
        if not is_known:
            if not done:
                break
            outcome = CACHE.answer(task, task.run)
        batches.append(measure.read(outcome))
    if not batches:
        return None
    values = np.concatenate(batches)
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return values
