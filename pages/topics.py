"""The pages of the lab, in their order: a line each, and those that are about other pages.

Not in ``pages/__init__.py``, so that a script that imports one experiment imports no page.
"""

from dataclasses import replace
from importlib import import_module

from pages.data import page as data
from pages.home import page as home
from pages.learn import page_choosing, page_deployments, page_glossary, page_papers
from pages.lessons import page as lessons
from pages.what_if.page import planner_page
from pages.what_if.page_tab import question_tab
from ui.export.prerender import First
from ui.server.head_tags import Head

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
_PLANNER = planner_page(ROOMS)
PAGES = (*(replace(room, asked=question_tab(room.name, _PLANNER)) for room in ROOMS), _PLANNER)
HOME = home.front(PAGES)
# Address -> the page whose first picture is recorded; "" is home.
FIRSTS = {"": First(HOME, home.welcome())} | {page.name: First(page) for page in PAGES}
# Address -> what the head of the page says; "" is home.
HEADS = {page.name: Head(page.title, page.question, page.about) for page in PAGES}
HEADS |= {"": Head("", home.QUESTION, home.ABOUT)}
_TEXTS = {
    "data": Head("My data", data.QUESTION, "Train on your own table with differential privacy"),
    "lessons": Head("Lessons", lessons.TITLE, "Guess what privacy does to a model, then see it"),
    "glossary": Head(
        "Glossary",
        page_glossary.QUESTION,
        "Terms of differential privacy, and where the lab shows them",
    ),
    "works": Head("Papers, checked", page_papers.QUESTION, "Which statements hold, part by part"),
    "deployments": Head(
        "Releases in use",
        page_deployments.QUESTION,
        "What registered releases protect, and how much",
    ),
    "choosing": Head(
        "Choose parameters", page_choosing.QUESTION, "Steps to a guarantee that fits a release"
    ),
}
HEADS |= {name: head._replace(charts=False) for name, head in _TEXTS.items()}
