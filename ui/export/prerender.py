"""Recordings of the default pages, which are sent with a page and move before Streamlit's programs
have come.

A server records them by itself while nobody waits for anything, from what it computes for visitors
anyway, so that no recording is older than the program. ``player/prerender.js`` plays them, and the
live page takes their place.
"""

import asyncio
import gzip
import hashlib
import os
from collections.abc import Iterable, Mapping
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
from ui.page.page import Page
from ui.page.screen import make_screen
from ui.page.view import FIRST
from ui.widgets import assets

PROGRAM = "player/prerender.js"
# A recording adds at most so many bytes to a page, compressed. If it has more, every other value of
# the slider is left out, as long as there are ``LEAST_STOPS``.
MOST_BYTES = 60_000
LEAST_STOPS = 7
# Seconds between the start of the server and the first recording.
START_DELAY = 5.0
# Seconds between two checks whether the server is busy.
BUSY_DELAY = 0.05
# Address of a page -> its recording (HTML).
FOUND: dict[str, str] = {}


class First(NamedTuple):
    """A page to record, and what stands before its result in place of a heading (HTML)."""

    page: Page
    welcome: str = ""


def is_recorded(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether `LAB_FIRST_PICTURE` allows recording.

    Raises:
        ValueError: It is neither on, off nor empty.
    """
    value = environment.get("LAB_FIRST_PICTURE", "").strip()
    if value not in ("", "on", "off"):
        raise ValueError(f"LAB_FIRST_PICTURE is {value!r}, but must be on or off")
    return value != "off"


async def record(firsts: Mapping[str, First]) -> None:
    """Record the pages at these addresses, unless the environment forbids it."""
    if not is_recorded():
        return
    await asyncio.sleep(START_DELAY)
    for address, first in firsts.items():
        settings = first.page.settings()
        recorded_page = Recording(page=first.page, settings=settings, settings_text="", date="")
        current = recorded_page.current_value
        frames = {current: await _first_screen(recorded_page, current)}
        if len(gzip.compress(orjson.dumps(frames[current]))) > MOST_BYTES / 2:
            continue  # a page whose maps are too large
        for value in recorded_page.values:
            if value != current:
                frames[value] = await _first_screen(recorded_page, value)
        recorded = await asyncio.to_thread(html, recorded_page, first.welcome, frames)
        if recorded:
            FOUND[address] = recorded


async def _first_screen(recorded_page: Recording, value: float) -> dict[str, Any] | None:
    """Return what the first screen shows at a value; None if the settings refuse it."""
    frame = None
    while frame is None or frame.done < 1:
        while debounce.is_busy():
            await asyncio.sleep(BUSY_DELAY)
        frame = await asyncio.to_thread(recorded_page.tab_frame, "", value, SLICE_SECONDS)
        if frame is None or frame.errors:
            return None
    first_rows = frame.rows[FIRST]
    merged = recording.merge_frames([replace(frame, rows={FIRST: first_rows})])
    selectors = [".lab-numbers", ".lab-verdict"]
    for name in recorded_page.page.captions:
        selectors.append(f".lab-words-{name}")
    charts = [name for row in first_rows for name in row]
    settings = recorded_page.settings.change(**{recorded_page.slider.name: value})
    return {
        "words": _selected(merged["words"], selectors),
        "charts": _selected(merged["charts"], charts),
        "address": urlencode(links.versioned(links.minimal_texts(settings))),
    }


def _selected(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the values of the given names, as far as there are any."""
    return {name: values[name] for name in names if name in values}


def html(
    recorded_page: Recording, welcome: str, frames: Mapping[float, dict[str, Any] | None]
) -> str:
    """Return the recording of a page (HTML); "" if too few values of the slider fit.

    Args:
        recorded_page: The page and its slider.
        welcome: What stands before its result in place of a heading (HTML).
        frames: Value of the slider -> what the first screen shows; None if settings refuse it.
    """
    current = recorded_page.current_value
    current_charts = set()
    current_frame = frames[current]
    if current_frame:
        current_charts = set(current_frame["charts"])
    values = []
    for value, frame in frames.items():
        if frame and set(frame["charts"]) == current_charts:
            values.append(value)
    values.sort()
    for step in range(1, len(values) // LEAST_STOPS + 1):
        kept = []
        for index, value in enumerate(values):
            if index % step == 0 or value == current:
                kept.append(value)
        recorded = {
            "values": kept,
            "at": kept.index(current),
            "frames": recording.encode_stops([frames[value] for value in kept]),
        }
        recorded |= _surroundings(recorded_page, welcome)
        text = single_file.data(recorded, name="lab-recorded")
        if len(gzip.compress(text.encode())) <= MOST_BYTES:
            address, _ = script()
            return f'{text}<script async src=".{address}"></script>'
    return ""


def _surroundings(recorded_page: Recording, welcome: str) -> dict[str, Any]:
    """Return what stands around the recorded screen: sliders, layout and rules."""
    settings = recorded_page.settings
    page = recorded_page.page.at(settings)
    layout = page.slider_layout(settings)
    hero, *others = layout.sliders(settings.limits)
    fixed_sliders = []
    for slider in others:
        if slider.group != "more":
            fixed_sliders.append((asdict(slider), getattr(settings, slider.name)))
    return {
        "slider": asdict(hero),
        "fixed": fixed_sliders,
        "more": bool(layout.more or page.controls.more_choices),
        "html": _layout(page, settings, welcome),
        "rules": style(),
    }


def _box(name: str, *content: str) -> str:
    """Return an element as Streamlit makes one of a container with this key (HTML)."""
    return f'<div><div class="st-key-{name}">{"".join(content)}</div></div>'


def _layout(page: Page, settings: Any, welcome: str) -> str:
    """Return the screen of a page with the elements of ``ui/layout/topic_page.py`` (HTML).

    The same rules place them.
    """
    view = make_screen(page, settings, None, seconds=0).view
    captions = [f'<div class="lab-words-{name}"></div>' for name in page.captions]
    side = _box("side", _box("sliders", _box("panel", "<div data-ready></div>")))
    first = _box(
        "first",
        '<div class="lab-numbers"></div>',
        '<div><div class="lab-verdict" aria-live=polite></div></div>',
    )
    charts = _box("pictures", recording.chart_rows(view.boards[FIRST]), *captions)
    main = _box("main", first, charts, _box("below"))
    if welcome:
        screen = _box("screen", _box("welcome", welcome), side, main)
        content = _box("home", screen)
    else:
        screen = _box("screen", side, main)
        content = f"<h1>{page.info.question}</h1>{_box('setup')}{screen}"
    block = f'<div data-testid="stVerticalBlock">{content}</div>'
    return f'<div class="whole"><div data-testid="stMainBlockContainer">{block}</div></div>'


@cache
def style() -> str:
    """Return the rules that the page itself does not have."""
    sheets = (
        assets.SLIDER_RULES,
        assets.SLIDER_RULES.with_name("play.css"),
        single_file.CHART_RULES,
        single_file.HERE / "player" / "prerender.css",
    )
    return recording.theme_rules(".whole") + single_file.joined(sheets)


def script() -> tuple[str, str]:
    """Return the address of the program, with a hash of it in its name, and the program."""
    text = single_file.bundle(PROGRAM)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"/lab-first-picture.{digest[:12]}.js", text
