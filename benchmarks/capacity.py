"""Measure how many people one process and two processes behind Caddy can serve.

    make bench ARGS=capacity
    PEOPLE=300 make bench ARGS=capacity   # fewer people than 1,000 in the third part

Simulated people (`people.py`) request each movement over the channel and then the run of the whole
page, as a browser does. Everybody has another seed, so that nothing comes from the cache. There are
four parts:

1. One process and two processes, in turns, with 12 people a process who move without a pause.
2. One process with 70 % of the people that it can serve, who each move every five seconds.
3. Two processes with 1,000 people who each move every five seconds, for two minutes.
4. Without a server, the CPU time of a setting that nobody requested before, for each page.

Columns of parts 1 to 3:

- *people*: number of people. *all in*: seconds until everybody's page has loaded.
- *moves/s*: movements answered per second. *CPU a move*: CPU time of all server processes per
  movement, including Caddy.
- *p50*, *p95*: quantiles of the time from a movement to its first frame. *run p95*: the same of the
  run of the page that follows.
- *errors*: number of failures. *clients*: CPU seconds of the simulated people, who share the
  machine.

Columns of part 4, first for a new setting and then for its slider moved once:

- *first*: CPU time to the first frame. *whole*: CPU time to the last frame. *frames*: their number.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np
import orjson
import psutil

from benchmarks import people
from benchmarks.latency import ROOT, served
from benchmarks.report import Line, Outcome, Print, at_most, number, row
from lab.experiment.settings import Settings
from pages.topics import PAGES
from ui.compute.runner import LONG_SLICE_SECONDS, SLICE_SECONDS
from ui.live.frames import ClientState, make_frame
from ui.live.messages import Request
from ui.page.page import Page

HURRYING, EVERY, SHARE = 12, 5.0, 0.7
# Seconds: of a level of hurrying, of 70 %, and of the thousand.
HURRY, CALM, CROWDED = 10.0, 20.0, 120.0
REPLICAS, DEARER_AT_MOST, P95_AT_MOST, UNLIKE_AT_MOST = 2, 1.1, 1.0, 2.0

COSTS = ("page", "new: first", "whole", "frames", "moved: first", "whole", "frames")
COSTS_WIDTHS = (12, 10, 8, 7, 12, 8, 7)
COLUMNS = (
    "server",
    "people",
    "all in",
    "moves/s",
    "CPU a move",
    "p50",
    "p95",
    "run p95",
    "errors",
    "clients",
)
WIDTHS = (12, 6, 8, 7, 10, 8, 8, 8, 6, 8)


@contextmanager
def class_of(replicas: int) -> Iterator[str]:
    """As `make class` starts it; its address."""
    with socket.create_server(
        ("127.0.0.1", 0)
    ) as unused:  # a port that nobody listens on at the moment
        port = unused.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "scripts.replicas",
        "--replicas",
        str(replicas),
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        while (line := process.stdout.readline()) and b"processes" not in line:
            pass
        if not line:
            raise RuntimeError("the class did not start")
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def servers() -> list[psutil.Process]:
    """All processes that serve, Caddy among them."""
    return [
        one
        for one in psutil.Process().children(recursive=True)
        if {"streamlit", "--config"} & {*one.cmdline()}
    ]


def spent() -> float:
    """Seconds of CPU time of all that serve."""
    return sum(sum(one.cpu_times()[:2]) for one in servers())


def megabytes() -> float:
    """Memory of all that serve."""
    return sum(one.memory_info().rss for one in servers()) / 1e6


class Level:
    """So many people for so long, and what was measured of them."""

    def __init__(self, address: str, count: int, *, seconds: float, every: float, seed: int):
        self.people = people.make_people(address, count, seed=seed)
        self._seconds, self._every = seconds, every
        asyncio.run(self._all(np.random.default_rng(seed)))
        self.answers = np.array([one for person in self.people for one in person.answers])
        self.runs = np.array([one for person in self.people for one in person.runs])
        self.errors = [error for person in self.people for error in person.errors]

    async def _all(self, rng: np.random.Generator) -> None:
        self.opened = await people.connect_all(self.people)
        self.megabytes = megabytes()
        before, own, began = spent(), time.process_time(), time.perf_counter()
        how = {"seconds": self._seconds, "every": self._every}
        await asyncio.gather(
            *(people.move_repeatedly(one, **how, rng=rng.spawn(1)[0]) for one in self.people)
        )
        self.cpu, self.own, self.took = (
            spent() - before,
            time.process_time() - own,
            time.perf_counter() - began,
        )
        self.megabytes_after = megabytes()
        await people.disconnect_all(self.people)

    @property
    def each(self) -> float:
        """Seconds of CPU time a move."""
        return self.cpu / len(self.answers)

    @property
    def rate(self) -> float:
        """Moves a second."""
        return len(self.answers) / self.took

    def told(self, name: str) -> str:
        """A row of the table."""
        p50, p95, run = (
            f"{number(1000 * one)} ms"
            for one in (*np.quantile(self.answers, (0.5, 0.95)), np.quantile(self.runs, 0.95))
        )
        cells = [
            name,
            len(self.people),
            f"{number(self.opened)} s",
            number(self.rate),
            f"{number(1000 * self.each)} ms",
        ]
        return row([*cells, p50, p95, run, len(self.errors), f"{self.own:.0f} s"], WIDTHS)


def costs(say: Print) -> None:
    """What a setting of one's own costs on each page, and then a move: CPU time to the first frame
    and to the last.
    """
    say(row(COSTS, COSTS_WIDTHS))
    for place, page in enumerate(PAGES):
        _answered(page, page.settings())  # what is read once is not part of it
        new, other = (people.unique_settings(page, 7001 + place + 100 * turn) for turn in (0, 1))
        name, _ = people.moved_slider(page, new)
        told = [_answered(page, one) for one in (new, new.change(**{name: getattr(other, name)}))]
        say(row([page.name, *(cell for one in told for cell in one)], COSTS_WIDTHS))


def _answered(page: Page, settings: Settings) -> tuple[str, str, int]:
    """Answer as the channel does to somebody who waits: (CPU time to the first frame, to the last,
    frames).
    """
    link = {field: str(value) for field, value in asdict(settings).items()}
    asked, seen, taken, began = Request({}, page, link), ClientState(), [], time.process_time()
    done, seconds = 0.0, 0.0
    while done < 1:
        now, seconds = make_frame(asked, seconds), min(seconds + SLICE_SECONDS, LONG_SLICE_SECONDS)
        orjson.dumps(seen.diff(now))
        done = now.done
        taken.append(time.process_time() - began)
    return f"{number(1000 * taken[0])} ms", f"{number(1000 * taken[-1])} ms", len(taken)


def run(*, rounds: int, say: Print) -> Outcome:
    """The four parts, the first in as many rounds."""
    if not shutil.which("caddy"):
        return Outcome(missing=["Caddy"])
    say(row(COLUMNS, WIDTHS))
    errors: list[str] = []

    def level(
        name: str, address: str, count: int, seconds: float, every: float, seed: int
    ) -> Level:
        seen = Level(address, count, seconds=seconds, every=every, seed=seed)
        say(seen.told(name))
        errors.extend(seen.errors)
        for error in sorted(set(seen.errors)):
            say(f"    {error}")
        return seen

    hurried: dict[str, list[Level]] = {"one": [], "two": []}
    for turn in range(rounds):
        with served("app.py") as address:
            level("(first)", address, 4, 3.0, 0.0, 1)
            hurried["one"].append(level("one", address, HURRYING, HURRY, 0.0, 1000 * turn + 100))
            if turn == rounds - 1:
                rate = float(np.median([one.rate for one in hurried["one"]]))
                calm = level(
                    "one at 70 %",
                    address,
                    max(1, round(SHARE * rate * EVERY)),
                    CALM,
                    EVERY,
                    1000 * turn + 500,
                )
        with class_of(REPLICAS) as address:
            level("(first)", address, 4 * REPLICAS, 3.0, 0.0, 1)
            count = REPLICAS * HURRYING
            hurried["two"].append(level("two", address, count, HURRY, 0.0, 1000 * turn + 700))
            if turn == rounds - 1:
                crowd = int(os.environ.get("PEOPLE", "1000"))
                crowded = level("two, full", address, crowd, CROWDED, EVERY, 1_000_000)
    counts = [len(one.answers) for one in crowded.people]
    memory = f"{crowded.megabytes:.0f} MB when all were in, {crowded.megabytes_after:.0f} MB after"
    dearer = [two.each / one.each for one, two in zip(hurried["one"], hurried["two"], strict=True)]
    cores = crowd / EVERY * calm.each
    say(f"  {crowd} people: {min(counts)} to {max(counts)} answers each; {memory}")
    say(
        f"  {crowd} people who move every {EVERY:g} s: {cores:.1f} cores, {cores / SHARE:.0f} at"
        f" {100 * SHARE:.0f} %"
    )
    costs(say)
    return Outcome(
        lines=[
            at_most("two processes: CPU time a move over one process's", DEARER_AT_MOST, dearer),
            at_most(
                "one process at 70 %: p95 in seconds",
                P95_AT_MOST,
                [float(np.quantile(calm.answers, 0.95))],
                unit="",
            ),
            at_most(
                f"{crowd} people: most over fewest answers",
                UNLIKE_AT_MOST,
                [max(counts) / max(1, min(counts))],
            ),
            Line(asked="errors at most 0", measured=str(len(errors)), met=not errors),
        ]
    )
