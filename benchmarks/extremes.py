"""Every page with its sliders at their highest, and the slowest links: first picture, longest slice
after it, and memory.

- *first*: from settings that nobody has asked for to the first picture, of a process that has drawn
  another before.
- *slice*: the longest of the slices that follow, each one task and the result made of what there
  is.
- *memory*: most of the process, less what it had after its imports.

Times are CPU time of the process, which others on the machine do not count in; each case has
processes of its own, and is left after some seconds of work. A case whose tasks are not all done
says how far it came.
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_most, duration, number, row
from pages.topics import PAGES

FIRST_AT_MOST, SLICE_AT_MOST, MEMORY_AT_MOST = 0.4, 0.3, 300.0
# CPU seconds of slices after which a case is left, and rounds at most.
_ENOUGH, _ROUNDS_AT_MOST = 20.0, 3
_HIGHEST = 10**9

# Case -> (experiment, its settings, what is set first, what is then set as high as it goes).
_TRAINED = ("steps", "public_steps", "repeats")
_NETWORK = ("rows", "layers", "width", "lot_size", "epochs", "repeats")
_PARTIES = ("rows", "public_rows", "queries", "repeats", "parties")
_HYPOTHESES = (
    "sources",
    "source_rows",
    "unlabelled_rows",
    "target_rows",
    "public_rows",
    "dimension",
    "repeats",
)
_ATTACK = ("steps", "members", "repeats")
_STEPS = {
    "variant": "realised",
    "mechanism": "ordered",
    "rows": 5000,
    "layers": 3,
    "width": 2,
    "lot_size": 20,
}
_STEPS |= {"epochs": 60, "epsilon": 50.0}
_WORDS = {"sources": 2, "public_rows": 3000, "label_share": 0.5}
CASES = {
    "classifier breast_cancer": ("classifier", {"dataset": "breast_cancer"}, _TRAINED),
    "classifier digits": ("classifier", {"dataset": "digits"}, _TRAINED),
    "network moons": ("network", {}, _NETWORK),
    "network digits": ("network", {"dataset": "digits"}, _NETWORK),
    "regression us": ("regression", {}, ("repeats",)),
    "accounting q 0.01": ("accounting", {"sampling_rate": 0.01}, ("steps",)),
    "accounting q 0.99, little noise": (
        "accounting",
        {"sampling_rate": 0.99, "noise_multiplier": 0.3},
        ("steps",),
    ),
    "transfer": (
        "transfer",
        {"epsilon": 50.0},
        ("sources", "target_rows", "dimension", "migrated", "repeats"),
    ),
    "transfer wide": (
        "transfer",
        {"target_rows": 200, "dimension": 500},
        ("sources", "migrated", "repeats"),
    ),
    "parties digits": ("parties", {"dataset": "digits"}, _PARTIES),
    "parties activities": ("parties", {"dataset": "activities"}, _PARTIES),
    "parties addresses": ("parties", {"dataset": "addresses"}, _PARTIES),
    "hypotheses": ("hypotheses", {}, _HYPOTHESES),
    "hypotheses topics": ("hypotheses", {"data": "topics"}, _HYPOTHESES),
    "attack worlds, weights": ("attack", {"dataset": "digits"}, _ATTACK),
    "attack worlds, every step": ("attack", {"dataset": "digits", "sees": "steps"}, _ATTACK),
    "attack membership": ("attack", {"part": "membership"}, _ATTACK),
    "attack pays": ("attack", {"part": "pays", "dataset": "digits"}, _ATTACK),
    "attack inversion": ("attack", {"part": "inversion"}, _ATTACK),
    "mechanisms": ("mechanisms", {}, ("options",)),
    # Links of the slowest first pictures that were found
    "network, 15,000 small steps": ("network", _STEPS, ()),
    "hypotheses, all words": ("hypotheses", {"data": "topics", "projection": "none"} | _WORDS, ()),
    "what-if, people": (
        "what-if",
        {"topic": "hypotheses", "question": "people", "repeats": 400},
        (),
    ),
}
COLUMNS, WIDTHS = ("", "first", "slice", "done", "memory"), (30, 9, 9, 8, 9)


def run(*, rounds: int, say: Print) -> Outcome:
    """Each case in processes of its own, so that nothing is left of the case before."""
    lines, rounds = [], min(rounds, _ROUNDS_AT_MOST)
    say(f"  sliders at their highest; CPU time, medians of {rounds} rounds")
    say(row(COLUMNS, WIDTHS))
    for name in CASES:
        taken = [_apart(name) for _ in range(rounds)]
        middle = {what: float(np.median([one[what] for one in taken])) for what in taken[0]}
        times = [duration(middle[what]) for what in ("first", "slice")]
        say(row([name, *times, f"{middle['done']:.0%}", f"{number(middle['memory'])} MB"], WIDTHS))
        lines += _lines(name, taken)
    return Outcome(lines=lines)


def _lines(name: str, taken: list[dict[str, float]]) -> list[Line]:
    bounds = (
        ("first", FIRST_AT_MOST, " s"),
        ("slice", SLICE_AT_MOST, " s"),
        ("memory", MEMORY_AT_MOST, " MB"),
    )
    return [
        at_most(f"{name}: {what}", most, [one[what] for one in taken], unit=unit)
        for what, most, unit in bounds
    ]


def _apart(name: str) -> dict[str, float]:
    given = [sys.executable, "-m", "benchmarks.extremes", name]
    return json.loads(subprocess.run(given, capture_output=True, text=True, check=True).stdout)


def at_highest(name: str):
    """The settings of a case."""
    experiment, changes, highest = CASES[name]
    settings = next(page.settings for page in PAGES if page.name == experiment)()
    for field, value in changes.items():
        settings = settings.change(**{field: value})
    for field in highest:
        settings = settings.change(**{field: min(settings.limits[field][1], _HIGHEST)})
    return settings


def measured(name: str) -> dict[str, float]:
    """The numbers of one case, in this process."""
    from ui.compute.runner import compute

    settings = at_highest(name)
    compute(type(settings)())  # what is imported and read once is not this setting's
    compute(type(settings)(), seconds=1.0)
    empty, start = _memory(), time.process_time()
    _, done = compute(settings, seconds=0)
    first, slices = time.process_time() - start, [0.0]
    while done < 1 and sum(slices) < _ENOUGH:
        start = time.process_time()
        _, done = compute(settings, seconds=1e-12)
        slices.append(time.process_time() - start)
    return {"first": first, "slice": max(slices), "done": done, "memory": _memory() - empty}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
