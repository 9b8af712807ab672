"""The only place where a page waits.

``compute`` runs as many tasks (``lab.experiment.settings``) as fit into a slice of time; the page
shows what there is and asks for the next slice. Outcomes are shared by all sessions
(``dpcore.cache``): a class that opens one link computes it once.
"""

import time
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from dpcore import cores
from dpcore.cache import CACHE
from lab.experiment.settings import Settings
from ui.compute import scheduler

cores.one_blas_thread()

# CPU time of a slice: what a slider's redraw can spare, and what is computed between two redraws
# while nothing moves.
SLICE_SECONDS, LONG_SLICE_SECONDS = 0.05, 0.25
# A slice may also take so many times as long by the clock, which counts what runs in other threads.
_BY_THE_CLOCK = 4

# (experiment, its tasks that are done) -> the result, for as long as somebody, such as a kept
# picture, holds it.
_results: WeakValueDictionary[Any, Any] = WeakValueDictionary()


def compute(experiment: Settings, *, seconds: float = SLICE_SECONDS) -> tuple[Any, float]:
    """Return (the result of the work done so far, the share of the tasks that are done: 1 when
    complete).

    seconds: of CPU time, so that a busy machine draws the same work no more often. Essential tasks
    are run whatever they take, and always at least one that is not done yet, unless a request waits
    for the end of this one; with ``seconds`` 0 nothing but the essential ones. Before each task
    others may go first, or the work is given up (``turns.pause``). Another session's run of a task
    is waited for where this one would have to run it; beyond that, what others are at is left to
    them. The same work done gives the same object.
    """
    tasks, done, ran = experiment.tasks(), {}, False
    began, clock, paused = time.thread_time(), time.monotonic(), 0.0

    def spare() -> bool:
        by_the_clock = time.monotonic() - clock - paused
        return (
            max(time.thread_time() - began, by_the_clock / _BY_THE_CLOCK) < seconds
            and not scheduler.hurried()
        )

    for task in tasks:
        found, outcome = CACHE.find(task)
        must = task.essential or (seconds and not ran)
        if not found and (must or (spare() and not CACHE.running(task))):
            paused += scheduler.pause()
            if task.essential or not scheduler.pressed():
                outcome, found, ran = CACHE.answer(task, task.run), True, True
        if found:
            done[task] = outcome
    what = experiment, tuple(done)
    result = _results.get(what)
    if result is None:
        result = _results.setdefault(what, experiment.result(done))
    return result, len(done) / len(tasks)


def repeats(experiment: Settings, *, done: bool) -> np.ndarray | None:
    """Return the measure that is compared, (R,), a number a repeat: of those that are known, and of
    all once the experiment's own work is ``done``; None where fewer than two have one.
    """
    if not experiment.COMMON:
        return None
    read, found = experiment.MEASURES[experiment.compared].read, []
    for task in experiment.samples():
        known, outcome = CACHE.find(task)
        if not known and not done:
            break
        found.append(read(outcome if known else CACHE.answer(task, task.run)))
    values = np.concatenate(found) if found else np.empty(0)
    return values if len(values) > 1 and np.isfinite(values).all() else None
