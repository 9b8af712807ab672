"""The pages of the lab in their order, and what navigation, head and recordings need of them.

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
from ui.page.page import PageInfo
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
TOPIC_PAGES = tuple(import_module(f"pages.{topic}.page").PAGE for topic in TOPICS)
_PLANNER = planner_page(TOPIC_PAGES)
# The topics, each with the planner's questions about it, and the planner.
PAGES = (
    *(replace(page, question_tab=question_tab(page.name, _PLANNER)) for page in TOPIC_PAGES),
    _PLANNER,
)
HOME = home.PAGE


# Pages without an experiment.
OTHER_PAGES = (
    PageInfo(
        "data",
        "My data",
        ":material/table:",
        "Plan",
        data.QUESTION,
        "Train on your own table with differential privacy",
    ),
    PageInfo(
        "lessons",
        "Lessons",
        ":material/school:",
        "Learn",
        lessons.TITLE,
        "Guess what privacy does to a model, then see it",
    ),
    PageInfo(
        "glossary",
        "Glossary",
        ":material/dictionary:",
        "Learn",
        page_glossary.QUESTION,
        "Terms of differential privacy, and where the lab shows them",
    ),
    PageInfo(
        "works",
        "Papers, checked",
        ":material/library_books:",
        "Learn",
        page_papers.QUESTION,
        "Which statements hold, part by part",
    ),
    PageInfo(
        "deployments",
        "Releases in use",
        ":material/public:",
        "Learn",
        page_deployments.QUESTION,
        "What registered releases protect, and how much",
    ),
    PageInfo(
        "choosing",
        "Choose parameters",
        ":material/rule:",
        "Learn",
        page_choosing.QUESTION,
        "Steps to a guarantee that fits a release",
    ),
)


def _menu() -> dict[str, list[PageInfo]]:
    """Return group -> its pages, as the navigation and the home page list them."""
    menu: dict[str, list[PageInfo]] = {}
    for info in (*(page.info for page in PAGES), *OTHER_PAGES):
        menu.setdefault(info.group, []).append(info)
    return menu


MENU = _menu()
# Address -> the page whose first screen is recorded; "" is home.
FIRSTS = {"": First(HOME, home.welcome())} | {page.name: First(page) for page in PAGES}
# Address -> what the head of the page holds; "" is home.
HEADS = {"": Head("", home.QUESTION, home.ABOUT)}
for page in PAGES:
    HEADS[page.name] = Head(page.info.title, page.info.question, page.info.about)
for info in OTHER_PAGES:
    HEADS[info.name] = Head(info.title, info.question, info.about, charts=False)
