"""People who are each on a page, a seed and settings of their own: what a move waits for, and what
newcomers wait for.

The people of a level are spread over all pages. Each moves a slider every ``EVERY`` seconds, asks
about it on the channel and then rests until the run of the whole page has followed (``people.py``).
Meanwhile newcomers open other pages, each for a setting that nobody has asked for, and ``BARE``
people are on a bare Streamlit page, in the same seconds. First it says, without a server, what such
a setting costs on each page in CPU time, which can be compared on a busy machine too.
``LEVELS=25,60x2,400`` in the environment asks for other levels than ``LEVELS``: people, and on how
many processes.
"""

import asyncio
import os
import time
from contextlib import ExitStack

import numpy as np
import psutil

from benchmarks import load, people
from benchmarks.capacity import class_of, costs, servers
from benchmarks.latency import served
from benchmarks.report import Line, Outcome, Print, at_most, number, row

LEVELS = "25,60,60x2"
# (people, processes) -> seconds that 19 of 20 moves wait at most; the same for the first pictures
# of newcomers.
P95_AT_MOST, NEWCOMERS_AT_MOST = {(25, 1): 0.6, (60, 1): 4.0, (60, 2): 2.0}, 5.0
# Seconds: between two moves of a person, of a level, between two newcomers; who is on the bare
# page.
EVERY, LEVEL, COMES, BARE = 5.0, 20.0, 2.0, 4
COLUMNS = (
    "",
    "people",
    "all in",
    "moves/s",
    "CPU a move",
    "p50",
    "p95",
    "run p95",
    "new p50",
    "new p95",
    "bare p95",
)
WIDTHS = (12, 6, 8, 7, 10, 8, 8, 8, 8, 8, 8)


class Level:
    """So many people at a lab, beside the bare page, with newcomers meanwhile."""

    def __init__(self, address: str, bare: str, count: int, *, seed: int):
        self.people, self.comes = people.spread(address, count, seed=seed), []
        self._newcomers = people.spread(address, round(LEVEL / COMES), seed=seed + 5000)
        asyncio.run(self._all(bare, np.random.default_rng(seed), seed))
        each = [*self.people, *self._newcomers]
        self.answers, self.runs = (
            [one for each in self.people for one in getattr(each, of)] for of in ("answers", "runs")
        )
        self.errors = [f"{one.path}: {error}" for one in each for error in one.errors]

    async def _all(self, bare: str, rng: np.random.Generator, seed: int) -> None:
        self.opened = await people.come(self.people)
        before = _spent()
        moves = [
            people.live(one, seconds=LEVEL, every=EVERY, rng=rng.spawn(1)[0]) for one in self.people
        ]
        news = [self._newcomer(one, COMES * place) for place, one in enumerate(self._newcomers)]
        beside = load.level(load.Bare, bare, "", BARE, seed=seed, seconds=LEVEL)
        *_, (_, self.bare, _) = await asyncio.gather(*moves, *news, beside)
        self.cpu = _spent() - before
        await people.go(self.people)

    async def _newcomer(self, one: people.Member, after: float) -> None:
        await asyncio.sleep(after)
        began = time.perf_counter()
        try:
            await one.enter()
            await one.opens()
            self.comes.append(time.perf_counter() - began)
        except (TimeoutError, OSError) as fault:
            one.errors.append(f"{type(fault).__name__} {fault}")
        await one.goes()

    def told(self, name: str) -> str:
        """A row of the table."""
        waits = [(self.answers, 0.5), (self.answers, 0.95), (self.runs, 0.95)]
        waits += [(self.comes, 0.5), (self.comes, 0.95), (self.bare, 0.95)]
        cells = [f"{number(1000 * quantile(*one))} ms" for one in waits]
        rate, each = len(self.answers) / LEVEL, self.cpu / max(1, len(self.answers))
        opened, each = f"{number(self.opened)} s", f"{number(1000 * each)} ms"
        return row([name, len(self.people), opened, number(rate), each, *cells], WIDTHS)


def quantile(values: list[float], share: float) -> float:
    """A quantile of what was measured; NaN of nothing."""
    return float(np.quantile(values, share)) if len(values) else float("nan")


def _spent() -> float:
    """CPU seconds of all that serve the lab."""
    lab: list[psutil.Process] = [
        one for one in servers() if not any("bare.py" in word for word in one.cmdline())
    ]
    return sum(sum(one.cpu_times()[:2]) for one in lab)


def run(*, rounds: int, say: Print) -> Outcome:
    """What each page costs, then all levels in as many rounds."""
    costs(say)
    asked = os.environ.get("LEVELS", LEVELS).split(",")
    levels = [(int(count), int(of or 1)) for count, _, of in (one.partition("x") for one in asked)]
    seen: dict[tuple[int, int], list[Level]] = {level: [] for level in levels}
    say(row(COLUMNS, WIDTHS))
    for turn in range(rounds):
        for count, processes in levels:
            with ExitStack() as stack:
                bare = stack.enter_context(served("benchmarks/bare/bare.py"))
                address = stack.enter_context(
                    served("app.py") if processes == 1 else class_of(processes)
                )
                one = Level(address, bare, count, seed=1000 * (turn + 1))
            seen[count, processes].append(one)
            say(one.told(f"{processes} process" + ("es" if processes > 1 else "")))
            for error in sorted(set(one.errors)):
                say(f"    {error}")
    lines = []
    for (count, processes), found in seen.items():
        name = f"{count} people on {processes}"
        most = P95_AT_MOST.get((count, processes))
        if most:
            lines.append(
                at_most(
                    f"{name}: p95 in seconds",
                    most,
                    [quantile(one.answers, 0.95) for one in found],
                    unit="",
                )
            )
        comes = [quantile(one.comes, 0.95) for one in found]
        lines.append(
            at_most(f"{name}: newcomers' p95 in seconds", NEWCOMERS_AT_MOST, comes, unit="")
        )
        errors = sum(len(one.errors) for one in found)
        lines.append(Line(asked=f"{name}: errors at most 0", measured=str(errors), met=not errors))
    return Outcome(lines=lines)
