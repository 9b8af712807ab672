"""The handout of a result, without anybody who asks for it."""

from dataclasses import replace
from functools import cache
from typing import Any

from tests.app import QUICK
from ui import share
from ui.controls import Desk, from_link
from ui.handout import Handout
from ui.page import Page
from ui.qr_code import qr


def handout(page: Page, result: Any, *, link: str = "http://lab.example.org/", date: str = "2026-01-31") -> Handout:
    settings, here = result.settings, page.at(result.settings)
    desk = Desk(page=page.name, settings=settings)
    return replace(share.handed_out(desk, here, result, link=link, code=qr(link)), date=date)


@cache
def quick(page: Page) -> Handout:
    """Of settings that are computed quickly; once a process."""
    settings, notices = from_link(page.settings, {} if page.name == "what-if" else QUICK[page.name])
    assert not notices
    return handout(page, settings.run())
