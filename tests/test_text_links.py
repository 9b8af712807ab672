"""Links of the papers' page, the glossary and the teacher's guide: each opens its settings without a notice."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from lab.links import versioned
from pages.learn.works import WORKS
from pages.lessons.lessons import LESSONS
from pages.table import PAGES
from tests.app import opened
from ui.controls import PUZZLE, from_link
from ui.glossary import TERMS

ROOT = Path(__file__).parents[1]
KINDS = {page.name: page.settings for page in PAGES}
NAMED = {*re.findall(r'^    \("(\w+)", "', (ROOT / "pages" / "frame.py").read_text("utf-8"), re.MULTILINE)}
SHOWN = [(one.page, versioned(one.settings)) for parts in WORKS.values() for one in parts if one.page]
SHOWN += [(one.page, versioned(one.settings)) for one in TERMS.values()]
WRITTEN = map(urlsplit, re.findall(r"\]\((/[^)]*)\)", (ROOT / "docs" / "teaching.md").read_text("utf-8")))
LINKS = dict.fromkeys(
    (page, *query.items()) for page, query in [*SHOWN, *((at.path[1:], dict(parse_qsl(at.query))) for at in WRITTEN)]
)


# At each commit all are read, and every eighth is opened.
OPENED = [
    pytest.param(link, marks=[pytest.mark.soak] * (place % 8 > 0), id=str(link)) for place, link in enumerate(LINKS)
]


def named(settings, query: dict[str, str]) -> bool:
    """Whether the settings are those that the link names."""
    names = query.keys() & vars(settings).keys()
    return all(str(getattr(settings, name)) == str(type(getattr(settings, name))(query[name])) for name in names)


def test_every_link_is_read_without_a_notice():
    for page, *items in LINKS:
        assert page in {*KINDS, *NAMED, "", "data"}
        query = dict(items)
        if page == "lessons":  # each is opened in test_lessons.py
            assert query["lesson"] in {lesson.name for lesson in LESSONS}
        elif page in KINDS:
            settings, notices = from_link(KINDS[page], {name: text for name, text in items if name != PUZZLE})
            assert (named(settings, query), notices) == (True, []), (page, query)


@pytest.mark.parametrize("link", OPENED)
def test_a_link_opens_without_a_notice(link):
    page, query = link[0], dict(link[1:])
    if page == "lessons":
        return
    app = opened(page, **query)
    assert not app.exception
    assert not app.warning
    if page in KINDS:
        settings = app.session_state[f"{page}.desk"].settings
        assert settings == from_link(KINDS[page], query)[0]
        assert named(settings, query)
