"""The handout of a result, without anybody who asks for it, and what holds of every HTML file that
is taken away.
"""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

from tests.app import QUICK
from ui.export import share_dialog
from ui.export.handout import Handout
from ui.page.page import Page
from ui.server.qr_code import qr
from ui.session.entries import from_link
from ui.session.page_state import PageState

VOID = {"meta", "br", "hr", "input", "path", "circle", "line", "rect", "polyline", "polygon"}


def handout(
    page: Page, result: Any, *, link: str = "http://lab.example.org/", date: str = "2026-01-31"
) -> Handout:
    settings, here = result.settings, page.at(result.settings)
    state = PageState(page=page.name, settings=settings)
    return replace(
        share_dialog.handout_of(state, here, result, link=link, code=qr(link)), date=date
    )


@cache
def quick(page: Page) -> Handout:
    """Return the handout of settings that are computed quickly, once a process."""
    link = {}
    if page.name != "what-if":
        link = QUICK[page.name]
    settings, notices = from_link(page.settings, link)
    assert not notices
    return handout(page, settings.experiment.run())


class Tree(HTMLParser):
    """Fails where an element that is opened is not closed in its place."""

    def reset(self):
        super().reset()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag


def stands_alone(html: str) -> None:
    """Assert that a file asks nobody for anything, by a policy too, and is a tree."""
    assert "default-src 'none'" in html
    assert "unsafe-eval" not in html
    assert not re.search(r"<(?:link|img|iframe|object|embed|source|base)\b|@import", html)
    tree = Tree()
    tree.feed(html)
    assert tree.open == []
