"""Text of the planner about the rows of a visitor's file."""

from lab.uploads.made_up import MadeUp
from pages.what_if.formats import SAYS
from pages.what_if.settings import WhatIfSettings
from ui.text.escaping import plain

ABOUT = SAYS.cases("about")
MOVE = SAYS["move"]


def rows_text(settings: WhatIfSettings) -> str:
    """Name the rows of a visitor's file that an answer uses, and their cost (markdown)."""
    own = settings.topic_settings.own
    if not isinstance(own, MadeUp):
        count = len(settings.experiment.compared_settings)
        return SAYS("own-rows.private", count=count)
    people = SAYS["own-rows.rows"]
    if own.roles.person:
        people = SAYS["own-rows.people"]
    answer = plain(own.roles.answer)
    if own.roles.target:
        carries = SAYS("own-rows.number", best=f"{own.best:.3g}", answer=answer)
    else:
        carries = SAYS("own-rows.classes", best=f"{100 * own.best:.0f}", answer=answer)
    return SAYS(
        "own-rows.made_up",
        count=settings.topic_settings.rows,
        people=people,
        columns=len(own.roles.columns),
        carries=carries,
    )
