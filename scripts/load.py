"""Let simulated people use a server, and print how long they wait and what the server needs.

    make load ARGS="--people 50 --seconds 30 http://address"
    make load ARGS="--people 20 --minutes 60 --roam"

Each person opens a page as a browser does, with another seed, so that nothing comes from the cache.
The person then moves the first slider to a random value every few seconds, first over the channel
and then over Streamlit's connection. With ``--roam`` people also change pages, leave, come back and
upload tables. Without an address, the lab of this checkout is started, and a line every minute says
what its process holds.
"""

import argparse
import asyncio
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlsplit

import numpy as np
import psutil

from benchmarks.latency import served
from benchmarks.report import Print, duration, number, row
from benchmarks.visitors import SLIDERS, UPLOAD_SHARE, Record, RoamingPerson, Visitor

# Seconds between two movements of a person, lowest and highest.
PAUSE = (2.0, 4.0)
LOCAL = {"localhost", "127.0.0.1", "::1"}
# Seconds between two lines about the process, and the number of lines that a slope needs.
MINUTE = 60.0
LEAST_LINES = 5
# The first part of the lines is warming up: one in so many.
WARM_UP = 6

COLUMNS = ("over", "moves/s", "p50", "p95", "longest")
WIDTHS = (10, 8, 9, 9, 9)
# What the process of a lab holds that is served here.
FIGURES = ("memory MB", "descriptors", "threads")
MINUTE_COLUMNS = ("minute", "moves/s", "p95", "errors", "open pages", *FIGURES)
MINUTE_WIDTHS = (6, 8, 9, 6, 10, 9, 11, 7)
UNKNOWN = "-"

# Exit statuses.
NO_ERROR = 0
ERRORS = 1
NOT_ALLOWED = 2


async def run_with(visitors: Sequence[Visitor], report: Callable[[], Awaitable[None]]) -> None:
    """Run all visitors, and the report until the last has left."""
    reporting = asyncio.create_task(report())
    await asyncio.gather(*(visitor.run() for visitor in visitors))
    reporting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await reporting


def figures_of(server: psutil.Process) -> tuple[float, ...]:
    """Return what a process holds, in the order of ``FIGURES``."""
    with server.oneshot():
        return server.memory_info().rss / 1e6, server.num_fds(), server.num_threads()


