"""Links of works, glossary, texts and documents to pages of the lab."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit import config

from lab.experiment.links import versioned
from pages.learn.papers import WORKS
from pages.lessons.lessons import LESSONS
from pages.topics import HEADS, PAGES
from tests.app import opened
from ui.session.address import TAB
from ui.session.entries import from_link
from ui.text.glossary import TERMS

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "teaching.md").read_text("utf-8")
# Folders with texts and documents. The links of papers.md are those of the works.
PLACES = ("*.md", "docs/*.md", "sample_data/*.md", ".github/**/*.md", "pages/**/*.md", "ui/**/*.md")
WORKS_FILE = "papers.md"
# The address of a page of the lab: a link of Markdown, in texts without a slash, or code that holds
# a query.
LINK = re.compile(r"(?<=\]\()(?:/[^)]*|[a-z-]+(?:\?[^)]*)?)(?=\))|(?<=`)/[a-z-]+\?[^`]+(?=`)")
SETTINGS = {page.name: page.settings for page in PAGES}
# At each commit every so many-th link is opened.
OPENED_EVERY = 8


def addresses_of_documents() -> list[str]:
    """Return the addresses of pages that texts and documents name."""
    addresses = []
    for place in PLACES:
        for path in sorted(ROOT.glob(place)):
            if path.name != WORKS_FILE:
                addresses += LINK.findall(path.read_text("utf-8"))
    return addresses


def all_links() -> list[tuple[str, dict[str, str]]]:
    """Return page and query of each link, without repetitions."""
    links = []
    for part in [part for parts in WORKS.values() for part in parts] + list(TERMS.values()):
        if part.page:
            links.append((part.page, versioned(part.settings)))
    for address in addresses_of_documents():
        parts = urlsplit(address)
        links.append((parts.path.removeprefix("/"), dict(parse_qsl(parts.query))))
    different = []
    for link in links:
        if link not in different:
            different.append(link)
    return different


LINKS = all_links()


def link_parameter(number: int, *, is_slow: bool = False):
    """Return a link as a parameter of tests."""
    page, query = LINKS[number]
    marks = []
    if is_slow:
        marks.append(pytest.mark.soak)
    return pytest.param(page, query, id=f"{page} {query}", marks=marks)


def has_settings_of(settings: Any, query: dict[str, str]) -> bool:
    """Return whether settings are those that a link names."""
    for name in query.keys() & vars(settings).keys():
        value = getattr(settings, name)
        if str(value) != str(type(value)(query[name])):
            return False
    return True


@pytest.mark.parametrize(
    ("page", "query"), [link_parameter(number) for number in range(len(LINKS))]
)
class TestLinks:
    def test_a_link_in_a_text_leads_to_a_page(self, page, query):
        assert page in HEADS

    def test_a_link_in_a_text_leads_to_a_lesson(self, page, query):
        if page == "lessons":
            assert query["lesson"] in {lesson.name for lesson in LESSONS}

    def test_the_settings_of_a_link_are_read_without_a_notice(self, page, query):
        if page not in SETTINGS:
            return
        fields = {name: value for name, value in query.items() if name != TAB}

        settings, notices = from_link(SETTINGS[page], fields)

        assert notices == []
        assert has_settings_of(settings, fields)

    def test_a_link_in_a_text_leads_to_a_tab_of_the_page(self, page, query):
        if page not in SETTINGS or TAB not in query:
            return
        fields = {name: value for name, value in query.items() if name != TAB}
        settings, _ = from_link(SETTINGS[page], fields)

        tabs = next(one for one in PAGES if one.name == page).at(settings).all_tabs

        assert query[TAB] in [tab.name for tab in tabs]


@pytest.mark.parametrize(
    ("page", "query"),
    [link_parameter(number, is_slow=number % OPENED_EVERY > 0) for number in range(len(LINKS))],
)
def test_a_link_opens_without_a_notice(page, query):
    app = opened(page, **query)

    assert not app.exception
    assert not app.warning
    if page in SETTINGS:
        assert has_settings_of(app.session_state[f"{page}.state"].settings, query)


@pytest.mark.parametrize(
    "name", ["LAB_FRAME_ANCESTORS", "server.xsrfCookieSameSite", "server.allowedHosts"]
)
def test_the_guide_names_settings_that_a_server_has(name):
    headers = (ROOT / "ui" / "server" / "security_headers.py").read_text("utf-8")

    assert name in GUIDE
    assert name in {*config.get_config_options(), *re.findall(r"LAB_\w+", headers)}
