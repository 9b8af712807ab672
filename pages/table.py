"""The pages of the lab, in their order: a line each, and those that are about other pages.

Not in ``pages/__init__.py``, so that a script that imports one experiment imports no page.
"""

from dataclasses import replace
from importlib import import_module

from pages.what_if import page as what_if

TOPICS = (
    "classifier",
    "network",
    "regression",
    "mechanisms",
    "accounting",
    "transfer",
    "parties",
    "hypotheses",
    "attack",
)
ROOMS = tuple(import_module(f"pages.{topic}.page").PAGE for topic in TOPICS)
_QUESTIONS = what_if.page(ROOMS)
PAGES = (*(replace(room, asked=what_if.asked(room.name, _QUESTIONS)) for room in ROOMS), _QUESTIONS)
