"""``python -m benchmarks.run [name ...]``: run all benchmarks, or the named ones, and say what was
met.

Nothing is written and nothing is fetched. Exit code 0: every line is met; 1: some line is not; 2:
some line is undecided, because a peer is not installed.
"""

import argparse
import os
import platform
import signal
import sys

import numpy as np
import threadpoolctl
from numpy.lib.introspect import opt_func_info

from benchmarks import (
    attack,
    capacity,
    crowd,
    defaults,
    drag,
    engine,
    extremes,
    first,
    frames,
    hostile_uploads,
    hypotheses,
    latency,
    load,
    mixed,
    network,
    orderings,
    own_rows,
    parties,
    play,
    reading,
    regression,
    shift,
    sweeps,
    what_if,
)

# Name -> (what it measures, the function that runs it, its rounds).
BENCHMARKS = {
    "engine": (
        "training a sweep: the batch axis beside a loop, Opacus and the bare floor",
        engine.run,
        15,
    ),
    "network": (
        "training 80 networks by DP-SGD, beside a loop, Opacus and the bare floor",
        network.run,
        7,
    ),
    "regression": (
        "fits on the batch axis, redraws on 370,000 rows, and Noisy Frank-Wolfe",
        regression.run,
        7,
    ),
    "attack": (
        "2,000 + 2,000 retrainings in two worlds beside a loop, and what is drawn of them",
        attack.run,
        7,
    ),
    "hypotheses": (
        "5 sources with 5,588 features: first picture, slices, memory",
        hypotheses.run,
        5,
    ),
    "own-rows": (
        "a file of 20 MB of one's own: to the first picture of the pages that learn from it",
        own_rows.run,
        5,
    ),
    "reading": (
        "a file of 1,000,000 rows in six forms: CPU time and memory to read it",
        reading.run,
        5,
    ),
    "orderings": (
        "the orderings of two papers on generated data, 20 repeats; nothing is timed",
        orderings.run,
        1,
    ),
    "defaults": (
        "what the estimators' defaults are worth on data from elsewhere; nothing is timed",
        defaults.run,
        1,
    ),
    "parties": (
        "20,000 parties: first picture, slices, memory; four releases beside a loop",
        parties.run,
        5,
    ),
    "extremes": (
        "every page with its sliders at their highest: first picture, longest slice, memory",
        extremes.run,
        3,
    ),
    "frames": ("what a redraw of each page costs the server, in CPU time", frames.run, 5),
    "what-if": (
        "the answers of the What-if planner: first picture, curve, bars, map",
        what_if.run,
        3,
    ),
    "sweeps": ("a sweep on threads, processes and two Dask workers", sweeps.run, 3),
    "play": ("a training that plays: moments drawn a second", play.run, 3),
    "load": ("25 and 100 people at once on one server, beside a bare page", load.run, 3),
    "hostile_uploads": ("uploads and messages that were made to hurt", hostile_uploads.run, 1),
    "crowd": ("10 people who drag and 100 who move, on the channel of one server", crowd.run, 3),
    "capacity": (
        "what one process can serve, two behind one address, and 1,000 people on them",
        capacity.run,
        1,
    ),
    "mixed": (
        "25 and 60 people, each on a page and settings of their own, beside a bare page",
        mixed.run,
        3,
    ),
    "first": (
        "a visit, cold and warm, on a fast and a slow network: what travels, and when it is seen",
        first.run,
        3,
    ),
    "shift": ("every page, wide and on a phone: how far it jumps while it loads", shift.run, 1),
    "drag": (
        "dragging every topic beside a bare canvas, and what the browser is busy with",
        drag.run,
        3,
    ),
    "latency": (
        "from a key on the slider to the last redrawn chart, beside a bare page",
        latency.run,
        6,
    ),
}


def machine() -> str:
    """One line on what the figures belong to."""
    blas = threadpoolctl.threadpool_info()
    threads = ", ".join(
        sorted({f"{pool['internal_api']} {pool['num_threads']} threads" for pool in blas})
    )
    vectors = [
        found["ff"]["current"] or "none"
        for found in opt_func_info("^(exp|tanh)$", "float32").values()
    ]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, numpy"
        f" {np.__version__}, exp and tanh by {' and '.join(vectors)}, {threads}, {busy()}"
    )


def busy() -> str:
    """How busy the machine is: others that run beside a benchmark spoil it."""
    return f"load {os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "load unknown"


def main(arguments: list[str]) -> int:
    """Run what is asked for and print it; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description=__doc__.partition("\n")[0]
    )
    names = ", ".join(BENCHMARKS)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"which to run, of {names}; all if none is named"
    )
    parser.add_argument(
        "--rounds", type=int, help="alternating rounds, for a quick look or a quieter median"
    )
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in BENCHMARKS]
    if unknown or (asked.rounds is not None and asked.rounds < 1):
        parser.error(
            f"{unknown[0]} is no benchmark; there are {names}"
            if unknown
            else "--rounds must be at least 1"
        )
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that servers and browsers are ended, whatever happens
    print(machine(), flush=True)
    return max([_run(name, asked.rounds) for name in asked.names or BENCHMARKS])


def _run(name: str, rounds: int | None) -> int:
    what, benchmark, default = BENCHMARKS[name]
    print(f"\n{name}: {what}", flush=True)
    outcome = benchmark(rounds=rounds or default, say=lambda line: print(line, flush=True))
    print(f"  acceptance ({busy()} at the end)")
    print(*outcome.lines, sep="\n")
    for peer in outcome.missing:
        print(f"  MISSING   {peer}")
    if outcome.missing or any(line.met is None for line in outcome.lines):
        return 2
    return 0 if all(line.met for line in outcome.lines) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
