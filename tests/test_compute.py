"""Work is done once, whoever asks for it at the same time, and as much at once as there is time for."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dpcore.cache import Cache
from pages.table import PAGES
from tests.app import QUICK
from ui import compute
from ui.controls import from_link


@dataclass(frozen=True)
class Task:
    name: str
    essential: bool = False

    def run(self):
        Counted.runs.append(self.name)
        return np.zeros(10_000)


class Names(list):
    """The names of what is done."""

    __hash__ = object.__hash__


@dataclass(frozen=True)
class Counted:
    names: tuple[str, ...]
    runs: ClassVar[list[str]] = []

    def tasks(self):
        return tuple(Task(name, essential=place == 0) for place, name in enumerate(self.names))

    def result(self, outcomes):
        return Names(sorted(task.name for task in outcomes))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(compute, "CACHE", Cache(250_000))  # room for three arrays
    Counted.runs.clear()


def test_slice_runs_what_must_be_and_each_task_once():
    assert compute.compute(Counted(("a", "b", "c")), seconds=0) == (["a"], 1 / 3)
    first, _ = compute.compute(Counted(("a", "b", "c")), seconds=0)
    assert compute.compute(Counted(("a", "b", "c")), seconds=0)[0] is first
    found = [compute.compute(Counted(("a", "b", "c")), seconds=1e-12)[0] for _ in range(2)]
    assert found == [["a", "b"], ["a", "b", "c"]]
    assert found[0] is not first
    assert compute.compute(Counted(("a", "b", "c")), seconds=9) == (["a", "b", "c"], 1)
    assert Counted.runs == ["a", "b", "c"]


def test_what_another_session_is_at_is_left_to_it(monkeypatch):
    held, go = threading.Event(), threading.Event()

    def run(task):
        Counted.runs.append(task.name)
        if task.name == "b":
            held.set()
            go.wait(5)
        return 1

    monkeypatch.setattr(Task, "run", run)
    experiment = Counted(("a", "b", "c", "d"))
    other = threading.Thread(target=compute.compute, args=[experiment], kwargs={"seconds": 1e-12})
    compute.compute(experiment, seconds=0)
    other.start()
    held.wait(5)
    answer = compute.CACHE.answer
    monkeypatch.setattr(compute.CACHE, "answer", lambda task, make: go.set() or answer(task, make))
    assert compute.compute(experiment, seconds=9)[1] == 1  # waits for b, which it would have to run
    other.join()
    assert sorted(Counted.runs) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("page", ["classifier", "parties", "hypotheses"])
def test_class_that_opens_one_link_at_once_computes_it_once(page: str, monkeypatch):
    kind = next(one.settings for one in PAGES if one.name == page)
    experiment, runs = from_link(kind, QUICK[page] | {"seed": "987"})[0], Counter()
    for kind in {type(task) for task in experiment.tasks()}:

        def run(task, run=kind.run):
            runs[task] += 1
            return run(task)

        monkeypatch.setattr(kind, "run", run)
    monkeypatch.setattr(compute, "CACHE", Cache(10**9))
    start = threading.Barrier(10)

    def visitor(_):
        start.wait()
        done = 0.0
        while done < 1:
            result, done = compute.compute(experiment, seconds=1)
        return result

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(visitor, range(10)))
    assert set(runs) == set(experiment.tasks())
    assert set(runs.values()) == {1}
    assert len(set(map(id, results))) == 1
