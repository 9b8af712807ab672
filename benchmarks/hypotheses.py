"""Measure *Private hypothesis transfer* with thousands of features: time, longest slice and memory.

    make bench ARGS=hypotheses

Each case runs in a process without a cache from earlier cases. Times are CPU times on one core,
medians over the rounds.

- *once*: texts, their words and the public projection, computed once in a process.
- *first*: from a new setting to the first picture, *once* included.
- *rest*: all other tasks. *slice*: the longest of them.
- *epsilon*: first picture of another epsilon afterwards. It needs no new minimum, except with noise
  in the objective.
- *features*: first picture of another number of features, which needs no new projection.
- *memory*: peak of the process above its memory after the imports.
"""

import json
import subprocess
import sys

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_most, duration, number, row

# The published reviews [wang2019], in the order of a link.
REVIEWS = {
    "data": "reviews",
    "projection": "none",
    "source_rows": 1000,
    "public_rows": 2000,
    "lambda_lr": 0.005,
    "mixture": "0-0.25-0-0.75",
}
# Topics have 5,588 words, as many as the paper's texts.
CASES = {
    "topics": {"data": "topics"},
    "topics, d' 60": {"data": "topics", "dimension": 60},
    "topics, objective": {"data": "topics", "noise": "objective"},
    "topics, all words": {"data": "topics", "projection": "none"},
    "reviews, all words": REVIEWS,
    "domains": {},
}
# The requirements, in seconds and MB.
FIRST_AT_MOST = 1.0
SLICE_AT_MOST = 0.1
MEMORY_AT_MOST = 400.0
# With all words: half of the target's rows with labels is what takes longest.
WORDS_SLICE_AT_MOST = 0.2
WORDS_MEMORY_AT_MOST = 300.0
TIMES = ("once", "first", "rest", "slice", "epsilon", "features")
WIDTHS = (20, 9, 9, 9, 9, 9, 9, 9)
# A case takes a new process in each round.
_ROUNDS_AT_MOST = 5

_PROGRAM = """
import json, resource, sys, time
from threadpoolctl import threadpool_limits
from lab.data import domains
from pages.hypotheses.settings import HypothesesSettings
import sklearn.utils.extmath

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3

def cpu_seconds(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin

def seconds_of_essential_tasks(settings):
    return sum(cpu_seconds(task.run) for task in settings.experiment.tasks() if task.essential)

changes = json.loads(sys.argv[1])
seed = int(sys.argv[2])
peak_after_imports = peak_mb()
with threadpool_limits(1, user_api="blas"):
    settings = HypothesesSettings().change(seed=seed)
    for name, value in changes.items():
        settings = settings.change(**{name: value})
    once = cpu_seconds(lambda: domains.load(settings.source_training.domains))
    first = once + seconds_of_essential_tasks(settings)
    slices = []
    for task in settings.experiment.tasks():
        if not task.essential:
            slices.append(cpu_seconds(task.run))
    measured = {
        "once": once,
        "first": first,
        "rest": sum(slices),
        "slice": max(slices),
        "memory": peak_mb() - peak_after_imports,
        "epsilon": seconds_of_essential_tasks(settings.change(epsilon=7.7)),
        "features": seconds_of_essential_tasks(settings.change(dimension=13)),
    }
print(json.dumps(measured))
"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure each case in processes of its own, so that nothing is left of the case before."""
    rounds = min(rounds, _ROUNDS_AT_MOST)
    lines = []
    say(f"  5 sources, 800 + 1,000 rows each; CPU time on one core, medians of {rounds} rounds")
    say(row(("", *TIMES, "memory"), WIDTHS))
    for name, changes in CASES.items():
        measured = [measure(changes, seed=11 + turn) for turn in range(rounds)]
        cells = [duration(float(np.median(_values(measured, time)))) for time in TIMES]
        memory = float(np.median(_values(measured, "memory")))
        say(row([name, *cells, f"{number(memory)} MB"], WIDTHS))
        lines += _requirements(name, measured)
    return Outcome(lines=lines)


def measure(changes: dict, *, seed: int) -> dict[str, float]:
    """Return what one new process measures."""
    command = [sys.executable, "-c", _PROGRAM, json.dumps(changes), str(seed)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(process.stdout)


def _values(measured: list[dict[str, float]], name: str) -> list[float]:
    """Return one number of every round."""
    return [of_round[name] for of_round in measured]


def _requirements(name: str, measured: list[dict[str, float]]) -> list[Line]:
    """Compare first picture, slices and memory of a case with the largest ones allowed."""
    if name == "domains":
        return []
    most_seconds = SLICE_AT_MOST
    most_memory = MEMORY_AT_MOST
    if name.endswith("all words"):
        most_seconds = WORDS_SLICE_AT_MOST
        most_memory = WORDS_MEMORY_AT_MOST
    first = _values(measured, "first")
    slices = _values(measured, "slice")
    memory = _values(measured, "memory")
    return [
        at_most(f"{name}: the first picture", FIRST_AT_MOST, first, unit=" s"),
        at_most(f"{name}: the longest later slice", most_seconds, slices, unit=" s"),
        at_most(f"{name}: memory", most_memory, memory, unit=" MB"),
    ]
