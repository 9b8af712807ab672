"""The planner's questions, as its settings put them, and its target."""

from pages.what_if.experiment import WhatIfSettings
from pages.what_if.words import SAYS, at, low, noun, words_of

# What a parameter counts, where its name does not say so.
PEOPLE = {"rows": "people", "target_rows": "people", "source_rows": "labelled rows"}


def introduction(settings: WhatIfSettings) -> str:
    return SAYS["introduction"]


def questions(settings: WhatIfSettings) -> dict[str, str]:
    crowd, several = settings.crowd, getattr(settings.settings, "rows_each", 1) > 1
    about = words_of(settings) | {"name": low(settings.knob)}
    found = {key: SAYS(f"question.{key}", **about) for key in ("accuracy", "smallest")}
    if crowd:
        found["people"] = SAYS("question.people", people="rows" if several else PEOPLE.get(crowd, low(crowd)), **about)
    if settings.tried:
        found["best"] = SAYS["question.best"]
    return found | {"versus": _pair(settings)}


def _pair(settings: WhatIfSettings) -> str:
    """Return how A and B are compared, by the setting that differs."""
    if len(settings.different) != 1:
        return SAYS["question.versus"]
    ((name, theirs),) = settings.different.items()
    mine = getattr(settings, name)
    if isinstance(mine, str):
        return SAYS("question.versus_choice", one=mine.replace("_", " "), other=theirs.replace("_", " "))
    one, other = (at(settings, name, value) for value in (mine, theirs))
    return SAYS("question.versus_number", name=low(name), one=one, other=other)


def target_knob(settings: WhatIfSettings) -> dict[str, object]:
    if settings.asked.unit == "%":
        return {"label": "Target", "unit": "%"}
    return {"label": f"Target {noun(settings)}", "scale": "log", "stops": 40}
