"""The exercises of the document open at their settings, and their pages state the numbers."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.topics import OTHER_PAGES, PAGES
from tests.sentences import plain, tiles
from ui.session.entries import from_link

DOCUMENT = Path(__file__).parents[1] / "docs" / "exercises.md"
KINDS = 28
TAB = "tab"
PAGES_BY_NAME = {page.name: page for page in PAGES}
NAMES_OF_OTHER_PAGES = {page.name for page in OTHER_PAGES}


@dataclass(frozen=True)
class Exercise:
    """A row of the document, with its links and the phrases that the pages state."""

    number: int
    links: tuple[str, ...]
    phrases: tuple[str, ...]


def read_exercises() -> list[Exercise]:
    """Return the exercises of the document, in its order."""
    exercises = []
    for line in DOCUMENT.read_text("utf-8").splitlines():
        row = re.match(r"\| (\d+) \|(.*)\|$", line)
        if row:
            links = re.findall(r"\]\(/([^)]*)\)", row[2])
            phrases = re.findall(r"\*\*(.+?)\*\*", row[2])
            exercises.append(Exercise(int(row[1]), tuple(links), tuple(phrases)))
    return exercises


EXERCISES = read_exercises()


def opened(link: str):
    """Return the settings of a link, read as the app reads it without a notice, and the page."""
    address = urlsplit(link)
    parameters = dict(parse_qsl(address.query))
    tab = parameters.pop(TAB, "")
    page = PAGES_BY_NAME[address.path]
    settings, notices = from_link(page.settings, parameters)
    assert notices == []
    page = page.at(settings)
    assert tab in ("", *(tab.name for tab in page.all_tabs))
    return settings, page


@cache
def page_text(link: str) -> str:
    """Return everything that the page states once all its tasks are done, in all tabs."""
    settings, page = opened(link)
    view = page.view(settings.experiment.run())
    texts = [plain(view.texts[name]) for name in view.texts]
    return " ".join([*(plain(tile) for tile in tiles(view.tiles)), *texts])


def test_there_is_an_exercise_of_each_kind_with_a_link_and_a_number():
    assert sorted(exercise.number for exercise in EXERCISES) == list(range(1, KINDS + 1))
    assert all(exercise.links and exercise.phrases for exercise in EXERCISES)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: str(exercise.number))
def test_the_page_of_an_exercise_states_what_to_expect(exercise):
    links = [link for link in exercise.links if link not in NAMES_OF_OTHER_PAGES]

    text = " ".join(page_text(link) for link in links)

    missing = [phrase for phrase in exercise.phrases if phrase not in text]
    assert missing == [], text[:3000]
