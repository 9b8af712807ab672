"""Keep computed values in one process-wide LRU cache that is bounded in bytes.

``@cached`` differs from ``functools.lru_cache`` in three ways. All functions share one bound, in
bytes, on everything their values hold: arrays, sparse matrices, frames, attributes and closures. An
array that several values share is counted once. A thread that requests a value which another thread
is computing waits for it.
"""

import gc
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import fields
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar, overload

import numpy as np

# Bound on all cached values together. A typical value (48 models of two features) has 10 kB, the
# largest one (texts in 60 dimensions) 23 MB. With 48 MB, 60 people on settings of their own cost
# 190 ms of CPU a movement in place of 110.
LIMIT_BYTES = 96_000_000
# The values of which only the newest are kept take at most this share of the bound, for each
# function.
_LARGEST_SHARE_OF_GROUP = 1 / 3
# Smaller objects are counted with every value that holds them, even if they are shared.
_SMALL_BYTES = 1000

Answer_co = TypeVar("Answer_co", covariant=True)
Arguments = ParamSpec("Arguments")
Others = ParamSpec("Others")


class Secret(int):
    """The seed of a release.

    ``Cache`` stores no value whose key contains one, because it would reveal the noise.
    """


class Key:
    """A base of frozen dataclasses that are keys of a cache.

    The hash of a key is computed once, because keys contain other keys.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A class that has a hash itself gets none from dataclass.
        cls.__hash__ = Key.__hash__  # type: ignore[method-assign]

    def __hash__(self) -> int:
        """Return the hash of the compared fields, computed at the first call."""
        known = vars(self).get("_hash")
        if known is not None:
            return known
        values = []
        for field in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            if field.compare:
                values.append(getattr(self, field.name))
        computed = hash((type(self), *values))
        vars(self)["_hash"] = computed
        return computed

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the hash, because another process hashes texts differently."""
        state = dict(vars(self))
        state.pop("_hash", None)
        return state


class _Entry(NamedTuple):
    """A cached value.

    Attributes:
        value: The value.
        small_bytes: Bytes of its small parts together.
        large_parts: Identity -> bytes, of its large parts.
    """

    value: Any
    small_bytes: int
    large_parts: dict[int, int]


class Cache:
    """A thread-safe LRU cache of values by key."""

    def __init__(self, limit_bytes: int):
        self._limit = limit_bytes
        self.empty()

    def empty(self) -> None:
        """Drop all values and all computations in progress, and take a new lock.

        A forked process has none of the threads that compute, and one of them may have held the
        lock.
        """
        self.held_bytes = 0
        # The least recently used first.
        self._answers: OrderedDict[Hashable, _Entry] = OrderedDict()
        # Identity of a large part -> number of values that hold it.
        self._holders: dict[int, int] = {}
        # First entry of a key -> keys that start with it, the least recently used first. Only the
        # newest values of such a group are kept.
        self._groups: dict[Hashable, dict[Hashable, None]] = {}
        self._running: dict[Hashable, Future] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._answers)

    def find(self, key: Hashable) -> tuple[bool, Any]:
        """Return (whether ``key`` is cached, its value or None)."""
        with self._lock:
            entry = self._answers.get(key)
            if entry is None:
                return False, None
            self._mark_as_used(key)
            return True, entry.value

    def running(self, key: Hashable) -> Future | None:
        """Return the future of a computation of ``key`` in progress in any thread, or None."""
        with self._lock:
            return self._running.get(key)

    def answer(self, key: Hashable, make: Callable[[], Any], *, newest: int | None = None) -> Any:
        """Return the value of ``key``: cached, computed, or awaited from another thread.

        An exception, of ``make`` or while its value is measured, reaches every waiting thread and
        is not cached. ``make`` may request other values. Because no computation requests its own
        value, directly or indirectly, threads never wait for each other in a circle.

        Args:
            key: A key that contains a ``Secret`` is computed and not cached.
            make: Computes the value.
            newest: Maximum number of cached values whose keys are tuples with the same first entry.
                Together they take at most a third of the bound, unless there is only one.
        """
        if _contains_secret(key):
            return make()
        with self._lock:
            entry = self._answers.get(key)
            if entry is not None:
                self._mark_as_used(key)
                return entry.value
            pending = self._running.get(key)
            if pending is None:
                future: Future = Future()
                self._running[key] = future
        if pending is not None:
            return pending.result()
        try:
            value = make()
            self._store(key, value, newest)
        except BaseException as error:
            self._end_computation(key, future)
            future.set_exception(error)
            raise
        self._end_computation(key, future)
        future.set_result(value)
        return value

    def forget(self, matches: Callable[[Hashable], bool] = lambda key: True) -> None:
        """Drop the values of all keys for which ``matches`` returns True."""
        with self._lock:
            for key in list(self._answers):
                if matches(key):
                    self._drop(key)

    def _end_computation(self, key: Hashable, future: Future) -> None:
        """Let another thread compute ``key`` again."""
        with self._lock:
            # After ``empty`` the key may belong to another computation.
            if self._running.get(key) is future:
                del self._running[key]

    def _store(self, key: Hashable, value: Any, newest: int | None) -> None:
        """Keep a value, and drop the least recently used ones beyond the bound."""
        small_bytes, large_parts = sizes((key, value))
        with self._lock:
            self._drop(key)
            self._answers[key] = _Entry(value, small_bytes, large_parts)
            self.held_bytes += small_bytes
            for part, size in large_parts.items():
                if part not in self._holders:
                    self._holders[part] = 0
                    self.held_bytes += size
                self._holders[part] += 1
            if newest is not None and isinstance(key, tuple):
                self._add_to_group(key, newest)
            while self.held_bytes > self._limit and len(self._answers) > 1:
                oldest = next(iter(self._answers))
                self._drop(oldest)

    def _add_to_group(self, key: tuple, newest: int) -> None:
        """Add a key to its group, and drop the oldest values of the group that are too many."""
        group = self._groups.setdefault(key[:1], {})
        group[key] = None
        for old_key in list(group)[:-newest]:
            self._drop(old_key)
        limit = self._limit * _LARGEST_SHARE_OF_GROUP
        while len(group) > 1 and self._bytes_of_values(group) > limit:
            oldest = next(iter(group))
            self._drop(oldest)

    def _bytes_of_values(self, keys: Iterable[Hashable]) -> int:
        """Return the bytes of the values of ``keys``, with shared parts counted each time."""
        total = 0
        for key in keys:
            entry = self._answers[key]
            total += entry.small_bytes + sum(entry.large_parts.values())
        return total

    def _mark_as_used(self, key: Hashable) -> None:
        """Move ``key`` to the most recently used end."""
        self._answers.move_to_end(key)
        if not isinstance(key, tuple):
            return
        group = self._groups.get(key[:1], {})
        if key in group:
            # Moves it to the end.
            del group[key]
            group[key] = None

    def _drop(self, key: Hashable) -> None:
        """Drop the value of ``key``, if there is one."""
        entry = self._answers.pop(key, None)
        if entry is None:
            return
        if isinstance(key, tuple):
            group = self._groups.get(key[:1], {})
            group.pop(key, None)
        self.held_bytes -= entry.small_bytes
        for part, size in entry.large_parts.items():
            self._holders[part] -= 1
            if self._holders[part] == 0:
                del self._holders[part]
                self.held_bytes -= size


