"""The handout of a result, without anybody who asks for it."""

from dataclasses import replace
from functools import cache
from typing import Any

from ui import share
from ui.controls import Desk, from_link
from ui.handout import Handout
from ui.page import Page
from ui.qr_code import qr

# Settings of each page that are computed quickly.
QUICK = {
    "classifier": {"repeats": "3", "steps": "10"},
    "network": {"repeats": "2", "epochs": "3", "width": "4", "layers": "1"},
    "regression": {"repeats": "5"},
    "transfer": {"repeats": "3"},
    "parties": {"parties": "20", "repeats": "3"},
    "hypotheses": {"source_rows": "200", "unlabelled_rows": "200", "target_rows": "300", "repeats": "2"},
    "attack": {"repeats": "100", "steps": "5"},
}


def handout(page: Page, result: Any, *, link: str = "http://lab.example.org/", date: str = "2026-01-31") -> Handout:
    settings, here = result.settings, page.at(result.settings)
    desk = Desk(page=page.name, settings=settings)
    return replace(share.handed_out(desk, here, result, link=link, code=qr(link)), date=date)


@cache
def quick(page: Page) -> Handout:
    """Of settings that are computed quickly; once a process."""
    settings, notices = from_link(page.settings, QUICK.get(page.name, {}))
    assert not notices
    return handout(page, settings.run())
