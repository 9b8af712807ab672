"""The planner's questions in words."""

from pages.what_if.experiment import WhatIfSettings
from pages.what_if.words_parts import PEOPLE, SAYS, at, low, noun, words_of


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Return the text of each question that can be asked here."""
    knob, crowd = settings.knob, settings.crowd
    keys = ["accuracy", "smallest", *(["people"] if crowd else []), *(["best"] if settings.tried else [])]
    about = words_of(settings) | {"name": low(knob), "people": PEOPLE.get(crowd, low(crowd)) if crowd else ""}
    return {key: SAYS(f"question.{key}", **about) for key in keys} | {"versus": _versus(settings)}


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