def _contains_secret(key: Hashable) -> bool:
    """Return whether a key, or a part of it at any depth, is a ``Secret``."""
    if isinstance(key, tuple):
        return any(map(_contains_secret, key))
    return isinstance(key, Secret)


def sizes(value: Any) -> tuple[int, dict[int, int]]:
    """Return (bytes of the small parts of ``value`` together, identity -> bytes of large parts).

    Classes, modules and the globals of functions belong to the program and are not counted.
    """
    small_bytes = 0
    large_parts: dict[int, int] = {}
    seen = set()
    remaining = [value]
    while remaining:
        part = remaining.pop()
        if id(part) in seen or isinstance(part, (type, ModuleType)):
            continue
        seen.add(id(part))
        size, referents = _size_and_referents(part)
        remaining += referents
        if size < _SMALL_BYTES:
            small_bytes += size
        else:
            large_parts[id(part)] = size
    return small_bytes, large_parts


def _size_and_referents(part: Any) -> tuple[int, list[Any]]:
    """Return (bytes of the object without its referents, the objects that it refers to)."""
    if isinstance(part, (str, bytes, int, float, complex, np.generic, type(None))):
        return sys.getsizeof(part), []
    if isinstance(part, np.ndarray):
        referents = [part.base]  # a view keeps its whole base array alive
        if part.dtype.hasobject:
            referents.extend(part.ravel())
        return sys.getsizeof(part), referents
    if hasattr(part, "memory_usage"):  # frames, series and their indices
        return int(np.sum(part.memory_usage(deep=True))), []
    if isinstance(part, FunctionType):
        return sys.getsizeof(part), list(part.__closure__ or ())
    return sys.getsizeof(part), gc.get_referents(part)


CACHE = Cache(LIMIT_BYTES)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CACHE.empty)


class Cached(Protocol[Arguments, Answer_co]):
    """A function whose results are cached; ``cache_clear`` drops them."""

    cache_clear: Callable[[], None]

    def __call__(self, *args: Arguments.args, **named: Arguments.kwargs) -> Answer_co: ...
    def __get__(
        self: "Cached[Concatenate[Any, Others], Answer_co]", instance: Any, owner: type
    ) -> Callable[Others, Answer_co]: ...


@overload
def cached(function: Callable[Arguments, Answer_co]) -> Cached[Arguments, Answer_co]: ...
@overload
def cached(
    *, newest: int
) -> Callable[[Callable[Arguments, Answer_co]], Cached[Arguments, Answer_co]]: ...
def cached(function: Callable | None = None, *, newest: int | None = None) -> Any:
    """Cache the results of ``function`` in ``CACHE``.

    The key is the function's place in its file, because Streamlit creates the functions of a page
    anew in each run.

    Args:
        function: A function of hashable arguments.
        newest: Maximum number of results that are kept, for large results that are quick to
            recompute and would evict others.
    """
    if function is None:
        return partial(cached, newest=newest)
    name = function.__code__.co_filename, function.__qualname__

    def get_or_compute(*args: Hashable, **named: Hashable) -> Any:
        """Return the result from ``CACHE``, computed if it is not there."""
        key = (name, args, *sorted(named.items()))
        return CACHE.answer(key, partial(function, *args, **named), newest=newest)

    def is_of_function(key: Hashable) -> bool:
        """Return whether a key of ``CACHE`` belongs to ``function``."""
        return isinstance(key, tuple) and key[0] == name

    wrapped: Any = wraps(function)(get_or_compute)
    wrapped.cache_clear = lambda: CACHE.forget(is_of_function)
    return wrapped
