"""Results of questions with runs that are made up: at random, and for answers that are rare."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from lab.experiment.settings import Settings
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import QUESTIONS, WhatIfSettings
from tests.pages.what_if.examples import PAGE

Runs = Callable[[Settings], np.ndarray]
# The target of the rare answers is 80 %. These runs reach it and miss it.
HIT = 0.9
MISS = 0.7
FEW = 24
# A logarithm is taken of at least this.
LEAST = 1e-12


def nothing(task: Any) -> bool:
    """Return False: only essential tasks are done."""
    return False


def everything(task: Any) -> bool:
    """Return True: all tasks are done."""
    return True


def answered(
    question: WhatIfSettings, runs_of: Runs, done: Callable[[Any], bool] = everything
) -> WhatIfResult:
    """Return the result in which settings of the topic have the runs ``runs_of(settings)``.

    done: whether a task is done. Essential ones always are.
    """
    outcomes = {}
    for task in question.experiment.tasks():
        if not task.essential and not done(task):
            continue
        if hasattr(task, "parts"):
            outcomes[task] = np.array_split(runs_of(task.settings), task.parts)[task.part]
        elif hasattr(task, "candidates"):
            best = task.candidates[0]
            outcomes[task] = runs_of(best.change(seed=best.seed + task.split))
    return question.experiment.gather(outcomes)


# At random


def random_question(topic: str, rng: np.random.Generator) -> WhatIfSettings:
    """Return a question about a topic with a random kind, repeats, measure and slider."""
    question = PAGE.settings().change(topic=topic)
    question = question.change(
        question=str(rng.choice([*QUESTIONS, "smallest"])), repeats=int(rng.choice([FEW, 100]))
    )
    measures = list(question.topic_settings.experiment.measures)
    question = question.change(measure=str(rng.choice(measures)))
    slider = question.slider
    if rng.random() >= 0.5:
        slider = str(rng.choice(question.sliders))
    return question.change(slider=slider, tries=3)


def random_result(topic: str, rng: np.random.Generator) -> WhatIfResult:
    """Return a result whose runs follow a random curve along the slider, some or all of it."""
    question = random_question(topic, rng)
    low, high = question.asked_measure.limits
    if high == np.inf:
        low = 0.5 * question.goal
        high = 2 * question.goal
    bottom, top = np.sort(rng.uniform(low, high, 2))
    if rng.random() < 0.6:
        goal = rng.uniform(bottom, top)
    else:
        goal = rng.uniform(low, high)
    question = question.change(target=float(question.scale * goal))
    noise = rng.choice([0.0, 0.0, 0.02, 0.2]) * (high - low)
    slope = rng.choice([0.0, 1.0, 30.0])
    if question.asked_measure.better == "lower":
        slope = -slope
    middle = rng.choice(np.array(sorted(question.experiment.plan.curve)))

    def runs(settings: Settings) -> np.ndarray:
        """Return runs (R,) around the random curve, within the measure's limits."""
        value = getattr(settings, question.x_field)
        distance = np.log(max(value, LEAST) / max(middle, LEAST))
        expected = bottom + (top - bottom) * expit(slope * distance)
        return np.clip(expected + noise * rng.standard_normal(question.repeats), low, high)

    tasks = question.experiment.tasks()
    count = int(rng.choice([0.0, 0.3, 1.0, 1.0, 1.0]) * len(tasks))
    done = set(tasks[:count])
    return answered(question, runs, done.__contains__)


# Where a target is reached


def runs_reaching(share: float, count: int) -> np.ndarray:
    """Return runs of which this share reaches 80 %."""
    return np.where(np.arange(count) < round(share * count), HIT, MISS)


def rising(count: int) -> Runs:
    """Return runs of which more reach 80 % with more epsilon."""

    def runs(settings: Settings) -> np.ndarray:
        """Return runs of which half reach 80 % at epsilon 1, and more with more epsilon."""
        share = 0.5 + np.log10(settings.epsilon)
        return runs_reaching(min(1, max(0, share)), count)

    return runs


def alike(share: float) -> Runs:
    """Return runs of which the same share reaches 80 % with all settings."""
    return lambda settings: runs_reaching(share, FEW)


