"""Computed values are kept once for everybody, within a bound in bytes."""

import copy
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dpcore import cache

# A test that waits for another thread gives up after so many seconds.
PATIENCE = 60
LIMIT = 1_000_000
ARRAY_BYTES = 80_000


@pytest.fixture
def small_cache(monkeypatch) -> cache.Cache:
    """Return a cache of 1 MB that ``cached`` uses too."""
    fresh = cache.Cache(LIMIT)
    monkeypatch.setattr(cache, "CACHE", fresh)
    return fresh


def make_array() -> np.ndarray:
    """Return a new array of ``ARRAY_BYTES``."""
    return np.arange(10_000.0)


def run_together(threads: int, function: Callable[[], Any]) -> list[Any]:
    """Return what ``function`` returns or raises in so many threads that start together."""
    start = threading.Barrier(threads)

    def wait_and_run() -> Any:
        """Call ``function`` once all threads are there, and return its result."""
        start.wait()
        return function()

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(wait_and_run) for _ in range(threads)]
    return [future.exception() or future.result() for future in futures]


# --- Bytes are counted ----------------------------------------------------------------------------


class Holder:
    """An object with an attribute."""

    def __init__(self, value: Any):
        self.value = value

    def method(self) -> Any:
        """Return the value, so that the bound method holds the object."""
        return self.value


@dataclass
class Outcome:
    value: np.ndarray
    more: dict = field(default_factory=dict)


HOLDERS = {
    "itself": lambda array: array,
    "mapping": lambda array: {"a": [(array, 1)]},
    "dataclass": Outcome,
    "attribute": Holder,
    "method": lambda array: Holder(array).method,
    "closure": lambda array: lambda: array.sum() + 1,
    "partial": lambda array: partial(np.sum, array),
    "array of objects": lambda array: np.array([Holder(array), None], dtype=object),
    "sparse matrix": sparse.csr_matrix,
    "data frame": lambda array: pd.DataFrame({"a": array, "b": "text"}),
    "view": lambda array: array[:3],
}


def count_bytes(value: Any) -> int:
    """Return the bytes of all parts of a value."""
    small_bytes, large_parts = cache.sizes(value)
    return small_bytes + sum(large_parts.values())


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_bytes_are_counted_in_every_kind_of_container(hold):
    full = count_bytes(hold(make_array()))
    empty = count_bytes(hold(np.empty(0)))

    assert ARRAY_BYTES <= full < 4 * ARRAY_BYTES
    assert empty < ARRAY_BYTES / 10


def test_a_part_that_values_share_is_counted_once(small_cache):
    shared = make_array()

    for key in range(20):
        small_cache.answer(key, lambda: Outcome(shared))

    assert ARRAY_BYTES <= small_cache.held_bytes < 2 * ARRAY_BYTES


def test_a_shared_part_is_counted_until_its_last_holder_is_dropped(small_cache):
    shared = make_array()
    for key in range(20):
        small_cache.answer(key, lambda: Outcome(shared))

    small_cache.forget(lambda key: key < 19)
    with_one_holder = small_cache.held_bytes
    small_cache.forget()
    without_holders = small_cache.held_bytes

    assert ARRAY_BYTES <= with_one_holder < 2 * ARRAY_BYTES
    assert without_holders == 0


# --- The bound is kept ----------------------------------------------------------------------------


def test_the_least_recently_used_values_make_room(small_cache):
    for key in range(20):
        small_cache.answer(key, make_array)
        small_cache.find(0)
        assert small_cache.held_bytes <= LIMIT

    assert small_cache.find(0)[0]
    assert not small_cache.find(1)[0]
    assert small_cache.find(18)[0]
    assert small_cache.find(19)[0]


