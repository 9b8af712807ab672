"""What the default pages show, recorded: it is sent with a page, and moves before Streamlit's
programs have come.

A server records it by itself, in the slices of time in which nobody waits for anything, of what it
computes for visitors anyway, so that nothing here can be older than the program.
``player/prerender.js`` plays it, and the live page takes its place.
"""

import asyncio
import gzip
import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from lab.experiment import links
from ui.compute import debounce
from ui.compute.runner import SLICE_SECONDS
from ui.export import recording, single_file
from ui.export.recording import Recording
from ui.page.page import FIRST, Page
from ui.page.screen import make_screen
from ui.session.slider_layout import slider as slider_of
from ui.widgets import assets

PROGRAM = "player/prerender.js"
# Bytes that a page may be longer for it, compressed; where that is too few, every other stop is
# left out, as long as there are so many.
MOST_BYTES, LEAST_STOPS = 60_000, 7
# Seconds after the start of the server, and between two looks for spare time.
AFTER, LOOK = 5.0, 0.05
# Address of a page -> what ``html`` has made of it.
FOUND: dict[str, str] = {}


class First(NamedTuple):
    """A page to record, and what stands before its result (HTML) in place of a heading."""

    page: Page
    welcome: str = ""


def is_recorded(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether `LAB_FIRST_PICTURE` allows recording.

    Raise ValueError unless it is on, off or empty.
    """
    value = environment.get("LAB_FIRST_PICTURE", "").strip()
    if value not in ("", "on", "off"):
        raise ValueError(f"LAB_FIRST_PICTURE is {value!r}, but must be on or off")
    return value != "off"


async def record(firsts: Mapping[str, First]) -> None:
    """Record the pages at these addresses, unless the environment says
    ``LAB_FIRST_PICTURE=off``.
    """
    if not is_recorded():
        return
    await asyncio.sleep(AFTER)
    for address, first in firsts.items():
        one = Recording(page=first.page, settings=first.page.settings(), told="", date="")
        here = getattr(one.settings, one.slider.name)
        frames = {here: await _frame(one, here)}
        if len(gzip.compress(orjson.dumps(frames[here]))) > MOST_BYTES / 2:
            continue  # a page whose maps are too large
        frames |= {value: await _frame(one, value) for value in one.values if value != here}
        if made := await asyncio.to_thread(html, one, first.welcome, frames):
            FOUND[address] = made


async def _frame(one: Recording, value: float) -> dict[str, Any] | None:
    """Return what the page shows at one value on its first screen; None where the settings refuse
    it.
    """
    now = None
    while now is None or now.done < 1:
        while debounce.is_busy():
            await asyncio.sleep(LOOK)
        now = await asyncio.to_thread(one.shown, "", value, SLICE_SECONDS)
        if now is None or now.errors:
            return None
    frame = recording.merged([replace(now, rows={FIRST: now.rows[FIRST]})])
    names = [name for row in frame["rows"].pop(FIRST) for name in row]
    said = [
        f".lab-{name}"
        for name in ("numbers", "verdict", *(f"words-{name}" for name in one.page.captions))
    ]
    kept = {"words": (said, frame["words"]), "charts": (names, frame["charts"])}
    frame = {
        part: {name: all_[name] for name in some if name in all_}
        for part, (some, all_) in kept.items()
    }
    settings = one.settings.change(**{one.slider.name: value})
    return frame | {"address": urlencode(links.versioned(links.minimal_texts(settings)))}


def html(one: Recording, welcome: str, frames: Mapping[float, dict[str, Any] | None]) -> str:
    """Return what a page holds of it (HTML), "" where too few stops are small enough."""
    here = getattr(one.settings, one.slider.name)
    charts = (frames[here] or {}).get("charts", {}).keys()
    values = sorted(
        value for value, frame in frames.items() if frame and frame["charts"].keys() == charts
    )

    def packed(step: int) -> str:
        some = [value for place, value in enumerate(values) if place % step == 0 or value == here]
        taken = {
            "values": some,
            "at": some.index(here),
            "frames": recording.folded([frames[value] for value in some]),
        }
        return single_file.data(taken | _around(one, welcome), name="lab-recorded")

    steps = range(1, len(values) // LEAST_STOPS + 1)
    small = (text for text in map(packed, steps) if len(gzip.compress(text.encode())) <= MOST_BYTES)
    found = next(small, "")
    return found and f'{found}<script async src=".{script()[0]}"></script>'


def _around(one: Recording, welcome: str) -> dict[str, Any]:
    """Return what does not move: the sliders that the page has, its layout, and the rules."""
    here, settings = one.page.at(one.settings), one.settings
    sliders = here.slider_layout(settings)

    def slider(name: str, group: str) -> dict[str, Any]:
        look = {**sliders.changes.get(name, {}), "group": group, "play": name == sliders.play}
        return asdict(slider_of(name, settings.limits, **look))

    groups = dict.fromkeys(sliders.only_play, "play") | dict.fromkeys(sliders.main, "main")
    return {
        "slider": slider(one.slider.name, "hero"),
        "fixed": [(slider(name, group), getattr(settings, name)) for name, group in groups.items()],
        "more": bool(sliders.more or here.more),
        "html": _layout(here, settings, welcome),
        "rules": style(),
    }


def _layout(page: Page, settings: Any, welcome: str) -> str:
    """Return the screen of a page as ``ui/layout/topic_page.py`` lays it out, which the same rules
    then place (HTML).
    """
    view = make_screen(page, settings, None, seconds=0).view
    captions = (f'<div class="lab-words-{name}"></div>' for name in page.captions)

    def box(name: str, *inside: str) -> str:
        return f'<div><div class="st-key-{name}">{"".join(inside)}</div></div>'

    head = [f"<h1>{page.question}</h1>", box("setup")]
    screen = box(
        "screen",
        box("welcome", welcome) if welcome else "",
        box("side", box("sliders", box("panel", "<div data-ready></div>"))),
        box(
            "main",
            box(
                "first",
                '<div class="lab-numbers"></div>',
                '<div><div class="lab-verdict" aria-live=polite></div></div>',
            ),
            box("pictures", recording.placed(view.boards[FIRST]), *captions),
            box("below"),
        ),
    )
    if welcome:
        content = box("home", screen)
    else:
        content = "".join(head) + screen
    block = f'<div data-testid="stVerticalBlock">{content}</div>'
    return f'<div class="whole"><div data-testid="stMainBlockContainer">{block}</div></div>'


@cache
def style() -> str:
    """Return the rules that the page itself does not have."""
    own = single_file.HERE / "player" / "prerender.css"
    sheets = (
        assets.SLIDER_RULES,
        assets.SLIDER_RULES.with_name("play.css"),
        single_file.CHART_RULES,
        own,
    )
    return recording.themes(".whole") + "".join(sheet.read_text("utf-8") for sheet in sheets)


def script() -> tuple[str, str]:
    """Return (where the program is served, with a hash of it in its name, the program)."""
    text = single_file.bundle(PROGRAM)
    return f"/lab-first-picture.{hashlib.sha256(text.encode()).hexdigest()[:12]}.js", text