def jumping(settings: Settings) -> np.ndarray:
    """Return runs of which all reach 80 % from epsilon 0.5 on, and fewer before."""
    if settings.epsilon < 0.5:
        return runs_reaching(11 / 24, FEW)
    return runs_reaching(1, FEW)


def one_point_better(settings: Settings) -> np.ndarray:
    """Return runs that all reach 80 % from epsilon 1 on, and a point more from 5 on."""
    if settings.epsilon < 1:
        return np.full(100, MISS)
    if settings.epsilon < 5:
        return np.full(100, 0.8)
    return np.full(100, 0.81)


def small_loss(settings: Settings) -> np.ndarray:
    """Return runs whose loss is small from epsilon 0.1 on."""
    if settings.epsilon < 0.1:
        return np.full(100, 0.9)
    return np.full(100, 0.3)


def falling(settings: Settings) -> np.ndarray:
    """Return runs of which fewer reach 80 % with a larger clipping norm."""
    return runs_reaching(1 / (1 + settings.clip_norm), FEW)


def spread(settings: Settings) -> np.ndarray:
    """Return runs that are evenly spread from 70 to 90 %, whatever the settings are."""
    return np.linspace(MISS, HIT, FEW)


def differs_only_in(base: Settings, name: str) -> Callable[[Any], bool]:
    """Return whether the settings of a task differ from ``base`` in one field alone."""

    def holds(task: Any) -> bool:
        """Return whether a task has settings that equal ``base`` but for the field ``name``."""
        settings = getattr(task, "settings", None)
        if not settings:
            return False
        return settings == base.change(**{name: getattr(settings, name)})

    return holds


def solved() -> Iterator[WhatIfResult]:
    """Yield rare answers to which epsilon, or which clipping norm, reaches 80 %."""
    few = PAGE.settings().change(topic="classifier", target=80, repeats=FEW)
    many = few.change(repeats=100)
    clipping = few.change(slider="clip_norm")
    yield answered(few, jumping)
    yield answered(few, alike(16 / 24))
    yield answered(few, alike(13 / 24))
    yield answered(many, rising(100))
    yield answered(many, one_point_better)
    yield answered(many.change(measure="loss", target=0.5), small_loss)
    yield answered(clipping, falling)
    yield answered(clipping, falling, nothing)
    yield answered(few.change(version="published"), rising(FEW))
    yield answered(few.change(topic="hypotheses", repeats=FEW), alike(0.5), nothing)
    parties = few.change(topic="parties", repeats=FEW).change(slider="parties")
    for question, name in ((few, "epsilon"), (parties, "parties")):
        yield answered(question, spread, differs_only_in(question.topic_settings, name))


# Searches


def better_by(question: WhatIfSettings, on_first_split: float, on_others: float) -> Runs:
    """Return runs of candidates that are so much better than the topic's settings."""
    base = question.topic_settings

    def runs(settings: Settings) -> np.ndarray:
        """Return runs of 80 % with the topic's settings, and of 80 % and the gap with others."""
        gap = on_first_split
        if settings == base.change(seed=settings.seed):
            gap = 0
        elif settings.seed > base.seed:
            gap = on_others
        return np.full(FEW, 0.8 + gap)

    return runs


def up_to_seed(seed: int) -> Callable[[Any], bool]:
    """Return whether the settings of a task have at most this seed."""

    def holds(task: Any) -> bool:
        """Return whether a task has settings with at most this seed."""
        settings = getattr(task, "settings", None)
        return 0 <= getattr(settings, "seed", np.inf) <= seed

    return holds


def searched() -> Iterator[WhatIfResult]:
    """Yield answers to which configuration is best, done or in part."""
    start = PAGE.settings().change(topic="classifier", target=80, repeats=FEW, tries=3)
    question = start.change(question="best")
    seed = start.topic_settings.seed
    for gain in (0.1, -0.1, 0.0):
        yield answered(question, better_by(start, 0.1, gain))
    first_retest, _ = question.experiment.retests.pairs[0]
    on_two_splits = up_to_seed(seed + 1)

    def one_retest(task: Any) -> bool:
        """Return whether a task is the first retest, or measures on the first two splits."""
        return task == first_retest or on_two_splits(task)

    for done in (one_retest, up_to_seed(seed), nothing):
        yield answered(question, better_by(start, 0.1, 0.1), done)
