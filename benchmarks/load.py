"""Measure how long 25 and 100 people at once wait for a picture, next to a bare Streamlit page.

    make bench ARGS=load

Simulated people speak Streamlit's protocol over websockets, each with another seed, so that nothing
comes from the cache. A person moves the first slider to a random value every one to two seconds, as
the panel in a browser would (`sessions.py`). No browser draws anything. All people arrive at the
same time.

- *page*: the bare page or *Classifier*. *people*: their number.
- *all open*: seconds until everybody's page has loaded. *moves/s*: movements answered per second.
- *p50*, *p95*, *longest*: time from a movement to its answer. A movement is answered when the
  newest panel says that it contains the movement, and on the bare page when the chart has come.
- *errors*: number of failures.
"""

import asyncio
import time
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from websockets.asyncio.client import connect

from benchmarks.latency import served
from benchmarks.report import Line, Outcome, Print, at_most, number, row
from benchmarks.sessions import BareSession, LabSession, Session

PEOPLE = 25
CROWD = 100
# Seconds between two movements of a person, lowest and highest.
PAUSE = (1.0, 2.0)
# Seconds of one measurement, and until an answer is given up.
LEVEL = 12.0
PATIENCE = 60.0
# The requirement: this many times the wait on the bare page.
SLOWER_AT_MOST = 10.0

COLUMNS = ("page", "people", "all open", "moves/s", "p50", "p95", "longest", "errors")
WIDTHS = (12, 6, 8, 7, 8, 8, 8, 6)


async def visit(
    kind: type,
    address: str,
    path: str,
    seed: int,
    *,
    together: asyncio.Barrier,
    seconds: float = LEVEL,
) -> Session:
    """Open a page, wait for all others, move the slider for some seconds, await the last answer."""
    rng = np.random.default_rng(seed)
    query = ""
    if path:
        query = f"seed={seed}"
    uri = address.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(uri, max_size=None, ping_interval=None, compression=None) as socket:
        session = kind(socket=socket, path=path, query=query)
        listener = asyncio.create_task(session.listen())
        try:
            await session.request_run()
            await asyncio.wait_for(session.ready.wait(), PATIENCE)
            await together.wait()
            session.opened = time.perf_counter()
            end = session.opened + seconds
            while time.perf_counter() < end:
                await asyncio.sleep(rng.uniform(*PAUSE))
                await session.move(rng.uniform())
            await _await_last_answer(session)
        except (TimeoutError, OSError, asyncio.BrokenBarrierError) as failure:
            await together.abort()
            session.errors.append(f"{type(failure).__name__} {failure}")
        if listener.done():
            session.errors.append(f"the connection was lost: {listener.exception()}")
        listener.cancel()
        if isinstance(session, LabSession):
            session.set_timer(0, None)
            await asyncio.gather(*session.tasks)
    return session


async def _await_last_answer(session: BareSession | LabSession) -> None:
    """Wait until no movement is without an answer. Raises TimeoutError."""
    end = time.perf_counter() + PATIENCE
    while session.is_busy:
        if time.perf_counter() > end:
            raise TimeoutError("no answer to the last movement")
        await asyncio.sleep(0.05)


@dataclass(frozen=True, kw_only=True)
class Level:
    """What some people met at once.

    seconds_to_open: until all pages had loaded. waits: seconds of all movements.
    errors: of all people.
    """

    seconds_to_open: float
    waits: np.ndarray
    errors: list[str]


async def measure_level(kind: type, address: str, path: str, people: int, *, seed: int) -> Level:
    """Let ``people`` visit a page at once."""
    begin = time.perf_counter()
    together = asyncio.Barrier(people)
    visits = [
        visit(kind, address, path, seed + index, together=together) for index in range(people)
    ]
    sessions = await asyncio.gather(*visits)
    waits = []
    errors = []
    for session in sessions:
        waits += session.waits
        errors += session.errors
    opened = max(session.opened for session in sessions)
    return Level(seconds_to_open=opened - begin, waits=np.array(waits), errors=errors)


@dataclass(frozen=True, kw_only=True)
class LoadedPage:
    """A page that people visit: kind of session, script, and path."""

    kind: type
    script: str
    path: str


PAGES = {
    "bare": LoadedPage(kind=BareSession, script="benchmarks/bare/bare.py", path=""),
    "classifier": LoadedPage(kind=LabSession, script="app.py", path="classifier"),
}


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure bare page and classifier in turns, then the classifier with more people."""
    say(row(COLUMNS, WIDTHS))
    ratios = []
    with ExitStack() as stack:
        addresses = {name: stack.enter_context(served(page.script)) for name, page in PAGES.items()}
        for name in PAGES:
            # The first level loads what every server loads once.
            _measure(name, addresses[name], 1, seed=0, say=say)
        for turn in range(rounds):
            seed = 1000 * (turn + 1)
            bare = _measure("bare", addresses["bare"], PEOPLE, seed=seed, say=say)
            lab = _measure("classifier", addresses["classifier"], PEOPLE, seed=seed, say=say)
            ratios.append(float(np.quantile(lab.waits, 0.95) / np.quantile(bare.waits, 0.95)))
        seed = 1000 * (rounds + 1)
        crowd = _measure("classifier", addresses["classifier"], CROWD, seed=seed, say=say)
    asked = f"{PEOPLE} people: p95 of the classifier over p95 of the bare page"
    errors = len(crowd.errors)
    return Outcome(
        lines=[
            at_most(asked, SLOWER_AT_MOST, ratios),
            Line(asked=f"{CROWD} people: errors at most 0", measured=str(errors), met=errors == 0),
        ]
    )


def _measure(name: str, address: str, people: int, *, seed: int, say: Print) -> Level:
    """Measure one level, and print its row."""
    page = PAGES[name]
    level = asyncio.run(measure_level(page.kind, address, page.path, people, seed=seed))
    quantiles = np.quantile(level.waits, (0.5, 0.95, 1))
    cells = [
        name,
        people,
        f"{number(level.seconds_to_open)} s",
        number(len(level.waits) / LEVEL),
        *(f"{number(1000 * seconds)} ms" for seconds in quantiles),
        len(level.errors),
    ]
    say(row(cells, WIDTHS))
    for error in sorted(set(level.errors)):
        say(f"    {error}")
    return level
