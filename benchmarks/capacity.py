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

# People a process who move without a pause.
HURRYING = 12
# Seconds between two movements of other people.
EVERY = 5.0
# Share of the people that a process can serve who are there in the second part.
SHARE = 0.7
# Seconds of measurement: of people without a pause, of 70 %, of the thousand, of a first level that
# loads what every server loads once.
HURRY_SECONDS = 10.0
CALM_SECONDS = 20.0
CROWD_SECONDS = 120.0
FIRST_SECONDS = 3.0
# People a process in that first level.
FIRST_PEOPLE = 4
REPLICAS = 2
# The requirements: CPU time a move of two processes over that of one, p95 in seconds at 70 %, and
# answers of the person with most over those of the person with fewest.
DEARER_AT_MOST = 1.1
P95_AT_MOST = 1.0
UNLIKE_AT_MOST = 2.0

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


def unused_port() -> int:
    """Return a port that nobody listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        _, port = server.getsockname()
    return port


@contextmanager
def class_of(replicas: int) -> Iterator[str]:
    """Start the lab as `make class` does, and yield its address."""
    port = unused_port()
    command = [
        sys.executable,
        *("-m", "scripts.replicas"),
        *("--replicas", str(replicas)),
        *("--port", str(port)),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        _await_start(process)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _await_start(process: subprocess.Popen) -> None:
    """Wait for the line that names the processes. Raises RuntimeError if the class ends before."""
    for line in process.stdout:
        if b"processes" in line:
            return
    raise RuntimeError("the class did not start")


def servers() -> list[psutil.Process]:
    """Return all processes that serve, Caddy among them."""
    serving = []
    for process in psutil.Process().children(recursive=True):
        if {"streamlit", "--config"} & set(process.cmdline()):
            serving.append(process)
    return serving


def cpu_seconds() -> float:
    """Return the CPU time of all processes that serve."""
    seconds = 0.0
    for process in servers():
        times = process.cpu_times()
        seconds += times.user + times.system
    return seconds


def megabytes() -> float:
    """Return the memory of all processes that serve."""
    return sum(process.memory_info().rss for process in servers()) / 1e6


class Level:
    """So many people for so long, and what was measured of them.

    Attributes:
        people: The people.
        answers: Seconds from each movement to its first frame.
        runs: Seconds of each run of the page.
        errors: What went wrong, in words.
        open_seconds: Until everybody's page had loaded.
        cpu: CPU seconds of the servers while people moved.
        own_cpu: CPU seconds of the simulated people.
        seconds: How long they moved.
        megabytes: Memory of the servers when all were in.
        megabytes_after: The same when all had moved.
    """

    def __init__(self, address: str, count: int, *, seconds: float, every: float, seed: int):
        self.people = people.make_people(address, count, seed=seed)
        asyncio.run(self._measure(seconds, every, np.random.default_rng(seed)))
        answers = []
        runs = []
        self.errors = []
        for person in self.people:
            answers.extend(person.answers)
            runs.extend(person.runs)
            self.errors.extend(person.errors)
        self.answers = np.array(answers)
        self.runs = np.array(runs)

    async def _measure(self, seconds: float, every: float, rng: np.random.Generator) -> None:
        self.open_seconds = await people.connect_all(self.people)
        self.megabytes = megabytes()
        cpu_before = cpu_seconds()
        own_cpu_before = time.process_time()
        begin = time.perf_counter()
        movements = []
        for person, person_rng in zip(self.people, rng.spawn(len(self.people)), strict=True):
            movements.append(
                people.move_repeatedly(person, seconds=seconds, every=every, rng=person_rng)
            )
        await asyncio.gather(*movements)
        self.cpu = cpu_seconds() - cpu_before
        self.own_cpu = time.process_time() - own_cpu_before
        self.seconds = time.perf_counter() - begin
        self.megabytes_after = megabytes()
        await people.disconnect_all(self.people)

    @property
    def cpu_of_move(self) -> float:
        """Return the seconds of CPU time a move."""
        return self.cpu / len(self.answers)

    @property
    def rate(self) -> float:
        """Return the moves a second."""
        return len(self.answers) / self.seconds

    @property
    def answers_of_people(self) -> list[int]:
        """Return the number of answers of each person."""
        return [len(person.answers) for person in self.people]

    def table_row(self, name: str) -> str:
        p50, p95 = np.quantile(self.answers, (0.5, 0.95))
        run_p95 = np.quantile(self.runs, 0.95)
        cells = [
            name,
            len(self.people),
            f"{number(self.open_seconds)} s",
            number(self.rate),
            f"{number(1000 * self.cpu_of_move)} ms",
            f"{number(1000 * p50)} ms",
            f"{number(1000 * p95)} ms",
            f"{number(1000 * run_p95)} ms",
            len(self.errors),
            f"{self.own_cpu:.0f} s",
        ]
        return row(cells, WIDTHS)


def print_costs(say: Print) -> None:
    """Print what a new setting costs on each page, and then a move."""
    say(row(COSTS, COSTS_WIDTHS))
    for index, page in enumerate(PAGES):
        # What is read once is not part of it.
        cost_of_answer(page, page.settings())
        new = people.unique_settings(page, 7001 + index)
        another = people.unique_settings(page, 7101 + index)
        slider, _ = people.moved_slider(page, new)
        moved = new.change(**{slider: getattr(another, slider)})
        cells = [page.name, *cost_of_answer(page, new), *cost_of_answer(page, moved)]
        say(row(cells, COSTS_WIDTHS))


def cost_of_answer(page: Page, settings: Settings) -> tuple[str, str, int]:
    """Answer as the channel does to somebody who waits.

    Returns the CPU time to the first frame and to the last, and the number of frames.
    """
    link = {field: str(value) for field, value in asdict(settings).items()}
    request = Request({}, page, link)
    client = ClientState()
    times = []
    begin = time.process_time()
    done = 0.0
    slice_seconds = 0.0
    while done < 1:
        frame = make_frame(request, slice_seconds)
        slice_seconds = min(slice_seconds + SLICE_SECONDS, LONG_SLICE_SECONDS)
        orjson.dumps(client.diff(frame))
        done = frame.done
        times.append(time.process_time() - begin)
    return f"{number(1000 * times[0])} ms", f"{number(1000 * times[-1])} ms", len(times)


class Measurements:
    """The levels of the first three parts, each printed as it is measured."""

    def __init__(self, say: Print) -> None:
        self.one_process: list[Level] = []
        self.two_processes: list[Level] = []
        self.calm: Level | None = None
        self.crowd: Level | None = None
        self.errors: list[str] = []
        self._say = say

    def measure_round(self, turn: int, *, is_last: bool) -> None:
        """Measure one process and then two; in the last round also 70 % and the crowd."""
        seed = 1000 * turn
        with served("app.py") as address:
            self._first(address, processes=1)
            level = self._level("one", address, HURRYING, HURRY_SECONDS, seed=seed + 100)
            self.one_process.append(level)
            if is_last:
                rate = float(np.median([level.rate for level in self.one_process]))
                count = max(1, round(SHARE * rate * EVERY))
                self.calm = self._level(
                    "one at 70 %", address, count, CALM_SECONDS, every=EVERY, seed=seed + 500
                )
        with class_of(REPLICAS) as address:
            self._first(address, processes=REPLICAS)
            count = REPLICAS * HURRYING
            level = self._level("two", address, count, HURRY_SECONDS, seed=seed + 700)
            self.two_processes.append(level)
            if is_last:
                count = int(os.environ.get("PEOPLE", "1000"))
                self.crowd = self._level(
                    "two, full", address, count, CROWD_SECONDS, every=EVERY, seed=1_000_000
                )

    def _first(self, address: str, *, processes: int) -> None:
        """Load what every server loads once."""
        self._level("(first)", address, FIRST_PEOPLE * processes, FIRST_SECONDS, seed=1)

    def _level(
        self, name: str, address: str, count: int, seconds: float, *, seed: int, every: float = 0.0
    ) -> Level:
        """Measure a level, and print its row and errors."""
        level = Level(address, count, seconds=seconds, every=every, seed=seed)
        self._say(level.table_row(name))
        self.errors.extend(level.errors)
        for error in sorted(set(level.errors)):
            self._say(f"    {error}")
        return level

    def print_crowd(self) -> None:
        """Print answers, memory and cores of the crowd."""
        count = len(self.crowd.people)
        answers = self.crowd.answers_of_people
        cores = count / EVERY * self.calm.cpu_of_move
        self._say(
            f"  {count} people: {min(answers)} to {max(answers)} answers each;"
            f" {self.crowd.megabytes:.0f} MB when all were in,"
            f" {self.crowd.megabytes_after:.0f} MB after"
        )
        self._say(
            f"  {count} people who move every {EVERY:g} s: {cores:.1f} cores,"
            f" {cores / SHARE:.0f} at {100 * SHARE:.0f} %"
        )

    def requirements(self) -> list[Line]:
        dearer = []
        for one, two in zip(self.one_process, self.two_processes, strict=True):
            dearer.append(two.cpu_of_move / one.cpu_of_move)
        p95 = float(np.quantile(self.calm.answers, 0.95))
        answers = self.crowd.answers_of_people
        return [
            at_most("two processes: CPU time a move over one process's", DEARER_AT_MOST, dearer),
            at_most("one process at 70 %: p95 in seconds", P95_AT_MOST, [p95], unit=""),
            at_most(
                f"{len(self.crowd.people)} people: most over fewest answers",
                UNLIKE_AT_MOST,
                [max(answers) / max(1, min(answers))],
            ),
            Line(
                asked="errors at most 0",
                measured=str(len(self.errors)),
                met=not self.errors,
            ),
        ]


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure the four parts, the first in as many rounds."""
    if not shutil.which("caddy"):
        return Outcome(missing=["Caddy"])
    say(row(COLUMNS, WIDTHS))
    measurements = Measurements(say)
    for turn in range(rounds):
        measurements.measure_round(turn, is_last=turn == rounds - 1)
    measurements.print_crowd()
    print_costs(say)
    return Outcome(lines=measurements.requirements())
