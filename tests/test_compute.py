"""The cache: outcomes are found again, and neither their number nor their size grows without end."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from ui import compute


@dataclass(frozen=True)
class Task:
    name: str
    essential: bool = False

    def run(self):
        Counted.runs.append(self.name)
        return np.zeros(1000)


@dataclass(frozen=True)
class Counted:
    names: tuple[str, ...]
    runs: ClassVar[list[str]] = []

    def tasks(self):
        return tuple(Task(name, essential=place == 0) for place, name in enumerate(self.names))

    def result(self, outcomes):
        return sorted(task.name for task in outcomes)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(compute, "_outcomes", compute._Outcomes(3, limit_bytes=100_000))
    Counted.runs.clear()


def test_a_task_is_run_once():
    for _ in range(2):
        assert compute.compute(Counted(("a", "b")), seconds=9) == (["a", "b"], 1)
    assert Counted.runs == ["a", "b"]


def test_without_time_only_the_essential_is_run():
    assert compute.compute(Counted(("a", "b", "c")), seconds=0) == (["a"], 1 / 3)


def test_with_hardly_any_time_each_call_does_one_more():
    found = [compute.compute(Counted(("a", "b", "c")), seconds=1e-12)[0] for _ in range(3)]
    assert found == [["a"], ["a", "b"], ["a", "b", "c"]]


def test_the_oldest_make_room_for_the_newest():
    for name in "abcd":
        compute.compute(Counted((name,)))
    compute.compute(Counted(("d",)))
    compute.compute(Counted(("b",)))
    assert Counted.runs == ["a", "b", "c", "d"]
    compute.compute(Counted(("a",)))
    assert Counted.runs == ["a", "b", "c", "d", "a"]


def test_their_bytes_are_bounded_too():
    kept = compute._Outcomes(100, limit_bytes=20_000)
    for name in range(10):
        kept.keep(name, np.zeros(1000))  # 8,000 bytes each
    assert [kept.find(name)[0] for name in range(10)] == [False] * 8 + [True] * 2
    kept.keep("large", np.zeros(9000))  # larger than all that is allowed: it alone is kept
    assert kept.find("large")[0]
    assert not kept.find(9)[0]
    kept.keep("small", 1)
    assert kept.find("small")[0]
    assert not kept.find("large")[0]


def test_arrays_are_counted_wherever_they_are():
    @dataclass
    class Outcome:
        weights: np.ndarray
        more: dict

    array = np.zeros(10)
    assert compute.array_bytes(Outcome(array, {"a": [array, (array, 3.0)], "b": "text"})) == 240
