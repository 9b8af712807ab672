"""The planner's questions and the slider of its target."""

from pages.what_if.experiment import WhatIfSettings
from pages.what_if.texts import SAYS, low, noun, words_of

# Noun of a parameter that counts people, where its label is not one.
PEOPLE = {"rows": "people", "target_rows": "people", "source_rows": "labelled rows"}


def introduction(settings: WhatIfSettings) -> str:
    """Return the introduction of the page."""
    return SAYS["introduction"]


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Return question -> its text, for the questions that the base can be asked."""
    holes = words_of(settings) | {"name": low(settings.slider)}
    found = {"smallest": SAYS("question.smallest", **holes)}
    if settings.crowd:
        found["people"] = SAYS("question.people", people=_people(settings), **holes)
    if settings.tried:
        found["best"] = SAYS["question.best"]
    return found


def _people(settings: WhatIfSettings) -> str:
    if getattr(settings.settings, "rows_each", 1) > 1:
        return "rows"
    return PEOPLE.get(settings.crowd, low(settings.crowd))


def target_slider(settings: WhatIfSettings) -> dict[str, object]:
    """Return the properties of the target's slider."""
    if settings.asked.unit == "%":
        return {"label": "Target", "unit": "%"}
    return {"label": f"Target {noun(settings)}", "scale": "log", "stops": 40}
