"""Questions of the planner, and results with runs that are made up."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lab.experiment.settings import Settings
from pages.topics import PAGES
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings

PAGE = next(page for page in PAGES if page.name == "what-if")
TOPICS = tuple(PAGE.settings.TOPICS)
# Settings of topics that are quick enough to be trained here.
LIGHT = {"network": "rows 200 epochs 3 width 4", "classifier": "dataset iris steps 5 public_rows 0"}


def question_about(topic: str, **changes: Any) -> WhatIfSettings:
    """Return a question about a topic, with few runs of each setting."""
    question = PAGE.settings().change(topic=topic, repeats=24)
    if topic in LIGHT:
        question = question.change(base=LIGHT[topic])
    for name, value in changes.items():
        question = question.change(**{name: value})
    return question


def result_with(
    question: WhatIfSettings,
    runs_of: Callable[[Settings, int], Any],
    *,
    only: Callable[[Settings], bool] = lambda settings: True,
) -> WhatIfResult:
    """Return the result in which settings of the topic have the runs ``runs_of(settings, count)``.

    only: the settings that are done, besides the topic's own.
    """
    plan = question.experiment.plan
    count = question.repeats
    measured = [question.topic_settings]
    for settings in (*plan.curve.values(), *plan.effects.values(), *plan.cells.values()):
        if only(settings):
            measured.append(settings)
    outcomes = {}
    for settings in dict.fromkeys(measured):
        tasks = plan.measurements(settings)
        batches = np.split(np.asarray(runs_of(settings, count), dtype=float), len(tasks))
        outcomes.update(zip(tasks, batches, strict=True))
    return question.experiment.gather(outcomes)
