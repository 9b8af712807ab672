"""Process-wide LRU cache, bounded in bytes; concurrent requests for a key compute it once.

``@cached`` differs from ``functools.lru_cache`` in three ways. All functions share one bound, in
bytes, on everything
their values hold: arrays, sparse matrices, frames, attributes and closures. An array that several
values share is counted once. A thread that requests a value which another thread is computing waits
for it.
"""

import gc
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import fields
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np

# Bound on all cached values together. A typical value (48 models of two features) has 10 kB, the
# largest one (texts in 60 dimensions) 23 MB. With 48 MB, 60 people on settings of their own cost
# 190 ms of CPU a movement in place of 110.
LIMIT_BYTES = 96_000_000
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
    """Base of frozen dataclasses that are keys: the hash of one is computed once, because keys hold
    other keys.
    """

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        cls.__hash__ = Key.__hash__  # type: ignore[method-assign]  # its own, which dataclass leaves alone

    def __hash__(self) -> int:
        known = vars(self).get("_hash")
        if known is None:
            own = (getattr(self, one.name) for one in fields(self) if one.compare)  # type: ignore[arg-type]  # a dataclass
            known = vars(self)["_hash"] = hash((type(self), *own))
        return known

    def __getstate__(self) -> dict[str, Any]:
        """Another process hashes texts otherwise."""
        return {name: value for name, value in vars(self).items() if name != "_hash"}


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
        # key -> (value, bytes of small parts, bytes of each large part by identity); holders of
        # each large part
        self._answers: OrderedDict[Hashable, tuple[Any, int, dict[int, int]]] = OrderedDict()
        self._holders: dict[int, int] = {}
        # first entry of a key -> such keys, the oldest first, of functions of which only the newest
        # values are kept
        self._alike: dict[Hashable, dict[Hashable, None]] = {}
        self._running: dict[Hashable, Future] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._answers)

    def find(self, key: Hashable) -> tuple[bool, Any]:
        """Return (whether ``key`` is cached, its value or None)."""
        with self._lock:
            known = key in self._answers
            if known:
                self._used(key)
            return known, self._answers[key][0] if known else None

    def running(self, key: Hashable) -> Future | None:
        """Return the future of a computation of ``key`` that is in progress in any thread,
        or None.
        """
        with self._lock:
            return self._running.get(key)

    def answer(self, key: Hashable, make: Callable[[], Any], *, newest: int | None = None) -> Any:
        """Return the value of ``key``: cached, computed by ``make``, or awaited from another
        thread.

        An exception, of ``make`` or while its value is measured, reaches every waiting thread and
        is not cached. ``make`` may request other values. Because no computation requests its own
        value, directly or indirectly, threads never wait for each other in a circle. ``newest``:
        the maximum number of cached values whose keys are tuples with the same first entry; they
        take at most a third of the bound, or are one. A key that contains a ``Secret`` is computed
        and not cached.
        """
        if _is_secret(key):
            return make()
        with self._lock:
            if key in self._answers:
                self._used(key)
                return self._answers[key][0]
            pending = self._running.get(key)
            if pending is None:
                future = self._running[key] = Future()
        if pending is not None:
            return pending.result()
        value, failure = None, None
        try:
            value = make()
            self._keep(key, value, newest)
        except BaseException as raised:
            failure = raised
            raise
        finally:
            with self._lock:
                # After ``empty`` the key may belong to another computation.
                if self._running.get(key) is future:
                    del self._running[key]
            if failure is None:
                future.set_result(value)
            else:
                future.set_exception(failure)
        return value

    def _keep(self, key: Hashable, value: Any, newest: int | None) -> None:
        own, parts = sizes((key, value))
        with self._lock:
            self._drop(key)
            self._answers[key] = value, own, parts
            self.held_bytes += own
            for part, size in parts.items():
                self.held_bytes += 0 if part in self._holders else size
                self._holders[part] = self._holders.get(part, 0) + 1
            if newest is not None and isinstance(key, tuple):
                alike = self._alike.setdefault(key[:1], {})
                alike[key] = None
                for one in list(alike)[:-newest]:
                    self._drop(one)
                while len(alike) > 1 and sum(map(self._bytes, alike)) > self._limit / 3:
                    self._drop(next(iter(alike)))
            while self.held_bytes > self._limit and len(self._answers) > 1:
                self._drop(next(iter(self._answers)))

    def _bytes(self, key: Hashable) -> int:
        _, own, parts = self._answers[key]
        return own + sum(parts.values())

    def _used(self, key: Hashable) -> None:
        self._answers.move_to_end(key)
        if isinstance(key, tuple) and key in (alike := self._alike.get(key[:1], {})):
            alike[key] = alike.pop(key)

    def _drop(self, key: Hashable) -> None:
        _, own, parts = self._answers.pop(key, (None, 0, {}))
        if isinstance(key, tuple):
            self._alike.get(key[:1], {}).pop(key, None)
        self.held_bytes -= own
        for part, size in parts.items():
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self.held_bytes -= size

    def forget(self, matches: Callable[[Hashable], bool] = lambda key: True) -> None:
        """Drop the values of all keys for which ``matches`` returns True."""
        with self._lock:
            for key in filter(matches, list(self._answers)):
                self._drop(key)


def _is_secret(key: Hashable) -> bool:
    return isinstance(key, Secret) or (isinstance(key, tuple) and any(map(_is_secret, key)))


def sizes(value: Any) -> tuple[int, dict[int, int]]:
    """Return (bytes of the small parts of ``value`` together, bytes of each large part by
    identity).

    Classes, modules and the globals of functions belong to the program and are not counted.
    """
    parts: dict[int, int] = {}
    seen, stack, small = set(), [value], 0
    while stack:
        one = stack.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType)):
            continue
        seen.add(id(one))
        size, inside = _size_and_referents(one)
        stack += inside
        if size < _SMALL_BYTES:
            small += size
        else:
            parts[id(one)] = size
    return small, parts


def _size_and_referents(one: Any) -> tuple[int, list[Any]]:
    """Return (bytes of the object itself, the objects it refers to)."""
    if isinstance(one, (str, bytes, int, float, complex, np.generic, type(None))):
        return sys.getsizeof(one), []
    if isinstance(one, np.ndarray):  # a view keeps its whole base array alive
        return sys.getsizeof(one), [one.base, *(one.ravel() if one.dtype.hasobject else ())]
    if hasattr(one, "memory_usage"):  # frames, series and their indices
        return int(np.sum(one.memory_usage(deep=True))), []
    if isinstance(one, FunctionType):
        return sys.getsizeof(one), list(one.__closure__ or ())
    return sys.getsizeof(one), gc.get_referents(one)


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
    """Wrap ``function`` of hashable arguments so that its results are cached in ``CACHE``;
    ``cache_clear`` drops them.

    newest: the maximum number of results kept, for large results that are quick to recompute and
    would evict others. The key is the function's place in its file, because Streamlit creates the
    functions of a page anew in each run.
    """
    if function is None:
        return partial(cached, newest=newest)
    name = function.__code__.co_filename, function.__qualname__

    def remembered(*args: Hashable, **named: Hashable) -> Any:
        return CACHE.answer(
            (name, args, *sorted(named.items())), partial(function, *args, **named), newest=newest
        )

    wrapped: Any = wraps(function)(remembered)
    wrapped.cache_clear = lambda: CACHE.forget(
        lambda key: isinstance(key, tuple) and key[0] == name
    )
    return wrapped