def test_a_value_larger_than_the_bound_is_kept_alone_until_the_next(small_cache):
    small_cache.answer("first", make_array)

    small_cache.answer("larger than the bound", lambda: np.zeros(10**6))
    is_kept = small_cache.find("larger than the bound")[0]
    first_is_kept = small_cache.find("first")[0]
    small_cache.answer("small", int)

    assert is_kept
    assert not first_is_kept
    assert small_cache.find("small")[0]
    assert small_cache.held_bytes < 1000


@pytest.mark.parametrize(
    ("size", "computed_again"),
    [
        pytest.param(20_000, [7], id="two are kept"),
        pytest.param(50_000, [8, 9, 8, 7, 8], id="two would take over a third of the bound"),
    ],
)
def test_only_the_newest_values_of_a_function_are_kept(small_cache, size, computed_again):
    computed = []

    @cache.cached(newest=2)
    def large(number: int) -> np.ndarray:
        """Note the number as computed, and return an array of ``size`` zeros."""
        computed.append(number)
        return np.zeros(size)

    small_cache.answer("small", make_array)
    for number in (*range(10), 8, 9, 8, 7, 8):
        large(number)

    assert computed == [*range(10), *computed_again]
    assert small_cache.find("small")[0]


# --- Keys -----------------------------------------------------------------------------------------


class CountingPart:
    """A part of a key that counts how often it is hashed."""

    def __init__(self):
        self.hashed = 0

    def __hash__(self) -> int:
        self.hashed += 1
        return 7


@dataclass(frozen=True)
class Task(cache.Key):
    part: CountingPart
    essential: bool = field(default=False, compare=False)


def test_a_key_that_is_used_twice_hashes_its_parts_once():
    task = Task(CountingPart())

    assert {task: 1}[task] == 1
    assert task.part.hashed == 1


def test_keys_that_differ_in_what_is_not_compared_are_equal():
    task = Task(CountingPart())

    assert {task: 1}[replace(task, essential=True)] == 1
    assert task.part.hashed == 2


def test_a_copy_of_a_key_is_hashed_anew_as_another_process_has_to():
    task = Task(CountingPart())
    hash(task)

    assert {task} == {copy.copy(task)}
    assert task.part.hashed == 2


def test_a_page_that_is_run_again_finds_what_it_has_computed(small_cache):
    """Each run of a page creates its functions anew, at the same place in the same file."""
    computed: list[int] = []
    source = "@cached\ndef signed(number):\n    computed.append(number)\n    return sign * number\n"

    def run_page(file: str, sign: int) -> int:
        """Run a page as this file with this sign, and return what its function gives for 3."""
        names: dict[str, Any] = {"cached": cache.cached, "computed": computed, "sign": sign}
        exec(compile(source, file, "exec"), names)
        return names["signed"](3)

    assert run_page("page.py", 1) == 3
    assert run_page("page.py", 1) == 3
    assert run_page("other.py", -1) == -3
    assert computed == [3, 3]


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(cache.Secret(3), id="a secret"),
        pytest.param(("noise", cache.Secret(3)), id="a tuple with one"),
        pytest.param(("a name", (1, (cache.Secret(3),))), id="nested tuples with one"),
    ],
)
def test_a_value_of_a_secret_key_is_not_kept(small_cache, key):
    computed = []

    def make() -> np.ndarray:
        """Note the key as computed, and return a new array."""
        computed.append(key)
        return make_array()

    for _ in range(2):
        assert small_cache.answer(key, make).shape == (10_000,)

    assert len(computed) == 2
    assert len(small_cache) == 0
    assert small_cache.held_bytes == 0
    assert small_cache.running(key) is None


# --- Threads --------------------------------------------------------------------------------------


def test_threads_that_ask_together_get_one_value(small_cache):
    computed = []

    @cache.cached
    def slow(name: str, *, more: int) -> np.ndarray:
        """Note the arguments as computed, and return a new array after a while."""
        computed.append((name, more))
        time.sleep(0.01)
        return make_array()

    arrays = run_together(10, lambda: slow("a", more=1))

    assert computed == [("a", 1)]
    assert {id(array) for array in arrays} == {id(slow("a", more=1))}


