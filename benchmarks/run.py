"""Run all benchmarks or the named ones, and print whether each requirement is met.

    make bench
    make bench ARGS="engine network --rounds 3"

Each benchmark prints a table, which its module explains, and then a line for each requirement:
"met", "NOT MET" or "UNDECIDED" with the median of the rounds. Nothing is written or downloaded. The
exit status is 0 if everything is met, 1 if a requirement is not met, and 2 if one is undecided
because a package for comparison is not installed.
"""

import argparse
import os
import platform
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import threadpoolctl
from numpy.lib.introspect import opt_func_info

from benchmarks import (
    attack,
    capacity,
    defaults,
    descent,
    drag,
    engine,
    first,
    frames,
    hostile_uploads,
    hypotheses,
    latency,
    load,
    network,
    parties,
    regression,
    shift,
    sweeps,
    what_if,
)
from benchmarks.report import Outcome


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A module with a function ``run``, and the number of rounds if none is asked for."""

    module: ModuleType
    rounds: int

    @property
    def title(self) -> str:
        """Return the first line of the module's docstring."""
        return str(self.module.__doc__).partition("\n")[0]

    @property
    def run(self) -> Callable[..., Outcome]:
        return self.module.run


BENCHMARKS = {
    "engine": Benchmark(module=engine, rounds=15),
    "network": Benchmark(module=network, rounds=7),
    "regression": Benchmark(module=regression, rounds=7),
    "attack": Benchmark(module=attack, rounds=7),
    "hypotheses": Benchmark(module=hypotheses, rounds=5),
    "defaults": Benchmark(module=defaults, rounds=1),
    "descent": Benchmark(module=descent, rounds=1),
    "parties": Benchmark(module=parties, rounds=5),
    "frames": Benchmark(module=frames, rounds=5),
    "what-if": Benchmark(module=what_if, rounds=3),
    "sweeps": Benchmark(module=sweeps, rounds=3),
    "load": Benchmark(module=load, rounds=3),
    "hostile_uploads": Benchmark(module=hostile_uploads, rounds=1),
    "capacity": Benchmark(module=capacity, rounds=1),
    "first": Benchmark(module=first, rounds=3),
    "shift": Benchmark(module=shift, rounds=1),
    "drag": Benchmark(module=drag, rounds=3),
    "latency": Benchmark(module=latency, rounds=6),
}

# Exit statuses, which are ordered by how serious they are.
MET = 0
NOT_MET = 1
UNDECIDED = 2
TERMINATED = 143


def machine_line() -> str:
    """Return a line about processor, libraries and load, to which the figures belong."""
    pools = threadpoolctl.threadpool_info()
    threads = {f"{pool['internal_api']} {pool['num_threads']} threads" for pool in pools}
    functions = opt_func_info("^(exp|tanh)$", "float32").values()
    vectors = [function["ff"]["current"] or "none" for function in functions]
    parts = [
        f"{os.cpu_count()} cores ({platform.machine()})",
        f"Python {platform.python_version()}",
        f"numpy {np.__version__}",
        f"exp and tanh by {' and '.join(vectors)}",
        *sorted(threads),
        load_text(),
    ]
    return ", ".join(parts)


def load_text() -> str:
    """Return the load of the machine. Other programs that run meanwhile spoil a benchmark."""
    if not hasattr(os, "getloadavg"):
        return "load unknown"
    last_minute, _, _ = os.getloadavg()
    return f"load {last_minute:.2f}"


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, print their figures, and return the exit status."""
    names = ", ".join(BENCHMARKS)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"any of {names}; all if none is named"
    )
    parser.add_argument("--rounds", type=int, help="more rounds make a steadier median")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in BENCHMARKS:
            parser.error(f"{name} is no benchmark; there are {names}")
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds must be at least 1")

    # An exception ends the servers and browsers that a benchmark has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    print(machine_line(), flush=True)
    statuses = [run(name, options.rounds) for name in options.names or BENCHMARKS]
    return max(statuses)


def run(name: str, rounds: int | None) -> int:
    """Run one benchmark, print its figures and requirements, and return its exit status."""
    benchmark = BENCHMARKS[name]
    print(f"\n{name}: {benchmark.title}", flush=True)
    outcome = benchmark.run(
        rounds=rounds or benchmark.rounds, say=lambda line: print(line, flush=True)
    )
    print(f"  requirements ({load_text()} at the end)")
    for line in outcome.lines:
        print(line)
    for package in outcome.missing:
        print(f"  MISSING   {package}")
    if outcome.missing or any(line.met is None for line in outcome.lines):
        return UNDECIDED
    if all(line.met for line in outcome.lines):
        return MET
    return NOT_MET


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
