"""The pages of the lab, in their order: a line each.

Not in ``pages/__init__.py``, so that a script that imports one experiment imports no page.
"""

from importlib import import_module

TOPICS = (
    "classifier",
    "network",
    "regression",
    "mechanisms",
    "ledger",
    "transfer",
    "parties",
    "hypotheses",
    "attack",
)
PAGES = tuple(import_module(f"pages.{topic}.page").PAGE for topic in TOPICS)
