"""The handout of a result, without anybody who asks for it."""

from typing import Any

from ui import share, takeaway
from ui.controls import Desk
from ui.handout import Handout
from ui.page import Page


def handout(page: Page, result: Any, *, link: str = "http://lab.example.org/", date: str = "2026-01-31") -> Handout:
    settings, here = result.settings, page.at(result.settings)
    return Handout(
        page=here,
        result=result,
        told=share.told(here, Desk(page=page.name, settings=settings)),
        link=link,
        code=share.qr(link),
        version=takeaway.version(settings),
        date=date,
    )