@dataclass
class MinuteReport:
    """Print a line every minute about the visitors and the server's process.

    every: seconds between two lines. server: its process, or None on another machine.
    figures: what it held at each line.
    """

    visitors: Sequence[Visitor]
    record: Record
    say: Print
    every: float
    server: psutil.Process | None = None
    figures: list[tuple[float, ...]] = field(default_factory=list)

    async def run(self) -> None:
        """Print lines until it is cancelled."""
        begin = time.perf_counter()
        known_answers = 0
        known_errors = 0
        for minute in count(1):
            await asyncio.sleep(self.every)
            if minute == 1:
                self.say(row(MINUTE_COLUMNS, MINUTE_WIDTHS))
            waits = self.record.answers[known_answers:]
            errors = self.record.errors[known_errors:]
            known_answers = len(self.record.answers)
            known_errors = len(self.record.errors)
            self._print_line(time.perf_counter() - begin, waits, len(errors))
            for error in sorted(set(errors)):
                self.say(f"    {error}")

    def _print_line(self, seconds: float, waits: Sequence[float], errors: int) -> None:
        """Print one line, ``seconds`` after the beginning."""
        p95 = UNKNOWN
        if waits:
            p95 = duration(float(np.quantile(waits, 0.95)))
        cells = [UNKNOWN] * len(FIGURES)
        if self.server:
            figures = figures_of(self.server)
            self.figures.append(figures)
            cells = [number(figure) for figure in figures]
        pages = sum(visitor.person.channel is not None for visitor in self.visitors)
        rate = number(len(waits) / self.every)
        self.say(row([number(seconds / 60), rate, p95, errors, pages, *cells], MINUTE_WIDTHS))

    def slopes(self) -> list[str]:
        """Return a line for each figure with its slope after warming up."""
        figures = np.array(self.figures[len(self.figures) // WARM_UP :])
        if len(figures) < LEAST_LINES:
            return []
        hours = np.arange(len(figures)) * self.every / 3600
        lines = []
        for name, values in zip(FIGURES, figures.T, strict=True):
            # A system may not tell a figure.
            if np.isfinite(values).all():
                (slope, _), covariance = np.polyfit(hours, values, 1, cov=True)
                lines.append(
                    f"  {name}: {number(values[0])} after warming up, {number(values[-1])} at the"
                    f" end, {number(values.max())} at most, slope {number(round(slope, 1) + 0.0)}"
                    f" ± {number(round(covariance[0, 0] ** 0.5, 1))} an hour"
                )
        return lines


def measure(
    address: str, options: argparse.Namespace, say: Print, server: psutil.Process | None = None
) -> int:
    """Run the visitors, print what they met, and return the number of errors.

    server: the server's process, or None on another machine.
    """
    record = Record()
    seeds = count(options.seed)
    end = time.perf_counter() + options.seconds
    visitors = []
    for index in range(options.people):
        person = RoamingPerson(
            socket=None,
            path="",
            query="",
            address=address,
            answers=record.answers,
            runs=record.runs,
            errors=record.errors,
        )
        visitor = Visitor(
            person=person,
            rng=np.random.default_rng((options.seed, index)),
            seeds=seeds,
            record=record,
            end=end,
            pages=options.pages,
            roams=options.roam,
            pause=options.pause,
        )
        visitors.append(visitor)
    report = MinuteReport(visitors, record, say, every=MINUTE, server=server)
    asyncio.run(run_with(visitors, report.run))
    say(row(COLUMNS, WIDTHS))
    say(_waits_row("channel", record.answers, options.seconds))
    say(_waits_row("run", record.runs, options.seconds))
    for line in report.slopes():
        say(line)
    if record.uploads:
        say(f"  {record.uploads} tables were uploaded")
    say(f"  errors: {len(record.errors)}")
    for error, times in Counter(record.errors).most_common():
        say(f"    {times} times: {error}")
    return len(record.errors)


def _waits_row(name: str, waits: Sequence[float], seconds: float) -> str:
    """Return the row of one kind of waits."""
    times = [UNKNOWN] * 3
    if waits:
        times = [duration(quantile) for quantile in np.quantile(waits, (0.5, 0.95, 1))]
    return row([name, number(len(waits) / seconds), *times], WIDTHS)


def plan_text(options: argparse.Namespace) -> str:
    """Return what will be done."""
    low, high = options.pause
    server = options.address or "a lab of this checkout"
    roams = ""
    if options.roam:
        roams = (
            ", changes pages, leaves and comes back, and uploads a table to one page in"
            f" {1 / UPLOAD_SHARE:g}"
        )
    return (
        f"{options.people} people for {options.seconds:g} s at {server}: each opens a page and"
        f" moves a slider every {low:g} to {high:g} s{roams}. That is up to"
        f" {2 * options.people / (low + high):.3g} movements a second. Ask only a server of your"
        " own."
    )


def is_allowed(options: argparse.Namespace) -> bool:
    """Return whether to begin: at once on this machine, elsewhere if somebody agrees."""
    if options.yes or options.address is None or urlsplit(options.address).hostname in LOCAL:
        return True
    return sys.stdin.isatty() and input("Begin? [y/N] ").strip().lower() in ("y", "yes")


def read_options(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line, with their defaults."""
    parser = argparse.ArgumentParser(
        prog="load", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "address",
        nargs="?",
        help="http://... of the lab; without it, one is served on this machine",
    )
    parser.add_argument("--people", type=int, default=25)
    lasts = parser.add_mutually_exclusive_group()
    lasts.add_argument("--seconds", type=float, default=30.0)
    lasts.add_argument("--minutes", type=float)
    parser.add_argument(
        "--pause", type=float, nargs=2, default=PAUSE, metavar=("LOW", "HIGH"), help="seconds"
    )
    parser.add_argument(
        "--pages",
        nargs="+",
        choices=SLIDERS,
        help="default: classifier, or with --roam all of them",
    )
    parser.add_argument(
        "--roam", action="store_true", help="change pages, leave, come back, upload tables"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first person's numbers")
    parser.add_argument(
        "--yes", action="store_true", help="begin without asking, also on another machine"
    )
    options = parser.parse_args(words)
    if options.minutes:
        options.seconds = 60 * options.minutes
    if not options.pages and options.roam:
        options.pages = tuple(SLIDERS)
    elif not options.pages:
        options.pages = ("classifier",)
    if options.address:
        options.address = options.address.rstrip("/")
    low, high = options.pause
    if options.people < 1 or options.seconds <= 0 or not 0 < low <= high:
        parser.error("--people, --seconds and --pause must be positive, and LOW not above HIGH")
    if options.address and urlsplit(options.address).scheme not in ("http", "https"):
        parser.error(f"{options.address} must begin with http:// or https://")
    return options


def main(words: Sequence[str] | None = None, say: Print = print) -> int:
    """Run the command, and return its exit status."""
    options = read_options(words)
    say(plan_text(options))
    if not is_allowed(options):
        say("Nothing was requested: say yes, or --yes.")
        return NOT_ALLOWED
    if options.address:
        errors = measure(options.address, options, say)
    else:
        with served("app.py") as address:
            children = psutil.Process().children()
            server = next(child for child in children if "streamlit" in child.cmdline())
            errors = measure(address, options, say, server)
    if errors:
        return ERRORS
    return NO_ERROR


if __name__ == "__main__":
    sys.exit(main())
