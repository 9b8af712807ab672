"""Measure the answers of *What if*: first picture, curve, bars and map.

    make bench ARGS=what-if

Each answer is computed from an empty cache by the functions of the page, in its slices. A row of the
table is a topic. The columns are CPU times of the process, medians over the rounds. An answer is
abandoned after 20 seconds of work.

- *first picture*: until the first picture is complete.
- *a picture*: the result and everything that the page shows of it, without training.
- *curve*: until the curve is complete. *all*: until everything is complete.
- *done*: share of the work that was done.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_most, duration, median_text, row
from dpcore.cache import CACHE
from lab.statistics.crossing import smallest
from pages.topics import PAGES
from ui.compute.runner import compute

PAGE = next(page for page in PAGES if page.name == "what-if")
REPEATS = 24
# Repeats of an answer with its confidence.
MORE_REPEATS = 100
# CPU seconds after which an answer is abandoned, and those of a slice.
MOST_SECONDS = 20.0
SLICE_SECONDS = 0.05
# Values of the search alone.
VALUES = 40
COLUMNS = ("", "first picture", "a picture", "curve", "all", "done")
WIDTHS = (14, 14, 10, 10, 10, 6)
# Requirements of the classifier, in seconds.
FIRST_PICTURE_AT_MOST = 0.1
MAP_AT_MOST = 1.0
EFFECTS_AT_MOST = 0.15
SMALLEST_AT_MOST = 2.0
SEARCH_AT_MOST = 0.002


class Answer(NamedTuple):
    """CPU seconds of one answer.

    Attributes:
        first_picture: Until the first picture.
        picture: To draw everything at the end, without training.
        curve: Until the curve is complete.
        complete: Until everything is complete.
        done: Share of the work that was done.
    """

    first_picture: float
    picture: float
    curve: float
    complete: float
    done: float


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure the parts of the classifier's answer, and the whole answer of every topic."""
    start = PAGE.settings().change(repeats=REPEATS)
    # What is imported and read once belongs to no answer.
    compute(start, seconds=MOST_SECONDS)
    lines = _measure_classifier(start, rounds=rounds)
    say(f"  {REPEATS} runs of each setting, from nothing; CPU time, medians of {rounds} rounds")
    say(row(COLUMNS, WIDTHS))
    for topic in start.TOPICS:
        settings = start
        if topic != start.topic:
            settings = PAGE.settings().change(topic=topic, repeats=REPEATS)
        answers = [_answer(settings) for _ in range(rounds)]
        say(row([topic, *_cells(answers)], WIDTHS))
    return Outcome(lines=lines)


def _cells(answers: list[Answer]) -> list[str]:
    """Return the medians of the rounds, and the share that the first one has done."""
    # (rounds, fields) to (fields, rounds).
    first_picture, picture, curve, complete, _ = np.array(answers).T
    return [
        median_text(first_picture, duration),
        median_text(picture, duration),
        median_text(curve, duration),
        median_text(complete, duration),
        f"{answers[0].done:.0%}",
    ]


def _measure_classifier(settings: Any, *, rounds: int) -> list[Line]:
    """Compare the seconds of each part of the answer with what is required."""
    plan = settings.experiment.plan
    cells = list(plan.cells.values())
    effects = list(plan.effects.values())
    curve_settings = PAGE.settings().change(repeats=MORE_REPEATS, question="curve")

    def require(text: str, bound: float, measure: Callable[[], float]) -> Line:
        seconds = [measure() for _ in range(rounds)]
        return at_most(f"classifier, {text}", bound, seconds, unit=" s")

    return [
        require(
            f"first picture, {REPEATS} runs",
            FIRST_PICTURE_AT_MOST,
            lambda: _first_picture(settings),
        ),
        require(
            f"map of {len(cells)} settings, {REPEATS} runs",
            MAP_AT_MOST,
            lambda: _measure_settings(settings, cells),
        ),
        require(
            f"bars of {len(settings.sliders)} sliders, {REPEATS} runs",
            EFFECTS_AT_MOST,
            lambda: _measure_settings(settings, effects),
        ),
        require(
            f"smallest epsilon, {MORE_REPEATS} runs",
            SMALLEST_AT_MOST,
            lambda: _answer(curve_settings).complete,
        ),
        require(
            f"smallest of {VALUES} values, {MORE_REPEATS} runs, found", SEARCH_AT_MOST, _search
        ),
    ]


def _first_picture(settings: Any) -> float:
    """Return the seconds of the first picture from an empty cache."""
    CACHE.forget()
    begin = time.process_time()
    _draw(settings)
    return time.process_time() - begin


def _search() -> float:
    """Return the seconds of the search alone, in runs that are finished."""
    values = np.geomspace(0.05, 20, VALUES)
    medians = 0.9 - 0.4 * np.exp(-values[:, None])
    noise = np.random.default_rng(11).normal(size=(VALUES, MORE_REPEATS))
    begin = time.process_time()
    smallest(values, medians + 0.03 * noise, 0.8)
    return time.process_time() - begin


def _measure_settings(settings: Any, others: Iterable[Any]) -> float:
    """Return the seconds to measure some settings of the topic, and the page's own."""
    CACHE.forget()
    plan = settings.experiment.plan
    measurements = []
    for topic_settings in (settings.topic_settings, *others):
        measurements += plan.measurements(topic_settings)
    begin = time.process_time()
    for measurement in measurements:
        CACHE.answer(measurement, measurement.run)
    return time.process_time() - begin


def _draw(settings: Any) -> float:
    """Make all that the page shows of the work that is done, and return its share."""
    result, done = compute(settings, seconds=0)
    view = PAGE.view(result)
    _ = view.texts["verdict"]
    view.charts("board")
    return done


def _answer(settings: Any) -> Answer:
    """Compute an answer from an empty cache, slice by slice."""
    CACHE.forget()
    begin = time.process_time()
    done = _draw(settings)
    first_picture = time.process_time() - begin
    curve = None
    while done < 1 and time.process_time() - begin < MOST_SECONDS:
        result, done = compute(settings, seconds=SLICE_SECONDS)
        if curve is None and result.curve.complete:
            curve = time.process_time() - begin
    complete = time.process_time() - begin
    if curve is None:
        curve = complete

    # Pictures and texts are forgotten, but not the work.
    CACHE.forget(lambda question: isinstance(question, tuple))
    begin_of_picture = time.process_time()
    _draw(settings)
    return Answer(
        first_picture=first_picture,
        picture=time.process_time() - begin_of_picture,
        curve=curve,
        complete=complete,
        done=done,
    )
