"""The handout of a result, without anybody who asks for it, and what holds of every HTML file that
is taken away.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

from html5lib import HTMLParser

from tests.app import QUICK
from ui.export import share_dialog
from ui.export.handout import Handout
from ui.page.page import Page
from ui.server.qr_code import qr
from ui.session.entries import from_link
from ui.session.page_state import PageState


def handout(
    page: Page, result: Any, *, link: str = "http://lab.example.org/", date: str = "2026-01-31"
) -> Handout:
    """Return the handout of a result, with a link to its page (as a QR code too) and this date."""
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


def asks_nobody(html: str) -> None:
    """Assert that a file asks nobody for anything, by a policy too."""
    assert "default-src 'none'" in html
    assert "unsafe-eval" not in html
    assert not re.search(r"<(?:link|img|iframe|object|embed|source|base)\b|@import", html)


def stands_alone(html: str) -> None:
    """Assert that a file asks nobody for anything, and is valid HTML."""
    asks_nobody(html)
    HTMLParser(strict=True).parse(html)  # Fails at the first fault.