def test_a_function_is_computed_again_for_other_arguments_and_after_a_clear(small_cache):
    computed = []

    @cache.cached
    def function(name: str, *, more: int) -> int:
        """Note the arguments as computed, and return ``more``."""
        computed.append((name, more))
        return more

    function("a", more=1)
    function("a", more=2)
    function.cache_clear()
    function("a", more=1)

    assert computed == [("a", 1), ("a", 2), ("a", 1)]


def test_a_failure_reaches_all_threads_that_wait_and_is_not_kept(small_cache):
    computed = []

    def fail() -> None:
        """Note a computation, and fail once the nine other threads wait for its value."""
        computed.append(1)
        # The other nine wait for the future, which shows it to nobody but its condition.
        waiting = small_cache.running("a")._condition._waiters
        end = time.monotonic() + PATIENCE
        while len(waiting) < 9 and time.monotonic() < end:
            time.sleep(0.005)
        raise ValueError("no such thing")

    failures = run_together(10, lambda: small_cache.answer("a", fail))

    assert [str(failure) for failure in failures] == ["no such thing"] * 10
    assert len(computed) == 1
    assert small_cache.answer("a", lambda: 2) == 2


def test_values_that_ask_for_other_values_wait_for_none_for_ever(small_cache):
    @cache.cached
    def chain(length: int) -> int:
        """Return the length, by way of the cached chain that is one shorter."""
        if length == 0:
            return 0
        return 1 + chain(length - 1)

    lengths = deque([*range(10), *reversed(range(30))])

    def error_of_next() -> int:
        """Take the next length, and return by how much its chain differs from it."""
        length = lengths.popleft()
        return chain(length) - length

    assert run_together(20, error_of_next) == [0] * 20


class Unmeasurable:
    """A value whose size cannot be measured."""

    def memory_usage(self, deep: bool) -> None:
        """Raise an error; stands for the method by which pandas states a size."""
        raise MemoryError("no size")


def test_a_value_that_cannot_be_measured_leaves_its_key_free(small_cache):
    started = threading.Event()
    refused = []

    def make() -> Unmeasurable:
        """Return a value that cannot be measured, a while after ``started`` is set."""
        started.set()
        time.sleep(0.05)
        return Unmeasurable()

    def ask() -> None:
        """Ask for the value, and note its failure in ``refused``."""
        with pytest.raises(MemoryError, match="no size"):
            small_cache.answer("key", make)
        refused.append("key")

    first = threading.Thread(target=ask)
    second = threading.Thread(target=ask)
    first.start()
    started.wait(PATIENCE)
    second.start()
    first.join(PATIENCE)
    second.join(PATIENCE)

    assert refused == ["key", "key"]
    assert small_cache.running("key") is None
    assert len(small_cache) == 0
    assert small_cache.held_bytes == 0
    assert small_cache.answer("key", lambda: 3) == 3


# --- Processes ------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_waits_for_no_computation_of_its_parent():
    started = threading.Event()
    may_end = threading.Event()

    def slow() -> str:
        """Set ``started``, wait for ``may_end``, and return the value of the parent."""
        started.set()
        may_end.wait(PATIENCE)
        return "of the parent"

    cache.CACHE.answer("stored before the fork", make_array)
    other = threading.Thread(target=cache.CACHE.answer, args=("in progress", slow))
    other.start()
    started.wait(PATIENCE)

    # This thread holds the lock as the process forks.
    with cache.CACHE._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a child that waits is killed
            is_empty = len(cache.CACHE) == 0
            own = cache.CACHE.answer("in progress", lambda: "of the child")
            os._exit(0 if is_empty and own == "of the child" else 1)
    _, status = os.waitpid(child, 0)
    may_end.set()
    other.join(PATIENCE)

    assert status == 0
    assert cache.CACHE.find("in progress") == (True, "of the parent")
    cache.CACHE.forget(lambda key: key in ("in progress", "stored before the fork"))
