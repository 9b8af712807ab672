"""Work is done once, whoever asks for it at the same time; threads hold no visitor's session."""

import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dpcore import thread_pool
from dpcore.cache import Cache
from pages.parties.settings import PartiesSettings
from tests.app import QUICK, ROOT
from ui.compute import runner
from ui.session.entries import from_link


@dataclass(frozen=True)
class Task:
    name: str
    essential: bool = False

    def run(self):
        """List the run under the task's name, and return zeros, (10000,)."""
        ListOfTasks.runs.append(self.name)
        return np.zeros(10_000)


@dataclass(frozen=True)
class ListOfTasks:
    """Settings and experiment in one, whose first task is essential and whose runs are listed."""

    names: tuple[str, ...]
    runs: ClassVar[list[str]] = []

    @property
    def experiment(self):
        """Return these settings, which are their own experiment."""
        return self

    def tasks(self):
        """Return a task for each name."""
        return tuple(Task(name, essential=index == 0) for index, name in enumerate(self.names))

    def gather(self, outcomes):
        """Return the names of the tasks that have an outcome."""
        return frozenset(task.name for task in outcomes)


@pytest.fixture(autouse=True)
def fresh_cache(monkeypatch):
    """Give the runner an empty cache with room for three outcomes, and forget all runs."""
    monkeypatch.setattr(runner, "CACHE", Cache(250_000))  # room for three arrays
    ListOfTasks.runs.clear()


class TestSlice:
    SETTINGS = ListOfTasks(("a", "b", "c"))

    def test_without_time_only_essential_tasks_run(self):
        assert runner.compute(self.SETTINGS, seconds=0) == ({"a"}, 1 / 3)

    def test_the_same_finished_tasks_give_the_same_result_object(self):
        first, _ = runner.compute(self.SETTINGS, seconds=0)
        second, _ = runner.compute(self.SETTINGS, seconds=0)

        assert second is first

    def test_a_slice_runs_at_least_one_task_that_is_not_essential(self):
        runner.compute(self.SETTINGS, seconds=0)
        results = [runner.compute(self.SETTINGS, seconds=1e-12) for _ in range(2)]

        assert results == [({"a", "b"}, 2 / 3), ({"a", "b", "c"}, 1)]

    def test_each_task_runs_once_over_all_slices(self):
        runner.compute(self.SETTINGS, seconds=1e-12)

        assert runner.compute(self.SETTINGS, seconds=9) == ({"a", "b", "c"}, 1)
        assert ListOfTasks.runs == ["a", "b", "c"]


def test_a_task_that_another_session_runs_is_left_to_it(monkeypatch):
    has_started = threading.Event()
    may_end = threading.Event()
    run_task = Task.run

    def run_slowly(task):
        """Run a task; the one named "c" waits before until it may end."""
        if task.name == "c":
            has_started.set()
            may_end.wait(5)
        return run_task(task)

    monkeypatch.setattr(Task, "run", run_slowly)
    runner.compute(ListOfTasks(("a",)), seconds=0)
    session = threading.Thread(
        target=runner.compute, args=[ListOfTasks(("a", "c"))], kwargs={"seconds": 1e-12}
    )

    session.start()
    assert has_started.wait(5)
    result = runner.compute(ListOfTasks(("a", "b", "c", "d")), seconds=9)
    may_end.set()
    session.join()

    assert result == ({"a", "b", "d"}, 3 / 4)
    assert ListOfTasks.runs == ["a", "b", "d", "c"]


def test_a_class_that_opens_one_link_at_once_computes_it_once(monkeypatch):
    settings, _ = from_link(PartiesSettings, {**QUICK["parties"], "seed": "987"})
    tasks = settings.experiment.tasks()
    runs: Counter = Counter()
    for kind in {type(task) for task in tasks}:

        def count_run(task, run=kind.run):
            """Count a run of a task, and return its outcome."""
            runs[task] += 1
            return run(task)

        monkeypatch.setattr(kind, "run", count_run)
    monkeypatch.setattr(runner, "CACHE", Cache(10**9))
    start = threading.Barrier(10)

    def compute_all(_):
        """Wait until all ten threads begin, run all tasks, and return the result."""
        start.wait()
        done = 0.0
        while done < 1:
            result, done = runner.compute(settings, seconds=1)
        return result

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(compute_all, range(10)))

    assert runs == dict.fromkeys(tasks, 1)
    assert all(result is results[0] for result in results)


# A thread stands for a visitor's: Streamlit hangs the session on it.
VISITS = """
import gc, importlib, pkgutil, threading, weakref
import threadpoolctl

class Session: pass

def held_after(visit):
    thread = threading.Thread(target=visit)
    thread.session = Session()
    session = weakref.ref(thread.session)
    thread.start()
    thread.join()
    del thread
    gc.collect()
    return session() is not None

def first():
    import ui.compute.runner

def second():
    import dpcore, lab, ui
    for package in (dpcore, lab, ui):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    from dpcore import thread_pool
    thread_pool.for_each_part(lambda part: None, 8, work=1e12, at_once=2)
    from sklearn.linear_model import LogisticRegression
    LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])

held = held_after(first), held_after(second)
print(*held, *{one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"})
"""


def test_a_visitors_thread_is_not_kept_and_every_blas_has_one_thread():
    process = subprocess.run(
        [sys.executable, "-c", VISITS], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert process.stdout.split() == ["False", "False", "1"]


@pytest.mark.parametrize("work", [1.0, 1e12], ids=["little work", "much work"])
@pytest.mark.parametrize(
    ("models", "at_once"),
    [
        pytest.param(1, 5, id="one model"),
        pytest.param(7, 2, id="more models than at once"),
        pytest.param(8, 100, id="fewer models than at once"),
    ],
)
def test_every_model_is_trained_once(work: float, models: int, at_once: int):
    times = np.zeros(models, dtype=int)
    sizes = []

    def train(part: slice) -> None:
        """Count each model of a part and note the size of the part, instead of training it."""
        times[part] += 1
        sizes.append(part.stop - part.start)

    thread_pool.for_each_part(train, models, work=work, at_once=at_once)

    assert (times == 1).all()
    assert max(sizes) <= at_once
