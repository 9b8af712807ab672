"""The one memory of what was computed: by question, the newest, bounded in bytes, and each answer made once.

``@cached`` is ``functools.lru_cache`` but for three things. All functions share one bound, in bytes, of all that their
answers hold: arrays, sparse matrices, frames, and what hangs on attributes and closures. An array that several answers
hold is counted once. And who asks for an answer that another thread is making waits for it.
"""

import gc
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

# What all answers may hold together. A usual one, 48 models of two features, has 10 kB; a large table of words 90 MB.
LIMIT_BYTES = 300_000_000
# Objects that are smaller are counted with the answer that holds them, whoever else does.
_SMALL = 1000

Answer = TypeVar("Answer")


class Secret(int):
    """The seed of a release. ``Memory`` keeps no answer to a question that holds one: it would undo the noise."""


class Cache:
    """The newest answers by question, safe to use from all threads."""

    def __init__(self, limit_bytes: int):
        self._limit, self.held_bytes = limit_bytes, 0
        # question -> (answer, bytes of its own, bytes of each large part by identity); how many answers hold a part
        self._answers: OrderedDict[Hashable, tuple[Any, int, dict[int, int]]] = OrderedDict()
        self._holders: dict[int, int] = {}
        self._running: dict[Hashable, Future] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many answers are remembered."""
        return len(self._answers)

    def find(self, question: Hashable) -> tuple[bool, Any]:
        """(whether the answer is known, the answer)."""
        with self._lock:
            known = question in self._answers
            if known:
                self._answers.move_to_end(question)
            return known, self._answers[question][0] if known else None

    def running(self, question: Hashable) -> Future | None:
        """What another thread, or this one, is at."""
        with self._lock:
            return self._running.get(question)

    def answer(self, question: Hashable, make: Callable[[], Any], *, newest: int | None = None) -> Any:
        """The answer: known, or made here, or waited for where another thread makes it.

        What ``make`` raises reaches all who wait, and is forgotten. Answers may ask for others: as no function asks for
        what it is itself part of, no two threads wait for each other. ``newest``: how many answers are kept at most of
        those whose questions are tuples that begin as this one does. Where the question holds a ``Secret``, the answer
        is made and not kept.
        """
        if _is_secret(question):
            return make()
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
                return self._answers[question][0]
            there = self._running.get(question)
            if there is None:
                mine = self._running[question] = Future()
        if there is not None:
            return there.result()
        try:
            value = make()
        except BaseException as failure:
            with self._lock:
                del self._running[question]
            mine.set_exception(failure)
            raise
        self._keep(question, value, newest)
        mine.set_result(value)
        return value

    def _keep(self, question: Hashable, value: Any, newest: int | None) -> None:
        own, parts = sizes((question, value))
        with self._lock:
            self._running.pop(question, None)
            self._drop(question)
            self._answers[question] = value, own, parts
            self.held_bytes += own
            for part, size in parts.items():
                self.held_bytes += 0 if part in self._holders else size
                self._holders[part] = self._holders.get(part, 0) + 1
            if newest is not None:
                alike = [one for one in self._answers if isinstance(one, tuple) and one[0] == question[0]]
                for one in alike[:-newest]:
                    self._drop(one)
            while self.held_bytes > self._limit and len(self._answers) > 1:
                self._drop(next(iter(self._answers)))

    def _drop(self, question: Hashable) -> None:
        _, own, parts = self._answers.pop(question, (None, 0, {}))
        self.held_bytes -= own
        for part, size in parts.items():
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self.held_bytes -= size

    def forget(self, about: Callable[[Hashable], bool] = lambda question: True) -> None:
        """Drop the answers to the questions that ``about`` picks."""
        with self._lock:
            for question in filter(about, list(self._answers)):
                self._drop(question)


def _is_secret(question: Hashable) -> bool:
    return isinstance(question, Secret) or (isinstance(question, tuple) and any(map(_is_secret, question)))


def sizes(value: Any) -> tuple[int, dict[int, int]]:
    """Bytes of all that ``value`` holds: (of the small parts together, of each large part by its identity).

    Classes, modules and a function's globals belong to the program, not to the value.
    """
    parts, seen, stack, small = {}, set(), [value], 0
    while stack:
        one = stack.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType)):
            continue
        seen.add(id(one))
        size, inside = _part(one)
        stack += inside
        if size < _SMALL:
            small += size
        else:
            parts[id(one)] = size
    return small, parts


def _part(one: Any) -> tuple[int, list[Any]]:
    """(bytes of an object itself, what it refers to)."""
    if isinstance(one, (str, bytes, int, float, complex, np.generic, type(None))):
        return sys.getsizeof(one), []
    if isinstance(one, np.ndarray):  # a view keeps all of what it is a view of
        return sys.getsizeof(one), [one.base, *(one.ravel() if one.dtype.hasobject else ())]
    if hasattr(one, "memory_usage"):  # frames, series and their indices
        return int(np.sum(one.memory_usage(deep=True))), []
    if isinstance(one, FunctionType):
        return sys.getsizeof(one), list(one.__closure__ or ())
    return sys.getsizeof(one), gc.get_referents(one)


CACHE = Cache(LIMIT_BYTES)


def cached(function: Callable[..., Answer] | None = None, *, newest: int | None = None) -> Callable[..., Answer]:
    """``function`` of hashable arguments, remembered in ``CACHE``. ``cache_clear`` forgets its answers.

    newest: how many answers are kept at most, where they are large and quickly made again: they would push out others.
    A function is known by its place in a file: Streamlit makes those of a page anew for each run.
    """
    if function is None:
        return partial(cached, newest=newest)
    name = function.__code__.co_filename, function.__qualname__

    @wraps(function)
    def remembered(*args: Hashable, **named: Hashable) -> Answer:
        return CACHE.answer((name, args, *sorted(named.items())), partial(function, *args, **named), newest=newest)

    remembered.cache_clear = lambda: CACHE.forget(lambda question: isinstance(question, tuple) and question[0] == name)
    return remembered
