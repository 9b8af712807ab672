"""Texts of the planner's questions, the slider of the target, and rows of a visitor's file."""

from lab.experiment.settings import Settings
from lab.label.label import roles_of
from pages.what_if.formats import SAYS, is_percent, measure_noun, question_values
from pages.what_if.measurements import BALANCED
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings
from ui.text.escaping import plain
from ui.text.sliders import in_sentence

ABOUT = SAYS.cases("about")
INTRODUCTION = SAYS["introduction"]
MOVE = SAYS["move"]
# Noun of a parameter that counts people, if its label is not one.
PEOPLE = {"rows": "people", "target_rows": "people", "source_rows": "labelled rows"}
# Steps of the slider of a target that is not in percent.
_TARGET_STOPS = 40


def questions(settings: WhatIfSettings) -> dict[str, str]:
    """Return the questions that can be asked about the topic's settings, with their texts."""
    values = {**question_values(settings), "name": in_sentence(settings.slider)}
    texts = {"smallest": SAYS("question.smallest", **values)}
    if settings.people_field:
        texts["people"] = SAYS(
            "question.people", people=_people_noun(settings.topic_settings), **values
        )
    if settings.candidates:
        texts["best"] = SAYS["question.best"]
    return texts


def people_text(settings: Settings) -> str:
    """Return the number of people of a topic's settings, as in "284 people"."""
    return f"{getattr(settings, settings.PEOPLE):,} {_people_noun(settings)}"


def _people_noun(settings: Settings) -> str:
    """Return the noun of what a topic's field of people counts."""
    roles = roles_of(settings)
    has_several_rows = roles is not None and not roles.person and not roles.one_row
    if has_several_rows or getattr(settings, "rows_each", 1) > 1:
        return "rows"
    return PEOPLE.get(settings.PEOPLE, in_sentence(settings.PEOPLE))


def target_slider(settings: WhatIfSettings) -> dict[str, object]:
    """Return the properties of the target's slider."""
    if is_percent(settings):
        return {"label": "Target", "unit": "%"}
    return {"label": f"Target {measure_noun(settings)}", "scale": "log", "stops": _TARGET_STOPS}


def rows_text(settings: WhatIfSettings) -> str:
    """Describe the made-up rows that stand for those of a visitor's file (HTML)."""
    own = settings.topic_settings.own
    people = SAYS["own-rows.rows"]
    if own.roles.person:
        people = SAYS["own-rows.people"]
    answer = plain(own.roles.answer)
    made_up = SAYS(
        "own-rows.made_up",
        count=settings.topic_settings.rows,
        people=people,
        columns=len(own.roles.columns),
    )
    if own.roles.target:
        return f"{made_up} {SAYS('own-rows.number', best=f'{own.best:.3g}', answer=answer)}"
    rule = SAYS("own-rows.classes", best=f"{100 * own.best:.0f}", answer=answer)
    case = "accuracy"
    if settings.measure == BALANCED:
        case = "balanced"
    return f"{made_up} {rule} {SAYS[f'own-rows.{case}']}"


def warning(result: WhatIfResult) -> str:
    """Return what to know before an answer about made-up rows is used (HTML), or ""."""
    if not result.settings.base_names_file:
        return ""
    return f'<p class="lab-card-warning">{rows_text(result.settings)}</p>'
