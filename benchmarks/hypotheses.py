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
FIRST_AT_MOST, SLICE_AT_MOST, MEMORY_AT_MOST = 1.0, 0.1, 400.0
# With all words: half of the target's rows with labels is what takes longest.
WORDS_SLICE_AT_MOST, WORDS_MEMORY_AT_MOST = 0.2, 300.0
WIDTHS = (20, 9, 9, 9, 9, 9, 9, 9)
_ROUNDS_AT_MOST = 5

_PROGRAM = """
import json, resource, sys, time
from threadpoolctl import threadpool_limits
from lab.data import domains
from pages.hypotheses.settings import HypothesesSettings
import sklearn.utils.extmath
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
def clock(work):
    start = time.process_time()
    work()
    return time.process_time() - start
changes, seed = json.loads(sys.argv[1]), int(sys.argv[2])
empty = most()
with threadpool_limits(1, user_api="blas"):
    settings = HypothesesSettings().change(seed=seed)
    for name, value in changes.items():
        settings = settings.change(**{name: value})
    once = clock(lambda: domains.load(settings.source_training.domains))
    essential = [task for task in settings.experiment.tasks() if task.essential]
    first = once + sum(clock(task.run) for task in essential)
    slices = [clock(task.run) for task in settings.experiment.tasks() if not task.essential]
    def moved(**change):
        there = settings.change(**change)
        return sum(clock(task.run) for task in there.experiment.tasks() if task.essential)
    found = {"once": once, "first": first, "rest": sum(slices), "slice": max(slices), "memory": most() - empty,
             "epsilon": moved(epsilon=7.7), "features": moved(dimension=13)}
print(json.dumps(found))
"""


def run(*, rounds: int, say: Print) -> Outcome:
    """Each case in processes of its own, so that nothing is left of the case before."""
    lines = []
    say(
        "  5 sources, 800 + 1,000 rows each; CPU time on one core, medians of"
        f" {min(rounds, _ROUNDS_AT_MOST)} rounds"
    )
    say(row(("", "once", "first", "rest", "slice", "epsilon", "features", "memory"), WIDTHS))
    for name, changes in CASES.items():
        taken = [measured(changes, seed=11 + turn) for turn in range(min(rounds, _ROUNDS_AT_MOST))]
        middle = {what: float(np.median([one[what] for one in taken])) for what in taken[0]}
        times = [
            duration(middle[what])
            for what in ("once", "first", "rest", "slice", "epsilon", "features")
        ]
        say(row([name, *times, f"{number(middle['memory'])} MB"], WIDTHS))
        lines += _lines(name, taken)
    return Outcome(lines=lines)


def measured(changes: dict, *, seed: int) -> dict[str, float]:
    """The numbers of one process."""
    given = [sys.executable, "-c", _PROGRAM, json.dumps(changes), str(seed)]
    return json.loads(subprocess.run(given, capture_output=True, text=True, check=True).stdout)


def _lines(name: str, taken: list[dict[str, float]]) -> list[Line]:
    if name == "domains":
        return []
    words = name.endswith("all words")
    slices, memory = (
        (WORDS_SLICE_AT_MOST, WORDS_MEMORY_AT_MOST) if words else (SLICE_AT_MOST, MEMORY_AT_MOST)
    )
    return [
        at_most(
            f"{name}: the first picture", FIRST_AT_MOST, [one["first"] for one in taken], unit=" s"
        ),
        at_most(
            f"{name}: the longest later slice", slices, [one["slice"] for one in taken], unit=" s"
        ),
        at_most(f"{name}: memory", memory, [one["memory"] for one in taken], unit=" MB"),
    ]
