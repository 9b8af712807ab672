"""What was computed is remembered once, in bytes, whoever asks at the same time."""

import copy
import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dpcore import cache

PATIENCE = 60  # seconds
BYTES = 80_000  # of the array of 10,000 numbers that all cases hold


@pytest.fixture
def memory(monkeypatch) -> cache.Cache:
    fresh = cache.Cache(10**6)
    monkeypatch.setattr(cache, "CACHE", fresh)
    return fresh


def array() -> np.ndarray:
    return np.arange(10_000.0)


class Holder:
    """An attribute, and nothing that a dataclass would tell of."""

    def __init__(self, held):
        self.held = held

    def method(self):
        return self.held


@dataclass
class Outcome:
    held: np.ndarray
    more: dict = field(default_factory=dict)


HOLDERS = {
    "itself": lambda one: one,
    "mapping": lambda one: {"a": [(one, 1)]},
    "dataclass": Outcome,
    "attribute": Holder,
    "method": lambda one: Holder(one).method,
    "closure": lambda one: lambda: one.sum() + 1,
    "partial": lambda one: partial(np.sum, one),
    "objects": lambda one: np.array([Holder(one), None], dtype=object),
    "sparse": sparse.csr_matrix,
    "frame": lambda one: pd.DataFrame({"a": one, "b": "text"}),
    "a view": lambda one: one[:3],
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_bytes_are_counted_wherever_they_are(holder):
    small, large = (cache.sizes(holder(held)) for held in (array()[:0].copy(), array()))
    assert BYTES <= large[0] + sum(large[1].values()) < 4 * BYTES
    assert small[0] + sum(small[1].values()) < BYTES / 10


def test_shared_parts_are_counted_once_and_the_oldest_make_room(memory: cache.Cache):
    one = array()
    for name in range(20):
        memory.answer(name, lambda: Outcome(one))
    assert BYTES <= memory.held_bytes < 2 * BYTES
    memory.forget(lambda question: question < 19)
    assert BYTES <= memory.held_bytes < 2 * BYTES
    memory.forget()
    assert memory.held_bytes == 0
    for name in range(20):
        memory.answer(name, array)
        memory.find(0)
        assert memory.held_bytes <= 10**6
    assert [memory.find(name)[0] for name in (0, 1, 18, 19)] == [True, False, True, True]
    memory.answer("larger than all that is allowed", lambda: np.zeros(10**6))
    assert memory.find("larger than all that is allowed")[0]
    assert not memory.find(19)[0]
    memory.answer("small", int)
    assert (memory.find("small")[0], memory.held_bytes < 1000) == (True, True)


@pytest.mark.parametrize(("size", "again"), [(20_000, [7]), (50_000, [8, 9, 8, 7, 8])])
def test_large_answers_that_are_quickly_made_do_not_push_out_others(
    memory: cache.Cache, size: int, again: list[int]
):
    runs = []

    @cache.cached(newest=2)
    def large(question):
        runs.append(question)
        return np.zeros(size)

    memory.answer("small", array)
    for question in (*range(10), 8, 9, 8, 7, 8):
        large(question)
    # The two that were used last are kept, or one where two take more than a third of the bound
    assert runs == [*range(10), *again]
    assert memory.find("small")[0]


def test_key_hashes_what_it_holds_once_and_anew_in_another_process():
    hashed = []

    class Part:
        def __hash__(self) -> int:
            hashed.append(self)
            return 7

    @dataclass(frozen=True)
    class Task(cache.Key):
        part: Part
        essential: bool = field(default=False, compare=False)

    task = Task(Part())
    assert {task: 1}[task] == {task: 1}[replace(task, essential=True)] == 1
    assert len(hashed) == 2
    assert {task} == {copy.copy(task)}
    assert len(hashed) == 3


def at_once(threads: int, ask) -> list:
    """What ``ask`` gives, or raises, in so many threads that start together."""
    start = threading.Barrier(threads)

    def one():
        start.wait()
        return ask()

    with ThreadPoolExecutor(threads) as pool:
        asked = [pool.submit(one) for _ in range(threads)]
    return [found.exception() or found.result() for found in asked]


def test_ten_who_ask_at_once_get_the_one_answer(memory: cache.Cache):
    runs = []

    @cache.cached
    def slow(question, *, more):
        runs.append(question)
        time.sleep(0.01)
        return array()

    answers = at_once(10, lambda: slow("a", more=1))
    assert runs == ["a"]
    assert {id(answer) for answer in answers} == {id(slow("a", more=1))}
    slow("a", more=2)
    slow.cache_clear()
    slow("a", more=1)
    assert runs == ["a", "a", "a"]


def test_a_failure_reaches_all_who_wait_and_is_forgotten(memory: cache.Cache):
    runs = []

    def fail():
        runs.append(1)
        waiting, end = memory._running["a"]._condition._waiters, time.monotonic() + PATIENCE
        while len(waiting) < 9 and time.monotonic() < end:
            time.sleep(0.005)
        raise ValueError("no such thing")

    assert [str(failure) for failure in at_once(10, lambda: memory.answer("a", fail))] == [
        "no such thing"
    ] * 10
    assert len(runs) == 1
    assert memory.answer("a", lambda: 2) == 2


def test_answers_that_ask_for_others_wait_for_nobody_for_ever(memory: cache.Cache):
    @cache.cached
    def chain(length):
        return 0 if length == 0 else 1 + chain(length - 1)

    lengths = deque([*range(10), *reversed(range(30))])

    def one():
        length = lengths.popleft()
        return chain(length) - length

    assert at_once(20, one) == [0] * 20


def test_a_page_that_is_run_again_finds_what_it_has_drawn(memory: cache.Cache):
    runs, text = (
        [],
        "@cached\ndef pictures(result):\n    runs.append(result)\n    return sign * result",
    )
    for name, sign in (("page.py", 1), ("page.py", 1), ("other.py", -1)):
        names = {"cached": cache.cached, "runs": runs, "sign": sign}
        exec(compile(text, name, "exec"), names)
        assert names["pictures"](3) == 3 * sign
    assert len(runs) == 2


@pytest.mark.parametrize(
    "question", [cache.Secret(3), ("noise", cache.Secret(3)), ("a name", (1, (cache.Secret(3),)))]
)
def test_an_answer_to_a_question_with_a_secret_is_not_kept(memory, question):
    made = []
    for _ in range(2):
        assert memory.answer(question, lambda: made.append(0) or array()).shape == (10_000,)
    assert len(made) == 2
    assert len(memory) == memory.held_bytes == 0
    assert memory.running(question) is None


class Unweighable:
    """A value whose size cannot be told."""

    def memory_usage(self, deep):
        raise MemoryError("no size")


def test_a_value_that_cannot_be_weighed_leaves_its_key_free(memory):
    started, seen = threading.Event(), []

    def make():
        started.set()
        time.sleep(0.05)
        return Unweighable()

    def ask():
        with pytest.raises(MemoryError, match="no size"):
            memory.answer("key", make)
        seen.append("refused")

    first = threading.Thread(target=ask)
    first.start()
    started.wait(PATIENCE)
    second = threading.Thread(target=ask)
    second.start()
    for thread in (first, second):
        thread.join(PATIENCE)
    assert seen == ["refused", "refused"]
    assert memory.running("key") is None
    assert (len(memory), memory.held_bytes) == (0, 0)
    assert memory.answer("key", lambda: 3) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_waits_for_no_computation_of_its_parent():
    started, goes_on = threading.Event(), threading.Event()

    def slow():
        started.set()
        goes_on.wait(PATIENCE)
        return "of the parent"

    cache.CACHE.answer("stored before the fork", array)
    other = threading.Thread(target=cache.CACHE.answer, args=("in progress", slow))
    other.start()
    started.wait(PATIENCE)
    with cache.CACHE._lock:  # held by this thread as the process forks
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a child that waits is killed
            is_right = (
                len(cache.CACHE) == 0 and cache.CACHE.answer("in progress", lambda: "own") == "own"
            )
            os._exit(0 if is_right else 1)
    _, status = os.waitpid(child, 0)
    goes_on.set()
    other.join(PATIENCE)
    assert status == 0
    assert cache.CACHE.find("in progress") == (True, "of the parent")
    cache.CACHE.forget(lambda key: key in ("in progress", "stored before the fork"))
