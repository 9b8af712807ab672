"""What whoever runs the server may know of it: figures for Prometheus at `/metrics`, and a line a minute in the log.

The environment variable `LAB_METRICS` switches them on: "1" for direct requests, "public" also through a proxy. No
label has a value that comes from a visitor, so nothing of their rows, links or addresses can be among them.
"""

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import streamlit as st
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    make_asgi_app,
)
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dpcore.cache import CACHE
from ui import busy
from ui.live import serving

PATH, SWITCH = "/metrics", "LAB_METRICS"
# What the switch may say -> whether there are figures, and whether a proxy may hand them on.
_SAID = {"": (False, False), "0": (False, False), "1": (True, False), "public": (True, True)}
# Headers by which proxies say for whom they ask.
_FORWARDED = ("x-forwarded-for", "forwarded", "via")
# Seconds: bounds of the waits that are counted together; between two lines of the log.
BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
MINUTE = 60.0
QUANTILES = {"p50": 0.5, "p95": 0.95}

_log = logging.getLogger("lab")

disable_created_metrics()  # when each figure began, beside each figure
REGISTRY = CollectorRegistry()
# The process's own: resident memory, CPU time, open descriptors; on Linux.
ProcessCollector(registry=REGISTRY)
Gauge("lab_visitors", "Pages that are open now.", registry=REGISTRY).set_function(lambda: len(busy.PAGES))
_WAITING = Gauge("lab_waiting", "Waiting movements, runs and visitors.", ["at"], registry=REGISTRY)
_WAITING.labels("channel").set_function(lambda: busy.QUESTIONS.waiting)
_WAITING.labels("run").set_function(lambda: busy.RUNS.waiting)
_WAITING.labels("door").set_function(lambda: busy.at_the_door)
_MOVES = Counter("lab_moves", "Slider movements, on the channel or in a run of the page.", ["over"], registry=REGISTRY)
_WAITS = Histogram(
    "lab_wait_seconds",
    "Seconds from a movement to its answer, or of a page's live run.",
    ["over"],
    buckets=BOUNDS,
    registry=REGISTRY,
)
MOVED, RAN = _MOVES.labels("channel"), _MOVES.labels("run")
WAITED, RUNS = _WAITS.labels("channel"), _WAITS.labels("run")
Gauge("lab_cache_bytes", "What remembered answers hold.", registry=REGISTRY).set_function(lambda: CACHE.held_bytes)
Gauge("lab_cache_answers", "How many answers are remembered.", registry=REGISTRY).set_function(lambda: len(CACHE))
Gauge("lab_threads", "Threads of Python.", registry=REGISTRY).set_function(threading.active_count)


def switched(environment: Mapping[str, str] = os.environ) -> tuple[bool, bool]:
    """Return (whether there are figures, whether a proxy may hand them on). Raises ValueError for any other word."""
    said = environment.get(SWITCH, "").strip()
    if said not in _SAID:
        raise ValueError(f'{SWITCH} is {said!r}, but must be "1", "public" or "0"')
    return _SAID[said]


class Watch:
    """ASGI middleware that answers with the figures. Who may not have them gets 404."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._figures, self._nothing = app, make_asgi_app(REGISTRY), PlainTextResponse("Not Found", 404)
        self._on, self._public = switched()
        self._path = serving.base() + PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or leave it to the app."""
        app = self._app
        if scope["type"] == "http" and scope["path"].rstrip("/") == self._path:
            app = self._figures if self._may(Headers(scope=scope)) else self._nothing
        await app(scope, receive, send)

    def _may(self, headers: Headers) -> bool:
        return self._on and (self._public or not any(name in headers for name in _FORWARDED))


class Minutes:
    """What is said of the time since the last line."""

    def __init__(self) -> None:
        self._moves, self._waits = _moves(), _waits()

    def line(self, seconds: float) -> str | None:
        """Return the figures in words; None if nobody is here and nothing was moved."""
        moves, waits = _moves(), _waits()
        moved = moves - self._moves
        waited = {bound: count - self._waits[bound] for bound, count in waits.items()}
        self._moves, self._waits = moves, waits
        people = len(busy.PAGES)
        if not (people or moved):
            return None
        said = [f"pages {people}", f"moves/s {moved / seconds:.3g}"]
        said += [f"{name} {at_most(waited, share)} s" for name, share in QUANTILES.items() if max(waited.values())]
        said += [f"cache {CACHE.held_bytes / 1e6:.0f} MB ({len(CACHE)} answers)"]
        memory = REGISTRY.get_sample_value("process_resident_memory_bytes")
        return ", ".join([*said, f"memory {memory / 1e6:.0f} MB"] if memory else said)


def at_most(counts: Mapping[float, float], share: float) -> str:
    """Return the least bound that this share of waits does not pass; counts: bound -> how many do not pass it."""
    *bounds, _ = counts
    enough = (bound for bound in bounds if counts[bound] >= share * max(counts.values()))
    return next((f"<= {bound:g}" for bound in enough), f"> {bounds[-1]:g}")


def _moves() -> float:
    return sum(REGISTRY.get_sample_value("lab_moves_total", {"over": over}) or 0.0 for over in ("channel", "run"))


def _waits() -> dict[float, float]:
    """Return bound in seconds -> how many answers on the channel waited no longer."""
    samples = [one for family in _WAITS.collect() for one in family.samples if one.name.endswith("_bucket")]
    return {float(one.labels["le"]): one.value for one in samples if one.labels["over"] == "channel"}


@asynccontextmanager
async def log() -> AsyncIterator[None]:
    """Write a line a minute to the log while somebody is here, where the figures are on."""
    if not switched()[0]:
        yield
        return
    _log.setLevel(logging.INFO)
    if not _log.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        _log.addHandler(handler)
    task = asyncio.create_task(_every_minute())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _every_minute() -> None:
    minutes = Minutes()
    while True:
        await asyncio.sleep(MINUTE)
        if line := minutes.line(MINUTE):
            _log.info("port %s: %s", st.get_option("server.port"), line)
