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

from dpcore import cores
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
        Counted.runs.append(self.name)
        return np.zeros(10_000)


@dataclass(frozen=True)
class Counted:
    names: tuple[str, ...]
    runs: ClassVar[list[str]] = []

    @property
    def experiment(self):
        return self

    def tasks(self):
        return tuple(Task(name, essential=place == 0) for place, name in enumerate(self.names))

    def gather(self, outcomes):
        return frozenset(task.name for task in outcomes)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(runner, "CACHE", Cache(250_000))  # room for three arrays
    Counted.runs.clear()


def test_slice_runs_what_must_be_and_each_task_once():
    three = Counted(("a", "b", "c"))
    first, share = runner.compute(three, seconds=0)
    assert (first, share) == ({"a"}, 1 / 3)
    assert runner.compute(three, seconds=0)[0] is first
    assert [runner.compute(three, seconds=1e-12)[0] for _ in range(2)] == [{*"ab"}, {*"abc"}]
    assert runner.compute(three, seconds=9) == ({*"abc"}, 1)
    assert Counted.runs == ["a", "b", "c"]


def test_what_another_session_is_at_is_left_to_it(monkeypatch):
    held, go, real = threading.Event(), threading.Event(), Task.run

    def run(task):
        if task.name == "c":
            held.set()
            go.wait(5)
        return real(task)

    monkeypatch.setattr(Task, "run", run)
    other = threading.Thread(
        target=runner.compute, args=[Counted(("a", "c"))], kwargs={"seconds": 1e-12}
    )
    runner.compute(Counted(("a",)), seconds=0)
    other.start()
    assert held.wait(5)
    assert runner.compute(Counted(("a", "b", "c", "d")), seconds=9) == ({*"abd"}, 3 / 4)
    go.set()
    other.join()
    assert Counted.runs == ["a", "b", "d", "c"]


def test_class_that_opens_one_link_at_once_computes_it_once(monkeypatch):
    settings, runs = from_link(PartiesSettings, QUICK["parties"] | {"seed": "987"})[0], Counter()
    for kind in {type(task) for task in settings.experiment.tasks()}:

        def run(task, run=kind.run):
            runs[task] += 1
            return run(task)

        monkeypatch.setattr(kind, "run", run)
    monkeypatch.setattr(runner, "CACHE", Cache(10**9))
    start = threading.Barrier(10)

    def visitor(_):
        start.wait()
        done = 0.0
        while done < 1:
            result, done = runner.compute(settings, seconds=1)
        return result

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(visitor, range(10)))
    assert runs == dict.fromkeys(settings.experiment.tasks(), 1)
    assert len(set(map(id, results))) == 1


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
    from dpcore import cores
    cores.for_each_part(lambda part: None, 8, work=1e12, at_once=2)
    from sklearn.linear_model import LogisticRegression
    LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])

held = held_after(first), held_after(second)
print(*held, *{one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"})
"""


def test_a_visitor_s_thread_is_not_held_and_every_blas_has_one_thread():
    done = subprocess.run(
        [sys.executable, "-c", VISITS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False", "1"]


@pytest.mark.parametrize("work", [1.0, 1e12])
@pytest.mark.parametrize(("models", "at_once"), [(1, 5), (7, 2), (8, 100)])
def test_every_model_is_done_once(work: float, models: int, at_once: int):
    done, widths = np.zeros(models, dtype=int), []

    def job(part: slice) -> None:
        done[part] += 1
        widths.append(part.stop - part.start)

    cores.for_each_part(job, models, work=work, at_once=at_once)
    assert (done == 1).all()
    assert max(widths) <= at_once
