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
from benchmarks.visitors import BRING, SLIDERS, Person, Seen, Visitor

# Seconds between two movements of a person.
PAUSE = (2.0, 4.0)
LOCAL = {"localhost", "127.0.0.1", "::1"}
# Seconds between two lines on the process; as many of them are needed to speak of a slope.
MINUTE, SLOPES_FROM = 60.0, 5

COLUMNS = ("over", "moves/s", "p50", "p95", "longest")
WIDTHS = (10, 8, 9, 9, 9)
# What the process of a lab that is served here holds.
FIGURES = ("memory MB", "descriptors", "threads")
HELD = ("minute", "moves/s", "p95", "errors", "open pages", *FIGURES)
HELD_WIDTHS = (6, 8, 9, 6, 10, 9, 11, 7)


async def crowded(visitors: Sequence[Visitor], beside: Callable[[], Awaitable[None]]) -> None:
    """All come; ``beside`` goes on until the last has left."""
    other = asyncio.create_task(beside())
    await asyncio.gather(*(visitor.last() for visitor in visitors))
    other.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await other


def holds(server: psutil.Process | None) -> tuple[float, ...] | None:
    """Return what the server's process holds, in the order of ``FIGURES``; None where it is not
    ours.
    """
    if server is None:
        return None
    with server.oneshot():
        return server.memory_info().rss / 1e6, server.num_fds(), server.num_threads()


@dataclass
class Minutes:
    """A line a minute: what was met since the last, and what the server's process holds."""

    visitors: Sequence[Visitor]
    seen: Seen
    say: Print
    every: float
    server: psutil.Process | None = None
    held: list[tuple[float, ...]] = field(default_factory=list)

    async def last(self) -> None:
        """Until it is cancelled."""
        begin, known, failed = time.perf_counter(), 0, 0
        for minute in count(1):
            await asyncio.sleep(self.every)
            if minute == 1:
                self.say(row(HELD, HELD_WIDTHS))
            waits, errors = self.seen.answers[known:], self.seen.errors[failed:]
            known, failed = len(self.seen.answers), len(self.seen.errors)
            figures = holds(self.server)
            self.held += [figures] if figures else []
            pages = sum(visitor.person.channel is not None for visitor in self.visitors)
            p95 = duration(float(np.quantile(waits, 0.95))) if waits else "-"
            told = [number(one) for one in figures] if figures else ["-"] * len(FIGURES)
            since = number((time.perf_counter() - begin) / 60)
            self.say(
                row(
                    [since, number(len(waits) / self.every), p95, len(errors), pages, *told],
                    HELD_WIDTHS,
                )
            )
            for error in sorted(set(errors)):
                self.say(f"    {error}")

    def slopes(self) -> list[str]:
        """A sentence for each figure: where it stood when all had warmed up, at the end and at
        most, and its slope.
        """
        held = np.array(self.held[len(self.held) // 6 :])
        if len(held) < SLOPES_FROM:
            return []
        hours = np.arange(len(held)) * self.every / 3600
        fits = {
            name: (values, *np.polyfit(hours, values, 1, cov=True))
            for name, values in zip(FIGURES, held.T, strict=True)
            if np.isfinite(values).all()  # else the server's system does not tell
        }
        return [
            f"  {name}: {number(values[0])} after warming up, {number(values[-1])} at the end, "
            f"{number(values.max())} at most, slope {number(round(slope[0], 1) + 0.0)} "
            f"± {number(round(error[0, 0] ** 0.5, 1))} an hour"
            for name, (values, slope, error) in fits.items()
        ]


def measure(
    address: str, asked: argparse.Namespace, say: Print, server: psutil.Process | None = None
) -> int:
    """Let the people come, and print what they met; the number of errors. server: its process, if
    it is ours.
    """
    seen, seeds, end = Seen(), count(asked.seed), time.perf_counter() + asked.seconds
    met = {"answers": seen.answers, "runs": seen.runs, "errors": seen.errors}
    visitors = [
        Visitor(
            Person(socket=None, path="", query="", address=address, **met),
            np.random.default_rng((asked.seed, place)),
            seeds,
            seen,
            end,
            asked.pages,
            asked.roam,
            asked.pause,
        )
        for place in range(asked.people)
    ]
    minutes = Minutes(visitors, seen, say, every=MINUTE, server=server)
    asyncio.run(crowded(visitors, minutes.last))
    say(row(COLUMNS, WIDTHS))
    for way, waits in (("channel", seen.answers), ("run", seen.runs)):
        times = (
            [duration(one) for one in np.quantile(waits, (0.5, 0.95, 1))] if waits else ["-"] * 3
        )
        say(row([way, number(len(waits) / asked.seconds), *times], WIDTHS))
    for line in [
        *minutes.slopes(),
        *([f"  {seen.brought} tables were brought"] if seen.brought else []),
    ]:
        say(line)
    say(f"  errors: {len(seen.errors)}")
    for error, times in Counter(seen.errors).most_common():
        say(f"    {times} times: {error}")
    return len(seen.errors)


def plan(asked: argparse.Namespace) -> str:
    """What will be done, in words."""
    low, high = asked.pause
    roams = (
        f", changes pages, leaves and comes back, and brings a table to one page in {1 / BRING:g}"
        if asked.roam
        else ""
    )
    return (
        f"{asked.people} people for {asked.seconds:g} s at"
        f" {asked.address or 'a lab of this checkout'}: each opens a page and moves a slider every"
        f" {low:g} to {high:g} s{roams}. That is up to {2 * asked.people / (low + high):.3g}"
        " movements a second. Ask only a server of your own."
    )


def told(asked: argparse.Namespace) -> bool:
    """Whether it may begin: on this machine at once, elsewhere when somebody says so."""
    if asked.yes or asked.address is None or urlsplit(asked.address).hostname in LOCAL:
        return True
    return sys.stdin.isatty() and input("Begin? [y/N] ").strip().lower() in ("y", "yes")


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(
        prog="load", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "address",
        nargs="?",
        help="http://... of the lab; none: one is served for it, on this machine",
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
        "--roam", action="store_true", help="change pages, leave, come back, bring tables"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first person's numbers")
    parser.add_argument(
        "--yes", action="store_true", help="begin without asking, also on another machine"
    )
    asked = parser.parse_args(words)
    asked.seconds = 60 * asked.minutes if asked.minutes else asked.seconds
    asked.pages = asked.pages or (tuple(SLIDERS) if asked.roam else ("classifier",))
    asked.address = asked.address and asked.address.rstrip("/")
    if asked.people < 1 or asked.seconds <= 0 or not 0 < asked.pause[0] <= asked.pause[1]:
        parser.error("--people, --seconds and --pause must be positive, and LOW not above HIGH")
    if asked.address and urlsplit(asked.address).scheme not in ("http", "https"):
        parser.error(f"{asked.address} must begin with http:// or https://")
    return asked


def main(words: Sequence[str] | None = None, say: Print = print) -> int:
    """Exit code 0: nobody met an error; 1: somebody did; 2: nothing was asked of the server."""
    asked = parsed(words)
    say(plan(asked))
    if not told(asked):
        say("Nothing was asked: say yes, or --yes.")
        return 2
    if asked.address:
        return min(1, measure(asked.address, asked, say))
    with served("app.py") as address:
        server = next(one for one in psutil.Process().children() if "streamlit" in one.cmdline())
        return min(1, measure(address, asked, say, server))


if __name__ == "__main__":
    sys.exit(main())
