"""Measure settings of a topic, with any number of repeats.

The topic's own work is trained (``Settings.sample``), through ``dpcore.cache``. The number at a
page's settings is therefore the page's number, bit for bit, and is computed once.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore.cache import CACHE, Key
from lab.experiment.settings import Settings, Task


@dataclass(frozen=True, kw_only=True)
class Measurement(Key):
    """A measure of some settings, of a part of their repeats.

    Attributes:
        settings: What is measured.
        measure: A key of ``settings.experiment.measures``.
        repeats: Number of repeats in all.
        part: Index of the part.
        parts: Number of parts that the repeats are cut into.
        essential: Whether a page needs it before all else.
    """

    settings: Settings
    measure: str
    repeats: int
    part: int = 0
    parts: int = 1
    essential: bool = field(default=False, compare=False)

    def run(self, *, kept: bool = True) -> np.ndarray:
        """Return a number per repeat (r,); none if the topic's own work has fewer parts.

        Args:
            kept: Whether to cache the topic's own work. The work of many measurements would push
                out all else.
        """
        tasks = self.settings.experiment.sample(self.repeats)
        # Parts differ by one task at most, the larger ones first.
        begin = math.ceil(self.part * len(tasks) / self.parts)
        end = math.ceil((self.part + 1) * len(tasks) / self.parts)
        read = self.settings.experiment.measures[self.measure].read
        numbers = []
        for task in tasks[begin:end]:
            outcome = _outcome(task, kept=kept)
            numbers.append(np.asarray(read(outcome), dtype=float))
        if not numbers:
            return np.empty(0)
        return np.concatenate(numbers)


def _outcome(task: Task, *, kept: bool) -> Any:
    """Return the outcome of a task, from the cache if it is there."""
    if kept:
        return CACHE.answer(task, task.run)
    is_known, outcome = CACHE.find(task)
    if is_known:
        return outcome
    return task.run()


def measurements(
    settings: Settings, *, measure: str, repeats: int, seeds: int = 1, parts: int = 1
) -> tuple[Measurement, ...]:
    """Return the work that measures ``repeats`` of each of several seeds, in parts.

    Args:
        settings: What is measured, with the first seed.
        measure: A key of ``settings.experiment.measures``.
        repeats: Number of repeats of each seed.
        seeds: Number of seeds.
        parts: Number of parts that the repeats of a seed are cut into.
    """
    work = []
    for variant in split(settings, seeds):
        for part in range(parts):
            measurement = Measurement(
                settings=variant, measure=measure, repeats=repeats, part=part, parts=parts
            )
            work.append(measurement)
    return tuple(work)


def split(settings: Settings, seeds: int) -> tuple[Settings, ...]:
    """Return the settings with several seeds, each with rows and noise of its own, their own seed
    first.
    """
    if seeds == 1 or "seed" not in settings.limits:
        return (settings,)
    low, high = settings.limits["seed"]
    first = getattr(settings, "seed", 0)
    variants = []
    for index in range(seeds):
        # Beyond the highest seed, the lowest follows.
        seed = low + (first - low + index) % (high - low + 1)
        variants.append(settings.change(seed=seed))
    return tuple(variants)


def measured(settings: Settings, *, measure: str, repeats: int) -> np.ndarray:
    """Return the numbers (repeats,), or a single one if repeats have no noise of their own."""
    measurement = Measurement(settings=settings, measure=measure, repeats=repeats)
    return CACHE.answer(measurement, measurement.run)


def shown(settings: Settings, measure: str) -> np.ndarray:
    """Return the numbers (R,) of the runs that the settings' page shows."""
    experiment = settings.experiment
    read = experiment.measures[measure].read
    tasks = experiment.shown_sample()
    numbers = [np.ravel(read(CACHE.answer(task, task.run))) for task in tasks]
    return np.concatenate(numbers).astype(float)
