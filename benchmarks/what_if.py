"""Measure the answers of *What if*: first picture, curve, bars and map.

    make bench ARGS=what-if

Each answer is computed from an empty cache by the functions of the page, in its slices. The columns
are CPU times of the process, medians over the rounds. An answer is abandoned after 20 seconds of
work.

- *first picture*: until the first picture is complete.
- *a picture*: the result and everything that the page shows of it, without training.
- *curve*: until the curve is complete. *all*: until everything is complete.
- *done*: share of the work that was done.
"""

import time
from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_most, duration, row
from dpcore.cache import CACHE
from lab.statistics.crossing import smallest
from lab.sweeps.measurement import Measurement
from pages.topics import PAGES
from ui.compute.runner import compute

PAGE = next(page for page in PAGES if page.name == "what-if")
REPEATS, STATED = 24, 100
# CPU seconds after which an answer is left.
ENOUGH = 20.0
COLUMNS, WIDTHS = (
    ("", "first picture", "a picture", "curve", "all", "done"),
    (14, 14, 10, 10, 10, 6),
)


def run(*, rounds: int, say: Print) -> Outcome:
    """The classifier's answers by parts, then every topic's as a whole."""
    start = PAGE.settings()
    compute(
        start.change(repeats=REPEATS), seconds=ENOUGH
    )  # what is imported and read once is nobody's
    lines = _classifier(start, rounds)
    say(f"  {REPEATS} runs of each setting, from nothing; CPU time, medians of {rounds} rounds")
    say(row(COLUMNS, WIDTHS))
    for topic in start.TOPICS:
        settings = (
            start.change(topic=topic, repeats=REPEATS)
            if topic != start.topic
            else start.change(repeats=REPEATS)
        )
        taken = [_answer(settings) for _ in range(rounds)]
        times = [duration(float(np.median(one))) for one in list(zip(*taken, strict=True))[:-1]]
        say(row([topic, *times, f"{taken[0][-1]:.0%}"], WIDTHS))
    return Outcome(lines=lines)


def _classifier(start, rounds: int) -> list[Line]:
    settings, stated = start.change(repeats=REPEATS), start.change(repeats=STATED, question="curve")
    plan = settings.experiment.plan
    parts: dict[str, tuple[float, Callable[[], float]]] = {
        f"first picture, {REPEATS} runs": (0.1, lambda: _first(settings)),
        f"map of {len(plan.cells)} settings, {REPEATS} runs": (
            1.0,
            lambda: _looked(settings, plan.cells.values()),
        ),
        f"bars of {len(settings.sliders)} sliders, {REPEATS} runs": (
            0.15,
            lambda: _looked(settings, plan.effects.values()),
        ),
        f"smallest epsilon, {STATED} runs": (2.0, lambda: _answer(stated)[3]),
        f"smallest of 40 values, {STATED} runs, found": (0.002, _found),
    }
    return [
        at_most(f"classifier, {name}", most, [taken() for _ in range(rounds)], unit=" s")
        for name, (most, taken) in parts.items()
    ]


def _first(settings) -> float:
    CACHE.forget()
    begin = time.process_time()
    _shown(settings, 0)
    return time.process_time() - begin


def _found() -> float:
    """The search alone, in runs that are there."""
    values = np.geomspace(0.05, 20, 40)
    runs = (
        0.9
        - 0.4 * np.exp(-values[:, None])
        + 0.03 * np.random.default_rng(11).normal(size=(40, STATED))
    )
    begin = time.process_time()
    smallest(values, runs, 0.8)
    return time.process_time() - begin


def _looked(settings, cells: Iterable) -> float:
    """The work of some settings of the topic, and of today's."""
    CACHE.forget()
    plan = settings.experiment.plan
    measured = (plan.measurements(one) for one in (settings.topic_settings, *cells))
    measurements: list[Measurement] = [each for some in measured for each in some]
    begin = time.process_time()
    for measurement in measurements:
        CACHE.answer(measurement, measurement.run)
    return time.process_time() - begin


def _shown(settings, seconds: float):
    """(the result, the share that is done), with all that the page shows of it."""
    result, done = compute(settings, seconds=seconds)
    view = PAGE.view(result)
    _ = view.texts["verdict"], view.charts("board")
    return result, done


def _answer(settings) -> tuple[float, float, float, float, float]:
    """CPU seconds to the first picture, of a picture at the end, to the whole curve and to all; the
    share done.
    """
    CACHE.forget()
    begin = time.process_time()
    result, done = _shown(settings, 0)
    first, curve = time.process_time() - begin, 0.0
    while done < 1 and time.process_time() - begin < ENOUGH:
        result, done = compute(settings, seconds=0.05)
        curve = curve or (time.process_time() - begin if result.curve.complete else 0.0)
    whole, last = time.process_time() - begin, time.process_time()
    CACHE.forget(lambda question: isinstance(question, tuple))  # pictures and words, not the work
    _shown(settings, 0)
    return first, time.process_time() - last, curve or whole, whole, done
