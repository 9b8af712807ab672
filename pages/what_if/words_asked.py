"""The planner's questions in words."""

from pages.what_if.experiment import WhatIfSettings
from pages.what_if.words_parts import PEOPLE, SAYS, at, low, named, noun, words_of


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Return how each question is asked that has an answer here."""
    knob, crowd = settings.knob, settings.crowd
    about = words_of(settings) | {"name": low(knob), "setting": named(settings, knob, getattr(settings, knob))}
    keys = {"accuracy": "accuracy", "smallest": "smallest"}
    if crowd:
        keys["people"] = "people" if knob == crowd else "people_here"
        about["people"] = PEOPLE.get(crowd, low(crowd))
    if settings.tried:
        keys["best"] = "best" if knob in settings.settings.tuned else "best_here"
    asked = {question: SAYS(f"question.{key}", **about) for question, key in keys.items()}
    return asked | {"versus": _versus(settings)}


def _versus(settings: WhatIfSettings) -> str:
    """Return how A and B are compared, by the setting that differs."""
    changes = settings.different
    if len(changes) != 1:
        return SAYS["question.versus"]
    ((name, value),) = changes.items()
    mine = getattr(settings, name)
    if isinstance(mine, str):
        return SAYS("question.versus_choice", one=mine.replace("_", " "), other=value.replace("_", " "))
    one, other = (at(settings, name, value) for value in (mine, value))
    return SAYS("question.versus_number", name=low(name), one=one, other=other)


def target_knob(settings: WhatIfSettings) -> dict[str, object]:
    """Return how the slider of the target looks."""
    if settings.asked.unit == "%":
        return {"label": "Target", "unit": "%"}
    return {"label": f"Target {noun(settings)}", "scale": "log", "stops": 40}
